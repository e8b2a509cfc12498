package goop_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/graphc/graphc/internal/goop"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/rt/tensor"
)

// fedGraph is the part of the test's graphs that has the feeds.
const fedGraph = `
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { dim { size: -1 } } } } }
versions { producer: 2000 }
`

// write writes files below a folder.
func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// checkOps declares ops, builds a graph with one node for each op, and returns the error of Check.
// The functions of the ops are found from folder dir.
func checkOps(t *testing.T, dir string, specs ...goop.Spec) error {
	t.Helper()
	text := fedGraph
	var fetches []string
	for i := range specs {
		name := "y" + strconv.Itoa(i)
		text += fmt.Sprintf("node { name: %q op: %q input: \"x\" }\n", name, specs[i].Op)
		fetches = append(fetches, name+":0")
		specs[i].Signature = "(x:.f32) -> (y:.f32) {n:int = 1}"
		if specs[i].Outputs == nil {
			specs[i].Outputs = []string{"x"}
		}
	}
	graph := filepath.Join(t.TempDir(), "graph.pbtxt")
	if err := os.WriteFile(graph, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := goop.New(dir, specs)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	p, err := pipeline.Compile([]string{graph}, pipeline.Options{Feeds: []string{"x:0"}, Fetches: fetches, GoOps: s.Declared("ops.yaml")})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Signatures) != 1 {
		t.Fatal("there is no signature")
	}
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	return s.Check(ctx)
}

const (
	goMod  = "module example.com/m\n\ngo 1.24\n"
	wanted = "the op calls it as a func([]float32, []int, []float32, []int, int) error"
)

// TestCheck checks functions that fit and functions that do not. Each is declared in line 3.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name, decl string
		code       tensor.Code
		want       []string // in the error
	}{
		{"right", "func F(y []float32, yShape []int, x []float32, xShape []int, n int) error { return nil }", tensor.OK, nil},
		{"types of its own", "func F(y Floats, yShape Shape, x Floats, xShape Shape, n int) error { return nil }\ntype Floats []float32\ntype Shape = []int", tensor.OK, nil},
		{"type that is made of itself", "func F(y, s, x, t List, n int) error { return nil }\ntype List []*List", tensor.InvalidArgument, []string{"parameter 1 (y) is kernels.List, but the argument is []float32"}},
		{"generic", "func F[T ~float32 | float64, I int](y []T, yShape []I, x []T, xShape []int, n I) error { return nil }", tensor.OK, nil},
		{"variadic", "func F(y []float32, yShape []int, x []float32, xShape []int, n ...int) error { return nil }", tensor.OK, nil},
		{"generic for others", "func F[T float64](y []T, yShape []int, x []T, xShape []int, n int) error { return nil }", tensor.InvalidArgument,
			[]string{"T (type float32) does not satisfy float64", "it is a func[T float64](y []T, ", "kernels.go:3:6", wanted}},
		{"generic whose types are not inferred", "func F[T, R any](y []T, yShape []int, x []T, xShape []int, n int) (r error) { return nil }", tensor.InvalidArgument, []string{"cannot infer R"}},
		{"wrong name", "func G() {}", tensor.NotFound, []string{`ops.yaml: op "Own": func example.com/m/kernels.F: the package has no such function; ` + wanted}},
		{"near name", "func Ff() {}", tensor.NotFound, []string{"; Ff is at ", "kernels.go:3:6; did you mean Ff?"}},
		{"unexported", "func f() {}", tensor.NotFound, []string{"; f, at ", "kernels.go:3:6, is not exported"}},
		{"method", "func (*T) F() {}\ntype T int", tensor.NotFound, []string{"no such function"}},
		{"variable", "var F = func(y []float32, yShape []int, x []float32, xShape []int, n int) error { return nil }", tensor.InvalidArgument, []string{"F is not a function but a variable, at ", "kernels.go:3:5; " + wanted}},
		{"type", "type F []int", tensor.InvalidArgument, []string{"is not a function but a type"}},
		{"constant", "const F = 1", tensor.InvalidArgument, []string{"is not a function but a constant"}},
		{"wrong parameter", "func F(y []float32, yShape []int, x []float64, xShape []int, n int) error { return nil }", tensor.InvalidArgument,
			[]string{"parameter 3 (x) is []float64, but the argument is []float32; it is a func(y []float32, yShape []int, x []float64, xShape []int, n int) error, at ", "kernels.go:3:6; " + wanted}},
		{"too few parameters", "func F([]float32, []int, []float32, []int) error { return nil }", tensor.InvalidArgument, []string{"it has 4 parameters, but gets 5 arguments"}},
		{"wrong result", "func F(y []float32, yShape []int, x []float32, xShape []int, n int) bool { return true }", tensor.InvalidArgument, []string{"result 1 is bool: want error; it is a func("}},
		{"no result", "func F(y []float32, yShape []int, x []float32, xShape []int, n int) {}", tensor.InvalidArgument, []string{"it has 0 results: want 1"}},
		{"generic with too few parameters", "func F[T any](y []T, yShape []int) error { return nil }", tensor.InvalidArgument, []string{"it has 2 parameters, but gets 5 arguments"}},
		{"variadic of others", "func F(y []float32, yShape []int, x []float32, xShape []int, n ...bool) error { return nil }", tensor.InvalidArgument, []string{"cannot use a4 (variable of type int) as bool value in argument to F; it is a func("}},
		{"two results", "func F[T int](y []float32, yShape []int, x []float32, xShape []int, n T) (int, error) { return 0, nil }", tensor.InvalidArgument, []string{"it has 2 results: want 1"}},
		// Errors elsewhere in the package are ignored: imports of packages that do not exist yet,
		// and errors in types and in function bodies.
		{"breaks elsewhere", "func F(y []float32, yShape []int, x []float32, xShape []int, n int) error { return model.Nope + 1 }\nimport \"example.com/m/model\"\nvar _ model.T = 3", tensor.OK, nil},
		{"declaration breaks", "import \"example.com/m/model\"; func F(y []float32, yShape []int, x []model.T, xShape []int, n int) error { return nil }", tensor.InvalidArgument,
			[]string{"its declaration at ", "kernels.go:3:36 could not be type-checked:\n", "example.com/m/model", wanted}},
		{"type parameter breaks", "func F[T Nope](y []float32, yShape []int, x []T, xShape []int, n int) error { return nil }", tensor.InvalidArgument, []string{"could not be type-checked:\n", "undefined: Nope"}},
		{"does not parse", "func G( { }\nfunc F(y []float32", tensor.InvalidArgument, []string{"could not be", "kernels.go:3:", wanted}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			decl := c.decl
			if i := strings.Index(decl, "\nimport"); i >= 0 { // imports must come first; the function must stay in its line
				rest := strings.SplitN(decl[i+1:], "\n", 2)
				decl = rest[0] + "; " + decl[:i] + "\n" + rest[1]
			}
			write(t, dir, map[string]string{"go.mod": goMod, "kernels/kernels.go": "package kernels\n\n" + decl + "\n"})
			err := checkOps(t, dir, goop.Spec{Op: "Own", Func: "example.com/m/kernels.F"})
			if got := tensor.CodeOf(err); got != c.code {
				t.Fatalf("%v: %v, want %v", got, err, c.code)
			}
			for _, w := range c.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%v\nhas no %q", err, w)
				}
			}
		})
	}
}

