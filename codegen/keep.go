package codegen

import (
	"fmt"
	"go/ast"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A standalone package has copies of the files that its code reaches. What counts is files, not
// declarations: a file that is kept needs what any of its declarations mentions, since all of them are compiled.
// The answer holds for all platforms and build tags at once. A name that several files declare, each for some processors,
// keeps all of these files; and so assembly stays with the Go declarations of its functions.

// keeper finds the files that are reached.
type keeper struct {
	sources  fs.FS
	packages map[string]*sourcePackage
	kept     map[*sourceFile]bool
	todo     []*sourceFile
}

// sourcePackage is a package of this module.
type sourcePackage struct {
	path     string
	files    []*sourceFile
	declares map[string][]*sourceFile // the files that declare a name
	methods  map[string][]*sourceFile // the files with methods of a type
	live     bool
}

// reachable returns the files of packages of this module that emitted code needs, by package: its own files are given, and
// what it calls this module.
func reachable(sources fs.FS, emitted map[string][]byte, module string) (map[string][]*sourceFile, error) {
	k := &keeper{sources: sources, packages: map[string]*sourcePackage{}, kept: map[*sourceFile]bool{}}
	for _, name := range slices.Sorted(maps.Keys(emitted)) {
		if path.Ext(name) != ".go" {
			continue
		}
		f, err := goFile("", name, emitted[name], module)
		if err != nil {
			return nil, err
		}
		if err := k.follow(f); err != nil {
			return nil, err
		}
	}
	if err := k.promised(); err != nil {
		return nil, err
	}
	if err := k.rest(); err != nil {
		return nil, err
	}
	out := map[string][]*sourceFile{}
	for _, p := range k.packages {
		for _, f := range p.files {
			if k.kept[f] {
				out[p.path] = append(out[p.path], f)
			}
		}
	}
	return out, nil
}

// forPrograms is a name in the list of those that a package of the run time has for programs that call a model.
var forPrograms = regexp.MustCompile(`\[([A-Z]\w*)\]`)

// promised keeps what the packages of the run time that the package imports have for programs that call a model: those in
// the package's own folder may import them.
func (k *keeper) promised() error {
	for _, name := range slices.Sorted(maps.Keys(k.packages)) {
		p := k.packages[name]
		for _, f := range p.files {
			if f.name != "doc.go" {
				continue
			}
			_, list, _ := strings.Cut(string(f.data), "# For programs")
			list, _, _ = strings.Cut(list, "# For emitted code")
			for _, m := range forPrograms.FindAllStringSubmatch(list, -1) {
				if len(p.declares[m[1]]) == 0 {
					return fmt.Errorf("%s does not declare %s, which its doc.go lists for programs", name, m[1])
				}
				k.keep(p.declares[m[1]]...)
			}
		}
	}
	return nil
}

// keep keeps files.
func (k *keeper) keep(files ...*sourceFile) {
	for _, f := range files {
		if !k.kept[f] {
			k.kept[f] = true
			k.todo = append(k.todo, f)
		}
	}
}

// rest keeps what the kept files need, and what these need.
func (k *keeper) rest() error {
	for len(k.todo) > 0 {
		f := k.todo[0]
		k.todo = k.todo[1:]
		if err := k.follow(f); err != nil {
			return err
		}
	}
	return nil
}

// follow keeps what a file needs.
func (k *keeper) follow(f *sourceFile) error {
	for _, pkg := range f.whole {
		p, err := k.open(pkg)
		if err != nil {
			return err
		}
		k.keep(p.files...)
	}
	for _, r := range f.uses {
		p, err := k.open(r.pkg)
		if err != nil {
			return err
		}
		found := p.declares[r.name]
		if len(found) == 0 { // whatever it is, it is somewhere
			found = p.files
		}
		k.keep(found...)
	}
	if f.pkg == "" {
		return nil
	}
	p, err := k.open(f.pkg)
	if err != nil {
		return err
	}
	for _, name := range f.names {
		k.keep(p.declares[name]...) // nothing for names of the language and of imports
	}
	for _, t := range f.types {
		k.keep(p.methods[t]...)
	}
	if f.all {
		k.keep(p.files...)
	}
	return nil
}

// open returns a package, which something imports: what its initialization does counts from now on.
func (k *keeper) open(pkg string) (*sourcePackage, error) {
	p, ok := k.packages[pkg]
	if !ok {
		var err error
		if p, err = readPackage(k.sources, pkg); err != nil {
			return nil, err
		}
		k.packages[pkg] = p
	}
	if !p.live {
		p.live = true
		for _, f := range p.files {
			if f.effect {
				k.keep(f)
			}
		}
	}
	return p, nil
}

// readPackage reads the files of one package for all platforms.
func readPackage(sources fs.FS, pkg string) (*sourcePackage, error) {
	p := &sourcePackage{path: pkg, declares: map[string][]*sourceFile{}, methods: map[string][]*sourceFile{}}
	err := eachFile(sources, pkg, func(name string, src []byte) error {
		f := &sourceFile{pkg: pkg, name: name, data: src}
		switch {
		case path.Ext(name) == ".h":
			f.declared = []string{header + name}
		case path.Ext(name) == ".s":
			assemblyFile(f)
		case wantsCUDA(src):
			return nil
		default:
			var err error
			if f, err = goFile(pkg, name, src, Module); err != nil {
				return err
			}
		}
		p.files = append(p.files, f)
		return nil
	}, ".go", ".s", ".h")
	if err != nil {
		return nil, err
	}
	types := map[string]bool{}
	alias := map[string]string{}
	for _, f := range p.files {
		for _, n := range f.declared {
			p.declares[n] = append(p.declares[n], f)
		}
		for _, t := range f.types {
			types[t] = true
		}
		maps.Copy(alias, f.aliases)
	}
	for _, f := range p.files {
		for _, t := range f.receivers {
			for range len(alias) + 1 { // methods of an alias are those of its type
				p.methods[t] = append(p.methods[t], f)
				if alias[t] == "" {
					break
				}
				t = alias[t]
			}
		}
		f.effect = f.effect || slices.ContainsFunc(f.calls, func(name string) bool { return !types[name] })
	}
	return p, nil
}

// importsOf returns the packages of module that a file imports by the names that it has for them; blank and dot imports by themselves.
func importsOf(f *ast.File, module string) (named map[string]string, whole []string) {
	named = map[string]string{}
	for _, s := range f.Imports {
		full, _ := strconv.Unquote(s.Path.Value) // the parser has read it
		rest, ours := strings.CutPrefix(full, module+"/")
		switch {
		case !ours:
		case s.Name == nil:
			named[path.Base(rest)] = rest
		case s.Name.Name == "_" || s.Name.Name == ".":
			whole = append(whole, rest)
		default:
			named[s.Name.Name] = rest
		}
	}
	return named, whole
}
