package lower

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// On a GPU the place of a _LoopVar or a _Merge, a slot, is the device's or the host's. It
// is the device's where
//
//   - something that it gets is made on the device, or
//   - its elements are no integers, nodes that the device computes read it, and nothing on the host does:
//     a copy to the device waits for nothing, one from there does. What a loop hands out in
//     each iteration is copied to the device behind it, though.
//
// A slot on the device counts as what is made there to those that it is handed on to, and
// as a reader there to those that it gets its values from. So places are found anew until
// none changes; they only ever change to the device's. Not on the device are elements that it cannot hold,
// slots whose elements are sizes of the plan, and those that are conditions,
// under whatever name: the host reads these after they have changed.
//
// A node of numbers alone, none of which is made on the device, is the host's where the host
// reads what it makes, though the device has a kernel: the condition of a loop that counts on the
// host is found without waiting for the device. So is a node that nothing on the device reads
// and that takes one number from there and others from the host.

// placeSlots finds the slots that are in the device's memory, and the nodes that the host
// computes though the device could.
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

// placeNumbers finds the nodes of numbers that the host is to compute, where all slots are its own.
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

// suits reports a node of numbers that the host may compute: no more is copied then.
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

// conditions returns the slots that conditions are other names of.
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
		case n.Op == ir.MergeOp: // it may have the place of what it is handed
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

// wantsDevice says what the slots found so far mean for another one.
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
	case tensor.Int32, tensor.Int64: // also what the device's nodes read of the host
		return false
	}
	dev, host := l.sides(ir.Out{Node: n}, n)
	return dev && !host && !slices.ContainsFunc(l.g.Fetches, func(f ir.Fetch) bool { return f.Out == ir.Out{Node: n} })
}

// madeOnDevice reports a tensor that is made on the device, by another node than slot.
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

// computes reports a node that the device is to compute.
func (l *lowerer) computes(n *ir.Node) bool {
	return !l.onHost(n) && !l.hostly[n] && l.gpuOf(n) != nil
}

// sides says on which sides nodes read the elements of a tensor, but for what slot gets.
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

// newSlotBuf makes a buffer of a slot's side.
func (l *lowerer) newSlotBuf(s *slot, name string, d tensor.DType, n *sym.Expr) *plan.Buf {
	if s.dev {
		return l.newDevBuf(name, d, n)
	}
	return l.newBuf(name, d, n)
}
