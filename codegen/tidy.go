package codegen

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// tidy formats an emitted file as Go's tools do: groups of imports, no names for unused parameters,
// and lines of bounded length.
func tidy(src []byte) ([]byte, error) {
	fs := token.NewFileSet()
	f, err := parser.ParseFile(fs, "", src, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	at := func(p token.Pos) int { return fs.File(p).Offset(p) }
	edits := importGroups(f, src, at)
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil && !fn.Name.IsExported() {
			for _, name := range unusedParams(fn) {
				edits = append(edits, edit{at(name.Pos()), at(name.End()), "_"})
			}
		}
	}
	return wrap(apply(src, edits)) // the edits keep the file formatted
}

// importGroups returns the edits that put imports of the standard library first, as goimports does.
func importGroups(f *ast.File, src []byte, at func(token.Pos) int) []edit {
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.IMPORT || !g.Lparen.IsValid() {
			continue
		}
		var own, others bytes.Buffer
		for _, s := range g.Specs {
			line := "\t" + string(src[at(s.Pos()):at(s.End())]) + "\n"
			first, _, _ := strings.Cut(strings.Trim(s.(*ast.ImportSpec).Path.Value, `"`), "/")
			if strings.Contains(first, ".") {
				others.WriteString(line)
			} else {
				own.WriteString(line)
			}
		}
		if own.Len() == 0 || others.Len() == 0 {
			return nil
		}
		return []edit{{at(g.Lparen) + 1, at(g.Rparen), "\n" + own.String() + "\n" + others.String()}}
	}
	return nil
}

// unusedParams returns the parameters that a function's body does not mention.
func unusedParams(fn *ast.FuncDecl) (out []*ast.Ident) {
	used := map[string]bool{}
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			used[id.Name] = true
		}
		return true
	})
	for _, p := range fn.Type.Params.List {
		for _, name := range p.Names {
			if name.Name != "_" && !used[name.Name] {
				out = append(out, name)
			}
		}
	}
	return out
}
