package rt

import (
	"math"
	"sync"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/par"
	"github.com/graphc/graphc/rt/tensor"
)

// Split describes how a range of items may be divided into chunks.
type Split struct {
	// a chunk begins at a multiple of Grain, counted from the last multiple of Wrap before the chunk
	Grain int
	Most  int // the most items of a chunk; 0 means no limit
	// the fewest items of a chunk, unless the whole loop has fewer
	Least int
	// a chunk ends at each multiple of Wrap; 0 means no such restriction
	Wrap int
	Work int // the approximate cost of an item in picoseconds
}

// Costs in picoseconds. A run shares a loop with helper threads if the loop's work is at least
// WorthSharing. The work of a chunk should be at least chunkWork. Sleeping helpers are woken for a
// run if the total work of the loops in the previous run was at least worthWaking.
const (
	WorthSharing = 8_000_000
	chunkWork    = 2_000_000
	worthWaking  = 40_000_000
)

// longest is the most work of a chunk in picoseconds, unless the smallest chunk that a Split allows
// has more. The limit is needed because a run checks only between chunks whether it was canceled.
const longest = min(30_000_000_000, math.MaxInt)

// chunksEach is the largest number of chunks for each participant. With several chunks each, faster
// participants can take over chunks from a slow one.
const chunksEach = 4

// chunk returns how many items a chunk should have. The parameter total is the number of items of the
// loop, and team the number of participants (threads) that share them.
func (sp *Split) chunk(total, team int) int {
	total = min(total, math.MaxInt/2) // limit total, so that rounding up cannot overflow
	grain, most := max(sp.Grain, 1), sp.Most
	if most <= 0 {
		most = total
	}
	if sp.Work > 0 && most > longest/sp.Work {
		most = max(longest/sp.Work/grain*grain, grain, (sp.Least+grain-1)/grain*grain)
	}
	if team <= 1 {
		return max(most, 1)
	}
	least := max(sp.Least, (chunkWork+sp.Work-1)/max(sp.Work, 1))
	part := (total + team - 1) / team
	// Try 1 to chunksEach chunks for each participant. Choose the size that minimizes the largest
	// number of items that any participant gets; of equally good sizes, choose the smallest.
	best, end := 0, 0
	for k := 1; k <= chunksEach; k++ {
		size := ((part+k-1)/k + grain - 1) / grain * grain
		if size > most {
			size = most
		}
		if k > 1 && size < least && best > 0 {
			break
		}
		chunks := (total + size - 1) / size
		if last := (chunks + team - 1) / team * size; best == 0 || last <= end {
			best, end = size, last
		}
	}
	return max(best, 1)
}

// part is the body of a loop over items: f with its arguments.
type part[D comparable, V, I, M, X any] struct {
	f func(s *State[D, V, I, M, X], t []int, lo, n int, m []byte)
	t []int
	// whether the loop's work exceeds the constant longest; if so, each chunk checks whether the run
	// was canceled
	long bool
}

// do runs a chunk of n items, beginning with item lo, with the scratch memory m.
func (b *part[D, V, I, M, X]) do(s *State[D, V, I, M, X], lo, n int, m []byte) {
	if b.long && s.Canceled() != nil {
		return // the participant that divided the loop ends the run
	}
	b.f(s, b.t, lo, n, m)
}

// side is implemented by *taskRun. A State refers to its taskRun by this interface, so that programs
// without tasks do not link the methods of taskRun.
type side[D comparable, V, I, M, X any] interface {
	divide(s *State[D, V, I, M, X], body part[D, V, I, M, X], total, work int, sp Split) bool
	lock() *sync.Mutex
}

