package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// modulePath is the module that holds this command and the run time.
const modulePath = "github.com/graphc/graphc"

// toolVersion is the module's version, "(devel)" for a build from sources.
func toolVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(devel)"
	}
	if info.Main.Path == modulePath && info.Main.Version != "" {
		return info.Main.Version
	}
	for _, d := range info.Deps {
		if d.Path == modulePath {
			return d.Version
		}
	}
	return "(devel)"
}

// versionText is a line for people: graphc v0.1.0 go1.26 linux/amd64.
func versionText() string {
	return fmt.Sprintf("graphc %s %s %s/%s\n", toolVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func newVersion(a *app) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "version",
		Short: "Print graphc's version",
		Args:  exactArgs(0),
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return a.writeJSON(map[string]string{"version": toolVersion(), "go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH})
			}
			_, err := io.WriteString(a.out, versionText())
			return err
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}
