#include "types.cuh"

// one<T> rounds x to T, as each operation of a cell of halves does.
template <class T> __device__ __forceinline__ float one(float x) { return up(to<T>(x)); }

template <class T> __device__ __forceinline__ float sigmoid(float x) { return one<T>(1.0f / (1.0f + expf(-x))); }

template <class T> __device__ __forceinline__ float clipped(float x, float most) { return x < -most ? -most : x > most ? most : x; }

// The order of the parts of a row of gates: ICFO, or IFCO with FORGET_FIRST.
enum { FORGET_FIRST = 1, PEEPHOLE = 2 };

#define CELLS(i, row, k)                                          \
    _Pragma("unroll 1") for (i64 i = thread(); i < batch * cells; i += threads()) \
        if (i64 row = quot(i, cells), k = i - row * cells; true)

// step computes a step of an LSTM. gates [batch, 4·cells] has the products.
template <class T>
__device__ __forceinline__ void step(T *in, T *cs, T *f, T *o, T *ci, T *co, T *h, const T *gates, const T *prev, const T *wci, const T *wcf, const T *wco,
                                     const T *b, i64 batch, i64 cells, i64 flags, double bias, double clip) {
    const i64 at_c = flags & FORGET_FIRST ? 2 * cells : cells, at_f = 3 * cells - at_c;
    const float forget = one<T>((float)bias), most = one<T>((float)clip);
    CELLS(i, row, k) {
        const T *g = gates + row * 4 * cells + k;
        auto gate = [&](i64 at) { return one<T>(up(g[at]) + up(b[at + k])); };
        float gi = gate(0), gc = gate(at_c), gf = gate(at_f), go = gate(3 * cells), p = up(prev[i]);
        if (forget != 0) gf = one<T>(gf + forget);
        if (flags & PEEPHOLE) gi = one<T>(gi + one<T>(p * up(wci[k]))), gf = one<T>(gf + one<T>(p * up(wcf[k])));
        float vi = sigmoid<T>(gi), vc = one<T>(tanhf(gc)), vf = sigmoid<T>(gf);
        float s = one<T>(one<T>(vi * vc) + one<T>(vf * p));
        if (clip > 0) s = clipped<T>(s, most);
        float t = one<T>(tanhf(s));
        if (flags & PEEPHOLE) go = one<T>(go + one<T>(s * up(wco[k])));
        float vo = sigmoid<T>(go);
        in[i] = to<T>(vi), cs[i] = to<T>(s), f[i] = to<T>(vf), o[i] = to<T>(vo), ci[i] = to<T>(vc), co[i] = to<T>(t), h[i] = to<T>(vo * t);
    }
}

// back computes the gradient of a step. The gradient of cs is csg plus csn, from the next
// step; that of h is hg plus hn. csn and hn may be 0. csn may be csPrev.
template <class T>
__device__ __forceinline__ void back(T *csPrev, T *gates, const T *prev, const T *wci, const T *wcf, const T *wco, const T *in, const T *f, const T *o, const T *ci,
                                     const T *co, const T *csg, const T *hg, const T *csn, const T *hn, i64 batch, i64 cells, i64 flags) {
    const i64 at_c = flags & FORGET_FIRST ? 2 * cells : cells, at_f = 3 * cells - at_c;
    CELLS(i, row, k) {
        float vi = up(in[i]), vf = up(f[i]), vo = up(o[i]), vc = up(ci[i]), t = up(co[i]), dh = up(hg[i]), ds = up(csg[i]);
        if (hn) dh = one<T>(up(hn[i]) + dh);
        if (csn) ds = one<T>(up(csn[i]) + ds);
        float go = one<T>(one<T>(one<T>(vo * one<T>(1 - vo)) * dh) * t);
        float d = one<T>(one<T>(one<T>(one<T>(1 - one<T>(t * t)) * dh) * vo) + ds);
        if (flags & PEEPHOLE) d = one<T>(d + one<T>(go * up(wco[k])));
        float gc = one<T>(one<T>(one<T>(1 - one<T>(vc * vc)) * d) * vi);
        float gf = one<T>(one<T>(one<T>(vf * one<T>(1 - vf)) * d) * up(prev[i]));
        float gi = one<T>(one<T>(one<T>(vi * one<T>(1 - vi)) * d) * vc);
        T *g = gates + row * 4 * cells + k;
        g[0] = to<T>(gi), g[at_c] = to<T>(gc), g[at_f] = to<T>(gf), g[3 * cells] = to<T>(go);
        float p = one<T>(d * vf);
        if (flags & PEEPHOLE) p = one<T>(one<T>(p + one<T>(gi * up(wci[k]))) + one<T>(gf * up(wcf[k])));
        csPrev[i] = to<T>(p);
    }
}

