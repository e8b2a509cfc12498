// Kernels for the tests of the PTX interpreter. All parameters have 8 bytes. The .ptx file beside
// it is the output of NVRTC 12.4 with --gpu-architecture=compute_80
// -default-device -DINFINITY=__int_as_float(0x7f800000).
typedef long long ll;

__device__ __forceinline__ float gelu(float x) { return 0.5f * x * (1.0f + erff(x * 0.70710678118654752f)); }

extern "C" __global__ void elementwise(float *y, const float *x, ll n) {
  for (ll i = blockIdx.x * (ll)blockDim.x + threadIdx.x; i < n; i += (ll)gridDim.x * blockDim.x) {
    float v = x[i];
    y[i] = gelu(v) + tanhf(v) * expf(-v) + (v > 0 ? logf(v) : sinf(v)) + powf(fabsf(v) + 0.1f, 1.7f);
  }
}

extern "C" __global__ void add4(float4 *y, const float4 *a, const float4 *b, ll n) {
  ll i = blockIdx.x * (ll)blockDim.x + threadIdx.x;
  if (i < n) {
    float4 p = a[i], q = b[i];
    y[i] = make_float4(p.x + q.x, p.y * q.y, fmaxf(p.z, q.z), p.w / q.w);
  }
}

extern "C" __global__ void softmax(float *y, const float *x, ll n) {
  __shared__ float part[32];
  const float *row = x + blockIdx.x * n;
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
  float m = -INFINITY;
  for (ll i = threadIdx.x; i < n; i += blockDim.x) m = fmaxf(m, row[i]);
  for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
  if (lane == 0) part[warp] = m;
  __syncthreads();
  if (warp == 0) {
    m = lane < warps ? part[lane] : -INFINITY;
    for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
    if (lane == 0) part[0] = m;
  }
  __syncthreads();
  m = part[0];
  __syncthreads();
  float s = 0;
  for (ll i = threadIdx.x; i < n; i += blockDim.x) s += expf(row[i] - m);
  for (int o = 16; o; o >>= 1) s += __shfl_down_sync(~0u, s, o);
  if (lane == 0) part[warp] = s;
  __syncthreads();
  s = 0;
  for (int w = 0; w < warps; w++) s += part[w];
  for (ll i = threadIdx.x; i < n; i += blockDim.x) y[blockIdx.x * n + i] = expf(row[i] - m) / s;
}

extern "C" __global__ void transpose(float *y, const float *x, ll rows, ll cols) {
  __shared__ float tile[32][33];
  ll c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (r + k < rows && c < cols) tile[threadIdx.y + k][threadIdx.x] = x[(r + k) * cols + c];
  __syncthreads();
  c = blockIdx.y * 32 + threadIdx.x;
  r = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (r + k < cols && c < rows) y[(r + k) * rows + c] = tile[threadIdx.x][threadIdx.y + k];
}

// C = A·B of M×K and K×N: each block of 16×16 threads computes a tile of 64×64.
extern "C" __global__ void sgemm(float *C, const float *A, const float *B, ll M, ll N, ll K) {
  __shared__ float a[16][64], b[16][64];
  float acc[4][4] = {};
  int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
  ll row = blockIdx.y * 64ll, col = blockIdx.x * 64ll;
  for (ll k0 = 0; k0 < K; k0 += 16) {
    for (int i = t; i < 1024; i += 256) {
      int m = i / 16, k = i % 16;
      a[k][m] = row + m < M && k0 + k < K ? A[(row + m) * K + k0 + k] : 0.f;
      int n = i % 64, kk = i / 64;
      b[kk][n] = col + n < N && k0 + kk < K ? B[(k0 + kk) * N + col + n] : 0.f;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; k++)
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) acc[i][j] += a[k][ty * 4 + i] * b[k][tx * 4 + j];
    __syncthreads();
  }
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      if (row + ty * 4 + i < M && col + tx * 4 + j < N) C[(row + ty * 4 + i) * N + col + tx * 4 + j] = acc[i][j];
}

