package pipeline

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// def returns a GraphDef in text form. A line describes a node by its name, op, inputs and
// attributes, as in "y AddV2 x b ^c T=f32 _class=[loc:@x]". The value of an attribute is a type, a
// shape [2,?], a list [loc:@…], "text", a function &f, true, false, an integer, or the numbers of a
// Const, such as f32:1,2 or i32:3. "@/device:GPU:0" is the node's device. A line in braces is a
// function of the library in text form.
func def(t *testing.T, lines string) string {
	t.Helper()
	var b strings.Builder
	for line := range strings.Lines(lines) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if line[0] == '{' {
			fmt.Fprintf(&b, "library { function %s }\n", line)
			continue
		}
		words := strings.Fields(line)
		fmt.Fprintf(&b, "node { name: %q op: %q", words[0], words[1])
		for _, w := range words[2:] {
			k, v, ok := strings.Cut(w, "=")
			switch {
			case w[0] == '@':
				fmt.Fprintf(&b, " device: %q", w[1:])
			case !ok:
				fmt.Fprintf(&b, " input: %q", w)
			default:
				fmt.Fprintf(&b, " attr { key: %q value { %s } }", k, attrText(t, v))
			}
		}
		b.WriteString(" }\n")
	}
	return b.String() + "versions { producer: 1882 }\n"
}

var typeNames = map[string]string{"f32": "DT_FLOAT", "i32": "DT_INT32", "bool": "DT_BOOL", "str": "DT_STRING"}

func attrText(t *testing.T, v string) string {
	kind, numbers, isConst := strings.Cut(v, ":")
	switch {
	case typeNames[v] != "":
		return "type: " + typeNames[v]
	case isConst && typeNames[kind] != "":
		n := strings.Split(numbers, ",")
		field := map[string]string{"f32": "float_val", "i32": "int_val", "bool": "bool_val"}[kind]
		dims := fmt.Sprintf("dim { size: %d }", len(n))
		if len(n) == 1 {
			dims = ""
		}
		return fmt.Sprintf("tensor { dtype: %s tensor_shape { %s } %s: [%s] }", typeNames[kind], dims, field, numbers)
	case kind == "list":
		return "list { type: " + typeNames[numbers] + " }"
	case strings.HasPrefix(v, "[loc:@"):
		return fmt.Sprintf("list { s: %q }", strings.Trim(v, "[]"))
	case v[0] == '[':
		s := "shape { "
		for _, d := range strings.Split(strings.Trim(v, "[]"), ",") {
			if d != "" {
				s += "dim { size: " + strings.ReplaceAll(d, "?", "-1") + " } "
			}
		}
		return s + "}"
	case v[0] == '"':
		return "s: " + v
	case v[0] == '&':
		return fmt.Sprintf("func { name: %q }", v[1:])
	case v == "true" || v == "false":
		return "b: " + v
	case v[0] >= '0' && v[0] <= '9':
		return "i: " + v
	}
	t.Fatalf("what attribute is %q", v)
	return ""
}

// behaviour is a test of one behaviour that shared/session/behaviours.json describes. It has the
// graphs to merge, and either the results of the last call or the code of the compile error.
type behaviour struct {
	name   string
	graphs []string
	o      Options
	feeds  map[string][]float32 // feeds of each call, as vectors
	calls  []string             // names of the signatures to call, in this order; nil means the first signature
	want   []string             // fetches of the last call, such as "y:0 [1 2]"
	code   tensor.Code
	say    []string // in the error
}

const (
	xPlus1 = "x Placeholder dtype=f32 shape=[2]\none Const dtype=f32 value=f32:1\na AddV2 x one T=f32\n"
	bThenY = "b Const dtype=f32 value=f32:5,6\ny Neg b T=f32\nten Const dtype=f32 value=f32:10\nz Mul y ten T=f32\nz2 Neg z T=f32\n"
	splits = "v Const dtype=f32 value=f32:1,2,3,4\naxis Const dtype=i32 value=i32:0\ns Split axis v T=f32 num_split=2\nw Neg s:1 T=f32\n"
	varV   = "v VariableV2 dtype=f32 shape=[2] container=\"\" shared_name=\"\"\nnew Const dtype=f32 value=f32:1,2\n" +
		"set Assign v new T=f32 use_locking=true validate_shape=true _class=[loc:@v]\nread Identity v T=f32\n"
)

