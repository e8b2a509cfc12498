package frontend

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// callNode returns the text of a PartitionedCall node that calls f with the float x.
func callNode(name, f string) string {
	return node(name, "PartitionedCall", `input: "x" attr { key: "Tin" value { list { type: DT_FLOAT } } } attr { key: "Tout" value { list { type: DT_FLOAT } } } attr { key: "f" value { func { `+f+` } } }`)
}

func libraryText(fs ...string) string { return "library { " + strings.Join(fs, " ") + " } " }

func fnText(name, body string) string {
	return `function { signature { name: "` + name + `" input_arg { name: "a" type: DT_FLOAT } output_arg { name: "r" type: DT_FLOAT } } ` + body + ` } `
}

func nodeDef(name, op, rest string) string {
	return `node_def { name: "` + name + `" op: "` + op + `" ` + rest + ` } `
}

// TestFunctionBody: in a function's body, inputs refer to results by names such as s:output:2. Load
// converts these names to output numbers.
func TestFunctionBody(t *testing.T) {
	m, err := loadText(t, Options{}, textX+callNode("y", `name: "f"`)+libraryText(fnText("f",
		nodeDef("axis", "Const", `attr { key: "dtype" value { type: DT_INT32 } } attr { key: "value" value { tensor { dtype: DT_INT32 } } }`)+
			nodeDef("s", "Split", `input: "axis:output:0" input: "a" attr { key: "num_split" value { i: 3 } } `+isFloat)+
			nodeDef("all", "AddN", `input: "s:output" input: "^axis" attr { key: "N" value { i: 3 } } `+isFloat)+
			nodeDef("two", "Mul", `input: "s:output:2" input: "all:sum:0" `+isFloat)+
			nodeDef("b", "Unique", `input: "two:z:0" `+isFloat)+
			nodeDef("c", "Cast", `input: "b:idx:0" attr { key: "SrcT" value { type: DT_INT32 } } attr { key: "DstT" value { type: DT_FLOAT } }`)+
			`ret { key: "r" value: "c:y:0" } control_ret { key: "done" value: "all" } attr { key: "_noinline" value { b: true } }`)))
	if err != nil {
		t.Fatal(err)
	}
	f := m.Graph.Library.Functions["f"]
	body := f.Body
	for in, want := range map[string]string{"s": "axis:0 a:0", "all": "s:0 s:1 s:2", "two": "s:2 all:0", "c": "b:1", "r_RetVal": "c:0"} {
		var got []string
		for _, o := range body.Node(in).Ins {
			got = append(got, o.String())
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s reads %v, want %s", in, got, want)
		}
	}
	if n := body.Node("all"); len(n.Controls) != 1 || n.Controls[0].Name != "axis" {
		t.Errorf("controls of all: %v", n.Controls)
	}
	if a := body.Node("a"); a.Op != "_Arg" || a.Int("index") != 0 || a.DType("T") != tensor.Float32 || a.Outs[0].DType != tensor.Float32 {
		t.Errorf("argument: %+v", a)
	}
	if len(f.Args) != 1 || f.Args[0].Name != "a" || len(f.Rets) != 1 || f.Rets[0].DType != tensor.Float32 {
		t.Errorf("args %v, rets %v", f.Args, f.Rets)
	}
	if len(f.Controls) != 1 || f.Controls[0] != (ir.ControlRet{Name: "done", Node: "all"}) {
		t.Errorf("control outputs: %v", f.Controls)
	}
	if f.Attrs["_noinline"] != true || body.Library != m.Graph.Library {
		t.Errorf("attributes %v", f.Attrs)
	}
	if err := m.CheckReached(m.Graph.Nodes); err != nil {
		t.Error(err)
	}
}

