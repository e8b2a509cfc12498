#include "atomic.cuh"

// shape is a pooling of in[N, D, H, W, C] over windows of KD·KH·KW into
// out[N, OD, OH, OW, C]: strides S, padding P in front. Elements outside are ignored.
struct shape {
    int N, D, H, W, C, KD, KH, KW, OD, OH, OW, SD, SH, SW, PD, PH, PW;
};
#define SHAPE i64 N, i64 D, i64 H, i64 W, i64 C, i64 KD, i64 KH, i64 KW, i64 OD, i64 OH, i64 OW, i64 SD, i64 SH, i64 SW, i64 PD, i64 PH, i64 PW
#define GIVEN                                                                                                                                              \
    shape {                                                                                                                                                \
        (int)N, (int)D, (int)H, (int)W, (int)C, (int)KD, (int)KH, (int)KW, (int)OD, (int)OH, (int)OW, (int)SD, (int)SH, (int)SW, (int)PD, (int)PH, (int)PW  \
    }

// spot is the coordinates of an element of in or out: n, d, h, w and a channel.
struct spot {
    int n, d, h, w, c;
    __device__ __forceinline__ spot(i64 i, int D, int H, int W, int C) {
        i64 q = quot(i, C);
        c = (int)(i - q * C);
        u32 p = (u32)q, r = p / (u32)W;
        w = (int)(p - r * (u32)W), p = r / (u32)H, h = (int)(r - p * (u32)H), r = p / (u32)D, d = (int)(p - r * (u32)D), n = (int)r;
    }
};

// window is the part of a position's window that is inside.
struct window {
    int d0, d1, h0, h1, w0, w1;
    __device__ __forceinline__ window(const shape &s, int d, int h, int w) {
        d0 = d * s.SD - s.PD, h0 = h * s.SH - s.PH, w0 = w * s.SW - s.PW;
        d1 = min(d0 + s.KD, s.D), h1 = min(h0 + s.KH, s.H), w1 = min(w0 + s.KW, s.W);
        d0 = max(d0, 0), h0 = max(h0, 0), w0 = max(w0, 0);
    }
    __device__ __forceinline__ i64 count() const { return (i64)max(d1 - d0, 0) * max(h1 - h0, 0) * max(w1 - w0, 0); }
    // each calls f with the offset of each element of an image's channel.
    template <class F> __device__ __forceinline__ void each(const shape &s, int n, int c, F f) const {
#pragma unroll 1
        for (int d = d0; d < d1; d++)
#pragma unroll 1
            for (int h = h0; h < h1; h++)
#pragma unroll 1
                for (int w = w0; w < w1; w++) f(((((i64)n * s.D + d) * s.H + h) * s.W + w) * s.C + c);
    }
};

// covers calls f with each position of out whose window holds element p of in.
template <class F> __device__ __forceinline__ void covers(const shape &s, const spot &p, F f) {
    auto first = [](int at, int k, int stride) { return at < k ? 0 : (at - k) / stride + 1; };
    int d = p.d + s.PD, h = p.h + s.PH, w = p.w + s.PW;
    if (d < 0 || h < 0 || w < 0) return;
    int d1 = min(d / s.SD + 1, s.OD), h1 = min(h / s.SH + 1, s.OH), w1 = min(w / s.SW + 1, s.OW);
#pragma unroll 1
    for (int z = first(d, s.KD, s.SD); z < d1; z++)
#pragma unroll 1
        for (int y = first(h, s.KH, s.SH); y < h1; y++)
#pragma unroll 1
            for (int x = first(w, s.KW, s.SW); x < w1; x++) f(z, y, x, ((((i64)p.n * s.OD + z) * s.OH + y) * s.OW + x) * s.C + p.c);
}

template <class T> __device__ __forceinline__ typename wide<T>::type lowest();
template <> __device__ __forceinline__ float lowest<float>() { return -3.40282346638528859812e38f; }
template <> __device__ __forceinline__ double lowest<double>() { return -1.79769313486231570815e308; }
template <> __device__ __forceinline__ float lowest<f16>() { return -65504; }
template <> __device__ __forceinline__ float lowest<bf16>() { return -3.38953138925153547590e38f; }

#define EACH(n) _Pragma("unroll 1") for (i64 i = thread(); i < (n); i += threads())
#define POSITIONS ((i64)s.N * s.OD * s.OH * s.OW * s.C)
#define PLACES ((i64)s.N * s.D * s.H * s.W * s.C)

// maximum ignores NaN. Its results are at least the lowest finite number.
template <class T> __device__ __forceinline__ void maximum(T *out, const T *in, shape s) {
    typedef typename wide<T>::type A;
    EACH(POSITIONS) {
        spot o(i, s.OD, s.OH, s.OW, s.C);
        A a = lowest<T>();
        window(s, o.d, o.h, o.w).each(s, o.n, o.c, [&](i64 at) {
            A v = up(in[at]);
            if (v > a) a = v;
        });
        out[i] = to<T>(a);
    }
}

template <class T> __device__ __forceinline__ void average(T *out, const T *in, shape s) {
    typedef typename wide<T>::type A;
    EACH(POSITIONS) {
        spot o(i, s.OD, s.OH, s.OW, s.C);
        window v(s, o.d, o.h, o.w);
        A a = 0;
        v.each(s, o.n, o.c, [&](i64 at) { a += up(in[at]); });
        out[i] = to<T>(a / (A)v.count());
    }
}

