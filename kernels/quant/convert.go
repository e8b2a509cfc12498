package quant

import (
	"math"

	"github.com/graphc/graphc/rt/tensor"
)

// Mode is the mapping between integers and floats.
type Mode int

// The modes.
const (
	MinCombined Mode = iota
	MinFirst
	Scaled
)

// Params describes a conversion over slices [Outer, Slices, Inner], each with
// its own range.
type Params struct {
	Outer, Slices, Inner int
	Mode                 Mode
	Narrow, HalfToEven   bool
	Least                float32 // ensure_minimum_range
}

type integer interface {
	int8 | uint8 | int16 | uint16 | int32
}

// limits returns the lowest and the highest number of the type T, and the number of bits of T.
func limits[T integer]() (lo, hi float64, bits int) {
	var v T
	switch any(v).(type) {
	case int8:
		return math.MinInt8, math.MaxInt8, 8
	case uint8:
		return 0, math.MaxUint8, 8
	case int16:
		return math.MinInt16, math.MaxInt16, 16
	case uint16:
		return 0, math.MaxUint16, 16
	}
	return math.MinInt32, math.MaxInt32, 32
}

func (p *Params) each(s int, f func(i int)) {
	for o := range p.Outer {
		at := (o*p.Slices + s) * p.Inner
		for i := at; i < at+p.Inner; i++ {
			f(i)
		}
	}
}

func toFloat[T integer](dst []float32, src []T, lo, hi []float32, p *Params) {
	low, high, bits := limits[T]()
	for s := range p.Slices {
		a, b := lo[s], hi[s]
		switch p.Mode {
		case MinCombined:
			half := float32(0)
			if low < 0 {
				half = float32((high - low + 1) / 2)
			}
			scale := (b - a) / float32(high-low)
			p.each(s, func(i int) { dst[i] = float32((float32(src[i])+half)*scale) + a })
		case MinFirst:
			if a == b {
				p.each(s, func(i int) { dst[i] = a })
				continue
			}
			steps := math.Ldexp(1, bits)
			if bits < 32 { // compute in float32, as TensorFlow does: in float64, a/scale might be rounded to another integer
				scale := float32(float64(b-a) / (steps - 1))
				first := float32(math.Round(float64(a/scale))) * scale
				p.each(s, func(i int) { dst[i] = first + float32((float32(src[i])-float32(low))*scale) })
				continue
			}
			scale := (float64(b) - float64(a)) * (steps / (steps - 1)) / steps
			first := math.Round(float64(a)/scale) * scale
			p.each(s, func(i int) { dst[i] = float32(first + float64((float64(src[i])-low)*scale)) })
		case Scaled:
			least := low
			if p.Narrow {
				least++
			}
			scale := b / float32(high)
			if low < 0 {
				scale = max(a/float32(least), scale)
			}
			p.each(s, func(i int) { dst[i] = float32(src[i]) * scale })
		}
	}
}

func (p *Params) round(v float64) float64 {
	if p.HalfToEven {
		return math.RoundToEven(v)
	}
	return math.Round(v)
}

func toInt[T integer](dst []T, outLo, outHi, src, lo, hi []float32, p *Params) error {
	low, high, bits := limits[T]()
	for s := range p.Slices {
		a, b := lo[s], hi[s]
		if a > b {
			return tensor.Errorf(tensor.InvalidArgument, "min_range %v must not be above max_range %v", a, b)
		}
		least := max(1, abs(a), abs(b)) * p.Least
		a = min(0, a)
		b = max(0, b, a+least)
		switch p.Mode {
		case MinCombined:
			scale := float32(high-low) / (b - a)
			half := float32(0)
			if low < 0 {
				half = float32((high - low + 1) / 2)
			}
			p.each(s, func(i int) {
				v := float32((max(min(src[i], b), a)-a)*scale) - half
				dst[i] = T(max(min(math.Round(float64(v)), high), low))
			})
		case MinFirst:
			steps := math.Ldexp(1, bits)
			scale := steps / ((float64(b) - float64(a)) * (steps / (steps - 1)))
			first := math.Round(float64(a) * scale)
			if bits < 32 { // scaled in f32
				first = math.Round(float64(a * float32(scale)))
			}
			p.each(s, func(i int) {
				v := float64(src[i]) * scale
				if bits < 32 {
					v = float64(src[i] * float32(scale))
				}
				dst[i] = T(max(min(math.Round(v)-first+low, high), low))
			})
		case Scaled:
			qlo := low
			if p.Narrow {
				qlo++
			}
			byLow, byHigh := float32(math.MaxFloat32), float32(math.MaxFloat32)
			if float32(qlo)*a > 0 {
				byLow = float32(qlo) / a
			}
			if float32(high)*b > 0 {
				byHigh = float32(high) / b
			}
			scale := min(byLow, byHigh)
			a, b = float32(qlo)/scale, float32(high)/scale
			p.each(s, func(i int) {
				v := max(min(src[i], b), a) * scale
				dst[i] = T(max(min(p.round(float64(v)), high), low))
			})
		}
		outLo[s], outHi[s] = a, b
	}
	return nil
}

func abs(x float32) float32 { return max(x, -x) }
