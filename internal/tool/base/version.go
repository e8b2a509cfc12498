package base

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// ModulePath is the module that holds this command and the run time.
const ModulePath = "github.com/graphc/graphc"

// ToolVersion is the module's version, "(devel)" for a build from sources.
func ToolVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(devel)"
	}
	if info.Main.Path == ModulePath && info.Main.Version != "" {
		return info.Main.Version
	}
	for _, d := range info.Deps {
		if d.Path == ModulePath {
			return d.Version
		}
	}
	return "(devel)"
}

// VersionText is a line for people: graphc v0.1.0 go1.26 linux/amd64.
func VersionText() string {
	return fmt.Sprintf("graphc %s %s %s/%s\n", ToolVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
