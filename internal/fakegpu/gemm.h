#include <stdint.h>

// The arguments of a product that cublas passes to fakegpuGemm: matrices in column-major order.
typedef struct {
	uintptr_t stream;
	int ta, tb, m, n, k, batch;
	double alpha[2], beta[2];
	uint64_t a, b, c, workspace;
	int lda, ldb, ldc;
	long long sa, sb, sc, workspace_size;
	int type, compute;
} fakegpu_gemm;
