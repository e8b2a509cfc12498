package random

import "math"

// RoundParams describes a stochastic rounding. Bits is the width of the type of the input, and
// Whole that of the resulting integers. Group is the number of elements that are rounded together,
// or 0 if each element is rounded alone.
type RoundParams struct{ Bits, Whole, Group int }

// StochasticRound writes x rounded down or up, limited to the range of integers of p.Whole bits.
// The probability of rounding up is the fraction of x. NaN becomes 0. The blocks of random numbers
// are used as in TensorFlow's vector code. If p.Group is not 0, the elements that fit in one vector
// register share a block. If the block has fewer numbers than the register has elements, the numbers
// are used several times. Each element after the last whole group uses a separate block, unless it has
// no fraction.
func StochasticRound(out []int32, x []float64, stream []uint64, p RoundParams) {
	// The op takes the counter's first word as the key, and the key as the counter's upper half.
	g := philox{k0: uint32(stream[1]), k1: uint32(stream[1] >> 32), hi: stream[0]}
	c := clipped{g: g, bits: p.Bits}
	top := c.r(math.Ldexp(1, p.Whole-1) - 1)
	low := c.r(-math.Ldexp(1, p.Whole-1))
	var u [4]float64
	i := 0
	if p.Group > 0 {
		i = len(x) / p.Group * p.Group
		lane := p.Group * 32 / p.Bits // number of elements of the input that a vector register holds
		for at := 0; at < i; at += lane {
			us := c.uniforms(&u)
			for k, v := range x[at : at+lane] {
				r := us[k%len(us)]
				w := math.Floor(c.r(v + r))
				if !(v < 0) {
					w = math.Floor(c.r(v + c.r(1-r)))
				}
				out[at+k] = whole(v, w, low, top)
			}
		}
	}
	for ; i < len(x); i++ {
		v := x[i]
		w := v
		if v == v && v < top && v > low && math.Floor(v) != v {
			r := c.uniforms(&u)[0]
			if v < 0 {
				w = math.Floor(c.r(v + r))
			} else {
				w = math.Floor(c.r(c.r(v+1) - r))
			}
		}
		out[i] = whole(v, w, low, top)
	}
}

// whole converts w to an integer, where w is v rounded to an integral number. It limits the result
// to the range from low to top. If the number is outside the range of int32, the result is the
// lowest int32, as with the instructions of processors.
func whole(v, w, low, top float64) int32 {
	switch {
	case v != v:
		return 0
	case math.Floor(v) == v:
		w = v
	}
	switch {
	case v >= top:
		w = top
	case v <= low:
		w = low
	}
	if w >= math.MaxInt32+1 || w < math.MinInt32 {
		return math.MinInt32
	}
	return int32(w)
}
