#include "atomic.cuh"
#include "block.cuh"

typedef ulonglong2 b16;

// shape is the resizing of in[N, H, W, C] to out[N, OH, OW, C]; sy and sx are the
// distances in the input between neighbours of the output.
struct shape {
    int N, H, W, C, OH, OW;
    bool corners, half;
    float sy, sx;
    __device__ __forceinline__ float at(int x, float scale) const { return half ? ((float)x + 0.5f) * scale - 0.5f : (float)x * scale; }
    // span finds the two neighbours lo and hi of output position x, and returns the weight of hi.
    __device__ __forceinline__ float span(int x, int size, float scale, int &lo, int &hi) const {
        float a = at(x, scale), f = floorf(a);
        lo = min(max((int)f, 0), size - 1);
        hi = max(min((int)ceilf(a), size - 1), 0);
        return a - f;
    }
    __device__ __forceinline__ int nearest(int x, int size, float scale) const {
        float a = half ? ((float)x + 0.5f) * scale : (float)x * scale;
        int i = (int)(corners ? roundf(a) : floorf(a));
        return max(min(i, size - 1), 0);
    }
};
#define SHAPE i64 N, i64 H, i64 W, i64 C, i64 OH, i64 OW, i64 corners, i64 half, double sy, double sx
#define GIVEN                                                                                                 \
    shape { (int)N, (int)H, (int)W, (int)C, (int)OH, (int)OW, corners != 0, half != 0, (float)sy, (float)sx }

// spot is a pixel of the output and a channel.
struct spot {
    int n, y, x, c;
    __device__ __forceinline__ spot(i64 i, int H, int W, int C) {
        i64 q = quot(i, C);
        c = (int)(i - q * C);
        u32 p = (u32)q, r = p / (u32)W;
        x = (int)(p - r * (u32)W), n = (int)(r / (u32)H), y = (int)(r - (u32)n * (u32)H);
    }
};

#define EACH(n) _Pragma("unroll 1") for (i64 i = thread(); i < (n); i += threads())
#define OUT ((i64)s.N * s.OH * s.OW * s.C)

template <class T> __device__ __forceinline__ void nearest(T *out, const T *in, shape s) {
    EACH(OUT) {
        spot o(i, s.OH, s.OW, s.C);
        out[i] = in[(((i64)o.n * s.H + s.nearest(o.y, s.H, s.sy)) * s.W + s.nearest(o.x, s.W, s.sx)) * s.C + o.c];
    }
}

template <class T> __device__ __forceinline__ void nearest_grad(T *dx, const T *grad, shape s) {
    EACH(OUT) {
        spot o(i, s.OH, s.OW, s.C);
        raise(dx + (((i64)o.n * s.H + s.nearest(o.y, s.H, s.sy)) * s.W + s.nearest(o.x, s.W, s.sx)) * s.C + o.c, grad[i]);
    }
}

// between interpolates four neighbours, first along rows.
__device__ __forceinline__ float between(float tl, float tr, float bl, float br, float wx, float wy) {
    float t = tl + (tr - tl) * wx, b = bl + (br - bl) * wx;
    return t + (b - t) * wy;
}

template <class T> __device__ __forceinline__ void bilinear(float *out, const T *in, shape s) {
    EACH(OUT) {
        spot o(i, s.OH, s.OW, s.C);
        int y0, y1, x0, x1;
        float wy = s.span(o.y, s.H, s.sy, y0, y1), wx = s.span(o.x, s.W, s.sx, x0, x1);
        const T *p = in + (i64)o.n * s.H * s.W * s.C + o.c;
        auto at = [&](int y, int x) { return (float)up(p[((i64)y * s.W + x) * s.C]); };
        out[i] = between(at(y0, x0), at(y0, x1), at(y1, x0), at(y1, x1), wx, wy);
    }
}

template <class T> __device__ __forceinline__ void bilinear_grad(T *dx, const float *grad, shape s) {
    EACH(OUT) {
        spot o(i, s.OH, s.OW, s.C);
        int y0, y1, x0, x1;
        float wy = s.span(o.y, s.H, s.sy, y0, y1), wx = s.span(o.x, s.W, s.sx, x0, x1), g = grad[i], top = g * (1 - wy), bottom = g * wy;
        T *p = dx + (i64)o.n * s.H * s.W * s.C + o.c;
        auto add = [&](int y, int x, float v) { raise(p + ((i64)y * s.W + x) * s.C, to<T>(v)); };
        add(y0, x0, top * (1 - wx));
        add(y0, x1, top * wx);
        add(y1, x0, bottom * (1 - wx));
        add(y1, x1, bottom * wx);
    }
}

