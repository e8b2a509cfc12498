package codegen

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// sourceFile is a file of a package with what it declares and mentions.
type sourceFile struct {
	pkg, name string // reduce, kernels/reduce
	data      []byte

	declared  []string          // at top level
	types     []string          // those of these that are types
	aliases   map[string]string // types that stand for another of the package
	receivers []string          // the types that it has methods of

	uses   []reference // in other packages of this module
	whole  []string    // packages that it imports for what they do
	names  []string    // that it mentions and does not declare, or that something else must be there for
	all    bool        // it needs its whole package
	effect bool        // it does something when the package is initialized
	calls  []string    // what variables are initialized by: an effect unless they are types
}

// goFile reads a Go file. module is what it calls this module.
func goFile(pkg, name string, src []byte, module string) (*sourceFile, error) {
	f := &sourceFile{pkg: pkg, name: name, data: src, aliases: map[string]string{}}
	// The parser tells names of a file's own from others.
	file, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	imports, whole := importsOf(file, module)
	f.whole = whole
	for _, group := range file.Comments {
		for _, c := range group.List {
			if strings.HasPrefix(c.Text, "//go:linkname ") {
				f.effect, f.all = true, true
			}
		}
	}
	for _, d := range file.Decls {
		f.declare(d, file)
	}
	used := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := s.X.(*ast.Ident); ok && x.Obj == nil && imports[x.Name] != "" {
			f.uses = append(f.uses, reference{imports[x.Name], s.Sel.Name})
			used[x.Name] = true
		}
		return true
	})
	for name, pkg := range imports { // a package whose name is another than its folder's
		if !used[name] {
			f.whole = append(f.whole, pkg)
		}
	}
	slices.Sort(f.whole)
	for _, id := range file.Unresolved {
		f.names = append(f.names, id.Name)
	}
	slices.Sort(f.names)
	f.names = slices.Compact(f.names)
	return f, nil
}

// declare notes a declaration.
func (f *sourceFile) declare(d ast.Decl, file *ast.File) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		switch {
		case d.Recv != nil:
			f.receivers = append(f.receivers, receiver(d.Recv.List[0].Type))
		case d.Name.Name == "init":
			f.effect = true
		default:
			f.declared = append(f.declared, d.Name.Name)
		}
		if d.Body == nil { // in assembly
			f.names = append(f.names, d.Name.Name)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				f.declared, f.types = append(f.declared, s.Name.Name), append(f.types, s.Name.Name)
				if s.Assign.IsValid() {
					f.aliases[s.Name.Name] = receiver(s.Type)
				}
			case *ast.ValueSpec:
				for _, n := range s.Names {
					f.declared = append(f.declared, n.Name)
				}
				for _, v := range s.Values {
					f.initialize(v, file)
				}
			}
		}
	}
}

// harmless are packages of the standard library whose functions change nothing but what they return, or are given.
var harmless = []string{"errors", "fmt", "math", "math/big", "math/bits", "math/cmplx", "reflect", "regexp", "slices", "strconv", "strings", "sync", "unicode", "unsafe"}

// initialize notes what the value of a variable calls. A function that it is, is not called.
func (f *sourceFile) initialize(v ast.Expr, file *ast.File) {
	ast.Inspect(v, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.UnaryExpr:
			f.effect = f.effect || n.Op == token.ARROW
		case *ast.CallExpr:
			f.call(n.Fun, file)
		}
		return true
	})
}

// call notes a call, or conversion, by x.
func (f *sourceFile) call(x ast.Expr, file *ast.File) {
	switch x := x.(type) {
	case *ast.ParenExpr:
		f.call(x.X, file)
	case *ast.IndexExpr:
		f.call(x.X, file)
	case *ast.IndexListExpr:
		f.call(x.X, file)
	case *ast.ArrayType, *ast.MapType, *ast.FuncType, *ast.InterfaceType, *ast.StructType, *ast.ChanType, *ast.StarExpr: // conversions
	case *ast.Ident:
		if !predeclared(x.Name) {
			f.calls = append(f.calls, x.Name)
		}
	case *ast.SelectorExpr:
		id, ok := x.X.(*ast.Ident)
		f.effect = f.effect || !ok || !slices.Contains(harmless, importPath(file, id.Name))
	default:
		f.effect = true
	}
}

// importPath is what a file imports by a name, "" for nothing.
func importPath(file *ast.File, name string) string {
	for _, s := range file.Imports {
		full, _ := strconv.Unquote(s.Path.Value) // the parser has read it
		if s.Name != nil && s.Name.Name == name || s.Name == nil && path.Base(full) == name {
			return full
		}
	}
	return ""
}

// predeclared reports whether a call of a name of the language changes nothing.
func predeclared(name string) bool {
	switch name {
	case "append", "cap", "complex", "copy", "imag", "len", "make", "max", "min", "new", "real",
		"bool", "byte", "complex64", "complex128", "error", "float32", "float64", "int", "int8", "int16", "int32", "int64",
		"rune", "string", "uint", "uint8", "uint16", "uint32", "uint64", "uintptr", "any":
		return true
	}
	return false
}

// header is what the name of a file that assembly includes begins with, where the names of a package are.
const header = "#"

var (
	asmSymbol  = regexp.MustCompile(`([\p{L}\p{N}_∕.~-]*)·([\p{L}\p{N}_]+)(<>)?`)
	asmDefines = regexp.MustCompile(`(?m)^(?:TEXT|GLOBL)[ \t]+·([\p{L}\p{N}_]+)`)
	asmInclude = regexp.MustCompile(`(?m)^#include[ \t]+"([^"]+)"`)
)

// assemblyFile reads what a file of assembly defines and mentions.
func assemblyFile(f *sourceFile) {
	text := string(f.data)
	for _, m := range asmDefines.FindAllStringSubmatch(text, -1) {
		f.declared = append(f.declared, m[1])
	}
	for _, m := range asmSymbol.FindAllStringSubmatch(text, -1) {
		f.names = append(f.names, m[2])
		f.all = f.all || m[1] != "" // of another package
	}
	for _, m := range asmInclude.FindAllStringSubmatch(text, -1) {
		f.names = append(f.names, header+m[1])
		f.all = f.all || m[1] == "go_asm.h" // has the constants of the package
	}
	slices.Sort(f.names)
	f.names = slices.Compact(f.names)
}
