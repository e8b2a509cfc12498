package mem

import (
	"math"
	"sync"
	"sync/atomic"

	"github.com/graphc/graphc/rt/tensor"
)

// Budget is what one run may take. Any number of goroutines may use it.
type Budget struct {
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
func (r *Budget) Init(limit int, ended func() error, spare func(made int) (values, other int)) {
	r.limit, r.ended, r.spare = int64(limit), ended, spare
}

// Reset begins a run that holds n bytes already.
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

// Take counts n bytes that are about to be allocated. It is ResourceExhausted where the run
// would hold more than its limit, and counts nothing then.
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

// Spare has what is not in use counted no more. It reports whether there was any.
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

// Tight reports whether more than half of what the run may take is in use, part of it by
// values: then it is worth a look whether these are still in use; see Spare.
func (r *Budget) Tight() bool { return r.used.Load() > r.limit/2 && r.made.Load() > 0 }

// Make counts n bytes of a value that is about to be made, as texts. When nothing refers to it
// any more it counts until Spare finds that. It is ResourceExhausted as Take is.
func (r *Budget) Make(n int) error {
	err := r.Take(n)
	if err == nil && r != nil {
		r.made.Add(int64(n))
	}
	return err
}

// Account is the budget of one run as what outlives runs keeps it: when the run has ended, it
// counts nothing.
type Account struct {
	run  *Budget
	turn uint64
}

// Account returns an account of the run under way.
func (r *Budget) Account() Account {
	if r == nil {
		return Account{}
	}
	return Account{r, r.turn.Load()}
}

// Make is Budget.Make that anybody may call, whichever run they work for.
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

// Give takes back n bytes that were taken and are in use no more.
func (r *Budget) Give(n int) {
	if r != nil {
		r.used.Add(-int64(n))
	}
}

// Need is Take whose error ends the run, as a panic.
func (r *Budget) Need(n int) {
	if err := r.Take(n); err != nil {
		panic(err)
	}
}

// Err returns why the run has been given up, nil while it goes on.
func (r *Budget) Err() error {
	if r == nil || r.ended == nil {
		return nil
	}
	return r.ended()
}

// Look ends a kernel whose run has been given up, by a panic with the reason.
func (r *Budget) Look() {
	if err := r.Err(); err != nil {
		panic(Ended{err})
	}
}

// Ended is the panic of a kernel whose run has been given up.
type Ended struct{ Reason error }
