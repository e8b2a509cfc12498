package codegen

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// TestNothingUnused: emitted code declares nothing unused, except exported names.
func TestNothingUnused(t *testing.T) {
	for _, c := range append(goldenPackages(), runPackages()...) {
		for _, what := range unusedIn(t, emit(t, c)) {
			t.Errorf("%s: %s", c.Name, what)
		}
	}
}

// TestFindsUnused: the check of TestNothingUnused finds unused declarations.
func TestFindsUnused(t *testing.T) {
	src := "package p\nvar a, b = 1, a\nfunc f() { f() }\ntype empty struct{}\ntype t struct{ x, y empty }\nfunc (v *t) m() { v.x = empty{} }\n"
	got := strings.Join(unusedIn(t, map[string][]byte{"p.go": []byte(src)}), ", ")
	if want := "b is not used, f is not used, y is not used, m is not used, empty has no fields"; got != want {
		t.Errorf("found %q, want %q", got, want)
	}
}

// unusedIn returns the names that a package declares and does not mention elsewhere: functions,
// methods, variables, types and fields. It also returns types without fields.
func unusedIn(t *testing.T, files map[string][]byte) (out []string) {
	uses := map[string]int{}
	var declared []*ast.Ident
	own := map[string]int{} // how often the body of a function mentions the function's name
	for _, name := range sortedNames(files) {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, files[name], 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				uses[id.Name]++
			}
			return true
		})
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				declared = append(declared, d.Name)
				ast.Inspect(d.Body, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok && id.Name == d.Name.Name {
						own[id.Name]++
					}
					return true
				})
			case *ast.GenDecl:
				for _, s := range d.Specs {
					declared = append(declared, namesOf(s)...)
					if s, ok := s.(*ast.TypeSpec); ok && !s.Name.IsExported() {
						if st, ok := s.Type.(*ast.StructType); ok && st.Fields.NumFields() == 0 {
							out = append(out, s.Name.Name+" has no fields")
						}
					}
				}
			}
		}
	}
	var unused []string
	for _, id := range declared {
		if name := id.Name; !id.IsExported() && name != "_" && uses[name]-own[name] < 2 {
			unused = append(unused, name+" is not used")
		}
	}
	return append(unused, out...)
}

// namesOf returns the names that a declaration introduces, including fields of structs.
func namesOf(s ast.Spec) (out []*ast.Ident) {
	switch s := s.(type) {
	case *ast.ValueSpec:
		return s.Names
	case *ast.TypeSpec:
		out = append(out, s.Name)
		if st, ok := s.Type.(*ast.StructType); ok {
			for _, f := range st.Fields.List {
				out = append(out, f.Names...)
			}
		}
	}
	return out
}
