#include "types.cuh"

// around sums the squares of the channels within radius of c.
__device__ __forceinline__ float around(const float *s, int c, int C, int radius) {
    float sum = 0;
    int hi = min(c + radius, C - 1);
#pragma unroll 1
    for (int k = max(c - radius, 0); k <= hi; k++) sum += s[k] * s[k];
    return sum;
}

// lrn sets y = x / (bias + alpha·Σ x²)^beta, the sum over the channels within radius.
extern "C" __global__ void lrn(float *y, const float *x, i64 n, i64 C, i64 radius, double bias, double alpha, double beta) {
#pragma unroll 1
    for (i64 i = thread(); i < n; i += threads()) {
        i64 r = quot(i, C);
        float v = (float)bias + (float)alpha * around(x + r * C, (int)(i - r * C), (int)C, (int)radius);
        y[i] = x[i] * (beta == 1 ? 1 / v : beta == 0.5 ? 1 / sqrtf(v) : (float)exp(-beta * log((double)v)));
    }
}

// lrn_grad sets dx to the gradient of lrn, given dy, the gradient of y. Each channel sums the
// contributions of the channels within radius.
extern "C" __global__ void lrn_grad(float *dx, const float *dy, const float *x, const float *y, i64 n, i64 C, i64 radius, double bias, double alpha,
                                    double beta) {
#pragma unroll 1
    for (i64 i = thread(); i < n; i += threads()) {
        i64 row = quot(i, C) * C;
        int k = (int)(i - row), hi = min(k + (int)radius, (int)C - 1);
        float a = 0;
#pragma unroll 1
        for (int c = max(k - (int)radius, 0); c <= hi; c++) {
            float v = (float)bias + (float)alpha * around(x + row, c, (int)C, (int)radius);
            float d = -2 * (float)alpha * (float)beta * x[i] * y[row + c] / v;
            if (c == k) d += (float)pow((double)v, -beta);
            a += d * dy[row + c];
        }
        dx[i] = a;
    }
}