#define NEAREST(T, s) \
    extern "C" __global__ void nearest_##s(T *out, const T *in, SHAPE) { nearest<T>(out, in, GIVEN); }
NEAREST(u8, b1)
NEAREST(u16, b2)
NEAREST(u32, b4)
NEAREST(u64, b8)
NEAREST(b16, b16)
#define RESIZE(T, s)                                                                                             \
    extern "C" __global__ void nearest_grad_##s(T *dx, const T *grad, SHAPE) { nearest_grad<T>(dx, grad, GIVEN); } \
    extern "C" __global__ void bilinear_##s(float *out, const T *in, SHAPE) { bilinear<T>(out, in, GIVEN); }       \
    extern "C" __global__ void bilinear_grad_##s(T *dx, const float *grad, SHAPE) { bilinear_grad<T>(dx, grad, GIVEN); }
RESIZE(f16, f16)
RESIZE(bf16, bf16)
RESIZE(float, f32)
RESIZE(double, f64)

// place returns the position in the input of output position x of a box side from lo to hi.
__device__ __forceinline__ float place(int x, int size, int crop, float lo, float hi) {
    if (crop > 1) return lo * (float)(size - 1) + (float)x * ((hi - lo) * (float)(size - 1) / (float)(crop - 1));
    return (float)(0.5 * (double)(lo + hi) * (double)(size - 1));
}

// crop cuts the boxes [y1, x1, y2, x2] out of in[N, H, W, C] and resizes them to
// out[boxes, OH, OW, C]. Pixels outside get the value outside, as do boxes of images that do
// not exist.
template <class T>
__device__ __forceinline__ void crop(float *out, const T *in, const float *boxes, const i32 *image, i64 count, int N, int H, int W, int C, int OH, int OW, bool near,
                                     float outside) {
    EACH(count * OH * OW * C) {
        spot o(i, OH, OW, C);
        const float *q = boxes + 4 * (i64)o.n;
        float fy = place(o.y, H, OH, q[0], q[2]), fx = place(o.x, W, OW, q[1], q[3]), v = outside;
        int n = image[o.n];
        if ((u32)n < (u32)N && fy >= 0 && fy <= (float)(H - 1) && fx >= 0 && fx <= (float)(W - 1)) {
            const T *p = in + (i64)n * H * W * C + o.c;
            auto at = [&](float y, float x) { return (float)up(p[((i64)y * W + (int)x) * C]); };
            if (near) v = at(roundf(fy), roundf(fx));
            else {
                float t = floorf(fy), b = ceilf(fy), l = floorf(fx), r = ceilf(fx);
                v = between(at(t, l), at(t, r), at(b, l), at(b, r), fx - l, fy - t);
            }
        }
        out[i] = v;
    }
}

template <class T>
__device__ __forceinline__ void crop_grad(T *dx, const float *grad, const float *boxes, const i32 *image, i64 count, int N, int H, int W, int C, int OH, int OW,
                                          bool near) {
    EACH(count * OH * OW * C) {
        spot o(i, OH, OW, C);
        const float *q = boxes + 4 * (i64)o.n;
        float fy = place(o.y, H, OH, q[0], q[2]), fx = place(o.x, W, OW, q[1], q[3]), v = grad[i];
        int n = image[o.n];
        if (!((u32)n < (u32)N && fy >= 0 && fy <= (float)(H - 1) && fx >= 0 && fx <= (float)(W - 1))) continue;
        T *p = dx + (i64)n * H * W * C + o.c;
        auto add = [&](float y, float x, float v) { raise(p + ((i64)y * W + (int)x) * C, to<T>(v)); };
        if (near) {
            add(roundf(fy), roundf(fx), v);
            continue;
        }
        float t = floorf(fy), b = ceilf(fy), l = floorf(fx), r = ceilf(fx), wy = fy - t, wx = fx - l, top = (1 - wy) * v, bottom = wy * v;
        add(t, l, (1 - wx) * top);
        add(t, r, wx * top);
        add(b, l, (1 - wx) * bottom);
        add(b, r, wx * bottom);
    }
}

