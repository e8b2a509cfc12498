// Reductions by the threads of a block.
#pragma once
#include "types.cuh"

struct Add {
    template <class A> static __device__ A of(A a, A b) { return a + b; }
};
struct Larger {
    template <class A> static __device__ A of(A a, A b) { return larger(a, b); }
};

// together reduces the values of the threads along threadIdx.x, and returns the result to all
// of them. blockDim.x is 32, or a larger multiple of 32: then the block has one row, and all
// of its threads must call.
template <class Op, class A> __device__ __forceinline__ A together(A a) {
    __shared__ A part[32];
#pragma unroll
    for (int m = 16; m > 0; m >>= 1) a = Op::of(a, other(a, m));
    if (blockDim.x > 32) {
        if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = a;
        __syncthreads();
        a = part[0];
#pragma unroll 1
        for (int i = 1; i < blockDim.x / 32; i++) a = Op::of(a, part[i]);
        __syncthreads();
    }
    return a;
}

// block_row is the row of src that the threads along threadIdx.x share.
__device__ __forceinline__ i64 block_row() { return (i64)blockIdx.x * blockDim.y + threadIdx.y; }
