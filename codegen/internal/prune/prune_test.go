package prune

import (
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

const module = "github.com/graphc/graphc"

// TestReach checks which declarations the calls in a file keep.
func TestReach(t *testing.T) {
	tree := fstest.MapFS{}
	for name, text := range map[string]string{
		// A name that several files declare for different platforms. Its assembly calls other
		// functions and includes a header.
		"a/a.go":        "func A() { fast() }\nfunc Aside() { unusedToo() }",
		"a/amd64.go":    "//go:build amd64 && !noasm\nfunc fast()\nfunc unusedToo()",
		"a/amd64.s":     "#include \"textflag.h\"\n#include \"a.h\"\nDATA one<>+0(SB)/8, $1\nDATA one<>+8(SB)/8, $1\nGLOBL one<>(SB), RODATA, $16\nDATA two<>+0(SB)/8, $1\nGLOBL two<>(SB), RODATA, $8\n// fast\nTEXT ·fast(SB), NOSPLIT, $0\n\tLEAQ ·table(SB), AX\n\tCALL inner<>(SB)\n\tRET\n\nTEXT ·unusedToo(SB), NOSPLIT, $0\n\tLEAQ two<>(SB), AX\n\tRET\n\nTEXT inner<>(SB), NOSPLIT, $0\n\tLEAQ one<>(SB), AX\n\tRET\n",
		"a/macros.s":    "#define M RET\nTEXT ·m(SB), NOSPLIT, $0\n\tM\nTEXT ·n(SB), NOSPLIT, $0\n\tM\n",
		"a/m.go":        "func m()\nfunc n()\nfunc M() { m() }",
		"a/a.h":         "",
		"a/b.h":         "",
		"a/other.go":    "//go:build !amd64 || noasm\nimport \"" + module + "/slow\"\nfunc fast() { slow.Slow() }",
		"a/table.go":    "var table, tail = [4]float32{1}, 1",
		"a/unused.go":   "import \"" + module + "/unused\"\nfunc B() { unused.U(); A() }",
		"a/a_test.go":   "var _ = nope",
		"a/local.go":    "func Local() { A := 1; _ = A; var x struct{ B int }; x.B = 2; for table := range 2 { _ = table } }",
		"slow/slow.go":  "func Slow() {}\nfunc More() {}",
		"unused/u.go":   "func U() {}",
		"cuda/cuda.go":  "//go:build cuda\nimport \"gorgonia.org/cu\"\nvar X = cu.X",
		"cuda/sim.go":   "//go:build !cuda\nvar X = 1",
		"types/type.go": "type T struct{ inner }\ntype inner struct{}\ntype Renamed = T\nvar V T\ntype Other struct{}",
		// Methods, including those of an alias and of a type that only a field mentions.
		"types/method.go": "func (t *T) M() { helper() }\nfunc (inner) N() {}\nfunc (Renamed) O() {}\nfunc (*Other) M() {}\nfunc helper() {}\nfunc (T) String() string { return \"\" }",
		"types/call.go":   "func CallM(t interface{ M() }) { t.M() }\nfunc CallN() { _ = V.N }\ntype Doer interface{ O() }\nfunc Use(Doer) {}",
		"types/fourth.go": "type Fourth[K any] struct{}\nfunc (f *Fourth[K]) M() {}\nvar _ Doer = V",
		"types/sixth.go":  "import renamed \"" + module + "/slow\"\nfunc Sixth() { renamed.More() }",
		// Two groups of constants. In the first group, values depend on the previous line. In the
		// second group, they do not.
		"consts/c.go": "const (\n\tZero = iota\n\tOne\n)\nconst (\n\tTwo = 2\n\tThree = Four - 1\n\tFour = 4\n)\nvar names = map[int]string{Two: \"two\"}\nfunc Names() string { return names[0] }",
		// Effects of initializing a package.
		"init/use.go":     "func Use() {}",
		"init/init.go":    "func init() { registered() }",
		"init/call.go":    "var called = registered()",
		"init/closure.go": "var closure = func() int { return registered() }",
		"init/now.go":     "var now = func() int { return 1 }()",
		"init/method.go":  "var method = later.method()",
		"init/std.go":     "import \"flag\"\nvar std = flag.Bool(\"a\", false, \"\")",
		"init/pure.go":    "import \"errors\"\nvar errPure = errors.New(\"a\")\nvar size, list = number(3), make([]int, max(1, 2))\nvar p = (*number)(nil)",
		"init/number.go":  "type number int",
		"init/reg.go":     "func registered() int { return 0 }",
		"init/later.go":   "type t int\nfunc (t) method() int { return 0 }\nfunc (t) other() int { return 0 }\nvar later t",
		// A package imported for its effect is kept completely. So is one that is not named after
		// its folder.
		"blank/blank.go":   "import _ \"" + module + "/whole\"\nfunc Blank() {}",
		"whole/one.go":     "func One() {}\nfunc Two() {}",
		"strange/odd.go":   "import \"" + module + "/odd\"\nfunc Strange() { other.Odd() }",
		"odd/odd.go":       "func Odd() {}\nfunc More() {}",
		"linked/linked.go": "import _ \"unsafe\"\n//go:linkname linked runtime.linked\nfunc linked()\nfunc Use() {}\nfunc Other() {}",
		// Users of a package may call the exported methods of visible types.
		"shown/s.go": "type S struct { F *Field; hidden *Hidden }\nfunc (S) Get() Got { return Got{} }\nfunc (S) get() {}\ntype Got struct{}\nfunc (Got) Ten() {}\ntype Field struct{}\nfunc (*Field) Far() {}\ntype Hidden struct{}\nfunc (Hidden) Not() {}",
	} {
		build, rest := "", text
		if strings.HasPrefix(text, "//go:build") {
			build, rest, _ = strings.Cut(text, "\n")
		}
		if path.Ext(name) == ".go" {
			text = build + "\n\npackage " + path.Dir(name) + "\n" + rest
		}
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	for _, c := range []struct{ imports, body, want string }{
		{"a", "a.A()", "A amd64.s#inner amd64.s#one #a.h fast fast fast table,tail Slow"},
		{"a", "a.Local()", "Local"},
		{"a", "a.M()", "M m m,n n"},
		{"cuda", "_ = cuda.X", "X"},
		{"types", "_ = types.V", "T inner V T.String"},
		{"types", "_ = types.V; types.CallM(nil)", "CallM T inner V T.M T.String helper"},
		{"types", "types.CallN()", "CallN T inner V inner.N T.String"},
		{"types", "types.Use(types.V)", "Use Doer T inner V Renamed Renamed.O T.String"},
		{"types", "_ = types.Fourth[int]{}", "Fourth"},
		{"types", "types.Sixth()", "Sixth More"},
		{"consts", "_ = consts.One", "Zero,One"},
		{"consts", "_ = consts.Three", "Three Four"},
		{"consts", "_ = consts.Names", "Two names Names"},
		{"init", "init.Use()", "Use init called now method std registered t later t.method"},
		{"blank", "blank.Blank()", "Blank One Two"},
		{"strange", "strange.Strange()", "Strange Odd More"},
		{"linked", "linked.Use()", "linked Use Other"},
		{"shown", "var _ shown.S", "S Field Hidden"},
		{"shown", "}\nfunc Made() *shown.S { return nil", "S Field Got Hidden S.Get Got.Ten Field.Far"},
	} {
		want := strings.Fields(c.want)
		slices.Sort(want)
		if got := reached(t, tree, c.imports, c.body); got != strings.Join(want, " ") {
			t.Errorf("%s\n keeps %s\n want  %s", c.body, got, strings.Join(want, " "))
		}
	}
	// Names that an imported package lists for programs are kept.
	tree["rt/doc.go"] = &fstest.MapFile{Data: []byte("// Package rt\n//\n// # For programs\n//\n//   - [Told], [Of]\n//\n// # For emitted code\n//\n//   - [Code]\npackage rt")}
	tree["rt/rt.go"] = &fstest.MapFile{Data: []byte("package rt\ntype Told int\nfunc (Told) Twice() {}\nfunc Of() { helper() }\nfunc helper() {}\ntype Code int\nfunc Open() {}")}
	if got, want := reached(t, tree, "rt", "rt.Open()"), "Of Open Told Told.Twice helper"; got != want {
		t.Errorf("of rt: %s\nwant %s", got, want)
	}
	for _, src := range []string{"package p\nimport \"example.com/p/internal/none\"\nvar _ = none.X", "package", "package p\nimport \"example.com/p/internal/rt\"\nvar _ = rt.None"} {
		if _, err := New(tree, module).Reach(map[string][]byte{"p.go": []byte(src)}, "example.com/p/internal"); err == nil {
			t.Errorf("%q is no error", src)
		}
	}
}

// reached lists the declarations that a call in a file keeps.
func reached(t *testing.T, tree fstest.MapFS, pkg, body string) string {
	t.Helper()
	src := "package p\nimport \"example.com/p/internal/" + pkg + "\"\nfunc f(x struct{ B func() }) {\n" + body + "\n}\n"
	set, err := New(tree, module).Reach(map[string][]byte{"p.go": []byte(src), "p.bin": []byte("weights")}, "example.com/p/internal")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for p := range set.kept {
		name := strings.Join(p.names, ",")
		switch {
		case p.method != "":
			name = p.receiver + "." + p.method
		case name == "" && p.effect:
			name = "init"
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// TestEmbeds: From finds the files that a function embeds, directly or by calls to other packages,
// and no other files.
func TestEmbeds(t *testing.T) {
	tree := New(os.DirFS("../../.."), module)
	from := func(pkg, name string) []string {
		t.Helper()
		set, err := tree.From(map[[2]string]bool{{pkg, name}: true})
		if err != nil {
			t.Fatal(err)
		}
		return set.Embeds()
	}
	for _, c := range []struct {
		pkg, name string
		want      []string
	}{
		{"kernels/gpu/reduce", "SumF32", []string{"kernels/gpu/reduce/ptx/sum_f32_cols.ptx.gz", "kernels/gpu/reduce/ptx/sum_f32_rows.ptx.gz"}},
		{"kernels/gpu/elementwise", "Map", nil},
		{"kernels/gpu/softmax", "none", nil},
	} {
		if got := from(c.pkg, c.name); !slices.Equal(got, c.want) {
			t.Errorf("%s.%s: %v", c.pkg, c.name, got)
		}
	}
	got := from("kernels/gpu/gemm", "F32")
	if len(got) == 0 || slices.ContainsFunc(got, func(f string) bool { return path.Dir(f) == "kernels/gpu/gemm/ptx" && strings.Contains(f, "f64") }) {
		t.Errorf("%v", got)
	}
	if _, err := tree.From(map[[2]string]bool{{"kernels/gpu/none", "F"}: true}); err == nil {
		t.Error("a package that does not exist is read")
	}
}
