// Package house has the shared parts of this repository's analyzers: names of declarations, and
// lists of exceptions with their reasons.
package house

import (
	"go/ast"
	"maps"
	"slices"
	"strings"
	"sync"
)

const module = "github.com/graphc/graphc/"

// Package returns a package's path relative to the module.
func Package(path string) string { return strings.TrimPrefix(path, module) }

// Test reports whether a file is a test or generated from protocol buffers.
func Test(file string) bool {
	return strings.HasSuffix(file, "_test.go") || strings.HasSuffix(file, ".pb.go")
}

// Declared returns the name of the declaration that contains the last node of a stack of AST nodes.
// The name of a method begins with its type.
func Declared(stack []ast.Node) string {
	for _, n := range stack {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Recv == nil || len(n.Recv.List) == 0 {
				return n.Name.Name
			}
			t := n.Recv.List[0].Type
			if s, ok := t.(*ast.StarExpr); ok {
				t = s.X
			}
			if id, ok := t.(*ast.Ident); ok {
				return id.Name + "." + n.Name.Name
			}
			return n.Name.Name
		case *ast.ValueSpec:
			return n.Names[0].Name
		}
	}
	return "?"
}

// List maps each declaration that may break a rule to the reason. A declaration is named
// "package.name" or "package.Type.method".
type List map[string]string

var (
	mu    sync.Mutex
	asked = map[string]bool{}
)

// Reason returns the reason for an exception, or "" if the declaration is not listed.
func (l List) Reason(pkg, name string) string {
	key := pkg + "." + name
	if l[key] != "" {
		mu.Lock()
		asked[key] = true
		mu.Unlock()
	}
	return l[key]
}

// Unused returns the sorted declarations in lists that no analyzer has looked up in this process.
func Unused(lists ...List) []string {
	mu.Lock()
	defer mu.Unlock()
	var names []string
	for _, l := range lists {
		for name := range maps.Keys(l) {
			if !asked[name] {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}
