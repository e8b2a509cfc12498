// Functions that gorgonia.org/cu lacks: see call.c.
#include <cuda.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
	int type;    // cudaDataType of A, B and C
	int compute; // cublasComputeType_t
	int ta, tb, m, n, k, batch;
	CUdeviceptr a, b, c;
	int lda, ldb, ldc;
	long long sa, sb, sc;
	double alpha[2], beta[2]; // in the type of compute, complex numbers as pairs
} graphc_gemm;

// The kinds are those of device.Kind.
enum { GRAPHC_LAUNCH, GRAPHC_FILL, GRAPHC_IN, GRAPHC_OUT, GRAPHC_MOVE, GRAPHC_GEMM, GRAPHC_PEER };

typedef struct {
	int kind;
	CUfunction fn;
	unsigned grid[3], block[3], shared;
	void **args; // a pointer to each argument of fn
	CUdeviceptr dst, src;
	CUcontext to, from; // for a copy between devices
	uintptr_t host;
	size_t n;
	unsigned char value;
	graphc_gemm gemm;
} graphc_item;

// graphc_items returns n items with room for args arguments, in one block of memory, or NULL. The
// arguments begin at *values, the pointers to them at *pointers.
graphc_item *graphc_items(size_t n, size_t args, uint64_t **values, void ***pointers);

// graphc_run appends n items to a stream. If check is set, it waits for each one. It returns 0,
// the driver's error, or minus cuBLAS's error, and sets *at to the index of the failed item.
int graphc_run(CUstream s, void *blas, const graphc_item *items, int n, int check, int *at);

int graphc_error(int code, const char **name, const char **text);

int graphc_lock(uintptr_t p, size_t n);
int graphc_unlock(uintptr_t p);
int graphc_shared(CUfunction f, int bytes);

int graphc_capture(CUstream s);
int graphc_captured(CUstream s, CUgraphExec *exec);
int graphc_replay(CUgraphExec exec, CUstream s);
int graphc_forget(CUgraphExec exec);
int graphc_record(CUevent e, CUstream s);
int graphc_wait(CUstream s, CUevent e);

// graphc_blas_open opens the library; a context must be current. It returns the major version, or
// 0 if no version can be started, after a line on the standard error for each one that failed.
int graphc_blas_open(void);
// graphc_blas_new makes a handle for a stream, with its own workspace.
int graphc_blas_new(void **handle, CUstream s, CUdeviceptr workspace, size_t n);
int graphc_blas_free(void *handle);
int graphc_blas_gemm(void *handle, const graphc_gemm *g);
const char *graphc_blas_error(int code);
