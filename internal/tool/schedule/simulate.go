package schedule

import (
	"fmt"

	"github.com/graphc/graphc/internal/caserun"
	"github.com/graphc/graphc/rt"
)

// Prediction is the simulated time of a run in the steady state, in which each run begins when the
// previous one ends.
type Prediction struct {
	NS    int64 // time of the run
	Alone int64 // time of steps that only the caller executes while the helpers wait
	Work  int64 // time that all threads together execute steps and chunks
	// Loops has the loops that the threads share, apart from loops in tasks, by the number of the step.
	Loops map[int]Loop
}

// Loop is a loop that threads share. If a run executes the loop several times, the numbers are sums.
type Loop struct {
	NS     int64 // time from the beginning to the end
	Work   int64 // time that all threads together execute chunks
	Chunks int
}

// Simulate simulates a run on s.Threads threads.
func Simulate(s *caserun.Schedule, c Costs) (Prediction, error) {
	m := &machine{costs: c, team: s.Threads > 1 && rt.Wakes(s.Work), last: make([]int64, max(s.Threads, 1)), loops: map[int]Loop{}}
	// The helpers' state at the beginning of a run depends on the run before it.
	if err := m.run(s.Parts); err != nil {
		return Prediction{}, err
	}
	start := m.now
	m.alone, m.work, m.loops = 0, 0, map[int]Loop{}
	if err := m.run(s.Parts); err != nil {
		return Prediction{}, err
	}
	return Prediction{m.now - start, m.alone, m.work, m.loops}, nil
}

// machine is the state of the simulated threads. All times are in nanoseconds.
type machine struct {
	costs Costs
	team  bool    // whether the run has helpers
	taken bool    // whether the current run has already shared a loop or tasks
	now   int64   // the time of the caller
	last  []int64 // when each participant last had work
	alone int64
	work  int64
	loops map[int]Loop
}

func (m *machine) run(parts []caserun.Part) error {
	m.taken = false
	return m.list(parts)
}

// list simulates parts that the caller begins one after the other.
func (m *machine) list(parts []caserun.Part) error {
	for i := range parts {
		p := &parts[i]
		switch {
		case len(p.Tasks) > 0 && m.team && p.Work >= rt.WorthSharing:
			if err := m.tasks(p); err != nil {
				return err
			}
		case len(p.Tasks) > 0:
			for k := range p.Tasks {
				if err := m.list(p.Tasks[k].Parts); err != nil {
					return err
				}
			}
		case len(p.Chunks) > 0 && m.team:
			start := m.now
			m.loop(p.Chunks)
			l := m.loops[p.Step]
			m.loops[p.Step] = Loop{l.NS + m.now - start, l.Work + sum(p.Chunks), l.Chunks + len(p.Chunks)}
		default:
			ns := p.NS + sum(p.Chunks)
			m.now += ns
			m.alone += ns
			m.work += ns
		}
	}
	return nil
}

// begin returns when each participant can claim its first chunk of a loop that begins now. The
// caller first wakes the helpers that sleep.
func (m *machine) begin() []int64 {
	patience := m.costs.Patience
	if !m.taken { // no run has the team before its first loop
		m.taken, patience = true, m.costs.Linger
	}
	at := make([]int64, len(m.last))
	from := m.now
	for w := 1; w < len(at); w++ {
		if from-m.last[w] > patience {
			m.now += m.costs.Rouse
			at[w] = from + max(m.costs.Wake, m.now-from)
		} else {
			at[w] = max(from+m.costs.Join, m.last[w])
		}
	}
	at[0] = m.now
	return at
}

// loop simulates a loop whose chunks take the given times.
func (m *machine) loop(chunks []int64) {
	n := len(m.last)
	at := m.begin()
	type span struct{ next, end int }
	own := make([]span, n)
	for w := range own {
		own[w] = span{w * len(chunks) / n, (w + 1) * len(chunks) / n}
	}
	// claim returns the chunk that participant w claims: the first chunk of its own range, or the last
	// chunk of the range of another participant.
	claim := func(w int) (int, bool) {
		if s := &own[w]; s.next < s.end {
			s.next++
			return s.next - 1, true
		}
		for v := 1; v < n; v++ {
			if s := &own[(w+v)%n]; s.next < s.end {
				s.end--
				return s.end, true
			}
		}
		return 0, false
	}
	end := m.now
	for {
		w := earliest(at)
		i, ok := claim(w)
		if !ok {
			break
		}
		at[w] += m.costs.Chunk + chunks[i]
		m.work += chunks[i]
		end = max(end, at[w])
	}
	m.now = end
	copy(m.last, at)
}

// earliest returns the index of the smallest element; of equal ones, the first.
func earliest(at []int64) int {
	w := 0
	for v := range at {
		if at[v] < at[w] {
			w = v
		}
	}
	return w
}

func sum(v []int64) (s int64) {
	for _, x := range v {
		s += x
	}
	return s
}

