package cases

import (
	"math"

	"github.com/graphc/graphc/rt/tensor"
)

// FlushDenormals is the tag of cases that were recorded while the processor replaced denormal
// numbers by zeros. A program that computes with denormals may run such a case again with zeros
// instead of the denormals in the feeds. Its results then have to equal the recorded ones up to an
// absolute error of Denormal.
const FlushDenormals = "flush-denormals"

// Smallest normal numbers.
const (
	normal32 = 0x1p-126
	normal64 = 0x1p-1022
)

// Denormal returns the magnitude below which numbers of type d are denormal, or 0 for types whose
// denormals no processor flushes.
func Denormal(d tensor.DType) float64 {
	switch d {
	case tensor.Float32, tensor.BFloat16, tensor.Complex64:
		return normal32
	case tensor.Float64, tensor.Complex128:
		return normal64
	}
	return 0
}

// Flushed returns a copy of t in which zeros of the same sign replace the denormal numbers. It
// returns t itself if Denormal is 0 for t's type.
func Flushed(t *tensor.Tensor) *tensor.Tensor {
	var data any
	switch d := t.Data.(type) {
	case []float32:
		data = flushed(d, func(v float32) float32 { return float32(flush(float64(v), normal32)) })
	case []tensor.BF16:
		data = flushed(d, func(v tensor.BF16) tensor.BF16 { return tensor.ToBF16(float32(flush(float64(v.Float32()), normal32))) })
	case []float64:
		data = flushed(d, func(v float64) float64 { return flush(v, normal64) })
	case []complex64:
		data = flushed(d, func(v complex64) complex64 {
			return complex(float32(flush(float64(real(v)), normal32)), float32(flush(float64(imag(v)), normal32)))
		})
	case []complex128:
		data = flushed(d, func(v complex128) complex128 { return complex(flush(real(v), normal64), flush(imag(v), normal64)) })
	default:
		return t
	}
	return &tensor.Tensor{DType: t.DType, Shape: t.Shape, Data: data}
}

func flushed[T any](src []T, f func(T) T) []T {
	out := make([]T, len(src))
	for i, v := range src {
		out[i] = f(v)
	}
	return out
}

func flush(v, least float64) float64 {
	if math.Abs(v) < least {
		return math.Copysign(0, v)
	}
	return v
}
