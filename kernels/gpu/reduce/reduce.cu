#include "types.cuh"

// Reductions: first is the result for no elements, take prepares an element, join combines
// two, and done makes the final result.
template <class A, class T> struct Sum {
    static __device__ A first() { return number<A>(0); }
    static __device__ A take(A x, i64) { return x; }
    static __device__ A join(A a, A b) { return plus(a, b); }
    static __device__ A done(A a, i64 count) { return count < 0 ? a : share(a, count); }
    template <class B> static __device__ B share(B a, i64) { return a; }
    static __device__ float share(float a, i64 n) { return a / (float)n; }
    static __device__ double share(double a, i64 n) { return a / (double)n; }
    static __device__ c64 share(c64 a, i64 n) { return n ? c64{a.re / (float)n, a.im / (float)n} : c64{0, 0}; }
    static __device__ c128 share(c128 a, i64 n) { return n ? c128{a.re / (double)n, a.im / (double)n} : c128{0, 0}; }
};
template <class A, class T> struct Prod : Sum<A, T> {
    static __device__ A first() { return number<A>(1); }
    static __device__ A join(A a, A b) { return times(a, b); }
    static __device__ A done(A a, i64) { return a; }
};
template <class A, class T> struct Max : Sum<A, T> {
    static __device__ A first() { return least<T>(); }
    static __device__ A join(A a, A b) { return larger(a, b); }
    static __device__ A done(A a, i64) { return a; }
};
template <class A, class T> struct Min : Sum<A, T> {
    static __device__ A first() { return most<T>(); }
    static __device__ A join(A a, A b) { return smaller(a, b); }
    static __device__ A done(A a, i64) { return a; }
};
template <class A, class T> struct All : Prod<A, T> {
    static __device__ A join(A a, A b) { return a & b; }
};
template <class A, class T> struct Any : All<A, T> {
    static __device__ A first() { return 0; }
    static __device__ A join(A a, A b) { return a | b; }
};
// Sums of squares: mode 1 squares elements, 2 returns the root of the sum, 4 half of it.
template <class A, class T> struct Square : Sum<A, T> {
    static __device__ A take(A x, i64 mode) { return mode & 1 ? x * x : x; }
    static __device__ A done(A a, i64 mode) { return mode & 2 ? sqrt(a) : mode & 4 ? a / 2 : a; }
};
// Sums of x times its conjugate, whose imaginary parts are 0.
template <class A, class T> struct Norm : Sum<A, T> {
    static __device__ A take(A x, i64 mode) { return mode & 1 ? A{x.re * x.re + x.im * x.im, 0} : x; }
    static __device__ A done(A a, i64 mode) { return mode & 2 ? A{sqrt(a.re), a.im} : a; }
};

// span sets lo and hi to the range of a part when n elements are split into parts.
__device__ __forceinline__ void span(i64 n, i64 parts, i64 part, i64 &lo, i64 &hi) {
    i64 chunk = quot(n + parts - 1, parts);
    lo = part * chunk;
    hi = lo + chunk < n ? lo + chunk : n;
}

// fold joins n elements of a strided sequence, in four interleaved sequences.
template <class A, class Op, class In> __device__ __forceinline__ A fold(const In *s, i64 n, i64 step, i64 mode) {
    A a[4] = {Op::first(), Op::first(), Op::first(), Op::first()};
#pragma unroll 1
    for (; n > 3; n -= 4, s += 4 * step) {
#pragma unroll
        for (int i = 0; i < 4; i++) a[i] = Op::join(a[i], Op::take(up(s[i * step]), mode));
    }
#pragma unroll 1
    for (; n > 0; n--, s += step) a[0] = Op::join(a[0], Op::take(up(*s), mode));
    return Op::join(Op::join(a[0], a[1]), Op::join(a[2], a[3]));
}

// rows reduces src[rows, n] to dst[rows, parts]. blockDim.x threads, 32 or a larger multiple
// of 32, reduce a part of a row. A block reduces blockDim.y parts, 1 unless blockDim.x is 32.
template <class A, class Op, class In, class Out>
__device__ __forceinline__ void rows(Out *dst, const In *src, i64 count, i64 n, i64 parts, i64 mode) {
    __shared__ A sums[32];
    i64 r = (i64)blockIdx.x * blockDim.y + threadIdx.y;
    if (r >= count * parts) return;
    i64 row = parts == 1 ? r : quot(r, parts), lo, hi;
    span(n, parts, r - row * parts, lo, hi);
    lo += threadIdx.x;
    const In *s = src + row * n + lo;
    A a = fold<A, Op>(s, hi > lo ? (hi - lo + blockDim.x - 1) / (int)blockDim.x : 0, blockDim.x, mode);
#pragma unroll
    for (int m = 16; m > 0; m >>= 1) a = Op::join(a, other(a, m));
    if (blockDim.x > 32) {
        if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = a;
        __syncthreads();
        if (threadIdx.x == 0) {
#pragma unroll 1
            for (int i = 1; i < blockDim.x / 32; i++) a = Op::join(a, sums[i]);
        }
    }
    if (threadIdx.x == 0) dst[r] = to<Out>(Op::done(a, mode));
}

