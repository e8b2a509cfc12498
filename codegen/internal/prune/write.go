package prune

import (
	"bytes"
	"fmt"
	"go/format"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Options describe how to write copies.
type Options struct {
	// As is the path by which the copies import the module.
	As string
	// Header returns the comment at the head of a copied file. The parameters are the package, and
	// the names of the original files.
	Header func(pkg string, from []string) string
	// Without lists processors, as values of GOARCH, whose files are omitted. Builds for these
	// processors use the files that are meant for processors without assembly.
	Without []string
}

// longest is the largest number of lines of a file that is made by joining several files.
const longest = 600

// Files returns the contents of the kept files, keyed by their paths in the module. Files of one
// package with the same build constraint are joined, up to a number of lines. The joined file has
// the name of the first one. Embedded files are copied unchanged.
func (s *Set) Files(o *Options) (map[string][]byte, error) {
	out := map[string][]byte{}
	for _, pkg := range slices.Sorted(maps.Keys(s.live)) {
		w := &writer{set: s, o: o, out: out, pkg: pkg}
		if err := w.write(s.tree.packages[pkg]); err != nil {
			return nil, err
		}
	}
	for _, name := range s.Embeds() {
		data, err := fs.ReadFile(s.tree.files, name)
		if err != nil {
			return nil, err
		}
		out[name] = data
	}
	return out, nil
}

// writer writes a package.
type writer struct {
	set *Set
	o   *Options
	out map[string][]byte
	pkg string
	doc string // the package's comment; "" once a file contains it
}

// part is the kept part of a file.
type part struct {
	file    *source
	build   string
	text    string
	imports map[string]imported
	embeds  bool
}

// write writes the files of a package.
func (w *writer) write(p *pack) error {
	open := map[string][]*part{} // by platform
	var platforms []string
	for _, f := range p.files {
		if f.doc != "" && w.doc == "" {
			w.doc = firstParagraph(f.doc)
		}
		build, ok := f.without(w.o.Without)
		if !ok {
			continue
		}
		part := w.part(f, build)
		if part == nil {
			continue
		}
		if path.Ext(f.name) != ".go" {
			if err := w.assembly(part); err != nil {
				return err
			}
			continue
		}
		key := build + " " + platformOf(f.name)
		if open[key] == nil {
			platforms = append(platforms, key)
		}
		open[key] = append(open[key], part)
	}
	slices.Sort(platforms) // files for all platforms, which have no constraint, come first
	for _, key := range platforms {
		if err := w.together(open[key]); err != nil {
			return err
		}
	}
	return nil
}

// firstParagraph returns the first paragraph of a package's comment. The rest mentions names that
// may have been dropped.
func firstParagraph(doc string) string {
	first, _, _ := strings.Cut(doc, "\n//\n")
	return first
}

// platformOf returns the platform in the name of a file.
func platformOf(name string) string {
	base := strings.TrimSuffix(name, path.Ext(name))
	i := strings.LastIndexByte(base, '_')
	if i < 0 || !slices.Contains(platformNames, base[i+1:]) {
		return ""
	}
	if j := strings.LastIndexByte(base[:i], '_'); j >= 0 && slices.Contains(platformNames, base[j+1:i]) {
		i = j
	}
	return base[i+1:]
}

// platformNames are values of GOOS and GOARCH.
var platformNames = strings.Fields("aix android darwin dragonfly freebsd illumos ios js linux netbsd openbsd plan9 solaris wasip1 windows " +
	"386 amd64 arm arm64 loong64 mips mips64 mips64le mipsle ppc64 ppc64le riscv64 s390x wasm")

// part reduces a file to its kept part. It returns nil if nothing is kept.
func (w *writer) part(f *source, build string) *part {
	out := &part{file: f, build: build, imports: map[string]imported{}}
	var b strings.Builder
	var inside *group
	gap, section := "", -1
	leave := func() {
		if inside != nil {
			b.WriteString(")\n")
		}
		inside = nil
	}
	for _, p := range f.pieces {
		if p.section != section {
			gap, section = "", p.section
		}
		if p.gap != "" {
			gap = p.gap
		}
		if !w.set.kept[p] {
			continue
		}
		if p.group != inside {
			leave()
			b.WriteString("\n")
			if inside = p.group; inside != nil {
				if inside.doc != "" {
					b.WriteString(inside.doc + "\n")
				}
				b.WriteString(inside.token + " (\n")
			}
		}
		if gap != "" {
			if !strings.HasSuffix(b.String(), "(\n") {
				b.WriteString("\n")
			}
			b.WriteString(gap + "\n\n")
			gap = ""
		}
		if inside == nil {
			b.WriteString("\n")
		}
		b.WriteString(p.text + "\n")
		for _, name := range p.imports {
			out.imports[name] = f.imports[name]
		}
		out.embeds = out.embeds || len(p.embeds) > 0
	}
	leave()
	if b.Len() == 0 {
		return nil
	}
	out.text = generateLine.ReplaceAllString(b.String(), "")
	return out
}

// generateLine matches a directive of go generate. Copies have no such directives, because the
// programs that they run are not copied.
var generateLine = regexp.MustCompile(`(?m)^//go:generate .*\n`)

// together writes parts that have the same build constraint. It joins several parts into one file
// if the file does not become too long and no two imports conflict.
func (w *writer) together(parts []*part) error {
	for len(parts) > 0 {
		n, lines := 1, strings.Count(parts[0].text, "\n")
		for n < len(parts) && agree(parts[:n], parts[n]) {
			lines += strings.Count(parts[n].text, "\n")
			if lines > longest-60 { // 60 lines are left for headers and imports
				break
			}
			n++
		}
		if err := w.file(parts[:n]); err != nil {
			return err
		}
		parts = parts[n:]
	}
	return nil
}

// agree reports whether p and the other parts can be in one file. They cannot if a name refers to
// one import in p and to a different import in another part.
func agree(parts []*part, p *part) bool {
	for _, q := range parts {
		for name, i := range p.imports {
			if j, ok := q.imports[name]; ok && j != i {
				return false
			}
		}
	}
	return true
}

// file writes a Go file.
func (w *writer) file(parts []*part) error {
	first := parts[0].file
	from := path.Join(w.pkg, first.name)
	var names []string
	for _, p := range parts {
		names = append(names, p.file.name)
	}
	var b bytes.Buffer
	b.WriteString(w.o.Header(w.pkg, names) + "\n\n")
	if parts[0].build != "" {
		b.WriteString(parts[0].build + "\n\n")
	}
	if parts[0].build == "" && w.doc != "" {
		b.WriteString(w.doc + "\n")
		w.doc = ""
	}
	fmt.Fprintf(&b, "package %s\n\n", first.clause)
	w.imports(&b, parts)
	for i, p := range parts {
		if i > 0 {
			fmt.Fprintf(&b, "\n// From %s.\n\n", p.file.name)
		}
		b.WriteString(p.text)
	}
	text, err := format.Source(b.Bytes())
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	w.out[from] = text
	return nil
}

// imports writes the imports of parts, with the standard library first.
func (w *writer) imports(b *bytes.Buffer, parts []*part) {
	std, ours := map[string]bool{}, map[string]bool{}
	for _, p := range parts {
		if p.embeds {
			std[`_ "embed"`] = true
		}
		for _, i := range p.imports {
			line := strconv.Quote(i.path)
			if i.ours != "" {
				line = strconv.Quote(w.o.As + "/" + i.ours)
			}
			if i.alias != "" {
				line = i.alias + " " + line
			}
			if i.ours != "" {
				ours[line] = true
			} else {
				std[line] = true
			}
		}
	}
	first, second := slices.Sorted(maps.Keys(std)), slices.Sorted(maps.Keys(ours))
	switch all := append(first, second...); {
	case len(all) == 1:
		b.WriteString("import " + all[0] + "\n\n")
	case len(all) > 1:
		fmt.Fprintf(b, "import (\n%s\n\n%s\n)\n\n", strings.Join(first, "\n"), strings.Join(second, "\n"))
	}
}

// assembly writes a file of assembly, or a header that such a file includes.
func (w *writer) assembly(p *part) error {
	from := path.Join(w.pkg, p.file.name)
	var b bytes.Buffer
	b.WriteString(w.o.Header(w.pkg, []string{p.file.name}) + "\n\n")
	if len(p.file.pieces) == 1 { // unchanged, except for its constraint
		b.WriteString(strings.Replace(p.file.pieces[0].text, p.file.build, p.build, 1))
		w.out[from] = b.Bytes()
		return nil
	}
	if p.build != "" {
		b.WriteString(p.build + "\n\n")
	}
	b.WriteString(asmHead(p.file))
	b.WriteString(p.text)
	w.out[from] = bytes.TrimRight(b.Bytes(), "\n")
	w.out[from] = append(w.out[from], '\n')
	return nil
}
