package main

import (
	"github.com/spf13/cobra"

	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/internal/tool/dump"
	"github.com/graphc/graphc/internal/tool/flags"
)

func newDump(a *base.App) *cobra.Command {
	var f flags.Model
	var pass []string
	var w dump.What
	var partitions, page string
	c := &cobra.Command{
		Use:   "dump [flags] MODEL…",
		Short: "Print a model's graph after passes",
		Long: `dump prints the graph of each signature as text: after all passes, or after the
ones that --pass names (as "graphc passes" lists them; "read" is the graph before
the first, "fold.2" the second round of fold, "all" every one). --list prints
the names of the passes that ran with the number of nodes each left, --journal
what became of nodes and why, after the number by which --fuel counts an edit
of an optional pass. Large constants are shown by a hash unless --full
is given; a full dump can be read back. --partitions writes GraphDefs instead: what
TensorFlow's session would run on each of the --devices. --html writes one page
that shows all of this: a column for each pass that changed something, with what
is new, changed and gone marked, and the plan.`,
		Args: minArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			text := w.Plan || w.List || w.Journal || len(pass) > 0
			if page != "" && (partitions != "" || text) || partitions != "" && text {
				return base.Usagef("--html, --partitions and what prints text exclude each other: one of them")
			}
			if partitions != "" {
				return dump.Partitions(a, args, f, partitions)
			}
			if page != "" {
				return dump.HTML(a, args, f, page)
			}
			return dump.Graphs(a, args, f, pass, w)
		},
	}
	f.Register(c.Flags())
	c.Flags().StringSliceVar(&pass, "pass", nil, "print the graph after these passes")
	c.Flags().BoolVar(&w.Plan, "plan", false, "print the plan instead of the graph")
	c.Flags().BoolVar(&w.List, "list", false, "list the passes that ran and the nodes they left")
	c.Flags().BoolVar(&w.Journal, "journal", false, "print the journal of edits instead of the graph")
	c.Flags().BoolVar(&w.Full, "full", false, "print all elements of constants")
	c.Flags().BoolVar(&w.Origins, "origins", false, "print where nodes came from")
	c.Flags().BoolVar(&w.Functions, "functions", false, "print the functions, too")
	c.Flags().StringVar(&partitions, "partitions", "", "write the graph of each device, with sends and receives, as TensorFlow would divide it, into this directory")
	c.Flags().StringVar(&page, "html", "", "write a page with a column for each pass into this file")
	completeWith(c, "pass", dump.PassWords()...)
	return c
}
