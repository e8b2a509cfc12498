package frontend

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/graphc/graphc/frontend/pb"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
	"google.golang.org/protobuf/proto"
)

// loadText loads GraphDefs in text form, one file each.
func loadText(t testing.TB, o Options, graphs ...string) (*Model, error) {
	t.Helper()
	dir := t.TempDir()
	var paths []string
	for i, g := range graphs {
		p := filepath.Join(dir, string(rune('a'+i))+".pbtxt")
		if err := os.WriteFile(p, []byte(g), 0o666); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, p)
	}
	return Load(paths, o)
}

// Text of nodes. The tables below combine them into graphs.
const (
	textX   = `node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } } `
	textI   = `node { name: "i" op: "Placeholder" attr { key: "dtype" value { type: DT_INT32 } } } `
	textVar = `node { name: "v" op: "VariableV2" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { } } } } `
	isFloat = `attr { key: "T" value { type: DT_FLOAT } } `
)

func node(name, op, rest string) string {
	return `node { name: "` + name + `" op: "` + op + `" ` + rest + ` } `
}

func constant(rest string) string {
	return node("k", "Const", `attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value { tensor { dtype: DT_FLOAT `+rest+` } } }`)
}

// TestValidation checks every rule of validation with a graph that breaks the rule.
func TestValidation(t *testing.T) {
	relu := func(rest string) string { return textX + node("y", "Relu", rest) }
	for _, c := range []struct {
		name, graph string
		code        tensor.Code
		says        string
	}{
		{"sound", relu(`input: "x" ` + isFloat), tensor.OK, ""},
		{"unknown op", textX + node("y", "Rellu", `input: "x"`), tensor.NotFound, "did you mean Relu?"},
		{"missing attribute", relu(`input: "x"`), tensor.InvalidArgument, `attribute "T" is missing; a type is accepted`},
		{"attribute of another kind", relu(`input: "x" attr { key: "T" value { i: 1 } }`), tensor.InvalidArgument, "is a int; a type is accepted"},
		{"attribute without value", relu(`input: "x" attr { key: "T" value { } }`), tensor.InvalidArgument, "has no value"},
		{"list of several kinds", textX + node("y", "IdentityN", `input: "x" attr { key: "T" value { list { type: DT_FLOAT i: 1 } } }`), tensor.InvalidArgument, "several kinds"},
		{"type not allowed", relu(`input: "x" attr { key: "T" value { type: DT_STRING } }`), tensor.InvalidArgument, "type str is not accepted; f32, f64"},
		{"type invalid", node("y", "Placeholder", `attr { key: "dtype" value { type: DT_INVALID } }`), tensor.InvalidArgument, "DT_INVALID"},
		{"type a reference", node("y", "Placeholder", `attr { key: "dtype" value { type: DT_FLOAT_REF } }`), tensor.InvalidArgument, "reference DT_FLOAT_REF"},
		{"string not allowed", textX + node("y", "MaxPool", `input: "x" attr { key: "ksize" value { list { i: [1,1,1,1] } } } attr { key: "strides" value { list { i: [1,1,1,1] } } } attr { key: "padding" value { s: "FULL" } }`),
			tensor.InvalidArgument, `"FULL" is not accepted; ["SAME" "VALID" "EXPLICIT"] are`},
		{"int below minimum", textX + node("y", "AddN", `input: "x" attr { key: "N" value { i: 0 } } `+isFloat), tensor.InvalidArgument, "its value is 0; at least 1"},
		{"list below minimum", textX + node("y", "IdentityN", `input: "x" attr { key: "T" value { list { } } }`), tensor.InvalidArgument, "its length is 0; at least 1"},
		{"shape dimension", node("y", "Placeholder", `attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { dim { size: -7 } } } }`), tensor.InvalidArgument, "dimension -7"},
		{"shape overflow", node("y", "Placeholder", `attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { dim { size: 4294967296 } dim { size: 4294967296 } } } }`), tensor.InvalidArgument, "too many elements"},
		{"shape of unknown rank with dimensions", node("y", "Placeholder", `attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { unknown_rank: true dim { size: 1 } } } }`), tensor.InvalidArgument, "unknown rank"},
		{"_output_shapes", relu(`input: "x" attr { key: "_output_shapes" value { list { shape { dim { size: -3 } } } } } ` + isFloat), tensor.InvalidArgument, "_output_shapes"},
		{"placeholder outside of a function", relu(`input: "x" attr { key: "T" value { placeholder: "T" } }`), tensor.InvalidArgument, "enclosing function"},
		{"attribute not declared", relu(`input: "x" attr { key: "whatever" value { i: 1 } } ` + isFloat), tensor.OK, ""},
		{"number beyond the inputs", textX + node("y", "AddN", `input: "x" attr { key: "N" value { i: 2 } } `+isFloat), tensor.InvalidArgument, "it has 1 inputs; the op and its attributes take 2: (f32, f32)"},
		{"huge number", textX + node("y", "AddN", `input: "x" attr { key: "N" value { i: 4611686018427387904 } } `+isFloat), tensor.InvalidArgument, "attribute \"N\" is 4611686018427387904"},
		{"too few inputs", textX + node("y", "AddV2", `input: "x" `+isFloat), tensor.InvalidArgument, "it has 1 inputs"},
		{"too many inputs", relu(`input: "x" input: "x" ` + isFloat), tensor.InvalidArgument, "it has 2 inputs"},
		{"input of another type", textI + node("y", "Relu", `input: "i" `+isFloat), tensor.InvalidArgument, "input 0 is i32 from i:0 (Placeholder); f32 is accepted"},
		{"value for a reference", textX + node("y", "Assign", `input: "x" input: "x" `+isFloat), tensor.InvalidArgument, "a reference to a variable is accepted"},
		{"reference for a value", textVar + node("y", "Relu", `input: "v" `+isFloat), tensor.OK, ""},
		{"dangling input", relu(`input: "z" ` + isFloat), tensor.InvalidArgument, `names no node`},
		{"empty input", relu(`input: "" ` + isFloat), tensor.InvalidArgument, "names no node"},
		{"output beyond the node's", relu(`input: "x:1" ` + isFloat), tensor.InvalidArgument, "output 1 of node \"x\" (Placeholder), which has 1"},
		{"negative output", relu(`input: "x:-1" ` + isFloat), tensor.InvalidArgument, "names no node"},
		{"output beyond 64 bits", relu(`input: "x:99999999999999999999" ` + isFloat), tensor.InvalidArgument, "names no node"},
		{"dangling control input", relu(`input: "x" input: "^z" ` + isFloat), tensor.InvalidArgument, `control input "^z" names no node`},
		{"control input with output", relu(`input: "x" input: "^x:0" ` + isFloat), tensor.InvalidArgument, "names no node"},
		{"data after control", relu(`input: "^x" input: "x" ` + isFloat), tensor.InvalidArgument, "follows a control input"},
		{"duplicate name", textX + textX, tensor.InvalidArgument, "another node has this name"},
		{"empty name", node("", "NoOp", ""), tensor.InvalidArgument, `the name "" is not accepted`},
		{"name", node("a b", "NoOp", ""), tensor.InvalidArgument, `the name "a b" is not accepted`},
		{"internal name", node("_a", "NoOp", ""), tensor.InvalidArgument, "is not accepted"},
		{"name in parts", node("a/b>c", "NoOp", ""), tensor.OK, ""},
		{"cycle", node("a", "Relu", `input: "b" `+isFloat) + node("b", "Relu", `input: "a" `+isFloat), tensor.InvalidArgument, "cycle"},
		{"control cycle", node("a", "NoOp", `input: "^b"`) + node("b", "NoOp", `input: "^a"`), tensor.InvalidArgument, "cycle"},
		{"device", node("a", "NoOp", `device: "/cpu:"`), tensor.InvalidArgument, "does not parse"},
		{"colocation", node("a", "NoOp", `attr { key: "_class" value { list { s: "loc:@b" } } }`), tensor.InvalidArgument, `colocated with "b"`},
		{"producer too new an op", `versions { producer: 7 } ` + textX + node("y", "TopK", `input: "x" attr { key: "k" value { i: 1 } } `+isFloat), tensor.Unimplemented, "removed at GraphDef version 7; the file was written by version 7"},
		{"deprecated later", `versions { producer: 6 } ` + textX + node("y", "TopK", `input: "x" attr { key: "k" value { i: 1 } } `+isFloat), tensor.OK, ""},
		{"min_consumer", `versions { min_consumer: 99999 } `, tensor.InvalidArgument, "99999"},
		{"bad_consumers", `versions { bad_consumers: 2474 } `, tensor.InvalidArgument, "excludes readers"},
		{"constant of another type", node("k", "Const", `attr { key: "dtype" value { type: DT_INT32 } } attr { key: "value" value { tensor { dtype: DT_FLOAT } } }`), tensor.InvalidArgument, `attribute "dtype" is i32`},
		{"content too short", constant(`tensor_shape { dim { size: 2 } } tensor_content: "1234"`), tensor.InvalidArgument, "tensor_content has 4 bytes; f32[2] takes 2 elements of 4 bytes"},
		{"content too long", constant(`tensor_content: "12345678"`), tensor.InvalidArgument, "tensor_content has 8 bytes"},
		{"constant's dimension", constant(`tensor_shape { dim { size: -1 } }`), tensor.InvalidArgument, "negative dimension"},
		{"huge repetition", constant(`tensor_shape { dim { size: 8589934592 } } float_val: 1`), tensor.InvalidArgument, "repetition"},
		{"tensor type", node("k", "Const", `attr { key: "dtype" value { type: DT_INT4 } } attr { key: "value" value { tensor { dtype: DT_INT4 } } }`), tensor.InvalidArgument, "cannot be read"},
		{"shape of a high rank", node("y", "Placeholder", `attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { `+strings.Repeat("dim { size: 1 } ", 255)+`} } }`), tensor.InvalidArgument, "a shape of rank 255; at most 254"},
		{"constant of a high rank", constant(`tensor_shape { ` + strings.Repeat("dim { size: 1 } ", 255) + `}`), tensor.InvalidArgument, "a tensor of rank 255; at most 254"},
		{"type beyond the enumeration", textX + node("y", "NoOp", `attr { key: "_t" value { type: 77 } } attr { key: "_u" value { type: -3 } }`), tensor.OK, ""},
		{"attribute of a called function", textX + callNode("y", `name: "f" attr { key: "A" value { shape { dim { size: -7 } } } }`), tensor.InvalidArgument, `attribute "A" of function "f": a shape has the dimension -7`},
		{"lengths of strings", node("k", "Const", `attr { key: "dtype" value { type: DT_STRING } } attr { key: "value" value { tensor { dtype: DT_STRING tensor_content: "\377" } } }`), tensor.InvalidArgument, "the length of string 0 in tensor_content does not parse"},
		{"fused op whose num_args is no number", textX + node("f", "_FusedConv2D", `input: "x" attr { key: "num_args" value { s: "" } } `+isFloat), tensor.InvalidArgument, `attribute "TArgs" is missing`},
		{"fused op with too many num_args", textX + node("f", "_FusedConv2D", `input: "x" attr { key: "num_args" value { i: 70000 } } `+isFloat), tensor.InvalidArgument, `attribute "TArgs" is missing`},
		{"too many types", textX + node("y", "IdentityN", `attr { key: "T" value { list { `+strings.Repeat("type: 1 ", maxArity+1)+`} } }`), tensor.InvalidArgument, `attribute "T" has 65537 types; at most 65536`},
		{"producer negative", `versions { producer: -1 } `, tensor.InvalidArgument, "version -1"},
		{"fused op without TArgs", node("x4", "Placeholder", `attr { key: "dtype" value { type: DT_FLOAT } }`) + node("f", "_FusedConv2D",
			`input: "x4" input: "x4" input: "x4" attr { key: "num_args" value { i: 1 } } attr { key: "strides" value { list { i: [1,1,1,1] } } } attr { key: "padding" value { s: "SAME" } } `+isFloat), tensor.OK, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := loadText(t, Options{}, c.graph)
			if got := tensor.CodeOf(err); got != c.code {
				t.Fatalf("%v expected, got %v: %v", c.code, got, err)
			}
			if err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("%q expected in: %v", c.says, err)
			}
			if err != nil && !strings.HasPrefix(err.Error(), "a.pbtxt: ") {
				t.Errorf("no file in: %v", err)
			}
			if err == nil {
				for _, n := range m.Graph.Nodes {
					for _, o := range n.Outs {
						if !o.Valid() {
							t.Errorf("node %q: an output has no type", n.Name)
						}
					}
				}
			}
		})
	}
}

