package codegen

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/graphc/graphc/plan/names"
)

// Names of nodes leave out scopes: see package names. The head of each file that has such names says so, and a
// table has the scopes in full, for hooks.

// short is the short name of a node, a tensor or a buffer.
func (s *signature) short(name string) string { return s.plan.Names.Short(name) }

// node is a short name as comments have it, or those of the first and the last of several nodes.
func (s *signature) node(name string) string {
	first, last, several := strings.Cut(s.short(name), names.Range)
	if !several {
		return quote(first)
	}
	return strings.TrimSuffix(quote(first), `"`) + names.Range + strings.TrimPrefix(quote(last), `"`)
}

// scopes is the table of the scopes that names leave out, one for all variants and parts.
func (s *signature) scopes() string { return s.entry.prefix + "Scopes" }

// legend says at the head of a file which scopes names leave out.
func (s *signature) legend(f *jen.File) {
	n := s.plan.Names
	if scope := n.Scope(); scope != "" {
		f.HeaderComment(fmt.Sprintf("// Nodes are named without the scope %s that nearly all of them are in. A name with a slash in front is whole.", quote(scope)))
	}
	if n.Inner() {
		f.HeaderComment(fmt.Sprintf("// A … within a name stands for scopes that say nothing new: see %s.", s.scopes()))
	}
}

// described reports whether there is a table of the signature's steps, with checks of sizes.
func (s *signature) described() bool { return len(s.plan.Steps)+len(s.plan.Prologue) > 0 }

// firstDescribed is the first of the variants, and of their parts, whose steps are described: the table of scopes is with it.
func (n *entry) firstDescribed() *signature {
	for _, v := range n.variants {
		if v.of != nil { // another signature has the code
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

// scopeTable prints the table of scopes where the file is the first that needs it.
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
	f.Comment(fmt.Sprintf("// %s are the scopes that names of nodes leave out.", s.scopes()))
	f.Var().Id(s.scopes()).Op("=").Index(jen.Op("...")).Add(s.steps.e.rt("Scope")).Add(multi(rows))
	f.Line()
}
