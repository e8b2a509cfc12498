#include "types.cuh"

// side is a dimension of n elements with margins before and after.
struct side { i64 n, before, after; };

// mirror_grad sets each element of dst to the sum of the elements of src that mirror it:
// in the margins before, then the element itself, then in the margins after. src has
// margins. off is 1 if the edge is not mirrored. step is the stride of a dimension of src.
template <class T> __device__ __forceinline__ void mirror_grad(T *dst, const T *src, i64 total, i64 off, side s0, side s1, side s2, side s3, side s4) {
    typedef typename wide<T>::type A;
    const side s[5] = {s0, s1, s2, s3, s4};
#pragma unroll 1
    for (i64 at = thread(); at < total; at += threads()) {
        i64 rest = at, step = 1, place[5][3];
        int turns[5], count = 1;
#pragma unroll
        for (int d = 4; d >= 0; d--) {
            i64 q = quot(rest, s[d].n), i = rest - q * s[d].n, l = s[d].before - i - 1 + off, r = s[d].n - 1 - off - i;
            rest = q;
            bool left = l >= 0 && l < s[d].before && i >= off, right = r >= 0 && r < s[d].after;
            place[d][0] = (left ? l : s[d].before + i) * step;
            place[d][1] = (left ? s[d].before + i : s[d].before + s[d].n + r) * step;
            place[d][2] = (s[d].before + s[d].n + r) * step;
            turns[d] = 1 + left + right;
            count *= turns[d];
            step *= s[d].before + s[d].n + s[d].after;
        }
        A a = 0;
#pragma unroll 1
        for (int c = 0; c < count; c++) {
            int x = c;
            i64 from = 0;
#pragma unroll
            for (int d = 4; d >= 0; d--) {
                int k = x % turns[d];
                x /= turns[d];
                from += k == 0 ? place[d][0] : k == 1 ? place[d][1] : place[d][2];
            }
            a += up(src[from]);
        }
        dst[at] = to<T>(a);
    }
}

#define MIRROR(T, s)                                                                                                                                    \
    extern "C" __global__ void mirror_grad_##s(T *dst, const T *src, i64 total, i64 off, i64 n0, i64 b0, i64 a0, i64 n1, i64 b1, i64 a1, i64 n2, i64 b2, \
                                               i64 a2, i64 n3, i64 b3, i64 a3, i64 n4, i64 b4, i64 a4) {                                                \
        mirror_grad<T>(dst, src, total, off, side{n0, b0, a0}, side{n1, b1, a1}, side{n2, b2, a2}, side{n3, b3, a3}, side{n4, b4, a4});                 \
    }
MIRROR(f16, f16)
MIRROR(bf16, bf16)
MIRROR(float, f32)
MIRROR(double, f64)
