package fuzzgraph

import (
	"errors"
	"slices"
	"strings"

	"github.com/graphc/graphc/rt/tensor"
)

// internals are the ops whose kernels return Internal for invalid operands, as TensorFlow's kernels
// do. See docs/limits.md.
var internals = []string{
	"DenseToSparseSetOperation", "EditDistance", "EncodeJpeg", "EncodeJpegVariableQuality", "EncodePng", "ParameterizedTruncatedNormal", "SetSize",
	"SparseConcat", "SparseReduceMax", "SparseReduceMaxSparse", "SparseReduceSum", "SparseReduceSumSparse", "SparseSliceGrad",
	"SparseToSparseSetOperation", "StatelessParameterizedTruncatedNormal", "TruncateDiv", "TruncateMod",
}

// Internal reports whether err has the code Internal only because TensorFlow's kernel returns this
// code for invalid operands. Such an error is not a defect of graphc.
func Internal(err error) bool {
	var e *tensor.Error
	if !errors.As(err, &e) || e.Code != tensor.Internal || !slices.Contains(internals, e.Op) {
		return false
	}
	text := err.Error()
	return !strings.Contains(text, "panic") && !strings.Contains(text, "plan:") && !strings.Contains(text, "runtime error")
}
