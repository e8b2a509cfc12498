// Package opnames is an analyzer that finds lists of ops: maps, slices, switches, calls and texts
// with the names of three ops or more. Facts about an op belong in its lower.Def: anyone who adds
// an op writes its Def, but may overlook a list elsewhere.
package opnames

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/graphc/graphc/frontend/opdef"
	"github.com/graphc/graphc/internal/vet/house"
)

// least is the smallest number of names that counts as a list.
const least = 3

// Analyzer finds lists of ops outside of the Allowed declarations.
var Analyzer = &analysis.Analyzer{
	Name:     "opnames",
	Doc:      "reports maps, slices, switches, calls and texts that list the names of three ops or more",
	Requires: []*analysis.Analyzer{inspect.Analyzer},
	Run:      run,
}

func run(p *analysis.Pass) (any, error) {
	in := p.ResultOf[inspect.Analyzer].(*inspector.Inspector)
	nodes := []ast.Node{(*ast.CompositeLit)(nil), (*ast.SwitchStmt)(nil), (*ast.CallExpr)(nil), (*ast.BinaryExpr)(nil), (*ast.BasicLit)(nil)}
	in.WithStack(nodes, func(n ast.Node, push bool, stack []ast.Node) bool {
		if !push || house.Test(p.Fset.Position(n.Pos()).Filename) {
			return true
		}
		if _, ok := n.(*ast.BinaryExpr); ok && inCondition(stack) {
			return true // the larger condition that contains it is counted as a whole
		}
		what, names := "text", words(p.TypesInfo, n)
		if names == nil {
			var es []ast.Expr
			what, es = listed(n)
			for _, e := range es {
				names = append(names, text(p.TypesInfo, e))
			}
		}
		count := 0
		for _, name := range names {
			if isOp(name) {
				count++
			}
		}
		if count < least {
			return true
		}
		name := house.Declared(stack)
		if reason(p.Pkg.Path(), name) != "" {
			return true
		}
		p.Reportf(n.Pos(), "%s: a %s of %d ops: facts about ops belong to their lower.Def; what builds or matches a pattern of ops is listed, with the reason, in internal/vet/opnames/allowed.go", name, what, count)
		return true
	})
	return nil, nil
}

// listed returns the expressions of a list, and a description of it.
func listed(n ast.Node) (string, []ast.Expr) {
	var es []ast.Expr
	switch n := n.(type) {
	case *ast.CompositeLit:
		for _, e := range n.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				e = kv.Key
			}
			es = append(es, e)
		}
		return "literal", es
	case *ast.CallExpr:
		return "call", n.Args
	case *ast.BinaryExpr:
		return "condition", alternatives(n)
	case *ast.SwitchStmt:
		for _, c := range n.Body.List {
			for _, e := range c.(*ast.CaseClause).List {
				es = append(es, alternatives(e)...)
			}
		}
		return "switch", es
	}
	return "", nil
}

// inCondition reports whether the last node of a stack of AST nodes is an operand of another
// condition, or a case of a switch.
func inCondition(stack []ast.Node) bool {
	for i := len(stack) - 2; i >= 0; i-- {
		switch stack[i].(type) {
		case *ast.ParenExpr:
		case *ast.BinaryExpr, *ast.CaseClause:
			return true
		default:
			return false
		}
	}
	return false
}

// alternatives returns the operands of == and != in a condition.
func alternatives(e ast.Expr) []ast.Expr {
	b, ok := ast.Unparen(e).(*ast.BinaryExpr)
	if !ok {
		return []ast.Expr{e}
	}
	switch b.Op {
	case token.LOR, token.LAND:
		return append(alternatives(b.X), alternatives(b.Y)...)
	case token.EQL, token.NEQ:
		return []ast.Expr{b.X, b.Y}
	}
	return nil
}

// words returns the words of a string literal if all are names of ops, otherwise nil.
func words(info *types.Info, n ast.Node) []string {
	lit, ok := n.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return nil
	}
	names := strings.Fields(text(info, lit))
	if slices.ContainsFunc(names, func(s string) bool { return !isOp(s) }) {
		return nil
	}
	return names
}

// text returns the value of a constant string expression, or "".
func text(info *types.Info, e ast.Expr) string {
	v := info.Types[e].Value
	if v == nil || v.Kind() != constant.String {
		return ""
	}
	return constant.StringVal(v)
}

// isOp reports whether s is the name of an op.
func isOp(s string) bool {
	return opdef.Lookup(s) != nil || strings.HasPrefix(s, "_") && len(s) > 2 && s[1] >= 'A' && s[1] <= 'Z'
}
