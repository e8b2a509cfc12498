package base

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/graphc/graphc/rt"
)

// ModulePath is the module of this command and the run time.
const ModulePath = "github.com/graphc/graphc"

// devel is the version of a build from local files whose commit is unknown.
const devel = "devel"

// Build describes the version of graphc that a program was built from.
type Build struct {
	// Version is a release such as v0.1.0, or a pseudo-version, which ends in a commit. The suffix
	// +dirty means that files were changed after this commit. For local files whose commit is
	// unknown, Version is "devel".
	Version string `json:"version"`
	// Dir is set if a replace directive in go.mod replaces graphc's module by a folder. It is the
	// path of this folder in the directive.
	Dir string `json:"dir,omitempty"`
	// Code is the version of emitted code: see rt.EnforceVersion.
	Code     int    `json:"code"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// ThisBuild returns the Build of the running program.
func ThisBuild() Build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	b := buildOf(info)
	b.Code, b.Go, b.Platform = rt.MaxVersion, runtime.Version(), runtime.GOOS+"/"+runtime.GOARCH
	return b
}

// buildOf returns the version and folder of this module in a program.
func buildOf(info *debug.BuildInfo) Build {
	m := &info.Main
	if m.Path != ModulePath {
		m = &debug.Module{}
		for _, d := range info.Deps {
			if d.Path == ModulePath {
				m = d
			}
		}
	}
	b := Build{Version: m.Version}
	if r := m.Replace; r != nil {
		b.Version = r.Version // a replacement has a version if it is another module, such as a fork, and no version if it is a folder
		if r.Version == "" || r.Version == "(devel)" {
			b.Dir = r.Path
		}
	}
	if b.Version == "" || b.Version == "(devel)" || b.Dir != "" {
		b.Version = devel
	}
	return b
}

// ToolVersion returns the version of the running program, "devel" if it is unknown.
func ToolVersion() string { return ThisBuild().Version }

// HeaderVersion returns the version for the first lines of generated files, or "" if the version is
// unknown.
func HeaderVersion() string {
	if v := ToolVersion(); v != devel {
		return v
	}
	return ""
}

// VersionText returns the version as a readable line such as "graphc v0.1.0 (emitted code 7,
// go1.26.8, linux/amd64)".
func VersionText() string { return ThisBuild().text() }

func (b Build) text() string {
	from := ""
	if b.Dir != "" {
		from = "from " + b.Dir + ", "
	}
	return fmt.Sprintf("graphc %s (%semitted code %d, %s, %s)\n", b.Version, from, b.Code, b.Go, b.Platform)
}
