package opdef

import (
	"testing"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// TestHasCPUKernel checks types that TensorFlow 2.21 runs, and types that TensorFlow's signatures
// allow but no kernel accepts.
func TestHasCPUKernel(t *testing.T) {
	for _, c := range []struct {
		op, attr string
		types    []tensor.DType
		want     bool
	}{
		{"Round", "T", []tensor.DType{tensor.Float32}, true}, {"Round", "T", []tensor.DType{tensor.Complex64}, false},
		{"Erfinv", "T", []tensor.DType{tensor.Float64}, true}, {"Erfinv", "T", []tensor.DType{tensor.BFloat16}, false},
		{"Identity", "T", []tensor.DType{tensor.String}, true}, {"NoSuchOp", "T", nil, false},
		{"MutableHashTableV2", "key_dtype", []tensor.DType{tensor.Complex64}, false},
	} {
		n := &ir.Node{Op: c.op, Attrs: map[string]ir.Attr{}}
		if len(c.types) > 0 {
			n.Attrs[c.attr] = c.types[0]
		}
		if got := HasCPUKernel(n); got != c.want {
			t.Errorf("%s of %s %v: %v, want %v", c.op, c.attr, c.types, got, c.want)
		}
	}
	for op := range cpuKernels() {
		if Lookup(op) == nil {
			t.Errorf("%s is not an op", op)
		}
	}
}
