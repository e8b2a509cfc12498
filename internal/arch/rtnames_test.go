package arch

import (
	"go/doc"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/graphc/graphc/internal/testkit"
)

// The headings of the two lists in the package comment of rt.
const (
	forPrograms = "# For programs"
	forEmitted  = "# For emitted code"
)

var linked = regexp.MustCompile(`\[([A-Z][A-Za-z0-9]*)\]`)

// TestRunTimeNames: each exported name of rt and its sub-packages is in one of the two lists in its
// package comment, for programs and for emitted code.
func TestRunTimeNames(t *testing.T) {
	for _, pkg := range []string{"rt", "rt/save", "rt/parts", "rt/devwork"} {
		t.Run(pkg, func(t *testing.T) { namesListed(t, pkg) })
	}
}

func namesListed(t *testing.T, pkg string) {
	p, _ := readPackage(t, filepath.Join(testkit.Root(t), pkg), pkg)
	programs, emitted, also := strings.Cut(p.Doc, forEmitted)
	if _, programs, _ = strings.Cut(programs, forPrograms); !also || programs == "" && pkg == "rt" {
		t.Fatalf("the comment of package %s lacks the heading %q or %q", pkg, forPrograms, forEmitted)
	}
	times := map[string]int{}
	for _, part := range []string{programs, emitted} {
		var names []string
		for l := range strings.Lines(part) { // only list items count; a paragraph may mention names, too
			if text := strings.TrimLeft(l, " "); strings.HasPrefix(text, "- ") || l != text {
				for _, m := range linked.FindAllStringSubmatch(l, -1) {
					names = append(names, m[1])
				}
			}
		}
		if len(names) < 10 && pkg == "rt" {
			t.Errorf("a list of rt's comment has the names %q only", names)
		}
		for _, n := range names {
			times[n]++
		}
	}
	have := exported(p)
	for _, n := range have {
		if times[n] != 1 {
			t.Errorf("%s is in the lists of %s/doc.go %d times: put it into the one for programs, if users need it, or into the one for emitted code", n, pkg, times[n])
		}
	}
	for n := range times {
		if !slices.Contains(have, n) {
			t.Errorf("%s/doc.go lists %s, which the package does not have", pkg, n)
		}
	}
}

// exported returns the exported names of a package, without methods and fields.
func exported(p *doc.Package) []string {
	var names []string
	values := func(vs []*doc.Value) {
		for _, v := range vs {
			names = append(names, v.Names...)
		}
	}
	funcs := func(fs []*doc.Func) {
		for _, f := range fs {
			names = append(names, f.Name)
		}
	}
	values(p.Consts)
	values(p.Vars)
	funcs(p.Funcs)
	for _, t := range p.Types {
		names = append(names, t.Name)
		values(t.Consts)
		values(t.Vars)
		funcs(t.Funcs)
	}
	return slices.DeleteFunc(names, func(n string) bool { return n[0] < 'A' || n[0] > 'Z' })
}
