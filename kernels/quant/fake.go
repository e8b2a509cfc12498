// Package quant holds TensorFlow's quantization: to integers and back, and the
// rounding of floats to values that integers can represent.
package quant

import (
	"math"

	"github.com/graphc/graphc/rt/tensor"
)

// FakeParams describes FakeQuantWithMinMax over Rows rows of C channels.
type FakeParams struct {
	Rows, C int
	Bits    int
	Narrow  bool // whether the lowest integer is 1 instead of 0
	// FakeGrad stores the gradients of the lower and of the upper ends of the ranges in Below and
	// Above. Each has C elements or is nil.
	Below, Above []float32
}

// Nudge returns the range [lo, hi] moved so that an integer represents zero. For an infinite range,
// the computation of this integer gives NaN, and Nudge uses the integer 0, as TensorFlow does.
func (p *FakeParams) Nudge(lo, hi float32) (min, max, scale float32) {
	qlo, qhi := float32(0), float32(int(1)<<p.Bits-1)
	if p.Narrow {
		qlo = 1
	}
	scale = (hi - lo) / (qhi - qlo)
	zero := qlo - lo/scale
	switch {
	case zero < qlo:
		zero = qlo
	case zero > qhi:
		zero = qhi
	case zero != zero:
		zero = 0
	default:
		zero = float32(math.Round(float64(zero)))
	}
	return (qlo - zero) * scale, (qhi - zero) * scale, scale
}

func floor(x float32) float32 { return float32(math.Floor(float64(x))) }

// Fake rounds x to the 2^Bits values that integers can represent between lo and hi. lo and hi have
// an element for each of the C channels. A channel whose lo and hi are both zero gives zeros. A
// range with lo above hi is used unchanged. y may be x.
func Fake(y, x, lo, hi []float32, p FakeParams) {
	for c := range p.C {
		if lo[c] == 0 && hi[c] == 0 {
			for r := range p.Rows {
				y[r*p.C+c] = 0
			}
			continue
		}
		low, high, scale := p.Nudge(lo[c], hi[c])
		inv := 1 / scale
		zero := floor(float32(-low*inv) + 0.5)
		for r := range p.Rows {
			v := max(min(x[r*p.C+c], high), low)
			y[r*p.C+c] = floor(float32((v-low)*inv)-zero+0.5) * scale
		}
	}
}

// indicator returns 1 if b is true, and 0 otherwise.
func indicator(b bool) float32 {
	if b {
		return 1
	}
	return 0
}

// FakeGrad computes the gradient of Fake. dx is dy where x is inside the range, and 0 elsewhere.
// p.Below is the sum of dy over the elements where x is less than the range, and p.Above is the sum
// over the elements where x is greater. In each of these three results, an element of dy that does
// not contribute is multiplied by 0. If such an element is infinite, it gives NaN.
func FakeGrad(dx, dy, x, lo, hi []float32, p FakeParams) {
	for c := range p.C {
		var below, above float32
		if lo[c] == 0 && hi[c] == 0 {
			for r := range p.Rows {
				dx[r*p.C+c] = dy[r*p.C+c]
			}
		} else {
			low, high, _ := p.Nudge(lo[c], hi[c])
			for r := range p.Rows {
				i := r*p.C + c
				v, g := x[i], dy[i]
				below += float32(g * indicator(v < low))
				above += float32(g * indicator(v > high))
				dx[i] = g * indicator(v >= low && v <= high)
			}
		}
		if len(p.Below) != 0 {
			p.Below[c], p.Above[c] = below, above
		}
	}
}

// RoundParams describes QuantizeAndDequantize of type T over slices [Outer, Slices, Inner].
type RoundParams[T float32 | float64] struct {
	Outer, Slices, Inner   int
	Bits                   int
	Signed, HalfUp, Narrow bool
	AnyOrder               bool    // whether Lo may be greater than Hi
	BitsIn                 []int32 // if it is not nil, its only element is used instead of Bits
	Lo, Hi                 []T     // ends of the range of each slice; nil means the range of the elements of x
}

// Round rounds x to the values that Bits bits can represent between Lo and Hi. It returns
// InvalidArgument if Lo is above Hi, unless AnyOrder is set.
func Round(y, x []float32, p RoundParams[float32]) error {
	return round(y, x, math.MaxFloat32, &p)
}

// Round64 is Round for f64.
func Round64(y, x []float64, p RoundParams[float64]) error {
	return round(y, x, math.MaxFloat64, &p)
}

// BitsFit returns InvalidArgument unless n is between 1 and 63, or between 2 and 63 with a sign.
func BitsFit(n int, signed bool) error {
	if n < 1 || n > 63 || signed && n < 2 {
		return tensor.Errorf(tensor.InvalidArgument, "num_bits is %d", n)
	}
	return nil
}

// BitsFitIn is BitsFit for a number of bits that a tensor holds.
func BitsFitIn(n []int32, signed bool) error { return BitsFit(int(n[0]), signed) }

func disordered(low, high any) error {
	return tensor.Errorf(tensor.InvalidArgument, "min %v must not be above max %v", low, high)
}

func ordered[T float32 | float64](lo, hi []T, n int) error {
	for s := range n {
		if !(lo[s] <= hi[s]) {
			return disordered(lo[s], hi[s])
		}
	}
	return nil
}

func round[T float32 | float64](y, x []T, largest T, p *RoundParams[T]) error {
	n, given := p.Bits, len(p.Lo) != 0
	if len(p.BitsIn) != 0 {
		n = int(p.BitsIn[0])
	}
	if err := BitsFit(n, p.Signed); err != nil {
		return err
	}
	qlo, qhi := T(0), T(int64(1)<<n-1)
	if p.Signed {
		qlo, qhi = -T(int64(1)<<(n-1)), T(int64(1)<<(n-1)-1)
		if p.Narrow {
			qlo++
		}
	}
	for s := range p.Slices {
		low, high := T(math.Inf(1)), T(math.Inf(-1))
		if given {
			if low, high = p.Lo[s], p.Hi[s]; !p.AnyOrder && !(low <= high) {
				return disordered(low, high)
			}
		} else {
			p.each(s, func(i int) { low, high = min(low, x[i]), max(high, x[i]) })
		}
		byLow, byHigh := largest, largest
		if qlo*low > 0 {
			byLow = qlo / low
		}
		if qhi*high > 0 {
			byHigh = qhi / high
		}
		scale, inv := byHigh, high/qhi
		if byLow < byHigh {
			scale, inv = byLow, low/qlo
			high = qhi * inv
		} else {
			low = qlo * inv
		}
		p.each(s, func(i int) {
			v := x[i]
			if given {
				v = max(min(v, high), low)
			}
			if v *= scale; p.HalfUp {
				v = T(math.Floor(float64(v + 0.5)))
			} else {
				v = T(math.RoundToEven(float64(v)))
			}
			y[i] = v * inv
		})
	}
	return nil
}

func (p *RoundParams[T]) each(s int, f func(i int)) {
	for o := range p.Outer {
		at := (o*p.Slices + s) * p.Inner
		for i := at; i < at+p.Inner; i++ {
			f(i)
		}
	}
}
