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

// without returns the build constraint of a file in a copy that omits the files for some
// processors, or "" for none. The parameter left lists these processors. They use the files for all
// other processors instead, like any processor without assembly. The result ok is false for a file
// that no build of the copy uses.
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

// simplify returns the expression that remains of e if the tags in the list off are false. It
// returns nil and the value if the expression is then constant.
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

// join simplifies two operands of an operator. If one operand is constant and equal to the
// parameter decides, the result is that constant.
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
