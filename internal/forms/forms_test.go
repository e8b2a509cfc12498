// Package forms runs variations of recorded cases of single ops. In a variation, called a form, the
// compiler knows more or less about shapes, feeds become constants, or constants become feeds. This
// may change compile-time computations, but never the results.
package forms

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/graphc/graphc/frontend"
	"github.com/graphc/graphc/internal/caserun"
	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/internal/testkit"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/rt/tensor"
)

// form changes a case's graph and its feeds.
type form struct {
	name string
	// change edits the graph. It returns additional feeds, and the names of feeds that are not fed
	// any more.
	change func(g *ir.Graph, feeds map[string]*tensor.Tensor) (more map[string]*tensor.Tensor, fewer map[string]bool)
	// lacks is set if graphc may reject the form because a tensor or a rank is unknown at compile
	// time.
	lacks bool
	// later is set if the compiler knows less about the form than about the recorded graph. A case that
	// TensorFlow's shape functions reject may then run without an error, because the kernels check
	// less.
	later bool
}

var forms = []form{
	{name: "sizes unknown", change: func(g *ir.Graph, feeds map[string]*tensor.Tensor) (map[string]*tensor.Tensor, map[string]bool) {
		for _, n := range placeholders(g) {
			if t := feeds[n.Name+":0"]; fits(n, t) {
				s := ir.PartialShape{Dims: slices.Repeat([]int64{-1}, len(t.Shape))}
				n.Attrs["shape"] = s
			}
		}
		return nil, nil
	}, lacks: true, later: true},
	{name: "sizes known", change: func(g *ir.Graph, feeds map[string]*tensor.Tensor) (map[string]*tensor.Tensor, map[string]bool) {
		for _, n := range placeholders(g) {
			if t := feeds[n.Name+":0"]; fits(n, t) {
				dims := make([]int64, len(t.Shape))
				for i, d := range t.Shape {
					dims[i] = int64(d)
				}
				n.Attrs["shape"] = ir.PartialShape{Dims: dims}
			}
		}
		return nil, nil
	}},
	{name: "ranks unknown", change: func(g *ir.Graph, feeds map[string]*tensor.Tensor) (map[string]*tensor.Tensor, map[string]bool) {
		for _, n := range placeholders(g) {
			if fits(n, feeds[n.Name+":0"]) {
				n.Attrs["shape"] = ir.PartialShape{UnknownRank: true}
			}
		}
		return nil, nil
	}, lacks: true, later: true},
	{name: "feeds constant", change: func(g *ir.Graph, feeds map[string]*tensor.Tensor) (map[string]*tensor.Tensor, map[string]bool) {
		fewer := map[string]bool{}
		for _, n := range placeholders(g) {
			if t := feeds[n.Name+":0"]; fits(n, t) && t.DType == n.DType("dtype") {
				n.Op, n.Attrs = "Const", map[string]ir.Attr{"dtype": t.DType, "value": t}
				fewer[n.Name+":0"] = true
			}
		}
		return nil, fewer
	}},
	{name: "constants fed", change: func(g *ir.Graph, feeds map[string]*tensor.Tensor) (map[string]*tensor.Tensor, map[string]bool) {
		more := map[string]*tensor.Tensor{}
		// This map has, for each constant that becomes a feed, the control inputs of the constant.
		// A feed has no control inputs, so the nodes that read the feed get those of the constant.
		before := map[*ir.Node][]*ir.Node{}
		for _, n := range g.Nodes {
			t, ok := n.Attrs["value"].(*tensor.Tensor)
			if n.Op != "Const" || !ok || !t.DType.IsData() {
				continue
			}
			before[n] = n.Controls
			n.Op, n.Attrs = "Placeholder", map[string]ir.Attr{"dtype": t.DType, "shape": ir.PartialShape{Dims: slices.Repeat([]int64{-1}, len(t.Shape))}}
			more[n.Name+":0"] = t
		}
		for _, n := range g.Nodes {
			if before[n] != nil {
				continue
			}
			from := slices.Clone(n.Controls)
			for _, o := range n.Ins {
				from = append(from, o.Node)
			}
			for len(from) > 0 {
				c := from[0]
				from = from[1:]
				for _, w := range before[c] {
					if from = append(from, w); !slices.Contains(n.Controls, w) {
						n.Controls = append(n.Controls, w)
					}
				}
			}
		}
		return more, nil
	}, lacks: true, later: true},
}

// fits reports whether t can be fed to placeholder n.
func fits(n *ir.Node, t *tensor.Tensor) bool {
	s, ok := n.Attrs["shape"].(ir.PartialShape)
	if t == nil || !ok || s.UnknownRank {
		return t != nil
	}
	return len(s.Dims) == 0 || len(s.Dims) == len(t.Shape) && slices.EqualFunc(s.Dims, t.Shape, func(want int64, got int) bool { return want < 0 || want == int64(got) })
}

func placeholders(g *ir.Graph) []*ir.Node {
	var out []*ir.Node
	for _, n := range g.Nodes {
		if n.Op == "Placeholder" {
			out = append(out, n)
		}
	}
	return out
}

// runner runs a case with the feeds of a form.
type runner struct {
	*pipeline.Runner
	more  map[string]*tensor.Tensor
	fewer map[string]bool
}

