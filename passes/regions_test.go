package passes

import (
	"fmt"
	"math"
	"math/rand"
	"testing"

	"github.com/graphc/graphc/internal/testkit"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// nest makes random graphs of nested conditionals and loops over f32[4].
type nest struct {
	r *rand.Rand
	g *ir.Graph
	n int // regions made
}

// scope holds the tensors that a node of a region may read, and the nodes that it may wait for.
type scope struct {
	at    *ir.Region
	vals  []ir.Out
	preds []ir.Out
	ready []*ir.Node // nodes that a later node may wait for
}

func (s *scope) in(r *ir.Region) *scope {
	return &scope{r, append([]ir.Out(nil), s.vals...), append([]ir.Out(nil), s.preds...), append([]*ir.Node(nil), s.ready...)}
}

func (m *nest) node(s *scope, op string, d tensor.DType, attrs map[string]ir.Attr, ins ...ir.Out) ir.Out {
	n := m.g.NewNode(op, op, attrs, 1, ins...)
	n.Region, n.Outs[0].DType = s.at, d
	if len(s.ready) > 0 && m.r.Intn(8) == 0 && !ir.Joins(op) {
		n.Controls = []*ir.Node{pick(m.r, s.ready)}
	}
	s.ready = append(s.ready, n)
	return ir.Out{Node: n}
}

func (m *nest) f32(s *scope, op string, ins ...ir.Out) ir.Out {
	return m.node(s, op, tensor.Float32, map[string]ir.Attr{"T": tensor.Float32}, ins...)
}

func (m *nest) region(parent *ir.Region) *ir.Region {
	m.n++
	return &ir.Region{Name: fmt.Sprintf("r%d", m.n), Parent: parent}
}

func (m *nest) steps(s *scope, count, depth int) {
	for range count {
		switch k := m.r.Intn(12); {
		case k < 3:
			s.vals = append(s.vals, m.f32(s, pick(m.r, []string{"Tanh", "Neg", "Abs", "Identity", "Relu"}), pick(m.r, s.vals)))
		case k < 6:
			s.vals = append(s.vals, m.f32(s, pick(m.r, []string{"Maximum", "Sub", "AddV2", "Minimum"}), pick(m.r, s.vals), pick(m.r, s.vals)))
		case k == 6:
			v := []float32{0, 1, 2, 0.5}
			m.r.Shuffle(4, func(i, j int) { v[i], v[j] = v[j], v[i] })
			s.vals = append(s.vals, m.g.NewConst("c", tensor.Must(tensor.From(tensor.Shape{4}, v))))
		case k == 7:
			p := m.node(s, "LogicalNot", tensor.Bool, map[string]ir.Attr{}, pick(m.r, s.preds))
			s.preds = append(s.preds, p)
		case k < 10 && depth > 0:
			m.conditional(s, depth-1)
		case depth > 0:
			m.loop(s, depth-1)
		}
	}
}

func (m *nest) conditional(s *scope, depth int) {
	p := pick(m.r, s.preds)
	var yields [2][]ir.Out
	outs := 1 + m.r.Intn(2)
	for i := range yields {
		b := m.region(s.at)
		b.Cond, b.Neg = p, i == 1
		t := s.in(b)
		m.steps(t, 1+m.r.Intn(4), depth)
		for range outs {
			yields[i] = append(yields[i], m.f32(t, ir.YieldOp, pick(m.r, t.vals)))
		}
		s.ready = t.ready
	}
	for k := range outs {
		ins := []ir.Out{yields[0][k], yields[1][k]}
		if m.r.Intn(3) > 0 {
			s.vals = append(s.vals, m.f32(s, ir.MergeOp, ins...))
			continue
		}
		n := m.g.NewNode("merge", ir.MergeOp, map[string]ir.Attr{}, 2, ins...)
		n.Region, n.Outs[0].DType, n.Outs[1].DType = s.at, tensor.Float32, tensor.Int32
		index := m.node(s, "Cast", tensor.Float32, map[string]ir.Attr{"SrcT": tensor.Int32, "DstT": tensor.Float32, "Truncate": false}, ir.Out{Node: n, Index: 1})
		s.vals = append(s.vals, ir.Out{Node: n}, m.f32(s, "AddV2", pick(m.r, s.vals), index))
	}
}

func (m *nest) loop(s *scope, depth int) {
	l, b := m.region(s.at), m.region(nil)
	l.Loop, b.Parent = true, l
	number := func(v float32) ir.Out { return m.g.NewConst("n", tensor.Must(tensor.From(nil, []float32{v}))) }
	variable := func(t *scope, first ir.Out) ir.Out {
		return m.f32(t, ir.LoopVarOp, first, ir.Out{})
	}
	t := s.in(l)
	i := variable(t, number(0))
	vars := []ir.Out{variable(t, pick(m.r, s.vals)), variable(t, pick(m.r, s.vals))}
	t.vals = append(t.vals, vars...)
	less := m.node(t, "Less", tensor.Bool, map[string]ir.Attr{"T": tensor.Float32}, i, number(float32(m.r.Intn(4))))
	if m.r.Intn(8) == 0 {
		less = m.g.NewConst("no", tensor.Must(tensor.From(nil, []bool{false})))
	}
	l.Cond, b.Cond = less, less
	m.steps(t, m.r.Intn(3), depth)
	u := t.in(b)
	m.steps(u, 1+m.r.Intn(4), depth)
	next := func(v, to ir.Out) {
		v.Node.Ins[1] = m.f32(u, ir.NextOp, to)
	}
	next(i, m.f32(u, "AddV2", i, number(1)))
	for _, v := range vars {
		if m.r.Intn(4) == 0 {
			next(v, v)
		} else {
			next(v, m.f32(u, "Tanh", pick(m.r, u.vals)))
		}
	}
	for _, v := range append(vars, pick(m.r, t.vals)) {
		y := m.f32(t, ir.YieldOp, v)
		s.vals = append(s.vals, m.f32(s, ir.MergeOp, y))
	}
	s.ready = append(s.ready, u.ready...)
}

// TestRandomRegions checks that random conditionals and loops compute the same results with all
// passes as with only the required passes. This must hold even if the passes stop after a given
// number of edits.
func TestRandomRegions(t *testing.T) {
	made := map[string]int{}
	for seed := range int64(testkit.Times(15, 40)) {
		m := &nest{r: rand.New(rand.NewSource(seed)), g: ir.NewGraph("g")}
		s := &scope{}
		feeds := map[string]*tensor.Tensor{}
		feed := func(name string, d tensor.DType, v *tensor.Tensor) ir.Out {
			n := m.g.NewNode(name, "Placeholder", map[string]ir.Attr{"dtype": d}, 1)
			o := ir.Out{Node: n}
			n.Outs[0] = ir.Fact{DType: d, Shape: ir.StaticShape(v.Shape...)}
			m.g.Feeds = append(m.g.Feeds, ir.Feed{Name: o.String(), Key: o.String(), Out: o, Shape: n.Outs[0].Shape})
			feeds[o.String()] = v
			return o
		}
		s.vals = []ir.Out{feed("x", tensor.Float32, tensor.Must(tensor.From(tensor.Shape{4}, []float32{0.5, -1, 2, -0.25})))}
		s.preds = []ir.Out{feed("p", tensor.Bool, tensor.Must(tensor.From(nil, []bool{seed%2 == 0}))), feed("q", tensor.Bool, tensor.Must(tensor.From(nil, []bool{seed%3 == 0}))),
			m.g.NewConst("yes", tensor.Must(tensor.From(nil, []bool{true})))}
		m.steps(s, 8, 3)
		for k := range min(4, len(s.vals)) {
			o := s.vals[len(s.vals)-1-k]
			m.g.Fetches = append(m.g.Fetches, ir.Fetch{Name: fmt.Sprint(k), Key: fmt.Sprint(k), Out: o})
		}
		text := m.g.Text(ir.PrintOptions{})
		compute := func(o edit.Options) map[string]*tensor.Tensor {
			o.Eval, o.Check = eval, true
			g := m.g.Clone()
			if err := Run(g, o); err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
			for _, e := range g.Journal {
				made[e.Pass]++
			}
			got, err := run(g, feeds)
			if err != nil {
				t.Fatalf("seed %d: %v\n%s\noptimised\n%s", seed, err, text, g.Text(ir.PrintOptions{}))
			}
			return got
		}
		want := compute(edit.Options{Ops: ops.Ops(), NoOpt: true})
		for _, fuel := range []int{1, 2, 3, 5, 8, 13, 21, 34, 1000} {
			left := fuel
			got := compute(edit.Options{Ops: ops.Ops(), Fuel: &left})
			for name, w := range want {
				for i, v := range tensor.Data[float32](w) {
					if u := tensor.Data[float32](got[name])[i]; math.Abs(float64(u-v)) > 1e-4*(1+math.Abs(float64(v))) {
						t.Fatalf("seed %d, %d edits: %s[%d] is %v, want %v\n%s", seed, fuel, name, i, u, v, text)
					}
				}
			}
		}
	}
	for _, p := range []string{"carry", "fold", "cse", "branch", "hoist", "identity"} {
		if made[p] < 20 {
			t.Errorf("pass %s made %d edits in all", p, made[p])
		}
	}
}
