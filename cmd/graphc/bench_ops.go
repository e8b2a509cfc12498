package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/graphc/graphc/internal/caserun"
	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/internal/roofline"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/cpu"
	"github.com/graphc/graphc/rt/tensor"
)

// opFlags are what bench takes to time the calls of a program.
type opFlags struct {
	on     bool
	top    int
	levels []string
	others bool // compare the methods of convolutions
}

// callRow is one call with its time.
type callRow struct {
	*callCost
	MinUS    float64 `json:"min_us"`
	MedianUS float64 `json:"median_us"`
	Times    int     `json:"times"` // it is made in a run
	Share    float64 `json:"share"` // of the run's time
	// RoofUS is the least time by the roofline, OfRoof its share of MinUS. Both
	// are 0 where sizes are not known.
	RoofUS float64 `json:"roof_us,omitempty"`
	OfRoof float64 `json:"of_roof,omitempty"`
	// Levels is MinUS with kernels of lower levels.
	Levels map[string]float64 `json:"levels,omitempty"`
}

func (r *callRow) gflops() float64 { return r.FLOPs / r.MinUS / 1e3 }
func (r *callRow) gbs() float64    { return (r.ConstBytes + r.Bytes) / r.MinUS / 1e3 }

// opsResult is what is measured of one case.
type opsResult struct {
	Case      string             `json:"case"`
	Threads   int                `json:"threads"`
	Machine   *roofline.Machine  `json:"machine"`
	Level     string             `json:"level"`
	RunUS     float64            `json:"run_us"`     // least, without the clock
	TimedUS   float64            `json:"timed_us"`   // least, with it
	OutsideUS float64            `json:"outside_us"` // before the first step
	MaxErr    float64            `json:"max_err"`
	LevelsUS  map[string]float64 `json:"levels_us,omitempty"` // runs with kernels of lower levels
	Calls     []*callRow         `json:"calls"`               // longest first
	// Methods are convolutions that can be computed in more than one way.
	Methods []tuned `json:"methods,omitempty"`
}

// benchOps times the calls of the cases' programs.
func (a *app) benchOps(ctx context.Context, dirs []string, f opFlags, threads []int, run int, length time.Duration, o compileFlags, asJSON bool) error {
	for _, l := range f.levels {
		if !slices.Contains([]string{"portable", "sse", "avx2", "avx512", "neon"}, l) {
			return usagef("--levels: %q is none of portable, sse, avx2, avx512, neon", l)
		}
	}
	cs, done, err := findRuns(dirs, run)
	if err != nil {
		return err
	}
	defer done()
	machines := map[int]*roofline.Machine{}
	for _, n := range threads {
		machines[n] = roofline.Measure(n)
	}
	failed := false
	for _, c := range cs {
		rs, err := f.benchCase(ctx, c, machines, threads, run, length, o)
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			failed = true
			fmt.Fprintf(a.err, "graphc: %s: %v\n", c.Dir, err)
			continue
		}
		for _, r := range rs {
			if asJSON {
				err = json.NewEncoder(a.out).Encode(r)
			} else {
				err = r.text(a.out, f.top)
			}
			if err != nil {
				return err
			}
		}
	}
	if failed {
		return &codeError{code: exitFailure}
	}
	return nil
}

func (f *opFlags) benchCase(ctx context.Context, c *cases.Case, machines map[int]*roofline.Machine, threads []int, run int, length time.Duration, o compileFlags) ([]*opsResult, error) {
	if err := benchable(c); err != nil {
		return nil, err
	}
	feeds, _, err := c.LoadRun(0)
	if err != nil {
		return nil, err
	}
	dir, err := tempModule("")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	p, _, err := o.compiler(c).compile(1)
	if err != nil {
		return nil, err
	}
	exe, err := buildBench(ctx, c, p, dir, timeSteps)
	if err != nil {
		return nil, err
	}
	g, pl := variantFor(p.Signatures[0], feeds)
	var out []*opsResult
	for _, n := range threads {
		r := &opsResult{Case: caseName(c, run), Threads: n, Machine: machines[n], Level: cpu.Available().String()}
		if err := r.measure(ctx, exe, c.Dir, g, pl, feeds, length, f.levels); err != nil {
			return nil, err
		}
		if f.others {
			if r.Methods, err = otherMethods(ctx, c, pl, feeds, n, length, o); err != nil {
				return nil, err
			}
		}
		out = append(out, r)
	}
	return out, nil
}