// TestInstances: a function with attributes is instantiated once for each set of attribute values.
func TestInstances(t *testing.T) {
	poly := `function { signature { name: "f" input_arg { name: "a" type_attr: "T" number_attr: "N" } output_arg { name: "r" type_attr: "T" }
		attr { name: "T" type: "type" } attr { name: "N" type: "int" has_minimum: true minimum: 1 } }
		node_def { name: "s" op: "AddN" input: "a" attr { key: "T" value { placeholder: "T" } } attr { key: "N" value { placeholder: "N" } } }
		node_def { name: "first" op: "AddV2" input: "a:0" input: "s:sum:0" attr { key: "T" value { placeholder: "T" } } }
		ret { key: "r" value: "first:z:0" } } `
	asOp := func(name, n, in string) string {
		return node(name, "f", in+isFloat+`attr { key: "N" value { i: `+n+` } }`)
	}
	m, err := loadText(t, Options{}, textX+textI+asOp("two", "2", `input: "x" input: "x" `)+asOp("three", "3", `input: "x" input: "x" input: "x" `)+asOp("again", "2", `input: "x" input: "two" `)+
		callNode("c", `name: "f" attr { key: "T" value { type: DT_FLOAT } } attr { key: "N" value { i: 1 } }`)+libraryText(poly))
	if err != nil {
		t.Fatal(err)
	}
	lib := m.Graph.Library.Functions
	if len(lib) != 3 || len(m.Broken) != 0 {
		t.Fatalf("%d functions, broken: %v", len(lib), m.Broken)
	}
	two, three := m.Graph.Node("two"), m.Graph.Node("three")
	if two.Op != m.Graph.Node("again").Op || two.Op == three.Op || len(two.Outs) != 1 {
		t.Errorf("instances %q and %q", two.Op, three.Op)
	}
	f := lib[three.Op]
	if len(f.Args) != 3 || f.Args[2].Name != "a_2" || len(f.Body.Node("s").Ins) != 3 || f.Body.Node("s").DType("T") != tensor.Float32 {
		t.Errorf("instance of three: %+v", f)
	}
	if got := m.Graph.Node("c").Attrs["f"].(ir.Func); lib[got.Name] == nil || len(lib[got.Name].Args) != 1 || got.Attrs != nil {
		t.Errorf("called through an attribute: %+v", got)
	}
	if err := m.CheckReached(m.Graph.Nodes); err != nil {
		t.Error(err)
	}
	for says, call := range map[string]string{
		`attribute "N" is missing`:        node("y", "f", `input: "x" `+isFloat),
		"at least 1 is accepted":          asOp("y", "0", ""),
		"which the call does not have":    callNode("y", `name: "f" attr { key: "T" value { type: DT_FLOAT } }`),
		"as int, but the call has bool":   callNode("y", `name: "f" attr { key: "T" value { type: DT_FLOAT } } attr { key: "N" value { b: true } }`),
		"take 2: (f32, f32)":              asOp("y", "2", `input: "x" `),
		"input 0 is i32 from i:0 (Placeh": asOp("y", "1", `input: "i" `),
	} {
		if _, err := loadText(t, Options{}, textX+textI+call+libraryText(poly)); tensor.CodeOf(err) != tensor.InvalidArgument || !strings.Contains(err.Error(), says) {
			t.Errorf("%q expected: %v", says, err)
		}
	}
}

