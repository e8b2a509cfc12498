#include "block.cuh"

// colour is the three channels of a pixel.
template <class T> struct colour { T a, b, c; };

// to_hsv converts red, green and blue to hue, saturation and value, all from 0 to 1.
template <class T> __device__ __forceinline__ colour<T> to_hsv(colour<T> p) {
    T r = p.a, g = p.b, b = p.c, v = larger(larger(r, g), b), span = v - smaller(smaller(r, g), b), sat = 0, hue = 0;
    if (v > 0) sat = span / v;
    if (span > 0) {
        T k = (T)1 / 6 / span;
        hue = v == r ? (g - b) * k : v == g ? (b - r) * k + (T)2 / 6 : (r - g) * k + (T)4 / 6;
        if (hue < 0) hue++;
    }
    return {hue, sat, v};
}

template <class T> __device__ __forceinline__ T ramp(T x, T sat, T v) { return (1 - sat + sat * larger(smaller(x, (T)1), (T)0)) * v; }

template <class T> __device__ __forceinline__ colour<T> from_hsv(colour<T> p) {
    T h = p.a * 6;
    auto away = [](T x) { return x < 0 ? -x : x; };
    return {ramp(away(h - 3) - 1, p.b, p.c), ramp(2 - away(h - 2), p.b, p.c), ramp(2 - away(h - 4), p.b, p.c)};
}

// pixels applies f to each of n pixels.
template <class T, class F> __device__ __forceinline__ void pixels(T *dst, const T *src, i64 n, F f) {
#pragma unroll 1
    for (i64 i = thread(); i < n; i += threads()) {
        colour<T> p = f(colour<T>{src[3 * i], src[3 * i + 1], src[3 * i + 2]});
        dst[3 * i] = p.a, dst[3 * i + 1] = p.b, dst[3 * i + 2] = p.c;
    }
}

#define HSV(T, s)                                                                                                                    \
    extern "C" __global__ void to_hsv_##s(T *dst, const T *src, i64 n) { pixels(dst, src, n, [](colour<T> p) { return to_hsv(p); }); } \
    extern "C" __global__ void from_hsv_##s(T *dst, const T *src, i64 n) { pixels(dst, src, n, [](colour<T> p) { return from_hsv(p); }); }
HSV(float, f32)
HSV(double, f64)

// hue turns the hue by *delta turns.
extern "C" __global__ void hue(float *dst, const float *src, const float *delta, i64 n) {
    float d = *delta;
    pixels(dst, src, n, [d](colour<float> p) {
        p = to_hsv(p);
        p.a += d;
        p.a -= floorf(p.a);
        return from_hsv(p);
    });
}

// saturation multiplies the saturation by *scale and clamps it.
extern "C" __global__ void saturation(float *dst, const float *src, const float *scale, i64 n) {
    float s = *scale;
    pixels(dst, src, n, [s](colour<float> p) {
        p = to_hsv(p);
        p.b = larger(smaller(p.b * s, 1.0f), 0.0f);
        return from_hsv(p);
    });
}

// means sets means[image, c] to the mean of a channel, with a block for each.
extern "C" __global__ void means(float *means, const float *src, i64 pixels, i64 C) {
    i64 n = quot(blockIdx.x, C), c = blockIdx.x - n * C;
    const float *s = src + n * pixels * C + c;
    float a = 0;
#pragma unroll 1
    for (i64 i = threadIdx.x; i < pixels; i += blockDim.x) a += s[i * C];
    a = together<Add>(a);
    if (threadIdx.x == 0) means[blockIdx.x] = a / (float)pixels;
}

extern "C" __global__ void contrast(float *dst, const float *src, const float *means, const float *factor, i64 n, i64 pixels, i64 C) {
    float f = *factor;
#pragma unroll 1
    for (i64 i = thread(); i < n; i += threads()) {
        i64 q = quot(i, C);
        float m = means[quot(q, pixels) * C + (i - q * C)];
        dst[i] = (src[i] - m) * f + m;
    }
}
