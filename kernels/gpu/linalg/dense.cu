#include "field.cuh"

// load copies matrices of n columns to the wide type. With adjoint the matrices are square and
// dst gets their conjugate transposes.
template <class T> __device__ __forceinline__ void load(typename field<T>::type *dst, const T *src, i64 count, i64 n, i64 adjoint) {
#pragma unroll 1
    for (i64 e = thread(); e < count; e += threads()) {
        i64 at = e;
        if (adjoint) {
            i64 row = quot(e, n), m = quot(row, n);
            at = (m * n + (e - row * n)) * n + (row - m * n);
        }
        auto v = in(src[at]);
        dst[e] = adjoint ? conj(v) : v;
    }
}

// rows sets row i of x[batch, n, k] to row perm[i] of b, or of the unit matrix if b is 0.
template <class T>
__device__ __forceinline__ void rows(typename field<T>::type *x, const T *b, const i32 *perm, i64 count, i64 n, i64 k) {
#pragma unroll 1
    for (i64 e = thread(); e < count; e += threads()) {
        i64 row = quot(e, k), m = quot(row, n), c = e - row * k, from = perm[row];
        x[e] = b ? in(b[(m * n + from) * k + c]) : number_of<typename field<T>::type>(from == c);
    }
}

#define TYPED(T, s)                                                                                                                                            \
    extern "C" __global__ void load_##s(field<T>::type *dst, const T *src, i64 count, i64 n, i64 adjoint) { load(dst, src, count, n, adjoint); }                \
    extern "C" __global__ void rows_##s(field<T>::type *x, const T *b, const i32 *perm, i64 count, i64 n, i64 k) { rows(x, b, perm, count, n, k); }
TYPED(float, f32)
TYPED(double, f64)
TYPED(c64, c64)
TYPED(c128, c128)

extern "C" __global__ void narrow(float *dst, const double *src, i64 count) {
#pragma unroll 1
    for (i64 e = thread(); e < count; e += threads()) dst[e] = (float)src[e];
}

extern "C" __global__ void lengthen(i64 *dst, const i32 *src, i64 count) {
#pragma unroll 1
    for (i64 e = thread(); e < count; e += threads()) dst[e] = src[e];
}

// cholesky factors columns k0 to k1 of matrices, with a block for each. The products of the
// columns before k0 must already be subtracted. bad is set where a matrix is not positive
// definite.
template <class W> __device__ __forceinline__ void cholesky(W *a, i32 *bad, i64 n, i64 k0, i64 k1) {
    a += blockIdx.x * n * n;
#pragma unroll 1
    for (i64 j = k0; j < k1; j++) {
        double s = re(a[j * n + j]), d = sqrt(s);
        __syncthreads();
        if (threadIdx.x == 0) {
            if (!(s > 0)) bad[blockIdx.x] = 1;
            a[j * n + j] = number_of<W>(d);
        }
#pragma unroll 1
        for (i64 i = j + 1 + threadIdx.x; i < n; i += blockDim.x) a[i * n + j] = by(a[i * n + j], d);
        __syncthreads();
        const i64 wide = k1 - j - 1;
        if (wide == 0) break;
#pragma unroll 1
        for (i64 e = threadIdx.x; e < (n - j - 1) * wide; e += blockDim.x) {
            i64 i = quot(e, wide), c = e - i * wide;
            if (i < c) continue;
            i += j + 1, c += j + 1;
            a[i * n + c] = minus(a[i * n + c], times(a[i * n + j], conj(a[c * n + j])));
        }
        __syncthreads();
    }
}

// lower clears the elements above the diagonals, and sets bad matrices to NaN.
template <class W> __device__ __forceinline__ void lower(W *a, const i32 *bad, i64 count, i64 n) {
#pragma unroll 1
    for (i64 e = thread(); e < count; e += threads()) {
        i64 row = quot(e, n), m = quot(row, n);
        if (bad[m])
            a[e] = number_of<W>(NAN);
        else if (e - row * n > row - m * n)
            a[e] = number_of<W>(0);
    }
}

// lu factors columns k0 to k1 of matrices with partial pivoting, with a block for each matrix.
// pivots gets the row with which each row was exchanged, perm the resulting order of rows, odd
// the parity. singular is set if a column has no pivot.
template <class W> __device__ __forceinline__ void lu(W *a, i32 *perm, i32 *pivots, i32 *odd, i32 *singular, i64 n, i64 k0, i64 k1) {
    __shared__ double most[256];
    __shared__ i32 where[256];
    a += blockIdx.x * n * n, perm += blockIdx.x * n, pivots += blockIdx.x * n;
    if (k0 == 0)
        for (i64 i = threadIdx.x; i < n; i += blockDim.x) perm[i] = (i32)i;
#pragma unroll 1
    for (i64 k = k0; k < k1; k++) {
        __syncthreads();
        double best = magnitude(a[k * n + k]);
        i32 at = (i32)k;
#pragma unroll 1
        for (i64 i = k + 1 + threadIdx.x; i < n; i += blockDim.x) {
            double v = magnitude(a[i * n + k]);
            if (v > best) best = v, at = (i32)i;
        }
        most[threadIdx.x] = best, where[threadIdx.x] = at;
        __syncthreads();
#pragma unroll 1
        for (int half = blockDim.x / 2; half > 0; half /= 2) {
            if (threadIdx.x < half) {
                double v = most[threadIdx.x + half];
                i32 w = where[threadIdx.x + half];
                if (v > most[threadIdx.x] || v == most[threadIdx.x] && w < where[threadIdx.x]) most[threadIdx.x] = v, where[threadIdx.x] = w;
            }
            __syncthreads();
        }
        best = most[0], at = where[0];
        if (threadIdx.x == 0) {
            pivots[k] = at;
            if (!(best > 0)) *singular = 1;
        }
        if (best == 0) continue;
        if (at != k) {
#pragma unroll 1
            for (i64 c = k0 + threadIdx.x; c < k1; c += blockDim.x) {
                W v = a[k * n + c];
                a[k * n + c] = a[at * n + c], a[at * n + c] = v;
            }
            if (threadIdx.x == 0) {
                i32 p = perm[k];
                perm[k] = perm[at], perm[at] = p;
                odd[blockIdx.x] ^= 1;
            }
            __syncthreads();
        }
        const W pivot = a[k * n + k];
#pragma unroll 1
        for (i64 i = k + 1 + threadIdx.x; i < n; i += blockDim.x) a[i * n + k] = over(a[i * n + k], pivot);
        __syncthreads();
        const i64 wide = k1 - k - 1;
#pragma unroll 1
        for (i64 e = threadIdx.x; e < (n - k - 1) * wide; e += blockDim.x) {
            i64 i = quot(e, wide), c = k + 1 + e - i * wide;
            i += k + 1;
            a[i * n + c] = minus(a[i * n + c], times(a[i * n + k], a[k * n + c]));
        }
    }
}

