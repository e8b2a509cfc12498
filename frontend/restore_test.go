package frontend

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/graphc/graphc/frontend/pb"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/bundle"
	"github.com/graphc/graphc/rt/tensor"
)

func stringConst(name string, values ...string) string {
	s := `attr { key: "dtype" value { type: DT_STRING } } attr { key: "value" value { tensor { dtype: DT_STRING tensor_shape { dim { size: ` + string(rune('0'+len(values))) + ` } } `
	for _, v := range values {
		s += `string_val: "` + v + `" `
	}
	return `name: "` + name + `" op: "Const" ` + s + `} } }`
}

// TestRestorePaths: without a checkpoint, the locations of variables' values are read from the
// graph's own restore nodes, for all kinds of paths from a restored tensor to a variable.
func TestRestorePaths(t *testing.T) {
	consts := ""
	for _, c := range []string{stringConst("pre", "p"), stringConst("names", "b", "w"), stringConst("slices", "", "4 0,2"), stringConst("one", "w"), stringConst("slice", "4 0,2")} {
		consts += "node { " + c + " } "
	}
	variable := node("v", "VariableV2", `attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { dim { size: 2 } } } }`)
	v2 := `attr { key: "dtypes" value { list { type: DT_FLOAT type: DT_FLOAT } } } `
	restore := node("r", "RestoreV2", `input: "pre" input: "names" input: "slices" `+v2)
	assign := func(from string) string { return node("a", "Assign", `input: "v" input: "`+from+`" `+isFloat) }
	// The function in the graphs has an argument of type string and two results of type float.
	f := func(body string) string {
		return libraryText(`function { signature { name: "f" input_arg { name: "p" type: DT_STRING } output_arg { name: "r" type: DT_FLOAT } output_arg { name: "q" type: DT_FLOAT } } ` + body + ` } `)
	}
	inside := "node_def { " + stringConst("n", "b", "w") + " } node_def { " + stringConst("s", "", "") + " } " +
		nodeDef("r", "RestoreV2", `input: "p" input: "n:output:0" input: "s:output:0" `+v2)
	call := func(op, outs string) string {
		return node("c", op, `input: "pre" attr { key: "Tin" value { list { type: DT_STRING } } } attr { key: "Tout" value { list { `+outs+` } } } attr { key: "f" value { func { name: "f" } } }`)
	}
	two, three := "type: DT_FLOAT type: DT_FLOAT", "type: DT_FLOAT type: DT_FLOAT type: DT_FLOAT"
	rets := `ret { key: "r" value: "r:tensors:0" } ret { key: "q" value: "r:tensors:1" } `
	for _, c := range []struct{ name, graph, key, slice string }{
		{"output 0", restore + assign("r:0"), "b", ""},
		{"output 1, a part", restore + assign("r:1"), "w", "4 0,2"},
		{"Restore", node("r", "Restore", `input: "pre" input: "one" attr { key: "dt" value { type: DT_FLOAT } }`) + assign("r"), "w", ""},
		{"RestoreSlice", node("r", "RestoreSlice", `input: "pre" input: "one" input: "slice" attr { key: "dt" value { type: DT_FLOAT } }`) + assign("r"), "w", "4 0,2"},
		{"several names for one tensor", node("r", "Restore", `input: "pre" input: "names" attr { key: "dt" value { type: DT_FLOAT } }`) + assign("r"), "", ""},
		{"names that a run makes", node("p", "Placeholder", `attr { key: "dtype" value { type: DT_STRING } }`) + node("r", "Restore", `input: "pre" input: "p" attr { key: "dt" value { type: DT_FLOAT } }`) + assign("r"), "", ""},
		{"IdentityN", restore + node("i", "IdentityN", `input: "pre" input: "r:1" attr { key: "T" value { list { type: DT_STRING type: DT_FLOAT } } }`) + assign("i:1"), "w", "4 0,2"},
		{"result of a function", call("PartitionedCall", two) + assign("c:1") + f(inside+rets), "w", ""},
		{"result of a function called by its name", node("c", "f", `input: "pre"`) + assign("c:1") + f(inside+rets), "w", ""},
		{"two results of one call", call("StatefulPartitionedCall", two) + node("other", "Assign", `input: "v" input: "c:0" `+isFloat) + assign("c:1") + f(inside+rets), "w", ""},
		{"more results than the function has", call("PartitionedCall", three) + assign("c:2") + f(inside+rets), "", ""},
		{"a constant", node("k", "Const", `attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: 2 } } } } }`) + assign("k"), "", ""},
	} {
		m, err := loadText(t, Options{}, consts+variable+c.graph)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if key, slice, told := m.CheckpointKey("v"); key != c.key || slice != c.slice || told != (c.key != "") {
			t.Errorf("%s: %q %q %v; want %q %q", c.name, key, slice, told, c.key, c.slice)
		}
		if key, _, told := m.CheckpointKey("a"); key != "" || told {
			t.Errorf("%s: the assignment is a variable: %q", c.name, key)
		}
	}

	table := node("t", "MutableHashTableV2", `attr { key: "key_dtype" value { type: DT_STRING } } attr { key: "value_dtype" value { type: DT_FLOAT } }`)
	fill := `attr { key: "Tin" value { type: DT_STRING } } attr { key: "Tout" value { type: DT_FLOAT } } `
	text := node("r", "RestoreV2", `input: "pre" input: "names" input: "slices" attr { key: "dtypes" value { list { type: DT_STRING type: DT_FLOAT } } }`)
	m, err := loadText(t, Options{}, consts+table+text+node("l", "LookupTableImportV2", `input: "t" input: "r:0" input: "r:1" `+fill))
	if err != nil {
		t.Fatal(err)
	}
	if got := m.TableNames("t"); !slices.Equal(got, []string{"b", "w"}) {
		t.Errorf("the tensors of the table: %v", got)
	}
}

