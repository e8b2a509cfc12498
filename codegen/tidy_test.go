package codegen

import (
	"go/format"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/tools/txtar"

	"github.com/graphc/graphc/kernels/gemm"
	"github.com/graphc/graphc/kernels/norm"
)

// tokens returns the tokens of a file and the words of its comments, without commas before closing
// brackets, and with sums of strings joined.
func tokens(t *testing.T, src []byte) (out []string) {
	t.Helper()
	fset := token.NewFileSet()
	var s scanner.Scanner
	s.Init(fset.AddFile("", fset.Base(), len(src)), src, func(_ token.Position, msg string) { t.Error(msg) }, scanner.ScanComments)
	var words []string
	for {
		_, tok, lit := s.Scan()
		switch tok {
		case token.EOF:
			return append(out, words...)
		case token.COMMENT:
			words = append(words, strings.Fields(strings.ReplaceAll(strings.ReplaceAll(lit, "//", ""), "*", "* "))...)
			continue
		case token.SEMICOLON:
			continue
		case token.RPAREN, token.RBRACE:
			if n := len(out) - 1; n >= 0 && out[n] == "," {
				out = out[:n]
			}
		}
		if lit == "" {
			lit = tok.String()
		}
		if n := len(out); tok == token.STRING && n > 1 && out[n-1] == "+" && strings.HasSuffix(out[n-2], `"`) {
			lit, out = strings.TrimSuffix(out[n-2], `"`)+lit[1:], out[:n-2]
		}
		out = append(out, lit)
	}
}

// TestWrap: long lines are broken where Go allows it, and the tokens stay the same.
func TestWrap(t *testing.T) {
	long := strings.Repeat("x", 60)
	for _, c := range []struct{ name, in, want string }{
		{"call", "\tf(" + long + ", g(1), " + long + ")\n", "\tf(\n\t\t" + long + ",\n\t\tg(1),\n\t\t" + long + ",\n\t)\n"},
		{"rest of a call", "\tf(" + long + ", " + long + "...)\n", "\tf(\n\t\t" + long + ",\n\t\t" + long + "...,\n\t)\n"},
		{"struct", "\tx := T{A: 1, B: " + long + ", C: 2, D: " + long + ", E: 3}\n", "\tx := T{\n\t\tA: 1, B: " + long + ", C: 2,\n\t\tD: " + long + ", E: 3,\n\t}\n"},
		{"comment", "\t// " + long + " " + long + " end\n", "\t// " + long + "\n\t// " + long + " end\n"},
		{"comment of a long word", "\t// x[" + long + "*" + long + "]\n", "\t// x[" + long + "*\n\t// " + long + "]\n"},
		{"results", "\ta, " + long + ", " + long + " = f()\n", "\ta, " + long + ",\n\t\t" + long + " = f()\n"},
		{"results of a broken call", "\ta, " + long + ", b, c = f." + long + "(\n\t\t1,\n\t)\n", "\ta,\n\t\t" + long + ", b, c = f." + long + "(\n\t\t1,\n\t)\n"},
		{"sizes", "\tx := rt.Div(max(1, " + long + "), rt.MulSize(min(2, 3), y" + long + "))\n", "\tx := rt.Div(max(1, " + long + "), rt.MulSize(min(2, 3),\n\t\ty" + long + "))\n"},
		{"nested sizes", "\tx := " + strings.Repeat("rt.MulSize(", 15) + "y" + strings.Repeat(", 2)", 15) + "\n", "\tx := " + strings.Repeat("rt.MulSize(", 10) + "\n\t\t" + strings.Repeat("rt.MulSize(", 5) + "y" + strings.Repeat(", 2)", 13) + ",\n\t\t2), 2)\n"},
		{"comment behind", "\tx := 1 // " + long + long + "\n", "\t// " + long + long + "\n\tx := 1\n"},
		{"comment within", "\tf(" + long + ", 0x7fc00000 /* NaN */, " + long + ")\n", "\tf(\n\t\t" + long + ",\n\t\t0x7fc00000, /* NaN */\n\t\t" + long + ",\n\t)\n"},
		{"text", "\tx := \"" + long + "/" + long + "\"\n", "\tx := \"" + long + "/\" +\n\t\t\"" + long + "\"\n"},
		{"text of one word", "\tx := \"" + long + long + "\"\n", "\tx := \"" + long + long[:47] + "\" +\n\t\t\"" + long[47:] + "\"\n"},
		{"text of escapes", "\tx := \"" + strings.Repeat(`\x00`, 40) + "\"\n", "\tx := \"" + strings.Repeat(`\x00`, 26) + "\" +\n\t\t\"" + strings.Repeat(`\x00`, 14) + "\"\n"},
		{"product", "\tx := a + y*" + long + "*" + long + "\n", "\tx := a +\n\t\ty*" + long + "*\n\t\t\t" + long + "\n"},
		{"sum", "\tx := y*" + long + " - z + f(a+b)*" + long + "\n", "\tx := y*" + long + " - z +\n\t\tf(a+b)*" + long + "\n"},
		{"directive", "\t//go:embed " + long + long + "\n", "\t//go:embed " + long + long + "\n"},
		{"within a call", "\tf(g(" + long + ", " + long + "), 1)\n", "\tf(\n\t\tg(\n\t\t\t" + long + ",\n\t\t\t" + long + ",\n\t\t),\n\t\t1,\n\t)\n"},
		{"condition", "\tif err := f(" + long + ", " + long + "); err != nil {\n\t}\n", "\tif err := f(\n\t\t" + long + ",\n\t\t" + long + ",\n\t); err != nil {\n\t}\n"},
	} {
		head, end := "package p\n\nfunc _() {\n", "}\n"
		in, err := format.Source([]byte(head + c.in + end))
		if err != nil {
			t.Fatal(err)
		}
		got, err := wrap(in)
		if err != nil || string(got) != head+c.want+end {
			t.Errorf("%s: %v\n%s\nwant\n%s", c.name, err, got, head+c.want+end)
		}
		if again, err := wrap(got); err != nil || string(again) != string(got) {
			t.Errorf("%s: wrapped again: %v\n%s", c.name, err, again)
		}
		if !reflect.DeepEqual(tokens(t, in), tokens(t, got)) {
			t.Errorf("%s: the tokens of\n%s\nare others", c.name, got)
		}
	}
}

