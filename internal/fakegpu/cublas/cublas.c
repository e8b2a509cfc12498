// A libcublas.so.12 for programs that run on the fake driver, which computes its products:
//
//	gcc -shared -fPIC -Wl,-soname,libcublas.so.12 -o libcublas.so.12 cublas.c -ldl
//
// With -DTOO_NEW it requires a newer driver, and cannot be started.
//
// A handle without its own stream and workspace rejects products: captured ones cannot use the
// library's workspace.
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "../gemm.h"

enum { SUCCESS = 0, NOT_INITIALIZED = 1, ALLOC_FAILED = 3, INVALID_VALUE = 7, EXECUTION_FAILED = 13 };

typedef struct {
	uintptr_t stream;
	uint64_t workspace;
	size_t size;
} handle;

int cublasCreate_v2(void **h) {
#ifdef TOO_NEW
	return NOT_INITIALIZED;
#endif
	return (*h = calloc(1, sizeof(handle))) ? SUCCESS : ALLOC_FAILED;
}

int cublasDestroy_v2(void *h) {
	free(h);
	return SUCCESS;
}

// As in the library, a new stream gives the handle the library's workspace.
int cublasSetStream_v2(handle *h, void *s) {
	h->stream = (uintptr_t)s;
	h->workspace = h->size = 0;
	return SUCCESS;
}

int cublasSetWorkspace_v2(handle *h, void *p, size_t n) {
	if ((uintptr_t)p % 256)
		return INVALID_VALUE;
	h->workspace = (uintptr_t)p;
	h->size = n;
	return SUCCESS;
}

const char *cublasGetStatusString(int code) {
	switch (code) {
	case SUCCESS: return "success";
	case NOT_INITIALIZED: return "the library was not initialized";
	case ALLOC_FAILED: return "the resource allocation failed";
	case INVALID_VALUE: return "an unsupported value or parameter was passed to the function";
	case EXECUTION_FAILED: return "the function failed to launch on the GPU";
	}
	return "<unknown>";
}

int cublasGemmStridedBatchedEx(handle *h, int ta, int tb, int m, int n, int k, const void *alpha, const void *a, int at, int lda, long long sa,
	const void *b, int bt, int ldb, long long sb, const void *beta, void *c, int ct, int ldc, long long sc, int batch, int compute, int algo) {
	if (!h->stream || !h->size)
		return NOT_INITIALIZED;
	if (at != bt || at != ct || (unsigned)ta > 1 || (unsigned)tb > 1 || m < 0 || n < 0 || k < 0 || batch < 0 ||
		lda < (ta ? k : m) || ldb < (tb ? n : k) || ldc < m || algo != -1)
		return INVALID_VALUE;
	fakegpu_gemm g = {h->stream, ta, tb, m, n, k, batch, {0}, {0}, (uintptr_t)a, (uintptr_t)b, (uintptr_t)c, h->workspace, lda, ldb, ldc, sa, sb, sc, h->size, at, compute};
	int pair = at == 4 || at == 5;
	switch (compute) {
	case 68: // CUBLAS_COMPUTE_32F
	case 77: // CUBLAS_COMPUTE_32F_FAST_TF32
		for (int i = 0; i <= pair; i++)
			g.alpha[i] = ((const float *)alpha)[i], g.beta[i] = ((const float *)beta)[i];
		break;
	case 70: // CUBLAS_COMPUTE_64F
		for (int i = 0; i <= pair; i++)
			g.alpha[i] = ((const double *)alpha)[i], g.beta[i] = ((const double *)beta)[i];
		break;
	default:
		return INVALID_VALUE;
	}
	void *lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
	int (*f)(const fakegpu_gemm *) = lib ? dlsym(lib, "fakegpuGemm") : NULL;
	return f && !f(&g) ? SUCCESS : EXECUTION_FAILED;
}

int cublasGemmEx(handle *h, int ta, int tb, int m, int n, int k, const void *alpha, const void *a, int at, int lda,
	const void *b, int bt, int ldb, const void *beta, void *c, int ct, int ldc, int compute, int algo) {
	return cublasGemmStridedBatchedEx(h, ta, tb, m, n, k, alpha, a, at, lda, 0, b, bt, ldb, 0, beta, c, ct, ldc, 0, 1, compute, algo);
}
