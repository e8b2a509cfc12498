package ir

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/rt/tensor"
)

var update = flag.Bool("update", false, "write golden files")

// everything returns a graph with each kind of attribute and of tensor. Its text has each kind of
// line.
func everything(t *testing.T) *Graph {
	g := NewGraph("all\nkinds")
	g.Producer = 1087
	x := g.NewNode("x", "Placeholder", map[string]Attr{"dtype": tensor.Float32, "shape": PartialShape{Dims: []int64{-1, 4}}}, 1)
	x.Outs[0] = Fact{DType: tensor.Float32, Shape: ShapeOf(sym.Var("B"), sym.Int(4))}
	x.Device = "/job:localhost/device:CPU:0"
	shape := g.NewNode("shape", "Shape", nil, 1, Out{Node: x})
	shape.Outs[0] = Fact{DType: tensor.Int32, Shape: StaticShape(2), Ints: []*sym.Expr{sym.Var("B"), sym.Int(4)}}
	where := g.NewNode("where", "Where", nil, 1, Out{Node: x})
	n := g.FreshSymbol(Out{Node: where}, -1)
	where.Outs[0] = Fact{DType: tensor.Int64, Shape: ShapeOf(n, sym.Int(2))}
	nan := func(bits uint32) float32 { return f32(bits) }
	for _, v := range []*tensor.Tensor{
		{DType: tensor.Float32, Shape: tensor.Shape{7}, Data: []float32{0, f32(0x80000000), 1.5e-45, 3.4e38, nan(0x7fc00000), nan(0xffc00001), 0.1}},
		{DType: tensor.Float64, Shape: tensor.Shape{2}, Data: []float64{1e-320, -2.5}},
		{DType: tensor.Half, Shape: tensor.Shape{4}, Data: []tensor.F16{1, 0x7c00, 0x7e00, 0xfe01}},
		{DType: tensor.BFloat16, Shape: tensor.Shape{3}, Data: []tensor.BF16{0x8000, 0x3f80, 0x7fc0}},
		{DType: tensor.Complex64, Shape: tensor.Shape{2}, Data: []complex64{1 + 2i, complex(0, nan(0x7fc00000))}},
		{DType: tensor.Complex128, Shape: tensor.Shape{1}, Data: []complex128{-1i}},
		{DType: tensor.String, Shape: tensor.Shape{2}, Data: []string{"a\"\xff\n", ""}},
		{DType: tensor.Bool, Shape: tensor.Shape{3}, Data: []bool{true, true, true}},
		{DType: tensor.Int64, Shape: tensor.Shape{}, Data: []int64{-1 << 63}},
		{DType: tensor.Uint64, Shape: tensor.Shape{1, 1}, Data: []uint64{1<<64 - 1}},
		{DType: tensor.Uint8, Shape: tensor.Shape{2, 2}, Data: []uint8{7, 7, 7, 7}},
		{DType: tensor.QInt8, Shape: tensor.Shape{2}, Data: []int8{-128, 127}},
		{DType: tensor.Int16, Shape: tensor.Shape{0, 3}, Data: []int16{}},
	} {
		g.NewConst("c", v)
	}
	all := g.NewNode("weird name", "Every/Kind", map[string]Attr{
		"s": "x\x00", "i": int64(-3), "f": float32(2), "g": f32(0x7fc00001), "h": f32(0xff800000), "b": true, "t": tensor.Resource,
		"shape": PartialShape{UnknownRank: true}, "scalar": PartialShape{Dims: []int64{}},
		"fn": Func{"f", map[string]Attr{"T": tensor.Float32, "g": Func{Name: "odd name"}}}, "ph": Placeholder("T"),
		"ls": []string{"a", "b,"}, "li": []int64{1, -2}, "le": []int64{}, "lf": []float32{1, 0.5}, "lb": []bool{true, false},
		"lt": []tensor.DType{tensor.Half, tensor.Invalid}, "lsh": []PartialShape{{UnknownRank: true}, {Dims: []int64{2, -1}}},
		"ltn": []*tensor.Tensor{tensor.Must(tensor.From(tensor.Shape{1}, []int32{4}))}, "lfn": []Func{{Name: "f"}, {Name: "g"}},
	}, 3, Out{Node: shape}, Out{Node: where})
	all.Outs[1] = Fact{DType: tensor.Int32, Shape: StaticShape(1), Const: tensor.Must(tensor.From(tensor.Shape{1}, []int32{9}))}
	all.Outs[2] = Fact{DType: tensor.Float32, Shape: ShapeOf(sym.Max(sym.Var("B"), n), sym.Var("B").Div(sym.Int(2)).AddInt(1))}
	all.Controls = []*Node{x, where}
	all.Origin = Origin{File: "graph.pb", Index: 3, Names: []string{"a", "b"}}
	g.Feeds = []Feed{{Name: "x:0", Key: "x", Out: Out{Node: x}, Shape: x.Outs[0].Shape}}
	g.Fetches = []Fetch{{Name: "y:0", Key: "y", Out: Out{all, 2}}}
	g.Targets = []*Node{all}
	lib := newLibrary()
	body := NewGraph("f")
	arg := body.NewNode("a", "_Arg", map[string]Attr{"T": Placeholder("T"), "index": int64(0)}, 1)
	body.NewNode("r", "_Retval", map[string]Attr{"index": int64(0)}, 0, Out{Node: arg})
	body.Library = lib
	lib.Functions["f"] = &Function{Name: "f", Args: []Param{{Name: "a", TypeAttr: "T"}, {Name: "b", DType: tensor.Int32, NumberAttr: "N"},
		{Name: "c", TypeListAttr: "L"}, {Name: "d", TypeAttr: "T", NumberAttr: "N"}}, Rets: []Param{{Name: "r", DType: tensor.Float32}},
		Body: body, Controls: []ControlRet{{"done", "a"}}, Stateful: true, Attrs: map[string]Attr{"_noinline": true}}
	lib.Gradients["f"] = "f_grad"
	g.Library = lib
	if err := Check(g); err != nil {
		t.Fatal(err)
	}
	return g
}

