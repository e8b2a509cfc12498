// The types of elements, and helpers common to all kernels. Parameters of entries are
// pointers, i64 and double. The compiler contracts nothing into fma.
#pragma once

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;

struct alignas(2) f16 { u16 bits; };
struct alignas(2) bf16 { u16 bits; };
struct alignas(8) c64 { float re, im; };
struct alignas(16) c128 { double re, im; };

// wide<T>::type is the type in which arithmetic on T is done.
template <class T> struct wide { typedef T type; };
template <> struct wide<f16> { typedef float type; };
template <> struct wide<bf16> { typedef float type; };
template <> struct wide<i8> { typedef i32 type; };
template <> struct wide<u8> { typedef u32 type; };
template <> struct wide<i16> { typedef i32 type; };
template <> struct wide<u16> { typedef u32 type; };

__device__ __forceinline__ float up(f16 x) {
    float f;
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(x.bits));
    return f;
}
__device__ __forceinline__ float up(bf16 x) { return __int_as_float((int)x.bits << 16); }
__device__ __forceinline__ i32 up(i8 x) { return x; }
__device__ __forceinline__ u32 up(u8 x) { return x; }
__device__ __forceinline__ i32 up(i16 x) { return x; }
__device__ __forceinline__ u32 up(u16 x) { return x; }
template <class T> __device__ __forceinline__ T up(T x) { return x; }

// to<T>(x) rounds to the nearest T.
template <class T> struct rounder {
    template <class A> static __device__ __forceinline__ T of(A x) { return (T)x; }
};
template <> struct rounder<f16> {
    static __device__ __forceinline__ f16 of(float x) {
        f16 h;
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h.bits) : "f"(x));
        return h;
    }
};
template <> struct rounder<bf16> {
    static __device__ __forceinline__ bf16 of(float x) {
        bf16 h;
        asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(h.bits) : "f"(x));
        return h;
    }
};
template <> struct rounder<c64> {
    static __device__ __forceinline__ c64 of(c64 x) { return x; }
};
template <> struct rounder<c128> {
    static __device__ __forceinline__ c128 of(c128 x) { return x; }
};
template <class T, class A> __device__ __forceinline__ T to(A x) { return rounder<T>::of(x); }

// number converts an integer such as 0 or 1 to a type of arithmetic.
template <class A> __device__ __forceinline__ A number(int x) { return (A)x; }
template <> __device__ __forceinline__ c64 number<c64>(int x) { return c64{(float)x, 0}; }
template <> __device__ __forceinline__ c128 number<c128>(int x) { return c128{(double)x, 0}; }

