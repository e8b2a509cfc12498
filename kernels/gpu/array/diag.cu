#include "types.cuh"

typedef ulonglong2 b16;

// band describes matrices [rows, cols] and their diagonals lo to hi, packed as
// [hi-lo+1, len], the highest first. Short diagonals above the main one are aligned right
// with flag 1, those below with flag 2, the main one with both.
struct band {
    i64 rows, cols, lo, hi, len, flags;
    // shift is where diagonal k begins in its row.
    __device__ __forceinline__ i64 shift(i64 k) const {
        bool right = !(k >= 0 && !(flags & 1) || k <= 0 && !(flags & 2));
        return right ? len - size(k) : 0;
    }
    __device__ __forceinline__ i64 size(i64 k) const { return min(rows + min(k, (i64)0), cols - max(k, (i64)0)); }
};

#define EACH(n) _Pragma("unroll 1") for (i64 i = thread(); i < (n); i += threads())

// part sets dst to the diagonals of src, and to *padding where a diagonal is shorter than len.
template <class T> __device__ __forceinline__ void part(T *dst, const T *src, const T *padding, i64 total, band d) {
    EACH(total) {
        i64 q = quot(i, d.len), n = d.hi - d.lo + 1, b = quot(q, n), k = d.hi - (q - b * n), at = i - q * d.len - d.shift(k);
        dst[i] = at >= 0 && at < d.size(k) ? src[(b * d.rows + at - min(k, (i64)0)) * d.cols + at + max(k, (i64)0)] : *padding;
    }
}

// whole sets matrices to the packed diagonals, and to base, or *padding, elsewhere.
template <class T> __device__ __forceinline__ void whole(T *dst, const T *packed, const T *base, const T *padding, i64 total, band d) {
    EACH(total) {
        i64 q = quot(i, d.cols), c = i - q * d.cols, b = quot(q, d.rows), r = q - b * d.rows, k = c - r;
        if (k >= d.lo && k <= d.hi) dst[i] = packed[(b * (d.hi - d.lo + 1) + d.hi - k) * d.len + d.shift(k) + min(r, c)];
        else dst[i] = base ? base[i] : *padding;
    }
}

#define DIAG(T, s)                                                                                                                                            \
    extern "C" __global__ void diag_part_##s(T *dst, const T *src, const T *padding, i64 total, i64 rows, i64 cols, i64 lo, i64 hi, i64 len, i64 flags) {     \
        part<T>(dst, src, padding, total, band{rows, cols, lo, hi, len, flags});                                                                              \
    }                                                                                                                                                         \
    extern "C" __global__ void diag_##s(T *dst, const T *packed, const T *base, const T *padding, i64 total, i64 rows, i64 cols, i64 lo, i64 hi, i64 len,      \
                                        i64 flags) {                                                                                                          \
        whole<T>(dst, packed, base, padding, total, band{rows, cols, lo, hi, len, flags});                                                                    \
    }
DIAG(u8, b1)
DIAG(u16, b2)
DIAG(u32, b4)
DIAG(u64, b8)
DIAG(b16, b16)
