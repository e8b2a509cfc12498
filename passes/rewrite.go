package passes

import (
	"math"
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/rt/tensor"
)

// rewriter is what the rewrites of single nodes share. A rewrite changes a node in
// place, so that its name, its control edges and who fetches it stay; what it no
// longer reads is dropped after the pass. A node that computes nothing any more
// becomes an Identity, which pass identity takes out where that is right.
type rewriter struct {
	*chains
	e     *ir.Editor
	spent bool // fuel is out
}

// each calls f with every node, inputs first, until fuel is out.
func (s *state) each(f func(r *rewriter, n *ir.Node)) (bool, error) {
	order, err := s.g.Order()
	if err != nil {
		return false, err
	}
	r := &rewriter{chains: newChains(s), e: s.edit()}
	for i, n := range order {
		if i%1024 == 0 && s.g.Deadline.Err() != nil {
			break // the next pass says so
		}
		if len(n.Outs) == 0 || isFlow(s.o.Ops, n) || ir.Joins(n.Op) {
			continue
		}
		if f(r, n); r.spent {
			break
		}
	}
	changed := r.e.Apply()
	if changed {
		s.sweep()
	}
	return changed, nil
}

// take notes that n is about to change; false when fuel is out.
func (r *rewriter) take(n *ir.Node, why string) bool {
	if r.spent = !r.e.Changed(n, why); r.spent {
		return false
	}
	return true
}

// set makes another op of n.
func (r *rewriter) set(n *ir.Node, op string, attrs map[string]ir.Attr, ins ...ir.Out) {
	for _, o := range n.Ins {
		if i := slices.Index(r.readers[o], n); i >= 0 {
			r.readers[o] = slices.Delete(slices.Clone(r.readers[o]), i, i+1)
		}
	}
	n.Op, n.Attrs, n.Ins = op, attrs, slices.Clone(ins)
	r.reads(n)
}

func (r *rewriter) reads(n *ir.Node) {
	for _, o := range n.Ins {
		r.readers[o] = append(r.readers[o], n)
	}
}

// ofType is the attribute T of a node of one element type.
func ofType(d tensor.DType) map[string]ir.Attr { return map[string]ir.Attr{"T": d} }

// becomes makes n hand on x.
func (r *rewriter) becomes(n *ir.Node, x ir.Out, why string) {
	if r.take(n, why) {
		r.set(n, "Identity", ofType(n.Outs[0].DType), x)
	}
}

// is makes n an op of one element type.
func (r *rewriter) is(n *ir.Node, op, why string, ins ...ir.Out) {
	if r.take(n, why) {
		r.set(n, op, ofType(ins[0].Fact().DType), ins...)
	}
}

// made appends a node beside n, whose one output is of the fact's type and shape.
func (r *rewriter) made(n *ir.Node, base, op string, attrs map[string]ir.Attr, f ir.Fact, ins ...ir.Out) ir.Out {
	m := r.s.g.NewNode(n.Name+"/"+base, op, attrs, 1, ins...)
	m.Device, m.Origin = n.Device, n.Origin
	m.Outs[0] = ir.Fact{DType: f.DType, Shape: f.Shape}
	r.reads(m)
	return ir.Out{Node: m}
}

// sole reports that n alone reads o, and that what makes o may go with it.
func (r *rewriter) sole(o ir.Out, n *ir.Node) bool {
	m := o.Node
	return len(m.Outs) == 1 && !r.kept[m] && len(m.Controls) == 0 && together(m, n) && len(r.readers[o]) == count(n.Ins, o)
}

// near reports that n may read what o is made of: nothing decides when o is made.
func (r *rewriter) near(o ir.Out, n *ir.Node) bool {
	return len(o.Node.Controls) == 0 && together(o.Node, n)
}

