#include "types.cuh"

typedef unsigned long long bits;
template <class C> struct real_of { typedef float type; };
template <> struct real_of<c128> { typedef double type; };

enum { INVERSE = 1, REALS_IN = 2, HALF_IN = 4, REALS_OUT = 8 };

// turn is e^(2πi k/n), its conjugate unless inverse; 0 ≤ k < n.
template <class C> __device__ __forceinline__ C turn(i64 k, i64 n, bool inverse) {
    typedef typename real_of<C>::type R;
    double s, c;
    if (2 * k > n) k -= n;
    sincospi(2.0 * (double)k / (double)n, &s, &c);
    return C{(R)c, (R)(inverse ? s : -s)};
}

template <class C> __device__ __forceinline__ C conj(C x) { return C{x.re, -x.im}; }

// place locates the transformed lines. Line ((a·d1 + b)·d2 + c)·d3 + d begins at a·i0 + … + d·i3
// in the input, its elements is apart, and at a·o0 + … + d·o3 in the output, os apart.
struct place {
    i64 d1, d2, d3, i0, i1, i2, i3, is, o0, o1, o2, o3, os;
    __device__ __forceinline__ void find(i64 l, i64 &in, i64 &out, i64 &last) const {
        i64 abc = quot(l, d3), ab = quot(abc, d2), a = quot(ab, d1), b = ab - a * d1, c = abc - ab * d2;
        last = l - abc * d3;
        in = a * i0 + b * i1 + c * i2 + last * i3, out = a * o0 + b * o1 + c * o2 + last * o3;
    }
};
#define PLACE i64 d1, i64 d2, i64 d3, i64 i0, i64 i1, i64 i2, i64 i3, i64 is, i64 o0, i64 o1, i64 o2, i64 o3, i64 os
#define GIVEN place { d1, d2, d3, i0, i1, i2, i3, is, o0, o1, o2, o3, os }

// fetch reads element j of n of the line at at. With HALF_IN only the first half is stored: the
// rest is its mirrored conjugate, and the imaginary parts of both ends are ignored.
template <class C> __device__ __forceinline__ C fetch(const C *src, i64 at, i64 j, i64 n, i64 is, i64 flags) {
    typedef typename real_of<C>::type R;
    if (flags & REALS_IN) return C{((const R *)src)[at + j * is], 0};
    if (!(flags & HALF_IN)) return src[at + j * is];
    bool far = 2 * j > n;
    C x = src[at + (far ? n - j : j) * is];
    if (j == 0 || 2 * j == n) x.im = 0;
    return far ? conj(x) : x;
}

template <class C> __device__ __forceinline__ void put(C *dst, i64 at, C x, double scale, i64 flags) {
    typedef typename real_of<C>::type R;
    x.re *= (R)scale, x.im *= (R)scale;
    if (flags & REALS_OUT)
        ((R *)dst)[at] = x.re;
    else
        dst[at] = x;
}

// lines transforms lines of n elements in shared memory, `side` lines at a time, and stores the
// first keep elements of each. factors has a radix in each six bits: 4, or a prime. Passes are
// Stockham's. If whole is not 0, element k of a line is multiplied by e^(∓2πi k·d/whole), where d
// is the line's last coordinate.
template <class C>
__device__ __forceinline__ void lines(C *dst, const C *src, i64 n_, bits factors, i64 count, i64 side, place at, i64 whole, i64 flags, i64 keep_, double scale) {
    extern __shared__ __align__(16) char memory[];
    __shared__ i64 from[128], to[128], last[128];
    const int n = (int)n_, keep = (int)keep_, half = n / 2 + 1;
    C *table = (C *)memory, *x = table + half, *y = x + side * n;
    const bool inverse = flags & INVERSE;
    auto root = [&](int k) { return 2 * k > n ? conj(table[n - k]) : table[k]; };
#pragma unroll 1
    for (int k = threadIdx.x; k < half; k += blockDim.x) table[k] = turn<C>(k, n, inverse);
#pragma unroll 1
    for (i64 first = blockIdx.x * side; first < count; first += gridDim.x * side) {
        const int here = (int)(count - first < side ? count - first : side);
        if (threadIdx.x < here) at.find(first + threadIdx.x, from[threadIdx.x], to[threadIdx.x], last[threadIdx.x]);
        __syncthreads();
#pragma unroll 1
        for (int e = threadIdx.x; e < here * n; e += blockDim.x) {
            int p = at.is == 1 ? e / n : e % here, j = at.is == 1 ? e % n : e / here;
            x[p * n + j] = fetch(src, from[p], j, n, at.is, flags);
        }
        __syncthreads();
        int done = 1;
#pragma unroll 1
        for (bits f = factors; f != 0; f >>= 6) {
            const int radix = (int)(f & 63), m = n / radix, step = m / done;
            if (radix == 4 || radix == 2) {
#pragma unroll 1
                for (int e = threadIdx.x; e < here * m; e += blockDim.x) {
                    int p = e / m, j = e % m, q = j / done, k = j % done;
                    const C *s = x + p * n + j;
                    C *d = y + p * n + q * done * radix + k;
                    if (radix == 2) {
                        C a = s[0], b = times(s[m], root(k * step));
                        d[0] = plus(a, b), d[done] = minus(a, b);
                        continue;
                    }
                    C a = s[0], b = times(s[m], root(k * step)), c = times(s[2 * m], root(2 * k * step)), g = times(s[3 * m], root(3 * k * step));
                    C ac = plus(a, c), ad = minus(a, c), bg = plus(b, g), bd = minus(b, g);
                    C turned = inverse ? C{-bd.im, bd.re} : C{bd.im, -bd.re};
                    d[0] = plus(ac, bg), d[done] = plus(ad, turned), d[2 * done] = minus(ac, bg), d[3 * done] = minus(ad, turned);
                }
            } else {
#pragma unroll 1
                for (int e = threadIdx.x; e < here * n; e += blockDim.x) {
                    int p = e / n, o = e % n, q = o / (done * radix), r = o % (done * radix), k = r % done;
                    const C *s = x + p * n + q * done + k;
                    const int by = r * step; // below n
                    C sum = s[0];
                    int w = 0;
#pragma unroll 1
                    for (int i = 1; i < radix; i++) {
                        w += by;
                        if (w >= n) w -= n;
                        sum = plus(sum, times(s[i * m], root(w)));
                    }
                    y[p * n + o] = sum;
                }
            }
            done *= radix;
            __syncthreads();
            C *t = x;
            x = y, y = t;
        }
#pragma unroll 1
        for (int e = threadIdx.x; e < here * keep; e += blockDim.x) {
            int p = at.os == 1 ? e / keep : e % here, k = at.os == 1 ? e % keep : e / here;
            C v = x[p * n + k];
            if (whole) v = times(v, turn<C>((i64)((u64)(k * last[p]) % (u64)whole), whole, inverse));
            put(dst, to[p] + k * at.os, v, scale, flags);
        }
        __syncthreads();
    }
}

