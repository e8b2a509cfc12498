package flow

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// Arrays replaces TensorArrays and TensorLists by dense tensors of shape [n, element…]. A write
// becomes a TensorScatterUpdate of one row, which the program performs in place, and a read becomes
// a GatherV2 of one row. Stacking and unstacking need no operation. The dense tensor takes the
// place of the list, or of the flow of the TensorArray, also in loops.
//
// The number of elements must be fixed. All elements must be plain data (not strings, resources or
// variants) of the same shape, which must be known at the node that creates the container. Arrays
// must find all uses of the container, and the replacement must not lose an error that TensorFlow
// may report. Containers of two kinds are replaced:
//
//   - Lists that are created by TensorListFromTensor, or by TensorListReserve with a known element
//     shape. Nodes may set, read and stack their elements and read their length, and loops may
//     carry them. An index that is out of range is InvalidArgument, as it is without the
//     replacement.
//   - A TensorArrayV3 to which a single node writes: a TensorArrayScatterV3 of all indices, or a
//     TensorArrayWriteV3 whose index differs in each iteration. All reads come after this write. If
//     the array clears elements after reading, there must be a single reading node, which reads all
//     elements or whose index differs in each iteration.
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

// denseArray describes a list or TensorArray that Arrays may replace by a dense tensor.
type denseArray struct {
	g       *ir.Graph
	made    *ir.Node
	dtype   tensor.DType
	readers map[ir.Out][]*ir.Node
	elem    []*sym.Expr
	web     map[ir.Out]bool // the lists, or the flows of the array, that the dense tensor replaces
	joins   []*ir.Node      // loop variables in web
	uses    []*ir.Node      // nodes that read a tensor in web, except for those that only return it
}

// follow finds the tensors that are the same list or array as o, and records them in d.web; it
// records the nodes that use them in d.uses. The function goesOn reports whether a node changes the
// list or array and returns the changed one as output 0. follow returns false if the list or array
// is fetched, if a node has it as two inputs, or if it passes through a Merge after branches.
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

// closed reports whether all inputs of the loop variables in d.joins are in d.web, so that these
// variables carry nothing else.
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

// become changes n in place to a node with the given op, attributes and inputs, and a single
// output. The facts of the output are kept if its type is already that of the elements.
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

// node adds a node to the graph. The parameter at is an existing node: the new node is in the same
// region, and its name begins with the name of the existing node.
func (d *denseArray) node(at *ir.Node, name, op string, t tensor.DType, attrs map[string]ir.Attr, ins ...ir.Out) ir.Out {
	n := d.g.NewNode(at.Name+"/"+name, op, attrs, 1, ins...)
	n.Outs[0].DType, n.Region = t, at.Region
	return ir.Out{Node: n}
}

func (d *denseArray) ints(at *ir.Node, name string, v []int32, dims ...int) ir.Out {
	return d.g.NewConst(at.Name+"/"+name, tensor.Must(tensor.From(tensor.Shape(dims), v)))
}

// zeros changes the node that creates the list or array to a Fill. Its output is a tensor of zeros
// with the shape [n, elem…]. Parameter shape is the element shape as a vector of type t.
func (d *denseArray) zeros(n, shape ir.Out, t tensor.DType) {
	m := d.made
	if t != tensor.Int32 {
		n = d.node(m, "size", "Cast", t, map[string]ir.Attr{"SrcT": tensor.Int32, "DstT": t}, n)
	}
	one := d.node(m, "rows", "Reshape", t, map[string]ir.Attr{"T": t, "Tshape": tensor.Int32}, n, d.ints(m, "one", []int32{1}, 1))
	dims := d.node(m, "shape", "ConcatV2", t, map[string]ir.Attr{"T": t, "N": int64(2), "Tidx": tensor.Int32}, one, shape, d.ints(m, "axis", []int32{0}))
	d.become(m, "Fill", map[string]ir.Attr{"T": d.dtype, "index_type": t}, dims, d.g.NewConst(m.Name+"/zero", tensor.Must(tensor.New(d.dtype, nil, 0))))
}

// set changes n to a node that returns a copy of tensor t in which row i is replaced by v.
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

// asks reports whether the element shape that a reading node specifies matches the shape of the
// elements. The specified shape is the parameter dims, in which nil or -1 matches any size. If the
// parameter known is false, the node accepts any shape, and asks returns true.
func (d *denseArray) asks(dims []*sym.Expr, known bool) bool {
	if !known {
		return true
	}
	return slices.EqualFunc(dims, d.elem, func(a, e *sym.Expr) bool { return a == nil || a.Is(-1) || a.Equal(e) })
}

// asksInput reports whether the element shape that a reading node has as its input o matches the
// shape of the elements. The input is a vector, or the scalar -1, which matches any shape.
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

// asksAttr reports whether the element shape that a node n has in the named attribute matches the
// shape of the elements.
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

// list returns a function that replaces the list by a dense tensor. It returns nil if the list
// cannot be replaced.
func (d *denseArray) list() func() {
	m := d.made
	out := ir.Out{Node: m}
	if len(m.Controls) > 0 {
		return nil
	}
	shape, from := m.Ins[0], m.Op == "TensorListFromTensor"
	var rows *sym.Expr // nil: unknown
	whole := true      // whether the node that creates the list specifies all sizes of the element shape
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
				return nil // there is no reason to replace the list: shape inference finds its length
			}
		default:
			return nil
		}
	}
	if !slices.ContainsFunc(d.uses, func(n *ir.Node) bool { return n.Op != "TensorListLength" }) {
		return nil // if there were no list, a negative length would not be an error any more
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