func two(feeds, fetches string, connect ...string) Options {
	list := func(s string) []string { return strings.Fields(s) }
	return Options{Feeds: list(feeds), Fetches: list(fetches), Connect: connect}
}

var x12 = map[string][]float32{"x:0": {1, 2}}

var behaviours = []behaviour{
	{name: "fetch_placeholder_unfed", graphs: []string{xPlus1}, o: two("", "a"), code: tensor.InvalidArgument, say: []string{`"x"`, "f32", "[2]", "must be fed"}},
	{name: "placeholder_not_needed", graphs: []string{xPlus1 + bThenY}, o: two("", "z"), want: []string{"z:0 [-50 -60]"}},
	{name: "duplicate_feed", graphs: []string{xPlus1}, o: two("x x:0", "a"), code: tensor.InvalidArgument, say: []string{"x:0 is fed more than once"}},
	{name: "duplicate_feed", graphs: []string{xPlus1}, o: two("a one a:0", "a"), code: tensor.InvalidArgument, say: []string{"a:0 is fed more than once"}},

	{name: "feed_twice_by_connection", graphs: []string{xPlus1 + bThenY}, o: two("x y", "z", "a:0=y:0"), code: tensor.InvalidArgument, say: []string{"y:0 is fed more than once"}},
	{name: "feed_twice_by_connection", graphs: []string{xPlus1 + bThenY}, o: two("x", "z", "a:0=y:0", "b:0=y"), code: tensor.InvalidArgument, say: []string{"y:0 is fed more than once"}},
	{name: "tensor_connection", graphs: []string{xPlus1 + bThenY}, o: two("x", "z", "a:0=y:0"), feeds: x12, want: []string{"z:0 [20 30]"}},
	{name: "tensor_connection", graphs: []string{xPlus1 + bThenY}, o: two("x", "z a", "a=y"), feeds: x12, want: []string{"z:0 [20 30]", "a:0 [2 3]"}},
	{name: "tensor_connection", graphs: []string{xPlus1 + splits}, o: two("x", "w s:0", "a:0=s:1"), feeds: x12, want: []string{"w:0 [-2 -3]", "s:0 [1 2]"}},
	{name: "tensor_connection", graphs: []string{xPlus1 + bThenY}, o: two("x", "z2", "a:0=y:0", "y:0=z:0"), feeds: x12, want: []string{"z2:0 [5 6]"}},
	{name: "tensor_connection", graphs: []string{xPlus1 + bThenY}, o: two("x", "z2", "y:0=z:0", "a:0=y:0"), feeds: x12, want: []string{"z2:0 [-2 -3]"}},
	{name: "tensor_connection", graphs: []string{xPlus1 + "p Placeholder dtype=f32 shape=[2]\nq Neg p T=f32\nr Neg one ^p T=f32\n"}, o: two("x", "q r", "a=p"), feeds: x12, want: []string{"q:0 [-2 -3]", "r:0 [-1]"}},
	{name: "tensor_connection", graphs: []string{xPlus1 + bThenY}, o: two("a", "z", "a:0=y:0"), feeds: map[string][]float32{"a:0": {7, 8}}, want: []string{"z:0 [70 80]"}},
	{name: "tensor_connection", graphs: []string{xPlus1 + bThenY}, o: two("x", "z y", "a:0=y:0"), code: tensor.InvalidArgument, say: []string{"y:0", "fetched"}},
	{name: "tensor_connection", graphs: []string{xPlus1 + bThenY + "i Const dtype=i32 value=i32:1\n"}, o: two("", "z", "i=y"), code: tensor.InvalidArgument, say: []string{"i32", "f32"}},
	{name: "tensor_connection", graphs: []string{xPlus1 + bThenY}, o: two("x", "z", "a:0"), code: tensor.InvalidArgument, say: []string{"FROM=TO"}},
	// The node y adds tensors whose shapes do not fit. The connection a=y replaces the output of y
	// by that of a. Therefore y is not run, and its shapes must not be checked.
	{name: "tensor_connection", graphs: []string{xPlus1 + "bad Const dtype=f32 value=f32:1,2,3\ny AddV2 bad x T=f32\nz Neg y T=f32\n"}, o: two("x", "z", "a=y"), feeds: x12, want: []string{"z:0 [-2 -3]"}},
	{name: "tensor_connection_cycle", graphs: []string{xPlus1 + bThenY}, o: two("", "z", "z:0=y:0"), code: tensor.InvalidArgument, say: []string{"z:0=y:0", "cycle"}},
	{name: "tensor_connection_cycle", graphs: []string{xPlus1 + bThenY}, o: two("", "z", "y:0=y:0"), code: tensor.InvalidArgument, say: []string{"cycle"}},
	{name: "tensor_connection_cycle", graphs: []string{xPlus1 + bThenY}, o: two("", "z", "z2:0=b:0"), code: tensor.InvalidArgument, say: []string{"cycle"}},
	{name: "tensor_connection_cycle", graphs: []string{xPlus1 + bThenY + "cc Neg ten ^y T=f32\n"}, o: two("", "z", "cc:0=y:0"), code: tensor.InvalidArgument, say: []string{"cycle"}},
	{name: "tensor_connection_unknown", graphs: []string{bThenY}, o: two("", "z", "q:0=y:0"), code: tensor.InvalidArgument, say: []string{`no node "q"`}},
	{name: "tensor_connection_unknown", graphs: []string{bThenY}, o: two("", "z", "b:17=y:0"), code: tensor.InvalidArgument, say: []string{"b:17"}},
	{name: "tensor_connection_unknown", graphs: []string{bThenY}, o: two("", "z", "b:0=q:0"), code: tensor.NotFound, say: []string{`no node "q"`}},
	{name: "tensor_connection_unknown", graphs: []string{bThenY}, o: two("", "z", "b:0=y:17"), code: tensor.InvalidArgument, say: []string{"y:17"}},

	// The shapes [3] and [2] of p and q do not fit for a subtraction. The node m must not be run,
	// because m is fed.
	{name: "feed_intermediate", graphs: []string{"p Placeholder dtype=f32 shape=[3]\nq Placeholder dtype=f32 shape=[2]\nm Sub p q T=f32\nn Neg m T=f32\n"}, o: Options{Feeds: []string{"m"}, Fetches: []string{"n"}, Shapes: map[string]string{"m": "2"}},
		feeds: map[string][]float32{"m:0": {3, 4}}, want: []string{"n:0 [-3 -4]"}},
	{name: "feed_one_output_of_many", graphs: []string{splits}, o: two("s:1", "w s:0"), feeds: map[string][]float32{"s:1": {8, 9}}, want: []string{"w:0 [-8 -9]", "s:0 [1 2]"}},
	{name: "feed_constant", graphs: []string{bThenY}, o: two("b", "z"), feeds: map[string][]float32{"b:0": {1, 2}}, want: []string{"z:0 [-10 -20]"}},
	{name: "fetch_unknown", graphs: []string{bThenY}, o: two("", "zz"), code: tensor.InvalidArgument, say: []string{`fetch "zz:0"`, `did you mean "z"?`}},
	{name: "fetch_unknown", graphs: []string{bThenY}, o: two("", "z:1"), code: tensor.OutOfRange, say: []string{`fetch "z:1"`}},
	{name: "fetch_operation", graphs: []string{bThenY + "op NoOp ^z\n"}, o: Options{Targets: []string{"op"}}},
	{name: "fetch_operation", graphs: []string{bThenY + "op NoOp ^z\n"}, o: Options{Targets: []string{"opp"}}, code: tensor.NotFound, say: []string{`"opp"`, `did you mean "op"?`}},

	{name: "empty_graph", graphs: []string{""}, code: tensor.InvalidArgument, say: []string{"this is an empty file"}},
	{name: "empty_graph", graphs: []string{"", ""}, code: tensor.InvalidArgument, say: []string{"this is an empty file"}},
	{name: "nothing_to_do", graphs: []string{xPlus1}, o: two("x", ""), code: tensor.InvalidArgument, say: []string{"neither a fetch nor a target"}},
	{name: "nothing_to_do", graphs: []string{xPlus1}, o: Options{Calls: []Call{{Name: "c"}}}, code: tensor.InvalidArgument, say: []string{`"c"`, "neither a fetch nor a target"}},
	{name: "nothing_to_do", graphs: []string{"op NoOp\n"}, code: tensor.InvalidArgument, say: []string{"nothing"}},
	{name: "fed_variable_assign", graphs: []string{varV}, o: Options{Feeds: []string{"v"}, Targets: []string{"set"}}, code: tensor.InvalidArgument, say: []string{`"set"`, "reference"}},
	// A variable may be fed for nodes that only read it.
	{name: "fed_variable_assign", graphs: []string{varV}, o: two("v", "read"), feeds: map[string][]float32{"v:0": {3, 4}}, want: []string{"read:0 [3 4]"}},
	{name: "darth_kernel", graphs: []string{xPlus1 + "p Split axis x T=f32 num_split=3\naxis Const dtype=i32 value=i32:0\n"}, o: two("x", "p"), code: tensor.InvalidArgument, say: []string{`"p"`}},
	{name: "darth_kernel", graphs: []string{xPlus1 + "p Split axis x T=f32 num_split=3\naxis Const dtype=i32 value=i32:0\n"}, o: two("x", "a"), feeds: x12, want: []string{"a:0 [2 3]"}},
	{name: "build_error", graphs: []string{xPlus1 + "e Enter x T=f32 frame_name=\"f\"\nmix AddV2 e one T=f32\n"}, o: two("x", "mix"), code: tensor.InvalidArgument, say: []string{`"mix"`, "frame"}},
	{name: "build_error", graphs: []string{xPlus1 + "e Enter x T=f32 frame_name=\"f\"\nf Enter x T=f32 frame_name=\"g\"\nmix AddV2 e f T=f32\nout Exit mix T=f32\n"}, o: two("x", "out"), code: tensor.InvalidArgument, say: []string{`"mix"`, "frame"}},

	{name: "extend_stateless", graphs: []string{xPlus1, "n Neg a T=f32\n"}, o: Options{Calls: []Call{{Name: "old", Feeds: []string{"x"}, Fetches: []string{"a"}}, {Name: "new", Feeds: []string{"x"}, Fetches: []string{"n", "a"}}}},
		feeds: x12, calls: []string{"old", "new"}, want: []string{"n:0 [-2 -3]", "a:0 [2 3]"}},
	{name: "extend_stateful", graphs: []string{varV, "inc AssignAdd v new T=f32 use_locking=true _class=[loc:@v]\n"}, o: Options{Calls: []Call{{Name: "set", Targets: []string{"set"}}, {Name: "inc", Targets: []string{"inc"}}, {Name: "read", Fetches: []string{"read"}}}},
		calls: []string{"set", "inc", "inc", "read"}, want: []string{"read:0 [3 6]"}},
	{name: "extend_duplicate", graphs: []string{xPlus1, "a Neg x T=f32\n"}, o: two("x", "a"), code: tensor.InvalidArgument, say: []string{`"a"`, "another node has this name"}},
	{name: "extend_with_group", graphs: []string{varV, "inc AssignAdd v new T=f32 use_locking=true _class=[loc:@v] ^set\nall NoOp ^set ^inc\n"},
		o: Options{Calls: []Call{{Name: "all", Targets: []string{"all"}}, {Name: "read", Fetches: []string{"read"}}}}, calls: []string{"all", "read"}, want: []string{"read:0 [2 4]"}},
	{name: "functions_added", graphs: []string{xPlus1, negFunction("n", "Neg") + "c PartitionedCall a Tin=list:f32 Tout=list:f32 f=&n\n"}, o: two("x", "c"), feeds: x12, want: []string{"c:0 [-2 -3]"}},
	{name: "functions_added", graphs: []string{negFunction("n", "Neg") + xPlus1, negFunction("n", "Neg") + "c n a\n"}, o: two("x", "c"), feeds: x12, want: []string{"c:0 [-2 -3]"}},
	{name: "functions_added", graphs: []string{negFunction("n", "Neg") + xPlus1, negFunction("n", "Abs") + "c n a\n"}, o: two("x", "c"), code: tensor.InvalidArgument, say: []string{`"n"`}},
}

