package caserun

import (
	"context"
	"slices"
	"time"

	"github.com/graphc/graphc/rt"
)

// OpTime is the time of one call of a step in a run.
type OpTime struct {
	Step     int   `json:"step"`
	Call     int   `json:"call"` // for a call in a parallel loop: index of the call in the body; else 0
	MinNS    int64 `json:"min_ns"`
	MedianNS int64 `json:"median_ns"`
	Times    int   `json:"times"` // executions in a run; a call in a loop is executed once for each chunk
}

// Ops is the answer to "ops MS": the times of calls and of whole runs, measured for MS
// milliseconds. OutsideNS is the time of a run before its first step.
type Ops struct {
	Calls     []OpTime `json:"calls"`
	Runs      int      `json:"runs"`
	RunNS     int64    `json:"run_ns"` // time of the fastest run
	OutsideNS int64    `json:"outside_ns"`
}

// clock attributes time to the current call. Instrumented programs call Step before each step and
// Call before each call in a loop.
var clock struct {
	on    bool
	inner bool // whether calls in loops are timed separately
	epoch time.Time
	last  int64 // start of the current call
	step  int   // step of the current call; -1 before the first
	call  int
	now   [][]int64 // time of each call in the current run, indexed by step and call
	times [][]int   // how often each call was made in the current run
	out   int64
}

// Step records that a step begins.
func Step(step int) {
	if clock.on {
		tick(step, 0)
	}
}

// Call records that a call in a loop's body begins.
func Call(step, call int) {
	if clock.on && clock.inner && (call > 0 || clock.step != step || clock.call > 0) {
		tick(step, call)
	}
}

func tick(step, call int) {
	t := int64(time.Since(clock.epoch))
	settle(t)
	for len(clock.now) <= step {
		clock.now, clock.times = append(clock.now, nil), append(clock.times, nil)
	}
	for len(clock.now[step]) <= call {
		clock.now[step], clock.times[step] = append(clock.now[step], 0), append(clock.times[step], 0)
	}
	clock.times[step][call]++
	clock.step, clock.call = step, call
	clock.last = int64(time.Since(clock.epoch))
}

// settle attributes the time until t to the current call.
func settle(t int64) {
	if clock.step < 0 {
		clock.out += t - clock.last
		return
	}
	clock.now[clock.step][clock.call] += t - clock.last
}

// ops repeats the run for ms milliseconds, and times the calls of the run by means of the variable
// clock. If there is more than one thread, it does not time calls in loops separately.
func ops(b *rt.Bound, ms string, threads int) (Ops, error) {
	n, err := milliseconds("ops", ms)
	if err != nil {
		return Ops{}, err
	}
	type key struct{ step, call int }
	all := map[key][]int64{}
	times := map[key]int{}
	var r Ops
	ctx := context.Background()
	clock.on, clock.inner, clock.epoch = true, threads == 1, time.Now()
	defer func() { clock.on = false }()
	for end := time.Now().Add(time.Duration(n * float64(time.Millisecond))); r.Runs < 3 || time.Now().Before(end); r.Runs++ {
		for i := range clock.now {
			clear(clock.now[i])
			clear(clock.times[i])
		}
		clock.step, clock.call, clock.out = -1, 0, 0
		start := int64(time.Since(clock.epoch))
		clock.last = start
		if err := b.Run(ctx); err != nil {
			return r, err
		}
		stop := int64(time.Since(clock.epoch))
		settle(stop)
		if r.Runs == 0 || stop-start < r.RunNS {
			r.RunNS = stop - start
		}
		if r.Runs == 0 || clock.out < r.OutsideNS {
			r.OutsideNS = clock.out
		}
		for i, calls := range clock.now {
			for j, ns := range calls {
				if clock.times[i][j] > 0 {
					k := key{i, j}
					all[k], times[k] = append(all[k], ns), clock.times[i][j]
				}
			}
		}
	}
	for k, ns := range all {
		slices.Sort(ns)
		r.Calls = append(r.Calls, OpTime{k.step, k.call, ns[0], ns[len(ns)/2], times[k]})
	}
	slices.SortFunc(r.Calls, func(a, b OpTime) int {
		if a.Step != b.Step {
			return a.Step - b.Step
		}
		return a.Call - b.Call
	})
	return r, nil
}
