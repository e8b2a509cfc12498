package state

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/container"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// listDefs describes the ops of TensorLists. A list is a value of type variant. An op that changes
// a list returns a new list and leaves the old one unchanged; see resource.List. An op fails with
// InvalidArgument if an index is out of range, if a shape does not fit the element shape of the
// list, if the list is empty but an element is needed, if the list is full, or if the list has
// another element type than the op.
var listDefs = []*lower.Def{
	{Name: "EmptyTensorList", Flags: lower.HostSide | lower.NoFold, Makes: lower.List,
		Holding: &lower.Holding{Makes: true, Ask: []int{0}, Len: emptyLength}, Shape: listed(listMakeShape), Lower: listMakeLower},
	{Name: "TensorListReserve", Flags: lower.HostSide | lower.NoFold, Wants: lower.List, Makes: lower.List,
		Holding: &lower.Holding{Makes: true, Ask: []int{0}, Len: inputLength(1)}, Shape: listed(listMakeShape), Lower: listMakeLower},
	{Name: "TensorListFromTensor", Flags: lower.HostSide | lower.NoFold, Makes: lower.List,
		Holding: &lower.Holding{Makes: true, Ask: []int{1}, Puts: put(0, lower.EachRow), Len: rowsLength}, Shape: listed(listMakeShape), Lower: listMakeLower},
	{Name: "TensorListSplit", Flags: lower.HostSide | lower.NoFold, Makes: lower.List,
		Holding: &lower.Holding{Makes: true, Ask: []int{1}, Puts: put(0, lower.RowGroups)}, Shape: listed(listMakeShape), Lower: listMakeLower},
	{Name: "TensorListScatter", Flags: lower.HostSide | lower.NoFold, Makes: lower.List,
		Holding: &lower.Holding{Makes: true, Ask: []int{2}, Puts: put(0, lower.EachRow)}, Shape: listed(listMakeShape), Lower: listMakeLower},
	{Name: "TensorListScatterV2", Flags: lower.HostSide | lower.NoFold, Makes: lower.List,
		Holding: &lower.Holding{Makes: true, Ask: []int{2}, Puts: put(0, lower.EachRow), Len: scatterLength}, Shape: listed(listMakeShape), Lower: listMakeLower},
	{Name: "TensorListSetItem", Flags: lower.HostSide | lower.NoFold, Wants: lower.List, Makes: lower.List,
		Holding: &lower.Holding{From: []int{0}, InPlace: true, Puts: put(2, lower.Whole), Len: setLength}, Shape: listed(listChangeShape), Lower: listSetLower},
	{Name: "TensorListPushBack", Flags: lower.HostSide | lower.NoFold, Wants: lower.List, Makes: lower.List,
		Holding: &lower.Holding{From: []int{0}, InPlace: true, Puts: put(1, lower.Whole), Len: changedLength(1)}, Shape: listed(listChangeShape), Lower: listPushLower},
	{Name: "TensorListPushBackBatch", Flags: lower.HostSide | lower.NoFold,
		Holding: &lower.Holding{From: []int{0}, Puts: put(1, lower.EachRow)}, Shape: listed(listBatchShape), Lower: listBatchLower},
	{Name: "TensorListResize", Flags: lower.HostSide | lower.NoFold, Wants: lower.List, Makes: lower.List,
		Holding: &lower.Holding{From: []int{0}, InPlace: true, Len: inputLength(1)}, Shape: listed(listChangeShape), Lower: listResizeLower},
	{Name: "TensorListScatterIntoExistingList", Flags: lower.HostSide | lower.NoFold, Wants: lower.List, Makes: lower.List,
		Holding: &lower.Holding{From: []int{0}, Puts: put(1, lower.EachRow)}, Shape: listed(listChangeShape), Lower: listScatterIntoLower},
	{Name: "TensorListConcatLists", Flags: lower.HostSide | lower.NoFold, Wants: lower.List, Makes: lower.List,
		Holding: &lower.Holding{From: []int{0, 1}}, Shape: listed(listConcatListsShape), Lower: listConcatListsLower},
	{Name: "TensorListPopBack", Flags: lower.HostSide | lower.NoFold, Wants: lower.List, Makes: lower.List,
		Holding: &lower.Holding{From: []int{0}, Ask: []int{1}, InPlace: true, Elements: []int{1}, LooksInside: true, Len: changedLength(-1)}, Shape: listed(listPopShape), Lower: listPopLower},
	{Name: "TensorListGetItem", Flags: lower.HostSide | lower.NoFold, Wants: lower.List,
		Holding: &lower.Holding{Ask: []int{2}, Elements: []int{0}, LooksInside: true}, Shape: listed(listGetShape), Lower: listGetLower},
	{Name: "TensorListStack", Flags: lower.HostSide | lower.NoFold, Wants: lower.List,
		Holding: &lower.Holding{Ask: []int{1}, Elements: []int{0}, LooksInside: true}, Shape: listed(listStackShape), Lower: listStackLower},
	{Name: "TensorListGather", Flags: lower.HostSide | lower.NoFold, Wants: lower.List,
		Holding: &lower.Holding{Ask: []int{2}, Elements: []int{0}, LooksInside: true}, Shape: listed(listGatherShape), Lower: listGatherLower},
	{Name: "TensorListConcat", Flags: lower.HostSide | lower.NoFold, Wants: lower.List,
		Holding: &lower.Holding{LooksInside: true}, Shape: listed(listConcatShape), Lower: listConcatLower},
	{Name: "TensorListConcatV2", Flags: lower.HostSide | lower.NoFold, Wants: lower.List,
		Holding: &lower.Holding{Ask: []int{1}, LooksInside: true}, Shape: listed(listConcatShape), Lower: listConcatLower},
	{Name: "TensorListLength", Flags: lower.HostSide | lower.NoFold, Wants: lower.List, Shape: listLengthShape, Lower: listLengthLower},
	{Name: "TensorListElementShape", Flags: lower.HostSide | lower.NoFold, Wants: lower.List, Shape: listElementShape, Lower: listElementLower},
}

