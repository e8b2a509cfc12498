package train

import (
	"github.com/graphc/graphc/kernels/elem"
	"github.com/graphc/graphc/rt/tensor"
)

// chunk is the length of the pieces in which updates are computed. It is chosen so
// that variables, gradient and scratch stay in the first-level cache.
const chunk = 512

// The scratch memory of a kernel consists of several pieces, followed by single numbers. The length
// of each piece is the constant chunk.
const (
	rows    = 3 // how many pieces there are
	numbers = 8 // how many single numbers there are
)

// Scratch is the number of elements of scratch that a kernel needs.
const Scratch = rows*chunk + numbers

// arith computes with pieces of type T, rounding after each operation. An operand of
// one element is repeated for each element of the result.
type arith[T any] struct {
	addFn, subFn, mulFn, divFn  func(dst, a, b []T, d elem.Dims)
	squareFn, sqrtFn, rsqrtFn   func(dst, src []T)
	absFn, signFn, expFn, negFn func(dst, src []T)
	powFn                       func(dst, a, b []T, d elem.Dims)
	maxFn, minFn                func(dst, a, b []T)
	zeroFn                      func(dst, l, limit []T)
	of                          func(float32) T
	num                         func(T) float64
}

func dims(a, b int) elem.Dims {
	d := elem.Dims{N: 1}
	d.A[0], d.B[0] = a, b
	return d
}

func (k *arith[T]) add(dst, a, b []T) { k.addFn(dst, a, b, dims(len(a), len(b))) }
func (k *arith[T]) sub(dst, a, b []T) { k.subFn(dst, a, b, dims(len(a), len(b))) }
func (k *arith[T]) mul(dst, a, b []T) { k.mulFn(dst, a, b, dims(len(a), len(b))) }
func (k *arith[T]) div(dst, a, b []T) { k.divFn(dst, a, b, dims(len(a), len(b))) }
func (k *arith[T]) pow(dst, a, b []T) { k.powFn(dst, a, b, dims(len(a), len(b))) }

// max sets each element of dst to the larger of the elements of a and b. If either is NaN, max uses
// the element of a, as TensorFlow's updates do.
func (k *arith[T]) max(dst, a, b []T) { k.maxFn(dst, a, b) }
func (k *arith[T]) min(dst, a, b []T) { k.minFn(dst, a, b) }

func (k *arith[T]) square(dst, a []T) { k.squareFn(dst, a) }
func (k *arith[T]) sqrt(dst, a []T)   { k.sqrtFn(dst, a) }
func (k *arith[T]) rsqrt(dst, a []T)  { k.rsqrtFn(dst, a) }
func (k *arith[T]) abs(dst, a []T)    { k.absFn(dst, a) }
func (k *arith[T]) sign(dst, a []T)   { k.signFn(dst, a) }
func (k *arith[T]) exp(dst, a []T)    { k.expFn(dst, a) }

// keep sets dst[i] to 0 unless |l[i]| > limit[0].
func (k *arith[T]) keep(dst, l, limit []T) { k.zeroFn(dst, l, limit) }

func (k *arith[T]) neg(dst, a []T) { k.negFn(dst, a) }

// row returns piece i of the scratch, with n elements.
func row[T any](scratch []T, i, n int) []T { return scratch[i*chunk:][:n] }

// number returns a slice with one of the scratch's single numbers: the one with the index i.
func number[T any](scratch []T, i int) []T { return scratch[rows*chunk+i:][:1] }

// set sets number i of the scratch to v.
func (k *arith[T]) set(scratch []T, i int, v float32) []T {
	t := number(scratch, i)
	t[0] = k.of(v)
	return t
}

// oneMinus sets number i of the scratch to 1 - v.
func (k *arith[T]) oneMinus(scratch []T, i int, v []T) []T {
	t := k.set(scratch, i, 1)
	k.sub(t, t, v)
	return t
}

func basicF32() arith[float32] {
	return arith[float32]{addFn: elem.AddF32, subFn: elem.SubF32, mulFn: elem.MulF32, divFn: elem.DivF32,
		squareFn: elem.SquareF32, sqrtFn: elem.SqrtF32, rsqrtFn: elem.RsqrtF32, of: func(v float32) float32 { return v }}
}

func basicF64() arith[float64] {
	return arith[float64]{addFn: elem.AddF64, subFn: elem.SubF64, mulFn: elem.MulF64, divFn: elem.DivF64,
		squareFn: elem.SquareF64, sqrtFn: elem.SqrtF64, rsqrtFn: elem.RsqrtF64, of: func(v float32) float64 { return float64(v) }}
}

