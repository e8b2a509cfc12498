package ptx

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Version and Target head each module. They are the oldest that accept the compiled code.
const (
	Version = "8.0"
	Target  = "sm_80"
)

// Text returns a module with this entry and the variables it uses.
func (f *Func) Text() (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, ".version %s\n.target %s\n.address_size 64\n", Version, Target)
	for _, g := range f.globals() {
		b.WriteString(f.module.Globals[g] + "\n")
	}
	fmt.Fprintf(&b, ".visible .entry %s(", f.Name)
	for i, t := range f.Types {
		if t != "u64" && t != "b64" && t != "f64" && t != "s64" {
			return "", fmt.Errorf("ptx: %s: parameter %d is of type %s: all have 8 bytes", f.Name, i, t)
		}
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, ".param .%s p%d", t, i)
	}
	b.WriteString(")\n")
	for _, h := range f.Hints {
		b.WriteString(h + "\n")
	}
	b.WriteString("{\n")
	short := f.shorten("")
	rename := map[string]string{}
	for i, p := range f.Params {
		rename[p] = fmt.Sprintf("p%d", i)
	}
	for _, d := range f.decls {
		if v := variable.FindStringSubmatch(d); v != nil { // of shared memory
			rename[v[1]] = fmt.Sprintf("s%d", len(rename))
		}
	}
	for _, st := range slices.Concat(f.decls, f.body) {
		b.WriteString(short(names.ReplaceAllStringFunc(st, func(n string) string {
			if to, ok := rename[n]; ok {
				return to
			}
			return n
		})) + "\n")
	}
	b.WriteString("}\n")
	return b.String(), nil
}

var names = regexp.MustCompile(`[\w$]+`)

var labels = regexp.MustCompile(`\$L\w+`)

// shorten returns a function that gives labels short names, numbered by position.
func (f *Func) shorten(prefix string) func(string) string {
	names := map[string]string{}
	for _, st := range f.body {
		if strings.HasSuffix(st, ":") {
			l := strings.TrimSuffix(st, ":")
			names[l] = fmt.Sprintf("%sL%d", prefix, len(names))
		}
	}
	return func(s string) string {
		return labels.ReplaceAllStringFunc(s, func(l string) string {
			if n, ok := names[l]; ok {
				return n
			}
			return l
		})
	}
}

// Fragment returns a function's body for inclusion in other code. #0, #1, … stand for the
// arguments and #= for the register of the result. # alone begins the body's own names.
func (f *Func) Fragment() (text string, globals []string) {
	values := make([]string, len(f.Params))
	for i := range values {
		values[i] = fmt.Sprintf("#%d", i)
	}
	const own = "QQ" // names that the compiler makes never begin with this prefix
	_, decls, body := f.paste(own, values, "#=")
	short := (&Func{body: body}).shorten(own)
	var b strings.Builder
	for _, s := range slices.Concat(decls, body) {
		b.WriteString(strings.ReplaceAll(short(s), own, "#") + "\n")
	}
	return b.String(), f.globals()
}
