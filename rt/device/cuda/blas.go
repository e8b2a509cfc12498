//go:build cuda && cgo && linux

package cuda

/*
#include "call.h"
*/
import "C"

import (
	"math"
	"sync"
	"unsafe"

	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/tensor"
)

// library opens cuBLAS when it is called for the first time in a process. This call must be within
// Device.Run. All calls return the major version of the library, or 0 if no version can be started.
var library = sync.OnceValue(func() int { return int(C.graphc_blas_open()) })

// workspace is the size of a cuBLAS workspace in bytes. cuBLAS recommends this size for processors
// of compute capability 9.0. Each stream has a separate handle with a separate workspace, so that
// captured products of two streams do not use the same memory.
const workspace = 32 << 20

// cuBLAS's codes for element types and for compute types.
const (
	real32, real64, real16, complex32, complex64t, realB16 = 0, 1, 2, 4, 5, 14
	compute32, compute64, computeTF32                      = 68, 70, 77
)

// Multiplies reports whether cuBLAS can compute the product g. A product with a dimension of 0 is
// not accepted.
func (d *dev) Multiplies(g *device.Gemm) bool {
	if d.opt.NoBLAS || g.M <= 0 || g.N <= 0 || g.K <= 0 || g.Batch <= 0 {
		return false
	}
	if max(g.M, g.N, g.K, g.Batch, g.LDA, g.LDB, g.LDC) > math.MaxInt32 {
		return false
	}
	switch g.DType {
	case tensor.Half, tensor.BFloat16, tensor.Float32, tensor.Float64, tensor.Complex64, tensor.Complex128:
		return library() != 0
	}
	return false
}

// gemm converts the product g to a C struct, and stores the result in *to.
func (d *dev) gemm(to *C.graphc_gemm, g *device.Gemm) {
	to.compute = compute32
	switch g.DType {
	case tensor.Half:
		to._type = real16
	case tensor.BFloat16:
		to._type = realB16
	case tensor.Float32:
		to._type = real32
		if !d.opt.NoTF32 {
			to.compute = computeTF32
		}
	case tensor.Float64:
		to._type, to.compute = real64, compute64
	case tensor.Complex64:
		to._type = complex32
	case tensor.Complex128:
		to._type, to.compute = complex64t, compute64
	}
	flag := func(b bool) C.int {
		if b {
			return 1
		}
		return 0
	}
	to.ta, to.tb = flag(g.TransA), flag(g.TransB)
	to.m, to.n, to.k, to.batch = C.int(g.M), C.int(g.N), C.int(g.K), C.int(g.Batch)
	to.a, to.b, to.c = C.CUdeviceptr(g.A), C.CUdeviceptr(g.B), C.CUdeviceptr(g.C)
	to.lda, to.ldb, to.ldc = C.int(g.LDA), C.int(g.LDB), C.int(g.LDC)
	to.sa, to.sb, to.sc = C.longlong(g.StrideA), C.longlong(g.StrideB), C.longlong(g.StrideC)
	to.alpha[0], to.beta[0] = C.double(g.Alpha), C.double(g.Beta)
}

// multiplier returns the stream's cuBLAS handle, which it creates if needed.
func (s *stream) multiplier() (unsafe.Pointer, error) {
	if s.own.blas != nil {
		return s.own.blas, nil
	}
	m, err := s.d.Alloc(workspace)
	if err != nil {
		return nil, err
	}
	var h unsafe.Pointer
	if code := int(C.graphc_blas_new(&h, s.raw(), C.CUdeviceptr(m.Addr()), workspace)); code != 0 {
		_ = m.Free() // ignores this error, because the error of cuBLAS is returned
		return nil, blasError(code, "the library is started")
	}
	s.own.blas, s.own.work = h, m
	return h, nil
}

// free frees the cuBLAS handle and its workspace, if the method multiplier has created them.
func (o *owned) free() {
	if o.blas != nil {
		C.graphc_blas_free(o.blas)
		_ = o.work.Free()
	}
}

// blasError returns the error for a status code from cuBLAS.
func blasError(code int, what string) error {
	return tensor.Errorf(tensor.Internal, "%s: error %d of cuBLAS: %s", what, code, C.GoString(C.graphc_blas_error(C.int(code))))
}