func (r runner) Run(ctx context.Context, feeds map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	feeds = maps.Clone(feeds)
	maps.Copy(feeds, r.more)
	maps.DeleteFunc(feeds, func(name string, _ *tensor.Tensor) bool { return r.fewer[name] })
	return r.Runner.Run(ctx, feeds)
}

// noted is a Runner that stores the error of its last run in *err.
type noted struct {
	caserun.Runner
	err *error
}

func (n noted) Run(ctx context.Context, feeds map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	out, err := n.Runner.Run(ctx, feeds)
	*n.err = err
	return out, err
}

var errLacks = errors.New("refused in this form")

// open compiles the case in a form.
func open(c *cases.Case, f form) (caserun.Runner, error) {
	m, err := frontend.Load([]string{c.ModelPath}, frontend.Options{Config: c.ConfigPath})
	if err != nil {
		return nil, err
	}
	feeds, _, err := c.LoadRun(0)
	if err != nil {
		return nil, err
	}
	for _, n := range m.Graph.Nodes {
		delete(n.Attrs, "_output_shapes")
	}
	more, fewer := f.change(m.Graph, feeds)
	names := slices.DeleteFunc(slices.Clone(c.Runs[0].Feeds), func(n string) bool { return fewer[n] })
	names = append(names, slices.Sorted(maps.Keys(more))...)
	shapes := map[string]string{}
	for _, n := range placeholders(m.Graph) {
		if s, ok := n.Attrs["shape"].(ir.PartialShape); ok && s.UnknownRank && f.name != "ranks unknown" {
			if t := feeds[n.Name+":0"]; t != nil {
				shapes[n.Name+":0"] = strings.TrimSuffix(strings.Repeat("?,", len(t.Shape)), ",")
			}
		}
	}
	p, err := pipeline.CompileModel(m, pipeline.Options{Check: true, Feeds: names, Fetches: c.Runs[0].Fetches, Targets: c.Runs[0].Targets, Shapes: shapes})
	var lacking *lower.UnsupportedError
	if err != nil {
		if f.lacks && refusable(err) || errors.As(err, &lacking) {
			return nil, errLacks
		}
		return nil, err
	}
	r, err := p.Runner(p.Signatures[0])
	if err != nil {
		return nil, err
	}
	if n := caserun.MaxBytes(c); n > 0 {
		r.SetMaxBytes(n)
	}
	return runner{r, more, fewer}, nil
}

// refusable reports whether graphc may return err for a form that gives the compiler less
// information. Such an error means that a rank is unknown at compile time. The rank may also depend
// on an unknown number of elements.
func refusable(err error) bool {
	text := err.Error()
	return tensor.CodeOf(err) == tensor.Unimplemented || strings.Contains(text, ":0 of rank ") || strings.Contains(text, "no variant fits the ranks of the feeds") ||
		strings.Contains(text, "the number of elements of an integer input")
}

// TestForms runs recorded cases in each form. It uses only cases that have exactly one run.
func TestForms(t *testing.T) {
	list, err := cases.Find(append(testkit.Sample(t, "ops"), testkit.SharedCases(t, "ops")...))
	if err != nil {
		t.Fatal(err)
	}
	// Cases that fail without any change are removed here; internal/corpus tests them.
	as := form{name: "as recorded", change: func(*ir.Graph, map[string]*tensor.Tensor) (map[string]*tensor.Tensor, map[string]bool) {
		return nil, nil
	}}
	list = slices.DeleteFunc(list, func(c *cases.Case) bool {
		return len(c.Runs) != 1 || c.Err != nil || caserun.Check(context.Background(), c, func(int) (caserun.Runner, error) { return open(c, as) }) != nil
	})
	// Unless long tests are enabled, each form is tested with a third of the cases.
	step := testkit.Times(3, 1)
	for k, f := range forms {
		t.Run(f.name, func(t *testing.T) {
			ran, refused := 0, map[string]int{}
			for i, c := range list {
				if (i+k)%step > 0 {
					continue
				}
				if c.Has(cases.FlushDenormals) {
					continue // if such a case fails, caserun.Check runs it again with the recorded feeds, not those of the form
				}
				lacks := false
				var refusal error
				err := caserun.Check(context.Background(), c, func(int) (caserun.Runner, error) {
					r, err := open(c, f)
					lacks = errors.Is(err, errLacks)
					if refusal = err; err != nil {
						return nil, err
					}
					return noted{r, &refusal}, nil
				})
				if f.lacks && err != nil && refusal != nil && refusable(refusal) {
					lacks = true
				}
				if c.ExpectErr && refusal == nil && f.later && c.ErrWhen == "compile" {
					err = nil
				}
				if c.ExpectErr && refusal != nil && tensor.CodeOf(refusal) != tensor.Internal && tensor.CodeOf(refusal) != tensor.Unknown {
					err = nil // this form may check shapes earlier, and with another error code
				}
				switch {
				case lacks:
					refused[filepath.Base(filepath.Dir(c.Dir))]++
				case err != nil:
					t.Errorf("%s: %v", c.Dir, fmt.Sprintf("%.300s", strings.SplitN(err.Error(), "\n", 2)[0]))
				default:
					ran++
				}
			}
			var names []string
			for _, k := range slices.Sorted(maps.Keys(refused)) {
				names = append(names, k+" "+strconv.Itoa(refused[k]))
			}
			t.Logf("%d ran; refused: %s", ran, strings.Join(names, ", "))
		})
	}
}
