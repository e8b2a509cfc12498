package bench

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/internal/roofline"
	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/internal/tool/casebuild"
	"github.com/graphc/graphc/internal/tool/cost"
	"github.com/graphc/graphc/internal/tool/timing"
	"github.com/graphc/graphc/internal/tool/tune"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/cpu"
	"github.com/graphc/graphc/rt/tensor"
)

// OpFlags are the flags of "graphc bench --ops", which measures the time of each call in a program.
type OpFlags struct {
	On     bool
	Top    int
	Levels []string
	Others bool // whether to compare the methods of computing convolutions
	// Simulate lists the numbers of threads for which the time of a run is predicted.
	Simulate []int
}

// callRow is one call with its time.
type callRow struct {
	*cost.Entry
	MinUS    float64 `json:"min_us"`
	MedianUS float64 `json:"median_us"`
	Times    int     `json:"times"` // number of times that a run makes the call
	Share    float64 `json:"share"` // time of the call divided by that of the run
	// RoofUS is a lower bound for the time of the call, according to the measured speed of the
	// processor. OfRoof is RoofUS divided by MinUS. Both are 0 if sizes are unknown.
	RoofUS float64 `json:"roof_us,omitempty"`
	OfRoof float64 `json:"of_roof,omitempty"`
	// Levels has the call's shortest time in microseconds for each instruction set that the flag
	// --levels lists. The key is the name of the instruction set, such as avx2.
	Levels map[string]float64 `json:"levels,omitempty"`
}

func (r *callRow) gflops() float64 { return r.FLOPs / r.MinUS / 1e3 }

func (r *callRow) gbs() float64 { return (r.ConstBytes + r.Bytes) / r.MinUS / 1e3 }

// opsResult has the measurements of one case.
type opsResult struct {
	Case      string             `json:"case"`
	Threads   int                `json:"threads"`
	Machine   *roofline.Machine  `json:"machine"`
	Level     string             `json:"level"`
	RunUS     float64            `json:"run_us"`     // shortest time of a run in which single calls are not timed
	TimedUS   float64            `json:"timed_us"`   // shortest time of a run in which each call is timed
	OutsideUS float64            `json:"outside_us"` // shortest time from the start of a run to its first step
	MaxErr    float64            `json:"max_err"`
	LevelsUS  map[string]float64 `json:"levels_us,omitempty"` // RunUS for each instruction set that --levels lists
	Calls     []*callRow         `json:"calls"`               // longest first
	// Methods has the times of each method for those convolutions that more than one method can
	// compute.
	Methods []tune.Tuned `json:"methods,omitempty"`
	// Simulated has the predicted times of a run with other numbers of threads. It is only set in the
	// last result of a case.
	Simulated *simulated `json:"simulated,omitempty"`
}

// Ops measures the time of each call in the cases' programs, and prints the results.
func Ops(ctx context.Context, a *base.App, dirs []string, f OpFlags, threads []int, run int, length time.Duration, o casebuild.Options, asJSON bool) error {
	for _, l := range f.Levels {
		if !slices.Contains([]string{"portable", "sse", "avx2", "avx512", "neon"}, l) {
			return base.Usagef("--levels: %q: want portable, sse, avx2, avx512 or neon", l)
		}
	}
	if err := f.checkSimulate(); err != nil {
		return err
	}
	cs, done, err := findRuns(dirs, run)
	if err != nil {
		return err
	}
	defer done()
	machines := map[int]*roofline.Machine{}
	phase := a.NewPhase("measure the processor")
	for _, n := range threads {
		machines[n] = roofline.Measure(n)
	}
	phase.Close()
	return eachResult(ctx, a, cs, func(ctx context.Context, c *cases.Case) ([]*opsResult, error) {
		return f.benchCase(ctx, c, machines, threads, run, length, o)
	}, func(_ *cases.Case, r *opsResult) error {
		if asJSON {
			return json.NewEncoder(a.Out).Encode(r)
		}
		return r.text(a.Out, f.Top)
	})
}

