package lower

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// In a partition on a GPU, the place of a _LoopVar or a _Merge (a slot) is on the device or on the
// host. It is on the device if
//
//   - a value that the slot gets is computed on the device, or
//   - its elements are not integers, nodes on the device read the slot, and nothing on the host reads it.
//
// The reason for the second condition is that the host does not wait for a copy to the device, while
// it waits for a copy from the device. The second condition does not apply to a _Merge that gets the
// result of a loop: one copy to the device after the loop is cheaper than one in each iteration.
//
// Values may pass from one slot to another. If a slot is on the device, the first condition holds
// for every slot that gets its value. In the second condition, a slot also counts as a node that
// reads the slots from which it gets values. This node is on the device if the slot is on the device,
// and otherwise on the host. Slots are therefore placed repeatedly until nothing changes; they only
// ever move to the device. Three kinds of slots are never on the device:
// slots with elements that the device cannot hold, slots whose elements are sizes of the plan, and
// slots that are conditions, either directly or through nodes that only pass a tensor on. The host
// reads a condition whenever it has changed.
//
// Even if the device has a kernel for a node, the node runs on the host if its inputs and outputs
// have one element each, the host reads its result, and no input is made on the device. Thus, if a
// loop counts on the host, the host computes the loop's condition without waiting for the device.
// Such a node also runs on the host if one input is made on the device, another on the host, and
// nothing on the device reads the result.

// placeSlots determines the slots that are in device memory, and the nodes that the host computes
// although the device could compute them.
func (l *lowerer) placeSlots(order []*ir.Node) {
	l.onDev, l.hostly = map[*ir.Node]bool{}, map[*ir.Node]bool{}
	if !l.gpu {
		return
	}
	l.placeNumbers(order)
	for again := true; again; {
		l.growSlots(order)
		again = false
		for n := range l.hostly {
			if !l.suits(n) {
				delete(l.hostly, n)
				again = true
			}
		}
	}
}

// placeNumbers finds the nodes that compute single numbers and that the host must compute, assuming
// that all slots are on the host.
func (l *lowerer) placeNumbers(order []*ir.Node) {
	conds := map[ir.Out]bool{}
	for _, r := range l.g.Regions() {
		conds[r.Cond] = true
	}
	single := func(f *ir.Fact) bool { return f.Shape.Known && f.Shape.Len().Is(1) }
	var numbers []*ir.Node
	for _, n := range order {
		ok := len(n.Ins) > 0 && !l.t.Lookup(n.Op).Has(Effect) && !l.t.Lookup(n.Op).Has(Stateful) && !l.lazy(n) && l.computes(n)
		for _, o := range n.Ins {
			ok = ok && single(o.Fact())
		}
		for i := range n.Outs {
			ok = ok && single(&n.Outs[i])
		}
		if ok {
			numbers = append(numbers, n)
		}
	}
	for changed := true; changed; {
		changed = false
		for i := len(numbers) - 1; i >= 0; i-- {
			n := numbers[i]
			if l.hostly[n] || !l.suits(n) {
				continue
			}
			for k := range n.Outs {
				o := ir.Out{Node: n, Index: k}
				if _, host := l.sides(o, nil); host || conds[o] {
					l.hostly[n], changed = true, true
				}
			}
		}
	}
}

// suits reports whether the host may compute a node on single numbers without making more copies
// necessary.
func (l *lowerer) suits(n *ir.Node) bool {
	made, own := 0, 0
	for _, o := range n.Ins {
		if l.madeOnDevice(o, nil) {
			made++
		} else if o.Fact().Const == nil {
			own++
		}
	}
	if made == 0 {
		return true
	}
	for i := range n.Outs {
		if dev, _ := l.sides(ir.Out{Node: n, Index: i}, nil); dev {
			return false
		}
	}
	return made == 1 && own > 0
}

func (l *lowerer) growSlots(order []*ir.Node) {
	var slots []*ir.Node
	conds := l.conditions()
	for _, n := range order {
		o := ir.Out{Node: n}
		if n.Op != ir.LoopVarOp && n.Op != ir.MergeOp || conds[n] || len(l.elems[o]) > 0 {
			continue
		}
		if d := o.Fact().DType; d != tensor.String && !d.Opaque() && d.GoType() != nil {
			slots = append(slots, n)
		}
	}
	for changed := true; changed; {
		changed = false
		for _, n := range slots {
			if !l.onDev[n] && l.wantsDevice(n) {
				l.onDev[n], changed = true, true
			}
		}
	}
}

