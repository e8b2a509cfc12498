package ptx

import "math/bits"

// comparison decodes the relation of a comparison, such as .lt. The first result is a function that
// reports whether the relation holds between two numbers of type t. The second result is the
// relation's name.
func (d *decoder) comparison(o *opcode, t typ, ftz bool) (func(a, b uint64) bool, string) {
	op := o.one("eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan")
	var less, equal, greater, unordered bool
	rel := op
	switch op {
	case "":
		d.fail("a comparison is expected")
	case "lo":
		rel = "lt"
	case "ls":
		rel = "le"
	case "hi":
		rel = "gt"
	case "hs":
		rel = "ge"
	case "equ", "neu", "ltu", "leu", "gtu", "geu":
		rel, unordered = op[:2], true
	case "nan":
		unordered = true
	case "num":
		less, equal, greater = true, true, true
	}
	switch rel {
	case "eq":
		equal = true
	case "ne":
		less, greater = true, true
	case "lt":
		less = true
	case "le":
		less, equal = true, true
	case "gt":
		greater = true
	case "ge":
		greater, equal = true, true
	}
	choose := func(lt, eq bool) bool { return lt && less || eq && equal || !lt && !eq && greater }
	if t.float() {
		of := floatOf(t)
		return func(a, b uint64) bool {
			if ftz {
				a, b = flush(a), flush(b)
			}
			x, y := of(a), of(b)
			if x != x || y != y {
				return unordered
			}
			return choose(x < y, x == y)
		}, op
	}
	if unordered || op == "num" {
		d.fail("no comparison .%s of %s", op, t)
	}
	if t.signed() {
		return func(a, b uint64) bool {
			x, y := int64(t.extend(a)), int64(t.extend(b))
			return choose(x < y, x == y)
		}, rel
	}
	return func(a, b uint64) bool {
		x, y := t.extend(a), t.extend(b)
		return choose(x < y, x == y)
	}, rel
}

// combine decodes the modifiers .and, .or and .xor, which combine the result of a comparison with
// another predicate. It returns the combining function, or nil if there is no such modifier.
func (o *opcode) combine() func(r, c bool) bool {
	switch o.one("and", "or", "xor") {
	case "and":
		return func(r, c bool) bool { return r && c }
	case "or":
		return func(r, c bool) bool { return r || c }
	case "xor":
		return func(r, c bool) bool { return r != c }
	}
	return nil
}

// setp decodes the instruction setp, a comparison whose results are predicates.
func (d *decoder) setp(o *opcode) {
	o.want(1)
	t := o.types[0]
	ftz := o.take("ftz")
	also := o.combine()
	if t.packed() {
		d.setpPacked(o, t)
		return
	}
	cmp, rel := d.comparison(o, t, ftz)
	o.done()
	n := 3
	if also != nil {
		n = 4
	}
	args := d.operands(n)
	second := args[0].second
	args[0].second = ""
	to := d.destination(args[0], bit)
	in := instr{kind: masked, d: to.row, dc: bit, q: -1, keep: 1}
	if second != "" {
		q := d.destination(operand{kind: name, name: second}, bit)
		if q.class != bit {
			d.fail("%s is not a predicate", second)
		}
		in.q = q.row
		args[0].second = second
	}
	if to.class != bit {
		d.fail("%s is not a predicate", args[0].name)
	}
	a, b := d.source(args[1], t), d.source(args[2], t)
	in.a, in.ac, in.b, in.bc = a.row, a.class, b.row, b.class
	if also != nil {
		c := d.source(args[3], pred)
		in.c, in.cc = c.row, c.class
	}
	if quick := quickCompare(rel, t); quick != nil && also == nil && in.q < 0 && !ftz && a.class == t.class() && b.class == t.class() {
		in.run = quick
		d.emit(in)
		return
	}
	in.run = func(w *warp, in *instr) {
		for m := w.mask; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m)
			r := cmp(w.get(in.ac, in.a, i), w.get(in.bc, in.b, i))
			p, q := r, !r
			if also != nil {
				c := w.p[in.c]>>i&1 != 0
				p, q = also(p, c), also(q, c)
			}
			w.put(bit, in.d, i, flag(p))
			if in.q >= 0 {
				w.put(bit, in.q, i, flag(q))
			}
		}
	}
	d.emit(in)
}