// TestCheckAll: errors of all functions, including those that compute sizes, are reported at once.
func TestCheckAll(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"go.mod": goMod, "kernels/kernels.go": "package kernels\nfunc Sizes(x []float32, xShape []int, n int) (int, int, error) { return 0, 0, nil }\n"})
	err := checkOps(t, dir, goop.Spec{Op: "Own", Func: "example.com/m/nope.F"},
		goop.Spec{Op: "Other", Func: "example.com/m/kernels.G", Sizes: "example.com/m/kernels.Sizes", Outputs: []string{"?"}})
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || len(joined.Unwrap()) != 3 {
		t.Fatalf("%v, want three errors", err)
	}
	for _, w := range []string{`ops.yaml: op "Own": func example.com/m/nope.F: there is no such package: `, `op "Other": func example.com/m/kernels.G: the package has no such function`,
		`op "Other": sizes example.com/m/kernels.Sizes: it has 3 results: want 2`} {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%v\nhas no %q", err, w)
		}
	}
	for _, e := range joined.Unwrap() {
		if te, ok := e.(*tensor.Error); !ok || te.Op != "Own" && te.Op != "Other" {
			t.Errorf("%#v names no op", e)
		}
	}
}

// TestCheckPackages checks packages that cannot be imported, and folders without a module.
func TestCheckPackages(t *testing.T) {
	const right = "func F(y []float32, yShape []int, x []float32, xShape []int, n int) error { return nil }\n"
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"in/go.mod":                goMod,
		"in/prog/main.go":          "package main\n" + right,
		"in/a/internal/own/own.go": "package own\n" + right,
		"in/internal/own/own.go":   "package own\n" + right,
		"in/b/readme.go":           "package b\n" + right,
		"in/only/only_test.go":     "package only\n" + right,
		"in/sub/.keep":             "",
		"out/kernels/kernels.go":   "package kernels\n" + right,
	})
	for _, c := range []struct {
		dir, fn string
		code    tensor.Code
		want    string
	}{
		{"in/sub", "example.com/m/b.F", tensor.OK, ""},
		{"in", "example.com/m/internal/own.F", tensor.OK, ""},
		{"in", "example.com/m/prog.F", tensor.InvalidArgument, "is a program"},
		{"in", "example.com/m/a/internal/own.F", tensor.InvalidArgument, "it is internal"},
		{"in", "example.com/m/only.F", tensor.NotFound, "there is no such package: "},
		{"in", "example.com/other.F", tensor.NotFound, "no required module provides package example.com/other"},
		{"out", "example.com/m/kernels.F", tensor.FailedPrecondition, "which is not in a module"},
		{"none", "example.com/m/kernels.F", tensor.FailedPrecondition, "cannot be loaded from "},
	} {
		err := checkOps(t, filepath.Join(dir, c.dir), goop.Spec{Op: "Own", Func: c.fn})
		if got := tensor.CodeOf(err); got != c.code || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s from %s: %v, want %v %q", c.fn, c.dir, err, c.code, c.want)
		}
	}
}

