package flow

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// Arrays turns TensorArrays and TensorLists into dense tensors of shape [n, element…]. A write
// becomes a TensorScatterUpdate of one row, which the program does in place. A read becomes a
// GatherV2 of one row. Unstacking and stacking cost nothing. The tensor replaces the flow of a
// TensorArray, or the list itself, in loops too.
//
// The number of elements must be fixed. The elements must be plain data of one shape, which must be
// known where the container is made. All uses of the container must be visible, and the rewrite
// must not lose an error that TensorFlow may report. Arrays handles two kinds:
//
//   - Lists made by TensorListFromTensor, or by TensorListReserve with a known element shape. Their
//     elements are set, read and stacked, their length is read, and they pass through loops. An
//     index out of range is InvalidArgument, as without the rewrite.
//   - A TensorArrayV3 that is written by one TensorArrayScatterV3 of all indices, or by one
//     TensorArrayWriteV3 whose index differs in each iteration. All reads come after this write. If
//     the array clears elements after reading, there is only one read: it reads all elements, or
//     its index differs in each iteration.
func Arrays(s *edit.State) (bool, error) {
	if !slices.ContainsFunc(s.G.Nodes, makesArray) {
		return false, nil
	}
	e := s.Edit()
	for _, n := range slices.Clone(s.G.Nodes) {
		if !makesArray(n) {
			continue
		}
		d := &denseArray{g: s.G, made: n, dtype: n.DType("element_dtype"), readers: s.G.Readers(), web: map[ir.Out]bool{}}
		rewrite := d.list
		if n.Op == "TensorArrayV3" {
			d.dtype = n.DType("dtype")
			rewrite = d.array
		}
		if !plainData(d.dtype) {
			continue
		}
		apply := rewrite()
		if apply == nil {
			continue
		}
		if !e.Changed(n, "the elements become one tensor") {
			break
		}
		apply()
		for o := range d.web {
			o.Node.Outs[o.Index].DType = d.dtype
			if _, ok := o.Node.Attrs["T"]; ok && len(o.Node.Ins) == 1 {
				o.Node.Attrs["T"] = d.dtype
			}
		}
	}
	return e.Apply(), nil
}

func makesArray(n *ir.Node) bool {
	switch n.Op {
	case "TensorArrayV3", "TensorListReserve", "TensorListFromTensor":
		return true
	}
	return false
}

func plainData(d tensor.DType) bool {
	switch d {
	case tensor.String, tensor.Resource, tensor.Variant, tensor.Invalid:
		return false
	}
	return true
}

// denseArray is a container that may become a tensor.
type denseArray struct {
	g       *ir.Graph
	made    *ir.Node
	dtype   tensor.DType
	readers map[ir.Out][]*ir.Node
	elem    []*sym.Expr
	web     map[ir.Out]bool // the list or flow tensors that the dense tensor replaces
	joins   []*ir.Node      // loop variables in web
	uses    []*ir.Node      // nodes that use a tensor of the web, except those that pass it on
}

// follow collects all tensors to which the container is passed, beginning with o, and the nodes
// that use them. The function goesOn reports whether output 0 of a user is the container again. The
// result of follow is false if o is fetched, is used twice by one node, or passes through a Merge
// that chooses between branches.
func (d *denseArray) follow(o ir.Out, goesOn func(n *ir.Node) bool) bool {
	if d.web[o] {
		return true
	}
	d.web[o] = true
	if slices.ContainsFunc(d.g.Fetches, func(f ir.Fetch) bool { return f.Out == o }) {
		return false
	}
	for _, n := range d.readers[o] {
		next := ir.Out{Node: n}
		switch n.Op {
		case ir.LoopVarOp:
			d.joins = append(d.joins, n)
		case ir.MergeOp:
			if len(n.Ins) != 1 || len(d.readers[ir.Out{Node: n, Index: 1}]) > 0 {
				return false
			}
		case ir.YieldOp, ir.NextOp, "Identity":
		default:
			if slices.Contains(d.uses, n) {
				return false
			}
			d.uses = append(d.uses, n)
			if !goesOn(n) {
				continue
			}
		}
		if !d.follow(next, goesOn) {
			return false
		}
	}
	return true
}

// closed reports whether the container is the only value of its loop variables: all their inputs
// are in web.
func (d *denseArray) closed() bool {
	for _, n := range d.joins {
		for _, o := range n.Ins {
			if !d.web[o] {
				return false
			}
		}
	}
	return true
}

// become turns n into another node, in place. If the output already has the right type, its facts
// stay.
func (d *denseArray) become(n *ir.Node, op string, attrs map[string]ir.Attr, ins ...ir.Out) {
	n.Op, n.Attrs, n.Ins = op, attrs, ins
	n.Outs = n.Outs[:1]
	if n.Outs[0].DType != d.dtype {
		n.Outs[0] = ir.Fact{DType: d.dtype}
	}
}

