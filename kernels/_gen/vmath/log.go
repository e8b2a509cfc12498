package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// doubles converts the lower and the upper floats of x to doubles.
func (m vec) doubles(x V) [2]V {
	lo, hi, h := m.reg(), m.reg(), m.half()
	if m.wide {
		VEXTRACTF64X4(Imm(1), x, h)
		VCVTPS2PD(x.AsY(), lo)
	} else {
		VEXTRACTF128(Imm(1), x, h)
		VCVTPS2PD(x.AsX(), lo)
	}
	VCVTPS2PD(h, hi)
	return [2]V{lo, hi}
}

// floats rounds the doubles d to floats and joins them in one register.
func (m vec) floats(d [2]V) V {
	lo, hi, v := m.half(), m.half(), m.reg()
	if m.wide {
		VCVTPD2PS(d[0], lo)
		VCVTPD2PS(d[1], hi)
		VINSERTF64X4(Imm(1), hi, lo.AsZ(), v)
	} else {
		VCVTPD2PSY(d[0], lo)
		VCVTPD2PSY(d[1], hi)
		VINSERTF128(Imm(1), hi, lo.AsY(), v)
	}
	return v
}

// inDoubles applies f to the floats x, computing in doubles.
func (m vec) inDoubles(x V, f func(V) V) V {
	d := m.doubles(x)
	return m.floats([2]V{f(d[0]), f(d[1])})
}

// log64 returns the logarithm of positive, normal doubles with an error of at most 2^-33. It splits
// x into 2^e·a with √½ ≤ a < √2, and computes log(a) = 2·atanh((a-1)/(a+1)) by the series of atanh.
func (m vec) log64(x V) V {
	const sqrtHalf = 0x3fe6a09e667f3bcd
	b, e, a := m.reg(), m.reg(), m.reg()
	VPSUBQ(bits64(sqrtHalf), x, b)
	// e is the exponent plus 1024, as an integer. With the bits of 2^52 it becomes a double.
	VPADDQ(bits64(1024<<52), b, e)
	VPSRLQ(Imm(52), e, e)
	if m.wide {
		VPORQ(bits64(0x433<<52), e, e)
		VPANDQ(bits64(1<<52-1), b, a)
	} else {
		VPOR(bits64(0x433<<52), e, e)
		VPAND(bits64(1<<52-1), b, a)
	}
	VSUBPD(f64(1<<52+1024), e, e)
	VPADDQ(bits64(sqrtHalf), a, a)
	d, s, z := m.reg(), m.reg(), m.reg()
	VADDPD(f64(1), a, d)
	VSUBPD(f64(1), a, s)
	VDIVPD(d, s, s)
	VMULPD(s, s, z)
	p := m.load(f64(2. / 13))
	for k := 11; k >= 1; k -= 2 {
		VFMADD213PD(f64(2/float64(k)), z, p)
	}
	VMULPD(s, p, p)
	VFMADD231PD(f64(math.Ln2), e, p)
	return p
}

// log1p64 returns log(1 + x). It corrects the error of rounding 1 + x.
func (m vec) log1p64(x V) V {
	u, c := m.reg(), m.reg()
	VADDPD(f64(1), x, u)
	VSUBPD(f64(1), u, c)
	VSUBPD(c, x, c)
	y := m.log64(u)
	VADDPD(c, y, y)
	return y
}

// special returns y, which is log(x) or log(1 + x), with corrections for special values of x. The
// parameter zero is the x at which the logarithm is -Inf: 0 for log(x), -1 for log(1 + x). For this x,
// special returns -Inf. For a smaller x and for NaN it returns NaN, and for +Inf it returns +Inf.
func (m vec) special(x, y V, zero float64) V {
	y = m.choose(notGE, x, f32(zero), m.load(bits(0x7fc00000)), y)
	y = m.choose(equal, x, f32(zero), m.load(f32(math.Inf(-1))), y)
	return m.choose(equal, x, f32(math.Inf(1)), x, y)
}

func logarithms() {
	unary("log", "log(x)", 1, func(m vec, x V) V {
		return m.special(x, m.inDoubles(x, m.log64), 0)
	})
	unary("log1p", "log(1 + x)", 1, func(m vec, x V) V {
		y := m.special(x, m.inDoubles(x, m.log1p64), -1)
		return m.choose(equal, x, m.zero(), x, y)
	})
	unary("softplus", "log(1 + e^x)", 1, func(m vec, x V) V {
		e := m.exp(m.clamp(x, least, 20), 1)
		head, rest := e.sum()
		eh := e.scale(head)
		hi, lo := m.doubles(eh), m.doubles(e.scale(rest()))
		var y [2]V
		for i := range y {
			VADDPD(lo[i], hi[i], hi[i])
			y[i] = m.log1p64(hi[i])
		}
		// For NaN the comparison is false, so NaN is the result.
		l := m.choose(less, x, f32(20), m.floats(y), x)
		return m.flushed(x, m.choose(less, x, f32(-20), eh, l))
	})
}
