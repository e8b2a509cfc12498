package lower

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/rt/tensor"
)

// ContentsOf finds out what may be in the list o that reader reads.
func ContentsOf(g *ir.Graph, reader *ir.Node, o ir.Out) *Contents {
	c := &Contents{G: g, Reader: reader}
	c.list(o, map[ir.Out]bool{})
	return c
}

func (c *Contents) list(o ir.Out, seen map[ir.Out]bool) {
	if seen[o] {
		return
	}
	seen[o] = true
	if from, ok := HandedOn(o); ok {
		c.loopOf(o)
		for _, i := range from {
			c.list(i, seen)
		}
		return
	}
	n := o.Node
	if d, ok := n.Attrs["element_dtype"]; ok && (listMakes(n.Op) || listFrom(o) != nil) {
		if e, ok := c.Reader.Attrs["element_dtype"]; ok && e != d {
			return // a list of another type: the reader refuses it
		}
	}
	for _, w := range listWrites(o) {
		switch w.part {
		case 0:
			c.items = append(c.items, w.o.Fact().Shape)
		case 1:
			c.items = append(c.items, rowsOf(w.o.Fact().Shape))
		case 2:
			c.items = append(c.items, partsOf(w.o.Fact().Shape))
		}
	}
	if from := listFrom(o); from != nil {
		for _, i := range from {
			c.list(i, seen)
		}
		return
	}
	if at := ListShapeInput(n.Op); at >= 0 && listMakes(n.Op) {
		dims, known, _ := PartialInput(c.G, n.Ins[at])
		s := Sure(dims, known)
		if n.Op == "TensorListSplit" && len(s.Dims) > 0 { // the parts' rows are what the lengths say
			s.Dims[0] = nil
		}
		c.made = append(c.made, s)
		return
	}
	if holder, ok := ListHolder(o); ok { // a list that is an element of a list
		for _, w := range ListItems(holder) {
			if w.Fact().DType == tensor.Variant {
				c.list(w, seen)
			}
		}
	}
	c.other, c.made = true, append(c.made, ir.Shape{})
}

// listMakes reports the ops that make a list of no other.
func listMakes(op string) bool {
	switch op {
	case "EmptyTensorList", "TensorListReserve", "TensorListFromTensor", "TensorListSplit", "TensorListScatter", "TensorListScatterV2":
		return true
	}
	return false
}

// listWrite is a tensor that goes into a list: whole, its rows, or parts of several rows.
type listWrite struct {
	o    ir.Out
	part int
}

// listWrites returns the tensors that the node of the list o puts in.
func listWrites(o ir.Out) []listWrite {
	n := o.Node
	switch n.Op {
	case "TensorListFromTensor", "TensorListScatter", "TensorListScatterV2":
		return []listWrite{{n.Ins[0], 1}}
	case "TensorListSplit":
		return []listWrite{{n.Ins[0], 2}}
	case "TensorListSetItem":
		return []listWrite{{n.Ins[2], 0}}
	case "TensorListPushBack":
		return []listWrite{{n.Ins[1], 0}}
	case "TensorListPushBackBatch", "TensorListScatterIntoExistingList":
		return []listWrite{{n.Ins[1], 1}}
	}
	return nil
}

// listFrom returns the lists whose tensors the list o has too, nil where it has those of none.
func listFrom(o ir.Out) []ir.Out {
	n := o.Node
	switch n.Op {
	case "TensorListSetItem", "TensorListPushBack", "TensorListPushBackBatch", "TensorListScatterIntoExistingList", "TensorListResize":
		return n.Ins[:1]
	case "TensorListPopBack":
		if o.Index == 0 {
			return n.Ins[:1]
		}
	case "TensorListConcatLists":
		return n.Ins[:2]
	case "AddN", "ZerosLike", "AddV2":
		return n.Ins
	}
	return nil
}

// ListHolder returns the list that the list o was an element of.
func ListHolder(o ir.Out) (ir.Out, bool) {
	switch n := o.Node; n.Op {
	case "TensorListGetItem", "TensorListStack", "TensorListGather":
		return n.Ins[0], true
	case "TensorListPopBack":
		return n.Ins[0], o.Index == 1
	}
	return ir.Out{}, false
}

