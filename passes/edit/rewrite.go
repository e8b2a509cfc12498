package edit

import (
	"math"
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/rt/tensor"
)

// Rewriter contains the data and methods that passes use to rewrite single nodes. A node is changed
// in place, so that its name, its control edges and fetches of it remain valid. Inputs that have no
// readers after the change are removed at the end of the pass. If nothing remains to be computed,
// the node becomes an Identity, which the pass named identity removes if possible.
type Rewriter struct {
	*Chains
	E     *ir.Editor
	Spent bool // the pass has used up its fuel, so it may make no more changes
}

// Each calls f for every node, inputs first, until the pass is out of fuel.
func (s *State) Each(f func(r *Rewriter, n *ir.Node)) (bool, error) {
	order, err := s.G.Order()
	if err != nil {
		return false, err
	}
	r := &Rewriter{Chains: NewChains(s), E: s.Edit()}
	for i, n := range order {
		if i%1024 == 0 && s.G.Deadline.Err() != nil {
			break // the time is used up; the next pass returns the error
		}
		if len(n.Outs) == 0 || IsFlow(s.O.Ops, n) || ir.Joins(n.Op) {
			continue
		}
		if f(r, n); r.Spent {
			break
		}
	}
	changed := r.E.Apply()
	if changed {
		s.Sweep()
	}
	return changed, nil
}

// Take must be called before n is changed. It records the change and its reason. It returns false
// if the pass may make no more changes, because its fuel is used up.
func (r *Rewriter) Take(n *ir.Node, why string) bool {
	if r.Spent = !r.E.Changed(n, why); r.Spent {
		return false
	}
	return true
}

// Set replaces the op, attributes and inputs of n.
func (r *Rewriter) Set(n *ir.Node, op string, attrs map[string]ir.Attr, ins ...ir.Out) {
	for _, o := range n.Ins {
		if i := slices.Index(r.Readers[o], n); i >= 0 {
			r.Readers[o] = slices.Delete(slices.Clone(r.Readers[o]), i, i+1)
		}
	}
	n.Op, n.Attrs, n.Ins = op, attrs, slices.Clone(ins)
	r.reads(n)
}

func (r *Rewriter) reads(n *ir.Node) {
	for _, o := range n.Ins {
		r.Readers[o] = append(r.Readers[o], n)
	}
}

// OfType returns the attributes of a node whose only attribute is the element type T.
func OfType(d tensor.DType) map[string]ir.Attr { return map[string]ir.Attr{"T": d} }

// Becomes changes n to an Identity with the input x. Parameter why is the reason.
func (r *Rewriter) Becomes(n *ir.Node, x ir.Out, why string) {
	if r.Take(n, why) {
		r.Set(n, "Identity", OfType(n.Outs[0].DType), x)
	}
}

// Is changes n to the given op with the inputs ins. The op has a single attribute, T, which is set
// to the type of the first input. Parameter why is the reason.
func (r *Rewriter) Is(n *ir.Node, op, why string, ins ...ir.Out) {
	if r.Take(n, why) {
		r.Set(n, op, OfType(ins[0].Fact().DType), ins...)
	}
}

// Made adds a node to the graph and returns its only output. The node is on the device of n, and
// its output has the type and the shape in f.
func (r *Rewriter) Made(n *ir.Node, base, op string, attrs map[string]ir.Attr, f ir.Fact, ins ...ir.Out) ir.Out {
	m := r.S.G.NewNode(n.Name+"/"+base, op, attrs, 1, ins...)
	m.Device, m.Origin = n.Device, n.Origin
	m.Outs[0] = ir.Fact{DType: f.DType, Shape: f.Shape}
	r.reads(m)
	return ir.Out{Node: m}
}

// Sole reports whether n is the only reader of o, and whether the node that computes o may be
// removed if n no longer reads o.
func (r *Rewriter) Sole(o ir.Out, n *ir.Node) bool {
	m := o.Node
	return len(m.Outs) == 1 && !r.Kept[m] && len(m.Controls) == 0 && Together(m, n) && len(r.Readers[o]) == Count(n.Ins, o)
}

// Near reports whether n may be changed to read the inputs of the node that computes o, instead of
// o itself. This node must have no control inputs, and Together must hold for the two nodes.
func (r *Rewriter) Near(o ir.Out, n *ir.Node) bool {
	return len(o.Node.Controls) == 0 && Together(o.Node, n)
}

// ValueOf returns the value of a constant without control inputs, or nil.
func ValueOf(o ir.Out) *tensor.Tensor {
	if o.Node.Op != "Const" || len(o.Node.Controls) > 0 {
		return nil
	}
	return o.Node.Value()
}

// FilledWith returns a number if it finds that all elements of o are equal to this number.
// Otherwise, it returns false. It considers constants, and nodes that fill a tensor with a number;
// the size of such a tensor may be unknown.
func FilledWith(o ir.Out) (float64, bool) {
	n := o.Node
	if t := ValueOf(o); t != nil {
		if len(t.Shape) > 0 && t.Len() == 0 {
			return 0, false
		}
		return Uniform(t)
	}
	if len(n.Controls) > 0 || !n.Outs[0].Shape.Known {
		return 0, false
	}
	if slices.ContainsFunc(n.Outs[0].Shape.Dims, Negative) {
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
		return FilledWith(n.Ins[1])
	case "BroadcastTo", "Reshape", "Tile", "ExpandDims", "Squeeze":
		return FilledWith(n.Ins[0])
	}
	return 0, false
}

// AllBools returns the bool to which all elements of the constant o are equal. ok is false if o is not
// a constant, if it is empty, or if its elements differ.
func AllBools(o ir.Out) (value, ok bool) {
	t := ValueOf(o)
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

// Takes reports whether op has a kernel for type d.
func Takes(ops *lower.Table, op string, d tensor.DType) bool {
	def := ops.Lookup(op)
	if def == nil {
		return false
	}
	ds, limited := def.Types["T"]
	return !limited || slices.Contains(ds, d)
}

// IsWide reports whether d is f32 or f64. For these types, a rewrite may round once more or once
// less than the original.
func IsWide(d tensor.DType) bool { return d == tensor.Float32 || d == tensor.Float64 }

// NumberOf returns a scalar of type d with the value v. It returns false if the type cannot
// represent the value.
func NumberOf(d tensor.DType, v float64) (*tensor.Tensor, bool) {
	switch {
	case IsWide(d):
		return Scalar(d, v), true
	case d == tensor.Half:
		h := tensor.ToF16(float32(v))
		return tensor.Must(tensor.From(nil, []tensor.F16{h})), float64(h.Float32()) == v
	case d == tensor.BFloat16:
		h := tensor.ToBF16(float32(v))
		return tensor.Must(tensor.From(nil, []tensor.BF16{h})), float64(h.Float32()) == v
	case d.IsInteger() && v == math.Trunc(v):
		return Integers(d, tensor.Shape{}, []int64{int64(v)})
	}
	return nil, false
}

// Integers returns a tensor of the integer type d with the values vs. Values that are out of range
// wrap around. It returns false if d is not an integer type.
func Integers(d tensor.DType, s tensor.Shape, vs []int64) (*tensor.Tensor, bool) {
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