// TestRestoreErrors: a checkpoint that lacks a tensor that the graph needs, and a checkpoint whose
// objects are damaged, are rejected.
func TestRestoreErrors(t *testing.T) {
	m := load1(t, "testdata/v1", Options{})
	m.tables = map[string][2]restored{"b": {{key: "b"}, {key: "gone"}}}
	if _, _, err := m.Table("b"); tensor.CodeOf(err) != tensor.NotFound {
		t.Errorf("a table whose values are gone: %v", err)
	}
	m.Graph.Node("b").Attrs["shape"] = ir.PartialShape{UnknownRank: true}
	wantVariable(t, m, "b", tensor.Shape{2}, []float32{1, 2})

	// If the collections have a damaged entry for a variable, the variable still gets its value.
	edited := func(edit func(mg *pb.MetaGraphDef), more ...bundle.Named) *Model {
		t.Helper()
		raw, err := os.ReadFile("testdata/v1/saved_model.pb")
		if err != nil {
			t.Fatal(err)
		}
		sm := &pb.SavedModel{}
		if err := proto.Unmarshal(raw, sm); err != nil {
			t.Fatal(err)
		}
		edit(sm.MetaGraphs[0])
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "saved_model.pb"), marshal(t, sm), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(dir, "variables"), 0o777); err != nil {
			t.Fatal(err)
		}
		tensors := append(more, bundle.Named{Key: "b", Tensor: tensor.Must(tensor.From(tensor.Shape{2}, []float32{5, 6}))})
		if err := bundle.Write(filepath.Join(dir, "variables", "variables"), tensors); err != nil {
			t.Fatal(err)
		}
		return load1(t, dir, Options{})
	}
	wantVariable(t, edited(func(mg *pb.MetaGraphDef) {
		mg.CollectionDef["variables"].GetBytesList().Value = [][]byte{[]byte("\xff\xff")}
		mg.CollectionDef["trainable_variables"].GetBytesList().Value = [][]byte{marshal(t, &pb.VariableDef{VariableName: "b:0", SaveSliceInfoDef: &pb.SaveSliceInfoDef{FullName: "b", FullShape: []int64{2}}})}
	}), "b", tensor.Shape{2}, []float32{5, 6})
	m = edited(func(*pb.MetaGraphDef) {}, bundle.Named{Key: objectGraphKey, Tensor: tensor.Must(tensor.From(nil, []string{"\xff\xff"}))})
	if wantVariable(t, m, "b", tensor.Shape{2}, []float32{5, 6}); len(m.objects) != 0 {
		t.Errorf("objects of a damaged graph: %v", m.objects)
	}
}
