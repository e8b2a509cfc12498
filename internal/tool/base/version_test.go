package base

import (
	"runtime/debug"
	"strings"
	"testing"
)

// TestBuildOf checks the version for each way in which the command can be built.
func TestBuildOf(t *testing.T) {
	for name, c := range map[string]struct {
		main, dep *debug.Module
		version   string
		dir       string
	}{
		"release":         {main: &debug.Module{Path: ModulePath, Version: "v0.1.0"}, version: "v0.1.0"},
		"commit":          {main: &debug.Module{Path: ModulePath, Version: "v0.1.1-0.20260102030405-abcdef123456"}, version: "v0.1.1-0.20260102030405-abcdef123456"},
		"clone":           {main: &debug.Module{Path: ModulePath, Version: "v0.0.0-20260102030405-abcdef123456+dirty"}, version: "v0.0.0-20260102030405-abcdef123456+dirty"},
		"not stamped":     {main: &debug.Module{Path: ModulePath, Version: "(devel)"}, version: "devel"},
		"replaced":        {main: &debug.Module{Path: ModulePath, Version: "v0.0.0-00010101000000-000000000000", Replace: &debug.Module{Path: "../graphc"}}, version: "devel", dir: "../graphc"},
		"replaced, 2":     {main: &debug.Module{Path: ModulePath, Version: "v0.1.0", Replace: &debug.Module{Path: "../graphc", Version: "(devel)"}}, version: "devel", dir: "../graphc"},
		"fork":            {main: &debug.Module{Path: ModulePath, Version: "v0.1.0", Replace: &debug.Module{Path: "example.com/fork", Version: "v0.2.0"}}, version: "v0.2.0"},
		"library":         {main: &debug.Module{Path: "example.com/shop", Version: "v1.2.3"}, dep: &debug.Module{Path: ModulePath, Version: "v0.1.0"}, version: "v0.1.0"},
		"no build info":   {version: "devel"},
		"another program": {main: &debug.Module{Path: "example.com/shop", Version: "v1.2.3"}, version: "devel"},
	} {
		info := &debug.BuildInfo{}
		if c.main != nil {
			info.Main = *c.main
		}
		if c.dep != nil {
			info.Deps = append(info.Deps, &debug.Module{Path: "example.com/other", Version: "v3.0.0"}, c.dep)
		}
		b := buildOf(info)
		if b.Version != c.version || b.Dir != c.dir {
			t.Errorf("%s: %q %q, want %q %q", name, b.Version, b.Dir, c.version, c.dir)
		}
		if text := b.text(); !strings.HasPrefix(text, "graphc "+c.version+" (") || c.dir != "" && !strings.Contains(text, "from "+c.dir+", ") {
			t.Errorf("%s: %q", name, text)
		}
	}
}
