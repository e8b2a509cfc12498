package edit

import (
	"math"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/rt/tensor"
)

// Floats returns the elements of t as float64. It returns false if the type of t is neither f32 nor
// f64, or if t is empty.
func Floats(t *tensor.Tensor) ([]float64, bool) {
	switch d := t.Data.(type) {
	case []float64:
		return d, len(d) > 0
	case []float32:
		out := make([]float64, len(d))
		for i, v := range d {
			out[i] = float64(v)
		}
		return out, len(d) > 0
	}
	return nil, false
}

// Rounded returns a tensor with the values vs, rounded to the type d. It returns false if a rounded
// value is not finite.
func Rounded(d tensor.DType, shape tensor.Shape, vs []float64) (*tensor.Tensor, bool) {
	t := &tensor.Tensor{DType: d, Shape: shape}
	switch d {
	case tensor.Float64:
		t.Data = vs
		for _, v := range vs {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, false
			}
		}
	case tensor.Float32:
		fs := make([]float32, len(vs))
		for i, v := range vs {
			fs[i] = float32(v)
			if x := float64(fs[i]); math.IsNaN(x) || math.IsInf(x, 0) {
				return nil, false
			}
		}
		t.Data = fs
	default:
		return nil, false
	}
	return t, true
}

// NewConst adds a constant node to the graph. Its value was computed from the given nodes. It gets
// the control inputs of those nodes that are constants.
func (s *State) NewConst(base string, t *tensor.Tensor, of ...*ir.Node) ir.Out {
	c := s.G.NewConst(base, t)
	seen := map[*ir.Node]bool{}
	for _, n := range of {
		if n.Op != "Const" {
			continue
		}
		for _, d := range n.Controls {
			if !seen[d] {
				seen[d] = true
				c.Node.Controls = append(c.Node.Controls, d)
			}
		}
	}
	if len(of) > 0 {
		c.Node.Device, c.Node.Origin = of[0].Device, of[0].Origin
	}
	return c
}

// Negative reports whether a size might be below 0. Such a size is an error at run time.
func Negative(d *sym.Expr) bool { return !d.NonNegative() }

// Uniform returns a number if all elements of t are equal to this number. Otherwise, it returns
// false.
func Uniform(t *tensor.Tensor) (float64, bool) {
	if t == nil || t.Len() == 0 {
		return 0, false
	}
	var at func(i int) float64
	switch d := t.Data.(type) {
	case []float32:
		at = func(i int) float64 { return float64(d[i]) }
	case []float64:
		at = func(i int) float64 { return d[i] }
	case []tensor.F16:
		at = func(i int) float64 { return float64(d[i].Float32()) }
	case []tensor.BF16:
		at = func(i int) float64 { return float64(d[i].Float32()) }
	default:
		vs, ok := t.Ints()
		if !ok {
			return 0, false
		}
		at = func(i int) float64 { return float64(vs[i]) }
	}
	v := at(0)
	for i := range t.Len() {
		if at(i) != v {
			return 0, false
		}
	}
	return v, true
}

// Scalar returns a scalar with the value v, of type d, which is f32 or f64.
func Scalar(d tensor.DType, v float64) *tensor.Tensor {
	if d == tensor.Float64 {
		return tensor.Must(tensor.From(nil, []float64{v}))
	}
	return tensor.Must(tensor.From(nil, []float32{float32(v)}))
}
