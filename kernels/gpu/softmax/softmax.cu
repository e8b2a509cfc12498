#include "block.cuh"

__device__ __forceinline__ float exp_(float x) { return expf(x); }
__device__ __forceinline__ double exp_(double x) { return exp(x); }
__device__ __forceinline__ float log_(float x) { return logf(x); }
__device__ __forceinline__ double log_(double x) { return log(x); }

// softmax sets rows of n elements to e^x / Σ e^x, or to x - log Σ e^x.
template <class T, bool logarithm> __device__ __forceinline__ void softmax(T *dst, const T *src, i64 rows, i64 n) {
    typedef typename wide<T>::type A;
    i64 r = block_row();
    if (r >= rows) return;
    const T *s = src + r * n;
    T *d = dst + r * n;
    A top = least<A>(), sum = 0;
#pragma unroll 1
    for (i64 i = threadIdx.x; i < n; i += blockDim.x) top = larger(top, (A)up(s[i]));
    top = together<Larger>(top);
#pragma unroll 1
    for (i64 i = threadIdx.x; i < n; i += blockDim.x) sum += exp_(up(s[i]) - top);
    sum = together<Add>(sum);
    if (logarithm) sum = log_(sum);
#pragma unroll 1
    for (i64 i = threadIdx.x; i < n; i += blockDim.x) {
        A x = up(s[i]) - top;
        d[i] = to<T>(logarithm ? x - sum : exp_(x) / sum);
    }
}

// masked sets rows to softmax(scale·x + mask): row r has the mask's row
// b·maskb + h·maskh + t·maskt, r being (b·H + h)·T + t.
template <class T>
__device__ __forceinline__ void masked(T *dst, const T *src, const T *mask, i64 rows, i64 n, i64 H, i64 Tn, i64 maskb, i64 maskh, i64 maskt, double scale) {
    typedef typename wide<T>::type A;
    i64 r = block_row();
    if (r >= rows) return;
    i64 bh = quot(r, Tn), b = quot(bh, H);
    const T *s = src + r * n, *m = mask ? mask + (b * maskb + (bh - b * H) * maskh + (r - bh * Tn) * maskt) * n : 0;
    T *d = dst + r * n;
    A k = (A)scale, top = least<A>(), sum = 0;
    auto at = [&](i64 i) {
        A x = up(s[i]) * k;
        return m ? x + up(m[i]) : x;
    };
#pragma unroll 1
    for (i64 i = threadIdx.x; i < n; i += blockDim.x) top = larger(top, at(i));
    top = together<Larger>(top);
#pragma unroll 1
    for (i64 i = threadIdx.x; i < n; i += blockDim.x) sum += exp_(at(i) - top);
    sum = together<Add>(sum);
#pragma unroll 1
    for (i64 i = threadIdx.x; i < n; i += blockDim.x) d[i] = to<T>(exp_(at(i) - top) / sum);
}

// entropy sets loss = Σ y·(log Σ e^x - x) and back = softmax(x) - y for rows x of
// features and y of labels. A stride of 0 repeats rows or columns.
template <class T>
__device__ __forceinline__ void entropy(T *loss, T *back, const T *features, const T *labels, i64 rows, i64 n, i64 frow, i64 fcol, i64 lrow, i64 lcol) {
    typedef typename wide<T>::type A;
    i64 r = block_row();
    if (r >= rows) return;
    const T *f = features + r * frow, *l = labels + r * lrow;
    A top = least<A>(), sum = 0, total = 0;
#pragma unroll 1
    for (i64 i = threadIdx.x; i < n; i += blockDim.x) top = larger(top, (A)up(f[i * fcol]));
    top = together<Larger>(top);
#pragma unroll 1
    for (i64 i = threadIdx.x; i < n; i += blockDim.x) sum += exp_(up(f[i * fcol]) - top);
    sum = together<Add>(sum);
    A log = log_(sum);
#pragma unroll 1
    for (i64 i = threadIdx.x; i < n; i += blockDim.x) {
        A x = up(f[i * fcol]) - top, y = up(l[i * lcol]);
        total += y * (log - x);
        back[r * n + i] = to<T>(exp_(x) / sum - y);
    }
    total = together<Add>(total);
    if (threadIdx.x == 0) loss[r] = to<T>(total);
}

// sparse is entropy for labels that are the position of a single 1, as integers of size
// bytes. A position out of range gives NaN.
template <class T>
__device__ __forceinline__ void sparse(T *loss, T *back, const T *features, const void *labels, i64 rows, i64 n, i64 size) {
    typedef typename wide<T>::type A;
    i64 r = block_row();
    if (r >= rows) return;
    const T *f = features + r * n;
    i64 at = size == 8 ? ((const i64 *)labels)[r] : ((const i32 *)labels)[r];
    bool inside = at >= 0 && at < n;
    A top = least<A>(), sum = 0;
#pragma unroll 1
    for (i64 i = threadIdx.x; i < n; i += blockDim.x) top = larger(top, (A)up(f[i]));
    top = together<Larger>(top);
#pragma unroll 1
    for (i64 i = threadIdx.x; i < n; i += blockDim.x) sum += exp_(up(f[i]) - top);
    sum = together<Add>(sum);
#pragma unroll 1
    for (i64 i = threadIdx.x; i < n; i += blockDim.x) {
        A x = up(f[i]) - top, y = exp_(x) / sum;
        if (i == at) loss[r] = to<T>(log_(sum) - x);
        back[r * n + i] = to<T>(inside ? i == at ? y - 1 : y : (A)NAN);
    }
    if (!inside && threadIdx.x == 0) loss[r] = to<T>((A)NAN);
}

#define KERNELS(T, s)                                                                                                                             \
    extern "C" __global__ void softmax_##s(T *dst, const T *src, i64 rows, i64 n) { softmax<T, false>(dst, src, rows, n); }                       \
    extern "C" __global__ void log_softmax_##s(T *dst, const T *src, i64 rows, i64 n) { softmax<T, true>(dst, src, rows, n); }                    \
    extern "C" __global__ void masked_##s(T *dst, const T *src, const T *mask, i64 rows, i64 n, i64 H, i64 Tn, i64 b, i64 h, i64 t, double k) {   \
        masked<T>(dst, src, mask, rows, n, H, Tn, b, h, t, k);                                                                                    \
    }                                                                                                                                             \
    extern "C" __global__ void cross_##s(T *loss, T *back, const T *f, const T *l, i64 rows, i64 n, i64 fr, i64 fc, i64 lr, i64 lc) {             \
        entropy<T>(loss, back, f, l, rows, n, fr, fc, lr, lc);                                                                                    \
    }                                                                                                                                             \
    extern "C" __global__ void sparse_cross_##s(T *loss, T *back, const T *f, const void *labels, i64 rows, i64 n, i64 size) {                    \
        sparse<T>(loss, back, f, labels, rows, n, size);                                                                                          \
    }
KERNELS(f16, f16)
KERNELS(bf16, bf16)
KERNELS(float, f32)
KERNELS(double, f64)
