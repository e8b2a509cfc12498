#include "field.cuh"

// tridiagonal solves with the diagonals d[batch, 3, n], the superdiagonal first. Each thread
// solves for a column of b[batch, n, k], by elimination with or without exchanges of rows.
// scratch has 4·n numbers for each column.
template <class T>
__device__ __forceinline__ void tridiagonal(T *x, const T *diagonals, const T *b, typename field<T>::type *scratch, i64 batch, i64 n, i64 k, i64 pivot) {
    typedef typename field<T>::type W;
    const i64 all = batch * k;
#pragma unroll 1
    for (i64 t = thread(); t < all; t += threads()) {
        const i64 m = quot(t, k), first = m * n * k + (t - m * k);
        const T *ups = diagonals + m * 3 * n, *mains = ups + n, *lows = mains + n;
        auto at = [&](i64 which, i64 i) -> W & { return scratch[(which * n + i) * all + t]; };
        auto y = [&](i64 i) -> W & { return at(0, i); };
        bool ok = true;
        W d = in(mains[0]), e = in(ups[0]), v = in(b[first]);
        if (pivot || n == 1) {
#pragma unroll 1
            for (i64 i = 0; ok && i + 1 < n; i++) {
                W low = in(lows[i + 1]), main = in(mains[i + 1]), up = in(ups[i + 1]), next = in(b[first + (i + 1) * k]);
                if (magnitude(d) >= magnitude(low)) {
                    if (is_zero(d)) ok = false;
                    W q = over(low, d);
                    at(1, i) = d, at(2, i) = e, at(3, i) = number_of<W>(0), y(i) = v;
                    d = minus(main, times(q, e)), v = minus(next, times(q, v)), e = up;
                } else {
                    W q = over(d, low);
                    at(1, i) = low, at(2, i) = main, at(3, i) = up, y(i) = next;
                    d = minus(e, times(q, main)), v = minus(v, times(q, next));
                    e = times(minus(number_of<W>(0), q), up);
                }
            }
            if (is_zero(d)) ok = false;
            W r1 = number_of<W>(0), r2 = r1;
            if (ok) {
                r1 = over(v, d);
                y(n - 1) = r1;
#pragma unroll 1
                for (i64 i = n - 2; i >= 0; i--) {
                    W s = minus(y(i), times(at(2, i), r1));
                    if (i + 2 < n) s = minus(s, times(at(3, i), r2));
                    r2 = r1, r1 = over(s, at(1, i));
                    y(i) = r1;
                }
            }
        } else {
            if (is_zero(d)) ok = false;
            W u = over(e, d);
            v = over(v, d);
            at(1, 0) = u, y(0) = v;
#pragma unroll 1
            for (i64 i = 1; ok && i < n; i++) {
                W low = in(lows[i]);
                d = minus(in(mains[i]), times(low, u));
                if (is_zero(d)) ok = false;
                u = over(in(ups[i]), d);
                v = over(minus(in(b[first + i * k]), times(low, v)), d);
                at(1, i) = u, y(i) = v;
            }
#pragma unroll 1
            for (i64 i = n - 2; ok && i >= 0; i--) {
                v = minus(y(i), times(at(1, i), v));
                y(i) = v;
            }
        }
        // TensorFlow's NaN of a complex type is 0.
        const W none = number_of<W>(sizeof(W) == 16 ? 0 : NAN);
#pragma unroll 1
        for (i64 i = 0; i < n; i++) x[first + i * k] = outward<T>::of(ok ? y(i) : none);
    }
}

// product multiplies x[batch, n, k] by tridiagonal matrices with diagonals of [batch, n].
template <class T>
__device__ __forceinline__ void product(T *out, const T *up, const T *main, const T *low, const T *x, i64 batch, i64 n, i64 k) {
#pragma unroll 1
    for (i64 e = thread(); e < batch * n * k; e += threads()) {
        i64 row = quot(e, k), i = row - quot(row, n) * n;
        auto v = times(in(main[row]), in(x[e]));
        if (i > 0) v = plus(v, times(in(low[row]), in(x[e - k])));
        if (i + 1 < n) v = plus(v, times(in(up[row]), in(x[e + k])));
        out[e] = outward<T>::of(v);
    }
}

#define TRIDIAGONAL(T, s)                                                                                                                             \
    extern "C" __global__ void tridiagonal_##s(T *x, const T *d, const T *b, field<T>::type *scratch, i64 batch, i64 n, i64 k, i64 pivot) {           \
        tridiagonal(x, d, b, scratch, batch, n, k, pivot);                                                                                           \
    }                                                                                                                                                \
    extern "C" __global__ void product_##s(T *out, const T *up, const T *main, const T *low, const T *x, i64 batch, i64 n, i64 k) {                   \
        product(out, up, main, low, x, batch, n, k);                                                                                                 \
    }
TRIDIAGONAL(float, f32)
TRIDIAGONAL(double, f64)
TRIDIAGONAL(c64, c64)
TRIDIAGONAL(c128, c128)