// TestBrokenFunctions: errors in a function are reported only if the function is called.
func TestBrokenFunctions(t *testing.T) {
	ret := `ret { key: "r" value: "a" } `
	for _, c := range []struct {
		name, fs string
		code     tensor.Code
		says     string
	}{
		{"sound", fnText("f", ret), tensor.OK, ""},
		{"missing", fnText("g", ret), tensor.InvalidArgument, `function "f" is not in the library; did you mean "g"?`},
		{"unknown op", fnText("f", nodeDef("n", "NoSuchThing", "")+ret), tensor.NotFound, `function "f": node "n" (NoSuchThing): NotFound`},
		{"deeper", fnText("f", ret+nodeDef("n", "g", `input: "a"`)) + fnText("g", nodeDef("n", "NoSuchThing", "")+ret), tensor.NotFound, `function "g"`},
		{"no result", fnText("f", ""), tensor.InvalidArgument, `result "r" has no value`},
		{"result of an unknown node", fnText("f", `ret { key: "r" value: "q:z:0" } `), tensor.InvalidArgument, `result "r" is "q:z:0"`},
		{"undeclared result", fnText("f", ret+`ret { key: "q" value: "a" } `), tensor.InvalidArgument, `result "q", which is not declared`},
		{"result of another type", fnText("f", nodeDef("s", "Shape", `input: "a" `+isFloat)+`ret { key: "r" value: "s:output:0" } `), tensor.InvalidArgument, `is declared f32; s:0 is i32`},
		{"dangling input", fnText("f", nodeDef("n", "Relu", `input: "q:y:0" `+isFloat)+ret), tensor.InvalidArgument, `"q:y:0", names no argument`},
		{"result's name", fnText("f", nodeDef("m", "Relu", `input: "a" `+isFloat)+nodeDef("n", "Relu", `input: "m:y:0" `+isFloat)+ret), tensor.InvalidArgument, `"m:y:0"`},
		{"dangling control", fnText("f", nodeDef("n", "NoOp", `input: "^q"`)+ret), tensor.InvalidArgument, `control input "^q"`},
		{"duplicate node", fnText("f", nodeDef("n", "NoOp", "")+nodeDef("n", "NoOp", "")+ret), tensor.InvalidArgument, "another node"},
		{"cycle", fnText("f", nodeDef("n", "Relu", `input: "n:activations:0" `+isFloat)+ret), tensor.InvalidArgument, "cycle"},
		{"itself", fnText("f", nodeDef("n", "f", `input: "a"`)+ret), tensor.InvalidArgument, "calls itself"},
		{"each other", fnText("f", nodeDef("n", "g", `input: "a"`)+ret) + fnText("g", nodeDef("n", "f", `input: "a"`)+ret), tensor.InvalidArgument, "calls itself"},
		{"other argument", `function { signature { name: "f" input_arg { name: "a" type: DT_INT32 } output_arg { name: "r" type: DT_INT32 } } ` + ret + `}`, tensor.InvalidArgument, `takes i32 as number 0 (a), the call has f32`},
		{"more arguments", `function { signature { name: "f" input_arg { name: "a" type: DT_FLOAT } input_arg { name: "b" type: DT_FLOAT } output_arg { name: "r" type: DT_FLOAT } } ` + ret + `}`, tensor.InvalidArgument, `takes 2 tensors, the call has 1`},
		{"control output", fnText("f", ret+`control_ret { key: "c" value: "q" }`), tensor.InvalidArgument, `control output "c" is "q"`},
		{"node's name", fnText("f", nodeDef("a b", "NoOp", "")+ret), tensor.InvalidArgument, `the name "a b" is not accepted`},
		{"argument's name for a node", fnText("f", nodeDef("a", "Relu", `input: "a" `+isFloat)+`ret { key: "r" value: "a:activations:0" } `), tensor.OK, ""},
		{"data after control", fnText("f", nodeDef("m", "NoOp", "")+nodeDef("n", "Relu", `input: "^m" input: "a" `+isFloat)+ret), tensor.InvalidArgument, `data input "a" follows a control input`},
		{"control input from an argument", fnText("f", nodeDef("n", "Relu", `input: "a" input: "^a" `+isFloat)+ret), tensor.OK, ""},
		{"reader of a broken node", fnText("f", nodeDef("n", "NoSuchThing", "")+nodeDef("m", "Relu", `input: "n:y:0" `+isFloat)+ret), tensor.NotFound, `node "n" (NoSuchThing)`},
		{"too many inputs", fnText("f", nodeDef("n", "Relu", `input: "a" input: "a" `+isFloat)+ret), tensor.InvalidArgument, "more inputs than the op and its attributes take: 1, (f32)"},
		{"too few inputs", fnText("f", nodeDef("n", "AddV2", `input: "a" `+isFloat)+ret), tensor.InvalidArgument, "it has 1 inputs; the op and its attributes take 2"},
		{"several tensors for one result", fnText("f", nodeDef("n", "Unpack", `input: "a" attr { key: "num" value { i: 2 } } `+isFloat)+`ret { key: "r" value: "n:output" } `), tensor.InvalidArgument, `result "r" takes 1 tensors; "n:output" is 2`},
		{"one tensor of several as result", fnText("f", nodeDef("n", "Unpack", `input: "a" attr { key: "num" value { i: 2 } } `+isFloat)+`ret { key: "r" value: "n:output:1" } `), tensor.OK, ""},
		{"type of an attribute not there", `function { signature { name: "f" input_arg { name: "a" type: DT_FLOAT } output_arg { name: "r" type_attr: "Q" } } ` + ret + `}`, tensor.InvalidArgument, `argument "r" depends on attribute "Q", which is not a type`},
		{"list of an attribute not there", `function { signature { name: "f" input_arg { name: "a" type_list_attr: "Q" } } }`, tensor.InvalidArgument, `argument "a" depends on attribute "Q", which is not a list of types`},
		{"number of an attribute not there", `function { signature { name: "f" input_arg { name: "a" type: DT_FLOAT number_attr: "Q" } } }`, tensor.InvalidArgument, `argument "a" depends on attribute "Q", which is not a number`},
		{"shape behind a handle", `function { signature { name: "f" input_arg { name: "a" type: DT_RESOURCE handle_data { dtype: DT_FLOAT shape { dim { size: -7 } } } } } }`, tensor.InvalidArgument, "dimension -7"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := loadText(t, Options{}, textX+callNode("y", `name: "f"`)+libraryText(c.fs))
			if err != nil {
				t.Fatal(err)
			}
			if err := m.CheckReached(m.Graph.Nodes[:1]); err != nil {
				t.Errorf("not reached: %v", err)
			}
			err = m.CheckReached(m.Graph.Nodes)
			if got := tensor.CodeOf(err); got != c.code || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, %q expected, got %v", c.code, c.says, err)
			}
		})
	}
}

