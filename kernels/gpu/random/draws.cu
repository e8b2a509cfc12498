#include "philox.cuh"

// sampler returns the numbers of one draw's part of a stream. Numbers are computed in pairs,
// and the second of a pair is returned first.
struct sampler {
    philox g;
    double u, n;
    bool more_u, more_n;
    __device__ __forceinline__ sampler(const u64 *stream, u64 skip) : g(stream), u(0), n(0), more_u(false), more_n(false) { g.skip(skip); }
    __device__ __forceinline__ double uniform() {
        if (more_u) return more_u = false, u;
        uint4 x = g.next();
        u = unit(x.x, x.y), more_u = true;
        return unit(x.z, x.w);
    }
    __device__ __forceinline__ double gaussian() {
        if (more_n) return more_n = false, n;
        double2 v = muller(g.next());
        n = v.x, more_n = true;
        return v.y;
    }
};

// gamma_draws sets out[samples, params] to draws from gamma distributions of the shapes alpha and the
// scale 1, after Marsaglia and Tsang. Each draw has 256 blocks of the stream: all draws of
// parameter 0 come first, then those of parameter 1, and so on.
extern "C" __global__ void gamma_draws(double *out, const double *alpha, const u64 *stream, i64 params, i64 samples) {
#pragma unroll 1
    for (i64 i = thread(); i < params * samples; i += threads()) {
        i64 a = quot(i, samples), k = i - a * samples;
        double shape = alpha[a], d = shape < 1 ? shape + 2.0 / 3 : shape - 1.0 / 3, c = 1.0 / 3 / sqrt(d), r;
        sampler s(stream, (u64)i * 256);
        if (shape == 1) {
            r = -log1p(-s.uniform());
        } else if (!(d > 0)) {
            r = NAN;
        } else {
#pragma unroll 1
            for (;;) {
                double x = s.gaussian(), v = 1 + c * x;
                if (v <= 0) continue;
                v = v * v * v;
                double u = s.uniform();
                if (u < 1 - 0.0331 * (x * x) * (x * x) || log(u) < 0.5 * x * x + d * (1 - v + log(v))) {
                    r = d * v;
                    break;
                }
            }
            if (shape < 1) r *= pow(s.uniform(), 1 / shape);
        }
        out[k * params + a] = r;
    }
}

// sums sets cdf[rows, classes] to running sums of e^(x-top) over the finite logits, where top is the
// largest of a row. Each row has a block of 256 threads.
extern "C" __global__ void sums(double *cdf, const float *logits, i64 classes) {
    __shared__ double parts[8];
    const float *row = logits + blockIdx.x * classes;
    double *out = cdf + blockIdx.x * classes, carry = 0;
    float top = -INFINITY;
#pragma unroll 1
    for (i64 i = threadIdx.x; i < classes; i += 256) {
        float v = row[i];
        if (isfinite(v) && v > top) top = v;
    }
    top = together<Larger>(top);
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll 1
    for (i64 k = 0; k < classes; k += 256) {
        i64 i = k + threadIdx.x;
        float x = i < classes ? row[i] : NAN;
        double v = isfinite(x) ? exp((double)x - (double)top) : 0;
#pragma unroll 1
        for (int by = 1; by < 32; by <<= 1) {
            i64 b = __double_as_longlong(v);
            u32 lo = __shfl_up_sync(0xffffffffu, (u32)b, by), hi = __shfl_up_sync(0xffffffffu, (u32)(b >> 32), by);
            if (lane >= by) v += __longlong_as_double((i64)((u64)hi << 32 | lo));
        }
        if (lane == 31) parts[warp] = v;
        __syncthreads();
        double base = carry;
#pragma unroll 1
        for (int w = 0; w < 8; w++) {
            if (w < warp) base += parts[w];
            carry += parts[w];
        }
        if (i < classes) out[i] = base + v;
        __syncthreads();
    }
}

// classes draws a number between 0 and the last element of a row of cdf for each element of
// out[rows, samples], integers of size bytes. It stores the first position where cdf exceeds it.
extern "C" __global__ void classes(void *out, const double *cdf, const u64 *stream, i64 rows, i64 count, i64 samples, i64 size) {
#pragma unroll 1
    for (i64 i = thread(); i < rows * samples; i += threads()) {
        philox g(stream);
        g.skip((u64)i / 2);
        uint4 x = g.next();
        const double *row = cdf + quot(i, samples) * count;
        double find = (i % 2 ? unit(x.z, x.w) : unit(x.x, x.y)) * row[count - 1];
        i64 lo = 0, hi = count;
#pragma unroll 1
        while (lo < hi) {
            i64 m = (lo + hi) / 2;
            if (row[m] > find) hi = m;
            else lo = m + 1;
        }
        if (size == 8) ((i64 *)out)[i] = lo;
        else ((i32 *)out)[i] = (i32)lo;
    }
}
