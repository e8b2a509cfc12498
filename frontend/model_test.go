package frontend

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"github.com/graphc/graphc/frontend/pb"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

func load1(t *testing.T, path string, o Options) *Model {
	t.Helper()
	m, err := Load([]string{path}, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func wantVariable(t *testing.T, m *Model, node string, shape tensor.Shape, data any) {
	t.Helper()
	got, err := m.Variable(node)
	if err != nil {
		t.Error(err)
		return
	}
	if !got.Shape.Equal(shape) || !reflect.DeepEqual(got.Data, data) {
		t.Errorf("%s is %v %v, want %v %v", node, got, got.Data, shape, data)
	}
}

// TestSavedModelV1 loads testdata/v1: reference and resource variables, of which one is saved in
// two slices and one is not saved, a signature with a target, and a main op.
func TestSavedModelV1(t *testing.T) {
	m := load1(t, "testdata/v1", Options{})
	if m.Kind != "saved_model" || len(m.SHA256) != 64 || !m.HasVariables() {
		t.Errorf("model %+v", m)
	}
	if len(m.Signatures) != 2 || m.Signatures[0].Name != "serving_default" || m.Signatures[1].Name != "train" {
		t.Fatalf("signatures %+v", m.Signatures)
	}
	s := m.Signatures[0]
	if want := []Port{{"x", "x:0", tensor.Float32, ir.PartialShape{Dims: []int64{-1, 4}}}}; !reflect.DeepEqual(s.Inputs, want) {
		t.Errorf("inputs %+v", s.Inputs)
	}
	if s := m.Signatures[1]; len(s.Outputs) != 1 || !reflect.DeepEqual(s.Targets, []string{"train_op"}) || s.Method != "train" {
		t.Errorf("train: %+v", s)
	}
	if len(m.InitOps) != 1 || m.Graph.Node(m.InitOps[0]) == nil {
		t.Errorf("init ops %q", m.InitOps)
	}
	check := func(m *Model) {
		t.Helper()
		wantVariable(t, m, "m/w/part_0", tensor.Shape{2, 2}, []float32{0, 1, 2, 3})
		wantVariable(t, m, "m/w/part_1", tensor.Shape{2, 2}, []float32{4, 5, 6, 7})
		wantVariable(t, m, "b", tensor.Shape{2}, []float32{1, 2})
		for n, code := range map[string]tensor.Code{"not_saved": tensor.FailedPrecondition, "x": tensor.NotFound, "none": tensor.NotFound} {
			if _, err := m.Variable(n); tensor.CodeOf(err) != code {
				t.Errorf("%s: %v", n, err)
			}
		}
	}
	check(m)

	// If the nodes that save and restore variables are removed, Load finds the slices by means of
	// the collections. The values must be the same as before. Here the SavedModel is also in text
	// form.
	sm := &pb.SavedModel{}
	raw, err := os.ReadFile("testdata/v1/saved_model.pb")
	if err != nil {
		t.Fatal(err)
	}
	if err := proto.Unmarshal(raw, sm); err != nil {
		t.Fatal(err)
	}
	g := sm.MetaGraphs[0].GraphDef
	kept := g.Node[:0]
	for _, n := range g.Node {
		if !strings.HasPrefix(n.Name, "save/") {
			kept = append(kept, n)
		}
	}
	g.Node = kept
	sm.MetaGraphs[0].SaverDef = nil
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "variables"), os.DirFS("testdata/v1/variables")); err != nil {
		t.Fatal(err)
	}
	text, err := prototext.MarshalOptions{Multiline: true}.Marshal(sm)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "saved_model.pbtxt"), text, 0o666); err != nil {
		t.Fatal(err)
	}
	check(load1(t, dir, Options{}))
}

