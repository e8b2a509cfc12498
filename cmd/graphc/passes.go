package main

import (
	"github.com/spf13/cobra"

	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/internal/tool/flags"
	"github.com/graphc/graphc/internal/tool/lists"
)

func newPasses(a *base.App) *cobra.Command {
	var asJSON, orders bool
	c := &cobra.Command{
		Use:   "passes [flags] [PASS…]",
		Short: "List the passes in the order they run",
		Long: `passes lists the passes, or the named ones, in the order they run: their number,
name, phase, properties and purpose.

  required  runs with --noopt, too; all others are optional, and --without excludes
            them
  bits      may change the last bits of floating-point results
  whole     optimizes a graph for several devices before it is partitioned; other
            passes of its phase run on the partitions

The phases are TensorFlow's. "optimise" repeats until nothing changes, at most ten
times; the other phases run once. --orders lists the constraints on the order, with
reasons.`,
		RunE: func(_ *cobra.Command, args []string) error { return lists.Passes(a, args, asJSON, orders) },
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return flags.PassNames(), cobra.ShellCompDirectiveNoFileComp
		},
	}
	c.Flags().BoolVar(&orders, "orders", false, "list the constraints on the order")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON: passes and constraints")
	return c
}
