package ptx

import (
	"math"
	"math/bits"
)

// This file implements the instructions by which lanes and warps communicate.

// members returns the lanes for which a .sync instruction waits.
func (w *warp) members(in *instr) uint32 {
	if in.mode&noMembers != 0 {
		return w.mask
	}
	return uint32(w.get(in.ec, in.e, bits.TrailingZeros32(w.mask)))
}

const (
	// a bit of instr.mode: the instruction does not have the modifier .sync, and thus no member mask
	noMembers = 1 << iota
)

// synchronized emits the given instruction. If the parameter mask is not nil, it is the operand that
// holds the member mask, and the instruction waits for the lanes in this mask. If it is nil, the
// instruction does not wait for other lanes.
func (d *decoder) synchronized(in instr, mask *operand) {
	in.kind = masked
	in.mode = noMembers
	if mask != nil {
		m := d.source(*mask, b32)
		in.kind, in.mode, in.e, in.ec = synced, 0, m.row, m.class
	}
	d.emit(in)
}

// shuffle decodes shfl. A value read from an inactive lane is undefined; here it has all bits set.
func (d *decoder) shuffle(o *opcode) {
	sync := o.take("sync")
	mode := o.one("up", "down", "bfly", "idx")
	o.done()
	o.want(1)
	n := 4
	if sync {
		n = 5
	}
	args := d.operands(n)
	if mode == "" {
		d.fail("a mode is expected")
	}
	to := args[0]
	in := instr{q: -1, what: mode}
	if to.second != "" {
		q := d.destination(operand{kind: name, name: to.second}, bit)
		if q.class != bit {
			d.fail("%s is not a predicate", to.second)
		}
		in.q = q.row
		to.second = ""
	}
	r := d.destination(to, word32)
	a, b, c := d.source(args[1], b32), d.source(args[2], u32), d.source(args[3], u32)
	if r.class != word32 || a.class != word32 || b.class != word32 || c.class != word32 {
		d.fail("registers of 32 bits are expected")
	}
	in.d, in.dc, in.a, in.ac, in.b, in.bc, in.c, in.cc = r.row, word32, a.row, word32, b.row, word32, c.row, word32
	in.run = func(w *warp, in *instr) {
		src, by, limits := w.r32[in.a], w.row32(in.b), w.row32(in.c)
		lanes, dst := w.mask, w.row32(in.d)
		var from [32]int
		var valid uint32
		for m := lanes; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m)
			n, lim := int(by[i]&31), limits[i]
			clamp, seg := int(lim&31), int(lim>>8&31)
			most, least := i&seg|clamp&^seg, i&seg
			j, ok := 0, false
			switch mode {
			case "up":
				j, ok = i-n, i-n >= most
			case "down":
				j, ok = i+n, i+n <= most
			case "bfly":
				j = i ^ n
				ok = j <= most
			default:
				j = least | n&^seg
				ok = j <= most
			}
			if !ok {
				j = i
			} else {
				valid |= 1 << i
			}
			from[i] = j
		}
		for m := lanes; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m)
			v := uint32(math.MaxUint32)
			if lanes>>from[i]&1 != 0 {
				v = src[from[i]]
			}
			dst[i] = v
		}
		if in.q >= 0 {
			w.predicate(in.q, valid)
		}
	}
	if sync {
		d.synchronized(in, &args[4])
	} else {
		d.synchronized(in, nil)
	}
}

// vote decodes vote, activemask and elect.
func (d *decoder) vote(o *opcode) {
	if o.base == "activemask" {
		o.want(1)
		o.done()
		to := d.destination(d.operands(1)[0], word32)
		d.emit(instr{kind: masked, d: to.row, dc: to.class, keep: to.typ.mask(), run: func(w *warp, in *instr) { w.spread(in, w.mask) }})
		return
	}
	sync := o.take("sync")
	mode := o.one("all", "any", "uni", "ballot")
	o.done()
	o.want(1)
	n := 2
	if sync {
		n = 3
	}
	args := d.operands(n)
	if mode == "" || (mode == "ballot") != (o.types[0] == b32) {
		d.fail("no such vote")
	}
	to := d.destination(args[0], o.types[0].class())
	if to.class != o.types[0].class() {
		d.fail("the result does not fit %s", args[0].name)
	}
	a := d.source(args[1], pred)
	in := instr{d: to.row, dc: to.class, keep: to.typ.mask(), a: a.row, ac: bit}
	in.run = func(w *warp, in *instr) {
		yes, m := w.p[in.a]&w.mask, w.mask
		var r bool
		switch mode {
		case "ballot":
			w.spread(in, yes)
			return
		case "all":
			r = yes == m
		case "any":
			r = yes != 0
		default:
			r = yes == m || yes == 0
		}
		w.predicate(in.d, -b2i(r))
	}
	if sync {
		d.synchronized(in, &args[2])
	} else {
		d.synchronized(in, nil)
	}
}