// lowered returns a graph of z = -c, where c = -x is the output of a conditional. If the parameter
// yes is true, TensorFlow lowers the conditional to Switch and Merge.
func lowered(yes bool) string {
	return xPlus1 + negFunction("n", "Neg") + "p Const dtype=bool value=bool:true\n" +
		fmt.Sprintf("c StatelessIf p x Tcond=bool Tin=list:f32 Tout=list:f32 then_branch=&n else_branch=&n _lower_using_switch_merge=%v\n", yes) + "z Neg c T=f32\n"
}

var xAndC = map[string][]float32{"x:0": {1, 2}, "c:0": {7, 8}}

var placements = []behaviour{
	{name: "place_pruned_graph", graphs: []string{xPlus1 + "far Neg one @/device:GPU:0 T=f32\n"}, o: two("x", "a"), feeds: x12, want: []string{"a:0 [2 3]"}},
	{name: "place_pruned_graph", graphs: []string{xPlus1 + "far Neg one @/device:GPU:0 T=f32\n"}, o: Options{Feeds: []string{"x"}, Fetches: []string{"a"}, NoPlacePruned: true}, code: tensor.InvalidArgument, say: []string{"far", "GPU"}},
	// Recorded with TensorFlow 2.21. If the whole graph is placed, TensorFlow lowers the
	// conditional before it knows that c is fed. The node z then reads the value that the
	// conditional computes.
	{name: "place_pruned_graph", graphs: []string{lowered(true)}, o: Options{Feeds: []string{"x", "c"}, Fetches: []string{"z", "c"}}, feeds: xAndC, want: []string{"z:0 [-7 -8]", "c:0 [7 8]"}},
	{name: "place_pruned_graph", graphs: []string{lowered(true)}, o: Options{Feeds: []string{"x", "c"}, Fetches: []string{"z", "c"}, NoPlacePruned: true}, feeds: xAndC, want: []string{"z:0 [1 2]", "c:0 [7 8]"}},
	{name: "place_pruned_graph", graphs: []string{lowered(false)}, o: Options{Feeds: []string{"x", "c"}, Fetches: []string{"z", "c"}, NoPlacePruned: true}, feeds: xAndC, want: []string{"z:0 [-7 -8]", "c:0 [7 8]"}},
	{name: "place_pruned_graph", graphs: []string{xPlus1 + "far Neg one @/device:GPU:0 T=f32\n"}, o: Options{Feeds: []string{"x"}, Fetches: []string{"a"}, NoPlacePruned: true, SoftPlacement: true}, feeds: x12, want: []string{"a:0 [2 3]"}},
	{name: "invalid_device", graphs: []string{xPlus1 + "far Neg a @/device:GPU:0 T=f32\n"}, o: two("x", "far"), code: tensor.InvalidArgument, say: []string{"far", "GPU", "/job:localhost/replica:0/task:0/device:CPU:0"}},
	{name: "invalid_device", graphs: []string{xPlus1 + "far Neg a @/device:CPU:1 T=f32\n"}, o: two("x", "far"), code: tensor.InvalidArgument, say: []string{"far", "CPU:1"}},
	{name: "invalid_device", graphs: []string{xPlus1 + "far Neg a @/device:GPU:0 T=f32\n"}, o: Options{Feeds: []string{"x"}, Fetches: []string{"far"}, SoftPlacement: true}, feeds: x12, want: []string{"far:0 [-2 -3]"}},
	{name: "many_cpus", graphs: []string{xPlus1 + "p Neg a @/device:CPU:1 T=f32\nq Neg p @/cpu:2 T=f32\nr AddV2 p q T=f32\n"},
		o: Options{Feeds: []string{"x"}, Fetches: []string{"p", "q", "r"}, Devices: []string{"cpu:0", "cpu:1", "cpu:2"}}, feeds: x12, want: []string{"p:0 [-2 -3]", "q:0 [2 3]", "r:0 [0 0]"}},
	{name: "many_cpus", graphs: []string{xPlus1}, o: Options{Devices: []string{"cpu:0", "tpu:0"}}, code: tensor.InvalidArgument, say: []string{"unsupported type tpu"}},
	{name: "many_cpus", graphs: []string{xPlus1}, o: Options{Devices: []string{"gpu:0"}}, code: tensor.InvalidArgument, say: []string{"add cpu:0 to the devices gpu:0"}},
	{name: "many_cpus", graphs: []string{xPlus1}, o: Options{Devices: []string{"cpu:0", "/cpu:0"}}, code: tensor.InvalidArgument, say: []string{"twice"}},
	{name: "many_cpus", graphs: []string{xPlus1}, o: Options{Devices: []string{"cpu:0", "/job:worker/task:1/cpu:0"}}, code: tensor.InvalidArgument, say: []string{"/job:worker/replica:0/task:1/device:CPU:0 belongs to another process"}},
	{name: "many_cpus", graphs: []string{xPlus1}, o: Options{Devices: []string{"cpu"}}, code: tensor.InvalidArgument, say: []string{`"cpu" is not a device`}},
	{name: "optimizer_options", graphs: []string{bThenY}, o: Options{Fetches: []string{"z2"}, NoOpt: true}, want: []string{"z2:0 [50 60]"}},
	{name: "optimizer_options", graphs: []string{bThenY}, o: Options{Fetches: []string{"z2"}, Without: []string{"fold", "cse"}}, want: []string{"z2:0 [50 60]"}},
	{name: "optimizer_options", graphs: []string{bThenY}, o: Options{Fetches: []string{"z2"}}, want: []string{"z2:0 [50 60]"}},
}

