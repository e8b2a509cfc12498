package quant

import (
	"math"

	"github.com/graphc/graphc/rt/tensor"
)

// toU8 converts i32 numbers, which represent floats in the range x, to bytes for the range y. It
// computes in fixed point with 16 bits after the point.
func toU8(dst []uint8, src []int32, x, y span) {
	const shift = 16
	in, out := x.hi-x.lo, y.hi-y.lo
	var inv float32
	var scale, outOffset int64
	if out != 0 {
		inv = float32(255 / float64(out))
		scale = wide(255 * (1 << shift) * float64(in) / float64(out))
		outOffset = wide((1 << shift) * (float64(y.lo) * 255) / float64(out))
	}
	middle := float32(float64(x.lo+x.hi) / 2)
	inOffset := wide(float64(float32(middle*inv) * (1 << shift)))
	add := inOffset - outOffset + 1<<(shift-1)
	for i, v := range src {
		dst[i] = uint8(min(max((int64(v)*scale>>32+add)>>shift, 0), 255))
	}
}

// RequantizeU8 converts i32 numbers over the range [loX, hiX] to bytes over [loY, hiY]. It copies
// loY and hiY to outLo and outHi. It returns InvalidArgument unless loY <= 0 and loY <= hiY.
func RequantizeU8(dst []uint8, outLo, outHi []float32, src []int32, loX, hiX, loY, hiY []float32) error {
	y := spanOf(loY, hiY)
	if err := y.requestable(); err != nil {
		return err
	}
	toU8(dst, src, spanOf(loX, hiX), y)
	outLo[0], outHi[0] = y.lo, y.hi
	return nil
}

// RequantizeI8 is RequantizeU8 for signed bytes, computed in f32.
func RequantizeI8(dst []int8, outLo, outHi []float32, src []int32, loX, hiX, loY, hiY []float32) error {
	y := spanOf(loY, hiY)
	if err := y.requestable(); err != nil {
		return err
	}
	r := newRule[int32, int8](spanOf(loX, hiX), y)
	for i, v := range src {
		dst[i] = int8(r.convert(float32(v)))
	}
	outLo[0], outHi[0] = y.lo, y.hi
	return nil
}

func (s span) requestable() error {
	if !(s.lo <= 0) || !(s.hi >= s.lo) {
		return tensor.Errorf(tensor.InvalidArgument, "the requested range [%v, %v] must begin at zero or below, and not end before it begins", s.lo, s.hi)
	}
	return nil
}

// used returns the range of the floats that the numbers in src represent. If no float is negative,
// the range begins at zero. The parameter s is the range of the floats that all int32 numbers
// represent.
func used(src []int32, s span) span {
	low, high := int32(math.MaxInt32), int32(math.MinInt32)
	for _, v := range src {
		low, high = min(low, v), max(high, v)
	}
	lo := float(s, low)
	if !(lo < 0) { // NaN, too
		lo = 0
	}
	return span{lo, float(s, high)}
}

// Shrink converts int32 numbers over the range [lo, hi] to bytes over the smaller range of the
// floats that the numbers in src represent. It writes this range to outLo and outHi.
func Shrink(dst []uint8, outLo, outHi []float32, src []int32, lo, hi []float32) {
	x := spanOf(lo, hi)
	y := used(src, x)
	toU8(dst, src, x, y)
	outLo[0], outHi[0] = y.lo, y.hi
}

// Range determines the range of the floats that are represented by the int32 numbers in src, and
// stores this range in outLo and outHi. [lo, hi] is the range of the floats that all int32 numbers
// represent. If no float is negative, the result begins at zero.
func Range(outLo, outHi []float32, src []int32, lo, hi []float32) {
	y := used(src, spanOf(lo, hi))
	outLo[0], outHi[0] = y.lo, y.hi
}

// JoinRanges writes the smallest range that contains all ranges [los[i], his[i]]. If signed, the
// range is extended to be symmetric around zero.
func JoinRanges(outLo, outHi, los, his []float32, signed bool) {
	lo, hi := float32(math.MaxFloat32), float32(-math.MaxFloat32)
	for i := range los {
		lo, hi = min(lo, los[i]), max(hi, his[i])
	}
	if signed {
		hi = max(abs(lo), abs(hi))
		lo = -hi
	}
	outLo[0], outHi[0] = lo, hi
}

func join[T uint8 | int32](dst, src []T, x, y span, outer, n, total, at int) {
	r := newRule[T, T](x, y)
	for o := range outer {
		d, s := dst[o*total+at:][:n], src[o*n:][:n]
		if x == y {
			copy(d, s)
			continue
		}
		for i, v := range s {
			d[i] = T(r.convert(float32(v)))
		}
	}
}

// Gather1 stores src[0] in dst[at].
func Gather1(dst, src []float32, at int) { dst[at] = src[0] }
