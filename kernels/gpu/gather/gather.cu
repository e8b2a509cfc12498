#include "atomic.cuh"

typedef ulonglong2 b16;

// index reads an index of size bytes.
__device__ __forceinline__ i64 index(const void *p, i64 i, i64 size) { return size == 8 ? ((const i64 *)p)[i] : ((const i32 *)p)[i]; }

// gather sets dst[batch, outer, n, inner] = params[batch, outer, indices[batch, n], inner],
// zeros where an index is not in [0, limit).
template <class T>
__device__ __forceinline__ void gather(T *dst, const T *params, const void *indices, i64 total, i64 outer, i64 limit, i64 n, i64 inner, i64 size) {
#pragma unroll 1
    for (i64 at = thread(); at < total; at += threads()) {
        i64 row = inner == 1 ? at : quot(at, inner), i = at - row * inner;
        i64 bo = quot(row, n), k = row - bo * n, b = outer == 1 ? bo : quot(bo, outer);
        i64 x = index(indices, b * n + k, size);
        T v = {};
        if ((u64)x < (u64)limit) v = params[(bo * limit + x) * inner + i];
        dst[at] = v;
    }
}

// place returns the number of the slice that a row of depth indices selects among dimensions
// n0, n1, …, or -1 outside.
__device__ __forceinline__ i64 place(const void *indices, i64 row, i64 size, i64 depth, i64 n0, i64 n1, i64 n2, i64 n3, i64 n4, i64 n5, i64 n6) {
    i64 at = 0, base = row * depth;
    bool in = true;
    i64 n[7] = {n0, n1, n2, n3, n4, n5, n6};
#pragma unroll
    for (int d = 0; d < 7; d++) {
        if (d < depth) {
            i64 x = index(indices, base + d, size);
            in = in && (u64)x < (u64)n[d];
            at = at * n[d] + x;
        }
    }
    return in ? at : -1;
}

// gather_nd sets dst[n, inner] = params[indices[n, 0], indices[n, 1], …, inner], zeros
// where an index is outside.
template <class T>
__device__ __forceinline__ void gather_nd(T *dst, const T *params, const void *indices, i64 n, i64 inner, i64 size, i64 depth, i64 n0, i64 n1, i64 n2, i64 n3,
                                          i64 n4, i64 n5, i64 n6) {
#pragma unroll 1
    for (i64 at = thread(); at < n * inner; at += threads()) {
        i64 row = quot(at, inner), i = at - row * inner, p = place(indices, row, size, depth, n0, n1, n2, n3, n4, n5, n6);
        T v = {};
        if (p >= 0) v = params[p * inner + i];
        dst[at] = v;
    }
}

// scatter applies op to the elements of ref at place(indices[n]) with updates[n, inner], or
// with one update for all if step is 0. Slices with an index outside are skipped. Updates of
// the same element are unordered.
struct adder {
    template <class T> static __device__ __forceinline__ void of(T *p, T v, i64) { raise(p, v); }
};
struct changer {
    template <class T> static __device__ __forceinline__ void of(T *p, T v, i64 op) { change(p, v, op); }
};
struct setter {
    template <class T> static __device__ __forceinline__ void of(T *p, T v, i64) { *p = v; }
};
template <class Op, class T>
__device__ __forceinline__ void scatter(T *ref, const T *updates, const void *indices, i64 n, i64 inner, i64 step, i64 op, i64 size, i64 depth, i64 n0, i64 n1,
                                        i64 n2, i64 n3, i64 n4, i64 n5, i64 n6) {
#pragma unroll 1
    for (i64 at = thread(); at < n * inner; at += threads()) {
        i64 row = quot(at, inner), i = at - row * inner, p = place(indices, row, size, depth, n0, n1, n2, n3, n4, n5, n6);
        if (p >= 0) Op::of(ref + p * inner + i, updates[at * step], op);
    }
}

#define SCATTER(name, Op, T)                                                                                                                               \
    extern "C" __global__ void name(T *ref, const T *updates, const void *indices, i64 n, i64 inner, i64 step, i64 op, i64 size, i64 depth, i64 n0, i64 n1,  \
                                    i64 n2, i64 n3, i64 n4, i64 n5, i64 n6) {                                                                              \
        scatter<Op, T>(ref, updates, indices, n, inner, step, op, size, depth, n0, n1, n2, n3, n4, n5, n6);                                                \
    }
#define SIZE(T, s)                                                                                                                                         \
    extern "C" __global__ void gather_##s(T *dst, const T *params, const void *indices, i64 total, i64 outer, i64 limit, i64 n, i64 inner, i64 size) {      \
        gather<T>(dst, params, indices, total, outer, limit, n, inner, size);                                                                              \
    }                                                                                                                                                      \
    extern "C" __global__ void gather_nd_##s(T *dst, const T *params, const void *indices, i64 n, i64 inner, i64 size, i64 depth, i64 n0, i64 n1, i64 n2,    \
                                             i64 n3, i64 n4, i64 n5, i64 n6) {                                                                             \
        gather_nd<T>(dst, params, indices, n, inner, size, depth, n0, n1, n2, n3, n4, n5, n6);                                                             \
    }                                                                                                                                                      \
    SCATTER(scatter_set_##s, setter, T)
SIZE(u8, b1)
SIZE(u16, b2)
SIZE(u32, b4)
SIZE(u64, b8)
SIZE(b16, b16)

SCATTER(scatter_add_f16, adder, f16)
SCATTER(scatter_add_bf16, adder, bf16)
SCATTER(scatter_add_f32, adder, float)
SCATTER(scatter_add_f64, adder, double)
SCATTER(scatter_add_u32, adder, u32)
SCATTER(scatter_add_u64, adder, u64)
SCATTER(scatter_f16, changer, f16)
SCATTER(scatter_bf16, changer, bf16)
SCATTER(scatter_f32, changer, float)
SCATTER(scatter_f64, changer, double)
SCATTER(scatter_i32, changer, i32)
SCATTER(scatter_u32, changer, u32)
SCATTER(scatter_i64, changer, i64)
SCATTER(scatter_u64, changer, u64)

// mean divides each row of sums[rows, inner] by its count, or by the count's root. Rows with
// a count of 0 stay unchanged.
template <class T> __device__ __forceinline__ void mean(T *sums, const i32 *counts, i64 rows, i64 inner, i64 root) {
    typedef typename wide<T>::type A;
#pragma unroll 1
    for (i64 at = thread(); at < rows * inner; at += threads()) {
        i32 n = counts[quot(at, inner)];
        A by = root ? (A)sqrt((double)n) : (A)n;
        if (n > 0) sums[at] = to<T>(up(sums[at]) / by);
    }
}
#define MEAN(T, s) \
    extern "C" __global__ void mean_##s(T *sums, const i32 *counts, i64 rows, i64 inner, i64 root) { mean<T>(sums, counts, rows, inner, root); }
MEAN(f16, f16)
MEAN(bf16, bf16)
MEAN(float, f32)
MEAN(double, f64)
