package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/graphc/graphc/internal/config"
)

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "graphc",
		Short: "Compile TensorFlow graphs to Go",
		Long: `graphc compiles TensorFlow graphs (GraphDef, SavedModel, TensorFlow.js graph
models) to Go packages and static executables that need neither TensorFlow nor cgo.`,
		SilenceErrors:              true,
		SilenceUsage:               true,
		SuggestionsMinimumDistance: 2,
		Args:                       noSuchCommand,
		RunE: func(c *cobra.Command, _ []string) error {
			if _, err := os.Stat(config.FileName); err == nil {
				return a.generateAll(c.Context(), config.FileName)
			}
			return c.Help()
		},
	}
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usagef("%w\nrun '%s --help' for its flags", err, c.CommandPath())
	})
	root.AddCommand(newBuild(a), newGenerate(a), newCheck(a), newRun(a), newInspect(a), newDump(a), newOps(a), newPasses(a),
		newVerify(a), newBench(a), newDiff(a), newVersion(a), newInit(a), newWorker(a))
	addTopics(root)
	return root
}

// noSuchCommand refuses the arguments of the root command, which are
// sub-commands that do not exist.
func noSuchCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	msg := fmt.Sprintf("unknown command %q", args[0])
	if s := c.SuggestionsFor(args[0]); len(s) > 0 {
		msg += fmt.Sprintf("; did you mean %q?", strings.Join(s, `" or "`))
	}
	return usagef("%s\nrun 'graphc --help' for all commands", msg)
}

// exactArgs and minArgs are cobra's checks as errors of usage.
func exactArgs(n int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != n {
			return usagef("%d arguments given, usage: %s", len(args), c.UseLine())
		}
		return nil
	}
}

func minArgs(n int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < n {
			return usagef("%d arguments given, usage: %s", len(args), c.UseLine())
		}
		return nil
	}
}
