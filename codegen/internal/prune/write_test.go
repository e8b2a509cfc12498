package prune

import (
	"go/format"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// generate is a directive of go generate. It is built from two strings, because go generate would
// find the directive in a string, too.
const generate = "//go:" + "generate go run ./nothing"

// tree is a package in several files. The program in the test uses only some of its declarations.
var tree = fstest.MapFS{
	"a/a.go": {Data: []byte(`// Package a adds.
//
// It has Gone.
package a

import (
	"fmt"
	"strings"

	"github.com/graphc/graphc/b"
)

` + generate + `

// Section of what is kept.

// Kept is kept.
//
` + generate + `
func Kept() string {
	return fmt.Sprint(b.Two, Three, small) // a comment
}

// Section of what is gone.

// Gone is gone.
func Gone() string { return strings.ToUpper("gone") }

// Names.
const (
	// One is gone.
	One = 1 // one

	// Of three.

	Three = 3 // three
	Four  = 4
)

var small = fast() // by the processor
`)},
	"a/b.go":        {Data: []byte("package a\n\nfunc fast() int { return slow() }\n\nfunc gone() {}\n")},
	"a/c.go":        {Data: []byte("package a\n\nimport fmt \"strings\"\n\nfunc slow() int { fmt.Clone(small2); return asm() }\n")},
	"a/d_amd64.go":  {Data: []byte("//go:build !noasm\n\npackage a\n\nfunc asm() int\n")},
	"a/d_amd64.s":   {Data: []byte("// Copied.\n\n//go:build !noasm\n\n#include \"textflag.h\"\n\n// gone\nTEXT ·gone2(SB), NOSPLIT, $0\n\tRET\n\n// asm\nTEXT ·asm(SB), NOSPLIT, $0\n\tRET\n\nTEXT ·gone3(SB), NOSPLIT, $0\n\tRET\n")},
	"a/e.go":        {Data: []byte("//go:build arm64 && !noasm\n\npackage a\n\nfunc asm() int\n")},
	"a/e.s":         {Data: []byte("//go:build arm64 && !noasm\n\nTEXT ·asm(SB), $0\n\tRET\n")},
	"a/f.go":        {Data: []byte("//go:build !(amd64 || arm64) || noasm\n\npackage a\n\nfunc asm() int { return 0 }\n")},
	"a/unused.go":   {Data: []byte("package a\n\nfunc Unused() {}\n")},
	"b/b.go":        {Data: []byte("package b\n\nimport _ \"embed\"\n\n//go:embed two.txt\nvar Two string\n")},
	"b/two.txt":     {Data: []byte("2")},
	"b/one.txt":     {Data: []byte("1")},
	"c/c.go":        {Data: []byte("package c\n")},
	"a/a_test.go":   {Data: []byte("package a\n")},
	"a/testdata/x":  {Data: []byte("")},
	"a/g_windows.s": {Data: []byte("TEXT ·never(SB), $0\n\tRET\n")},
}

// TestFiles: files are reduced to the kept parts, and files for the same platforms are joined.
func TestFiles(t *testing.T) {
	set, err := New(tree, module).Reach(map[string][]byte{"p.go": []byte("package p\n\nimport \"x/a\"\n\nvar _ = a.Kept()\n")}, "x")
	if err != nil {
		t.Fatal(err)
	}
	o := &Options{As: "x", Header: func(pkg string, from []string) string { return "// Of " + pkg + ": " + strings.Join(from, ", ") }}
	got, err := set.Files(o)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"a/a.go": `// Of a: a.go, b.go

// Package a adds.
package a

import (
	"fmt"

	"x/b"
)

// Section of what is kept.

// Kept is kept.
func Kept() string {
	return fmt.Sprint(b.Two, Three, small) // a comment
}

// Names.
const (
	// Of three.

	Three = 3 // three
)

var small = fast() // by the processor

// From b.go.

func fast() int { return slow() }
`,
		"a/c.go":       "// Of a: c.go\n\npackage a\n\nimport fmt \"strings\"\n\nfunc slow() int { fmt.Clone(small2); return asm() }\n",
		"a/d_amd64.go": "// Of a: d_amd64.go\n\n//go:build !noasm\n\npackage a\n\nfunc asm() int\n",
		"a/d_amd64.s":  "// Of a: d_amd64.s\n\n//go:build !noasm\n\n#include \"textflag.h\"\n\n// asm\nTEXT ·asm(SB), NOSPLIT, $0\n\tRET\n",
		"a/e.go":       "// Of a: e.go\n\n//go:build arm64 && !noasm\n\npackage a\n\nfunc asm() int\n",
		"a/e.s":        "// Of a: e.s\n\n//go:build arm64 && !noasm\n\nTEXT ·asm(SB), $0\n\tRET\n",
		"a/f.go":       "// Of a: f.go\n\n//go:build !(amd64 || arm64) || noasm\n\npackage a\n\nfunc asm() int { return 0 }\n",
		"b/b.go":       "// Of b: b.go\n\npackage b\n\nimport _ \"embed\"\n\n//go:embed two.txt\nvar Two string\n",
		"b/two.txt":    "2",
	}
	compare(t, got, want)

	o.Without = []string{"arm64"}
	if got, err = set.Files(o); err != nil {
		t.Fatal(err)
	}
	delete(want, "a/e.go")
	delete(want, "a/e.s")
	want["a/f.go"] = strings.Replace(want["a/f.go"], "!(amd64 || arm64) || noasm", "!amd64 || noasm", 1)
	compare(t, got, want)

	o.Without = Processors
	if got, err = set.Files(o); err != nil {
		t.Fatal(err)
	}
	delete(want, "a/d_amd64.go")
	delete(want, "a/d_amd64.s")
	delete(want, "a/f.go")
	want["a/a.go"] = strings.Replace(want["a/a.go"], "a.go, b.go", "a.go, b.go", 1)
	want["a/c.go"] = strings.Replace(want["a/c.go"], "c.go\n", "c.go, f.go\n", 1) + "\n// From f.go.\n\nfunc asm() int { return 0 }\n"
	compare(t, got, want)
}

