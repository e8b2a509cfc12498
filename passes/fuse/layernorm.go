package fuse

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/passes/algebra"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// Layernorm replaces nodes that normalize rows, in f32, by a single node. A row is a vector along
// the last dimension:
//
//	_LayerNorm  (x - mean(x)) / √(variance(x) + ε) · gamma + beta
//	_RMSNorm    x / √(mean(x²) + ε) · gamma
//
// The factors of products may be in any order. Layernorm recognizes tf.nn.moments with
// tf.nn.batch_normalization, models that compute the formula by elementary ops, and the form of
// Keras 2, which is a FusedBatchNormV3 in training mode after a Reshape that makes the rows look
// like channels. The kernel adds in another order than the replaced nodes, so the last bits of the
// result may change.
func Layernorm(s *edit.State) (bool, error) {
	p, order, err := algebra.NewPattern(s)
	if err != nil {
		return false, err
	}
	for _, n := range order {
		if p.Gone[n] {
			continue
		}
		var r *rows
		switch n.Op {
		case "Rsqrt", "Sqrt", "_PowHalf", "_PowMinusHalf":
			r = rowsOf(p, n)
		case "FusedBatchNormV3", "FusedBatchNormV2", "FusedBatchNorm":
			r = rowsAsChannels(p, n)
		}
		if r == nil {
			continue
		}
		if !normalised(p, r) {
			break
		}
	}
	return p.Apply(), nil
}

// rows describes a normalization of rows: its argument, its first node, and the tensors that are
// atoms of its polynomial.
type rows struct {
	x       ir.Out
	from    ir.Out // tensor at whose readers the search for the last node of the normalization begins
	epsilon float32
	rms     bool
	env     map[ir.Out]algebra.Poly
	inv     map[ir.Out]algebra.Poly
	inner   map[*ir.Node]bool // nodes of the normalization
	vectors []ir.Out          // vectors[i] is the tensor of atom FirstVector+i
}

// rowsOf looks for a normalization of rows in which the node n computes 1/√(v + ε) or √(v + ε). It
// returns a description of the mean and the variance, or nil.
func rowsOf(p *algebra.Pattern, n *ir.Node) *rows {
	r := &rows{from: ir.Out{Node: n}, env: map[ir.Out]algebra.Poly{}, inv: map[ir.Out]algebra.Poly{}, inner: map[*ir.Node]bool{n: true}}
	if len(n.Ins) != 1 || n.Outs[0].DType != tensor.Float32 {
		return nil
	}
	if n.Op == "Rsqrt" || n.Op == "_PowMinusHalf" { // both ops compute 1/√y here, because y is not negative
		r.env[r.from] = algebra.Variable(algebra.AtomScale)
	} else {
		r.inv[r.from] = algebra.Variable(algebra.AtomScale)
	}
	sum := n.Ins[0].Node
	if sum.Op != "Add" && sum.Op != "AddV2" || len(sum.Ins) != 2 {
		return nil
	}
	v := sum.Ins[0]
	eps, ok := edit.Uniform(sum.Ins[1].Node.Value())
	if !ok {
		v = sum.Ins[1]
		eps, ok = edit.Uniform(sum.Ins[0].Node.Value())
	}
	if !ok || !(eps >= 0) || !v.Fact().Shape.Equal(sum.Outs[0].Shape) {
		return nil
	}
	r.epsilon = float32(eps)
	r.inner[sum] = true
	squares, ok := lastMean(v.Node)
	if !ok {
		return nil
	}
	r.inner[v.Node] = true
	q := squares.Node
	r.inner[q] = true
	var a, b ir.Out // v is the mean of a·b, or of (a - b)² for SquaredDifference
	switch q.Op {
	case "SquaredDifference":
		return centred(p, r, q.Ins[0], q.Ins[1])
	case "Square":
		a, b = q.Ins[0], q.Ins[0]
	case "Mul":
		a, b = q.Ins[0], q.Ins[1]
	default:
		return nil
	}
	if a != b {
		return nil
	}
	if a.Node.Op == "Sub" && len(a.Node.Ins) == 2 {
		t := *r
		t.inner = map[*ir.Node]bool{a.Node: true}
		for n := range r.inner {
			t.inner[n] = true
		}
		if c := centred(p, &t, a.Node.Ins[0], a.Node.Ins[1]); c != nil {
			return c
		}
	}
	if !a.Fact().Shape.Known || len(a.Fact().Shape.Dims) == 0 || a.Fact().DType != tensor.Float32 {
		return nil
	}
	r.x, r.rms = a, true
	r.env[a] = algebra.Variable(algebra.AtomX)
	return r
}

