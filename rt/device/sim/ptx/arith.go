package ptx

import (
	"math"
	"math/bits"
)

type semantics = func(a, b, c, e uint64) uint64

func asF32(x uint64) float32 { return math.Float32frombits(uint32(x)) }
func asF64(x uint64) float64 { return math.Float64frombits(x) }
func ofF32(x float32) uint64 {
	if x != x {
		return nan32
	}
	return uint64(math.Float32bits(x))
}
func ofF64(x float64) uint64 {
	if x != x {
		return nan64
	}
	return math.Float64bits(x)
}

// flush implements the modifier .ftz for float32. The parameter x holds the bits of a number. If
// the number is subnormal, flush returns the bits of a zero of the same sign, and otherwise x.
func flush(x uint64) uint64 {
	if x&0x7f800000 == 0 {
		return x & 0x80000000
	}
	return x
}

// saturate clamps x to [0, 1]; NaN becomes 0.
func saturate(x float64) float64 {
	if !(x > 0) {
		return 0
	}
	return min(x, 1)
}

// floatOf returns a function that converts a number of float type t, given by its bits, to a
// float64. For the opposite direction, see floatTo.
func floatOf(t typ) func(uint64) float64 {
	switch t {
	case f16, f16x2:
		return fromF16
	case bf16, bf16x2:
		return fromBF16
	case f32:
		return func(x uint64) float64 { return float64(asF32(x)) }
	}
	return asF64
}

func floatTo(t typ) func(float64, rounding) uint64 {
	switch t {
	case f16, f16x2:
		return toF16
	case bf16, bf16x2:
		return toBF16
	case f32:
		return toF32
	}
	return func(x float64, _ rounding) uint64 { return ofF64(x) }
}

// minus returns a mask that selects the sign bit of a number of float type t.
func (t typ) minus() uint64 {
	switch t {
	case f64:
		return 1 << 63
	case f32:
		return 1 << 31
	}
	return 1 << 15
}

// pairwise returns a function that applies f to both halves of packed numbers.
func pairwise(f semantics) semantics {
	return func(a, b, c, e uint64) uint64 {
		return f(a&0xffff, b&0xffff, c&0xffff, e)&0xffff | f(a>>16&0xffff, b>>16&0xffff, c>>16&0xffff, e)&0xffff<<16
	}
}

// modifiers are the modifiers of float arithmetic.
type modifiers struct {
	t         typ
	m         rounding
	ftz, sat  bool
	relu, nan bool
}

// finish returns f with the effects of .ftz, .sat and .relu added. For packed types, the result
// works on both halves.
func (x modifiers) finish(f semantics) semantics {
	if x.ftz && x.t == f32 {
		g := f
		f = func(a, b, c, e uint64) uint64 { return flush(g(flush(a), flush(b), flush(c), e)) }
	} else if x.ftz && (x.t == f16 || x.t == f16x2) {
		g, z := f, func(a uint64) uint64 {
			if a&0x7c00 == 0 {
				return a & 0x8000
			}
			return a
		}
		f = func(a, b, c, e uint64) uint64 { return z(g(z(a), z(b), z(c), e)) }
	}
	if x.sat {
		g, of, to := f, floatOf(x.t), floatTo(x.t)
		f = func(a, b, c, e uint64) uint64 { return to(saturate(of(g(a, b, c, e))), nearest) }
	}
	if x.relu {
		g, of, minus := f, floatOf(x.t), x.t.minus()
		f = func(a, b, c, e uint64) uint64 {
			r := g(a, b, c, e)
			if v := of(r); v == v && r&minus != 0 {
				return 0
			}
			return r
		}
	}
	if x.t.packed() {
		f = pairwise(f)
	}
	return f
}

