package frontend

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/internal/testkit"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// everyAttr returns a graph with attributes of all kinds and constants of all types.
func everyAttr(t *testing.T) *ir.Graph {
	t.Helper()
	g := ir.NewGraph("graph.pb")
	g.Producer = 1087
	add := func(n *ir.Node) {
		t.Helper()
		if err := g.Add(n); err != nil {
			t.Fatal(err)
		}
	}
	for name, data := range map[string]any{
		"f32": []float32{1, 2}, "f64": []float64{1, 2}, "i8": []int8{1, -2}, "u8": []uint8{1, 2}, "i16": []int16{1, -2}, "u16": []uint16{1, 2},
		"i32": []int32{1, -2}, "u32": []uint32{1, 2}, "i64": []int64{1, -2}, "u64": []uint64{1, 2}, "bool": []bool{true, false},
		"f16": []tensor.F16{1, 2}, "bf16": []tensor.BF16{1, 2}, "c64": []complex64{1, 2i}, "c128": []complex128{1, 2i}, "str": []string{"a\x00", ""},
	} {
		d, _ := tensor.ParseDType(name)
		value := &tensor.Tensor{DType: d, Shape: tensor.Shape{2}, Data: data}
		add(&ir.Node{Name: "different_" + name, Op: "Const", Attrs: map[string]ir.Attr{"dtype": d, "value": value}, Outs: make([]ir.Fact, 1)})
		same, err := tensor.New(d, tensor.Shape{3, 2}, 0)
		if err != nil {
			t.Fatal(err)
		}
		add(&ir.Node{Name: "same_" + name, Op: "Const", Attrs: map[string]ir.Attr{"dtype": d, "value": same}, Outs: make([]ir.Fact, 1)})
		none, err := tensor.New(d, tensor.Shape{0, 2}, 0)
		if err != nil {
			t.Fatal(err)
		}
		add(&ir.Node{Name: "none_" + name, Op: "Const", Attrs: map[string]ir.Attr{"dtype": d, "value": none}, Outs: make([]ir.Fact, 1)})
	}
	add(&ir.Node{Name: "all", Op: "NoOp", Device: "/cpu:0", Controls: []*ir.Node{g.Node("same_f32"), g.Node("none_str")}, Origin: ir.Origin{Names: []string{"before"}},
		Attrs: map[string]ir.Attr{
			"_s": "bytes \xff", "_i": int64(-1), "_f": float32(1.5), "_b": true, "_t": tensor.Half, "_shape": ir.PartialShape{Dims: []int64{2, -1}},
			"_any": ir.PartialShape{UnknownRank: true}, "_tensor": tensor.Must(tensor.From(tensor.Shape{}, []float32{3})), "_func": ir.Func{Name: "f", Attrs: map[string]ir.Attr{"T": tensor.Int32}},
			"_ss": []string{"a", ""}, "_is": []int64{1, 2}, "_fs": []float32{1, 2}, "_bs": []bool{true, false}, "_ts": []tensor.DType{tensor.Half, tensor.String},
			"_shapes": []ir.PartialShape{{}, {UnknownRank: true}}, "_tensors": []*tensor.Tensor{tensor.Must(tensor.From(tensor.Shape{1}, []string{"x"}))}, "_funcs": []ir.Func{{Name: "f"}, {Name: "g"}},
			"_empty": []int64(nil),
		}})
	return g
}

// reread writes a graph and parses it again.
func reread(t *testing.T, g *ir.Graph) (*Model, []byte) {
	t.Helper()
	var b bytes.Buffer
	if err := WriteGraphDef(&b, g); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "graph.pb")
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	m, err := Load([]string{path}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	m.Graph.Name = g.Name
	return m, b.Bytes()
}

func TestWriteEveryAttribute(t *testing.T) {
	g := everyAttr(t)
	m, _ := reread(t, g)
	for _, n := range m.Graph.Nodes {
		for i := range n.Outs {
			g.Node(n.Name).Outs[i].DType = n.Outs[i].DType
		}
	}
	if got, want := m.Graph.Text(ir.PrintOptions{}), g.Text(ir.PrintOptions{}); got != want {
		t.Errorf("read back:\n%s\nwritten:\n%s", got, want)
	}
}

