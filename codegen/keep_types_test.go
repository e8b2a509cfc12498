package codegen

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

// builds are the platforms that standalone packages are built for, each with build tags.
var builds = []string{"linux/amd64", "linux/arm64", "linux/386", "darwin/arm64", "windows/amd64", "wasip1/wasm", "linux/amd64 noasm", "linux/arm64 noasm", "linux/amd64 simgpu"}

// TestKeptByTypes: what the type checker says that a file of the run time or of the kernels uses is among the files that are
// kept with it, on each platform. Since that holds for each file, it holds for all that are kept.
func TestKeptByTypes(t *testing.T) {
	list := builds[:1]
	if testkit.Long() {
		list = builds
	}
	opened := map[string]*sourcePackage{}
	needs := map[string]map[string]bool{} // the files that are kept with one
	for _, p := range list {
		t.Run(p, func(t *testing.T) {
			edges := 0
			for _, pkg := range typed(t, p) {
				rel := strings.TrimPrefix(pkg.PkgPath, Module+"/")
				for _, file := range pkg.Syntax {
					name := path.Join(rel, filepath.Base(pkg.Fset.Position(file.Package).Filename))
					have := needs[name]
					if have == nil {
						have = keptWith(t, opened, name)
						needs[name] = have
					}
					for _, fn := range bodiless(file) {
						if !slices.ContainsFunc(opened[rel].declares[fn], func(f *sourceFile) bool { return path.Ext(f.name) == ".s" && have[path.Join(rel, f.name)] }) {
							t.Errorf("%s declares %s, whose assembly is not kept with it", name, fn)
						}
					}
					for use, by := range usesOf(pkg, file) {
						edges++
						if !have[use] {
							t.Errorf("%s uses %s of %s, which is not kept with it", name, by, use)
						}
					}
				}
			}
			if edges < 1000 {
				t.Errorf("there are %d uses, which is too few", edges)
			}
		})
	}
}

// typed are the packages that may be copied, type-checked.
func typed(t *testing.T, platform string) []*packages.Package {
	t.Helper()
	target, tags, _ := strings.Cut(platform, " ")
	system, processor, _ := strings.Cut(target, "/")
	root, err := filepath.Abs("..")
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

// keptWith returns the files that are kept with one, by their paths in the module.
func keptWith(t *testing.T, opened map[string]*sourcePackage, name string) map[string]bool {
	t.Helper()
	k := &keeper{sources: os.DirFS(".."), packages: opened, kept: map[*sourceFile]bool{}}
	for _, p := range opened {
		p.live = false
	}
	p, err := k.open(path.Dir(name))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range p.files {
		if f.name == path.Base(name) {
			k.keep(f)
		}
	}
	if err := k.rest(); err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{}
	for f := range k.kept {
		have[path.Join(f.pkg, f.name)] = true
	}
	if !have[name] {
		t.Fatalf("%s is not found", name)
	}
	return have
}

// usesOf returns the files of this module that declare what a file uses, and the name of one such thing.
func usesOf(pkg *packages.Package, file *ast.File) map[string]string {
	uses := map[string]string{}
	add := func(obj types.Object) {
		if obj == nil || obj.Pkg() == nil || !strings.HasPrefix(obj.Pkg().Path(), Module+"/") || !obj.Pos().IsValid() {
			return
		}
		at := pkg.Fset.Position(obj.Pos()).Filename
		uses[path.Join(strings.TrimPrefix(obj.Pkg().Path(), Module+"/"), filepath.Base(at))] = obj.Name()
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			add(pkg.TypesInfo.Uses[n])
		case *ast.TypeSpec: // its methods may be called by way of an interface
			if named, ok := pkg.TypesInfo.Defs[n.Name].Type().(*types.Named); ok {
				for m := range named.Methods() {
					add(m)
				}
			}
		}
		return true
	})
	return uses
}

// bodiless returns the functions that a file leaves to assembly.
func bodiless(file *ast.File) []string {
	var names []string
	for _, d := range file.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Body == nil {
			names = append(names, d.Name.Name)
		}
	}
	return names
}