// centred adds the mean to the description r and returns it, if the variance is the mean of (x -
// m)² or (m - x)². Otherwise, it returns nil. One of x and m must be the mean of the other.
func centred(p *algebra.Pattern, r *rows, x, m ir.Out) *rows {
	of, ok := lastMean(m.Node)
	if !ok || of != x {
		x, m = m, x
		if of, ok = lastMean(m.Node); !ok || of != x {
			return nil
		}
	}
	if x.Fact().DType != tensor.Float32 {
		return nil
	}
	r.x = x
	r.inner[m.Node] = true
	r.env[x], r.env[m] = algebra.Variable(algebra.AtomX), algebra.Variable(algebra.AtomMean)
	return r
}

// lastMean returns the input of n if n is the mean of that input over the last axis, with
// keep_dims.
func lastMean(n *ir.Node) (ir.Out, bool) {
	if n.Op != "Mean" || len(n.Ins) != 2 || !n.Bool("keep_dims") {
		return ir.Out{}, false
	}
	s := n.Ins[0].Fact().Shape
	axes, ok := algebra.Ints(n.Ins[1])
	if !ok || !s.Known || len(s.Dims) == 0 || len(axes) != 1 || axes[0] != -1 && axes[0] != len(s.Dims)-1 {
		return ir.Out{}, false
	}
	return n.Ins[0], true
}

// rowsAsChannels looks for the normalization in the form that Keras 2 uses: x[…, C] is reshaped to
// [1, rows, C, 1] or [1, rows, …] with the format NCHW, is normalized in training mode with scales
// of 1 and offsets of 0, and is reshaped back. It returns nil if n is not part of this form.
func rowsAsChannels(p *algebra.Pattern, n *ir.Node) *rows {
	if len(n.Ins) < 3 || !n.Bool("is_training") || n.Str("data_format") != "NCHW" || !onlyFirst(p.Chains, n) || n.Outs[0].DType != tensor.Float32 {
		return nil
	}
	if f, ok := n.Attrs["exponential_avg_factor"].(float32); ok && f != 1 {
		return nil
	}
	in := n.Ins[0].Node
	if in.Op != "Reshape" || !filled(n.Ins[1], 1) || !filled(n.Ins[2], 0) {
		return nil
	}
	x, as := in.Ins[0], n.Ins[0].Fact().Shape
	s := x.Fact().Shape
	if !s.Known || !as.Known || len(as.Dims) < 3 || len(s.Dims) == 0 || !as.Dims[0].Is(1) ||
		!s.Dims[len(s.Dims)-1].Equal(sym.Product(as.Dims[2:])) {
		return nil
	}
	back, _ := Next(p.Chains, n)
	if back == nil || back.Op != "Reshape" || !algebra.SameF32(x, ir.Out{Node: back}) {
		return nil
	}
	o := ir.Out{Node: back}
	normal := algebra.Variable(algebra.AtomX).Plus(algebra.Variable(algebra.AtomMean), -1).Times(algebra.Variable(algebra.AtomScale))
	return &rows{x: x, from: o, epsilon: n.Float("epsilon"), env: map[ir.Out]algebra.Poly{o: normal}, inv: map[ir.Out]algebra.Poly{},
		inner: map[*ir.Node]bool{n: true, in: true, back: true}}
}

// filled reports whether all elements of a tensor are v.
func filled(o ir.Out, v float64) bool {
	n := o.Node
	if n.Op == "Fill" && len(n.Ins) == 2 {
		o = n.Ins[1]
	}
	c, ok := edit.Uniform(o.Node.Value())
	return ok && c == v
}

