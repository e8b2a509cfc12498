package graphc_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/graphc/graphc"
	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/tensor"
)

func instance(t *testing.T, p *graphc.Program) *graphc.Instance {
	t.Helper()
	i, err := p.NewInstance(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := i.Close(); err != nil {
			t.Error(err)
		}
	})
	return i
}

// points returns a feed for the signature train: two points and their labels.
func points() map[string]*tensor.Tensor {
	return map[string]*tensor.Tensor{
		"points": {DType: tensor.Float32, Shape: tensor.Shape{2, 2}, Data: []float32{0, 1, 2, -1}},
		"labels": {DType: tensor.Int32, Shape: tensor.Shape{2}, Data: []int32{0, 1}},
	}
}

func train(i *graphc.Instance) (float32, error) {
	out, err := i.Run(context.Background(), "train", points())
	if err != nil {
		return 0, err
	}
	return out["loss"].Data.([]float32)[0], nil
}

// TestRuns: runs share the variables of their instance, but not those of other instances.
func TestRuns(t *testing.T) {
	p := compile(t, load(t, "examples/training/moons.pbtxt", nil), moons)
	a, b := instance(t, p), instance(t, p)
	first, err := train(a)
	if err != nil {
		t.Fatal(err)
	}
	last := first
	for range 20 {
		if last, err = train(a); err != nil {
			t.Fatal(err)
		}
	}
	if last >= first {
		t.Errorf("the loss is %g, after 20 steps %g", first, last)
	}
	if other, err := train(b); err != nil || other != first {
		t.Errorf("another instance begins with %g, %v, want %g", other, err, first)
	}

	prefix := filepath.Join(t.TempDir(), "ckpt")
	if err := a.Save(context.Background(), prefix); err != nil {
		t.Fatal(err)
	}
	c := instance(t, p)
	if err := c.Restore(context.Background(), prefix); err != nil {
		t.Fatal(err)
	}
	want, err := train(a)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := train(c); err != nil || got != want {
		t.Errorf("after Restore the loss is %g, %v, want %g", got, err, want)
	}
	if err := c.Restore(context.Background(), prefix+"none"); tensor.CodeOf(err) != tensor.NotFound {
		t.Errorf("a checkpoint that does not exist: %v", err)
	}
	if _, ok := a.RTProgram().(rt.Saver); !ok {
		t.Error("the instance is no rt.Saver")
	}
}