// The method floats returns a function that computes add, sub, mul or fma, with the modifiers x.
func (x modifiers) floats(op string) semantics {
	m := x.m
	if x.t == f64 {
		switch op {
		case "add":
			return func(a, b, _, _ uint64) uint64 { return ofF64(add64(asF64(a), asF64(b), m)) }
		case "sub":
			return func(a, b, _, _ uint64) uint64 { return ofF64(add64(asF64(a), -asF64(b), m)) }
		case "mul":
			return func(a, b, _, _ uint64) uint64 { return ofF64(mul64(asF64(a), asF64(b), m)) }
		}
		return func(a, b, c, _ uint64) uint64 { return ofF64(fma64(asF64(a), asF64(b), asF64(c), m)) }
	}
	of, to, minus := floatOf(x.t), floatTo(x.t), x.t.minus()
	sum := func(p, q float64) uint64 { return signedZero(to(oddSum(p, q), m), p, q, m, minus) }
	switch op {
	case "add":
		return func(a, b, _, _ uint64) uint64 { return sum(of(a), of(b)) }
	case "sub":
		return func(a, b, _, _ uint64) uint64 { return sum(of(a), -of(b)) }
	case "mul":
		return func(a, b, _, _ uint64) uint64 { return to(float64(of(a)*of(b)), m) }
	}
	return func(a, b, c, _ uint64) uint64 { return sum(float64(of(a)*of(b)), of(c)) }
}

// arithmetic decodes add, sub, mul, mad and fma.
func (d *decoder) arithmetic(o *opcode) {
	o.want(1)
	t := o.types[0]
	n := 3
	if o.base == "mad" || o.base == "fma" {
		n = 4
	}
	if t.float() || t.packed() {
		op := o.base
		if op == "mad" {
			op = "fma"
		}
		x := modifiers{t: t, m: o.mode(), ftz: o.take("ftz"), sat: o.take("sat"), relu: o.take("relu")}
		o.done()
		f := x.finish(x.floats(op))
		d.compute(quickFloat(op, x), f, t, t, n)
		return
	}
	if !t.integer() {
		d.fail("no arithmetic on %s", t)
	}
	if o.take("cc") {
		d.carry(o, t, n, true)
		return
	}
	part := o.one("lo", "hi", "wide")
	sat := o.take("sat")
	o.done()
	result := t
	var f semantics
	sx := t.extend
	switch {
	case sat && t == s32:
		clamp := func(v int64) uint64 { return uint64(min(max(v, math.MinInt32), math.MaxInt32)) }
		switch {
		case o.base == "add":
			f = func(a, b, _, _ uint64) uint64 { return clamp(int64(sx(a)) + int64(sx(b))) }
		case o.base == "sub":
			f = func(a, b, _, _ uint64) uint64 { return clamp(int64(sx(a)) - int64(sx(b))) }
		case o.base == "mad" && part == "hi":
			f = func(a, b, c, _ uint64) uint64 { return clamp(int64(sx(a))*int64(sx(b))>>32 + int64(sx(c))) }
		default:
			d.fail(".sat is not known here")
		}
	case sat:
		d.fail(".sat is not known here")
	case o.base == "add":
		f = func(a, b, _, _ uint64) uint64 { return a + b }
	case o.base == "sub":
		f = func(a, b, _, _ uint64) uint64 { return a - b }
	default:
		if part == "" {
			d.fail("one of .lo, .hi and .wide is expected")
		}
		var product func(a, b uint64) uint64
		switch {
		case part == "lo":
			product = func(a, b uint64) uint64 { return a * b }
		case part == "wide":
			product = func(a, b uint64) uint64 { return sx(a) * sx(b) }
			result = map[typ]typ{u16: u32, s16: s32, u32: u64, s32: s64}[t]
			if result == noType {
				d.fail("there is no .wide of %s", t)
			}
		default:
			product = high(t)
		}
		f = func(a, b, c, _ uint64) uint64 { return product(a, b) + c }
		if n == 3 {
			f = func(a, b, _, _ uint64) uint64 { return product(a, b) }
		}
	}
	name := o.base
	if part != "" {
		name += "." + part
	}
	quick := quickInt(name, t)
	if sat {
		quick = nil
	}
	d.typed(quick, f, result, []typ{t, t, result}[:n-1])
}

// high returns a function that computes the upper half of the product of two integers of type t.
func high(t typ) func(a, b uint64) uint64 {
	sx := t.extend
	switch t {
	case u64, b64:
		return func(a, b uint64) uint64 { h, _ := bits.Mul64(a, b); return h }
	case s64:
		return func(a, b uint64) uint64 {
			h, _ := bits.Mul64(a, b)
			if int64(a) < 0 {
				h -= b
			}
			if int64(b) < 0 {
				h -= a
			}
			return h
		}
	}
	n := 8 * t.size()
	return func(a, b uint64) uint64 { return uint64(int64(sx(a)*sx(b)) >> n) }
}