// setpPacked decodes a setp of packed numbers. The first predicate gets the result for the lower
// halves, and the second one gets the result for the upper halves.
func (d *decoder) setpPacked(o *opcode, t typ) {
	half := f16
	if t == bf16x2 {
		half = bf16
	}
	cmp, _ := d.comparison(o, half, false)
	o.done()
	args := d.operands(3)
	if args[0].second == "" {
		d.fail("two predicates are expected")
	}
	a, b := d.source(args[1], t), d.source(args[2], t)
	p := operand{kind: name, name: args[0].name}
	q := operand{kind: name, name: args[0].second}
	d.general(d.destination(p, bit), pred, func(a, b, _, _ uint64) uint64 { return flag(cmp(a&0xffff, b&0xffff)) }, a, b)
	d.general(d.destination(q, bit), pred, func(a, b, _, _ uint64) uint64 { return flag(cmp(a>>16&0xffff, b>>16&0xffff)) }, a, b)
}

// set decodes the instruction named set, a comparison whose result is a number. If the relation
// holds, the result is 1.0 for a float type, and has all bits set for an integer type. Otherwise it
// is 0.
func (d *decoder) set(o *opcode) {
	o.want(2)
	result, t := o.types[0], o.types[1]
	ftz := o.take("ftz")
	also := o.combine()
	half := t
	if t == f16x2 {
		half = f16
	} else if t == bf16x2 {
		half = bf16
	}
	cmp, _ := d.comparison(o, half, ftz)
	o.done()
	yes := result.mask()
	one := map[typ]uint64{f32: 0x3f800000, f16: 0x3c00, bf16: 0x3f80, f16x2: 0x3c00, bf16x2: 0x3f80}
	if v, ok := one[result]; ok {
		yes = v
	}
	n := 3
	if also != nil {
		n = 4
	}
	args := d.operands(n)
	refs := []ref{d.source(args[1], t), d.source(args[2], t)}
	if also != nil {
		refs = append(refs, d.source(args[3], pred))
	}
	f := func(a, b, c, _ uint64) uint64 {
		r := cmp(a, b)
		if also != nil {
			r = also(r, c != 0)
		}
		if r {
			return yes
		}
		return 0
	}
	if t.packed() {
		f = pairwise(f)
	}
	d.general(d.destination(args[0], result.class()), result, f, refs...)
}

// selp decodes the instruction selp, which selects one of two values according to a predicate.
func (d *decoder) selp(o *opcode) {
	o.want(1)
	o.done()
	t := o.types[0]
	args := d.operands(4)
	a, b, c := d.source(args[1], t), d.source(args[2], t), d.source(args[3], pred)
	to := d.destination(args[0], t.class())
	if to.class == a.class && a.class == b.class && to.typ.size() == t.size() && t.size() > 1 {
		run := select32
		if t.size() == 8 {
			run = select64
		}
		d.emit(instr{kind: compute, run: run, d: to.row, dc: to.class, a: a.row, ac: a.class, b: b.row, bc: b.class, c: c.row, cc: bit})
		return
	}
	d.general(to, t, func(a, b, c, _ uint64) uint64 {
		if c != 0 {
			return a
		}
		return b
	}, a, b, c)
}

func (d *decoder) slct(o *opcode) {
	o.want(2)
	ftz := o.take("ftz")
	o.done()
	t, by := o.types[0], o.types[1]
	d.typed(nil, func(a, b, c, _ uint64) uint64 {
		if by == f32 {
			if ftz {
				c = flush(c)
			}
			if asF32(c) >= 0 {
				return a
			}
			return b
		}
		if int32(c) >= 0 {
			return a
		}
		return b
	}, t, []typ{t, t, by})
}

func andPredicates(w *warp, in *instr) { w.predicate(in.d, w.p[in.a]&w.p[in.b]) }
func orPredicates(w *warp, in *instr)  { w.predicate(in.d, w.p[in.a]|w.p[in.b]) }
func xorPredicates(w *warp, in *instr) { w.predicate(in.d, w.p[in.a]^w.p[in.b]) }
func notPredicate(w *warp, in *instr)  { w.predicate(in.d, ^w.p[in.a]) }
func movePredicate(w *warp, in *instr) { w.predicate(in.d, w.p[in.a]) }

// predicate writes v to the predicate in the given row, but only the bits of the active lanes.
func (w *warp) predicate(row int32, v uint32) { w.p[row] = w.p[row]&^w.mask | v&w.mask }
