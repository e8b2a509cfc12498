package graphc_test

import (
	"bytes"
	"context"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/graphc/graphc"
	"github.com/graphc/graphc/internal/emitdir"
	"github.com/graphc/graphc/internal/testkit"
	"github.com/graphc/graphc/rt/tensor"
)

// moons are options with the signatures of examples/training.
var moons = &graphc.Options{
	Init: []string{"init"},
	Calls: []graphc.Call{
		{Name: "train", Feeds: []string{"points=points:0", "labels=labels:0"}, Fetches: []string{"loss=loss:0"}, Targets: []string{"train"}},
		{Name: "predict", Feeds: []string{"points=points:0"}, Fetches: []string{"scores=scores:0"}},
	},
	Shapes: map[string]string{"points": "n,2", "labels": "n"},
}

// texts are options with the ops of examples/ownop.
var texts = &graphc.LoadOptions{GoOps: []graphc.GoOp{
	{Op: "WhitespaceTokenizeWithOffsetsV2", Func: "github.com/graphc/graphc/examples/ownop/textops.Split", Sizes: "github.com/graphc/graphc/examples/ownop/textops.CountWords",
		Signature: "(input_values:.str, input_config:.str) -> (output_values:.str, output_row_splits:.i64, output_start_offsets:.i32, output_end_offsets:.i32)",
		Outputs:   []string{"?", "input_values[0]+1", "?", "?"}},
	{Op: "Sigmoid", Func: "github.com/graphc/graphc/examples/ownop/textops.Percent"},
}}