// otherMethods times the case's convolutions by each method; p is the case's plan.
func otherMethods(ctx context.Context, c *cases.Case, p *plan.Plan, feeds map[string]*tensor.Tensor, threads int, length time.Duration, o compileFlags) ([]tuned, error) {
	var us [2]map[string]float64
	var can map[string]bool
	for i, m := range []ops.Method{ops.Direct, ops.Winograd} {
		dir, err := tempModule("")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		cc := o.compiler(c)
		cc.methods = map[string]ops.Method{ops.AnyNode: m}
		prog, _, err := cc.compile(1)
		if err != nil {
			return nil, err
		}
		exe, err := buildBench(ctx, c, prog, dir, timeSteps)
		if err != nil {
			return nil, err
		}
		t, _, _, err := opTimes(ctx, exe, c.Dir, threads, length)
		if err != nil {
			return nil, err
		}
		g, pl := variantFor(prog.Signatures[0], feeds)
		cost := costs(g, pl, feeds)
		if threads > 1 {
			cost = stepCosts(cost)
		}
		nodes := map[[2]int]string{}
		for _, k := range cost {
			nodes[[2]int{k.Step, k.Call}] = k.Node
		}
		us[i], can = nodeTimes(t, nodes), winogradNodes(pl)
	}
	return choose(us[0], us[1], can, winogradNodes(p)), nil
}

// opTimes runs the program for a while with its clock off, then on.
func opTimes(ctx context.Context, exe, dir string, threads int, length time.Duration, env ...string) (o caserun.Ops, run, maxErr float64, err error) {
	t, err := startTimed(ctx, exe, dir, threads, env...)
	if err != nil {
		return o, 0, 0, err
	}
	var burst caserun.Burst
	err = t.ask(&burst, "burst %d", length.Milliseconds()/3)
	if err == nil {
		err = t.ask(&o, "ops %d", length.Milliseconds()*2/3)
	}
	if err := t.end(err); err != nil {
		return o, 0, 0, err
	}
	return o, float64(slices.Min(burst.NS)) / 1e3, t.ready.MaxErr, nil
}

func (r *opsResult) measure(ctx context.Context, exe, dir string, g *ir.Graph, p *plan.Plan, feeds map[string]*tensor.Tensor, length time.Duration, levels []string) error {
	o, run, maxErr, err := opTimes(ctx, exe, dir, r.Threads, length)
	if err != nil {
		return err
	}
	r.RunUS, r.TimedUS, r.OutsideUS, r.MaxErr = run, float64(o.RunNS)/1e3, float64(o.OutsideNS)/1e3, maxErr
	cost := costs(g, p, feeds)
	if r.Threads > 1 {
		cost = stepCosts(cost)
	}
	at := map[[2]int]*callRow{}
	for _, c := range cost {
		at[[2]int{c.Step, c.Call}] = &callRow{callCost: c}
	}
	footprint := 0.0
	for _, c := range cost {
		footprint += c.ConstBytes + c.Bytes
	}
	total := 0.0
	for _, t := range o.Calls {
		row := at[[2]int{t.Step, t.Call}]
		if row == nil {
			return fmt.Errorf("step %d, call %d was timed and is not in the plan", t.Step, t.Call)
		}
		row.MinUS, row.MedianUS, row.Times = float64(t.MinNS)/1e3, float64(t.MedianNS)/1e3, t.Times
		row.MinUS = max(row.MinUS, 1e-3)
		total += row.MinUS
		r.Calls = append(r.Calls, row)
	}
	onceEach(r.Calls)
	for _, row := range r.Calls {
		row.Share = row.MinUS / (total + r.OutsideUS)
		if row.Known {
			reach := row.Bytes
			if row.Call > 0 { // what a chunk's call before made is in the cache
				reach /= float64(row.Times)
			}
			row.RoofUS = 1e6 * r.Machine.Seconds(row.FLOPs, row.Bytes, reach, row.ConstBytes, footprint, row.Each)
			row.OfRoof = row.RoofUS / row.MinUS
		}
	}
	for _, l := range levels {
		o, run, _, err := opTimes(ctx, exe, dir, r.Threads, length, "GRAPHC_CPU="+l)
		if err != nil {
			return err
		}
		if r.LevelsUS == nil {
			r.LevelsUS = map[string]float64{}
		}
		r.LevelsUS[l] = run
		for _, t := range o.Calls {
			if row := at[[2]int{t.Step, t.Call}]; row != nil {
				if row.Levels == nil {
					row.Levels = map[string]float64{}
				}
				row.Levels[l] = float64(t.MinNS) / 1e3
			}
		}
	}
	slices.SortStableFunc(r.Calls, func(a, b *callRow) int {
		switch {
		case a.MinUS > b.MinUS:
			return -1
		case a.MinUS < b.MinUS:
			return 1
		}
		return 0
	})
	return nil
}

// stepCosts adds up the calls of each loop: several threads do them at once.
func stepCosts(calls []*callCost) []*callCost {
	var out []*callCost
	for _, c := range calls {
		if c.Call == 0 {
			sum := *c
			out = append(out, &sum)
			continue
		}
		last := out[len(out)-1]
		last.FLOPs += c.FLOPs
		last.ConstBytes += c.ConstBytes
		last.Bytes += c.Bytes
		last.Known = last.Known && c.Known
		last.Kernel += ", " + c.Kernel
		last.Shape = c.Shape
		if last.Node != c.Node {
			last.Node, last.Op, last.macs = c.Node, c.Op, last.macs || c.macs
		}
	}
	return out
}

