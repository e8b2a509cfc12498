package main

import (
	"github.com/spf13/cobra"

	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/internal/tool/dump"
	"github.com/graphc/graphc/internal/tool/flags"
)

func newExplain(a *base.App) *cobra.Command {
	var f flags.Model
	var asJSON bool
	c := &cobra.Command{
		Use:   "explain [flags] MODEL [NODE…]",
		Short: "Explain what became of nodes",
		Long: `explain shows what became of nodes of the model, or of nodes that passes created:
where each was placed and why; which pass changed it, folded it into a constant,
merged it with another, made it part of a kernel call, moved it out of a loop, or
dropped it, and why; why passes that almost applied did not; and which steps of the
plan compute it, with operations and bytes if sizes are known. A node may also be
given by a tensor's name: name:0.

Without NODE it lists all nodes of the graph, one a line:

  kept, changed     in the final graph under its name
  hoisted           moved out of a loop
  folded, frozen    a constant
  merged            another node computes the same
  fused             part of another node, which one kernel computes
  replaced, removed another node, or its input, replaces it
  inlined           a call, replaced by the nodes of the function
  pruned, dropped   not needed: from the start, or after rewrites`,
		Args: minArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return dump.Explain(a, args[0], args[1:], f, asJSON) },
	}
	f.Register(c.Flags())
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}
