package index

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/order"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/lower"
	arrayops "github.com/graphc/graphc/ops/array"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// orderDefs select the largest elements, or search in sorted elements.
var orderDefs = []*lower.Def{
	{Name: "TopKV2", Types: map[string][]tensor.DType{"T": RealTypes, "index_type": {tensor.Int32, tensor.Int64, tensor.Int16}}, Shape: topKShape, Lower: topKLower},
	{Name: "TopK", Types: map[string][]tensor.DType{"T": RealTypes}, Shape: topKShape, Lower: topKLower},
	{Name: "NthElement", Types: map[string][]tensor.DType{"T": RealTypes}, Shape: nthShape, Lower: nthLower},
	{Name: "LowerBound", Types: map[string][]tensor.DType{"T": RealTypes}, Shape: boundShape, Lower: boundLower(bytype.OrderLowerBound)},
	{Name: "UpperBound", Types: map[string][]tensor.DType{"T": RealTypes}, Shape: boundShape, Lower: boundLower(bytype.OrderUpperBound)},
	{Name: "InTopK", Types: arrayops.IndexAttr("T"), Shape: inTopKShape, Lower: inTopKLower},
	{Name: "InTopKV2", Types: arrayops.IndexAttr("T"), Shape: inTopKShape, Lower: inTopKLower},
}

// kInput returns the number k of a TopK or NthElement op. It is the value of input 1, or of the
// attribute k if there is no such input. If its type is i16, it must be constant.
func kInput(c *lower.Shaper) (*sym.Expr, error) {
	if c.NumIn() < 2 {
		return sym.Int(c.Node.Int("k")), nil
	}
	if _, err := c.WithRank(1, 0); err != nil {
		return nil, err
	}
	if t := c.Const(1); t != nil && t.Len() == 1 {
		vs, _ := t.Ints()
		return sym.Int(int(vs[0])), nil
	}
	e, ok, err := kit.OneInt(c, 1, "k")
	if err == nil && !ok {
		err = tensor.Errorf(tensor.Unimplemented, "k must be an i32 or i64 scalar of known rank")
	}
	return e, err
}

// topKShape infers the results of TopK and TopKV2: the k largest elements of each row, and their
// indices. The elements are in descending order. Of equal elements, the one with the smaller index
// is first. If the attribute sorted is false, the elements are in TensorFlow's heap order.
func topKShape(c *lower.Shaper) error {
	x := c.Shape(0)
	it := c.Node.DType("index_type")
	if it == tensor.Invalid {
		it = tensor.Int32
	}
	k, err := kInput(c)
	if err != nil {
		return err
	}
	if !x.Known {
		c.UnknownShape(0, c.In(0).DType)
		c.UnknownShape(1, it)
		return nil
	}
	if len(x.Dims) == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "input must be >= 1-D, got shape %v", x)
	}
	last := x.Dims[len(x.Dims)-1]
	v, vok := k.IsInt()
	if n, ok := last.IsInt(); ok && vok || vok && v < 0 {
		if !ok {
			n = v
		}
		if err := order.KFits(v, n); err != nil {
			return err
		}
	}
	if lower.MayBeNegative(k) {
		k = c.NewSize(0)
	}
	s := ir.ShapeOf(kit.DimSet(x.Dims, len(x.Dims)-1, k)...)
	c.Set(0, c.In(0).DType, s)
	c.Set(1, it, s)
	return nil
}

// topKParams returns the kernel's parameters and adds checks of k. If k is known only at run time,
// topKParams binds it.
func topKParams(b *lower.Builder) (plan.Struct, error) {
	k, err := kInput(b.Shaper())
	if err != nil {
		return plan.Struct{}, err
	}
	if b.NumIn() > 1 {
		kit.CheckLen(b, 1, 1)
	}
	x := b.InShape(0)
	n := x[len(x)-1]
	if lower.MayBeNegative(k) {
		b.CallSizes(order.K, []*sym.Expr{b.NewSize(0)}, k, n)
	} else if !n.Sub(k).NonNegative() {
		b.Check(order.KFits, k, n)
	}
	out := b.OutShape(0)
	return plan.Lit(order.TopParams{}, "Rows", sym.Product(x[:len(x)-1]), "N", n, "K", out[len(out)-1]), nil
}

func topKLower(b *lower.Builder) error {
	p, err := topKParams(b)
	if err != nil {
		return err
	}
	out := b.OutShape(0)
	d, it := b.InFact(0).DType, b.OutFact(1).DType
	if sorted, ok := b.Node.Attrs["sorted"].(bool); ok && !sorted {
		fn, err := bytype.OrderTopKUnsorted.Get(d, it)
		if err != nil {
			return err
		}
		b.Call(fn, b.Out(0), b.Out(1), b.In(0), b.Temp(it, out[len(out)-1].AddInt(1)), p)
		return nil
	}
	fn, err := bytype.OrderTopK.Get(d, it)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.Out(1), b.In(0), p)
	return nil
}