template <class T> __device__ __forceinline__ void average_grad(T *in, const T *grad, shape s) {
    typedef typename wide<T>::type A;
    EACH(PLACES) {
        spot p(i, s.D, s.H, s.W, s.C);
        A a = 0;
        covers(s, p, [&](int z, int y, int x, i64 o) { a += up(grad[o]) / (A)window(s, z, y, x).count(); });
        in[i] = to<T>(a);
    }
}

// place returns the offset of the first of the largest elements of a window, or -1 if the
// window is empty.
template <class T> __device__ __forceinline__ i64 place(const T *in, const shape &s, const window &v, int n, int c) {
    typedef typename wide<T>::type A;
    i64 best = -1;
    A a = 0;
    v.each(s, n, c, [&](i64 at) {
        A x = up(in[at]);
        if (best < 0 || a < x) best = at, a = x;
    });
    return best;
}

// maximum_arg also sets at to the offsets of the maxima, from the start of the image or of the
// batch.
template <class T> __device__ __forceinline__ void maximum_arg(T *out, i64 *at, const T *in, i64 batch, shape s) {
    EACH(POSITIONS) {
        spot o(i, s.OD, s.OH, s.OW, s.C);
        i64 p = place(in, s, window(s, o.d, o.h, o.w), o.n, o.c);
        if (p >= 0) out[i] = in[p];
        at[i] = p >= 0 && !batch ? p - (i64)o.n * s.D * s.H * s.W * s.C : p;
    }
}

// maximum_grad adds each element of grad to the first of the largest elements of its window.
template <class T> __device__ __forceinline__ void maximum_grad(T *dst, const T *in, const T *grad, shape s) {
    typedef typename wide<T>::type A;
    EACH(PLACES) {
        spot p(i, s.D, s.H, s.W, s.C);
        A a = 0;
        covers(s, p, [&](int z, int y, int x, i64 o) {
            if (place(in, s, window(s, z, y, x), p.n, p.c) == i) a += up(grad[o]);
        });
        dst[i] = to<T>(a);
    }
}

// maximum_ties adds each element of grad to all elements of its window that equal the result
// in out, up to 1e-5.
template <class T> __device__ __forceinline__ void maximum_ties(T *dst, const T *in, const T *out, const T *grad, shape s) {
    typedef typename wide<T>::type A;
    EACH(PLACES) {
        spot p(i, s.D, s.H, s.W, s.C);
        A a = 0;
        covers(s, p, [&](int z, int y, int x, i64 o) {
            double d = (double)up(in[i]) - (double)up(out[o]);
            if (-1e-5 < d && d < 1e-5) a += up(grad[o]);
        });
        dst[i] = to<T>(a);
    }
}

// maximum_grad_grad sets dst to the element of grad where in first equals the result in out
// within the window, or to 0 if it never does.
template <class T> __device__ __forceinline__ void maximum_grad_grad(T *dst, const T *in, const T *out, const T *grad, shape s) {
    EACH(POSITIONS) {
        spot o(i, s.OD, s.OH, s.OW, s.C);
        i64 first = -1;
        window(s, o.d, o.h, o.w).each(s, o.n, o.c, [&](i64 at) {
            if (first < 0 && up(in[at]) == up(out[i])) first = at;
        });
        dst[i] = first < 0 ? T{} : grad[first];
    }
}

// arg_grad adds grad[n, count] to dst[n, size] at the offsets at, from the start of the image
// or of the batch. Offsets out of range are skipped.
template <class T> __device__ __forceinline__ void arg_grad(T *dst, const T *grad, const i64 *at, i64 n, i64 count, i64 size, i64 batch) {
    EACH(n * count) {
        i64 p = at[i] + (batch ? 0 : quot(i, count) * size);
        if ((u64)p < (u64)(n * size)) raise(dst + p, grad[i]);
    }
}

#define POOL(T, s)                                                                                                                              \
    extern "C" __global__ void max_##s(T *out, const T *in, SHAPE) { maximum<T>(out, in, GIVEN); }                                              \
    extern "C" __global__ void avg_##s(T *out, const T *in, SHAPE) { average<T>(out, in, GIVEN); }                                              \
    extern "C" __global__ void avg_grad_##s(T *in, const T *grad, SHAPE) { average_grad<T>(in, grad, GIVEN); }                                  \
    extern "C" __global__ void max_arg_##s(T *out, i64 *at, const T *in, i64 batch, SHAPE) { maximum_arg<T>(out, at, in, batch, GIVEN); }       \
    extern "C" __global__ void max_grad_##s(T *dst, const T *in, const T *grad, SHAPE) { maximum_grad<T>(dst, in, grad, GIVEN); }               \
    extern "C" __global__ void max_ties_##s(T *dst, const T *in, const T *out, const T *grad, SHAPE) {                                          \
        maximum_ties<T>(dst, in, out, grad, GIVEN);                                                                                             \
    }                                                                                                                                           \
    extern "C" __global__ void max_grad_grad_##s(T *dst, const T *in, const T *out, const T *grad, SHAPE) {                                     \
        maximum_grad_grad<T>(dst, in, out, grad, GIVEN);                                                                                        \
    }                                                                                                                                           \
    extern "C" __global__ void arg_grad_##s(T *dst, const T *grad, const i64 *at, i64 n, i64 count, i64 size, i64 batch) {                      \
        arg_grad<T>(dst, grad, at, n, count, size, batch);                                                                                      \
    }
POOL(f16, f16)
POOL(bf16, bf16)
POOL(float, f32)
POOL(double, f64)
