#include "types.cuh"

// earlier returns x of the lane that is by lanes before, if the warp has it.
template <class A> __device__ __forceinline__ A earlier(A x, int by) {
    union { A a; u32 w[(sizeof(A) + 3) / 4]; } v;
    v.a = x;
#pragma unroll
    for (int i = 0; i < (int)(sizeof v.w / 4); i++) v.w[i] = __shfl_up_sync(0xffffffffu, v.w[i], by);
    return v.a;
}

template <class A> struct Sum {
    static __device__ __forceinline__ A first() { return number<A>(0); }
    static __device__ __forceinline__ A join(A a, A b) { return plus(a, b); }
};
template <class A> struct Prod {
    static __device__ __forceinline__ A first() { return number<A>(1); }
    static __device__ __forceinline__ A join(A a, A b) { return times(a, b); }
};
// LogSum is log(e^a + e^b).
template <class A> struct LogSum {
    static __device__ __forceinline__ A first() { return least<A>(); }
    static __device__ __forceinline__ A join(A a, A b) {
        A hi = a < b ? b : a, lo = a < b ? a : b;
        if (hi == least<A>()) return hi;
        return hi + (A)log1p(exp(lo - hi));
    }
};

// scan sets dst to running results along n of src[outer, n, inner]. They cover the elements
// before each and, unless exclusive, the element itself. In reverse they go from the end. A
// block of 256 threads scans a sequence, 256 elements at a time. dst may be src.
template <class T, template <class> class Op>
__device__ __forceinline__ void scan(T *dst, const T *src, i64 n, i64 inner, i64 exclusive, i64 reverse) {
    typedef typename wide<T>::type A;
    typedef Op<A> F;
    __shared__ A sums[8];
    i64 o = quot(blockIdx.x, inner), begin = o * n * inner + (blockIdx.x - o * inner), step = inner;
    if (reverse) begin += (n - 1) * inner, step = -inner;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    A carry = F::first();
#pragma unroll 1
    for (i64 k0 = 0; k0 < n; k0 += 256) {
        i64 k = k0 + threadIdx.x, at = begin + k * step;
        A x = k < n ? (A)up(src[at]) : F::first(), v = x;
#pragma unroll 1
        for (int by = 1; by < 32; by <<= 1) {
            A b = earlier(v, by);
            if (lane >= by) v = F::join(b, v);
        }
        A before = earlier(v, 1);
        if (lane == 31) sums[warp] = v;
        __syncthreads();
        A base = carry;
#pragma unroll 1
        for (int i = 0; i < warp; i++) base = F::join(base, sums[i]);
#pragma unroll 1
        for (int i = 0; i < 8; i++) carry = F::join(carry, sums[i]);
        A r = F::join(base, v);
        if (exclusive) r = lane ? F::join(base, before) : base;
        if (k < n) dst[at] = to<T>(r);
        __syncthreads();
    }
}

#define SCAN(name, Op, T) \
    extern "C" __global__ void name(T *dst, const T *src, i64 n, i64 inner, i64 exclusive, i64 reverse) { scan<T, Op>(dst, src, n, inner, exclusive, reverse); }
#define BOTH(T, s) SCAN(cumsum_##s, Sum, T) SCAN(cumprod_##s, Prod, T)
BOTH(f16, f16)
BOTH(bf16, bf16)
BOTH(float, f32)
BOTH(double, f64)
BOTH(u32, u32)
BOTH(u64, u64)
SCAN(cumlogsum_f16, LogSum, f16)
SCAN(cumlogsum_bf16, LogSum, bf16)
SCAN(cumlogsum_f32, LogSum, float)
SCAN(cumlogsum_f64, LogSum, double)