// worker is a participant that executes tasks.
type worker struct {
	at     int64
	task   int            // the index of its current task, or -1
	parts  []caserun.Part // the parts of the task that are left
	chunks []int64        // the unclaimed chunks of the loop that the participant shares at the moment
	shares bool           // whether it shares a loop
	end    int64          // when the last claimed chunk of the loop is done
	idle   bool           // whether it waits for work
	since  int64          // the time since which it has found no work, or -1 if it has just found some
}

// graph is the state of simulated tasks.
type graph struct {
	*machine
	part    *caserun.Part
	workers []worker
	ready   []bool // for each rank
	rank    []int  // of each task
	waits   []int  // for each task, the number of tasks for which it still waits
	left    int    // number of tasks that are not done yet
}

// tasks simulates tasks that the participants share.
func (m *machine) tasks(p *caserun.Part) error {
	n := len(p.Tasks)
	g := &graph{machine: m, part: p, workers: make([]worker, len(m.last)), ready: make([]bool, n), rank: make([]int, n), waits: make([]int, n), left: n}
	for k := range n {
		g.rank[k] = k
	}
	for at, k := range p.Order {
		g.rank[k] = at
	}
	for k, t := range p.Tasks {
		g.waits[k] = t.After
		g.ready[g.rank[k]] = t.After == 0
	}
	for w, at := range m.begin() {
		g.workers[w] = worker{at: at, task: -1, since: -1}
	}
	for g.left > 0 {
		w := -1
		for v := range g.workers {
			if !g.workers[v].idle && (w < 0 || g.workers[v].at < g.workers[w].at) {
				w = v
			}
		}
		if w < 0 {
			return fmt.Errorf("%d of %d tasks wait for each other", g.left, n)
		}
		g.act(w)
	}
	for w := range g.workers {
		m.last[w] = m.now
	}
	return nil
}

// act simulates the next action of participant w, which is the earliest.
func (g *graph) act(w int) {
	x := &g.workers[w]
	switch {
	case x.task < 0:
		g.look(w)
	case len(x.chunks) > 0:
		g.claim(x, x)
	case x.shares:
		x.at, x.shares, x.parts = max(x.at, x.end), false, x.parts[1:]
	case len(x.parts) > 0:
		g.step(x)
	default:
		g.done(x)
	}
}

// look makes participant w take a ready task, help with another participant's loop, or wait.
func (g *graph) look(w int) {
	x := &g.workers[w]
	for at, ready := range g.ready {
		if ready {
			g.ready[at] = false
			x.since = -1
			x.task = at
			if g.part.Order != nil {
				x.task = g.part.Order[at]
			}
			x.parts = g.part.Tasks[x.task].Parts
			return
		}
	}
	for i := 1; i < len(g.workers); i++ {
		if y := &g.workers[(w+i)%len(g.workers)]; len(y.chunks) > 0 {
			g.claim(x, y)
			x.since = -1
			return
		}
	}
	if x.idle = true; x.since < 0 {
		x.since = x.at
	}
}

// claim makes participant x run the next chunk of the loop of participant y.
func (g *graph) claim(x, y *worker) {
	x.at += g.costs.Chunk + y.chunks[0]
	g.work += y.chunks[0]
	y.chunks, y.end = y.chunks[1:], max(y.end, x.at)
}

// step simulates the next part of the task of participant x.
func (g *graph) step(x *worker) {
	p := &x.parts[0]
	if len(p.Tasks) > 0 { // tasks within a task run one after the other
		var parts []caserun.Part
		for _, t := range p.Tasks {
			parts = append(parts, t.Parts...)
		}
		x.parts = append(parts, x.parts[1:]...)
		return
	}
	if len(p.Chunks) > 0 && (g.idle() > 0 || g.left < 2*len(g.workers)) {
		x.chunks, x.shares, x.end = p.Chunks, true, x.at
		woken := 0
		if rt.Wakes(p.Work) {
			woken = len(p.Chunks) - 1
		}
		g.rouse(x, woken)
		return
	}
	ns := p.NS + sum(p.Chunks)
	x.at += ns
	g.work += ns
	x.parts = x.parts[1:]
}

func (g *graph) idle() (n int) {
	for w := range g.workers {
		if g.workers[w].idle {
			n++
		}
	}
	return n
}

// done ends the task of participant x.
func (g *graph) done(x *worker) {
	more := 0
	for _, j := range g.part.Tasks[x.task].Next {
		if g.waits[j]--; g.waits[j] == 0 {
			g.ready[g.rank[j]] = true
			more++
		}
	}
	x.task = -1
	if g.left--; g.left == 0 {
		g.now = max(g.now, x.at)
		return
	}
	g.rouse(x, more-1)
}

// rouse makes idle participants look for work that participant x has just provided. Those that sleep
// are woken, but at most the given number of them.
func (g *graph) rouse(x *worker, sleepers int) {
	// a participant without work sleeps after half as many attempts as a helper without a loop
	restless := g.costs.Patience / 2
	for v := range g.workers {
		y := &g.workers[v]
		switch {
		case !y.idle:
		case x.at-y.since <= restless:
			y.at, y.idle = x.at+g.costs.Join, false
		case sleepers > 0:
			sleepers--
			y.at, y.idle, y.since = x.at+g.costs.Wake, false, -1
			x.at += g.costs.Rouse
		}
	}
}
