package strs

import (
	"fmt"

	"github.com/graphc/graphc/rt/tensor"
)

// FormatParams is the format of AsString: a verb for package fmt. For a complex number, the verb is
// used for the real and for the imaginary part.
type FormatParams struct{ Verb string }

func format[T any](dst []string, src []T, p FormatParams) {
	for i, v := range src {
		dst[i] = fmt.Sprintf(p.Verb, v)
	}
}

// floats formats numbers in the same way as C's printf does with %f, %e and %g. It writes inf and
// nan for infinities and NaN.
func floats[T any](dst []string, src []T, p FormatParams, wide func(T) float64) {
	for i, v := range src {
		dst[i] = cfloat(p.Verb, wide(v))
	}
}

// cfloat formats v as C's printf does, with inf and nan for infinities and NaN.
func cfloat(verb string, v float64) string {
	switch {
	case v != v:
		return "nan"
	case v-v != 0 && v > 0:
		return "inf"
	case v-v != 0:
		return "-inf"
	}
	return fmt.Sprintf(verb, v)
}

// FormatF32 writes dst[i] as C's printf does with the verb %f, %e or %g.
func FormatF32(dst []string, src []float32, p FormatParams) {
	floats(dst, src, p, func(v float32) float64 { return float64(v) })
}

// FormatF64 is FormatF32 for f64.
func FormatF64(dst []string, src []float64, p FormatParams) {
	floats(dst, src, p, func(v float64) float64 { return v })
}

// FormatF16 is FormatF32 for f16.
func FormatF16(dst []string, src []tensor.F16, p FormatParams) {
	floats(dst, src, p, func(v tensor.F16) float64 { return float64(v.Float32()) })
}

// FormatBF16 is FormatF32 for bf16.
func FormatBF16(dst []string, src []tensor.BF16, p FormatParams) {
	floats(dst, src, p, func(v tensor.BF16) float64 { return float64(v.Float32()) })
}

// FormatC64 writes dst[i] as (re,im), with both numbers formatted as by FormatF32.
func FormatC64(dst []string, src []complex64, p FormatParams) {
	for i, v := range src {
		dst[i] = "(" + cfloat(p.Verb, float64(real(v))) + "," + cfloat(p.Verb, float64(imag(v))) + ")"
	}
}

// FormatC128 is FormatC64 for c128.
func FormatC128(dst []string, src []complex128, p FormatParams) {
	for i, v := range src {
		dst[i] = "(" + cfloat(p.Verb, real(v)) + "," + cfloat(p.Verb, imag(v)) + ")"
	}
}

// FormatString copies strings, padded to the verb's width.
func FormatString(dst, src []string, p FormatParams) { format(dst, src, p) }
