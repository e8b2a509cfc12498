package codegen

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// Which files a program embeds by what it calls in packages of this module is found as
// the Go linker finds it, by names: what a declaration mentions is needed where it is.

// reference is a declaration of a package of this module.
type reference struct {
	pkg  string // kernels/gpu/reduce
	name string
}

// declared is what a declaration mentions.
type declared struct {
	uses  []reference
	files []string // that it embeds
}

// embeddedBy returns the files that the declarations from may need, by their paths in this module.
func embeddedBy(sources fs.FS, from map[reference]bool) ([]string, error) {
	packages := map[string]map[string]*declared{}
	var todo []reference
	for r := range from {
		todo = append(todo, r)
	}
	seen := map[reference]bool{}
	var files []string
	for len(todo) > 0 {
		r := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[r] {
			continue
		}
		seen[r] = true
		p, ok := packages[r.pkg]
		if !ok {
			var err error
			if p, err = declarations(sources, r.pkg); err != nil {
				return nil, err
			}
			packages[r.pkg] = p
		}
		if d := p[r.name]; d != nil {
			todo = append(todo, d.uses...)
			files = append(files, d.files...)
		}
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// declarations reads a package of this module.
func declarations(sources fs.FS, pkg string) (map[string]*declared, error) {
	all := map[string]*declared{}
	return all, eachFile(sources, pkg, func(name string, src []byte) error {
		file, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ParseComments|parser.SkipObjectResolution)
		if err == nil {
			declare(all, pkg, file)
		}
		return err
	}, ".go")
}

// eachFile calls f with the files of a package of this module that end in one of these ways, without its tests.
func eachFile(sources fs.FS, pkg string, f func(name string, src []byte) error, exts ...string) error {
	entries, err := fs.ReadDir(sources, pkg)
	if err != nil {
		return fmt.Errorf("the sources of %s are not part of graphc: %w", pkg, err)
	}
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() || !slices.Contains(exts, path.Ext(name)) || strings.HasSuffix(name, "_test.go") {
			continue
		}
		src, err := fs.ReadFile(sources, path.Join(pkg, name))
		if err == nil {
			err = f(name, src)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// declare adds the declarations of a file. A type's methods are part of it.
func declare(all map[string]*declared, pkg string, file *ast.File) {
	imports, _ := importsOf(file, Module)
	maps.DeleteFunc(imports, func(_, pkg string) bool { return !strings.HasPrefix(pkg, libraryRoot) })
	of := func(name string) *declared {
		if all[name] == nil {
			all[name] = &declared{}
		}
		return all[name]
	}
	mentions := func(d *declared, n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && imports[x.Name] != "" {
					d.uses = append(d.uses, reference{imports[x.Name], n.Sel.Name})
				}
			case *ast.Ident:
				d.uses = append(d.uses, reference{pkg, n.Name})
			}
			return true
		})
	}
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			name := decl.Name.Name
			if decl.Recv != nil {
				name = receiver(decl.Recv.List[0].Type)
			}
			mentions(of(name), decl)
		case *ast.GenDecl:
			for _, s := range decl.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					mentions(of(s.Name.Name), s.Type)
				case *ast.ValueSpec:
					for _, name := range s.Names {
						d := of(name.Name)
						mentions(d, s)
						for _, doc := range []*ast.CommentGroup{decl.Doc, s.Doc} {
							d.files = append(d.files, embeds(pkg, doc)...)
						}
					}
				}
			}
		}
	}
}

// receiver is the name of a method's type.
func receiver(x ast.Expr) string {
	for {
		switch t := x.(type) {
		case *ast.StarExpr:
			x = t.X
		case *ast.IndexExpr:
			x = t.X
		case *ast.IndexListExpr:
			x = t.X
		case *ast.Ident:
			return t.Name
		default:
			return ""
		}
	}
}

// embeds returns the files that a declaration with this comment embeds.
func embeds(pkg string, doc *ast.CommentGroup) []string {
	var out []string
	if doc != nil {
		for _, c := range doc.List {
			if names, ok := strings.CutPrefix(c.Text, "//go:embed "); ok {
				for _, n := range strings.Fields(names) {
					out = append(out, path.Join(pkg, n))
				}
			}
		}
	}
	return out
}