// put returns a lower.Put that says: the op puts the given input into a container. The parameter
// part says which part of the input becomes an element.
func put(input int, part lower.Part) []lower.Put { return []lower.Put{{Input: input, Part: part}} }

// emptyLength returns 0, the length of a new empty list, if the list has no limit, so that any
// number of elements can be added. It returns nil for a list with a limit.
func emptyLength(l *lower.Length) *sym.Expr {
	if limit := l.Node.Ins[1].Fact().Ints; len(limit) == 1 && limit[0].Is(-1) {
		return sym.Zero
	}
	return nil
}

// inputLength returns a function that computes the length of a new list. The length is the value of
// input i.
func inputLength(i int) func(*lower.Length) *sym.Expr {
	return func(l *lower.Length) *sym.Expr { return l.Input(i) }
}

func rowsLength(l *lower.Length) *sym.Expr {
	if s := l.Node.Ins[0].Fact().Shape; s.Rank() > 0 {
		return s.Dims[0]
	}
	return nil
}

// scatterLength returns the value of input 3, num_elements. It returns nil if this value may be -1,
// because the largest index then determines the length of the list.
func scatterLength(l *lower.Length) *sym.Expr {
	if n := l.Input(3); n != nil && n.NonNegative() {
		return n
	}
	return nil
}

func setLength(l *lower.Length) *sym.Expr {
	if l.Node.Bool("resize_if_index_out_of_bounds") {
		return nil
	}
	return l.Of(0)
}

// changedLength returns a function that computes the length of a list after a change: the length of
// the list in input 0 plus the given number of elements. The number is negative if elements are
// removed.
func changedLength(by int) func(*lower.Length) *sym.Expr {
	return func(l *lower.Length) *sym.Expr {
		if n := l.Of(0); n != nil {
			return n.AddInt(by)
		}
		return nil
	}
}

// listAsk returns the element shape that the node specifies by an input or an attribute. known is
// false if the rank of this shape is unknown. ok is false if the shape is an input whose number of
// elements is known only at run time.
func listAsk(c *lower.Shaper) (dims []*sym.Expr, known, ok bool) {
	if c.Node.Op == "TensorListConcat" {
		dims, known = lower.PartialInts(c.Node, "element_shape")
		return dims, known, true
	}
	return lower.PartialInput(c.Graph, c.Node.Ins[c.Table.AskInput(c.Node.Op)])
}

// ask returns the result of listAsk for a node that is being lowered. It returns Unimplemented if
// ok would be false.
func ask(b *lower.Builder) (dims []*sym.Expr, known bool, err error) {
	dims, known, ok := listAsk(b.Shaper())
	if !ok {
		return nil, false, tensor.Errorf(tensor.Unimplemented, "the number of dimensions of the element shape must be known when compiling")
	}
	if i := b.Shaper().Table.AskInput(b.Node.Op); i >= 0 && b.InFact(i).Shape.Rank() == 0 {
		es, _ := b.Ints(i)
		if v, static := es[0].IsInt(); static && v != -1 {
			return nil, false, tensor.Errorf(tensor.InvalidArgument, "The only valid scalar shape tensor is the fully unknown shape specified as -1.")
		} else if !static {
			b.Check(shape.Equal, es[0], -1, "a scalar element shape")
		}
	}
	return dims, known, nil
}

