package main

import (
	"github.com/spf13/cobra"

	"github.com/graphc/graphc/internal/config"
	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/internal/tool/build"
)

func newInit(a *base.App) *cobra.Command {
	var schema, force bool
	c := &cobra.Command{
		Use:   "init [flags] [MODEL]",
		Short: "Write a graphc.yaml with comments",
		Long: `init reads a model and writes a graphc.yaml with its signatures, with names to change,
and with shapes in which all feeds whose first size is unknown share the size
"batch". For a MODEL that does not exist (default: model.pb), it writes a file to
fill in.`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return base.Usagef("%s given, usage: %s", arguments(len(args)), c.UseLine())
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if schema {
				data, err := config.Schema()
				if err != nil {
					return err
				}
				_, err = a.Out.Write(data)
				return err
			}
			model := "model.pb"
			if len(args) > 0 {
				model = args[0]
			}
			return build.Init(c.Context(), a, model, force)
		},
	}
	c.Flags().BoolVar(&schema, "schema", false, "print the JSON schema of graphc.yaml instead")
	c.Flags().BoolVar(&force, "force", false, "overwrite an existing graphc.yaml")
	return c
}
