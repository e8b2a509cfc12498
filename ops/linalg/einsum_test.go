package linalg_test

import (
	"strings"
	"testing"

	"github.com/graphc/graphc/internal/opstest"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/rt/tensor"
)

// TestEinsumReadsInPlace checks for several equations which kernel computes them, and whether
// operands are copied first.
func TestEinsumReadsInPlace(t *testing.T) {
	for _, c := range []struct {
		equation, x, y string
		constant       bool // y is a constant
		kernel         string
		copies         bool
	}{
		{"aecd,abcd->acbe", "2,128,12,64", "2,128,12,64", false, "gemm.BatchF32", false}, // Keras' attention
		{"acbe,aecd->abcd", "2,12,128,128", "2,128,12,64", false, "gemm.BatchF32", false},
		{"aecd,abcd->acbe", "B,S,12,64", "B,S,12,64", false, "gemm.BatchF32", false},
		{"abc,cde->abde", "B,S,768", "768,12,64", true, "gemm.F32", false},
		{"abcd,cde->abe", "B,S,12,64", "12,64,768", true, "gemm.F32", false},
		{"ab,b->a", "9,30", "30", false, "gemm.BatchF32", false},
		{"ab,cb->ca", "9,30", "8,30", false, "gemm.F32", false},
		{"bij,bjk->bik", "3,9,30", "3,30,7", false, "gemm.BatchF32", false},
		{"aab,bc->ac", "9,9,30", "30,7", false, "gemm.BatchF32", false}, // a diagonal is read with a stride
		{"abx,bc->ac", "9,30,2", "30,7", false, "gemm.F32", true},       // the label x is summed first
		{"cab,bcd->ad", "5,9,30", "30,5,7", false, "gemm.F32", true},
		{"ab,bc->aca", "9,30", "30,7", false, "gemm.F32", true},
	} {
		s := opstest.New(t)
		y := ir.Out{}
		if c.constant {
			shape := tensor.Shape{}
			n := 1
			for _, d := range strings.Split(c.y, ",") {
				v := 0
				for _, r := range d {
					v = v*10 + int(r-'0')
				}
				shape, n = append(shape, v), n*v
			}
			y = s.NewConst("w", &tensor.Tensor{DType: tensor.Float32, Shape: shape, Data: make([]float32, n)})
		} else {
			y = s.Feed("y", tensor.Float32, c.y)
		}
		z := s.Op("Einsum", map[string]ir.Attr{"T": tensor.Float32, "equation": c.equation, "N": int64(2)}, s.Feed("x", tensor.Float32, c.x), y)
		s.Fetches = []ir.Fetch{{Name: "z:0", Key: "z", Out: z}}
		if err := ops.Ops().Infer(s.Graph); err != nil {
			t.Fatal(err)
		}
		p, err := ops.Ops().Lower(s.Graph, "f")
		if err != nil {
			t.Fatal(err)
		}
		text := p.String()
		if !strings.Contains(text, c.kernel+"(") && !strings.Contains(text, c.kernel+" ") {
			t.Errorf("%s: no %s in\n%s", c.equation, c.kernel, text)
		}
		if got := strings.Contains(text, "einsum."); got != c.copies {
			t.Errorf("%s: rearranged %v, want %v:\n%s", c.equation, got, c.copies, text)
		}
	}
}
