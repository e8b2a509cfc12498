package main

import (
	"github.com/spf13/cobra"

	"github.com/graphc/graphc/internal/config"
	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/internal/tool/build"
)

func newGenerate(a *base.App) *cobra.Command {
	var file string
	c := &cobra.Command{
		Use:   "generate",
		Short: "Build the packages that graphc.yaml lists",
		Long: `generate builds the packages that graphc.yaml in the current folder lists. graphc
without arguments does the same in such a folder, so that

	//go:generate go tool graphc

needs no flags. All models are compiled before anything is written.`,
		Args: exactArgs(0),
		RunE: func(c *cobra.Command, _ []string) error { return build.All(c.Context(), a, file) },
	}
	c.Flags().StringVarP(&file, "file", "f", config.FileName, "the configuration")
	return c
}

func newCheck(a *base.App) *cobra.Command {
	var file string
	var strict bool
	c := &cobra.Command{
		Use:   "check",
		Short: "Report generated files that are stale",
		Long: `check compiles the models that graphc.yaml lists and prints the files that "graphc
generate" would write or remove. The exit status is 4 if there are any. The version
in the first line is ignored unless --strict is given.`,
		Args: exactArgs(0),
		RunE: func(c *cobra.Command, _ []string) error { return build.Check(c.Context(), a, file, strict) },
	}
	c.Flags().StringVarP(&file, "file", "f", config.FileName, "the configuration")
	c.Flags().BoolVar(&strict, "strict", false, "compare graphc's version, too")
	return c
}