// TestCallsOfOps: a call may name an op of TensorFlow instead of a function; such a call is not
// checked further. A function that is a loop's condition must return one tensor and accept the
// loop's variables.
func TestCallsOfOps(t *testing.T) {
	pass := `attr { key: "T" value { list { type: DT_FLOAT } } } `
	while := func(cond string) string {
		return textX + node("y", "While", `input: "x" `+pass+`attr { key: "cond" value { func { name: "`+cond+`" } } } attr { key: "body" value { func { name: "b" } } }`) + libraryText(
			fnText("b", `ret { key: "r" value: "a" } `), fnText("one", `ret { key: "r" value: "a" } `),
			`function { signature { name: "two" input_arg { name: "a" type: DT_FLOAT } output_arg { name: "r" type: DT_FLOAT } output_arg { name: "q" type: DT_FLOAT } } ret { key: "r" value: "a" } ret { key: "q" value: "a" } } `,
			`function { signature { name: "int" input_arg { name: "a" type: DT_INT32 } } }`)
	}
	for says, graph := range map[string]string{
		"": textX + callNode("y", `name: "Relu"`),
		`function "two" returns 2 tensors; a condition is one`:   while("two"),
		`function "int" takes i32 as number 0 (a), the call has`: while("int"),
		`function "on" is not in the library; did you mean`:      while("on"),
	} {
		m, err := loadText(t, Options{}, graph)
		if err == nil {
			err = m.CheckReached(m.Graph.Nodes)
		}
		if (err == nil) != (says == "") || err != nil && (tensor.CodeOf(err) != tensor.InvalidArgument || !strings.Contains(err.Error(), says)) {
			t.Errorf("%q expected: %v", says, err)
		}
	}
}

