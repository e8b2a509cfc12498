package prune

import (
	"regexp"
	"slices"
	"strings"
)

// header is used in the names of two kinds of pieces. An included file has the name #file.h. A
// symbol that is visible only in the assembly file f.s has the name f.s#symbol.
const header = "#"

var (
	asmSymbol  = regexp.MustCompile(`([\p{L}\p{N}_∕.~-]*)·([\p{L}\p{N}_]+)`)
	asmLocal   = regexp.MustCompile(`([\p{L}\p{N}_]+)<>`)
	asmDefines = regexp.MustCompile(`^(?:TEXT|GLOBL|DATA)[ \t]+(·?)([\p{L}\p{N}_]+)(<>)?`)
	asmInclude = regexp.MustCompile(`(?m)^#include[ \t]+"([^"]+)"`)
)

// assemblyFile reads a file of assembly and divides it into pieces. Each function and each table is
// a piece. A file that defines macros is a single piece.
func assemblyFile(pkg, name string, src []byte) *source {
	s := &source{pkg: pkg, name: name, data: src, build: buildLine(src)}
	lines := slices.Collect(strings.Lines(string(src)))
	begin := len(lines) // the line at which the first piece begins
	var at []int        // lines at which pieces begin, with the preceding comments
	var last string
	macros := false
	for i, line := range lines {
		macros = macros || strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "#include")
		m := asmDefines.FindStringSubmatch(line)
		if m == nil || m[2] == last && !strings.HasPrefix(line, "TEXT") {
			continue
		}
		last = m[2]
		from := i
		for from > 0 && strings.HasPrefix(lines[from-1], "//") && !strings.HasPrefix(lines[from-1], "//go:build") {
			from--
		}
		at = append(at, from)
		begin = min(begin, from)
	}
	head := strings.Join(lines[:begin], "")
	if macros || len(at) < 2 {
		s.pieces = []*piece{s.symbol(string(src), head)}
		return s
	}
	for k, from := range at {
		to := len(lines)
		if k+1 < len(at) {
			to = at[k+1]
		}
		p := s.symbol(strings.Join(lines[from:to], ""), head)
		p.text = strings.TrimRight(p.text, "\n") + "\n"
		s.pieces = append(s.pieces, p)
	}
	return s
}

// symbol returns a piece that consists of the given text of assembly. The parameter head is the
// text of the file before its first piece.
func (s *source) symbol(text, head string) *piece {
	p := &piece{file: s, text: text}
	for line := range strings.Lines(text) {
		if m := asmDefines.FindStringSubmatch(line); m != nil {
			if m[3] != "" { // the symbol is local to this file
				m[2] = s.local(m[2])
			}
			p.names = append(p.names, m[2])
		}
	}
	for _, m := range asmSymbol.FindAllStringSubmatch(text, -1) {
		p.mentions = append(p.mentions, m[2])
		if m[1] != "" { // of another package
			p.whole = []string{s.pkg}
		}
	}
	for _, m := range asmLocal.FindAllStringSubmatch(text, -1) {
		p.mentions = append(p.mentions, s.local(m[1]))
	}
	for _, m := range asmInclude.FindAllStringSubmatch(head, -1) {
		p.mentions = append(p.mentions, header+m[1])
		if m[1] == "go_asm.h" { // go_asm.h has all constants of the package
			p.whole = []string{s.pkg}
		}
	}
	slices.Sort(p.names)
	p.names = slices.Compact(p.names)
	slices.Sort(p.mentions)
	p.mentions = slices.Compact(p.mentions)
	return p
}

// local returns the name, unique in the package, of a symbol that is local to this file.
func (s *source) local(name string) string { return s.name + header + name }

// asmHead returns the #include lines of a file of assembly.
func asmHead(s *source) string {
	var b strings.Builder
	for _, m := range asmInclude.FindAllString(string(s.data), -1) {
		b.WriteString(m + "\n")
	}
	return b.String()
}
