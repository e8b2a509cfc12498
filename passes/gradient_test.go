package passes

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/graphc/graphc/frontend/opdef"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// gradientCase is a test case. The gradient of an op is compared with finite differences.
type gradientCase struct {
	op    string
	attrs map[string]ir.Attr // attributes of the op; attribute T is float64 if it is missing
	ins   []*tensor.Tensor   // inputs; floating-point and complex128 inputs are fed, and all others are constants
	fixed []int              // inputs whose gradient is zero by definition
}

// TestGradients compares the gradient of each gradientCase with finite differences. It does so with
// known shapes and with sizes that are known only at run time, and with and without the optional
// passes.
func TestGradients(t *testing.T) {
	tested := map[string]bool{"ReadVariableOp": true} // see testdata/inline
	for _, c := range gradientValues {
		tested[c.op] = true
	}
	for i, c := range gradientCases() {
		tested[c.op] = true
		t.Run(fmt.Sprint(i, c.op), func(t *testing.T) {
			for _, free := range []bool{false, true} {
				c.check(t, free)
			}
		})
	}
	found := 0
	for _, d := range ops.Ops().All() {
		if d.Gradient == nil {
			continue
		}
		if found++; !tested[d.Name] {
			t.Errorf("nothing tests the gradient of %s", d.Name)
		}
		if opdef.Lookup(d.Name) == nil || d.Traits&lower.NoGradient != 0 {
			t.Errorf("%s has a gradient and is none of TensorFlow's, or one that has none", d.Name)
		}
	}
	if found == 0 {
		t.Error("no op has a gradient")
	}
}

// TestGradientValues compares gradients with the values that TensorFlow computes.
func TestGradientValues(t *testing.T) {
	for i, c := range gradientValues {
		t.Run(fmt.Sprint(i, c.op), func(t *testing.T) {
			as, out := attrsFor(t, c.op, c.attrs, tensor.Float32)
			in := dtypes(c.ins)
			sg := map[string]ir.Attr{"Tin": slices.Concat(in, out), "Tout": in, "f": ir.Func{Name: c.op, Attrs: as}}
			for _, o := range []edit.Options{{Ops: ops.Ops(), NoOpt: true}, {Ops: ops.Ops()}} {
				dxs := ran(t, "SymbolicGradient", sg, in, slices.Concat(c.ins, c.dys), false, o)
				for i, w := range c.dx {
					got := dxs[i]
					if !got.Shape.Equal(w.Shape) || got.DType != w.DType {
						t.Fatalf("the gradient of input %d is %v, want %v", i, got, w)
					}
					if !agrees(got, w) {
						t.Errorf("the gradient of input %d is %v, want %v", i, got.Data, w.Data)
					}
				}
			}
		})
	}
}

// agrees reports whether the elements of two tensors are equal. Elements of type f32 may differ by
// rounding errors.
func agrees(a, b *tensor.Tensor) bool {
	x, ok := a.Data.([]float32)
	if !ok {
		return fmt.Sprint(a.Data) == fmt.Sprint(b.Data)
	}
	return slices.EqualFunc(x, b.Data.([]float32), func(v, w float32) bool { return v == w || math.Abs(float64(v-w)) <= 1e-6*math.Abs(float64(w)) })
}

// TestGradientRefused checks the errors for ops that have no gradient, and for gradients that
// TensorFlow rejects.
func TestGradientRefused(t *testing.T) {
	z := as(tensor.Complex128, numbersIn(-1, 1, 2, 2))
	x := numbersIn(-1, 1, 3)
	for _, c := range []struct {
		op    string
		attrs map[string]ir.Attr
		ins   []*tensor.Tensor
		dx    int
		code  tensor.Code
	}{
		{"Elu", attrs("T", tensor.Float64), many(x, x), 1, tensor.NotFound},
		{"NoSuchOp", nil, many(x, x), 1, tensor.NotFound},
		{"Shape", attrs("T", tensor.Float64, "out_type", tensor.Int32), many(x, i32(3)), 1, tensor.InvalidArgument},
		{"SymbolicGradient", nil, many(x, x), 1, tensor.InvalidArgument},
		{"MatMul", attrs("T", tensor.Complex128), many(z, z, z), 2, tensor.Unimplemented},
		{"ReverseV2", attrs("T", tensor.Float64, "Tidx", tensor.Int64), many(x, i64(0), x), 2, tensor.Unimplemented},
		{"Slice", attrs("T", tensor.Float64, "Index", tensor.Int64), many(x, i64(0), i64(3), x), 3, tensor.Unimplemented},
		{"Neg", attrs("T", tensor.Float64), many(x, x, x), 1, tensor.InvalidArgument},
		{"Neg", attrs("T", tensor.Float64), many(x), 1, tensor.InvalidArgument},
		{"Neg", attrs("T", tensor.Float32), many(x, x), 1, tensor.InvalidArgument},
		{"Neg", nil, many(x, x), 1, tensor.NotFound},
	} {
		g, os := gradientGraph(c.ins, false)
		n := g.NewNode("y", "SymbolicGradient", map[string]ir.Attr{"Tin": dtypes(c.ins), "Tout": dtypes(c.ins[:c.dx]), "f": ir.Func{Name: c.op, Attrs: c.attrs}}, c.dx, os...)
		g.Fetches = []ir.Fetch{{Name: "y:0", Key: "y", Out: ir.Out{Node: n}}}
		if err := Run(g, edit.Options{Ops: ops.Ops(), NoOpt: true}); tensor.CodeOf(err) != c.code {
			t.Errorf("%s of %d tensors: %v, want %v", c.op, len(c.ins), err, c.code)
		}
	}
}