// TestPlacement checks behaviours of placement and of options.
func TestPlacement(t *testing.T) { checkAll(t, placements) }

// TestLogPlacement checks that LogPlacement gets one line for each node, with the node's device.
func TestLogPlacement(t *testing.T) {
	path := write(t, def(t, xPlus1+"p Neg a @/device:CPU:1 T=f32\n"))
	var lines []string
	o := Options{Feeds: []string{"x"}, Fetches: []string{"p"}, Devices: []string{"cpu:0", "cpu:1"}, LogPlacement: func(l string) { lines = append(lines, l) }}
	p, err := Compile([]string{path}, o)
	if err != nil {
		t.Fatal(err)
	}
	const task = "/job:localhost/replica:0/task:0/device:CPU:"
	got := map[string]bool{}
	for _, l := range lines {
		got[l] = true
	}
	if want := map[string]bool{"x: (Placeholder): " + task + "0": true, "one: (Const): " + task + "0": true, "a: (AddV2): " + task + "0": true, "p: (Neg): " + task + "1": true}; len(lines) != 4 || !reflect.DeepEqual(got, want) {
		t.Errorf("lines %q", lines)
	}
	if d := p.Signatures[0].Placement.Of("p"); d == nil || d.Device != task+"1" {
		t.Errorf("p is placed %v", d)
	}
}

