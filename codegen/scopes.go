package codegen

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/graphc/graphc/plan/names"
)

// Node names omit scopes: see package names. The head of each file with such names says so. A table
// holds the complete scopes for hooks.

// short returns the short name of a node, a tensor or a buffer.
func (s *signature) short(name string) string { return s.plan.Names.Short(name) }

// node returns a short name as comments show it. For a range of nodes, it returns the names of the
// first and the last.
func (s *signature) node(name string) string {
	first, last, several := strings.Cut(s.short(name), names.Range)
	if !several {
		return quote(first)
	}
	return strings.TrimSuffix(quote(first), `"`) + names.Range + strings.TrimPrefix(quote(last), `"`)
}

// scopes returns the name of the table of omitted scopes, which all variants and parts share.
func (s *signature) scopes() string { return s.entry.prefix + "Scopes" }

// legend adds a note on omitted scopes to the head of a file.
func (s *signature) legend(f *jen.File) {
	n := s.plan.Names
	if scope := n.Scope(); scope != "" {
		f.HeaderComment(fmt.Sprintf("// Node names omit the scope %s, which nearly all nodes share. A name with a leading slash is complete.", quote(scope)))
	}
	if n.Inner() {
		f.HeaderComment(fmt.Sprintf("// A … within a name stands for omitted scopes: see %s.", s.scopes()))
	}
}

// described reports whether the signature has a table of steps, which includes checks of sizes.
func (s *signature) described() bool { return len(s.plan.Steps)+len(s.plan.Prologue) > 0 }

// firstDescribed returns the first variant, or the first part of a variant, that has a table of
// steps. The table of scopes is in the same file.
func (n *entry) firstDescribed() *signature {
	for _, v := range n.variants {
		if v.of != nil { // the code belongs to another signature
			continue
		}
		parts := v.parts
		if parts == nil {
			parts = []*signature{v}
		}
		for _, s := range parts {
			if s.described() {
				return s
			}
		}
	}
	return nil
}

// scopeTable emits the table of scopes if s is the first signature that needs the table.
func (s *signature) scopeTable(f *jen.File) {
	if s != s.entry.firstDescribed() {
		return
	}
	var rows []jen.Code
	for _, sc := range s.plan.Names.Scopes() {
		row := []jen.Code{jen.Id("Left").Op(":").Lit(sc.Left)}
		if sc.Short != "" {
			row = append([]jen.Code{jen.Id("Short").Op(":").Lit(sc.Short)}, row...)
		}
		rows = append(rows, jen.Values(row...))
	}
	if len(rows) == 0 {
		return
	}
	f.Comment(fmt.Sprintf("// %s lists the scopes that node names omit.", s.scopes()))
	f.Var().Id(s.scopes()).Op("=").Index(jen.Op("...")).Add(s.steps.e.rt("Scope")).Add(multi(rows))
	f.Line()
}
