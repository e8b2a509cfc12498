package ptx

import (
	"math"

	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// cast emits the conversion of a value of type s to type d, with the rules of package kernels/cast.
func (g *gen) cast(d, s tensor.DType, x reg) reg {
	if p := scalar.PartType(d); p != tensor.Invalid {
		if q := scalar.PartType(s); q != tensor.Invalid {
			return reg{g.cast(p, q, reg{a: x.a}).a, g.cast(p, q, reg{a: x.b}).a}
		}
		c := regOf(d)
		return reg{g.cast(p, s, x).a, g.set(c, "mov."+suffix(d), zeroOf(c))}
	}
	if q := scalar.PartType(s); q != tensor.Invalid {
		return g.cast(d, q, reg{a: x.a})
	}
	r := x.a
	switch {
	case d == s:
		return reg{a: r}
	case d == tensor.Bool && scalar.IsFloat(s):
		return reg{a: g.set(pred, "setp.neu."+suffix(s), r, zeroOf(regOf(s)))}
	case d == tensor.Bool:
		return reg{a: g.set(pred, "setp.ne."+suffix(s), r, "0")}
	case s == tensor.Bool:
		return reg{a: g.fromBool(d, r)}
	case scalar.IsFloat(s) && scalar.IsFloat(d):
		return reg{a: g.floatToFloat(d, s, r)}
	case scalar.IsFloat(s):
		return reg{a: g.floatToInt(d, s, r)}
	case scalar.IsFloat(d):
		c := regOf(d)
		return reg{a: g.round(d, g.set(c, "cvt.rn."+suffix(d)+"."+suffix(s), r))}
	}
	return reg{a: g.intToInt(d, s, r)}
}

func (g *gen) fromBool(d tensor.DType, p string) string {
	switch c := regOf(d); c {
	case f32, f64:
		return g.set(c, "selp."+regTypes[c], lit(c, 1), lit(c, 0), p)
	default:
		return g.set(c, "selp."+regTypes[c], "1", "0", p)
	}
}

func (g *gen) floatToFloat(d, s tensor.DType, r string) string {
	if s == tensor.Float64 {
		r = g.set(f32, "cvt.rn.f32.f64", r)
	}
	if d == tensor.Float64 {
		return g.set(f64, "cvt.f64.f32", r)
	}
	return g.round(d, r)
}

// floatToInt emits the conversion of a float to an integer, rounded toward zero. A value out of
// range is converted in this way:
//
//   - For Int64 and Uint32, a value that does not fit into an int64 becomes the least int64.
//   - For other types of at most 32 bits, a value that does not fit into an int32 becomes the least
//     int32.
//   - For Uint64, negative numbers wrap around, and a value that does not fit becomes 2⁶³.
//
// The result is then reduced to the width of d.
func (g *gen) floatToInt(d, s tensor.DType, r string) string {
	f, c := suffix(s), regOf(s)
	if d == tensor.Uint64 {
		signed := g.set(b64, "cvt.rzi.s64."+f, r)
		unsigned := g.set(b64, "cvt.rzi.u64."+f, r)
		high := g.set(pred, "setp.ge."+f, r, lit(c, 0x1p63))
		v := g.set(b64, "selp.b64", unsigned, signed, high)
		low := g.set(pred, "setp.ge."+f, r, lit(c, -0x1p63))
		in := g.set(pred, "setp.lt."+f, r, lit(c, 0x1p64))
		ok := g.set(pred, "and.pred", low, in)
		return g.set(b64, "selp.b64", v, "-9223372036854775808", ok)
	}
	if d == tensor.Int64 || d == tensor.Uint32 {
		v := g.set(b64, "cvt.rzi.s64."+f, r)
		low := g.set(pred, "setp.ge."+f, r, lit(c, -0x1p63))
		in := g.set(pred, "setp.lt."+f, r, lit(c, 0x1p63))
		ok := g.set(pred, "and.pred", low, in)
		v = g.set(b64, "selp.b64", v, "-9223372036854775808", ok)
		if d == tensor.Uint32 {
			return g.set(b32, "cvt.u32.u64", v)
		}
		return v
	}
	v := g.set(b32, "cvt.rzi.s32."+f, r)
	var low string
	if c == f64 {
		low = g.set(pred, "setp.gt.f64", r, lit(c, -0x1p31-1))
	} else {
		low = g.set(pred, "setp.ge.f32", r, lit(c, -0x1p31))
	}
	in := g.set(pred, "setp.lt."+f, r, lit(c, 0x1p31))
	ok := g.set(pred, "and.pred", low, in)
	return g.narrow(d, g.set(b32, "selp.b32", v, "-2147483648", ok))
}

func (g *gen) intToInt(d, s tensor.DType, r string) string {
	switch {
	case d.Size() == 8 && s.Size() == 8:
		return r
	case d.Size() == 8 && scalar.IsSigned(s):
		return g.set(b64, "cvt.s64.s32", r)
	case d.Size() == 8:
		return g.set(b64, "cvt.u64.u32", r)
	case s.Size() == 8:
		r = g.set(b32, "cvt.u32.u64", r)
	}
	return g.narrow(d, r)
}

// The method bits emits the reinterpretation of the bits of a value of type s as a value of type d.
func (g *gen) bits(d, s tensor.DType, r string) string {
	switch {
	case s == tensor.Half || s == tensor.BFloat16 || s == tensor.Bool:
		r = g.pack(s, r)
		if s != tensor.Bool {
			r = g.set(b32, "cvt.u32.u16", r)
		}
	case s == tensor.Float32:
		r = g.set(b32, "mov.b32", r)
	case s == tensor.Float64:
		r = g.set(b64, "mov.b64", r)
	case scalar.PartType(s) != tensor.Invalid || scalar.PartType(d) != tensor.Invalid:
		g.fail("bits of %s as %s", s, d)
	}
	switch d {
	case tensor.Half, tensor.BFloat16:
		return g.unpack(d, g.set(b16, "cvt.u16.u32", r))
	case tensor.Bool:
		return g.unpack(d, r)
	case tensor.Float32:
		return g.set(f32, "mov.b32", r)
	case tensor.Float64:
		return g.set(f64, "mov.b64", r)
	}
	return g.narrow(d, r)
}

// complexOp emits an operation on complex numbers. Products and quotients of Complex64 are computed
// in float64 and rounded once.
func (g *gen) complexOp(o *scalar.Op, arg func(int) reg) reg {
	d := o.DType
	c, s := regOf(d), suffix(d)
	x := arg(0)
	if o.Code == scalar.Neg {
		return reg{g.set(c, "neg."+s, x.a), g.set(c, "neg."+s, x.b)}
	}
	if len(o.Args) != 2 {
		g.fail("no %s of %s", o.Code, d)
		return x
	}
	y := arg(1)
	switch o.Code {
	case scalar.Add, scalar.Sub:
		op := o.Code.String() + ".rn." + s
		return reg{g.set(c, op, x.a, y.a), g.set(c, op, x.b, y.b)}
	case scalar.Mul, scalar.Div:
		wide := func(v reg) reg {
			if d == tensor.Complex64 {
				return g.cast(tensor.Complex128, d, v)
			}
			return v
		}
		f := g.product
		if o.Code == scalar.Div {
			f = g.quotient
		}
		r := f(wide(x), wide(y))
		if d == tensor.Complex64 {
			r = g.cast(d, tensor.Complex128, r)
		}
		return r
	}
	g.fail("no %s of %s", o.Code, d)
	return x
}

func (g *gen) mul64(x, y string) string { return g.set(f64, "mul.rn.f64", x, y) }
func (g *gen) add64(x, y string) string { return g.set(f64, "add.rn.f64", x, y) }
func (g *gen) sub64(x, y string) string { return g.set(f64, "sub.rn.f64", x, y) }

func (g *gen) product(x, y reg) reg {
	return reg{g.sub64(g.mul64(x.a, y.a), g.mul64(x.b, y.b)), g.add64(g.mul64(x.a, y.b), g.mul64(x.b, y.a))}
}

// quotient emits complex division by Smith's method. If both parts of the quotient are NaN, it uses
// the results that annex G of C99 specifies for division by 0, for infinite by finite, and for
// finite by infinite.
func (g *gen) quotient(x, y reg) reg {
	abs := func(v string) string { return g.set(f64, "abs.f64", v) }
	sel := func(a, b, p string) string { return g.set(f64, "selp.f64", a, b, p) }
	and := func(p, q string) string { return g.set(pred, "and.pred", p, q) }
	or := func(p, q string) string { return g.set(pred, "or.pred", p, q) }
	inf, zero, one := f64Lit(inf64), f64Lit(0), f64Lit(1)
	// Both parts of the divisor y are divided by its larger part. If the imaginary part is larger,
	// the parts of both operands are swapped first.
	big := g.set(pred, "setp.ge.f64", abs(y.a), abs(y.b))
	p, q := sel(y.a, y.b, big), sel(y.b, y.a, big)
	u, v := sel(x.a, x.b, big), sel(x.b, x.a, big)
	ratio := g.set(f64, "div.rn.f64", q, p)
	den := g.add64(p, g.mul64(ratio, q))
	re := g.set(f64, "div.rn.f64", g.add64(u, g.mul64(v, ratio)), den)
	d1 := g.sub64(v, g.mul64(u, ratio))
	im := g.set(f64, "div.rn.f64", d1, den)
	im = sel(im, g.set(f64, "neg.f64", im), big)
	bad := and(g.set(pred, "setp.nan.f64", re, re), g.set(pred, "setp.nan.f64", im, im))
	skip := g.label("quotient")
	r := reg{g.set(f64, "mov.f64", re), g.set(f64, "mov.f64", im)}
	g.ins("@!%s bra %s", bad, skip)
	num := func(v reg) string { // whether at least one part of v is not a NaN
		return or(g.set(pred, "setp.num.f64", v.a, v.a), g.set(pred, "setp.num.f64", v.b, v.b))
	}
	isInf := func(v string) string { return g.set(pred, "setp.eq.f64", abs(v), inf) }
	finite := func(v reg) string {
		return and(g.set(pred, "setp.lt.f64", abs(v.a), inf), g.set(pred, "setp.lt.f64", abs(v.b), inf))
	}
	unit := func(v string) string { // ±1 for an infinity, ±0 otherwise
		return g.set(f64, "copysign.f64", v, sel(one, zero, isInf(v)))
	}
	put := func(p string, a, b string) {
		g.ins("selp.f64 %s, %s, %s, %s", r.a, a, r.a, p)
		g.ins("selp.f64 %s, %s, %s, %s", r.b, b, r.b, p)
	}
	xInf, yInf := or(isInf(x.a), isInf(x.b)), or(isInf(y.a), isInf(y.b))
	// infinite by finite
	ua, ub := unit(x.a), unit(x.b)
	put(and(xInf, finite(y)), g.mul64(inf, g.add64(g.mul64(ua, y.a), g.mul64(ub, y.b))), g.mul64(inf, g.sub64(g.mul64(ub, y.a), g.mul64(ua, y.b))))
	// finite by infinite
	va, vb := unit(y.a), unit(y.b)
	put(and(yInf, finite(x)), g.mul64(zero, g.add64(g.mul64(x.a, va), g.mul64(x.b, vb))), g.mul64(zero, g.sub64(g.mul64(x.b, va), g.mul64(x.a, vb))))
	// by 0
	isZero := and(g.set(pred, "setp.eq.f64", y.a, zero), g.set(pred, "setp.eq.f64", y.b, zero))
	s := g.set(f64, "copysign.f64", y.a, inf)
	put(and(isZero, num(x)), g.mul64(s, x.a), g.mul64(s, x.b))
	g.place(skip)
	return r
}

var inf64 = math.Inf(1)
