package arch

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	generatedFile = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)
	typeName      = regexp.MustCompile(`(tensor\.)?(BF16|F16|F32|F64|C64|C128|U8|U16|U32|U64|I8|I16|I32|I64)|\b(float32|float64|complex64|complex128|u?int(8|16|32|64))\b|\btensor\.(Float|BFloat|Half|Int|Uint|Complex)\d*\b`)
)

// generatedName matches the names of generated files.
var generatedName = regexp.MustCompile(`(\.gen|\.pb|_types|_kernels|/wrappers_test)\.go$`)

// TestGeneratedFilesAreNamed: the name of a Go file shows whether it is generated. Files for a
// processor's assembly are recognized by the processor's name instead.
func TestGeneratedFilesAreNamed(t *testing.T) {
	err := fs.WalkDir(os.DirFS("../.."), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if base := d.Name(); d.IsDir() && (base == "testdata" || len(base) > 1 && (base[0] == '_' || base[0] == '.')) {
			return fs.SkipDir
		}
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "_amd64.go") || strings.HasSuffix(name, "_arm64.go") {
			return nil
		}
		src, err := os.ReadFile("../../" + name)
		if err != nil {
			return err
		}
		if made := generatedFile.Match(src); made != generatedName.MatchString(name) {
			t.Errorf("%s: generated: %v; files whose names end in %s are, and no others", name, made, generatedName)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestWrappersAreGenerated: exported kernels that only call a function and differ only in types
// come from templates (kernels/_gen/typed).
func TestWrappersAreGenerated(t *testing.T) {
	kinds := map[string][]string{}
	err := fs.WalkDir(os.DirFS("../.."), "kernels", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if base := d.Name(); d.IsDir() && (base == "testdata" || strings.HasPrefix(base, "_")) {
			return fs.SkipDir
		}
		if path.Ext(name) != ".go" {
			return nil
		}
		src, err := os.ReadFile("../../" + name)
		if err != nil {
			return err
		}
		if generatedFile.Match(src) || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil || !fn.Name.IsExported() || fn.Type.TypeParams != nil || fn.Body == nil || !callsOnly(fn.Body) || !typeName.MatchString(fn.Name.Name) {
				continue
			}
			var b bytes.Buffer
			if err := printer.Fprint(&b, token.NewFileSet(), fn); err != nil {
				return err
			}
			kind := path.Dir(name) + " " + strings.Join(strings.Fields(typeName.ReplaceAllString(b.String(), "#")), " ")
			kinds[kind] = append(kinds[kind], fn.Name.Name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for kind, names := range kinds {
		if len(names) > 1 {
			slices.Sort(names)
			dir, _, _ := strings.Cut(kind, " ")
			t.Errorf("%s: %s differ in their types only: write them as one function in wrappers.tmpl, and run go generate ./kernels/...", dir, strings.Join(names, ", "))
		}
	}
}

// callsOnly reports whether a body is a single call without a function literal.
func callsOnly(body *ast.BlockStmt) bool {
	if len(body.List) != 1 {
		return false
	}
	var x ast.Expr
	switch s := body.List[0].(type) {
	case *ast.ExprStmt:
		x = s.X
	case *ast.ReturnStmt:
		if len(s.Results) == 1 {
			x = s.Results[0]
		}
	}
	if _, ok := x.(*ast.CallExpr); !ok {
		return false
	}
	plain := true
	ast.Inspect(x, func(n ast.Node) bool {
		_, lit := n.(*ast.FuncLit)
		plain = plain && !lit
		return plain
	})
	return plain
}
