// Tiles of products of matrices.
#pragma once
#include "types.cuh"

// The threads of a block, 16 by 16, and how many elements along k a step loads.
constexpr int THREADS = 256, DEPTH = 16;

// each<A>::side is the side of the square of results that a thread computes. A tile's side is
// 16 times that. Wide types have smaller squares, to save registers.
template <class A> struct each { static constexpr int side = 4; };
template <> struct each<c64> { static constexpr int side = 2; };
template <> struct each<c128> { static constexpr int side = 2; };

// tile computes the sums over lo ≤ k < hi of left(m, k)·right(k, n) for the tile that begins
// at (m0, n0), and calls store(m, n, sum) for each. An operand has
//
//	along        whether neighbours in memory are neighbours along k
//	line(i, l)   sets line i of the thread to l, an m or an n, which may be outside
//	at(i, l, k)  the element of that line at k below hi; 0 where the line is outside
//
// The next step's elements are loaded while the sums proceed. Each sum goes up from k = lo.
template <class A, class Left, class Right, class Store>
__device__ __forceinline__ void tile(i64 m0, i64 n0, i64 lo, i64 hi, Left &left, Right &right, Store store) {
    constexpr int EACH = each<A>::side, SIDE = 16 * EACH;
    __shared__ A as[DEPTH][SIDE + 1], bs[DEPTH][SIDE + 1];
    const int tid = threadIdx.x, tx = tid % 16, ty = tid / 16;
    const bool ak = left.along, bk = right.along;
    A sum[EACH][EACH], a[EACH], b[EACH];
#pragma unroll
    for (int i = 0; i < EACH; i++)
#pragma unroll
        for (int j = 0; j < EACH; j++) sum[i][j] = number<A>(0);
    // A thread moves EACH elements of an operand: 16 apart in m or n, else SKIP apart in k.
    constexpr int SKIP = THREADS / SIDE;
    const int am = ak ? ty : tid % SIDE, akk = ak ? tx : tid / SIDE, ams = ak ? 16 : 0, aks = ak ? 0 : SKIP;
    const int bn = bk ? ty : tid % SIDE, bkk = bk ? tx : tid / SIDE, bns = bk ? 16 : 0, bks = bk ? 0 : SKIP;
    auto load = [&](i64 k0) {
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            i64 ka = k0 + akk + i * aks, kb = k0 + bkk + i * bks;
            a[i] = ka < hi ? left.at(i, m0 + am + i * ams, ka) : number<A>(0);
            b[i] = kb < hi ? right.at(i, n0 + bn + i * bns, kb) : number<A>(0);
        }
    };
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        left.line(i, m0 + am + i * ams);
        right.line(i, n0 + bn + i * bns);
    }
    load(lo);
#pragma unroll 1
    for (i64 k0 = lo; k0 < hi; k0 += DEPTH) {
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            as[akk + i * aks][am + i * ams] = a[i];
            bs[bkk + i * bks][bn + i * bns] = b[i];
        }
        __syncthreads();
        if (k0 + DEPTH < hi) load(k0 + DEPTH);
#pragma unroll 1
        for (int k = 0; k < DEPTH; k++) {
            A x[EACH], y[EACH];
#pragma unroll
            for (int i = 0; i < EACH; i++) x[i] = as[k][ty * EACH + i], y[i] = bs[k][tx + 16 * i];
#pragma unroll
            for (int i = 0; i < EACH; i++)
#pragma unroll
                for (int j = 0; j < EACH; j++) sum[i][j] = fuse<A>(x[i], y[j], sum[i][j]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < EACH; i++)
#pragma unroll
        for (int j = 0; j < EACH; j++) store(m0 + ty * EACH + i, n0 + tx + 16 * j, sum[i][j]);
}
