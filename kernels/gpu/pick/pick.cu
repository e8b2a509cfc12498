#include "block.cuh"

// prefix returns the sum of x over the threads of a block before this one; *all gets the sum
// over all. The block has at most 1024 threads, a multiple of 32, and all of them must call.
__device__ __forceinline__ u64 prefix(u64 x, u64 *all) {
    __shared__ u64 sums[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    u64 v = x;
#pragma unroll 1
    for (int by = 1; by < 32; by <<= 1) {
        u32 lo = __shfl_up_sync(0xffffffffu, (u32)v, by), hi = __shfl_up_sync(0xffffffffu, (u32)(v >> 32), by);
        if (lane >= by) v += (u64)hi << 32 | lo;
    }
    if (lane == 31) sums[warp] = v;
    __syncthreads();
    u64 base = 0, sum = 0;
#pragma unroll 1
    for (int i = 0; i < blockDim.x / 32; i++) {
        if (i < warp) base += sums[i];
        sum += sums[i];
    }
    __syncthreads();
    *all = sum;
    return base + v - x;
}

// flagged sets counts[1 + block] to how many of the block's chunk of n flags are set.
extern "C" __global__ void flagged(u64 *counts, const u8 *flags, i64 n, i64 chunk) {
    i64 begin = blockIdx.x * chunk, end = begin + chunk < n ? begin + chunk : n;
    u64 c = 0;
#pragma unroll 1
    for (i64 i = begin + threadIdx.x; i < end; i += blockDim.x) c += flags[i] != 0;
    c = together<Add>(c);
    if (threadIdx.x == 0) counts[1 + blockIdx.x] = c;
}

// starts replaces counts[1:1+blocks], at most 1024 of them, by the sums of those before, and
// sets counts[0] to the sum of all: one block of 1024 threads.
extern "C" __global__ void starts(u64 *counts, i64 blocks) {
    u64 all, x = threadIdx.x < blocks ? counts[1 + threadIdx.x] : 0, before = prefix(x, &all);
    if (threadIdx.x < blocks) counts[1 + threadIdx.x] = before;
    if (threadIdx.x == 0) counts[0] = all;
}

// placed writes the positions of the set flags, in order. If ranks is not 0, it also stores at
// each of these positions how many set flags come before.
extern "C" __global__ void placed(i64 *places, u32 *ranks, const u8 *flags, const u64 *counts, i64 n, i64 chunk) {
    i64 begin = blockIdx.x * chunk, end = begin + chunk < n ? begin + chunk : n;
    u64 base = counts[1 + blockIdx.x];
#pragma unroll 1
    for (i64 k = begin; k < end; k += blockDim.x) {
        i64 i = k + threadIdx.x;
        bool set = i < end && flags[i] != 0;
        u64 all, at = base + prefix(set, &all);
        if (set) {
            places[at] = i;
            if (ranks) ranks[i] = (u32)at;
        }
        base += all;
    }
}

// mix spreads the bits of a key.
__device__ __forceinline__ u64 mix(u64 x) {
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdull;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53ull;
    return x ^ x >> 33;
}

// found enters the positions of n keys into a hash table of mask+1 entries, in which all bits
// set means empty. The table then holds the first position of each key, and slots each key's
// entry. With alone, a key with all bits set equals no other and has no entry: its slot has
// all bits set.
extern "C" __global__ void found(u32 *table, u32 *slots, const u64 *keys, i64 n, i64 mask, i64 alone) {
    const u32 none = 0xffffffffu;
#pragma unroll 1
    for (i64 i = thread(); i < n; i += threads()) {
        u64 k = keys[i];
        u32 s = none;
        if (!alone || k != ~0ull) {
            s = (u32)(mix(k) & mask);
#pragma unroll 1
            for (;;) {
                u32 c = atomicCAS(table + s, none, (u32)i);
                if (c == none) break;
                if (keys[c] == k) {
                    if ((u32)i < c) atomicMin(table + s, (u32)i);
                    break;
                }
                s = (s + 1) & (u32)mask;
            }
        }
        slots[i] = s;
    }
}

// firsts sets slots to the first position of each key, and flags to whether a key is the first.
extern "C" __global__ void firsts(u8 *flags, u32 *slots, const u32 *table, i64 n) {
#pragma unroll 1
    for (i64 i = thread(); i < n; i += threads()) {
        u32 s = slots[i], r = s == 0xffffffffu ? (u32)i : table[s];
        slots[i] = r;
        flags[i] = r == (u32)i;
    }
}