// conditions returns the slots that are conditions of loops or branches, either directly or through
// nodes that only pass a tensor on.
func (l *lowerer) conditions() map[*ir.Node]bool {
	found, seen := map[*ir.Node]bool{}, map[*ir.Node]bool{}
	var visit func(n *ir.Node)
	visit = func(n *ir.Node) {
		if seen[n] {
			return
		}
		seen[n] = true
		switch {
		case n.Op == ir.LoopVarOp:
			found[n] = true
		case n.Op == ir.MergeOp: // the output may share the place of its input
			found[n] = true
			for _, o := range n.Ins {
				visit(o.Node)
			}
		case n.Op == ir.YieldOp, n.Op == "_ToBool", l.t.Trait(n.Op, Renames):
			visit(n.Ins[0].Node)
		}
	}
	for _, r := range l.g.Regions() {
		visit(r.Cond.Node)
	}
	return found
}

// wantsDevice reports whether a slot belongs on the device, given the slots placed so far.
func (l *lowerer) wantsDevice(n *ir.Node) bool {
	for _, o := range n.Ins {
		if l.madeOnDevice(o, n) {
			return true
		}
	}
	if n.Op == ir.MergeOp && slices.ContainsFunc(n.Ins, func(o ir.Out) bool { return o.Node.Region.InnerLoop() != n.Region.InnerLoop() }) {
		return false
	}
	switch (ir.Out{Node: n}).Fact().DType {
	case tensor.Int32, tensor.Int64: // the host also computes integers for the device's nodes
		return false
	}
	dev, host := l.sides(ir.Out{Node: n}, n)
	return dev && !host && !slices.ContainsFunc(l.g.Fetches, func(f ir.Fetch) bool { return f.Out == ir.Out{Node: n} })
}

// madeOnDevice reports whether a node other than slot computes the tensor on the device.
func (l *lowerer) madeOnDevice(o ir.Out, slot *ir.Node) bool {
	n := o.Node
	switch {
	case n == slot:
		return false
	case n.Op == ir.LoopVarOp, n.Op == ir.MergeOp:
		return o.Index == 0 && l.onDev[n]
	case n.Op == ir.YieldOp, n.Op == ir.NextOp, l.t.Trait(n.Op, Renames):
		return !l.lazy(n) && l.madeOnDevice(n.Ins[0], slot)
	case n.Op == "_Recv", n.Op == "ReadVariableOp", n.Op == "_ReadVariablesOp":
		return l.devReads(o)
	}
	return !l.lazy(n) && l.computes(n)
}

// computes reports whether the device computes a node.
func (l *lowerer) computes(n *ir.Node) bool {
	return !l.onHost(n) && !l.hostly[n] && l.gpuOf(n) != nil
}

// sides returns two results: whether any node on the device reads the elements of tensor o, and
// whether any node on the host does. The node in the parameter slot is not counted.
func (l *lowerer) sides(o ir.Out, slot *ir.Node) (dev, host bool) {
	add := func(d, h bool) { dev, host = dev || d, host || h }
	for _, n := range l.readersOf(o) {
		switch {
		case n.Op == ir.YieldOp:
			for _, m := range l.merges[n] {
				add(l.onDev[m.merge], !l.onDev[m.merge] && m.merge != slot)
			}
		case n.Op == ir.NextOp:
			for _, v := range l.readersOf(ir.Out{Node: n}) {
				add(l.onDev[v] && v != slot, !l.onDev[v] && v != slot)
			}
		case n.Op == ir.LoopVarOp:
			add(l.onDev[n], !l.onDev[n])
		case l.t.Trait(n.Op, Renames):
			if n.Ins[0] == o {
				add(l.sides(ir.Out{Node: n}, slot))
			}
		case n.Op == "_Send", l.t.Trait(n.Op, ShapeOnly), l.lazy(n), !l.runs(n):
		default:
			d := l.computes(n)
			add(d, !d)
		}
	}
	return dev, host
}

// newSlotBuf makes a buffer on the side, host or device, where a slot is.
func (l *lowerer) newSlotBuf(s *slot, name string, d tensor.DType, n *sym.Expr) *plan.Buf {
	if s.dev {
		return l.newDevBuf(name, d, n)
	}
	return l.newBuf(name, d, n)
}