template <class A> __device__ __forceinline__ A plus(A a, A b) { return a + b; }
__device__ __forceinline__ c64 plus(c64 a, c64 b) { return c64{a.re + b.re, a.im + b.im}; }
__device__ __forceinline__ c128 plus(c128 a, c128 b) { return c128{a.re + b.re, a.im + b.im}; }
template <class A> __device__ __forceinline__ A minus(A a, A b) { return a - b; }
__device__ __forceinline__ c64 minus(c64 a, c64 b) { return c64{a.re - b.re, a.im - b.im}; }
__device__ __forceinline__ c128 minus(c128 a, c128 b) { return c128{a.re - b.re, a.im - b.im}; }
template <class A> __device__ __forceinline__ A times(A a, A b) { return a * b; }
__device__ __forceinline__ c64 times(c64 a, c64 b) { return c64{a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
__device__ __forceinline__ c128 times(c128 a, c128 b) { return c128{a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }

// fuse is a·b+c: rounded once for floats.
template <class A> __device__ __forceinline__ A fuse(A a, A b, A c) { return a * b + c; }
template <> __device__ __forceinline__ float fuse<float>(float a, float b, float c) { return fmaf(a, b, c); }
template <> __device__ __forceinline__ double fuse<double>(double a, double b, double c) { return fma(a, b, c); }
template <> __device__ __forceinline__ c64 fuse<c64>(c64 a, c64 b, c64 c) {
    return c64{fmaf(-a.im, b.im, fmaf(a.re, b.re, c.re)), fmaf(a.im, b.re, fmaf(a.re, b.im, c.im))};
}
template <> __device__ __forceinline__ c128 fuse<c128>(c128 a, c128 b, c128 c) {
    return c128{fma(-a.im, b.im, fma(a.re, b.re, c.re)), fma(a.im, b.re, fma(a.re, b.im, c.im))};
}

// least and most are the lowest and the highest number of a type, infinities included.
template <class T> __device__ __forceinline__ typename wide<T>::type least();
template <class T> __device__ __forceinline__ typename wide<T>::type most();
template <> __device__ __forceinline__ float least<f16>() { return -INFINITY; }
template <> __device__ __forceinline__ float most<f16>() { return INFINITY; }
template <> __device__ __forceinline__ float least<bf16>() { return -INFINITY; }
template <> __device__ __forceinline__ float most<bf16>() { return INFINITY; }
template <> __device__ __forceinline__ i32 least<i8>() { return -128; }
template <> __device__ __forceinline__ i32 most<i8>() { return 127; }
template <> __device__ __forceinline__ u32 least<u8>() { return 0; }
template <> __device__ __forceinline__ u32 most<u8>() { return 255; }
template <> __device__ __forceinline__ i32 least<i16>() { return -32768; }
template <> __device__ __forceinline__ i32 most<i16>() { return 32767; }
template <> __device__ __forceinline__ u32 least<u16>() { return 0; }
template <> __device__ __forceinline__ u32 most<u16>() { return 65535; }
template <> __device__ __forceinline__ float least<float>() { return -INFINITY; }
template <> __device__ __forceinline__ float most<float>() { return INFINITY; }
template <> __device__ __forceinline__ double least<double>() { return -(double)INFINITY; }
template <> __device__ __forceinline__ double most<double>() { return (double)INFINITY; }
template <> __device__ __forceinline__ i32 least<i32>() { return -2147483647 - 1; }
template <> __device__ __forceinline__ i32 most<i32>() { return 2147483647; }
template <> __device__ __forceinline__ u32 least<u32>() { return 0; }
template <> __device__ __forceinline__ u32 most<u32>() { return 0xffffffffu; }
template <> __device__ __forceinline__ i64 least<i64>() { return -9223372036854775807LL - 1; }
template <> __device__ __forceinline__ i64 most<i64>() { return 9223372036854775807LL; }
template <> __device__ __forceinline__ u64 least<u64>() { return 0; }
template <> __device__ __forceinline__ u64 most<u64>() { return 0xffffffffffffffffull; }

// larger and smaller return NaN if an argument is NaN.
template <class A> __device__ __forceinline__ A larger(A a, A b) { return b > a || b != b ? b : a; }
template <class A> __device__ __forceinline__ A smaller(A a, A b) { return b < a || b != b ? b : a; }

// other returns x of the lane whose number differs in the bits of mask.
template <class A> __device__ __forceinline__ A other(A x, int mask) {
    union { A a; u32 w[(sizeof(A) + 3) / 4]; } v;
    v.a = x;
#pragma unroll
    for (int i = 0; i < (int)(sizeof v.w / 4); i++) v.w[i] = __shfl_xor_sync(0xffffffffu, v.w[i], mask);
    return v.a;
}

// quot is a / b for a ≥ 0 and b > 0.
__device__ __forceinline__ i64 quot(i64 a, i64 b) { return (i64)((u64)a / (u64)b); }

// The index of the thread in a grid of one dimension, and the number of threads.
__device__ __forceinline__ i64 thread() { return (i64)blockIdx.x * blockDim.x + threadIdx.x; }
__device__ __forceinline__ i64 threads() { return (i64)gridDim.x * blockDim.x; }