// Par divides a loop over total items into chunks and calls f for each chunk, concurrently if that is
// worthwhile. Each call of f gets the argument t of Par, and the chunk: its first item lo and its
// number of items n. The scratch memory m of a call is not used by any concurrent call.
func (s *State[D, V, I, M, X]) Par(f func(s *State[D, V, I, M, X], t []int, lo, n int, m []byte), t []int, total int, sp Split) {
	if total <= 0 {
		return
	}
	work := Mul(total, max(sp.Work, 1))
	s.work = Add(s.work, work)
	body := part[D, V, I, M, X]{f, t, work > longest}
	if s.side != nil {
		if s.side.divide(s, body, total, work, sp) {
			s.look(body.long)
			return
		}
	} else if s.share(work) {
		s.body = body
		s.together(true)
		s.team.Run(s, total, sp.chunk(total, s.team.Active()), sp.Wrap)
		s.together(false)
		s.look(body.long)
		return
	}
	size := sp.chunk(total, 1)
	if size >= total && sp.Wrap <= 0 {
		f(s, t, 0, total, s.own[0])
		return
	}
	for i := range par.Chunks(total, size, sp.Wrap) {
		lo, n := par.Bounds(i, total, size, sp.Wrap)
		f(s, t, lo, n, s.own[0])
		s.look(body.long)
	}
}

// look is called after a loop or a chunk. If the parameter long is set and the run was canceled, look
// panics with the run's error, which ends the run.
func (s *State[D, V, I, M, X]) look(long bool) {
	if !long {
		return
	}
	if err := s.Canceled(); err != nil {
		panic(mem.Ended{Reason: err})
	}
}

// share reports whether a loop with the given work is divided among the helpers of a team. The first
// loop of a run with enough work tries to claim the team for the whole run.
func (s *State[D, V, I, M, X]) share(work int) bool {
	if s.crew == nil || work < WorthSharing {
		return false
	}
	if !s.asked {
		s.asked = true
		s.take()
	}
	return s.team != nil
}

// take tries to claim the team s.crew for this run. If it succeeds, it sets s.team to s.crew.
func (s *State[D, V, I, M, X]) take() {
	wake := s.lastWork >= worthWaking
	if !wake && !s.crew.Awake() {
		return
	}
	s.claimed = par.Claim(min(s.threads, s.crew.Size()))
	if s.claimed > 1 && s.crew.Take(wake) {
		s.team = s.crew
		s.team.Limit(s.claimed)
		return
	}
	par.Release(s.claimed - 1)
	s.claimed = 1
}

// Chunk implements par.Task.
func (s *State[D, V, I, M, X]) Chunk(w, lo, n int) { s.body.do(s, lo, n, s.own[w]) }

// disband gives back the threads that the run has claimed, at the end of the run.
func (s *State[D, V, I, M, X]) disband() {
	if s.team != nil {
		s.team.Give()
	}
	if s.claimed > 0 {
		par.Release(s.claimed)
		s.claimed = 0
	}
	if s.opts != nil {
		if s.opts.pool != nil {
			s.opts.pool.drop()
		}
		s.opts = nil
	}
	s.team, s.crew, s.asked, s.body = nil, nil, false, part[D, V, I, M, X]{}
	s.lastWork, s.work = s.work, 0
}

// asks applies the run options Threads and OnPool, if o contains them.
func (s *State[D, V, I, M, X]) asks(o *runOptions) {
	if o.pool != nil {
		s.crew, s.threads = o.pool.hold(), o.pool.threads
	}
	if o.threads > 0 {
		s.threads = o.threads
	}
	if s.threads == 1 {
		s.crew = nil
	}
}

// scratch allocates scratch memory of l.own bytes for each participant of a loop. The error is
// ResourceExhausted if the block and all scratch memory together exceed the limit of a run.
func (s *State[D, V, I, M, X]) scratch(l *layout[D]) error {
	team, n := max(1, len(s.own)), l.own
	if s.crew != nil {
		team = max(team, s.crew.Size())
	}
	if total := Add(l.size, Mul(n, team)); total > s.max {
		return tensor.Errorf(tensor.ResourceExhausted, "%d bytes of scratch are needed, the limit of a run is %d"+mem.Raise, total, s.max)
	}
	if len(s.own) == team && n == len(s.own[0]) {
		return nil
	}
	s.own = make([][]byte, team)
	for w := range s.own {
		s.own[w] = block(n)
	}
	return nil
}

// Scratch returns the scratch memory of the thread that executes the steps. Loops that are not
// divided use it.
func (s *State[D, V, I, M, X]) Scratch() []byte { return s.own[0] }
