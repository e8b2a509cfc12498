package pipeline

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/graphc/graphc/exec"
	"github.com/graphc/graphc/rt/tensor"
)

// write puts a GraphDef in text form into a file.
func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "graph.pbtxt")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

const placeholder = `node { name: "NAME" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { SHAPE } } } }
`

func feed(name, shape string) string {
	return strings.NewReplacer("NAME", name, "SHAPE", shape).Replace(placeholder)
}

func binary(op, name, a, b string) string {
	return `node { name: "` + name + `" op: "` + op + `" input: "` + a + `" input: "` + b + `" attr { key: "T" value { type: DT_FLOAT } } }
`
}

func f32(shape tensor.Shape, v ...float32) *tensor.Tensor {
	return tensor.Must(tensor.From(shape, v))
}

func run(t *testing.T, p *Program, feeds map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	t.Helper()
	r, err := p.Runner(p.Signatures[0])
	if err != nil {
		t.Fatal(err)
	}
	return r.Run(context.Background(), feeds)
}

// TestOpenSizes: each ? is a separate size even if feed names are similar; a name used by several
// feeds is one size.
func TestOpenSizes(t *testing.T) {
	path := write(t, feed("a/b", "unknown_rank: true")+feed("a_b", "unknown_rank: true")+binary("AddV2", "y", "a/b", "a_b"))
	p, err := Compile([]string{path}, Options{Shapes: map[string]string{"a/b": "?", "a_b": "?"}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := run(t, p, map[string]*tensor.Tensor{"a/b:0": f32(tensor.Shape{3}, 1, 2, 3), "a_b:0": f32(tensor.Shape{1}, 10)})
	if err != nil {
		t.Fatal(err)
	}
	if d := tensor.Data[float32](got["y:0"]); len(d) != 3 || d[2] != 13 {
		t.Errorf("y is %v", d)
	}
	p, err = Compile([]string{path}, Options{Shapes: map[string]string{"a/b": "n", "a_b": "n"}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = run(t, p, map[string]*tensor.Tensor{"a/b:0": f32(tensor.Shape{3}, 1, 2, 3), "a_b:0": f32(tensor.Shape{1}, 10)})
	if tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Errorf("sizes of one name that differ give %v", err)
	}
}

// TestVariantsApart: feeds of unknown rank with similar names have separate sizes.
func TestVariantsApart(t *testing.T) {
	path := write(t, feed("a/b", "unknown_rank: true")+feed("a_b", "unknown_rank: true")+binary("AddV2", "y", "a/b", "a_b"))
	p, err := Compile([]string{path}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := run(t, p, map[string]*tensor.Tensor{"a/b:0": f32(tensor.Shape{3}, 1, 2, 3), "a_b:0": f32(tensor.Shape{1}, 10)})
	if err != nil {
		t.Fatal(err)
	}
	if d := tensor.Data[float32](got["y:0"]); len(d) != 3 || d[2] != 13 {
		t.Errorf("y is %v", d)
	}
}

// TestVariants: a feed of unknown rank accepts every rank that the graph allows.
func TestVariants(t *testing.T) {
	path := write(t, feed("x", "unknown_rank: true")+feed("m", "dim { size: 2 } dim { size: 2 }")+binary("Mul", "s", "x", "x")+binary("AddV2", "y", "s", "m"))
	p, err := Compile([]string{path}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	m := f32(tensor.Shape{2, 2}, 1, 2, 3, 4)
	for _, c := range []struct {
		x    *tensor.Tensor
		want []float32
	}{
		{f32(nil, 2), []float32{5, 6, 7, 8}},
		{f32(tensor.Shape{2}, 0, 1), []float32{1, 3, 3, 5}},
		{f32(tensor.Shape{1, 2, 1}, 1, 2), []float32{2, 3, 7, 8}},
	} {
		got, err := run(t, p, map[string]*tensor.Tensor{"x:0": c.x, "m:0": m})
		if err != nil {
			t.Errorf("rank %d: %v", c.x.Rank(), err)
			continue
		}
		d := tensor.Data[float32](got["y:0"])
		for i := range c.want {
			if len(d) != 4 || d[i] != c.want[i] {
				t.Errorf("rank %d: y is %v, want %v", c.x.Rank(), d, c.want)
				break
			}
		}
	}
	_, err = run(t, p, map[string]*tensor.Tensor{"x:0": f32(tensor.Shape{1, 1, 1, 1, 1, 1, 1}, 0), "m:0": m})
	if tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Errorf("a rank that is not compiled gives %v", err)
	}
}

func TestRefusals(t *testing.T) {
	path := write(t, feed("input", "dim { size: -1 }")+binary("AddV2", "y", "input", "input")+`node { name: "u" op: "BatchFFT" input: "c" attr { key: "T" value { type: DT_COMPLEX64 } } }
node { name: "c" op: "Placeholder" attr { key: "dtype" value { type: DT_COMPLEX64 } } }`)
	for name, c := range map[string]struct {
		o    Options
		code tensor.Code
		says string
	}{
		"feed":      {Options{Feeds: []string{"inptu"}, Fetches: []string{"y"}}, tensor.InvalidArgument, `did you mean "input"?`},
		"fetch":     {Options{Fetches: []string{"z"}}, tensor.InvalidArgument, `"z"`},
		"no fetch":  {Options{Feeds: []string{"input"}}, tensor.InvalidArgument, "neither a fetch nor a target"},
		"signature": {Options{Signatures: []string{"s"}}, tensor.NotFound, "no signatures"},
		"shape":     {Options{Feeds: []string{"input"}, Fetches: []string{"y"}, Shapes: map[string]string{"inpt": "3"}}, tensor.NotFound, `did you mean "input"?`},
		"size":      {Options{Feeds: []string{"input"}, Fetches: []string{"y"}, Shapes: map[string]string{"input": "a-b"}}, tensor.InvalidArgument, `"a-b"`},
		"ops":       {Options{Feeds: []string{"c"}, Fetches: []string{"u"}}, tensor.Unimplemented, "BatchFFT (1 nodes): u"},
		"unfed":     {Options{Fetches: []string{"y"}}, tensor.InvalidArgument, "input"},
	} {
		_, err := Compile([]string{path}, c.o)
		if tensor.CodeOf(err) != c.code || err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v, want %v with %s", name, err, c.code, c.says)
		}
	}
}

// TestKeys: the caller may choose the keys of a feed and a fetch.
func TestKeys(t *testing.T) {
	path := write(t, feed("input", "dim { size: -1 }")+binary("AddV2", "y", "input", "input"))
	p, err := Compile([]string{path}, Options{Feeds: []string{"picture=input:0"}, Fetches: []string{"scores=y"}})
	if err != nil {
		t.Fatal(err)
	}
	pl := p.Signatures[0].Plan
	if pl.Feeds[0].Key != "picture" || pl.Feeds[0].Name != "input:0" || pl.Fetches[0].Key != "scores" || pl.Fetches[0].Name != "y:0" {
		t.Errorf("feeds %+v, fetches %+v", pl.Feeds, pl.Fetches)
	}
}

// TestCalls: signatures that the caller defines share a program and its state. If one fails to
// compile, the others still do.
func TestCalls(t *testing.T) {
	path := write(t, `node { name: "shape" op: "Const" attr { key: "dtype" value { type: DT_INT32 } } attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape { dim { size: 1 } } int_val: 3 } } } }
node { name: "r" op: "RandomUniform" input: "shape" attr { key: "T" value { type: DT_INT32 } } attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "seed" value { i: 5 } } attr { key: "seed2" value { i: 6 } } }
`+feed("x", "dim { size: 3 }")+binary("AddV2", "y", "r", "x"))
	p, err := Compile([]string{path}, Options{KeepGoing: true, Calls: []Call{
		{Name: "r", Fetches: []string{"r"}}, {Name: "y", Feeds: []string{"x"}, Fetches: []string{"y"}}, {Name: "bad", Fetches: []string{"z"}}}})
	if err != nil {
		t.Fatal(err)
	}
	if tensor.CodeOf(p.Failed["bad"]) != tensor.InvalidArgument || len(p.Failed) != 1 || p.Signature("bad") != nil {
		t.Errorf("failed: %v", p.Failed)
	}
	kept := exec.State{}
	r, err := p.Signature("r").RunnerWith(kept)
	if err != nil {
		t.Fatal(err)
	}
	y, err := p.Signature("y").RunnerWith(kept)
	if err != nil {
		t.Fatal(err)
	}
	first, err := r.Run(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	second, err := y.Run(context.Background(), map[string]*tensor.Tensor{"x:0": f32(tensor.Shape{3}, 0, 0, 0)})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := tensor.Data[float32](first["r:0"]), tensor.Data[float32](second["y:0"]); a[0] == b[0] {
		t.Errorf("the second run draws %v again: the signatures share no state", a)
	}
}
