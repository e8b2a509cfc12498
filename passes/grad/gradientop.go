package grad

import (
	"maps"
	"slices"

	"github.com/graphc/graphc/frontend/opdef"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// backward makes the nodes of an op's gradient and returns the gradient of each
// input: integers that only say where, such as axes and sizes, have zeros.
type backward func(b *opBackward) []ir.Out

// Gradients has a row for every op of which TensorFlow's library of functions
// knows a gradient; that of a nil row is zero. Any other op has none.
//
// TensorFlow refuses axes and sizes of type int64 in most rows, and negative axes
// of sums, because its functions are written down for int32; here they are
// computed. What its functions refuse on purpose is refused here.
var Gradients = func() map[string]backward {
	all := map[string]backward{}
	for _, rows := range []map[string]backward{unaryGradients, binaryGradients, reduceGradients, productGradients, arrayGradients, sliceGradients, nnGradients} {
		maps.Copy(all, rows)
	}
	return all
}()

// opBackward is the gradient of an op being made.
type opBackward struct {
	*Body
	op    *opdef.Op
	attrs map[string]ir.Attr // of the op
	x, dy []ir.Out           // its inputs and the gradients of its outputs
	err   error              // the first
}

// OpGradient makes the gradient of an op as n, a SymbolicGradient, asks for it.
func OpGradient(ops *lower.Table, n *ir.Node, f ir.Func, lib *ir.Library) (*ir.Function, error) {
	back, known := Gradients[f.Name]
	op := opdef.Lookup(f.Name)
	switch {
	case f.Name == "SymbolicGradient":
		return nil, tensor.Errorf(tensor.InvalidArgument, "a SymbolicGradient has no gradient itself")
	case !known && !ops.Trait(f.Name, lower.NoGradient) || op == nil:
		return nil, tensor.Errorf(tensor.NotFound, "no gradient is defined for op %s", f.Name)
	case back == nil:
		return nil, tensor.Errorf(tensor.InvalidArgument, "the gradient of op %s is zero", f.Name)
	}
	if err := allowed(op, f.Attrs); err != nil {
		return nil, err
	}
	b := &opBackward{Body: NewBody(f.Name, lib), op: op, attrs: f.Attrs}
	like := &ir.Node{Op: f.Name, Attrs: f.Attrs}
	xs, known := edit.InTypes(like, nil)
	ys, knowny := edit.OutTypes(like, nil)
	if !known || !knowny {
		return nil, tensor.Errorf(tensor.NotFound, "the gradient of op %s needs its attributes that tell the types", f.Name)
	}
	if len(n.Ins) != len(xs)+len(ys) || len(n.Outs) != len(xs) {
		return nil, tensor.Errorf(tensor.InvalidArgument, "the gradient of op %s takes %d tensors and gives %d, the node has %d and %d", f.Name,
			len(xs)+len(ys), len(xs), len(n.Ins), len(n.Outs))
	}
	for i, d := range append(xs[:len(xs):len(xs)], ys...) {
		if g := n.Ins[i].Fact().DType; g != d && g != tensor.Invalid {
			return nil, tensor.Errorf(tensor.InvalidArgument, "input %d is %s, the gradient of op %s takes %s", i, g, f.Name, d)
		}
		o := b.Arg(d)
		if i < len(xs) {
			b.x = append(b.x, o)
		} else {
			b.dy = append(b.dy, o)
		}
	}
	dx := back(b)
	if b.err != nil {
		return nil, b.err
	}
	if len(dx) != len(xs) {
		return nil, tensor.Errorf(tensor.Internal, "the gradient of op %s has %d results for %d inputs", f.Name, len(dx), len(xs))
	}
	for _, o := range dx {
		b.Ret(o)
	}
	return b.Fn, nil
}

// allowed refuses types that the op's signature excludes.
func allowed(op *opdef.Op, attrs map[string]ir.Attr) error {
	for _, a := range op.Attrs {
		if d, ok := attrs[a.Name].(tensor.DType); ok && a.Types != nil && !slices.Contains(a.Types, d) {
			return tensor.Errorf(tensor.InvalidArgument, "%s of %s cannot be %s", a.Name, op.Name, d)
		}
	}
	return nil
}

// attr returns an attribute of the op, or its default.
func (b *opBackward) attr(name string) ir.Attr {
	if v, ok := b.attrs[name]; ok {
		return v
	}
	if a := b.op.Attr(name); a != nil && a.HasDefault {
		return a.Default
	}
	b.refuse(tensor.NotFound, "op %s has no attribute %q", b.op.Name, name)
	return nil
}

// flag returns an attribute of the op that is a bool.
func (b *opBackward) flag(name string) bool {
	v, _ := b.attr(name).(bool)
	return v
}

// refuse notes an error unless there was one.
func (b *opBackward) refuse(code tensor.Code, format string, args ...any) {
	if b.err == nil {
		b.err = tensor.Errorf(code, format, args...)
	}
}

// T is the element type of the op's first input.
func (b *opBackward) T() tensor.DType { return b.x[0].Fact().DType }

// with appends a node with attributes, and the rest at their defaults.
func (b *opBackward) with(op string, attrs map[string]ir.Attr, ins ...ir.Out) *ir.Node {
	o := opdef.Lookup(op)
	for _, a := range o.Attrs {
		if _, ok := attrs[a.Name]; !ok && a.HasDefault {
			attrs[a.Name] = a.Default
		}
	}
	if err := allowed(o, attrs); err != nil && b.err == nil {
		b.err = err
	}
	ts, ok := edit.OutTypes(&ir.Node{Op: op, Attrs: attrs}, nil)
	if !ok {
		b.refuse(tensor.Internal, "the attributes of %s do not tell its types", op)
	}
	return b.node(op, op, attrs, ts, ins...)
}

// same appends a node whose attribute T is the type of its first input, or no
// attribute of the op.
func (b *opBackward) same(op string, ins ...ir.Out) ir.Out {
	attrs := map[string]ir.Attr{}
	if opdef.Lookup(op).Attr("T") != nil {
		attrs["T"] = ins[0].Fact().DType
	}
	return ir.Out{Node: b.with(op, attrs, ins...)}
}

// index appends a node whose integers, named by the attribute tidx, are the last input.
func (b *opBackward) index(op, tidx string, attrs map[string]ir.Attr, ins ...ir.Out) ir.Out {
	if attrs == nil {
		attrs = map[string]ir.Attr{}
	}
	attrs["T"], attrs[tidx] = ins[0].Fact().DType, ins[len(ins)-1].Fact().DType
	return ir.Out{Node: b.with(op, attrs, ins...)}
}

// CopyOf appends a node that has attributes of the op: those of its own that
// the op has under the same name and type, and attrs.
func (b *opBackward) copyOf(op string, attrs map[string]ir.Attr, ins ...ir.Out) *ir.Node {
	for _, a := range opdef.Lookup(op).Attrs {
		if v, ok := b.attrs[a.Name]; ok && attrs[a.Name] == nil {
			attrs[a.Name] = v
		}
	}
	return b.with(op, attrs, ins...)
}

// cast appends a Cast.
func (b *opBackward) cast(o ir.Out, d tensor.DType) ir.Out {
	return ir.Out{Node: b.with("Cast", map[string]ir.Attr{"SrcT": o.Fact().DType, "DstT": d}, o)}
}

// number returns a scalar of type d.
func (b *opBackward) number(v float32, d tensor.DType) ir.Out {
	o := b.G.NewConst("const", tensor.Must(tensor.From(nil, []float32{v})))
	if d != tensor.Float32 {
		o = b.cast(o, d)
	}
	return o
}

// int returns a scalar of type int32.
func (b *opBackward) int(v int32) ir.Out {
	return b.G.NewConst("const", tensor.Must(tensor.From(nil, []int32{v})))
}

// ints returns a vector of type int32.
func (b *opBackward) ints(v ...int32) ir.Out {
	return b.G.NewConst("const", tensor.Must(tensor.From(tensor.Shape{len(v)}, v)))
}

// shape returns the shape of o in integers of type d.
func (b *opBackward) shape(o ir.Out, d tensor.DType) ir.Out {
	return ir.Out{Node: b.with("Shape", map[string]ir.Attr{"T": o.Fact().DType, "out_type": d}, o)}
}

// zeros returns zeros like o.
func (b *opBackward) zeros(o ir.Out) ir.Out { return b.same("ZerosLike", o) }

// reshape gives o a shape.
func (b *opBackward) reshape(o, shape ir.Out) ir.Out {
	return b.index("Reshape", "Tshape", nil, o, shape)
}

// total sums o over axes.
func (b *opBackward) total(o, axes ir.Out, keep bool) ir.Out {
	return b.index("Sum", "Tidx", map[string]ir.Attr{"keep_dims": keep}, o, axes)
}
