package schedule

import (
	"testing"

	"github.com/graphc/graphc/internal/caserun"
)

const (
	us   = 1000
	ms   = 1000 * us
	lots = 1 << 30 // work for which helpers are woken
)

var costs = Costs{Join: 2 * us, Chunk: us, Wake: 30 * us, Rouse: 5 * us, Patience: 400 * us, Linger: 50 * us}

func steps(ns int64) caserun.Part { return caserun.Part{NS: ns} }

func loop(ns ...int64) caserun.Part { return caserun.Part{Chunks: ns, Work: lots} }

func task(after int, next []int, parts ...caserun.Part) caserun.TaskPart {
	return caserun.TaskPart{After: after, Next: next, Parts: parts}
}

func tasks(order []int, k ...caserun.TaskPart) caserun.Part {
	return caserun.Part{Tasks: k, Order: order, Work: lots}
}

// TestSimulate: the expected times follow from the rules of package par and of rt.RunTasks.
func TestSimulate(t *testing.T) {
	for _, c := range []struct {
		name    string
		threads int
		parts   []caserun.Part
		want    int64 // time of the run
		alone   int64
		work    int64
	}{
		{"one thread", 1, []caserun.Part{steps(3 * ms), loop(ms, ms), tasks(nil, task(0, nil, steps(ms)))}, 6 * ms, 6 * ms, 6 * ms},
		{"two chunks", 2, []caserun.Part{loop(ms, ms)}, ms + 3*us, 0, 2 * ms},
		// In the next cases, helpers without work fall asleep, and the next run wakes them.
		{"one chunk", 2, []caserun.Part{loop(ms)}, 5*us + ms + us, 0, ms},
		{"a chunk is stolen", 2, []caserun.Part{loop(10*ms, ms, ms, ms)}, 5*us + 10*ms + us, 0, 13 * ms},
		{"chunks from the end of a range", 2, []caserun.Part{loop(9*ms, 2*ms, ms, ms, ms, ms)}, 5*us + 9*ms + us, 0, 15 * ms},
		{"more threads than chunks", 8, []caserun.Part{loop(ms, ms, ms)}, 5*5*us + ms + us, 0, 3 * ms},
		{"two loops", 2, []caserun.Part{loop(ms, ms), steps(100 * us), loop(ms, ms)}, 2*ms + 6*us + 100*us, 100 * us, 4*ms + 100*us},
		{"a helper falls asleep during the run", 2, []caserun.Part{loop(ms, ms), steps(500 * us), loop(ms, ms)}, 2*ms + 3*us + 500*us + 31*us, 500 * us, 4*ms + 500*us},
		{"a helper falls asleep before the run", 2, []caserun.Part{steps(60 * us), loop(ms, ms)}, ms + 31*us + 60*us, 60 * us, 2*ms + 60*us},
		{"a helper that sleeps comes too late", 2, []caserun.Part{steps(200 * us), loop(us, us)}, 200*us + 5*us + 4*us, 200 * us, 202 * us},
		{"independent tasks", 2, []caserun.Part{tasks(nil, task(0, nil, steps(ms)), task(0, nil, steps(2*ms)))}, 2*ms + 2*us, 0, 3 * ms},
		{"the order of tasks", 2, []caserun.Part{tasks([]int{1, 0}, task(0, nil, steps(ms)), task(0, nil, steps(2*ms)))}, 2 * ms, 0, 3 * ms},
		{"a chain of tasks", 2, []caserun.Part{tasks(nil, task(0, []int{1}, steps(ms)), task(1, nil, steps(ms)))}, 2 * ms, 0, 2 * ms},
		{"a participant waits for a task", 2, []caserun.Part{tasks(nil, task(0, []int{1, 2}, steps(100*us)), task(1, nil, steps(ms)), task(1, nil, steps(ms)))}, ms + 102*us, 0, 2*ms + 100*us},
		{"a participant sleeps until a task is ready", 2, []caserun.Part{tasks(nil, task(0, []int{1, 2}, steps(ms)), task(1, nil, steps(ms)), task(1, nil, steps(ms)))}, 2*ms + 30*us, 0, 3 * ms},
		{"an idle participant helps", 2, []caserun.Part{tasks(nil, task(0, nil, steps(100*us), loop(ms, ms)))}, ms + 103*us, 0, 2*ms + 100*us},
		{"nobody is idle", 2, []caserun.Part{tasks(nil, task(0, nil, loop(ms, ms)), task(0, nil, steps(2*ms)), task(0, nil, steps(us)), task(0, nil, steps(us)))}, 2*ms + 2*us, 0, 4*ms + 2*us},
		{"tasks in a task", 2, []caserun.Part{tasks(nil, task(0, nil, tasks(nil, task(0, nil, steps(ms)), task(0, nil, steps(ms)))))}, 2 * ms, 0, 2 * ms},
	} {
		got, err := Simulate(&caserun.Schedule{Threads: c.threads, Work: lots, Parts: c.parts}, costs)
		if err != nil || got.NS != c.want || got.Alone != c.alone || got.Work != c.work {
			t.Errorf("%s: %+v, %v, want %d, %d, %d", c.name, got, err, c.want, c.alone, c.work)
		}
	}
	// A loop of a single large chunk beside one that is divided evenly
	one := caserun.Part{Chunks: []int64{ms}, Work: lots, Step: 7}
	two := caserun.Part{Chunks: []int64{ms, ms}, Work: lots, Step: 9}
	p, err := Simulate(&caserun.Schedule{Threads: 2, Work: lots, Parts: []caserun.Part{two, one, two}}, costs)
	if err != nil || len(p.Loops) != 2 || p.Loops[7].Work != ms || p.Loops[7].Chunks != 1 || p.Loops[7].NS < ms || p.Loops[9].Work != 4*ms || p.Loops[9].Chunks != 4 || p.Loops[7].NS+p.Loops[9].NS != p.NS {
		t.Errorf("%+v, %v", p, err)
	}
	// A run with little work wakes no helpers.
	got, err := Simulate(&caserun.Schedule{Threads: 2, Work: 1000, Parts: []caserun.Part{loop(ms, ms), tasks(nil, task(0, nil, steps(ms)))}}, costs)
	if err != nil || got.NS != 3*ms || got.Alone != 3*ms || got.Work != 3*ms || len(got.Loops) > 0 {
		t.Errorf("little work: %+v, %v, want %d", got, err, 3*ms)
	}
	if _, err := Simulate(&caserun.Schedule{Threads: 2, Work: lots, Parts: []caserun.Part{tasks(nil, task(1, nil, steps(ms)))}}, costs); err == nil {
		t.Error("a task that waits for itself was simulated")
	}
}