// TestRunRefuses: for wrong inputs, Run returns an error with the code that TensorFlow uses.
func TestRunRefuses(t *testing.T) {
	p := compile(t, load(t, "examples/savedmodel/half_plus_two", nil), &graphc.Options{Signatures: []string{"serving_default"}})
	i := instance(t, p)
	x := func(d tensor.DType, data any, shape ...int) map[string]*tensor.Tensor {
		return map[string]*tensor.Tensor{"x": {DType: d, Shape: shape, Data: data}}
	}
	for _, c := range []struct {
		what, signature string
		in              map[string]*tensor.Tensor
		code            tensor.Code
	}{
		{"another signature", "none", nil, tensor.NotFound},
		{"nothing fed", "serving_default", nil, tensor.InvalidArgument},
		{"nil fed", "serving_default", map[string]*tensor.Tensor{"x": nil}, tensor.InvalidArgument},
		{"another name", "serving_default", map[string]*tensor.Tensor{"y": {}}, tensor.InvalidArgument},
		{"another type", "serving_default", x(tensor.Int32, []int32{1}, 1), tensor.InvalidArgument},
		{"another shape", "serving_default", x(tensor.Float32, []float32{1, 2}, 2), tensor.InvalidArgument},
		{"another rank", "serving_default", x(tensor.Float32, []float32{1}), tensor.InvalidArgument},
		{"data of another type", "serving_default", x(tensor.Float32, []int32{1}, 1), tensor.InvalidArgument},
		{"no data", "serving_default", x(tensor.Float32, nil, 1), tensor.InvalidArgument},
		{"too little data", "serving_default", x(tensor.Float32, []float32{}, 1), tensor.InvalidArgument},
		{"a negative size", "serving_default", x(tensor.Float32, []float32{}, -1), tensor.InvalidArgument},
	} {
		if out, err := i.Run(context.Background(), c.signature, c.in); out != nil || tensor.CodeOf(err) != c.code {
			t.Errorf("%s: %v, %v, want %v", c.what, out, err, c.code)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := i.Run(ctx, "serving_default", x(tensor.Float32, []float32{1}, 1)); tensor.CodeOf(err) != tensor.Cancelled {
		t.Errorf("a context that has ended: %v", err)
	}
	if err := i.Save(context.Background(), filepath.Join(t.TempDir(), "x")); tensor.CodeOf(err) != tensor.FailedPrecondition {
		t.Errorf("nothing to save: %v", err)
	}
	byTensor := map[string]*tensor.Tensor{p.Signatures()[0].Feeds[0].Name: x(tensor.Float32, []float32{3}, 1)["x"]}
	if out, err := i.Run(context.Background(), "serving_default", byTensor); err != nil || out["y"].Data.([]float32)[0] != 3.5 {
		t.Errorf("fed by the tensor's name: %v, %v", out, err)
	}
}

// queue is a graph with an op put, which adds an element to a queue, and an op take, which removes an
// element. The op take waits while the queue is empty.
const queue = `
node { name: "q" op: "FIFOQueueV2" attr { key: "component_types" value { list { type: DT_FLOAT } } } attr { key: "shapes" value { list { shape {} } } } }
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape {} } } }
node { name: "put" op: "QueueEnqueueV2" input: "q" input: "x" attr { key: "Tcomponents" value { list { type: DT_FLOAT } } } }
node { name: "take" op: "QueueDequeueV2" input: "q" attr { key: "component_types" value { list { type: DT_FLOAT } } } }
versions { producer: 1286 }
`

func queued(t *testing.T, o graphc.Options) *graphc.Instance {
	t.Helper()
	m, err := graphc.LoadBytes(context.Background(), "queue.pbtxt", []byte(queue), nil)
	if err != nil {
		t.Fatal(err)
	}
	o.Calls = []graphc.Call{{Name: "put", Feeds: []string{"x=x:0"}, Targets: []string{"put"}}, {Name: "take", Fetches: []string{"y=take:0"}}}
	return instance(t, compile(t, m, &o))
}

// TestClose: if an instance is closed while a run waits, the run ends with Cancelled. Later runs return
// Cancelled at once.
func TestClose(t *testing.T) {
	i := queued(t, graphc.Options{})
	ended := make(chan error)
	go func() {
		_, err := i.Run(context.Background(), "take", nil)
		ended <- err
	}()
	time.Sleep(20 * time.Millisecond)
	for range 2 {
		if err := i.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := <-ended; tensor.CodeOf(err) != tensor.Cancelled {
		t.Errorf("a running run ends with %v", err)
	}
	if _, err := i.Run(context.Background(), "take", nil); tensor.CodeOf(err) != tensor.Cancelled {
		t.Errorf("a run after Close ends with %v", err)
	}
}

// TestTimeout: a run ends after the default timeout that the program was compiled with.
func TestTimeout(t *testing.T) {
	i := queued(t, graphc.Options{Defaults: graphc.Defaults{Timeout: time.Millisecond}})
	if _, err := i.Run(context.Background(), "take", nil); tensor.CodeOf(err) != tensor.DeadlineExceeded {
		t.Errorf("%v", err)
	}
}

// TestConcurrent: models, programs and instances are used by many goroutines at once.
func TestConcurrent(t *testing.T) {
	ctx := context.Background()
	m := load(t, "examples/savedmodel/half_plus_two", nil)
	p := compile(t, m, nil)
	want := filesOf(t, p, nil)
	i := queued(t, graphc.Options{})
	var wg sync.WaitGroup
	for k := range 4 {
		wg.Go(func() {
			q, err := m.Compile(ctx, nil)
			if err != nil {
				t.Error(err)
				return
			}
			for _, p := range []*graphc.Program{p, q} {
				files, err := p.Files(ctx, nil)
				if err != nil {
					t.Error(err)
				}
				sameFiles(t, files, want)
				if err := half(ctx, p, float32(k)); err != nil {
					t.Error(err)
				}
			}
		})
		wg.Go(func() {
			x := &tensor.Tensor{DType: tensor.Float32, Shape: tensor.Shape{}, Data: []float32{float32(k)}}
			if _, err := i.Run(ctx, "put", map[string]*tensor.Tensor{"x": x}); err != nil {
				t.Error(err)
			}
		})
		wg.Go(func() {
			if _, err := i.Run(ctx, "take", nil); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// half runs a new instance of the program half_plus_two, and checks that the result is x/2 + 2.
func half(ctx context.Context, p *graphc.Program, x float32) error {
	i, err := p.NewInstance(ctx, nil)
	if err != nil {
		return err
	}
	defer i.Close()
	out, err := i.Run(ctx, "serving_default", map[string]*tensor.Tensor{"x": {DType: tensor.Float32, Shape: tensor.Shape{1}, Data: []float32{x}}})
	if err != nil {
		return err
	}
	if y := out["y"].Data.([]float32)[0]; y != x/2+2 {
		return fmt.Errorf("half of %g and two is %g", x, y)
	}
	return nil
}

// TestRunFiles: ops can access only files below the directory InstanceOptions.Files.
func TestRunFiles(t *testing.T) {
	const text = `node { name: "name" op: "Placeholder" attr { key: "dtype" value { type: DT_STRING } } attr { key: "shape" value { shape {} } } }
node { name: "read" op: "ReadFile" input: "name" }
versions { producer: 1286 }
`
	p := compile(t, read(t, text, nil), &graphc.Options{AllowFiles: true, Feeds: []string{"name"}, Fetches: []string{"text=read"}})
	dir, err := os.OpenRoot("examples/training")
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	for _, c := range []struct {
		root *os.Root
		name string
		code tensor.Code
	}{{dir, "graphc.yaml", tensor.OK}, {dir, "../../go.mod", tensor.PermissionDenied}, {nil, "graphc.yaml", tensor.PermissionDenied}} {
		i, err := p.NewInstance(context.Background(), &graphc.InstanceOptions{Files: c.root})
		if err != nil {
			t.Fatal(err)
		}
		out, err := i.Run(context.Background(), "", map[string]*tensor.Tensor{"name": {DType: tensor.String, Shape: tensor.Shape{}, Data: []string{c.name}}})
		if tensor.CodeOf(err) != c.code || err == nil && !strings.Contains(out["text"].Data.([]string)[0], "moons.pbtxt") {
			t.Errorf("%s: %v, %v, want %v", c.name, out, err, c.code)
		}
		i.Close()
	}
}

// TestNoInit: with the option NoInit, variables have no values.
func TestNoInit(t *testing.T) {
	p := compile(t, load(t, "examples/training/moons.pbtxt", nil), moons)
	i, err := p.NewInstance(context.Background(), &graphc.InstanceOptions{NoInit: true})
	if err != nil {
		t.Fatal(err)
	}
	defer i.Close()
	if _, err := train(i); tensor.CodeOf(err) != tensor.FailedPrecondition {
		t.Errorf("variables without values: %v", err)
	}
}

// TestWatched: a run calls the function given to rt.Watch with the tensors named in Options.Watch.
func TestWatched(t *testing.T) {
	p := compile(t, read(t, placeholder+`node { name: "y" op: "Relu" input: "x" attr { key: "T" value { type: DT_FLOAT } } } node { name: "z" op: "Neg" input: "y" attr { key: "T" value { type: DT_FLOAT } } }`, nil), &graphc.Options{Watch: []string{"y"}})
	i := instance(t, p)
	seen := map[string]string{}
	ctx := rt.WithRun(context.Background(), rt.Watch(func(name string, x *tensor.Tensor) error {
		seen[name] = fmt.Sprint(x, x.Data)
		return nil
	}))
	out, err := i.Run(ctx, "", map[string]*tensor.Tensor{"x": {DType: tensor.Float32, Shape: tensor.Shape{2}, Data: []float32{-1, 2}}})
	if err != nil || len(out) != 1 || seen["y:0"] != "f32[2] [0 2]" {
		t.Errorf("%v %v, watched %v", out, err, seen)
	}
}
