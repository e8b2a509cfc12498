package rt

import (
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/graphc/graphc/rt/par"
)

// Task is a part of a run that may run beside other tasks.
type Task[D comparable, V, I, M, X any] struct {
	// Run runs the task. If tasks run concurrently, s is a separate state for this task; otherwise it
	// is the state of the run. In both cases the sizes of the run are in s.Of.V.
	Run   func(s *State[D, V, I, M, X]) error
	After int   // the number of tasks for which this task waits
	Next  []int // the tasks that wait for this task; they follow it in the list
}

// Graph is a list of tasks, some of which may run at the same time.
type Graph[D comparable, V, I, M, X any] struct {
	Tasks []Task[D, V, I, M, X]
	// Order lists the indices of all tasks by priority: of several ready tasks, the one that comes
	// first in Order begins first. If Order is nil, the one that comes first in Tasks begins first.
	Order []int
	Work  int // the approximate total cost in picoseconds
}

// RunTasks runs all tasks of g. It runs them concurrently if the run has helpers, otherwise in the
// order of g.Tasks. If several tasks fail, it returns the error of the one with the least index, even
// if another task failed earlier. After a failure, no task with a greater index begins any more. If
// tasks run concurrently, a panic of a task becomes an error; see PanicError.
//
// RunTasks is not a method of State, because every program would then link it.
func RunTasks[D comparable, V, I, M, X any](s *State[D, V, I, M, X], g *Graph[D, V, I, M, X]) error {
	s.Of = s
	if s.side == nil {
		s.work = Add(s.work, g.Work)
		s.lastWork = max(s.lastWork, g.Work)
		if n := s.InterOp(); n > 1 && s.share(g.Work) {
			r, ok := s.tasks.(*taskRun[D, V, I, M, X])
			if !ok {
				r = new(taskRun[D, V, I, M, X])
				s.tasks = r
			}
			return r.run(s, g, min(n, s.team.Active()))
		}
	}
	for i := range g.Tasks {
		if err := s.Canceled(); err != nil {
			return err
		}
		if err := g.Tasks[i].Run(s); err != nil {
			return err
		}
	}
	return nil
}

// taskRun runs a graph's tasks concurrently on a team of threads, the participants. Each participant
// runs ready tasks until all tasks are done. If there is no ready task, it helps with a loop over items
// in another participant's task. If it finds no work for a while, it sleeps.
type taskRun[D comparable, V, I, M, X any] struct {
	g     *Graph[D, V, I, M, X]
	mark  *Mark           // the mark of the run
	rank  []int           // the rank of each task: its position in g.Order
	ready []atomic.Uint64 // a bit for each rank, set if the task is ready
	waits []atomic.Int32  // for each task, the number of tasks for which it still waits
	left  atomic.Int32    // how many tasks are not done yet
	team  int             // the number of participants

	hands []hand[D, V, I, M, X]
	idle  atomic.Int32 // how many participants look for work or sleep
	slept atomic.Int32 // how many participants sleep
	wake  chan struct{}
	loops atomic.Int32 // how many loops over items are shared at the moment

	failed atomic.Int32 // the least index of a failed task; the number of tasks if none has failed
	mu     sync.Mutex   // guards the fields below and the growth of buffers
	err    error
	step   int
}

// hand is the state of one participant.
type hand[D comparable, V, I, M, X any] struct {
	state State[D, V, I, M, X]
	_     [128]byte
	next  atomic.Uint64 // upper half: the first unclaimed chunk of the participant's loop; lower half: the number of chunks
	done  atomic.Int64  // how many chunks of the loop are completed
	_     [128]byte

	body              part[D, V, I, M, X]
	total, size, wrap int
	fault             any
}

