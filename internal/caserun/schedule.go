package caserun

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/par"
)

// Schedule is the answer to "schedule THREADS MS". It describes a run that THREADS threads would
// share, with times that were measured on one thread in MS milliseconds. Loops are divided into the
// chunks that THREADS threads would claim. All times are the shortest of all runs.
type Schedule struct {
	Threads int    `json:"threads"`
	Runs    int    `json:"runs"`
	Others  int    `json:"others"` // runs that were not used, because they had other parts than the first
	Work    int    `json:"work"`   // estimated cost of the loops and tasks of the run in picoseconds
	Parts   []Part `json:"parts"`
}

// Part is a part of a run: steps that one thread executes, a loop that threads share, or tasks.
type Part struct {
	NS int64 `json:"ns,omitempty"` // time of the steps, or 0 for a loop and for tasks
	// Chunks has the time of each chunk of a loop, and Step the number of the loop's step.
	Chunks []int64 `json:"chunks,omitempty"`
	Step   int     `json:"step,omitempty"`
	// Tasks has the tasks in the order of rt.Graph.Tasks, and Order their priorities, as in rt.Graph.
	Tasks []TaskPart `json:"tasks,omitempty"`
	Order []int      `json:"order,omitempty"`
	Work  int        `json:"work,omitempty"` // estimated cost of the loop or the tasks in picoseconds
}

// TaskPart is a task of a run, with the fields After and Next of rt.Task.
type TaskPart struct {
	After int    `json:"after,omitempty"`
	Next  []int  `json:"next,omitempty"`
	Parts []Part `json:"parts"`
}

// event is something that the variable record has recorded: the end of some steps or of a chunk, or
// one of the events without a time, which divide the record into parts.
type event struct {
	kind  eventKind
	ns    int64 // for steps and chunks
	work  int   // for loops and graphs
	step  int   // for loops
	graph *Part // for graphs: the tasks, without their parts and times
}

type eventKind int

const (
	stepsEnd eventKind = iota
	loopBegins
	chunkEnds // follows loopBegins or the previous chunk of the loop
	graphBegins
	taskEnds // follows the events of the task
)

// record records the events of a run. Instrumented programs call Par and RunTasks in place of the
// functions of package rt.
var record struct {
	threads int // for which loops are divided; 0 if nothing is recorded
	epoch   time.Time
	last    int64 // end of the last event that has a time
	events  []event
	graphs  map[any]*Part
	depth   int // the number of graphs of tasks that are being run
	work    int
}

// ends records that steps or a chunk have ended.
func ends(kind eventKind) {
	t := int64(time.Since(record.epoch))
	record.events = append(record.events, event{kind: kind, ns: t - record.last})
	record.last = int64(time.Since(record.epoch))
}

// begins records that a loop or a graph of tasks begins.
func begins(e event) {
	ends(stepsEnd)
	record.events = append(record.events, e)
}

// Par runs a loop like the method Par of a state. While the program is recorded, it divides the loop
// as several threads would, and runs the chunks on the thread of the caller.
func Par[D comparable, V, I, M, X any](s *rt.State[D, V, I, M, X], f func(s *rt.State[D, V, I, M, X], t []int, lo, n int, m []byte), t []int, total int, sp rt.Split) {
	work := rt.Mul(max(total, 0), max(sp.Work, 1))
	if record.threads > 0 && record.depth == 0 {
		record.work = rt.Add(record.work, work)
	}
	if record.threads < 2 || total <= 0 || work < rt.WorthSharing {
		s.Par(f, t, total, sp)
		return
	}
	begins(event{kind: loopBegins, work: work, step: s.Step})
	size := rt.ChunkSize(sp, total, record.threads)
	for i := range par.Chunks(total, size, sp.Wrap) {
		lo, n := par.Bounds(i, total, size, sp.Wrap)
		f(s, t, lo, n, s.Scratch())
		ends(chunkEnds)
	}
}