// TestInstanceForEachValue: a function is instantiated once for each value of an attribute of any
// kind.
func TestInstanceForEachValue(t *testing.T) {
	strs := func(l ...string) string {
		return `tensor { dtype: DT_STRING tensor_shape { dim { size: 2 } } string_val: "` + strings.Join(l, `" string_val: "`) + `" }`
	}
	graph := func(kind string, calls ...string) string {
		g := textX
		for i, v := range calls {
			g += node("c"+string(rune('a'+i)), "f", `input: "x" attr { key: "A" value { `+v+` } }`)
		}
		return g + libraryText(`function { signature { name: "f" input_arg { name: "a" type: DT_FLOAT } output_arg { name: "r" type: DT_FLOAT } attr { name: "A" `+kind+` } } ret { key: "r" value: "a" } } `)
	}
	long := strings.Repeat("a", 200)
	for kind, c := range map[string][2]string{
		"string":       {`s: "a"`, `s: "a,A=b"`},
		"int":          {`i: 1`, `i: 2`},
		"shape":        {`shape { }`, `shape { unknown_rank: true }`},
		"list(string)": {`list { s: ["a b"] }`, `list { s: ["a", "b"] }`},
		"list(float)":  {`list { f: [1, 2] }`, `list { f: [1, 2, 0] }`},
		"tensor":       {strs("a b", "c"), strs("a", "b c")},
		"list(tensor)": {`list { ` + strs("a b", "c") + ` }`, `list { ` + strs("a", "b c") + ` }`},
		"func":         {`func { name: "g" attr { key: "T" value { type: DT_FLOAT } } }`, `func { name: "g" attr { key: "T" value { type: DT_HALF } } }`},
		"list(func)":   {`list { func { name: "g" } func { name: "h" } }`, `list { func { name: "gh" } }`},
		"list(shape)":  {`list { shape { dim { size: 1 } } shape { } }`, `list { shape { } shape { dim { size: 1 } } }`},
		"string ":      {`s: "` + long + `"`, `s: "` + long + `b"`},
	} {
		m, err := loadText(t, Options{}, graph(`type: "`+strings.TrimSpace(kind)+`"`, c[0], c[1], c[0]))
		if err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		a, b, again := m.Graph.Node("ca").Op, m.Graph.Node("cb").Op, m.Graph.Node("cc").Op
		if a == b || a != again || len(m.Graph.Library.Functions) != 2 || len(a) > 120 {
			t.Errorf("%s: instances %.150q %.150q %.150q", kind, a, b, again)
		}
	}

	for _, c := range []struct {
		kind, value string
		code        tensor.Code
		says        string
	}{
		{`type: "type" allowed_values { list { type: DT_FLOAT type: DT_HALF } }`, `type: DT_HALF`, tensor.OK, ""},
		{`type: "type" allowed_values { list { type: DT_FLOAT type: DT_HALF } }`, `type: DT_INT32`, tensor.InvalidArgument, "type i32 is not accepted; f32, f16 are"},
		{`type: "list(string)" allowed_values { list { s: "a" s: "b" } }`, `list { s: "b" s: "` + long + `" }`, tensor.InvalidArgument, `" is not accepted; ["a" "b"] are`},
		{`type: "list(string)" has_minimum: true minimum: 2`, `list { s: "b" }`, tensor.InvalidArgument, "its length is 1; at least 2"},
		{`type: "list(bool)" has_minimum: true minimum: 2`, `list { b: true }`, tensor.InvalidArgument, "its length is 1; at least 2"},
		{`type: "list(tensor)" has_minimum: true minimum: 2`, `list { tensor { dtype: DT_FLOAT } }`, tensor.InvalidArgument, "its length is 1; at least 2"},
		{`type: "list(shape)" has_minimum: true minimum: 2`, `list { shape { } shape { } }`, tensor.OK, ""},
		{`type: "string"`, `s: "` + strings.Repeat("a", maxInstanceKey+1) + `"`, tensor.ResourceExhausted, "are too long"},
		{`type: "tensor"`, `tensor { dtype: DT_FLOAT tensor_shape { dim { size: 100000000 } } float_val: 1 }`, tensor.ResourceExhausted, "are too long"},
		{`type: "int" default_value { s: "a" }`, `i: 1`, tensor.InvalidArgument, `the default of attribute "A": its value is a string; a int is accepted`},
	} {
		if _, err := loadText(t, Options{}, graph(c.kind, c.value)); tensor.CodeOf(err) != c.code || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %q expected, got %.300v", c.kind, c.says, err)
		}
	}
	// A call may omit attributes that have defaults in the function's definition. The call may also
	// be in the body of another function.
	m, err := loadText(t, Options{}, textX+callNode("y", `name: "g"`)+libraryText(
		`function { signature { name: "f" input_arg { name: "a" type: DT_FLOAT } output_arg { name: "r" type: DT_FLOAT } attr { name: "A" type: "int" default_value { i: 7 } } } ret { key: "r" value: "a" } } `,
		fnText("g", nodeDef("n", "PartitionedCall", `input: "a" attr { key: "Tin" value { list { type: DT_FLOAT } } } attr { key: "Tout" value { list { type: DT_FLOAT } } } attr { key: "f" value { func { name: "f" } } }`)+`ret { key: "r" value: "n:output:0" } `)))
	if err != nil || m.Graph.Library.Functions["f[A=7]"] == nil || m.CheckReached(m.Graph.Nodes) != nil {
		t.Errorf("a default: %v, %v", m.Graph.Library.Functions, err)
	}
	// A node's type attribute refers to an attribute of its function that is a string. Load accepts
	// this.
	_, err = loadText(t, Options{}, textX+node("y", "h", `input: "x" attr { key: "B" value { s: "s" } }`)+libraryText(
		`function { signature { name: "h" input_arg { name: "a" type: DT_FLOAT } output_arg { name: "r" type: DT_FLOAT } attr { name: "B" type: "string" } } `+
			nodeDef("n", "Relu", `input: "a" attr { key: "T" value { placeholder: "B" } }`)+`ret { key: "r" value: "n:activations:0" } } `))
	if err != nil {
		t.Fatal(err)
	}
}

