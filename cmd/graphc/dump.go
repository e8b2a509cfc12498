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
the passes that ran with the number of nodes that each left. --journal prints what
became of nodes and why, after the number by which --fuel counts an edit of an
optional pass. Large constants are shown by a hash unless --full is given; a full
dump can be read back. --partitions writes GraphDefs instead: the graphs that
TensorFlow's session would run on each of the --devices. --html writes one page
with all of this: a column for each pass that changed something, with new, changed
and removed nodes marked, and the plan.`,
		Args: minArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			text := w.Plan || w.List || w.Journal || len(pass) > 0
			if page != "" && (partitions != "" || text) || partitions != "" && text {
				return base.Usagef("--html, --partitions and flags that print text exclude each other")
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
	c.Flags().BoolVar(&w.Origins, "origins", false, "print the origins of nodes")
	c.Flags().BoolVar(&w.Functions, "functions", false, "print the functions, too")
	c.Flags().StringVar(&partitions, "partitions", "", "write the partition graphs that TensorFlow would run on each device, with sends and receives, to this directory")
	c.Flags().StringVar(&page, "html", "", "write a page with a column for each pass to this file")
	completeWith(c, "pass", dump.PassWords()...)
	return c
}
