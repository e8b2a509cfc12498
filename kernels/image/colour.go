package image

import (
	"math"

	"github.com/graphc/graphc/rt/tensor"
)

// Colours returns FailedPrecondition, as TensorFlow's conversions do, unless pixels have three channels.
func Colours(channels int) error { return threeChannels(channels, tensor.FailedPrecondition) }

// AdjustedColours returns InvalidArgument unless pixels have three channels. TensorFlow's
// adjustments of hue and saturation return this code, and its conversions return the code of
// Colours.
func AdjustedColours(channels int) error { return threeChannels(channels, tensor.InvalidArgument) }

func threeChannels(channels int, code tensor.Code) error {
	if channels != 3 {
		return tensor.Errorf(code, "the input has %d channels, 3 are required", channels)
	}
	return nil
}

// ToHSV converts n pixels of red, green and blue to hue, saturation and value,
// all from 0 to 1. dst may be src.
func ToHSV(dst, src []float32, n int) { toHSV(dst, src, n) }

// ToHSV64 is ToHSV for f64.
func ToHSV64(dst, src []float64, n int) { toHSV(dst, src, n) }

func toHSV[T float32 | float64](dst, src []T, n int) {
	for i := range n {
		d, s := dst[3*i:3*i+3], src[3*i:3*i+3]
		r, g, b := s[0], s[1], s[2]
		v := max(r, g, b)
		span := v - min(r, g, b)
		var sat, hue T
		if v > 0 {
			sat = span / v
		}
		if span > 0 {
			k := T(1) / 6 / span
			switch {
			case v == r:
				hue = (g - b) * k
			case v == g:
				hue = T((b-r)*k) + T(2)/6
			default:
				hue = T((r-g)*k) + T(4)/6
			}
			if hue < 0 {
				hue++
			}
		}
		d[0], d[1], d[2] = hue, sat, v
	}
}

// FromHSV is the inverse of ToHSV.
func FromHSV(dst, src []float32, n int) { fromHSV(dst, src, n) }

// FromHSV64 is FromHSV for f64.
func FromHSV64(dst, src []float64, n int) { fromHSV(dst, src, n) }

func fromHSV[T float32 | float64](dst, src []T, n int) {
	for i := range n {
		d, s := dst[3*i:3*i+3], src[3*i:3*i+3]
		h, sat, v := s[0]*6, s[1], s[2]
		ramp := func(x T) T {
			return (1 - sat + T(sat*max(min(x, 1), 0))) * v
		}
		d[0], d[1], d[2] = ramp(abs(h-3)-1), ramp(2-abs(h-2)), ramp(2-abs(h-4))
	}
}

func abs[T float32 | float64](x T) T { return T(math.Abs(float64(x))) }

// ContrastParams describes images of Pixels pixels of C channels.
type ContrastParams struct{ Images, Pixels, C int }

// Contrast computes dst = (src-mean)*factor + mean, where mean is computed for each channel of each
// image.
func Contrast(dst, src, factor []float32, p ContrastParams) {
	f := factor[0]
	for n := range p.Images {
		at := n * p.Pixels * p.C
		for c := range p.C {
			var sum float64
			for i := range p.Pixels {
				sum += float64(src[at+i*p.C+c])
			}
			mean := float32(sum / float64(p.Pixels))
			for i := range p.Pixels {
				k := at + i*p.C + c
				dst[k] = float32((src[k]-mean)*f) + mean
			}
		}
	}
}
