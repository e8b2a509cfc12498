package flow

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/rt/tensor"
)

// array returns a function that replaces the TensorArrayV3 by a dense tensor. It returns nil if the
// array cannot be replaced.
func (d *denseArray) array() func() {
	m := d.made
	handle, flow := ir.Out{Node: m}, ir.Out{Node: m, Index: 1}
	if len(m.Controls) > 0 || m.Bool("dynamic_size") || !scalarIndex(m.Ins[0]) {
		return nil
	}
	if !d.follow(flow, arrayWriter) || !d.closed() {
		return nil
	}
	for _, n := range d.readers[handle] {
		if !slices.Contains(d.uses, n) {
			return nil
		}
	}
	var write *ir.Node
	var reads []*ir.Node
	for _, n := range d.uses {
		last := len(n.Ins) - 1
		if len(n.Ins) < 2 || n.Ins[0] != handle || slices.ContainsFunc(n.Ins[1:last], func(o ir.Out) bool { return d.web[o] || o == handle }) {
			return nil
		}
		switch n.Op {
		case "TensorArrayWriteV3", "TensorArrayScatterV3":
			if write != nil {
				return nil
			}
			write = n
		case "TensorArrayReadV3", "TensorArrayGatherV3":
			if n.DType("dtype") != d.dtype {
				return nil
			}
			reads = append(reads, n)
		case "TensorArraySizeV3":
		default:
			return nil
		}
	}
	if write == nil || !d.fits(write) {
		return nil
	}
	after := d.after(write)
	empty := map[*ir.Node]bool{} // reading nodes that fail if the array has no elements
	clears := true
	if _, given := m.Attrs["clear_after_read"]; given {
		clears = m.Bool("clear_after_read")
	}
	if clears && len(reads) > 1 {
		return nil
	}
	for _, n := range reads {
		if !after[n.Ins[2]] {
			return nil
		}
		switch n.Op {
		case "TensorArrayReadV3":
			if !scalarIndex(n.Ins[1]) || clears && !d.onceEach(n, n.Ins[1]) {
				return nil
			}
		default:
			if !d.all(n.Ins[1]) || !d.asksAttr(n, "element_shape") || clears && n.Region.InnerLoop() != m.Region.InnerLoop() {
				return nil
			}
			if p, ok := n.Attrs["element_shape"].(ir.PartialShape); !ok || p.UnknownRank || slices.ContainsFunc(p.Dims, func(v int64) bool { return v < 0 }) {
				es := m.Ins[0].Fact().Ints
				empty[n] = es == nil || !positive(es[0])
			}
		}
	}
	return func() {
		size := m.Ins[0]
		if write.Op == "TensorArrayWriteV3" {
			d.move(flow)
			d.zeros(size, d.shape(), tensor.Int32)
		} else {
			d.become(m, "Identity", map[string]ir.Attr{"T": tensor.Int32}, size)
			m.Outs[0].DType = tensor.Int32
		}
		for _, n := range d.uses {
			switch n.Op {
			case "TensorArrayWriteV3":
				d.set(n, n.Ins[3], n.Ins[1], n.Ins[2])
			case "TensorArrayScatterV3":
				d.identity(n, n.Ins[2])
			case "TensorArrayReadV3":
				d.row(n, n.Ins[2], n.Ins[1])
			case "TensorArrayGatherV3":
				if d.identity(n, n.Ins[2]); empty[n] {
					n.Op = lower.SomeRows
					n.Attrs["code"] = int64(tensor.Unimplemented)
				}
			case "TensorArraySizeV3":
				d.become(n, "Identity", map[string]ir.Attr{"T": tensor.Int32}, size)
				n.Outs[0].DType = tensor.Int32
			}
		}
		delete(d.web, flow)
	}
}

// move changes the nodes that read the given flow of the array. Instead of the flow, they then read
// output 0 of the node that returns the flow.
func (d *denseArray) move(flow ir.Out) {
	for _, n := range d.readers[flow] {
		for i, o := range n.Ins {
			if o == flow {
				n.Ins[i] = ir.Out{Node: flow.Node}
			}
		}
	}
}

func arrayWriter(n *ir.Node) bool {
	return n.Op == "TensorArrayWriteV3" || n.Op == "TensorArrayScatterV3"
}

// after returns those flow tensors of the array that are computed after the write. The parameter
// write is the only node that writes to the array.
func (d *denseArray) after(write *ir.Node) map[ir.Out]bool {
	in := map[ir.Out]bool{}
	var visit func(o ir.Out)
	visit = func(o ir.Out) {
		if in[o] {
			return
		}
		in[o] = true
		for _, n := range d.readers[o] {
			if !slices.Contains(d.uses, n) {
				visit(ir.Out{Node: n})
			}
		}
	}
	visit(ir.Out{Node: write})
	// Inside the loop with the write, an element might be read before it is written.
	if l := write.Region.InnerLoop(); l != d.made.Region.InnerLoop() {
		for o := range in {
			if l.Encloses(o.Node.Region) {
				delete(in, o)
			}
		}
	}
	return in
}

