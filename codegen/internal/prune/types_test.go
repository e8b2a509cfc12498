package prune

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/graphc/graphc/internal/testkit"
)

// builds are the platforms for which standalone packages are built, each with build tags.
var builds = []string{"linux/amd64", "linux/arm64", "linux/386", "darwin/arm64", "windows/amd64", "wasip1/wasm", "linux/amd64 noasm", "linux/arm64 noasm", "linux/amd64 simgpu"}

// TestNeedsByTypes: on each platform, each declaration of the run time and the kernels is kept
// together with everything that it uses according to the type checker. The list in the variable
// interfaces contains all methods that the standard library may call on a type of the module.
func TestNeedsByTypes(t *testing.T) {
	list := builds[:1]
	if testkit.Long() {
		list = builds
	}
	tree := New(os.DirFS("../../.."), module)
	for _, p := range list {
		t.Run(p, func(t *testing.T) {
			edges := 0
			loaded := typed(t, p)
			for _, pkg := range loaded {
				for _, file := range pkg.Syntax {
					edges += compareFile(t, tree, pkg, file)
				}
			}
			if edges < 10000 {
				t.Errorf("there are %d uses, which is too few", edges)
			}
			interfacesKnown(t, loaded)
		})
	}
}

// typed returns the type-checked packages that may be copied.
func typed(t *testing.T, platform string) []*packages.Package {
	t.Helper()
	target, tags, _ := strings.Cut(platform, " ")
	system, processor, _ := strings.Cut(target, "/")
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	found, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedSyntax,
		Dir:  root, BuildFlags: []string{"-tags=" + tags},
		Env: append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0", "GOPACKAGESDRIVER=off"),
		ParseFile: func(fset *token.FileSet, name string, src []byte) (*ast.File, error) {
			f, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
			if f != nil && !strings.HasPrefix(name, root) {
				for _, d := range f.Decls {
					if d, ok := d.(*ast.FuncDecl); ok {
						d.Body = nil
					}
				}
			}
			return f, err
		}}, "./rt/...", "./kernels/...")
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(found, func(p *packages.Package) bool { return len(p.GoFiles) == 0 })
}

// pieceAt returns the piece of a file that contains a position.
func pieceAt(s *source, offset int) *piece {
	i := slices.IndexFunc(s.pieces, func(p *piece) bool { return offset >= p.from && offset < p.from+len(p.text) })
	if i < 0 {
		return nil
	}
	return s.pieces[i]
}

// compareFile checks that each declaration of a file is kept together with everything that it uses.
// It returns the number of uses.
func compareFile(t *testing.T, tree *Tree, pkg *packages.Package, file *ast.File) (edges int) {
	t.Helper()
	rel := strings.TrimPrefix(pkg.PkgPath, module+"/")
	p, err := tree.open(rel)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Base(pkg.Fset.Position(file.Package).Filename)
	i := slices.IndexFunc(p.files, func(s *source) bool { return s.name == name })
	if i < 0 {
		t.Fatalf("%s has no file %s", rel, name)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.FuncDecl:
			if n.Body == nil && !slices.ContainsFunc(p.names[n.Name.Name], func(d *piece) bool { return path.Ext(d.file.name) == ".s" }) {
				t.Errorf("%s/%s declares %s, whose assembly is not found", rel, name, n.Name.Name)
			}
		case *ast.Ident:
			obj := pkg.TypesInfo.Uses[n]
			if obj == nil || obj.Pkg() == nil || !strings.HasPrefix(obj.Pkg().Path(), module+"/") || !obj.Pos().IsValid() {
				return true
			}
			from := pieceAt(p.files[i], pkg.Fset.Position(n.Pos()).Offset)
			if from == nil {
				t.Errorf("%s: %s is in no piece", pkg.Fset.Position(n.Pos()), n.Name)
				return true
			}
			if !knows(from, rel, obj) {
				t.Errorf("%s uses %s, which is not kept with it", pkg.Fset.Position(n.Pos()), obj)
			}
			edges++
		}
		return true
	})
	return edges
}

// knows reports whether a set that keeps the piece p also keeps obj, an object that this module
// declares.
func knows(p *piece, pkg string, obj types.Object) bool {
	if f, ok := obj.(*types.Func); ok && f.Signature().Recv() != nil {
		return slices.Contains(p.selects, f.Name())
	}
	if obj.Parent() != obj.Pkg().Scope() {
		return true // obj is a local name or a field: a set with p has it, too
	}
	of := strings.TrimPrefix(obj.Pkg().Path(), module+"/")
	if of == pkg {
		return slices.Contains(p.mentions, obj.Name())
	}
	return slices.Contains(p.uses, reference{of, obj.Name()}) || slices.Contains(p.whole, of)
}

// interfacesKnown checks that the list in the variable interfaces is complete. If a type of the
// module satisfies an interface of the standard library, the list must contain all methods of that
// interface.
func interfacesKnown(t *testing.T, loaded []*packages.Package) {
	t.Helper()
	var std []*types.Named
	packages.Visit(loaded, nil, func(p *packages.Package) {
		if strings.HasPrefix(p.PkgPath, module) || strings.Contains(p.PkgPath, "internal/") {
			return
		}
		for _, name := range p.Types.Scope().Names() {
			if n, ok := p.Types.Scope().Lookup(name).Type().(*types.Named); ok && types.IsInterface(n) && n.TypeParams() == nil {
				std = append(std, n)
			}
		}
	})
	std = append(std, types.Universe.Lookup("error").Type().(*types.Named))
	found := 0
	for _, pkg := range loaded {
		for _, name := range pkg.Types.Scope().Names() {
			obj, ok := pkg.Types.Scope().Lookup(name).(*types.TypeName)
			if !ok || obj.IsAlias() || types.IsInterface(obj.Type()) {
				continue
			}
			for _, i := range std {
				it := i.Underlying().(*types.Interface)
				if it.NumMethods() == 0 || !types.Implements(types.NewPointer(obj.Type()), it) {
					continue
				}
				found++
				for m := range it.Methods() {
					if !slices.Contains(interfaces, m.Name()) {
						t.Errorf("%s implements %s: %s is not in the list of such methods", obj.Type(), i, m.Name())
					}
				}
			}
		}
	}
	if found < 20 {
		t.Errorf("%d types satisfy an interface of the standard library, which is too few", found)
	}
}
