package tune

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/graphc/graphc/internal/caserun"
	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/internal/config"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/internal/tool/cost"
	"github.com/graphc/graphc/internal/tool/flags"
	"github.com/graphc/graphc/internal/tool/timing"
	"github.com/graphc/graphc/kernels/conv"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/files"
	"github.com/graphc/graphc/rt/npy"
	"github.com/graphc/graphc/rt/tensor"
)

// Tuned has the measured times of a convolution that can be computed by both methods, direct and
// Winograd's.
type Tuned struct {
	Node     string       `json:"node"`
	Direct   float64      `json:"direct_us"`
	Winograd float64      `json:"winograd_us"`
	Estimate lower.Method `json:"estimate"` // method that graphc selects without measuring
	Choice   lower.Method `json:"choice"`
}

// tuneGain is a ratio of times. A method replaces the estimated one only if its time is less than
// tuneGain times that of the estimated method. Smaller gains may be noise.
const tuneGain = 0.97

// tuneTurns is the number of times that each of the two programs is measured. The programs are
// measured alternately.
const tuneTurns = 3

// Model measures the methods for a model's convolutions and stores those that are faster than the
// estimated ones in s. If graphc.yaml lists the model, Model also writes these methods to
// graphc.yaml.
func Model(ctx context.Context, a *base.App, s *flags.Spec, paths []string, feedsFile string, length time.Duration) error {
	chosen, err := tune(ctx, a, *s, paths, feedsFile, length)
	if err != nil {
		return err
	}
	s.Opts.Methods = methodsOf(chosen)
	return keepMethods(a.Out, config.FileName, paths, chosen)
}

