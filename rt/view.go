package rt

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/graphc/graphc/rt/tensor"
)

// At returns n elements of type T, the first of which begins at b[off]. The result shares b's memory. At
// panics if the elements are not all within b. T must not hold pointers. At is not inlined: thousands
// of copies of its checks would slow down the compilation of emitted code.
//
//go:noinline
func At[T any](b []byte, off, n int) []T {
	var zero T
	b = b[off : off+n*int(unsafe.Sizeof(zero)) : len(b)]
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)
}

// Window returns a slice of n elements of v, beginning with v[off].
func Window[T any](v []T, off, n int) []T { return v[off : off+n : len(v)] }

// Bytes returns the memory of v as bytes. T must not hold pointers.
func Bytes[T any](v []T) []byte {
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*int(unsafe.Sizeof(zero)))
}

// Div returns floor(a / b). Division by zero panics with InvalidArgument, which ends the run.
func Div(a, b int) int {
	// The code is just small enough to be inlined. If b is a constant power of two, it becomes a
	// shift.
	if b > 0 && b&-b == b {
		return a >> bits.TrailingZeros64(uint64(b))
	}
	return div(a, b)
}

func div(a, b int) int {
	if b == 0 {
		panic(divByZero())
	}
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

// Mod returns a - b·floor(a / b).
func Mod(a, b int) int { return a - b*Div(a, b) }

func divByZero() error {
	return tensor.Errorf(tensor.InvalidArgument, "a size is divided by zero")
}

// Bcast returns the size of the dimension that results from broadcasting two dimensions: b if a is 1,
// else a.
func Bcast(a, b int) int {
	if a == 1 {
		return b
	}
	return a
}

// Mul returns a · b. On overflow it returns math.MaxInt or math.MinInt, depending on the sign. A size
// that overflows then exceeds the memory limit of a run instead of wrapping around.
//
//go:noinline
func Mul(a, b int) int {
	p := a * b
	if a == 0 || p/a == b && !(a == -1 && b == math.MinInt) {
		return p
	}
	if (a < 0) == (b < 0) {
		return math.MaxInt
	}
	return math.MinInt
}

// Add returns a + b. On overflow it saturates like Mul.
//
//go:noinline
func Add(a, b int) int {
	s := a + b
	switch {
	case a > 0 && b > 0 && s < 0:
		return math.MaxInt
	case a < 0 && b < 0 && s >= 0:
		return math.MinInt
	}
	return s
}

// MulSize returns a · b. If the result overflows, it panics with InvalidArgument, which ends the
// run. TensorFlow does the same for the number of elements of a shape.
//
//go:noinline
func MulSize(a, b int) int {
	if p := a * b; a == 0 || p/a == b && !(a == -1 && b == math.MinInt) {
		return p
	}
	panic(tensor.Errorf(tensor.InvalidArgument, "a shape has too many elements: %d times %d", a, b))
}

// AddSize returns a + b. It panics like MulSize if the result overflows.
//
//go:noinline
func AddSize(a, b int) int {
	s := a + b
	if a > 0 && b > 0 && s < 0 || a < 0 && b < 0 && s >= 0 {
		panic(tensor.Errorf(tensor.InvalidArgument, "a size is too large: %d and %d", a, b))
	}
	return s
}