// cols reduces src[outer, n, inner] to dst[outer, parts, inner] by blocks of 32 times
// 8 threads.
template <class A, class Op, class In, class Out>
__device__ __forceinline__ void cols(Out *dst, const In *src, i64 n, i64 inner, i64 parts, i64 mode) {
    __shared__ A sums[8][32];
    i64 across = (inner + 31) / 32;
    i64 strip = quot(blockIdx.x, across), c = (blockIdx.x - strip * across) * 32 + threadIdx.x;
    i64 o = quot(strip, parts), lo, hi;
    span(n, parts, strip - o * parts, lo, hi);
    A a = Op::first();
    if (c < inner) {
        lo += threadIdx.y;
        a = fold<A, Op>(src + (o * n + lo) * inner + c, (hi - lo + 7) >> 3, 8 * inner, mode);
    }
    sums[threadIdx.y][threadIdx.x] = a;
    __syncthreads();
    if (threadIdx.y == 0 && c < inner) {
#pragma unroll
        for (int i = 1; i < 8; i++) a = Op::join(a, sums[i][threadIdx.x]);
        dst[strip * inner + c] = to<Out>(Op::done(a, mode));
    }
}

#define ROWS(name, Op, A, In, Out)                                                                           \
    extern "C" __global__ void name##_rows(Out *dst, const In *src, i64 count, i64 n, i64 parts, i64 mode) { \
        rows<A, Op<A, In>, In, Out>(dst, src, count, n, parts, mode);                                            \
    }
#define COLS(name, Op, A, In, Out)                                                                           \
    extern "C" __global__ void name##_cols(Out *dst, const In *src, i64 n, i64 inner, i64 parts, i64 mode) { \
        cols<A, Op<A, In>, In, Out>(dst, src, n, inner, parts, mode);                                            \
    }
#define REDUCE(name, Op, A, In, Out) ROWS(name, Op, A, In, Out) COLS(name, Op, A, In, Out)
#define SAME(name, Op, T) REDUCE(name, Op, wide<T>::type, T, T)
// Rare types have no rows kernel: their rows are columns with inner 1.
#define RARE(name, Op, T) COLS(name, Op, wide<T>::type, T, T)
// Parts of sums of halves are floats: _in makes parts, _out joins them.
#define HALF(name, Op, T) REDUCE(name, Op, float, T, T) REDUCE(name##_in, Op, float, T, float) REDUCE(name##_out, Op, float, float, T)

HALF(sum_f16, Sum, f16)
HALF(sum_bf16, Sum, bf16)
SAME(sum_f32, Sum, float)
SAME(sum_f64, Sum, double)
RARE(sum_u8, Sum, u8)
RARE(sum_u16, Sum, u16)
SAME(sum_u32, Sum, u32)
SAME(sum_u64, Sum, u64)
SAME(sum_c64, Sum, c64)
SAME(sum_c128, Sum, c128)
SAME(prod_f16, Prod, f16)
SAME(prod_bf16, Prod, bf16)
SAME(prod_f32, Prod, float)
SAME(prod_f64, Prod, double)
RARE(prod_u8, Prod, u8)
RARE(prod_u16, Prod, u16)
SAME(prod_u32, Prod, u32)
SAME(prod_u64, Prod, u64)
SAME(prod_c64, Prod, c64)
SAME(prod_c128, Prod, c128)
#define ORDER(How, T, s) How(max_##s, Max, T) How(min_##s, Min, T)
ORDER(SAME, f16, f16)
ORDER(SAME, bf16, bf16)
ORDER(SAME, float, f32)
ORDER(SAME, double, f64)
ORDER(RARE, i8, i8)
ORDER(RARE, u8, u8)
ORDER(RARE, i16, i16)
ORDER(RARE, u16, u16)
ORDER(SAME, i32, i32)
ORDER(RARE, u32, u32)
ORDER(SAME, i64, i64)
ORDER(RARE, u64, u64)
SAME(all_bool, All, u8)
SAME(any_bool, Any, u8)
HALF(square_f16, Square, f16)
HALF(square_bf16, Square, bf16)
SAME(square_f32, Square, float)
SAME(square_f64, Square, double)
RARE(square_c64, Norm, c64)
RARE(square_c128, Norm, c128)