// TestFunctionLimits checks that a small file with definitions and calls of functions cannot make
// Load use much memory or time.
func TestFunctionLimits(t *testing.T) {
	poly := libraryText(`function { signature { name: "f" attr { name: "A" type: "int" } } ` + nodeDef("m", "NoOp", "") + nodeDef("n", "NoOp", "") + `} `)
	calls := func(n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(node("c"+strconv.Itoa(i), "f", `attr { key: "A" value { i: `+strconv.Itoa(i)+` } }`))
		}
		return b.String()
	}
	if _, err := loadText(t, Options{}, calls(maxInstances+9)+poly); tensor.CodeOf(err) != tensor.ResourceExhausted || !strings.Contains(err.Error(), "more than 10000 instances") {
		t.Errorf("too many instances: %.200v", err)
	}
	m, err := loadText(t, Options{Limits: ir.Limits{Nodes: 5}}, calls(3)+poly)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.CheckReached(m.Graph.Nodes); tensor.CodeOf(err) != tensor.ResourceExhausted || !strings.Contains(err.Error(), "the functions have more than 5 nodes") || len(m.Broken) != 1 {
		t.Errorf("6 nodes in 3 instances: %v", err)
	}
	if _, err := loadText(t, Options{Deadline: ir.In(context.Background(), 0)}, libraryText(fnText("f", `ret { key: "r" value: "a" } `))); tensor.CodeOf(err) != tensor.ResourceExhausted || !strings.Contains(err.Error(), "takes longer") {
		t.Errorf("no time: %v", err)
	}
}

// TestListParameters: an argument or result that consists of several tensors has a name for each
// tensor.
func TestListParameters(t *testing.T) {
	m, err := loadText(t, Options{}, textX+node("y", "f", `input: "x" input: "x" attr { key: "N" value { i: 2 } }`)+libraryText(
		`function { signature { name: "f" input_arg { name: "a" type: DT_FLOAT number_attr: "N" } output_arg { name: "r" type: DT_FLOAT number_attr: "N" } attr { name: "N" type: "int" } } `+
			nodeDef("a_0", "Relu", `input: "a:1" `+isFloat)+`ret { key: "r" value: "a" } } `))
	if err != nil {
		t.Fatal(err)
	}
	f := m.Graph.Library.Functions[m.Graph.Node("y").Op]
	if f == nil || len(f.Args) != 2 || f.Args[1].Name != "a_1" || len(f.Rets) != 2 || f.Rets[0].Name != "r_0" || f.Rets[1].Name != "r_1" {
		t.Fatalf("%+v", f)
	}
	if in := f.Body.Node("a_0").Ins[0].Node; in.Name != "a_1" || f.Body.Node("a_0_1").Op != "_Arg" {
		t.Errorf("a_0 reads %v", in.Name)
	}
	_, err = loadText(t, Options{}, textX+node("y", "f", `attr { key: "N" value { i: 40000 } }`)+libraryText(
		`function { signature { name: "f" input_arg { name: "a" type: DT_FLOAT number_attr: "N" } input_arg { name: "b" type: DT_FLOAT number_attr: "N" } attr { name: "N" type: "int" } } } `))
	if tensor.CodeOf(err) != tensor.InvalidArgument || !strings.Contains(err.Error(), "more than 65536 inputs or outputs") {
		t.Errorf("80000 arguments: %v", err)
	}
}

