package goop

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/go/packages"

	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// loadTime is the time limit for the go command to find the packages. It may have to download
// modules.
const loadTime = 2 * time.Minute

// loaded has the declarations of the functions' packages.
type loaded struct {
	dir      string // packages are looked up from the module of this folder
	fset     *token.FileSet
	packages map[string]*packages.Package // by import path
	refused  map[string]string            // why a package may not be imported, by import path
}

// load finds the packages of the functions like the go command, with the user's environment, and
// type-checks their declarations. The packages and their imports are read from source, without the
// bodies of functions. Therefore nothing needs to be compiled, and errors in bodies do not matter.
func (s *Set) load(ctx context.Context, calls []*plan.Foreign) (*loaded, error) {
	root, err := filepath.Abs(s.dir)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, f := range calls {
		paths = append(paths, f.Path)
	}
	slices.Sort(paths)
	paths = slices.Compact(paths)
	within, stop := context.WithTimeout(ctx, loadTime)
	defer stop()
	l := &loaded{dir: root, fset: token.NewFileSet(), packages: map[string]*packages.Package{}, refused: map[string]string{}}
	// The go command allows or forbids an import by the folder of the importing package. Therefore
	// load also loads a package that is in the folder of the helper and imports all packages.
	importer := "package main\n"
	for _, p := range paths {
		importer += fmt.Sprintf("import _ %q\n", p)
	}
	found, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule |
			packages.NeedTypes | packages.NeedSyntax,
		Context: within,
		Dir:     root,
		// packages must be found as the go command finds them, because the go command builds
		// emitted code
		Env:       append(os.Environ(), "GOPACKAGESDRIVER=off"),
		Fset:      l.fset,
		ParseFile: parseDeclarations,
		Overlay:   map[string][]byte{filepath.Join(root, folder, "imports.go"): []byte(importer)},
	}, append(paths, "./"+folder)...)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case within.Err() != nil:
		return nil, tensor.Errorf(tensor.DeadlineExceeded, "the go command did not find the packages of the Go functions of ops within %v", loadTime)
	case err != nil:
		return nil, l.unloaded(err)
	}
	for _, p := range found {
		if !slices.Contains(paths, p.PkgPath) {
			l.refuse(p, paths)
			continue
		}
		l.packages[p.PkgPath] = p
	}
	return l, nil
}

// unloaded converts an error of packages.Load, which loaded no package, to an error that
// gives the user the reason.
func (l *loaded) unloaded(err error) error {
	if _, missing := exec.LookPath("go"); missing != nil {
		return tensor.Errorf(tensor.FailedPrecondition, "the go command is needed to check the Go functions of ops: %v", missing)
	}
	if strings.Contains(err.Error(), "go.mod file not found") {
		return tensor.Errorf(tensor.FailedPrecondition, "the packages of the Go functions of ops are searched from %s, which is not in a module: create go.mod with go mod init", shortName(l.dir))
	}
	return tensor.Errorf(tensor.FailedPrecondition, "the packages of the Go functions of ops cannot be loaded from %s: %v", shortName(l.dir), err)
}

// refuse records packages that the go command does not allow the helper's package to import.
func (l *loaded) refuse(helper *packages.Package, paths []string) {
	for _, e := range helper.Errors {
		if !strings.Contains(e.Msg, "use of internal package") {
			continue
		}
		for _, p := range paths {
			if strings.Contains(e.Msg, "use of internal package "+p+" not allowed") {
				l.refused[p] = fmt.Sprintf("it is internal, and packages below %s may not import it", shortName(l.dir))
			}
		}
	}
}

// parseDeclarations parses a file and drops the bodies of functions.
func parseDeclarations(fset *token.FileSet, name string, src []byte) (*ast.File, error) {
	f, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
	if f != nil {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				d.Body = nil
			}
		}
	}
	return f, err
}

// whyMissing returns the reason why a package is missing.
func (l *loaded) whyMissing(p *packages.Package) string {
	if p == nil || len(p.Errors) == 0 {
		return "the go command does not find it from " + shortName(l.dir)
	}
	return strings.Join(strings.Fields(p.Errors[0].Msg), " ")
}

// at returns the position of a declaration.
func (l *loaded) at(obj types.Object) string {
	p := l.fset.Position(obj.Pos())
	p.Filename = shortName(p.Filename)
	return p.String()
}

// shortName returns a file's name relative to the current folder if the file is below this folder,
// and the unchanged name otherwise.
func shortName(file string) string {
	if wd, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(wd, file); err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	return file
}
