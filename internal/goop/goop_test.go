package goop_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/graphc/graphc/internal/goop"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/rt/tensor"
)

// TestSpecs checks errors in declarations of ops.
func TestSpecs(t *testing.T) {
	const f = "example.com/m/kernels.F"
	for _, c := range []struct {
		spec goop.Spec
		want string // text that the error contains; "" means no error
	}{
		{goop.Spec{Op: "Relu", Func: f}, ""},
		{goop.Spec{Op: "Own", Func: f, Signature: "(x:T) -> (y:T) {T:type}", Outputs: []string{"x"}}, ""},
		{goop.Spec{Op: "Own", Func: f, Signature: "(x:.f32) -> (y:.f32)", Outputs: []string{"x"}}, ""},
		{goop.Spec{Op: "Own", Func: f, Signature: "(x:.f32) -> (y:.f32) stateful", Outputs: []string{"x"}}, ""},
		{goop.Spec{Op: "tf>Own", Func: "f.F", Signature: "() -> (y:.f32) {} stateful", Outputs: []string{""}}, ""},
		{goop.Spec{Op: "", Func: f}, "invalid name of an op"},
		{goop.Spec{Op: "A b", Func: f}, "invalid name of an op"},
		{goop.Spec{Op: "Relu"}, `"" does not name a function`},
		{goop.Spec{Op: "Relu", Func: "example.com/kernels"}, "does not name a function"},
		{goop.Spec{Op: "Relu", Func: "example.com/kernels.f"}, "not the name of an exported function"},
		{goop.Spec{Op: "Relu", Func: "example.com/kernels.F()"}, "not the name of an exported function"},
		{goop.Spec{Op: "Relu", Func: `example.com/"; import "os.F`}, "is not an import path"},
		{goop.Spec{Op: "Relu", Func: "../kernels.F"}, "is not an import path"},
		{goop.Spec{Op: "Relu", Func: "a//b.F"}, "is not an import path"},
		{goop.Spec{Op: "Relu", Func: "example.com/m/k....F"}, "stands for several packages"},
		{goop.Spec{Op: "Relu", Func: "example.com/k...s.F"}, "stands for several packages"},
		{goop.Spec{Op: "Relu", Func: "std.F"}, "stands for several packages"},
		{goop.Spec{Op: "Relu", Func: f, Sizes: "kernels"}, "sizes: "},
		{goop.Spec{Op: "Own", Func: f, Outputs: []string{"x"}}, "its signature is required"},
		{goop.Spec{Op: "Own", Func: f, Signature: "(x:.f32) -> (y:.f32)"}, "the shapes of its outputs are required"},
		{goop.Spec{Op: "Own", Func: f, Signature: "(x:f32 -> (y:.f32)", Outputs: []string{"x"}}, "want, for example,"},
		{goop.Spec{Op: "Own", Func: f, Signature: "(x:.f32&) -> (y:.f32)", Outputs: []string{"x"}}, "references"},
		{goop.Spec{Op: "Own", Func: f, Signature: "(x:N*T) -> (y:T) {T:type}", Outputs: []string{"x"}}, "needs an attribute N:int"},
		{goop.Spec{Op: "Own", Func: f, Signature: "(x:[Ts]) -> () {Ts:type}", Outputs: []string{}}, "needs an attribute Ts:list(type)"},
	} {
		_, err := goop.New("", []goop.Spec{c.spec})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: %v, want %q", c.spec, err, c.want)
		}
	}
	if _, err := goop.New("", []goop.Spec{{Op: "Relu", Func: f}, {Op: "Relu", Func: f}}); err == nil || !strings.Contains(err.Error(), "duplicate") {
		t.Errorf("an op listed twice: %v", err)
	}
	var none *goop.Set
	if none.Ops() != nil || none.Check(context.Background()) != nil {
		t.Error("a set of nothing has something")
	}
	none.Link()
	none.Close()
}