// exchange applies lu's exchanges of the rows k0 to k1 to the columns outside k0 to k1.
template <class W> __device__ __forceinline__ void exchange(W *a, const i32 *pivots, i64 batch, i64 n, i64 k0, i64 k1) {
    const i64 others = n - (k1 - k0);
#pragma unroll 1
    for (i64 e = thread(); e < batch * others; e += threads()) {
        i64 m = quot(e, others), c = e - m * others;
        if (c >= k0) c += k1 - k0;
        W *col = a + m * n * n + c;
#pragma unroll 1
        for (i64 k = k0; k < k1; k++) {
            i64 at = pivots[m * n + k];
            W v = col[k * n];
            col[k * n] = col[at * n], col[at * n] = v;
        }
    }
}

enum { LOWER = 1, UNIT = 2, ADJOINT = 4 };

// triangle solves for rows r0 to r1 of x with that diagonal block of op(a). Rows of x are k
// elements long; matrices of x are xstride apart, those of a stride.
template <class W>
__device__ __forceinline__ void triangle(W *x, const W *a, i64 batch, i64 n, i64 k, i64 cols, i64 xstride, i64 stride, i64 r0, i64 r1, i64 flags) {
    const bool down = flags & LOWER, adjoint = flags & ADJOINT;
#pragma unroll 1
    for (i64 e = thread(); e < batch * cols; e += threads()) {
        i64 m = quot(e, cols);
        W *col = x + m * xstride + (e - m * cols);
        const W *s = a + m * stride;
#pragma unroll 1
        for (i64 r = r0; r < r1; r++) {
            i64 i = down ? r : r0 + r1 - 1 - r;
            W v = col[i * k];
#pragma unroll 1
            for (i64 t = r0; t < r; t++) {
                i64 j = down ? t : r0 + r1 - 1 - t;
                v = minus(v, times(adjoint ? conj(s[j * n + i]) : s[i * n + j], col[j * k]));
            }
            W d = s[i * n + i];
            col[i * k] = flags & UNIT ? v : over(v, adjoint ? conj(d) : d);
        }
    }
}

// determinants sets det to the products of the diagonals of the factors. With log_ it sets log_ to the
// logarithms of the absolute values, and det to the signs.
template <class W> __device__ __forceinline__ void determinants(W *det, W *log_, const W *a, const i32 *odd, i64 batch, i64 n) {
#pragma unroll 1
    for (i64 m = thread(); m < batch; m += threads()) {
        W d = number_of<W>(odd[m] ? -1 : 1);
        double sum = 0;
#pragma unroll 1
        for (i64 i = 0; i < n; i++) {
            W v = a[m * n * n + i * n + i];
            if (log_) {
                double r = magnitude(v);
                sum += log(r);
                v = r == 0 ? number_of<W>(0) : by(v, r);
                d = r == 0 ? v : times(d, v);
            } else
                d = times(d, v);
        }
        det[m] = d;
        if (log_) log_[m] = number_of<W>(sum);
    }
}

#define DENSE(W, s)                                                                                                                                        \
    extern "C" __global__ __launch_bounds__(256) void cholesky_##s(W *a, i32 *bad, i64 n, i64 k0, i64 k1) { cholesky(a, bad, n, k0, k1); }                 \
    extern "C" __global__ void lower_##s(W *a, const i32 *bad, i64 count, i64 n) { lower(a, bad, count, n); }                                              \
    extern "C" __global__ __launch_bounds__(256) void lu_##s(W *a, i32 *perm, i32 *pivots, i32 *odd, i32 *singular, i64 n, i64 k0, i64 k1) {               \
        lu(a, perm, pivots, odd, singular, n, k0, k1);                                                                                                     \
    }                                                                                                                                                      \
    extern "C" __global__ void exchange_##s(W *a, const i32 *pivots, i64 batch, i64 n, i64 k0, i64 k1) { exchange(a, pivots, batch, n, k0, k1); }           \
    extern "C" __global__ void triangle_##s(W *x, const W *a, i64 batch, i64 n, i64 k, i64 cols, i64 xstride, i64 stride, i64 r0, i64 r1, i64 flags) {      \
        triangle(x, a, batch, n, k, cols, xstride, stride, r0, r1, flags);                                                                                 \
    }                                                                                                                                                      \
    extern "C" __global__ void determinants_##s(W *det, W *log, const W *a, const i32 *odd, i64 batch, i64 n) { determinants(det, log, a, odd, batch, n); }
DENSE(double, f64)
DENSE(c128, c128)
