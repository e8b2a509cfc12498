package prune

import (
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
)

// reference is a declaration in a package of the module.
type reference struct {
	pkg  string // kernels/reduce
	name string
}

// source is a file of a package.
type source struct {
	pkg, name string // kernels/reduce, sum.go
	data      []byte
	clause    string              // the package's name
	doc       string              // the package's comment, if it is in this file
	build     string              // the build constraint of the file, "" for none
	imports   map[string]imported // imports, keyed by the names that the file uses for them
	pieces    []*piece            // pieces, in the order of the file
}

// imported is an import of a file.
type imported struct {
	path  string
	alias string // the name given in the import declaration, "" for none
	ours  string // the package's path relative to this module, "" for a package of another module
}

// piece is a unit of source that is either kept or dropped. It is a function, a method, a type, a
// symbol of assembly, or the names of one line in a group of constants or variables. If the value
// of a constant depends on the previous line, the whole group is one piece.
type piece struct {
	file    *source
	text    string // text of the piece, with the preceding comment
	from    int    // offset of the text in the file
	gap     string // comments before this piece that belong neither to it nor to the previous piece
	group   *group // the parenthesized declaration that contains the piece, nil for none
	section int    // number of the section; a section of a file or a group ends at the next non-empty gap

	names    []string // names that the piece declares in its package
	receiver string   // for a method: the type of its receiver
	method   string   // for a method: its name
	isType   bool
	alias    string // for an alias of a type in the same package: the name of that type

	uses     []reference // declarations in other packages of the module that the piece uses
	mentions []string    // names that the piece mentions without a package or an operand before them
	selects  []string    // names after a dot in the piece that may be fields or methods, of any type
	shown    []reference // types that users of the piece can see, in signatures, exported fields and aliases
	imports  []string    // names of the imports that the piece needs
	embeds   []string    // paths, in the module, of the files that the piece embeds
	// names of the functions and types that a variable's initial value calls or converts to
	calls  []string
	effect bool     // whether the initialization of a variable has an effect when a program starts
	whole  []string // packages of which the piece needs all declarations
}

// group is a declaration of several names in parentheses.
type group struct {
	token string // const, var, type
	doc   string // the preceding comment
}

// importsOf returns the imports of a file. It assumes that a package is named after its folder, or
// after the folder above a version.
func importsOf(f *ast.File, module string) (named map[string]imported, blank []imported) {
	named = map[string]imported{}
	for _, s := range f.Imports {
		full, _ := strconv.Unquote(s.Path.Value) // the parser has checked the syntax
		ours, _ := strings.CutPrefix(full, module+"/")
		if ours == full {
			ours = ""
		}
		i := imported{path: full, ours: ours}
		switch {
		case s.Name == nil:
			named[importName(full)] = i
		case s.Name.Name == "_" || s.Name.Name == ".":
			i.alias = s.Name.Name
			blank = append(blank, i)
		default:
			i.alias = s.Name.Name
			named[i.alias] = i
		}
	}
	return named, blank
}

// importName returns the expected name of a package with this path.
func importName(p string) string {
	base := path.Base(p)
	if len(base) > 1 && base[0] == 'v' && strings.Trim(base[1:], "0123456789") == "" {
		return path.Base(path.Dir(p))
	}
	return base
}

// cutter divides a Go file into pieces.
type cutter struct {
	*source
	set     *token.FileSet
	file    *ast.File
	at      int // all source text before this position is in pieces
	section int
	found   map[string]bool // the imports that pieces need
}

