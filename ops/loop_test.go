package ops_test

import (
	"context"
	"testing"

	"github.com/graphc/graphc/exec"
	"github.com/graphc/graphc/internal/opstest"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// TestStoredBeforeLoop checks that a tensor known as an expression over sizes is stored before the
// loop of the first node that reads it.
func TestStoredBeforeLoop(t *testing.T) {
	g := opstest.New(t)
	x := g.Feed("x", tensor.Float32, "B", 2)
	n := g.Op("Prod", map[string]ir.Attr{"T": tensor.Int32}, g.Op("Shape", nil, x), g.Ints(0))
	o := g.Op("Cast", map[string]ir.Attr{"SrcT": tensor.Int32, "DstT": tensor.Float32}, n)
	p, err := g.Lower(o)
	if err != nil {
		t.Fatal(err)
	}
	e, err := exec.New(p)
	if err != nil {
		t.Fatal(err)
	}
	out, err := e.Run(context.Background(), map[string]*tensor.Tensor{"x:0": opstest.Zeros(t, tensor.Float32, 3, 2)})
	if err != nil {
		t.Fatal(err)
	}
	if got := tensor.Data[float32](out[o.String()]); got[0] != 6 {
		t.Errorf("%v elements, want 6", got)
	}
}