func load(t *testing.T, path string, o *graphc.LoadOptions) *graphc.Model {
	t.Helper()
	m, err := graphc.Load(context.Background(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func compile(t *testing.T, m *graphc.Model, o *graphc.Options) *graphc.Program {
	t.Helper()
	p, err := m.Compile(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func filesOf(t *testing.T, p *graphc.Program, o *graphc.EmitOptions) map[string][]byte {
	t.Helper()
	files, err := p.Files(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// sameFiles fails the test if the two packages have different files.
func sameFiles(t *testing.T, got, want map[string][]byte) {
	t.Helper()
	if g, w := slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)); !slices.Equal(g, w) {
		t.Errorf("the files are %q, want %q", g, w)
	}
	for name, data := range want {
		if !bytes.Equal(got[name], data) {
			t.Errorf("%s has other bytes", name)
		}
	}
}

// TestFiles: Program.Files returns the same files that the graphc command wrote for the examples.
func TestFiles(t *testing.T) {
	for _, c := range []struct {
		dir, model string
		load       *graphc.LoadOptions
		compile    *graphc.Options
	}{
		{"savedmodel", "half_plus_two", nil, &graphc.Options{Signatures: []string{"serving_default", "regress_x_to_y", "regress_x_to_y2", "regress_x2_to_y3"}}},
		{"training", "moons.pbtxt", nil, moons},
		{"ownop", "opinions.pbtxt", texts, &graphc.Options{Feeds: []string{"texts=texts:0"}, Fetches: []string{"scores=scores:0"}, Shapes: map[string]string{"texts": "n"}}},
	} {
		dir := filepath.Join("examples", c.dir)
		want := map[string][]byte{}
		entries, err := os.ReadDir(filepath.Join(dir, "model"))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if want[e.Name()], err = os.ReadFile(filepath.Join(dir, "model", e.Name())); err != nil {
				t.Fatal(err)
			}
		}
		p := compile(t, load(t, filepath.Join(dir, c.model), c.load), c.compile)
		o := &graphc.EmitOptions{Package: "model"}
		t.Run(c.dir, func(t *testing.T) {
			sameFiles(t, filesOf(t, p, o), want)
			i, err := p.NewInstance(context.Background(), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer i.Close()
			sameFiles(t, filesOf(t, p, o), want) // a second call, with an open instance, returns the same files
		})
	}
}

// TestStandaloneFiles: a standalone package has copies of the run time, and a go.mod if requested.
func TestStandaloneFiles(t *testing.T) {
	p := compile(t, load(t, "examples/savedmodel/half_plus_two", nil), nil)
	files := filesOf(t, p, &graphc.EmitOptions{Package: "half", Standalone: true, GoMod: true, ImportPath: "example.com/half", Version: "v9.8.7"})
	for _, name := range []string{"go.mod", "half.gen.go", "half_weights.bin"} {
		if len(files[name]) == 0 {
			t.Errorf("there is no %s", name)
		}
	}
	declared := func(folder, text string) bool {
		for name, data := range files {
			if path.Dir(name) == folder && bytes.Contains(data, []byte("\n"+text)) {
				return true
			}
		}
		return false
	}
	// The copied packages keep rt's public API, even the declarations that this model does not use.
	for folder, text := range map[string]string{"internal/rt": "type PartialRun", "internal/rt/tensor": "type Tensor struct"} {
		if !declared(folder, text) {
			t.Errorf("%s has no %q", folder, text)
		}
	}
	for folder, text := range map[string]string{"internal/rt/resource": "type Barrier", "internal/kernels/internal/panel": "package panel", "internal/kernels/strs": "package strs",
		"internal/rt": "func (p *Pool[D, V, I, M, X]) Blocks("} {
		if declared(folder, text) {
			t.Errorf("%s has %q, which nothing needs", folder, text)
		}
	}
	// The number was 45 when this test was written. Copies of whole packages would have 324 files.
	if n := len(files); n > 60 {
		t.Errorf("there are %d files", n)
	}
	for name, data := range files {
		if !emitdir.Ours(data) {
			t.Errorf("%s is not marked as generated", name)
		}
		if bytes.Contains(data, []byte("\n//go:generate ")) {
			t.Errorf("%s has go generate run what is not there", name)
		}
		if bytes.Contains(data, []byte(`"github.com/graphc/graphc/rt`)) {
			t.Errorf("%s imports this module", name)
		}
	}
	if !bytes.Contains(files["go.mod"], []byte("graphc v9.8.7.")) || !bytes.Contains(files["go.mod"], []byte("module example.com/half\n")) {
		t.Errorf("go.mod is %q", files["go.mod"])
	}
}

// TestStandaloneSize: the copies of a small model are short enough for review.
func TestStandaloneSize(t *testing.T) {
	model := filepath.Join(testkit.NeedShared(t, "cases", "models", "classify", "mnist_fc"), "graph.pb")
	p := compile(t, load(t, model, nil), nil)
	size := func(processors []string) (goFiles, assembly, bytes int) {
		for name, data := range filesOf(t, p, &graphc.EmitOptions{Standalone: true, ImportPath: "example.com/mnist", Processors: processors}) {
			lines := strings.Count(string(data), "\n")
			switch path.Ext(name) {
			case ".go":
				if goFiles++; lines > 600 {
					t.Errorf("%s has %d lines", name, lines)
				}
			case ".s":
				assembly += lines
			case ".bin":
				continue
			}
			bytes += len(data)
		}
		return goFiles, assembly, bytes
	}
	goFiles, assembly, bytes := size(nil)
	if goFiles > 40 || assembly > 24_000 || bytes > 1_000_000 {
		t.Errorf("there are %d Go files, %d lines of assembly, %d bytes", goFiles, assembly, bytes)
	}
	if _, arm, _ := size([]string{"arm64"}); arm == 0 || arm >= assembly/2 {
		t.Errorf("there are %d lines of assembly for arm64, %d for both", arm, assembly)
	}
}

// TestRunTimeFiles: packages that share copies contain no copies themselves, and the shared copies
// contain everything that both packages need.
func TestRunTimeFiles(t *testing.T) {
	p := compile(t, load(t, "examples/savedmodel/half_plus_two", nil), nil)
	q := compile(t, load(t, "examples/training/moons.pbtxt", nil), moons)
	emit := func(name string, p *graphc.Program) map[string][]byte {
		return filesOf(t, p, &graphc.EmitOptions{Package: name, Standalone: true, ImportPath: "example.com/" + name, RunTime: "example.com/shared"})
	}
	a, b := emit("a", p), emit("b", q)
	copies := func(o graphc.EmitOptions, packages ...map[string][]byte) map[string][]byte {
		o.RunTime = "example.com/shared"
		files, err := graphc.RunTimeFiles(&o, packages...)
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	all := func(files map[string][]byte) (text string) {
		for name, data := range files {
			if path.Ext(name) == ".go" || path.Ext(name) == ".s" {
				text += string(data)
			}
		}
		return text
	}
	for name := range a {
		if strings.HasPrefix(name, "internal/") {
			t.Errorf("there is %s", name)
		}
	}
	one, both := all(copies(graphc.EmitOptions{}, a)), all(copies(graphc.EmitOptions{}, a, b))
	if strings.Contains(one, "package gemm") || !strings.Contains(both, "package gemm") || len(both) >= 2*len(all(copies(graphc.EmitOptions{}, b))) {
		t.Errorf("copies have %d bytes for one package, %d for two", len(one), len(both))
	}
	if portable := all(copies(graphc.EmitOptions{Processors: []string{}}, a, b)); strings.Contains(portable, "TEXT") || strings.Contains(portable, "arm64 &&") {
		t.Error("there is assembly for processors that are left out")
	}
	for name, data := range copies(graphc.EmitOptions{}, a, b) {
		if !emitdir.Ours(data) {
			t.Errorf("%s is not marked as generated", name)
		}
	}
	for want, o := range map[string]*graphc.EmitOptions{"RunTime is not set": nil, `no assembly for processor "riscv64"`: {RunTime: "x", Processors: []string{"riscv64"}}} {
		if _, err := graphc.RunTimeFiles(o, a); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestFilesRefuses checks that Files returns an error for invalid options.
func TestFilesRefuses(t *testing.T) {
	p := compile(t, load(t, "examples/savedmodel/half_plus_two", nil), nil)
	assemble := func(context.Context, []graphc.PTX) ([][]graphc.MachineCode, error) { return nil, nil }
	for _, o := range []*graphc.EmitOptions{{Package: "a-b"}, {Package: "type"}, {GoMod: true}, {Assemble: assemble},
		{RunTime: "x"}, {Processors: []string{"amd64"}}, {Standalone: true, ImportPath: "x", Processors: []string{"386"}}, {Example: true}, {Example: true, ImportPath: "x", Main: true}} {
		files, err := p.Files(context.Background(), o)
		if files != nil || tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("%+v: %d files, %v", o, len(files), err)
		}
	}
	own := *texts
	own.GoOps = slices.Clone(texts.GoOps)
	own.GoOps[1].Func += "None"
	own.GoOpsFile = "ops.yaml"
	q := compile(t, load(t, "examples/ownop/opinions.pbtxt", &own), &graphc.Options{Feeds: []string{"texts:0"}, Fetches: []string{"scores:0"}, Shapes: map[string]string{"texts": "n"}})
	_, filesErr := q.Files(context.Background(), nil)
	_, runErr := q.NewInstance(context.Background(), nil)
	for what, err := range map[string]error{"Files": filesErr, "NewInstance": runErr} {
		if err == nil {
			t.Errorf("%s: a Go function that there is not is no error", what)
			continue
		}
		if d := diagnostics(t, err)[0]; d.Code != tensor.NotFound || d.Op != "Sigmoid" || !strings.HasPrefix(d.Text, `ops.yaml: op "Sigmoid": func `) || !strings.Contains(d.Text, "PercentNone") {
			t.Errorf("%s: a Go function that there is not: %+v", what, d)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if files, err := p.Files(ctx, nil); files != nil || tensor.CodeOf(err) != tensor.Cancelled {
		t.Errorf("with a context that has ended: %d files, %v", len(files), err)
	}
}

// plainFS is a file system whose files have no methods beyond those of fs.File. They can be read
// only from beginning to end.
type plainFS struct{ fs.FS }

type plainFile struct{ fs.File }

// Open implements fs.FS.
func (p plainFS) Open(name string) (fs.File, error) {
	f, err := p.FS.Open(name)
	if err != nil {
		return nil, err
	}
	if st, err := f.Stat(); err != nil || st.IsDir() {
		return f, err
	}
	return plainFile{f}, nil
}

// TestLoadFS: a model loaded from an fs.FS equals the same model loaded with Load, including its
// variables.
func TestLoadFS(t *testing.T) {
	m := load(t, "examples/savedmodel/half_plus_two", nil)
	want := filesOf(t, compile(t, m, nil), nil)
	for name, fsys := range map[string]fs.FS{"DirFS": os.DirFS("examples"), "plain": plainFS{os.DirFS("examples")}} {
		got, err := graphc.LoadFS(context.Background(), fsys, "savedmodel/half_plus_two", nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got.SHA256() != m.SHA256() || got.Kind() != "saved_model" || !slices.Equal(got.Signatures(), m.Signatures()) {
			t.Errorf("%s: %s %s %q", name, got.Kind(), got.SHA256(), got.Signatures())
		}
		sameFiles(t, filesOf(t, compile(t, got, nil), nil), want)
	}
	for name, code := range map[string]tensor.Code{"none.pb": tensor.NotFound, "../go.mod": tensor.InvalidArgument, "/etc/hostname": tensor.InvalidArgument, "savedmodel/main.go": tensor.InvalidArgument} {
		if _, err := graphc.LoadFS(context.Background(), os.DirFS("examples"), name, nil); tensor.CodeOf(err) != code {
			t.Errorf("%s: %v, want %v", name, err, code)
		}
	}
	if _, err := graphc.LoadFS(context.Background(), nil, "a.pb", nil); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Errorf("no file system: %v", err)
	}
}

// TestLoadBytes: a model loaded from the bytes of its only file equals the model loaded from the
// file.
func TestLoadBytes(t *testing.T) {
	data, err := os.ReadFile("examples/training/moons.pbtxt")
	if err != nil {
		t.Fatal(err)
	}
	m, err := graphc.LoadBytes(context.Background(), "moons.pbtxt", data, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := load(t, "examples/training/moons.pbtxt", nil)
	if m.SHA256() != want.SHA256() || m.Kind() != "graphdef" {
		t.Errorf("%s %s", m.Kind(), m.SHA256())
	}
	sameFiles(t, filesOf(t, compile(t, m, moons), nil), filesOf(t, compile(t, want, moons), nil))
	for name, code := range map[string]tensor.Code{"": tensor.InvalidArgument, "a/b.pb": tensor.InvalidArgument, "..": tensor.InvalidArgument, "model.json": tensor.InvalidArgument, "x.meta": tensor.InvalidArgument} {
		if _, err := graphc.LoadBytes(context.Background(), name, data, nil); tensor.CodeOf(err) != code {
			t.Errorf("%q: %v, want %v", name, err, code)
		}
	}
	if _, err := graphc.LoadBytes(context.Background(), "g.pb", []byte("\x22\x02\x08\x01"), nil); err != nil {
		t.Errorf("a graph without nodes cannot be read: %v", err)
	}
	if _, err := graphc.LoadBytes(context.Background(), "g.pb", nil, nil); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Errorf("an empty file: %v", err)
	}
}