// valueOf returns the value of a constant that waits for nothing.
func valueOf(o ir.Out) *tensor.Tensor {
	if o.Node.Op != "Const" || len(o.Node.Controls) > 0 {
		return nil
	}
	return o.Node.Value()
}

// filledWith returns the number that all elements of o are: of a constant, and of what
// is filled with one whatever its size.
func filledWith(o ir.Out) (float64, bool) {
	n := o.Node
	if t := valueOf(o); t != nil {
		if len(t.Shape) > 0 && t.Len() == 0 {
			return 0, false
		}
		return uniform(t)
	}
	if len(n.Controls) > 0 || !n.Outs[0].Shape.Known {
		return 0, false
	}
	if slices.ContainsFunc(n.Outs[0].Shape.Dims, negative) {
		return 0, false
	}
	switch n.Op {
	case "ZerosLike", "OnesLike":
		if d := n.Outs[0].DType; !d.IsInteger() && !d.IsFloat() {
			return 0, false
		}
		if n.Op == "OnesLike" {
			return 1, true
		}
		return 0, true
	case "Fill":
		return filledWith(n.Ins[1])
	case "BroadcastTo", "Reshape", "Tile", "ExpandDims", "Squeeze":
		return filledWith(n.Ins[0])
	}
	return 0, false
}

// allBools returns what all elements of a constant of bools are.
func allBools(o ir.Out) (value, ok bool) {
	t := valueOf(o)
	if t == nil {
		return false, false
	}
	bs := tensor.Data[bool](t)
	if len(bs) == 0 {
		return false, false
	}
	for _, b := range bs {
		if b != bs[0] {
			return false, false
		}
	}
	return bs[0], true
}

// takes reports that op has a kernel for the type.
func takes(ops *lower.Table, op string, d tensor.DType) bool {
	def := ops.Lookup(op)
	if def == nil {
		return false
	}
	ds, limited := def.Types["T"]
	return !limited || slices.Contains(ds, d)
}

// isWide reports f32 and f64, in which a rounding more or less is within tolerance.
func isWide(d tensor.DType) bool { return d == tensor.Float32 || d == tensor.Float64 }

// number is a scalar of type d; false where d has no such number.
func numberOf(d tensor.DType, v float64) (*tensor.Tensor, bool) {
	switch {
	case isWide(d):
		return scalar(d, v), true
	case d == tensor.Half:
		h := tensor.ToF16(float32(v))
		return tensor.Must(tensor.From(nil, []tensor.F16{h})), float64(h.Float32()) == v
	case d == tensor.BFloat16:
		h := tensor.ToBF16(float32(v))
		return tensor.Must(tensor.From(nil, []tensor.BF16{h})), float64(h.Float32()) == v
	case d.IsInteger() && v == math.Trunc(v):
		return integers(d, tensor.Shape{}, []int64{int64(v)})
	}
	return nil, false
}

// integers is a tensor of integers, which wrap around.
func integers(d tensor.DType, s tensor.Shape, vs []int64) (*tensor.Tensor, bool) {
	t := &tensor.Tensor{DType: d, Shape: s}
	switch d {
	case tensor.Int8:
		t.Data = narrowed[int8](vs)
	case tensor.Int16:
		t.Data = narrowed[int16](vs)
	case tensor.Int32:
		t.Data = narrowed[int32](vs)
	case tensor.Int64:
		t.Data = slices.Clone(vs)
	case tensor.Uint8:
		t.Data = narrowed[uint8](vs)
	case tensor.Uint16:
		t.Data = narrowed[uint16](vs)
	case tensor.Uint32:
		t.Data = narrowed[uint32](vs)
	case tensor.Uint64:
		t.Data = narrowed[uint64](vs)
	default:
		return nil, false
	}
	return t, true
}

func narrowed[T int8 | int16 | int32 | uint8 | uint16 | uint32 | uint64](vs []int64) []T {
	out := make([]T, len(vs))
	for i, v := range vs {
		out[i] = T(v)
	}
	return out
}
