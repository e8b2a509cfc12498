package main

import (
	"github.com/spf13/cobra"

	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/internal/tool/lists"
)

func newOps(a *base.App) *cobra.Command {
	var asJSON, markdown, missing bool
	c := &cobra.Command{
		Use:   "ops [flags] [OP…]",
		Short: "List the ops that compile, with their element types",
		RunE:  func(_ *cobra.Command, args []string) error { return lists.Ops(a, args, asJSON, markdown, missing) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().BoolVar(&markdown, "markdown", false, "print the Markdown table of the documentation")
	c.Flags().BoolVar(&missing, "missing", false, "list TensorFlow's ops that do not compile, by groups, with reasons")
	c.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return lists.OpNames(), cobra.ShellCompDirectiveNoFileComp
	}
	return c
}
