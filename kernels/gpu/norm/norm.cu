#include "block.cuh"

// stat<T>::type is the type of the statistics of T.
template <class T> struct stat { typedef float type; };
template <> struct stat<double> { typedef double type; };

__device__ __forceinline__ float root(float x) { return sqrtf(x); }
__device__ __forceinline__ double root(double x) { return sqrt(x); }

// layer normalises rows of n elements: y = (x - mean) / √(mean((x - mean)²) + ε)·gamma +
// beta. If centre is 0, the mean counts as 0. gamma and beta may be 0.
template <class T>
__device__ __forceinline__ void layer(T *y, const T *x, const T *gamma, const T *beta, i64 rows, i64 n, i64 centre, double epsilon) {
    typedef typename stat<T>::type A;
    i64 r = block_row();
    if (r >= rows) return;
    const T *s = x + r * n;
    T *d = y + r * n;
    A mean = 0, q = 0;
    if (centre) {
#pragma unroll 1
        for (i64 i = threadIdx.x; i < n; i += blockDim.x) mean += up(s[i]);
        mean = together<Add>(mean) / (A)n;
    }
#pragma unroll 1
    for (i64 i = threadIdx.x; i < n; i += blockDim.x) {
        A v = up(s[i]) - mean;
        q = fuse(v, v, q);
    }
    A k = 1 / root(together<Add>(q) / (A)n + (A)epsilon);
#pragma unroll 1
    for (i64 i = threadIdx.x; i < n; i += blockDim.x) {
        A v = (up(s[i]) - mean) * k;
        if (gamma) v *= up(gamma[i]);
        if (beta) v += up(beta[i]);
        d[i] = to<T>(v);
    }
}

// sums sums parts of x[outer, C, inner] by channel into part[p, c]: x, or (x-mean)² if there
// is a mean, or, if there is dy, dy and, C·parts further, dy·(x-mean). With inner 1, columns
// uses blocks of 32 times 8 threads for 32 channels.
template <class T, class A> struct sums {
    const T *x, *dy;
    const A *mean;
    __device__ __forceinline__ void add(A &a, A &b, A m, i64 i) {
        A v = up(x[i]);
        if (dy) {
            A g = up(dy[i]);
            a += g;
            b = fuse(g, v - m, b);
        } else if (mean) a = fuse(v - m, v - m, a);
        else a += v;
    }
    __device__ __forceinline__ void columns(A *part, i64 outer, i64 C, i64 parts) {
        __shared__ A sa[8][32], sb[8][32];
        i64 across = (C + 31) / 32, p = quot(blockIdx.x, across), c = (blockIdx.x - p * across) * 32 + threadIdx.x;
        i64 chunk = quot(outer + parts - 1, parts), lo = p * chunk, hi = lo + chunk < outer ? lo + chunk : outer;
        A a = 0, b = 0;
        if (c < C) {
            A m = mean ? mean[c] : 0;
#pragma unroll 1
            for (i64 o = lo + threadIdx.y; o < hi; o += 8) add(a, b, m, o * C + c);
        }
        sa[threadIdx.y][threadIdx.x] = a, sb[threadIdx.y][threadIdx.x] = b;
        __syncthreads();
        if (threadIdx.y || c >= C) return;
#pragma unroll 1
        for (int i = 1; i < 8; i++) a += sa[i][threadIdx.x], b += sb[i][threadIdx.x];
        part[p * C + c] = a;
        if (dy) part[(parts + p) * C + c] = b;
    }
    __device__ __forceinline__ void planes(A *part, i64 outer, i64 C, i64 inner, i64 parts) {
        i64 p = quot(blockIdx.x, C), c = blockIdx.x - p * C, n = outer * inner;
        i64 chunk = quot(n + parts - 1, parts), lo = p * chunk, hi = lo + chunk < n ? lo + chunk : n;
        A a = 0, b = 0, m = mean ? mean[c] : 0;
#pragma unroll 1
        for (i64 i = lo + threadIdx.x; i < hi; i += blockDim.x) {
            i64 o = quot(i, inner);
            add(a, b, m, (o * C + c) * inner + (i - o * inner));
        }
        a = together<Add>(a), b = together<Add>(b);
        if (threadIdx.x) return;
        part[p * C + c] = a;
        if (dy) part[(parts + p) * C + c] = b;
    }
};

// total is the sum of the parts of a channel.
template <class A> __device__ __forceinline__ A total(const A *part, i64 c, i64 C, i64 parts) {
    A a = 0;
#pragma unroll 1
    for (i64 p = 0; p < parts; p++) a += part[p * C + c];
    return a;
}

// mean_of sets saved = Σ part / rest.
template <class A> __device__ __forceinline__ void mean_of(A *saved, const A *part, i64 C, i64 parts, i64 rest) {
    i64 c = thread();
    if (c < C) saved[c] = total(part, c, C, parts) / (A)rest;
}