const kernels = `package kernels

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"strings"
	"time"
)

var calls float32

// Count returns the number of its calls.
func Count(y []float32, yShape []int, x []float32, xShape []int) error {
	calls++
	for i := range y {
		y[i] = calls
	}
	return nil
}

// Trouble misbehaves as x selects.
func Trouble(y []float32, yShape []int, x []float32, xShape []int) error {
	fmt.Println("standard output is not the answer")
	switch x[0] {
	case 1:
		return errors.New("OutOfRange: too far")
	case 2:
		os.Exit(3)
	case 3:
		return errors.New("plain")
	case 4:
		for {
		}
	case 5:
		time.Sleep(time.Hour)
	case 6:
		panic("boom " + strings.Repeat("x", 1<<20))
	case 7:
		return errors.New(strings.Repeat("é", 1<<20))
	case 8:
		os.NewFile(1, "out").Write([]byte("\xff\xff\xffgarbage that is not gob"))
	case 9:
		x[0] = 99
		return nil
	case 10:
		xShape[0]++
	case 11:
		io.ReadAll(os.NewFile(0, "in"))
	case 12:
		cmd := exec.Command("sleep", "1000")
		if err := cmd.Start(); err != nil {
			return err
		}
		os.WriteFile(os.Getenv("GRAPHC_TEST_PIDS"), []byte(fmt.Sprint(os.Getpid(), " ", cmd.Process.Pid, "\n")), 0o666)
		for {
		}
	case 13:
		x[0] = float32(math.NaN())
	}
	copy(y, x)
	return nil
}

// Kinds has parameters for tensors and attributes of many kinds.
func Kinds[H ~uint16](y []string, yShape []int, h []H, hShape []int, s []string, sShape []int, c []complex64, cShape []int, b []bool, bShape []int,
	i int, f float32, t string, shape []int, shapes [][]int, list []int, names []string, on bool) error {
	y[0] = fmt.Sprint(yShape, h, hShape, s, sShape, c, cShape, b, bShape, i, f, t, shape, shapes, list, names, on)
	return nil
}
`

const graph = `
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { dim { size: -1 } } } } }
node { name: "count" op: "Count" input: "x" }
node { name: "trouble" op: "Trouble" input: "x" }
node { name: "h" op: "Const" attr { key: "dtype" value { type: DT_HALF } } attr { key: "value" value { tensor { dtype: DT_HALF tensor_shape { dim { size: 1 } } half_val: 15360 } } } }
node { name: "s" op: "Const" attr { key: "dtype" value { type: DT_STRING } } attr { key: "value" value { tensor { dtype: DT_STRING tensor_shape { } string_val: "\377a" } } } }
node { name: "c" op: "Const" attr { key: "dtype" value { type: DT_COMPLEX64 } } attr { key: "value" value { tensor { dtype: DT_COMPLEX64 tensor_shape { } scomplex_val: 1 scomplex_val: 2 } } } }
node { name: "b" op: "Const" attr { key: "dtype" value { type: DT_BOOL } } attr { key: "value" value { tensor { dtype: DT_BOOL tensor_shape { dim { } } } } } }
node { name: "kinds" op: "Kinds" input: "h" input: "s" input: "c" input: "b" attr { key: "t" value { type: DT_INT8 } }
  attr { key: "shape" value { shape { dim { size: 2 } dim { size: -1 } } } } attr { key: "shapes" value { list { shape { } shape { dim { size: 4 } } } } } }
node { name: "unknown" op: "Kinds" input: "h" input: "s" input: "c" input: "b" attr { key: "t" value { type: DT_INT8 } }
  attr { key: "shape" value { shape { unknown_rank: true } } } attr { key: "shapes" value { list { } } } }
versions { producer: 2000 }
`