// peepholes sums the peepholes' gradients over rows of gates. The previous states of the first
// batch of rows are prev; for the others they are in cs. A block sums 32 cells.
template <class T>
__device__ __forceinline__ void peepholes(T *wci, T *wcf, T *wco, const T *gates, const T *prev, const T *cs, i64 rows, i64 batch, i64 cells, i64 flags) {
    __shared__ float sums[3][8][33];
    const i64 at_f = flags & FORGET_FIRST ? cells : 2 * cells, k = (i64)blockIdx.x * 32 + threadIdx.x;
    float a[3] = {0, 0, 0};
    if (k < cells) {
#pragma unroll 1
        for (i64 r = threadIdx.y; r < rows; r += 8) {
            const T *g = gates + r * 4 * cells + k;
            float p = up(r < batch ? prev[r * cells + k] : cs[(r - batch) * cells + k]);
            a[0] += one<T>(up(g[0]) * p), a[1] += one<T>(up(g[at_f]) * p), a[2] += one<T>(up(g[3 * cells]) * up(cs[r * cells + k]));
        }
    }
#pragma unroll
    for (int j = 0; j < 3; j++) sums[j][threadIdx.y][threadIdx.x] = a[j];
    __syncthreads();
    if (threadIdx.y < 3 && k < cells) {
        float s = 0;
#pragma unroll 1
        for (int y = 0; y < 8; y++) s += sums[threadIdx.y][y][threadIdx.x];
        (threadIdx.y == 0 ? wci : threadIdx.y == 1 ? wcf : wco)[k] = to<T>(s);
    }
}

#define LSTM(T, s)                                                                                                                                               \
    extern "C" __global__ void lstm_##s(T *in, T *cs, T *f, T *o, T *ci, T *co, T *h, const T *gates, const T *prev, const T *wci, const T *wcf, const T *wco,    \
                                        const T *b, i64 batch, i64 cells, i64 flags, double bias, double clip) {                                                 \
        step(in, cs, f, o, ci, co, h, gates, prev, wci, wcf, wco, b, batch, cells, flags, bias, clip);                                                           \
    }                                                                                                                                                            \
    extern "C" __global__ void lstm_grad_##s(T *csPrev, T *gates, const T *prev, const T *wci, const T *wcf, const T *wco, const T *in, const T *f, const T *o,   \
                                             const T *ci, const T *co, const T *csg, const T *hg, const T *csn, const T *hn, i64 batch, i64 cells, i64 flags) {   \
        back(csPrev, gates, prev, wci, wcf, wco, in, f, o, ci, co, csg, hg, csn, hn, batch, cells, flags);                                                       \
    }                                                                                                                                                            \
    extern "C" __global__ void lstm_peepholes_##s(T *wci, T *wcf, T *wco, const T *gates, const T *prev, const T *cs, i64 rows, i64 batch, i64 cells, i64 flags) { \
        peepholes(wci, wcf, wco, gates, prev, cs, rows, batch, cells, flags);                                                                                    \
    }
LSTM(float, f32)
LSTM(f16, f16)

// gru_gates: see GRUF32. sums [batch, 2·cells] has the products of x and h.
extern "C" __global__ void gru_gates(float *r, float *u, float *hr, const float *sums, const float *b, const float *h, i64 batch, i64 cells) {
    CELLS(i, row, k) {
        const float *s = sums + row * 2 * cells + k;
        float v = sigmoid<float>(s[0] + b[k]);
        r[i] = v, hr[i] = h[i] * v, u[i] = sigmoid<float>(s[cells] + b[cells + k]);
    }
}

// gru_state: see GRUF32. c has the sums at first.
extern "C" __global__ void gru_state(float *h, float *c, const float *u, const float *b, const float *prev, i64 batch, i64 cells) {
    CELLS(i, row, k) {
        float v = tanhf(c[i] + b[k]);
        c[i] = v, h[i] = u[i] * (prev[i] - v) + v;
    }
}

// gru_back_first computes the gradients that need only dh. dru is [batch, 2·cells].
extern "C" __global__ void gru_back_first(float *dc, float *dru, const float *h, const float *u, const float *c, const float *dh, i64 batch, i64 cells) {
    CELLS(i, row, k) {
        float g = dh[i], uv = u[i], cv = c[i];
        dc[i] = g * (1 - uv) * (1 - cv * cv);
        dru[row * 2 * cells + cells + k] = g * (h[i] - cv) * uv * (1 - uv);
    }
}

// gru_back_reset: second [batch, input+cells] is dc·wcᵀ.
extern "C" __global__ void gru_back_reset(float *dru, const float *second, const float *h, const float *r, i64 batch, i64 cells, i64 input) {
    CELLS(i, row, k) {
        float v = r[i];
        dru[row * 2 * cells + k] = second[row * (input + cells) + input + k] * h[i] * v * (1 - v);
    }
}

// gru_back_last: first [batch, input+cells] is dru·wruᵀ.
extern "C" __global__ void gru_back_last(float *dx, float *dprev, const float *first, const float *second, const float *r, const float *u, const float *dh, i64 batch,
                                         i64 cells, i64 input) {
    const i64 wide = input + cells;
#pragma unroll 1
    for (i64 i = thread(); i < batch * wide; i += threads()) {
        i64 row = quot(i, wide), k = i - row * wide;
        float a = second[i], b = first[i];
        if (k < input)
            dx[row * input + k] = b + a;
        else {
            i64 at = row * cells + k - input;
            dprev[at] = b + a * r[at] + dh[at] * u[at];
        }
    }
}
