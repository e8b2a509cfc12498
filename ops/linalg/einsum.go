package linalg

import (
	"fmt"
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/einsum"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

var einsumDefs = []*lower.Def{
	{Name: "Einsum", Flags: lower.Expensive, Types: map[string][]tensor.DType{"T": {tensor.Float32, tensor.Float64, tensor.Half, tensor.BFloat16,
		tensor.Int32, tensor.Int64, tensor.Complex64, tensor.Complex128}}, Limits: "one or two operands", Shape: einsumShape, Lower: einsumLower},
}

// equation is a parsed Einsum equation over operands of known ranks. A label is a letter, or …0, …1
// for the dimensions of an ellipsis, counted from the right.
type equation struct {
	in   [][]string
	out  []string
	dims map[string]*sym.Expr // the size of every label
}

// einsumLabels splits one term into labels. rank is the rank of the term's operand, or -1 for the
// output. wide is the number of dimensions in the output's ellipsis.
func einsumLabels(term string, rank, wide int) ([]string, error) {
	before, after, dots := strings.Cut(term, "...")
	for _, r := range before + after {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') {
			return nil, tensor.Errorf(tensor.InvalidArgument, "%q is not a label of an equation", r)
		}
	}
	n := len(before) + len(after)
	if rank >= 0 {
		wide = rank - n
		if wide < 0 || !dots && wide > 0 {
			return nil, tensor.Errorf(tensor.InvalidArgument, "the term %q has %d labels for an operand of rank %d", term, n, rank)
		}
	}
	var r []string
	for _, l := range before {
		r = append(r, string(l))
	}
	if dots {
		for i := wide - 1; i >= 0; i-- {
			r = append(r, fmt.Sprintf("…%d", i))
		}
	}
	for _, l := range after {
		r = append(r, string(l))
	}
	return r, nil
}

// parseEinsum parses and checks the equation, and finds the labels' dimensions.
func parseEinsum(n *ir.Node, shapes [][]*sym.Expr) (*equation, error) {
	text := strings.ReplaceAll(n.Str("equation"), " ", "")
	left, right, ok := strings.Cut(text, "->")
	if !ok {
		return nil, tensor.Errorf(tensor.InvalidArgument, "the equation %q has no ->", text)
	}
	terms := strings.Split(left, ",")
	if len(terms) != len(shapes) {
		return nil, tensor.Errorf(tensor.InvalidArgument, "the equation %q has %d operands, but the node %d", text, len(terms), len(shapes))
	}
	if len(terms) > 2 {
		return nil, tensor.Errorf(tensor.InvalidArgument, "the equation %q has %d operands; at most 2 are supported", text, len(terms))
	}
	e := &equation{dims: map[string]*sym.Expr{}}
	wide := 0
	for i, t := range terms {
		ls, err := einsumLabels(t, len(shapes[i]), 0)
		if err != nil {
			return nil, err
		}
		e.in = append(e.in, ls)
		w := 0
		for k, l := range ls {
			d := shapes[i][k]
			have := e.dims[l]
			dots := strings.HasPrefix(l, "…")
			if dots {
				w++
			}
			switch {
			case have == nil:
				e.dims[l] = d
			case dots:
				if lower.Differ(have, d) && !have.Is(1) && !d.Is(1) {
					return nil, tensor.Errorf(tensor.InvalidArgument, "the dimensions %v and %v of the ellipses do not broadcast", have, d)
				}
				e.dims[l] = sym.Broadcast(have, d)
			case lower.Differ(have, d):
				return nil, tensor.Errorf(tensor.InvalidArgument, "the label %s has the sizes %v and %v", l, have, d)
			case !kit.IsInt(have):
				e.dims[l] = d
			}
		}
		wide = max(wide, w)
	}
	var err error
	if e.out, err = einsumLabels(right, -1, wide); err != nil {
		return nil, err
	}
	for _, l := range e.out {
		if e.dims[l] == nil {
			return nil, tensor.Errorf(tensor.InvalidArgument, "the label %s of the result is in no operand", l)
		}
	}
	return e, nil
}

func einsumShape(c *lower.Shaper) error {
	d := c.In(0).DType
	shapes := make([][]*sym.Expr, c.NumIn())
	for i := range shapes {
		s := c.Shape(i)
		if !s.Known {
			c.Set(0, d, ir.Shape{})
			return nil
		}
		shapes[i] = s.Dims
	}
	e, err := parseEinsum(c.Node, shapes)
	if err != nil {
		return err
	}
	dims := make([]*sym.Expr, len(e.out))
	for k, l := range e.out {
		dims[k] = e.dims[l]
	}
	c.Set(0, d, ir.ShapeOf(dims...))
	return nil
}

// labelled is a tensor with a stride and a size for every label.
type labelled struct {
	view   plan.View
	labels []string
	size   map[string]*sym.Expr
	stride map[string]*sym.Expr
}

// labelledOf returns the description of a dense tensor with the given labels and dimensions. If a
// label is repeated, its stride is the sum of the strides of its dimensions.
func labelledOf(v plan.View, labels []string, dims []*sym.Expr) labelled {
	s := labelled{view: v, size: map[string]*sym.Expr{}, stride: map[string]*sym.Expr{}}
	step := sym.One
	for k := len(labels) - 1; k >= 0; k-- {
		l := labels[k]
		if s.size[l] == nil {
			s.size[l], s.stride[l] = dims[k], sym.Zero
		}
		s.stride[l] = s.stride[l].Add(step)
		step = step.Mul(dims[k])
	}
	for _, l := range labels {
		if !contains(s.labels, l) {
			s.labels = append(s.labels, l)
		}
	}
	return s
}

func contains(ls []string, l string) bool {
	for _, x := range ls {
		if x == l {
			return true
		}
	}
	return false
}

