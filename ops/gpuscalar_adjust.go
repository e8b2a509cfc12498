package ops

import (
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// turnHue is image.Hue of a pixel.
func (e *realExpr) turnHue(c [3]scalar.Value, delta scalar.Value) [3]scalar.Value {
	r, g, b := c[0], c[1], c[2]
	zero, one, six := e.k(0), e.k(1), e.k(6)
	greener, belowRed, aboveGreen, belowGreen, aboveRed := e.lt(r, g), e.lt(b, r), e.gt(b, g), e.lt(b, g), e.gt(b, r)
	// sixth chooses by the sixth of the circle that the hue lies in.
	sixth := func(v [6]scalar.Value) scalar.Value {
		return e.Select(greener, e.Select(belowRed, v[1], e.Select(aboveGreen, v[3], v[2])),
			e.Select(belowGreen, v[0], e.Select(aboveRed, v[4], v[5])))
	}
	low := sixth([6]scalar.Value{b, b, r, r, g, g})
	mid := sixth([6]scalar.Value{g, r, b, g, r, b})
	high := sixth([6]scalar.Value{r, g, g, b, b, r})
	part := e.div(e.sub(mid, low), e.sub(high, low))
	rest := e.sub(one, part)
	hue := e.add(sixth([6]scalar.Value{zero, one, e.k(2), e.k(3), e.k(4), e.k(5)}), sixth([6]scalar.Value{part, rest, part, rest, part, rest}))
	hue = e.add(e.Select(e.eq(high, low), zero, hue), e.mul(delta, six))
	hue = e.Call("fmod", hue, six)
	hue = e.Select(e.lt(hue, zero), e.add(hue, six), hue)
	hue = e.Select(e.eq(hue, six), zero, hue)

	whole := e.Un(scalar.Trunc, hue)
	part = e.sub(hue, whole)
	is := func(n float64) scalar.Value { return e.eq(whole, e.k(n)) }
	part = e.Select(is(1), e.sub(one, part), e.Select(is(3), e.sub(one, part), e.Select(is(5), e.sub(one, part), part)))
	mid = e.add(low, e.mul(part, e.sub(high, low)))
	return e.sixths(whole, [6][3]scalar.Value{{high, mid, low}, {mid, high, low}, {low, high, mid}, {low, mid, high}, {mid, low, high}, {high, low, mid}},
		[3]scalar.Value{high, low, mid})
}

// sixths chooses by a whole number from 0 to 5; other is for the rest.
func (e *realExpr) sixths(whole scalar.Value, of [6][3]scalar.Value, other [3]scalar.Value) [3]scalar.Value {
	for n, v := range of {
		is := e.eq(whole, e.k(float64(n)))
		for k := range other {
			other[k] = e.Select(is, v[k], other[k])
		}
	}
	return other
}

// scaleSaturation is image.Saturation of a pixel.
func (e *realExpr) scaleSaturation(c [3]scalar.Value, scale scalar.Value) [3]scalar.Value {
	r, g, b := c[0], c[1], c[2]
	zero, one, two := e.k(0), e.k(1), e.k(2)
	larger := func(x, y scalar.Value) scalar.Value { return e.Select(e.lt(x, y), y, x) }
	smaller := func(x, y scalar.Value) scalar.Value { return e.Select(e.lt(y, x), y, x) }
	v := larger(r, larger(g, b))
	span := e.sub(v, smaller(r, smaller(g, b)))
	sat := e.Select(e.gt(v, zero), e.div(span, v), zero)
	k := e.div(one, e.mul(e.k(6), span))
	// plus adds sixths in float64.
	plus := func(x scalar.Value, n float64) scalar.Value {
		return e.Cast(e.d, e.add(e.Cast(tensor.Float64, x), e.Const(tensor.Float64, n/6)))
	}
	hue := e.Select(e.eq(r, v), e.mul(k, e.sub(g, b)),
		e.Select(e.eq(g, v), plus(e.mul(k, e.sub(b, r)), 2), plus(e.mul(k, e.sub(r, g)), 4)))
	hue = e.Select(e.gt(span, zero), hue, e.Select(e.eq(span, span), zero, hue))
	hue = e.Select(e.lt(hue, zero), e.add(hue, one), hue)
	sat = larger(zero, e.mul(sat, scale))
	sat = e.Select(e.lt(sat, one), sat, one)

	chroma := e.mul(sat, v)
	low := e.sub(v, chroma)
	h := e.mul(hue, e.k(6))
	part := e.Call("fmod", h, two)
	part = e.Select(e.lt(part, zero), e.add(part, two), part)
	part = e.Select(e.eq(part, two), zero, part)
	x := e.mul(chroma, e.sub(one, e.abs(e.sub(part, one))))
	out := e.sixths(e.Un(scalar.Trunc, h), [6][3]scalar.Value{{chroma, x, zero}, {x, chroma, zero}, {zero, chroma, x}, {zero, x, chroma}, {x, zero, chroma}, {chroma, zero, x}},
		[3]scalar.Value{zero, zero, zero})
	for i := range out {
		out[i] = e.add(out[i], low)
	}
	return out
}