// RunTasks runs tasks like the function RunTasks of package rt. While the program is recorded, it
// runs them in the order of the list on the thread of the caller.
func RunTasks[D comparable, V, I, M, X any](s *rt.State[D, V, I, M, X], g *rt.Graph[D, V, I, M, X]) error {
	if record.threads < 2 {
		return rt.RunTasks(s, g)
	}
	shape := record.graphs[g]
	if shape == nil {
		shape = &Part{Order: g.Order, Work: g.Work}
		for i := range g.Tasks {
			shape.Tasks = append(shape.Tasks, TaskPart{After: g.Tasks[i].After, Next: g.Tasks[i].Next})
		}
		record.graphs[g] = shape
	}
	if record.depth == 0 {
		record.work = rt.Add(record.work, g.Work)
	}
	record.depth++
	defer func() { record.depth-- }()
	begins(event{kind: graphBegins, work: g.Work, graph: shape})
	s.Of = s
	for i := range g.Tasks {
		if err := g.Tasks[i].Run(s); err != nil {
			return err
		}
		ends(stepsEnd)
		record.events = append(record.events, event{kind: taskEnds})
	}
	return nil
}

// schedule answers "schedule THREADS MS".
func schedule(b *rt.Bound, threads int, ms float64) (Schedule, error) {
	r := Schedule{Threads: threads}
	var best []event
	record.threads, record.graphs, record.epoch = threads, map[any]*Part{}, time.Now()
	defer func() { record.threads, record.events, record.graphs = 0, nil, nil }()
	ctx := context.Background()
	for end := time.Now().Add(time.Duration(ms * float64(time.Millisecond))); r.Runs+r.Others < 3 || time.Now().Before(end); {
		record.events, record.work, record.depth = record.events[:0], 0, 0
		record.last = int64(time.Since(record.epoch))
		if err := b.Run(ctx); err != nil {
			return r, err
		}
		ends(stepsEnd)
		if best == nil {
			best = append(best, record.events...)
			r.Work = record.work
		}
		if !sameParts(best, record.events) {
			r.Others++
			continue
		}
		r.Runs++
		for i := range best {
			best[i].ns = min(best[i].ns, record.events[i].ns)
		}
	}
	r.Parts, _ = partsOf(best, false)
	return r, nil
}

// sameParts reports whether two runs have the same events, apart from times.
func sameParts(a, b []event) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].kind != b[i].kind || a[i].graph != b[i].graph || a[i].step != b[i].step {
			return false
		}
	}
	return true
}

// partsOf returns the parts that the events describe. If task is true, it stops at the end of the
// current task. It also returns the events that follow.
func partsOf(events []event, task bool) (parts []Part, rest []event) {
	for len(events) > 0 {
		e := events[0]
		events = events[1:]
		switch e.kind {
		case stepsEnd:
			if e.ns > 0 {
				parts = append(parts, Part{NS: e.ns})
			}
		case loopBegins:
			p := Part{Work: e.work, Step: e.step}
			for len(events) > 0 && events[0].kind == chunkEnds {
				p.Chunks = append(p.Chunks, events[0].ns)
				events = events[1:]
			}
			parts = append(parts, p)
		case graphBegins:
			p := *e.graph
			p.Tasks = append([]TaskPart(nil), p.Tasks...)
			for i := range p.Tasks {
				p.Tasks[i].Parts, events = partsOf(events, true)
			}
			parts = append(parts, p)
		case taskEnds:
			if task {
				return parts, events
			}
		}
	}
	return parts, nil
}

// scheduleVerb answers "schedule THREADS MS".
func (s *subject) scheduleVerb(text string) (Schedule, error) {
	first, second, _ := strings.Cut(text, " ")
	threads, err := strconv.Atoi(first)
	if err != nil || threads < 1 {
		return Schedule{}, fmt.Errorf("schedule: %q is not a positive number", first)
	}
	if s.threads != 1 {
		return Schedule{}, fmt.Errorf("schedule: the program was started with %d threads, want 1", s.threads)
	}
	ms, err := milliseconds("schedule", second)
	if err != nil {
		return Schedule{}, err
	}
	return schedule(s.Bound, threads, ms)
}
