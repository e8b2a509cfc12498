package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/internal/tool/lists"
)

func newVersion(a *base.App) *cobra.Command {
	var asJSON, licences bool
	c := &cobra.Command{
		Use:   "version",
		Short: "Print graphc's version, or its licences",
		Long: `version prints which graphc this is: a release such as v0.1.0, or a version that ends
in a commit. "devel" is a build from local files whose commit is unknown. The version
of emitted code follows: docs/versions.md says what it means.`,
		Args: exactArgs(0),
		RunE: func(*cobra.Command, []string) error {
			switch {
			case licences && asJSON:
				return base.Usagef("--licenses prints text: leave --json out")
			case licences:
				return lists.Licences(a)
			case asJSON:
				return a.WriteJSON(base.ThisBuild())
			}
			_, err := io.WriteString(a.Out, base.VersionText())
			return err
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().BoolVar(&licences, "licenses", false, "print the licence of graphc, its notices, and the licences of the linked modules")
	return c
}
