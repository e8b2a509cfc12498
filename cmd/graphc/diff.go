package main

import (
	"github.com/spf13/cobra"

	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/internal/tool/diff"
)

func newDiff(a *base.App) *cobra.Command {
	var f diff.Flags
	c := &cobra.Command{
		Use:   "diff [flags] CASE",
		Short: "Find the first node whose value differs",
		Long: `diff interprets a case's optimized graph and compares its fetches with the recorded
ones. If they differ, it compares every intermediate floating-point tensor in the
order of the graph: with those of an npz file keyed by tensor name
(--intermediates), or with the results without the optional passes. It prints the
first node that differs. The exit status is 5 if anything differs.

--bisect searches for the wrong rewrite instead: the first edit of the optional
passes after which some run's fetches differ from the recorded ones, or the graph
does not compile or run any more. To compare the programs with and without that
edit, give its number, or one less, to --fuel of any command.`,
		Args: exactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return diff.Run(c.Context(), a, args[0], f, c.Flags().Changed)
		},
	}
	fl := c.Flags()
	fl.StringVar(&f.Intermediates, "intermediates", "", "npz file with TensorFlow's intermediate tensors")
	fl.BoolVar(&f.All, "all", false, "compare every node even if the fetches agree, and list all differing ones")
	fl.IntVar(&f.Chunk, "chunk", 100, "tensors fetched at a time: fewer change the optimized graph less")
	fl.IntVar(&f.Run, "run", 0, "index of the case's run")
	fl.Float64Var(&f.Rtol, "rtol", 0, "relative tolerance (default: the case's)")
	fl.Float64Var(&f.Atol, "atol", 0, "absolute tolerance (default: the case's)")
	f.Devices.Register(fl)
	fl.BoolVar(&f.Bisect, "bisect", false, "find the edit of an optional pass that makes the fetches wrong")
	f.Passes.Register(fl)
	fl.BoolVar(&f.JSON, "json", false, "print JSON")
	return c
}
