package state

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/container"
	"github.com/graphc/graphc/lower"
	arrayops "github.com/graphc/graphc/ops/array"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/rt/tensor"
)

// listItemShape returns the shape of the elements of the list in input 0. A dimension that is known
// only at run time is nil.
func listItemShape(c *lower.Shaper) ir.Shape {
	dims, known, _ := listAsk(c)
	list := c.ContentsOf(c.Node.Ins[0])
	list.Whole = c.Node.Op == "TensorListGetItem" || c.Node.Op == "TensorListPopBack"
	return list.Shape(lower.Sure(dims, known))
}

// listGetShape infers the shape of the output of TensorListGetItem, which is the element at an
// index. An element that has never been set consists of zeros.
func listGetShape(c *lower.Shaper) error {
	c.SetFound(0, listItemType(c.Node), listItemShape(c))
	return c.ScalarOr(1, "the index")
}

func listGetLower(b *lower.Builder) error {
	ask, known, err := ask(b)
	if err != nil {
		return err
	}
	d := listItemType(b.Node)
	b.FindSizes(0, func(k int, size []*sym.Expr) {
		b.CallSizes(container.ListDim, size, b.In(0), b.In(1), d, ask, known, k)
	})
	b.Call(lower.ByKind(d, container.ListGetRaw, container.ListGetStr, container.ListGetHnd),
		b.Raw(b.Out(0)), b.In(0), b.In(1), b.OutShape(0), d, ask, known)
	return nil
}

// listPopShape infers the shapes of the outputs of TensorListPopBack. Output 0 is the list without
// its last element, and output 1 is that element.
func listPopShape(c *lower.Shaper) error {
	c.Set(0, tensor.Variant, ir.ShapeOf())
	c.SetFound(1, listItemType(c.Node), listItemShape(c))
	return nil
}

func listPopLower(b *lower.Builder) error {
	d := listItemType(b.Node)
	ask, known, err := ask(b)
	if err != nil {
		return err
	}
	b.FindSizes(1, func(k int, size []*sym.Expr) {
		b.CallSizes(container.ListLastDim, size, b.In(0), d, ask, known, k)
	})
	if !b.OutUsed(1) {
		b.CallInPlace(0, 0, container.ListDrop, b.Out(0), b.In(0), d, ask, known, b.OwnsList())
		return nil
	}
	fn := lower.ByKind(d, container.ListPopRaw, container.ListPopStr, container.ListPopHnd)
	b.CallInPlace(0, 0, fn, b.Out(0), b.Raw(b.Out(1)), b.In(0), b.OutShape(1), d, ask, known, b.OwnsList())
	return nil
}

// listStackShape infers the shape of the output of TensorListStack, which has all elements of the
// list as rows. If attribute num_elements is not -1, the list must have this number of elements.
func listStackShape(c *lower.Shaper) error {
	n := c.ListLen(c.Node.Ins[0])
	if k := listNum(c.Node); k < -1 {
		return tensor.Errorf(tensor.InvalidArgument, "num_elements is %d; it must be at least -1", k)
	} else if k >= 0 {
		n = sym.Int(k)
	}
	c.SetFound(0, listItemType(c.Node), listItemShape(c), n)
	return nil
}

// listNum returns attribute num_elements, or -1 if it is absent.
func listNum(n *ir.Node) int {
	if _, ok := n.Attrs["num_elements"]; !ok {
		return -1
	}
	return n.Int("num_elements")
}

func listStackLower(b *lower.Builder) error {
	ask, known, err := ask(b)
	if err != nil {
		return err
	}
	d := listItemType(b.Node)
	b.FindSizes(0, func(k int, size []*sym.Expr) {
		if k == 0 {
			b.CallSizes(container.ListRows, size, b.In(0), d, listNum(b.Node))
		} else {
			b.CallSizes(container.ListStackDim, size, b.In(0), d, ask, known, k-1)
		}
	})
	out := b.OutShape(0)
	b.Call(lower.ByKind(d, container.ListStackRaw, container.ListStackStr, container.ListStackHnd),
		b.Raw(b.Out(0)), b.In(0), out[0], out[1:], d, ask, known)
	return nil
}

// listGatherShape infers the shape of the output of TensorListGather, which has the elements at the
// given indices as rows.
func listGatherShape(c *lower.Shaper) error {
	ix, err := c.WithRank(1, 1)
	if err != nil {
		return err
	}
	if !ix.Known {
		c.UnknownShape(0, listItemType(c.Node))
		return nil
	}
	c.SetFound(0, listItemType(c.Node), listItemShape(c), ix.Dims[0])
	return nil
}

func listGatherLower(b *lower.Builder) error {
	ask, known, err := ask(b)
	if err != nil {
		return err
	}
	d := listItemType(b.Node)
	b.FindSizes(0, func(k int, size []*sym.Expr) {
		b.CallSizes(container.ListGatherDim, size, b.In(0), b.In(1), d, ask, known, k-1)
	})
	b.Call(lower.ByKind(d, container.ListGatherRaw, container.ListGatherStr, container.ListGatherHnd),
		b.Raw(b.Out(0)), b.In(0), b.In(1), b.OutShape(0)[1:], d, ask, known)
	return nil
}

// listConcatShape infers the shapes of the outputs of TensorListConcat. Output 0 has all elements
// of the list, concatenated along their first axis. Output 1 has the number of rows of each
// element.
func listConcatShape(c *lower.Shaper) error {
	s := listItemShape(c)
	if s.Known {
		if len(s.Dims) == 0 {
			return tensor.Errorf(tensor.InvalidArgument, "Concat requires elements to be at least vectors, found scalars instead.")
		}
		s = ir.ShapeOf(kit.DimSet(s.Dims, 0, nil)...)
	}
	c.SetFound(0, listItemType(c.Node), s)
	n := c.ListLen(c.Node.Ins[0])
	if n == nil {
		n = c.NewSizeK(1, 0)
	}
	c.Set(1, tensor.Int64, ir.ShapeOf(n))
	return nil
}

func listConcatLower(b *lower.Builder) error {
	ask, known, err := ask(b)
	if err != nil {
		return err
	}
	d := listItemType(b.Node)
	leading := arrayops.None(b, tensor.Int64)
	if b.NumIn() < 2 { // the first version
		b.Call(container.ListWritten, b.In(0), d)
	}
	if b.NumIn() > 2 {
		if err := kit.Ranked(b, 2); err != nil {
			return err
		}
		leading = b.In(2)
	}
	b.FindSizes(1, func(_ int, size []*sym.Expr) {
		b.CallSizes(container.ListRows, size, b.In(0), d, -1)
	})
	b.FindSizes(0, func(k int, size []*sym.Expr) {
		b.CallSizes(container.ListConcatDim, size, b.In(0), leading, d, ask, known, k)
	})
	b.Call(lower.ByKind(d, container.ListConcatRaw, container.ListConcatStr, container.ListConcatHnd),
		b.Raw(b.Out(0)), b.Out(1), b.In(0), leading, d, ask, known)
	return nil
}
