#include "types.cuh"

// philox is the generator Philox 4x32-10: a 128-bit counter that is enciphered with a key.
struct philox {
    u32 k0, k1;
    u64 lo, hi;
    // open reads a stream of three words: the key, the counter's lower and upper half.
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

// Numbers in [0, 1): of the lower 23 bits, and of the 52 bits of two numbers.
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

template <class T> __device__ __forceinline__ T uniform(u32 x) { return unit(x); }
template <> __device__ __forceinline__ f16 uniform<f16>(u32 x) { return to<f16>(up(f16{(u16)(15 << 10 | x & 0x3ff)}) - 1); }
template <> __device__ __forceinline__ bf16 uniform<bf16>(u32 x) { return to<bf16>(up(bf16{(u16)(127 << 7 | x & 0x7f)}) - 1); }

// groups calls f with the numbers of each block of the stream, and where the results of
// width of it stand. Block i of the whole is made by skipping i·apart blocks.
template <class F> __device__ __forceinline__ void groups(const u64 *stream, i64 n, int width, u64 apart, F f) {
    i64 count = (n + width - 1) / width;
#pragma unroll 1
    for (i64 i = thread(); i < count; i += threads()) {
        philox g(stream);
        g.skip((u64)i * apart);
        f(g, i * width, n - i * width < width ? (int)(n - i * width) : width);
    }
}

template <class T> __device__ __forceinline__ void put4(T *out, int n, T a, T b, T c, T d) {
    out[0] = a;
    if (n > 1) out[1] = b;
    if (n > 2) out[2] = c;
    if (n > 3) out[3] = d;
}

#define UNIFORM(T, s)                                                                                          \
    extern "C" __global__ void uniform_##s(T *out, const u64 *stream, i64 n) {                                 \
        groups(stream, n, 4, 1, [&](philox &g, i64 at, int k) {                                                \
            uint4 x = g.next();                                                                                \
            put4<T>(out + at, k, uniform<T>(x.x), uniform<T>(x.y), uniform<T>(x.z), uniform<T>(x.w));          \
        });                                                                                                    \
    }                                                                                                          \
    extern "C" __global__ void normal_##s(T *out, const u64 *stream, i64 n) {                                  \
        groups(stream, n, 4, 1, [&](philox &g, i64 at, int k) {                                                \
            uint4 x = g.next();                                                                                \
            float2 a = muller(x.x, x.y), b = muller(x.z, x.w);                                                 \
            put4<T>(out + at, k, to<T>(a.x), to<T>(a.y), to<T>(b.x), to<T>(b.y));                              \
        });                                                                                                    \
    }                                                                                                          \
    extern "C" __global__ void truncated_##s(T *out, const u64 *stream, i64 n) {                               \
        groups(stream, n, 4, 256, [&](philox &g, i64 at, int k) {                                              \
            uint4 x;                                                                                           \
            bool rest = false;                                                                                 \
            _Pragma("unroll 1") for (int i = 0; i < k;) {                                                      \
                if (rest) x.x = x.z, x.y = x.w;                                                                \
                else x = g.next();                                                                             \
                rest = !rest;                                                                                  \
                float2 v = muller(x.x, x.y);                                                                   \
                if (v.x > -2 && v.x < 2) out[at + i++] = to<T>(v.x);                                           \
                if (v.y > -2 && v.y < 2 && i < k) out[at + i++] = to<T>(v.y);                                  \
            }                                                                                                  \
        });                                                                                                    \
    }
UNIFORM(f16, f16)
UNIFORM(bf16, bf16)
UNIFORM(float, f32)

extern "C" __global__ void uniform_f64(double *out, const u64 *stream, i64 n) {
    groups(stream, n, 2, 1, [&](philox &g, i64 at, int k) {
        uint4 x = g.next();
        out[at] = unit(x.x, x.y);
        if (k > 1) out[at + 1] = unit(x.z, x.w);
    });
}
extern "C" __global__ void normal_f64(double *out, const u64 *stream, i64 n) {
    groups(stream, n, 2, 1, [&](philox &g, i64 at, int k) {
        double2 v = muller(g.next());
        out[at] = v.x;
        if (k > 1) out[at + 1] = v.y;
    });
}
extern "C" __global__ void truncated_f64(double *out, const u64 *stream, i64 n) {
    groups(stream, n, 2, 128, [&](philox &g, i64 at, int k) {
#pragma unroll 1
        for (int i = 0; i < k;) {
            double2 v = muller(g.next());
            if (v.x > -2 && v.x < 2) out[at + i++] = v.x;
            if (v.y > -2 && v.y < 2 && i < k) out[at + i++] = v.y;
        }
    });
}

// Integers: all of a type for a range of nothing, else low plus the remainder by *high - *low.
extern "C" __global__ void ints_u32(u32 *out, const u64 *stream, const u32 *low, const u32 *high, i64 n) {
    u32 from = low ? *low : 0, range = low ? *high - from : 0;
    groups(stream, n, 4, 1, [&](philox &g, i64 at, int k) {
        uint4 x = g.next();
        if (range) x.x = from + x.x % range, x.y = from + x.y % range, x.z = from + x.z % range, x.w = from + x.w % range;
        put4<u32>(out + at, k, x.x, x.y, x.z, x.w);
    });
}
extern "C" __global__ void ints_u64(u64 *out, const u64 *stream, const u64 *low, const u64 *high, i64 n) {
    u64 from = low ? *low : 0, range = low ? *high - from : 0;
    groups(stream, n, 2, 1, [&](philox &g, i64 at, int k) {
        uint4 x = g.next();
        u64 a = (u64)x.x | (u64)x.y << 32, b = (u64)x.z | (u64)x.w << 32;
        if (range) a = from + a % range, b = from + b % range;
        out[at] = a;
        if (k > 1) out[at + 1] = b;
    });
}

// scramble makes a stream of two seeds of size bytes each so that all their bits count.
extern "C" __global__ void scramble(u64 *stream, const void *seed, i64 size) {
    u64 first[3] = {0x02461e293ec8f720ull, 0, 0};
    if (size == 8) first[1] = ((const u64 *)seed)[0], first[2] = ((const u64 *)seed)[1];
    else first[1] = (u64)(i64)((const i32 *)seed)[0], first[2] = (u64)(i64)((const i32 *)seed)[1];
    philox g(first);
    uint4 m = g.next();
    stream[0] = (u64)m.x | (u64)m.y << 32, stream[1] = 0, stream[2] = (u64)m.z | (u64)m.w << 32;
}