func dtypes(ts []*tensor.Tensor) []tensor.DType {
	var ds []tensor.DType
	for _, t := range ts {
		ds = append(ds, t.DType)
	}
	return ds
}

// isReal reports whether t has a type for which finite differences can be computed.
func isReal(t *tensor.Tensor) bool {
	return t.DType == tensor.Float32 || t.DType == tensor.Float64 || t.DType == tensor.Complex128
}

// gradientGraph returns a graph with the tensors x0, x1 and so on, and these tensors. Those for
// which isReal is true are fed, and the others are constants. If free is true, all sizes of fed
// tensors except 1 are known only at run time.
func gradientGraph(ins []*tensor.Tensor, free bool) (*ir.Graph, []ir.Out) {
	g := ir.NewGraph("g")
	g.Producer = 1000
	var os []ir.Out
	for i, t := range ins {
		name := fmt.Sprintf("x%d", i)
		if !isReal(t) {
			os = append(os, g.NewConst(name, t))
			continue
		}
		s := ir.Shape{Known: true}
		p := ir.PartialShape{}
		for k, d := range t.Shape {
			e := sym.Int(d)
			if free && d > 1 {
				e = sym.Var(fmt.Sprintf("s%d_%d", i, k))
			}
			s.Dims = append(s.Dims, e)
			p.Dims = append(p.Dims, -1)
		}
		n := g.NewNode(name, "Placeholder", map[string]ir.Attr{"dtype": t.DType, "shape": p}, 1)
		n.Outs[0].DType = t.DType
		os = append(os, ir.Out{Node: n})
		g.Feeds = append(g.Feeds, ir.Feed{Name: name + ":0", Key: name, Out: ir.Out{Node: n}, Shape: s})
	}
	return g, os
}

// ran runs a graph with one node of the given op, and returns the outputs of the node.
func ran(t *testing.T, op string, attrs map[string]ir.Attr, out []tensor.DType, ins []*tensor.Tensor, free bool, o edit.Options) []*tensor.Tensor {
	t.Helper()
	g, os := gradientGraph(ins, free)
	n := g.NewNode("y", op, attrs, len(out), os...)
	for i, d := range out {
		n.Outs[i].DType = d
		g.Fetches = append(g.Fetches, ir.Fetch{Name: fmt.Sprintf("y:%d", i), Key: fmt.Sprint(i), Out: ir.Out{Node: n, Index: i}})
	}
	o.Eval, o.Check = eval, true
	if err := Run(g, o); err != nil {
		t.Fatal(err)
	}
	feeds := map[string]*tensor.Tensor{}
	for i, x := range ins {
		if isReal(x) {
			feeds[fmt.Sprintf("x%d:0", i)] = x
		}
	}
	got, err := run(g, feeds)
	if err != nil {
		t.Fatalf("%v\n%s", err, g.Text(ir.PrintOptions{}))
	}
	var ys []*tensor.Tensor
	for _, f := range g.Fetches {
		ys = append(ys, got[f.Name])
	}
	return ys
}

// numbers returns the real numbers in a tensor: the real and the imaginary part of each complex
// element.
func numbers(t *tensor.Tensor) []float64 {
	var v []float64
	switch d := t.Data.(type) {
	case []float64:
		v = d
	case []float32:
		for _, x := range d {
			v = append(v, float64(x))
		}
	case []complex128:
		for _, x := range d {
			v = append(v, real(x), imag(x))
		}
	}
	return v
}

