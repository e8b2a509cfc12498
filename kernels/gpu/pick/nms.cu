#include "block.cuh"

struct Smaller {
    template <class A> static __device__ A of(A a, A b) { return smaller(a, b); }
};

// corners is a box with its corners in order, and its area.
struct corners {
    float y0, x0, y1, x1, area;
    __device__ __forceinline__ explicit corners(const float *b) {
        y0 = smaller(b[0], b[2]), x0 = smaller(b[1], b[3]), y1 = larger(b[0], b[2]), x1 = larger(b[1], b[3]);
        area = (y1 - y0) * (x1 - x0);
    }
};

// overlap reports whether the boxes' intersection over their union is above limit.
__device__ __forceinline__ bool overlap(const corners &c, const corners &k, float limit) {
    if (!(c.area > 0) || !(k.area > 0) || k.y1 <= c.y0 || c.y1 <= k.y0 || k.x1 <= c.x0 || c.x1 <= k.x0) return false;
    float in = (smaller(c.y1, k.y1) - larger(c.y0, k.y0)) * (smaller(c.x1, k.x1) - larger(c.x0, k.x0));
    return in / (c.area + k.area - in) > limit;
}

// suppressed chooses at most most of n boxes, in order of falling scores. It chooses a box if
// no chosen one overlaps it by more than *limit, and if its score is above *least, where
// given. sel gets room numbers: those of the chosen boxes, then zeros. *count gets how many
// are chosen. gone is scratch of n bytes. One block.
extern "C" __global__ void suppressed(i32 *sel, i32 *count, const float *boxes, const float *scores, const i32 *order, const float *limit,
                                      const float *least, u8 *gone, i64 n, i64 most, i64 room) {
    float lim = *limit, low = least ? *least : -3.40282346638528859812e38f;
#pragma unroll 1
    for (i64 i = threadIdx.x; i < n; i += blockDim.x) gone[i] = !(scores[i] > low);
    __syncthreads();
    i64 m = 0, at = 0;
#pragma unroll 1
    while (m < most) {
        i64 next = n;
#pragma unroll 1
        for (; at < n && next == n; at += blockDim.x) {
            i64 i = at + threadIdx.x;
            next = together<Smaller>(i < n && !gone[i] ? i : n);
        }
        if (next == n) break;
        corners c(boxes + 4 * (i64)order[next]);
        if (threadIdx.x == 0) sel[m] = order[next];
        m++;
        at = next + 1;
        if (c.area > 0) {
#pragma unroll 1
            for (i64 j = at + threadIdx.x; j < n; j += blockDim.x)
                if (!gone[j] && overlap(corners(boxes + 4 * (i64)order[j]), c, lim)) gone[j] = 1;
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) *count = (i32)m;
#pragma unroll 1
    for (i64 k = m + threadIdx.x; k < room; k += blockDim.x) sel[k] = 0;
}
