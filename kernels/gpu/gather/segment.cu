#include "atomic.cuh"

__device__ __forceinline__ i64 index(const void *p, i64 i, i64 size) { return size == 8 ? ((const i64 *)p)[i] : ((const i32 *)p)[i]; }

// add_rows adds row from[i] of data to row to[i] of dst for each of n. If there are counts,
// the row is first divided by counts[from[i]], or with scale 2 by its root. Rows outside are
// skipped. Sums are unordered.
template <class T>
__device__ __forceinline__ void add_rows(T *dst, const T *data, const void *to_, const void *from, const i32 *counts, i64 n, i64 inner, i64 rows, i64 limit,
                                         i64 to_size, i64 from_size, i64 scale) {
    typedef typename wide<T>::type A;
#pragma unroll 1
    for (i64 at = thread(); at < n * inner; at += threads()) {
        i64 i = quot(at, inner), j = at - i * inner, d = index(to_, i, to_size), s = index(from, i, from_size);
        if ((u64)d >= (u64)rows || (u64)s >= (u64)limit) continue;
        T v = data[s * inner + j];
        if (counts) v = to<T>((A)up(v) / (scale == 2 ? (A)sqrt((double)counts[s]) : (A)counts[s]));
        raise(dst + d * inner + j, v);
    }
}

#define ADD(T, s)                                                                                                                                       \
    extern "C" __global__ void add_rows_##s(T *dst, const T *data, const void *to_, const void *from, const i32 *counts, i64 n, i64 inner, i64 rows,      \
                                            i64 limit, i64 to_size, i64 from_size, i64 scale) {                                                         \
        add_rows<T>(dst, data, to_, from, counts, n, inner, rows, limit, to_size, from_size, scale);                                                    \
    }
ADD(f16, f16)
ADD(bf16, bf16)
ADD(float, f32)
ADD(double, f64)

// count adds 1 to counts[ids[i]] for each of n ids in range.
extern "C" __global__ void count(i32 *counts, const void *ids, i64 n, i64 rows, i64 size) {
#pragma unroll 1
    for (i64 i = thread(); i < n; i += threads()) {
        i64 x = index(ids, i, size);
        if ((u64)x < (u64)rows) atomicAdd(counts + x, 1);
    }
}

// product adds values[i]·b[c, :] to out[r, :] for each of n places (r, c) of a sparse
// matrix. Flag 1 transposes the sparse matrix, flag 2 b, which then has k columns. Flag 4
// conjugates values, flag 8 b.
template <class T> __device__ __forceinline__ T conjugate(T x, bool) { return x; }
template <> __device__ __forceinline__ c64 conjugate<c64>(c64 x, bool is) { return c64{x.re, is ? -x.im : x.im}; }
template <> __device__ __forceinline__ c128 conjugate<c128>(c128 x, bool is) { return c128{x.re, is ? -x.im : x.im}; }

template <class T>
__device__ __forceinline__ void product(T *out, const void *places, const T *values, const T *b, i64 n, i64 rows, i64 k, i64 cols, i64 flags, i64 size) {
#pragma unroll 1
    for (i64 at = thread(); at < n * cols; at += threads()) {
        i64 i = quot(at, cols), j = at - i * cols, r = index(places, 2 * i, size), c = index(places, 2 * i + 1, size);
        if (flags & 1) {
            i64 x = r;
            r = c, c = x;
        }
        if ((u64)r >= (u64)rows || (u64)c >= (u64)k) continue;
        raise(out + r * cols + j, times(conjugate(values[i], flags & 4), conjugate(b[flags & 2 ? j * k + c : c * cols + j], flags & 8)));
    }
}
#define PRODUCT(T, s)                                                                                                                                \
    extern "C" __global__ void product_##s(T *out, const void *places, const T *values, const T *b, i64 n, i64 rows, i64 k, i64 cols, i64 flags,      \
                                           i64 size) {                                                                                               \
        product<T>(out, places, values, b, n, rows, k, cols, flags, size);                                                                           \
    }
PRODUCT(float, f32)
PRODUCT(double, f64)
PRODUCT(c64, c64)
PRODUCT(c128, c128)