func (d *denseArray) identity(n *ir.Node, o ir.Out) {
	d.become(n, "Identity", map[string]ir.Attr{"T": d.dtype}, o)
}

// node adds a node in the region of node at.
func (d *denseArray) node(at *ir.Node, name, op string, t tensor.DType, attrs map[string]ir.Attr, ins ...ir.Out) ir.Out {
	n := d.g.NewNode(at.Name+"/"+name, op, attrs, 1, ins...)
	n.Outs[0].DType, n.Region = t, at.Region
	return ir.Out{Node: n}
}

func (d *denseArray) ints(at *ir.Node, name string, v []int32, dims ...int) ir.Out {
	return d.g.NewConst(at.Name+"/"+name, tensor.Must(tensor.From(tensor.Shape(dims), v)))
}

// zeros turns the node that made the container into a Fill that returns zeros of shape [n, elem…].
// The parameter shape is the element shape as a vector of type t.
func (d *denseArray) zeros(n, shape ir.Out, t tensor.DType) {
	m := d.made
	if t != tensor.Int32 {
		n = d.node(m, "size", "Cast", t, map[string]ir.Attr{"SrcT": tensor.Int32, "DstT": t}, n)
	}
	one := d.node(m, "rows", "Reshape", t, map[string]ir.Attr{"T": t, "Tshape": tensor.Int32}, n, d.ints(m, "one", []int32{1}, 1))
	dims := d.node(m, "shape", "ConcatV2", t, map[string]ir.Attr{"T": t, "N": int64(2), "Tidx": tensor.Int32}, one, shape, d.ints(m, "axis", []int32{0}))
	d.become(m, "Fill", map[string]ir.Attr{"T": d.dtype, "index_type": t}, dims, d.g.NewConst(m.Name+"/zero", tensor.Must(tensor.New(d.dtype, nil, 0))))
}

// set turns node n into a copy of tensor t in which row i is replaced by v.
func (d *denseArray) set(n *ir.Node, t, i, v ir.Out) {
	at := d.node(n, "place", "Reshape", tensor.Int32, map[string]ir.Attr{"T": tensor.Int32, "Tshape": tensor.Int32}, i, d.ints(n, "places", []int32{1, 1}, 2))
	row := d.node(n, "row", "ExpandDims", d.dtype, map[string]ir.Attr{"T": d.dtype, "Tdim": tensor.Int32}, v, d.ints(n, "axis", []int32{0}))
	d.become(n, "TensorScatterUpdate", map[string]ir.Attr{"T": d.dtype, "Tindices": tensor.Int32, "bad_indices_policy": "", lower.MayBeEmpty: true, lower.RowOfList: true}, t, at, row)
}

func (d *denseArray) row(n *ir.Node, t, i ir.Out) {
	d.become(n, "GatherV2", map[string]ir.Attr{"Tparams": d.dtype, "Tindices": tensor.Int32, "Taxis": tensor.Int32, "batch_dims": int64(0), lower.RowOfList: true},
		t, i, d.ints(n, "axis", []int32{0}))
}

// isElem reports whether o has the type and shape of an element.
func (d *denseArray) isElem(o ir.Out) bool {
	f := o.Fact()
	return f.DType == d.dtype && f.Shape.Known && slices.EqualFunc(f.Shape.Dims, d.elem, (*sym.Expr).Equal)
}

// asks reports whether an element shape that a reader states matches the elements of the container.
// The parameter dims is this shape; a nil or -1 dimension matches any size. If known is false, the
// reader states no rank, and any shape matches.
func (d *denseArray) asks(dims []*sym.Expr, known bool) bool {
	if !known {
		return true
	}
	return slices.EqualFunc(dims, d.elem, func(a, e *sym.Expr) bool { return a == nil || a.Is(-1) || a.Equal(e) })
}

// asksInput does what asks does for a shape that is an input of the reader: -1 for any shape, or a
// vector.
func (d *denseArray) asksInput(o ir.Out) bool {
	f := o.Fact()
	if f.Ints == nil {
		return false
	}
	if f.Shape.Rank() == 0 {
		return f.Ints[0].Is(-1)
	}
	return d.asks(f.Ints, true)
}

// asksAttr does what asks does for a shape that is an attribute of the reader.
func (d *denseArray) asksAttr(n *ir.Node, name string) bool {
	p, _ := n.Attrs[name].(ir.PartialShape)
	if _, given := n.Attrs[name]; !given || p.UnknownRank {
		return true
	}
	dims := make([]*sym.Expr, len(p.Dims))
	for k, v := range p.Dims {
		if v >= 0 {
			dims[k] = sym.Int(int(v))
		}
	}
	return d.asks(dims, true)
}