// tune builds two programs of the model, one for each method, and measures the times of the
// convolutions with the feeds in feedsFile. It returns the methods that are faster than the
// estimated ones, keyed by the node of the convolution.
func tune(ctx context.Context, a *base.App, s flags.Spec, paths []string, feedsFile string, length time.Duration) (map[string]lower.Method, error) {
	if s.Opts.ExactConv {
		return nil, base.Usagef("--tune and --exact-conv exclude each other")
	}
	o, err := s.Engine()
	if err != nil {
		return nil, err
	}
	arrays, err := npy.ReadZipLimit(feedsFile, o.Limits.WithDefaults().RunBytes)
	if err != nil {
		return nil, files.In(feedsFile, err)
	}
	phase := a.NewPhase("tune: compile " + paths[0])
	defer phase.Close()
	estimated, err := pipeline.Compile(paths, o)
	if err != nil {
		return nil, base.WrapModel(paths, err)
	}
	sig, feeds, err := signatureFor(estimated, arrays)
	if err != nil {
		return nil, files.In(feedsFile, err)
	}
	if len(estimated.Signatures) > 1 {
		o.Signatures = []string{sig.Name}
	}
	dir, err := os.MkdirTemp("", "graphc-tune-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	methods := [...]lower.Method{lower.Direct, lower.Winograd}
	var t [len(methods)]tuning
	for i, m := range methods {
		o.Methods = map[string]lower.Method{lower.AnyNode: m}
		phase.Is(fmt.Sprintf("tune: compile %s with %s convolutions", paths[0], m))
		if t[i].p, err = pipeline.Compile(paths, o); err != nil {
			return nil, base.WrapModel(paths, err)
		}
		if i == 0 {
			if err := recordCase(ctx, dir, t[0].p, feeds); err != nil {
				return nil, err
			}
		}
		phase.Is(fmt.Sprintf("tune: build the program with %s convolutions", m))
		if err := t[i].build(ctx, dir, string(m)); err != nil {
			return nil, err
		}
	}
	for turn := range tuneTurns {
		for i := range t {
			phase.Is(fmt.Sprintf("tune: measure %s convolutions, turn %d of %d", methods[i], turn+1, tuneTurns))
			if err := t[i].run(ctx, dir, feeds, length/time.Duration(tuneTurns*len(t))); err != nil {
				return nil, err
			}
		}
	}
	phase.Close()
	rows := Choose(t[0].us, t[1].us, WinogradNodes(t[1].plan), WinogradNodes(planFor(sig, feeds)))
	if err := Text(a.Out, rows); err != nil {
		return nil, err
	}
	out := map[string]lower.Method{}
	for _, r := range rows {
		if r.Choice != r.Estimate {
			out[r.Node] = r.Choice
		}
	}
	return out, nil
}

// signatureFor returns the first signature for which the map arrays has a value for each feed. It
// also returns the feeds, keyed by the name of the tensor. A key of arrays may be the key of a feed
// or the name of its tensor.
func signatureFor(p *pipeline.Program, arrays map[string]*tensor.Tensor) (*pipeline.Signature, map[string]*tensor.Tensor, error) {
	var lacks []string
	for _, s := range p.Signatures {
		feeds, missing := map[string]*tensor.Tensor{}, ""
		for _, f := range s.Plan.Feeds {
			t := arrays[f.Name]
			if t == nil {
				t = arrays[f.Key]
			}
			if t != nil {
				feeds[f.Name] = t
			} else if !f.AnyShape {
				missing = f.Name
			}
		}
		if missing == "" {
			return s, feeds, nil
		}
		if text := strconv.Quote(missing); !slices.Contains(lacks, text) {
			lacks = append(lacks, text)
		}
	}
	return nil, nil, tensor.Errorf(tensor.InvalidArgument, "no array for feed %s", strings.Join(lacks, " or "))
}

func planFor(s *pipeline.Signature, feeds map[string]*tensor.Tensor) *plan.Plan {
	_, p := cost.VariantFor(s, feeds)
	return p
}

// tuning has a program that computes its convolutions by one method, except those that this method
// cannot compute.
type tuning struct {
	p    *pipeline.Program
	plan *plan.Plan
	exe  string
	us   map[string]float64 // shortest time in microseconds of all calls of each node
}

// recordCase writes a case into the folder dir. It runs the program's first signature in this
// process, and records the feeds and the results.
func recordCase(ctx context.Context, dir string, p *pipeline.Program, feeds map[string]*tensor.Tensor) error {
	s := p.Signatures[0]
	r, err := p.Runner(s)
	if err != nil {
		return err
	}
	want, err := r.Run(ctx, feeds)
	if err != nil {
		return err
	}
	var feedNames, fetchNames []string
	for _, f := range s.Plan.Feeds {
		if feeds[f.Name] != nil {
			feedNames = append(feedNames, f.Name)
		}
	}
	for _, f := range s.Plan.Fetches {
		fetchNames = append(fetchNames, f.Name)
	}
	text, err := json.Marshal(map[string]any{"expect": "outputs", "runs": []any{map[string]any{
		"feeds": "feeds.npz", "fetches": "fetches.npz", "names": map[string]any{"feeds": feedNames, "fetches": fetchNames}}}})
	if err != nil {
		return err
	}
	for name, data := range map[string][]byte{"case.json": text, "graph.pb": nil} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			return err
		}
	}
	if err := npy.WriteZip(filepath.Join(dir, "feeds.npz"), feeds); err != nil {
		return err
	}
	return npy.WriteZip(filepath.Join(dir, "fetches.npz"), want)
}

// build builds the program of t for the case in dir. The program can measure the time of each call.
func (t *tuning) build(ctx context.Context, dir, name string) error {
	c, err := cases.Load(dir)
	if err != nil {
		return err
	}
	mod := filepath.Join(dir, name)
	if err := os.Mkdir(mod, 0o777); err != nil {
		return err
	}
	if err := base.NewCheckModule(mod, ""); err != nil {
		return err
	}
	t.exe, err = timing.Build(ctx, c, t.p, mod, timing.Steps)
	return err
}

// tuneMaxErr is the maximum allowed difference between the results of the two methods, divided by
// the largest value.
const tuneMaxErr = 1e-3