func (r *opsResult) text(out io.Writer, top int) error {
	m := r.Machine
	fmt.Fprintf(out, "%s, %s, kernels up to %s\n", r.Case, plural(r.Threads, "thread"), r.Level)
	fmt.Fprintf(out, "  limits   ")
	if m.GFLOPs > 0 {
		fmt.Fprintf(out, "%.0f GFLOP/s, ", m.GFLOPs)
	}
	if m.GOPs > 0 {
		fmt.Fprintf(out, "%.0f GOP/s of bytes, ", m.GOPs)
	}
	var levels []string
	for _, l := range m.Levels {
		levels = append(levels, fmt.Sprintf("%s %.0f", l.Name, l.GBs))
	}
	fmt.Fprintf(out, "reads %s GB/s\n", strings.Join(levels, ", "))
	fmt.Fprintf(out, "  run      %s, with the clock on %s, %s before the first step\n", micros(r.RunUS), micros(r.TimedUS), micros(r.OutsideUS))
	for _, l := range sortedKeys(r.LevelsUS) {
		fmt.Fprintf(out, "  %-8s %s, %.2f times\n", l, micros(r.LevelsUS[l]), r.LevelsUS[l]/r.RunUS)
	}
	fmt.Fprintf(out, "  accuracy largest difference %.3g of the largest value\n\n", r.MaxErr)
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', tabwriter.AlignRight)
	lower := sortedKeys(r.LevelsUS)
	fmt.Fprintf(w, "µs\tshare\ttimes\tGFLOP/s\tGB/s\tof roof\t")
	for _, l := range lower {
		fmt.Fprintf(w, "%s\t", l)
	}
	fmt.Fprintf(w, " kernel, node\t\n")
	rows := r.Calls
	if top > 0 && len(rows) > top {
		rows = rows[:top]
	}
	for _, row := range rows {
		fmt.Fprintf(w, "%.1f\t%.1f%%\t%d\t%s\t%s\t%s\t", row.MinUS, 100*row.Share, row.Times, optional(row.gflops(), "%.1f"), optional(row.gbs(), "%.1f"), optional(100*row.OfRoof, "%.0f%%"))
		for _, l := range lower {
			fmt.Fprintf(w, "%.1f\t", row.Levels[l])
		}
		fmt.Fprintf(w, "  %s  %s (%s) %s\n", row.Kernel, row.Node, row.Op, row.Shape)
	}
	if left := len(r.Calls) - len(rows); left > 0 {
		us := 0.0
		for _, row := range r.Calls[len(rows):] {
			us += row.MinUS
		}
		fmt.Fprintf(w, "%.1f\t\t\t\t\t\t%s  %s more\n", us, strings.Repeat("\t", len(lower)), plural(left, "call"))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := r.kernels(out); err != nil || len(r.Methods) == 0 {
		return err
	}
	if err := tuneText(out, r.Methods); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out)
	return err
}

// kernels adds up the calls of each kernel.
func (r *opsResult) kernels(out io.Writer) error {
	type sum struct {
		name               string
		us, roof, flops, n float64
		all                bool // the roof of all is known
	}
	by := map[string]*sum{}
	total := r.OutsideUS
	for _, row := range r.Calls {
		s := by[row.Kernel]
		if s == nil {
			s = &sum{name: row.Kernel, all: true}
			by[row.Kernel] = s
		}
		s.us, s.flops, s.roof, s.n = s.us+row.MinUS, s.flops+row.FLOPs, s.roof+row.RoofUS, s.n+1
		s.all = s.all && row.Known
		total += row.MinUS
	}
	var sums []*sum
	for _, k := range sortedKeys(by) {
		sums = append(sums, by[k])
	}
	slices.SortStableFunc(sums, func(a, b *sum) int { return int(math.Copysign(1, b.us-a.us)) })
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "\nµs\tshare\tcalls\tGFLOP/s\tof roof\t kernel\t\n")
	for _, s := range sums {
		roof := 0.0
		if s.all {
			roof = 100 * s.roof / s.us
		}
		fmt.Fprintf(w, "%.1f\t%.1f%%\t%.0f\t%s\t%s\t  %s\n", s.us, 100*s.us/total, s.n, optional(s.flops/s.us/1e3, "%.1f"), optional(roof, "%.0f%%"), s.name)
	}
	fmt.Fprintln(w)
	return w.Flush()
}

func optional(v float64, format string) string {
	if v == 0 {
		return ""
	}
	return fmt.Sprintf(format, v)
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
