// Philox 4x32-10 and the numbers computed from its blocks.
#pragma once
#include "block.cuh"

// philox is the generator Philox 4x32-10: it encrypts a 128-bit counter with a key.
struct philox {
    u32 k0, k1;
    u64 lo, hi;
    // The constructor reads a stream of three words: the key, the counter's lower and upper half.
    __device__ __forceinline__ philox(const u64 *stream) : k0((u32)stream[0]), k1((u32)(stream[0] >> 32)), lo(stream[1]), hi(stream[2]) {}
    __device__ __forceinline__ void skip(u64 n) {
        lo += n;
        if (lo < n) hi++;
    }
    __device__ __forceinline__ uint4 next() {
        u32 a = (u32)lo, b = (u32)(lo >> 32), c = (u32)hi, d = (u32)(hi >> 32), k = k0, l = k1;
#pragma unroll 1
        for (int i = 0; i < 10; i++) {
            u64 p = (u64)a * 0xD2511F53u, q = (u64)c * 0xCD9E8D57u;
            a = (u32)(q >> 32) ^ b ^ k, b = (u32)q, c = (u32)(p >> 32) ^ d ^ l, d = (u32)p;
            k += 0x9E3779B9u, l += 0xBB67AE85u;
        }
        skip(1);
        return uint4{a, b, c, d};
    }
};

// Numbers in [0, 1): from the lower 23 bits, and from 52 bits of two numbers.
__device__ __forceinline__ float unit(u32 x) { return __int_as_float(127 << 23 | (int)(x & 0x7fffff)) - 1; }
__device__ __forceinline__ double unit(u32 a, u32 b) { return __longlong_as_double((i64)1023 << 52 | (i64)(a & 0xfffff) << 32 | b) - 1; }

// muller turns two numbers into two of the normal distribution, after Box and Muller.
__device__ __forceinline__ float2 muller(u32 a, u32 b) {
    float u = unit(a), v = (float)(6.283185307179586 * (double)unit(b));
    u = u < 1e-7f ? 1e-7f : u;
    float r = sqrtf(-2 * logf(u)), s, c;
    sincosf(v, &s, &c);
    return float2{s * r, c * r};
}
__device__ __forceinline__ double2 muller(uint4 x) {
    double u = unit(x.x, x.y), v = 6.283185307179586 * unit(x.z, x.w);
    u = u < 1e-7 ? 1e-7 : u;
    double r = sqrt(-2 * log(u)), s, c;
    sincos(v, &s, &c);
    return double2{s * r, c * r};
}
