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
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// jsonModel returns the content of model.json for a graph that is given in protobuf's text form.
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
	half := len(weights) / 2 // two shards; a shard may end within a weight
	os.WriteFile(filepath.Join(dir, "a.bin"), weights[:half], 0o666)
	os.WriteFile(filepath.Join(dir, "b.bin"), weights[half:], 0o666)
	m, err := Load([]string{dir}, Options{})
	other, otherErr := Load([]string{"."}, Options{FS: os.DirFS(dir)})
	if (err == nil) != (otherErr == nil) || err == nil && other.SHA256 != m.SHA256 {
		t.Errorf("in the file system %v, in an fs.FS %v", err, otherErr)
	}
	return m, err
}

func weight(name, dtype string) string {
	return node(name, "Const", `attr { key: "dtype" value { type: `+dtype+` } } attr { key: "value" value { tensor { dtype: `+dtype+` } } }`)
}

// TestTFJSWeights loads weights in all their encodings.
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
		"ends past the weights files":               `[{"paths":["a.bin"],"weights":[{"name":"plain","shape":[1000000000000],"dtype":"float32"}]}]`,
		"too many elements":                         `[{"paths":["a.bin"],"weights":[{"name":"plain","shape":[4294967296,4294967296],"dtype":"float32"}]}]`,
		"negative dimension":                        `[{"paths":["a.bin"],"weights":[{"name":"plain","shape":[-1],"dtype":"float32"}]}]`,
		"beyond the last weight":                    `[{"paths":["a.bin"],"weights":[]}]`,
		"is not in the model":                       `[{"paths":["../a.bin"],"weights":[]}]`,
		"none.bin":                                  `[{"paths":["none.bin"],"weights":[]}]`,
		`unknown type "float8"`:                     `[{"paths":[],"weights":[{"name":"plain","shape":[],"dtype":"float8"}]}]`,
		"string 1 ends past":                        `[{"paths":["a.bin","b.bin"],"weights":[{"name":"a","shape":[15],"dtype":"uint8"},{"name":"s","shape":[2],"dtype":"string"}]}]`,
		"string 0 has 1744830464 bytes, 2 are left": `[{"paths":["a.bin","b.bin"],"weights":[{"name":"a","shape":[16],"dtype":"uint8"},{"name":"s","shape":[1],"dtype":"string"}]}]`,
		`unknown type "text"`:                       `[{"paths":["a.bin"],"weights":[{"name":"plain","shape":[],"dtype":"text"}]}]`,
		"str is not a type of quantized":            `[{"paths":["a.bin","b.bin"],"weights":[{"name":"plain","shape":[1],"dtype":"float32","quantization":{"dtype":"string"}}]}]`,
		"stored for a weight of type i":             `[{"paths":["a.bin"],"weights":[{"name":"ints","shape":[],"dtype":"int32","quantization":{"dtype":"float16"}}]}]`,
		"weights of type bool are not":              `[{"paths":["a.bin"],"weights":[{"name":"flag","shape":[],"dtype":"bool","quantization":{"dtype":"uint8"}}]}]`,
		`two weights are named "a"`:                 `[{"paths":["a.bin"],"weights":[{"name":"a","shape":[],"dtype":"bool"},{"name":"a","shape":[],"dtype":"bool"}]}]`,
		"i32 is not a type of quantized":            `[{"paths":["a.bin"],"weights":[{"name":"plain","shape":[],"dtype":"float32","quantization":{"dtype":"int32"}}]}]`,
		"names the weights file \"./a.bin\" twice":  `[{"paths":["a.bin"],"weights":[{"name":"a","shape":[11],"dtype":"uint8"}]},{"paths":["./a.bin"],"weights":[]}]`,
		"out of range for f32":                      `[{"paths":["a.bin"],"weights":[{"name":"a","shape":[11],"dtype":"float32","quantization":{"dtype":"uint8","scale":1e37,"min":1e38}}]}]`,
		"element 0 is -1e+308":                      `[{"paths":["a.bin","b.bin"],"weights":[{"name":"a","shape":[11],"dtype":"float32","quantization":{"dtype":"uint16","scale":1e308,"min":-1e308}}]}]`,
		"out of range for i32":                      `[{"paths":["a.bin"],"weights":[{"name":"a","shape":[11],"dtype":"int32","quantization":{"dtype":"uint8","scale":1e9,"min":0}}]}]`,
		"the weight is str[0], but the nod":         `[{"paths":[],"weights":[{"name":"plain","shape":[0],"dtype":"string"}]}]`,
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
		"is not a GraphDef":          `{"modelTopology":{"node":7}}`,
		`"format" is there twice`:    `{"format":"graph-model","modelTopology":{},"format":"layers-model"}`,
		`"name" is there twice`:      `{"modelTopology":{},"weightsManifest":[{"paths":[],"weights":[{"name":"a","name":"b","shape":[0],"dtype":"bool"}]}]}`,
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