// TestCheckEnvironment checks that Check obeys environment variables of the go command, such as
// GOFLAGS and GOWORK.
func TestCheckEnvironment(t *testing.T) {
	const right = "package k\nfunc F(y []float32, yShape []int, x []float32, xShape []int, n int) error { return nil }\n"
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"go.mod":                        goMod + "\nrequire example.com/k v1.0.0\n",
		"m.go":                          "package m\nimport _ \"example.com/k\"\n",
		"vendor/modules.txt":            "# example.com/k v1.0.0\n## explicit; go 1.24\nexample.com/k\n",
		"vendor/example.com/k/k.go":     "//go:build own\n\n" + right,
		"vendor/example.com/k/other.go": "//go:build !own\n\npackage k\n",
		"work/go.work":                  "go 1.24\nuse ./k\n",
		"work/k/go.mod":                 "module example.com/k\n\ngo 1.24\n",
		"work/k/k.go":                   right,
	})
	spec := goop.Spec{Op: "Own", Func: "example.com/k.F"}
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-mod=vendor")
	if err := checkOps(t, dir, spec); tensor.CodeOf(err) != tensor.NotFound || !strings.Contains(err.Error(), "has no such function") {
		t.Errorf("without the tag: %v", err)
	}
	t.Setenv("GOFLAGS", "-mod=vendor -tags=own")
	if err := checkOps(t, dir, spec); err != nil {
		t.Errorf("with the tag: %v", err)
	}
	t.Setenv("GOFLAGS", "-mod=mod")
	if err := checkOps(t, dir, spec); tensor.CodeOf(err) != tensor.NotFound || !strings.Contains(err.Error(), "there is no such package") {
		t.Errorf("without the vendor folder: %v", err)
	}
	t.Setenv("GOFLAGS", "")
	t.Setenv("GOWORK", filepath.Join(dir, "work", "go.work"))
	if err := checkOps(t, filepath.Join(dir, "work"), spec); err != nil {
		t.Errorf("in a workspace: %v", err)
	}
	t.Setenv("PATH", "")
	if err := checkOps(t, dir, spec); tensor.CodeOf(err) != tensor.FailedPrecondition || !strings.Contains(err.Error(), "the go command is needed") {
		t.Errorf("without the go command: %v", err)
	}
}

// TestRunBroken calls a function that fits, in a package that does not compile: the compiler's
// output is the error.
func TestRunBroken(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"go.mod": goMod, "graph.pbtxt": fedGraph + "node { name: \"y\" op: \"Own\" input: \"x\" }\n",
		"kernels/kernels.go": "package kernels\nfunc F(y []float32, yShape []int, x []float32, xShape []int) error { return Nope }\n"})
	s, err := goop.New(dir, []goop.Spec{{Op: "Own", Func: "example.com/m/kernels.F", Signature: "(x:.f32) -> (y:.f32)", Outputs: []string{"x"}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	if _, err := run(t, s, filepath.Join(dir, "graph.pbtxt"), "y:0")(1); tensor.CodeOf(err) != tensor.FailedPrecondition || !strings.Contains(err.Error(), "undefined: Nope") {
		t.Errorf("%v, want FailedPrecondition", err)
	}
	if err := s.Check(context.Background()); err != nil {
		t.Error(err)
	}
}

// TestCheckContext: Check fails if its context has ended.
func TestCheckContext(t *testing.T) {
	s, graph := set(t)
	run(t, s, graph, "count:0")
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if err := s.Check(ctx); tensor.CodeOf(err) != tensor.Cancelled {
		t.Errorf("%v, want Cancelled", err)
	}
	if err := s.Check(context.Background()); err != nil {
		t.Error(err)
	}
	// Functions that fit are not checked again, so the go command is not needed.
	t.Setenv("PATH", "")
	if err := s.Check(context.Background()); err != nil {
		t.Error(err)
	}
}
