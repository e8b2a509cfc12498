// Package quant holds TensorFlow's quantization: to integers and back, and the
// rounding of floats to what integers could say.
package quant

import (
	"math"

	"github.com/graphc/graphc/rt/tensor"
)

// FakeParams describes FakeQuantWithMinMax over Rows rows of C channels.
type FakeParams struct {
	Rows, C int
	Bits    int
	Narrow  bool // the lowest integer is 1
}

// Nudge moves a range so that zero is an integer. A range without an end has none at which it
// is: then it is 0, as where TensorFlow converts NaN.
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

// Fake rounds x to the 2^Bits values that integers could stand for between lo
// and hi, of which there is one a channel (C of them); zeros where both are zero. A range whose
// ends are the wrong way round is taken as it is. y may be x.
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

// indicator is 1 where b holds, else 0.
func indicator(b bool) float32 {
	if b {
		return 1
	}
	return 0
}

// FakeGrad is the gradient of Fake: dx is dy where x is inside the range, dlo and
// dhi (absent if empty) gather dy below and above it. What is left out is multiplied
// by 0: an infinite dy leaves NaN everywhere.
func FakeGrad(dx, dlo, dhi, dy, x, lo, hi []float32, p FakeParams) {
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
		if len(dlo) != 0 {
			dlo[c], dhi[c] = below, above
		}
	}
}

// RoundParams describes QuantizeAndDequantize over slices [Outer, Slices, Inner].
type RoundParams struct {
	Outer, Slices, Inner int
	Bits                 int
	Signed, Given        bool // Given: the range is, else it is that of the data
	HalfUp, Narrow       bool
}

// Round rounds x to what Bits bits could say between lo and hi, one each a slice.
// bits, if not absent, holds Bits. InvalidArgument when lo is above hi.
func Round(y, x, lo, hi []float32, bits []int32, p RoundParams) error {
	return round(y, x, lo, hi, bits, math.MaxFloat32, &p)
}

// Round64 is Round for f64.
func Round64(y, x, lo, hi []float64, bits []int32, p RoundParams) error {
	return round(y, x, lo, hi, bits, math.MaxFloat64, &p)
}

// BitsFit refuses, with InvalidArgument, numbers of bits that are not from 1, or 2 with a
// sign, to 63.
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

func round[T float32 | float64](y, x, lo, hi []T, bits []int32, largest T, p *RoundParams) error {
	n := p.Bits
	if len(bits) != 0 {
		n = int(bits[0])
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
		if p.Given {
			if low, high = lo[s], hi[s]; !(low <= high) {
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
			if p.Given {
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

func (p *RoundParams) each(s int, f func(i int)) {
	for o := range p.Outer {
		at := (o*p.Slices + s) * p.Inner
		for i := at; i < at+p.Inner; i++ {
			f(i)
		}
	}
}
