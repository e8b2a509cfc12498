#include "tile.cuh"

// shape is a convolution of in[N, D, H, W, C] with a filter [KD, KH, KW, C/G, OC] into
// out[N, OD, OH, OW, OC]: strides S, padding P, dilations L.
struct shape {
    int N, D, H, W, C, KD, KH, KW, OD, OH, OW, OC, SD, SH, SW, PD, PH, PW, LD, LH, LW, G;
    __device__ __forceinline__ int inner() const { return C / G; }
    __device__ __forceinline__ int outer() const { return OC / G; }
};
#define SHAPE i64 N, i64 D, i64 H, i64 W, i64 C, i64 KD, i64 KH, i64 KW, i64 OD, i64 OH, i64 OW, i64 OC, i64 SD, i64 SH, i64 SW, i64 PD, i64 PH, i64 PW, i64 LD, i64 LH, i64 LW, i64 G
#define GIVEN                                                                                                                                            \
    shape {                                                                                                                                              \
        (int)N, (int)D, (int)H, (int)W, (int)C, (int)KD, (int)KH, (int)KW, (int)OD, (int)OH, (int)OW, (int)OC, (int)SD, (int)SH, (int)SW, (int)PD, (int)PH, \
            (int)PW, (int)LD, (int)LH, (int)LW, (int)G                                                                                                   \
    }

// apart divides index i by n, the size of the last dimension, and returns the remainder.
__device__ __forceinline__ int apart(u32 &i, int n) {
    u32 q = i / (u32)n, r = i - q * (u32)n;
    i = q;
    return (int)r;
}

// places holds the coordinates of the lines of an operand that a thread reads.
struct places {
    int image[4], d[4], h[4], w[4];
    bool in[4];
};

// windows reads in as the left operand of the convolution: a line is a position of out, k
// is (kd, kh, kw, c).
template <class T> struct windows : places {
    typedef typename wide<T>::type A;
    const T *p;
    shape s;
    int first; // channel
    static constexpr bool along = true;
    __device__ __forceinline__ void line(int i, i64 l) {
        u32 m = (u32)l;
        in[i] = l < (i64)s.N * s.OD * s.OH * s.OW;
        w[i] = apart(m, s.OW) * s.SW - s.PW;
        h[i] = apart(m, s.OH) * s.SH - s.PH;
        d[i] = apart(m, s.OD) * s.SD - s.PD;
        image[i] = m;
    }
    __device__ __forceinline__ A at(int i, i64, i64 k) {
        u32 t = (u32)k;
        int c = apart(t, s.inner()), x = w[i] + apart(t, s.KW) * s.LW, y = h[i] + apart(t, s.KH) * s.LH, z = d[i] + (int)t * s.LD;
        if (!in[i] || (u32)x >= (u32)s.W || (u32)y >= (u32)s.H || (u32)z >= (u32)s.D) return 0;
        return up(p[((((i64)image[i] * s.D + z) * s.H + y) * s.W + x) * s.C + first + c]);
    }
};

// origins reads the gradient of out as the left operand for the gradient of in: a line is
// an element of in, k is (kd, kh, kw, oc).
template <class T> struct origins : places {
    typedef typename wide<T>::type A;
    const T *p;
    shape s;
    int first;
    static constexpr bool along = true;
    __device__ __forceinline__ void line(int i, i64 l) {
        u32 m = (u32)l;
        in[i] = l < (i64)s.N * s.D * s.H * s.W;
        w[i] = apart(m, s.W) + s.PW;
        h[i] = apart(m, s.H) + s.PH;
        d[i] = apart(m, s.D) + s.PD;
        image[i] = m;
    }
    static __device__ __forceinline__ bool back(int &x, int stride, int n) {
        if (x < 0) return false;
        int q = x / stride, r = x - q * stride;
        x = q;
        return r == 0 && q < n;
    }
    __device__ __forceinline__ A at(int i, i64, i64 k) {
        u32 t = (u32)k;
        int c = apart(t, s.outer()), x = w[i] - apart(t, s.KW) * s.LW, y = h[i] - apart(t, s.KH) * s.LH, z = d[i] - (int)t * s.LD;
        if (!in[i] || !back(x, s.SW, s.OW) || !back(y, s.SH, s.OH) || !back(z, s.SD, s.OD)) return 0;
        return up(p[((((i64)image[i] * s.OD + z) * s.OH + y) * s.OW + x) * s.OC + first + c]);
    }
};