// TestTFJSLimit: a model with too many nodes is rejected before its ops are rewritten.
func TestTFJSLimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.json")
	if err := os.WriteFile(path, jsonModel(t, textX+textI, "[]", ""), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Load([]string{path}, Options{Limits: ir.Limits{Nodes: 1}}); tensor.CodeOf(err) != tensor.ResourceExhausted || !strings.Contains(err.Error(), "the graph has 2 nodes, at most 1 are accepted") {
		t.Errorf("two nodes: %v", err)
	}
}

// chain lists the ops from a node backwards along input 0.
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

// TestTFJSOps: ops that exist only in tfjs are replaced by TensorFlow's ops.
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
		node("r", "_FusedConv2D", `input: "x" input: "x" input: "x" `+fused("BiasAdd")+conv) +
		node("t", "_FusedConv2D", `input: "x" input: "x" input: "x" input: "p" attr { key: "TArgs" value { list { type: DT_FLOAT type: DT_FLOAT } } } `+fused("BiasAdd", "Prelu")+conv) +
		node("p/pos", "Identity", `input: "x" `+isFloat) +
		node("bare", "FusedDepthwiseConv2dNative", `input: "x" input: "x" input: "^p" `+strings.Replace(conv, isFloat, "", 1))
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
	if n := m.Graph.Node("bare"); chain(m, "bare") != "DepthwiseConv2dNative Placeholder" || n.DType("T") != tensor.Float32 || len(n.Controls) != 1 {
		t.Errorf("without attributes: %v", n.Attrs)
	}
	if n := m.Graph.Node("t/fused"); len(n.DTypes("TArgs")) != 1 || len(n.Ins) != 3 {
		t.Errorf("fused: %v", n.Attrs)
	}
	if m.Graph.Node("p/pos_1") == nil || m.Graph.Node("p/pos").Op != "Identity" {
		t.Error("a name that a node has is given to another")
	}
	// Unknown forms of these ops are not rewritten, so they are rejected as unknown ops.
	for _, rest := range []string{
		`input: "x" ` + fused("BiasAdd"), `input: "x" input: "x" ` + fused("BiasAdd"), `input: "x" input: "x" input: "x" ` + fused("Relu"),
		`input: "x" input: "x" ` + fused("Softplus"),
	} {
		if _, err := loadJSON(t, jsonModel(t, textX+node("d", "FusedDepthwiseConv2dNative", rest+conv), "[]", ""), nil); tensor.CodeOf(err) != tensor.NotFound {
			t.Errorf("%s: %v", rest, err)
		}
	}
	if _, err := loadJSON(t, jsonModel(t, textX+node("p", "Prelu", `input: "x" `+isFloat), "[]", ""), nil); tensor.CodeOf(err) != tensor.NotFound {
		t.Errorf("Prelu of one input: %v", err)
	}
	s := m.Signatures[0]
	if len(s.Inputs) != 1 || s.Inputs[0].Tensor != "x:0" || len(s.Outputs) != 1 || s.Outputs[0].Tensor != "c" {
		t.Errorf("signature %+v", s)
	}
}

