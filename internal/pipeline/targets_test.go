package pipeline

import (
	"context"
	"math"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// TestTargets checks that a target runs although no node reads its outputs, and that it rejects the
// same operands as in a TensorFlow session. The target called group depends on the node called add
// only by a control edge. TensorFlow's dependency optimizer replaces such an add, which has no side
// effects, by a NoOp. Therefore group must succeed even with operands that add would reject.
func TestTargets(t *testing.T) {
	graph := feed("a", "dim { size: -1 }") + feed("b", "dim { size: -1 }") +
		binary("AddV2", "add", "a", "b") +
		`node { name: "id" op: "Identity" input: "add" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "unique" op: "Unique" input: "a" attr { key: "T" value { type: DT_FLOAT } } attr { key: "out_idx" value { type: DT_INT32 } } }
node { name: "check" op: "CheckNumerics" input: "a" attr { key: "T" value { type: DT_FLOAT } } attr { key: "message" value { s: "m" } } }
node { name: "group" op: "NoOp" input: "^add" }
node { name: "neg" op: "Neg" input: "b" attr { key: "T" value { type: DT_FLOAT } } }
`
	nan := f32(tensor.Shape{2}, 1, float32(math.NaN()))
	for _, c := range []struct {
		target string
		a      *tensor.Tensor
		code   tensor.Code
	}{
		{"add", f32(tensor.Shape{2}, 1, 2), tensor.InvalidArgument},
		{"add", f32(tensor.Shape{3}, 1, 2, 3), tensor.OK},
		{"id", f32(tensor.Shape{2}, 1, 2), tensor.InvalidArgument},
		{"unique", f32(tensor.Shape{2}, 1, 1), tensor.OK},
		{"check", nan, tensor.InvalidArgument},
		{"group", f32(tensor.Shape{2}, 1, 2), tensor.OK},
		{"neg", f32(tensor.Shape{2}, 1, 2), tensor.OK},
	} {
		for _, noopt := range []bool{false, true} {
			p, err := Compile([]string{write(t, graph)}, Options{Feeds: []string{"a:0", "b:0"}, Fetches: []string{"neg:0"}, Targets: []string{c.target}, NoOpt: noopt})
			if err != nil {
				t.Errorf("%s: %v", c.target, err)
				continue
			}
			r, err := p.Runner(p.Signatures[0])
			if err != nil {
				t.Fatal(err)
			}
			_, err = r.Run(context.Background(), map[string]*tensor.Tensor{"a:0": c.a, "b:0": f32(tensor.Shape{3}, 1, 2, 3)})
			if tensor.CodeOf(err) != c.code {
				t.Errorf("target %s, a %v, optional passes %v: %v, %s is wanted", c.target, c.a, !noopt, err, c.code)
			}
		}
	}
}

// TestHandleTargets checks queues and tables that are targets and that no other node uses. They
// must be rejected if their attributes are invalid.
func TestHandleTargets(t *testing.T) {
	const (
		unknown = `shape { unknown_rank: true }`
		vector  = `shape { dim { size: 2 } }`
		long    = ` attr { key: "key_dtype" value { type: DT_INT64 } } attr { key: "value_dtype" value { type: DT_INT64 } }`
	)
	queue := func(shapes string) string {
		return `node { name: "h" op: "FIFOQueueV2" attr { key: "component_types" value { list { type: DT_INT32 } } } attr { key: "shapes" value { list { ` + shapes + ` } } } }`
	}
	table := func(shape string) string {
		return `node { name: "h" op: "MutableHashTableOfTensorsV2"` + long + ` attr { key: "value_shape" value { ` + shape + ` } } }`
	}
	for graph, code := range map[string]tensor.Code{
		queue(unknown + unknown): tensor.InvalidArgument,
		queue(vector):            tensor.OK,
		queue(unknown):           tensor.OK, // of scalars
		table(unknown):           tensor.InvalidArgument,
		table(vector):            tensor.OK,
		`node { name: "h" op: "VarHandleOp" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { ` + vector + ` } } }`: tensor.OK,
	} {
		for _, noopt := range []bool{false, true} {
			p, err := Compile([]string{write(t, graph)}, Options{Targets: []string{"h"}, NoOpt: noopt})
			if err == nil {
				r, e := p.Runner(p.Signatures[0])
				if e != nil {
					t.Fatal(e)
				}
				_, err = r.Run(context.Background(), nil)
			}
			if tensor.CodeOf(err) != code {
				t.Errorf("%s, optional passes %v: %v, %s is wanted", graph, !noopt, err, code)
			}
		}
	}
}
