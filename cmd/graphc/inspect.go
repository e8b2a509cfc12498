package main

import (
	"errors"
	"fmt"
	"io"
	"sort"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/graphc/graphc/codegen"
	"github.com/graphc/graphc/frontend"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
)

// report is what inspect tells of a model.
type report struct {
	Path        string        `json:"path"`
	Kind        string        `json:"kind"`
	SHA256      string        `json:"sha256"`
	Producer    int           `json:"producer"`
	Nodes       int           `json:"nodes"`
	Functions   int           `json:"functions"`
	Signatures  []sigReport   `json:"signatures"`
	Ops         []opCount     `json:"ops"`
	Unsupported []unsupported `json:"unsupported"`
	// Resources are what the compiled signatures share and keep from run to run, Init
	// the nodes that run before the first call, Assets files that become part of the program,
	// Unused the tensors of the checkpoint that no compiled signature uses.
	Resources  []resourceReport `json:"resources,omitempty"`
	Init       []string         `json:"init,omitempty"`
	Assets     []string         `json:"assets,omitempty"`
	Unused     []string         `json:"unused_in_checkpoint,omitempty"`
	Parameters *int             `json:"parameters,omitempty"` // of the compiled signatures
	Errors     []string         `json:"errors,omitempty"`     // why it does not compile, other than for want of ops
}

type sigReport struct {
	Name    string       `json:"name"`
	Method  string       `json:"method,omitempty"`
	Feeds   []portReport `json:"feeds"`
	Fetches []portReport `json:"fetches"`
	Targets []string     `json:"targets,omitempty"`
	stateReport
	// FLOPs is for unknown sizes of one; FLOPsOf is the expression where there are such sizes.
	FLOPs   *int   `json:"flops,omitempty"`
	FLOPsOf string `json:"flops_expression,omitempty"`
	Kept    int    `json:"nodes_after_passes,omitempty"`
}

type portReport struct {
	Key    string `json:"key"`
	Tensor string `json:"tensor"`
	DType  string `json:"dtype"`
	Shape  string `json:"shape"`
}

type opCount struct {
	Op    string `json:"op"`
	Count int    `json:"count"`
}

type unsupported struct {
	Op    string   `json:"op"`
	Count int      `json:"count"`
	Nodes []string `json:"nodes"`
}

func newInspect(a *app) *cobra.Command {
	var f modelFlags
	var asJSON bool
	c := &cobra.Command{
		Use:   "inspect [flags] MODEL…",
		Short: "Show a model's signatures, ops, parameters and FLOPs",
		Long: `inspect prints a model's signatures with feeds, fetches and shapes, how often
each op occurs, the ops that do not compile with their nodes, the number of
parameters and the FLOPs of matrix products and convolutions; the variables,
tables and queues that the signatures share, which of them a signature reads
and may change, what runs before the first call, and the tensors of the checkpoint
that no signature uses. Exit status 3 when there
are ops that do not compile.`,
		Args: minArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return a.inspect(args, f, asJSON) },
	}
	f.register(c.Flags())
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func (a *app) inspect(paths []string, f modelFlags, asJSON bool) error {
	o, err := f.options()
	if err != nil {
		return err
	}
	m, err := f.load(paths)
	if err != nil {
		return wrapModel(paths, err)
	}
	r := inspectModel(m, o)
	if asJSON {
		err = a.writeJSON(r)
	} else {
		err = r.text(a.out)
	}
	switch {
	case err != nil:
		return err
	case len(r.Unsupported) > 0:
		return &codeError{code: exitUnsupported}
	case len(r.Errors) > 0:
		return &codeError{code: exitFailure}
	}
	return nil
}

func inspectModel(m *frontend.Model, o pipeline.Options) *report {
	r := &report{Path: m.Path, Kind: m.Kind, SHA256: m.SHA256, Producer: m.Graph.Producer, Nodes: len(m.Graph.Nodes),
		Signatures: []sigReport{}, Unsupported: []unsupported{}}
	r.Ops = histogram(m.Graph)
	if m.Graph.Library != nil {
		r.Functions = len(m.Graph.Library.Functions)
	}
	p, err := pipeline.CompileModel(m, o)
	if err != nil {
		r.addError(err)
		o.KeepGraph = true
		if p, err = pipeline.CompileModel(m, o); err != nil {
			p = nil
		}
	} else {
		n := p.Parameters()
		r.Parameters = &n
	}
	if p == nil {
		r.declared(m)
		return r
	}
	r.addState(m, p, o)
	for _, s := range p.Signatures {
		sr := sigReport{Name: s.Name, stateReport: stateOf(s), Kept: len(s.Graph.Nodes), Feeds: []portReport{}, Fetches: []portReport{}}
		for _, ms := range m.Signatures {
			if ms.Name == s.Name {
				sr.Method = ms.Method
			}
		}
		for _, x := range s.Graph.Feeds {
			sr.Feeds = append(sr.Feeds, portReport{x.Key, x.Name, x.Out.Fact().DType.String(), shapeText(x.Shape)})
		}
		for _, x := range s.Graph.Fetches {
			sr.Fetches = append(sr.Fetches, portReport{x.Key, x.Name, x.Out.Fact().DType.String(), shapeText(x.Out.Fact().Shape)})
		}
		for _, t := range s.Graph.Targets {
			sr.Targets = append(sr.Targets, t.Name)
		}
		if s.Plan != nil {
			sig := codegen.Signature(plansOf(s))
			for i := range sr.Feeds {
				if sig.Feeds[i].AnyRank {
					sr.Feeds[i].Shape = shapeText(ir.Shape{})
				}
			}
			for i := range sr.Fetches {
				if sig.Fetches[i].AnyRank {
					sr.Fetches[i].Shape = shapeText(ir.Shape{})
				}
			}
		}
		if s.Plan != nil && len(s.Variants) == 1 { // other ranks, other numbers
			e := flops(s.Graph)
			if n, err := evalAt(e, 1); err == nil {
				sr.FLOPs = &n
			}
			if _, known := e.IsInt(); !known {
				sr.FLOPsOf = e.String()
			}
		}
		r.Signatures = append(r.Signatures, sr)
	}
	return r
}