// compute adds an instruction with n operands to the program: a result of type `result`, and n-1
// sources of type t.
func (d *decoder) compute(quick func(*warp, *instr), f semantics, result, t typ, n int) {
	ts := []typ{t, t, t, t}
	d.typed(quick, f, result, ts[:n-1])
}

// typed adds an instruction to the program. If every operand is stored in the register class that
// its type requires, the instruction is executed by the function quick, for all lanes together.
// Otherwise it is executed by the function f, for each lane.
func (d *decoder) typed(quick func(*warp, *instr), f semantics, result typ, ts []typ) {
	args := d.operands(1 + len(ts))
	to := d.destination(args[0], result.class())
	var refs []ref
	fits := quick != nil && to.class == result.class() && (to.typ.size() == result.size() || to.row == 0)
	for i, t := range ts {
		r := d.source(args[i+1], t)
		fits = fits && r.class == t.class()
		refs = append(refs, r)
	}
	if to.class == bit {
		d.fail("a predicate cannot hold the result")
	}
	if !fits {
		d.general(to, result, f, refs...)
		return
	}
	in := instr{kind: compute, run: quick, d: to.row, dc: to.class}
	in.operands(refs)
	d.emit(in)
}

// carry decodes instructions that read or write the carry flag, such as addc and add.cc.
func (d *decoder) carry(o *opcode, t typ, n int, sets bool) {
	part := o.one("lo", "hi")
	o.done()
	if t.size() != 4 && t.size() != 8 || (o.base == "mad" || o.base == "madc") != (part != "") {
		d.fail("no such instruction with a carry flag")
	}
	uses := o.base == "addc" || o.base == "subc" || o.base == "madc"
	wide := t.size() == 8
	hi := high(t)
	step := func(a, b, c, in uint64) (r, out uint64) {
		switch o.base {
		case "add", "addc":
			c = b
		case "sub", "subc":
			if wide {
				return bits.Sub64(a, b, in)
			}
			x, y := bits.Sub32(uint32(a), uint32(b), uint32(in))
			return uint64(x), uint64(y)
		default:
			if part == "hi" {
				a = hi(a, b)
			} else {
				a *= b
			}
		}
		if wide {
			return bits.Add64(a, c, in)
		}
		x, y := bits.Add32(uint32(a), uint32(c), uint32(in))
		return uint64(x), uint64(y)
	}
	args := d.operands(n)
	to := d.destination(args[0], t.class())
	refs := make([]ref, 3)
	for i := range n - 1 {
		refs[i] = d.source(args[i+1], t)
	}
	in := d.general(to, t, nil, refs...)
	in.run = func(w *warp, in *instr) {
		for m := w.mask; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m)
			var carry uint64
			if uses {
				carry = uint64(w.carry >> i & 1)
			}
			var c uint64
			if n == 4 {
				c = w.get(in.cc, in.c, i)
			}
			r, out := step(w.get(in.ac, in.a, i), w.get(in.bc, in.b, i), c, carry)
			w.result(in, i, r)
			if sets {
				w.carry = w.carry&^(1<<i) | uint32(out)<<i
			}
		}
	}
}