// nudge returns a copy of a tensor with h added to its k-th real number.
func nudge(t *tensor.Tensor, k int, h float64) *tensor.Tensor {
	u := tensor.Must(tensor.New(t.DType, t.Shape, 0))
	switch d := t.Data.(type) {
	case []float64:
		copy(u.Data.([]float64), d)
		u.Data.([]float64)[k] += h
	case []float32:
		copy(u.Data.([]float32), d)
		u.Data.([]float32)[k] += float32(h)
	case []complex128:
		copy(u.Data.([]complex128), d)
		if k%2 == 0 {
			u.Data.([]complex128)[k/2] += complex(h, 0)
		} else {
			u.Data.([]complex128)[k/2] += complex(0, h)
		}
	}
	return u
}

// attrsFor returns all attributes of an op: the given ones, and default values for those that are
// not given. If attribute T is not given, its value is the last parameter. attrsFor also returns
// the types of the op's outputs.
func attrsFor(t *testing.T, op string, given map[string]ir.Attr, of tensor.DType) (map[string]ir.Attr, []tensor.DType) {
	as := map[string]ir.Attr{}
	maps.Copy(as, given)
	for _, a := range opdef.Lookup(op).Attrs {
		if _, ok := as[a.Name]; !ok && a.Name == "T" {
			as["T"] = of
		} else if !ok && a.HasDefault {
			as[a.Name] = a.Default
		}
	}
	out, ok := lower.OutTypes(&ir.Node{Op: op, Attrs: as}, nil)
	if !ok {
		t.Fatal("the attributes do not tell the types")
	}
	return as, out
}

func (c gradientCase) check(t *testing.T, free bool) {
	whole, out := attrsFor(t, c.op, c.attrs, tensor.Float64)
	forward := func(ins []*tensor.Tensor) []*tensor.Tensor {
		return ran(t, c.op, whole, out, ins, false, edit.Options{Ops: ops.Ops(), NoOpt: true})
	}
	ys := forward(c.ins)
	var dys []*tensor.Tensor
	for i, y := range ys {
		d := numbersIn(-1, 1, append([]int{i + 2}, y.Shape...)...)
		d = &tensor.Tensor{DType: d.DType, Shape: y.Shape, Data: tensor.Data[float64](d)[:y.Len()]}
		if y.DType != tensor.Float64 {
			d = as(y.DType, d)
		}
		dys = append(dys, d)
	}
	along := func(ys []*tensor.Tensor) float64 {
		s := 0.0
		for i, y := range ys {
			for k, v := range numbers(y) {
				s += v * numbers(dys[i])[k]
			}
		}
		return s
	}
	in := dtypes(c.ins)
	sg := map[string]ir.Attr{"Tin": slices.Concat(in, out), "Tout": in, "f": ir.Func{Name: c.op, Attrs: whole}}
	for _, o := range []edit.Options{{Ops: ops.Ops(), NoOpt: true}, {Ops: ops.Ops()}} {
		dxs := ran(t, "SymbolicGradient", sg, in, slices.Concat(c.ins, dys), free, o)
		for i, x := range c.ins {
			dx := dxs[i]
			if !dx.Shape.Equal(x.Shape) || dx.DType != x.DType {
				t.Fatalf("the gradient of input %d is %v, want %v", i, dx, x)
			}
			if !isReal(x) {
				for k := range dx.Len() {
					if s := fmt.Sprint(at(dx, k)); s != "0" && s != "false" {
						t.Errorf("the gradient of input %d is %v, want zeros", i, dx.Data)
					}
				}
				continue
			}
			h, tol := 1e-6, 1e-6
			if x.DType == tensor.Float32 {
				h, tol = 1.0/64, 1e-5
			}
			for k, got := range numbers(dx) {
				plus, minus := slices.Clone(c.ins), slices.Clone(c.ins)
				plus[i], minus[i] = nudge(x, k, h), nudge(x, k, -h)
				want := 0.0
				if !slices.Contains(c.fixed, i) {
					want = (along(forward(plus)) - along(forward(minus))) / (2 * h)
				}
				if !(math.Abs(got-want) <= tol*(1+math.Abs(want))) {
					t.Errorf("%+v, sizes free: %v: the gradient of input %d at %d is %v, want %v", o.NoOpt, free, i, k, got, want)
				}
			}
		}
	}
}

// at returns element k of a tensor.
func at(t *tensor.Tensor, k int) any {
	switch d := t.Data.(type) {
	case []int32:
		return d[k]
	case []int64:
		return d[k]
	case []bool:
		return d[k]
	}
	return nil
}