// goFile reads a Go file. The parameter module is the import path by which the file imports the
// module.
func goFile(pkg, name string, src []byte, module string) (*source, error) {
	set := token.NewFileSet()
	// The parser resolves names, which distinguishes local names from those of the package.
	file, err := parser.ParseFile(set, name, src, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	s := &source{pkg: pkg, name: name, data: src, clause: file.Name.Name, build: buildLine(src)}
	var blank []imported
	s.imports, blank = importsOf(file, module)
	c := &cutter{source: s, set: set, file: file, found: map[string]bool{}}
	if file.Doc != nil {
		s.doc = c.between(file.Doc.Pos(), file.Doc.End())
	}
	c.at = c.offset(file.Name.End())
	for _, d := range file.Decls {
		c.decl(d)
	}
	c.blank(blank)
	return s, nil
}

// buildLine returns the build constraint of a file, or "".
func buildLine(src []byte) string {
	for line := range strings.Lines(string(src)) {
		line = strings.TrimSpace(line)
		if constraint.IsGoBuild(line) {
			return line
		}
		if line != "" && !strings.HasPrefix(line, "//") {
			break
		}
	}
	return ""
}

// blank adds two kinds of imports to all pieces of a file: its blank imports, and those that no
// piece seems to need because the package is not named after its folder.
func (c *cutter) blank(blank []imported) {
	for _, i := range blank {
		if i.path != "embed" {
			c.source.imports["_ "+i.path] = i
			c.forAll("_ "+i.path, i)
		}
	}
	for name, i := range c.imports {
		if !c.found[name] && i.alias != "_" && i.alias != "." {
			c.forAll(name, i)
		}
	}
}

func (c *cutter) forAll(name string, i imported) {
	for _, p := range c.pieces {
		p.imports = append(p.imports, name)
		if i.ours != "" {
			p.whole = append(p.whole, i.ours)
		}
	}
}

func (c *cutter) offset(p token.Pos) int { return c.set.PositionFor(p, false).Offset }

func (c *cutter) between(from, to token.Pos) string {
	return string(c.data[c.offset(from):c.offset(to)])
}

// cut makes the piece p of the text between the positions from and to. If doc is not nil, the piece
// begins at this comment. If only a comment follows on the last line, the piece ends at the end of
// that line.
func (c *cutter) cut(p *piece, doc *ast.CommentGroup, from, to token.Pos) {
	if doc != nil {
		from = doc.Pos()
	}
	end := c.offset(to)
	line := string(c.data[end:])
	if i := strings.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	if rest := strings.TrimSpace(line); rest == "" || strings.HasPrefix(rest, "//") {
		end += len(line)
	}
	start := c.offset(from)
	if gap := strings.TrimSpace(string(c.data[c.at:start])); gap != "" && gap != ";" {
		p.gap = gap
		c.section++
	}
	p.file, p.section = c.source, c.section
	p.text, p.from = string(c.data[start:end]), start
	c.at = max(c.at, end)
	c.pieces = append(c.pieces, p)
}

// decl divides a declaration into pieces.
func (c *cutter) decl(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		p := &piece{}
		switch {
		case d.Recv != nil:
			p.receiver, p.method = typeName(d.Recv.List[0].Type), d.Name.Name
		case d.Name.Name == "init":
			p.effect = true
		default:
			p.names = []string{d.Name.Name}
		}
		if d.Body == nil { // implemented in assembly
			p.mentions = append(p.mentions, d.Name.Name)
		}
		c.show(p, d.Type)
		c.needs(p, d)
		c.directives(p, d.Doc)
		c.cut(p, d.Doc, d.Pos(), d.End())
	case *ast.GenDecl:
		if d.Tok == token.IMPORT {
			c.at = c.offset(d.End())
			return
		}
		if !d.Lparen.IsValid() || bound(d) {
			p := &piece{}
			for _, s := range d.Specs {
				c.spec(p, s)
				c.directives(p, specDoc(s))
			}
			c.directives(p, d.Doc)
			c.cut(p, d.Doc, d.Pos(), d.End())
			return
		}
		c.grouped(d)
	}
}

// grouped turns each line of a declaration in parentheses into a piece.
func (c *cutter) grouped(d *ast.GenDecl) {
	g := &group{token: d.Tok.String()}
	from := d.Pos()
	if d.Doc != nil {
		g.doc, from = c.between(d.Doc.Pos(), d.Doc.End()), d.Doc.Pos()
	}
	outside := strings.TrimSpace(string(c.data[c.at:c.offset(from)]))
	c.section++
	c.at = c.offset(d.Lparen) + 1
	for i, s := range d.Specs {
		p := &piece{group: g}
		c.spec(p, s)
		c.directives(p, specDoc(s))
		c.cut(p, specDoc(s), s.Pos(), s.End())
		if i == 0 && outside != "" {
			g.doc = strings.TrimSpace(outside + "\n\n" + g.doc)
		}
	}
	c.at = c.offset(d.End())
	c.section++
}

// bound reports whether the lines of a declaration of constants depend on each other.
func bound(d *ast.GenDecl) bool {
	if d.Tok != token.CONST {
		return false
	}
	found := false
	for _, s := range d.Specs {
		s := s.(*ast.ValueSpec)
		found = found || len(s.Values) == 0
		ast.Inspect(s, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			found = found || ok && id.Name == "iota" && id.Obj == nil
			return true
		})
	}
	return found
}

func specDoc(s ast.Spec) *ast.CommentGroup {
	switch s := s.(type) {
	case *ast.TypeSpec:
		return s.Doc
	case *ast.ValueSpec:
		return s.Doc
	}
	return nil
}

// spec records the names that a line of a declaration declares and needs.
func (c *cutter) spec(p *piece, s ast.Spec) {
	c.needs(p, s)
	switch s := s.(type) {
	case *ast.TypeSpec:
		p.names, p.isType = append(p.names, s.Name.Name), true
		if s.Assign.IsValid() {
			p.alias = typeName(s.Type)
		}
		c.show(p, s.Type)
	case *ast.ValueSpec:
		for _, n := range s.Names {
			if n.Name != "_" {
				p.names = append(p.names, n.Name)
			}
		}
		if s.Type != nil {
			c.show(p, s.Type)
		}
		for _, v := range s.Values {
			c.initialize(p, v)
		}
	}
}