// dense reports whether the tensor is already dense, with the given labels in the given order.
func (s *labelled) dense(want []string) bool {
	if len(want) != len(s.labels) {
		return false
	}
	step := sym.One
	for k := len(want) - 1; k >= 0; k-- {
		l := want[k]
		if s.size[l] == nil || !s.stride[l].Equal(step) && !s.size[l].Is(1) {
			return false
		}
		step = step.Mul(s.size[l])
	}
	return true
}

var einsumKernels = []any{einsum.F32, einsum.F64, einsum.F16, einsum.BF16, einsum.I32, einsum.I64, einsum.C64, einsum.C128}

// arrange makes a dense copy of the tensor s with the given labels, in the given order, and sums
// over the other labels of s. The result is in dst. If dst is nil, the result is in scratch, or is s
// itself if no copy is needed.
func arrange(b *lower.Builder, s *labelled, want []string, dst *plan.View) (plan.View, error) {
	if dst == nil && s.dense(want) {
		return s.view, nil
	}
	n := sym.One
	for _, l := range want {
		n = n.Mul(s.size[l])
	}
	if dst == nil {
		t := kit.TempOf(b, s.view.Buf.DType, n)
		dst = &t
	}
	dims := make([]*sym.Expr, len(want))
	for k, l := range want {
		dims[k] = s.size[l]
	}
	to := labelledOf(*dst, want, dims)
	return *dst, rearrange(b, s, &to, n)
}

// rearrange copies s to a second tensor (to), and sums over the labels that only s has. n is the
// number of elements of the second tensor.
func rearrange(b *lower.Builder, s, to *labelled, n *sym.Expr) error {
	var dims, src, dst, sumDims, sum []*sym.Expr
	for _, l := range to.labels {
		dims, dst = append(dims, to.size[l]), append(dst, to.stride[l])
		if s.stride[l] == nil {
			src = append(src, sym.Zero)
		} else {
			src = append(src, BatchStride(s.size[l], to.size[l], s.stride[l]))
		}
	}
	for _, l := range s.labels {
		if to.stride[l] == nil {
			sumDims, sum = append(sumDims, s.size[l]), append(sum, s.stride[l])
		}
	}
	if b.Moves() {
		return devRearrange(b, s, to, dims, src, dst, sumDims, sum, n)
	}
	if len(dims) > einsum.MaxRank || len(sum) > einsum.MaxRank {
		return b.Errorf(tensor.Unimplemented, "more than %d labels", einsum.MaxRank)
	}
	reached := sym.Product(dims)
	fn, err := kit.KernelFor(b, s.view.Buf.DType, einsumKernels...)
	if err != nil {
		return err
	}
	b.Call(fn, to.view, s.view, plan.Lit(einsum.Params{Rank: len(dims), Sums: len(sum), Clear: !reached.Equal(n)},
		"Dims", dims, "Src", src, "Dst", dst, "SumDims", sumDims, "Sum", sum, "Len", n))
	return nil
}

// einsumLower first takes diagonals and sums over labels that only one operand has. Then it appends
// one batched product, and finally puts the result's labels in order.
func einsumLower(b *lower.Builder) error {
	shapes := make([][]*sym.Expr, b.NumIn())
	for i := range shapes {
		shapes[i] = b.InShape(i)
	}
	e, err := parseEinsum(b.Node, shapes)
	if err != nil {
		return err
	}
	for i, ls := range e.in {
		for k, l := range ls {
			if d := shapes[i][k]; !d.Equal(e.dims[l]) && !(kit.IsInt(d) && kit.IsInt(e.dims[l])) {
				if strings.HasPrefix(l, "…") {
					b.Check(shape.Broadcastable, d, e.dims[l])
				} else {
					b.Check(shape.Equal, d, e.dims[l], "the sizes of the label "+l+" must be equal")
				}
			}
		}
	}
	outDims := make([]*sym.Expr, len(e.out))
	for k, l := range e.out {
		outDims[k] = e.dims[l]
	}
	to := labelledOf(b.Dest(0), e.out, outDims)
	x := labelledOf(b.Source(0), e.in[0], shapes[0])
	if len(e.in) == 1 {
		return rearrange(b, &x, &to, b.OutLen(0))
	}
	y := labelledOf(b.Source(1), e.in[1], shapes[1])
	var batch, free, other, inner []string
	for _, l := range x.labels {
		switch {
		case y.size[l] != nil && to.size[l] != nil:
			batch = append(batch, l)
		case y.size[l] != nil:
			inner = append(inner, l)
		case to.size[l] != nil:
			free = append(free, l)
		}
	}
	for _, l := range y.labels {
		if x.size[l] == nil && to.size[l] != nil {
			other = append(other, l)
		}
	}
	// The batch labels are in the result's order, so that the result need not be rearranged.
	ordered := make([]string, 0, len(batch))
	for _, l := range to.labels {
		if contains(batch, l) {
			ordered = append(ordered, l)
		}
	}
	batch = ordered
	for _, l := range inner {
		// A summed ellipsis or common label has the same size in both operands.
		if !x.size[l].Equal(y.size[l]) {
			if lower.Differ(x.size[l], y.size[l]) {
				return b.Errorf(tensor.Unimplemented, "the summed dimensions %v and %v broadcast", x.size[l], y.size[l])
			}
			b.Check(shape.Equal, x.size[l], y.size[l], "summed dimensions must be equal")
		}
	}
	c := contraction{b: b, e: e, batch: batch, inner: inner}
	return c.lower(&x, &y, &to, free, other)
}

func sizeOf(s *labelled, ls []string) *sym.Expr {
	n := sym.One
	for _, l := range ls {
		n = n.Mul(s.size[l])
	}
	return n
}
