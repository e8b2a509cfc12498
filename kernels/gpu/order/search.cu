#include "atomic.cuh"

// bound returns how many of n sorted elements are below v, or with upper not above it.
template <bool upper, class T, class A> __device__ __forceinline__ i64 bound(const T *row, i64 n, A v) {
    i64 lo = 0, hi = n;
#pragma unroll 1
    while (lo < hi) {
        i64 m = (lo + hi) / 2;
        A x = (A)up(row[m]);
        if (upper ? !(v < x) : x < v) lo = m + 1;
        else hi = m;
    }
    return lo;
}

__device__ __forceinline__ void put(void *dst, i64 at, i64 v, i64 size) {
    if (size == 8) ((i64 *)dst)[at] = v;
    else ((i32 *)dst)[at] = (i32)v;
}

// bounds searches the values of each row among the row's n sorted elements.
template <bool upper, class T>
__device__ __forceinline__ void bounds(void *dst, const T *sorted, const T *values, i64 total, i64 n, i64 count, i64 size) {
#pragma unroll 1
    for (i64 i = thread(); i < total; i += threads()) put(dst, i, bound<upper>(sorted + quot(i, count) * n, n, up(values[i])), size);
}
#define BOUNDS(T, s)                                                                                                                \
    extern "C" __global__ void lower_##s(void *dst, const T *sorted, const T *values, i64 total, i64 n, i64 count, i64 size) {      \
        bounds<false, T>(dst, sorted, values, total, n, count, size);                                                               \
    }                                                                                                                               \
    extern "C" __global__ void upper_##s(void *dst, const T *sorted, const T *values, i64 total, i64 n, i64 count, i64 size) {      \
        bounds<true, T>(dst, sorted, values, total, n, count, size);                                                                \
    }
BOUNDS(f16, f16)
BOUNDS(bf16, bf16)
BOUNDS(float, f32)
BOUNDS(double, f64)
BOUNDS(i8, i8)
BOUNDS(u8, u8)
BOUNDS(i16, i16)
BOUNDS(u16, u16)
BOUNDS(i32, i32)
BOUNDS(u32, u32)
BOUNDS(i64, i64)
BOUNDS(u64, u64)

// bucket sets dst to how many of n rising bounds are not above an element.
#define BUCKET(T, s)                                                                                           \
    extern "C" __global__ void bucket_##s(i32 *dst, const T *src, const float *edges, i64 total, i64 n) {      \
        _Pragma("unroll 1") for (i64 i = thread(); i < total; i += threads()) dst[i] = (i32)bound<true>(edges, n, (double)src[i]); \
    }
BUCKET(float, f32)
BUCKET(double, f64)
BUCKET(i32, i32)
BUCKET(i64, i64)

// bins adds the weights, or 1 without them, to the bins of dst[row, size] that src[row, cols]
// numbers. With binary the bins become 1. Values out of range are skipped.
template <class T>
__device__ __forceinline__ void bins(T *dst, const void *src, const T *weights, i64 total, i64 cols, i64 size, i64 binary, i64 index) {
#pragma unroll 1
    for (i64 i = thread(); i < total; i += threads()) {
        i64 v = index == 8 ? ((const i64 *)src)[i] : ((const i32 *)src)[i];
        if ((u64)v >= (u64)size) continue;
        T *to = dst + quot(i, cols) * size + v;
        if (binary) *to = (T)1;
        else raise(to, weights ? weights[i] : (T)1);
    }
}
#define BINS(T, s)                                                                                                                          \
    extern "C" __global__ void bins_##s(T *dst, const void *src, const T *weights, i64 total, i64 cols, i64 size, i64 binary, i64 index) {  \
        bins<T>(dst, src, weights, total, cols, size, binary, index);                                                                       \
    }
BINS(float, f32)
BINS(double, f64)
BINS(u32, u32)
BINS(u64, u64)