// extremes decodes the instructions min and max.
func (d *decoder) extremes(o *opcode) {
	o.want(1)
	t := o.types[0]
	largest := o.base == "max"
	if t.float() || t.packed() {
		x := modifiers{t: t, ftz: o.take("ftz"), nan: o.take("NaN")}
		abs, xor := o.take("abs"), o.take("xorsign")
		o.done()
		f := x.extreme(largest)
		if xor {
			g, minus := f, t.minus()
			f = func(a, b, c, e uint64) uint64 { return g(a&^minus, b&^minus, c, e)&^minus | (a^b)&minus }
		} else if abs {
			d.fail("modifier .abs is not known here")
		}
		n := len(d.st.args)
		if n == 4 {
			g := f
			f = func(a, b, c, e uint64) uint64 { return g(g(a, b, 0, e), c, 0, e) }
		} else {
			n = 3
		}
		var quick func(*warp, *instr)
		if t == f32 && !x.nan && !x.ftz && !xor && n == 3 {
			quick = minF32
			if largest {
				quick = maxF32
			}
		}
		d.compute(quick, x.finish(f), t, t, n)
		return
	}
	relu := o.take("relu")
	o.done()
	var f semantics
	sx := t.extend
	switch {
	case t == noType || !t.integer():
		d.fail("no %s of %s", o.base, t)
	case t.signed() && largest:
		f = func(a, b, _, _ uint64) uint64 { return uint64(max(int64(sx(a)), int64(sx(b)))) }
	case t.signed():
		f = func(a, b, _, _ uint64) uint64 { return uint64(min(int64(sx(a)), int64(sx(b)))) }
	case largest:
		f = func(a, b, _, _ uint64) uint64 { return max(sx(a), sx(b)) }
	default:
		f = func(a, b, _, _ uint64) uint64 { return min(sx(a), sx(b)) }
	}
	if relu {
		g := f
		f = func(a, b, c, e uint64) uint64 { return uint64(max(0, int64(g(a, b, c, e)))) }
	}
	quick := quickExtreme(largest, t)
	if relu {
		quick = nil
	}
	d.compute(quick, f, t, t, 3)
}

// extreme returns the semantics of min or max for floats. If one operand is NaN, the result is the
// other operand, unless the modifier .NaN is set. -0 is less than +0.
func (x modifiers) extreme(largest bool) semantics {
	of, minus, nan := floatOf(x.t), x.t.minus(), canonical(x.t)
	all := x.nan
	return func(a, b, _, _ uint64) uint64 {
		p, q := of(a), of(b)
		switch {
		case p != p && q != q, all && (p != p || q != q):
			return nan
		case p != p:
			return b
		case q != q:
			return a
		case p == q:
			if (a&minus != 0) == largest {
				return b
			}
			return a
		case (p < q) == largest:
			return b
		}
		return a
	}
}

// canonical returns the bits of the NaN that arithmetic of type t produces.
func canonical(t typ) uint64 {
	switch t {
	case f64:
		return nan64
	case f32:
		return nan32
	}
	return nan16
}

// signs decodes neg, abs and copysign.
func (d *decoder) signs(o *opcode) {
	o.want(1)
	t := o.types[0]
	x := modifiers{t: t, ftz: o.take("ftz")}
	o.done()
	if o.base == "copysign" {
		minus := t.minus()
		d.compute(nil, func(a, b, _, _ uint64) uint64 { return b&^minus | a&minus }, t, t, 3)
		return
	}
	neg := o.base == "neg"
	if t.float() || t.packed() {
		minus := t.minus()
		f := func(a, _, _, _ uint64) uint64 { return a &^ minus }
		if neg {
			f = func(a, _, _, _ uint64) uint64 { return a ^ minus }
		}
		var quick func(*warp, *instr)
		if t == f32 && !x.ftz {
			quick = absF32
			if neg {
				quick = negF32
			}
		}
		d.compute(quick, x.finish(f), t, t, 2)
		return
	}
	if !t.signed() {
		d.fail("no %s of %s", o.base, t)
	}
	sx := t.extend
	d.compute(nil, func(a, _, _, _ uint64) uint64 {
		v := sx(a)
		if neg || int64(v) < 0 {
			v = -v
		}
		return v
	}, t, t, 2)
}

// division decodes div and rem.
func (d *decoder) division(o *opcode) {
	o.want(1)
	t := o.types[0]
	if t.float() && o.base == "div" {
		o.one("approx", "full")
		x := modifiers{t: t, m: o.mode(), ftz: o.take("ftz")}
		o.done()
		m := x.m
		switch {
		case t == f32 && m == nearest:
			quick := divF32
			if x.ftz {
				quick = nil
			}
			d.compute(quick, x.finish(func(a, b, _, _ uint64) uint64 { return ofF32(asF32(a) / asF32(b)) }), t, t, 3)
		case t == f32:
			d.compute(nil, x.finish(func(a, b, _, _ uint64) uint64 { return toF32(oddQuotient(float64(asF32(a)), float64(asF32(b))), m) }), t, t, 3)
		case t == f64:
			d.compute(nil, func(a, b, _, _ uint64) uint64 { return ofF64(div64(asF64(a), asF64(b), m)) }, t, t, 3)
		default:
			d.fail("no division of %s", t)
		}
		return
	}
	o.done()
	if !t.integer() {
		d.fail("no %s of %s", o.base, t)
	}
	sx, rem := t.extend, o.base == "rem"
	// PTX leaves the result of a division by zero undefined. In this simulation, all bits of the
	// quotient are then set, and the remainder is the dividend.
	d.compute(nil, func(a, b, _, _ uint64) uint64 {
		x, y := sx(a), sx(b)
		switch {
		case y == 0 && rem:
			return x
		case y == 0:
			return math.MaxUint64
		case t.signed() && rem:
			return uint64(int64(x) % int64(y))
		case t.signed():
			return uint64(int64(x) / int64(y))
		case rem:
			return x % y
		}
		return x / y
	}, t, t, 3)
}