// listMakeShape infers the shape of the output of an op that creates a list. A list is a scalar of
// type variant.
func listMakeShape(c *lower.Shaper) error {
	c.Set(0, tensor.Variant, ir.ShapeOf())
	c.Ints(c.Table.AskInput(c.Node.Op)) // for the lowering
	if e, ok := c.StaticInts(c.Table.AskInput(c.Node.Op)); ok && c.Shape(c.Table.AskInput(c.Node.Op)).Rank() == 0 && e[0] != -1 {
		return tensor.Errorf(tensor.InvalidArgument, "The only valid scalar shape tensor is the fully unknown shape specified as -1.")
	}
	switch c.Node.Op {
	case "EmptyTensorList":
		return c.ScalarOr(1, "max_num_elements")
	case "TensorListReserve":
		return elements(c, 1, "num_elements")
	case "TensorListScatterV2":
		return c.ScalarOr(3, "num_elements")
	}
	return nil
}

// elements checks that input i is a scalar and, if its value is known at compile time, that the
// value is not negative. Parameter what is the name of the input in the text of errors.
func elements(c *lower.Shaper, i int, what string) error {
	if n, ok := c.StaticInts(i); ok && len(n) == 1 && n[0] < 0 {
		return tensor.Errorf(tensor.InvalidArgument, "%s is %d, which is negative", what, n[0])
	}
	return c.ScalarOr(i, what)
}

func listMakeLower(b *lower.Builder) error {
	dims, known, err := ask(b)
	if err != nil {
		return err
	}
	d := b.Node.DType("element_dtype")
	switch b.Node.Op {
	case "EmptyTensorList":
		b.Call(container.EmptyList, b.Out(0), b.In(1), d, dims, known)
		return nil
	case "TensorListReserve":
		b.Call(container.NewList, b.Out(0), b.In(1), -1, d, dims, known)
		return nil
	}
	if err := kit.Ranked(b, 0); err != nil {
		return err
	}
	x, s := b.Raw(b.In(0)), b.InShape(0)
	switch b.Node.Op {
	case "TensorListFromTensor":
		b.Call(lower.ByKind(d, container.ListUnstackRaw, container.ListUnstackStr, container.ListUnstackHnd), b.Out(0), x, s, d, dims, known)
	case "TensorListSplit":
		if err := kit.Ranked(b, 2); err != nil {
			return err
		}
		b.Call(lower.ByKind(d, container.ListSplitRaw, container.ListSplitStr, container.ListSplitHnd), b.Out(0), x, b.In(2), s, d, dims, known)
	default:
		if err := kit.Ranked(b, 1); err != nil {
			return err
		}
		p := plan.Lit(container.ScatterParams{})
		if b.NumIn() > 3 {
			p = p.With("Len", b.In(3))
		}
		b.Call(lower.ByKind(d, container.ListScatterRaw, container.ListScatterStr, container.ListScatterHnd), b.Out(0), x, b.In(1), s, d, dims, known, p)
	}
	b.Call(container.Adopt, kit.Reads(b.Out(0)))
	return nil
}

// listChangeShape infers the shape of the output of an op that changes a list. The output is a
// scalar variant, as is the list in input 0.
func listChangeShape(c *lower.Shaper) error {
	c.Set(0, tensor.Variant, ir.ShapeOf())
	switch c.Node.Op {
	case "TensorListSetItem":
		return c.ScalarOr(1, "the index")
	case "TensorListScatterIntoExistingList":
		if c.Shape(1).Rank() == 0 {
			return tensor.Errorf(tensor.InvalidArgument, "the tensor must be at least a vector")
		}
		_, err := c.WithRank(2, 1)
		return err
	case "TensorListResize":
		return elements(c, 1, "the size")
	}
	return nil
}

// listItemType returns the element type of a list's op: attribute element_dtype.
func listItemType(n *ir.Node) tensor.DType { return n.DType("element_dtype") }

func listSetLower(b *lower.Builder) error {
	if err := kit.Ranked(b, 2); err != nil {
		return err
	}
	d := listItemType(b.Node)
	fn := lower.ByKind(d, container.ListSetRaw, container.ListSetStr, container.ListSetHnd)
	b.CallInPlace(0, 0, fn, b.Out(0), b.In(0), b.In(1), b.Raw(b.In(2)), b.InShape(2), d, b.Node.Bool("resize_if_index_out_of_bounds"), b.OwnsList())
	return nil
}

