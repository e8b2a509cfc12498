package frontend

import (
	"os"
	"testing"

	"github.com/graphc/graphc/frontend/pb"
	"github.com/graphc/graphc/ir"
)

// fuzzLimits bound the cost of one input.
var fuzzLimits = Options{Limits: ir.Limits{Depth: 100, Nodes: 5000}, splat: 1 << 20}

// buildFuzzed builds the graph that a reader accepted and checks that the result is valid.
func buildFuzzed(t *testing.T, def *pb.GraphDef) {
	m := &Model{sources: []source{{"fuzz.pb", def}}}
	if err := m.build(fuzzLimits); err != nil {
		_ = err.Error()
		return
	}
	graphs := []*ir.Graph{m.Graph}
	for _, f := range m.Graph.Library.Functions {
		graphs = append(graphs, f.Body)
	}
	for _, g := range graphs {
		for _, n := range g.Nodes {
			for _, in := range n.Ins {
				if in.Node == nil || g.Node(in.Node.Name) != in.Node || in.Index >= len(in.Node.Outs) {
					t.Fatalf("node %q reads %v", n.Name, in)
				}
			}
			for _, c := range n.Controls {
				if c == nil || g.Node(c.Name) != c {
					t.Fatalf("node %q waits for %v", n.Name, c)
				}
			}
			for k, a := range n.Attrs {
				if a == nil {
					t.Fatalf("node %q: attribute %q is nil", n.Name, k)
				}
			}
		}
	}
	if err := m.CheckReached(m.Graph.Nodes); err != nil {
		_ = err.Error()
	}
}

// seedTexts are graphs with functions, attributes and constants of all kinds.
func seedTexts() []string {
	return []string{
		textX + textI + textVar,
		textX + node("y", "Relu", `input: "x" input: "^x" `+isFloat) + `versions { producer: 27 min_consumer: 1 bad_consumers: [3] }`,
		constant(`tensor_shape { dim { size: 3 } } float_val: [1, inf, nan]`),
		constant(`tensor_shape { dim { size: 1 } } tensor_content: "\000\000\200?"`),
		textX + callNode("c", `name: "f"`) + libraryText(fnText("f", nodeDef("n", "Relu", `input: "a" `+isFloat)+`ret { key: "r" value: "n:activations:0" } control_ret { key: "k" value: "n" }`)),
		textX + node("s", "Split", `input: "i" input: "x" attr { key: "num_split" value { i: 2 } } `+isFloat) + textI,
		node("k", "Const", `attr { key: "dtype" value { type: DT_STRING } } attr { key: "value" value { tensor { dtype: DT_STRING tensor_shape { dim { size: 2 } } string_val: "a" } } } attr { key: "_class" value { list { s: "loc:@k" } } }`),
	}
}

func FuzzGraphDef(f *testing.F) {
	raw, err := os.ReadFile("testdata/nested_while.pb")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	for _, s := range seedTexts() {
		def := &pb.GraphDef{}
		if err := unmarshalText([]byte(s), def, 100); err != nil {
			f.Fatal(err)
		}
		f.Add(marshal(f, def))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		def := &pb.GraphDef{}
		if unmarshalBinary(raw, def, 100) == nil {
			buildFuzzed(t, def)
		}
	})
}

func FuzzPBTxt(f *testing.F) {
	for _, s := range seedTexts() {
		f.Add([]byte(s))
	}
	f.Add([]byte(`node < name: 'a' "b" op: "NoOp" > # comment`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		def := &pb.GraphDef{}
		if unmarshalText(raw, def, 100) == nil {
			buildFuzzed(t, def)
		}
	})
}

func FuzzTFJS(f *testing.F) {
	f.Add(jsonModel(f, textX+weight("w", "DT_INT64"), `[{"paths":["a"],"weights":[{"name":"w","shape":[2],"dtype":"int32"}]}]`, `,"signature":{"inputs":{"x":{"name":"x:0"}}}`), []byte("12345678"))
	f.Add(jsonModel(f, textX+weight("w", "DT_FLOAT")+node("p", "Prelu", `input: "x" input: "w" `+isFloat),
		`[{"paths":["a"],"weights":[{"name":"w","shape":[1,2],"dtype":"float32","quantization":{"dtype":"uint8","scale":0.5,"min":-1}}]}]`, ""), []byte("12"))
	raw, err := os.ReadFile("testdata/nested_while.pb")
	if err != nil {
		f.Fatal(err)
	}
	def := &pb.GraphDef{}
	if err := unmarshalBinary(raw, def, 100); err != nil {
		f.Fatal(err)
	}
	f.Add(mustJSON(f, def), []byte{})
	f.Add([]byte(numbersModel), []byte{})
	f.Fuzz(func(t *testing.T, model, data []byte) {
		j, def, err := parseTFJS("model.json", model, fuzzLimits)
		if err != nil {
			return
		}
		weights := map[string]*pb.TensorProto{}
		for _, g := range j.Manifest {
			if readWeights(g.Weights, data, weights) != nil {
				return
			}
		}
		if len(def.Node) > fuzzLimits.Limits.Nodes || fillConstants(def, weights) != nil {
			return
		}
		standardOps(def)
		widenConstants(def)
		pinLoopConstants(def)
		buildFuzzed(t, def)
	})
}

func FuzzSavedModel(f *testing.F) {
	for _, p := range []string{"testdata/v1", "testdata/v2"} {
		raw, err := os.ReadFile(p + "/saved_model.pb")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	dir := f.TempDir()
	if err := os.CopyFS(dir+"/variables", os.DirFS("testdata/v1/variables")); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if err := os.WriteFile(dir+"/saved_model.pb", raw, 0o666); err != nil {
			t.Fatal(err)
		}
		m, err := Load([]string{dir}, fuzzLimits)
		if err != nil {
			_ = err.Error()
			return
		}
		for _, n := range m.Graph.Nodes {
			if IsVariable(n) {
				_, _ = m.Variable(n.Name)
			}
		}
	})
}
