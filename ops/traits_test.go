package ops_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/graphc/graphc/exec"
	"github.com/graphc/graphc/frontend/opdef"
	"github.com/graphc/graphc/internal/opstest"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/rt/tensor"
)

// traitNumbers are sorted, except for NaN.
var traitNumbers = []float32{float32(math.Inf(-1)), -1e30, -700, -2.5, -1, -0.75, -1e-3, float32(math.Copysign(0, -1)), 0, 1e-3, 0.25, 0.5,
	0.75, 1, 1.5, 2.5, 6, 7, 700, 1e30, float32(math.Inf(1)), float32(math.NaN())}

// traitOp describes an op to be tested. The op has one or two inputs and one output, and all of
// them have the type float32.
type traitOp struct {
	t   *testing.T
	def *lower.Def
	ins int
}

// traitOps returns the ops whose traits can be tested with numbers.
func traitOps(t *testing.T) []traitOp {
	var list []traitOp
	for _, d := range ops.All() {
		sig := opdef.Lookup(d.Name)
		if sig == nil || d.Lower == nil || len(sig.Outs) != 1 || len(sig.Ins) == 0 || len(sig.Ins) > 2 || ops.Ops().Level(d.Name) != lower.Pure {
			continue
		}
		same := func(a opdef.Arg) bool {
			return a.TypeAttr == "T" && a.NumberAttr == "" && a.TypeListAttr == "" && !a.Ref
		}
		if slices.ContainsFunc(sig.Ins, func(a opdef.Arg) bool { return !same(a) }) || !same(sig.Outs[0]) {
			continue
		}
		if ts := d.Types["T"]; ts != nil && !slices.Contains(ts, tensor.Float32) {
			continue
		}
		if i := slices.IndexFunc(sig.Attrs, func(a opdef.Attr) bool { return a.Name == "T" }); i < 0 || sig.Attrs[i].Types != nil && !slices.Contains(sig.Attrs[i].Types, tensor.Float32) {
			continue
		}
		if d.Has(lower.Forward) || d.Traits&(lower.ElementWise|lower.NotNegative|lower.Involution) != 0 {
			list = append(list, traitOp{t, d, len(sig.Ins)})
		}
	}
	return list
}

// of runs the op on inputs of the given shape and returns the elements of the result. ins holds the
// elements of each input.
func (o traitOp) of(shape tensor.Shape, ins ...[]float32) []float32 {
	o.t.Helper()
	g, feeds := opstest.New(o.t), map[string]*tensor.Tensor{}
	var xs []ir.Out
	for i, in := range ins {
		name, dims := fmt.Sprintf("x%d", i), make([]any, len(shape))
		for k, n := range shape {
			dims[k] = n
		}
		xs = append(xs, g.Feed(name, tensor.Float32, dims...))
		feeds[name+":0"] = &tensor.Tensor{DType: tensor.Float32, Shape: shape, Data: in}
	}
	attrs := opstest.Attrs("T", tensor.Float32)
	for _, a := range opdef.Lookup(o.def.Name).Attrs {
		if a.Default != nil {
			attrs[a.Name] = a.Default
		}
	}
	y := g.Op(o.def.Name, attrs, xs...)
	p, err := g.Lower(y)
	if err != nil {
		o.t.Fatalf("%s of %v: %v", o.def.Name, shape, err)
	}
	x, err := exec.New(p)
	if err != nil {
		o.t.Fatal(err)
	}
	out, err := x.Run(context.Background(), feeds)
	if err != nil {
		o.t.Fatalf("%s of %v: %v", o.def.Name, shape, err)
	}
	return out[y.String()].Data.([]float32)
}

// alone runs the op on vectors with the given elements.
func (o traitOp) alone(ins ...[]float32) []float32 { return o.of(tensor.Shape{len(ins[0])}, ins...) }

func isNaN(v float32) bool { return v != v }

// near reports whether a and b are equal except for their last bits. These bits may depend on the
// position of an element in a vector.
func near(a, b float32) bool {
	return a == b || isNaN(a) && isNaN(b) || math.Abs(float64(a)-float64(b)) <= 1e-6*math.Abs(float64(a))
}

