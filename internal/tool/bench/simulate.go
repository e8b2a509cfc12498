package bench

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/graphc/graphc/internal/caserun"
	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/internal/tool/casebuild"
	"github.com/graphc/graphc/internal/tool/schedule"
	"github.com/graphc/graphc/internal/tool/timing"
	"github.com/graphc/graphc/rt/par"
)

// mostSimulated is the largest number of threads that "graphc bench --simulate" accepts. A run cannot
// have more.
const mostSimulated = 1024

// checkSimulate returns an error if the flag --simulate has a number that is not possible.
func (f *OpFlags) checkSimulate() error {
	for _, n := range f.Simulate {
		if n < 1 || n > mostSimulated {
			return base.Usagef("--simulate: %d: each number must be from 1 to %d", n, mostSimulated)
		}
	}
	return nil
}

// simulated has the predicted times of a case's runs.
type simulated struct {
	Costs schedule.Costs `json:"costs"`
	Runs  []simulatedRun `json:"runs"`
}

// simulatedRun has the predicted time of a run with a number of threads.
type simulatedRun struct {
	Threads int     `json:"threads"`
	US      float64 `json:"us"`
	Speedup float64 `json:"speedup"` // predicted time with one thread divided by US
	// Alone is the share of the time in which the caller executes steps that threads do not share. Busy is
	// the part of the threads' time that they spend in steps and chunks.
	Alone float64 `json:"alone"`
	Busy  float64 `json:"busy"`
	// MeasuredUS is the shortest measured time of a run. It is 0 if this machine has too few processors.
	MeasuredUS float64 `json:"measured_us,omitempty"`
}

// simulate predicts the times of the case's runs with each of the given numbers of threads. For as many
// threads as the machine has processors, it also measures the times. Each measurement takes half of the
// given length of time.
func simulate(ctx context.Context, c *cases.Case, threads []int, length time.Duration, o casebuild.Options) (*simulated, error) {
	dir, err := casebuild.TempModule("", base.GPUKind(ctx))
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	base.Doing(ctx, "compile for the simulation")
	p, _, err := o.Compiler(c).Compile(1)
	if err != nil {
		return nil, err
	}
	exe, err := timing.Build(ctx, c, p, dir, timing.Sharing)
	if err != nil {
		return nil, err
	}
	base.Doing(ctx, "measure the cost of sharing work")
	out := &simulated{Costs: schedule.Measure()}
	one, err := scheduleOf(ctx, exe, c.Dir, 1, length/2)
	if err != nil {
		return nil, err
	}
	alone, err := schedule.Simulate(one, out.Costs)
	if err != nil {
		return nil, err
	}
	for _, n := range threads {
		s := one
		if n > 1 {
			if s, err = scheduleOf(ctx, exe, c.Dir, n, length/2); err != nil {
				return nil, err
			}
		}
		p, err := schedule.Simulate(s, out.Costs)
		if err != nil {
			return nil, err
		}
		ns := float64(max(p.NS, 1))
		r := simulatedRun{Threads: n, US: timing.Microseconds(p.NS), Speedup: float64(alone.NS) / ns, Alone: float64(p.Alone) / ns, Busy: float64(p.Work) / ns / float64(n)}
		if n <= par.Processors() {
			if r.MeasuredUS, err = shortest(ctx, exe, c.Dir, n, length/2); err != nil {
				return nil, err
			}
		}
		out.Runs = append(out.Runs, r)
	}
	return out, nil
}

// scheduleOf measures on one thread the parts of a run that the given number of threads would share.
func scheduleOf(ctx context.Context, exe, dir string, threads int, length time.Duration) (*caserun.Schedule, error) {
	t, err := timing.Start(ctx, exe, dir, 1)
	if err != nil {
		return nil, err
	}
	base.Doing(ctx, "measure the chunks of "+base.Plural(threads, "thread"))
	var s caserun.Schedule
	err = t.Ask(&s, "schedule %d %d", threads, length.Milliseconds())
	if err := t.End(err); err != nil {
		return nil, err
	}
	return &s, nil
}

// shortest returns the shortest time of a run in microseconds.
func shortest(ctx context.Context, exe, dir string, threads int, length time.Duration) (float64, error) {
	t, err := timing.Start(ctx, exe, dir, threads)
	if err != nil {
		return 0, err
	}
	var burst caserun.Burst
	err = t.Ask(&burst, "burst %d", length.Milliseconds())
	if err := t.End(err); err != nil {
		return 0, err
	}
	return timing.Microseconds(slices.Min(burst.NS)), nil
}

func (s *simulated) text(out io.Writer) error {
	c := &s.Costs
	what := "measured on this machine"
	if !c.Measured {
		what = "as usual, because no second processor is free"
	}
	fmt.Fprintf(out, `Predicted times of a run. They assume that a chunk takes as long beside other threads as
alone: no limit of memory bandwidth or shared caches, and the same clock. Costs, %s:
a helper begins a loop after %s, or after %s if it sleeps; a chunk costs %s;
a helper without work sleeps after %s during a run, and after %s between runs.

`, what, micros(c.Join), micros(c.Wake), micros(c.Chunk), micros(c.Patience), micros(c.Linger))
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "threads\tpredicted\tspeed-up\tcaller alone\tthreads busy\tmeasured\tdifference\t\n")
	for _, r := range s.Runs {
		measured, difference := "", ""
		if r.MeasuredUS > 0 {
			measured, difference = timing.Micros(r.MeasuredUS), fmt.Sprintf("%+.1f%%", 100*(r.US/r.MeasuredUS-1))
		}
		fmt.Fprintf(w, "%d\t%s\t%.2f\t%.1f%%\t%.1f%%\t%s\t%s\t\n", r.Threads, timing.Micros(r.US), r.Speedup, 100*r.Alone, 100*r.Busy, measured, difference)
	}
	fmt.Fprintln(w)
	return w.Flush()
}

func micros(ns int64) string { return timing.Micros(timing.Microseconds(ns)) }
