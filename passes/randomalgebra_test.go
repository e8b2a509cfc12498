package passes

import (
	"fmt"
	"math"
	"math/rand"
	"reflect"
	"testing"

	"github.com/graphc/graphc/internal/testkit"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// algebraist makes random graphs with those kinds of arithmetic that passes rewrite. The tensors
// are [B,4], [4] and scalars; their types are f32, i32 and bool. Most tensors have one reader.
type algebraist struct {
	r    *rand.Rand
	g    *ir.Graph
	f    []ir.Out // f32[B,4]
	i    []ir.Out // i32[B,4]
	b    []ir.Out // bool[B,4]
	last []ir.Out
}

func (m *algebraist) node(op string, d tensor.DType, attrs map[string]ir.Attr, ins ...ir.Out) ir.Out {
	if attrs == nil {
		attrs = map[string]ir.Attr{"T": ins[0].Fact().DType}
	}
	n := m.g.NewNode(op, op, attrs, 1, ins...)
	n.Outs[0].DType = d
	return ir.Out{Node: n}
}

// of returns a random tensor from list l. In most cases it is the last one, so that chains of nodes
// arise.
func (m *algebraist) of(l []ir.Out) ir.Out {
	if m.r.Intn(3) > 0 {
		return l[len(l)-1]
	}
	return pick(m.r, l)
}

func (m *algebraist) constF(vs ...float32) ir.Out {
	s := pick(m.r, []tensor.Shape{{}, {1}, {4}, {1, 4}})
	n, _ := s.Len()
	d := make([]float32, n)
	for i := range d {
		d[i] = pick(m.r, vs)
	}
	if m.r.Intn(2) == 0 {
		for i := range d {
			d[i] = d[0]
		}
	}
	return m.g.NewConst("c", tensor.Must(tensor.From(s, d)))
}

func (m *algebraist) constI(vs ...int32) ir.Out {
	s := pick(m.r, []tensor.Shape{{}, {4}})
	n, _ := s.Len()
	d := make([]int32, n)
	for i := range d {
		d[i] = pick(m.r, vs)
	}
	return m.g.NewConst("c", tensor.Must(tensor.From(s, d)))
}

func (m *algebraist) axes(vs ...int32) ir.Out {
	return m.g.NewConst("axes", tensor.Must(tensor.From(tensor.Shape{len(vs)}, vs)))
}

// step adds one op or one pattern of ops. The absolute values of floats stay below some thousands.
func (m *algebraist) step() {
	f32, i32, bl := tensor.Float32, tensor.Int32, tensor.Bool
	x, y := m.of(m.f), m.of(m.f)
	i, j := m.of(m.i), m.of(m.i)
	flip := func(a, b ir.Out) (ir.Out, ir.Out) {
		if m.r.Intn(2) == 0 {
			return b, a
		}
		return a, b
	}
	bounded := func(o ir.Out) ir.Out { return m.node("Tanh", f32, nil, o) }
	switch m.r.Intn(26) {
	case 0, 1: // a chain of sums
		a, b := flip(x, m.constF(0, 1, 3, -2, 0.5, 1e-12, 3e7))
		m.f = append(m.f, m.node(pick(m.r, []string{"AddV2", "Add", "Sub"}), f32, nil, a, b))
	case 2: // a chain of products
		a, b := flip(bounded(x), m.constF(1, 2, -4, 0.5, 3))
		m.f = append(m.f, m.node("Mul", f32, nil, a, b))
	case 3:
		m.f = append(m.f, m.node(pick(m.r, []string{"RealDiv", "Div"}), f32, nil, x, m.constF(1, 2, 3, -7)))
	case 4: // signs
		m.f = append(m.f, m.node("Neg", f32, nil, x))
	case 5:
		n := m.node("Neg", f32, nil, y)
		a, b := flip(x, n)
		m.f = append(m.f, m.node(pick(m.r, []string{"AddV2", "Sub", "Mul"}), f32, nil, bounded(a), b))
	case 6: // common factors
		x, y, z := bounded(x), bounded(y), bounded(m.of(m.f))
		p, q := m.node("Mul", f32, nil, x, y), m.node("Mul", f32, nil, z, x)
		if m.r.Intn(2) == 0 {
			m.f = append(m.f, m.node(pick(m.r, []string{"AddV2", "Sub"}), f32, nil, p, q))
		} else {
			m.f = append(m.f, m.node("AddN", f32, map[string]ir.Attr{"T": f32, "N": int64(3)}, p, q, m.node("Square", f32, nil, x)))
		}
	case 7: // equal terms
		m.f = append(m.f, m.node("AddN", f32, map[string]ir.Attr{"T": f32, "N": int64(3)}, x, x, x))
	case 8:
		x := bounded(x)
		m.f = append(m.f, m.node("Mul", f32, nil, x, x))
	case 9:
		m.f = append(m.f, m.node("Square", f32, nil, m.node("Sub", f32, nil, bounded(x), bounded(y))))
	case 10: // logarithms
		one := m.g.NewConst("one", tensor.Must(tensor.From(tensor.Shape{1}, []float32{1})))
		sq := m.node("Square", f32, nil, bounded(x))
		m.f = append(m.f, m.node("Log", f32, nil, m.node("AddV2", f32, nil, sq, one)),
			m.node("Sub", f32, nil, m.node("Exp", f32, nil, bounded(y)), one))
	case 11:
		m.f = append(m.f, m.node("Log", f32, nil, m.node("Softmax", f32, nil, bounded(x))))
	case 12: // roots
		sq := m.node("AddV2", f32, nil, m.node("Square", f32, nil, bounded(y)), m.constF(0.5))
		m.f = append(m.f, m.node("RealDiv", f32, nil, x, m.node("Sqrt", f32, nil, sq)),
			m.node("Pow", f32, nil, sq, m.g.NewConst("half", edit.Scalar(f32, pick(m.r, []float64{0.5, -0.5, 0, 1, 2})))))
	case 13:
		m.f = append(m.f, m.node("Maximum", f32, nil, x, m.node("Mul", f32, nil, x, m.g.NewConst("alpha", edit.Scalar(f32, 0.25)))))
	case 14: // involutions around nodes that move elements
		op := pick(m.r, []string{"Neg", "Identity"})
		n := m.node(op, f32, nil, x)
		v := m.node("ReverseV2", f32, map[string]ir.Attr{"T": f32, "Tidx": i32}, n, m.axes(1))
		if m.r.Intn(2) == 0 {
			v = m.node("ReverseV2", f32, map[string]ir.Attr{"T": f32, "Tidx": i32}, v, m.axes(-1))
		}
		m.f = append(m.f, m.node(op, f32, nil, v))
	case 15: // casts
		wide := m.node("Cast", tensor.Float64, map[string]ir.Attr{"SrcT": f32, "DstT": tensor.Float64, "Truncate": false}, x)
		if m.r.Intn(2) == 0 {
			wide = m.node("ReverseV2", tensor.Float64, map[string]ir.Attr{"T": tensor.Float64, "Tidx": i32}, wide, m.axes(0))
		}
		m.f = append(m.f, m.node("Cast", f32, map[string]ir.Attr{"SrcT": tensor.Float64, "DstT": f32, "Truncate": false}, wide))
	case 16:
		bits := m.node("Bitcast", i32, map[string]ir.Attr{"T": f32, "type": i32}, x)
		if m.r.Intn(2) == 0 {
			m.f = append(m.f, m.node("Bitcast", f32, map[string]ir.Attr{"T": i32, "type": f32}, bits))
		}
	case 17: // integers
		a, b := flip(i, m.constI(0, 1, -3, math.MaxInt32))
		m.i = append(m.i, m.node(pick(m.r, []string{"AddV2", "Sub", "Mul", "BitwiseAnd", "BitwiseOr", "BitwiseXor"}), i32, nil, a, b))
	case 18:
		m.i = append(m.i, m.node(pick(m.r, []string{"AddV2", "Sub", "Mul", "Maximum"}), i32, nil, i, j), m.node(pick(m.r, []string{"Neg", "Invert", "Square"}), i32, nil, i))
	case 19: // comparisons
		attrs := map[string]ir.Attr{"T": i32}
		op := pick(m.r, []string{"Less", "GreaterEqual", "Equal", "NotEqual"})
		if op == "Equal" || op == "NotEqual" {
			attrs["incompatible_shape_error"] = true
		}
		c := m.node(op, bl, attrs, i, j)
		if m.r.Intn(2) == 0 {
			attrs["T"] = f32
			c.Node.Ins = []ir.Out{x, y}
		}
		m.b = append(m.b, m.node("LogicalNot", bl, map[string]ir.Attr{}, c))
	case 20:
		k := m.g.NewConst("k", tensor.Must(tensor.From(tensor.Shape{1}, []bool{m.r.Intn(2) == 0})))
		a, b := flip(m.of(m.b), k)
		m.b = append(m.b, m.node(pick(m.r, []string{"LogicalAnd", "LogicalOr"}), bl, map[string]ir.Attr{}, a, b))
	case 21:
		k := m.g.NewConst("k", tensor.Must(tensor.From(nil, []bool{m.r.Intn(2) == 0})))
		if m.r.Intn(2) == 0 {
			k = m.of(m.b)
		}
		m.f = append(m.f, m.node("SelectV2", f32, nil, k, x, y))
		m.f[len(m.f)-1].Node.Attrs = map[string]ir.Attr{"T": f32}
	case 22: // stacks
		p := m.node("Pack", f32, map[string]ir.Attr{"T": f32, "N": int64(2), "axis": int64(1)}, x, y)
		begin, end := m.axes(0, 1), m.axes(0, 2)
		shrink := int64(2 * m.r.Intn(2))
		s := m.node("StridedSlice", f32, map[string]ir.Attr{"T": f32, "Index": i32, "begin_mask": int64(1), "end_mask": int64(1), "ellipsis_mask": int64(0),
			"new_axis_mask": int64(0), "shrink_axis_mask": shrink}, p, begin, end, m.axes(1, 1))
		if shrink == 0 {
			s = m.node("Max", f32, map[string]ir.Attr{"T": f32, "Tidx": i32, "keep_dims": false}, s, m.axes(1))
		}
		m.f = append(m.f, s)
	case 23: // parts
		c := map[string]ir.Attr{"T": f32, "N": int64(2), "Tidx": i32}
		axis := m.g.NewConst("axis", tensor.Must(tensor.From(nil, []int32{1})))
		z := m.node("ConcatV2", f32, c, m.node("ConcatV2", f32, c, m.node("Exp", f32, nil, bounded(x)), m.node("Exp", f32, nil, bounded(y)), axis), x, axis)
		m.f = append(m.f, m.node("Slice", f32, map[string]ir.Attr{"T": f32, "Index": i32}, z, m.axes(0, int32(m.r.Intn(9))), m.axes(-1, 4)))
	case 24: // sums of several
		m.f = append(m.f, m.node("AddV2", f32, nil, m.node("AddV2", f32, nil, x, y), m.node("AddV2", f32, nil, pick(m.r, m.f), bounded(y))))
	case 25:
		keep := map[string]ir.Attr{"T": f32, "Tidx": i32, "keep_dims": true}
		v := m.node(pick(m.r, []string{"Max", "Min"}), f32, keep, m.node(pick(m.r, []string{"Neg", "Exp", "Tanh", "Relu", "Floor"}), f32, nil, bounded(x)), m.axes(1))
		m.f = append(m.f, m.node("Sub", f32, nil, y, v))
	}
	if m.r.Intn(12) == 0 { // a second reader
		m.last = append(m.last, pick(m.r, m.f))
	}
}

func algebraGraph(seed int64) *ir.Graph {
	g := ir.NewGraph("algebra")
	g.Producer = 1000
	m := &algebraist{r: rand.New(rand.NewSource(seed)), g: g}
	feed := func(name string, d tensor.DType) ir.Out {
		x := g.NewNode(name, "Placeholder", map[string]ir.Attr{"dtype": d, "shape": ir.PartialShape{Dims: []int64{-1, 4}}}, 1)
		x.Outs[0] = ir.Fact{DType: d, Shape: ir.ShapeOf(sym.Var("B"), sym.Int(4))}
		o := ir.Out{Node: x}
		g.Feeds = append(g.Feeds, ir.Feed{Name: name + ":0", Key: name, Out: o, Shape: x.Outs[0].Shape})
		return o
	}
	m.f = []ir.Out{feed("x", tensor.Float32), feed("z", tensor.Float32)}
	m.i = []ir.Out{feed("i", tensor.Int32)}
	m.b = []ir.Out{feed("b", tensor.Bool)}
	for range 3 + m.r.Intn(14) {
		m.step()
	}
	fetched := map[ir.Out]bool{}
	for k, o := range append(m.last, m.f[len(m.f)-1], m.i[len(m.i)-1], m.b[len(m.b)-1], pick(m.r, m.f)) {
		if fetched[o] {
			continue
		}
		fetched[o] = true
		g.Fetches = append(g.Fetches, ir.Fetch{Name: fmt.Sprintf("f%d:0", k), Key: fmt.Sprint(k), Out: o})
	}
	return g
}

// TestRandomAlgebra checks that a random graph computes the same with all passes as with only the
// required passes. Integers and bools must be equal, floats may differ by rounding errors, and NaN
// must be in the same places.
func TestRandomAlgebra(t *testing.T) {
	feeds := map[string]*tensor.Tensor{
		"x:0": tensor.Must(tensor.From(tensor.Shape{2, 4}, []float32{1, -2, 3, 0.25, -1, 5, 0, 2})),
		"z:0": tensor.Must(tensor.From(tensor.Shape{2, 4}, []float32{0.5, float32(math.NaN()), -3, 7, 11, -0.125, 1, float32(math.Copysign(0, -1))})),
		"i:0": tensor.Must(tensor.From(tensor.Shape{2, 4}, []int32{1, -2, 3, math.MaxInt32, math.MinInt32, 5, 0, 2})),
		"b:0": tensor.Must(tensor.From(tensor.Shape{2, 4}, []bool{true, false, false, true, true, true, false, false})),
	}
	edits := map[string]int{}
	for seed := range int64(testkit.Times(150, 400)) {
		plain, full := algebraGraph(seed), algebraGraph(seed)
		want, got, text := bothWays(t, seed, plain, full, feeds)
		for _, j := range full.Journal {
			edits[j.Pass]++
		}
		for name, w := range want {
			if why := differs(got[name], w); why != "" {
				t.Fatalf("seed %d: %s: %s\n%s\noptimised\n%s\n%v", seed, name, why, text, full.Text(ir.PrintOptions{}), full.Journal)
			}
		}
	}
	for _, pass := range []string{"neutral", "constants", "factor", "functions", "involution", "pieces", "strength"} {
		if edits[pass] < 10 {
			t.Errorf("pass %s made %d edits", pass, edits[pass])
		}
	}
}

// differs describes the difference between two tensors. It returns "" if they are equal except for
// rounding errors.
func differs(got, want *tensor.Tensor) string {
	if got == nil || got.DType != want.DType || !got.Shape.Equal(want.Shape) {
		return fmt.Sprintf("is %v, want %v", got, want)
	}
	w, ok := want.Data.([]float32)
	if !ok {
		if !reflect.DeepEqual(got.Data, want.Data) {
			return fmt.Sprintf("is %v, want %v", got.Data, want.Data)
		}
		return ""
	}
	for i, v := range w {
		u := got.Data.([]float32)[i]
		if d := math.Abs(float64(u - v)); u != v && !(d <= 1e-4*(1+math.Abs(float64(v)))) && (u == u || v == v) {
			return fmt.Sprintf("[%d] is %v, want %v", i, u, v)
		}
	}
	return ""
}