func TestAllErrorsAtOnce(t *testing.T) {
	var g strings.Builder
	for i := range 60 {
		g.WriteString(node("n"+strings.Repeat("a", i+1), "NoSuchThing", ""))
	}
	g.WriteString(textX + node("y", "Relu", `input: "x" input: "q" attr { key: "T" value { type: DT_STRING } }`))
	_, err := loadText(t, Options{}, g.String())
	var es Errors
	if !errors.As(err, &es) || len(es) != 61 || es.Code() != tensor.NotFound {
		t.Fatalf("%T of %d: %v", err, len(es), err)
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != maxPrinted+1 || lines[maxPrinted] != "and 11 more errors" {
		t.Errorf("%d lines, the last %q", len(lines), lines[len(lines)-1])
	}
	var te *tensor.Error
	if !errors.As(err, &te) || te.Node != "na" || te.Op != "NoSuchThing" {
		t.Errorf("errors.As gives %+v", te)
	}
}

func TestLimits(t *testing.T) {
	if err := (Errors{}); err.Code() != tensor.OK {
		t.Errorf("no errors have the code %v", err.Code())
	}
	if _, err := loadText(t, Options{Limits: ir.Limits{Nodes: 1}}, textX+textI); tensor.CodeOf(err) != tensor.ResourceExhausted {
		t.Errorf("two nodes: %v", err)
	}
	deep := strings.Repeat(`attr { key: "f" value { func { `, 200) + strings.Repeat("} } } ", 200)
	if _, err := loadText(t, Options{}, node("a", "NoOp", deep)); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Errorf("deep text: %v", err)
	}
	v := &pb.AttrValue{Value: &pb.AttrValue_I{I: 1}}
	for range 200 {
		v = &pb.AttrValue{Value: &pb.AttrValue_Func{Func: &pb.NameAttrList{Name: "f", Attr: map[string]*pb.AttrValue{"_a": v}}}}
	}
	raw, err := proto.Marshal(&pb.GraphDef{Node: []*pb.NodeDef{{Name: "n", Op: "NoOp", Attr: map[string]*pb.AttrValue{"_a": v}}}})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "deep.pb")
	if err := os.WriteFile(path, raw, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Load([]string{path}, Options{}); tensor.CodeOf(err) != tensor.InvalidArgument || !strings.Contains(err.Error(), "--max-depth") {
		t.Errorf("deep messages: %v", err)
	}
	var wide strings.Builder
	for i := range 30 {
		wide.WriteString(node("u"+string(rune('a'+i%26))+string(rune('a'+i/26)), "Unpack", `input: "x" attr { key: "num" value { i: 60000 } } `+isFloat))
	}
	if _, err := loadText(t, Options{Limits: ir.Limits{Nodes: 100_000}}, textX+wide.String()); tensor.CodeOf(err) != tensor.ResourceExhausted {
		t.Errorf("1.8 million outputs: %v", err)
	}
	left := int64(10)
	c := attrs{splat: &left}
	big := &pb.TensorProto{Dtype: pb.DataType_DT_INT64, TensorShape: &pb.TensorShapeProto{Dim: []*pb.TensorShapeProto_Dim{{Size: 2}}}, Int64Val: []int64{1}}
	if _, err := c.tensor(big); tensor.CodeOf(err) != tensor.ResourceExhausted {
		t.Errorf("16 bytes of 10: %v", err)
	}
}