// operands returns the inputs for the op. For one input, they are all numbers in traitNumbers; for
// two inputs, all pairs of these numbers.
func (o traitOp) operands() [][]float32 {
	if o.ins == 1 {
		return [][]float32{slices.Clone(traitNumbers)}
	}
	var x, y []float32
	for _, a := range traitNumbers {
		for _, b := range traitNumbers {
			x, y = append(x, a), append(y, b)
		}
	}
	return [][]float32{x, y}
}

// TestTraits checks, with all kinds of numbers, the traits that the descriptions of element-wise
// functions state.
func TestTraits(t *testing.T) {
	list := traitOps(t)
	if len(list) < 60 {
		t.Fatalf("%d ops only", len(list))
	}
	for _, o := range list {
		t.Run(o.def.Name, func(t *testing.T) {
			o.t = t
			has := func(tr lower.Traits) bool { return o.def.Traits&tr != 0 }
			ins := o.operands()
			y := o.alone(ins...)
			if len(y) != len(ins[0]) {
				t.Fatalf("%d elements of %d", len(y), len(ins[0]))
			}
			if has(lower.ElementWise) {
				o.elementWise()
				o.zeroSigns(ins, y)
			}
			for i, v := range y {
				if has(lower.NotNegative) && v < 0 {
					t.Errorf("is never negative, but %v of %v", v, ins[0][i])
				}
				if o.def.Has(lower.Forward) && math.Float32bits(v) != math.Float32bits(ins[0][i]) {
					t.Errorf("hands on what it gets, but %v for %v", v, ins[0][i])
				}
			}
			if has(lower.Rises | lower.Falls) {
				for i := range y {
					if isNaN(y[i]) != isNaN(ins[0][i]) {
						t.Errorf("is monotonic over all numbers, but %v of %v", y[i], ins[0][i])
					}
					if i > 0 && (has(lower.Rises) && y[i] < y[i-1] || has(lower.Falls) && y[i] > y[i-1]) {
						t.Errorf("is monotonic, but %v of %v, and %v of %v", y[i-1], ins[0][i-1], y[i], ins[0][i])
					}
				}
			}
			if has(lower.Involution) {
				for i, v := range o.alone(y) {
					if !near(ins[0][i], v) {
						t.Errorf("undoes itself, but makes %v of %v", v, ins[0][i])
					}
				}
			}
		})
	}
}

// elementWise checks that each element of the result depends only on the elements of the operands
// at the same position. If the operands are transposed, the result must be the transposed old
// result.
func (o traitOp) elementWise() {
	transposed := func(x []float32) []float32 {
		y := make([]float32, 9)
		for i := range y {
			y[i] = x[i%3*3+i/3]
		}
		return y
	}
	var ins, other [][]float32
	for i := range o.ins {
		x := []float32{0.5, -1, 2, 0.25, 3, -0.75, 1.5, -2, 1}
		slices.Reverse(x[:4*i])
		ins, other = append(ins, x), append(other, transposed(x))
	}
	y, z := transposed(o.of(tensor.Shape{3, 3}, ins...)), o.of(tensor.Shape{3, 3}, other...)
	for i := range z {
		if !near(y[i], z[i]) {
			o.t.Errorf("is element-wise, but gives %v, and %v of transposed operands", y, z)
			return
		}
	}
}

// zeroSigns checks that the traits of the op say correctly how its result depends on the signs of
// zeros in the operands. y is the result for the operands ins.
func (o traitOp) zeroSigns(ins [][]float32, y []float32) {
	sees := []bool{false, false}
	for k := range ins {
		plus := slices.Clone(ins[k])
		for i, v := range plus {
			if v == 0 {
				plus[i] = 0
			}
		}
		all := slices.Clone(ins)
		all[k] = plus
		for i, v := range o.alone(all...) {
			sees[k] = sees[k] || v != y[i] && !(isNaN(v) && isNaN(y[i]))
			if o.def.Traits&lower.LosesZeroSign != 0 && math.Float32bits(v) != math.Float32bits(y[i]) && !isNaN(v) {
				o.t.Errorf("loses the sign of zero, but gives %v of -0 and %v of +0", y[i], v)
			}
		}
	}
	for k, tr := range []lower.Traits{lower.SeesZeroSign0, lower.SeesZeroSign1} {
		if said := o.def.Traits&tr != 0; said != sees[k] {
			o.t.Errorf("input %d: other numbers for -0 than for +0: the description says %v, the kernel %v", k, said, sees[k])
		}
	}
}