// directives records the directives to the compiler in a comment.
func (c *cutter) directives(p *piece, doc *ast.CommentGroup) {
	if doc == nil {
		return
	}
	for _, line := range doc.List {
		if names, ok := strings.CutPrefix(line.Text, "//go:embed "); ok {
			for _, n := range strings.Fields(names) {
				p.embeds = append(p.embeds, path.Join(c.pkg, n))
			}
		}
		if strings.HasPrefix(line.Text, "//go:linkname ") {
			p.effect = true
			p.whole = append(p.whole, c.pkg)
		}
	}
}

// typeName returns the name of the type that the expression x denotes. It ignores pointers,
// parentheses and type arguments around the name. It returns "" for a type without a name, and for
// a type of another package.
func typeName(x ast.Expr) string {
	for {
		switch t := x.(type) {
		case *ast.StarExpr:
			x = t.X
		case *ast.ParenExpr:
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

// needs records the names that a declaration mentions.
func (c *cutter) needs(p *piece, n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if i, name, ok := c.qualifier(n); ok {
				p.imports = append(p.imports, name)
				c.found[name] = true
				if i.ours != "" {
					p.uses = append(p.uses, reference{i.ours, n.Sel.Name})
				}
				return false
			}
			p.selects = append(p.selects, n.Sel.Name)
			c.needs(p, n.X)
			return false
		case *ast.InterfaceType:
			for _, m := range n.Methods.List {
				for _, name := range m.Names {
					p.selects = append(p.selects, name.Name)
				}
			}
		case *ast.Ident:
			if n.Obj == nil || c.file.Scope.Lookup(n.Name) == n.Obj {
				p.mentions = append(p.mentions, n.Name)
			}
		}
		return true
	})
}

// qualifier handles a selector such as fmt.Println. It returns the import with the name before the
// dot, and that name. It returns false if the text before the dot is not the name of an import.
func (c *cutter) qualifier(n *ast.SelectorExpr) (imported, string, bool) {
	x, ok := n.X.(*ast.Ident)
	if !ok || x.Obj != nil {
		return imported{}, "", false
	}
	i, ok := c.imports[x.Name]
	return i, x.Name, ok
}

// show records the types that are visible to users of a declaration.
func (c *cutter) show(p *piece, x ast.Expr) {
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			hidden := len(n.Names) > 0 && !slices.ContainsFunc(n.Names, func(id *ast.Ident) bool { return id.IsExported() })
			if _, isStruct := x.(*ast.StructType); isStruct && hidden {
				return false
			}
		case *ast.SelectorExpr:
			if i, _, ok := c.qualifier(n); ok && i.ours != "" {
				p.shown = append(p.shown, reference{i.ours, n.Sel.Name})
			}
			return false
		case *ast.Ident:
			p.shown = append(p.shown, reference{c.pkg, n.Name})
		}
		return true
	})
}

// harmless lists packages of the standard library whose functions change nothing except their
// results and arguments.
var harmless = []string{"errors", "fmt", "math", "math/big", "math/bits", "math/cmplx", "reflect", "regexp", "slices", "strconv", "strings", "sync", "unicode", "unsafe"}

// initialize records the calls in a variable's initial value. A function literal is not a call.
func (c *cutter) initialize(p *piece, v ast.Expr) {
	ast.Inspect(v, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.UnaryExpr:
			p.effect = p.effect || n.Op == token.ARROW
		case *ast.CallExpr:
			c.call(p, n.Fun)
		}
		return true
	})
}

// call records a call of x, or a conversion to type x.
func (c *cutter) call(p *piece, x ast.Expr) {
	switch x := x.(type) {
	case *ast.ParenExpr:
		c.call(p, x.X)
	case *ast.IndexExpr:
		c.call(p, x.X)
	case *ast.IndexListExpr:
		c.call(p, x.X)
	case *ast.ArrayType, *ast.MapType, *ast.FuncType, *ast.InterfaceType, *ast.StructType, *ast.ChanType, *ast.StarExpr: // conversions
	case *ast.Ident:
		if !predeclared(x.Name) {
			p.calls = append(p.calls, x.Name)
		}
	case *ast.SelectorExpr:
		i, _, ok := c.qualifier(x)
		p.effect = p.effect || !ok || !slices.Contains(harmless, i.path)
	default:
		p.effect = true
	}
}

// predeclared reports whether name is a predeclared function or type whose call has no effect other
// than its result.
func predeclared(name string) bool {
	switch name {
	case "append", "cap", "complex", "copy", "imag", "len", "make", "max", "min", "new", "real",
		"bool", "byte", "complex64", "complex128", "error", "float32", "float64", "int", "int8", "int16", "int32", "int64",
		"rune", "string", "uint", "uint8", "uint16", "uint32", "uint64", "uintptr", "any":
		return true
	}
	return false
}