// taps reads in as the left operand for the gradient of the filter: a line is
// (kd, kh, kw, c), k is a position of out.
template <class T> struct taps : places {
    typedef typename wide<T>::type A;
    const T *p;
    shape s;
    int first;
    static constexpr bool along = false;
    __device__ __forceinline__ void line(int i, i64 l) {
        u32 m = (u32)l;
        in[i] = l < (i64)s.KD * s.KH * s.KW * s.inner();
        image[i] = apart(m, s.inner()); // the channel
        w[i] = apart(m, s.KW) * s.LW - s.PW;
        h[i] = apart(m, s.KH) * s.LH - s.PH;
        d[i] = (int)m * s.LD - s.PD;
    }
    __device__ __forceinline__ A at(int i, i64, i64 k) {
        u32 t = (u32)k;
        int x = w[i] + apart(t, s.OW) * s.SW, y = h[i] + apart(t, s.OH) * s.SH, z = d[i] + apart(t, s.OD) * s.SD;
        if (!in[i] || (u32)x >= (u32)s.W || (u32)y >= (u32)s.H || (u32)z >= (u32)s.D) return 0;
        return up(p[((((i64)t * s.D + z) * s.H + y) * s.W + x) * s.C + first + image[i]]);
    }
};

// matrix is a right operand: element k of line l is p[k·step + l].
template <class T> struct matrix {
    typedef typename wide<T>::type A;
    const T *p;
    i64 lines, step;
    static constexpr bool along = false;
    __device__ __forceinline__ void line(int, i64) {}
    __device__ __forceinline__ A at(int, i64 l, i64 k) { return l < lines ? up(p[k * step + l]) : (A)0; }
};

// turned reads the filter as the right operand for the gradient of in: a line is c, k is
// (kd, kh, kw, oc).
template <class T> struct turned {
    typedef typename wide<T>::type A;
    const T *p;
    shape s;
    static constexpr bool along = true;
    __device__ __forceinline__ void line(int, i64) {}
    __device__ __forceinline__ A at(int, i64 l, i64 k) {
        u32 t = (u32)k;
        int oc = apart(t, s.outer());
        return l < s.inner() ? up(p[((i64)t * s.inner() + l) * s.OC + oc]) : (A)0;
    }
};

// product computes a block's share of a product [M, K]·[K, n]: one tile, over part part of
// parts along K. Rows of results are step apart. With several parts the partial sums are
// stored in wide numbers.
template <class T, class Left, class Right>
__device__ __forceinline__ void product(void *out, Left &left, Right &right, int first_out, i64 M, i64 n, i64 K, i64 step, i64 tile_at, i64 part, i64 parts) {
    typedef typename wide<T>::type A;
    constexpr int SIDE = 16 * each<A>::side;
    i64 across = (n + SIDE - 1) / SIDE, tm = quot(tile_at, across), tn = tile_at - tm * across;
    i64 chunk = (quot(K + parts - 1, parts) + DEPTH - 1) / DEPTH * DEPTH, lo = part * chunk, hi = lo + chunk < K ? lo + chunk : K;
    tile<A>(tm * SIDE, tn * SIDE, lo, hi, left, right, [&](i64 m, i64 c, A v) {
        if (m >= M || c >= n) return;
        i64 at = m * step + first_out + c;
        if (parts == 1) ((T *)out)[at] = to<T>(v);
        else ((A *)out)[part * M * step + at] = v;
    });
}

// which is a block's share of the work: its tile, group and part.
struct which {
    i64 tile, part;
    int group;
    __device__ __forceinline__ which(i64 tiles, int groups) {
        i64 gp = quot(blockIdx.x, tiles);
        tile = blockIdx.x - gp * tiles, part = quot(gp, groups), group = (int)(gp - part * groups);
    }
};

