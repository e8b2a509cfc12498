#include "types.cuh"

// finite is the lowest finite number, with which a search begins.
template <class T> __device__ __forceinline__ typename wide<T>::type finite() { return least<T>(); }
template <> __device__ __forceinline__ float finite<float>() { return -3.40282346638528859812e38f; }
template <> __device__ __forceinline__ double finite<double>() { return -1.79769313486231570815e308; }
template <> __device__ __forceinline__ float finite<f16>() { return -65504; }
template <> __device__ __forceinline__ float finite<bf16>() { return -3.38953138925153547590e38f; }

// begin is the number with which a search begins: the lowest finite one, or for the smallest
// element the highest.
template <class T, bool smallest> __device__ __forceinline__ typename wide<T>::type begin() {
    if (!smallest) return finite<T>();
    return finite<T>() == least<T>() ? most<T>() : -finite<T>();
}

// arg finds the first position of the largest (or smallest) element along n of
// src[outer, n, inner]. NaN is skipped, and 0 is returned if no element is above the lowest
// (below the highest) finite number. blockDim.x threads share a search: 1, 32 or a larger
// multiple of 32. A block does blockDim.y searches.
template <class T, bool smallest>
__device__ __forceinline__ void arg(void *dst, const T *src, i64 count, i64 n, i64 inner, i64 size) {
    typedef typename wide<T>::type A;
    __shared__ A values[32];
    __shared__ i64 places[32];
    i64 r = (i64)blockIdx.x * blockDim.y + threadIdx.y;
    if (r >= count) return;
    i64 o = inner == 1 ? r : quot(r, inner);
    const T *s = src + o * n * inner + (r - o * inner);
    A best = begin<T, smallest>();
    i64 at = 0;
    auto better = [](A v, A than) { return smallest ? v < than : v > than; };
#pragma unroll 1
    for (i64 k = threadIdx.x; k < n; k += blockDim.x) {
        A v = up(s[k * inner]);
        if (better(v, best)) best = v, at = k;
    }
    auto join = [&](A v, i64 p) {
        if (better(v, best) || v == best && p < at) best = v, at = p;
    };
    if (blockDim.x > 1) {
#pragma unroll
        for (int m = 16; m > 0; m >>= 1) {
            A v = other(best, m);
            join(v, other(at, m));
        }
    }
    if (blockDim.x > 32) {
        if (threadIdx.x % 32 == 0) values[threadIdx.x / 32] = best, places[threadIdx.x / 32] = at;
        __syncthreads();
        if (threadIdx.x == 0) {
#pragma unroll 1
            for (int i = 1; i < blockDim.x / 32; i++) join(values[i], places[i]);
        }
    }
    if (threadIdx.x) return;
    if (size == 8) ((i64 *)dst)[r] = at;
    else if (size == 4) ((i32 *)dst)[r] = (i32)at;
    else ((i16 *)dst)[r] = (i16)at;
}

#define ARG(T, s)                                                                                                        \
    extern "C" __global__ void argmax_##s(void *dst, const T *src, i64 count, i64 n, i64 inner, i64 size) {              \
        arg<T, false>(dst, src, count, n, inner, size);                                                                  \
    }                                                                                                                    \
    extern "C" __global__ void argmin_##s(void *dst, const T *src, i64 count, i64 n, i64 inner, i64 size) {              \
        arg<T, true>(dst, src, count, n, inner, size);                                                                   \
    }
ARG(f16, f16)
ARG(bf16, bf16)
ARG(float, f32)
ARG(double, f64)
ARG(i8, i8)
ARG(u8, u8)
ARG(i16, i16)
ARG(u16, u16)
ARG(i32, i32)
ARG(u32, u32)
ARG(i64, i64)
ARG(u64, u64)
