package caserun

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/graphc/graphc/rt"
)

// Callers is the answer to "callers N MS": N goroutines, the callers, called one instance of the
// model for MS milliseconds.
type Callers struct {
	Callers int `json:"callers"`
	Runs    int `json:"runs"`
	// NS is the time from the start of the first call to the end of the last one.
	NS int64 `json:"ns"`
	// MedianNS and P99NS are the median and the 99th percentile of the calls' latencies, with an error
	// below half a percent. MaxNS is the exact largest latency.
	MedianNS int64 `json:"median_ns"`
	P99NS    int64 `json:"p99_ns"`
	MaxNS    int64 `json:"max_ns"`
	// CPUNS is the processor time that the process used meanwhile, or -1 if it is unknown.
	CPUNS  int64 `json:"cpu_ns"`
	PeakKB int   `json:"peak_kb"` // peak memory of the process so far
}

// Idle is the answer to "idle MS": the processor time that the process used while it did nothing for
// MS milliseconds.
type Idle struct {
	NS    int64 `json:"ns"`
	CPUNS int64 `json:"cpu_ns"` // -1 if it is unknown
}

// settling is how long the process does nothing before "idle" measures it. By then, the helpers of
// the last run must sleep.
const settling = 100 * time.Millisecond

// caller is a goroutine that calls the model. It has its own feeds and its own results.
type caller struct {
	bound *rt.Bound
	took  latencies
	err   error
}

// call calls the model at least once, and until the time end.
func (c *caller) call(ctx context.Context, end time.Time) {
	for {
		start := time.Now()
		if c.err = c.bound.Run(ctx); c.err != nil {
			return
		}
		now := time.Now()
		c.took.add(now.Sub(start).Nanoseconds())
		if !now.Before(end) {
			return
		}
	}
}

// together makes all callers call the model at the same time, each in its own goroutine. It returns
// when all have ended. The function end returns the time at which callers begin no further call;
// together calls it when the goroutines of all callers exist.
func together(cs []*caller, end func() time.Time) error {
	ctx := context.Background()
	gate := make(chan time.Time)
	var group sync.WaitGroup
	for _, c := range cs {
		group.Go(func() { c.call(ctx, <-gate) })
	}
	at := end()
	for range cs {
		gate <- at
	}
	group.Wait()
	var errs []error
	for _, c := range cs {
		errs = append(errs, c.err)
	}
	return errors.Join(errs...)
}

// callers answers "callers N MS".
func (s *subject) callers(n int, ms float64) (Callers, error) {
	for len(s.all) < n {
		b, err := s.bind()
		if err != nil {
			return Callers{}, err
		}
		s.all = append(s.all, &caller{bound: b})
	}
	cs := s.all[:n]
	// Each caller calls once before the measurement, so that all buffers exist.
	if err := together(cs, time.Now); err != nil {
		return Callers{}, err
	}
	for _, c := range cs {
		c.took = latencies{}
	}
	var start time.Time
	var before int64
	err := together(cs, func() time.Time {
		before, _ = cpuTime()
		start = time.Now()
		return start.Add(time.Duration(ms * float64(time.Millisecond)))
	})
	took := time.Since(start)
	after, known := cpuTime()
	if err != nil {
		return Callers{}, err
	}
	var sum latencies
	for _, c := range cs {
		sum.merge(&c.took)
	}
	_, peak := memory()
	r := Callers{Callers: n, Runs: sum.n, NS: took.Nanoseconds(), MedianNS: sum.at(sum.n / 2), P99NS: sum.at(sum.n * 99 / 100), MaxNS: sum.most, CPUNS: after - before, PeakKB: peak}
	if !known {
		r.CPUNS = -1
	}
	return r, nil
}

// idleVerb answers "idle MS".
func idleVerb(text string) (Idle, error) {
	ms, err := milliseconds("idle", text)
	if err != nil {
		return Idle{}, err
	}
	time.Sleep(settling)
	before, _ := cpuTime()
	start := time.Now()
	time.Sleep(time.Duration(ms * float64(time.Millisecond)))
	r := Idle{NS: time.Since(start).Nanoseconds()}
	after, known := cpuTime()
	if r.CPUNS = after - before; !known {
		r.CPUNS = -1
	}
	return r, nil
}

// callersVerb answers "callers N MS"; fields are N and MS.
func (s *subject) callersVerb(fields []string) (Callers, error) {
	if len(fields) != 2 {
		return Callers{}, fmt.Errorf("callers: want N MS")
	}
	n, err := strconv.Atoi(fields[0])
	if err != nil || n < 1 {
		return Callers{}, fmt.Errorf("callers: %q is not a positive number", fields[0])
	}
	ms, err := milliseconds("callers", fields[1])
	if err != nil {
		return Callers{}, err
	}
	return s.callers(n, ms)
}

// milliseconds reads a length of time in a request. The parameter verb is the kind of the request.
func milliseconds(verb, text string) (float64, error) {
	ms, err := strconv.ParseFloat(text, 64)
	if err != nil || !(ms >= 0 && ms < 1e9) {
		return 0, fmt.Errorf("%s: %q is not a time", verb, text)
	}
	return ms, nil
}
