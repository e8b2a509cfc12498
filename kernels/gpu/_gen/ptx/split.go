// Package ptx splits the compiler's PTX modules into self-contained entries, and into
// function bodies that other code includes.
package ptx

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Func is an entry or a device function.
type Func struct {
	Name    string
	Entry   bool
	Params  []string // names
	Types   []string // types of the parameters, for example u64
	Hints   []string // directives between the parameters and the body, for example ".maxntid 256, 1, 1"
	decls   []string // declarations of registers and of memory
	body    []string // statements and labels
	module  *Module
	inlined bool
}

// Module is a translation unit.
type Module struct {
	Funcs   []*Func
	Globals map[string]string // map from the name of each global variable to its declaration
	funcs   map[string]*Func
}

var (
	comment  = regexp.MustCompile(`//[^\n]*`)
	variable = regexp.MustCompile(`^(?:\.visible |\.weak )?\.(?:global|const|shared)(?: \.align \d+)? \.\w+ ([\w$]+)`)
	external = regexp.MustCompile(`^\.extern \.shared(?: \.align \d+)? \.\w+ ([\w$]+)\[\]`)
	header   = regexp.MustCompile(`^(?:\.visible |\.weak )?\.(func|entry) *(?:\([^)]*\) *)?([\w$]+) *\(([^)]*)\)`)
	param    = regexp.MustCompile(`\.param(?: \.align \d+)? \.(\w+) (?:\.ptr[^,]*? )?([\w$]+)`)
	spaces   = regexp.MustCompile(`\s+`)
)

// Parse parses a module in the form that NVRTC writes.
func Parse(src string) (*Module, error) {
	m := &Module{Globals: map[string]string{}, funcs: map[string]*Func{}}
	src = comment.ReplaceAllString(src, "")
	for src = strings.TrimSpace(src); src != ""; src = strings.TrimSpace(src) {
		if head := strings.Fields(src[:min(len(src), 40)])[0]; head == ".version" || head == ".target" || head == ".address_size" {
			_, src, _ = strings.Cut(src, "\n")
			continue
		}
		end := strings.IndexAny(src, ";{")
		if end < 0 {
			return nil, fmt.Errorf("ptx: %.80q", src)
		}
		item := squeeze(src[:end])
		if v := external.FindStringSubmatch(item); v != nil {
			m.Globals[v[1]], src = item+";", src[end+1:]
			continue
		}
		if v := variable.FindStringSubmatch(item); v != nil {
			semi := strings.IndexByte(src, ';')
			m.Globals[v[1]] = squeeze(src[:semi]) + ";"
			src = src[semi+1:]
			continue
		}
		h := header.FindStringSubmatch(item)
		if h == nil {
			return nil, fmt.Errorf("ptx: %.80q", item)
		}
		if src[end] == ';' { // a forward declaration
			src = src[end+1:]
			continue
		}
		f := &Func{Name: h[2], Entry: h[1] == "entry", module: m}
		for _, p := range param.FindAllStringSubmatch(h[3], -1) {
			f.Types, f.Params = append(f.Types, p[1]), append(f.Params, p[2])
		}
		if rest := strings.TrimSpace(item[len(h[0]):]); rest != "" {
			f.Hints = append(f.Hints, rest)
		}
		depth, i := 1, end+1
		for ; depth > 0; i++ {
			switch src[i] {
			case '{':
				depth++
			case '}':
				depth--
			}
		}
		if err := f.read(src[end+1 : i-1]); err != nil {
			return nil, err
		}
		src = src[i:]
		m.Funcs = append(m.Funcs, f)
		m.funcs[f.Name] = f
	}
	for _, f := range m.Funcs {
		if err := f.inline(); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func squeeze(s string) string { return strings.TrimSpace(spaces.ReplaceAllString(s, " ")) }

var (
	label  = regexp.MustCompile(`^(\$?[\w]+):`)
	pragma = regexp.MustCompile(`^\.pragma`)
	scoped = regexp.MustCompile(`^\.reg \.(\w+) ([%\w, ]+)$`)
)

// read splits a body into declarations and statements. Registers declared in inner scopes become
// registers of the function, one for each pair of type and name.
func (f *Func) read(body string) error {
	depth := 0
	rename := []map[string]string{nil}
	have := map[string]bool{}
	for body = strings.TrimSpace(body); body != ""; body = strings.TrimSpace(body) {
		switch {
		case body[0] == '{':
			depth++
			rename = append(rename, map[string]string{})
			body = body[1:]
			continue
		case body[0] == '}':
			depth--
			rename = rename[:len(rename)-1]
			body = body[1:]
			continue
		}
		if l := label.FindString(body); l != "" {
			f.body = append(f.body, l)
			body = body[len(l):]
			continue
		}
		end := strings.IndexByte(body, ';')
		if end < 0 {
			return fmt.Errorf("ptx: %s: %.60q", f.Name, body)
		}
		st := squeeze(body[:end])
		body = body[end+1:]
		switch {
		case pragma.MatchString(st):
		case strings.HasPrefix(st, ".param"):
			// A declaration for a call. It is dropped, because the inliner binds parameters by
			// name.
		case strings.HasPrefix(st, ".reg") && depth > 0:
			v := scoped.FindStringSubmatch(st)
			if v == nil {
				return fmt.Errorf("ptx: %s: a scope declares %q", f.Name, st)
			}
			for _, reg := range strings.Split(v[2], ",") {
				reg = strings.TrimSpace(reg)
				if reg == "temp_param_reg" {
					continue
				}
				n := "%" + strings.TrimLeft(reg, "%") + "_" + v[1]
				rename[depth][reg] = n
				if !have[n] {
					have[n] = true
					f.decls = append(f.decls, ".reg ."+v[1]+" "+n+";")
				}
			}
		case strings.HasPrefix(st, ".reg"), strings.HasPrefix(st, ".local"), strings.HasPrefix(st, ".shared"):
			f.decls = append(f.decls, st+";")
		case st == "":
		default:
			for d := depth; d > 0; d-- {
				for from, to := range rename[d] {
					st = replaceWord(st, from, to)
				}
			}
			f.body = append(f.body, st+";")
		}
	}
	return nil
}

// replaceWord replaces the word `from` by the word `to` in the string s, and returns the result.
// Occurrences of `from` inside longer words stay unchanged.
func replaceWord(s, from, to string) string {
	var b strings.Builder
	for {
		i := strings.Index(s, from)
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		end := i + len(from)
		whole := (i == 0 || !word(s[i-1])) && (end == len(s) || !word(s[end]))
		b.WriteString(s[:i])
		if whole {
			b.WriteString(to)
		} else {
			b.WriteString(from)
		}
		s = s[end:]
	}
}

func word(c byte) bool {
	return c == '_' || c == '$' || c == '%' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// globals returns the names of the module's variables that the function uses, sorted.
func (f *Func) globals() []string {
	var used []string
	text := strings.Join(f.body, "\n")
	for name := range f.module.Globals {
		if replaceWord(text, name, "") != text {
			used = append(used, name)
		}
	}
	slices.Sort(used)
	return used
}