// TestTFJSDeclared: a weight is converted to the type that its node declares, in functions too.
func TestTFJSDeclared(t *testing.T) {
	// The weights are f = {0.5, -3}, u = 200, b = true and i = 3.
	weights := []byte{0, 0, 0, 0x3f, 0, 0, 0x40, 0xc0, 200, 1, 3, 0, 0, 0}
	manifest := `[{"paths":["a.bin","b.bin"],"weights":[{"name":"f","shape":[2],"dtype":"float32"},{"name":"u","shape":[],"dtype":"uint8"},
		{"name":"b","shape":[],"dtype":"bool"},{"name":"i","shape":[],"dtype":"int32"}]}]`
	for _, c := range []struct {
		weight, dtype string
		want          any
	}{
		{"f", "DT_FLOAT", []float32{0.5, -3}}, {"f", "DT_DOUBLE", []float64{0.5, -3}}, {"f", "DT_HALF", []tensor.F16{0x3800, 0xc200}}, {"f", "DT_BFLOAT16", []tensor.BF16{0x3f00, 0xc040}},
		{"f", "DT_BOOL", []bool{true, true}}, {"f", "DT_INT8", []int8{0, -3}}, {"f", "DT_UINT32", []uint32{0, 1<<32 - 3}}, {"f", "DT_UINT64", []uint64{0, 1<<64 - 3}},
		{"u", "DT_UINT8", []uint8{200}}, {"u", "DT_INT32", []int32{200}}, {"u", "DT_FLOAT", []float32{200}}, {"b", "DT_INT64", []int64{1}}, {"b", "DT_FLOAT", []float32{1}},
		{"i", "DT_UINT16", []uint16{3}}, {"i", "DT_INT16", []int16{3}}, {"i", "DT_STRING", nil}, {"i", "DT_RESOURCE", nil}, {"i", "", []int32{3}},
	} {
		dtype := ""
		if c.dtype != "" {
			dtype = `attr { key: "dtype" value { type: ` + c.dtype + ` } } `
		}
		m, err := loadJSON(t, jsonModel(t, node(c.weight, "Const", dtype), manifest, ""), weights)
		if c.want == nil {
			if tensor.CodeOf(err) != tensor.InvalidArgument || !strings.Contains(err.Error(), "the weight is i32[], but the node declares "+c.dtype) {
				t.Errorf("%s as %s: %v", c.weight, c.dtype, err)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(m.Graph.Node(c.weight).Value().Data, c.want) {
			t.Errorf("%s as %s: %v, want %v", c.weight, c.dtype, err, c.want)
		}
	}
	m, err := loadJSON(t, jsonModel(t, textX+callNode("y", `name: "f"`)+libraryText(fnText("f", nodeDef("i", "Const", "")+`ret { key: "r" value: "a" } `)), manifest, ""), weights)
	if err != nil || !reflect.DeepEqual(m.Graph.Library.Functions["f"].Body.Node("i").Value().Data, []int32{3}) {
		t.Errorf("in a function: %v", err)
	}
}

// TestTFJSWithoutSignature: if a model has no signature, its placeholders become the inputs, and
// the nodes that nothing reads become the outputs.
func TestTFJSWithoutSignature(t *testing.T) {
	m, err := loadJSON(t, jsonModel(t, node("x", "Placeholder", `attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { dim { size: -1 } dim { size: 4 } } } }`)+
		node("y", "Relu", `input: "x" `+isFloat)+node("z", "Relu", `input: "y" `+isFloat), "[]", ""), nil)
	if err != nil {
		t.Fatal(err)
	}
	if s := m.Signatures[0]; len(s.Inputs) != 1 || !slices.Equal(s.Inputs[0].Shape.Dims, []int64{-1, 4}) || len(s.Outputs) != 1 || s.Outputs[0].Tensor != "z:0" {
		t.Errorf("%+v", s)
	}
}

// TestTFJSWidened: if a constant is declared with a narrower type than a reader needs, this reader
// gets a widened copy.
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

// TestTFJSLoops: constants in nested loops of TensorFlow 1, which tfjs stores without control
// edges, get new control edges that put each constant into its original frame.
func TestTFJSLoops(t *testing.T) {
	raw, err := os.ReadFile("testdata/nested_while.pb")
	if err != nil {
		t.Fatal(err)
	}
	def := &pb.GraphDef{}
	if err := proto.Unmarshal(raw, def); err != nil {
		t.Fatal(err)
	}
	// frames returns, for each node, the places of the constants that the node reads. The place is
	// "outside" if the constant is not in a loop. Otherwise it is the name of the loop's frame, with
	// the suffix " condition" if the constant runs as often as the condition of the loop.
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

// A model in the form that the first tfjs converters wrote: bytes are lists of numbers, and the key
// "format" is missing.
const numbersModel = `{"modelTopology": {"node": [
  {"name": "x", "op": "Placeholder", "attr": {"dtype": {"type": "DT_FLOAT"}, "shape": {"shape": {"dim": [{"size": "-1"}, {"size": 4}, {"size": 4}, {"size": 1}]}}}},
  {"name": "w", "op": "Const", "attr": {"dtype": {"type": 1}, "value": {"tensor": {"dtype": "DT_FLOAT", "tensorShape": {"dim": [{"size": 1}, {"size": 1}, {"size": 1}, {"size": 1}]}, "tensorContent": [0, 0, 32, 64]}}}},
  {"name": "pool", "op": "MaxPool", "input": ["x"], "attr": {"padding": {"s": [83, 65, 77, 69]}, "data_format": {"s": "TkhXQw=="},
    "ksize": {"list": {"i": ["1", "2", "2", "1"]}}, "strides": {"list": {"i": [1, 1, 1, 1]}}, "T": {"type": "DT_FLOAT"}}},
  {"name": "conv", "op": "_FusedConv2D", "input": ["pool", "w"], "attr": {"num_args": {"i": 0}, "fused_ops": {"list": {"s": [[82, 101, 108, 117], "QmlhcyI="]}},
    "strides": {"list": {"i": [1, 1, 1, 1]}}, "p\u0061dding": {"s" : [ 86, 65,76 ,73, 68 ]}, "T": {"type": "DT_FLOAT"}}},
  {"name": "names", "op": "Const", "attr": {"dtype": {"type": "DT_STRING"}, "value": {"tensor": {"dtype": "DT_STRING", "tensor_shape": {"dim": [{"size": 3}]}, "string_val": [[0, 255], "aGk=", []]}}}}
], "versions": {"producer": 27}}, "weightsManifest": []}`

// TestTFJSNumbers: if a bytes field is written as a list of numbers, it has the same value as if it
// were written in base64. A number that is not a byte is rejected.
func TestTFJSNumbers(t *testing.T) {
	_, def, err := parseTFJS("model.json", []byte(numbersModel), fuzzLimits)
	if err != nil {
		t.Fatal(err)
	}
	attr := func(node int, key string) *pb.AttrValue { return def.Node[node].Attr[key] }
	for _, c := range []struct {
		got  []byte
		want string
	}{
		{attr(1, "value").GetTensor().GetTensorContent(), "\x00\x00 @"},
		{attr(2, "padding").GetS(), "SAME"}, {attr(2, "data_format").GetS(), "NHWC"}, {attr(3, "padding").GetS(), "VALID"},
		{attr(3, "fused_ops").GetList().GetS()[0], "Relu"}, {attr(3, "fused_ops").GetList().GetS()[1], `Bias"`},
		{attr(4, "value").GetTensor().GetStringVal()[0], "\x00\xff"}, {attr(4, "value").GetTensor().GetStringVal()[1], "hi"}, {attr(4, "value").GetTensor().GetStringVal()[2], ""},
	} {
		if string(c.got) != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
	readable := strings.Replace(numbersModel, `, "QmlhcyI="`, "", 1)
	m, err := loadJSON(t, []byte(readable), nil)
	if err != nil {
		t.Fatal(err)
	}
	if v := m.Graph.Node("w").Value().Data; !reflect.DeepEqual(v, []float32{2.5}) {
		t.Errorf("the weight is %v", v)
	}
	if v := m.Graph.Node("names").Value().Data; !reflect.DeepEqual(v, []string{"\x00\xff", "hi", ""}) {
		t.Errorf("the names are %q", v)
	}
	other := filepath.Join(t.TempDir(), "model.txt") // only the content identifies this file as a tfjs model
	if err := os.WriteFile(other, []byte(readable), 0o666); err != nil {
		t.Fatal(err)
	}
	if m, err := Load([]string{other}, Options{}); err != nil || m.Kind != "tfjs" {
		t.Errorf("without .json: %v", err)
	}
	for numbers, says := range map[string]string{"[83, 256]": `element 1 of the bytes "s" is 256`, "[-1]": "is -1, not a number from 0 to 255", "[1.5]": "is 1.5",
		"[1e1]": "is 1e1", `["A"]`: `is "A"`, "[[1]]": "is [1]", "[null]": "is null", "[{}]": "is {}"} {
		model := strings.Replace(readable, "[83, 65, 77, 69]", numbers, 1)
		if _, err := loadJSON(t, []byte(model), nil); tensor.CodeOf(err) != tensor.InvalidArgument || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", numbers, err, says)
		}
	}
}
