package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/graphc/graphc/internal/testkit"
)

// TestDocs: exported types and functions, and exported methods of exported types, have a comment.
// File names say what the file contains.
func TestDocs(t *testing.T) {
	root := testkit.Root(t)
	seen := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if n := d.Name(); path != root && (strings.HasPrefix(n, ".") || n == "testdata" || n == "bin") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, ".pb.go") {
			return nil
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		if saysNothing.MatchString(d.Name()) {
			t.Errorf("%s: the name does not say what is inside", path)
		}
		for _, decl := range f.Decls {
			if types, ok := decl.(*ast.GenDecl); ok && types.Tok == token.TYPE && f.Name.Name != "main" {
				for _, s := range types.Specs {
					if s := s.(*ast.TypeSpec); s.Name.IsExported() && types.Doc == nil && s.Doc == nil && s.Comment == nil {
						t.Errorf("%s: %s has no comment", set.Position(s.Pos()), s.Name.Name)
					}
				}
			}
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || !fn.Name.IsExported() || fn.Recv != nil && !ast.IsExported(receiver(fn.Recv.List[0].Type)) {
				continue
			}
			seen++
			if fn.Doc == nil {
				t.Errorf("%s: %s has no comment", set.Position(fn.Pos()), fn.Name.Name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 5000 {
		t.Errorf("%d functions only were looked at", seen)
	}
}

// saysNothing matches file names that do not say what the file contains.
var saysNothing = regexp.MustCompile(`^(misc|small|core|root|like|total|common|more|other|rest|stuff|utils?|helpers?)\.go$|[a-z](more|misc|_utils?|_rest)\.go$`)

// receiver returns the name of a receiver's type.
func receiver(t ast.Expr) string {
	for {
		switch e := t.(type) {
		case *ast.StarExpr:
			t = e.X
		case *ast.IndexExpr:
			t = e.X
		case *ast.IndexListExpr:
			t = e.X
		case *ast.Ident:
			return e.Name
		default:
			return ""
		}
	}
}