// TestSavedModelV2 loads testdata/v2: variables that a function restores, an asset, and a signature
// that calls functions with a conditional.
func TestSavedModelV2(t *testing.T) {
	m := load1(t, "testdata/v2", Options{})
	wantVariable(t, m, "w", tensor.Shape{2, 2}, []float32{1, 2, 3, 4})
	wantVariable(t, m, "c", nil, []int64{7})
	if len(m.restore) != 2 || m.restore["w"].key != "w/.ATTRIBUTES/VARIABLE_VALUE" {
		t.Errorf("restored: %v", m.restore)
	}
	m.restore["w"] = restored{key: "gone"}
	if _, err := m.Variable("w"); tensor.CodeOf(err) != tensor.NotFound {
		t.Errorf("a tensor the checkpoint lacks: %v", err)
	}
	// without these maps, the keys can come only from the objects in the checkpoint
	m.restore, m.given = nil, nil
	wantVariable(t, m, "w", tensor.Shape{2, 2}, []float32{1, 2, 3, 4})
	if want := map[string]*Asset{"asset_path_initializer:0": {"words.txt", disk{}, filepath.Join("testdata", "v2"), filepath.Join("testdata", "v2", "assets", "words.txt")}}; !reflect.DeepEqual(m.Assets, want) {
		t.Errorf("assets %v", m.Assets)
	}
	if len(m.InitOps) != 1 || m.Graph.Node(m.InitOps[0]).Op != "NoOp" {
		t.Errorf("init ops %q", m.InitOps)
	}
	if len(m.Signatures) != 1 || len(m.Signatures[0].Outputs) != 2 || m.Signatures[0].Outputs[0].Key != "n" {
		t.Errorf("signatures %+v", m.Signatures)
	}
	if err := m.CheckReached(m.Graph.Nodes); err != nil {
		t.Error(err)
	}
	handles := 0
	for _, f := range m.Graph.Library.Functions {
		for _, n := range f.Body.Nodes {
			if s, ok := n.Attrs["_handle_shapes"].([]ir.PartialShape); ok && n.Op == "_Arg" && len(s) == 1 && len(s[0].Dims) == 2 {
				handles++
			}
			if (n.Op == "If" || n.Op == "StatelessIf") && m.Graph.Library.Functions[n.Attrs["then_branch"].(ir.Func).Name] == nil {
				t.Errorf("%s: %s calls nothing", f.Name, n.Name)
			}
		}
	}
	if handles == 0 {
		t.Error("no argument tells the shape of its variable")
	}
	keys, values, err := m.Table("MutableHashTable")
	if err != nil || !reflect.DeepEqual(keys.Data, []string{"a", "b"}) && !reflect.DeepEqual(keys.Data, []string{"b", "a"}) || values.Len() != 2 {
		t.Errorf("table: %v %v %v", keys, values, err)
	}
	if _, _, err := m.Table("w"); tensor.CodeOf(err) != tensor.NotFound {
		t.Errorf("no table: %v", err)
	}
	for _, tags := range [][]string{{"train"}, {"serve", "gpu"}} {
		if _, err := Load([]string{"testdata/v2"}, Options{Tags: tags}); tensor.CodeOf(err) != tensor.NotFound || !strings.Contains(err.Error(), "the SavedModel has {serve}") {
			t.Errorf("tags %q: %v", tags, err)
		}
	}
	if m.SHA256 != load1(t, filepath.Join("testdata", "v2", "saved_model.pb"), Options{Tags: []string{"serve"}}).SHA256 {
		t.Error("the sum differs by the path")
	}
}