func compare(t *testing.T, got map[string][]byte, want map[string]string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if string(got[name]) != want[name] {
			t.Errorf("%s is\n%s\nwant\n%s", name, got[name], want[name])
		}
		if strings.HasSuffix(name, ".go") {
			if text, err := format.Source(got[name]); err != nil || string(text) != string(got[name]) {
				t.Errorf("%s is not formatted: %v", name, err)
			}
		}
	}
	for name := range want {
		if got[name] == nil {
			t.Errorf("%s is missing", name)
		}
	}
}

// TestWithout checks which files are built if processors are omitted.
func TestWithout(t *testing.T) {
	for _, c := range []struct{ name, line, want string }{
		{"a.go", "", ""},
		{"a_arm64.go", "", "none"},
		{"a_arm64.go", "//go:build !noasm", "none"},
		{"a_amd64.go", "//go:build !noasm", "//go:build !noasm"},
		{"a.go", "//go:build arm64", "none"},
		{"a.go", "//go:build !arm64", ""},
		{"a.go", "//go:build arm64 && !noasm", "none"},
		{"a.go", "//go:build (amd64 || arm64) && !noasm", "//go:build amd64 && !noasm"},
		{"a.go", "//go:build !(amd64 || arm64) || noasm", "//go:build !amd64 || noasm"},
		{"a.go", "//go:build !arm64 || noasm", ""},
		{"a.go", "//go:build arm64 || noasm", "//go:build noasm"},
	} {
		s := &source{name: c.name, build: c.line}
		got, ok := s.without([]string{"arm64"})
		if !ok {
			got = "none"
		}
		if got != c.want {
			t.Errorf("%s %q: %q, want %q", c.name, c.line, got, c.want)
		}
	}
}

// TestNeedsTag checks which files are built only with a tag.
func TestNeedsTag(t *testing.T) {
	for src, want := range map[string]bool{
		"package p\n": false, "//go:build cuda\n\npackage p\n": true, "// A comment.\n\n//go:build cuda && cgo && linux\n\npackage p\n": true,
		"//go:build !simgpu && cuda && !(cgo && linux)\n\npackage p\n": true, "//go:build !simgpu && !cuda\n\npackage p\n": false, "//go:build simgpu\n\npackage p\n": false,
		"//go:build cuda || simgpu\n\npackage p\n": false, "//go:build !noasm\n\npackage p\n": false, "package p\n\n//go:build cuda\n": false,
	} {
		if got := needsTag(buildLine([]byte(src)), "cuda"); got != want {
			t.Errorf("%q: %v", src, got)
		}
	}
}