// fits reports whether the only node that writes to the array cannot fail except because of an
// index out of range. It also sets d.elem to the element shape.
func (d *denseArray) fits(write *ir.Node) bool {
	m, v := d.made, write.Ins[2]
	f := v.Fact()
	if f.DType != d.dtype || !f.Shape.Known {
		return false
	}
	if write.Op == "TensorArrayScatterV3" {
		size := m.Ins[0].Fact().Ints
		if f.Shape.Rank() < 1 || size == nil || !size[0].Equal(f.Shape.Dims[0]) || write.Ins[3] != (ir.Out{Node: m, Index: 1}) || len(d.readers[write.Ins[3]]) != 1 {
			return false
		}
		d.elem = f.Shape.Dims[1:]
		return write.Region == m.Region && d.all(write.Ins[1]) && d.asksAttr(m, "element_shape")
	}
	if !scalarIndex(write.Ins[1]) || !d.onceEach(write, write.Ins[1]) {
		return false
	}
	p, ok := m.Attrs["element_shape"].(ir.PartialShape)
	if !ok || p.UnknownRank || slices.ContainsFunc(p.Dims, func(v int64) bool { return v < 0 }) {
		// The first write determines the element shape, so the shape must already be known at the
		// node that creates the array.
		d.elem = f.Shape.Dims
		return m.Bool("identical_element_shapes") && d.asksAttr(m, "element_shape") && d.hasShape() && d.inFirst(write, m.Ins[0])
	}
	for _, n := range p.Dims {
		d.elem = append(d.elem, sym.Int(int(n)))
	}
	return d.isElem(v)
}

// all reports whether o holds the indices 0, 1, … n-1 of an array of n tensors.
func (d *denseArray) all(o ir.Out) bool {
	for o.Node.Op == "Identity" {
		o = o.Node.Ins[0]
	}
	size := d.made.Ins[0]
	if es := o.Fact().Ints; es != nil {
		n := size.Fact().Ints
		if o.Fact().Shape.Rank() != 1 || n == nil || !n[0].Is(len(es)) {
			return false
		}
		for k, e := range es {
			if !e.Is(k) {
				return false
			}
		}
		return true
	}
	n := o.Node
	if n.Op != "Range" || n.Outs[0].DType != tensor.Int32 || !isConstInt(n.Ins[0], 0) || !isConstInt(n.Ins[2], 1) {
		return false
	}
	limit := n.Ins[1]
	for limit.Node.Op == "Identity" {
		limit = limit.Node.Ins[0]
	}
	if limit == size || limit.Node.Op == "TensorArraySizeV3" && limit.Node.Ins[0] == (ir.Out{Node: d.made}) {
		return true
	}
	a, b := limit.Fact().Ints, size.Fact().Ints
	return len(a) == 1 && len(b) == 1 && a[0].Equal(b[0])
}

func isConstInt(o ir.Out, v int) bool {
	es := o.Fact().Ints
	return len(es) == 1 && es[0].Is(v)
}

func positive(e *sym.Expr) bool { v, ok := e.IsInt(); return ok && v > 0 }

// onceEach reports whether n uses each index at most once. This is so if n runs at most once for
// each array that is created, or if it runs once per iteration of a loop, with a different index in
// each iteration.
func (d *denseArray) onceEach(n *ir.Node, index ir.Out) bool {
	l, around := n.Region.InnerLoop(), d.made.Region.InnerLoop()
	if l == around {
		return true
	}
	return l != nil && l.Parent.InnerLoop() == around && d.made.Region.Encloses(l.Parent) && counts(index, l, n.Region)
}

// counts reports whether the index o has a different value in each iteration of loop l. The
// parameter at is the region in which o is read. Such an index is a loop variable to which each
// iteration adds the same number, or the sum of such a variable and a number that the loop does not
// change.
func counts(o ir.Out, l, at *ir.Region) bool {
	for o.Node.Op == "Identity" && o.Node.Region != nil && l.Encloses(o.Node.Region) {
		o = o.Node.Ins[0]
	}
	n := o.Node
	outside := func(o ir.Out) bool { return o.Node.Region.Encloses(l.Parent) }
	switch n.Op {
	case ir.LoopVarOp:
		if n.Region != l {
			return false
		}
		next := n.Ins[1].Node
		body := next.Region.Parent == l && !next.Region.Loop && next.Region.Cond == l.Cond && !next.Region.Neg
		if next.Region != l && !body && !next.Region.Encloses(at) {
			return false
		}
		sum := next.Ins[0]
		for sum.Node.Op == "Identity" {
			sum = sum.Node.Ins[0]
		}
		step := func(i int) bool {
			es := sum.Node.Ins[i].Fact().Ints
			if len(es) != 1 {
				return false
			}
			v, ok := es[0].IsInt()
			return ok && v != 0
		}
		switch sum.Node.Op {
		case "Add", "AddV2":
			return sum.Node.Ins[0] == o && step(1) || sum.Node.Ins[1] == o && step(0)
		case "Sub":
			return sum.Node.Ins[0] == o && step(1)
		}
	case "Add", "AddV2", "Sub":
		return outside(n.Ins[0]) && counts(n.Ins[1], l, at) || outside(n.Ins[1]) && counts(n.Ins[0], l, at)
	}
	return false
}
