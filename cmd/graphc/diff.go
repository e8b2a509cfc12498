package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/graphc/graphc"
	"github.com/graphc/graphc/frontend"
	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/internal/nodiff"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/rt/npy"
	"github.com/graphc/graphc/rt/tensor"
)

type diffFlags struct {
	intermediates     string
	all, json, bisect bool
	chunk, run        int
	rtol, atol        float64
	passes            passFlags
	devices           deviceFlags
}

func newDiff(a *app) *cobra.Command {
	var f diffFlags
	c := &cobra.Command{
		Use:   "diff [flags] CASE",
		Short: "Find the first node whose value differs",
		Long: `diff runs a case's optimised graph through graphc's own executor and compares
its fetches with the recorded ones. When they differ, every intermediate
floating-point tensor is compared in the order of the graph: with those of an
npz file keyed by tensor name (--intermediates), or with what the graph gives
without the optional passes. The first node that differs is named. Exit status
5 when anything differs.

--bisect looks for the wrong rewrite instead: of the edits that the optional
passes make, in their order, it finds the first after which some run's fetches
differ from the recorded ones, or the graph does not compile or run any more.
--fuel with that number and with one less, given to any command, are the two
programs to compare.`,
		Args: exactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return a.diff(c.Context(), args[0], f, c.Flags().Changed) },
	}
	fl := c.Flags()
	fl.StringVar(&f.intermediates, "intermediates", "", "npz file with TensorFlow's intermediate tensors")
	fl.BoolVar(&f.all, "all", false, "compare every node even if the fetches agree, and list all that differ")
	fl.IntVar(&f.chunk, "chunk", 100, "tensors fetched at a time: fewer leave the optimised graph closer to what it is")
	fl.IntVar(&f.run, "run", 0, "which of the case's runs")
	fl.Float64Var(&f.rtol, "rtol", 0, "relative tolerance (the case's when not given)")
	fl.Float64Var(&f.atol, "atol", 0, "absolute tolerance (the case's when not given)")
	f.devices.register(fl)
	fl.BoolVar(&f.bisect, "bisect", false, "find the edit of an optional pass at which the fetches turn wrong")
	f.passes.register(fl)
	fl.BoolVar(&f.json, "json", false, "print JSON")
	return c
}

// nodeDiff is one tensor that differs.
type nodeDiff struct {
	Tensor string         `json:"tensor"`
	Op     string         `json:"op,omitempty"`
	Ins    []string       `json:"inputs,omitempty"`
	What   string         `json:"difference"`
	ULPs   map[string]int `json:"ulps,omitempty"` // float32 only: how many elements are so far apart
}

// diffReport is what diff tells.
type diffReport struct {
	Case     string     `json:"case"`
	Fetches  []nodeDiff `json:"fetches"`  // those that differ from the recorded ones
	Against  string     `json:"against"`  // what intermediate tensors were compared with
	Compared int        `json:"compared"` // intermediate tensors
	Nodes    []nodeDiff `json:"nodes"`    // the first that differs; all with --all
}

func (a *app) diff(ctx context.Context, dir string, f diffFlags, given func(string) bool) error {
	c, err := cases.Load(dir)
	if err != nil {
		return err
	}
	if err := benchable(c); err != nil {
		return fmt.Errorf("%s: %w", c.Path, err)
	}
	if f.run < 0 || f.run >= len(c.Runs) || f.chunk < 1 {
		return usagef("--run must be less than %d, --chunk positive", len(c.Runs))
	}
	if given("rtol") {
		c.RTol = f.rtol
	}
	if given("atol") {
		c.ATol = f.atol
	}
	if f.bisect {
		if given("fuel") || given("run") || f.intermediates != "" || f.all {
			return usagef("--bisect and --fuel, --run, --intermediates or --all exclude each other")
		}
		return a.bisect(ctx, c, f)
	}
	r, err := diffCase(ctx, c, f)
	if err != nil {
		return err
	}
	return a.tell(r, f.json, len(r.Fetches)+len(r.Nodes) > 0)
}

// tell writes a report, as JSON or as text, and fails where it is of answers that differ.
func (a *app) tell(r interface{ text(io.Writer) error }, json, differs bool) (err error) {
	if json {
		err = a.writeJSON(r)
	} else {
		err = r.text(a.out)
	}
	if err == nil && differs {
		err = &codeError{code: exitMismatch}
	}
	return err
}

// newDiffer compiles a case's run, and returns its recorded fetches.
func newDiffer(c *cases.Case, f diffFlags) (*nodiff.Differ, map[string]*tensor.Tensor, error) {
	m, err := pipeline.Load([]string{c.ModelPath}, frontend.Options{Config: c.ConfigPath, Limits: f.passes.limits.limits})
	if err != nil {
		return nil, nil, err
	}
	feeds, want, err := c.LoadRun(f.run)
	if err != nil {
		return nil, nil, err
	}
	run := c.Runs[f.run]
	opts := graphc.Options{Feeds: run.Feeds, Fetches: run.Fetches, Targets: run.Targets, Shapes: unknownRanks(m.Graph, feeds)}
	devices := f.devices.forCase(c)
	if err := errors.Join(f.passes.apply(&opts), devices.apply(&opts, os.Stderr)); err != nil {
		return nil, nil, err
	}
	o, err := engine(&opts)
	if err != nil {
		return nil, nil, err
	}
	d, err := nodiff.New(m, o, feeds)
	return d, want, err
}

