package arch

import (
	"bytes"
	"flag"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/graphc/graphc/internal/testkit"
)

var update = flag.Bool("update", false, "write the lists of public names in testdata/surface anew")

// public are the packages that users import, by their folders.
var public = []string{".", "rt", "rt/device", "rt/devwork", "rt/npy", "rt/parts", "rt/save", "rt/tensor", "rt/trace"}

// TestSurface: the exported declarations of the packages that users import equal those in
// testdata/surface. Comments and unexported declarations are ignored.
func TestSurface(t *testing.T) {
	root := testkit.Root(t)
	for _, dir := range public {
		got := surface(t, filepath.Join(root, dir), dir)
		name := strings.ReplaceAll(dir, "/", "_")
		if dir == "." {
			name = "graphc"
		}
		golden := filepath.Join("testdata", "surface", name+".txt")
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if gone, added := compare(string(want), got); string(want) != got {
			t.Errorf("%s: the public declarations of package %s are others, or in another order, than %s has.\ngone:\n%s\nadded:\n%s\n"+
				"If that is meant, run \"go test ./internal/arch -run TestSurface -update\" and commit %s. "+
				"What is gone breaks programs: scripts/api says which changes do, and how they are accepted.",
				dir, name, golden, indented(gone), indented(added), golden)
		}
	}
}

// indented formats lines as an indented list.
func indented(lines []string) string {
	if len(lines) == 0 {
		return "  nothing"
	}
	return "  " + strings.Join(lines, "\n  ")
}

// compare returns the lines in which two texts differ. The first result has the lines that occur
// more often in want than in got. The second result has the lines that occur more often in got than
// in want. A line is returned one time for each additional occurrence.
func compare(want, got string) (gone, added []string) {
	n := map[string]int{}
	for l := range strings.Lines(got) {
		n[l]++
	}
	for l := range strings.Lines(want) {
		if n[l]--; n[l] < 0 {
			gone = append(gone, strings.TrimRight(l, "\n"))
		}
	}
	for l := range strings.Lines(got) {
		if n[l] > 0 {
			n[l]--
			added = append(added, strings.TrimRight(l, "\n"))
		}
	}
	return gone, added
}

// TestCompare checks a changed, a removed and an added line.
func TestCompare(t *testing.T) {
	gone, added := compare("a\nb\nb\nc\n", "a\nb\nd\n")
	if !slices.Equal(gone, []string{"b", "c"}) || !slices.Equal(added, []string{"d"}) {
		t.Errorf("gone %q, added %q", gone, added)
	}
}

// surface returns the exported declarations of a package in the form of go doc, without comments.
func surface(t *testing.T, dir, path string) string {
	t.Helper()
	p, fset := readPackage(t, dir, path)
	var b strings.Builder
	show := func(n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				n.Body, n.Doc = nil, nil
			case *ast.GenDecl:
				n.Doc = nil
			case *ast.Field:
				n.Doc, n.Comment = nil, nil
			case *ast.ValueSpec:
				n.Doc, n.Comment = nil, nil
			case *ast.TypeSpec:
				n.Doc, n.Comment = nil, nil
			}
			return true
		})
		var out bytes.Buffer
		if err := (&printer.Config{Mode: printer.UseSpaces | printer.TabIndent, Tabwidth: 8}).Fprint(&out, fset, n); err != nil {
			t.Fatal(err)
		}
		for l := range strings.Lines(out.String()) {
			if l = strings.TrimRight(l, " \t\n"); l != "" {
				b.WriteString(l + "\n")
			}
		}
	}
	values := func(vs []*doc.Value) {
		for _, v := range vs {
			show(v.Decl)
		}
	}
	funcs := func(fs []*doc.Func) {
		for _, f := range fs {
			show(f.Decl)
		}
	}
	values(p.Consts)
	values(p.Vars)
	funcs(p.Funcs)
	for _, typ := range p.Types {
		show(typ.Decl)
		values(typ.Consts)
		values(typ.Vars)
		funcs(typ.Funcs)
		funcs(typ.Methods)
	}
	return b.String()
}

// readPackage reads the package in a folder with its files for all systems.
func readPackage(t *testing.T, dir, path string) (*doc.Package, *token.FileSet) {
	t.Helper()
	fset := token.NewFileSet()
	names, err := fs.Glob(os.DirFS(dir), "*.go")
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	p, err := doc.NewFromFiles(fset, files, module+"/"+path)
	if err != nil {
		t.Fatal(err)
	}
	return p, fset
}

// TestSurfaceScript: the script scripts/api checks the same packages as TestSurface.
func TestSurfaceScript(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(testkit.Root(t), "scripts", "api"))
	if err != nil {
		t.Fatal(err)
	}
	if want := "\npackages=(" + strings.Join(public, " ") + ")\n"; !strings.Contains(string(text), want) {
		t.Errorf("scripts/api does not have the line %q", strings.TrimSpace(want))
	}
}