func scalarIndex(o ir.Out) bool {
	f := o.Fact()
	return f.DType == tensor.Int32 && f.Shape.Rank() == 0
}

// list checks whether the list may become a tensor. It returns the function that does the rewrite,
// or nil.
func (d *denseArray) list() func() {
	m := d.made
	out := ir.Out{Node: m}
	if len(m.Controls) > 0 {
		return nil
	}
	shape, from := m.Ins[0], m.Op == "TensorListFromTensor"
	var rows *sym.Expr // nil: unknown
	whole := true      // the node states all sizes of the element shape
	if from {
		f := m.Ins[0].Fact()
		if f.DType != d.dtype || f.Shape.Rank() < 1 {
			return nil
		}
		rows, d.elem = f.Shape.Dims[0], f.Shape.Dims[1:]
		if !d.asksInput(m.Ins[1]) {
			return nil
		}
	} else {
		f := shape.Fact()
		if f.Ints == nil || !scalarIndex(m.Ins[1]) || f.DType != tensor.Int32 && f.DType != tensor.Int64 {
			return nil
		}
		whole = f.Shape.Rank() == 1
		for _, e := range f.Ints {
			if v, ok := e.IsInt(); ok && v < 0 {
				whole = false
			} else if !ok && !e.NonNegative() {
				return nil
			}
		}
		if d.elem = f.Ints; m.Ins[1].Fact().Ints != nil {
			rows = m.Ins[1].Fact().Ints[0]
		}
	}
	if !d.follow(out, func(n *ir.Node) bool { return n.Op == "TensorListSetItem" }) || !d.closed() {
		return nil
	}
	sets := map[ir.Out]bool{}
	var after map[ir.Out]bool
	if !whole {
		i := slices.IndexFunc(d.uses, func(n *ir.Node) bool { return n.Op == "TensorListSetItem" })
		if i < 0 || !d.web[d.uses[i].Ins[0]] || !d.uses[i].Ins[2].Fact().Shape.Known {
			return nil
		}
		d.elem = d.uses[i].Ins[2].Fact().Shape.Dims
		if !d.asksInput(shape) || !d.hasShape() || !d.inFirst(d.uses[i], m.Ins[1]) {
			return nil
		}
		after = d.after(d.uses[i])
	}
	empty := !whole && (rows == nil || !positive(rows))
	for _, n := range d.uses {
		if !d.web[n.Ins[0]] {
			return nil
		}
		switch n.Op {
		case "TensorListSetItem":
			if sets[n.Ins[0]] || !whole && len(sets) > 0 || n.Bool("resize_if_index_out_of_bounds") || !scalarIndex(n.Ins[1]) || !d.isElem(n.Ins[2]) {
				return nil
			}
			sets[n.Ins[0]] = true
		case "TensorListGetItem":
			if !scalarIndex(n.Ins[1]) || !d.asksInput(n.Ins[2]) || !whole && !after[n.Ins[0]] {
				return nil
			}
		case "TensorListStack":
			if _, given := n.Attrs["num_elements"]; given && n.Int("num_elements") != -1 && (rows == nil || !rows.Is(n.Int("num_elements"))) || !d.asksInput(n.Ins[1]) || !whole && !after[n.Ins[0]] {
				return nil
			}
		case "TensorListLength":
			if from {
				return nil // not needed: shape inference finds the length
			}
		default:
			return nil
		}
	}
	if !slices.ContainsFunc(d.uses, func(n *ir.Node) bool { return n.Op != "TensorListLength" }) {
		return nil // without the list, a negative length would not be reported as an error
	}
	return func() {
		size := ir.Out{}
		if from {
			d.identity(m, m.Ins[0])
		} else {
			if size = m.Ins[1]; !whole {
				shape = d.shape()
			}
			d.zeros(size, shape, shape.Fact().DType)
		}
		for _, n := range d.uses {
			switch n.Op {
			case "TensorListSetItem":
				d.set(n, n.Ins[0], n.Ins[1], n.Ins[2])
			case "TensorListGetItem":
				d.row(n, n.Ins[0], n.Ins[1])
			case "TensorListStack":
				states := n.Ins[1].Fact()
				if d.identity(n, n.Ins[0]); empty && (states.Shape.Rank() == 0 || slices.ContainsFunc(states.Ints, func(e *sym.Expr) bool { return e.Is(-1) })) {
					n.Op = lower.SomeRows
					n.Attrs["code"] = int64(tensor.InvalidArgument)
				}
			case "TensorListLength":
				d.become(n, "Identity", map[string]ir.Attr{"T": tensor.Int32}, size)
				n.Outs[0].DType = tensor.Int32
			}
		}
	}
}
