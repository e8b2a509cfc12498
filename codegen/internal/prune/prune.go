// Package prune finds the parts of the run time and the kernels that a program reaches. It copies
// the files of the run time and the kernels, reduced to these parts.
//
// Declarations, methods and symbols of assembly are kept or dropped one by one. If a declaration is
// kept, everything that it mentions is kept. Mentions are found by name, for all platforms and
// build tags at once. If several files declare a name, each for some processors, all these
// declarations are kept. If a name could mean several things, all of them are kept.
package prune

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Tree is the source of a module.
type Tree struct {
	files    fs.FS
	module   string // its import path
	packages map[string]*pack
}

// New returns the tree of the module with this import path. The file system contains the module's
// files. Paths in the file system are relative to the root of the module.
func New(files fs.FS, module string) *Tree {
	return &Tree{files: files, module: module, packages: map[string]*pack{}}
}

// pack is a package of the module.
type pack struct {
	path    string
	files   []*source
	names   map[string][]*piece // the declarations of each name
	methods map[string][]*piece // the methods of a type
	types   map[string]bool
}

// EachFile calls f for each file of a package with one of the extensions, except tests.
func EachFile(files fs.FS, pkg string, f func(name string, src []byte) error, exts ...string) error {
	entries, err := fs.ReadDir(files, pkg)
	if err != nil {
		return fmt.Errorf("the sources of %s are not part of graphc: %w", pkg, err)
	}
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() || !slices.Contains(exts, path.Ext(name)) || strings.HasSuffix(name, "_test.go") {
			continue
		}
		src, err := fs.ReadFile(files, path.Join(pkg, name))
		if err == nil {
			err = f(name, src)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// open reads a package, for all platforms.
func (t *Tree) open(pkg string) (*pack, error) {
	if p, ok := t.packages[pkg]; ok {
		return p, nil
	}
	p := &pack{path: pkg, names: map[string][]*piece{}, methods: map[string][]*piece{}, types: map[string]bool{}}
	err := EachFile(t.files, pkg, func(name string, src []byte) error {
		switch path.Ext(name) {
		case ".h":
			s := &source{pkg: pkg, name: name, data: src}
			s.pieces = []*piece{{file: s, text: string(src), names: []string{header + name}}}
			p.files = append(p.files, s)
		case ".s":
			p.files = append(p.files, assemblyFile(pkg, name, src))
		default:
			if needsTag(buildLine(src), "cuda") { // such a file imports packages of other modules
				return nil
			}
			s, err := goFile(pkg, name, src, t.module)
			if err != nil {
				return err
			}
			p.files = append(p.files, s)
		}
		return nil
	}, ".go", ".s", ".h")
	if err != nil {
		return nil, err
	}
	p.index()
	t.packages[pkg] = p
	return p, nil
}

// index records which pieces declare each name.
func (p *pack) index() {
	alias := map[string]string{}
	for _, f := range p.files {
		for _, d := range f.pieces {
			for _, n := range d.names {
				p.names[n] = append(p.names[n], d)
				p.types[n] = p.types[n] || d.isType
			}
			if d.alias != "" {
				alias[d.names[0]] = d.alias
			}
		}
	}
	for _, f := range p.files {
		for _, d := range f.pieces {
			if d.receiver != "" {
				for t, n := d.receiver, 0; t != "" && n <= len(alias); t, n = alias[t], n+1 { // an alias has its type's methods
					p.methods[t] = append(p.methods[t], d)
				}
			}
			d.effect = d.effect || slices.ContainsFunc(d.calls, func(name string) bool { return !p.types[name] })
		}
	}
}

// Set is the kept part of a tree.
type Set struct {
	tree    *Tree
	kept    map[*piece]bool
	todo    []*piece
	live    map[string]bool     // packages that are imported
	wanted  map[string]bool     // names of methods that kept code calls, on any type
	waiting map[string][]*piece // methods of kept types that nothing calls yet, by name
	seen    map[reference]bool  // types whose methods users of the package may call
}

// Reach returns all declarations of the tree that the given Go files need. These files are not part
// of the tree. The last parameter is the path by which they import the module. If an exported
// declaration of the files mentions a type, the type is kept with its methods. If the files import
// a package, the names that the package's doc.go lists for programs are kept, too.
func (t *Tree) Reach(files map[string][]byte, as string) (*Set, error) {
	s := t.empty()
	var direct []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if path.Ext(name) != ".go" {
			continue
		}
		f, err := goFile("", name, files[name], as)
		if err != nil {
			return nil, err
		}
		for _, i := range f.imports {
			if i.ours != "" {
				direct = append(direct, i.ours)
			}
		}
		for _, p := range f.pieces {
			if err := s.follow(p); err != nil {
				return nil, err
			}
			if slices.ContainsFunc(p.names, exported) || exported(p.method) {
				if err := s.expose(p.shown); err != nil {
					return nil, err
				}
			}
		}
	}
	slices.Sort(direct)
	for _, pkg := range slices.Compact(direct) {
		if err := s.promised(pkg); err != nil {
			return nil, err
		}
	}
	return s, s.rest()
}

// From returns everything that declarations reach. Each declaration is given by the path of its
// package and its name.
func (t *Tree) From(declarations map[[2]string]bool) (*Set, error) {
	s := t.empty()
	for d := range declarations {
		p, err := s.open(d[0])
		if err != nil {
			return nil, err
		}
		s.keep(p.names[d[1]]...)
	}
	return s, s.rest()
}

func (t *Tree) empty() *Set {
	s := &Set{tree: t, kept: map[*piece]bool{}, live: map[string]bool{}, wanted: map[string]bool{}, waiting: map[string][]*piece{}, seen: map[reference]bool{}}
	for _, m := range interfaces {
		s.wanted[m] = true
	}
	return s
}

// Embeds returns the files that kept pieces embed, by their paths in the module.
func (s *Set) Embeds() []string {
	var out []string
	for p := range s.kept {
		out = append(out, p.embeds...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func exported(name string) bool { return name != "" && name[0] >= 'A' && name[0] <= 'Z' }

// interfaces lists the methods that the standard library calls on types of the module.
var interfaces = strings.Fields("Close Deadline Done Err Value Error Format GoString Is As Unwrap Len Less Swap Lock Unlock Pop Push Read " +
	"ReadAt ReadByte ReadFrom ReadRune Seek Set String SyscallConn Timeout UnreadByte UnreadRune Write WriteAt " +
	"WriteString WriteTo MarshalJSON MarshalText UnmarshalJSON UnmarshalText Open Stat Name Size Mode ModTime " +
	"IsDir Sys ReadDir ReadFile Info Type")

// forPrograms matches a name in a package's list of names for programs that call a model.
var forPrograms = regexp.MustCompile(`\[([A-Z]\w*)\]`)

// promised keeps the names that a package provides for programs that call a model. Programs in the
// folder of the emitted package may import the copy of the package and use these names.
func (s *Set) promised(pkg string) error {
	p, err := s.open(pkg)
	if err != nil {
		return err
	}
	for _, f := range p.files {
		if f.name != "doc.go" {
			continue
		}
		_, list, _ := strings.Cut(f.doc, "# For programs")
		list, _, _ = strings.Cut(list, "# For emitted code")
		for _, m := range forPrograms.FindAllStringSubmatch(list, -1) {
			if len(p.names[m[1]]) == 0 {
				return fmt.Errorf("%s does not declare %s, which its doc.go lists for programs", pkg, m[1])
			}
			s.keep(p.names[m[1]]...)
			if err := s.expose([]reference{{pkg, m[1]}}); err != nil {
				return err
			}
		}
	}
	return nil
}

// expose keeps the exported methods of types, and of the types visible through them.
func (s *Set) expose(list []reference) error {
	for len(list) > 0 {
		t := list[0]
		list = list[1:]
		if s.seen[t] || t.pkg == "" {
			continue
		}
		s.seen[t] = true
		p, err := s.open(t.pkg)
		if err != nil {
			return err
		}
		for _, d := range p.names[t.name] {
			list = append(list, d.shown...)
		}
		for _, m := range p.methods[t.name] {
			if exported(m.method) {
				s.keep(m)
				list = append(list, m.shown...)
			}
		}
	}
	return nil
}

// keep keeps pieces.
func (s *Set) keep(pieces ...*piece) {
	for _, p := range pieces {
		if !s.kept[p] {
			s.kept[p] = true
			s.todo = append(s.todo, p)
		}
	}
}

// rest keeps everything that the kept pieces need, transitively.
func (s *Set) rest() error {
	for len(s.todo) > 0 {
		p := s.todo[len(s.todo)-1]
		s.todo = s.todo[:len(s.todo)-1]
		if err := s.follow(p); err != nil {
			return err
		}
	}
	return nil
}

// follow keeps what a piece needs.
func (s *Set) follow(p *piece) error {
	for _, pkg := range p.whole {
		q, err := s.open(pkg)
		if err != nil {
			return err
		}
		for _, f := range q.files {
			s.keep(f.pieces...)
		}
	}
	for _, r := range p.uses {
		q, err := s.open(r.pkg)
		if err != nil {
			return err
		}
		if len(q.names[r.name]) == 0 {
			return fmt.Errorf("%s mentions %s.%s, which is not declared", path.Join(p.file.pkg, p.file.name), r.pkg, r.name)
		}
		s.keep(q.names[r.name]...)
	}
	for _, m := range p.selects {
		s.want(m)
	}
	if p.file.pkg == "" {
		return nil
	}
	q, err := s.open(p.file.pkg)
	if err != nil {
		return err
	}
	for _, name := range p.mentions {
		s.keep(q.names[name]...) // predeclared names and imports have no pieces
	}
	if p.receiver != "" {
		s.keep(q.names[p.receiver]...)
	}
	if p.isType {
		for _, m := range q.methods[p.names[0]] {
			if s.wanted[m.method] {
				s.keep(m)
			} else {
				s.waiting[m.method] = append(s.waiting[m.method], m)
			}
		}
	}
	return nil
}

// want keeps all methods with this name that belong to kept types. If a type is kept later, its
// method with this name is kept, too.
func (s *Set) want(method string) {
	if !s.wanted[method] {
		s.wanted[method] = true
		s.keep(s.waiting[method]...)
		delete(s.waiting, method)
	}
}

// open returns a package that something imports. It also keeps the declarations of the package that
// have an effect when a program starts.
func (s *Set) open(pkg string) (*pack, error) {
	p, err := s.tree.open(pkg)
	if err != nil || s.live[pkg] {
		return p, err
	}
	s.live[pkg] = true
	for _, f := range p.files {
		for _, d := range f.pieces {
			if d.effect {
				s.keep(d)
			}
		}
	}
	return p, nil
}
