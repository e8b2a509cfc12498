package placer

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

func devices(t testing.TB, names ...string) *Set {
	s, err := NewSet(names)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// build adds a node for each line: name op [inputs…] [^controls…] [@device] [loc:@group…] [attribute=type].
func build(t testing.TB, lines ...string) *ir.Graph {
	g := ir.NewGraph("test")
	g.Library = &ir.Library{Functions: map[string]*ir.Function{}}
	for _, l := range lines {
		f := strings.Fields(l)
		n := &ir.Node{Name: f[0], Op: f[1], Attrs: map[string]ir.Attr{}}
		outs := 1
		for _, w := range f[2:] {
			key, val, attr := strings.Cut(w, "=")
			switch {
			case strings.HasPrefix(w, "loc:@"):
				class, _ := n.Attrs["_class"].([]string)
				n.Attrs["_class"] = append(class, w)
			case w[0] == '@':
				n.Device = w[1:]
			case w[0] == '^':
				n.Controls = append(n.Controls, g.Node(w[1:]))
			case attr && key == "outs":
				fmt.Sscan(val, &outs)
			case attr && key == "f":
				n.Attrs[key] = ir.Func{Name: val}
			case attr:
				d, ok := tensor.ParseDType(val)
				if !ok {
					t.Fatalf("%s: %s", l, w)
				}
				n.Attrs[key] = d
				if key == "Tin" || key == "Tout" {
					n.Attrs[key] = []tensor.DType{d}
				}
			default:
				o, err := g.Lookup(w)
				if err != nil {
					t.Fatalf("%s: %v", l, err)
				}
				n.Ins = append(n.Ins, o)
			}
		}
		n.Outs = make([]ir.Fact, outs)
		if err := g.Add(n); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

func cpu(i int) string { return fmt.Sprintf("/job:localhost/replica:0/task:0/device:CPU:%d", i) }

// TestReasons checks the reasons for placements, as users see them.
func TestReasons(t *testing.T) {
	g := build(t,
		"a Placeholder dtype=f32 @/cpu:1",
		"v VarHandleOp dtype=f32 @/cpu:2",
		"w VariableV2 dtype=f32",
		"c Const dtype=f32",
		"read ReadVariableOp v dtype=f32 @/cpu:0",
		"assign Assign w c T=f32 outs=1",
		"sum AddV2 a read T=f32 @/device:CPU:1",
		"shape Shape sum T=f32",
		"near Mul sum sum T=f32 loc:@v",
		"soft Mul sum sum T=f32 @/gpu:0",
		"other Mul near near T=f32",
		"id Identity near T=f32",
		"out Neg id T=f32",
		"one Const dtype=f32",
		"user Neg one T=f32 @/cpu:1",
	)
	var lines []string
	p, err := Place(g, devices(t, "cpu:0", "cpu:1", "cpu:2"), Options{Soft: true, Log: func(l string) { lines = append(lines, l) }})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		node   string
		cpu    int
		reason string
	}{
		{"a", 1, "requested /cpu:1"},
		{"v", 2, "requested /cpu:2"},
		{"w", 0, "group of 2 nodes"},
		{"c", 0, "no inputs, with its consumers"},
		{"read", 2, "group of resource v, for which v requests /cpu:2; not on the requested /cpu:0"},
		{"assign", 0, "reference to w"},
		{"sum", 1, "requested /device:CPU:1"},
		{"shape", 1, "reads only the shape of sum, with it"},
		{"near", 2, "colocated with v, for which v requests /cpu:2"},
		{"soft", 0, "default: the first of 3 devices; not on the requested /gpu:0"},
		{"other", 0, "default: the first of 3 devices"},
		{"id", 2, "identity of near, with it"},
		{"user", 1, "requested /cpu:1"},
		{"one", 1, "no inputs, with its consumers"},
	} {
		d := p.Of(c.node)
		if d.Device != cpu(c.cpu) || d.Reason != c.reason || g.Node(c.node).Device != d.Device {
			t.Errorf("%s: %s, %q; want %s, %q", c.node, d.Device, d.Reason, cpu(c.cpu), c.reason)
		}
	}
	if p.Of("assign").Root != p.Of("w").Root || p.Of("other").Root != "other" {
		t.Errorf("roots %q %q %q", p.Of("assign").Root, p.Of("w").Root, p.Of("other").Root)
	}
	if d := p.Of("read"); d.Requested != "/cpu:0" || len(d.Changes) != 1 || !strings.Contains(d.Changes[0], "Ignoring device specification /device:CPU:0 for node 'read'") {
		t.Errorf("%+v", d)
	}
	if d := p.Of("soft"); len(d.Changes) != 1 || !strings.Contains(d.Changes[0], "/device:GPU:0 is not possible for node 'soft'") {
		t.Errorf("%+v", d)
	}
	if len(p.Changes) != 2 || len(lines) != len(g.Nodes)+2 || lines[1] != "v: (VarHandleOp): "+cpu(2) && !slices.Contains(lines, "read: (ReadVariableOp): "+cpu(2)) {
		t.Errorf("%q\n%q", p.Changes, lines)
	}
	if p.Of("none") != nil {
		t.Error("a name that is no node has a decision")
	}
}

// TestErrors: an error names each offending node with its op and its request, and lists the
// available devices.
func TestErrors(t *testing.T) {
	set := devices(t, "cpu:0", "cpu:1")
	for _, c := range []struct {
		name  string
		g     *ir.Graph
		o     Options
		code  tensor.Code
		wants []string
	}{
		{"two", build(t, "a Const dtype=f32 @/cpu:7", "b Const dtype=f32 @/job:other", "c Const dtype=f32 @/gpu:0"), Options{}, tensor.InvalidArgument,
			[]string{`node "a" (Const)`, "/cpu:7", `node "b" (Const)`, "/job:other", "appears to be a GPU", cpu(0), cpu(1)}},
		{"malformed", build(t, "a Const dtype=f32 @cpu"), Options{}, tensor.InvalidArgument, []string{`node "a"`, `"cpu"`}},
		{"malformed, soft", build(t, "a Const dtype=f32 @cpu"), Options{Soft: true}, tensor.InvalidArgument, []string{`node "a"`, `"cpu"`}},
		{"job, soft", build(t, "a Const dtype=f32 @/job:other/cpu:0"), Options{Soft: true}, tensor.InvalidArgument, []string{"/job:other"}},
		{"previous", build(t, "a VarHandleOp dtype=f32"), Options{Previous: map[string]string{"a": "/cpu:9"}}, tensor.Internal, []string{`node "a"`, "/cpu:9"}},
		{"assigned", build(t, "a Const dtype=f32"), Options{Assigned: map[string]string{"a": "/cpu:0"}}, tensor.Internal, []string{`node "a"`, "/cpu:0"}},
		{"no kernel there", build(t, "a Const dtype=f32"), Options{Assigned: map[string]string{"a": cpu(0)}, Kernels: func(*ir.Node) []Kernel { return nil }},
			tensor.Internal, []string{"no kernel for Const"}},
		{"no kernel", build(t, "a Const dtype=f32"), Options{Kernels: func(*ir.Node) []Kernel { return []Kernel{{"GPU", 0}} }}, tensor.InvalidArgument, []string{"no kernel", "[CPU]"}},
		{"default", build(t, "a Const dtype=f32"), Options{DefaultLocal: "/cpu:0"}, tensor.InvalidArgument, []string{"default local device"}},
		{"classes", build(t, "a Const dtype=f32 @/cpu:0", "b Const dtype=f32 @/cpu:1 loc:@a"), Options{}, tensor.InvalidArgument, []string{`"b"`, `"a"`, "incompatible ids"}},
		{"call", build(t, "a PartitionedCall f=none Tout=f32"), Options{}, tensor.InvalidArgument, []string{`no function "none"`}},
		{"call without f", build(t, "a PartitionedCall Tout=f32"), Options{}, tensor.InvalidArgument, []string{"attribute f"}},
	} {
		before := map[string]string{}
		for _, n := range c.g.Nodes {
			before[n.Name] = n.Device
		}
		_, err := Place(c.g, set, c.o)
		if tensor.CodeOf(err) != c.code {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for _, w := range c.wants {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: the message lacks %q: %v", c.name, w, err)
			}
		}
		for _, n := range c.g.Nodes {
			if n.Device != before[n.Name] {
				t.Errorf("%s: %s is on %s after an error", c.name, n.Name, n.Device)
			}
		}
	}
	for _, s := range []*Set{nil, devices(t)} {
		if _, err := Place(build(t, "a NoOp outs=0"), s, Options{}); tensor.CodeOf(err) != tensor.FailedPrecondition {
			t.Errorf("no devices: %v", err)
		}
		if _, err := Spread(build(t, "a NoOp outs=0"), s, 1, Options{}); tensor.CodeOf(err) != tensor.FailedPrecondition {
			t.Errorf("no devices: %v", err)
		}
	}
}

// TestPrevious: a stateful node keeps the device it had in an earlier graph of the program.
func TestPrevious(t *testing.T) {
	set, previous := devices(t, "cpu:0", "cpu:1"), map[string]string{}
	first := build(t, "v VarHandleOp dtype=f32", "c Const dtype=f32", "w AssignVariableOp v c dtype=f32 outs=0 @/cpu:1")
	second := build(t, "v VarHandleOp dtype=f32", "r ReadVariableOp v dtype=f32", "n Neg r T=f32")
	for _, g := range []*ir.Graph{first, second} {
		p, err := Place(g, set, Options{Previous: previous})
		if err != nil {
			t.Fatal(err)
		}
		if d := g.Node("v").Device; d != cpu(1) {
			t.Errorf("v is on %s: %s", d, p.Of("v").Reason)
		}
	}
	if d := second.Node("r").Device; d != cpu(1) {
		t.Errorf("r is on %s", d)
	}
	if want := (map[string]string{"v": cpu(1), "w": cpu(1), "r": cpu(1)}); !maps.Equal(previous, want) {
		t.Errorf("%v", previous)
	}
	alone := build(t, "v VarHandleOp dtype=f32", "r ReadVariableOp v dtype=f32")
	if _, err := Place(alone, set, Options{}); err != nil || alone.Node("v").Device != cpu(0) {
		t.Errorf("without an earlier graph v is on %s, %v", alone.Node("v").Device, err)
	}
}

// TestEdges checks the kinds of edges that the ops' definitions imply.
func TestEdges(t *testing.T) {
	set := devices(t, "cpu:0", "cpu:1")
	for _, c := range []struct {
		name  string
		lines []string
		cpu   map[string]int
	}{
		{"a value of a reference is read anywhere", []string{"v VariableV2 dtype=f32 @/cpu:1", "i Identity v T=f32", "n Neg i T=f32"}, map[string]int{"v": 1, "i": 0, "n": 0}},
		{"a reference is not", []string{"v VariableV2 dtype=f32 @/cpu:1", "i RefIdentity v T=f32", "n Neg i T=f32"}, map[string]int{"v": 1, "i": 1, "n": 0}},
		{"a handle goes on through control flow", []string{"v VarHandleOp dtype=f32 @/cpu:1", "e Enter v T=resource", "r ReadVariableOp e dtype=f32", "n Neg r T=f32"},
			map[string]int{"v": 1, "e": 1, "r": 1, "n": 0}},
		{"an If is with its handles", []string{"v VarHandleOp dtype=f32 @/cpu:1", "c Const dtype=bool", "i If c v Tin=resource Tout=f32"}, map[string]int{"v": 1, "i": 1}},
		{"a call is not", []string{"v VarHandleOp dtype=f32 @/cpu:1", "i StatefulPartitionedCall v Tin=resource Tout=f32 f=value"}, map[string]int{"v": 1, "i": 0}},
		{"IdentityN is not", []string{"v VarHandleOp dtype=f32 @/cpu:1", "i IdentityN v T=resource"}, map[string]int{"v": 1, "i": 0}},
		{"datasets are together", []string{"c Const dtype=i64", "d RangeDataset c c c @/cpu:1", "m TakeDataset d c", "i IteratorV2", "k MakeIterator m i outs=0"},
			map[string]int{"d": 1, "m": 1, "k": 0, "i": 0}},
		{"a dataset is not with what it captures", []string{"v VarHandleOp dtype=f32 @/cpu:1", "c Const dtype=i64", "d RangeDataset c c c", "m MapDataset d v Targuments=resource"},
			map[string]int{"v": 1, "m": 0, "d": 0}},
		{"a group needs no node of its name", []string{"a Const dtype=f32 loc:@x", "b Neg a T=f32 loc:@x @/cpu:1", "c Neg b T=f32"}, map[string]int{"a": 1, "b": 1, "c": 0}},
		{"ends of control edges are free", []string{"a NoOp outs=0 @/cpu:1", "b NoOp outs=0 ^a"}, map[string]int{"a": 1, "b": 0}},
		{"a constant follows a control edge", []string{"a Const dtype=f32", "b NoOp outs=0 ^a @/cpu:1"}, map[string]int{"a": 1, "b": 1}},
	} {
		g := build(t, c.lines...)
		g.Library.Functions["value"] = &ir.Function{Name: "value", Body: ir.NewGraph("value")}
		for _, n := range g.Nodes {
			for _, key := range []string{"T", "Targuments"} {
				if d, ok := n.Attrs[key].(tensor.DType); ok && (n.Op == "IdentityN" || key == "Targuments") {
					n.Attrs[key] = []tensor.DType{d}
				}
			}
		}
		p, err := Place(g, set, Options{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for n, i := range c.cpu {
			if d := g.Node(n).Device; d != cpu(i) {
				t.Errorf("%s: %s is on %s: %s", c.name, n, d, p.Of(n).Reason)
			}
		}
	}
}

// TestHostLists: a list of strings is in host memory, so nodes that pass the list on are placed on
// the CPU.
func TestHostLists(t *testing.T) {
	both := func(*ir.Node) []Kernel { return []Kernel{{"GPU", 0}, {"CPU", 0}} }
	for _, c := range []struct{ element, typ string }{{"str", "CPU"}, {"f32", "GPU"}} {
		g := build(t, "shape Const dtype=i32", "list TensorListReserve shape shape element_dtype="+c.element, "enter Enter list T=variant",
			"merge Merge enter T=variant outs=2", "id Identity merge T=variant", "get TensorListGetItem id shape shape element_dtype="+c.element)
		g.Node("merge").Attrs["N"] = int64(1)
		if _, err := Place(g, devices(t, "cpu:0", "gpu:0"), Options{Kernels: both}); err != nil {
			t.Fatal(err)
		}
		for _, n := range []string{"enter", "merge", "id"} {
			if d := g.Node(n).Device; !strings.Contains(d, c.typ) {
				t.Errorf("%s of %s is on %s", n, c.element, d)
			}
		}
	}
}

// TestCallers: feeds and fetches are on the default device if the graph has been pruned to them.
func TestCallers(t *testing.T) {
	for _, unpruned := range []bool{false, true} {
		g := build(t, "x Placeholder dtype=f32 @/cpu:1", "s Shape x T=f32", "id Identity x T=f32", "n Neg id T=f32 @/cpu:1", "c Const dtype=f32", "m Mul c n T=f32 @/cpu:1")
		g.Feeds = []ir.Feed{{Name: "x:0", Out: ir.Out{Node: g.Node("x")}}}
		g.Fetches = []ir.Fetch{{Out: ir.Out{Node: g.Node("c")}}, {Out: ir.Out{Node: g.Node("c")}}}
		if _, err := Place(g, devices(t, "cpu:0", "cpu:1"), Options{Unpruned: unpruned}); err != nil {
			t.Fatal(err)
		}
		want := map[string]int{"x": 0, "s": 0, "c": 0, "n": 1}
		if unpruned {
			want = map[string]int{"x": 1, "c": 1, "n": 1}
		}
		for n, i := range want {
			if d := g.Node(n).Device; d != cpu(i) {
				t.Errorf("unpruned %v: %s is on %s", unpruned, n, d)
			}
		}
	}
}

// TestLarge places graphs of hostile size, each in about a second; -v prints the times.
func TestLarge(t *testing.T) {
	var names []string
	for i := range 64 {
		names = append(names, fmt.Sprintf("cpu:%d", i))
	}
	set := devices(t, names...)
	node := func(g *ir.Graph, i int, op string, attrs map[string]ir.Attr, ins ...ir.Out) *ir.Node {
		n := &ir.Node{Name: fmt.Sprintf("n%d", i), Op: op, Attrs: attrs, Ins: ins, Outs: make([]ir.Fact, 1)}
		if err := g.Add(n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	cases := []struct {
		name  string
		o     Options
		fails bool
		make  func(g *ir.Graph, nodes int)
	}{
		{"one class", Options{Soft: true}, false, func(g *ir.Graph, nodes int) {
			for i := range nodes {
				node(g, i, "NoOp", map[string]ir.Attr{"_class": []string{"loc:@x"}}).Device = fmt.Sprintf("/cpu:%d", i%99)
			}
		}},
		{"a chain of classes", Options{}, false, func(g *ir.Graph, nodes int) {
			for i := range nodes {
				node(g, nodes-i, "NoOp", map[string]ir.Attr{"_class": []string{fmt.Sprintf("loc:@n%d", nodes-i-1)}})
			}
		}},
		{"every class fails", Options{Soft: true, Log: func(string) {}}, false, func(g *ir.Graph, nodes int) {
			node(g, nodes, "NoOp", nil).Device = "/task:1"
			for i := range nodes {
				node(g, i, "NoOp", map[string]ir.Attr{"_class": []string{fmt.Sprintf("loc:@n%d", nodes)}}).Device = "/task:0"
			}
			g.Nodes[0].Device = "/job:localhost/task:0"
			g.Nodes[1].Device = "/job:localhost/task:0"
		}},
		{"every request fails", Options{}, true, func(g *ir.Graph, nodes int) {
			for i := range nodes {
				node(g, i, "NoOp", nil).Device = fmt.Sprintf("/cpu:%d", 64+i)
			}
		}},
		{"every request gives way", Options{Soft: true}, false, func(g *ir.Graph, nodes int) {
			for i := range nodes {
				node(g, i, "NoOp", nil).Device = fmt.Sprintf("/cpu:%d", 64+i)
			}
		}},
		{"one handle", Options{}, false, func(g *ir.Graph, nodes int) {
			v := node(g, nodes, "VarHandleOp", map[string]ir.Attr{"dtype": tensor.Float32})
			for i := range nodes {
				node(g, i, "ReadVariableOp", map[string]ir.Attr{"dtype": tensor.Float32}, ir.Out{Node: v})
			}
		}},
		{"a chain of references", Options{}, false, func(g *ir.Graph, nodes int) {
			v := node(g, nodes, "VariableV2", map[string]ir.Attr{"dtype": tensor.Float32})
			for i := range nodes {
				v = node(g, i, "RefIdentity", map[string]ir.Attr{"T": tensor.Float32}, ir.Out{Node: v})
			}
		}},
		{"a chain of lists", Options{}, false, func(g *ir.Graph, nodes int) {
			v := node(g, nodes, "EmptyTensorList", map[string]ir.Attr{"element_dtype": tensor.String})
			for i := range nodes {
				v = node(g, i, "Identity", map[string]ir.Attr{"T": tensor.Variant}, ir.Out{Node: v})
				v.Outs[0].DType = tensor.Variant
			}
		}},
		{"a constant for all", Options{}, false, func(g *ir.Graph, nodes int) {
			v := node(g, nodes, "Const", map[string]ir.Attr{"dtype": tensor.Float32})
			for i := range nodes {
				node(g, i, "Neg", map[string]ir.Attr{"T": tensor.Float32}, ir.Out{Node: v})
			}
		}},
		{"a call with many inputs", Options{}, false, func(g *ir.Graph, nodes int) {
			body := ir.NewGraph("f")
			call := &ir.Node{Name: "call", Op: "PartitionedCall", Attrs: map[string]ir.Attr{"f": ir.Func{Name: "f"}}}
			var types []tensor.DType
			v := node(g, nodes, "VarHandleOp", map[string]ir.Attr{"dtype": tensor.Float32})
			f := &ir.Function{Name: "f", Body: body}
			for i := range nodes / 4 {
				types = append(types, tensor.Resource)
				arg := node(body, 2*i, "_Arg", map[string]ir.Attr{"T": tensor.Resource, "index": int64(i)})
				ret := node(body, 2*i+1, "_Retval", map[string]ir.Attr{"T": tensor.Resource, "index": int64(i)}, ir.Out{Node: arg})
				ret.Outs = nil
				f.Rets = append(f.Rets, ir.Param{DType: tensor.Resource})
				call.Ins = append(call.Ins, ir.Out{Node: v})
				call.Outs = append(call.Outs, ir.Fact{DType: tensor.Resource})
			}
			call.Attrs["Tin"], call.Attrs["Tout"] = types, types
			g.Library = &ir.Library{Functions: map[string]*ir.Function{"f": f}}
			if err := g.Add(call); err != nil {
				t.Fatal(err)
			}
		}},
	}
	for i, c := range cases {
		nodes := 20_000
		if i < 2 {
			nodes = 100_000
		}
		g := ir.NewGraph(c.name)
		c.make(g, nodes)
		start := time.Now()
		_, err := Place(g, set, c.o)
		t.Logf("%s: %v", c.name, time.Since(start))
		if c.fails != (err != nil) || err != nil && len(err.Error()) > 1<<16 {
			t.Errorf("%s: %.2000v", c.name, err)
		}
	}
}

// TestNestedCalls places graphs with functions that call each other and with nested calls.
func TestNestedCalls(t *testing.T) {
	chain := func(depth int, twice bool) *ir.Graph {
		g := build(t, "v VarHandleOp dtype=f32 @/cpu:1", "call PartitionedCall v f=f0 Tin=resource Tout=resource", "r ReadVariableOp call dtype=f32")
		for i := range depth {
			body := build(t, "x _Arg T=resource", fmt.Sprintf("c PartitionedCall x f=f%d Tin=resource Tout=resource", i+1), "y _Retval c T=resource outs=0")
			if i+1 == depth {
				body = build(t, "x _Arg T=resource", "y _Retval x T=resource outs=0")
			} else if twice {
				body = build(t, "x _Arg T=resource", fmt.Sprintf("b PartitionedCall x f=f%d Tin=resource Tout=resource", i+1),
					fmt.Sprintf("c PartitionedCall b f=f%d Tin=resource Tout=resource", i+1), "y _Retval c T=resource outs=0")
			}
			body.Library = nil
			name := fmt.Sprintf("f%d", i)
			g.Library.Functions[name] = &ir.Function{Name: name, Body: body, Args: []ir.Param{{DType: tensor.Resource}}, Rets: []ir.Param{{DType: tensor.Resource}}}
		}
		return g
	}
	set := devices(t, "cpu:0", "cpu:1")
	for _, g := range []*ir.Graph{chain(1, false), chain(40, true), chain(900, false)} {
		if _, err := Place(g, set, Options{}); err != nil || g.Node("r").Device != cpu(1) || g.Node("call").Device != cpu(0) {
			t.Errorf("%d functions: r is on %s, call on %s, %v", len(g.Library.Functions), g.Node("r").Device, g.Node("call").Device, err)
		}
		if len(g.Nodes) != 3 {
			t.Errorf("the graph has %d nodes", len(g.Nodes))
		}
	}
	if _, err := Place(chain(5000, false), set, Options{}); tensor.CodeOf(err) != tensor.ResourceExhausted || len(err.Error()) > 10_000 {
		t.Errorf("deep: %.1000v", err)
	}
	loop := chain(3, false)
	loop.Library.Functions["f2"].Body = loop.Library.Functions["f0"].Body
	if _, err := Place(loop, set, Options{}); tensor.CodeOf(err) != tensor.Unimplemented || !strings.Contains(err.Error(), `"f1"`) {
		t.Errorf("recursion: %v", err)
	}
}
