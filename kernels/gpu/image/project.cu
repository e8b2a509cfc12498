#include "types.cuh"

// How pixels outside the image are filled: a value, or the image mirrored, repeated, or its edge.
enum { CONSTANT, REFLECT, WRAP, NEAREST };

// inside moves a coordinate into an image of n pixels.
__device__ __forceinline__ float inside(float x, i64 n, i64 fill) {
    const float size = (float)n;
    if (fill == CONSTANT) return x;
    if (fill != NEAREST && !(x >= 0 && x <= size - 1)) {
        if (n <= 1)
            x = 0;
        else if (fill == REFLECT && x < 0) {
            x += 2 * size * (float)(i64)(-x / (2 * size));
            x = x < -size ? x + 2 * size : -x - 1;
        } else if (fill == REFLECT) {
            x -= 2 * size * (float)(i64)(x / (2 * size));
            if (x >= size) x = 2 * size - x - 1;
        } else if (x < 0)
            x += size * (float)((i64)(-x / (size - 1)) + 1);
        else
            x -= size * (float)(i64)(x / (size - 1));
    }
    return larger(smaller(x, size - 1), 0.0f);
}

// project: see ProjectF32.
template <class T>
__device__ __forceinline__ void project(T *out, const T *in, const float *transforms, const float *fill, i64 N, i64 H, i64 W, i64 C, i64 OH, i64 OW, i64 each, i64 bilinear,
                                        i64 mode) {
    const T outside = to<T>(fill ? *fill : 0.0f);
#pragma unroll 1
    for (i64 e = thread(); e < N * OH * OW * C; e += threads()) {
        i64 pixel = quot(e, C), c = e - pixel * C, row = quot(pixel, OW), x = pixel - row * OW, n = quot(row, OH), y = row - n * OH;
        const float *t = transforms + (each ? 8 * n : 0);
        const T *image = in + n * H * W * C + c;
        float fx = (float)x, fy = (float)y, k = t[6] * fx + t[7] * fy + 1;
        if (k == 0) {
            out[e] = outside;
            continue;
        }
        float ix = inside((t[0] * fx + t[1] * fy + t[2]) / k, W, mode), iy = inside((t[3] * fx + t[4] * fy + t[5]) / k, H, mode);
        auto at = [&](float v, float u) {
            if (!(v >= 0 && v < (float)H && u >= 0 && u < (float)W)) return outside;
            return image[((i64)v * W + (i64)u) * C];
        };
        if (!bilinear) {
            out[e] = at(roundf(iy), roundf(ix));
            continue;
        }
        float y0 = floorf(iy), x0 = floorf(ix), y1 = y0 + 1, x1 = x0 + 1;
        float top = (x1 - ix) * (float)up(at(y0, x0)) + (ix - x0) * (float)up(at(y0, x1));
        float bottom = (x1 - ix) * (float)up(at(y1, x0)) + (ix - x0) * (float)up(at(y1, x1));
        out[e] = to<T>((y1 - iy) * top + (iy - y0) * bottom);
    }
}

#define PROJECT(T, s)                                                                                                                                              \
    extern "C" __global__ void project_##s(T *out, const T *in, const float *transforms, const float *fill, i64 N, i64 H, i64 W, i64 C, i64 OH, i64 OW, i64 each,  \
                                           i64 bilinear, i64 mode) {                                                                                               \
        project(out, in, transforms, fill, N, H, W, C, OH, OW, each, bilinear, mode);                                                                             \
    }
PROJECT(float, f32)
PROJECT(double, f64)
PROJECT(f16, f16)
PROJECT(u8, u8)
PROJECT(i32, i32)
PROJECT(i64, i64)
