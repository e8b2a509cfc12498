// Package par runs parts of one task on several threads at once: a team of
// helpers that spin while a run is under way and sleep between runs.
//
// Work is claimed in chunks, each participant from a range of its own and, when
// that is empty, from the end of another's. The caller works too, and takes over
// what helpers have not begun: a helper that the operating system delays costs
// its chunk and no more. Goroutines and channels would not do: chunks take
// microseconds, as long as waking a goroutine.
package par

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// Task is what a team works on. Chunk does items lo … lo+n as worker w; chunks
// run at the same time and in any order.
type Task interface {
	Chunk(w, lo, n int)
}

// line keeps what different participants write apart.
const line = 64

// slot is a participant's own part of the team's state.
type slot struct {
	// next is the first chunk of the participant's range that nobody has
	// claimed (upper half), and the end of the range (lower half).
	next atomic.Uint64
	_    [line - 8]byte
	// done counts the chunks the participant has finished, over all tasks.
	done atomic.Uint64
	_    [line - 8]byte
}

// Team is a caller and its helpers. One run at a time has it.
type Team struct {
	slots []slot
	taken atomic.Bool
	// live is odd while a run has the team; helpers that see it even for a while sleep.
	live   atomic.Uint64
	epoch  atomic.Uint64 // counts tasks: helpers look for work when it changes
	asleep atomic.Int32  // helpers that wait for wake
	wake   chan struct{}
	begun  atomic.Bool
	eager  atomic.Bool // wake helpers that fell asleep during the run
	// active is how many participants the run may have, joined how many take part or
	// have asked to: where not all may, helpers come first, served first.
	active, joined atomic.Int32

	// resting is until when nobody is woken, in nanoseconds since start: the machine has less room than
	// the team has participants. rest is how long that was last.
	resting, rest atomic.Int64

	task    Task
	total   int // items
	size    int // items a chunk
	wrap    int // no chunk crosses a multiple of it; 0 is none
	claimed uint64

	mu    sync.Mutex
	fault any
}

// New makes a team of n participants, the caller among them. Its helpers start
// when it is first used.
func New(n int) *Team {
	n = max(n, 1)
	return &Team{slots: make([]slot, n), wake: make(chan struct{}, n)}
}

// Size is the number of participants.
func (t *Team) Size() int { return len(t.slots) }

// Take gives the team to a run, and wakes sleeping helpers if wake. It reports
// false when another run has it.
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

// Limit bounds the participants of the run that has the team, the caller among them.
func (t *Team) Limit(n int) { t.active.Store(int32(min(max(n, 1), len(t.slots)))) }

// Active is how many participants the run that has the team may have.
func (t *Team) Active() int { return int(t.active.Load()) }

// start is what times are counted from.
var start = time.Now()

// crowded has nobody be woken for a while, each time in turn twice as long: a helper that
// spun has lost its processor to somebody else.
func (t *Team) crowded() {
	rest := min(max(2*t.rest.Load(), int64(leastRest)), int64(mostRest))
	t.rest.Store(rest)
	t.resting.Store(int64(time.Since(start)) + rest)
}

// rested sleeps until helpers may be woken again, and then wakes the others if the run
// under way wants them: it may be one long task that waits for another.
func (t *Team) rested() {
	t.asleep.Add(1)
	time.Sleep(time.Duration(t.rest.Load()))
	t.asleep.Add(-1)
	if t.live.Load()%2 == 1 && t.eager.Load() {
		t.rouse()
	}
}

// rouse wakes the helpers that sleep.
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

// Awake reports that a helper is looking for work.
func (t *Team) Awake() bool { return t.begun.Load() && int(t.asleep.Load()) < len(t.slots)-1 }

// Give ends a run's use of the team.
func (t *Team) Give() {
	t.task = nil
	t.live.Add(1)
	t.taken.Store(false)
}

// Close ends the helpers. Nothing may use the team any more.
func (t *Team) Close() {
	t.live.Store(closed)
	for range t.slots {
		select {
		case t.wake <- struct{}{}:
		default: // all wake anyway
		}
	}
}

const closed = 1 << 63

// Run does total items in chunks of size, the last one smaller, and returns when
// all are done. With wrap > 0 no chunk crosses a multiple of wrap. The caller has
// taken the team. A panic in a chunk is raised here when all others are done.
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

// Chunks is the number of chunks of total items.
func Chunks(total, size, wrap int) int {
	if wrap <= 0 || wrap >= total {
		return Ceil(total, size)
	}
	return total/wrap*Ceil(wrap, size) + Ceil(total%wrap, size)
}

// Ceil is a/b rounded up, for an a that is not negative. Numbers of any size may be given: a
// loop over nothing may have as many items as an int holds.
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

// work does chunks until all are claimed. A participant of a run that is over does
// no more of them: the next run may not want it.
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

// first claims the first chunk of the range.
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

// last claims the last chunk of the range.
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

// do runs chunk i. The task is read after the claim: while the claimed chunk is
// not done, the task stays the same.
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

// helper is a participant with a goroutine of its own.
type helper struct {
	team *Team
	w    int
	run  uint64 // the run it has asked to join, by Team.live
	in   bool   // and it takes part in it
}

// joins reports that the helper takes part in the run under way.
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

// How often a helper looks before it sleeps, in pauses of some ten nanoseconds:
// between the tasks of a run, and after the end of one.
const (
	patience = 1 << 14
	linger   = 1 << 11
)

// A helper of which patch looks take longer than stolen has not been running meanwhile: it
// sleeps, for leastRest or longer.
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
	var at time.Time // of the last patch's end
	for {
		e := t.epoch.Load()
		live := t.live.Load() // after the epoch: that of the run whose task it is, or a later one
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

// Await waits a little for what another thread has begun: at first for some ten nanoseconds, after
// some thousand times it sleeps, since the other may need the processor to go on.
func Await(i int) {
	if i < await {
		pause(i)
		return
	}
	time.Sleep(nap)
}

// await is how often Await spins: for longer than chunks usually take.
const (
	await = 1 << 13
	nap   = 30 * time.Microsecond
)

// pause waits for some ten nanoseconds, now and then giving way to other goroutines.
func pause(i int) {
	if i&1023 == 1023 {
		runtime.Gosched()
		return
	}
	relax()
}

var _ [unsafe.Sizeof(slot{}) - 2*line]struct{}