template <class T> __device__ __forceinline__ void forward(void *out, const T *in, const T *filter, i64 tiles, i64 parts, shape s) {
    which b(tiles, s.G);
    windows<T> left;
    left.p = in, left.s = s, left.first = b.group * s.inner();
    matrix<T> right{filter + b.group * s.outer(), s.outer(), s.OC};
    product<T>(out, left, right, b.group * s.outer(), (i64)s.N * s.OD * s.OH * s.OW, s.outer(), (i64)s.KD * s.KH * s.KW * s.inner(), s.OC, b.tile, b.part, parts);
}
template <class T> __device__ __forceinline__ void input(void *out, const T *grad, const T *filter, i64 tiles, i64 parts, shape s) {
    which b(tiles, s.G);
    origins<T> left;
    left.p = grad, left.s = s, left.first = b.group * s.outer();
    turned<T> right{filter + b.group * s.outer(), s};
    product<T>(out, left, right, b.group * s.inner(), (i64)s.N * s.D * s.H * s.W, s.inner(), (i64)s.KD * s.KH * s.KW * s.outer(), s.C, b.tile, b.part, parts);
}
template <class T> __device__ __forceinline__ void filter(void *out, const T *in, const T *grad, i64 tiles, i64 parts, shape s) {
    which b(tiles, s.G);
    taps<T> left;
    left.p = in, left.s = s, left.first = b.group * s.inner();
    matrix<T> right{grad + b.group * s.outer(), s.outer(), s.OC};
    product<T>(out, left, right, b.group * s.outer(), (i64)s.KD * s.KH * s.KW * s.inner(), s.outer(), (i64)s.N * s.OD * s.OH * s.OW, s.OC, b.tile, b.part, parts);
}

// join sets each of n elements of out to the sum of its parts.
template <class T> __device__ __forceinline__ void join(T *out, const typename wide<T>::type *part, i64 n, i64 parts) {
#pragma unroll 1
    for (i64 i = thread(); i < n; i += threads()) {
        typename wide<T>::type a = part[i];
#pragma unroll 1
        for (i64 p = 1; p < parts; p++) a += part[p * n + i];
        out[i] = to<T>(a);
    }
}

#define CONV(T, s)                                                                                                                                          \
    extern "C" __global__ __launch_bounds__(THREADS, 2) void forward_##s(void *out, const T *in, const T *f, i64 tiles, i64 parts, SHAPE) {                     \
        forward<T>(out, in, f, tiles, parts, GIVEN);                                                                                                        \
    }                                                                                                                                                       \
    extern "C" __global__ __launch_bounds__(THREADS, 2) void input_##s(void *out, const T *grad, const T *f, i64 tiles, i64 parts, SHAPE) {                     \
        input<T>(out, grad, f, tiles, parts, GIVEN);                                                                                                        \
    }                                                                                                                                                       \
    extern "C" __global__ __launch_bounds__(THREADS, 2) void filter_##s(void *out, const T *in, const T *grad, i64 tiles, i64 parts, SHAPE) {                   \
        filter<T>(out, in, grad, tiles, parts, GIVEN);                                                                                                      \
    }                                                                                                                                                       \
    extern "C" __global__ void join_##s(T *out, const wide<T>::type *part, i64 n, i64 parts) { join<T>(out, part, n, parts); }
CONV(f16, f16)
CONV(bf16, bf16)
CONV(float, f32)
CONV(double, f64)
// Integers wrap around.
extern "C" __global__ __launch_bounds__(THREADS, 2) void forward_i32(void *out, const i32 *in, const i32 *f, i64 tiles, i64 parts, SHAPE) {
    forward<i32>(out, in, f, tiles, parts, GIVEN);
}
extern "C" __global__ __launch_bounds__(THREADS, 2) void input_i32(void *out, const i32 *grad, const i32 *f, i64 tiles, i64 parts, SHAPE) {
    input<i32>(out, grad, f, tiles, parts, GIVEN);
}
extern "C" __global__ void join_i32(i32 *out, const i32 *part, i64 n, i64 parts) { join<i32>(out, part, n, parts); }
