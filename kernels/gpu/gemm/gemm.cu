#include "tile.cuh"

template <class A> __device__ __forceinline__ A turn(A x, bool) { return x; }
template <> __device__ __forceinline__ c64 turn<c64>(c64 x, bool conj) { return c64{x.re, conj ? -x.im : x.im}; }
template <> __device__ __forceinline__ c128 turn<c128>(c128 x, bool conj) { return c128{x.re, conj ? -x.im : x.im}; }

// matrix is an operand: element k of line l is p[l·step + k·next].
template <class T, class A> struct matrix {
    const T *p;
    i64 lines, step, next;
    bool along, conj;
    __device__ __forceinline__ void line(int, i64) {}
    __device__ __forceinline__ A at(int, i64 l, i64 k) { return l < lines ? turn<A>(up(p[l * step + k * next]), conj) : number<A>(0); }
};

template <class A> __device__ __forceinline__ A scaled(A x, double by) { return x * (A)by; }
template <> __device__ __forceinline__ c64 scaled<c64>(c64 x, double by) { return c64{x.re * (float)by, x.im * (float)by}; }
template <> __device__ __forceinline__ c128 scaled<c128>(c128 x, double by) { return c128{x.re * by, x.im * by}; }

// gemm computes C = alpha·op(A)·op(B) + beta·C for a batch of matrices, a block for each tile.
// Flag 1 transposes A, 2 transposes B, 4 conjugates A, 8 conjugates B. Matrix (z0·n1 + z1)·n2 + z2
// of the batch begins at z0·a0 + z1·a1 + z2·a2 in A, and likewise in B and C.
template <class T>
__device__ __forceinline__ void gemm(T *c, const T *a, const T *b, i64 M, i64 N, i64 K, i64 lda, i64 ldb, i64 ldc, i64 flags, i64 n1, i64 n2, i64 a0, i64 a1,
                                     i64 a2, i64 b0, i64 b1, i64 b2, i64 c0, i64 c1, i64 c2, double alpha, double beta) {
    typedef typename wide<T>::type A;
    constexpr int SIDE = 16 * each<A>::side;
    i64 across = (N + SIDE - 1) / SIDE, down = (M + SIDE - 1) / SIDE;
    i64 t = quot(blockIdx.x, across), n0 = (blockIdx.x - t * across) * SIDE, z = quot(t, down), m0 = (t - z * down) * SIDE;
    i64 z01 = quot(z, n2), z2 = z - z01 * n2, z0 = quot(z01, n1), z1 = z01 - z0 * n1;
    bool ta = flags & 1, tb = flags & 2;
    matrix<T, A> left{a + z0 * a0 + z1 * a1 + z2 * a2, M, ta ? 1 : lda, ta ? lda : 1, !ta, (flags & 4) != 0};
    matrix<T, A> right{b + z0 * b0 + z1 * b1 + z2 * b2, N, tb ? ldb : 1, tb ? 1 : ldb, tb, (flags & 8) != 0};
    c += z0 * c0 + z1 * c1 + z2 * c2;
    tile<A>(m0, n0, 0, K, left, right, [&](i64 m, i64 n, A s) {
        if (m >= M || n >= N) return;
        T *to_ = c + m * ldc + n;
        s = scaled<A>(s, alpha);
        *to_ = to<T>(beta == 0 ? s : plus(s, scaled<A>(up(*to_), beta)));
    });
}

#define GEMM(T, s)                                                                                                                                           \
    extern "C" __global__ __launch_bounds__(THREADS, (sizeof(wide<T>::type) == 4 ? 2 : 1)) void gemm_##s(T *c, const T *a, const T *b, i64 M, i64 N, i64 K, i64 lda, i64 ldb, i64 ldc, i64 flags,   \
                                                                   i64 n1, i64 n2, i64 a0, i64 a1, i64 a2, i64 b0, i64 b1, i64 b2, i64 c0, i64 c1, i64 c2,    \
                                                                   double alpha, double beta) {                                                              \
        gemm<T>(c, a, b, M, N, K, lda, ldb, ldc, flags, n1, n2, a0, a1, a2, b0, b1, b2, c0, c1, c2, alpha, beta);                                            \
    }
GEMM(f16, f16)
GEMM(bf16, bf16)
GEMM(float, f32)
GEMM(double, f64)
GEMM(c64, c64)
GEMM(c128, c128)
