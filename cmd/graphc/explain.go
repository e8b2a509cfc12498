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
		Short: "Say what became of nodes, and why",
		Long: `explain says for nodes of the graph as it was read, or that passes made, what
became of them: where each was placed and why, which pass changed it, folded it
into a constant, merged it with another, made it part of one kernel call, moved it
out of a loop, or dropped it, and why; why passes that came close to it left it;
and which steps of the plan compute it, with the operations and bytes of each as
far as sizes are known. A node may be named as a tensor is: name:0.

Without nodes it lists all nodes of the graph in a line each:

  kept, changed     there at the end, under its name
  hoisted           moved out of a loop
  folded, frozen    a constant
  merged            another node computes the same
  fused             part of another node, which one kernel computes
  replaced, removed another node, or the one it read, stands for it
  inlined           a call, whose function's nodes stand for it
  pruned, dropped   not needed: from the start, or after what passes did`,
		Args: minArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return dump.Explain(a, args[0], args[1:], f, asJSON) },
	}
	f.Register(c.Flags())
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}