func (f *OpFlags) benchCase(ctx context.Context, c *cases.Case, machines map[int]*roofline.Machine, threads []int, run int, length time.Duration, o casebuild.Options) ([]*opsResult, error) {
	if err := casebuild.Benchable(c); err != nil {
		return nil, err
	}
	feeds, _, err := c.LoadRun(0)
	if err != nil {
		return nil, err
	}
	p, dir, err := compiled(ctx, c, o)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	oneByOne(p)
	exe, err := timing.Build(ctx, c, p, dir, timing.Steps)
	if err != nil {
		return nil, err
	}
	g, pl := cost.VariantFor(p.Signatures[0], feeds)
	var out []*opsResult
	for _, n := range threads {
		r := &opsResult{Case: caseName(c, run), Threads: n, Machine: machines[n], Level: cpu.Available().String()}
		if err := r.measure(ctx, exe, c.Dir, g, pl, feeds, length, f.Levels); err != nil {
			return nil, err
		}
		if f.Others {
			if r.Methods, err = otherMethods(ctx, c, pl, feeds, n, length, o); err != nil {
				return nil, err
			}
		}
		out = append(out, r)
	}
	if len(f.Simulate) > 0 {
		if out[len(out)-1].Simulated, err = simulate(ctx, c, f.Simulate, length, o); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// otherMethods measures the times of the case's convolutions with each method that can compute
// them. The parameter p is the plan of the case with the methods that the compiler chose.
func otherMethods(ctx context.Context, c *cases.Case, p *plan.Plan, feeds map[string]*tensor.Tensor, threads int, length time.Duration, o casebuild.Options) ([]tune.Tuned, error) {
	var us [2]map[string]float64
	var can map[string]bool
	for i, m := range []lower.Method{lower.Direct, lower.Winograd} {
		dir, err := casebuild.TempModule("", base.GPUKind(ctx))
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		cc := o.Compiler(c)
		cc.Methods = map[string]lower.Method{lower.AnyNode: m}
		prog, _, err := cc.Compile(1)
		if err != nil {
			return nil, err
		}
		oneByOne(prog)
		exe, err := timing.Build(ctx, c, prog, dir, timing.Steps)
		if err != nil {
			return nil, err
		}
		t, _, _, err := timing.OpTimes(ctx, exe, c.Dir, threads, length)
		if err != nil {
			return nil, err
		}
		g, pl := cost.VariantFor(prog.Signatures[0], feeds)
		cost := cost.OfPlan(g, pl, feeds)
		if threads > 1 {
			cost = stepCosts(cost)
		}
		nodes := map[[2]int]string{}
		for _, k := range cost {
			nodes[[2]int{k.Step, k.Call}] = k.Node
		}
		us[i], can = tune.NodeTimes(t, nodes), tune.WinogradNodes(pl)
	}
	return tune.Choose(us[0], us[1], can, tune.WinogradNodes(p)), nil
}

func (r *opsResult) measure(ctx context.Context, exe, dir string, g *ir.Graph, p *plan.Plan, feeds map[string]*tensor.Tensor, length time.Duration, levels []string) error {
	o, run, maxErr, err := timing.OpTimes(ctx, exe, dir, r.Threads, length)
	if err != nil {
		return err
	}
	r.RunUS, r.TimedUS, r.OutsideUS, r.MaxErr = run, float64(o.RunNS)/1e3, float64(o.OutsideNS)/1e3, maxErr
	cost := cost.OfPlan(g, p, feeds)
	if r.Threads > 1 {
		cost = stepCosts(cost)
	}
	at := map[[2]int]*callRow{}
	for _, c := range cost {
		at[[2]int{c.Step, c.Call}] = &callRow{Entry: c}
	}
	footprint := 0.0
	for _, c := range cost {
		footprint += c.ConstBytes + c.Bytes
	}
	total := 0.0
	for _, t := range o.Calls {
		row := at[[2]int{t.Step, t.Call}]
		if row == nil {
			return fmt.Errorf("step %d, call %d was timed, but is not in the plan", t.Step, t.Call)
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
			if row.Call > 0 { // the call is in a loop over chunks, and reads the chunk that the previous call of the loop has just written
				reach /= float64(row.Times)
			}
			row.RoofUS = 1e6 * r.Machine.Seconds(row.FLOPs, row.Bytes, reach, row.ConstBytes, footprint, row.Each)
			row.OfRoof = row.RoofUS / row.MinUS
		}
	}
	for _, l := range levels {
		o, run, _, err := timing.OpTimes(ctx, exe, dir, r.Threads, length, "GRAPHC_CPU="+l)
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
	slices.SortStableFunc(r.Calls, func(a, b *callRow) int { return cmp.Compare(b.MinUS, a.MinUS) })
	return nil
}

// stepCosts returns one entry for each loop, with the sum of the costs of its calls. Several
// threads run the iterations of a loop in parallel, so only the time of the whole loop can be
// measured.
func stepCosts(calls []*cost.Entry) []*cost.Entry {
	var out []*cost.Entry
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
			last.Node, last.Op, last.Macs = c.Node, c.Op, last.Macs || c.Macs
		}
	}
	return out
}

// oneByOne makes a program run its steps one after the other. Otherwise, steps that run in parallel
// would affect each other's times.
func oneByOne(p *pipeline.Program) {
	for _, s := range p.Signatures {
		for _, v := range s.Variants {
			v.Plan.InOrder()
		}
	}
}

// onceEach ensures that the FLOPs of a node are counted only once if the node has several calls. It
// keeps the FLOPs of the node's main call. It sets the FLOPs of the other calls to 0, because these
// calls only prepare operands or finish results. The main call is the longest call of a kernel that
// multiplies and adds or, if the node has no such call, the longest call.
func onceEach(rows []*callRow) {
	first := map[string]*callRow{}
	multiplies := func(r *callRow) bool {
		pkg, _, _ := strings.Cut(r.Kernel, ".")
		return slices.Contains(cost.Products, pkg)
	}
	for _, r := range rows {
		if !r.Macs {
			continue
		}
		f := first[r.Node]
		if f == nil || multiplies(r) && !multiplies(f) || multiplies(r) == multiplies(f) && r.MinUS > f.MinUS {
			first[r.Node] = r
		}
	}
	for _, r := range rows {
		if r.Macs && first[r.Node] != r {
			r.FLOPs = 0
		}
	}
}