// TestSavedModelErrors checks all possible errors of a SavedModel except those in its graph.
func TestSavedModelErrors(t *testing.T) {
	name := func(n string, d pb.DataType) *pb.TensorInfo {
		return &pb.TensorInfo{Encoding: &pb.TensorInfo_Name{Name: n}, Dtype: d}
	}
	sig := func(mg *pb.MetaGraphDef) *pb.SignatureDef { return mg.SignatureDef["serving_default"] }
	for _, c := range []struct {
		name string
		edit func(mg *pb.MetaGraphDef)
		code tensor.Code
		says string
	}{
		{"sound", func(mg *pb.MetaGraphDef) {}, tensor.OK, ""},
		{"type of an input", func(mg *pb.MetaGraphDef) { sig(mg).Inputs["x"].Dtype = pb.DataType_DT_INT32 }, tensor.InvalidArgument, "declared DT_INT32; the graph has DT_FLOAT"},
		{"reference type", func(mg *pb.MetaGraphDef) { sig(mg).Inputs["x"].Dtype = pb.DataType_DT_FLOAT_REF }, tensor.OK, ""},
		{"missing input", func(mg *pb.MetaGraphDef) { sig(mg).Inputs["x"] = name("q:0", 1) }, tensor.InvalidArgument, `the graph has no node "q"`},
		{"missing output number", func(mg *pb.MetaGraphDef) { sig(mg).Outputs["y"] = name("y:3", 1) }, tensor.InvalidArgument, "has 1 outputs"},
		{"name", func(mg *pb.MetaGraphDef) { sig(mg).Outputs["y"] = name("y:x", 1) }, tensor.InvalidArgument, "not an output number"},
		{"wrong beside a right one", func(mg *pb.MetaGraphDef) { mg.SignatureDef["train"].Inputs["x"] = name("q:0", 1) }, tensor.OK, ""},
		{"absolute asset", func(mg *pb.MetaGraphDef) {
			mg.AssetFileDef = []*pb.AssetFileDef{{TensorInfo: name("x:0", 0), Filename: "/etc/passwd"}}
		}, tensor.InvalidArgument, "folder"},
		{"asset outside", func(mg *pb.MetaGraphDef) {
			mg.AssetFileDef = []*pb.AssetFileDef{{TensorInfo: name("x:0", 0), Filename: "../../a"}}
		}, tensor.InvalidArgument, "folder"},
		{"assets of one name", func(mg *pb.MetaGraphDef) {
			mg.AssetFileDef = []*pb.AssetFileDef{{TensorInfo: name("x:0", 0), Filename: "en/words.txt"}, {TensorInfo: name("y:0", 0), Filename: "de/./words.txt"}}
		}, tensor.OK, ""},
		{"asset of no tensor", func(mg *pb.MetaGraphDef) {
			mg.AssetFileDef = []*pb.AssetFileDef{{TensorInfo: name("q:0", 0), Filename: "a"}}
		}, tensor.InvalidArgument, "no node"},
		{"main op's kind", func(mg *pb.MetaGraphDef) {
			mg.SignatureDef[initSignature] = nil
			mg.CollectionDef["saved_model_main_op"] = &pb.CollectionDef{Kind: &pb.CollectionDef_Int64List_{Int64List: &pb.CollectionDef_Int64List{Value: []int64{1}}}}
		}, tensor.InvalidArgument, "not a list of nodes"},
		{"main op's node", func(mg *pb.MetaGraphDef) {
			mg.SignatureDef[initSignature] = nil
			mg.CollectionDef["saved_model_main_op"] = &pb.CollectionDef{Kind: &pb.CollectionDef_NodeList_{NodeList: &pb.CollectionDef_NodeList{Value: []string{"q"}}}}
		}, tensor.InvalidArgument, `"q", which is not a node`},
		{"collection beside an init signature", func(mg *pb.MetaGraphDef) {
			mg.CollectionDef["some"] = &pb.CollectionDef{Kind: &pb.CollectionDef_NodeList_{NodeList: &pb.CollectionDef_NodeList{Value: []string{"x:0", "q:0"}}}}
		}, tensor.InvalidArgument, `some names "q:0"`},
		{"sparse input", func(mg *pb.MetaGraphDef) {
			sig(mg).Inputs["s"] = &pb.TensorInfo{Dtype: 1, Encoding: &pb.TensorInfo_CooSparse_{CooSparse: &pb.TensorInfo_CooSparse{ValuesTensorName: "x:0", IndicesTensorName: "x:0", DenseShapeTensorName: "x:0"}}}
		}, tensor.InvalidArgument, `input "s/indices"`},
		{"composite input", func(mg *pb.MetaGraphDef) {
			sig(mg).Inputs["s"] = &pb.TensorInfo{Encoding: &pb.TensorInfo_CompositeTensor_{CompositeTensor: &pb.TensorInfo_CompositeTensor{Components: []*pb.TensorInfo{name("x:0", 1), name("q:0", 1)}}}}
		}, tensor.InvalidArgument, `input "s/1" is "q:0"`},
		{"shape of an output", func(mg *pb.MetaGraphDef) {
			sig(mg).Outputs["y"].TensorShape = &pb.TensorShapeProto{Dim: []*pb.TensorShapeProto_Dim{{Size: -5}}}
		}, tensor.InvalidArgument, "dimension -5"},
		{"no graph", func(mg *pb.MetaGraphDef) { mg.GraphDef = nil }, tensor.InvalidArgument, "the graph has no node"},
		{"graph", func(mg *pb.MetaGraphDef) { mg.GraphDef.Node[0].Op = "NoSuchThing" }, tensor.NotFound, "NoSuchThing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			raw, err := os.ReadFile("testdata/v1/saved_model.pb")
			if err != nil {
				t.Fatal(err)
			}
			sm := &pb.SavedModel{}
			if err := proto.Unmarshal(raw, sm); err != nil {
				t.Fatal(err)
			}
			c.edit(sm.MetaGraphs[0])
			if raw, err = proto.Marshal(sm); err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "saved_model.pb"), raw, 0o666); err != nil {
				t.Fatal(err)
			}
			m, err := Load([]string{dir}, Options{})
			if tensor.CodeOf(err) != c.code || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Fatalf("%v, %q expected, got %v", c.code, c.says, err)
			}
			if err == nil {
				if _, err := m.Variable("b"); tensor.CodeOf(err) != tensor.FailedPrecondition {
					t.Errorf("without a checkpoint: %v", err)
				}
			}
		})
	}
}