// run runs the tasks of g on the team of threads that the run with the state s has claimed. The
// parameter team is the number of participants.
func (r *taskRun[D, V, I, M, X]) run(s *State[D, V, I, M, X], g *Graph[D, V, I, M, X], team int) error {
	n := len(g.Tasks)
	r.g, r.err, r.team = g, nil, team
	if cap(r.waits) < n {
		r.rank, r.waits, r.ready = make([]int, n), make([]atomic.Int32, n), make([]atomic.Uint64, (n+63)/64)
	}
	r.rank, r.waits = r.rank[:n], r.waits[:n]
	for k := range n {
		r.rank[k] = k
	}
	for at, k := range g.Order {
		r.rank[k] = at
	}
	r.mark = &s.Mark
	size := s.team.Size()
	if len(r.hands) != size {
		r.hands, r.wake = make([]hand[D, V, I, M, X], size), make(chan struct{}, size)
	}
	for w := range r.hands {
		h := &r.hands[w]
		ints := h.state.ints
		h.state = *s
		h.state.ints, h.state.own, h.state.side, h.state.hand = ints[:0], s.own[w:w+1], r, w
		h.state.crew, h.state.team, h.state.tasks, h.state.Mark = nil, nil, nil, Mark{}
	}
	for i := range r.ready {
		r.ready[i].Store(0)
	}
	r.left.Store(int32(n))
	r.failed.Store(int32(n))
	for k := range g.Tasks {
		r.waits[k].Store(int32(g.Tasks[k].After))
		if g.Tasks[k].After == 0 {
			r.add(k)
		}
	}
	s.together(true)
	s.team.Run(r, team, 1, 0)
	s.together(false)
	for w := range r.hands {
		ints := r.hands[w].state.ints
		r.hands[w].state = State[D, V, I, M, X]{ints: ints} // releases everything that belongs to the run
	}
	r.g, r.mark = nil, nil
	if r.err != nil {
		s.Step = r.step
	}
	return r.err
}

// add marks task k as ready to begin.
func (r *taskRun[D, V, I, M, X]) add(k int) {
	at := r.rank[k]
	r.ready[at/64].Or(1 << (at % 64))
}

// take chooses the ready task with the least rank, which is then no longer marked as ready. It
// returns false if no task is ready.
func (r *taskRun[D, V, I, M, X]) take() (int, bool) {
	for i := range r.ready {
		for v := r.ready[i].Load(); v != 0; v = r.ready[i].Load() {
			if r.ready[i].CompareAndSwap(v, v&(v-1)) {
				at := i*64 + bits.TrailingZeros64(v)
				if r.g.Order != nil {
					return r.g.Order[at], true
				}
				return at, true
			}
		}
	}
	return 0, false
}

// restless is how many times a participant looks for work before it sleeps.
const restless = 1 << 13

// Chunk implements par.Task: participant w works until all tasks are done.
func (r *taskRun[D, V, I, M, X]) Chunk(w, _, _ int) {
	idle := 0
	for r.left.Load() > 0 {
		k, ok := r.take()
		if !ok && !r.help(w) {
			if idle++; idle == 1 {
				r.idle.Add(1)
			}
			switch {
			case idle > restless:
				r.sleep()
				idle = 1
			case idle&1023 == 1023:
				runtime.Gosched()
			default:
				par.Relax()
			}
			continue
		}
		if idle > 0 {
			idle = 0
			r.idle.Add(-1)
		}
		if ok {
			r.do(w, k)
		}
	}
	if idle > 0 {
		r.idle.Add(-1)
	}
}

// sleep waits until there may be work for this participant.
func (r *taskRun[D, V, I, M, X]) sleep() {
	r.slept.Add(1)
	some := r.left.Load() == 0 || r.loops.Load() > 0
	for i := range r.ready {
		some = some || r.ready[i].Load() != 0
	}
	if !some {
		<-r.wake
	}
	r.slept.Add(-1)
}

// rouse wakes at most n sleeping participants.
func (r *taskRun[D, V, I, M, X]) rouse(n int) {
	for n = min(n, int(r.slept.Load())); n > 0; n-- {
		select {
		case r.wake <- struct{}{}:
		default:
			return
		}
	}
}

