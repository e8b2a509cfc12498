package main

import (
	"github.com/spf13/cobra"

	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/internal/tool/flags"
	"github.com/graphc/graphc/internal/tool/repl"
)

func newRepl(a *base.App) *cobra.Command {
	var f flags.Model
	var r repl.Flags
	c := &cobra.Command{
		Use:   "repl [flags] MODEL…",
		Short: "Run parts of a model interactively",
		Long: `repl opens a session with a model. Name a tensor, an output or a signature to
compute and print it, and write NAME = VALUE to feed an input or any tensor of the
graph. Each set of feeds and fetches is compiled when it is first run. Variables keep
their values from run to run.

  >>> x = [[1, 2], [3, 4]]
  >>> y = @points.npy
  >>> loss
  >>> summary dense/kernel

The command help lists all that can be written. Ctrl-C ends a computation, Ctrl-D the
session.

If the input is not a terminal, repl reads lines without a prompt and stops at the
first error; --keep-going goes on. -c 'COMMAND; COMMAND' executes commands and ends.`,
		Args: minArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return repl.Model(c.Context(), a, args, f, r)
		},
	}
	fl := c.Flags()
	f.RegisterSession(fl)
	fl.StringVarP(&r.Commands, "command", "c", "", "execute these commands, divided by ;, and end")
	fl.StringVar(&r.Files, "files", "", "let the model's ops read and write files below this directory; it has --allow-files with it")
	fl.BoolVar(&r.NoInit, "no-init", false, "leave out the model's initialization")
	fl.BoolVar(&r.NoHistory, "no-history", false, "neither read nor write the history of lines")
	fl.BoolVar(&r.KeepGoing, "keep-going", false, "go on after an error if the input is not a terminal")
	return c
}
