package dump

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/internal/tool/flags"
	"github.com/graphc/graphc/plan/names"
	"github.com/graphc/graphc/rt/tensor"
)

// explained is what explain tells of a signature.
type explained struct {
	Signature string  `json:"signature"`
	Scope     string  `json:"scope,omitempty"` // that short names of nodes leave out
	Nodes     []*fate `json:"nodes"`

	names *names.Names
}

// Explain says what became of nodes of a model, of all where none is named.
func Explain(a *base.App, model string, nodes []string, f flags.Model, asJSON bool) error {
	o, err := f.Options()
	if err != nil {
		return err
	}
	h, p, err := compileHistory([]string{model}, o, false)
	if err != nil {
		return base.WrapModel([]string{model}, err)
	}
	var all []explained
	found := map[string]bool{}
	for _, x := range h.all {
		fs := newFates(x, signatureOf(p, x.signature))
		e := explained{Signature: x.signature, Scope: fs.names.Scope(), names: fs.names}
		if len(nodes) == 0 {
			for _, n := range x.names {
				if t := fs.of(n); t != nil {
					e.Nodes = append(e.Nodes, t)
				}
			}
		}
		for _, n := range nodes {
			all := fs.names.Resolve(nodeOf(n), func(name string) bool { return fs.of(name) != nil })
			if len(all) > 1 {
				return base.WrapModel([]string{model}, tensor.Errorf(tensor.InvalidArgument, "%q may be %s: write /%s for the first", n, strings.Join(all, " or "), n))
			}
			for _, name := range all {
				e.Nodes = append(e.Nodes, fs.of(name))
				found[nodeOf(n)] = true
			}
		}
		if len(e.Nodes) > 0 {
			all = append(all, e)
		}
	}
	for _, n := range nodes {
		if !found[nodeOf(n)] {
			return base.WrapModel([]string{model}, unknownNode(h, nodeOf(n)))
		}
	}
	switch {
	case asJSON:
		return a.WriteJSON(all)
	case len(nodes) == 0:
		return printFates(a.Out, all)
	}
	return printStories(a.Out, all)
}

// signatureOf returns the compiled signature of that name, its initialisation among
// them, nil for none.
func signatureOf(p *pipeline.Program, name string) *pipeline.Signature {
	if s := p.Signature(name); s != nil {
		return s
	}
	if p.Init != nil && p.Init.Name == name {
		return p.Init
	}
	return nil
}

func unknownNode(h *historian, name string) error {
	var names []string
	for _, x := range h.all {
		for n := range x.lives {
			names = append(names, n)
		}
	}
	return tensor.Errorf(tensor.NotFound, "no graph has or had a node %q%s", name, base.Nearest(name, names))
}

// printFates writes a table of all nodes.
func printFates(out io.Writer, all []explained) error {
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	for i, e := range all {
		if len(all) > 1 {
			if i > 0 {
				fmt.Fprintln(w)
			}
			fmt.Fprintf(w, "%s\n", title(e.Signature))
		}
		if e.Scope != "" {
			fmt.Fprintf(w, "Nodes are named without the scope %s; a name with a slash in front is whole.\n", e.Scope)
		}
		for _, t := range e.Nodes {
			into := "-"
			if t.Into != "" && t.Into != t.Node {
				into = e.names.Short(t.Into)
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", e.names.Short(t.Node), t.Op, t.Status, into, cmp.Or(t.Pass, "-"), cmp.Or(t.Why, "-"))
		}
	}
	return w.Flush()
}

// printStories writes some lines for each node.
func printStories(out io.Writer, all []explained) error {
	b := bufio.NewWriter(out)
	for i, e := range all {
		for j, t := range e.Nodes {
			if i+j > 0 {
				fmt.Fprintln(b)
			}
			in := ""
			if len(all) > 1 || e.Signature != "" {
				in = ", " + title(e.Signature)
			}
			t.story(b, in)
		}
	}
	return b.Flush()
}

// story writes what became of a node.
func (t *fate) story(b io.Writer, in string) {
	fmt.Fprintf(b, "%s (%s)%s\n", t.Node, t.Op, in)
	line := func(key, text string) { fmt.Fprintf(b, "  %-9s %s\n", key, text) }
	if t.Short != "" {
		line("in code", t.Short)
	}
	if t.Origin != "" {
		line("from", t.Origin)
	}
	if t.Device != "" {
		line("placed", "on "+t.Device+": "+t.DeviceWhy)
	}
	if len(t.IO) > 0 {
		line("use", strings.Join(t.IO, ", "))
	}
	end := t.summary()
	if t.IntoOp != "" && t.IntoOp != t.Op {
		end += ", a node " + t.IntoOp
	}
	if t.Value != "" {
		end += " of value " + t.Value
	}
	if t.Why != "" {
		end += ": " + t.Why
	}
	line("end", end)
	for i, e := range t.Edits {
		line(base.Or(map[bool]string{true: "edits"}[i == 0], ""), e)
	}
	for i, r := range t.Refused {
		line(base.Or(map[bool]string{true: "not done"}[i == 0], ""), r)
	}
	for i, s := range t.Steps {
		line(base.Or(map[bool]string{true: "steps"}[i == 0], ""), s.text())
	}
	if len(t.Steps) == 0 && t.IntoOp != "" {
		line("steps", noSteps(t))
	}
}

// noSteps is why no step computes what is there at the end.
func noSteps(t *fate) string {
	switch {
	case t.IntoOp == "Const":
		return "none: it is a constant of the program"
	case slices.ContainsFunc(t.IO, func(s string) bool { return strings.HasPrefix(s, "fed ") }):
		return "none: it is fed"
	}
	return "none: its results are views of what it reads, are known from sizes, or are part of another step"
}

func (s fateStep) text() string {
	text := fmt.Sprintf("%d: %s", s.Step, s.Kernel)
	if s.Part != "" {
		text += " on " + s.Part
	}
	if s.Shape != "" {
		text += " makes " + s.Shape
	}
	var cost []string
	if s.FLOPs > 0 {
		cost = append(cost, quantity(s.FLOPs)+"FLOP")
	}
	if s.ConstBytes > 0 {
		cost = append(cost, quantity(s.ConstBytes)+"B of constants")
	}
	if s.Bytes > 0 {
		cost = append(cost, quantity(s.Bytes)+"B read and written")
	}
	if len(cost) > 0 {
		text += ": " + strings.Join(cost, ", ")
	}
	if !s.Known {
		text += "; sizes are known at run time"
	}
	return text
}

// quantity is a number with k, M or G before its unit.
func quantity(v float64) string {
	for _, p := range []struct {
		by   float64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if v >= p.by {
			return fmt.Sprintf("%.3g %s", v/p.by, p.name)
		}
	}
	return fmt.Sprintf("%.3g ", v)
}
