#include "types.cuh"

typedef ulonglong2 b16;

// columns copies the windows of count positions of out, beginning with position first. Each
// is a row of KD·KH·KW·C elements. Elements outside in[N, D, H, W, C] are zero.
template <class T>
__device__ __forceinline__ void columns(T *dst, const T *in, i64 first, i64 count, int D, int H, int W, int C, int KD, int KH, int KW, int OD, int OH, int OW, int SD,
                                        int SH, int SW, int PD, int PH, int PW, int LD, int LH, int LW) {
    i64 row = (i64)KD * KH * KW * C;
#pragma unroll 1
    for (i64 i = thread(); i < count * row; i += threads()) {
        i64 r = quot(i, row);
        u32 t = (u32)(i - r * row), m = (u32)(first + r);
        u32 tc = t / (u32)C, c = t - tc * C, th = tc / (u32)KW, kw = tc - th * KW, kd = th / (u32)KH, kh = th - kd * KH;
        u32 mw = m / (u32)OW, ow = m - mw * OW, mh = mw / (u32)OH, oh = mw - mh * OH, n = mh / (u32)OD, od = mh - n * OD;
        int x = (int)ow * SW - PW + (int)kw * LW, y = (int)oh * SH - PH + (int)kh * LH, z = (int)od * SD - PD + (int)kd * LD;
        T v = {};
        if ((u32)x < (u32)W && (u32)y < (u32)H && (u32)z < (u32)D) v = in[((((i64)n * D + z) * H + y) * W + x) * C + c];
        dst[i] = v;
    }
}

#define COLUMNS(T, s)                                                                                                                                       \
    extern "C" __global__ void columns_##s(T *dst, const T *in, i64 first, i64 count, i64 D, i64 H, i64 W, i64 C, i64 KD, i64 KH, i64 KW, i64 OD, i64 OH,     \
                                           i64 OW, i64 SD, i64 SH, i64 SW, i64 PD, i64 PH, i64 PW, i64 LD, i64 LH, i64 LW) {                                 \
        columns<T>(dst, in, first, count, (int)D, (int)H, (int)W, (int)C, (int)KD, (int)KH, (int)KW, (int)OD, (int)OH, (int)OW, (int)SD, (int)SH, (int)SW,   \
                   (int)PD, (int)PH, (int)PW, (int)LD, (int)LH, (int)LW);                                                                                   \
    }
COLUMNS(u8, b1)
COLUMNS(u16, b2)
COLUMNS(u32, b4)
COLUMNS(u64, b8)
COLUMNS(b16, b16)
