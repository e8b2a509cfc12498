// Package budget is what the steps of a run share beyond the buffers that the plan gives
// them: how many bytes the run may still take, and whether it has been given up.
//
// A kernel whose first parameter is a *Run is given that of the run that calls it. It
// takes what it allocates by sizes that are fed, before it allocates, and looks whether
// the run goes on at least as often as its work takes some milliseconds. A nil *Run has
// no limit and no end.
package budget

import (
	"math"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// Run is the budget of one run. Any number of goroutines may use it.
type Run struct {
	limit int64
	used  atomic.Int64
	made  atomic.Int64  // of these what Make counts
	turn  atomic.Uint64 // counts the runs that have this budget in turn
	ended func() error

	mu    sync.Mutex
	spare func(made int) (values, other int)
}

// Init readies a budget of limit bytes. ended returns why the run has been given up, nil
// while it goes on. spare, which may be nil, is called where a kernel asks for more than there is:
// it looks which values are still in use of made bytes that Make has counted, lets go of memory
// that counts but that the run does not use, and returns how many bytes less of each there are.
func (r *Run) Init(limit int, ended func() error, spare func(made int) (values, other int)) {
	r.limit, r.ended, r.spare = int64(limit), ended, spare
}

// Reset begins a run that holds n bytes already.
func (r *Run) Reset(n int) {
	r.used.Store(int64(n))
	r.made.Store(0)
	r.turn.Add(1)
}

// Used returns how many bytes the run holds.
func (r *Run) Used() int {
	if r == nil {
		return 0
	}
	return int(r.used.Load())
}

// Left returns how many bytes the run may still take.
func (r *Run) Left() int {
	if r == nil {
		return math.MaxInt
	}
	return max(0, int(r.limit-r.used.Load()))
}

// Take counts n bytes that are about to be allocated. It is ResourceExhausted where the run
// would hold more than its limit, and counts nothing then.
func (r *Run) Take(n int) error {
	if r == nil || r.take(n) {
		return nil
	}
	if int64(n) <= r.limit && r.Spare() && r.take(n) {
		return nil
	}
	return r.exhausted(n)
}

func (r *Run) exhausted(n int) error {
	return tensor.Errorf(tensor.ResourceExhausted, "%d bytes of scratch are needed, the limit of a run is %d"+mem.Raise, Add(n, r.Used()), r.limit)
}

// Spare has what is not in use counted no more. It reports whether there was any.
func (r *Run) Spare() bool {
	if r.spare == nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	values, other := r.spare(int(r.made.Load()))
	r.made.Add(-int64(values))
	r.Give(values + other)
	return values+other > 0
}

// Tight reports whether more than half of what the run may take is in use, part of it by
// values: then it is worth a look whether these are still in use; see Spare.
func (r *Run) Tight() bool { return r.used.Load() > r.limit/2 && r.made.Load() > 0 }

// Make counts n bytes of a value that is about to be made, as texts. When nothing refers to it
// any more it counts until Spare finds that. It is ResourceExhausted as Take is.
func (r *Run) Make(n int) error {
	err := r.Take(n)
	if err == nil && r != nil {
		r.made.Add(int64(n))
	}
	return err
}

// Account is the budget of one run as what outlives runs keeps it: when the run has ended, it
// counts nothing.
type Account struct {
	run  *Run
	turn uint64
}

// Account returns an account of the run under way.
func (r *Run) Account() Account {
	if r == nil {
		return Account{}
	}
	return Account{r, r.turn.Load()}
}

// Make is Run.Make that anybody may call, whichever run they work for.
func (a Account) Make(n int) error {
	if a.run == nil || a.run.turn.Load() != a.turn {
		return nil
	}
	if !a.run.take(n) {
		return a.run.exhausted(n)
	}
	a.run.made.Add(int64(n))
	return nil
}

// Drop counts n bytes no more that Make has counted.
func (a Account) Drop(n int) {
	if a.run != nil && a.run.turn.Load() == a.turn {
		a.run.made.Add(-int64(n))
		a.run.Give(n)
	}
}

// MustMake is Make whose error ends the run, as a panic.
func (r *Run) MustMake(n int) {
	if err := r.Make(n); err != nil {
		panic(err)
	}
}

func (r *Run) take(n int) bool {
	for {
		used := r.used.Load()
		if n > 0 && int64(n) > r.limit-used {
			return false
		}
		if r.used.CompareAndSwap(used, used+int64(n)) {
			return true
		}
	}
}

// Give takes back n bytes that were taken and are in use no more.
func (r *Run) Give(n int) {
	if r != nil {
		r.used.Add(-int64(n))
	}
}

// Need is Take whose error ends the run, as a panic.
func (r *Run) Need(n int) {
	if err := r.Take(n); err != nil {
		panic(err)
	}
}

// Err returns why the run has been given up, nil while it goes on.
func (r *Run) Err() error {
	if r == nil || r.ended == nil {
		return nil
	}
	return r.ended()
}

// Look ends a kernel whose run has been given up, by a panic with the reason.
func (r *Run) Look() {
	if err := r.Err(); err != nil {
		panic(Ended{err})
	}
}

// Ended is the panic of a kernel whose run has been given up.
type Ended struct{ Reason error }

// lookEvery is how many units of work, each of about a nanosecond, lie between two looks.
const lookEvery = 1 << 20

// Call is what one call of a kernel has of its run's budget: memory that counts until the
// call ends, and a count of the work since it has looked last.
type Call struct {
	run  *Run
	held int
	left int
}

// Call begins a call; Free ends it. What a nil *Call makes does not count.
func (r *Run) Call() Call { return Call{run: r, left: lookEvery} }

// Run returns the run's budget, nil where there is none.
func (c *Call) Run() *Run {
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
// be done, and looks after about a million; see Run.Look.
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
