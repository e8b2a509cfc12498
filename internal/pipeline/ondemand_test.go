package pipeline

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/graphc/graphc/frontend"
	"github.com/graphc/graphc/internal/testkit"
	"github.com/graphc/graphc/rt/tensor"
)

// newTestSession returns a session of a model.
func newTestSession(t *testing.T, path, checkpoint string, o Options) *Session {
	t.Helper()
	m, err := Load([]string{path}, frontend.Options{Checkpoint: checkpoint})
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewSession(context.Background(), m, o, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// get runs the session with the given feeds and returns the value of one fetch.
func (s *Session) get(t *testing.T, fetch string, feeds map[string]*tensor.Tensor) *tensor.Tensor {
	t.Helper()
	got, err := s.Run(context.Background(), feeds, []string{fetch}, nil)
	if err != nil {
		t.Fatalf("%s: %v", fetch, err)
	}
	return got[fetch]
}

// TestSessionState: a variable is a constant until a part that writes it is compiled. Then earlier
// parts are compiled again, and all parts read the value that the writing part wrote.
func TestSessionState(t *testing.T) {
	dir := filepath.Join(testkit.Root(t), "examples", "training")
	s := newTestSession(t, filepath.Join(dir, "moons.pbtxt"), filepath.Join(dir, "testdata", "start"), Options{})
	const bias = "layer2/b/Read/ReadVariableOp:0"
	feeds := map[string]*tensor.Tensor{"points:0": f32(tensor.Shape{2, 2}, 1, .5, -1, 0), "labels:0": tensor.Must(tensor.From(tensor.Shape{2}, []int32{1, 0}))}
	first := slices.Clone(s.get(t, bias, nil).Data.([]float32))
	if len(s.vars) != 0 || len(s.parts) != 1 {
		t.Errorf("after a read, %d variables may be written and %d parts are there, want 0 and 1", len(s.vars), len(s.parts))
	}
	if _, err := s.Run(context.Background(), feeds, nil, []string{"train"}); err != nil {
		t.Fatal(err)
	}
	if !s.vars["layer2/b"] || len(s.parts) != 1 {
		t.Errorf("after a step %d variables may be written and %d parts are there, want only the step", len(s.vars), len(s.parts))
	}
	if now := s.get(t, bias, nil).Data.([]float32); slices.Equal(first, now) {
		t.Errorf("after a step the bias is still %v", now)
	}
	if err := s.Reset(context.Background(), false); err != nil {
		t.Fatal(err)
	}
	if now := s.get(t, bias, nil).Data.([]float32); !slices.Equal(first, now) {
		t.Errorf("after the reset the bias is %v, want %v", now, first)
	}
	if len(s.parts) != 2 {
		t.Errorf("%d parts are there after the reset, want 2", len(s.parts))
	}
}

// TestSessionParts checks that a part is compiled only once for all dimension sizes, and for feeds
// and fetches in any order. If the rank of a feed is unknown, each rank has a separate part.
func TestSessionParts(t *testing.T) {
	graph := feed("a", "dim { size: -1 }") + feed("b", "unknown_rank: true") + binary("AddV2", "add", "a", "a") +
		`node { name: "neg" op: "Neg" input: "b" attr { key: "T" value { type: DT_FLOAT } } }
`
	s := newTestSession(t, write(t, graph), "", Options{})
	for _, c := range []struct {
		fetches []string
		a, b    tensor.Shape
		parts   int
	}{
		{[]string{"add:0", "neg:0"}, tensor.Shape{2}, tensor.Shape{1}, 1},
		{[]string{"neg:0", "add:0", "neg:0"}, tensor.Shape{3}, tensor.Shape{5}, 1},
		{[]string{"add:0", "neg:0"}, tensor.Shape{3}, tensor.Shape{1, 2}, 2},
		{[]string{"add:0"}, tensor.Shape{3}, tensor.Shape{1, 2}, 3},
	} {
		zeros := func(shape tensor.Shape) *tensor.Tensor { return tensor.Must(tensor.New(tensor.Float32, shape, 0)) }
		got, err := s.Run(context.Background(), map[string]*tensor.Tensor{"a:0": zeros(c.a), "b:0": zeros(c.b)}, c.fetches, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !got["add:0"].Shape.Equal(c.a) || len(s.parts) != c.parts {
			t.Errorf("%v: add is %v, and %d parts are there, want %d", c, got["add:0"], len(s.parts), c.parts)
		}
	}
}

// TestSessionExact: a part that cannot be compiled for unknown sizes is compiled for the sizes of
// the fed tensors. Here, the new shape for a Reshape is fed as a vector. The rank of the result is
// the length of this vector.
func TestSessionExact(t *testing.T) {
	graph := feed("a", "dim { size: -1 }") + `node { name: "s" op: "Placeholder" attr { key: "dtype" value { type: DT_INT32 } } attr { key: "shape" value { shape { dim { size: -1 } } } } }
node { name: "r" op: "Reshape" input: "a" input: "s" attr { key: "T" value { type: DT_FLOAT } } attr { key: "Tshape" value { type: DT_INT32 } } }
`
	path := write(t, graph)
	if _, err := Compile([]string{path}, Options{Feeds: []string{"a:0", "s:0"}, Fetches: []string{"r:0"}}); err == nil {
		t.Fatal("the graph compiles for unknown sizes: another one is needed here")
	}
	s := newTestSession(t, path, "", Options{})
	for _, shape := range [][]int32{{2, 2}, {1, 2, 2}, {4}} {
		feeds := map[string]*tensor.Tensor{"a:0": f32(tensor.Shape{4}, 1, 2, 3, 4), "s:0": tensor.Must(tensor.From(tensor.Shape{len(shape)}, shape))}
		if got := s.get(t, "r:0", feeds); got.Rank() != len(shape) || got.Len() != 4 {
			t.Errorf("a reshape to %v is %v", shape, got)
		}
	}
}

// TestSessionCancelled: a run with a context that has ended fails. The session can then run with
// another context.
func TestSessionCancelled(t *testing.T) {
	s := newTestSession(t, write(t, feed("a", "dim { size: -1 }")+binary("AddV2", "add", "a", "a")), "", Options{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	feeds := map[string]*tensor.Tensor{"a:0": f32(tensor.Shape{1}, 1)}
	if _, err := s.Run(ctx, feeds, []string{"add:0"}, nil); err == nil {
		t.Error("a cancelled run ends without an error")
	}
	if got := s.get(t, "add:0", feeds); got.Data.([]float32)[0] != 2 {
		t.Errorf("add is %v", got.Data)
	}
}

// TestSessionFunctions: nodes of functions can be fed and fetched. If a call's result is fetched,
// the function's effects happen; if only one of the function's nodes is fetched, they do not. If
// the call's result is fed, the nodes that read the call read the fed tensor.
func TestSessionFunctions(t *testing.T) {
	const float = `attr { key: "dtype" value { type: DT_FLOAT } }`
	constant := func(head, name string) string {
		return head + ` { name: "` + name + `" op: "Const" ` + float + ` attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape {} float_val: 1 } } } }
`
	}
	graph := feed("x", "") + constant("node", "zero") + `
node { name: "v" op: "VarHandleOp" ` + float + ` attr { key: "shape" value { shape {} } } }
node { name: "init" op: "AssignVariableOp" input: "v" input: "zero" ` + float + ` }
node { name: "read" op: "ReadVariableOp" input: "v" ` + float + ` }
node { name: "call" op: "StatefulPartitionedCall" input: "v" input: "x" attr { key: "f" value { func { name: "bump" } } }
  attr { key: "Tin" value { list { type: DT_RESOURCE type: DT_FLOAT } } } attr { key: "Tout" value { list { type: DT_FLOAT } } } }
node { name: "neg" op: "Neg" input: "call" attr { key: "T" value { type: DT_FLOAT } } }
library { function {
  signature { name: "bump" is_stateful: true input_arg { name: "v" type: DT_RESOURCE } input_arg { name: "x" type: DT_FLOAT } output_arg { name: "y" type: DT_FLOAT } }
` + constant("node_def", "one") + `
  node_def { name: "inc" op: "AssignAddVariableOp" input: "v" input: "one:output:0" ` + float + ` }
  node_def { name: "sum" op: "AddV2" input: "x" input: "one:output:0" attr { key: "T" value { type: DT_FLOAT } } }
  ret { key: "y" value: "sum:z:0" } control_ret { key: "inc" value: "inc" }
} }
`
	s := newTestSession(t, write(t, graph), "", Options{Init: []string{"init"}})
	five, seven := f32(nil, 5), f32(nil, 7)
	for i, c := range []struct {
		fetch      string
		feeds      map[string]*tensor.Tensor
		want, left float32
	}{
		{"call:0", map[string]*tensor.Tensor{"x:0": five}, 6, 2},
		{"neg:0", map[string]*tensor.Tensor{"x:0": five}, -6, 3},
		{"call/sum:0", map[string]*tensor.Tensor{"x:0": five}, 6, 3},
		{"neg:0", map[string]*tensor.Tensor{"x:0": five, "call/sum:0": seven}, -7, 4},
		{"neg:0", map[string]*tensor.Tensor{"call:0": seven}, -7, 4},
	} {
		if got := s.get(t, c.fetch, c.feeds).Data.([]float32)[0]; got != c.want {
			t.Errorf("%d: %s is %g, want %g", i, c.fetch, got, c.want)
		}
		if got := s.get(t, "read:0", nil).Data.([]float32)[0]; got != c.left {
			t.Errorf("%d: after %s the variable is %g, want %g", i, c.fetch, got, c.left)
		}
	}
}

// TestSessionBrokenFunction: if a function cannot be expanded, a session can still run the parts of
// the model that do not need the function.
func TestSessionBrokenFunction(t *testing.T) {
	graph := feed("x", "") + `node { name: "neg" op: "Neg" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "call" op: "PartitionedCall" input: "x" attr { key: "f" value { func { name: "f" } } }
  attr { key: "Tin" value { list { type: DT_FLOAT } } } attr { key: "Tout" value { list { type: DT_FLOAT } } } }
library { function {
  signature { name: "f" input_arg { name: "x" type: DT_FLOAT } output_arg { name: "y" type: DT_FLOAT } }
  node_def { name: "again" op: "PartitionedCall" input: "x" attr { key: "f" value { func { name: "f" } } }
    attr { key: "Tin" value { list { type: DT_FLOAT } } } attr { key: "Tout" value { list { type: DT_FLOAT } } } }
  ret { key: "y" value: "again:output:0" }
} }
`
	s := newTestSession(t, write(t, graph), "", Options{})
	feeds := map[string]*tensor.Tensor{"x:0": f32(nil, 5)}
	if got := s.get(t, "neg:0", feeds).Data.([]float32)[0]; got != -5 {
		t.Errorf("neg is %g", got)
	}
	if _, err := s.Run(context.Background(), feeds, []string{"call:0"}, nil); err == nil {
		t.Error("a function that calls itself is run")
	}
}
