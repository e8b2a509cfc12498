package fuzzgraph

import (
	"errors"
	"slices"
	"strings"

	"github.com/graphc/graphc/rt/tensor"
)

// internals are the ops whose kernels say Internal of what a user gives them, as TensorFlow's do: docs/limits.md.
var internals = []string{
	"DenseToSparseSetOperation", "EditDistance", "EncodeJpeg", "EncodeJpegVariableQuality", "EncodePng", "ParameterizedTruncatedNormal", "SetSize",
	"SparseConcat", "SparseReduceMax", "SparseReduceMaxSparse", "SparseReduceSum", "SparseReduceSumSparse", "SparseSliceGrad",
	"SparseToSparseSetOperation", "StatelessParameterizedTruncatedNormal", "TruncateDiv", "TruncateMod",
}

// Internal reports whether err is an internal error that is no defect of graphc: one whose code is TensorFlow's
// for operands that do not fit.
func Internal(err error) bool {
	var e *tensor.Error
	if !errors.As(err, &e) || e.Code != tensor.Internal || !slices.Contains(internals, e.Op) {
		return false
	}
	text := err.Error()
	return !strings.Contains(text, "panic") && !strings.Contains(text, "plan:") && !strings.Contains(text, "runtime error")
}
