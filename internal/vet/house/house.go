// Package house has what this repository's analyzers share: names of declarations, and lists of exceptions with
// their reasons.
package house

import (
	"go/ast"
	"maps"
	"slices"
	"strings"
	"sync"
)

const module = "github.com/graphc/graphc/"

// Package is the path of a package below the module.
func Package(path string) string { return strings.TrimPrefix(path, module) }

// Test reports whether a file is one of tests, or made by a generator of protocol buffers.
func Test(file string) bool {
	return strings.HasSuffix(file, "_test.go") || strings.HasSuffix(file, ".pb.go")
}

// Declared is the name of the declaration that the node on top of a stack is in, with the type of a method.
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

// List has declarations, as "package.name" or "package.Type.method", that a rule excepts, with the reasons.
type List map[string]string

var (
	mu    sync.Mutex
	asked = map[string]bool{}
)

// Reason is why the rule excepts a declaration, "" where it does not.
func (l List) Reason(pkg, name string) string {
	key := pkg + "." + name
	if l[key] != "" {
		mu.Lock()
		asked[key] = true
		mu.Unlock()
	}
	return l[key]
}

// Unused returns the declarations of lists that no analyzer has asked for in this process, sorted.
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
