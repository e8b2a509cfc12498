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
		Long: `passes lists the passes, or those named, in the order they run: their number,
name and phase, what they are like, and what they are for.

  required  runs with --noopt too; all others are optional, and --without leaves
            them out
  bits      may change the last bits of floating-point answers
  whole     optimises a graph whose nodes stand on several devices before it is
            partitioned; the others of its phase run on the partitions

The phases are TensorFlow's. "optimise" is repeated until nothing changes, ten
rounds at most; all others run once. --orders lists the constraints that the
order keeps, with reasons.`,
		RunE: func(_ *cobra.Command, args []string) error { return lists.Passes(a, args, asJSON, orders) },
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return flags.PassNames(), cobra.ShellCompDirectiveNoFileComp
		},
	}
	c.Flags().BoolVar(&orders, "orders", false, "list the constraints on the order")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON: passes and constraints")
	return c
}
