#include "atomic.cuh"

// Dilations of in[N, H, W, C] by a filter [KH, KW, C] to out[N, OH, OW, C]: the largest sum
// of both, strides S, padding P, dilations L.
struct shape {
    int N, H, W, C, KH, KW, OH, OW, SH, SW, PH, PW, LH, LW;
};
#define SHAPE i64 N, i64 H, i64 W, i64 C, i64 KH, i64 KW, i64 OH, i64 OW, i64 SH, i64 SW, i64 PH, i64 PW, i64 LH, i64 LW
#define GIVEN                                                                                                                                \
    shape { (int)N, (int)H, (int)W, (int)C, (int)KH, (int)KW, (int)OH, (int)OW, (int)SH, (int)SW, (int)PH, (int)PW, (int)LH, (int)LW }

template <class T> __device__ __forceinline__ typename wide<T>::type lowest();
template <> __device__ __forceinline__ float lowest<float>() { return -3.40282346638528859812e38f; }
template <> __device__ __forceinline__ double lowest<double>() { return -1.79769313486231570815e308; }
template <> __device__ __forceinline__ float lowest<f16>() { return -65504; }
template <> __device__ __forceinline__ float lowest<bf16>() { return -3.38953138925153547590e38f; }

// dilate calls f for every element of out with the largest sum, rounded to T, and with the
// offsets in in and filter of the first tap that has it. If no sum is above the lowest
// number, these are the window's first element inside the image and the filter's first
// element, or -1 if the window is outside.
template <class T, class F> __device__ __forceinline__ void dilate(const T *in, const T *filter, shape s, F f) {
    typedef typename wide<T>::type A;
    i64 total = (i64)s.N * s.OH * s.OW * s.C;
#pragma unroll 1
    for (i64 o = thread(); o < total; o += threads()) {
        i64 q = quot(o, s.C);
        int c = (int)(o - q * s.C);
        u32 p = (u32)q, r = p / (u32)s.OW;
        int x = (int)(p - r * (u32)s.OW), n = (int)(r / (u32)s.OH), y = (int)(r - (u32)n * (u32)s.OH);
        int h0 = y * s.SH - s.PH, w0 = x * s.SW - s.PW, y0 = max(h0, 0), x0 = max(w0, 0);
        A best = lowest<T>();
        i64 at = -1, tap = -1;
        if (y0 < s.H && x0 < s.W) at = (((i64)n * s.H + y0) * s.W + x0) * s.C + c, tap = c;
#pragma unroll 1
        for (int i = 0; i < s.KH; i++) {
            int h = h0 + i * s.LH;
            if ((u32)h >= (u32)s.H) continue;
#pragma unroll 1
            for (int j = 0; j < s.KW; j++) {
                int w = w0 + j * s.LW;
                if ((u32)w >= (u32)s.W) continue;
                i64 a = (((i64)n * s.H + h) * s.W + w) * s.C + c, b = (i64)(i * s.KW + j) * s.C + c;
                A v = up(to<T>(up(in[a]) + up(filter[b])));
                if (v > best) best = v, at = a, tap = b;
            }
        }
        f(o, at, tap, best);
    }
}

#define DILATE(T, s)                                                                                                      \
    extern "C" __global__ void dilate_##s(T *out, const T *in, const T *filter, SHAPE) {                                  \
        dilate<T>(in, filter, GIVEN, [=](i64 o, i64, i64, wide<T>::type v) { out[o] = to<T>(v); });                       \
    }                                                                                                                     \
    extern "C" __global__ void dilate_input_##s(T *dx, const T *in, const T *filter, const T *grad, SHAPE) {              \
        dilate<T>(in, filter, GIVEN, [=](i64 o, i64 at, i64, wide<T>::type) {                                             \
            if (at >= 0) raise(dx + at, grad[o]);                                                                         \
        });                                                                                                               \
    }                                                                                                                     \
    extern "C" __global__ void dilate_filter_##s(T *dw, const T *in, const T *filter, const T *grad, SHAPE) {             \
        dilate<T>(in, filter, GIVEN, [=](i64 o, i64, i64 tap, wide<T>::type) {                                            \
            if (tap >= 0) raise(dw + tap, grad[o]);                                                                       \
        });                                                                                                               \
    }
DILATE(f16, f16)
DILATE(bf16, bf16)
DILATE(float, f32)
DILATE(double, f64)
