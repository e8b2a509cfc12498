#include "block.cuh"

// Depthwise convolutions of in[N, H, W, C] with a filter [KH, KW, C, M] into
// out[N, OH, OW, C·M]: strides S, padding P, dilations L.
#define SHAPE i64 N, i64 H, i64 W, i64 C, i64 M, i64 KH, i64 KW, i64 OH, i64 OW, i64 SH, i64 SW, i64 PH, i64 PW, i64 LH, i64 LW
struct shape {
    int N, H, W, C, M, KH, KW, OH, OW, SH, SW, PH, PW, LH, LW;
};
#define GIVEN                                                                                                                                              \
    shape {                                                                                                                                                \
        (int)N, (int)H, (int)W, (int)C, (int)M, (int)KH, (int)KW, (int)OH, (int)OW, (int)SH, (int)SW, (int)PH, (int)PW, (int)LH, (int)LW                    \
    }

// pixel splits an index into an image, a row, a column and a channel.
__device__ __forceinline__ void pixel(i64 i, int h, int w, int c, int &n, int &y, int &x, int &k) {
    i64 q = quot(i, c);
    k = (int)(i - q * c);
    u32 p = (u32)q, r = p / (u32)w;
    x = (int)(p - r * (u32)w), n = (int)(r / (u32)h), y = (int)(r - (u32)n * (u32)h);
}

template <class T> __device__ __forceinline__ void forward(T *out, const T *in, const T *filter, shape s) {
    typedef typename wide<T>::type A;
    int oc = s.C * s.M;
#pragma unroll 1
    for (i64 at = thread(); at < (i64)s.N * s.OH * s.OW * oc; at += threads()) {
        int n, y, x, k;
        pixel(at, s.OH, s.OW, oc, n, y, x, k);
        int c = s.M == 1 ? k : (int)((u32)k / (u32)s.M);
        A a = 0;
#pragma unroll 1
        for (int i = 0; i < s.KH; i++) {
            int h = y * s.SH - s.PH + i * s.LH;
            if ((u32)h >= (u32)s.H) continue;
#pragma unroll 1
            for (int j = 0; j < s.KW; j++) {
                int w = x * s.SW - s.PW + j * s.LW;
                if ((u32)w < (u32)s.W) a = fuse<A>(up(in[(((i64)n * s.H + h) * s.W + w) * s.C + c]), up(filter[(i64)(i * s.KW + j) * oc + k]), a);
            }
        }
        out[at] = to<T>(a);
    }
}

template <class T> __device__ __forceinline__ void input(T *out, const T *grad, const T *filter, shape s) {
    typedef typename wide<T>::type A;
    int oc = s.C * s.M;
#pragma unroll 1
    for (i64 at = thread(); at < (i64)s.N * s.H * s.W * s.C; at += threads()) {
        int n, h, w, c;
        pixel(at, s.H, s.W, s.C, n, h, w, c);
        A a = 0;
#pragma unroll 1
        for (int i = 0; i < s.KH; i++) {
            int p = h + s.PH - i * s.LH, y = p / s.SH;
            if (p < 0 || y >= s.OH || y * s.SH != p) continue;
#pragma unroll 1
            for (int j = 0; j < s.KW; j++) {
                int p = w + s.PW - j * s.LW, x = p / s.SW;
                if (p < 0 || x >= s.OW || x * s.SW != p) continue;
#pragma unroll 1
                for (int m = 0; m < s.M; m++)
                    a = fuse<A>(up(grad[(((i64)n * s.OH + y) * s.OW + x) * oc + c * s.M + m]), up(filter[(i64)(i * s.KW + j) * oc + c * s.M + m]), a);
            }
        }
        out[at] = to<T>(a);
    }
}

// filter sums part p of the positions for each tap and 32 channels of out, by blocks of 32
// times 8 threads. With several parts the partial sums are stored in wide numbers.
template <class T> __device__ __forceinline__ void filter(void *out, const T *in, const T *grad, i64 parts, shape s) {
    typedef typename wide<T>::type A;
    __shared__ A sums[8][32];
    int oc = s.C * s.M, across = (oc + 31) / 32;
    i64 rest = quot(blockIdx.x, across), part = quot(rest, s.KH * s.KW);
    int k = (int)(blockIdx.x - rest * across) * 32 + threadIdx.x, tap = (int)(rest - part * (s.KH * s.KW)), i = tap / s.KW, j = tap - i * s.KW;
    i64 n = (i64)s.N * s.OH * s.OW, chunk = quot(n + parts - 1, parts), lo = part * chunk, hi = lo + chunk < n ? lo + chunk : n;
    A a = 0;
    if (k < oc) {
        int c = k / s.M;
#pragma unroll 1
        for (i64 o = lo + threadIdx.y; o < hi; o += 8) {
            u32 p = (u32)o, r = p / (u32)s.OW, im = r / (u32)s.OH;
            int h = (int)(r - im * (u32)s.OH) * s.SH - s.PH + i * s.LH, w = (int)(p - r * (u32)s.OW) * s.SW - s.PW + j * s.LW;
            if ((u32)h < (u32)s.H && (u32)w < (u32)s.W) a = fuse<A>(up(in[(((i64)im * s.H + h) * s.W + w) * s.C + c]), up(grad[o * oc + k]), a);
        }
    }
    sums[threadIdx.y][threadIdx.x] = a;
    __syncthreads();
    if (threadIdx.y || k >= oc) return;
#pragma unroll 1
    for (int i = 1; i < 8; i++) a += sums[i][threadIdx.x];
    i64 at = (i64)tap * oc + k;
    if (parts == 1) ((T *)out)[at] = to<T>(a);
    else ((A *)out)[part * oc * s.KH * s.KW + at] = a;
}

#define DEPTHWISE(T, s)                                                                                                                                    \
    extern "C" __global__ void depthwise_##s(T *out, const T *in, const T *f, SHAPE) { forward<T>(out, in, f, GIVEN); }                                    \
    extern "C" __global__ void depthwise_input_##s(T *out, const T *grad, const T *f, SHAPE) { input<T>(out, grad, f, GIVEN); }                            \
    extern "C" __global__ void depthwise_filter_##s(void *out, const T *in, const T *grad, i64 parts, SHAPE) { filter<T>(out, in, grad, parts, GIVEN); }
DEPTHWISE(f16, f16)
DEPTHWISE(bf16, bf16)
DEPTHWISE(float, f32)
DEPTHWISE(double, f64)