// declared lists the signatures as the model declares them.
func (r *report) declared(m *frontend.Model) {
	ports := func(ps []frontend.Port) []portReport {
		out := []portReport{}
		for _, p := range ps {
			out = append(out, portReport{p.Key, p.Tensor, p.DType.String(), shapeText(lower.ShapeFromAttr(p.Key, p.Shape))})
		}
		return out
	}
	for _, s := range m.Signatures {
		r.Signatures = append(r.Signatures, sigReport{Name: s.Name, Method: s.Method, Feeds: ports(s.Inputs), Fetches: ports(s.Outputs), Targets: s.Targets})
	}
}

func (r *report) addError(err error) {
	var u *lower.UnsupportedError
	if errors.As(err, &u) {
		for _, op := range u.Ops {
			r.Unsupported = append(r.Unsupported, unsupported{op.Op, len(op.Nodes), op.Nodes})
		}
		return
	}
	r.Errors = strings.Split(err.Error(), "\n")
}

// histogram counts the ops of the graph and its functions, most frequent first.
func histogram(g *ir.Graph) []opCount {
	n := map[string]int{}
	count := func(g *ir.Graph) {
		for _, node := range g.Nodes {
			n[node.Op]++
		}
	}
	count(g)
	if g.Library != nil {
		for _, f := range g.Library.Functions {
			if f.Body != nil {
				count(f.Body)
			}
		}
	}
	out := []opCount{}
	for _, op := range sortedKeys(n) {
		out = append(out, opCount{op, n[op]})
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Count > out[j].Count })
	return out
}

func shapeText(s ir.Shape) string {
	if !s.Known {
		return "[…]"
	}
	parts := make([]string, len(s.Dims))
	for i, d := range s.Dims {
		parts[i] = d.String()
	}
	return "[" + strings.Join(parts, ",") + "]"
}

func (r *report) text(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintf(w, "model\t%s\n", r.Path)
	fmt.Fprintf(w, "kind\t%s\n", r.Kind)
	fmt.Fprintf(w, "sha256\t%s\n", r.SHA256)
	fmt.Fprintf(w, "nodes\t%d, functions %d\n", r.Nodes, r.Functions)
	if r.Parameters != nil {
		fmt.Fprintf(w, "parameters\t%d\n", *r.Parameters)
	}
	r.stateText(w)
	for _, s := range r.Signatures {
		fmt.Fprintf(w, "\nsignature\t%s\n", or(s.Name, "(none)"))
		for _, p := range s.Feeds {
			fmt.Fprintf(w, "  feed\t%s\t%s\t%s%s\n", p.Key, p.Tensor, p.DType, p.Shape)
		}
		for _, p := range s.Fetches {
			fmt.Fprintf(w, "  fetch\t%s\t%s\t%s%s\n", p.Key, p.Tensor, p.DType, p.Shape)
		}
		for _, t := range s.Targets {
			fmt.Fprintf(w, "  target\t%s\n", t)
		}
		if len(s.Changes) > 0 {
			fmt.Fprintf(w, "  changes\t%s\n", capped(s.Changes, 5))
		}
		if len(s.Reads) > 0 {
			fmt.Fprintf(w, "  reads\t%s\n", capped(s.Reads, 5))
		}
		if s.FLOPs != nil {
			fmt.Fprintf(w, "  flops\t%s", count(float64(*s.FLOPs)))
			if s.FLOPsOf != "" {
				fmt.Fprintf(w, " with unknown sizes 1; %s", s.FLOPsOf)
			}
			fmt.Fprintln(w)
		}
		if s.Kept > 0 {
			fmt.Fprintf(w, "  nodes after passes\t%d\n", s.Kept)
		}
	}
	fmt.Fprintf(w, "\nops\n")
	for _, o := range r.Ops {
		fmt.Fprintf(w, "  %s\t%d\n", o.Op, o.Count)
	}
	if len(r.Unsupported) > 0 {
		fmt.Fprintf(w, "\nunsupported\n")
	}
	for _, u := range r.Unsupported {
		fmt.Fprintf(w, "  %s\t%d\t%s\n", u.Op, u.Count, capped(u.Nodes, 5))
	}
	for _, e := range r.Errors {
		fmt.Fprintf(w, "\nerror\t%s", e)
	}
	if len(r.Errors) > 0 {
		fmt.Fprintln(w)
	}
	return w.Flush()
}

// capped joins at most n names.
func capped(names []string, n int) string {
	if len(names) <= n {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:n], ", "), len(names)-n)
}
