package ptx

import "math/bits"

// instruction decodes one instruction, the statement d.st, and appends the result to the kernel's
// code.
func (d *decoder) instruction() {
	o := d.opcode(d.st.op)
	switch o.base {
	case "add", "sub", "mul", "mad", "fma":
		d.arithmetic(o)
	case "addc", "subc", "madc":
		o.want(1)
		n := 3
		if o.base == "madc" {
			n = 4
		}
		d.carry(o, o.types[0], n, o.take("cc"))
	case "min", "max":
		d.extremes(o)
	case "neg", "abs", "copysign":
		d.signs(o)
	case "div", "rem":
		d.division(o)
	case "sqrt", "rsqrt", "rcp", "ex2", "lg2", "sin", "cos", "tanh":
		d.functions(o)
	case "testp":
		d.test(o)
	case "and", "or", "xor", "not", "cnot":
		d.logic(o)
	case "shl", "shr":
		d.shift(o)
	case "popc", "clz", "brev", "bfind", "bfe", "bfi", "bmsk":
		d.bitwise(o)
	case "lop3":
		d.lop3(o)
	case "shf":
		d.funnel(o)
	case "prmt":
		d.permute(o)
	case "dp4a", "dp2a", "sad", "mul24", "mad24":
		d.dots(o)
	case "setp":
		d.setp(o)
	case "set":
		d.set(o)
	case "selp":
		d.selp(o)
	case "slct":
		d.slct(o)
	case "cvt":
		d.convert(o)
	case "mov":
		d.moves(o)
	case "ld", "ldu", "st":
		d.access(o)
	case "atom", "red":
		d.atomics(o)
	case "cvta", "isspacep":
		d.toGeneric(o)
	case "shfl":
		d.shuffle(o)
	case "vote", "activemask":
		d.vote(o)
	case "match":
		d.match(o)
	case "redux":
		d.reduceLanes(o)
	case "bar", "barrier":
		d.barriers(o)
	case "membar", "fence":
		o.hints()
		o.one("gl", "sys", "cta")
		o.one("proxy")
		o.one("alias", "async")
		o.done()
		d.operands(0)
		d.emit(instr{kind: nothing})
	case "prefetch", "prefetchu", "nanosleep", "pmevent", "applypriority":
		d.emit(instr{kind: nothing})
	case "bra":
		o.take("uni")
		o.done()
		args := d.operands(1)
		d.emit(instr{kind: branch})
		d.branchTo(len(d.e.code)-1, args[0].name, -1)
	case "brx":
		d.table(o)
	case "call":
		d.call(o)
	case "ret":
		o.take("uni")
		o.done()
		d.operands(0)
		if len(d.calls) > 1 {
			d.emit(instr{kind: branch})
			d.fixes = append(d.fixes, fix{len(d.e.code) - 1, d.ends[len(d.ends)-1], -1})
			return
		}
		d.emit(instr{kind: leave})
	case "exit":
		o.done()
		d.operands(0)
		d.emit(instr{kind: leave})
	case "trap", "brkpt":
		o.done()
		d.emit(instr{kind: masked, run: func(w *warp, in *instr) { w.fault(in, bits.TrailingZeros32(w.mask), "the kernel gives up") }})
	default:
		d.fail("the instruction is not known")
	}
}

// table decodes brx.idx.
func (d *decoder) table(o *opcode) {
	if !o.take("idx") {
		d.fail("the instruction is not known")
	}
	o.take("uni")
	o.done()
	args := d.operands(2)
	var to []string
	for i := len(d.targets) - 1; i >= 0 && to == nil; i-- {
		to = d.targets[i][args[1].name]
	}
	if to == nil {
		d.fail("%s is not a list of labels", args[1].name)
	}
	a := d.source(args[0], u32)
	d.emit(instr{kind: branchTable, a: a.row, ac: a.class, table: make([]int32, len(to))})
	in := len(d.e.code) - 1
	for i, l := range to {
		d.branchTo(in, l, i)
	}
}

// moves decodes the instruction mov. Its operands may be registers, special registers, and lists of
// registers in braces.
func (d *decoder) moves(o *opcode) {
	o.want(1)
	o.done()
	t := o.types[0]
	args := d.operands(2)
	to, from := args[0], args[1]
	switch {
	case to.kind == list && from.kind == list:
		d.fail("one operand in braces is possible")
	case from.kind == list:
		n := len(from.list)
		if n != 2 && n != 4 || t.size()%n != 0 {
			d.fail("2 or 4 operands in braces are expected")
		}
		size := 8 * t.size() / n
		part := map[int]typ{8: b8, 16: b16, 32: b32}[size]
		var refs [4]ref
		for i, x := range from.list {
			refs[i] = d.source(x, part)
		}
		m := part.mask()
		d.general(d.destination(to, t.class()), t, func(a, b, c, e uint64) uint64 {
			r := a&m | b&m<<size
			if n == 4 {
				r |= c&m<<(2*size) | e&m<<(3*size)
			}
			return r
		}, refs[:n]...)
	case to.kind == list:
		n := len(to.list)
		if n != 2 && n != 4 || t.size()%n != 0 {
			d.fail("2 or 4 operands in braces are expected")
		}
		size := 8 * t.size() / n
		part := map[int]typ{8: b8, 16: b16, 32: b32}[size]
		src := d.source(from, t)
		if src.class != t.class() {
			d.fail("the operand does not have the size of %s", t)
		}
		// The source register may also be one of the destination registers. In this case write that
		// register last, so that no part of the source is lost. The slice named order holds the
		// indices of the other registers.
		var order, last []int
		for i, x := range to.list {
			r := d.destination(x, part.class())
			if r.row == src.row && r.class == src.class {
				last = append(last, i)
			} else {
				order = append(order, i)
			}
		}
		for _, i := range append(order, last...) {
			d.general(d.destination(to.list[i], part.class()), part, func(a, _, _, _ uint64) uint64 { return a >> (i * size) }, src)
		}
	case t == pred:
		p, a := d.destination(to, bit), d.source(from, pred)
		d.emit(instr{kind: masked, run: movePredicate, d: p.row, dc: bit, a: a.row, ac: bit})
	case from.kind == name && (from.name == "%clock" || from.name == "%clock64" || from.name == "%clock_hi" || from.name == "%globaltimer" || from.name == "%globaltimer_lo"):
		r := d.destination(to, t.class())
		d.emit(instr{kind: masked, d: r.row, dc: r.class, keep: r.typ.mask() & t.mask(), run: func(w *warp, in *instr) {
			for m := w.mask; m != 0; m &= m - 1 {
				w.result(in, bits.TrailingZeros32(m), w.blk.steps)
			}
		}})
	default:
		var quick func(*warp, *instr)
		switch t.size() {
		case 2, 4:
			quick = move32
		case 8:
			quick = move64
		}
		d.typed(quick, func(a, _, _, _ uint64) uint64 { return a }, t, []typ{t})
	}
}
