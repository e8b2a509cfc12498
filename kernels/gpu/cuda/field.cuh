// Numbers of linear algebra: all sums are of double or of complex double.
#pragma once
#include "types.cuh"

template <class T> struct field { typedef double type; };
template <> struct field<c64> { typedef c128 type; };
template <> struct field<c128> { typedef c128 type; };

__device__ __forceinline__ double in(float x) { return x; }
__device__ __forceinline__ double in(double x) { return x; }
__device__ __forceinline__ c128 in(c64 x) { return c128{x.re, x.im}; }
__device__ __forceinline__ c128 in(c128 x) { return x; }

template <class T> struct outward {
    static __device__ __forceinline__ T of(double x) { return (T)x; }
};
template <> struct outward<c64> {
    static __device__ __forceinline__ c64 of(c128 x) { return c64{(float)x.re, (float)x.im}; }
};
template <> struct outward<c128> {
    static __device__ __forceinline__ c128 of(c128 x) { return x; }
};

__device__ __forceinline__ double conj(double x) { return x; }
__device__ __forceinline__ c128 conj(c128 x) { return c128{x.re, -x.im}; }
__device__ __forceinline__ double re(double x) { return x; }
__device__ __forceinline__ double re(c128 x) { return x.re; }
__device__ __forceinline__ double magnitude(double x) { return fabs(x); }
__device__ __forceinline__ double magnitude(c128 x) { return hypot(x.re, x.im); }
__device__ __forceinline__ bool is_zero(double x) { return x == 0; }
__device__ __forceinline__ bool is_zero(c128 x) { return x.re == 0 && x.im == 0; }
template <class W> __device__ __forceinline__ W number_of(double x);
template <> __device__ __forceinline__ double number_of<double>(double x) { return x; }
template <> __device__ __forceinline__ c128 number_of<c128>(double x) { return c128{x, 0}; }

__device__ __forceinline__ double over(double a, double b) { return a / b; }
// Smith (1962).
__device__ __forceinline__ c128 over(c128 a, c128 b) {
    bool flat = fabs(b.re) >= fabs(b.im);
    double big = flat ? b.re : b.im, small = flat ? b.im : b.re, r = small / big, d = big + small * r;
    return flat ? c128{(a.re + a.im * r) / d, (a.im - a.re * r) / d} : c128{(a.re * r + a.im) / d, (a.im * r - a.re) / d};
}
__device__ __forceinline__ double by(double a, double s) { return a / s; }
__device__ __forceinline__ c128 by(c128 a, double s) { return c128{a.re / s, a.im / s}; }
