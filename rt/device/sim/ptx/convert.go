package ptx

import (
	"math"
	"math/bits"
)

// convert decodes cvt.
func (d *decoder) convert(o *opcode) {
	ftz, sat, relu := o.take("ftz"), o.take("sat"), o.take("relu")
	whole := o.one("rni", "rzi", "rmi", "rpi")
	m := o.mode()
	if o.take("satfinite") {
		d.fail("modifier .satfinite is not known here")
	}
	o.done()
	if len(o.types) != 2 {
		d.fail("two types are expected")
	}
	to, from := o.types[0], o.types[1]
	if to.packed() {
		if from != f32 {
			d.fail("no conversion of %s to %s", from, to)
		}
		write := floatTo(to)
		one := func(x uint64) uint64 {
			v := float64(asF32(x))
			if relu && !(v > 0) && v == v {
				v = 0
			}
			return write(v, m)
		}
		d.typed(nil, func(a, b, _, _ uint64) uint64 { return one(a)<<16 | one(b) }, to, []typ{f32, f32})
		return
	}
	wholeMode := map[string]rounding{"rni": nearest, "rzi": zero, "rmi": down, "rpi": up}[whole]
	if to == tf32 {
		f := func(a, _, _, _ uint64) uint64 { return toF32(formatTF32.round(float64(asF32(a)), m), nearest) }
		d.typed(nil, f, b32, []typ{f32})
		return
	}
	var f semantics
	switch {
	case to.float() && from.float():
		read, write := floatOf(from), floatTo(to)
		narrow := to.size() < from.size() || to != from && to.size() == from.size()
		f = func(a, _, _, _ uint64) uint64 {
			if ftz && from == f32 {
				a = flush(a)
			}
			if to == from && whole == "" && !sat && !relu {
				return a
			}
			v := read(a)
			if whole != "" {
				v = integral(v, wholeMode)
			}
			if sat {
				v = saturate(v)
			}
			if relu && v < 0 {
				v = 0
			}
			mode := nearest
			if narrow {
				mode = m
			}
			r := write(v, mode)
			if ftz && to == f32 {
				r = flush(r)
			}
			return r
		}
	case to.float() && from.integer():
		write := floatTo(to)
		form := map[typ]format{f32: formatF32, f16: formatF16, bf16: formatBF16, f64: {53, -1022, 1023}}[to]
		f = func(a, _, _, _ uint64) uint64 {
			v := from.extend(a)
			neg := from.signed() && int64(v) < 0
			if neg {
				v = -v
			}
			x := form.integer(v, neg, m)
			if sat {
				x = saturate(x)
			}
			return write(x, m)
		}
	case to.integer() && from.float():
		read := floatOf(from)
		unknown := uint64(0)
		if from == f64 || to.size() == 8 {
			unknown = 1 << (8*to.size() - 1)
		}
		f = func(a, _, _, _ uint64) uint64 {
			if ftz && from == f32 {
				a = flush(a)
			}
			v := read(a)
			if v != v {
				return unknown
			}
			return toInteger(integral(v, wholeMode), to)
		}
	case to.integer() && from.integer():
		f = func(a, _, _, _ uint64) uint64 {
			v := from.extend(a)
			if sat {
				return clampInteger(v, from.signed(), to)
			}
			return v
		}
	default:
		d.fail("no conversion of %s to %s", from, to)
	}
	var quick func(*warp, *instr)
	if !ftz && !sat && !relu {
		quick = quickConvert(to, from, whole, m)
	}
	d.typed(quick, f, to, []typ{from})
}

// integer converts the integer with the magnitude v, and the sign given by neg, to a float64 that
// is rounded to the precision of format f.
func (f format) integer(v uint64, neg bool, m rounding) float64 {
	drop := max(bits.Len64(v)-min(f.bits, 53), 0)
	rest := v & (1<<drop - 1)
	v >>= drop
	half := uint64(1) << drop >> 1
	var more bool
	switch m {
	case nearest:
		more = rest > half || rest == half && drop > 0 && v&1 != 0
	case down:
		more = neg && rest != 0
	case up:
		more = !neg && rest != 0
	case away:
		more = drop > 0 && rest >= half
	}
	if more {
		v++
	}
	x := math.Ldexp(float64(v), drop)
	if neg {
		x = -x
	}
	return x
}

// toInteger converts x, which is a whole number, to the integer type t. It clamps x to the range of
// t.
func toInteger(x float64, t typ) uint64 {
	size := 8 * t.size()
	if t.signed() {
		limit := math.Ldexp(1, size-1)
		switch {
		case x >= limit:
			return 1<<(size-1) - 1
		case x < -limit:
			return 1 << (size - 1)
		}
		return uint64(int64(x))
	}
	switch {
	case x <= 0:
		return 0
	case x >= math.Ldexp(1, size):
		return t.mask()
	case x >= 0x1p63:
		return uint64(int64(x-0x1p63)) | 1<<63
	}
	return uint64(int64(x))
}

// clampInteger returns v, a signed or unsigned 64-bit number, clamped to the range of t.
func clampInteger(v uint64, signed bool, t typ) uint64 {
	size := 8 * t.size()
	if t.signed() {
		top := uint64(1)<<(size-1) - 1
		if !signed {
			return min(v, top)
		}
		return uint64(min(max(int64(v), -int64(top)-1), int64(top)))
	}
	if signed && int64(v) < 0 {
		return 0
	}
	return min(v, t.mask())
}