func TestRoundTrip(t *testing.T) {
	g := everything(t)
	text := g.Text(PrintOptions{Origins: true})
	h, err := Parse(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if again := h.Text(PrintOptions{Origins: true}); again != text {
		t.Errorf("printed:\n%s\nread and printed again:\n%s", text, again)
	}
	if err := Check(h); err != nil {
		t.Error(err)
	}
	for i, n := range g.Nodes {
		m := h.Nodes[i]
		for k, v := range n.Attrs {
			var a, b bytes.Buffer
			HashAttr(&a, v)
			HashAttr(&b, m.Attrs[k])
			if !bytes.Equal(a.Bytes(), b.Bytes()) {
				t.Errorf("%s: attribute %s is %#v, was %#v", n.Name, k, m.Attrs[k], v)
			}
		}
	}
	golden := "testdata/everything.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if text != string(want) {
		t.Errorf("%s is out of date; -update renews it. Printed:\n%s", golden, text)
	}
}

func TestElided(t *testing.T) {
	g := NewGraph("g")
	g.NewConst("c", tensor.Must(tensor.From(tensor.Shape{3}, []int32{1, 2, 3})))
	text := g.Text(PrintOptions{MaxElems: 2})
	if !strings.Contains(text, "i32[3]#") {
		t.Fatalf("not elided: %s", text)
	}
	if _, err := Parse(text); tensor.CodeOf(err) != tensor.FailedPrecondition {
		t.Errorf("Parse of an elided tensor: %v", err)
	}
}

