package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"text/tabwriter"
	"time"

	"github.com/graphc/graphc/internal/caserun"
	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/internal/tool/casebuild"
	"github.com/graphc/graphc/internal/tool/timing"
)

// mostCallers is the largest number of goroutines that "graphc bench --callers" starts.
const mostCallers = 10000

// callersRow has the measurements of calls that a number of goroutines, the callers, make at the same
// time.
type callersRow struct {
	Callers   int     `json:"callers"`
	Runs      int     `json:"runs"`
	PerSecond float64 `json:"runs_per_s"`
	MedianUS  float64 `json:"median_us"` // of the latency of a call
	P99US     float64 `json:"p99_us"`
	MaxUS     float64 `json:"max_us"`
	CPUUS     float64 `json:"cpu_us_per_run"` // processor time of the process per run; -1 if unknown
	PeakKB    int     `json:"peak_rss_kb"`    // of the process so far
}

// callersResult has the measurements of one instance of a case's model.
type callersResult struct {
	Case       string       `json:"case"`
	Threads    int          `json:"threads"`    // of a run
	Processors int          `json:"processors"` // GOMAXPROCS of the process
	MaxErr     float64      `json:"max_err"`
	Callers    []callersRow `json:"callers"`
	// IdleMS is the processor time in milliseconds that the process uses in a second without calls. It is -1 if it is unknown.
	IdleMS float64 `json:"idle_cpu_ms_per_s"`
}

// Callers measures one instance of each case's model while several goroutines call it, once with each
// number of goroutines in the parameter callers. Each goroutine calls again as soon as its call
// returns, for the given length of time.
func Callers(ctx context.Context, a *base.App, dirs []string, callers, threads []int, run int, length time.Duration, o casebuild.Options, asJSON, asTable bool) error {
	if err := within("callers", callers, mostCallers); err != nil {
		return err
	}
	ctx = o.Devices.ForGPUs(ctx, "cuda")
	cs, done, err := findRuns(dirs, run)
	if err != nil {
		return err
	}
	defer done()
	if asTable {
		if _, err := io.WriteString(a.Out, callersHead); err != nil {
			return err
		}
	}
	return eachResult(ctx, a, cs, func(ctx context.Context, c *cases.Case) ([]*callersResult, error) {
		return callersOf(ctx, c, callers, threads, run, length, o)
	}, func(c *cases.Case, r *callersResult) error {
		switch {
		case asJSON:
			return json.NewEncoder(a.Out).Encode(r)
		case asTable:
			r.Case = c.Rel
			return r.rows(a.Out)
		}
		return r.text(a.Out)
	})
}

func callersOf(ctx context.Context, c *cases.Case, callers, threads []int, run int, length time.Duration, o casebuild.Options) ([]*callersResult, error) {
	if err := casebuild.Benchable(c); err != nil {
		return nil, err
	}
	p, dir, err := compiled(ctx, c, o)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	exe, err := timing.Build(ctx, c, p, dir, nil)
	if err != nil {
		return nil, err
	}
	var out []*callersResult
	for _, n := range threads {
		r := &callersResult{Case: caseName(c, run), Threads: n, Processors: runtime.GOMAXPROCS(0)}
		if err := r.measure(ctx, exe, c.Dir, callers, length); err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// idleLength is the length of time for which the idle process is measured.
const idleLength = time.Second

// measure starts the program and stores its measurements in r.
func (r *callersResult) measure(ctx context.Context, exe, dir string, callers []int, length time.Duration) error {
	t, err := timing.StartShared(ctx, exe, dir, r.Threads, r.Processors)
	if err != nil {
		return err
	}
	for _, n := range callers {
		base.Doing(ctx, "measure with "+base.Plural(n, "caller"))
		var got caserun.Callers
		if err := t.Ask(&got, "callers %d %d", n, length.Milliseconds()); err != nil {
			return t.End(err)
		}
		row := callersRow{Callers: n, Runs: got.Runs, PerSecond: float64(got.Runs) / float64(got.NS) * 1e9, MedianUS: timing.Microseconds(got.MedianNS), P99US: timing.Microseconds(got.P99NS),
			MaxUS: timing.Microseconds(got.MaxNS), CPUUS: timing.Microseconds(got.CPUNS) / float64(got.Runs), PeakKB: got.PeakKB}
		if got.CPUNS < 0 {
			row.CPUUS = -1
		}
		r.Callers = append(r.Callers, row)
	}
	base.Doing(ctx, "measure the idle process")
	var rest caserun.Idle
	err = t.Ask(&rest, "idle %d", idleLength.Milliseconds())
	if err := t.End(err); err != nil {
		return err
	}
	r.IdleMS, r.MaxErr = float64(rest.CPUNS)/float64(rest.NS)*1e3, t.Ready.MaxErr
	if rest.CPUNS < 0 {
		r.IdleMS = -1
	}
	return nil
}

// cpu returns the processor time of a run as text.
func (r *callersRow) cpu() string {
	if r.CPUUS < 0 {
		return "unknown"
	}
	return timing.Micros(r.CPUUS)
}

// idle returns the processor time of the idle process as text.
func (r *callersResult) idle() string {
	if r.IdleMS < 0 {
		return "unknown"
	}
	return fmt.Sprintf("%.1f", r.IdleMS)
}

func (r *callersResult) text(out io.Writer) error {
	fmt.Fprintf(out, "%s, %s a run, %s\n", r.Case, base.Plural(r.Threads, "thread"), base.Plural(r.Processors, "processor"))
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "callers\truns a second\tmedian\tp99\tlargest\tprocessor time a run\tpeak MB\t\n")
	for i := range r.Callers {
		c := &r.Callers[i]
		fmt.Fprintf(w, "%d\t%.1f\t%s\t%s\t%s\t%s\t%.1f\t\n", c.Callers, c.PerSecond, timing.Micros(c.MedianUS), timing.Micros(c.P99US), timing.Micros(c.MaxUS), c.cpu(), float64(c.PeakKB)/1024)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "  idle          %s ms of processor time a second without calls\n  accuracy      largest difference %.3g of the largest value\n", r.idle(), r.MaxErr)
	return err
}

// rows writes the result as rows of the Markdown table that begins with callersHead. The processor time
// of the idle process is in the last row.
func (r *callersResult) rows(w io.Writer) error {
	for i := range r.Callers {
		c := &r.Callers[i]
		rest := ""
		if i == len(r.Callers)-1 {
			rest = r.idle()
		}
		if _, err := fmt.Fprintf(w, "| %s | %d | %d | %.1f | %s | %s | %s | %s | %.1f | %s |\n", r.Case, r.Threads, c.Callers, c.PerSecond, timing.Micros(c.MedianUS), timing.Micros(c.P99US),
			timing.Micros(c.MaxUS), c.cpu(), float64(c.PeakKB)/1024, rest); err != nil {
			return err
		}
	}
	return nil
}

const callersHead = `| case | threads | callers | runs a second | median | p99 | largest | processor time a run | peak, MB | idle, ms a second |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
`
