package prune

import (
	"go/build/constraint"
	"path"
	"slices"
	"strings"
)

// needsTag reports whether a build constraint requires a tag, possibly with other conditions.
func needsTag(line, tag string) bool {
	expr, err := constraint.Parse(line)
	return err == nil && asks(expr, tag)
}

func asks(e constraint.Expr, tag string) bool {
	switch e := e.(type) {
	case *constraint.AndExpr:
		return asks(e.X, tag) || asks(e.Y, tag)
	case *constraint.TagExpr:
		return e.Tag == tag
	}
	return false
}

// Processors are the processors for which the module has assembly, as GOARCH.
var Processors = []string{"amd64", "arm64"}

// without returns the build constraint of a file in a copy that omits the files for the processors
// in the parameter left. The constraint is "" if the file needs none. In such a copy, these
// processors use the files that are meant for processors without assembly. The result ok is false
// for a file that no build of the copy uses.
func (s *source) without(left []string) (line string, ok bool) {
	base := strings.TrimSuffix(s.name, path.Ext(s.name))
	for _, a := range left {
		if strings.HasSuffix(base, "_"+a) {
			return "", false
		}
	}
	if s.build == "" {
		return "", true
	}
	expr, err := constraint.Parse(s.build)
	if err != nil {
		return s.build, true
	}
	expr, value := simplify(expr, left)
	switch {
	case expr != nil:
		return "//go:build " + expr.String(), true
	case value:
		return "", true
	}
	return "", false
}

// simplify simplifies the expression e. The tags in the second parameter have the value false. If
// the result is a constant, simplify returns nil and this constant. Otherwise it returns an
// expression, and false.
func simplify(e constraint.Expr, off []string) (constraint.Expr, bool) {
	switch e := e.(type) {
	case *constraint.TagExpr:
		if slices.Contains(off, e.Tag) {
			return nil, false
		}
	case *constraint.NotExpr:
		x, value := simplify(e.X, off)
		if x == nil {
			return nil, !value
		}
		return &constraint.NotExpr{X: x}, false
	case *constraint.AndExpr:
		return join(e.X, e.Y, off, false, func(x, y constraint.Expr) constraint.Expr { return &constraint.AndExpr{X: x, Y: y} })
	case *constraint.OrExpr:
		return join(e.X, e.Y, off, true, func(x, y constraint.Expr) constraint.Expr { return &constraint.OrExpr{X: x, Y: y} })
	}
	return e, false
}

// join simplifies an operator with the operands x and y. The parameter decides is the value of an
// operand that alone determines the operator's result: false for && and true for ||. If neither
// operand becomes a constant, the callback makes the expression from the simplified operands.
func join(x, y constraint.Expr, off []string, decides bool, both func(x, y constraint.Expr) constraint.Expr) (constraint.Expr, bool) {
	a, u := simplify(x, off)
	b, v := simplify(y, off)
	switch {
	case a != nil && b != nil:
		return both(a, b), false
	case a == nil && u == decides || b == nil && v == decides:
		return nil, decides
	case a != nil:
		return a, false
	case b != nil:
		return b, false
	}
	return nil, !decides
}
