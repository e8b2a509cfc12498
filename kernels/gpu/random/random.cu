#include "philox.cuh"

template <class T> __device__ __forceinline__ T uniform(u32 x) { return unit(x); }
template <> __device__ __forceinline__ f16 uniform<f16>(u32 x) { return to<f16>(up(f16{(u16)(15 << 10 | x & 0x3ff)}) - 1); }
template <> __device__ __forceinline__ bf16 uniform<bf16>(u32 x) { return to<bf16>(up(bf16{(u16)(127 << 7 | x & 0x7f)}) - 1); }

// groups calls f for each group of width results, with the generator for the group, the index of
// its first result, and how many results it has. Group i begins i·apart blocks into the stream.
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

// Integers: low plus the remainder by *high - *low, or all integers if the range is empty.
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

// scramble derives a stream from two seeds of size bytes each. All bits of the seeds matter.
extern "C" __global__ void scramble(u64 *stream, const void *seed, i64 size) {
    u64 first[3] = {0x02461e293ec8f720ull, 0, 0};
    if (size == 8) first[1] = ((const u64 *)seed)[0], first[2] = ((const u64 *)seed)[1];
    else first[1] = (u64)(i64)((const i32 *)seed)[0], first[2] = (u64)(i64)((const i32 *)seed)[1];
    philox g(first);
    uint4 m = g.next();
    stream[0] = (u64)m.x | (u64)m.y << 32, stream[1] = 0, stream[2] = (u64)m.z | (u64)m.w << 32;
}
