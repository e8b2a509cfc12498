package pipeline

import (
	"strings"
	"testing"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// TestFullName checks that names of tensors and nodes in the caller's signatures may lack their
// first scopes if only one node has such a name.
func TestFullName(t *testing.T) {
	g := ir.NewGraph("g")
	for _, name := range []string{"model/dense/MatMul", "model/other/MatMul", "dense", "MatMul2"} {
		g.NewNode(name, "Op", nil, 1)
	}
	for name, want := range map[string]string{"dense/MatMul": "model/dense/MatMul", "dense/MatMul:0": "model/dense/MatMul:0", "model/dense/MatMul:1": "model/dense/MatMul:1",
		"dense": "dense", "/dense:0": "dense:0", "Mul2": "Mul2", "ense/MatMul": "ense/MatMul", "": "", "none": "none"} {
		if got, err := fullName(g, name); got != want || err != nil {
			t.Errorf("%s: %s, %v, want %s", name, got, err, want)
		}
	}
	if _, err := fullName(g, "MatMul"); tensor.CodeOf(err) != tensor.NotFound || !strings.Contains(err.Error(), "model/other/MatMul") {
		t.Errorf("%v", err)
	}
}