// TestVariableMismatch: a variable with an unsuitable value is rejected.
func TestVariableMismatch(t *testing.T) {
	for says, edit := range map[string]func(n *ir.Node){
		"f32[2], but the variable is i32":             func(n *ir.Node) { n.Attrs["dtype"] = tensor.Int32 },
		"f32[2], but the variable's shape is [3]":     func(n *ir.Node) { n.Attrs["shape"] = ir.PartialShape{Dims: []int64{3}} },
		"f32[2], but the variable's shape is [-1 -1]": func(n *ir.Node) { n.Attrs["shape"] = ir.PartialShape{Dims: []int64{-1, -1}} },
	} {
		m := load1(t, "testdata/v1", Options{})
		edit(m.Graph.Node("b"))
		if _, err := m.Variable("b"); tensor.CodeOf(err) != tensor.InvalidArgument || !strings.Contains(err.Error(), says) {
			t.Errorf("%q expected: %v", says, err)
		}
	}
	for _, s := range []string{"", "4", "4 0", "4 0,1:0,1", "4 a,b", "x 0,1", "4 -1,2", "4 3,2"} {
		m := load1(t, "testdata/v1", Options{})
		m.restore["b"] = restored{"m/w", " " + s}
		if _, err := m.Variable("b"); tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("slice %q: %v", s, err)
		}
	}
}

func TestConfig(t *testing.T) {
	graph := textX + textI + node("y", "Relu", `input: "x" `+isFloat)
	for _, c := range []struct {
		name, config, says string
	}{
		{"sound", `feed { id { node_name: "x" } shape { dim { size: 2 } } name: "in" } fetch { id { node_name: "y" } }`, ""},
		{"no fetch", `feed { id { node_name: "x" } }`, "names no fetch"},
		{"missing", `fetch { id { node_name: "q" } }`, `no node "q"`},
		{"missing output", `fetch { id { node_name: "y" output_index: 1 } }`, "has 1 outputs"},
		{"huge output", `fetch { id { node_name: "y" output_index: 5000000000 } }`, "output 5000000000"},
		{"type", `feed { id { node_name: "x" } type: DT_INT32 } fetch { id { node_name: "y" } }`, "declared DT_INT32"},
		{"twice", `feed { id { node_name: "x" } } feed { id { node_name: "x" } } fetch { id { node_name: "y" } }`, "two entries feed"},
		{"no config", `feed {`, "text form"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "c.pbtxt")
			if err := os.WriteFile(path, []byte(c.config), 0o666); err != nil {
				t.Fatal(err)
			}
			m, err := loadText(t, Options{Config: path}, graph)
			if c.says != "" {
				if tensor.CodeOf(err) != tensor.InvalidArgument || !strings.Contains(err.Error(), c.says) {
					t.Errorf("%q expected: %v", c.says, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			s := m.Signatures[0]
			if s.Inputs[0].Key != "in" || s.Inputs[0].DType != tensor.Float32 || s.Inputs[0].Shape.Dims[0] != 2 || s.Outputs[0].Key != "y:0" || !s.Outputs[0].Shape.UnknownRank {
				t.Errorf("%+v", s)
			}
		})
	}
}

func TestMerge(t *testing.T) {
	f := func(body string) string { return libraryText(fnText("f", body)) }
	ret := `ret { key: "r" value: "a" } `
	m, err := loadText(t, Options{}, textX+f(ret)+`versions { producer: 9 }`, node("y", "Relu", `input: "x" `+isFloat)+f(ret)+`versions { producer: 5 }`)
	if err != nil {
		t.Fatal(err)
	}
	if y := m.Graph.Node("y"); m.Graph.Producer != 5 || len(m.Graph.Nodes) != 2 || y.Origin.File != "b.pbtxt" || y.Ins[0].Node.Origin.File != "a.pbtxt" {
		t.Errorf("merged: producer %d, y from %+v", m.Graph.Producer, y.Origin)
	}
	// an op that GraphDef version 7 removed
	topk := node("y", "TopK", `input: "x" attr { key: "k" value { i: 1 } } `+isFloat)
	if _, err := loadText(t, Options{}, textX+`versions { producer: 9 }`, topk+`versions { producer: 5 }`); err != nil {
		t.Errorf("an op that its own file may hold: %v", err)
	}
	if _, err := loadText(t, Options{}, textX+`versions { producer: 5 }`, topk+`versions { producer: 9 }`); tensor.CodeOf(err) != tensor.Unimplemented || !strings.Contains(err.Error(), "written by version 9") {
		t.Errorf("an op that its own file may not hold: %v", err)
	}
	for says, second := range map[string]string{
		"b.pbtxt: node \"x\" (Placeholder): InvalidArgument: another node": textX,
		"b.pbtxt: function \"f\": InvalidArgument: another function":       f(nodeDef("n", "NoOp", "") + ret),
		"b.pbtxt: InvalidArgument: the graph needs a reader":               `versions { min_consumer: 99999 }`,
	} {
		if _, err := loadText(t, Options{}, textX+f(ret), second); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q expected: %v", says, err)
		}
	}
}