// TestWriteNames: names that import_graph_def rejects are changed everywhere they are used.
func TestWriteNames(t *testing.T) {
	g := ir.NewGraph("graph.pb")
	arg := g.NewNode("_arg_x", "Placeholder", map[string]ir.Attr{"dtype": tensor.Float32, "shape": ir.PartialShape{}}, 1)
	g.NewNode("arg_x", "Identity", map[string]ir.Attr{"T": tensor.Float32}, 1, ir.Out{Node: arg})
	n := g.NewNode("a b", "NoOp", nil, 0)
	n.Controls = []*ir.Node{arg}
	d, err := GraphDef(g)
	if err != nil {
		t.Fatal(err)
	}
	if got := []string{d.Node[0].Name, d.Node[1].Name, d.Node[1].Input[0], d.Node[2].Name, d.Node[2].Input[0]}; got[0] != "arg_x_1" || got[1] != "arg_x" || got[2] != "arg_x_1" || got[3] != "node_a_b" || got[4] != "^arg_x_1" {
		t.Errorf("names %q", got)
	}
	reread(t, g)
	n.Region = &ir.Region{Name: "r"}
	if _, err := GraphDef(g); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Errorf("a region is written: %v", err)
	}
}

// TestWriteErrors: if a graph cannot be written, the error names the node or function at fault.
func TestWriteErrors(t *testing.T) {
	type odd struct{}
	bad := &tensor.Tensor{DType: tensor.Float32, Shape: tensor.Shape{2}, Data: []int{1, 2}}
	arg := func(index int64) *ir.Node {
		return &ir.Node{Name: "a", Op: "_Arg", Attrs: map[string]ir.Attr{"T": tensor.Float32, "index": index}, Outs: make([]ir.Fact, 1)}
	}
	body := func(nodes ...*ir.Node) *ir.Graph {
		g := ir.NewGraph("f")
		for _, n := range nodes {
			if err := g.Add(n); err != nil {
				t.Fatal(err)
			}
		}
		return g
	}
	read := func(n *ir.Node, index int) *ir.Node {
		return &ir.Node{Name: "y", Op: "Relu", Attrs: map[string]ir.Attr{"T": tensor.Float32}, Ins: []ir.Out{{Node: n, Index: index}}, Outs: make([]ir.Fact, 1)}
	}
	ret := func(n *ir.Node, index int64) *ir.Node {
		return &ir.Node{Name: "r", Op: "_Retval", Attrs: map[string]ir.Attr{"T": tensor.Float32, "index": index}, Ins: []ir.Out{{Node: n}}}
	}
	marked, strange := arg(0), &ir.Node{Name: "s", Op: "Strange", Outs: make([]ir.Fact, 1)}
	marked.Attrs["_odd"] = odd{}
	lacks := &ir.Node{Name: "s", Op: "Split", Outs: make([]ir.Fact, 1)}
	one := []ir.Param{{Name: "a", DType: tensor.Float32}}
	node := func(a ir.Attr) *ir.Graph {
		return body(&ir.Node{Name: "n", Op: "NoOp", Attrs: map[string]ir.Attr{"_a": a}})
	}
	fn := func(f ir.Function) *ir.Graph {
		g := ir.NewGraph("g")
		f.Name = "f"
		if f.Body == nil {
			f.Body = body()
		}
		g.Library = &ir.Library{Functions: map[string]*ir.Function{"f": &f}}
		return g
	}
	for _, c := range []struct {
		name string
		g    *ir.Graph
		code tensor.Code
		says string
	}{
		{"value", node(odd{}), tensor.Internal, `node "n" (NoOp): Internal: attribute "_a": TensorFlow has no attribute values of type frontend.odd`},
		{"tensor", node(bad), tensor.Internal, "a tensor of []int cannot be written"},
		{"list of tensors", node([]*tensor.Tensor{bad}), tensor.Internal, "a tensor of []int cannot be written"},
		{"function's attribute", node(ir.Func{Name: "f", Attrs: map[string]ir.Attr{"A": odd{}}}), tensor.Internal, "frontend.odd"},
		{"list of functions", node([]ir.Func{{Name: "f", Attrs: map[string]ir.Attr{"A": odd{}}}}), tensor.Internal, "frontend.odd"},
		{"placeholder", node(ir.Placeholder("T")), tensor.OK, ""},
		{"attribute of a function", fn(ir.Function{Attrs: map[string]ir.Attr{"a": odd{}}}), tensor.Internal, `function "f": Internal`},
		{"attribute of an argument", fn(ir.Function{Args: one, Body: body(marked)}), tensor.Internal, "frontend.odd"},
		{"node of a body", fn(ir.Function{Body: node(odd{})}), tensor.Internal, `function "f": node "n" (NoOp)`},
		{"argument's number", fn(ir.Function{Args: one, Body: body(read(arg(1), 0))}), tensor.Internal, "argument 1 of 1"},
		{"result's argument", fn(ir.Function{Rets: one, Body: body(ret(arg(0), 0))}), tensor.Internal, "argument 0 of 0"},
		{"result's number", fn(ir.Function{Rets: one, Body: body(ret(strange, 1))}), tensor.Internal, "result 1 of 1"},
		{"op without signature", fn(ir.Function{Body: body(strange, read(strange, 0))}), tensor.Unimplemented, `the results of "s" (Strange) have no names`},
		{"attribute that types depend on", fn(ir.Function{Body: body(lacks, read(lacks, 0))}), tensor.InvalidArgument, `argument "output" depends on attribute "T"`},
		{"output", fn(ir.Function{Body: body(read(&ir.Node{Name: "n", Op: "NoOp"}, 0))}), tensor.Internal, "NoOp has no output 0"},
	} {
		if _, err := GraphDef(c.g); tensor.CodeOf(err) != c.code || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, %q expected, got %v", c.name, c.code, c.says, err)
		}
		var b bytes.Buffer
		if err := WriteGraphDef(&b, c.g); tensor.CodeOf(err) != c.code || (b.Len() > 0) != (c.code == tensor.OK) {
			t.Errorf("%s: %d bytes written, %v", c.name, b.Len(), err)
		}
	}
}

