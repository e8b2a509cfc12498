package cases

import (
	"cmp"
	"fmt"
	"math"
	"math/cmplx"
	"strconv"

	"github.com/graphc/graphc/rt/tensor"
)

// Mismatch describes the differences of two tensors of the same dtype and shape.
type Mismatch struct {
	Index     []int  // index of the first element that differs
	Got, Want string // its values
	MaxAbs    float64
	MaxRel    float64 // largest relative difference; ignores elements whose expected value is 0 or not finite
	Count     int     // differing elements
	Total     int     // all elements
}

// Error returns a text of the form `[0,3]: got 1, want 2 (2 of 8 differ, max abs 1, max rel 0.5)`.
func (m *Mismatch) Error() string {
	return fmt.Sprintf("%v: got %s, want %s (%d of %d differ, max abs %.3g, max rel %.3g)",
		tensor.Shape(m.Index), m.Got, m.Want, m.Count, m.Total, m.MaxAbs, m.MaxRel)
}

// Compare returns an error if the tensors got and want differ. It compares the dtype and the shape
// first, and then every element. Floats and complex numbers agree if |got-want| <= atol +
// rtol·|want|. NaN is equal to NaN, and an infinity is equal only to the same infinity. Integers,
// bools and strings must be equal; but if atol >= 1, integers may differ by atol. If elements
// differ, the error is a *Mismatch.
func Compare(got, want *tensor.Tensor, rtol, atol float64) error {
	switch {
	case got == nil:
		return fmt.Errorf("no value, want %v", want)
	case got.DType != want.DType:
		return fmt.Errorf("got %v, want %v", got, want)
	case !got.Shape.Equal(want.Shape):
		return fmt.Errorf("got shape %v, want %v", got.Shape, want.Shape)
	case got.Len() != want.Len():
		return fmt.Errorf("got %d elements, want %d", got.Len(), want.Len())
	}
	switch g := got.Data.(type) {
	case []float32:
		return floats(want.Shape, g, tensor.Data[float32](want), func(v float32) float64 { return float64(v) }, 32, rtol, atol)
	case []float64:
		return floats(want.Shape, g, tensor.Data[float64](want), func(v float64) float64 { return v }, 64, rtol, atol)
	case []tensor.F16:
		return floats(want.Shape, g, tensor.Data[tensor.F16](want), func(v tensor.F16) float64 { return float64(v.Float32()) }, 32, rtol, atol)
	case []tensor.BF16:
		return floats(want.Shape, g, tensor.Data[tensor.BF16](want), func(v tensor.BF16) float64 { return float64(v.Float32()) }, 32, rtol, atol)
	case []complex64:
		return complexes(want.Shape, g, tensor.Data[complex64](want), func(v complex64) complex128 { return complex128(v) }, rtol, atol)
	case []complex128:
		return complexes(want.Shape, g, tensor.Data[complex128](want), func(v complex128) complex128 { return v }, rtol, atol)
	case []int8:
		return ints(want.Shape, g, tensor.Data[int8](want), atol)
	case []int16:
		return ints(want.Shape, g, tensor.Data[int16](want), atol)
	case []int32:
		return ints(want.Shape, g, tensor.Data[int32](want), atol)
	case []int64:
		return ints(want.Shape, g, tensor.Data[int64](want), atol)
	case []uint8:
		return ints(want.Shape, g, tensor.Data[uint8](want), atol)
	case []uint16:
		return ints(want.Shape, g, tensor.Data[uint16](want), atol)
	case []uint32:
		return ints(want.Shape, g, tensor.Data[uint32](want), atol)
	case []uint64:
		return ints(want.Shape, g, tensor.Data[uint64](want), atol)
	case []bool:
		return exact(want.Shape, g, tensor.Data[bool](want), strconv.FormatBool)
	case []string:
		return exact(want.Shape, g, tensor.Data[string](want), quote)
	}
	return fmt.Errorf("tensors of %v cannot be compared", got.DType)
}

// tally collects the differing elements of one comparison.
type tally struct {
	shape tensor.Shape
	m     *Mismatch
}

