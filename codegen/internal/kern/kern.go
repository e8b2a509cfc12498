// Package kern holds kernels for tests of emitted code: one for each form of argument or result.
package kern

import (
	"math"
	"strings"
	"sync/atomic"

	"github.com/graphc/graphc/rt/tensor"
)

// Mode is a named enumeration.
type Mode uint8

// Name is a named string.
type Name string

// Pair is a struct in a struct.
type Pair struct{ A, B int }

// Params has a field of each kind.
type Params struct {
	N     int
	Dims  [4]int
	Scale float32
	Mode  Mode
	Pair  Pair
	List  []int64
	Text  string
	On    bool
}

// Scale computes dst[i] = src[i]·p.Scale + p.Pair.A. The slice dst may be src.
func Scale(dst, src []float32, p Params) {
	for i, x := range src[:p.N] {
		dst[i] = x*p.Scale + float32(p.Pair.A)
	}
}

// SumParams are the params of a sum of optional operands of type T.
type SumParams[T any] struct {
	N     int
	Scale float32
	A, B  []T // nil if missing
}

// SumF32 computes dst[i] = (p.A[i] + p.B[i])·p.Scale.
func SumF32(dst []float32, p SumParams[float32]) {
	for i := range dst[:p.N] {
		dst[i] = (operand(p.A, i) + operand(p.B, i)) * p.Scale
	}
}

// SumF16 does the same as SumF32, for elements of type f16.
func SumF16(dst []tensor.F16, p SumParams[tensor.F16]) {
	for i := range dst[:p.N] {
		dst[i] = tensor.ToF16((operand(p.A, i).Float32() + operand(p.B, i).Float32()) * p.Scale)
	}
}

// operand returns s[i], or 0 if s is nil.
func operand[T any](s []T, i int) (v T) {
	if s != nil {
		v = s[i]
	}
	return v
}

// Add computes dst[i] = a[i] + b[i % len(b)]. The slice dst may be a.
func Add(dst, a, b []float32) {
	for i, x := range a {
		dst[i] = x + b[i%len(b)]
	}
}

// Fill stores v everywhere.
func Fill(dst []float32, v float32) {
	for i := range dst {
		dst[i] = v
	}
}

// Bits stores the bits of the values of v, of d, and of c's imaginary part.
func Bits(dst []int64, v []float32, d float64, c complex64) {
	for i, x := range v {
		dst[i] = int64(math.Float32bits(x))
	}
	dst[len(v)] = int64(math.Float64bits(d))
	dst[len(v)+1] = int64(math.Float32bits(imag(c)))
}

// Positive stores the elements of src that are above 0, and returns the number of these elements.
func Positive(dst, src []float32) int {
	n := 0
	for _, x := range src {
		if x > 0 {
			dst[n] = x
			n++
		}
	}
	return n
}

// Half returns n/2 if n is even, and an error if n is odd.
func Half(n int) (int, error) {
	if n%2 != 0 {
		return 0, tensor.Errorf(tensor.InvalidArgument, "%d is odd", n)
	}
	return n / 2, nil
}

// Upper computes TensorFlow's StringUpper for ASCII strings, and appends suffix to each result.
func Upper(dst, src []string, suffix string) {
	for i, s := range src {
		dst[i] = strings.ToUpper(s) + suffix
	}
}

// Dims stores sizes, then the mode m and the length of the name n.
func Dims(dst []int64, sizes []int, m Mode, n Name) {
	for i, x := range sizes {
		dst[i] = int64(x)
	}
	dst[len(sizes)] = int64(m)
	dst[len(sizes)+1] = int64(len(n))
}

// Small returns an error if n is larger than the parameter most.
func Small(n, most int) error {
	if n > most {
		return tensor.Errorf(tensor.InvalidArgument, "%d is more than %d", n, most)
	}
	return nil
}

// Crash panics if the first element is above 1e6.
func Crash(dst, src []float32) {
	if len(src) > 0 && src[0] > 1e6 {
		var none []float32
		dst[0] = none[len(src)]
	}
	copy(dst, src)
}

// Count adds n to the state and stores the previous value.
func Count(dst, state []int64, n int) { dst[0] = atomic.AddInt64(&state[0], int64(n)) - int64(n) }

// Ticks counts the calls of Tick. Each call of Tick calls OnTick if it is set, for tests that
// inspect a run.
var (
	Ticks  atomic.Int64
	OnTick func(n int64)
)

// Tick stores v.
func Tick(dst []int64, v int) {
	n := Ticks.Add(1)
	if OnTick != nil {
		OnTick(n)
	}
	dst[0] = int64(v)
}
