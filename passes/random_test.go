package passes

import (
	"fmt"
	"math"
	"math/rand"
	"testing"

	"github.com/graphc/graphc/internal/testkit"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// maker makes random graphs. The tensors are f32[B,4] and f32[4]. The graphs contain functions,
// identities, constants, control edges and several fetches.
type maker struct {
	r     *rand.Rand
	g     *ir.Graph
	whole []ir.Out // f32[B,4]
	rows  []ir.Out // f32[4]
	depth int
}

func pick[T any](r *rand.Rand, l []T) T { return l[r.Intn(len(l))] }

func (m *maker) op(op string, attrs map[string]ir.Attr, outs int, ins ...ir.Out) []ir.Out {
	if attrs == nil {
		attrs = map[string]ir.Attr{"T": tensor.Float32}
	}
	n := m.g.NewNode(op, op, attrs, outs, ins...)
	if k := m.r.Intn(len(m.g.Nodes)); m.r.Intn(4) == 0 && m.g.Nodes[k] != n && m.g.Nodes[k].Op != "_Arg" {
		n.Controls = append(n.Controls, m.g.Nodes[k])
	}
	l := make([]ir.Out, outs)
	for i := range l {
		n.Outs[i].DType = tensor.Float32
		l[i] = ir.Out{Node: n, Index: i}
	}
	return l
}

func (m *maker) ints(vs ...int32) ir.Out {
	return m.g.NewConst("ints", tensor.Must(tensor.From(tensor.Shape{len(vs)}, vs)))
}

func (m *maker) floats(shape ...int) ir.Out {
	t, err := tensor.New(tensor.Float32, shape, 0)
	if err != nil {
		panic(err)
	}
	d := tensor.Data[float32](t)
	for i := range d {
		d[i] = pick(m.r, []float32{0, 1, -1, 2, 0.5, float32(math.Copysign(0, -1))})
	}
	return m.g.NewConst("floats", t)
}

// step adds one op.
func (m *maker) step() {
	x, v := pick(m.r, m.whole), pick(m.r, m.rows)
	f := map[string]ir.Attr{"T": tensor.Float32}
	whole := func(l []ir.Out) { m.whole = append(m.whole, l...) }
	row := func(l []ir.Out) { m.rows = append(m.rows, l...) }
	switch m.r.Intn(20) {
	case 0:
		row([]ir.Out{m.floats(4)})
	case 1:
		whole(m.op(pick(m.r, []string{"Neg", "Relu", "Abs", "Identity", "StopGradient"}), nil, 1, x))
	case 2:
		row(m.op(pick(m.r, []string{"Neg", "Relu", "Abs", "Identity", "Snapshot"}), nil, 1, v))
	case 3:
		whole(m.op(pick(m.r, []string{"AddV2", "Maximum", "Sub", "Minimum"}), nil, 1, x, pick(m.r, m.whole)))
	case 4:
		whole(m.op(pick(m.r, []string{"AddV2", "Mul", "Sub"}), nil, 1, x, v))
	case 5:
		row(m.op(pick(m.r, []string{"AddV2", "Maximum", "Sub"}), nil, 1, v, pick(m.r, m.rows)))
	case 6:
		whole(m.op("IdentityN", map[string]ir.Attr{"T": []tensor.DType{tensor.Float32, tensor.Float32}}, 2, x, pick(m.r, m.whole)))
	case 7:
		s := m.op("Shape", map[string]ir.Attr{"T": tensor.Float32, "out_type": tensor.Int32}, 1, x)[0]
		s.Fact().DType = tensor.Int32
		whole(m.op("Reshape", map[string]ir.Attr{"T": tensor.Float32, "Tshape": tensor.Int32}, 1, pick(m.r, m.whole), s))
	case 8:
		perm := m.ints(0, 1)
		whole(m.op("Transpose", map[string]ir.Attr{"T": tensor.Float32, "Tperm": tensor.Int32}, 1, x, perm))
	case 9:
		whole(m.op("Cast", map[string]ir.Attr{"SrcT": tensor.Float32, "DstT": tensor.Float32, "Truncate": false}, 1, x))
	case 10, 11, 12:
		p := m.op("MatMul", map[string]ir.Attr{"T": tensor.Float32, "transpose_a": false, "transpose_b": m.r.Intn(2) == 0}, 1, x, m.floats(4, 4))
		if m.r.Intn(2) == 0 {
			p = m.op(pick(m.r, []string{"BiasAdd", "Mul", "AddV2", "Sub"}), f, 1, p[0], v)
		}
		if m.r.Intn(2) == 0 {
			p = m.op(pick(m.r, []string{"Mul", "AddV2", "Sub"}), f, 1, m.floats(4), p[0])
		}
		if m.r.Intn(3) == 0 {
			p = m.op("AddV2", f, 1, p[0], x)
		}
		if m.r.Intn(2) == 0 {
			p = m.op("Relu", f, 1, p[0])
		}
		whole(p)
	case 13:
		s := m.op("Split", map[string]ir.Attr{"T": tensor.Float32, "num_split": int64(2)}, 2, m.g.NewConst("axis", tensor.Must(tensor.From(nil, []int32{0}))), v)
		c := m.op("ConcatV2", map[string]ir.Attr{"T": tensor.Float32, "N": int64(2), "Tidx": tensor.Int32}, 1, s[1], s[0],
			m.g.NewConst("axis", tensor.Must(tensor.From(nil, []int32{0}))))
		row(c)
	case 14:
		if m.depth < 2 {
			whole(m.call(x, v))
		}
	case 16: // transpositions around element-wise functions, and of a product's operand
		turn := map[string]ir.Attr{"T": tensor.Float32, "Tperm": tensor.Int32}
		y := m.op("Transpose", turn, 1, x, m.ints(1, 0))
		z := m.op(pick(m.r, []string{"Neg", "Relu", "Tanh"}), nil, 1, y[0])
		if m.r.Intn(2) == 0 {
			z = m.op("AddV2", f, 1, z[0], y[0])
		}
		if m.r.Intn(2) == 0 {
			g := m.op("MatMul", map[string]ir.Attr{"T": tensor.Float32, "transpose_a": false, "transpose_b": false}, 1, z[0], x)
			row(m.op("Sum", map[string]ir.Attr{"T": tensor.Float32, "Tidx": tensor.Int32, "keep_dims": false}, 1, g[0], m.ints(0)))
		}
		whole(m.op("Transpose", turn, 1, z[0], m.ints(1, 0)))
	case 17: // a normalisation of rows
		mean := map[string]ir.Attr{"T": tensor.Float32, "Tidx": tensor.Int32, "keep_dims": true}
		a := m.op("Mean", mean, 1, x, m.ints(-1))
		s := m.op("Mean", mean, 1, m.op("SquaredDifference", nil, 1, x, a[0])[0], m.ints(1))
		r := m.op("Rsqrt", nil, 1, m.op("AddV2", f, 1, s[0], m.g.NewConst("eps", tensor.Must(tensor.From(nil, []float32{0.5}))))[0])
		whole(m.op("AddV2", f, 1, m.op("Mul", f, 1, m.op("Mul", f, 1, m.op("Sub", f, 1, x, a[0])[0], r[0])[0], v)[0], pick(m.r, m.rows)))
	case 18: // swish, and a neutral element
		y := m.op("Mul", f, 1, x, m.g.NewConst("one", tensor.Must(tensor.From(nil, []float32{1}))))
		whole(m.op("Mul", f, 1, m.op("Sigmoid", nil, 1, y[0])[0], x))
	case 19: // a layer over the last axis of a tensor of rank 3
		shaped := map[string]ir.Attr{"T": tensor.Float32, "Tshape": tensor.Int32}
		y := m.op("Reshape", shaped, 1, x, m.ints(-1, 2, 2))
		p := m.op("Einsum", map[string]ir.Attr{"T": tensor.Float32, "N": int64(2), "equation": "abi,io->abo"}, 1, y[0], m.floats(2, 2))
		p = m.op("AddV2", f, 1, p[0], m.floats(2))
		if m.r.Intn(2) == 0 {
			p = m.op("AddV2", f, 1, p[0], y[0])
		}
		whole(m.op("Reshape", shaped, 1, m.op("Relu", nil, 1, p[0])[0], m.ints(-1, 4)))
	case 15:
		n := m.g.NewNode("NoOp", "NoOp", nil, 0)
		n.Controls = []*ir.Node{x.Node}
	}
}

// call adds a new function and a call of it. The arguments are x, a tensor from m.whole, and v, a
// tensor from m.rows.
func (m *maker) call(x, v ir.Out) []ir.Out {
	name := fmt.Sprintf("fn%d", len(m.g.Library.Functions))
	f := &ir.Function{Name: name, Args: make([]ir.Param, 2), Rets: make([]ir.Param, 2), Body: ir.NewGraph(name)}
	m.g.Library.Functions[name] = f
	b := &maker{r: m.r, g: f.Body, depth: m.depth + 1}
	f.Body.Library = m.g.Library
	for i := range f.Args {
		f.Args[i] = ir.Param{Name: fmt.Sprint("a", i), DType: tensor.Float32}
		a := f.Body.NewNode("a", "_Arg", map[string]ir.Attr{"T": tensor.Float32, "index": int64(i)}, 1)
		a.Outs[0].DType = tensor.Float32
		if o := (ir.Out{Node: a}); i == 0 {
			b.whole = append(b.whole, o)
		} else {
			b.rows = append(b.rows, o)
		}
	}
	for range 4 {
		b.step()
	}
	for i := range f.Rets {
		f.Rets[i] = ir.Param{Name: fmt.Sprint("r", i), DType: tensor.Float32}
		f.Body.NewNode("r", "_Retval", map[string]ir.Attr{"T": tensor.Float32, "index": int64(i)}, 0, pick(m.r, b.whole))
	}
	if m.r.Intn(2) == 0 {
		return m.op(name, map[string]ir.Attr{}, 2, x, v)
	}
	ts := []tensor.DType{tensor.Float32, tensor.Float32}
	return m.op("PartitionedCall", map[string]ir.Attr{"f": ir.Func{Name: name}, "Tin": ts, "Tout": ts}, 2, x, v)
}

func randomGraph(seed int64) *ir.Graph {
	g := ir.NewGraph("random")
	g.Producer = 1000
	g.Library = &ir.Library{Functions: map[string]*ir.Function{}}
	m := &maker{r: rand.New(rand.NewSource(seed)), g: g}
	x := g.NewNode("x", "Placeholder", map[string]ir.Attr{"dtype": tensor.Float32, "shape": ir.PartialShape{Dims: []int64{-1, 4}}}, 1)
	x.Outs[0] = ir.Fact{DType: tensor.Float32, Shape: ir.ShapeOf(sym.Var("B"), sym.Int(4))}
	m.whole = []ir.Out{{Node: x}}
	m.rows = []ir.Out{m.floats(4)}
	g.Feeds = []ir.Feed{{Name: "x:0", Key: "x", Out: m.whole[0], Shape: x.Outs[0].Shape}}
	for range 5 + m.r.Intn(25) {
		m.step()
	}
	for i := range 3 {
		l := m.whole
		if i == 2 {
			l = m.rows
		}
		o := pick(m.r, l)
		g.Fetches = append(g.Fetches, ir.Fetch{Name: fmt.Sprintf("f%d:0", i), Key: fmt.Sprint(i), Out: o})
	}
	g.Targets = []*ir.Node{pick(m.r, g.Nodes)}
	return g
}

// bothWays applies passes to two equal graphs and then runs them. The graph in the parameter plain
// gets only the required passes, and the graph in the parameter full gets all passes. The outputs
// of the first graph are returned as want, those of the second graph as got. The result text
// describes the graphs before the passes.
func bothWays(t *testing.T, seed int64, plain, full *ir.Graph, feeds map[string]*tensor.Tensor) (want, got map[string]*tensor.Tensor, text string) {
	t.Helper()
	text = plain.Text(ir.PrintOptions{})
	if err := Run(plain, edit.Options{Ops: ops.Ops(), NoOpt: true, Check: true}); err != nil {
		t.Fatalf("seed %d, required passes: %v\n%s", seed, err, text)
	}
	if err := Run(full, edit.Options{Ops: ops.Ops(), Check: true, Eval: eval}); err != nil {
		t.Fatalf("seed %d, all passes: %v\n%s", seed, err, text)
	}
	want, err := run(plain, feeds)
	if err != nil {
		t.Fatalf("seed %d, required passes: %v\n%s", seed, err, text)
	}
	if got, err = run(full, feeds); err != nil {
		t.Fatalf("seed %d, all passes: %v\n%s", seed, err, text)
	}
	return want, got, text
}

// TestRandomGraphs checks that a random graph computes the same with all passes as with only the
// required passes. Rounding errors are allowed if one of the passes that changed the graph may
// change bits.
func TestRandomGraphs(t *testing.T) {
	feeds := map[string]*tensor.Tensor{"x:0": tensor.Must(tensor.From(tensor.Shape{2, 4}, []float32{1, -2, 3, 0.25, -1, 5, 0, 2}))}
	smaller, made := 0, map[string]int{}
	graphs := testkit.Times(150, 400)
	for seed := range int64(graphs) {
		plain, full := randomGraph(seed), randomGraph(seed)
		want, got, text := bothWays(t, seed, plain, full, feeds)
		if len(full.Nodes) < len(plain.Nodes) {
			smaller++
		}
		for _, n := range full.Nodes {
			made[n.Op]++
		}
		for name, w := range want {
			wd, gd := tensor.Data[float32](w), tensor.Data[float32](got[name])
			if len(gd) != len(wd) {
				t.Fatalf("seed %d: %s is %v, want %v", seed, name, got[name], w)
			}
			for i, v := range wd {
				if d := math.Abs(float64(gd[i] - v)); d > 1e-4*(1+math.Abs(float64(v))) || (v != v) != (gd[i] != gd[i]) {
					t.Fatalf("seed %d: %s[%d] is %v, want %v\n%s\noptimised\n%s", seed, name, i, gd[i], v, text, full.Text(ir.PrintOptions{}))
				}
			}
		}
	}
	for _, op := range []string{"_FusedMatMul", "_LayerNorm", "_Swish"} {
		if made[op] == 0 {
			t.Errorf("no graph has %s", op)
		}
	}
	if smaller < graphs/2 {
		t.Errorf("only %d of %d graphs became smaller", smaller, graphs)
	}
}
