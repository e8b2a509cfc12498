package pipeline

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/graphc/graphc/frontend"
	"github.com/graphc/graphc/rt/tensor"
)

// textModel loads a GraphDef in text form.
func textModel(t *testing.T, text string) *frontend.Model {
	t.Helper()
	path := filepath.Join(t.TempDir(), "graph.pbtxt")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	m, err := Load([]string{path}, frontend.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

const (
	anyBool  = `node { name: "p" op: "Placeholder" attr { key: "dtype" value { type: DT_BOOL } } attr { key: "shape" value { shape { unknown_rank: true } } } }`
	anyFloat = `node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { unknown_rank: true } } } }`
	floatT   = `attr { key: "T" value { type: DT_FLOAT } }`
	branches = `node { name: "a" op: "Neg" input: "sw:0" ` + floatT + ` }
node { name: "b" op: "Exp" input: "sw:1" ` + floatT + ` }
node { name: "m" op: "Merge" input: "a" input: "b" ` + floatT + ` attr { key: "N" value { i: 2 } } }
`
	switched = anyBool + anyFloat + `node { name: "sw" op: "Switch" input: "x" input: "p" ` + floatT + ` }` + branches
	function = `function { signature { name: "NAME" input_arg { name: "x" type: DT_FLOAT } output_arg { name: "y" type: DT_FLOAT } }
node_def { name: "n" op: "OP" input: "x" ` + floatT + ` } ret { key: "y" value: "n:y:0" } }
`
	called = anyBool + anyFloat + `node { name: "m" op: "If" input: "p" input: "x"
attr { key: "Tcond" value { type: DT_BOOL } } attr { key: "Tin" value { list { type: DT_FLOAT } } } attr { key: "Tout" value { list { type: DT_FLOAT } } }
attr { key: "then_branch" value { func { name: "yes" } } } attr { key: "else_branch" value { func { name: "no" } } } }
`
)

// TestUnknownPredicate checks conditionals whose predicate has an unknown rank. A Switch accepts
// only a scalar predicate. An If accepts a predicate of any rank; a predicate that is not a scalar
// is true if it has elements.
func TestUnknownPredicate(t *testing.T) {
	yes, no := strings.NewReplacer("NAME", "yes", "OP", "Exp"), strings.NewReplacer("NAME", "no", "OP", "Neg")
	scalar := tensor.Must(tensor.From(tensor.Shape{}, []bool{false}))
	vector := tensor.Must(tensor.From(tensor.Shape{1}, []bool{false}))
	x := tensor.Must(tensor.From(tensor.Shape{2}, []float32{0, 0}))
	for _, c := range []struct {
		name, text string
		takes      bool // accepts a predicate that is not a scalar
	}{
		{"Switch", switched, false},
		{"If", called + "library {" + yes.Replace(function) + no.Replace(function) + "}", true},
	} {
		for _, noOpt := range []bool{false, true} {
			p, err := CompileModel(textModel(t, c.text), Options{Feeds: []string{"p:0", "x:0"}, Fetches: []string{"m:0"}, NoOpt: noOpt, Check: true})
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			r, err := p.Runner(p.Signatures[0])
			if err != nil {
				t.Fatal(err)
			}
			run := func(pred *tensor.Tensor) (float32, error) {
				out, err := r.Run(context.Background(), map[string]*tensor.Tensor{"p:0": pred, "x:0": x})
				if err != nil {
					return 0, err
				}
				return tensor.Data[float32](out["m:0"])[1], nil
			}
			if got, err := run(scalar); err != nil || got != 0 {
				t.Errorf("%s: a scalar: %v, %v", c.name, got, err)
			}
			got, err := run(vector)
			if c.takes && (err != nil || got != 1) {
				t.Errorf("%s: a vector: %v, %v", c.name, got, err)
			}
			if !c.takes && (tensor.CodeOf(err) != tensor.InvalidArgument || !strings.Contains(err.Error(), "must be a scalar")) {
				t.Errorf("%s: a vector: %v", c.name, err)
			}
		}
	}
}

// TestAllowedRanks checks that a signature is compiled only for ranks of its feeds with which the
// ops in the graph are valid. A graph may have many feeds of unknown rank if the ops that read
// these feeds accept only one rank.
func TestAllowedRanks(t *testing.T) {
	var text strings.Builder
	var feeds []string
	x := ""
	for i := range 8 {
		fmt.Fprintf(&text, "node { name: \"f%d\" op: \"Placeholder\" attr { key: \"dtype\" value { type: DT_FLOAT } } attr { key: \"shape\" value { shape { unknown_rank: true } } } }\n", i)
		feeds = append(feeds, fmt.Sprintf("f%d:0", i))
		if x == "" {
			x = "f0"
			continue
		}
		fmt.Fprintf(&text, "node { name: \"c%d\" op: \"Conv2D\" input: %q input: \"f%d\" %s attr { key: \"strides\" value { list { i: 1 i: 1 i: 1 i: 1 } } } attr { key: \"padding\" value { s: \"SAME\" } } }\n", i, x, i, floatT)
		x = fmt.Sprintf("c%d", i)
	}
	p, err := CompileModel(textModel(t, text.String()), Options{Feeds: feeds, Fetches: []string{x + ":0"}})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(p.Signatures[0].Variants); n != 1 {
		t.Errorf("%d variants", n)
	}
	r, err := p.Runner(p.Signatures[0])
	if err != nil {
		t.Fatal(err)
	}
	one := map[string]*tensor.Tensor{}
	for _, f := range feeds {
		one[f] = tensor.Must(tensor.From(tensor.Shape{1, 1, 1, 1}, []float32{2}))
	}
	out, err := r.Run(context.Background(), one)
	if err != nil || tensor.Data[float32](out[x+":0"])[0] != 256 {
		t.Errorf("%v, %v", out, err)
	}
}

// TestReferencesOfUnknownRank compiles a variable of TensorFlow 1 to which a feed of unknown rank
// is assigned. Because of the unknown rank, the passes run a second time.
func TestReferencesOfUnknownRank(t *testing.T) {
	graph := feed("x", "unknown_rank: true") + `node { name: "v" op: "VariableV2" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { dim { size: 3 } } } } }
node { name: "assign" op: "Assign" input: "v" input: "x" attr { key: "T" value { type: DT_FLOAT } } attr { key: "validate_shape" value { b: true } } }
node { name: "y" op: "Neg" input: "assign" attr { key: "T" value { type: DT_FLOAT } } }
`
	for _, noopt := range []bool{false, true} {
		p, err := Compile([]string{write(t, graph)}, Options{Feeds: []string{"x:0"}, Fetches: []string{"assign:0", "y:0"}, NoOpt: noopt})
		if err != nil {
			t.Fatal(err)
		}
		r, err := p.Runner(p.Signatures[0])
		if err != nil {
			t.Fatal(err)
		}
		got, err := r.Run(context.Background(), map[string]*tensor.Tensor{"x:0": f32(tensor.Shape{3}, 1, 2, 3)})
		if err != nil || !reflect.DeepEqual(got["assign:0"].Data, []float32{1, 2, 3}) || !reflect.DeepEqual(got["y:0"].Data, []float32{-1, -2, -3}) {
			t.Errorf("%v, %v", got, err)
		}
		for _, bad := range []*tensor.Tensor{f32(tensor.Shape{2}, 1, 2), f32(tensor.Shape{}, 1), f32(tensor.Shape{3, 1}, 1, 2, 3)} {
			if _, err := r.Run(context.Background(), map[string]*tensor.Tensor{"x:0": bad}); tensor.CodeOf(err) != tensor.InvalidArgument {
				t.Errorf("%v is assigned: %v", bad.Shape, err)
			}
		}
	}
}
