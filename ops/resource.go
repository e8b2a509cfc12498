package ops

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/queue"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// Flags of ops on resources: those that only look, and those that change one.
const (
	looks   = Stateful | NoFold
	changes = Stateful | Effect | NoFold
)

// resourceKey names the resource that a node makes or shares: kind, container and
// name. own says that a node without a shared name has one that no other shares.
func resourceKey(n *ir.Node, kind string, own bool) string {
	key := kind + ":" + plan.ContainerKey(n.Str("container")) + ":"
	if s := n.Str("shared_name"); s != "" {
		return key + s
	}
	if own {
		return kind + "@" + n.Name
	}
	return key + n.Name
}

// resourceName is how errors name a node's resource.
func resourceName(n *ir.Node) string {
	if s := n.Str("shared_name"); s != "" {
		return s
	}
	return n.Name
}

// maker returns the node that made a handle, through what hands it on; nil where
// that is not known when compiling. Where it may be one of several they are alike
// in what is asked of them here.
func maker(o ir.Out) *ir.Node {
	seen := map[ir.Out]bool{}
	var visit func(o ir.Out) *ir.Node
	visit = func(o ir.Out) *ir.Node {
		if seen[o] {
			return nil
		}
		seen[o] = true
		lo, hi := HandsOn(o.Node)
		if o.Node.Op == "IdentityN" {
			lo, hi = o.Index, o.Index+1
		}
		if lo == hi {
			return o.Node
		}
		for _, in := range o.Node.Ins[lo:hi] {
			if n := visit(in); n != nil {
				return n
			}
		}
		return nil
	}
	return visit(o)
}

// handleShape: output 0 is a scalar handle, also where TensorFlow's signature
// says a reference to a string.
func handleShape(c *Shaper) error {
	c.Set(0, tensor.Resource, ir.ShapeOf())
	return nil
}

// withoutOutputs is the shape function of an op without outputs.
func withoutOutputs(*Shaper) error { return nil }

// scalarShape makes output 0 a scalar of a type.
func scalarShape(d tensor.DType) func(*Shaper) error {
	return func(c *Shaper) error {
		c.Set(0, d, ir.ShapeOf())
		return nil
	}
}

// boxes puts the inputs from first to the last but not last, in boxes next to each
// other, as rows where many.
func (b *Builder) boxes(first, last int, many bool) (plan.View, error) {
	parts := b.Temp(tensor.Variant, sym.Int(last-first))
	table := queuePutKernels
	if many {
		table = queuePutRowsKernels
	}
	for k := range last - first {
		i := first + k
		d := b.InFact(i).DType
		fn, err := table.get(d)
		if err != nil {
			return parts, err
		}
		if many && len(b.InShape(i)) == 0 {
			return parts, b.Errorf(tensor.InvalidArgument, "input %d is a scalar, rows are required", i)
		}
		b.Call(fn, writes(parts.At(sym.Int(k), sym.One)), b.In(i), append([]*sym.Expr{}, b.InShape(i)...), d)
	}
	parts.Mode = plan.Read
	return parts, nil
}

// element is what is known of a tensor that comes out of a resource: its type and
// its shape, in which a nil dimension is found by the run.
type element struct {
	dtype tensor.DType
	known bool // the rank is
	dims  []*sym.Expr
}

// elementShape makes output i an element of a resource, in front of whose dimensions
// stand lead. Open dimensions become sizes that unbox binds.
func (c *Shaper) elementShape(i int, e element, lead ...*sym.Expr) {
	if !e.known {
		c.Set(i, e.dtype, ir.Shape{})
		return
	}
	dims := append([]*sym.Expr{}, lead...)
	for k, d := range e.dims {
		if d == nil {
			d = c.NewSizeK(i, 1+len(lead)+k)
		}
		dims = append(dims, d)
	}
	c.Set(i, e.dtype, ir.ShapeOf(dims...))
}

// unbox binds the sizes of output i, which elementShape has described, by the
// tensor in the box src, and stores it where somebody reads it. lead is the number
// of dimensions in front, which are bound.
func (b *Builder) unbox(i int, src plan.View, e element, lead int) error {
	if !e.known {
		if b.OutUsed(i) {
			return unknownRank(b.Node, i)
		}
		return nil
	}
	rank := lead + len(e.dims)
	var stated []*sym.Expr
	known := false
	for k, d := range e.dims {
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
	fn, err := queueGetKernels.get(e.dtype)
	if err != nil {
		return err
	}
	if known || rank == lead {
		b.Call(queue.CheckShape, src, lead, append([]*sym.Expr{}, stated...))
	}
	b.Call(fn, b.Out(i), src, e.dtype)
	return nil
}

// unboxAll is unbox of all outputs, whose boxes stand next to each other.
func (b *Builder) unboxAll(parts plan.View, es []element, lead int) error {
	for i, e := range es {
		if err := b.unbox(i, parts.At(sym.Int(i), sym.One), e, lead); err != nil {
			return err
		}
	}
	return nil
}

// elementOf reads a shape of an attribute: -1 is found by the run.
func elementOf(d tensor.DType, s ir.PartialShape) element {
	e := element{dtype: d, known: !s.UnknownRank}
	for _, n := range s.Dims {
		if n < 0 {
			e.dims = append(e.dims, nil)
		} else {
			e.dims = append(e.dims, sym.Int(int(n)))
		}
	}
	return e
}

// elementShapes is the attribute in which NoteElements keeps what goes into the
// resource that a node takes tensors from: a list(shape), a shape an output.
const elementShapes = "_element_shapes"

// noted returns the elements that a resource of these types hands out, as far as
// NoteElements has found them.
func noted(n *ir.Node, types []tensor.DType) []element {
	shapes, _ := n.Attrs[elementShapes].([]ir.PartialShape)
	out := make([]element, len(types))
	for i, d := range types {
		out[i] = element{dtype: d}
		if i < len(shapes) {
			out[i] = elementOf(d, shapes[i])
		}
	}
	return out
}
