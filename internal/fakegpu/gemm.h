#include <stdint.h>

// What cublas hands to fakegpuGemm: matrices in columns, as cuBLAS has them.
typedef struct {
	uintptr_t stream;
	int ta, tb, m, n, k, batch;
	double alpha[2], beta[2];
	uint64_t a, b, c, workspace;
	int lda, ldb, ldc;
	long long sa, sb, sc, workspace_size;
	int type, compute;
} fakegpu_gemm;
