package mem

import (
	"math"
	"math/bits"
	"slices"
	"unsafe"
)

// lookEvery is how many units of work, each of about a nanosecond, lie between two looks.
const lookEvery = 1 << 20

// Call is what one call of a kernel has of its run's budget: memory that counts until the
// call ends, and a count of the work since it has looked last.
type Call struct {
	run  *Budget
	held int
	left int
}

// Call begins a call; Free ends it. What a nil *Call makes does not count.
func (r *Budget) Call() Call { return Call{run: r, left: lookEvery} }

// Budget returns the run's budget, nil where there is none.
func (c *Call) Budget() *Budget {
	if c == nil {
		return nil
	}
	return c.run
}

// Need counts n bytes; it ends the run where these are too many.
func (c *Call) Need(n int) {
	if c != nil {
		c.run.Need(n)
		c.held += n
	}
}

// Work counts n operations of about a nanosecond each that have been done or are about to
// be done, and looks after about a million; see Budget.Look.
func (c *Call) Work(n int) {
	if c.left -= n; c.left < 0 {
		c.look()
	}
}

func (c *Call) look() {
	c.left = lookEvery
	c.run.Look()
}

// Mark returns how many bytes the call holds; Release gives back what it has taken since.
func (c *Call) Mark() int { return c.held }

// Release ends the use of what the call has taken since Mark returned mark.
func (c *Call) Release(mark int) {
	c.run.Give(c.held - mark)
	c.held = mark
}

// Free ends the use of the call's memory.
func (c *Call) Free() { c.Release(0) }

// Make makes a slice as long as the product of dims, which are not negative. It counts
// until c is freed. Where it is more than the run may take, the run ends.
func Make[T any](c *Call, dims ...int) []T {
	var zero T
	n := Len(dims...)
	c.Need(Mul(n, int(unsafe.Sizeof(zero))))
	return make([]T, n)
}

// Append is append to a slice whose memory counts until c is freed.
func Append[T any](c *Call, s []T, v ...T) []T {
	return append(Grow(c, s, len(v)), v...)
}

// Grow returns s with room for n elements more, whose memory counts until c is freed.
func Grow[T any](c *Call, s []T, n int) []T {
	if n <= cap(s)-len(s) {
		return s
	}
	var zero T
	size, before, more := int(unsafe.Sizeof(zero)), cap(s), max(n, cap(s), 8)
	c.Need(Mul(more, size))
	s = slices.Grow(s, more)
	c.Need((cap(s) - before - more) * size) // a few, as sizes are rounded
	return s
}

// Len is the product of dims, math.MaxInt where an int does not hold it.
func Len(dims ...int) int {
	n := 1
	for _, d := range dims {
		n = Mul(n, d)
	}
	return n
}

// Mul is a · b for numbers that are not negative, math.MaxInt where an int does not hold it.
func Mul(a, b int) int {
	if hi, lo := bits.Mul64(uint64(a), uint64(b)); hi == 0 && lo <= math.MaxInt {
		return int(lo)
	}
	return math.MaxInt
}

// Add is a + b for numbers that are not negative, math.MaxInt where an int does not hold it.
func Add(a, b int) int {
	if s := a + b; s >= 0 {
		return s
	}
	return math.MaxInt
}