// TestWrapGrows: the memory that wrap allocates grows with the length of the file, not with its square.
func TestWrapGrows(t *testing.T) {
	allocated := func(lines int) uint64 {
		src := "package p\n\nfunc f() {\n" + strings.Repeat("\ta = "+strings.Repeat("min(lo, rt.Div(n, 16)) + ", 8)+"1\n", lines) + "}\n"
		formatted, err := format.Source([]byte(src))
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if len(breaks(formatted)) == 0 {
			t.Fatal("no line is broken")
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	if small, large := allocated(200), allocated(1600); large > 12*small {
		t.Errorf("200 lines take %d bytes, 1600 lines %d", small, large)
	}
}

// TestTidy: imports are grouped, and unused parameters have no names.
func TestTidy(t *testing.T) {
	got, err := tidy([]byte("package p\n\nimport (\n\t\"context\"\n\t_ \"embed\"\n\t\"example.com/a\"\n\t\"math\"\n)\n\nfunc f(a, b int, c func(d int)) { a++ }\n\nfunc G(x int) {}\n"))
	want := "package p\n\nimport (\n\t\"context\"\n\t_ \"embed\"\n\t\"math\"\n\n\t\"example.com/a\"\n)\n\nfunc f(a, _ int, _ func(d int)) { a++ }\n\nfunc G(x int) {}\n"
	if err != nil || string(got) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
}

// TestColumns: only single names make lines of emitted code longer than maxColumns.
func TestColumns(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			for i, l := range strings.Split(string(f.Data), "\n") {
				if strings.HasSuffix(f.Name, ".go") && columns(l) > maxColumns && !strings.Contains(l, `\x00`) {
					t.Errorf("%s, %s:%d has %d columns: %s", file, f.Name, i+1, columns(l), l)
				}
			}
		}
	}
}

// TestConstants checks that the emitted code has the names of enumeration values, not their
// numbers.
func TestConstants(t *testing.T) {
	root := os.DirFS("..")
	hidden := fstest.MapFS{"kernels/gemm/broken.go": {Data: []byte("package gemm\nfunc (")}}
	for _, c := range []struct {
		sources fs.FS
		v       any
		want    string
	}{
		{root, gemm.Relu, "Relu"}, {root, gemm.NoAct, "NoAct"}, {root, norm.HardSwish, "HardSwish"}, {root, gemm.Act(99), ""},
		{root, 1, ""}, {root, "Relu", ""}, {root, reflect.Int, ""}, {nil, gemm.Relu, ""}, {hidden, gemm.Relu, ""},
	} {
		e := &emitter{Package: &Package{Sources: c.sources}, runtime: Module}
		got := ""
		for range 2 {
			if x := e.constantOf(reflect.ValueOf(c.v)); x != nil {
				got = x.GoString()
			}
		}
		if _, name, _ := strings.Cut(got, "."); name != c.want {
			t.Errorf("%T %v is %q, want %q", c.v, c.v, got, c.want)
		}
	}
}
