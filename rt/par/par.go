// Package par runs the parts of one task on several threads. A team has helpers that spin during a
// run and sleep between runs.
//
// Work is claimed in chunks. Each participant claims chunks from its own range and, when this range
// is empty, from the end of another participant's range. The caller works, too, and takes over
// chunks that helpers have not begun. Therefore, if the operating system delays a helper, only the
// helper's current chunk is delayed. Goroutines and channels would be too slow: a chunk takes
// microseconds, as long as waking a goroutine.
package par

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// Task is the work of a team. Chunk runs the n items from item lo on, as participant w. Chunks run
// concurrently and in any order.
type Task interface {
	Chunk(w, lo, n int)
}

// line is the size in bytes of a cache line. Fields that different participants write are that far
// apart.
const line = 64

// slot is one participant's part of the team's state.
type slot struct {
	// next is the first unclaimed chunk of the participant's range (upper 32 bits), and the end of
	// the range (lower 32 bits).
	next atomic.Uint64
	_    [line - 8]byte
	// done counts the chunks that the participant has finished, over all tasks.
	done atomic.Uint64
	_    [line - 8]byte
}

// Team is a caller and its helpers. One run at a time uses it.
type Team struct {
	slots []slot
	taken atomic.Bool
	// live is odd while a run uses the team. Helpers sleep after live has been even for a while.
	live atomic.Uint64
	// the number of tasks begun so far; helpers look for work when it changes
	epoch  atomic.Uint64
	asleep atomic.Int32 // the number of helpers that wait for the channel wake
	wake   chan struct{}
	begun  atomic.Bool
	eager  atomic.Bool // whether Run wakes sleeping helpers; set by Take
	// active is the largest number of participants that the run may have. If the team has more
	// participants, joined counts those that have tried to take part, including the caller. They are
	// accepted in the order in which they try, until the largest number is reached.
	active, joined atomic.Int32

	// During a pause, no helper is woken, because the machine has fewer free processors than the team
	// has participants. resting is the end of the pause, in nanoseconds since the time in the variable
	// start; 0 means no pause. rest is the length of the last pause in nanoseconds. It is halved when
	// a helper has looked for work for a long time without losing its processor.
	resting, rest atomic.Int64

	task  Task
	total int // items
	size  int // items per chunk
	// if not 0, a chunk ends at each multiple of this number of items
	wrap    int
	claimed uint64

	mu    sync.Mutex
	fault any
}

// New returns a team of n participants, including the caller. Its helpers start when it is first
// used.
func New(n int) *Team {
	n = max(n, 1)
	return &Team{slots: make([]slot, n), wake: make(chan struct{}, n)}
}

// Size returns the number of participants.
func (t *Team) Size() int { return len(t.slots) }

// Take claims the team for a run, and wakes sleeping helpers if wake is set. It returns false if
// another run uses the team.
func (t *Team) Take(wake bool) bool {
	if len(t.slots) < 2 || !t.taken.CompareAndSwap(false, true) {
		return false
	}
	t.active.Store(int32(len(t.slots)))
	t.joined.Store(1)
	t.live.Add(1)
	t.eager.Store(wake)
	if t.begun.CompareAndSwap(false, true) {
		for w := 1; w < len(t.slots); w++ {
			h := &helper{team: t, w: w}
			go h.loop()
		}
		return true
	}
	if wake {
		t.rouse()
	}
	return true
}

// Limit bounds the participants of the run that uses the team, including the caller.
func (t *Team) Limit(n int) { t.active.Store(int32(min(max(n, 1), len(t.slots)))) }

// Active returns how many participants the run that uses the team may have.
func (t *Team) Active() int { return int(t.active.Load()) }

// start is the origin of times.
var start = time.Now()

// crowded stops the waking of helpers for a while. If it is called repeatedly, each pause is twice
// as long as the one before, up to a limit. It is called when a spinning helper has lost its
// processor to another thread.
func (t *Team) crowded() {
	rest := min(max(2*t.rest.Load(), int64(leastRest)), int64(mostRest))
	t.rest.Store(rest)
	t.resting.Store(int64(time.Since(start)) + rest)
}

