package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/passes"
)

func newDump(a *app) *cobra.Command {
	var f modelFlags
	var pass []string
	var showPlan, list bool
	c := &cobra.Command{
		Use:   "dump [flags] MODEL…",
		Short: "Print a model's graph after passes",
		Long: `dump prints the graph of each signature as text: after all passes, or after the
ones that --pass names (as "graphc passes" lists them; "read" is the graph before
the first, "fold.2" the second round of fold, "all" every one). --list prints
the names of the passes that ran with the number of nodes each left.`,
		Args: minArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return a.dump(args, f, pass, showPlan, list) },
	}
	f.register(c.Flags())
	c.Flags().StringSliceVar(&pass, "pass", nil, "print the graph after these passes")
	c.Flags().BoolVar(&showPlan, "plan", false, "print the plan instead of the graph")
	c.Flags().BoolVar(&list, "list", false, "list the passes that ran and the nodes they left")
	if err := c.RegisterFlagCompletionFunc("pass", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		names := []string{"read", "all"}
		for _, p := range passes.Table() {
			names = append(names, p.Name)
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}); err != nil {
		panic(err) // the flag is defined above
	}
	return c
}

func (a *app) dump(paths []string, f modelFlags, pass []string, showPlan, list bool) error {
	o, err := f.options()
	if err != nil {
		return err
	}
	if err := checkPassNames(pass); err != nil {
		return err
	}
	printed := map[string]bool{}
	if list || len(pass) > 0 {
		o.Dump = func(name, sig string, g *ir.Graph) {
			name = or(name, "read")
			if list {
				fmt.Fprintf(a.out, "%s\t%s\t%d\n", or(sig, "-"), name, len(g.Nodes))
				return
			}
			base, _, _ := strings.Cut(name, ".")
			if slices.Contains(pass, name) || slices.Contains(pass, base) || slices.Contains(pass, "all") {
				printed[name], printed[base] = true, true
				a.printGraph(fmt.Sprintf("signature %q after %s", sig, name), g)
			}
		}
	}
	o.KeepGraph = !showPlan
	p, err := pipeline.Compile(paths, o)
	if err != nil {
		return wrapModel(paths, err)
	}
	for _, name := range pass {
		if name != "all" && !printed[name] {
			fmt.Fprintf(a.err, "graphc: pass %s did not run\n", name)
		}
	}
	if list || len(pass) > 0 {
		return nil
	}
	for _, s := range p.Signatures {
		if showPlan {
			if _, err := io.WriteString(a.out, s.Plan.String()); err != nil {
				return err
			}
			continue
		}
		a.printGraph(fmt.Sprintf("signature %q", s.Name), s.Graph)
	}
	return nil
}

// checkPassNames refuses names that no pass has; "fold.2" is fold.
func checkPassNames(names []string) error {
	known := []string{"read", "all"}
	for _, p := range passes.Table() {
		known = append(known, p.Name)
	}
	for _, n := range names {
		base, _, _ := strings.Cut(n, ".")
		if slices.Contains(known, base) {
			continue
		}
		hint := ""
		if s := ir.Nearest(base, known); s != "" {
			hint = fmt.Sprintf("; did you mean %q?", s)
		}
		return usagef("--pass %s: no such pass%s", n, hint)
	}
	return nil
}
