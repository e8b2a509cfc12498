// Package nopanic is an analyzer that finds calls of panic in the compiler. Invalid input, and
// defects of the compiler itself, must give errors that name the node.
package nopanic

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/graphc/graphc/internal/vet/house"
)

// Analyzer finds calls of panic outside of the Allowed declarations.
var Analyzer = &analysis.Analyzer{
	Name:     "nopanic",
	Doc:      "reports calls of panic in the compiler",
	Requires: []*analysis.Analyzer{inspect.Analyzer},
	Run:      run,
}

// Allowed lists declarations that may panic, with the reason.
var Allowed = house.List{
	"frontend/opdef.Lookup":             "the embedded table is damaged, which a test would find",
	"ir.Graph.NewNode":                  "Fresh returned a name that is taken",
	"lower.NewTable":                    "two families describe one op, which every test would find",
	"partition/regions.partBuilder.out": "Divide makes every partition receive the inputs of its nodes",
	"plan.Struct.With":                  "a lowering sets a field to an invalid value",
	"plan/ptx/libdevice.texts":          "the embedded archive is damaged, which a test would find",
}

// rooms lists the top-level folders of the packages that the analyzer checks.
var rooms = []string{"frontend", "ir", "lower", "ops", "passes", "placer", "partition", "plan", "exec", "codegen", "panics"}

func run(p *analysis.Pass) (any, error) {
	pkg := house.Package(p.Pkg.Path())
	room, _, _ := strings.Cut(pkg, "/")
	if !slices.Contains(rooms, room) {
		return nil, nil
	}
	in := p.ResultOf[inspect.Analyzer].(*inspector.Inspector)
	in.WithStack([]ast.Node{(*ast.CallExpr)(nil)}, func(n ast.Node, push bool, stack []ast.Node) bool {
		call := n.(*ast.CallExpr)
		id, ok := call.Fun.(*ast.Ident)
		if !push || !ok || house.Test(p.Fset.Position(n.Pos()).Filename) {
			return true
		}
		if b, ok := p.TypesInfo.Uses[id].(*types.Builtin); !ok || b.Name() != "panic" {
			return true
		}
		if name := house.Declared(stack); Allowed.Reason(pkg, name) == "" {
			p.Reportf(n.Pos(), "%s.%s panics: return an error that names the node, or list it with the reason in internal/vet/nopanic", pkg, name)
		}
		return true
	})
	return nil, nil
}
