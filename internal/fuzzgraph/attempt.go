package fuzzgraph

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"time"

	"github.com/graphc/graphc/codegen"
	"github.com/graphc/graphc/frontend"
	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/rt/tensor"
)

// Limits for one mutant. If graphc exceeds one of the constants slow, maxHeap and maxText, it has a
// defect.
const (
	maxTime  = 8 * time.Second  // time limit for compiling the mutant, and for one run
	slow     = 20 * time.Second // maximum processor time for everything that is done with the mutant
	maxHeap  = 1 << 30          // maximum size of the heap in bytes, garbage included
	maxBytes = 128 << 20        // maximum size in bytes of the buffers of a run
	maxText  = 20_000           // maximum length of an error message in bytes
)

var limits = ir.Limits{Nodes: 20_000, Inlined: 50_000, FoldTotal: 8 << 20, Time: maxTime, RunBytes: maxBytes}

// Result is the outcome of a mutant.
type Result struct {
	Kind string // "ran", "skip", or the stage that failed and the error code
	// Bad is the kind of defect that was found: internal, panic, slow, heap, longtext, diff, value
	// or inject. It is "" if there is no defect.
	Bad  string
	Text string // description of Bad
	// Files is the emitted package, or nil.
	Files map[string][]byte
}

// Options select what is done with a mutant besides compiling and running it.
type Options struct {
	Diff bool // compare with the results without the optional passes
	Emit bool // emit each mutant, instead of one in three
}

// Attempt mutates a case, compiles it with options drawn by the mutator, and runs it. It first
// writes the graph to the file path, so that the graph survives a crash.
func Attempt(c *cases.Case, raw []byte, m *Mutator, path string, o Options) (res Result) {
	mutant := m.Graph(raw)
	if err := os.WriteFile(path, mutant, 0o666); err != nil {
		return Result{Kind: "skip", Text: err.Error()}
	}
	cpu, peak := ir.CPUTime(), watchHeap()
	a := &attempt{c: c, m: m, path: path, o: o, stage: "load"}
	defer func() {
		most := peak()
		if p := recover(); p != nil {
			res = Result{Kind: a.stage, Bad: "panic", Text: fmt.Sprintf("%s: panic: %v\n%s", a.stage, p, debug.Stack())}
		} else if d := ir.CPUTime() - cpu; res.Bad == "" && d > slow {
			res.Bad, res.Text = "slow", fmt.Sprintf("%s takes %v", a.stage, d)
		} else if res.Bad == "" && most > maxHeap {
			res.Bad, res.Text = "heap", fmt.Sprintf("%s: the heap has %d MB", a.stage, most>>20)
		}
	}()
	return a.run()
}

// watchHeap samples the size of the heap, including garbage, until the returned function is called.
// This function returns the largest size in bytes.
func watchHeap() (end func() uint64) {
	done, most := make(chan struct{}), make(chan uint64)
	go func() {
		s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		var peak uint64
		t := time.NewTicker(2 * time.Millisecond)
		defer t.Stop()
		for ended := false; !ended; {
			select {
			case <-done:
				ended = true
			case <-t.C:
			}
			metrics.Read(s)
			peak = max(peak, s[0].Value.Uint64())
		}
		most <- peak
	}()
	return func() uint64 { close(done); return <-most }
}

type attempt struct {
	c     *cases.Case
	m     *Mutator
	path  string
	o     Options
	stage string
	files map[string][]byte
}

// refused returns the result for an error in the current stage.
func (a *attempt) refused(err error) Result {
	r := Result{Kind: a.stage + " " + tensor.CodeOf(err).String(), Files: a.files}
	text := err.Error()
	var lacking *lower.UnsupportedError
	switch {
	case errors.As(err, &lacking):
	case Internal(err):
	case tensor.CodeOf(err) == tensor.Internal || strings.Contains(text, "runtime error"):
		r.Bad, r.Text = "internal", a.stage+": "+text
	case len(text) > maxText:
		r.Bad, r.Text = "longtext", fmt.Sprintf("%s: an error of %d bytes: %.500s", a.stage, len(text), text)
	}
	return r
}