func set(t *testing.T) (*goop.Set, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/m\n\ngo 1.24\n", "kernels/kernels.go": kernels, "graph.pbtxt": graph} {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	one := "(x:.f32) -> (y:.f32)"
	s, err := goop.New(dir, []goop.Spec{
		{Op: "Count", Func: "example.com/m/kernels.Count", Signature: one + " stateful", Outputs: []string{"x[0]"}},
		{Op: "Trouble", Func: "example.com/m/kernels.Trouble", Signature: one, Outputs: []string{"x"}},
		{Op: "Kinds", Func: "example.com/m/kernels.Kinds", Signature: `(h:.f16, s:.str, c:.c64, b:.bool) -> (y:.str) {i:int = -3; f:float = 0.5; t:type; shape:shape; shapes:list(shape); list:list(int) = [1,2]; names:list(string) = ["a"]; on:bool = true}`,
			Outputs: []string{"1"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s, filepath.Join(dir, "graph.pbtxt")
}

// run compiles a graph with one fetch. The parameter graph is the path of the graph's file. The
// result is a function that runs the program with the feed x and returns the value of the fetch.
func run(t *testing.T, s *goop.Set, graph, fetch string) func(x ...float32) (*tensor.Tensor, error) {
	t.Helper()
	f := runIn(t, s, graph, fetch)
	return func(x ...float32) (*tensor.Tensor, error) { return f(context.Background(), x...) }
}

func runIn(t *testing.T, s *goop.Set, graph, fetch string) func(ctx context.Context, x ...float32) (*tensor.Tensor, error) {
	t.Helper()
	p, err := pipeline.Compile([]string{graph}, pipeline.Options{Feeds: []string{"x:0"}, Fetches: []string{fetch}, GoOps: s})
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Runner(p.Signatures[0])
	if err != nil {
		t.Fatal(err)
	}
	return func(ctx context.Context, x ...float32) (*tensor.Tensor, error) {
		out, err := r.Run(ctx, map[string]*tensor.Tensor{"x:0": {DType: tensor.Float32, Shape: tensor.Shape{len(x)}, Data: x}})
		return out[fetch], err
	}
}

// TestCalls calls functions through the helper program.
func TestCalls(t *testing.T) {
	s, graph := set(t)
	count := run(t, s, graph, "count:0")
	for want := float32(1); want < 4; want++ {
		y, err := count(7, 8)
		if err != nil || tensor.Data[float32](y)[1] != want {
			t.Fatalf("call %v: %v, %v", want, y, err)
		}
	}
	troubleIn := runIn(t, s, graph, "trouble:0")
	trouble := func(x float32) (*tensor.Tensor, error) { return troubleIn(context.Background(), x) }
	for _, c := range []struct {
		x    float32
		code tensor.Code
		text string
	}{{0, tensor.OK, ""}, {1, tensor.OutOfRange, `node "trouble" (Trouble): OutOfRange: too far`}, {3, tensor.Unknown, "plain"},
		{6, tensor.Internal, "kernels.Trouble panicked: boom xxx"}, {7, tensor.Unknown, "éé… ("}, {8, tensor.OK, ""},
		{9, tensor.Internal, "kernels.Trouble modified its argument 3"}, {10, tensor.Internal, "kernels.Trouble modified its argument 4"}, {13, tensor.Internal, "modified its argument 3"},
		{11, tensor.OK, ""}, {2, tensor.Internal, "has ended"}, {0, tensor.OK, ""}} {
		_, err := trouble(c.x)
		if tensor.CodeOf(err) != c.code || err != nil && !strings.Contains(err.Error(), c.text) {
			t.Errorf("%v: %v, want %v %q", c.x, err, c.code, c.text)
		}
		if err != nil && len(err.Error()) > 10_000 {
			t.Errorf("%v: the error has %d bytes", c.x, len(err.Error()))
		}
	}
	// A call ends if it takes too long or is cancelled. Another call need not wait until it ends.
	for _, x := range []float32{4, 5} {
		ctx, cancel := context.WithCancel(context.Background())
		first := make(chan error, 1)
		go func() {
			_, err := troubleIn(ctx, x)
			first <- err
		}()
		late, stop := context.WithTimeout(context.Background(), 100*time.Millisecond)
		if _, err := troubleIn(late, 0); tensor.CodeOf(err) != tensor.DeadlineExceeded && err != nil {
			t.Errorf("%v: a call that waits: %v", x, err)
		}
		stop()
		cancel()
		if err := <-first; tensor.CodeOf(err) != tensor.Cancelled {
			t.Errorf("%v: %v", x, err)
		}
	}
	y, err := run(t, s, graph, "kinds:0")()
	want := "[1] [15360] [1] [\xffa] [] [(1+2i)] [] [] [0] -3 0.5i8[2 -1] [[] [4]] [1 2] [a] true"
	if err != nil || tensor.Data[string](y)[0] != want {
		t.Errorf("%q, %v, want %q", y.Data, err, want)
	}
	if err := s.Check(context.Background()); err != nil {
		t.Error(err)
	}
	_, err = pipeline.Compile([]string{graph}, pipeline.Options{Fetches: []string{"unknown:0"}, GoOps: s})
	if tensor.CodeOf(err) != tensor.Unimplemented || !strings.Contains(err.Error(), `attribute "shape"`) {
		t.Errorf("an attribute that cannot be handed over: %v", err)
	}
}

// TestShapes checks shapes of outputs.
func TestShapes(t *testing.T) {
	const text = `
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { dim { size: 3 } dim { size: -1 } dim { size: 5 } } } } }
node { name: "any" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { unknown_rank: true } } } }
node { name: "y" op: "Own" input: "x" attr { key: "dims" value { list { i: 6 i: 7 } } } }
versions { producer: 2000 }
`
	path := filepath.Join(t.TempDir(), "graph.pbtxt")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ output, want string }{
		{"x", "[3,d_x_1,5]"},
		{"", "[]"},
		{" x[0] , 2", "[3,2]"},
		{"x[1:]", "[d_x_1,5]"},
		{"x[:-1], x[-1]+pad", "[3,d_x_1,7]"},
		{"2*x[1] + x[0]*pad", "2*d_x_1"},
		{"x[2]/2", "[2]"},
		{"dims", "[6,7]"},
		{"dims[1]", "[7]"},
		{"pad", "[2]"},
		{"x[3]", "unknown x[3]: "},
		{"x[2:1]", "the part [2:1] of 3 sizes is out of range"},
		{"x[:9]", "the part [:9] of"},
		{"z", `"z" in "z" is not an int attribute`},
		{"x[0]+", "is not a size"},
		{"?", "the function for sizes is \"\""},
		{"x[0]-4", "a dimension is negative"},
	} {
		s, err := goop.New("", []goop.Spec{{Op: "Own", Func: "example.com/kernels.F", Signature: "(x:.f32) -> (y:.f32) {pad:int = 2; dims:list(int)}", Outputs: []string{c.output}}})
		if err != nil {
			t.Fatal(err)
		}
		p, err := pipeline.Compile([]string{path}, pipeline.Options{Feeds: []string{"x:0"}, Fetches: []string{"y:0"}, GoOps: s})
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = strings.ReplaceAll(fmt.Sprint(p.Signatures[0].Plan.Fetches[0].Shape), " ", ",")
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%q: %s, want %s", c.output, got, c.want)
		}
	}
	s, err := goop.New("", []goop.Spec{{Op: "Own", Func: "example.com/kernels.F", Signature: "(x:.f32) -> (y:.f32) {pad:int = 2; dims:list(int)}", Outputs: []string{"x", "x"}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pipeline.Compile([]string{path}, pipeline.Options{Feeds: []string{"x:0"}, Fetches: []string{"y:0"}, GoOps: s}); err == nil || !strings.Contains(err.Error(), "2 shapes are given") {
		t.Errorf("too many outputs: %v", err)
	}
}
