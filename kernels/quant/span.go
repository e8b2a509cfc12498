package quant

import (
	"math"

	"github.com/graphc/graphc/rt/tensor"
)

// span is the range of the floats that the integers of a type represent. The lowest integer
// represents approximately lo, and the highest integer represents approximately hi.
type span struct{ lo, hi float32 }

func spanOf(lo, hi []float32) span { return span{lo[0], hi[0]} }

// must returns InvalidArgument unless s.lo is less than s.hi. The parameter what is the name of the
// range in the error message.
func (s span) must(what string) error {
	if !(s.hi > s.lo) {
		return tensor.Errorf(tensor.InvalidArgument, "max_%s %v must be larger than min_%s %v", what, s.hi, what, s.lo)
	}
	return nil
}

// wide converts v to an integer. A number that does not fit becomes the lowest int64.
func wide(v float64) int64 {
	if v >= -1<<63 && v < 1<<63 {
		return int64(v)
	}
	return math.MinInt64
}

// unclamped returns the integer that represents v, not limited to the range of T.
func unclamped[T integer](s span, v float32) int64 {
	low, _, bits := limits[T]()
	if s.lo == s.hi {
		return int64(low)
	}
	steps := math.Ldexp(1, bits)
	scale := steps / (float64(s.hi-s.lo) * (steps / (steps - 1)))
	return wide(math.Round(float64(v)*scale)-math.Round(float64(s.lo)*scale)) + int64(low)
}

// nearest returns the integer that represents v, limited to the range of T.
func nearest[T integer](s span, v float32) T {
	low, high, _ := limits[T]()
	return T(min(max(unclamped[T](s, v), int64(low)), int64(high)))
}

// float returns the float that q represents.
func float[T integer](s span, q T) float32 {
	if s.lo == s.hi {
		return s.lo
	}
	low, _, bits := limits[T]()
	steps := math.Ldexp(1, bits)
	scale := float64(s.hi-s.lo) * (steps / (steps - 1)) / steps
	one := float32(scale)
	first := float32(math.Round(float64(s.lo/one))) * one
	return float32(float64(first) + float64((float64(q)-low)*scale))
}

// level returns the difference between the floats that two neighbouring integers represent.
func level[T integer](s span) float32 {
	low, high, _ := limits[T]()
	return (s.hi - s.lo) / float32(high-low)
}

// product returns the range of the floats that int32 numbers represent if they are products of an
// integer of the type X, over the range x, and an integer of the type Y, over the range y.
func product[X, Y integer](x, y span) span {
	one := level[X](x) * level[Y](y)
	low, high, _ := limits[int32]()
	return span{one * float32(low), one * float32(high)}
}

// sum returns a range for int32 numbers that are sums of operands with the ranges x and y. The
// range is symmetric around zero, and its upper end is the largest magnitude in x and y, multiplied
// by the parameter room.
func sum(x, y span, room float32) span {
	m := max(x.hi, -x.lo, y.hi, -y.lo) * room
	return span{-m, m}
}

// rule converts integers of X over one range to integers of Y over another, in
// f32 as TensorFlow's vector code does.
type rule struct {
	scale, first float32 // an integer q of the type X represents the float f = first + q*scale
	inv, offset  float32 // the integer of the type Y that represents f is round(f*inv) - offset
	low, high    float32
}

func newRule[X, Y integer](x, y span) rule {
	xlow, xhigh, _ := limits[X]()
	low, high, _ := limits[Y]()
	r := rule{low: float32(low), high: min(float32(high), 2147483520)}
	r.scale = float32(float64(x.hi-x.lo) / (xhigh - xlow))
	r.first = x.lo
	if x.hi != x.lo {
		r.first = float32(math.Round(float64(x.lo/r.scale))) * r.scale
	}
	r.first -= float32(float32(xlow) * r.scale)
	if y.hi != y.lo {
		r.inv = float32((high - low) / float64(y.hi-y.lo))
	}
	r.offset = float32(math.Round(float64(float32(y.lo*r.inv)))) - r.low
	return r
}

func (r *rule) float(q float32) float32 { return r.first + float32(q*r.scale) }

// number returns the integer that represents v, limited to the range of Y, as a float.
func (r *rule) number(v float32) float32 {
	v = float32(math.Round(float64(float32(v*r.inv)))) - r.offset
	if !(v > r.low) {
		v = r.low
	}
	return min(v, r.high)
}

func (r *rule) convert(q float32) int32 { return int32(r.number(r.float(q))) }
