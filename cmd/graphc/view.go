package main

import (
	"github.com/spf13/cobra"

	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/internal/tool/flags"
	"github.com/graphc/graphc/internal/tool/view"
)

func newView(a *base.App) *cobra.Command {
	var f flags.Model
	var out string
	c := &cobra.Command{
		Use:   "view [flags] MODEL…",
		Short: "Write a page that shows a model's graph",
		Long: `view writes one HTML page that shows a model. A browser opens it from the disk;
the page needs no network and nothing beside it.

The page shows the graph by name scopes, functions, loops and branches, which
unfold by a click, with the type and the shape of each tensor. It shows the graph
as it is in the file and after each pass that changed it, what became of each node
and why, and finds nodes by name or op. With --profile, a file that
"graphc run --profile" or a compiled program wrote, it shows where a run spends
its time.

The page goes into a file named after the model in the current folder, or into
the file of -o; -o - prints it. A file that is not such a page is not overwritten.
If the model does not compile, the page shows the graph as far as the passes went,
and the command fails.`,
		Args: minArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return view.Page(c.Context(), a, args, f, out) },
	}
	f.Register(c.Flags())
	c.Flags().StringVarP(&out, "output", "o", "", "file of the page; - prints it (the model's name with .html when not given)")
	c.Flags().Lookup("profile").Usage = "file of what nodes cost, as graphc run --profile writes it: colours nodes by their share of the time"
	return c
}
