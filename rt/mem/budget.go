package mem

import (
	"math"
	"sync"
	"sync/atomic"

	"github.com/graphc/graphc/rt/tensor"
)

// Budget is the memory that one run may still use. It is safe for concurrent use.
type Budget struct {
	limit int64
	used  atomic.Int64
	made  atomic.Int64 // how many of the bytes in use were counted by Make
	// the number of calls of Reset so far, which identifies the current run
	turn  atomic.Uint64
	ended func() error

	mu    sync.Mutex
	spare func(made int) (values, other int)
}

// Init sets the limit in bytes and the callbacks. The function ended returns the error with which
// the run was ended early, or nil while the run continues. The function spare, which may be nil, is
// called if a kernel needs more memory than is left. The argument of spare is the number of bytes
// that Make has counted. The function spare checks which of these bytes are still referenced, and
// releases other memory that the run does not use. Its results are the number of bytes of
// unreferenced values and the number of bytes released.
func (r *Budget) Init(limit int, ended func() error, spare func(made int) (values, other int)) {
	r.limit, r.ended, r.spare = int64(limit), ended, spare
}

// Reset begins a run that already holds n bytes.
func (r *Budget) Reset(n int) {
	r.used.Store(int64(n))
	r.made.Store(0)
	r.turn.Add(1)
}

// Used returns how many bytes the run holds.
func (r *Budget) Used() int {
	if r == nil {
		return 0
	}
	return int(r.used.Load())
}

// Left returns how many bytes the run may still take.
func (r *Budget) Left() int {
	if r == nil {
		return math.MaxInt
	}
	return max(0, int(r.limit-r.used.Load()))
}

// Take counts n bytes that the caller is about to allocate. If the run would exceed its limit, it
// counts nothing and returns ResourceExhausted.
func (r *Budget) Take(n int) error {
	if r == nil || r.take(n) {
		return nil
	}
	if int64(n) <= r.limit && r.Spare() && r.take(n) {
		return nil
	}
	return r.exhausted(n)
}

func (r *Budget) exhausted(n int) error {
	return tensor.Errorf(tensor.ResourceExhausted, "%d bytes of scratch are needed, the limit of a run is %d"+Raise, Add(n, r.Used()), r.limit)
}

// Spare tries to free memory by calling the function spare that was passed to Init. It subtracts the
// freed bytes from the bytes that the run holds. It reports whether any bytes were freed.
func (r *Budget) Spare() bool {
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

// Tight reports whether the run uses more than half of its limit and part of this memory was
// counted by Make. In this case it is worthwhile to check with Spare whether that part is still in
// use.
func (r *Budget) Tight() bool { return r.used.Load() > r.limit/2 && r.made.Load() > 0 }

// Make counts n bytes of a value that is about to be created, such as strings. A value that is no
// longer referenced still counts until Spare detects this. The error is ResourceExhausted, as for
// Take.
func (r *Budget) Make(n int) error {
	err := r.Take(n)
	if err == nil && r != nil {
		r.made.Add(int64(n))
	}
	return err
}

// Account refers to the budget of one run. An object that may outlive its run uses an Account
// instead of the Budget. The Account counts nothing after the end of the run.
type Account struct {
	run  *Budget
	turn uint64
}

// Account returns an account of the current run.
func (r *Budget) Account() Account {
	if r == nil {
		return Account{}
	}
	return Account{r, r.turn.Load()}
}

// Make counts n bytes, like Budget.Make, if the run of the account is still in progress. Goroutines
// of other runs may call it, too.
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

// Drop uncounts n bytes that Make counted.
func (a Account) Drop(n int) {
	if a.run != nil && a.run.turn.Load() == a.turn {
		a.run.made.Add(-int64(n))
		a.run.Give(n)
	}
}

// MustMake counts n bytes, like Make. If Make returns an error, MustMake panics with this error,
// which ends the run.
func (r *Budget) MustMake(n int) {
	if err := r.Make(n); err != nil {
		panic(err)
	}
}

func (r *Budget) take(n int) bool {
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

// Give uncounts n bytes that were counted and are not in use any more.
func (r *Budget) Give(n int) {
	if r != nil {
		r.used.Add(-int64(n))
	}
}

// Need counts n bytes, like Take. If Take returns an error, Need panics with this error, which ends
// the run.
func (r *Budget) Need(n int) {
	if err := r.Take(n); err != nil {
		panic(err)
	}
}

// Err returns the error with which the run was ended early, or nil while the run continues.
func (r *Budget) Err() error {
	if r == nil || r.ended == nil {
		return nil
	}
	return r.ended()
}

// Look panics with Ended if the run was ended early. Long kernels call it.
func (r *Budget) Look() {
	if err := r.Err(); err != nil {
		panic(Ended{err})
	}
}

// Ended is the panic value of a kernel whose run was ended early.
type Ended struct{ Reason error }