// TestUnreachedCalls: a PartitionedCall of a missing function is rejected even if no fetch needs
// it. A call of a broken function, and any call by an op other than PartitionedCall and
// StatefulPartitionedCall, is rejected only if a fetch needs it.
func TestUnreachedCalls(t *testing.T) {
	ret := `ret { key: "r" value: "a" } `
	for _, c := range []struct {
		fs, op string
		code   tensor.Code
	}{
		{fnText("f", ret), "PartitionedCall", tensor.OK},
		{fnText("f", ""), "PartitionedCall", tensor.OK},
		{fnText("g", ret), "PartitionedCall", tensor.InvalidArgument},
		{fnText("g", ret), "StatefulPartitionedCall", tensor.InvalidArgument},
		{fnText("g", ret), "RemoteCall", tensor.OK},
	} {
		text := textX + strings.Replace(callNode("y", `name: "f"`), "PartitionedCall", c.op, 1)
		if c.op == "RemoteCall" {
			text = strings.Replace(text, `input: "x"`, `input: "d" input: "x"`, 1) +
				`node { name: "d" op: "Const" attr { key: "dtype" value { type: DT_STRING } } attr { key: "value" value { tensor { dtype: DT_STRING tensor_shape {} string_val: "" } } } } `
		}
		m, err := loadText(t, Options{}, text+libraryText(c.fs))
		if err != nil {
			t.Fatal(c.op, err)
		}
		g := m.Graph.Clone()
		g.Fetches = []ir.Fetch{{Name: "x:0", Out: ir.Out{Node: g.Node("x")}}}
		if err := m.Check(g); tensor.CodeOf(err) != c.code {
			t.Errorf("%s of %q: %v", c.op, c.fs, err)
		}
	}
}

func TestLibraryErrors(t *testing.T) {
	ret := `ret { key: "r" value: "a" } `
	for says, lib := range map[string]string{
		"another function has this name":         libraryText(fnText("f", ret), fnText("f", nodeDef("n", "NoOp", "")+ret)),
		"an op has the name":                     libraryText(fnText("Relu", ret)),
		"has no name":                            libraryText(fnText("", ret)),
		"but it is not in the library":           libraryText(fnText("f", ret), `gradient { function_name: "q" gradient_func: "f" }`),
		`its gradient "q" is not in the library`: libraryText(fnText("f", ret), `gradient { function_name: "f" gradient_func: "q" }`),
		"it has two gradients":                   libraryText(fnText("f", ret), fnText("g", ret), `gradient { function_name: "f" gradient_func: "f" } gradient { function_name: "f" gradient_func: "g" }`),
		"two arguments are named":                libraryText(`function { signature { name: "f" input_arg { name: "a" type: DT_FLOAT } input_arg { name: "a" type: DT_FLOAT } } }`),
		`argument "r" has no type`:               libraryText(`function { signature { name: "f" output_arg { name: "r" } } }`),
		"has no type":                            libraryText(`function { signature { name: "f" input_arg { name: "a" } } }`),
	} {
		if _, err := loadText(t, Options{}, lib); tensor.CodeOf(err) != tensor.InvalidArgument || !strings.Contains(err.Error(), says) {
			t.Errorf("%q expected: %v", says, err)
		}
	}
	m, err := loadText(t, Options{}, libraryText(fnText("f", ret), fnText("f", ret), `gradient { function_name: "f" gradient_func: "f" }`))
	if err != nil || m.Graph.Library.Gradients["f"] != "f" {
		t.Errorf("the same function twice: %v", err)
	}
}