// spread sets the destination register of an instruction to v in all active lanes.
func (w *warp) spread(in *instr, v uint32) {
	for m := w.mask; m != 0; m &= m - 1 {
		w.result(in, bits.TrailingZeros32(m), uint64(v))
	}
}

// match decodes match.sync.
func (d *decoder) match(o *opcode) {
	if !o.take("sync") {
		d.fail(".sync is expected")
	}
	all := o.one("any", "all") == "all"
	o.done()
	o.want(1)
	args := d.operands(3)
	in := instr{q: -1}
	if s := args[0].second; s != "" {
		q := d.destination(operand{kind: name, name: s}, bit)
		if q.class != bit {
			d.fail("%s is not a predicate", s)
		}
		in.q = q.row
		args[0].second = ""
	}
	to, a := d.destination(args[0], word32), d.source(args[1], o.types[0])
	in.d, in.dc, in.keep, in.a, in.ac = to.row, to.class, to.typ.mask(), a.row, a.class
	in.run = func(w *warp, in *instr) {
		lanes := w.mask
		for m := lanes; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m)
			var same uint32
			for k := lanes; k != 0; k &= k - 1 {
				j := bits.TrailingZeros32(k)
				if w.get(in.ac, in.a, i) == w.get(in.ac, in.a, j) {
					same |= 1 << j
				}
			}
			if all && same != lanes {
				same = 0
			}
			w.result(in, i, uint64(same))
			if in.q >= 0 {
				w.put(bit, in.q, i, flag(same != 0))
			}
		}
	}
	d.synchronized(in, &args[2])
}

// reduceLanes decodes redux.sync.
func (d *decoder) reduceLanes(o *opcode) {
	if !o.take("sync") {
		d.fail(".sync is expected")
	}
	op := o.one("add", "min", "max", "and", "or", "xor")
	o.done()
	o.want(1)
	t := o.types[0]
	f := atomicOf(op, t)
	if f == nil || t.size() != 4 || t.float() {
		d.fail("no such reduction of %s", t)
	}
	args := d.operands(3)
	to, a := d.destination(args[0], word32), d.source(args[1], t)
	in := instr{d: to.row, dc: to.class, keep: to.typ.mask(), a: a.row, ac: a.class}
	in.run = func(w *warp, in *instr) {
		m := w.mask
		i := bits.TrailingZeros32(m)
		r := w.get(in.ac, in.a, i)
		for m &= m - 1; m != 0; m &= m - 1 {
			r = f(r, w.get(in.ac, in.a, bits.TrailingZeros32(m)), 0, 0)
		}
		w.spread(in, uint32(r))
	}
	d.synchronized(in, &args[2])
}

// barrierOp is what a barrier does in addition to waiting.
type barrierOp uint8

const (
	barrierSync barrierOp = iota
	barrierArrive
	barrierPopc
	barrierAnd
	barrierOr
)

// barriers decodes bar and barrier, and bar.warp.sync.
func (d *decoder) barriers(o *opcode) {
	o.take("cta")
	aligned := o.base == "bar" || o.take("aligned")
	if o.take("warp") {
		if !o.take("sync") {
			d.fail(".sync is expected")
		}
		o.done()
		m := d.operands(1)[0]
		d.synchronized(instr{run: func(*warp, *instr) {}}, &m)
		return
	}
	in := instr{kind: barrier, q: -1, d: -1}
	op := o.one("sync", "arrive", "red")
	args := d.st.args
	switch op {
	case "sync":
	case "arrive":
		in.mode = uint8(barrierArrive)
	case "red":
		how := o.one("popc", "and", "or")
		if how == "" || len(o.types) != 1 || len(args) < 3 {
			d.fail("no such barrier")
		}
		to := d.destination(args[0], o.types[0].class())
		in.d, in.dc, in.keep = to.row, to.class, to.typ.mask()
		in.mode = uint8(map[string]barrierOp{"popc": barrierPopc, "and": barrierAnd, "or": barrierOr}[how])
		p := d.source(args[len(args)-1], pred)
		in.c, in.cc = p.row, bit
		args = args[1 : len(args)-1]
	default:
		d.fail("no such barrier")
	}
	o.done()
	if len(args) < 1 || len(args) > 2 || op == "arrive" && len(args) != 2 {
		d.fail("one or two operands are expected")
	}
	a := d.source(args[0], u32)
	in.a, in.ac = a.row, a.class
	if len(args) == 2 {
		b := d.source(args[1], u32)
		in.b, in.bc = b.row, b.class
		in.size = 2
	} else {
		in.size = 1
	}
	in.aligned = aligned
	d.emit(in)
}