// rested makes the calling helper sleep until helpers may be woken again. If the current run has
// called Take with wake set, rested then wakes the other helpers. This is necessary because the run
// may consist of a single long task whose chunks wait for each other. No later task would wake the
// helpers.
func (t *Team) rested() {
	t.asleep.Add(1)
	time.Sleep(time.Duration(t.rest.Load()))
	t.asleep.Add(-1)
	if t.live.Load()%2 == 1 && t.eager.Load() {
		t.rouse()
	}
}

// rouse wakes the sleeping helpers.
func (t *Team) rouse() {
	if until := t.resting.Load(); until != 0 {
		if int64(time.Since(start)) < until {
			return
		}
		t.resting.Store(0)
	}
	for n := t.asleep.Load(); n > 0; n-- {
		select {
		case t.wake <- struct{}{}:
		default:
			return
		}
	}
}

// Awake reports whether a helper is looking for work.
func (t *Team) Awake() bool { return t.begun.Load() && int(t.asleep.Load()) < len(t.slots)-1 }

// Give ends a run's use of the team.
func (t *Team) Give() {
	t.task = nil
	t.live.Add(1)
	t.taken.Store(false)
}

// Close ends the helpers. The team must not be used any more.
func (t *Team) Close() {
	t.live.Store(closed)
	for range t.slots {
		select {
		case t.wake <- struct{}{}:
		default: // the channel is full, so all wake
		}
	}
}

const closed = 1 << 63

// Run runs a task in chunks and returns when all are done. The parameter total is the task's number
// of items, and size the number of items in a chunk; the last chunk may be smaller. If wrap > 0, no
// chunk crosses a multiple of wrap. The caller must have called Take. A panic in a chunk is raised
// again here when all other chunks are done.
func (t *Team) Run(task Task, total, size, wrap int) {
	chunks := Chunks(total, size, wrap)
	n := len(t.slots)
	t.task, t.total, t.size, t.wrap = task, total, size, wrap
	for w := range n {
		t.slots[w].next.Store(uint64(w*chunks/n)<<32 | uint64((w+1)*chunks/n))
	}
	t.claimed += uint64(chunks)
	t.epoch.Add(1)
	if t.eager.Load() && t.asleep.Load() > 0 {
		t.rouse()
	}
	t.work(0, t.live.Load())
	for spins := 0; t.finished() != t.claimed; spins++ {
		Await(spins)
	}
	if t.fault != nil {
		f := t.fault
		t.fault = nil
		panic(f)
	}
}

func (t *Team) finished() uint64 {
	var sum uint64
	for w := range t.slots {
		sum += t.slots[w].done.Load()
	}
	return sum
}

// Chunks returns the number of chunks of a task; see Team.Run for the parameters.
func Chunks(total, size, wrap int) int {
	if wrap <= 0 || wrap >= total {
		return Ceil(total, size)
	}
	return total/wrap*Ceil(wrap, size) + Ceil(total%wrap, size)
}

// Ceil returns a/b rounded up, for a ≥ 0. It does not overflow, as (a+b-1)/b could. Large values of
// a occur: a loop over items of size 0 may have as many items as an int can count.
func Ceil(a, b int) int {
	q := a / b
	if q*b != a {
		q++
	}
	return q
}

// Bounds returns the first item and the number of items of chunk i.
func Bounds(i, total, size, wrap int) (lo, n int) {
	if wrap <= 0 || wrap >= total {
		lo = i * size
		return lo, min(size, total-lo)
	}
	per := Ceil(wrap, size)
	block := i / per
	lo = block*wrap + i%per*size
	return lo, min(size, min(wrap, total-block*wrap)-i%per*size)
}

// work runs chunks until all are claimed. It also stops when its run is over, because the next run
// may have fewer participants.
func (t *Team) work(w int, run uint64) {
	n := len(t.slots)
	for t.live.Load() == run {
		i, ok := t.slots[w].first()
		for v := 1; !ok && v < n; v++ {
			i, ok = t.slots[(w+v)%n].last()
		}
		if !ok {
			return
		}
		t.do(w, i)
	}
}

