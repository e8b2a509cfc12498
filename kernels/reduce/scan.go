package reduce

import (
	"math"

	"github.com/graphc/graphc/rt/tensor"
)

// Scan describes a running sum or product along an axis.
type Scan struct {
	Outer, N, Inner int
	Exclusive       bool // whether element i of the result includes only the elements before i, without element i
	Reverse         bool // from the end
}

// scan sets dst[o,k,i] = f(… f(first, src[o,0,i]) …, src[o,k,i]). If p.Exclusive is set, the last
// application of f, to src[o,k,i], is omitted. If p.Reverse is set, the elements are combined from
// the end of the axis to the beginning. dst may be src.
func scan[T any](dst, src []T, p Scan, first T, f func(a, x T) T) {
	if len(dst) == 0 {
		return
	}
	step := p.Inner
	begin := 0
	if p.Reverse {
		begin, step = (p.N-1)*p.Inner, -p.Inner
	}
	for o := range p.Outer {
		for i := range p.Inner {
			j := o*p.N*p.Inner + begin + i
			a := first
			for range p.N {
				x := src[j]
				if p.Exclusive {
					dst[j] = a
					a = f(a, x)
				} else {
					a = f(a, x)
					dst[j] = a
				}
				j += step
			}
		}
	}
}

func add[T integer | float | complex64 | complex128](a, x T) T { return a + x }

func mul[T integer | float | complex64 | complex128](a, x T) T { return a * x }

func addF16(a, x tensor.F16) tensor.F16 { return tensor.ToF16(a.Float32() + x.Float32()) }

func mulF16(a, x tensor.F16) tensor.F16 { return tensor.ToF16(a.Float32() * x.Float32()) }

func addBF16(a, x tensor.BF16) tensor.BF16 { return tensor.ToBF16(a.Float32() + x.Float32()) }

func mulBF16(a, x tensor.BF16) tensor.BF16 { return tensor.ToBF16(a.Float32() * x.Float32()) }

// logAddExp returns log(e^a + e^x). Two special cases are as in TensorFlow: if x is NaN, a is used
// instead of x, and the result for two positive infinities is NaN.
func logAddExp(a, x float64) float64 {
	lo, hi := a, a
	if x < lo {
		lo = x
	}
	if hi < x {
		hi = x
	}
	if math.IsInf(hi, -1) {
		return hi
	}
	return hi + math.Log1p(math.Exp(lo-hi))
}

func lseF32(a, x float32) float32 { return float32(logAddExp(float64(a), float64(x))) }

func lseF16(a, x tensor.F16) tensor.F16 {
	return tensor.ToF16(float32(logAddExp(float64(a.Float32()), float64(x.Float32()))))
}

func lseBF16(a, x tensor.BF16) tensor.BF16 {
	return tensor.ToBF16(float32(logAddExp(float64(a.Float32()), float64(x.Float32()))))
}