func listPushLower(b *lower.Builder) error {
	if err := kit.Ranked(b, 1); err != nil {
		return err
	}
	d := listItemType(b.Node)
	fn := lower.ByKind(d, container.ListPushRaw, container.ListPushStr, container.ListPushHnd)
	b.CallInPlace(0, 0, fn, b.Out(0), b.In(0), b.Raw(b.In(1)), b.InShape(1), d, b.OwnsList())
	return nil
}

// listBatchShape infers the shape of the output of TensorListPushBackBatch. Input 0 is a vector of
// lists. The op appends row i of input 1 to list i.
func listBatchShape(c *lower.Shaper) error {
	s, err := kit.MergeShapes(c.Shape(0), ir.Shape{})
	if x := c.Shape(1); err == nil && x.Known {
		if len(x.Dims) == 0 {
			return tensor.Errorf(tensor.InvalidArgument, "the tensor must be at least a vector")
		}
		s, err = kit.MergeShapes(s, ir.ShapeOf(x.Dims[0]))
	}
	c.Set(0, tensor.Variant, s)
	return err
}

func listBatchLower(b *lower.Builder) error {
	if err := kit.Ranked(b, 0, 1); err != nil {
		return err
	}
	x := b.InShape(1)
	if err := kit.CheckSame(b, b.InShape(0), x[:1]); err != nil {
		return err
	}
	d := listItemType(b.Node)
	fn := lower.ByKind(d, container.ListPushBatchRaw, container.ListPushBatchStr, container.ListPushBatchHnd)
	b.CallInPlace(0, 0, fn, b.Out(0), b.In(0), b.Raw(b.In(1)), x[1:], d)
	return nil
}

func listResizeLower(b *lower.Builder) error {
	b.CallInPlace(0, 0, container.ListResize, b.Out(0), b.In(0), b.In(1), b.OwnsList())
	return nil
}

func listScatterIntoLower(b *lower.Builder) error {
	if err := kit.Ranked(b, 1, 2); err != nil {
		return err
	}
	d := listItemType(b.Node)
	fn := lower.ByKind(d, container.ListScatterIntoRaw, container.ListScatterIntoStr, container.ListScatterIntoHnd)
	b.CallInPlace(0, 0, fn, b.Out(0), b.In(0), b.Raw(b.In(1)), b.In(2), b.InShape(1), d)
	return nil
}

// listConcatListsShape infers the shape of the output of TensorListConcatLists. The inputs are two
// tensors of lists with the same shape. The op concatenates the two lists at each position.
func listConcatListsShape(c *lower.Shaper) error {
	s, err := kit.MergeShapes(c.Shape(0), c.Shape(1))
	c.Set(0, tensor.Variant, s)
	return err
}

func listConcatListsLower(b *lower.Builder) error {
	if err := kit.Ranked(b, 0, 1); err != nil {
		return err
	}
	if err := kit.CheckSame(b, b.InShape(0), b.InShape(1)); err != nil {
		return err
	}
	b.Call(container.ListConcatLists, b.Out(0), b.In(0), b.In(1), listItemType(b.Node))
	return nil
}

// listLengthShape infers the shape of the output of TensorListLength, and its value if the nodes
// that made the list determine the number of elements.
func listLengthShape(c *lower.Shaper) error {
	c.Set(0, tensor.Int32, ir.ShapeOf())
	if n := c.ListLen(c.Node.Ins[0]); n != nil {
		c.SetInts(0, []*sym.Expr{n})
	}
	return nil
}

func listLengthLower(b *lower.Builder) error {
	b.Call(container.ListLength, b.Out(0), b.In(0))
	return nil
}

// listElementShape infers the shape of the output of TensorListElementShape. The output is the
// element shape with which the list was created: a vector with -1 for each unknown dimension, or
// the scalar -1 if the rank is unknown.
func listElementShape(c *lower.Shaper) error {
	d := c.Node.DType("shape_type")
	k := c.ContentsOf(c.Node.Ins[0])
	es, rank, ok := k.Declared(c.Node.Ins[0])
	switch {
	case !ok:
		c.UnknownShape(0, d)
		return nil
	case rank < 0:
		c.Set(0, d, ir.ShapeOf())
		c.SetInts(0, []*sym.Expr{sym.Int(-1)})
		return nil
	}
	c.Set(0, d, ir.StaticShape(rank))
	for _, e := range es {
		if e == nil {
			return nil
		}
	}
	c.SetInts(0, es)
	return nil
}

func listElementLower(b *lower.Builder) error {
	fn := any(container.ListShape32)
	if b.OutFact(0).DType == tensor.Int64 {
		fn = container.ListShape64
	}
	b.Call(fn, b.Out(0), b.In(0))
	return nil
}
