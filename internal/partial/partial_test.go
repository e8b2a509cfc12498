//go:build emitted

package partial

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/graphc/graphc/internal/partial/model"
	"github.com/graphc/graphc/internal/partial/two"
	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/tensor"
)

// program is a program with partial runs.
type program interface {
	rt.Program
	rt.Partialer
	Close() error
}

// programs returns two programs of the same graph. The program "model" was compiled with the
// optional passes for one device. The program "two" was compiled without these passes for two
// devices.
func programs(t *testing.T, opts ...rt.Option) map[string]program {
	t.Helper()
	a, err := model.New(opts...)
	if err != nil {
		t.Fatal(err)
	}
	b, err := two.New(opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close(); b.Close() })
	return map[string]program{"model": a, "two": b}
}

// recorded has the results of TensorFlow's partial_run: see testdata/make.py.
type recorded struct {
	Name  string
	Steps []struct{ Feeds, Fetches map[string]any }
}

// signatures maps the names of recorded runs to the names of the signatures to run.
var signatures = map[string]string{
	"two_steps": "two", "feed_only_step": "two", "no_feeds": "none", "batch": "batch", "batch_q_first": "batch", "branch_true": "branch", "branch_false": "branch",
	"loop": "loop", "loop_none": "loop", "state": "state", "found": "found", "output_of_switch": "switch", "words": "words",
}

func load(t *testing.T) []recorded {
	t.Helper()
	b, err := os.ReadFile("testdata/steps.json")
	if err != nil {
		t.Fatal(err)
	}
	var out []recorded
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// of converts a JSON value to a tensor.
func of(t *testing.T, d tensor.DType, v any) *tensor.Tensor {
	t.Helper()
	var shape tensor.Shape
	var all []any
	var walk func(v any, depth int)
	walk = func(v any, depth int) {
		list, ok := v.([]any)
		if !ok {
			all = append(all, v)
			return
		}
		if len(shape) == depth {
			shape = append(shape, len(list))
		}
		for _, x := range list {
			walk(x, depth+1)
		}
	}
	walk(v, 0)
	if shape == nil {
		shape = tensor.Shape{}
	}
	numbers := func(f func(x float64)) {
		for _, x := range all {
			f(x.(float64))
		}
	}
	switch d {
	case tensor.Float32:
		data := []float32{}
		numbers(func(x float64) { data = append(data, float32(x)) })
		return tensor.Must(tensor.From(shape, data))
	case tensor.Int32:
		data := []int32{}
		numbers(func(x float64) { data = append(data, int32(x)) })
		return tensor.Must(tensor.From(shape, data))
	case tensor.Bool:
		data := []bool{}
		for _, x := range all {
			data = append(data, x.(bool))
		}
		return tensor.Must(tensor.From(shape, data))
	case tensor.String:
		data := []string{}
		for _, x := range all {
			data = append(data, x.(string))
		}
		return tensor.Must(tensor.From(shape, data))
	}
	t.Fatalf("no %v in the recorded runs", d)
	return nil
}

// same reports whether two tensors are equal. Floats may differ by a relative error of 2e-6.
func same(a, b *tensor.Tensor) bool {
	if a.DType != b.DType || !a.Shape.Equal(b.Shape) {
		return false
	}
	switch x := a.Data.(type) {
	case []float32:
		for i, v := range x {
			if w := b.Data.([]float32)[i]; math.Abs(float64(v-w)) > 2e-6*math.Abs(float64(w)) {
				return false
			}
		}
	case []int32:
		for i, v := range x {
			if v != b.Data.([]int32)[i] {
				return false
			}
		}
	case []string:
		for i, v := range x {
			if v != b.Data.([]string)[i] {
				return false
			}
		}
	default:
		return false
	}
	return true
}

func signature(p rt.Program, name string) *rt.Signature {
	for _, s := range p.Signatures() {
		if s.Name == name {
			return s
		}
	}
	return nil
}

func port(ps []rt.Port, name string) *rt.Port {
	for i := range ps {
		if ps[i].Name == name {
			return &ps[i]
		}
	}
	return nil
}

// replay repeats the steps of a recorded run and compares the results. After a step with fetches,
// it overwrites the slices that were fed in this step, because the program must not read them any
// more.
func replay(t *testing.T, p program, c recorded) {
	t.Helper()
	sig := signature(p, signatures[c.Name])
	run, err := p.Partial(sig.Name)
	if err != nil {
		t.Error(err)
		return
	}
	for k, s := range c.Steps {
		var fed []*tensor.Tensor
		for name, v := range s.Feeds {
			x := of(t, port(sig.Feeds, name).DType, v)
			fed = append(fed, x)
			if err := run.Feed(name, x); err != nil {
				t.Errorf("step %d: %v", k, err)
			}
		}
		for name, v := range s.Fetches {
			got, err := run.Fetch(t.Context(), name)
			if err != nil {
				t.Errorf("step %d: %v", k, err)
			} else if want := of(t, got.DType, v); !same(got, want) {
				t.Errorf("step %d: %s is %v %v, want %v %v", k, name, got, got.Data, want, want.Data)
			}
		}
		if len(s.Fetches) > 0 {
			for _, x := range fed {
				if v, ok := x.Data.([]float32); ok {
					for i := range v {
						v[i] = -1e30
					}
				}
			}
		}
	}
	if err := run.Run(t.Context()); tensor.CodeOf(err) != tensor.InvalidArgument || !strings.Contains(err.Error(), "used up") {
		t.Errorf("after the last fetch: %v", err)
	}
}

// TestTensorFlow repeats the steps of runs that were recorded with TensorFlow. Each run starts with
// the initial values of the variables.
func TestTensorFlow(t *testing.T) {
	for _, c := range load(t) {
		if signatures[c.Name] == "" {
			continue // see manySteps
		}
		t.Run(c.Name, func(t *testing.T) {
			for name, p := range programs(t) {
				t.Run(name, func(t *testing.T) { replay(t, p, c) })
			}
		})
	}
}

func scalar[T tensor.Elem](v T) tensor.Of[T] { return tensor.Of[T]{Data: []T{v}} }

func vector[T tensor.Elem](v ...T) tensor.Of[T] {
	return tensor.Of[T]{Shape: tensor.Shape{len(v)}, Data: v}
}

// refused checks that err has this code and contains these texts.
func refused(t *testing.T, err error, code tensor.Code, say ...string) {
	t.Helper()
	if err == nil || tensor.CodeOf(err) != code {
		t.Errorf("%v, want %v", err, code)
		return
	}
	for _, s := range say {
		if !strings.Contains(err.Error(), s) {
			t.Errorf("%v, want %q in it", err, s)
		}
	}
}

func ok(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
}

func instance(t *testing.T, opts ...rt.Option) *model.Model {
	t.Helper()
	m, err := model.New(opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}
