package dump

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/internal/tool/flags"
	"github.com/graphc/graphc/internal/tool/history"
	"github.com/graphc/graphc/plan/names"
	"github.com/graphc/graphc/rt/tensor"
)

// explained has the output of "graphc explain" for one signature.
type explained struct {
	Signature string          `json:"signature"`
	Scope     string          `json:"scope,omitempty"` // scope that the short names of nodes lack, or ""
	Nodes     []*history.Fate `json:"nodes"`

	names *names.Names
}

// Explain prints, for each of the given nodes of a model, what the passes did with the node and
// which steps of the plan compute it. If no nodes are given, it prints a table of all nodes.
func Explain(a *base.App, model string, nodes []string, f flags.Model, asJSON bool) error {
	o, err := f.Options()
	if err != nil {
		return err
	}
	phase := compiling(a, &o, model)
	h, p, err := history.Compile([]string{model}, o, nil)
	phase.Close()
	if err != nil {
		return base.WrapModel([]string{model}, err)
	}
	var all []explained
	found := map[string]bool{}
	for _, x := range h.All {
		fs := history.NewFates(x, history.SignatureOf(p, x.Signature))
		e := explained{Signature: x.Signature, Scope: fs.Names.Scope(), names: fs.Names}
		if len(nodes) == 0 {
			for _, n := range x.Names {
				if t := fs.Of(n); t != nil {
					e.Nodes = append(e.Nodes, t)
				}
			}
		}
		for _, n := range nodes {
			all := fs.Names.Resolve(history.NodeOf(n), func(name string) bool { return fs.Of(name) != nil })
			if len(all) > 1 {
				return base.WrapModel([]string{model}, tensor.Errorf(tensor.InvalidArgument, "%q may be %s: write /%s for the first", n, strings.Join(all, " or "), n))
			}
			for _, name := range all {
				e.Nodes = append(e.Nodes, fs.Of(name))
				found[history.NodeOf(n)] = true
			}
		}
		if len(e.Nodes) > 0 {
			all = append(all, e)
		}
	}
	for _, n := range nodes {
		if !found[history.NodeOf(n)] {
			return base.WrapModel([]string{model}, unknownNode(h, history.NodeOf(n)))
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

func unknownNode(h *history.Recorder, name string) error {
	var names []string
	for _, x := range h.All {
		for n := range x.Lives {
			names = append(names, n)
		}
	}
	return tensor.Errorf(tensor.NotFound, "no graph has or had a node %q%s", name, base.Nearest(name, names))
}

// printFates prints a table with one row for each node in the parameter all.
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

// printStories prints a paragraph of several lines for each node in the parameter all.
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
			story(b, t, in)
		}
	}
	return b.Flush()
}

// story prints one paragraph about a node. The last argument is the text that follows the name and
// the op of the node.
func story(b io.Writer, t *history.Fate, in string) {
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
	end := t.Summary()
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
		line(base.Or(map[bool]string{true: "steps"}[i == 0], ""), s.String())
	}
	if len(t.Steps) == 0 && t.IntoOp != "" {
		line("steps", noSteps(t))
	}
}

// noSteps returns the reason why no step of the plan computes a node. The node is the one that has
// replaced t.Node after the passes.
func noSteps(t *history.Fate) string {
	switch {
	case t.IntoOp == "Const":
		return "none: it is a constant of the program"
	case slices.ContainsFunc(t.IO, func(s string) bool { return strings.HasPrefix(s, "fed ") }):
		return "none: it is fed"
	}
	return "none: its results are views of its inputs, are known from sizes, or are part of another step"
}