// do runs task k on participant w, unless a task with a lesser index has failed. Afterwards it marks
// as ready those tasks that waited for task k and for no other unfinished task.
func (r *taskRun[D, V, I, M, X]) do(w, k int) {
	if k < int(r.failed.Load()) {
		s := &r.hands[w].state
		err := s.Canceled()
		if err == nil {
			r.told(s)
			err = r.try(s, k)
			s.Join(err)
		}
		if err != nil {
			r.fail(k, err, s.Step)
		}
	}
	more := 0
	for _, j := range r.g.Tasks[k].Next {
		if r.waits[j].Add(-1) == 0 {
			r.add(j)
			more++
		}
	}
	if r.left.Add(-1) == 0 {
		more = len(r.hands) + 1 // wake all
	}
	// this participant can run one of the new ready tasks, so others are needed only for the rest
	r.rouse(more - 1)
}

// told prepares the state of a task for observers. If the run is observed, the state gets a mark for
// this task; see Observer.Fork.
func (r *taskRun[D, V, I, M, X]) told(s *State[D, V, I, M, X]) {
	if r.mark.hook == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	s.Mark = r.mark.Fork()
}

// try runs task k. It returns the error of the task or, if the task panics, that of PanicError.
func (r *taskRun[D, V, I, M, X]) try(s *State[D, V, I, M, X], k int) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = PanicError(p)
		}
	}()
	return r.g.Tasks[k].Run(s)
}

// fail records the error of task k, unless a task with a lesser index has failed, too.
func (r *taskRun[D, V, I, M, X]) fail(k int, err error, step int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if k < int(r.failed.Load()) {
		r.failed.Store(int32(k))
		r.err, r.step = err, step
	}
}

// divide runs a loop over items for a task, and lets idle participants help. The parameter s is the
// state of the task. In two cases divide does nothing and returns false: if the loop is too short for
// sharing, or if no participant is idle and so many tasks are left that none is likely to become idle
// soon.
func (r *taskRun[D, V, I, M, X]) divide(s *State[D, V, I, M, X], body part[D, V, I, M, X], total, work int, sp Split) bool {
	if work < WorthSharing || r.idle.Load() == 0 && int(r.left.Load()) >= 2*r.team {
		return false
	}
	h := &r.hands[s.hand]
	h.body, h.total, h.size, h.wrap, h.fault = body, total, sp.chunk(total, r.team), sp.Wrap, nil
	chunks := par.Chunks(total, h.size, h.wrap)
	h.done.Store(0)
	r.loops.Add(1)
	h.next.Store(uint64(chunks))
	if work >= worthWaking {
		r.rouse(chunks - 1)
	}
	for h.chunk(s.own[0], &r.mu) {
	}
	for spins := 0; h.done.Load() != int64(chunks); spins++ {
		par.Await(spins)
	}
	r.loops.Add(-1)
	h.body = part[D, V, I, M, X]{}
	if h.fault != nil {
		panic(h.fault)
	}
	return true
}

// help looks for an unclaimed chunk of another participant's loop, runs it on participant w, and
// reports whether it found one.
func (r *taskRun[D, V, I, M, X]) help(w int) bool {
	if r.loops.Load() == 0 {
		return false
	}
	for i := 1; i < len(r.hands); i++ {
		if r.hands[(w+i)%len(r.hands)].chunk(r.hands[w].state.own[0], &r.mu) {
			return true
		}
	}
	return false
}

// chunk runs the next chunk of the loop of participant h with scratch memory m. It returns false if no
// unclaimed chunk is left. The fields that describe the loop must be read only after a chunk was
// claimed, because they do not change until each claimed chunk is done.
func (h *hand[D, V, I, M, X]) chunk(m []byte, mu *sync.Mutex) bool {
	for {
		v := h.next.Load()
		at, chunks := v>>32, v&(1<<32-1)
		if at >= chunks {
			return false
		}
		if h.next.CompareAndSwap(v, (at+1)<<32|chunks) {
			h.do(int(at), m, mu)
			return true
		}
	}
}

func (h *hand[D, V, I, M, X]) do(i int, m []byte, mu *sync.Mutex) {
	defer func() {
		if p := recover(); p != nil {
			mu.Lock()
			h.fault = p
			mu.Unlock()
		}
		h.done.Add(1)
	}()
	lo, n := par.Bounds(i, h.total, h.size, h.wrap)
	h.body.do(&h.state, lo, n, m)
}

// lock implements side.
func (r *taskRun[D, V, I, M, X]) lock() *sync.Mutex { return &r.mu }
