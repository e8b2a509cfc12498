package lower

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// A loop's counter is an integer that the host computes. Often it is also the index of the elements
// that the device reads and writes in an iteration. The device then computes its own copy of the
// counter. So the counter need not be copied to the device, and the host need not wait for such a
// copy before it changes the counter. Such a counter is a variable whose next value is computed
// from itself, constants, and tensors from outside the loop. Comparisons of a counter with such
// tensors are repeated on the device, too.

// counts reports whether o is a counter of the innermost loop or is computed from a counter.
func (l *lowerer) counts(o ir.Out) bool {
	if l.w == nil || l.w.s.loop == nil {
		return false
	}
	v := l.counterOf(o)
	if v == nil {
		return false
	}
	next := v.Ins[1].Node.Ins[0]
	return l.counters[v] != nil || next == ir.Out{Node: v} || l.counterOf(next) == v
}

// counterOf returns the only variable of the innermost loop from which a tensor is computed, provided
// that all ops that compute the tensor have the trait Counts. In all other cases it returns nil.
func (l *lowerer) counterOf(o ir.Out) *ir.Node {
	n, f := o.Node, o.Fact()
	if f.DType != tensor.Int32 && f.DType != tensor.Int64 && f.DType != tensor.Bool || !f.Shape.Known {
		return nil
	}
	if n.Op == ir.LoopVarOp {
		if n.Region == l.w.s.loop && !l.onDev[n] && len(f.Shape.Dims) == 0 {
			return n
		}
		return nil
	}
	if l.t.Trait(n.Op, Renames) {
		return l.counterOf(n.Ins[0])
	}
	if !l.t.Trait(n.Op, Counts) || l.computes(n) || l.gpuOf(n) == nil || !l.w.s.loop.Encloses(n.Region) {
		return nil
	}
	var found *ir.Node
	for _, i := range n.Ins {
		if i.Fact().Const != nil || !l.w.s.loop.Encloses(i.Node.Region) {
			continue
		}
		v := l.counterOf(i)
		if v == nil || found != nil && v != found {
			return nil
		}
		found = v
	}
	return found
}

// again appends steps that compute, on the device, a tensor that l.counts accepts, and returns its
// buffer. It returns nil if no device kernel can compute the tensor.
func (l *lowerer) again(o ir.Out) *plan.Buf {
	n := o.Node
	if n.Op == ir.LoopVarOp {
		return l.counter(n)
	}
	if l.t.Trait(n.Op, Renames) { // o is an alias, for which l.renamed makes the copy
		return nil
	}
	if err := l.gpuOf(n).Lower(&Builder{Graph: l.g, Node: n, l: l}); err != nil {
		return nil
	}
	top := l.lists[len(l.lists)-1]
	top.madeDev = append(top.madeDev, o)
	return l.dev[o]
}

// counter makes the device's copy of a counter of the innermost loop, and returns its buffer.
func (l *lowerer) counter(v *ir.Node) *plan.Buf {
	o := ir.Out{Node: v}
	s := &slot{node: v, dev: true}
	s.buf = l.newDevBuf(o.String()+"/device", o.Fact().DType, o.Fact().Shape.Len())
	s.buf.Shape = o.Fact().Shape.Dims
	l.counters[v] = s
	l.vars[s.buf] = v.Region
	l.dev[o] = s.buf
	body := len(l.lists) - 1
	for l.lists[body].loop != v.Region {
		body--
	}
	init := l.bufOf(v.Ins[0])
	src := plan.View{Buf: init, Len: o.Fact().Shape.Len(), Mode: plan.Read}
	if init.Const != nil {
		src.Buf = l.devConst(init)
	} else if b := l.dev[v.Ins[0]]; b != nil {
		src.Buf = b
	}
	l.insert(body-1, l.hand(v, plan.View{Buf: s.buf, Len: src.Len, Mode: plan.Write}, src))
	return s.buf
}

// renamed returns the device's copy of tensor o if onDevice is true, and otherwise the host's copy.
// It applies only if o is an alias of another tensor. The result is then an alias of the copy of
// that tensor. If o is not an alias, renamed returns nil.
func (l *lowerer) renamed(o ir.Out, onDevice bool) *plan.Buf {
	from, to := l.dev, l.bufs
	if onDevice {
		from, to = l.bufs, l.dev
	}
	b := from[o]
	if !l.t.Trait(o.Node.Op, Renames) || b == nil || b.Alias == nil || b.Off != nil || b.Alias != from[o.Node.Ins[0]] {
		return nil
	}
	in := o.Node.Ins[0]
	var twin *plan.Buf
	if onDevice {
		twin = l.devOf(in)
	} else {
		twin = l.bufOf(in)
	}
	to[o] = l.alias(o.String(), o.Fact(), twin, nil)
	for _, t := range l.lists { // the copy of tensor o is valid in the same lists of steps as the copy of the node's input
		if slices.Contains(t.made, in) && !onDevice {
			t.made = append(t.made, o)
		}
		if slices.Contains(t.madeDev, in) && onDevice {
			t.madeDev = append(t.madeDev, o)
		}
	}
	return to[o]
}
