package rt

import (
	"math"
	"sync"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/par"
	"github.com/graphc/graphc/rt/tensor"
)

// Split says how a range of items may be divided into chunks.
type Split struct {
	Grain int // chunks begin at multiples of it, counted from a multiple of Wrap
	Most  int // items a chunk at most; 0 is no bound
	Least int // items a chunk at least, where there are enough of them
	Wrap  int // no chunk crosses a multiple of it; 0 is none
	Work  int // the cost of an item in picoseconds, roughly
}

// Costs in picoseconds: the least work that is worth a helper, the least a chunk
// takes, and the least a run does with all items together before sleeping helpers
// are woken for it.
const (
	WorthSharing = 8_000_000
	chunkWork    = 2_000_000
	worthWaking  = 40_000_000
)

// longest is the most that a chunk takes where its items can be divided, in picoseconds:
// between chunks a run looks whether it has been given up.
const longest = min(30_000_000_000, math.MaxInt)

// chunksEach is how many chunks a participant gets, so that one who is late
// leaves others something to take over.
const chunksEach = 4

// chunk returns the items a chunk has when team participants share total items.
func (sp *Split) chunk(total, team int) int {
	total = min(total, math.MaxInt/2) // so that it can be rounded up
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
	// Of one chunk for each participant, two, and so on: where the last is done
	// first; of equals the smaller chunks.
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
	f    func(s *State[D, V, I, M, X], t []int, lo, n int, m []byte)
	t    []int
	long bool // chunks look whether the run has been given up
}

// do does a chunk.
func (b *part[D, V, I, M, X]) do(s *State[D, V, I, M, X], lo, n int, m []byte) {
	if b.long && s.Canceled() != nil {
		return // whoever divides the loop ends the run
	}
	b.f(s, b.t, lo, n, m)
}

// side is what a state of a task has beside it: a *taskRun, which only programs with tasks have.
type side[D comparable, V, I, M, X any] interface {
	divide(s *State[D, V, I, M, X], body part[D, V, I, M, X], total, work int, sp Split) bool
	lock() *sync.Mutex
}

// Par calls f for chunks that cover total items, at the same time where that is
// worth it. f gets t, and memory m of its own while it runs.
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

// look ends a run that has been given up, after something that was long.
func (s *State[D, V, I, M, X]) look(long bool) {
	if !long {
		return
	}
	if err := s.Canceled(); err != nil {
		panic(mem.Ended{Reason: err})
	}
}

// share reports whether a loop of so much work is divided among a team; the
// first of a run takes the team.
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

// take tries to have the team for this run.
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

// disband ends the run's use of the team.
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

// asks has a run use the threads that its options ask for.
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

// scratch gives each participant the bytes of its own that l says; ResourceExhausted
// where that is too much beside the block.
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

// Scratch returns the memory that the run itself has of its own, for loops that
// are one chunk.
func (s *State[D, V, I, M, X]) Scratch() []byte { return s.own[0] }