func (a *attempt) run() Result {
	m, r := a.m, a.c.Runs[0]
	feeds, _, err := a.c.LoadRun(0)
	if err != nil {
		return Result{Kind: "skip"}
	}
	mod, err := pipeline.Load([]string{a.path}, frontend.Options{Limits: limits})
	if err != nil {
		return a.refused(err)
	}
	a.stage = "compile"
	call := pipeline.Call{Name: "run", Feeds: m.tensorNames(r.Feeds), Fetches: m.tensorNames(r.Fetches), Targets: m.tensorNames(r.Targets), Shapes: map[string]string{}}
	for i, name := range r.Feeds {
		if t := feeds[name]; t != nil && m.Rand.IntN(3) == 0 {
			call.Shapes[call.Feeds[i]] = strings.TrimSuffix(strings.Repeat("?,", t.Rank()), ",")
		}
	}
	po := pipeline.Options{Calls: []pipeline.Call{call}, Limits: limits, NoOpt: m.Rand.IntN(4) == 0, Partial: m.Rand.IntN(10) == 0, CheckNumerics: m.Rand.IntN(10) == 0}
	if m.Rand.IntN(8) == 0 {
		po.Devices = []string{"cpu:0", "cpu:1"}
	}
	p, err := pipeline.CompileModel(mod, po)
	if err != nil {
		return a.refused(err)
	}
	a.stage = "emit"
	if m.Rand.IntN(3) == 0 || a.o.Emit || m.Class == "names" {
		a.files, err = codegen.Emit(&codegen.Package{Name: "model", Model: "graph.pb", ModelSum: p.Model.SHA256, Plans: p.Plans(), Init: p.InitPlan(), Main: m.Rand.IntN(2) == 0})
		if err != nil {
			return a.refused(err)
		}
		if text := checkFiles(a.files); text != "" {
			return Result{Kind: a.stage, Bad: "inject", Text: text}
		}
	}
	a.stage = "run"
	fed := m.Feeds(feeds)
	got, err := a.answer(p, fed)
	res := Result{Kind: "ran", Files: a.files}
	if err != nil {
		res = a.refused(err)
	}
	if res.Bad == "" && a.o.Diff && !po.NoOpt && !po.CheckNumerics { // CheckNumerics checks intermediate results, which the optional passes change
		if bad, text := a.diff(mod, po, fed, got, err); bad != "" {
			res.Bad, res.Text = bad, text
		}
	}
	return res
}

// overflows reports whether the results of a mutant differ from those in want only because the pass
// "factor" turns x·a + x·b into x·(a + b). One of these expressions may give Inf or NaN where the other
// does not.
func (a *attempt) overflows(mod *frontend.Model, po pipeline.Options, fed, want map[string]*tensor.Tensor) bool {
	po.NoOpt, po.Without = false, []string{"factor"}
	p, err := pipeline.CompileModel(mod, po)
	if err != nil {
		return false
	}
	got, err := a.answer(p, fed)
	for name, t := range got {
		if err == nil {
			err = cases.Compare(t, want[name], 1e-2, 1e-3)
		}
	}
	return err == nil && !finite(fed, want)
}

// finite reports whether all floats in the tensors are so small that a product of two of them is
// still far from overflow in float32.
func finite(all ...map[string]*tensor.Tensor) bool {
	const most = 1e18
	for _, ts := range all {
		for _, t := range ts {
			if t == nil || !t.DType.IsFloat() {
				continue
			}
			vs, _ := cases.Floats(t)
			if slices.ContainsFunc(vs, func(v float64) bool { return !(math.Abs(v) < most) }) {
				return false
			}
		}
	}
	return true
}

func (m *Mutator) tensorNames(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = m.tensorName(n)
	}
	return out
}

// answer runs the signature "run" of a program with new state, and returns the fetches.
func (a *attempt) answer(p *pipeline.Program, fed map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	kept, err := p.NewState()
	if err != nil {
		return nil, err
	}
	r, err := p.Signature("run").RunnerWith(kept)
	if err != nil {
		return nil, err
	}
	r.SetMaxBytes(maxBytes)
	ctx, cancel := context.WithTimeout(context.Background(), maxTime)
	defer cancel()
	return r.Run(ctx, fed)
}

// diff compiles and runs a mutant without the optional passes, and compares the results or the
// error with those of the first run. Errors from limits and from unsupported ops may differ.
func (a *attempt) diff(mod *frontend.Model, po pipeline.Options, fed, got map[string]*tensor.Tensor, failed error) (bad, text string) {
	for _, n := range mod.Graph.Nodes {
		if d := ops.Lookup(n.Op); d == nil || strings.Contains(n.Op, "Random") || strings.Contains(n.Op, "Sampler") || strings.Contains(n.Op, "Multinomial") ||
			strings.Contains(n.Op, "Dropout") || n.Op == "Timestamp" || strings.HasPrefix(n.Op, "Empty") || strings.Contains(n.Op, "InitEmpty") {
			return "", ""
		}
	}
	a.stage = "diff"
	po.NoOpt = true
	var want map[string]*tensor.Tensor
	p, err := pipeline.CompileModel(mod, po)
	if err == nil {
		want, err = a.answer(p, fed)
	}
	may := func(err error) bool {
		switch tensor.CodeOf(err) {
		case tensor.Unimplemented, tensor.ResourceExhausted, tensor.DeadlineExceeded, tensor.Cancelled:
			return true
		}
		return false
	}
	switch {
	case err != nil && tensor.CodeOf(err) == tensor.Internal && !Internal(err):
		return "internal", "without optional passes: " + err.Error()
	case err != nil && failed == nil && !may(err):
		return "diff", "runs with the optional passes, not without: " + err.Error()
	case err == nil && failed != nil && !may(failed):
		return "diff", "runs without the optional passes, not with them: " + failed.Error()
	case err != nil || failed != nil:
		return "", ""
	}
	for name, t := range got {
		if err := cases.Compare(t, want[name], 1e-2, 1e-3); err != nil && !a.overflows(mod, po, fed, want) {
			return "value", name + ": " + err.Error()
		}
	}
	return "", ""
}

// New returns a Mutator of a class (see Classes). The seed determines the mutants.
func New(class string, seed uint64) *Mutator {
	return &Mutator{Rand: rand.New(rand.NewPCG(seed, 5)), Class: class}
}
