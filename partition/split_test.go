package partition

import (
	"fmt"
	"strings"
	"testing"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

const (
	cpu0   = "/job:localhost/replica:0/task:0/device:CPU:0"
	cpu1   = "/job:localhost/replica:0/task:0/device:CPU:1"
	remote = "/job:localhost/replica:0/task:1/device:CPU:0"
)

// add appends a node to the graph g. All outputs of the node have the type float32.
func add(t testing.TB, g *ir.Graph, name, op, device string, attrs map[string]ir.Attr, outs int, ins ...ir.Out) *ir.Node {
	t.Helper()
	n := &ir.Node{Name: name, Op: op, Device: device, Attrs: attrs, Ins: ins, Outs: make([]ir.Fact, outs)}
	for i := range n.Outs {
		n.Outs[i].DType = tensor.Float32
	}
	if err := g.Add(n); err != nil {
		t.Fatal(err)
	}
	return n
}

func out(n *ir.Node) ir.Out { return ir.Out{Node: n} }

func float() map[string]ir.Attr { return map[string]ir.Attr{"T": tensor.Float32} }

func identity(t testing.TB, g *ir.Graph, name, device string, from *ir.Node) *ir.Node {
	return add(t, g, name, "Identity", device, float(), 1, out(from))
}

func source(t testing.TB, g *ir.Graph, name, device string) *ir.Node {
	return add(t, g, name, "Placeholder", device, map[string]ir.Attr{"dtype": tensor.Float32, "shape": ir.PartialShape{UnknownRank: true}}, 1)
}

// looped returns a loop on three devices, one of them in another task.
func looped(t *testing.T) *ir.Graph {
	g := ir.NewGraph("loop")
	x := source(t, g, "x", cpu0)
	enter := add(t, g, "enter", "Enter", cpu0, map[string]ir.Attr{"T": tensor.Float32, "frame_name": "f", "parallel_iterations": int64(3), "is_constant": false}, 1, out(x))
	merge := add(t, g, "merge", "Merge", cpu0, map[string]ir.Attr{"T": tensor.Float32, "N": int64(2)}, 2, out(enter))
	merge.Outs[1].DType = tensor.Int32
	less := add(t, g, "less", "IsFinite", cpu0, float(), 1, out(merge))
	less.Outs[0].DType = tensor.Bool
	cond := add(t, g, "cond", "LoopCond", cpu0, nil, 1, out(less))
	cond.Outs[0].DType = tensor.Bool
	sw := add(t, g, "switch", "Switch", cpu0, float(), 2, out(merge), out(cond))
	a := add(t, g, "a", "Neg", cpu1, float(), 1, ir.Out{Node: sw, Index: 1})
	b := add(t, g, "b", "Neg", remote, float(), 1, out(a))
	next := add(t, g, "next", "NextIteration", cpu0, float(), 1, out(b))
	merge.Ins = append(merge.Ins, out(next))
	exit := add(t, g, "exit", "Exit", cpu0, float(), 1, out(sw))
	identity(t, g, "y", cpu1, exit)
	return g
}

func split(t *testing.T, g *ir.Graph, o Options) map[string]*ir.Graph {
	t.Helper()
	parts, err := Split(g, o)
	if err != nil {
		t.Fatal(err)
	}
	m := map[string]*ir.Graph{}
	for _, p := range parts {
		if err := ir.Check(p.Graph); err != nil {
			t.Errorf("%s: %v", p.Device, err)
		}
		m[p.Device] = p.Graph
	}
	return m
}

func count(g *ir.Graph, ops ...string) int {
	n := 0
	for _, v := range g.Nodes {
		for _, op := range ops {
			if v.Op == op {
				n++
			}
		}
	}
	return n
}

// TestTasksFirst divides a loop by task and then each task by device. The first step adds the
// control loops of all devices, and the second uses them.
func TestTasksFirst(t *testing.T) {
	names := &names{taken: map[string]bool{}}
	g := looped(t)
	tasks := split(t, g, Options{Location: Task, NewName: names.make})
	task0 := tasks["/job:localhost/replica:0/task:0"]
	if len(tasks) != 2 || task0 == nil {
		t.Fatalf("tasks %v", tasks)
	}
	devices := split(t, task0, Options{NewName: names.make, ControlLoops: true})
	for name, g := range tasks {
		if name != "/job:localhost/replica:0/task:0" {
			devices[name] = g
		}
	}
	var got, want []goldenPart
	for name, g := range devices {
		if strings.HasSuffix(name, "task:1") {
			name = remote
		}
		got = append(got, asGolden(&Part{name, g}))
	}
	for name, g := range split(t, g, Options{}) {
		want = append(want, asGolden(&Part{name, g}))
	}
	// the results are equal, because no tensor is sent to two devices of the same task
	comparePartitions(t, got, want)
	for name, g := range devices {
		if n := count(g, "NextIteration"); n == 0 {
			t.Errorf("%s has no control loop", name)
		}
		if e := g.Node("enter"); e == nil {
			for _, n := range g.Nodes {
				if n.Op == "Enter" && n.Int("parallel_iterations") != 3 {
					t.Errorf("%s: %d parallel iterations", n.Name, n.Int("parallel_iterations"))
				}
			}
		}
	}
}

// TestSplitAgain checks that Split makes the same partitions each time, and does not change the
// graph.
func TestSplitAgain(t *testing.T) {
	g := looped(t)
	before := g.Text(ir.PrintOptions{})
	text := func() string {
		s := ""
		parts, err := Split(g, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range parts {
			s += p.Device + "\n" + p.Graph.Text(ir.PrintOptions{})
		}
		return s
	}
	first := text()
	for range 5 {
		if text() != first {
			t.Fatal("two partitions of one graph differ")
		}
	}
	if g.Text(ir.PrintOptions{}) != before {
		t.Error("Split has changed the graph")
	}
}

// TestNamesAreFree checks that the names of new nodes differ from the names of all nodes in the
// graph.
func TestNamesAreFree(t *testing.T) {
	g := ir.NewGraph("g")
	a := source(t, g, "a", cpu0)
	identity(t, g, "a/_0", cpu0, a)
	identity(t, g, "_arg_a_0_0", cpu1, a)
	parts := split(t, g, Options{})
	if n := parts[cpu0].Node("a/_1"); n == nil || n.Op != "_Send" {
		t.Errorf("the send is %v", n)
	}
	g.Feeds = []ir.Feed{{Name: "a:0", Out: out(a)}}
	g.Fetches = []ir.Fetch{{Name: "_arg_a_0_0:0", Out: out(g.Node("_arg_a_0_0"))}, {Name: "a:0", Out: out(a)}}
	parts = split(t, g, Options{Client: cpu0})
	if n := parts[cpu0].Node("_arg_a_0_0_1"); n == nil || n.Op != "_Arg" || count(parts[cpu0], "_Retval") != 1 || parts[cpu0].Node("a/_0") != nil {
		t.Errorf("the session's graph:\n%s", parts[cpu0].Text(ir.PrintOptions{}))
	}
}

// TestStartTimes checks that a send gets the start time of its source, and that a receive gets the
// smallest start time of its readers.
func TestStartTimes(t *testing.T) {
	g := ir.NewGraph("g")
	a := source(t, g, "a", cpu0)
	late, soon := identity(t, g, "late", cpu1, a), identity(t, g, "soon", cpu1, a)
	soon.Controls = []*ir.Node{a}
	if _, err := Split(g, Options{ScheduleRecvs: true}); tensor.CodeOf(err) != tensor.NotFound {
		t.Errorf("without times: %v", err)
	}
	parts := split(t, g, Options{ScheduleRecvs: true, StartTimes: map[*ir.Node]int64{a: 3, late: 9, soon: 7}})
	want := map[string]int64{"a": 3, "a/_0": 3, "a/_1": 7, "late": 9, "soon": 7, "a/ctrl/_2": 3, "a/_3": 3, "a/_4": 7, "a/_5": 7}
	for _, g := range parts {
		for _, n := range g.Nodes {
			if got, ok := n.Attrs[startAttr].(int64); !ok || got != want[n.Name] {
				t.Errorf("%s (%s) starts at %v, want %d", n.Name, n.Op, n.Attrs[startAttr], want[n.Name])
			}
			delete(want, n.Name)
		}
	}
	if len(want) > 0 {
		t.Errorf("nodes missing: %v", want)
	}
}

// TestIncarnationsOfFunctions checks that Split also sets incarnation numbers in the bodies of
// functions, and that it does not change the functions of the model.
func TestIncarnationsOfFunctions(t *testing.T) {
	body := ir.NewGraph("f")
	send := map[string]ir.Attr{"tensor_type": tensor.Float32, "send_device": cpu1, "send_device_incarnation": int64(0)}
	add(t, body, "r", "_HostRecv", "", send, 1)
	add(t, body, "known", "_Recv", "", map[string]ir.Attr{"send_device": cpu0, "send_device_incarnation": int64(5)}, 1)
	g := ir.NewGraph("g")
	g.Library = &ir.Library{Functions: map[string]*ir.Function{"f": {Name: "f", Body: body}, "unused": {Name: "unused", Body: ir.NewGraph("unused")}}}
	add(t, g, "call", "f", cpu0, nil, 1)
	f := split(t, g, Options{Incarnation: func(d string) uint64 { return uint64(len(d)) }})[cpu0].Library.Functions["f"]
	if got := f.Body.Node("r").Int("send_device_incarnation"); got != len(cpu1) || f.Body.Node("known").Int("send_device_incarnation") != 5 {
		t.Errorf("incarnation %d", got)
	}
	if body.Node("r").Int("send_device_incarnation") != 0 {
		t.Error("the model's function has changed")
	}
}

// TestReachable checks that the function reachable also returns the gradients and the alternative
// implementations of called functions.
func TestReachable(t *testing.T) {
	lib := &ir.Library{Functions: map[string]*ir.Function{}, Gradients: map[string]string{"a": "grad", "b": "grad"}}
	for _, name := range []string{"a", "b", "grad", "inner", "impl1", "impl2"} {
		lib.Functions[name] = &ir.Function{Name: name, Body: ir.NewGraph(name), Attrs: map[string]ir.Attr{}}
	}
	lib.Functions["impl1"].Attrs[implements], lib.Functions["impl2"].Attrs[implements] = "lstm", "lstm"
	add(t, lib.Functions["a"].Body, "n", "If", "", map[string]ir.Attr{"then_branch": ir.Func{Name: "inner"}}, 1)
	add(t, lib.Functions["inner"].Body, "n", "Case", "", map[string]ir.Attr{"branches": []ir.Func{{Name: "impl1"}}}, 1)
	g := ir.NewGraph("g")
	add(t, g, "call", "a", cpu0, nil, 1)
	r := reachable(g, lib)
	got := fmt.Sprint(len(r.Functions), r.Functions["b"] == nil, r.Functions["impl2"] != nil, r.Gradients)
	if got != "5 true true map[a:grad]" {
		t.Error(got)
	}
	if r.Functions["a"].Body.Library != r || lib.Functions["a"].Body.Library != nil {
		t.Error("bodies do not have the library of the partition")
	}
}