func (t *tally) bad(i, total int, got, want string) {
	if t.m == nil {
		t.m = &Mismatch{Index: coords(t.shape, i), Got: got, Want: want, Total: total}
	}
	t.m.Count++
}

// far updates the largest absolute and relative differences with the difference of one element. The
// parameter want is the magnitude of the expected value.
func (t *tally) far(diff, want float64) {
	t.m.MaxAbs = max(t.m.MaxAbs, diff)
	if want != 0 && !math.IsInf(want, 0) && !math.IsNaN(want) {
		t.m.MaxRel = max(t.m.MaxRel, diff/want)
	}
}

func (t *tally) err() error {
	if t.m == nil {
		return nil
	}
	return t.m
}

func floats[T any](shape tensor.Shape, got, want []T, f func(T) float64, bits int, rtol, atol float64) error {
	t := tally{shape: shape}
	for i := range want {
		g, w := f(got[i]), f(want[i])
		if g == w || g != g && w != w {
			continue
		}
		d := math.Abs(g - w)
		if d <= atol+rtol*math.Abs(w) && !math.IsInf(w, 0) {
			continue
		}
		t.bad(i, len(want), strconv.FormatFloat(g, 'g', -1, bits), strconv.FormatFloat(w, 'g', -1, bits))
		t.far(d, math.Abs(w))
	}
	return t.err()
}

func complexes[T any](shape tensor.Shape, got, want []T, f func(T) complex128, rtol, atol float64) error {
	t := tally{shape: shape}
	for i := range want {
		g, w := f(got[i]), f(want[i])
		if g == w || isNaN(g) && isNaN(w) {
			continue
		}
		d := cmplx.Abs(g - w)
		if d <= atol+rtol*cmplx.Abs(w) && !cmplx.IsInf(w) {
			continue
		}
		t.bad(i, len(want), fmt.Sprint(g), fmt.Sprint(w))
		t.far(d, cmplx.Abs(w))
	}
	return t.err()
}

// isNaN reports whether the real or the imaginary part is NaN, as in NumPy. cmplx.IsNaN would
// return false if the other part is infinite.
func isNaN(c complex128) bool { return math.IsNaN(real(c)) || math.IsNaN(imag(c)) }

func ints[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](shape tensor.Shape, got, want []T, atol float64) error {
	t := tally{shape: shape}
	for i, w := range want {
		g := got[i]
		if g == w {
			continue
		}
		d := float64(max(g, w)) - float64(min(g, w))
		if atol >= 1 && d <= atol {
			continue
		}
		t.bad(i, len(want), fmt.Sprint(g), fmt.Sprint(w))
		t.far(d, math.Abs(float64(w)))
	}
	return t.err()
}

func exact[T comparable](shape tensor.Shape, got, want []T, format func(T) string) error {
	t := tally{shape: shape}
	for i, w := range want {
		if got[i] != w {
			t.bad(i, len(want), format(got[i]), format(w))
		}
	}
	return t.err()
}

// quote quotes and shortens long strings.
func quote(s string) string {
	const most = 80
	if len(s) > most {
		return strconv.Quote(s[:most]) + "…" + fmt.Sprintf("(%d bytes)", len(s))
	}
	return strconv.Quote(s)
}

// coords turns a row-major position into an index.
func coords(shape tensor.Shape, i int) []int {
	at := make([]int, len(shape))
	for d := len(shape) - 1; d >= 0; d-- {
		n := cmp.Or(shape[d], 1)
		at[d] = i % n
		i /= n
	}
	return at
}

// Floats returns the elements of a floating-point tensor; ok is false for other types.
func Floats(t *tensor.Tensor) ([]float64, bool) {
	out := make([]float64, t.Len())
	switch d := t.Data.(type) {
	case []float32:
		for i, v := range d {
			out[i] = float64(v)
		}
	case []float64:
		copy(out, d)
	case []tensor.F16:
		for i, v := range d {
			out[i] = float64(v.Float32())
		}
	case []tensor.BF16:
		for i, v := range d {
			out[i] = float64(v.Float32())
		}
	default:
		return nil, false
	}
	return out, true
}