// gather copies count lines of n elements, from line first on, to dst[count, m], and pads them with
// zeros. If there is a chirp, it multiplies them by it.
template <class C>
__device__ __forceinline__ void gather(C *dst, const C *src, const C *chirp, i64 n, i64 m, i64 first, i64 count, place at, i64 flags) {
#pragma unroll 1
    for (i64 e = thread(); e < count * m; e += threads()) {
        i64 l = quot(e, m), j = e - l * m, in, out, last;
        C v{0, 0};
        if (j < n) {
            at.find(first + l, in, out, last);
            v = fetch(src, in, j, n, at.is, flags);
            if (chirp) v = times(v, chirp[j]);
        }
        dst[e] = v;
    }
}

// scatter stores the first keep elements of each line of src[count, m] at their places. With a chirp
// it stores their conjugates times the chirp.
template <class C>
__device__ __forceinline__ void scatter(C *dst, const C *src, const C *chirp, i64 keep, i64 m, i64 first, i64 count, place at, i64 flags, double scale) {
#pragma unroll 1
    for (i64 e = thread(); e < count * keep; e += threads()) {
        i64 l = quot(e, keep), k = e - l * keep, in, out, last;
        at.find(first + l, in, out, last);
        C v = src[l * m + k];
        if (chirp) v = times(conj(v), chirp[k]);
        put(dst, out + k * at.os, v, scale, flags);
    }
}

// chirps sets w[k] = e^(∓πi k²/n), and kern[m] to the conjugates, mirrored around 0.
template <class C> __device__ __forceinline__ void chirps(C *w, C *kern, i64 n, i64 m, i64 flags) {
#pragma unroll 1
    for (i64 k = thread(); k < m; k += threads()) {
        i64 near = k < n ? k : m - k;
        C v{0, 0};
        if (near < n) {
            v = turn<C>((i64)((u64)(near * near) % (u64)(2 * n)), 2 * n, flags & INVERSE);
            if (k < n) w[k] = v;
            v = conj(v);
        }
        kern[k] = v;
    }
}

// filter sets elements of x[count, m] to the conjugates of their products with kern.
template <class C> __device__ __forceinline__ void filter(C *x, const C *kern, i64 m, i64 count) {
#pragma unroll 1
    for (i64 e = thread(); e < count * m; e += threads()) x[e] = conj(times(x[e], kern[e - quot(e, m) * m]));
}

#define FFT(C, s)                                                                                                                                      \
    extern "C" __global__ __launch_bounds__(256) void lines_##s(C *dst, const C *src, i64 n, i64 factors, i64 count, i64 side, PLACE, i64 whole,      \
                                                                i64 flags, i64 keep, double scale) {                                                 \
        lines(dst, src, n, (bits)factors, count, side, GIVEN, whole, flags, keep, scale);                                                             \
    }                                                                                                                                                 \
    extern "C" __global__ void gather_##s(C *dst, const C *src, const C *chirp, i64 n, i64 m, i64 first, i64 count, PLACE, i64 flags) {               \
        gather(dst, src, chirp, n, m, first, count, GIVEN, flags);                                                                                   \
    }                                                                                                                                                 \
    extern "C" __global__ void scatter_##s(C *dst, const C *src, const C *chirp, i64 keep, i64 m, i64 first, i64 count, PLACE, i64 flags, double scale) { \
        scatter(dst, src, chirp, keep, m, first, count, GIVEN, flags, scale);                                                                        \
    }                                                                                                                                                 \
    extern "C" __global__ void chirps_##s(C *w, C *kern, i64 n, i64 m, i64 flags) { chirps(w, kern, n, m, flags); }                                    \
    extern "C" __global__ void filter_##s(C *x, const C *kern, i64 m, i64 count) { filter(x, kern, m, count); }
FFT(c64, c64)
FFT(c128, c128)