// variance_of sets saved_var, and the mean and variance kept for inference.
template <class A>
__device__ __forceinline__ void variance_of(A *mean, A *variance, A *saved_var, const A *saved, const A *old_mean, const A *old_var, const A *part, i64 C,
                                            i64 parts, i64 rest, double factor) {
    i64 c = thread();
    if (c >= C) return;
    A m = saved[c], v = total(part, c, C, parts) / (A)rest, f = (A)factor;
    A unbiased = v * ((A)rest / (A)(rest > 1 ? rest - 1 : 1));
    saved_var[c] = v;
    mean[c] = factor == 1 ? m : (1 - f) * old_mean[c] + f * m;
    variance[c] = factor == 1 ? unbiased : (1 - f) * old_var[c] + f * unbiased;
}

// shift sets y = (x - mean)·(scale/√(variance + ε)) + offset.
template <class T, class A>
__device__ __forceinline__ void shift(T *y, const T *x, const A *scale, const A *offset, const A *mean, const A *variance, i64 n, i64 C, i64 inner,
                                      double epsilon) {
#pragma unroll 1
    for (i64 i = thread(); i < n; i += threads()) {
        i64 o = inner == 1 ? i : quot(i, inner), c = o - quot(o, C) * C;
        A k = 1 / root(variance[c] + (A)epsilon) * scale[c];
        y[i] = to<T>((up(x[i]) - mean[c]) * k + offset[c]);
    }
}

// gradient_of sets dscale = Σ dy·(x-mean)·k and doffset = Σ dy.
template <class A>
__device__ __forceinline__ void gradient_of(A *dscale, A *doffset, const A *variance, const A *part, i64 C, i64 parts, double epsilon) {
    i64 c = thread();
    if (c >= C) return;
    doffset[c] = total(part, c, C, parts);
    dscale[c] = total(part + parts * C, c, C, parts) / root(variance[c] + (A)epsilon);
}

// gradient sets dx = scale·k·(dy - doffset/rest - (x-mean)·k·dscale/rest), or
// dy·scale·k where rest is 0; k = 1/√(variance + ε).
template <class T, class A>
__device__ __forceinline__ void gradient(T *dx, const T *dy, const T *x, const A *scale, const A *mean, const A *variance, const A *dscale, const A *doffset,
                                         i64 n, i64 C, i64 inner, i64 rest, double epsilon) {
#pragma unroll 1
    for (i64 i = thread(); i < n; i += threads()) {
        i64 o = inner == 1 ? i : quot(i, inner), c = o - quot(o, C) * C;
        A k = 1 / root(variance[c] + (A)epsilon), g = up(dy[i]);
        if (rest) g -= doffset[c] / (A)rest + (up(x[i]) - mean[c]) * k * (dscale[c] / (A)rest);
        dx[i] = to<T>(g * (scale[c] * k));
    }
}

#define TYPED(T, A, s)                                                                                                                                   \
    extern "C" __global__ void layer_##s(T *y, const T *x, const T *gamma, const T *beta, i64 rows, i64 n, i64 centre, double e) {                       \
        layer<T>(y, x, gamma, beta, rows, n, centre, e);                                                                                                 \
    }                                                                                                                                                    \
    extern "C" __global__ void columns_##s(A *part, const T *x, const T *dy, const A *mean, i64 outer, i64 C, i64 parts) {                               \
        sums<T, A> v{x, dy, mean};                                                                                                                       \
        v.columns(part, outer, C, parts);                                                                                                                \
    }                                                                                                                                                    \
    extern "C" __global__ void planes_##s(A *part, const T *x, const T *dy, const A *mean, i64 outer, i64 C, i64 inner, i64 parts) {                     \
        sums<T, A> v{x, dy, mean};                                                                                                                       \
        v.planes(part, outer, C, inner, parts);                                                                                                          \
    }                                                                                                                                                    \
    extern "C" __global__ void shift_##s(T *y, const T *x, const A *scale, const A *offset, const A *mean, const A *var, i64 n, i64 C, i64 in, double e) { \
        shift<T, A>(y, x, scale, offset, mean, var, n, C, in, e);                                                                                        \
    }                                                                                                                                                    \
    extern "C" __global__ void gradient_##s(T *dx, const T *dy, const T *x, const A *scale, const A *mean, const A *var, const A *ds, const A *d, i64 n,  \
                                            i64 C, i64 in, i64 rest, double e) {                                                                         \
        gradient<T, A>(dx, dy, x, scale, mean, var, ds, d, n, C, in, rest, e);                                                                           \
    }
TYPED(f16, float, f16)
TYPED(bf16, float, bf16)
TYPED(float, float, f32)
TYPED(double, double, f64)

#define STATS(A, s)                                                                                                                                       \
    extern "C" __global__ void mean_##s(A *saved, const A *part, i64 C, i64 parts, i64 rest) { mean_of<A>(saved, part, C, parts, rest); }                 \
    extern "C" __global__ void variance_##s(A *mean, A *var, A *saved_var, const A *saved, const A *om, const A *ov, const A *part, i64 C, i64 parts,     \
                                            i64 rest, double f) {                                                                                         \
        variance_of<A>(mean, var, saved_var, saved, om, ov, part, C, parts, rest, f);                                                                     \
    }                                                                                                                                                     \
    extern "C" __global__ void gradient_of_##s(A *ds, A *d, const A *var, const A *part, i64 C, i64 parts, double e) {                                    \
        gradient_of<A>(ds, d, var, part, C, parts, e);                                                                                                    \
    }
STATS(float, f32)
STATS(double, f64)
