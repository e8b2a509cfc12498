package fuzzgraph

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// checkFiles checks that names and texts in a graph did not inject anything into the emitted files:
// paths outside of the package's folder, Go code, compiler directives or bidirectional text. It
// returns a description of the problem, or "".
func checkFiles(files map[string][]byte) string {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if strings.Contains(name, "..") || filepath.IsAbs(name) || strings.ContainsAny(name, "\n\x00\\") {
			return "the name of a file is " + name
		}
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, files[name], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return name + " does not parse: " + err.Error()
		}
		if bad := checkFile(f); bad != "" {
			return name + ": " + bad
		}
	}
	return ""
}

func checkFile(f *ast.File) (bad string) {
	ast.Inspect(f, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			if id, ok := c.Fun.(*ast.Ident); ok && strings.HasPrefix(id.Name, "pwned") {
				bad = "it calls " + id.Name
			}
		}
		return true
	})
	for _, im := range f.Imports {
		switch p := strings.Trim(im.Path.Value, `"`); p {
		case "os/exec", "net", "net/http", "syscall", "C", "plugin":
			bad = "it imports " + p
		}
	}
	for _, g := range f.Comments {
		for _, c := range g.List {
			switch t := c.Text; {
			case strings.HasPrefix(t, "//go:") && !strings.HasPrefix(t, "//go:embed ") && !strings.HasPrefix(t, "//go:build "),
				strings.HasPrefix(t, "//line"), strings.HasPrefix(t, "/*line"), strings.HasPrefix(t, "//export"):
				bad = "a directive: " + t
			case strings.ContainsAny(t, "\u202e\u2066\u2028"):
				bad = "a comment that runs backwards"
			}
		}
	}
	return bad
}