// The method functions decodes the instructions for functions of one number, such as sqrt, rcp, ex2
// and sin.
func (d *decoder) functions(o *opcode) {
	o.want(1)
	t := o.types[0]
	approx := o.take("approx")
	x := modifiers{t: t, m: o.mode(), ftz: o.take("ftz")}
	o.done()
	m := x.m
	if t == f64 {
		var f semantics
		// cut returns the bits of v with the lower 32 bits cleared. For a subnormal number, it
		// returns a zero of the same sign.
		cut := func(v float64) uint64 {
			u := ofF64(v)
			if u&0x7ff0000000000000 == 0 {
				return u & (1 << 63)
			}
			if v != v {
				return nan64
			}
			return u &^ 0xffffffff
		}
		read := func(a uint64) float64 { return asF64(cut(asF64(a))) }
		switch {
		case o.base == "sqrt" && !approx:
			f = func(a, _, _, _ uint64) uint64 { return ofF64(sqrt64(asF64(a), m)) }
		case o.base == "rcp" && !approx:
			f = func(a, _, _, _ uint64) uint64 { return ofF64(div64(1, asF64(a), m)) }
		case o.base == "rcp":
			f = func(a, _, _, _ uint64) uint64 { return cut(1 / read(a)) }
		// The result has full precision, because GPUs compute it in software.
		case o.base == "rsqrt" && !x.ftz:
			f = func(a, _, _, _ uint64) uint64 { return ofF64(1 / math.Sqrt(asF64(a))) }
		case o.base == "rsqrt":
			f = func(a, _, _, _ uint64) uint64 { return cut(1 / math.Sqrt(read(a))) }
		default:
			d.fail("no %s of %s", o.base, t)
		}
		d.compute(nil, f, t, t, 2)
		return
	}
	var g func(float64) float64
	switch o.base {
	case "sqrt":
		g = oddRoot
	case "rcp":
		g = func(a float64) float64 { return oddQuotient(1, a) }
	case "rsqrt":
		g = func(a float64) float64 { return 1 / math.Sqrt(a) }
	case "ex2":
		g = math.Exp2
	case "lg2":
		g = math.Log2
	case "sin":
		g = math.Sin
	case "cos":
		g = math.Cos
	case "tanh":
		g = math.Tanh
	}
	of, to := floatOf(t), floatTo(t)
	if !t.float() && !t.packed() {
		d.fail("no %s of %s", o.base, t)
	}
	d.compute(nil, x.finish(func(a, _, _, _ uint64) uint64 { return to(g(of(a)), m) }), t, t, 2)
}

// test decodes testp.
func (d *decoder) test(o *opcode) {
	o.want(1)
	t := o.types[0]
	what := o.one("finite", "infinite", "number", "notanumber", "normal", "subnormal")
	o.done()
	if t != f32 && t != f64 || what == "" {
		d.fail("no such test")
	}
	of := floatOf(t)
	least := 0x1p-126
	if t == f64 {
		least = 0x1p-1022
	}
	args := d.operands(2)
	d.general(d.destination(args[0], bit), pred, func(a, _, _, _ uint64) uint64 {
		v := of(a)
		inf, nan := math.IsInf(v, 0), v != v
		small := math.Abs(v) < least
		var r bool
		switch what {
		case "finite":
			r = !inf && !nan
		case "infinite":
			r = inf
		case "number":
			r = !nan
		case "notanumber":
			r = nan
		case "normal":
			r = !inf && !nan && !small
		case "subnormal":
			r = small && v != 0
		}
		return flag(r)
	}, d.source(args[1], t))
}

func flag(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
