package diff

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/graphc/graphc"
	"github.com/graphc/graphc/frontend"
	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/internal/nodiff"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/internal/tool/casebuild"
	"github.com/graphc/graphc/internal/tool/flags"
	"github.com/graphc/graphc/rt/files"
	"github.com/graphc/graphc/rt/npy"
	"github.com/graphc/graphc/rt/tensor"
)

// Flags are the flags of graphc diff.
type Flags struct {
	Intermediates     string
	All, JSON, Bisect bool
	Chunk, Run        int
	Rtol, Atol        float64
	Passes            flags.Passes
	Devices           flags.Devices
}

// nodeDiff describes a tensor that differs from the expected one.
type nodeDiff struct {
	Tensor string         `json:"tensor"`
	Op     string         `json:"op,omitempty"`
	Ins    []string       `json:"inputs,omitempty"`
	What   string         `json:"difference"`
	ULPs   map[string]int `json:"ulps,omitempty"` // for float32: number of elements for each range of distances in ulpBins
}

// diffReport is the result of "graphc diff" without --bisect.
type diffReport struct {
	Case     string     `json:"case"`
	Fetches  []nodeDiff `json:"fetches"`  // fetches that differ from the recorded ones
	Against  string     `json:"against"`  // description of the expected intermediate tensors, such as the name of their file
	Compared int        `json:"compared"` // number of intermediate tensors that were compared
	Nodes    []nodeDiff `json:"nodes"`    // intermediate tensors that differ; without --all, at most the first one
}

// Run implements "graphc diff" for the case in dir, and prints the differences. The last argument
// is a function that reports whether the user has set the flag with a given name.
func Run(ctx context.Context, a *base.App, dir string, f Flags, given func(string) bool) error {
	c, err := cases.Load(dir)
	if err != nil {
		return err
	}
	if err := casebuild.Benchable(c); err != nil {
		return fmt.Errorf("%s: %w", c.Path, err)
	}
	if f.Run < 0 || f.Run >= len(c.Runs) || f.Chunk < 1 {
		return base.Usagef("--run must be less than %d, --chunk positive", len(c.Runs))
	}
	if given("rtol") {
		c.RTol = f.Rtol
	}
	if given("atol") {
		c.ATol = f.Atol
	}
	if f.Bisect {
		if given("fuel") || given("run") || f.Intermediates != "" || f.All {
			return base.Usagef("--bisect and --fuel, --run, --intermediates or --all exclude each other")
		}
		return bisect(ctx, a, c, f)
	}
	phase := a.NewPhase("compare the nodes of " + c.Path)
	r, err := diffCase(ctx, c, f)
	phase.Close()
	if err != nil {
		return err
	}
	return tell(a, r, f.JSON, len(r.Fetches)+len(r.Nodes) > 0)
}

// tell prints report r, as JSON or as text. If differs is set, it returns an error with the exit
// code for differences.
func tell(a *base.App, r interface{ text(io.Writer) error }, json, differs bool) (err error) {
	if json {
		err = a.WriteJSON(r)
	} else {
		err = r.text(a.Out)
	}
	if err == nil && differs {
		err = &base.CodeError{Code: base.ExitMismatch}
	}
	return err
}

// newDiffer compiles a case for the run with number f.Run, and returns the recorded fetches of this run.
func newDiffer(c *cases.Case, f Flags) (*nodiff.Differ, map[string]*tensor.Tensor, error) {
	m, err := pipeline.Load([]string{c.ModelPath}, frontend.Options{Config: c.ConfigPath, Limits: f.Passes.Limits.Limits})
	if err != nil {
		return nil, nil, err
	}
	feeds, want, err := c.LoadRun(f.Run)
	if err != nil {
		return nil, nil, err
	}
	run := c.Runs[f.Run]
	opts := graphc.Options{Feeds: run.Feeds, Fetches: run.Fetches, Targets: run.Targets, Shapes: casebuild.UnknownRanks(m.Graph, feeds)}
	devices := f.Devices.ForCase(c)
	if err := errors.Join(f.Passes.Apply(&opts), devices.Apply(&opts, os.Stderr)); err != nil {
		return nil, nil, err
	}
	o, err := flags.Engine(&opts)
	if err != nil {
		return nil, nil, err
	}
	d, err := nodiff.New(m, o, feeds)
	return d, want, err
}

func diffCase(ctx context.Context, c *cases.Case, f Flags) (*diffReport, error) {
	d, want, err := newDiffer(c, f)
	if err != nil {
		return nil, err
	}
	run := c.Runs[f.Run]
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
	if len(r.Fetches) == 0 && !f.All && f.Intermediates == "" {
		return r, nil
	}
	r.Against = "the graph without optional passes"
	var recorded map[string]*tensor.Tensor
	if f.Intermediates != "" {
		r.Against = f.Intermediates
		if recorded, err = npy.ReadZipLimit(f.Intermediates, f.Passes.Limits.Limits.WithDefaults().RunBytes); err != nil {
			return nil, files.In(f.Intermediates, err)
		}
	}
	err = d.Nodes(ctx, f.Chunk, recorded, func(v nodiff.Value) bool {
		r.Compared++
		if err := cases.Compare(v.Got, v.Want, c.RTol, c.ATol); err != nil {
			n := nodeDiff{Tensor: v.Tensor, Op: v.Op, What: err.Error(), ULPs: ulps(v.Got, v.Want)}
			n.Ins = append(n.Ins, v.Ins...)
			r.Nodes = append(r.Nodes, n)
		}
		return f.All || len(r.Nodes) == 0
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

// ulpBins lists the ranges of distances by which ulps counts elements. The field most is the
// largest distance in a range. Each range begins above the largest distance in the previous range.
var ulpBins = []struct {
	name string
	most uint32
}{{"0", 0}, {"1", 1}, {"2-3", 3}, {"4-15", 15}, {"16-255", 255}, {"256-65535", 65535}, {"more", math.MaxUint32}}

// ulps compares two float32 tensors and counts their elements by the distance between got and want.
// The distance is the number of steps between adjacent float32 numbers. If only one of the two is
// NaN, the element counts as "more". For other types, ulps returns nil.
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

// ordered maps float32 numbers to integers in the same order. Adjacent numbers have adjacent
// integers.
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
