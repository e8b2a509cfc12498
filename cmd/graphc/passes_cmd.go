package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/graphc/graphc/passes"
)

func newPasses(a *app) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "passes",
		Short: "List the passes in the order they run",
		Args:  exactArgs(0),
		RunE: func(*cobra.Command, []string) error {
			type row struct {
				Name     string `json:"name"`
				Phase    string `json:"phase"`
				Required bool   `json:"required"`
				Bits     bool   `json:"may_change_last_bits"`
				Doc      string `json:"doc"`
			}
			type order struct {
				Before string `json:"before"`
				After  string `json:"after"`
				Reason string `json:"reason"`
			}
			var rows []row
			for _, p := range passes.Table() {
				rows = append(rows, row{p.Name, string(p.Phase), p.Required, p.Bits, p.Doc})
			}
			if asJSON {
				var orders []order
				for _, o := range passes.Orders() {
					orders = append(orders, order{o.Before, o.After, o.Reason})
				}
				return a.writeJSON(map[string]any{"passes": rows, "orders": orders})
			}
			w := tabwriter.NewWriter(a.out, 0, 8, 2, ' ', 0)
			for _, r := range rows {
				kind := "optional"
				if r.Required {
					kind = "required"
				}
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", r.Name, r.Phase, kind, r.Doc)
			}
			return w.Flush()
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON, with the reasons of the order")
	return c
}
