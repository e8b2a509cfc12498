package frontend

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"github.com/graphc/graphc/frontend/pb"
	"github.com/graphc/graphc/rt/tensor"
)

// jsonModel is model.json of a graph in text form.
func jsonModel(t testing.TB, graph, manifest, rest string) []byte {
	t.Helper()
	def := &pb.GraphDef{}
	if err := prototext.Unmarshal([]byte(graph), def); err != nil {
		t.Fatal(err)
	}
	topology, err := protojson.Marshal(def)
	if err != nil {
		t.Fatal(err)
	}
	return []byte(`{"format":"graph-model","modelTopology":` + string(topology) + `,"weightsManifest":` + manifest + rest + `}`)
}

func loadJSON(t testing.TB, model, weights []byte) (*Model, error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "model.json"), model, 0o666); err != nil {
		t.Fatal(err)
	}
	half := len(weights) / 2 // shards cut weights anywhere
	os.WriteFile(filepath.Join(dir, "a.bin"), weights[:half], 0o666)
	os.WriteFile(filepath.Join(dir, "b.bin"), weights[half:], 0o666)
	return Load([]string{dir}, Options{})
}

func weight(name, dtype string) string {
	return node(name, "Const", `attr { key: "dtype" value { type: `+dtype+` } } attr { key: "value" value { tensor { dtype: `+dtype+` } } }`)
}

// Weights in all their encodings.
func TestTFJSWeights(t *testing.T) {
	var w []byte
	w = binary.LittleEndian.AppendUint32(w, math.Float32bits(1.5)) // plain
	w = append(w, 0, 255)                                          // affine
	w = binary.LittleEndian.AppendUint16(w, uint16(tensor.ToF16(-2)))
	w = binary.LittleEndian.AppendUint16(w, 40000) // affine16
	w = binary.LittleEndian.AppendUint32(w, 7)     // long
	w = append(w, 1)                               // flag
	w = append(w, "\x02\x00\x00\x00hi"...)         // text
	w = append(w, 3)                               // ints
	graph := weight("plain", "DT_FLOAT") + weight("affine", "DT_FLOAT") + weight("half", "DT_FLOAT") + weight("affine16", "DT_DOUBLE") +
		weight("long", "DT_INT64") + weight("flag", "DT_BOOL") + weight("text", "DT_STRING") + weight("ints", "DT_INT32")
	manifest := `[{"paths":["a.bin","b.bin"],"weights":[
		{"name":"plain","shape":[],"dtype":"float32"},
		{"name":"affine","shape":[2],"dtype":"float32","quantization":{"dtype":"uint8","scale":0.1,"min":-1}},
		{"name":"half","shape":[1],"dtype":"float32","quantization":{"dtype":"float16","original_dtype":"float32"}},
		{"name":"affine16","shape":[],"dtype":"float32","quantization":{"dtype":"uint16","scale":0.5,"min":0}},
		{"name":"long","shape":[],"dtype":"int32"},
		{"name":"flag","shape":[],"dtype":"bool"},
		{"name":"text","shape":[1],"dtype":"string"},
		{"name":"ints","shape":[],"dtype":"int32","quantization":{"dtype":"uint8","scale":0.5,"min":0}}]}]`
	m, err := loadJSON(t, jsonModel(t, graph, manifest, ""), w)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]any{"plain": []float32{1.5}, "affine": []float32{-1, float32(255*0.1 - 1)}, "half": []float32{-2}, "affine16": []float64{20000},
		"long": []int64{7}, "flag": []bool{true}, "text": []string{"hi"}, "ints": []int32{2}} {
		if got := m.Graph.Node(name).Value(); !reflect.DeepEqual(got.Data, want) {
			t.Errorf("%s: %v %v, want %v", name, got, got.Data, want)
		}
	}
	for says, manifest := range map[string]string{
		"ends past the weights files":   `[{"paths":["a.bin"],"weights":[{"name":"plain","shape":[1000000000000],"dtype":"float32"}]}]`,
		"too many elements":             `[{"paths":["a.bin"],"weights":[{"name":"plain","shape":[4294967296,4294967296],"dtype":"float32"}]}]`,
		"negative dimension":            `[{"paths":["a.bin"],"weights":[{"name":"plain","shape":[-1],"dtype":"float32"}]}]`,
		"beyond the last weight":        `[{"paths":["a.bin"],"weights":[]}]`,
		"does not lie in":               `[{"paths":["../a.bin"],"weights":[]}]`,
		"none.bin":                      `[{"paths":["none.bin"],"weights":[]}]`,
		`the type "float8" is not`:      `[{"paths":[],"weights":[{"name":"plain","shape":[],"dtype":"float8"}]}]`,
		`two weights are named "a"`:     `[{"paths":["a.bin"],"weights":[{"name":"a","shape":[],"dtype":"bool"},{"name":"a","shape":[],"dtype":"bool"}]}]`,
		"is no type of quantized":       `[{"paths":["a.bin"],"weights":[{"name":"plain","shape":[],"dtype":"float32","quantization":{"dtype":"int32"}}]}]`,
		"the weight is str[0], the nod": `[{"paths":[],"weights":[{"name":"plain","shape":[0],"dtype":"string"}]}]`,
	} {
		if _, err := loadJSON(t, jsonModel(t, graph, manifest, ""), w); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q expected: %v", says, err)
		}
	}
}

