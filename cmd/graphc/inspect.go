package main

import (
	"github.com/spf13/cobra"

	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/internal/tool/flags"
	"github.com/graphc/graphc/internal/tool/inspect"
)

func newInspect(a *base.App) *cobra.Command {
	var f flags.Model
	var asJSON bool
	c := &cobra.Command{
		Use:   "inspect [flags] MODEL…",
		Short: "Show a model's signatures, ops, parameters and FLOPs",
		Long: `inspect prints a model's signatures with feeds, fetches and shapes, how often
each op occurs, the ops that do not compile with their nodes, the number of
parameters, and the FLOPs of matrix products and convolutions. It also prints the
variables, tables and queues that the signatures share, which of them a signature
reads and may change, the nodes that run before the first call, and the tensors of
the checkpoint that no signature uses. The exit status is 3 if some ops do not
compile.`,
		Args: minArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return inspect.Model(c.Context(), a, args, f, asJSON) },
	}
	f.Register(c.Flags())
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}