// TestStatefulPlacement: a stateful node stays on the device where the first signature with that
// node put it, whatever later signatures request.
func TestStatefulPlacement(t *testing.T) {
	path := write(t, def(t, strings.Replace(varV, "set Assign v new", "set Assign v new @/device:CPU:1", 1)))
	set, read := Call{Name: "set", Targets: []string{"set"}}, Call{Name: "read", Fetches: []string{"read"}}
	for _, c := range []struct {
		calls []Call
		want  string
	}{{[]Call{set, read}, "CPU:1"}, {[]Call{read, set}, "CPU:0"}} {
		p, err := Compile([]string{path}, Options{Devices: []string{"cpu:0", "cpu:1"}, Calls: c.calls})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range p.Signatures {
			if d := s.Placement.Of("v"); d == nil || !strings.HasSuffix(d.Device, c.want) {
				t.Errorf("%s before %s: in %s v is placed %v, want %s", c.calls[0].Name, c.calls[1].Name, s.Name, d, c.want)
			}
		}
	}
}

// TestFinalize: a program has exactly the signatures that it was compiled with, and each can run
// repeatedly.
func TestFinalize(t *testing.T) {
	path := write(t, def(t, xPlus1+bThenY))
	p, err := Compile([]string{path}, Options{Calls: []Call{{Name: "z", Fetches: []string{"z"}}}})
	if err != nil {
		t.Fatal(err)
	}
	if p.Signature("a") != nil || len(p.Plans()) != 1 {
		t.Errorf("the program has %d plans", len(p.Plans()))
	}
	for range 2 {
		if got, err := run(t, p, nil); err != nil || tensor.Data[float32](got["z:0"])[0] != -50 {
			t.Errorf("%v, %v", got, err)
		}
	}
}