// normalised looks for the last node of the normalization r. It replaces all nodes up to the last
// one by a single node. It returns false if the pass may make no more changes, because its fuel is
// used up.
func normalised(p *algebra.Pattern, r *rows) bool {
	shape := r.x.Fact().Shape
	c := shape.Dims[len(shape.Dims)-1]
	al := &algebra.Algebra{Env: r.env, Inv: r.inv}
	al.Leaf = func(o ir.Out) (algebra.Poly, bool) { return r.vector(o, c) }
	// root is the last node found so far whose polynomial is a normalization. best has the gamma
	// and beta of this normalization, and inner has the nodes to be replaced.
	var root *ir.Node
	var best normalForm
	var inner map[*ir.Node]bool
	hindered, hinder := (*ir.Node)(nil), ""
	try := func(n *ir.Node) bool {
		al.Trail = al.Trail[:0]
		y, ok := al.Expand(ir.Out{Node: n}, 8)
		if !ok {
			return false
		}
		if f, ok := r.form(y); ok && algebra.SameF32(r.x, ir.Out{Node: n}) {
			all := map[*ir.Node]bool{}
			for m := range r.inner {
				all[m] = true
			}
			for _, m := range al.Trail {
				all[m] = true
			}
			delete(all, r.x.Node)
			if why := p.Hinders(all, n); why == "" {
				root, best, inner = n, f, all
			} else if hinder == "" {
				hindered, hinder = n, why
			}
		}
		return true
	}
	if _, ok := r.env[r.from]; ok && r.from.Node.Op == "Reshape" {
		try(r.from.Node)
	}
	p.Forward(r.from, 16, try)
	if root == nil {
		if hinder != "" {
			p.E.Refuse(hindered, "rows are normalised, but "+hinder)
		}
		return true
	}
	attrs := map[string]ir.Attr{"T": tensor.Float32, "epsilon": r.epsilon, "gamma": best.gamma != 0}
	ins := []ir.Out{r.x}
	op, why := "_LayerNorm", "rows are brought to mean 0 and variance 1"
	if best.gamma != 0 {
		ins = append(ins, r.vectors[best.gamma-algebra.FirstVector])
	}
	if r.rms {
		op, why = "_RMSNorm", "rows are brought to mean square 1"
	} else {
		attrs["beta"] = best.beta != 0
		if best.beta != 0 {
			ins = append(ins, r.vectors[best.beta-algebra.FirstVector])
		}
	}
	return p.Put(root, inner, op, attrs, why, ins...)
}

// vector returns the atom for a tensor that has one value for each element of a row.
func (r *rows) vector(o ir.Out, c *sym.Expr) (algebra.Poly, bool) {
	f := o.Fact()
	if f.DType != tensor.Float32 || !f.Shape.Known || len(f.Shape.Dims) == 0 || len(f.Shape.Dims) > len(r.x.Fact().Shape.Dims) {
		return nil, false
	}
	last := len(f.Shape.Dims) - 1
	for i, d := range f.Shape.Dims {
		if i < last && !d.Is(1) {
			return nil, false
		}
	}
	if !f.Shape.Dims[last].Equal(c) {
		return nil, false
	}
	for i, v := range r.vectors {
		if v == o {
			return algebra.Variable(algebra.FirstVector + algebra.Atom(i)), true
		}
	}
	if len(r.vectors) >= 8 {
		return nil, false
	}
	r.vectors = append(r.vectors, o)
	return algebra.Variable(algebra.FirstVector + algebra.Atom(len(r.vectors)-1)), true
}

// normalForm holds the atoms of the two vectors by which normalized rows are multiplied (gamma) and
// to which they are added (beta). An atom is 0 if the vector is missing.
type normalForm struct{ gamma, beta algebra.Atom }

// form returns the atoms of gamma and beta if y is the polynomial x·scale·gamma - mean·scale·gamma
// + beta. For _RMSNorm, y has only the first term.
func (r *rows) form(y algebra.Poly) (normalForm, bool) {
	var f normalForm
	rest := algebra.Poly{}
	for m, c := range y {
		switch {
		case len(m) == 1 && algebra.Atom(m[0]) >= algebra.FirstVector && c == 1 && f.beta == 0 && !r.rms:
			f.beta = algebra.Atom(m[0])
		case len(m) == 3 && algebra.Atom(m[0]) == algebra.AtomX && algebra.Atom(m[1]) == algebra.AtomScale && c == 1:
			f.gamma = algebra.Atom(m[2])
			rest[m] = c
		default:
			rest[m] = c
		}
	}
	want := algebra.Variable(algebra.AtomX)
	if !r.rms {
		want = want.Plus(algebra.Variable(algebra.AtomMean), -1)
	}
	want = want.Times(algebra.Variable(algebra.AtomScale))
	if f.gamma != 0 {
		if f.gamma < algebra.FirstVector {
			return f, false
		}
		want = want.Times(algebra.Variable(f.gamma))
	}
	return f, rest.Is(want)
}
