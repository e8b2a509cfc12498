package lists

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops"
)

// opRow describes one op in the output of "graphc ops".
type opRow struct {
	Name string `json:"name"`
	// Types has the element types that graphc supports, keyed by the type attribute. An attribute
	// that is missing here may have all types that TensorFlow allows.
	Types  map[string][]string `json:"types,omitempty"`
	Flags  []string            `json:"flags,omitempty"`
	Limits string              `json:"limits,omitempty"`
}

// Ops prints the ops in names, or all ops if names is empty. If missing is set, it prints the ops
// that graphc cannot compile.
func Ops(a *base.App, names []string, asJSON, markdown, missing bool) error {
	if missing {
		if list, _ := missingOps(); asJSON {
			return a.WriteJSON(list)
		}
		return opsMissing(a)
	}
	rows, err := opRows(names)
	if err != nil {
		return err
	}
	switch {
	case asJSON:
		return a.WriteJSON(rows)
	case markdown:
		return opsMarkdown(a, rows)
	}
	return opsText(a, rows)
}

// OpNames returns the names of the ops that graphc can compile.
func OpNames() []string {
	var names []string
	for _, d := range ops.All() {
		names = append(names, d.Name)
	}
	return names
}

// opRows returns one row for each op in the parameter names, or for all ops if names is empty.
func opRows(names []string) ([]opRow, error) {
	defs := slices.DeleteFunc(slices.Clone(ops.All()), func(d *lower.Def) bool { return d.Name == ir.GoOp || d.Name == ir.GoEffectOp })
	if len(names) > 0 {
		defs = nil
		for _, n := range names {
			d := ops.Lookup(n)
			if d == nil {
				return nil, &base.CodeError{Code: base.ExitUnsupported, Err: fmt.Errorf("op %q does not compile%s", n, base.Nearest(n, OpNames()))}
			}
			defs = append(defs, d)
		}
	}
	rows := make([]opRow, 0, len(defs))
	for _, d := range defs {
		r := opRow{Name: d.Name, Limits: d.Limits}
		for attr, types := range d.Types {
			if r.Types == nil {
				r.Types = map[string][]string{}
			}
			for _, t := range types {
				r.Types[attr] = append(r.Types[attr], t.String())
			}
		}
		for _, f := range []struct {
			flag lower.Flags
			name string
		}{{lower.Stateful, "stateful"}, {lower.Commutative, "commutative"}, {lower.Expensive, "expensive"}, {lower.NoFold, "nofold"},
			{lower.Forward, "forward"}, {lower.Effect, "effect"}} {
			if d.Has(f.flag) {
				r.Flags = append(r.Flags, f.name)
			}
		}
		rows = append(rows, r)
	}
	return rows, nil
}

func (r opRow) types() string {
	var parts []string
	for _, attr := range base.SortedKeys(r.Types) {
		parts = append(parts, attr+": "+strings.Join(r.Types[attr], " "))
	}
	return strings.Join(parts, "; ")
}

func opsText(a *base.App, rows []opRow) error {
	w := tabwriter.NewWriter(a.Out, 0, 8, 2, ' ', 0)
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%s", r.Name, base.Or(r.types(), "all types"))
		if r.Limits != "" { // no tab after the last cell, because the tabwriter would fill the cell with spaces
			fmt.Fprintf(w, "\t%s", r.Limits)
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

// opsHead is the beginning of docs/ops.md.
const opsHead = `# Ops

This page lists the ops that compile. ` + "`graphc ops --markdown`" + ` prints it from the ops' descriptions,
and a test compares. "All" element types are those of TensorFlow's CPU kernels. Families are
TensorFlow's Python modules. ` + "`graphc ops --missing`" + ` lists the groups out of scope.

`

func opsMarkdown(a *base.App, rows []opRow) error {
	fmt.Fprint(a.Out, opsHead)
	fmt.Fprint(a.Out, "| family | compile | of | out of scope | not written |\n|---|---|---|---|---|\n")
	have, all := 0, 0
	for _, f := range opFamilies() {
		var out []string
		for _, g := range base.SortedKeys(f.groups) {
			out = append(out, fmt.Sprintf("%s %d", g, f.groups[g]))
		}
		fmt.Fprintf(a.Out, "| %s | %d | %d | %s | %s |\n", f.name, f.have, f.all, strings.Join(out, ", "), strings.Join(f.open, " "))
		have, all = have+f.have, all+f.all
	}
	fmt.Fprintf(a.Out, "| **all** | **%d** | **%d** | | |\n\n| op | element types | not taken |\n|---|---|---|\n", have, all)
	for _, r := range rows {
		if _, err := fmt.Fprintf(a.Out, "| %s | %s | %s |\n", r.Name, base.Or(r.types(), "all"), strings.ReplaceAll(r.Limits, "|", `\|`)); err != nil {
			return err
		}
	}
	return nil
}
