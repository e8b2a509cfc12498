package caserun

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/tensor"
)

// Ready is the first line that a timed program prints, after it has loaded the model and made its
// first runs.
type Ready struct {
	Ready  bool    `json:"ready"`
	LoadS  float64 `json:"load_s"`
	FirstS float64 `json:"first_s"`
	MaxErr float64 `json:"max_err"` // error of the results, as defined by maxErr
	PeakMB int     `json:"peak_mb"`
	RSSMB  int     `json:"rss_mb"`
}

// Burst is the answer to "burst MS": the time of each call.
type Burst struct {
	NS []int64 `json:"ns"`
}

// Stats is the answer to "allocs N": the allocations per call, averaged over N calls.
type Stats struct {
	Allocs float64 `json:"allocs"`
	Bytes  float64 `json:"bytes"`
	RSSKB  int     `json:"rss_kb"`
	PeakKB int     `json:"peak_kb"`
}

// warmup is the number of calls before a program is ready.
const warmup = 3

// subject is the model that a program times.
type subject struct {
	*rt.Bound
	// bind returns the model's signature with separate copies of the feeds.
	bind    func() (*rt.Bound, error)
	threads int       // of a run
	all     []*caller // the callers that were needed so far
}

// Bench is the main function of a program that is timed. The argument name selects the emitted
// package. The parameter args is CASE THREADS [PROCESSORS]: the folder of the case, the number of
// threads of a run, and the value for GOMAXPROCS, which by default is the number of threads. Bench
// makes the first runs and prints Ready. Then it answers the lines "burst MS", "allocs N", "callers N
// MS", "idle MS", "ops MS", "schedule THREADS MS", "devices MS NAME…", "kernels MS NAME…" and "quit"
// on standard input.
func (t Table) Bench(name string, args []string) int {
	if err := t.bench(name, args); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func (t Table) bench(name string, args []string) error {
	start := time.Now()
	if len(args) != 2 && len(args) != 3 {
		return fmt.Errorf("usage: CASE THREADS [PROCESSORS]")
	}
	threads, err := strconv.Atoi(args[1])
	if err != nil || threads < 1 {
		return fmt.Errorf("threads: %q is not a positive number", args[1])
	}
	processors, err := strconv.Atoi(args[len(args)-1])
	if err != nil || processors < 1 {
		return fmt.Errorf("processors: %q is not a positive number", args[2])
	}
	c, err := cases.Load(args[0])
	if err != nil {
		return err
	}
	feeds, want, err := c.LoadRun(0)
	if err != nil {
		return err
	}
	runtime.GOMAXPROCS(processors)
	p, err := t[name](rt.WithThreads(threads))
	if err != nil {
		return err
	}
	signature := p.Signatures()[0].Name
	b, err := p.Bind(signature, feeds)
	if err != nil {
		return err
	}
	ctx := context.Background()
	load := time.Since(start)
	start = time.Now()
	if err := b.Run(ctx); err != nil {
		return err
	}
	first := time.Since(start)
	worst := maxErr(c.Runs[0].Fetches, b.Fetches(), want)
	for range warmup {
		if err := b.Run(ctx); err != nil {
			return err
		}
	}
	rss, peak := memory()
	enc := json.NewEncoder(os.Stdout)
	err = enc.Encode(Ready{Ready: true, LoadS: load.Seconds(), FirstS: first.Seconds(), MaxErr: worst, PeakMB: peak >> 10, RSSMB: rss >> 10})
	if err != nil {
		return err
	}
	again := func() (*rt.Bound, error) {
		feeds, _, err := c.LoadRun(0)
		if err != nil {
			return nil, err
		}
		return p.Bind(signature, feeds)
	}
	return serveBench(os.Stdin, enc, &subject{Bound: b, bind: again, threads: threads})
}

func serveBench(in io.Reader, enc *json.Encoder, s *subject) error {
	sc := bufio.NewScanner(in)
	for sc.Scan() {
		verb, arg, _ := strings.Cut(strings.TrimSpace(sc.Text()), " ")
		var reply any
		var err error
		switch verb {
		case "", "quit":
			return nil
		case "burst":
			reply, err = burst(s.Bound, arg)
		case "allocs":
			reply, err = allocs(s.Bound, arg)
		case "callers":
			reply, err = s.callersVerb(strings.Fields(arg))
		case "idle":
			reply, err = idleVerb(arg)
		case "schedule":
			reply, err = s.scheduleVerb(arg)
		case "ops":
			reply, err = ops(s.Bound, arg, s.threads)
		case "devices", "kernels":
			reply, err = deviceVerb(s.Bound, strings.Fields(arg), verb == "kernels")
		default:
			err = fmt.Errorf("unknown request %q", verb)
		}
		if err == nil {
			err = enc.Encode(reply)
		}
		if err != nil {
			return err
		}
	}
	return sc.Err()
}

func burst(b *rt.Bound, ms string) (Burst, error) {
	n, err := milliseconds("burst", ms)
	if err != nil {
		return Burst{}, err
	}
	ctx := context.Background()
	end := time.Now().Add(time.Duration(n * float64(time.Millisecond)))
	var r Burst
	for {
		start := time.Now()
		if err := b.Run(ctx); err != nil {
			return r, err
		}
		now := time.Now()
		r.NS = append(r.NS, now.Sub(start).Nanoseconds())
		if now.After(end) && len(r.NS) >= 2 {
			return r, nil
		}
	}
}

func allocs(b *rt.Bound, calls string) (Stats, error) {
	n, err := strconv.Atoi(calls)
	if err != nil || n < 1 {
		return Stats{}, fmt.Errorf("allocs: %q is not a positive number", calls)
	}
	ctx := context.Background()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range n {
		if err := b.Run(ctx); err != nil {
			return Stats{}, err
		}
	}
	runtime.ReadMemStats(&after)
	rss, peak := memory()
	return Stats{float64(after.Mallocs-before.Mallocs) / float64(n), float64(after.TotalAlloc-before.TotalAlloc) / float64(n), rss, peak}, nil
}

// maxErr returns the largest difference from the expected results, divided by the largest expected
// magnitude. The benchmark of other runtimes uses the same error measure. The result is the largest
// float64, which represents +Inf, if integers differ, a fetch is missing, or the measure is NaN.
func maxErr(names []string, got, want map[string]*tensor.Tensor) float64 {
	worst := 0.0
	for _, name := range names {
		g, w := got[name], want[name]
		if g == nil || g.DType != w.DType || g.Len() != w.Len() {
			return math.MaxFloat64
		}
		gf, ok := cases.Floats(g)
		if !ok {
			if cases.Compare(g, w, 0, 0) != nil {
				return math.MaxFloat64
			}
			continue
		}
		wf, _ := cases.Floats(w)
		diff, most := 0.0, 0.0
		for i, x := range wf {
			diff = max(diff, math.Abs(x-gf[i]))
			most = max(most, math.Abs(x))
		}
		worst = max(worst, diff/(most+1e-30))
	}
	if math.IsNaN(worst) {
		return math.MaxFloat64
	}
	return worst
}

// memory returns resident and peak memory in KiB, or 0 if unknown.
func memory() (rss, peak int) {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, 0
	}
	for line := range strings.Lines(string(data)) {
		key, rest, _ := strings.Cut(line, ":")
		f := strings.Fields(rest)
		if len(f) == 0 {
			continue
		}
		n, err := strconv.Atoi(f[0])
		if err != nil {
			continue
		}
		switch key {
		case "VmRSS":
			rss = n
		case "VmHWM":
			peak = n
		}
	}
	return rss, peak
}
