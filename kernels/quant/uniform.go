package quant

import (
	"math"
	"unsafe"

	"github.com/graphc/graphc/kernels/gemm"
	"github.com/graphc/graphc/rt/tensor"
)

// Uniform describes a tensor [Outer, Slices, Inner] whose integers lie between Lo and Hi. Each
// slice along the second dimension has a scale and a zero point. A tensor with one scale and zero
// point has one slice.
type Uniform struct {
	Outer, Slices, Inner int
	Lo, Hi               int
}

func (p *Uniform) each(s int, f func(i int)) {
	q := Params{Outer: p.Outer, Slices: p.Slices, Inner: p.Inner}
	q.each(s, f)
}

// pick returns s[i]. If s has only one element, this element is used for all indices.
func pick[T any](s []T, i int) T {
	if len(s) == 1 {
		return s[0]
	}
	return s[i]
}

// toUniform returns floor(v*inv + 1/2) + zero, limited to [lo, hi]. inv is 1/scale.
func toUniform(v, inv float32, zero, lo, hi int32) int32 {
	f := floor(float32(v*inv) + 0.5)
	q := int32(math.MinInt32)
	if f >= -1<<31 && f < 1<<31 {
		q = int32(f)
	}
	return max(min(q+zero, hi), lo)
}

func uniformQuantize[T integer](dst []T, src, scales []float32, zeros []int32, p *Uniform) {
	for s := range p.Slices {
		inv, zero := 1/pick(scales, s), pick(zeros, s)
		p.each(s, func(i int) { dst[i] = T(toUniform(src[i], inv, zero, int32(p.Lo), int32(p.Hi))) })
	}
}

func uniformDequantize[T integer](dst []float32, src []T, scales []float32, zeros []int32, p *Uniform) error {
	if err := positive(scales); err != nil {
		return err
	}
	for s := range p.Slices {
		scale, zero := pick(scales, s), pick(zeros, s)
		p.each(s, func(i int) { dst[i] = float32(int32(src[i])-zero) * scale })
	}
	return nil
}

// multiplier represents the positive number factor * 2^(shift-31). The field factor has 31 bits.
type multiplier struct {
	factor int64
	shift  int
}

func newMultiplier(v float64) (m multiplier, err error) {
	if !(v > 0) || math.IsInf(v, 0) {
		return m, tensor.Errorf(tensor.InvalidArgument, "the quotient of scales %v must be positive and finite", v)
	}
	f, shift := math.Frexp(v)
	q := int64(math.Round(f * (1 << 31)))
	if q == 1<<31 {
		q, shift = q/2, shift+1
	}
	switch {
	case shift < -31:
		q, shift = 0, 0
	case shift > 30:
		q, shift = 1<<31-1, 30
	}
	return multiplier{q, shift}, nil
}

// times returns v times m, rounded half up.
func (m multiplier) times(v int32) int32 {
	total := 31 - m.shift
	r := (int64(v)*m.factor + 1<<(total-1)) >> total
	return int32(min(max(r, math.MinInt32), math.MaxInt32))
}

// positive returns an error unless all scales are positive.
func positive(scales ...[]float32) error {
	for _, s := range scales {
		for _, v := range s {
			if !(v > 0) {
				return tensor.Errorf(tensor.InvalidArgument, "the scale %v must be positive", v)
			}
		}
	}
	return nil
}

func uniformRequantize[X, Y integer](dst []Y, src []X, inScales []float32, inZeros []int32, outScales []float32, outZeros []int32, p *Uniform) error {
	if err := positive(inScales, outScales); err != nil {
		return err
	}
	for s := range p.Slices {
		m, err := newMultiplier(float64(pick(inScales, s)) / float64(pick(outScales, s)))
		if err != nil {
			return err
		}
		zi, zo := pick(inZeros, s), pick(outZeros, s)
		p.each(s, func(i int) {
			dst[i] = Y(max(min(m.times(int32(src[i])-zi)+zo, int32(p.Hi)), int32(p.Lo)))
		})
	}
	return nil
}

// UniformRequantizeI8 converts integers from one scale and zero point to another, in fixed point.
// It returns InvalidArgument unless all scales are positive.
func UniformRequantizeI8(dst, src []int8, inScales []float32, inZeros []int32, outScales []float32, outZeros []int32, p Uniform) error {
	return uniformRequantize(dst, src, inScales, inZeros, outScales, outZeros, &p)
}

// UniformRequantizeI32 is UniformRequantizeI8 for i32 input.
func UniformRequantizeI32(dst []int8, src []int32, inScales []float32, inZeros []int32, outScales []float32, outZeros []int32, p Uniform) error {
	return uniformRequantize(dst, src, inScales, inZeros, outScales, outZeros, &p)
}

