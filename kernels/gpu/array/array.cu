#include "types.cuh"

typedef ulonglong2 b16;

// split divides index i by n, the size of the last dimension. It adds the remainder times
// the strides to d and s.
__device__ __forceinline__ void split(i64 &i, i64 n, i64 ds, i64 ss, i64 &d, i64 &s) {
    i64 q = quot(i, n), r = i - q * n;
    d += r * ds, s += r * ss, i = q;
}

// strided sets dst[Σ i·d] = src[Σ i·s] for all i0 < n0 … of three dimensions.
template <class T>
__device__ __forceinline__ void strided3(T *dst, const T *src, i64 n, i64 n1, i64 n2, i64 d0, i64 d1, i64 d2, i64 s0, i64 s1, i64 s2) {
#pragma unroll 1
    for (i64 at = thread(); at < n; at += threads()) {
        i64 i = at, d = 0, s = 0;
        split(i, n2, d2, s2, d, s);
        split(i, n1, d1, s1, d, s);
        dst[d + i * d0] = src[s + i * s0];
    }
}

// strided8 is strided3 for eight dimensions.
template <class T>
__device__ __forceinline__ void strided8(T *dst, const T *src, i64 n, i64 n1, i64 n2, i64 n3, i64 n4, i64 n5, i64 n6, i64 n7, i64 d0, i64 d1, i64 d2, i64 d3,
                                         i64 d4, i64 d5, i64 d6, i64 d7, i64 s0, i64 s1, i64 s2, i64 s3, i64 s4, i64 s5, i64 s6, i64 s7) {
#pragma unroll 1
    for (i64 at = thread(); at < n; at += threads()) {
        i64 i = at, d = 0, s = 0;
        split(i, n7, d7, s7, d, s);
        split(i, n6, d6, s6, d, s);
        split(i, n5, d5, s5, d, s);
        split(i, n4, d4, s4, d, s);
        split(i, n3, d3, s3, d, s);
        split(i, n2, d2, s2, d, s);
        split(i, n1, d1, s1, d, s);
        dst[d + i * d0] = src[s + i * s0];
    }
}

// turned transposes: dst[a + b·db] = src[a·sa + b] for each element of three further
// dimensions. Blocks of 32 times 8 threads move squares of 32 by 32 through shared memory.
template <class T>
__device__ __forceinline__ void turned(T *dst, const T *src, i64 na, i64 nb, i64 sa, i64 db, i64 n1, i64 n2, i64 d0, i64 d1, i64 d2, i64 s0, i64 s1, i64 s2) {
    __shared__ T square[32][33];
    i64 ta = (na + 31) / 32, tb = (nb + 31) / 32;
    i64 t = quot(blockIdx.x, ta), a0 = (blockIdx.x - t * ta) * 32, i = quot(t, tb), b0 = (t - i * tb) * 32;
    i64 d = 0, s = 0;
    split(i, n2, d2, s2, d, s);
    split(i, n1, d1, s1, d, s);
    dst += d + i * d0, src += s + i * s0;
#pragma unroll 1
    for (int k = threadIdx.y; k < 32; k += 8)
        if (a0 + k < na && b0 + threadIdx.x < nb) square[k][threadIdx.x] = src[(a0 + k) * sa + b0 + threadIdx.x];
    __syncthreads();
#pragma unroll 1
    for (int k = threadIdx.y; k < 32; k += 8)
        if (b0 + k < nb && a0 + threadIdx.x < na) dst[(b0 + k) * db + a0 + threadIdx.x] = square[threadIdx.x][k];
}

#define MOVES(T, s)                                                                                                                                        \
    extern "C" __global__ void strided3_##s(T *dst, const T *src, i64 n, i64 n1, i64 n2, i64 d0, i64 d1, i64 d2, i64 s0, i64 s1, i64 s2) {                   \
        strided3<T>(dst, src, n, n1, n2, d0, d1, d2, s0, s1, s2);                                                                                          \
    }                                                                                                                                                      \
    extern "C" __global__ void strided8_##s(T *dst, const T *src, i64 n, i64 n1, i64 n2, i64 n3, i64 n4, i64 n5, i64 n6, i64 n7, i64 d0, i64 d1, i64 d2,      \
                                            i64 d3, i64 d4, i64 d5, i64 d6, i64 d7, i64 s0, i64 s1, i64 s2, i64 s3, i64 s4, i64 s5, i64 s6, i64 s7) {         \
        strided8<T>(dst, src, n, n1, n2, n3, n4, n5, n6, n7, d0, d1, d2, d3, d4, d5, d6, d7, s0, s1, s2, s3, s4, s5, s6, s7);                               \
    }                                                                                                                                                      \
    extern "C" __global__ void turned_##s(T *dst, const T *src, i64 na, i64 nb, i64 sa, i64 db, i64 n1, i64 n2, i64 d0, i64 d1, i64 d2, i64 s0, i64 s1,       \
                                          i64 s2) {                                                                                                        \
        turned<T>(dst, src, na, nb, sa, db, n1, n2, d0, d1, d2, s0, s1, s2);                                                                               \
    }
MOVES(u8, b1)
MOVES(u16, b2)
MOVES(u32, b4)
MOVES(u64, b8)
MOVES(b16, b16)

// fill sets n elements to the bits of value; elements of 16 bytes have high as upper half.
#define FILL(T, s, put)                                                              \
    extern "C" __global__ void fill_##s(T *dst, i64 n, i64 value, i64 high) {        \
        _Pragma("unroll 1") for (i64 i = thread(); i < n; i += threads()) dst[i] = put; \
    }
FILL(u8, b1, (u8)value)
FILL(u16, b2, (u16)value)
FILL(u32, b4, (u32)value)
FILL(u64, b8, (u64)value)
FILL(b16, b16, (b16{(u64)value, (u64)high}))