extern "C" __global__ void scatter_add(float *y, const int *index, const float *x, ll n, ll width) {
  ll i = blockIdx.x * (ll)blockDim.x + threadIdx.x;
  if (i < n * width) atomicAdd(&y[index[i / width] * width + i % width], x[i]);
}

extern "C" __global__ void atomics(unsigned *u, int *s, unsigned long long *w, double *d, ll n) {
  extern __shared__ unsigned sh[];
  if (threadIdx.x == 0) sh[0] = 0;
  __syncthreads();
  ll i = blockIdx.x * (ll)blockDim.x + threadIdx.x;
  if (i < n) {
    atomicAdd(&sh[0], 1u);
    atomicMax(&u[0], (unsigned)(i * 2654435761u));
    atomicMin(&s[0], (int)(i * 2654435761u));
    atomicXor(&u[1], (unsigned)i);
    atomicOr(&u[2], 1u << (i & 31));
    atomicAnd(&u[3], ~(1u << (i & 15)));
    atomicAdd(w, (unsigned long long)i);
    atomicAdd(d, 0.5);
    atomicInc(&u[5], 6u);
    unsigned old = u[4], seen;
    do { seen = old; old = atomicCAS(&u[4], seen, seen + 3); } while (old != seen);
  }
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(&s[1], (int)sh[0]);
}

extern "C" __global__ void doubles(double *y, const double *x, ll n) {
  ll i = blockIdx.x * (ll)blockDim.x + threadIdx.x;
  if (i < n) y[i] = exp(x[i]) + log(x[i] + 1) * sqrt(x[i]) / (1 + x[i]) + pow(x[i], 1.5) + sin(x[i]);
}

__device__ inline void round_(unsigned (&c)[4], unsigned k0, unsigned k1) {
  unsigned h0 = __umulhi(0xD2511F53u, c[0]), l0 = 0xD2511F53u * c[0], h1 = __umulhi(0xCD9E8D57u, c[2]), l1 = 0xCD9E8D57u * c[2];
  c[0] = h1 ^ c[1] ^ k0; c[1] = l1; c[2] = h0 ^ c[3] ^ k1; c[3] = l0;
}

extern "C" __global__ void philox(uint4 *y, ll seed, ll n) {
  ll i = blockIdx.x * (ll)blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned c[4] = {(unsigned)i, (unsigned)(i >> 32), 0, 0}, k0 = seed, k1 = seed >> 32;
  for (int r = 0; r < 10; r++) { round_(c, k0, k1); k0 += 0x9E3779B9u; k1 += 0xBB67AE85u; }
  y[i] = make_uint4(c[0], c[1], c[2], c[3]);
}

__constant__ int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};

__device__ __noinline__ int collatz(ll v, int *steps) {
  int n = 0;
  while (v != 1) { v = v & 1 ? 3 * v + 1 : v / 2; n++; }
  *steps = n;
  return n * 2;
}

// Divergent loops, calls, a switch, local memory and votes.
extern "C" __global__ void diverge(int *y, ll n) {
  ll i = blockIdx.x * (ll)blockDim.x + threadIdx.x;
  if (i >= n) return;
  int steps, local[8];
  int twice = collatz(i + 1, &steps);
  for (int k = 0; k < 8; k++) local[k] = table[k] * (int)i;
  int v = local[steps & 7];
  switch (i % 7) {
    case 0: v += 11; break;
    case 1: v *= 3; break;
    case 2: v ^= 0x55; break;
    case 3: v -= steps; break;
    case 4: v = -v; break;
    case 5: v <<= 2; break;
    default: v = twice;
  }
  unsigned b = __ballot_sync(__activemask(), v & 1);
  y[2 * i] = v;
  y[2 * i + 1] = b ? steps : -1;
}