func basicF16() arith[tensor.F16] {
	return arith[tensor.F16]{addFn: elem.AddF16, subFn: elem.SubF16, mulFn: elem.MulF16, divFn: elem.DivF16,
		squareFn: elem.SquareF16, sqrtFn: elem.SqrtF16, rsqrtFn: elem.RsqrtF16, of: tensor.ToF16}
}

func basicBF16() arith[tensor.BF16] {
	return arith[tensor.BF16]{addFn: elem.AddBF16, subFn: elem.SubBF16, mulFn: elem.MulBF16, divFn: elem.DivBF16,
		squareFn: elem.SquareBF16, sqrtFn: elem.SqrtBF16, rsqrtFn: elem.RsqrtBF16, of: tensor.ToBF16}
}

func basicC64() arith[complex64] {
	return arith[complex64]{addFn: elem.AddC64, subFn: elem.SubC64, mulFn: elem.MulC64, divFn: elem.DivC64,
		squareFn: elem.SquareC64, sqrtFn: elem.SqrtC64, rsqrtFn: elem.RsqrtC64, of: func(v float32) complex64 { return complex(v, 0) }}
}

func basicC128() arith[complex128] {
	return arith[complex128]{addFn: elem.AddC128, subFn: elem.SubC128, mulFn: elem.MulC128, divFn: elem.DivC128,
		squareFn: elem.SquareC128, sqrtFn: elem.SqrtC128, rsqrtFn: elem.RsqrtC128, of: func(v float32) complex128 { return complex(float64(v), 0) }}
}

// The functions of real numbers are separate, so that programs which do not use them
// do not link them.

func realF32() arith[float32] {
	k := basicF32()
	k.absFn, k.signFn, k.negFn, k.expFn = elem.AbsF32, elem.SignF32, elem.NegF32, elem.ExpF32
	k.powFn, k.maxFn, k.minFn = elem.PowF32, larger, smaller
	k.zeroFn, k.num = keepAbove, value
	return k
}

func realF64() arith[float64] {
	k := basicF64()
	k.absFn, k.signFn, k.negFn, k.expFn = elem.AbsF64, elem.SignF64, elem.NegF64, elem.ExpF64
	k.powFn, k.maxFn, k.minFn = elem.PowF64, larger, smaller
	k.zeroFn, k.num = keepAbove, value
	return k
}

func realF16() arith[tensor.F16] {
	k := basicF16()
	k.absFn, k.signFn, k.negFn, k.expFn = elem.AbsF16, elem.SignF16, elem.NegF16, elem.ExpF16
	k.powFn, k.maxFn, k.minFn = elem.PowF16, largerHalf, smallerHalf
	k.zeroFn, k.num = keepAboveHalf, valueHalf
	return k
}

func realBF16() arith[tensor.BF16] {
	k := basicBF16()
	k.absFn, k.signFn, k.negFn, k.expFn = elem.AbsBF16, elem.SignBF16, elem.NegBF16, elem.ExpBF16
	k.powFn, k.maxFn, k.minFn = elem.PowBF16, largerHalf, smallerHalf
	k.zeroFn, k.num = keepAboveHalf, valueHalf
	return k
}

// half is an element type of 16 bits.
type half interface {
	tensor.F16 | tensor.BF16
	Float32() float32
}

func value[T float32 | float64](v T) float64 { return float64(v) }

func valueHalf[T half](v T) float64 { return float64(v.Float32()) }

func keepAbove[T float32 | float64](dst, l, limit []T) {
	dst, t := dst[:len(l)], limit[0]
	for i, v := range l {
		if !(v > t) && !(-v > t) {
			dst[i] = 0
		}
	}
}

func keepAboveHalf[T half](dst, l, limit []T) {
	dst, t := dst[:len(l)], limit[0].Float32()
	for i, h := range l {
		if v := h.Float32(); !(v > t) && !(-v > t) {
			dst[i] = 0
		}
	}
}

func larger[T float32 | float64](dst, a, b []T) {
	dst, step := dst[:len(a)], min(len(b)-1, 1)
	for i, v := range a {
		if w := b[i*step]; v < w {
			v = w
		}
		dst[i] = v
	}
}

func largerHalf[T half](dst, a, b []T) {
	dst, step := dst[:len(a)], min(len(b)-1, 1)
	for i, v := range a {
		if w := b[i*step]; v.Float32() < w.Float32() {
			v = w
		}
		dst[i] = v
	}
}

func smaller[T float32 | float64](dst, a, b []T) {
	dst, step := dst[:len(a)], min(len(b)-1, 1)
	for i, v := range a {
		if w := b[i*step]; v > w {
			v = w
		}
		dst[i] = v
	}
}

func smallerHalf[T half](dst, a, b []T) {
	dst, step := dst[:len(a)], min(len(b)-1, 1)
	for i, v := range a {
		if w := b[i*step]; v.Float32() > w.Float32() {
			v = w
		}
		dst[i] = v
	}
}
