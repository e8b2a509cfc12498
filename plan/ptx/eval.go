package ptx

import (
	"fmt"
	"math"

	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// eval emits the code of operation i for item k of the group l, and returns its value.
func (g *gen) eval(l *lanes, i, k int) reg {
	o := &g.p.Ops[i]
	d := o.DType
	arg := func(j int) reg { return l.val(o.Args[j], k) }
	argType := func(j int) tensor.DType { return g.p.Ops[o.Args[j]].DType }
	switch o.Code {
	case scalar.Const:
		return g.constant(d, o.Bits)
	case scalar.Item:
		if k == 0 {
			return reg{a: l.item}
		}
		return reg{a: g.set(b64, "add.s64", l.item, fmt.Sprint(k))}
	case scalar.Coord:
		c := l.coord[o.Number]
		if k > 0 {
			c = g.set(b64, "add.s64", c, fmt.Sprint(k))
		}
		return reg{a: c}
	case scalar.Arg:
		return reg{a: g.ints[o.Number]}
	case scalar.Load:
		return l.load(o, k)
	case scalar.Cast:
		return g.cast(d, argType(0), arg(0))
	case scalar.Bits:
		return reg{a: g.bits(d, argType(0), arg(0).a)}
	case scalar.Select:
		return g.choose(d, arg(0).a, arg(1), arg(2))
	case scalar.Real:
		return reg{a: arg(0).a}
	case scalar.Imag:
		return reg{a: arg(0).b}
	case scalar.Complex:
		return reg{arg(0).a, arg(1).a}
	case scalar.Call:
		args := make([]string, len(o.Args))
		for j := range args {
			args[j] = arg(j).a
		}
		return reg{a: g.round(d, g.call(o.Func, d, args))}
	case scalar.PopCount:
		return reg{a: g.popCount(argType(0), arg(0).a)}
	}
	if o.Code.Compares() {
		return reg{a: g.compare(o.Code, argType(0), arg(0), arg(1))}
	}
	if scalar.PartType(d) != tensor.Invalid {
		return g.complexOp(o, arg)
	}
	x := arg(0).a
	if len(o.Args) == 1 {
		return reg{a: g.unary(o.Code, d, x)}
	}
	return reg{a: g.binary(o.Code, d, x, arg(1).a)}
}

// constant returns a value with the given bits.
func (g *gen) constant(d tensor.DType, bits [2]uint64) reg {
	one := func(v uint64) string {
		switch d {
		case tensor.Half:
			return g.set(f32, "mov.f32", f32Lit(tensor.F16(v).Float32()))
		case tensor.BFloat16:
			return g.set(f32, "mov.f32", f32Lit(tensor.BF16(v).Float32()))
		case tensor.Float32, tensor.Complex64:
			return g.set(f32, "mov.f32", f32Lit(math.Float32frombits(uint32(v))))
		case tensor.Float64, tensor.Complex128:
			return g.set(f64, "mov.f64", fmt.Sprintf("0d%016X", v))
		case tensor.Bool:
			return g.set(pred, "setp.ne.u32", g.set(b32, "mov.u32", fmt.Sprint(v&1)), "0")
		case tensor.Int8:
			return g.set(b32, "mov.u32", fmt.Sprint(int8(v)))
		case tensor.Int16:
			return g.set(b32, "mov.u32", fmt.Sprint(int16(v)))
		case tensor.Int64, tensor.Uint64:
			return g.set(b64, "mov.u64", fmt.Sprint(int64(v)))
		}
		return g.set(b32, "mov.u32", fmt.Sprint(int32(v)))
	}
	r := reg{a: one(bits[0])}
	if scalar.PartType(d) != tensor.Invalid {
		r.b = one(bits[1])
	}
	return r
}

func f32Lit(v float32) string { return fmt.Sprintf("0f%08X", math.Float32bits(v)) }

func f64Lit(v float64) string { return fmt.Sprintf("0d%016X", math.Float64bits(v)) }

// lit returns the literal v of class c, f32 or f64.
func lit(c class, v float64) string {
	if c == f32 {
		return f32Lit(float32(v))
	}
	return f64Lit(v)
}

// suffix returns the PTX type in which arithmetic on values of type d is done. Integers that are
// narrower than 32 bits are computed in 32 bits.
func suffix(d tensor.DType) string {
	switch d {
	case tensor.Half, tensor.BFloat16, tensor.Float32, tensor.Complex64:
		return "f32"
	case tensor.Float64, tensor.Complex128:
		return "f64"
	case tensor.Int64:
		return "s64"
	case tensor.Uint64:
		return "u64"
	case tensor.Bool:
		return "pred"
	}
	if scalar.IsSigned(d) {
		return "s32"
	}
	return "u32"
}

// bitType returns the PTX type for bitwise operations on values of type d, which is an integer type
// or Bool. Integers that are narrower than 32 bits are computed in 32 bits.
func bitType(d tensor.DType) string {
	switch {
	case d == tensor.Bool:
		return "pred"
	case d.Size() == 8:
		return "b64"
	}
	return "b32"
}

// narrow reduces the result of 32-bit arithmetic to the range of a narrower integer.
func (g *gen) narrow(d tensor.DType, r string) string {
	switch d {
	case tensor.Int8:
		return g.set(b32, "cvt.s32.s8", r)
	case tensor.Int16:
		return g.set(b32, "cvt.s32.s16", r)
	case tensor.Uint8:
		return g.set(b32, "and.b32", r, "255")
	case tensor.Uint16:
		return g.set(b32, "and.b32", r, "65535")
	}
	return r
}

// round rounds the result of 32-bit arithmetic to a 16-bit float type.
func (g *gen) round(d tensor.DType, r string) string {
	switch d {
	case tensor.Half:
		return g.set(f32, "cvt.f32.f16", g.set(b16, "cvt.rn.f16.f32", r))
	case tensor.BFloat16:
		return g.fromBF16(g.set(b16, "cvt.rn.bf16.f32", r))
	}
	return r
}

// choose emits a selection: the value is x if the predicate c is true, and otherwise y.
func (g *gen) choose(d tensor.DType, c string, x, y reg) reg {
	if d == tensor.Bool {
		t := g.set(pred, "and.pred", c, x.a)
		n := g.set(pred, "and.pred", g.set(pred, "not.pred", c), y.a)
		return reg{a: g.set(pred, "or.pred", t, n)}
	}
	pick := func(a, b string) string {
		t := suffix(d)
		if t[0] != 'f' {
			t = "b" + t[1:]
		}
		return g.set(regOf(d), "selp."+t, a, b, c)
	}
	r := reg{a: pick(x.a, y.a)}
	if x.b != "" {
		r.b = pick(x.b, y.b)
	}
	return r
}

// unary emits an operation with one real operand. The operand has the type d of the result.
func (g *gen) unary(c scalar.Code, d tensor.DType, x string) string {
	s, cl := suffix(d), regOf(d)
	float := scalar.IsFloat(d)
	switch c {
	case scalar.Neg:
		if float {
			return g.set(cl, "neg."+s, x)
		}
		return g.narrow(d, g.set(cl, "neg.s"+s[1:], x))
	case scalar.Abs:
		if float {
			return g.set(cl, "abs."+s, x)
		}
		if scalar.IsUnsigned(d) {
			return x
		}
		return g.narrow(d, g.set(cl, "abs."+s, x))
	case scalar.Not:
		return g.narrow(d, g.set(cl, "not."+bitType(d), x))
	case scalar.Sqrt:
		return g.round(d, g.set(cl, "sqrt.rn."+s, x))
	case scalar.Floor:
		return g.set(cl, "cvt.rmi."+s+"."+s, x)
	case scalar.Ceil:
		return g.set(cl, "cvt.rpi."+s+"."+s, x)
	case scalar.Trunc:
		return g.set(cl, "cvt.rzi."+s+"."+s, x)
	case scalar.Rint:
		return g.set(cl, "cvt.rni."+s+"."+s, x)
	}
	g.fail("no %s of %s", c, d)
	return x
}

// binary emits an operation with two real operands. Both operands have the type d of the result.
func (g *gen) binary(c scalar.Code, d tensor.DType, x, y string) string {
	s, cl := suffix(d), regOf(d)
	float := scalar.IsFloat(d)
	if float {
		switch c {
		case scalar.Add, scalar.Sub, scalar.Mul, scalar.Div:
			return g.round(d, g.set(cl, c.String()+".rn."+s, x, y))
		case scalar.Max, scalar.Min:
			if cl == f32 {
				return g.set(cl, c.String()+".NaN.f32", x, y)
			}
			m := g.set(cl, c.String()+".f64", x, y)
			nan := g.set(pred, "setp.nan.f64", x, y)
			return g.set(cl, "selp.f64", g.set(cl, "add.rn.f64", x, y), m, nan)
		}
	}
	switch c {
	case scalar.Add, scalar.Sub:
		return g.narrow(d, g.set(cl, c.String()+"."+s, x, y))
	case scalar.Mul:
		return g.narrow(d, g.set(cl, "mul.lo."+s, x, y))
	case scalar.Max, scalar.Min:
		return g.set(cl, c.String()+"."+s, x, y)
	case scalar.And, scalar.Or, scalar.Xor:
		return g.set(cl, c.String()+"."+bitType(d), x, y)
	case scalar.Shl, scalar.Shr:
		if d.Size() == 8 {
			y = g.set(b32, "cvt.u32.u64", y)
		}
		if c == scalar.Shl {
			return g.narrow(d, g.set(cl, "shl."+bitType(d), x, y))
		}
		return g.set(cl, "shr."+s, x, y)
	case scalar.Div, scalar.Rem:
		return g.divide(c, d, x, y)
	case scalar.Pow:
		return g.power(d, x, y)
	}
	g.fail("no %s of %s", c, d)
	return x
}

// divide emits an integer quotient or remainder, whose result for divisor 0 is also defined.
func (g *gen) divide(c scalar.Code, d tensor.DType, x, y string) string {
	s, cl := suffix(d), regOf(d)
	bits := "b" + s[1:]
	zero := g.set(pred, "setp.eq."+s, y, "0")
	by := g.set(cl, "selp."+bits, "1", y, zero)
	if scalar.IsSigned(d) {
		// The least integer divided by -1 is out of range. The result is therefore -x, which wraps
		// around.
		minus := g.set(pred, "setp.eq."+s, y, "-1")
		by = g.set(cl, "selp."+bits, "1", by, minus)
		q := g.set(cl, c.String()+"."+s, x, by)
		if c == scalar.Rem {
			return g.set(cl, "selp."+bits, x, q, zero)
		}
		q = g.narrow(d, g.set(cl, "selp."+bits, g.set(cl, "neg."+s, x), q, minus))
		return g.set(cl, "selp."+bits, "-1", q, zero)
	}
	q := g.set(cl, c.String()+"."+s, x, by)
	if c == scalar.Rem {
		return g.set(cl, "selp."+bits, x, q, zero)
	}
	return g.narrow(d, g.set(cl, "selp."+bits, "-1", q, zero))
}

// power emits exponentiation of integers by squaring: x to the power of y.
func (g *gen) power(d tensor.DType, x, y string) string {
	s, cl := suffix(d), regOf(d)
	bits := "b" + s[1:]
	again, end := g.label("pow"), g.label("powered")
	r, b, e := g.set(cl, "mov."+bits, "1"), g.set(cl, "mov."+bits, x), g.set(cl, "mov."+bits, y)
	odd, more := g.newReg(pred), g.newReg(pred)
	g.ins("setp.le.%s %s, %s, 0", s, more, e)
	g.ins("@%s bra %s", more, end)
	g.place(again)
	bit := g.set(cl, "and."+bits, e, "1")
	g.ins("setp.ne.%s %s, %s, 0", s, odd, bit)
	g.ins("@%s mul.lo.%s %s, %s, %s", odd, s, r, r, b)
	g.ins("mul.lo.%s %s, %s, %s", s, b, b, b)
	g.ins("shr.%s %s, %s, 1", s, e, e)
	g.ins("setp.ne.%s %s, %s, 0", s, more, e)
	g.ins("@%s bra %s", more, again)
	g.place(end)
	return g.narrow(d, r)
}

func (g *gen) popCount(d tensor.DType, x string) string {
	if d.Size() == 8 {
		return g.set(b32, "popc.b64", x)
	}
	if d.Size() < 4 {
		x = g.set(b32, "and.b32", x, fmt.Sprint(1<<(8*d.Size())-1))
	}
	return g.set(b32, "popc.b32", x)
}

// compare emits a comparison of two operands of type d, and returns the predicate.
func (g *gen) compare(c scalar.Code, d tensor.DType, x, y reg) string {
	if d == tensor.Bool {
		r := g.set(pred, "xor.pred", x.a, y.a)
		if c == scalar.Eq {
			r = g.set(pred, "not.pred", r)
		}
		return r
	}
	op := c.String()
	float := scalar.IsFloat(d) || x.b != ""
	if float && c == scalar.Ne {
		op = "neu" // NaN is unequal to everything
	}
	r := g.set(pred, "setp."+op+"."+suffix(d), x.a, y.a)
	if x.b == "" {
		return r
	}
	join := "and.pred"
	if c == scalar.Ne {
		join = "or.pred"
	}
	return g.set(pred, join, r, g.set(pred, "setp."+op+"."+suffix(d), x.b, y.b))
}
