//go:build cuda && cgo && linux

#include "call.h"

#include <stdlib.h>

graphc_item *graphc_items(size_t n, size_t args, uint64_t **values, void ***pointers) {
	char *p = calloc(1, n * sizeof(graphc_item) + args * (sizeof(uint64_t) + sizeof(void *)));
	if (!p)
		return NULL;
	*values = (uint64_t *)(p + n * sizeof(graphc_item));
	*pointers = (void **)(*values + args);
	for (size_t i = 0; i < args; i++)
		(*pointers)[i] = *values + i;
	return (graphc_item *)p;
}

static int one(CUstream s, void *blas, const graphc_item *it) {
	switch (it->kind) {
	case GRAPHC_LAUNCH:
		return cuLaunchKernel(it->fn, it->grid[0], it->grid[1], it->grid[2], it->block[0], it->block[1], it->block[2], it->shared, s, it->args, NULL);
	case GRAPHC_FILL:
		return cuMemsetD8Async(it->dst, it->value, it->n, s);
	case GRAPHC_IN:
		return cuMemcpyHtoDAsync(it->dst, (const void *)it->host, it->n, s);
	case GRAPHC_OUT:
		return cuMemcpyDtoHAsync((void *)it->host, it->src, it->n, s);
	case GRAPHC_MOVE:
		return cuMemcpyDtoDAsync(it->dst, it->src, it->n, s);
	case GRAPHC_PEER:
		return cuMemcpyPeerAsync(it->dst, it->to, it->src, it->from, it->n, s);
	case GRAPHC_GEMM:
		return -graphc_blas_gemm(blas, &it->gemm);
	}
	return CUDA_ERROR_INVALID_VALUE;
}

int graphc_run(CUstream s, void *blas, const graphc_item *items, int n, int check, int *at) {
	for (int i = 0; i < n; i++) {
		int code = one(s, blas, items + i);
		if (!code && check)
			code = cuStreamSynchronize(s);
		if (code) {
			*at = i;
			return code;
		}
	}
	return 0;
}

int graphc_error(int code, const char **name, const char **text) {
	return cuGetErrorName(code, name) || cuGetErrorString(code, text);
}

int graphc_lock(uintptr_t p, size_t n) { return cuMemHostRegister((void *)p, n, CU_MEMHOSTREGISTER_PORTABLE); }
int graphc_unlock(uintptr_t p) { return cuMemHostUnregister((void *)p); }

int graphc_shared(CUfunction f, int bytes) { return cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes); }

// Relaxed mode: allocations and loads by other goroutines do not end the capture.
int graphc_capture(CUstream s) { return cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED); }

int graphc_captured(CUstream s, CUgraphExec *exec) {
	CUgraph g = NULL;
	*exec = NULL;
	int code = cuStreamEndCapture(s, &g);
	if (code)
		return code;
	if (!g)
		return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
	code = cuGraphInstantiateWithFlags(exec, g, 0);
	int gone = cuGraphDestroy(g);
	return code ? code : gone;
}

int graphc_replay(CUgraphExec exec, CUstream s) { return cuGraphLaunch(exec, s); }
int graphc_forget(CUgraphExec exec) { return cuGraphExecDestroy(exec); }

// External: each launch of the graph records the event, or waits for it, like the stream would.
int graphc_record(CUevent e, CUstream s) { return cuEventRecordWithFlags(e, s, CU_EVENT_RECORD_EXTERNAL); }
int graphc_wait(CUstream s, CUevent e) { return cuStreamWaitEvent(s, e, CU_EVENT_WAIT_EXTERNAL); }