// run measures the calls of the program. It stores in t.us the shortest time of each node in this
// and all earlier measurements.
func (t *tuning) run(ctx context.Context, dir string, feeds map[string]*tensor.Tensor, length time.Duration) error {
	o, _, maxErr, err := timing.OpTimes(ctx, t.exe, dir, 1, length)
	if err != nil {
		return err
	}
	if !(maxErr <= tuneMaxErr) {
		return fmt.Errorf("the results of %s differ by %.3g of the largest value: no method is chosen", filepath.Base(filepath.Dir(t.exe)), maxErr)
	}
	g, p := cost.VariantFor(t.p.Signatures[0], feeds)
	t.plan = p
	nodes := map[[2]int]string{}
	for _, c := range cost.OfPlan(g, p, feeds) {
		nodes[[2]int{c.Step, c.Call}] = c.Node
	}
	us := NodeTimes(o, nodes)
	if t.us == nil {
		t.us = us
	}
	for node, v := range us {
		t.us[node] = min(t.us[node], v)
	}
	return nil
}

// NodeTimes returns, for each node, the sum of the shortest times of its calls in microseconds. The
// second argument maps each call to its node. The keys of this map are pairs of a step number and a
// call number.
func NodeTimes(o caserun.Ops, nodes map[[2]int]string) map[string]float64 {
	us := map[string]float64{}
	for _, c := range o.Calls {
		if node, ok := nodes[[2]int{c.Step, c.Call}]; ok {
			us[node] += float64(c.MinNS) / 1e3
		}
	}
	return us
}

// WinogradNodes returns the set of nodes that the plan computes by Winograd's method.
func WinogradNodes(p *plan.Plan) map[string]bool {
	out := map[string]bool{}
	want := cost.KernelName(&plan.Call{Fn: conv.WinogradF32})
	for _, s := range plan.Flat(p.Steps) {
		if c, ok := s.(*plan.Call); ok && cost.KernelName(c) == want {
			out[c.Node] = true
		}
	}
	return out
}

// Choose chooses a method for each node in the third argument, the set of nodes for which both
// methods are possible. The first two arguments have the times of the nodes with the direct method
// and with Winograd's method. The last argument is the set of nodes for which graphc selects
// Winograd's method without measuring; for other nodes, graphc selects the direct method. Choose
// chooses the other method only if it is clearly faster; see tuneGain.
func Choose(direct, winograd map[string]float64, can, estimated map[string]bool) []Tuned {
	var out []Tuned
	for _, node := range base.SortedKeys(can) {
		r := Tuned{Node: node, Direct: direct[node], Winograd: winograd[node], Estimate: lower.Direct}
		if r.Direct == 0 || r.Winograd == 0 {
			continue
		}
		r.Choice = r.Estimate
		if estimated[node] {
			r.Estimate, r.Choice = lower.Winograd, lower.Winograd
			if r.Direct < tuneGain*r.Winograd {
				r.Choice = lower.Direct
			}
		} else if r.Winograd < tuneGain*r.Direct {
			r.Choice = lower.Winograd
		}
		out = append(out, r)
	}
	slices.SortStableFunc(out, func(a, b Tuned) int { return cmp.Compare(max(b.Direct, b.Winograd), max(a.Direct, a.Winograd)) })
	return out
}

// Text prints the measurements, one line for each convolution.
func Text(out io.Writer, rows []Tuned) error {
	if len(rows) == 0 {
		_, err := fmt.Fprintln(out, "no convolution can be computed by several methods")
		return err
	}
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "direct µs\twinograd µs\t  convolution\t\n")
	for _, r := range rows {
		note := ""
		if r.Choice != r.Estimate {
			note = fmt.Sprintf(" (estimated: %s)", r.Estimate)
		}
		fmt.Fprintf(w, "%.1f\t%.1f\t  %s: %s%s\n", r.Direct, r.Winograd, r.Node, r.Choice, note)
	}
	return w.Flush()
}