func diffCase(ctx context.Context, c *cases.Case, f diffFlags) (*diffReport, error) {
	d, want, err := newDiffer(c, f)
	if err != nil {
		return nil, err
	}
	run := c.Runs[f.run]
	r := &diffReport{Case: c.Path, Fetches: []nodeDiff{}, Nodes: []nodeDiff{}}
	got, err := d.Fetches(ctx)
	if err != nil {
		return nil, err
	}
	for _, name := range run.Fetches {
		if err := cases.Compare(got[name], want[name], c.RTol, c.ATol); err != nil {
			r.Fetches = append(r.Fetches, nodeDiff{Tensor: name, What: err.Error(), ULPs: ulps(got[name], want[name])})
		}
	}
	if len(r.Fetches) == 0 && !f.all && f.intermediates == "" {
		return r, nil
	}
	r.Against = "the graph without optional passes"
	var recorded map[string]*tensor.Tensor
	if f.intermediates != "" {
		r.Against = f.intermediates
		if recorded, err = npy.ReadZipLimit(f.intermediates, f.passes.limits.limits.WithDefaults().RunBytes); err != nil {
			return nil, fmt.Errorf("%s: %w", f.intermediates, err)
		}
	}
	err = d.Nodes(ctx, f.chunk, recorded, func(v nodiff.Value) bool {
		r.Compared++
		if err := cases.Compare(v.Got, v.Want, c.RTol, c.ATol); err != nil {
			n := nodeDiff{Tensor: v.Tensor, Op: v.Op, What: err.Error(), ULPs: ulps(v.Got, v.Want)}
			n.Ins = append(n.Ins, v.Ins...)
			r.Nodes = append(r.Nodes, n)
		}
		return f.all || len(r.Nodes) == 0
	})
	return r, err
}

func (r *diffReport) text(w io.Writer) error {
	var b strings.Builder
	for _, f := range r.Fetches {
		fmt.Fprintf(&b, "fetch %s differs from the recorded one: %s%s\n", f.Tensor, f.What, ulpText(f.ULPs))
	}
	if len(r.Fetches) == 0 {
		b.WriteString("the fetches agree with the recorded ones\n")
	}
	if r.Against != "" {
		fmt.Fprintf(&b, "%d intermediate tensors compared with %s\n", r.Compared, r.Against)
	}
	for i, n := range r.Nodes {
		verb := "then differs"
		if i == 0 {
			verb = "first differs"
		}
		fmt.Fprintf(&b, "%s: %s (%s) of %s: %s%s\n", verb, n.Tensor, n.Op, strings.Join(n.Ins, ", "), n.What, ulpText(n.ULPs))
	}
	if r.Against != "" && len(r.Nodes) == 0 {
		b.WriteString("no intermediate tensor differs\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// ulpBins are the classes of the histogram of distances.
var ulpBins = []struct {
	name string
	most uint32
}{{"0", 0}, {"1", 1}, {"2-3", 3}, {"4-15", 15}, {"16-255", 255}, {"256-65535", 65535}, {"more", math.MaxUint32}}

// ulps counts float32 elements by how many representable numbers lie between
// the two values; NaN against a number is "more". nil for other types.
func ulps(got, want *tensor.Tensor) map[string]int {
	if got == nil || got.DType != tensor.Float32 || want.DType != tensor.Float32 || got.Len() != want.Len() {
		return nil
	}
	out := map[string]int{}
	w := tensor.Data[float32](want)
	for i, g := range tensor.Data[float32](got) {
		d := ulpDistance(g, w[i])
		k := slices.IndexFunc(ulpBins, func(b struct {
			name string
			most uint32
		}) bool {
			return d <= b.most
		})
		out[ulpBins[k].name]++
	}
	return out
}

func ulpDistance(a, b float32) uint32 {
	if a != a || b != b {
		if a != a && b != b {
			return 0
		}
		return math.MaxUint32
	}
	x, y := ordered(a), ordered(b)
	return uint32(max(x, y) - min(x, y))
}

// ordered maps floats to integers so that neighbours differ by one.
func ordered(f float32) int64 {
	b := math.Float32bits(f)
	if b>>31 == 1 {
		return -int64(b & 0x7fffffff)
	}
	return int64(b)
}

func ulpText(h map[string]int) string {
	if h == nil {
		return ""
	}
	var parts []string
	for _, b := range ulpBins {
		if n := h[b.name]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s: %d", b.name, n))
		}
	}
	return "; ULPs apart " + strings.Join(parts, ", ")
}