func TestParseErrors(t *testing.T) {
	const head = "graph \"g\" producer=0\n"
	for _, c := range []struct{ text, want string }{
		{"", "no line that begins with graph"},
		{"node a = A()", "line 1: the first line must be graph"},
		{head + "node a = A(b:0)", `line 2: unknown node "b"`},
		{head + "node a = A() -> f32[]\nnode b = B(a:1)", `line 3: "a" has 1 outputs`},
		{head + "node a = A()\nnode a = A()", `line 3: two nodes are named "a"`},
		{head + "node a = A() {k=f32[2]{1}}", "line 2: f32[2] has 2 elements, but 1 are given"},
		{head + "node a = A() {k=f32[70368744177664]{1...}}", "too large for the form with one value"},
		{head + "node a = A() {k=i8[1]{300}}", `"300" is not a valid i8`},
		{head + "node a = A() {k=1, k=2}", "given twice"},
		{head + "node a = A() {k=+}", "is not a value"},
		{head + "node a = A() -> f32[(]", "expression"},
		{head + "node a = A() -> f99[]", "is not a type"},
		{head + "node a = A() -> f32[] const", "only for a Const"},
		{head + "func f() -> ()", `function "f" has no end`},
		{head + "end", "outside of a function"},
		{head + "node a = A() more", "at the end of the line"},
		{head + "node a = A() {k=" + strings.Repeat("@f{k=", 100), "nested deeper"},
		{head + head, "there is a second graph"},
		{"graph g", "expected a quoted string"},
		{"graph `g`", "expected a quoted string"},
		{"graph \"g\" producer=x", `found "x", expected a number`},
		{"graph \"g\" version=1", `found "version=1", expected "producer"`},
		{head + "body \"b\"", "body stands outside of a function"},
		{head + "control c = n", "control stands outside of a function"},
		{head + "func f() -> ()\nfunc g() -> ()", "a function stands inside of another"},
		{head + "func f() -> ()\nend\nfunc f() -> ()", `another function "f"`},
		{head + "func f() -> ()\nnode a = A(b:0)\nend", `unknown node "b"`},
		{head + "func f(a f99) -> ()", "is not a type"},
		{head + "nodes a = A()", `a line begins with "nodes"`},
		{head + "region \"r\" when a:0", "while, unless or if"},
		{head + "node a = A() in \"r\"", `unknown region "r"`},
		{head + "region \"r\" if a:0", `unknown node "a"`},
		{head + "feed \"a\" = a:0 key=\"\" shape=[]", `unknown node "a"`},
		{head + "fetch \"a\" = a:0 key=\"\"", `unknown node "a"`},
		{head + "target a", `unknown node "a"`},
		{head + "size n = a:0 index=0", `unknown node "a"`},
		{head + "node a = A(^b)", `unknown node "b"`},
		{head + "node a = A(a:-1)", "invalid output number -1"},
		{head + "node a = (b:0)", `found "(b:0)", expected a name`},
		{head + "node a = A() -> f32[" + strings.Repeat("1+", maxExpr) + "1]", "… (8193 bytes)\" is too long"},
		{head + "node a = A() {k=12345678901234567890}", `"12345678901234567890}" is not a value`},
		{head + "node a = A() {k=1.5.5}", `"1.5.5" is not a value`},
		{head + "node a = A() {k=nan(0xfffffffff)}", "is not the bits of a NaN"},
		{head + "node a = A() {k=ints[1, true]}", "a list has values of two kinds"},
		{head + "node a = A() {k=f32[-1]{}}", "negative dimension"},
		{head + "node a = A() {k=f32[2]{1 2}}", "expected"},
		{head + "node a = A() {k=bool[1]{maybe}}", `"maybe" is not a bool`},
		{head + "node a = A() {k=u8[1]{-1}}", `"-1" is not a valid u8`},
		{head + "node a = A() {k=f32[1]{x}}", `"" is not a number`},
		{head + "node a = A() {k=c64[1]{(1;2)}}", "expected"},
		{head + "node a = A() {k=f32[2]#}", "does not include the values"},
		{head + "node a = A() -> f32[" + strings.Repeat("(a+b+c+d)*", 30) + "a]", "product of more than"},
	} {
		_, err := Parse(c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.200q: %v, want %q", c.text, err, c.want)
		}
	}
}

// TestOddValues: extreme values and missing outputs are printed in a form that Parse accepts.
func TestOddValues(t *testing.T) {
	const head = "graph \"g\" producer=0\n"
	for _, line := range []string{
		"node a = A(none)", "node none = A(none, none:0) -> f32[]", "node a = A() {k=f64[4]{nan, -inf, inf, nan(0x7ff8000000000002)}}", "node a = A() {k=f32[2]{-inf, nan(0x7fc00001)}}",
		"node a = A() {k=f16[2]{nan, -inf}, l=bf16[1]{nan(0xffc1)}}", "node a = A() {k=resource[]{}}", "node a = A() {k=-inf, l=inf, m=nan(0xffc00000)}", "node a = A() -> i64[] = {-9223372036854775808}",
		"node a = A() {k=bool[3]{true...}}", "node a = A() {k=c128[1]{(nan,-inf)}}", "node a = A() {k=invalid}",
	} {
		g, err := Parse(head + line + "\n")
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if got := g.Text(PrintOptions{}); got != head+line+"\n" {
			t.Errorf("%s is printed\n%s", line, got)
		}
	}
	if o := (Out{}); o.String() != "<none>" {
		t.Errorf("no tensor prints as %s", o)
	}
}

func FuzzParse(f *testing.F) {
	data, err := os.ReadFile("testdata/everything.txt")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(data))
	for _, l := range strings.Split(string(data), "\n") {
		f.Add("graph \"g\" producer=1\n" + l)
	}
	f.Fuzz(func(t *testing.T, text string) {
		g, err := Parse(text)
		if err != nil {
			return
		}
		_ = Check(g)
		once := g.Text(PrintOptions{Origins: true})
		h, err := Parse(once)
		if err != nil {
			t.Fatalf("%v\n%s", err, once)
		}
		if again := h.Text(PrintOptions{Origins: true}); again != once {
			t.Fatalf("printed:\n%s\nagain:\n%s", once, again)
		}
	})
}
