package arch

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/graphc/graphc/internal/testkit"
)

// commandImports maps the packages of this module that the command may import, besides those in
// internal/tool, to the reasons.
var commandImports = map[string]string{
	module:                      "the compiler as a library",
	module + "/internal/config": "the name of graphc.yaml, its schema and its default place",
}

// TestCommandIsThin: the command has only flags and help; packages below internal/tool implement
// its sub-commands. Only tests and the command import these, so that the compiler and its checks do
// not depend on the command line.
func TestCommandIsThin(t *testing.T) {
	const command, tool = module + "/cmd/graphc", module + "/internal/tool/"
	tools := 0
	for path, p := range list(t) {
		for _, imp := range p.Imports {
			isTool := strings.HasPrefix(imp, tool)
			switch {
			case path == command && isTool:
				tools++
			case path == command && strings.HasPrefix(imp, module) && commandImports[imp] == "":
				t.Errorf("%s imports %s: what needs it belongs into a package below internal/tool", path, imp)
			case path != command && isTool && !strings.HasPrefix(path, tool):
				t.Errorf("%s imports %s, which is for the command only", path, imp)
			}
		}
	}
	if tools < 5 {
		t.Errorf("the command imports %d packages below internal/tool", tools)
	}
}

// sharedTools are the packages below internal/tool that other packages below internal/tool may
// import. Each of them may import only those before it in this list. (Package tune measures the
// methods of convolutions, and package schedule simulates threads. They are in the list because
// package bench uses them.)
var sharedTools = []string{"base", "flags", "casebuild", "cost", "history", "timing", "tune", "schedule"}

// TestToolsStandAlone checks that the sub-commands are independent of each other. A package below
// internal/tool may import only the packages in sharedTools, and a package in that list only those
// before it.
func TestToolsStandAlone(t *testing.T) {
	const tool = module + "/internal/tool/"
	seen := 0
	for path, p := range list(t) {
		name, in := strings.CutPrefix(path, tool)
		if !in {
			continue
		}
		at := slices.Index(sharedTools, name)
		if at < 0 {
			at = len(sharedTools)
		} else {
			seen++
		}
		for _, imp := range p.Imports {
			other, is := strings.CutPrefix(imp, tool)
			if before := slices.Index(sharedTools, other); is && (before < 0 || before >= at) {
				t.Errorf("%s imports %s: shared are %v, in this order", path, imp, sharedTools)
			}
		}
	}
	if seen != len(sharedTools) {
		t.Errorf("%d of %d shared packages are there", seen, len(sharedTools))
	}
}

// library lists files of commands that use the compiler only through the root package. Of the
// top-level folders that are keys of mayImport, these files may import only rt.
var library = []string{"build/build.go", "build/cubin.go", "inspect/inspect.go", "run/run.go"}

// TestCommandUsesTheLibrary: the root package is sufficient to implement build, run and inspect.
func TestCommandUsesTheLibrary(t *testing.T) {
	for _, name := range library {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(testkit.Root(t), "internal", "tool", filepath.FromSlash(name)), nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		root := false
		for _, s := range f.Imports {
			path := strings.Trim(s.Path.Value, `"`)
			root = root || path == module
			_, ruled := mayImport[room(path)]
			if ruled && room(path) != "rt" || path == module+"/internal/pipeline" {
				t.Errorf("internal/tool/%s imports %s: the root package has what it needs, or is to have it", name, path)
			}
		}
		if !root {
			t.Errorf("internal/tool/%s does not import the root package", name)
		}
	}
}