func TestTFJSModelErrors(t *testing.T) {
	for says, model := range map[string]string{
		"not a tfjs model":           `{`,
		"no modelTopology":           `{}`,
		"is no GraphDef":             `{"modelTopology":{"node":7}}`,
		"layers model":               `{"format":"layers-model","modelTopology":{"node":[]}}`,
		"signature does not parse":   `{"modelTopology":{},"signature":{"inputs":3}}`,
		`signature "serving_default`: `{"modelTopology":{},"signature":{"inputs":{"x":{"name":"q:0"}}}}`,
		"Op type not registered":     `{"modelTopology":{"node":[{"name":"a","op":"FusedDepthwiseConv2dNative","attr":{"fused_ops":{"list":{"s":["Zm9v"]}}}}]}}`,
	} {
		if _, err := loadJSON(t, []byte(model), nil); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q expected: %v", says, err)
		}
	}
}

// chain follows input 0 from a node and lists the ops.
func chain(m *Model, name string) string {
	var ops []string
	for n := m.Graph.Node(name); n != nil; n = n.Ins[0].Node {
		ops = append(ops, n.Op)
		if len(n.Ins) == 0 {
			break
		}
	}
	return strings.Join(ops, " ")
}

// Ops that only tfjs has become standard ones.
func TestTFJSOps(t *testing.T) {
	conv := `attr { key: "strides" value { list { i: [1,1,1,1] } } } attr { key: "padding" value { s: "SAME" } } ` + isFloat
	fused := func(ops ...string) string {
		return `attr { key: "fused_ops" value { list { s: ["` + strings.Join(ops, `","`) + `"] } } } attr { key: "num_args" value { i: ` + string(rune('0'+len(ops))) + ` } } `
	}
	graph := textX + node("p", "Prelu", `input: "x" input: "x" `+isFloat) +
		node("d", "FusedDepthwiseConv2dNative", `input: "x" input: "x" input: "x" `+fused("BiasAdd", "Relu6")+conv) +
		node("dp", "FusedDepthwiseConv2dNative", `input: "x" input: "x" input: "x" input: "p" `+fused("BiasAdd", "Prelu")+conv) +
		node("dl", "FusedDepthwiseConv2dNative", `input: "x" input: "x" `+fused("LeakyRelu")+`attr { key: "leakyrelu_alpha" value { f: 0.5 } } `+conv) +
		node("c", "_FusedConv2D", `input: "x" input: "x" input: "x" input: "p" `+fused("BiasAdd", "Prelu")+conv) +
		node("r", "_FusedConv2D", `input: "x" input: "x" input: "x" `+fused("BiasAdd")+conv)
	m, err := loadJSON(t, jsonModel(t, graph, "[]", `,"signature":{"outputs":{"c":{"name":"c"}}}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"p":  "AddV2 Relu Placeholder",
		"d":  "Relu6 BiasAdd DepthwiseConv2dNative Placeholder",
		"dp": "AddV2 Relu BiasAdd DepthwiseConv2dNative Placeholder",
		"dl": "LeakyRelu DepthwiseConv2dNative Placeholder",
		"c":  "AddV2 Relu _FusedConv2D Placeholder",
		"r":  "_FusedConv2D Placeholder",
	} {
		if got := chain(m, name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	if n := m.Graph.Node("dl"); n.Float("alpha") != 0.5 {
		t.Errorf("alpha %v", n.Float("alpha"))
	}
	if n := m.Graph.Node("c/fused"); len(n.DTypes("TArgs")) != 1 || len(n.Ins) != 3 {
		t.Errorf("fused: %v", n.Attrs)
	}
	s := m.Signatures[0]
	if len(s.Inputs) != 1 || s.Inputs[0].Tensor != "x:0" || len(s.Outputs) != 1 || s.Outputs[0].Tensor != "c" {
		t.Errorf("signature %+v", s)
	}
}

// A constant declared narrower than its reader takes is widened for that reader.
func TestTFJSWidened(t *testing.T) {
	graph := node("k", "Const", `attr { key: "dtype" value { type: DT_INT32 } } attr { key: "value" value { tensor { dtype: DT_INT32 int_val: 5 } } }`) +
		node("a", "Identity", `input: "k" attr { key: "T" value { type: DT_INT64 } }`) +
		node("b", "Identity", `input: "k:0" attr { key: "T" value { type: DT_INT32 } }`)
	m, err := loadJSON(t, jsonModel(t, graph, "[]", ""), nil)
	if err != nil {
		t.Fatal(err)
	}
	if k := m.Graph.Node("a").Ins[0].Node; !reflect.DeepEqual(k.Value().Data, []int64{5}) {
		t.Errorf("a reads %v", k.Value())
	}
	if k := m.Graph.Node("b").Ins[0].Node; k.Name != "k" {
		t.Errorf("b reads %v", k.Name)
	}
}

// Nested loops of TensorFlow 1 whose constants lost their control edges get
// edges that put each into the frame it was in.
func TestTFJSLoops(t *testing.T) {
	raw, err := os.ReadFile("testdata/nested_while.pb")
	if err != nil {
		t.Fatal(err)
	}
	def := &pb.GraphDef{}
	if err := proto.Unmarshal(raw, def); err != nil {
		t.Fatal(err)
	}
	// What each node's constants waited for, as a frame and a half of the loop.
	frames := func(def *pb.GraphDef) map[string][]string {
		l := &loops{byName: map[string]*pb.NodeDef{}, frame: map[string]string{}, names: namesOf(def), copies: map[string]string{}}
		for _, n := range def.Node {
			l.byName[n.Name] = n
		}
		l.findFrames(def.Node)
		l.findPivots(def.Node)
		r := map[string][]string{}
		for _, n := range def.Node {
			if n.Op == "Const" {
				continue
			}
			for _, in := range n.Input {
				c := l.byName[inputNode(in)]
				if c == nil || c.Op != "Const" {
					continue
				}
				at := "outside"
				if len(c.Input) == 1 {
					at = l.frame[strings.TrimPrefix(c.Input[0], "^")]
					if l.byName[strings.TrimPrefix(c.Input[0], "^")].Op == "Merge" {
						at += " condition"
					}
				}
				r[n.Name] = append(r[n.Name], at)
			}
		}
		return r
	}
	want := frames(def)
	n := 0
	for _, d := range def.Node {
		if d.Op == "Const" && len(d.Input) > 0 {
			d.Input = nil
			n++
		}
	}
	pinLoopConstants(def)
	if got := frames(def); n < 5 || !reflect.DeepEqual(got, want) {
		t.Errorf("%d constants; frames\n%v\nwant\n%v", n, got, want)
	}
	m, err := loadJSON(t, mustJSON(t, def), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Graph.Order(); err != nil {
		t.Error(err)
	}
	if names := m.Signatures[0].Outputs; !slices.ContainsFunc(names, func(p Port) bool { return p.Tensor == "y:0" }) {
		t.Errorf("outputs %v", names)
	}
}

func mustJSON(t testing.TB, def *pb.GraphDef) []byte {
	t.Helper()
	topology, err := protojson.Marshal(def)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(map[string]any{"modelTopology": json.RawMessage(topology)})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