// first claims the first unclaimed chunk of the participant's range.
func (s *slot) first() (int, bool) {
	for {
		v := s.next.Load()
		next, end := v>>32, v&(1<<32-1)
		if next >= end {
			return 0, false
		}
		if s.next.CompareAndSwap(v, (next+1)<<32|end) {
			return int(next), true
		}
	}
}

// last claims the last unclaimed chunk of the participant's range.
func (s *slot) last() (int, bool) {
	for {
		v := s.next.Load()
		next, end := v>>32, v&(1<<32-1)
		if next >= end {
			return 0, false
		}
		if s.next.CompareAndSwap(v, next<<32|(end-1)) {
			return int(end - 1), true
		}
	}
}

// do runs chunk i. It reads the fields of the task only now, after the claim, because the task does
// not change until the claimed chunk is done.
func (t *Team) do(w, i int) {
	defer func() {
		if r := recover(); r != nil {
			t.mu.Lock()
			t.fault = r
			t.mu.Unlock()
		}
		t.slots[w].done.Add(1)
	}()
	lo, n := Bounds(i, t.total, t.size, t.wrap)
	t.task.Chunk(w, lo, n)
}

// helper is a participant with its own goroutine.
type helper struct {
	team *Team
	w    int
	run  uint64 // the run that the helper last tried to join, as a value of Team.live
	in   bool   // whether the helper takes part in that run
}

// joins reports whether the helper takes part in the current run.
func (h *helper) joins(run uint64) bool {
	t := h.team
	most := t.active.Load()
	if int(most) == len(t.slots) {
		return true
	}
	if h.run != run {
		h.run, h.in = run, t.joined.Add(1) <= most
	}
	return h.in
}

// The constants patience and linger are the numbers of times that a helper looks for work before it
// sleeps: patience applies between the tasks of a run, and linger after a run. Each time it finds no
// work, the helper pauses for some ten nanoseconds.
const (
	patience = 1 << 14
	linger   = 1 << 11
)

// A helper that finds no work checks the time after every 1024 attempts (the constant patch). If these
// attempts took longer than 400 µs (the constant stolen), the operating system has run another thread
// on the helper's processor in the meantime. The helper then sleeps for a time from leastRest to
// mostRest.
const (
	patch     = 1 << 10
	stolen    = 400 * time.Microsecond
	leastRest = 2 * time.Millisecond
	mostRest  = 200 * time.Millisecond
)

func (h *helper) loop() {
	t := h.team
	var seen uint64
	idle := 0
	// the time when the counter idle was last a multiple of the constant patch
	var at time.Time
	for {
		e := t.epoch.Load()
		// Load the field live only after the field epoch. The value of live then belongs to the run of
		// task number e, or to a later run.
		live := t.live.Load()
		if e != seen {
			seen = e
			if h.joins(live) {
				idle = 0
				t.work(h.w, live)
				continue
			}
		}
		if live == closed {
			return
		}
		idle++
		robbed := false
		if idle%patch == 0 {
			now := time.Now()
			robbed = idle > patch && now.Sub(at) > stolen
			at = now
		}
		if robbed {
			t.crowded()
			t.rested()
			idle = 0
			continue
		}
		if idle > patience {
			t.rest.Store(t.rest.Load() / 2)
		}
		if live%2 == 0 && idle > linger || idle > patience {
			t.asleep.Add(1)
			<-t.wake
			t.asleep.Add(-1)
			idle = 0
			continue
		}
		pause(idle)
	}
}

// Await waits briefly for another thread. The parameter i is the number of earlier calls for the
// same wait. The first calls wait for some ten nanoseconds each. After some thousand calls, Await
// sleeps, because the other thread may need the processor.
func Await(i int) {
	if i < await {
		pause(i)
		return
	}
	time.Sleep(nap)
}

// For each wait, the first 8192 calls of Await (the constant await) spin. Together, these calls take
// longer than most chunks. Each later call sleeps for 30 µs (the constant nap).
const (
	await = 1 << 13
	nap   = 30 * time.Microsecond
)

// pause waits for some ten nanoseconds, and sometimes yields to other goroutines.
func pause(i int) {
	if i&1023 == 1023 {
		runtime.Gosched()
		return
	}
	relax()
}

var _ [unsafe.Sizeof(slot{}) - 2*line]struct{}
