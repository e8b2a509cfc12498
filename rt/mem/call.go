package mem

import (
	"math"
	"math/bits"
	"slices"
	"unsafe"
)

// lookEvery is the number of units of work between two calls of Budget.Look; a unit takes about a
// nanosecond.
const lookEvery = 1 << 20

// Call is the state of one call of a kernel: the memory that counts until the call ends, and the
// work since the last call of Budget.Look.
type Call struct {
	run  *Budget
	held int
	left int
}

// Call returns the state for one call of a kernel, which must call Free at its end. Memory that is
// allocated with a nil *Call is not counted.
func (r *Budget) Call() Call { return Call{run: r, left: lookEvery} }

// Budget returns the run's budget; it may be nil.
func (c *Call) Budget() *Budget {
	if c == nil {
		return nil
	}
	return c.run
}

// Need counts n bytes that the kernel is about to allocate. If they exceed the run's limit, Need ends
// the run by a panic.
func (c *Call) Need(n int) {
	if c != nil {
		c.run.Need(n)
		c.held += n
	}
}

// Work counts n operations of about a nanosecond each, before or after the caller does them. Each
// time it has counted about a million operations, it calls Budget.Look.
func (c *Call) Work(n int) {
	if c.left -= n; c.left < 0 {
		c.look()
	}
}

func (c *Call) look() {
	c.left = lookEvery
	c.run.Look()
}

// Mark returns how many bytes the call holds, for Release.
func (c *Call) Mark() int { return c.held }

// Release stops counting the bytes that the call has counted since an earlier use of the method Mark.
// The parameter mark is the result that Mark returned then.
func (c *Call) Release(mark int) {
	c.run.Give(c.held - mark)
	c.held = mark
}

// Free uncounts all bytes of the call.
func (c *Call) Free() { c.Release(0) }

// Make returns a slice whose length is the product of dims, which must not be negative. Its memory
// counts until c is freed. Beyond the limit of the run, Make ends the run.
func Make[T any](c *Call, dims ...int) []T {
	var zero T
	n := Len(dims...)
	c.Need(Mul(n, int(unsafe.Sizeof(zero))))
	return make([]T, n)
}

// Append appends the values v to the slice s, like the built-in function append. The memory that it
// allocates counts until c is freed.
func Append[T any](c *Call, s []T, v ...T) []T {
	return append(Grow(c, s, len(v)), v...)
}

// Grow returns s with room for n more elements. The memory counts until c is freed.
func Grow[T any](c *Call, s []T, n int) []T {
	if n <= cap(s)-len(s) {
		return s
	}
	var zero T
	size, before, more := int(unsafe.Sizeof(zero)), cap(s), max(n, cap(s), 8)
	c.Need(Mul(more, size))
	s = slices.Grow(s, more)
	c.Need((cap(s) - before - more) * size) // slices.Grow may round the capacity up
	return s
}

// Len returns the product of dims, or math.MaxInt on overflow.
func Len(dims ...int) int {
	n := 1
	for _, d := range dims {
		n = Mul(n, d)
	}
	return n
}

// Mul returns a · b for non-negative numbers, or math.MaxInt on overflow.
func Mul(a, b int) int {
	if hi, lo := bits.Mul64(uint64(a), uint64(b)); hi == 0 && lo <= math.MaxInt {
		return int(lo)
	}
	return math.MaxInt
}

// Add returns a + b for non-negative numbers, or math.MaxInt on overflow.
func Add(a, b int) int {
	if s := a + b; s >= 0 {
		return s
	}
	return math.MaxInt
}
