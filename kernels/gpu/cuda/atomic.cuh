// Atomic changes of elements.
#pragma once
#include "types.cuh"

// The operations of a scatter.
enum { ADD, SUB, MUL, DIV, MIN, MAX };

template <class A> __device__ __forceinline__ A apply(A a, A b, i64 op) {
    switch (op) {
    case ADD: return plus(a, b);
    case SUB: return minus(a, b);
    case MUL: return a * b;
    case DIV: return a / b;
    case MIN: return b < a || b != b ? b : a;
    default: return b > a || b != b ? b : a;
    }
}

// word is the unsigned integer of size bytes; change applies op to *p atomically.
template <int size> struct word;
template <> struct word<2> { typedef unsigned short type; };
template <> struct word<4> { typedef unsigned int type; };
template <> struct word<8> { typedef unsigned long long type; };

template <class T> __device__ __forceinline__ void change(T *p, T v, i64 op) {
    typedef typename word<sizeof(T)>::type W;
    union { T t; W w; } old, now;
    old.w = *(volatile W *)p;
    for (;;) {
        now.t = to<T>(apply<typename wide<T>::type>(up(old.t), up(v), op));
        W seen = atomicCAS((W *)p, old.w, now.w);
        if (seen == old.w) return;
        old.w = seen;
    }
}

__device__ __forceinline__ void raise(float *p, float v) { atomicAdd(p, v); }
__device__ __forceinline__ void raise(double *p, double v) { atomicAdd(p, v); }
__device__ __forceinline__ void raise(u32 *p, u32 v) { atomicAdd(p, v); }
__device__ __forceinline__ void raise(u64 *p, u64 v) { atomicAdd(p, v); }
__device__ __forceinline__ void raise(f16 *p, f16 v) { change(p, v, ADD); }
__device__ __forceinline__ void raise(bf16 *p, bf16 v) { change(p, v, ADD); }
// The two parts of a complex number change independently.
__device__ __forceinline__ void raise(c64 *p, c64 v) { atomicAdd(&p->re, v.re), atomicAdd(&p->im, v.im); }
__device__ __forceinline__ void raise(c128 *p, c128 v) { atomicAdd(&p->re, v.re), atomicAdd(&p->im, v.im); }
