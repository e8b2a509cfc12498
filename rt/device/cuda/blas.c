//go:build cuda && cgo && linux

#include "call.h"

#include <dlfcn.h>
#include <stdio.h>

// The functions of cuBLAS 12 and 13 that are used, looked up by name, without its headers.
static struct {
	int (*create)(void **);
	int (*destroy)(void *);
	int (*setStream)(void *, CUstream);
	int (*setWorkspace)(void *, void *, size_t);
	int (*gemm)(void *, int ta, int tb, int m, int n, int k, const void *alpha, const void *a, int atype, int lda,
		const void *b, int btype, int ldb, const void *beta, void *c, int ctype, int ldc, int compute, int algo);
	int (*batched)(void *, int ta, int tb, int m, int n, int k, const void *alpha, const void *a, int atype, int lda, long long sa,
		const void *b, int btype, int ldb, long long sb, const void *beta, void *c, int ctype, int ldc, long long sc, int batch, int compute, int algo);
	const char *(*text)(int);
} blas;

// graphc_blas_open tries a library before it is used, because one that is newer than the driver
// cannot be started. The first request in the same context gets the handle made then.
static struct {
	CUcontext in;
	void *handle;
} tried;

int graphc_blas_open(void) {
	static const char *const names[] = {"libcublas.so.13", "libcublas.so.12"};
	for (int i = 0; i < 2; i++) {
		void *lib = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
		if (!lib)
			continue;
		blas.create = dlsym(lib, "cublasCreate_v2");
		blas.destroy = dlsym(lib, "cublasDestroy_v2");
		blas.setStream = dlsym(lib, "cublasSetStream_v2");
		blas.setWorkspace = dlsym(lib, "cublasSetWorkspace_v2");
		blas.gemm = dlsym(lib, "cublasGemmEx");
		blas.batched = dlsym(lib, "cublasGemmStridedBatchedEx");
		blas.text = dlsym(lib, "cublasGetStatusString");
		if (!(blas.create && blas.destroy && blas.setStream && blas.setWorkspace && blas.gemm && blas.batched && blas.text)) {
			dlclose(lib);
			continue;
		}
		int code = cuCtxGetCurrent(&tried.in) ? 1 : blas.create(&tried.handle);
		if (!code)
			return i == 0 ? 13 : 12;
		tried.handle = NULL;
		fprintf(stderr, "%s cannot be started here, and is not used: %s\n", names[i], blas.text(code));
	}
	return 0;
}

int graphc_blas_new(void **handle, CUstream s, CUdeviceptr workspace, size_t n) {
	CUcontext now;
	int code = 0;
	*handle = NULL;
	if (!cuCtxGetCurrent(&now) && now == tried.in)
		*handle = __atomic_exchange_n(&tried.handle, NULL, __ATOMIC_ACQ_REL);
	if (!*handle && (code = blas.create(handle)))
		return code;
	// The stream must be set first: setting it resets the handle's workspace to the library's.
	if (!(code = blas.setStream(*handle, s)))
		code = blas.setWorkspace(*handle, (void *)workspace, n);
	if (code)
		blas.destroy(*handle);
	return code;
}

int graphc_blas_free(void *handle) { return blas.destroy(handle); }

// The library's matrices are column-major, so ours are their transposes: Cᵀ = op(B)ᵀ·op(A)ᵀ.
int graphc_blas_gemm(void *handle, const graphc_gemm *g) {
	float alpha[2] = {g->alpha[0], g->alpha[1]}, beta[2] = {g->beta[0], g->beta[1]};
	const void *al = g->alpha, *be = g->beta;
	if (g->compute != 70) // all except CUBLAS_COMPUTE_64F scale in float32
		al = alpha, be = beta;
	const int algo = -1; // CUBLAS_GEMM_DEFAULT
	if (g->batch == 1)
		return blas.gemm(handle, g->tb, g->ta, g->n, g->m, g->k, al, (void *)g->b, g->type, g->ldb, (void *)g->a, g->type, g->lda,
			be, (void *)g->c, g->type, g->ldc, g->compute, algo);
	return blas.batched(handle, g->tb, g->ta, g->n, g->m, g->k, al, (void *)g->b, g->type, g->ldb, g->sb, (void *)g->a, g->type, g->lda, g->sa,
		be, (void *)g->c, g->type, g->ldc, g->sc, g->batch, g->compute, algo);
}

const char *graphc_blas_error(int code) { return blas.text(code); }