#define CROP(T, s)                                                                                                                                        \
    extern "C" __global__ void crop_##s(float *out, const T *in, const float *boxes, const i32 *image, i64 count, i64 N, i64 H, i64 W, i64 C, i64 OH, i64 OW, \
                                        i64 near, double outside) {                                                                                       \
        crop<T>(out, in, boxes, image, count, (int)N, (int)H, (int)W, (int)C, (int)OH, (int)OW, near != 0, (float)outside);                               \
    }                                                                                                                                                     \
    extern "C" __global__ void crop_grad_##s(T *dx, const float *grad, const float *boxes, const i32 *image, i64 count, i64 N, i64 H, i64 W, i64 C, i64 OH,  \
                                             i64 OW, i64 near) {                                                                                          \
        crop_grad<T>(dx, grad, boxes, image, count, (int)N, (int)H, (int)W, (int)C, (int)OH, (int)OW, near != 0);                                         \
    }
CROP(f16, f16)
CROP(float, f32)
CROP(double, f64)

// crop_grad_boxes sets db[boxes, 4] to the gradient of crop by the boxes, with a block for
// each box.
template <class T>
__device__ __forceinline__ void crop_grad_boxes(float *db, const float *grad, const T *in, const float *boxes, const i32 *image, int N, int H, int W, int C, int OH,
                                                int OW) {
    const float *q = boxes + 4 * (i64)blockIdx.x;
    int n = image[blockIdx.x];
    float ry = OH > 1 ? (float)(H - 1) / (float)(OH - 1) : 0, rx = OW > 1 ? (float)(W - 1) / (float)(OW - 1) : 0, d[4] = {0, 0, 0, 0};
    auto at = [](int k, int size, int crop, float r, float lo, float hi) {
        return crop > 1 ? lo * (float)(size - 1) + (float)k * ((hi - lo) * r) : (float)(0.5 * (double)(lo + hi) * (double)(size - 1));
    };
    // share adds a gradient's parts to the two sides of a box.
    auto share = [](float g, int k, int size, int crop, float r, float &lo, float &hi) {
        if (crop > 1) {
            float s = (float)k * r;
            lo += g * ((float)(size - 1) - s), hi += g * s;
        } else {
            float h = (float)((double)g * 0.5 * (double)(size - 1));
            lo += h, hi += h;
        }
    };
#pragma unroll 1
    for (i64 i = threadIdx.x; (u32)n < (u32)N && i < (i64)OH * OW * C; i += blockDim.x) {
        spot o(i, OH, OW, C);
        float fy = at(o.y, H, OH, ry, q[0], q[2]), fx = at(o.x, W, OW, rx, q[1], q[3]);
        if (!(fy >= 0 && fy <= (float)(H - 1) && fx >= 0 && fx <= (float)(W - 1))) continue;
        float t = floorf(fy), b = ceilf(fy), l = floorf(fx), r = ceilf(fx), wy = fy - t, wx = fx - l, g = grad[(i64)blockIdx.x * OH * OW * C + i];
        const T *p = in + (i64)n * H * W * C + o.c;
        auto pixel = [&](float y, float x) { return (float)up(p[((i64)y * W + (int)x) * C]); };
        float tl = pixel(t, l), tr = pixel(t, r), bl = pixel(b, l), br = pixel(b, r);
        share(((1 - wx) * (bl - tl) + wx * (br - tr)) * g, o.y, H, OH, ry, d[0], d[2]);
        share(((1 - wy) * (tr - tl) + wy * (br - bl)) * g, o.x, W, OW, rx, d[1], d[3]);
    }
#pragma unroll 1
    for (int i = 0; i < 4; i++) {
        float a = i == 0 ? d[0] : i == 1 ? d[1] : i == 2 ? d[2] : d[3];
        a = together<Add>(a);
        if (threadIdx.x == 0) db[4 * (i64)blockIdx.x + i] = a;
    }
}
#define BOXES(T, s)                                                                                                                                      \
    extern "C" __global__ void crop_grad_boxes_##s(float *db, const float *grad, const T *in, const float *boxes, const i32 *image, i64 N, i64 H, i64 W,   \
                                                   i64 C, i64 OH, i64 OW) {                                                                              \
        crop_grad_boxes<T>(db, grad, in, boxes, image, (int)N, (int)H, (int)W, (int)C, (int)OH, (int)OW);                                                \
    }
BOXES(f16, f16)
BOXES(float, f32)
BOXES(double, f64)