// UniformClip writes min(max(src, lo), hi).
func UniformClip(dst, src, lo, hi []int32, p Uniform) {
	for s := range p.Slices {
		a, b := pick(lo, s), pick(hi, s)
		p.each(s, func(i int) { dst[i] = min(max(src[i], a), b) })
	}
}

// DotParams describes a product [M,K] · [K,N] whose result lies between Lo and Hi.
type DotParams struct {
	M, N, K int
	Lo, Hi  int
}

func (p *DotParams) product() gemm.Int8Params {
	return gemm.Int8Params{M: p.M, N: p.N, K: p.K, SignedA: true}
}

// DotScratchLen returns the size in bytes of the scratch slice that UniformDot and UniformDotHybrid
// need.
func DotScratchLen(p DotParams) int { return gemm.Int8ScratchLen(p.product()) }

// corrected removes the contribution of the zero points from acc, which holds one row of the
// product. a is the row of the left operand, and sums holds the sums of the right operand's
// columns.
func corrected(acc []int32, a []int8, sums []int32, zeroA int32, zeros []int32, k int) {
	row := -int32(k) * zeroA
	for _, v := range a[:k] {
		row += int32(v)
	}
	for n := range acc {
		acc[n] -= zeroA*sums[n] + pick(zeros, n)*row
	}
}

// UniformDot multiplies matrices of signed bytes and requantizes the sums in fixed point.
// gemm.PackI8 must have packed b and computed sums. b has either one scale and one zero point, or a
// scale and a zero point for each column. So does the result. scratch has DotScratchLen(p) bytes.
// UniformDot returns InvalidArgument unless all scales are positive.
func UniformDot(y []int32, a, b []int8, sums []int32, scaleA []float32, zeroA []int32, scalesB []float32, zerosB []int32, outScales []float32, outZeros []int32, scratch []uint8, p DotParams) error {
	if err := positive(scaleA, scalesB, outScales); err != nil {
		return err
	}
	gemm.Int8(y, bytesOf(a), b, sums, nil, scratch, p.product())
	for m := range p.M {
		corrected(y[m*p.N:][:p.N], a[m*p.K:], sums, zeroA[0], zerosB, p.K)
	}
	for n := range p.N {
		f, err := newMultiplier(float64(scaleA[0]) * float64(pick(scalesB, n)) / float64(pick(outScales, n)))
		if err != nil {
			return err
		}
		zero := pick(outZeros, n)
		for i := n; i < p.M*p.N; i += p.N {
			y[i] = max(min(f.times(y[i])+zero, int32(p.Hi)), int32(p.Lo))
		}
	}
	return nil
}

// UniformDotHybrid multiplies the floats a by the signed bytes b, which are packed as for
// UniformDot. The result is in floats. Each row of a is first quantized to signed bytes over its
// own range. rows has space for M*K bytes, acc for M*N sums. UniformDotHybrid returns
// InvalidArgument unless all scales are positive.
func UniformDotHybrid(y, a []float32, b []int8, sums []int32, scalesB []float32, zerosB []int32, rows []int8, acc []int32, scratch []uint8, p DotParams) error {
	if err := positive(scalesB); err != nil {
		return err
	}
	for m := range p.M {
		asymmetric(rows[m*p.K:][:p.K], a[m*p.K:][:p.K])
	}
	gemm.Int8(acc, bytesOf(rows), b, sums, nil, scratch, p.product())
	for m := range p.M {
		scale, zero := rangeOf(a[m*p.K:][:p.K])
		row := acc[m*p.N:][:p.N]
		corrected(row, rows[m*p.K:], sums, zero, zerosB, p.K)
		for n, v := range row {
			y[m*p.N+n] = float32(float32(v)*scale) * pick(scalesB, n)
		}
	}
	return nil
}

// rangeOf returns the scale and the zero point for src as signed bytes.
func rangeOf(src []float32) (scale float32, zero int32) {
	lo, hi := float32(0), float32(0)
	for _, v := range src {
		lo, hi = min(lo, v), max(hi, v)
	}
	if lo == hi {
		return 1, 0
	}
	const low, high = -128.0, 127.0
	step := (float64(hi) - float64(lo)) / (high - low)
	fromLow, fromHigh := low-float64(lo)/step, high-float64(hi)/step
	z := fromHigh
	if -low+math.Abs(float64(lo)/step) < high+math.Abs(float64(hi)/step) {
		z = fromLow
	}
	return float32(step), int32(math.Round(min(max(z, low), high)))
}

func asymmetric(dst []int8, src []float32) {
	scale, zero := rangeOf(src)
	inv := 1 / scale
	for i, v := range src {
		dst[i] = int8(toUniform(v, inv, zero, -128, 127))
	}
}

func bytesOf(s []int8) []uint8 {
	return unsafe.Slice((*uint8)(unsafe.Pointer(unsafe.SliceData(s))), len(s))
}
