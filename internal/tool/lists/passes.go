package lists

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/internal/tool/flags"
	"github.com/graphc/graphc/passes"
)

// passRow describes one pass in the output of "graphc passes".
type passRow struct {
	Name     string `json:"name"`
	Phase    string `json:"phase"`
	Order    int    `json:"order"` // from 1
	Required bool   `json:"required"`
	Bits     bool   `json:"may_change_last_bits"`
	Whole    bool   `json:"whole"` // whether the pass runs on the whole graph even if the graph is later divided among several devices
	Doc      string `json:"doc"`
}

// orderRow is a constraint on the order of passes.
type orderRow struct {
	Before string `json:"before"`
	After  string `json:"after"`
	Reason string `json:"reason"`
}

// Passes prints the passes in names, or all passes if names is empty. If orders is set, it prints
// the constraints on the order of these passes.
func Passes(a *base.App, names []string, asJSON, orders bool) error {
	wanted := map[string]bool{}
	for _, n := range names {
		wanted[n] = true
	}
	rows, constraints := []passRow{}, []orderRow{}
	known := map[string]bool{}
	for i, p := range passes.Table() {
		known[p.Name] = true
		if len(names) == 0 || wanted[p.Name] {
			whole := p.Whole || p.Phase != passes.Optimise && p.Phase != passes.PostPartitioning
			rows = append(rows, passRow{p.Name, string(p.Phase), i + 1, p.Required, p.Bits, whole, p.Doc})
		}
	}
	for _, n := range names {
		if !known[n] {
			return base.Usagef("%s: no such pass%s", n, base.Nearest(n, flags.PassNames()))
		}
	}
	for _, o := range passes.Orders() {
		if len(names) == 0 || wanted[o.Before] || wanted[o.After] {
			constraints = append(constraints, orderRow{o.Before, o.After, o.Reason})
		}
	}
	if asJSON {
		return a.WriteJSON(map[string]any{"passes": rows, "orders": constraints})
	}
	if orders {
		return printOrders(a.Out, constraints)
	}
	return printPasses(a.Out, rows)
}

func printPasses(out io.Writer, rows []passRow) error {
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	word := func(is bool, text string) string {
		if is {
			return text
		}
		return "-"
	}
	for _, r := range rows {
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%s\t%s\n", r.Order, r.Name, r.Phase,
			word(r.Required, "required"), word(r.Bits, "bits"), word(r.Whole, "whole"), r.Doc)
	}
	return w.Flush()
}

func printOrders(out io.Writer, rows []orderRow) error {
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	for _, o := range rows {
		fmt.Fprintf(w, "%s\tbefore %s\t%s\n", o.Before, o.After, o.Reason)
	}
	return w.Flush()
}
