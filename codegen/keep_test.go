package codegen

import (
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// TestReachable tells which files are kept with what an emitted file calls.
func TestReachable(t *testing.T) {
	files := map[string]string{
		// A name that files declare for some platforms each, with assembly, which calls more of it and includes a header.
		"kernels/a/a.go":        "package a\nfunc A() { fast() }",
		"kernels/a/amd64.go":    "//go:build amd64 && !noasm\npackage a\nfunc fast()",
		"kernels/a/amd64.s":     "#include \"textflag.h\"\n#include \"a.h\"\nTEXT ·fast(SB), NOSPLIT, $0\n\tLEAQ ·table(SB), AX\n\tCALL inner<>(SB)\n\tRET\n",
		"kernels/a/a.h":         "",
		"kernels/a/b.h":         "",
		"kernels/a/other.go":    "//go:build !amd64 || noasm\npackage a\nimport \"github.com/graphc/graphc/kernels/slow\"\nfunc fast() { slow.Slow() }",
		"kernels/a/table.go":    "package a\nvar table = [4]float32{1}",
		"kernels/a/unused.go":   "package a\nimport \"github.com/graphc/graphc/kernels/unused\"\nfunc B() { unused.U(); A() }",
		"kernels/a/unused.s":    "TEXT ·unusedToo(SB), NOSPLIT, $0\n\tRET\n",
		"kernels/a/a_test.go":   "package a\nvar _ = nope",
		"kernels/a/local.go":    "package a\nfunc Local() { A := 1; _ = A; var x struct{ B int }; x.B = 2 }",
		"kernels/slow/slow.go":  "package slow\nfunc Slow() {}",
		"kernels/slow/more.go":  "package slow\nfunc More() {}",
		"kernels/unused/u.go":   "package unused\nfunc U() {}",
		"kernels/cuda/cuda.go":  "//go:build cuda\n\npackage cuda\nimport \"gorgonia.org/cu\"\nvar X = cu.X",
		"kernels/cuda/sim.go":   "//go:build !cuda\n\npackage cuda\nvar X = 1",
		"kernels/types/type.go": "package types\ntype T struct{ inner }\ntype inner struct{}\ntype Renamed = T\nvar V T",
		// Methods, also of an alias, and of a type that only a field names.
		"kernels/types/method.go": "package types\nfunc (t *T) M() { helper() }",
		"kernels/types/inner.go":  "package types\nfunc (inner) N() {}",
		"kernels/types/alias.go":  "package types\nfunc (Renamed) O() {}",
		"kernels/types/helper.go": "package types\nfunc helper() {}\ntype Other struct{}",
		"kernels/types/other.go":  "package types\nfunc (*Other) M() {}",
		"kernels/types/fourth.go": "package types\ntype Fourth[K any] struct{}",
		"kernels/types/fifth.go":  "package types\nfunc (f *Fourth[K]) M() {}",
		"kernels/types/sixth.go":  "package types\nimport renamed \"github.com/graphc/graphc/kernels/slow\"\nfunc Sixth() { renamed.More() }",
		// What happens when a package is initialized.
		"kernels/init/use.go":     "package init\nfunc Use() {}",
		"kernels/init/init.go":    "package init\nfunc init() { registered() }",
		"kernels/init/call.go":    "package init\nvar called = registered()",
		"kernels/init/closure.go": "package init\nvar closure = func() int { return registered() }",
		"kernels/init/now.go":     "package init\nvar now = func() int { return 1 }()",
		"kernels/init/method.go":  "package init\nvar method = later.method()",
		"kernels/init/std.go":     "package init\nimport \"flag\"\nvar std = flag.Bool(\"a\", false, \"\")",
		"kernels/init/pure.go":    "package init\nimport \"errors\"\nvar errPure = errors.New(\"a\")\nvar size, list = number(3), make([]int, max(1, 2))\nvar p = (*number)(nil)",
		"kernels/init/number.go":  "package init\ntype number int",
		"kernels/init/reg.go":     "package init\nfunc registered() int { return 0 }",
		"kernels/init/later.go":   "package init\ntype t int\nfunc (t) method() int { return 0 }\nvar later t",
		"kernels/init/linked.go":  "package init\nimport _ \"unsafe\"\n//go:linkname linked runtime.linked\nfunc linked()",
		// What is imported for its effect is kept as a whole, and so is a package whose names cannot be told.
		"kernels/blank/blank.go": "package blank\nimport _ \"github.com/graphc/graphc/kernels/whole\"\nfunc Blank() {}",
		"kernels/whole/one.go":   "package whole\nfunc One() {}",
		"kernels/whole/two.go":   "package whole\nfunc Two() {}",
		"kernels/odd/odd.go":     "package strange\nfunc Odd() {}",
		"kernels/odd/more.go":    "package strange\nfunc More() {}",
	}
	fs := fstest.MapFS{}
	for name, text := range files {
		fs[name] = &fstest.MapFile{Data: []byte(text)}
	}
	for _, c := range []struct{ imports, body, want string }{
		{"a", "a.A()", "a/a.go a/a.h a/amd64.go a/amd64.s a/other.go a/table.go slow/slow.go"},
		{"a", "a.Local()", "a/local.go"},
		{"cuda", "_ = cuda.X", "cuda/sim.go"},
		{"types", "_ = types.V", "types/alias.go types/helper.go types/inner.go types/method.go types/other.go types/type.go"},
		{"types", "var _ types.Fourth[int]", "types/fifth.go types/fourth.go"},
		{"types", "types.Sixth()", "slow/more.go types/sixth.go"},
		{"blank", "blank.Blank()", "blank/blank.go whole/one.go whole/two.go"},
		{"odd", "strange.Odd()", "odd/more.go odd/odd.go"},
	} {
		if got := reached(t, fs, c.imports, c.body); got != c.want {
			t.Errorf("%s: %s\nwant %s", c.body, got, c.want)
		}
	}
	// What rt has for programs is kept where rt is.
	fs["rt/doc.go"] = &fstest.MapFile{Data: []byte("// Package rt\n//\n// # For programs\n//\n//   - [Told], [Of]\n//\n// # For emitted code\n//\n//   - [Code]\npackage rt")}
	for name, text := range map[string]string{"told": "type Told int", "of": "func Of() { helper() }", "helper": "func helper() {}", "code": "type Code int", "open": "func Open() {}"} {
		fs["rt/"+name+".go"] = &fstest.MapFile{Data: []byte("package rt\n" + text)}
	}
	if got, want := reached(t, fs, "../rt", "rt.Open()"), "rt/helper.go rt/of.go rt/open.go rt/told.go"; got != want {
		t.Errorf("of rt: %s\nwant %s", got, want)
	}
	// A package with a directive for the linker is kept as a whole.
	got := reached(t, fs, "init", "init.Use()")
	if n := strings.Count(got, "init/"); n != 12 {
		t.Errorf("with go:linkname %d files are kept: %s", n, got)
	}
	delete(fs, "kernels/init/linked.go")
	const want = "init/call.go init/init.go init/later.go init/method.go init/now.go init/reg.go init/std.go init/use.go"
	if got := reached(t, fs, "init", "init.Use()"); got != want {
		t.Errorf("with effects: %s\nwant %s", got, want)
	}
	if got := reached(t, fs, "init", "init.Use()"); got != want {
		t.Errorf("once more: %s", got)
	}
	for _, src := range []string{"package p\nimport \"example.com/p/internal/kernels/none\"\nvar _ = none.X", "package"} {
		if _, err := reachable(fs, map[string][]byte{"p.go": []byte(src)}, "example.com/p/internal"); err == nil {
			t.Errorf("%q is no error", src)
		}
	}
}

// reached lists the files that a call in an emitted file reaches.
func reached(t *testing.T, fs fstest.MapFS, pkg, body string) string {
	t.Helper()
	src := "package p\nimport \"example.com/p/internal/" + path.Join("kernels", pkg) + "\"\nfunc f(x struct{ B func() }) {\n" + body + "\n}\n"
	got, err := reachable(fs, map[string][]byte{"p.go": []byte(src), "p.bin": []byte("weights")}, "example.com/p/internal")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for pkg, files := range got {
		for _, f := range files {
			names = append(names, strings.TrimPrefix(path.Join(pkg, f.name), "kernels/"))
		}
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}
