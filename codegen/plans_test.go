package codegen

import (
	"fmt"
	"math"
	"strings"

	"github.com/graphc/graphc/codegen/internal/kern"
	"github.com/graphc/graphc/ir/sym"
	gpunorm "github.com/graphc/graphc/kernels/gpu/norm"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// maker builds plans by hand.
type maker struct{ p *plan.Plan }

func newPlan(name string) *maker { return &maker{&plan.Plan{Name: name}} }

func (m *maker) add(b *plan.Buf) *plan.Buf {
	b.ID = len(m.p.Bufs)
	m.p.Bufs = append(m.p.Bufs, b)
	return b
}

func (m *maker) feed(name, key string, d tensor.DType, shape ...*sym.Expr) *plan.Buf {
	b := m.add(&plan.Buf{Name: name, Place: plan.Fed, DType: d, Shape: shape, Len: sym.Product(shape)})
	for a, x := range shape {
		n, ok := x.IsVar()
		for _, have := range m.p.Dims {
			ok = ok && have.Name != n
		}
		if ok {
			m.p.Dims = append(m.p.Dims, plan.Dim{Name: n, Feed: len(m.p.Feeds), Axis: a})
		}
	}
	m.p.Feeds = append(m.p.Feeds, plan.Feed{Name: name, Key: key, DType: d, Shape: shape, Buf: b})
	return b
}

func (m *maker) buf(name string, place plan.Place, d tensor.DType, shape ...*sym.Expr) *plan.Buf {
	return m.add(&plan.Buf{Name: name, Place: place, DType: d, Shape: shape, Len: sym.Product(shape)})
}

func (m *maker) alias(of *plan.Buf, off *sym.Expr, d tensor.DType, shape ...*sym.Expr) *plan.Buf {
	return m.add(&plan.Buf{Name: of.Name + "'", Place: of.Place, DType: d, Shape: shape, Len: sym.Product(shape), Alias: of, Off: off})
}

func (m *maker) constant(name string, t *tensor.Tensor) *plan.Buf {
	c := &plan.Const{ID: len(m.p.Consts), Name: name, DType: t.DType, Shape: t.Shape, Data: t.Data}
	m.p.Consts = append(m.p.Consts, c)
	return m.add(&plan.Buf{Name: name, Place: plan.Constant, DType: t.DType, Len: sym.Int(t.Len()), Const: c})
}

func (m *maker) call(node, op string, fn any, args ...any) *plan.Call {
	c := &plan.Call{Node: node, Op: op, Fn: fn}
	for _, a := range args {
		c.Args = append(c.Args, plan.ArgOf(a))
	}
	m.p.Steps = append(m.p.Steps, c)
	return c
}

func (m *maker) fetch(name, key string, b *plan.Buf, shape ...*sym.Expr) {
	m.p.Fetches = append(m.p.Fetches, plan.Fetch{Name: name, Key: key, DType: b.DType, Shape: shape, Buf: b})
}

func r(b *plan.Buf) plan.View { return plan.View{Buf: b, Len: b.Len, Mode: plan.Read} }
func w(b *plan.Buf) plan.View { return plan.View{Buf: b, Len: b.Len, Mode: plan.Write} }

func f32(v ...float32) *tensor.Tensor {
	return tensor.Must(tensor.From(tensor.Shape{len(v)}, v))
}

var two, three, four = sym.Int(2), sym.Int(3), sym.Int(4)

// staticPlan computes y = (x·2 + 1) + c for x of three elements, in place.
func staticPlan() *plan.Plan {
	m := newPlan("")
	x := m.feed("x:0", "", tensor.Float32, three)
	a := m.buf("scale:0", plan.Arena, tensor.Float32, three)
	b := m.buf("add:0", plan.Arena, tensor.Float32, three)
	c := m.constant("c", f32(10, 20, 30))
	m.call("scale", "Mul", kern.Scale, w(a), r(x), kern.Params{N: 3, Scale: 2, Pair: kern.Pair{A: 1}})
	m.call("add", "AddV2", kern.Add, w(b), r(a), r(c)).InPlace = [][2]*plan.Buf{{b, a}}
	m.fetch("add:0", "", b, three)
	return m.p
}

// batchPlan computes y = x·2 + c for each row of a batch. It also fetches the batch itself, as rows of
// one element, and a tensor that does not depend on the batch.
func batchPlan() *plan.Plan {
	m := newPlan("")
	B := sym.Var(plan.NamedDim + "B")
	m.p.Batch = plan.NamedDim + "B"
	x := m.feed("x:0", "x", tensor.Float32, B, three)
	c := m.feed("c:0", "c", tensor.Float32, sym.One)
	a := m.buf("scale:0", plan.Arena, tensor.Float32, B, three)
	y := m.buf("add:0", plan.Arena, tensor.Float32, B, three)
	q := m.buf("fill:0", plan.Arena, tensor.Float32, two)
	m.call("scale", "Mul", kern.Scale, w(a), r(x), plan.Lit(kern.Params{Scale: 2}, "N", B.MulInt(3)))
	m.call("add", "AddV2", kern.Add, w(y), r(a), r(c)).InPlace = [][2]*plan.Buf{{y, a}}
	m.call("fill", "Fill", kern.Fill, w(q), float32(2.5))
	m.fetch("add:0", "y", y, B, three)
	m.fetch("x:0", "same", x, B.MulInt(3))
	m.fetch("fill:0", "fill", q, two)
	return m.p
}

// symbolicPlan returns a plan in which sizes are known only at run time. It also has strings, a
// view into a buffer, a copy, checks, and an alias of another type.
func symbolicPlan() *plan.Plan {
	m := newPlan("serving_default")
	B, T := sym.Var(plan.NamedDim+"B"), sym.Var("type")
	x := m.feed("x:0", "input-1", tensor.Float32, B, three)
	y := m.feed("y:0", "input_1", tensor.Float32, T)
	s := m.feed("s:0", "func", tensor.String, B)
	m.feed("z:0", "", tensor.Float32, B.Add(T))
	c := m.constant("one", f32(1))
	names := m.constant("names", &tensor.Tensor{DType: tensor.String, Shape: tensor.Shape{2}, Data: []string{"a\x00b", ""}})
	m.p.Prologue = append(m.p.Prologue, &plan.Call{Node: "check", Op: "Reshape", Fn: kern.Small, Args: []plan.Arg{plan.Int{X: B}, plan.Int{X: sym.Int(1000)}}})

	a := m.buf("a:0", plan.Arena, tensor.Float32, B, three)
	m.call("a", "Mul", kern.Scale, w(a), r(x), plan.Lit(kern.Params{Scale: 1, List: []int64{1, -2}, Text: "*/\n", Mode: 3}, "N", B.MulInt(3), "Dims", []*sym.Expr{B, T}))
	m.call("a/crash", "Identity", kern.Crash, w(a), r(a)).Args[0] = plan.View{Buf: a, Len: a.Len, Mode: plan.ReadWrite}
	n := sym.Var("n1")
	p := m.buf("pos:0", plan.Grow, tensor.Float32, B.MulInt(3))
	pc := m.call("pos", "Where", kern.Positive, w(p), r(a))
	pc.Rets = []string{"n1"}
	p.Shape = []*sym.Expr{n}
	q := m.buf("q:0", plan.Grow, tensor.Float32, n, two)
	m.call("q", "Fill", kern.Fill, w(q), float32(2.5))
	m.p.Steps = append(m.p.Steps, &plan.Copy{Node: "q/copy", Op: "ConcatV2", Dst: w(q).At(n, n), Src: plan.View{Buf: p, Len: n, Mode: plan.Read}})
	one := m.buf("b:0", plan.Arena, tensor.Float32, B, three)
	m.call("b", "AddV2", kern.Add, w(one), r(a), r(c)).InPlace = [][2]*plan.Buf{{one, a}}
	u := m.buf("upper:0", plan.Strings, tensor.String, B)
	m.call("upper", "StringUpper", kern.Upper, w(u), r(s), "!\u202e*/\n//line x:1")
	h := m.call("half", "Half", kern.Half, T)
	h.Rets = []string{"n2"}
	d := m.buf("dims:0", plan.Arena, tensor.Int64, sym.Int(5))
	m.call("dims", "Shape", kern.Dims, w(d), []*sym.Expr{B, sym.Var("n2"), n.AddInt(-1)}, kern.Mode(2), kern.Name("abc"))
	row := m.alias(x, sym.Int(12), tensor.Float32, three)
	bits := m.alias(x, nil, tensor.Int32, B, three)
	m.fetch("q:0", "out", q, n, two)
	m.fetch("upper:0", "Out", u, B)
	m.fetch("dims:0", "", d, sym.Int(5))
	m.fetch("b:0", "type", one, B, three)
	m.fetch("row:0", "", row, three)
	m.fetch("bits:0", "", bits, B, three)
	m.fetch("names:0", "", names, two)
	m.fetch("y:0", "", y, T)
	return m.p
}

// operandsPlan has sums whose operands are fields of params structs, in straight code and
// in twelve equal layers.
func operandsPlan() *plan.Plan {
	m := newPlan("")
	x := m.feed("x:0", "", tensor.Float32, sym.Var("B"), three)
	h := m.feed("h:0", "", tensor.Half, three)
	n := x.Len
	half := m.buf("half:0", plan.Arena, tensor.Half, three)
	m.call("half", "Add", kern.SumF16, w(half), plan.Lit(kern.SumParams[tensor.F16]{Scale: 2}, "N", three, "B", r(h)))
	m.fetch("half:0", "", half, three)
	none := m.buf("none:0", plan.Arena, tensor.Float32, three)
	m.call("none", "Add", kern.SumF32, w(none), plan.Lit(kern.SumParams[float32]{N: 3, Scale: 2}, "A", (*plan.View)(nil)))
	m.fetch("none:0", "", none, three)
	for i := range 12 {
		y := m.buf("y:0", plan.Arena, tensor.Float32, sym.Var("B"), three)
		c := m.constant("c", f32(float32(i)))
		m.call("layer/add", "Add", kern.Add, w(y), r(x), r(c))
		z := m.buf("z:0", plan.Arena, tensor.Float32, sym.Var("B"), three)
		m.call("layer/sum", "Add", kern.SumF32, w(z), plan.Lit(kern.SumParams[float32]{Scale: 0.5}, "N", n, "A", r(x), "B", r(y)))
		x = z
	}
	m.fetch("z:0", "", x, sym.Var("B"), three)
	return m.p
}

// deviceOperandsPlan normalizes rows on a GPU twice. The params struct of the first call has two
// operands: a window of a buffer of the run, and a constant. The params struct of the second call
// has no operands.
func deviceOperandsPlan() *plan.Plan {
	m := newPlan("")
	m.p.Device = "/job:localhost/replica:0/task:0/device:GPU:0"
	x := m.feed("x:0", "", tensor.Float32, sym.Var("B"), two)
	raw := m.alias(x, sym.Zero, tensor.Uint8, x.Len.MulInt(4))
	on := m.buf("x:0", plan.Device, tensor.Float32, sym.Var("B"), two)
	beta := m.constant("beta", f32(10, -10))
	beta.Place = plan.DeviceConst
	m.p.Steps = append(m.p.Steps, &plan.Put{Node: "x", Op: "Put", Dst: w(on), Src: r(raw)})
	full := plan.Lit(gpunorm.LayerParams{C: 2}, "Rows", sym.Var("B"), "Gamma", r(on).At(two, two), "Beta", r(beta))
	none := plan.Lit(gpunorm.LayerParams{C: 2}, "Rows", sym.Var("B"), "Gamma", (*plan.View)(nil))
	for i, q := range []plan.Struct{full, none} {
		name := fmt.Sprint("y:", i)
		y := m.buf(name, plan.Device, tensor.Float32, sym.Var("B"), two)
		m.call("y", "_LayerNorm", gpunorm.LayerNormF32, plan.Queue{}, w(y), r(on), q)
		z := m.buf(name, plan.Arena, tensor.Float32, sym.Var("B"), two)
		m.p.Steps = append(m.p.Steps, &plan.Get{Node: "y", Op: "Get", Dst: w(m.alias(z, sym.Zero, tensor.Uint8, z.Len.MulInt(4))), Src: r(y)})
		m.fetch(name, "", z, sym.Var("B"), two)
	}
	return m.p
}

// layersPlan has twelve layers. Each layer computes x = (x·1 + 1) + w, with a different weight w,
// and makes a copy. If B is nil, all sizes are constants.
func layersPlan(B *sym.Expr) *plan.Plan {
	m := newPlan("")
	if B == nil {
		B = two
	}
	x := m.feed("x:0", "", tensor.Float32, B, three)
	for i := range 12 {
		c := m.constant("w", f32(float32(i), 1, 2))
		a := m.buf("a:0", plan.Arena, tensor.Float32, B, three)
		b := m.buf("b:0", plan.Arena, tensor.Float32, B, three)
		y := m.buf("y:0", plan.Arena, tensor.Float32, B.AddInt(1), three)
		m.call("layer/scale", "Mul", kern.Scale, w(a), r(x), plan.Lit(kern.Params{Scale: 1, Pair: kern.Pair{A: 1}, List: []int64{7}}, "N", B.MulInt(3)))
		m.call("layer/add", "AddV2", kern.Add, w(b), r(a), r(c)).InPlace = [][2]*plan.Buf{{b, a}}
		n := B.MulInt(3)
		m.p.Steps = append(m.p.Steps, &plan.Copy{Node: "layer/copy", Op: "Pad", Dst: w(y).At(three, n), Src: r(b)})
		if i == 5 {
			m.call("odd", "Fill", kern.Fill, plan.View{Buf: y, Len: three, Mode: plan.Write}, float32(0))
		}
		m.call("layer/half", "Check", kern.Small, B.MulInt(3), 1000)
		x = m.alias(y, sym.Int(12), tensor.Float32, B, three)
	}
	m.fetch("y:0", "", x, B, three)
	return m.p
}

// literalsPlan calls a kernel with numbers that are difficult to write as Go literals.
func literalsPlan() *plan.Plan {
	m := newPlan("")
	nan := float32(math.NaN())
	v := []float32{nan, float32(math.Inf(1)), float32(math.Copysign(0, -1)), math.SmallestNonzeroFloat32, math.MaxFloat32, 0.1, 1 << 24}
	b := m.buf("bits:0", plan.Arena, tensor.Int64, sym.Int(len(v)+2))
	m.call("*/\n//go:embed x\n//line y:1\u202e\x00", "Co\nnst*/", kern.Bits, w(b), v, math.Inf(-1), complex(1, nan))
	m.fetch("bits:0", "Bits", b, sym.Int(len(v)+2))
	m.fetch("*/\n//line x:1\n", "`\u2066\n", b, sym.Int(len(v)+2))
	return m.p
}

// multiPlans returns two signatures with equal constants and names that collide.
func multiPlans() []*plan.Plan {
	a, b := staticPlan(), staticPlan()
	a.Name, b.Name = "a", "a_into"
	a.Feeds = append(a.Feeds, plan.Feed{Name: "unused:0", DType: tensor.Float32, Shape: []*sym.Expr{sym.Int(5)}})
	return []*plan.Plan{a, b}
}

// identityPlan has no steps: it fetches a feed and a constant unchanged.
func identityPlan() *plan.Plan {
	m := newPlan("linux")
	x := m.feed("x:0", "", tensor.Half, sym.Var("N"))
	c := m.constant("c", &tensor.Tensor{DType: tensor.Bool, Shape: tensor.Shape{2}, Data: []bool{true, false}})
	m.fetch("x:0", "", x, sym.Var("N"))
	m.fetch("c:0", "", c, two)
	return m.p
}

// statePlans returns two signatures that count in a shared state, which the buffers' names
// identify. One of the signatures also has another state.
func statePlans() []*plan.Plan {
	var out []*plan.Plan
	for _, name := range []string{"up", "up_both"} {
		m := newPlan(name)
		// a state of odd size; the states after it must stay aligned
		m.buf("a/odd", plan.Kept, tensor.Uint8, three)
		state := m.buf("n/state", plan.Kept, tensor.Int64, sym.One)
		n := m.buf("n:0", plan.Arena, tensor.Int64, sym.One)
		m.call("n", "Count", kern.Count, w(n), plan.View{Buf: state, Len: state.Len, Mode: plan.ReadWrite}, sym.One)
		m.fetch("n:0", "n", n, sym.One)
		if name == "up_both" {
			own := m.buf("b/state", plan.Kept, tensor.Int64, two)
			k := m.buf("b:0", plan.Arena, tensor.Int64, sym.One)
			m.call("b", "Count", kern.Count, w(k), plan.View{Buf: own, Off: sym.One, Len: sym.One, Mode: plan.ReadWrite}, sym.Int(10))
			m.fetch("b:0", "b", k, sym.One)
		}
		out = append(out, m.p)
	}
	return out
}

// ranksPlans returns the plans of one signature whose feed x has rank 0 or 2 and whose feed y has
// rank 1 or 2: three of the four combinations. Nothing reads the last feed.
func ranksPlans() []*plan.Plan {
	var out []*plan.Plan
	for _, ranks := range [][]int{{0, 1, -1}, {2, 1, -1}, {2, 2, -1}} {
		m := newPlan("serving_default")
		var xs, ys []*sym.Expr
		for a := range ranks[0] {
			xs = append(xs, sym.Var([]string{"d_x_0", plan.NamedDim + "N"}[a]))
		}
		for a := range ranks[1] {
			ys = append(ys, sym.Var([]string{"d_y_0", "d_y_1"}[a]))
		}
		x := m.feed("x:0", "x", tensor.Float32, xs...)
		y := m.feed("y:0", "y", tensor.Float32, ys...)
		m.p.Feeds = append(m.p.Feeds, plan.Feed{Name: "any:0", Key: "any", DType: tensor.Int64, AnyShape: true})
		m.p.Ranks = ranks
		c := m.constant("c", f32(1))
		a := m.buf("a:0", plan.Arena, tensor.Float32, xs...)
		m.call("a", "AddV2", kern.Add, w(a), r(x), r(c))
		d := m.buf("d:0", plan.Arena, tensor.Int64, sym.Int(5))
		m.call("d", "Shape", kern.Dims, w(d), []*sym.Expr{y.Len, sym.Int(ranks[0]), sym.Int(ranks[1])}, kern.Mode(0), kern.Name("a"))
		m.fetch("a:0", "sum", a, xs...)
		m.fetch("d:0", "dims", d, sym.Int(5))
		out = append(out, m.p)
	}
	return out
}

// otherCaller returns the second plan of ranksPlans with a different key for its first fetch.
func otherCaller() *plan.Plan {
	p := ranksPlans()[1]
	p.Fetches[0].Key = "other"
	return p
}

// blocksPlan has enough steps for three functions. No two steps are equal, so none of them are
// outlined.
func blocksPlan() *plan.Plan {
	m := newPlan("")
	x := m.buf("x:0", plan.Arena, tensor.Int64, sym.One)
	for i := range 2*blockSize + 7 {
		m.call("tick", "Tick", kern.Tick, w(x), sym.Int(i))
	}
	m.fetch("x:0", "", x, sym.One)
	return m.p
}

// scopesPlan has nodes whose short names omit scopes.
func scopesPlan() *plan.Plan {
	m := newPlan("")
	x := m.feed("x:0", "", tensor.Float32, sym.Var("d_x_0"))
	for i, node := range []string{"embedding/Add", "rnn/while/body/tagger/rnn/while/Add", "block/StatefulPartitionedCall_3/Add",
		strings.Repeat("BatchNorm_conv_", 4) + "/" + strings.Repeat("depthwise_", 4) + "/Conv2D", "answer/Add"} {
		y := m.buf("StatefulPartitionedCall/tagger/"+node+":0", plan.Arena, tensor.Float32, sym.Var("d_x_0"))
		m.call("StatefulPartitionedCall/tagger/"+node, "Add", kern.Add, w(y), r(x), r(m.constant("weights", f32(float32(i)))))
		x = y
	}
	m.fetch("y:0", "", x, sym.Var("d_x_0"))
	plan.NameNodes(m.p)
	return m.p
}