// TestConstants checks which elements a constant has for given values of its typed fields.
func TestConstants(t *testing.T) {
	shape := func(dims ...int64) *pb.TensorShapeProto {
		s := &pb.TensorShapeProto{}
		for _, d := range dims {
			s.Dim = append(s.Dim, &pb.TensorShapeProto_Dim{Size: d})
		}
		return s
	}
	for _, c := range []struct {
		name string
		p    *pb.TensorProto
		want any
	}{
		{"last value repeats", &pb.TensorProto{Dtype: 1, TensorShape: shape(4), FloatVal: []float32{1, 2}}, []float32{1, 2, 2, 2}},
		{"no value", &pb.TensorProto{Dtype: 9, TensorShape: shape(2)}, []int64{0, 0}},
		{"too many", &pb.TensorProto{Dtype: 3, TensorShape: shape(1), IntVal: []int32{5, 6}}, []int32{5}},
		{"scalar", &pb.TensorProto{Dtype: 10, BoolVal: []bool{true}}, []bool{true}},
		{"unknown rank", &pb.TensorProto{Dtype: 1, TensorShape: &pb.TensorShapeProto{UnknownRank: true}, FloatVal: []float32{3}}, []float32{3}},
		{"half", &pb.TensorProto{Dtype: 19, HalfVal: []int32{70000}}, []tensor.F16{4464}},
		{"bfloat16", &pb.TensorProto{Dtype: 14, HalfVal: []int32{0x3f80}}, []tensor.BF16{0x3f80}},
		{"int8 wraps", &pb.TensorProto{Dtype: 6, IntVal: []int32{255}}, []int8{-1}},
		{"quantized", &pb.TensorProto{Dtype: 12, IntVal: []int32{255}}, []uint8{255}},
		{"complex", &pb.TensorProto{Dtype: 8, TensorShape: shape(2), ScomplexVal: []float32{1, 2}}, []complex64{1 + 2i, 1 + 2i}},
		{"complex128", &pb.TensorProto{Dtype: 18, DcomplexVal: []float64{1, 2, 3}}, []complex128{1 + 2i}},
		{"uint64", &pb.TensorProto{Dtype: 23, Uint64Val: []uint64{1 << 63}}, []uint64{1 << 63}},
		{"uint32", &pb.TensorProto{Dtype: 22, Uint32Val: []uint32{7}}, []uint32{7}},
		{"strings", &pb.TensorProto{Dtype: 7, TensorShape: shape(3), StringVal: [][]byte{[]byte("\xff"), []byte("b")}}, []string{"\xff", "b", "b"}},
		{"string content", &pb.TensorProto{Dtype: 7, TensorShape: shape(2), TensorContent: []byte("\x01\x02abc")}, []string{"a", "bc"}},
		{"content", &pb.TensorProto{Dtype: 5, TensorShape: shape(2), TensorContent: []byte{1, 0, 0xff, 0xff}}, []int16{1, -1}},
		{"bool content", &pb.TensorProto{Dtype: 10, TensorShape: shape(2), TensorContent: []byte{0, 1}}, []bool{false, true}},
		{"empty", &pb.TensorProto{Dtype: 1, TensorShape: shape(0, 1<<40), FloatVal: []float32{1}}, []float32{}},
	} {
		got, err := (attrs{}).tensor(c.p)
		if err != nil || !reflect.DeepEqual(got.Data, c.want) {
			t.Errorf("%s: %v, %v; want %v", c.name, got, err, c.want)
		}
	}
	for name, p := range map[string]*pb.TensorProto{
		"string lengths":      {Dtype: 7, TensorShape: shape(2), TensorContent: []byte("\x01\x05abc")},
		"bool":                {Dtype: 10, TensorShape: shape(2), TensorContent: []byte{1, 2}},
		"bools":               {Dtype: 10, TensorShape: shape(2), TensorContent: []byte{0, 255}},
		"string rest":         {Dtype: 7, TensorShape: shape(1), TensorContent: []byte("\x01abc")},
		"more strings":        {Dtype: 7, TensorShape: shape(1 << 40), TensorContent: []byte("\x00")},
		"many empty strings":  {Dtype: 7, TensorShape: shape(1 << 40)},
		"overflow":            {Dtype: 1, TensorShape: shape(1<<40, 1<<40)},
		"invalid type":        {Dtype: 0},
		"reference":           {Dtype: 101},
		"unknown type":        {Dtype: 77},
		"huge float8 nothing": {Dtype: 24, TensorShape: shape(1 << 40)},
	} {
		if got, err := (attrs{}).tensor(p); tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

func TestLoadPaths(t *testing.T) {
	dir := t.TempDir()
	gz := filepath.Join(dir, "g.pb")
	os.WriteFile(gz, []byte{0x1f, 0x8b, 8, 0}, 0o666)
	text := filepath.Join(dir, "text.pb")
	os.WriteFile(text, []byte("# as text\n"+textX), 0o666)
	sparse := filepath.Join(dir, "sparse.pb")
	if f, err := os.Create(sparse); err != nil || f.Truncate(maxFile+1) != nil || f.Close() != nil {
		t.Fatal(err)
	}
	damaged := filepath.Join(dir, "damaged")
	os.Mkdir(damaged, 0o777)
	os.WriteFile(filepath.Join(damaged, "saved_model.pb"), []byte("\xff\xff"), 0o666)
	layers := filepath.Join(dir, "layers.json")
	os.WriteFile(layers, []byte(`{"format":"layers-model","modelTopology":{}}`), 0o666)
	for _, c := range []struct {
		paths []string
		code  tensor.Code
		says  string
	}{
		{nil, tensor.InvalidArgument, "no model"},
		{[]string{filepath.Join(dir, "none.pb")}, tensor.NotFound, "none.pb"},
		{[]string{t.TempDir()}, tensor.NotFound, "holds no saved_model.pb"},
		{[]string{dir}, tensor.InvalidArgument, "graphc inspect " + damaged},
		{[]string{gz}, tensor.InvalidArgument, "gzip"},
		{[]string{text}, tensor.OK, ""},
		{[]string{sparse}, tensor.ResourceExhausted, "has more than 2147483647 bytes"},
		{[]string{damaged}, tensor.InvalidArgument, "not a SavedModel"},
		{[]string{filepath.Join(text, "a.pb")}, tensor.FailedPrecondition, "not a directory"},
		{[]string{text, dir}, tensor.InvalidArgument, "is a folder"},
		{[]string{layers}, tensor.Unimplemented, "layers model"},
	} {
		_, err := Load(c.paths, Options{})
		if tensor.CodeOf(err) != c.code || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v, %q expected, got %v", c.paths, c.code, c.says, err)
		}
	}
}

func marshal(t testing.TB, m proto.Message) []byte {
	t.Helper()
	raw, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
