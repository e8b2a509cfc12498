package state

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/queue"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// ResourceName returns the name by which errors refer to the resource of a node.
func ResourceName(n *ir.Node) string {
	if s := n.Str("shared_name"); s != "" {
		return s
	}
	return n.Name
}

// HandleShape sets output 0 to a scalar handle, even if TensorFlow's signature has a reference to a
// string.
func HandleShape(c *lower.Shaper) error {
	c.Set(0, tensor.Resource, ir.ShapeOf())
	return nil
}

// WithoutOutputs is the shape function of an op without outputs.
func WithoutOutputs(*lower.Shaper) error { return nil }

// ScalarShape returns a shape function that sets output 0 to a scalar of type d.
func ScalarShape(d tensor.DType) func(*lower.Shaper) error {
	return func(c *lower.Shaper) error {
		c.Set(0, d, ir.ShapeOf())
		return nil
	}
}

// Boxes appends the calls that copy inputs into variants, called boxes, and returns a view of all
// boxes. The numbers of the inputs are in the range [first, last), and there is one box for each
// input. If the parameter many is true, a box holds each row of its input separately instead of the
// whole input.
func Boxes(b *lower.Builder, first, last int, many bool) (plan.View, error) {
	parts := b.Temp(tensor.Variant, sym.Int(last-first))
	table := bytype.QueuePut
	if many {
		table = bytype.QueuePutRows
	}
	for k := range last - first {
		i := first + k
		d := b.InFact(i).DType
		fn, err := table.Get(d)
		if err != nil {
			return parts, err
		}
		if many && len(b.InShape(i)) == 0 {
			return parts, b.Errorf(tensor.InvalidArgument, "input %d is a scalar, but must have rows", i)
		}
		b.Call(fn, kit.Writes(parts.At(sym.Int(k), sym.One)), b.In(i), append([]*sym.Expr{}, b.InShape(i)...), d)
	}
	parts.Mode = plan.Read
	return parts, nil
}

// Element describes the type and shape of a tensor that is read from a resource. A nil in Dims
// means that the dimension is known only at run time.
type Element struct {
	Dtype tensor.DType
	Known bool // whether the rank is known
	Dims  []*sym.Expr
}

// ElementShape sets the type and shape of output i, which is read from a resource. The dimensions
// in lead come first, followed by the dimensions of e. A dimension of e that is known only at run
// time becomes a symbolic size of the output; unbox appends the call that computes this size.
func ElementShape(c *lower.Shaper, i int, e Element, lead ...*sym.Expr) {
	if !e.Known {
		c.Set(i, e.Dtype, ir.Shape{})
		return
	}
	dims := append([]*sym.Expr{}, lead...)
	for k, d := range e.Dims {
		if d == nil {
			d = c.NewSizeK(i, 1+len(lead)+k)
		}
		dims = append(dims, d)
	}
	c.Set(i, e.Dtype, ir.ShapeOf(dims...))
}

// unbox appends the calls that copy the tensor in the box src to output i, if the output is used,
// and that compute the symbolic sizes of the output. ElementShape must have set the shape of the
// output. Parameter lead is the number of leading dimensions, which unbox does not compute.
func unbox(b *lower.Builder, i int, src plan.View, e Element, lead int) error {
	if !e.Known {
		if b.OutUsed(i) {
			return lower.UnknownRank(b.Node, i)
		}
		return nil
	}
	rank := lead + len(e.Dims)
	var stated []*sym.Expr
	known := false
	for k, d := range e.Dims {
		if d == nil {
			b.CallSizes(queue.Dim, []*sym.Expr{b.NewSizeK(i, 1+lead+k)}, src, lead+k, rank)
			d = sym.Int(-1)
		} else {
			known = true
		}
		stated = append(stated, d)
	}
	if !b.OutUsed(i) {
		return nil
	}
	fn, err := bytype.QueueGet.Get(e.Dtype)
	if err != nil {
		return err
	}
	if known || rank == lead {
		b.Call(queue.CheckShape, src, lead, append([]*sym.Expr{}, stated...))
	}
	b.Call(fn, b.Out(i), src, e.Dtype)
	return nil
}

// UnboxAll calls unbox for all outputs. The boxes of the outputs are adjacent elements of parts.
func UnboxAll(b *lower.Builder, parts plan.View, es []Element, lead int) error {
	for i, e := range es {
		if err := unbox(b, i, parts.At(sym.Int(i), sym.One), e, lead); err != nil {
			return err
		}
	}
	return nil
}

// elementOf returns an Element with the type d and the shape s, which is the value of an attribute.
// A dimension of -1 in s is known only at run time.
func elementOf(d tensor.DType, s ir.PartialShape) Element {
	e := Element{Dtype: d, Known: !s.UnknownRank}
	for _, n := range s.Dims {
		if n < 0 {
			e.Dims = append(e.Dims, nil)
		} else {
			e.Dims = append(e.Dims, sym.Int(int(n)))
		}
	}
	return e
}

// elementShapes is the name of an attribute in which NoteElements stores shapes. The attribute of a
// node that reads from a resource is a list(shape), with one shape for each output. The shapes are
// those of the tensors that other nodes put into the resource.
const elementShapes = "_element_shapes"

// Noted returns the elements that a node reads from a resource. Their types are the parameter
// types, and their shapes are those that NoteElements has found.
func Noted(n *ir.Node, types []tensor.DType) []Element {
	shapes, _ := n.Attrs[elementShapes].([]ir.PartialShape)
	out := make([]Element, len(types))
	for i, d := range types {
		out[i] = Element{Dtype: d}
		if i < len(shapes) {
			out[i] = elementOf(d, shapes[i])
		}
	}
	return out
}
