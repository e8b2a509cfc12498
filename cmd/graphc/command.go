package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/graphc/graphc/internal/config"
	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/internal/tool/build"
)

func newRoot(a *base.App) *cobra.Command {
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
				return build.All(c.Context(), a, config.FileName)
			}
			return c.Help()
		},
	}
	root.Version = base.ToolVersion()
	root.SetVersionTemplate(base.VersionText())
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return base.Usagef("%w%s\nrun '%s --help' for its flags", err, flagHint(c, err), c.CommandPath())
	})
	root.SetHelpCommand(newHelp())
	root.AddCommand(newBuild(a), newGenerate(a), newCheck(a), newRun(a), newRepl(a), newInspect(a), newDump(a), newView(a), newExplain(a), newOps(a), newPasses(a), newDevices(a),
		newVerify(a), newBench(a), newDiff(a), newVersion(a), newInit(a), newWorker(a))
	addTopics(root)
	return root
}

// newHelp returns a help command like cobra's, but an unknown page is a usage error.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND or TOPIC]",
		Short: "Help about any command or topic",
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			var names []string
			if len(args) == 0 {
				for _, sub := range c.Root().Commands() {
					if !sub.Hidden {
						names = append(names, sub.Name()+"\t"+sub.Short)
					}
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			page, rest, err := c.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return noSuchCommand(c.Root(), args)
			}
			page.InitDefaultHelpFlag()
			return page.Help()
		},
	}
}

// flagHint suggests the flag that is most similar to an unknown one.
func flagHint(c *cobra.Command, err error) string {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return ""
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	return base.NearestFlag(unknown.GetSpecifiedName(), names)
}

// completeWith sets the words that complete a flag's value.
func completeWith(c *cobra.Command, flag string, words ...string) {
	err := c.RegisterFlagCompletionFunc(flag, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return words, cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil {
		panic(err) // the command lacks the flag, or the flag's words are already set
	}
}

// arguments returns the number n, followed by the word "argument" or "arguments".
func arguments(n int) string {
	if n == 1 {
		return "1 argument"
	}
	return fmt.Sprintf("%d arguments", n)
}

// noSuchCommand returns an error if the root command has arguments. In this case, the first
// argument is not the name of a sub-command.
func noSuchCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	msg := fmt.Sprintf("unknown command %q", args[0])
	if s := c.SuggestionsFor(args[0]); len(s) > 0 {
		msg += fmt.Sprintf("; did you mean %q?", strings.Join(s, `" or "`))
	}
	return base.Usagef("%s\nrun 'graphc --help' for all commands", msg)
}

// exactArgs and minArgs are like cobra's ExactArgs and MinimumNArgs, but return usage errors.
func exactArgs(n int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != n {
			return base.Usagef("%s given, usage: %s", arguments(len(args)), c.UseLine())
		}
		return nil
	}
}

func minArgs(n int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < n {
			return base.Usagef("%s given, usage: %s", arguments(len(args)), c.UseLine())
		}
		return nil
	}
}