// ListItems returns all tensors that were put into the list o.
func ListItems(o ir.Out) []ir.Out {
	var items []ir.Out
	seen := map[ir.Out]bool{}
	var visit func(o ir.Out)
	visit = func(o ir.Out) {
		if seen[o] {
			return
		}
		seen[o] = true
		from, ok := HandedOn(o)
		if !ok {
			for _, w := range listWrites(o) {
				items = append(items, w.o)
			}
			from = listFrom(o)
		}
		for _, i := range from {
			visit(i)
		}
	}
	visit(o)
	return items
}

// ListLen returns the number of elements of the list o as reader may use it, nil where it is not known.
func ListLen(g *ir.Graph, reader *ir.Node, o ir.Out) *sym.Expr {
	c := &Contents{G: g, Reader: reader}
	e := c.len(o, map[ir.Out]*sym.Expr{}, 0)
	if e == nil || !c.Constant(e) || MayBeNegative(e) {
		return nil
	}
	return e
}

func (c *Contents) len(o ir.Out, vars map[ir.Out]*sym.Expr, depth int) *sym.Expr {
	if depth > 1000 {
		return nil
	}
	if e, ok := vars[o]; ok {
		return e
	}
	if from, ok := HandedOn(o); ok {
		c.loopOf(o)
		e := c.len(from[0], vars, depth+1)
		if e == nil {
			return nil
		}
		vars[o] = e
		for _, i := range from[1:] {
			if f := c.len(i, vars, depth+1); f == nil || !f.Equal(e) {
				return nil
			}
		}
		return e
	}
	n := o.Node
	elem := func(i int) *sym.Expr {
		if es, ok := IntsOf(c.G, n.Ins[i]); ok && len(es) == 1 && !MayBeNegative(es[0]) {
			return es[0]
		}
		return nil
	}
	switch n.Op {
	case "EmptyTensorList":
		if m := n.Ins[1].Fact().Ints; len(m) == 1 && m[0].Is(-1) { // no PushBack fails
			return sym.Zero
		}
	case "TensorListReserve", "TensorListResize":
		return elem(1)
	case "TensorListScatterV2":
		if e := elem(3); e != nil && e.NonNegative() {
			return e
		}
	case "TensorListFromTensor":
		if s := n.Ins[0].Fact().Shape; s.Rank() > 0 {
			return s.Dims[0]
		}
	case "TensorListSetItem":
		if !n.Bool("resize_if_index_out_of_bounds") {
			return c.len(n.Ins[0], vars, depth+1)
		}
	case "TensorListPushBack":
		if e := c.len(n.Ins[0], vars, depth+1); e != nil {
			return e.AddInt(1)
		}
	case "TensorListPopBack":
		if e := c.len(n.Ins[0], vars, depth+1); e != nil && o.Index == 0 {
			return e.AddInt(-1)
		}
	case "ZerosLike", "AddN", "AddV2":
		return c.len(n.Ins[0], vars, depth+1)
	}
	return nil
}

// Declared returns the element shape that the list o was made with, of that rank,
// -1 for an unknown one; nil elements are not known. ok is false where the lists
// that o may be do not agree.
func (c *Contents) Declared(o ir.Out) (dims []*sym.Expr, rank int, ok bool) {
	rank = -2
	seen := map[ir.Out]bool{}
	agree := true
	var visit func(o ir.Out)
	visit = func(o ir.Out) {
		if seen[o] || !agree {
			return
		}
		seen[o] = true
		from, handed := HandedOn(o)
		if !handed {
			from = listFrom(o)
		}
		if from != nil {
			for _, i := range from {
				visit(i)
			}
			return
		}
		if holder, ok := ListHolder(o); ok {
			if items := ListItems(holder); len(items) > 0 {
				for _, i := range items {
					if i.Fact().DType == tensor.Variant {
						visit(i)
					}
				}
				return
			}
		}
		if !listMakes(o.Node.Op) {
			agree = false
			return
		}
		es, known, okay := PartialInput(c.G, o.Node.Ins[ListShapeInput(o.Node.Op)])
		r := len(es)
		if !known {
			r = -1
		}
		if !okay || rank != -2 && r != rank {
			agree = false
			return
		}
		if rank == -2 {
			rank, dims = r, append([]*sym.Expr(nil), es...)
		}
		for k, e := range es {
			if dims[k] != nil && (!dims[k].Equal(e) || !c.Constant(e)) {
				dims[k] = nil
			}
		}
	}
	visit(o)
	return dims, rank, agree && rank != -2
}
