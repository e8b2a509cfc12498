#include "block.cuh"

// before reports whether a at i is sorted before b at j: NaN first, then the largest, equal
// elements by position.
template <class A> __device__ __forceinline__ bool before(A a, i64 i, A b, i64 j) {
    if (a > b || a != a && b == b) return true;
    if (b > a || b != b && a == a) return false;
    return i < j;
}

// put stores the position i as an integer of size bytes.
__device__ __forceinline__ void put(void *places, i64 at, i64 i, i64 size) {
    if (size == 8) ((i64 *)places)[at] = i;
    else if (size == 4) ((i32 *)places)[at] = (i32)i;
    else ((i16 *)places)[at] = (i16)i;
}

// rank counts for each element of rows of n how many are sorted before it. An element with
// fewer than k is stored at that rank. A block of 256 threads ranks 256 elements.
template <class T> __device__ __forceinline__ void rank(T *values, void *places, const T *src, i64 n, i64 k, i64 size) {
    typedef typename wide<T>::type A;
    __shared__ A others[256];
    i64 across = (n + 255) / 256, r = quot(blockIdx.x, across), i = (blockIdx.x - r * across) * 256 + threadIdx.x, ahead = 0;
    const T *s = src + r * n;
    A x = i < n ? up(s[i]) : A();
#pragma unroll 1
    for (i64 j0 = 0; j0 < n; j0 += 256) {
        if (j0 + threadIdx.x < n) others[threadIdx.x] = up(s[j0 + threadIdx.x]);
        __syncthreads();
        int count = n - j0 < 256 ? (int)(n - j0) : 256;
#pragma unroll 1
        for (int j = 0; j < count; j++) ahead += before(others[j], j0 + j, x, i);
        __syncthreads();
    }
    if (i < n && ahead < k) {
        values[r * k + ahead] = s[i];
        put(places, r * k + ahead, i, size);
    }
}

// choose finds the first k elements of each row one by one, with a block for each row.
template <class T> __device__ __forceinline__ void choose(T *values, void *places, const T *src, i64 n, i64 k, i64 size) {
    typedef typename wide<T>::type A;
    __shared__ A best[32];
    __shared__ i64 at[32];
    i64 r = blockIdx.x;
    const T *s = src + r * n;
    A last = A();
    i64 done = -1;
#pragma unroll 1
    for (i64 c = 0; c < k; c++) {
        A a = A();
        i64 p = n; // none
        auto join = [&](A b, i64 q) {
            if (q < n && (p == n || before(b, q, a, p))) a = b, p = q;
        };
#pragma unroll 1
        for (i64 i = threadIdx.x; i < n; i += blockDim.x) {
            A x = up(s[i]);
            if (done < 0 || before(last, done, x, i)) join(x, i);
        }
#pragma unroll
        for (int m = 16; m > 0; m >>= 1) {
            A b = other(a, m);
            join(b, other(p, m));
        }
        if (threadIdx.x % 32 == 0) best[threadIdx.x / 32] = a, at[threadIdx.x / 32] = p;
        __syncthreads();
        a = best[0], p = at[0];
#pragma unroll 1
        for (int i = 1; i < blockDim.x / 32; i++) join(best[i], at[i]);
        __syncthreads();
        last = a, done = p;
        if (threadIdx.x == 0) {
            values[r * k + c] = s[p];
            put(places, r * k + c, p, size);
        }
    }
}

// best finds the first of the largest elements that are not NaN, or the first element if all
// are, with a block for each row.
template <class T> __device__ __forceinline__ void best(T *values, void *places, const T *src, i64 n, i64 size) {
    typedef typename wide<T>::type A;
    __shared__ A found[32];
    __shared__ i64 at[32];
    const T *s = src + (i64)blockIdx.x * n;
    A a = A();
    i64 p = n;
    auto join = [&](A b, i64 q) {
        if (q < n && (p == n || (a != a ? b == b || q < p : b > a || b == a && q < p))) a = b, p = q;
    };
#pragma unroll 1
    for (i64 i = threadIdx.x; i < n; i += blockDim.x) join(up(s[i]), i);
#pragma unroll
    for (int m = 16; m > 0; m >>= 1) {
        A b = other(a, m);
        join(b, other(p, m));
    }
    if (threadIdx.x % 32 == 0) found[threadIdx.x / 32] = a, at[threadIdx.x / 32] = p;
    __syncthreads();
    if (threadIdx.x) return;
#pragma unroll 1
    for (int i = 1; i < blockDim.x / 32; i++) join(found[i], at[i]);
    values[blockIdx.x] = s[p];
    put(places, blockIdx.x, p, size);
}

#define RANK(T, s)                                                                                                      \
    extern "C" __global__ void rank_##s(T *values, void *places, const T *src, i64 n, i64 k, i64 size) {                \
        rank<T>(values, places, src, n, k, size);                                                                       \
    }
#define TOP(T, s)                                                                                                       \
    RANK(T, s)                                                                                                          \
    extern "C" __global__ void choose_##s(T *values, void *places, const T *src, i64 n, i64 k, i64 size) {              \
        choose<T>(values, places, src, n, k, size);                                                                     \
    }                                                                                                                   \
    extern "C" __global__ void best_##s(T *values, void *places, const T *src, i64 n, i64 size) {                       \
        best<T>(values, places, src, n, size);                                                                          \
    }
TOP(f16, f16)
TOP(bf16, bf16)
TOP(float, f32)
TOP(double, f64)
RANK(i8, i8)
RANK(u8, u8)
RANK(i16, i16)
RANK(u16, u16)
TOP(i32, i32)
RANK(u32, u32)
TOP(i64, i64)
RANK(u64, u64)

// in_top sets dst to whether fewer than k of a row's classes are above its target's. A target
// out of range or a prediction that is not finite gives false.
extern "C" __global__ void in_top(u8 *dst, const float *predictions, const void *targets, i64 rows, i64 classes, i64 k, i64 size) {
    i64 r = block_row();
    if (r >= rows) return;
    i64 t = size == 8 ? ((const i64 *)targets)[r] : ((const i32 *)targets)[r];
    bool good = t >= 0 && t < classes;
    const float *p = predictions + r * classes;
    float x = good ? p[t] : 0;
    good = good && isfinite(x);
    i32 above = 0, odd = 0;
#pragma unroll 1
    for (i64 i = threadIdx.x; i < classes; i += 32) above += p[i] > x, odd += !isfinite(p[i]);
    above = together<Add>(above), odd = together<Add>(odd);
    if (threadIdx.x == 0) dst[r] = good && odd == 0 && above < k;
}
