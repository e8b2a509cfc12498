package lower

import (
	"slices"

	"github.com/graphc/graphc/frontend/opdef"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// Gradient appends the nodes of an op's gradient and returns the gradient of each input. The
// gradients of integer inputs such as axes and sizes are zeros. Only ops with a gradient in
// TensorFlow's function library have one; the gradient of an op with trait NoGradient is zero.
//
// TensorFlow's gradients of most ops reject axes and sizes of type int64, and those of sums reject
// negative axes, because TensorFlow's functions are written for int32. Graphc computes these
// gradients. It rejects only inputs that TensorFlow's functions reject on purpose.
type Gradient func(*GradientBuilder) []ir.Out

// GradientBuilder is the interface of a Gradient: it appends nodes to a graph.
type GradientBuilder struct {
	G     *ir.Graph
	Op    *opdef.Op
	Attrs map[string]ir.Attr // of the op
	X, DY []ir.Out           // the op's inputs and the gradients of its outputs
	Err   error              // the first error
}

// node appends a node with outputs of the given types.
func (b *GradientBuilder) node(op string, attrs map[string]ir.Attr, types []tensor.DType, ins ...ir.Out) *ir.Node {
	n := b.G.NewNode(op, op, attrs, len(types), ins...)
	for i, d := range types {
		n.Outs[i].DType = d
	}
	return n
}

// SignatureAllows returns an error if an attribute is a type that the op's signature excludes.
func SignatureAllows(op *opdef.Op, attrs map[string]ir.Attr) error {
	for _, a := range op.Attrs {
		if d, ok := attrs[a.Name].(tensor.DType); ok && a.Types != nil && !slices.Contains(a.Types, d) {
			return tensor.Errorf(tensor.InvalidArgument, "%s of %s cannot be %s", a.Name, op.Name, d)
		}
	}
	return nil
}

// Attr returns an attribute of the op, or its default.
func (b *GradientBuilder) Attr(name string) ir.Attr {
	if v, ok := b.Attrs[name]; ok {
		return v
	}
	if a := b.Op.Attr(name); a != nil && a.HasDefault {
		return a.Default
	}
	b.Refuse(tensor.NotFound, "op %s has no attribute %q", b.Op.Name, name)
	return nil
}

// Flag returns a bool attribute of the op.
func (b *GradientBuilder) Flag(name string) bool {
	v, _ := b.Attr(name).(bool)
	return v
}

// Refuse records an error, unless an error was recorded before.
func (b *GradientBuilder) Refuse(code tensor.Code, format string, args ...any) {
	if b.Err == nil {
		b.Err = tensor.Errorf(code, format, args...)
	}
}

// T returns the element type of the op's first input.
func (b *GradientBuilder) T() tensor.DType { return b.X[0].Fact().DType }

// With appends a node with the attributes attrs; the node's other attributes have their defaults.
func (b *GradientBuilder) With(op string, attrs map[string]ir.Attr, ins ...ir.Out) *ir.Node {
	o := opdef.Lookup(op)
	for _, a := range o.Attrs {
		if _, ok := attrs[a.Name]; !ok && a.HasDefault {
			attrs[a.Name] = a.Default
		}
	}
	if err := SignatureAllows(o, attrs); err != nil && b.Err == nil {
		b.Err = err
	}
	ts, ok := OutTypes(&ir.Node{Op: op, Attrs: attrs}, nil)
	if !ok {
		b.Refuse(tensor.Internal, "the attributes of %s do not tell its types", op)
	}
	return b.node(op, attrs, ts, ins...)
}

// Same appends a node with the given op. If the op has the attribute T, the node's T is the type of
// its first input.
func (b *GradientBuilder) Same(op string, ins ...ir.Out) ir.Out {
	attrs := map[string]ir.Attr{}
	if opdef.Lookup(op).Attr("T") != nil {
		attrs["T"] = ins[0].Fact().DType
	}
	return ir.Out{Node: b.With(op, attrs, ins...)}
}

// Index appends a node whose last input holds integers. The parameter tidx is the name of the
// attribute for the type of these integers.
func (b *GradientBuilder) Index(op, tidx string, attrs map[string]ir.Attr, ins ...ir.Out) ir.Out {
	if attrs == nil {
		attrs = map[string]ir.Attr{}
	}
	attrs["T"], attrs[tidx] = ins[0].Fact().DType, ins[len(ins)-1].Fact().DType
	return ir.Out{Node: b.With(op, attrs, ins...)}
}

// CopyOf appends a node with the attributes attrs. If the new node's op also has other attributes
// of the forward op, the node gets copies of these.
func (b *GradientBuilder) CopyOf(op string, attrs map[string]ir.Attr, ins ...ir.Out) *ir.Node {
	for _, a := range opdef.Lookup(op).Attrs {
		if v, ok := b.Attrs[a.Name]; ok && attrs[a.Name] == nil {
			attrs[a.Name] = v
		}
	}
	return b.With(op, attrs, ins...)
}

// Cast appends a Cast.
func (b *GradientBuilder) Cast(o ir.Out, d tensor.DType) ir.Out {
	return ir.Out{Node: b.With("Cast", map[string]ir.Attr{"SrcT": o.Fact().DType, "DstT": d}, o)}
}

// Number returns a scalar of type d.
func (b *GradientBuilder) Number(v float32, d tensor.DType) ir.Out {
	o := b.G.NewConst("const", tensor.Must(tensor.From(nil, []float32{v})))
	if d != tensor.Float32 {
		o = b.Cast(o, d)
	}
	return o
}

// Int returns a scalar of type int32.
func (b *GradientBuilder) Int(v int32) ir.Out {
	return b.G.NewConst("const", tensor.Must(tensor.From(nil, []int32{v})))
}

// Ints returns a vector of type int32.
func (b *GradientBuilder) Ints(v ...int32) ir.Out {
	return b.G.NewConst("const", tensor.Must(tensor.From(tensor.Shape{len(v)}, v)))
}

// Shape returns the shape of o in integers of type d.
func (b *GradientBuilder) Shape(o ir.Out, d tensor.DType) ir.Out {
	return ir.Out{Node: b.With("Shape", map[string]ir.Attr{"T": o.Fact().DType, "out_type": d}, o)}
}

// Zeros returns zeros with the type and shape of o.
func (b *GradientBuilder) Zeros(o ir.Out) ir.Out { return b.Same("ZerosLike", o) }

// Reshape reshapes o to shape.
func (b *GradientBuilder) Reshape(o, shape ir.Out) ir.Out {
	return b.Index("Reshape", "Tshape", nil, o, shape)
}

// Total sums o over axes.
func (b *GradientBuilder) Total(o, axes ir.Out, keep bool) ir.Out {
	return b.Index("Sum", "Tidx", map[string]ir.Attr{"keep_dims": keep}, o, axes)
}

// ZerosLike returns, for each tensor in os, zeros with its type and shape.
func (b *GradientBuilder) ZerosLike(os ...ir.Out) []ir.Out {
	var zs []ir.Out
	for _, o := range os {
		zs = append(zs, b.Zeros(o))
	}
	return zs
}