// nthShape infers the result of NthElement. The inputs are named input and n. The result has the n-th
// smallest element of each row, or the n-th largest if the attribute reverse is set.
func nthShape(c *lower.Shaper) error {
	x := c.Shape(0)
	n, err := kInput(c)
	if err != nil {
		return err
	}
	if !x.Known {
		c.UnknownShape(0, c.In(0).DType)
		return nil
	}
	if len(x.Dims) == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "input must be >= 1-D, got shape %v", x)
	}
	if v, ok := n.IsInt(); ok {
		if size, ok := x.Dims[len(x.Dims)-1].IsInt(); ok || v < 0 {
			if err := order.NFits(v, size); err != nil {
				return err
			}
		}
	}
	c.Set(0, c.In(0).DType, ir.ShapeOf(x.Dims[:len(x.Dims)-1]...))
	return nil
}

func nthLower(b *lower.Builder) error {
	n, err := kInput(b.Shaper())
	if err != nil {
		return err
	}
	x := b.InShape(0)
	size := x[len(x)-1]
	b.Check(order.NFits, n, size)
	d := b.InFact(0).DType
	fn, err := bytype.OrderNth.Get(d)
	if err != nil {
		return err
	}
	if b.Node.Bool("reverse") {
		n = size.Sub(n).AddInt(-1)
	}
	b.Call(fn, b.Out(0), b.In(0), b.Temp(d, size), size, n)
	return nil
}

// boundShape infers the result of LowerBound and UpperBound, whose inputs are sorted_inputs and
// values. For each element in row i of values, these ops search for a position in row i of
// sorted_inputs. The attribute out_type is the element type of the result.
func boundShape(c *lower.Shaper) error {
	s, err := c.WithRank(0, 2)
	if err != nil {
		return err
	}
	v, err := c.WithRank(1, 2)
	if err != nil {
		return err
	}
	if s.Known && v.Known {
		if _, err := kit.JoinDim(s.Dims[0], v.Dims[0], "Leading dim_size of both tensors must match."); err != nil {
			return err
		}
	}
	c.Set(0, arrayops.OutType(c), v)
	return nil
}

func boundLower(t bytype.Table) func(*lower.Builder) error {
	return func(b *lower.Builder) error {
		s, v := b.InShape(0), b.InShape(1)
		if !s[0].Equal(v[0]) {
			b.Check(shape.Equal, s[0], v[0], "Leading dim_size of both tensors must match.")
		}
		fn, err := t.Get(b.InFact(0).DType, b.OutFact(0).DType)
		if err != nil {
			return err
		}
		b.Call(fn, b.Out(0), b.In(0), b.In(1), plan.Lit(order.SearchParams{}, "Rows", s[0], "N", s[1], "Values", v[1]))
		return nil
	}
}

// inTopKInput returns the number k. It is an attribute of InTopK, and input 2 of InTopKV2.
func inTopKInput(c *lower.Shaper) (*sym.Expr, error) {
	if c.NumIn() < 3 {
		return sym.Int(c.Node.Int("k")), nil
	}
	e, ok, err := kit.OneInt(c, 2, "k")
	if err == nil && !ok && c.Shape(2).Known {
		err = tensor.Errorf(tensor.InvalidArgument, "k must be a scalar")
	}
	return e, err
}

// inTopKShape infers the result of InTopK and InTopKV2. The inputs are predictions [batch,
// classes], targets [batch] and, for V2, k.
func inTopKShape(c *lower.Shaper) error {
	p, err := c.WithRank(0, 2)
	if err != nil {
		return err
	}
	t, err := c.WithRank(1, 1)
	if err != nil {
		return err
	}
	if p.Known && t.Known {
		if _, err := kit.JoinDim(p.Dims[0], t.Dims[0], "First dimension of predictions must match length of targets"); err != nil {
			return err
		}
	}
	if _, err := inTopKInput(c); err != nil {
		return err
	}
	c.Set(0, tensor.Bool, t)
	return nil
}

// inTopKSizes checks that predictions and targets agree in batch, and returns the number of classes
// and k.
func inTopKSizes(b *lower.Builder) (classes, k *sym.Expr, err error) {
	if k, err = inTopKInput(b.Shaper()); err != nil {
		return nil, nil, err
	}
	p, t := b.InShape(0), b.InShape(1)
	if !p[0].Equal(t[0]) {
		b.Check(shape.Equal, p[0], t[0], "First dimension of predictions must match length of targets")
	}
	return p[1], k, nil
}

func inTopKLower(b *lower.Builder) error {
	classes, k, err := inTopKSizes(b)
	if err != nil {
		return err
	}
	if b.InFact(1).DType == tensor.Int64 {
		b.Call(order.InTopKI64, b.Out(0), b.In(0), b.In(1), classes, k)
	} else {
		b.Call(order.InTopKI32, b.Out(0), b.In(0), b.In(1), classes, k)
	}
	return nil
}
