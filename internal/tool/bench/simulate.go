package bench

import (
	"cmp"
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
	"github.com/graphc/graphc/internal/tool/cost"
	"github.com/graphc/graphc/internal/tool/schedule"
	"github.com/graphc/graphc/internal/tool/timing"
	"github.com/graphc/graphc/rt/par"
)

// mostSimulated is the largest number of threads that "graphc bench --simulate" accepts. A run cannot
// have more.
const mostSimulated = 1024

// checkSimulate returns an error if the flag --simulate has a number that is not possible.
func (f *OpFlags) checkSimulate() error {
	return within("simulate", f.Simulate, mostSimulated)
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
	// Losses has the loops that take longer than their work would if it were divided evenly among the
	// threads. The loops that lose the most time come first.
	Losses []loss `json:"losses,omitempty"`
}

// loss is the time that a loop loses because the threads cannot share it evenly.
type loss struct {
	Node   string  `json:"node"`
	Kernel string  `json:"kernel"`
	Chunks int     `json:"chunks"`
	US     float64 `json:"us"`      // time of the loop in a run
	LostUS float64 `json:"lost_us"` // US minus the time of all chunks divided by the number of threads
}

// mostLosses is the number of losses in the text and in the results.
const mostLosses = 5

// lossesOf returns the largest losses of the predicted loops. The parameter steps has the costs of each
// step of the plan.
func lossesOf(p *schedule.Prediction, threads int, steps []*cost.Entry) []loss {
	var out []loss
	for _, e := range steps {
		l, ok := p.Loops[e.Step]
		lost := l.NS - l.Work/int64(threads)
		if ok && threads > 1 && lost > 0 {
			out = append(out, loss{e.Node, e.Kernel, l.Chunks, timing.Microseconds(l.NS), timing.Microseconds(lost)})
		}
	}
	slices.SortStableFunc(out, func(a, b loss) int { return cmp.Compare(b.LostUS, a.LostUS) })
	return out[:min(len(out), mostLosses)]
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
	feeds, _, err := c.LoadRun(0)
	if err != nil {
		return nil, err
	}
	g, pl := cost.VariantFor(p.Signatures[0], feeds)
	steps := stepCosts(cost.OfPlan(g, pl, feeds))
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
		r := simulatedRun{Threads: n, US: timing.Microseconds(p.NS), Speedup: float64(alone.NS) / ns, Alone: float64(p.Alone) / ns, Busy: float64(p.Work) / ns / float64(n),
			Losses: lossesOf(&p, n, steps)}
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
	most := slices.MaxFunc(s.Runs, func(a, b simulatedRun) int { return cmp.Compare(a.Threads, b.Threads) })
	if len(most.Losses) > 0 {
		fmt.Fprintf(w, "lost µs\tµs\tchunks\t loops that %d threads share least evenly\t\n", most.Threads)
		for _, l := range most.Losses {
			fmt.Fprintf(w, "%.1f\t%.1f\t%d\t  %s  %s\n", l.LostUS, l.US, l.Chunks, l.Kernel, l.Node)
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

func micros(ns int64) string { return timing.Micros(timing.Microseconds(ns)) }