func TestNames(t *testing.T) {
	for s, ok := range map[string]bool{"a": true, "A.b-c/d_e": true, ".": true, "a>b": true, "1": true, "": false, "a>": false, ">a": false,
		"-a": false, "/a": false, "a:0": false, "^a": false, "é": false, "a>_b": false} {
		if validName(s, false) != ok {
			t.Errorf("%q: %v", s, !ok)
		}
	}
	if !validName("_a", true) || validName("_a", false) {
		t.Error("_a is an internal name")
	}
	for s, want := range map[string]struct {
		node  string
		index int
	}{"a": {"a", 0}, "a:2": {"a", 2}, "a:b": {"a:b", 0}, "a:": {"a:", 0}, ":1": {":1", 0}, "a:1:2": {"a:1", 2}, "a:-1": {"a:-1", 0}} {
		if n, i := tensorName(s); n != want.node || i != want.index {
			t.Errorf("%q: %q %d", s, n, i)
		}
	}
	for s, ok := range map[string]bool{"": true, "/cpu:0": true, "/device:GPU:1": true, "/job:worker/replica:0/task:3/device:CPU:0": true,
		"/job:a/device:CPU:*": true, "/device:*:*": true, "/device:CPU": true, "cpu:0": false, "/cpu": false, "/cpu:x": false, "/job:": false, "/nonsense:0": false,
		"/task:-1": false, "/device:C U:0": false} {
		if validDevice(s) != ok {
			t.Errorf("device %q: %v", s, !ok)
		}
	}
}
