package pipeline

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/graphc/graphc/rt/cpu"
	"github.com/graphc/graphc/rt/tensor"
)

// constant returns the text of a Const node with random elements.
func constant(name string, r *rand.Rand, rows, cols int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `node { name: %q op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value { tensor { dtype: DT_FLOAT `+
		`tensor_shape { dim { size: %d } dim { size: %d } }`, name, rows, cols)
	for range rows * cols {
		fmt.Fprintf(&b, " float_val: %g", float32(r.NormFloat64()))
	}
	b.WriteString(" } } } }\n")
	return b.String()
}

// TestFoldingIsPortable compiles a product of constants with the portable kernels, and then several
// times at once with the processor's best kernels. The best kernels use fused multiply-add, which
// rounds the sums of the product differently. The folded constant must always be the same to the
// bit, and the limit on kernel variants must be restored.
func TestFoldingIsPortable(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	path := write(t, feed("x", "dim { size: 16 } dim { size: 16 }")+constant("a", r, 16, 40)+constant("b", r, 40, 16)+
		binary("MatMul", "m", "a", "b")+binary("AddV2", "y", "x", "m"))
	folded := func() []float32 {
		p, err := Compile([]string{path}, Options{})
		if err != nil {
			t.Error(err)
			return nil
		}
		for _, n := range p.Signatures[0].Graph.Nodes {
			if v := n.Value(); v != nil && v.Shape.Equal(tensor.Shape{16, 16}) {
				return tensor.Data[float32](v)
			}
		}
		t.Error("the product is not folded")
		return nil
	}
	same := func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }
	defer cpu.SetLimit(cpu.SetLimit(cpu.Portable))
	want := folded()
	cpu.SetLimit(cpu.AVX512)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if got := folded(); !slices.EqualFunc(got, want, same) {
				t.Error("the folded constant depends on the level")
			}
		})
	}
	wg.Wait()
	if l := cpu.SetLimit(cpu.AVX512); l != cpu.AVX512 {
		t.Errorf("the level is %v afterwards", l)
	}
}
