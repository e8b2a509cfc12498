package main

import (
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/graphc/graphc/internal/tool/base"
)

func newVersion(a *base.App) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "version",
		Short: "Print graphc's version",
		Args:  exactArgs(0),
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return a.WriteJSON(map[string]string{"version": base.ToolVersion(), "go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH})
			}
			_, err := io.WriteString(a.Out, base.VersionText())
			return err
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}
