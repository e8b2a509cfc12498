package ptx

import (
	"math/bits"
	"sync/atomic"
	"unsafe"
)

// atomics decodes the instructions atom and red.
func (d *decoder) atomics(o *opcode) {
	o.hints()
	o.take("noftz")
	in := instr{kind: masked, space: o.spaceOf(), what: "atomic access"}
	if in.space != generic && in.space != global_ && in.space != shared {
		d.fail("no atomic access to %s memory", in.space)
	}
	op := o.one("add", "min", "max", "cas", "exch", "and", "or", "xor", "inc", "dec")
	o.mode()
	lanes := map[string]int{"v2": 2, "v4": 4, "v8": 8, "": 1}[o.one("v2", "v4", "v8")]
	if lanes != 1 {
		d.fail("no atomic access of vectors")
	}
	o.done()
	o.want(1)
	t := o.types[0]
	f := atomicOf(op, t)
	if f == nil {
		d.fail("no atomic operation %q of %s", op, t)
	}
	in.size, in.total = t.size(), t.size()
	n := 2
	if o.base == "atom" {
		n = 3
	}
	if op == "cas" {
		n++
	}
	args := d.operands(n)
	var to ref
	if o.base == "atom" {
		to = d.destination(args[0], t.class())
		args = args[1:]
	} else {
		to = ref{class: t.class(), typ: t}
	}
	if to.class == bit {
		d.fail("a predicate cannot hold the result")
	}
	d.address(&in, args[0])
	b := d.source(args[1], t)
	in.b, in.bc = b.row, b.class
	if op == "cas" {
		c := d.source(args[2], t)
		in.c, in.cc = c.row, c.class
	}
	in.d, in.dc, in.keep = to.row, to.class, to.typ.mask()
	in.f = f
	in.run = atomicAccess
	if in.space != shared {
		d.e.atomic = true
	}
	d.emit(in)
}

// atomicOf returns the function that an atomic instruction applies to a value in memory. The
// function returns the new value. Its arguments are the old value, operand b and, for cas, operand
// c.
func atomicOf(op string, t typ) semantics {
	sx := t.extend
	float := modifiers{t: t}
	switch {
	case op == "exch" && t.size() >= 2 && t.size() <= 8:
		return func(_, b, _, _ uint64) uint64 { return b }
	case op == "cas" && t.size() >= 2 && t.size() <= 8:
		m := t.mask()
		return func(a, b, c, _ uint64) uint64 {
			if a == b&m {
				return c
			}
			return a
		}
	case t.float() || t.packed():
		switch op {
		case "add":
			return float.finish(float.floats("add"))
		case "min", "max":
			if t.size() == 2 || t.packed() {
				return float.finish(float.extreme(op == "max"))
			}
		}
		return nil
	case t.size() != 4 && t.size() != 8 || !t.integer() && t != b32 && t != b64:
		return nil
	}
	switch op {
	case "add":
		return func(a, b, _, _ uint64) uint64 { return a + b }
	case "and":
		return func(a, b, _, _ uint64) uint64 { return a & b }
	case "or":
		return func(a, b, _, _ uint64) uint64 { return a | b }
	case "xor":
		return func(a, b, _, _ uint64) uint64 { return a ^ b }
	case "inc":
		return func(a, b, _, _ uint64) uint64 {
			if sx(a) >= sx(b) {
				return 0
			}
			return a + 1
		}
	case "dec":
		return func(a, b, _, _ uint64) uint64 {
			if a == 0 || sx(a) > sx(b) {
				return b
			}
			return a - 1
		}
	case "min":
		if t.signed() {
			return func(a, b, _, _ uint64) uint64 { return uint64(min(int64(sx(a)), int64(sx(b)))) }
		}
		return func(a, b, _, _ uint64) uint64 { return min(sx(a), sx(b)) }
	case "max":
		if t.signed() {
			return func(a, b, _, _ uint64) uint64 { return uint64(max(int64(sx(a)), int64(sx(b)))) }
		}
		return func(a, b, _, _ uint64) uint64 { return max(sx(a), sx(b)) }
	}
	return nil
}

// atomicAccess executes an atomic instruction for each lane, one lane after the other. If several
// workers run blocks at the same time, it uses the host's compare-and-swap.
func atomicAccess(w *warp, in *instr) {
	for m := w.mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		p := w.place(in, i, w.address(in, i), in.size)
		if p == nil {
			return
		}
		if at := w.shadowed(in, p); at >= 0 {
			w.racedAtomic(in, i, at)
		}
		b, c := w.get(in.bc, in.b, i), w.get(in.cc, in.c, i)
		var old uint64
		if w.blk.run.alone {
			old = get(p, in.size)
			set(p, in.size, in.f(old, b, c, 0))
		} else {
			old = exchange(unsafe.Pointer(&p[0]), in.size, func(a uint64) uint64 { return in.f(a, b, c, 0) })
		}
		w.put(in.dc, in.d, i, old&in.keep)
	}
}

// exchange atomically replaces the value of `size` bytes at address p by the result of f for this
// value. It returns the old value.
func exchange(p unsafe.Pointer, size int, f func(uint64) uint64) uint64 {
	switch size {
	case 8:
		q := (*uint64)(p)
		for {
			a := atomic.LoadUint64(q)
			if atomic.CompareAndSwapUint64(q, a, f(a)) {
				return a
			}
		}
	case 4:
		q := (*uint32)(p)
		for {
			a := atomic.LoadUint32(q)
			if atomic.CompareAndSwapUint32(q, a, uint32(f(uint64(a)))) {
				return uint64(a)
			}
		}
	}
	// Go has no compare-and-swap for values of 2 bytes. So this compares and swaps the aligned
	// 4-byte word that contains the value.
	off := uintptr(p) & 3
	q := (*uint32)(unsafe.Add(p, -int(off)))
	for {
		a := atomic.LoadUint32(q)
		old := uint64(a >> (8 * off) & 0xffff)
		b := a&^(0xffff<<(8*off)) | uint32(f(old)&0xffff)<<(8*off)
		if atomic.CompareAndSwapUint32(q, a, b) {
			return old
		}
	}
}
