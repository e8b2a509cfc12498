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
		Long: `diff runs a case's optimised graph through graphc's own executor and compares
its fetches with the recorded ones. When they differ, every intermediate
floating-point tensor is compared in the order of the graph: with those of an
npz file keyed by tensor name (--intermediates), or with what the graph gives
without the optional passes. The first node that differs is named. Exit status
5 when anything differs.

--bisect looks for the wrong rewrite instead: of the edits that the optional
passes make, in their order, it finds the first after which some run's fetches
differ from the recorded ones, or the graph does not compile or run any more.
--fuel with that number and with one less, given to any command, are the two
programs to compare.`,
		Args: exactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return diff.Run(c.Context(), a, args[0], f, c.Flags().Changed)
		},
	}
	fl := c.Flags()
	fl.StringVar(&f.Intermediates, "intermediates", "", "npz file with TensorFlow's intermediate tensors")
	fl.BoolVar(&f.All, "all", false, "compare every node even if the fetches agree, and list all that differ")
	fl.IntVar(&f.Chunk, "chunk", 100, "tensors fetched at a time: fewer leave the optimised graph closer to what it is")
	fl.IntVar(&f.Run, "run", 0, "which of the case's runs")
	fl.Float64Var(&f.Rtol, "rtol", 0, "relative tolerance (the case's when not given)")
	fl.Float64Var(&f.Atol, "atol", 0, "absolute tolerance (the case's when not given)")
	f.Devices.Register(fl)
	fl.BoolVar(&f.Bisect, "bisect", false, "find the edit of an optional pass at which the fetches turn wrong")
	f.Passes.Register(fl)
	fl.BoolVar(&f.JSON, "json", false, "print JSON")
	return c
}