// negFunction returns a library function of one f32 tensor, with a single node of the given op, in
// text form.
func negFunction(name, op string) string {
	return fmt.Sprintf(`{ signature { name: %q input_arg { name: "x" type: DT_FLOAT } output_arg { name: "y" type: DT_FLOAT } }`+
		` node_def { name: "o" op: %q input: "x" attr { key: "T" value { type: DT_FLOAT } } } ret { key: "y" value: "o:y:0" } }`+"\n", name, op)
}

// TestBehaviours checks that compiled programs treat feeds, fetches, targets, connections and
// merged graphs like TensorFlow's session. The compiler must reject those that a session rejects.
func TestBehaviours(t *testing.T) { checkAll(t, behaviours) }

func checkAll(t *testing.T, list []behaviour) {
	count := map[string]int{}
	for _, b := range list {
		name := b.name
		if count[b.name]++; count[b.name] > 1 {
			name = fmt.Sprintf("%s/%d", b.name, count[b.name])
		}
		t.Run(name, func(t *testing.T) { b.check(t) })
	}
}

func (b *behaviour) check(t *testing.T) {
	var paths []string
	dir := t.TempDir()
	for i, g := range b.graphs {
		path := filepath.Join(dir, fmt.Sprintf("g%d.pbtxt", i))
		text := ""
		if g != "" {
			text = def(t, g)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	o := b.o
	o.Check = true
	p, err := Compile(paths, o)
	if b.code != tensor.OK {
		if tensor.CodeOf(err) != b.code {
			t.Fatalf("%v, want %v", err, b.code)
		}
		for _, s := range b.say {
			if !strings.Contains(err.Error(), s) {
				t.Errorf("%q does not say %q", err, s)
			}
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	state, err := p.NewState()
	if err != nil {
		t.Fatal(err)
	}
	feeds := map[string]*tensor.Tensor{}
	for name, v := range b.feeds {
		feeds[name] = f32(tensor.Shape{len(v)}, v...)
	}
	calls := b.calls
	if len(calls) == 0 {
		calls = []string{p.Signatures[0].Name}
	}
	var got map[string]*tensor.Tensor
	for _, c := range calls {
		r, err := p.Signature(c).RunnerWith(state)
		if err != nil {
			t.Fatal(err)
		}
		if got, err = r.Run(context.Background(), feeds); err != nil {
			t.Fatalf("%s: %v", c, err)
		}
	}
	var text []string
	for _, w := range b.want {
		name, _, _ := strings.Cut(w, " ")
		switch v := got[name]; {
		case v == nil:
			text = append(text, name+" missing")
		case v.Rank() == 0:
			text = append(text, fmt.Sprintf("%s [%v]", name, v.Data.([]float32)[0]))
		default:
			text = append(text, fmt.Sprintf("%s %v", name, v.Data))
		}
	}
	if !reflect.DeepEqual(text, b.want) {
		t.Errorf("got %v, want %v", text, b.want)
	}
}