// TestWriteFunctions: a written function keeps the calls in its body, the control edges from its
// arguments, and its gradient. Its parameters get unique names.
func TestWriteFunctions(t *testing.T) {
	poly := `function { signature { name: "p" input_arg { name: "a" type: DT_FLOAT } output_arg { name: "r" type: DT_FLOAT } attr { name: "A" type: "type" } } ` +
		nodeDef("n", "Relu", `input: "a" input: "^a" `+isFloat) + `ret { key: "r" value: "n:activations:0" } } `
	m, err := loadText(t, Options{}, textX+callNode("y", `name: "f"`)+libraryText(poly, fnText("p_A_f32", `ret { key: "r" value: "a" } `), fnText("p_A_f32_", `ret { key: "r" value: "a" } `), fnText("f",
		nodeDef("c", "p", `input: "a" attr { key: "A" value { type: DT_FLOAT } }`)+nodeDef("d", "Relu", `input: "c:r:0" input: "^a" `+isFloat)+`ret { key: "r" value: "d:activations:0" } `),
		`gradient { function_name: "f" gradient_func: "p_A_f32" }`))
	if err != nil {
		t.Fatal(err)
	}
	got, _ := reread(t, m.Graph)
	lib := got.Graph.Library
	if len(lib.Functions) != len(m.Graph.Library.Functions) || lib.Gradients["f"] != "p_A_f32" {
		t.Errorf("%d functions, gradients %v", len(lib.Functions), lib.Gradients)
	}
	f := lib.Functions["f"].Body
	called := lib.Functions[f.Node("c").Op]
	if called == nil || called.Body.Node("n") == nil || called.Body.Node("n").Controls[0].Op != "_Arg" || f.Node("d").Ins[0] != (ir.Out{Node: f.Node("c")}) || f.Node("d").Controls[0].Op != "_Arg" {
		t.Errorf("f calls %q; d reads %v", f.Node("c").Op, f.Node("d").Ins)
	}
	if names := paramNames([]ir.Param{{Name: "a"}, {Name: "a"}, {Name: "a_1"}, {Name: "a"}}); !slices.Equal(names, []string{"a", "a_2", "a_1", "a_3"}) {
		t.Errorf("names %q", names)
	}
}

// TestWriteCases writes the graphs of the sample cases, and of some hundreds of the shared ones,
// and parses them again.
func TestWriteCases(t *testing.T) {
	walk := func(root string) (found []string) {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if name := d.Name(); name == "graph.pb" || name == "graph.pbtxt" || name == "saved_model.pb" {
				found = append(found, path)
			}
			return nil
		})
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return found
	}
	sample, err := cases.Find(testkit.Sample(t))
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, c := range sample {
		paths = append(paths, walk(c.Dir)...)
	}
	if cases.Shared() != "" {
		for i, p := range walk(testkit.NeedShared(t, "cases") + string(filepath.Separator)) {
			if st, err := os.Stat(p); i%9 == 0 && err == nil && st.Size() < 4<<20 {
				paths = append(paths, p)
			}
		}
	}
	written := 0
	for _, p := range paths {
		m, err := Load([]string{p}, Options{})
		if err != nil || len(m.Broken) > 0 {
			continue // skip a graph that cannot be read or has invalid functions
		}
		t.Run(p, func(t *testing.T) {
			got, raw := reread(t, m.Graph)
			renamed := len(functionNames(m.Graph.Library)) > 0
			if a, b := got.Graph.Text(ir.PrintOptions{}), m.Graph.Text(ir.PrintOptions{}); !renamed && a != b {
				t.Errorf("read back:\n%.3000s\nwritten:\n%.3000s", a, b)
			}
			if _, again := reread(t, got.Graph); !bytes.Equal(raw, again) {
				t.Errorf("what is read back is written otherwise")
			}
		})
		written++
	}
	if written < 500 {
		t.Errorf("only %d of %d graphs are written", written, len(paths))
	}
}
