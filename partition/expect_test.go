package partition

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// expectations has a function for each kind of expectation that a scenario file may contain. The
// function checks the expectation.
var expectations = map[string]func(*outcome, json.RawMessage){
	"partitions":             (*outcome).wantPartitions,
	"partition_count":        (*outcome).wantPartitionCount,
	"counts":                 (*outcome).wantCounts,
	"every_partition":        (*outcome).wantEverywhere,
	"node_inputs":            (*outcome).wantInputs,
	"same_device":            (*outcome).wantSameDevice,
	"functions":              (*outcome).wantFunctions,
	"attr":                   (*outcome).wantAttrs,
	"error":                  (*outcome).wantError,
	"traces":                 (*outcome).wantTraces,
	"time_order":             (*outcome).wantTimeOrder,
	"before":                 (*outcome).wantBefore,
	"ops":                    (*outcome).wantPairOps,
	"recv_control_from_send": (*outcome).wantRecvAfterSend,
	"start_times":            (*outcome).wantStartTimes,
	// an explanation for the reader, which is not checked
	"why":  func(*outcome, json.RawMessage) {},
	"note": func(*outcome, json.RawMessage) {},
}

func want[T any](x *outcome, raw json.RawMessage) T {
	x.Helper()
	var v T
	if err := json.Unmarshal(raw, &v); err != nil {
		x.Fatalf("%s: %v", raw, err)
	}
	return v
}

// wantPartitions compares the nodes of each partition with those in the scenario. If a property of
// a node differs, wantPartitions compares the structures of the graphs instead, and ignores the
// counters in node names.
func (x *outcome) wantPartitions(raw json.RawMessage) {
	all := want[map[string][]map[string]any](x, raw)
	var wrong []string
	for device, nodes := range all {
		p := x.part(device)
		if len(nodes) != len(p.Graph.Nodes) {
			wrong = append(wrong, fmt.Sprintf("%s has %d nodes, want %d", device, len(p.Graph.Nodes), len(nodes)))
		}
		for _, d := range nodes {
			n := p.Graph.Node(d["name"].(string))
			if n == nil {
				wrong = append(wrong, fmt.Sprintf("%s has no node %s", device, d["name"]))
				continue
			}
			for k, v := range d {
				if got := told(n, k); got != fmt.Sprint(v) {
					wrong = append(wrong, fmt.Sprintf("%s: %s is %s, want %v", n.Name, k, got, v))
				}
			}
		}
	}
	if len(all) != len(x.parts) {
		wrong = append(wrong, fmt.Sprintf("%d partitions, want %d", len(x.parts), len(all)))
	}
	if wrong == nil {
		return
	}
	for _, w := range wrong {
		x.Log(w)
	}
	var got, expected []goldenPart
	for _, p := range x.parts {
		got = append(got, asGolden(p))
	}
	for device, nodes := range all {
		p := goldenPart{Device: []string{device}}
		for _, d := range nodes {
			raw, err := json.Marshal(d)
			if err != nil {
				x.Fatal(err)
			}
			n := want[goldenNode](x, raw)
			if n.TensorName == "" {
				n.DType = ""
			} else {
				n.DType = tensor.Float32.TFName() // in scenarios, all sent tensors have this type
			}
			p.Nodes = append(p.Nodes, n)
		}
		expected = append(expected, p)
	}
	comparePartitions(x.T, got, expected)
}

// told returns a property of a node as text. Parameter key is the key of this property in a
// scenario file.
func told(n *ir.Node, key string) string {
	switch key {
	case "name":
		return n.Name
	case "op":
		return n.Op
	case "device":
		return n.Device
	case "inputs":
		return fmt.Sprint(inputNames(n))
	case "shape":
		return strings.ReplaceAll(n.Value().Shape.String(), ",", " ")
	case "dtype":
		for _, attr := range []string{"dtype", "T", "tensor_type"} {
			if t := n.DType(attr); t != tensor.Invalid {
				return strings.ToLower(strings.TrimPrefix(t.TFName(), "DT_"))
			}
		}
	}
	if t, ok := n.Attrs[key].(tensor.DType); ok {
		return strings.ToLower(strings.TrimPrefix(t.TFName(), "DT_"))
	}
	return fmt.Sprint(n.Attrs[key])
}

func (x *outcome) wantPartitionCount(raw json.RawMessage) {
	if n := want[int](x, raw); len(x.parts) != n {
		x.Errorf("%d partitions, want %d", len(x.parts), n)
	}
}

// wantCounts counts ops. _HostSend counts as _Send, and _HostRecv as _Recv, unless the scenario
// counts them separately.
func (x *outcome) wantCounts(raw json.RawMessage) {
	var byPart map[string]map[string]int
	if json.Unmarshal(raw, &byPart) == nil {
		for device, counts := range byPart {
			x.countOps(device, counts, x.part(device).Graph.Nodes)
		}
		return
	}
	x.countOps("all partitions", want[map[string]int](x, raw), x.all())
}

func (x *outcome) countOps(where string, counts map[string]int, nodes []*ir.Node) {
	got := map[string]int{}
	for _, n := range nodes {
		op := n.Op
		if host, ok := strings.CutPrefix(op, "_Host"); ok {
			if _, apart := counts[op]; !apart {
				op = "_" + host
			}
		}
		got[op]++
	}
	for op, n := range counts {
		if got[op] != n {
			x.Errorf("%s: %d nodes %s, want %d", where, got[op], op, n)
		}
	}
}

// wantEverywhere checks sentences in the scenario that must be true for every partition.
func (x *outcome) wantEverywhere(raw json.RawMessage) {
	for _, statement := range want[[]string](x, raw) {
		known := false
		if strings.Contains(statement, loopPrefix) {
			known = true
			x.loopEverywhere(statement)
		}
		if strings.Contains(statement, "_Recv has a control input") {
			known = true
			x.recvsWait()
		}
		if !known {
			x.Errorf("this test does not understand %q", statement)
		}
	}
}

var opNames = regexp.MustCompile(`\b(Enter|Merge|Switch|NextIteration)\b`)

func (x *outcome) loopEverywhere(statement string) {
	for _, p := range x.parts {
		have := map[string]bool{}
		for _, n := range p.Graph.Nodes {
			if strings.HasPrefix(n.Name, loopPrefix) {
				have[n.Op] = true
			}
		}
		for _, op := range opNames.FindAllString(statement, -1) {
			if !have[op] {
				x.Errorf("%s has no %s that is named %s", p.Device, op, loopPrefix)
			}
		}
	}
}

// recvsWait checks that receives in a frame wait for the frame's control loop.
func (x *outcome) recvsWait() {
	f, err := flatten(x.g, nil)
	if err == nil {
		err = f.placeFrames()
	}
	if err != nil {
		x.Fatal(err)
	}
	inFrame := map[string]bool{}
	for _, v := range f.vertices {
		inFrame[v.node.Name] = v.outputFrame().frame.name != ""
	}
	recvs := 0
	for _, n := range x.all() {
		if n.Op != "_Recv" && n.Op != "_HostRecv" || !inFrame[n.Str("_src")] {
			continue
		}
		recvs++
		if !slices.ContainsFunc(n.Controls, func(c *ir.Node) bool { return c.Op == "Merge" && strings.HasPrefix(c.Name, loopPrefix) }) {
			x.Errorf("%s waits for no control loop", n.Name)
		}
	}
	if recvs == 0 {
		x.Error("nothing is received in a frame")
	}
}

func (x *outcome) wantInputs(raw json.RawMessage) {
	for name, ins := range want[map[string][]string](x, raw) {
		got := inputNames(x.node(name))
		plain := func(l []string) (r []string) {
			for _, s := range l {
				r = append(r, counter.ReplaceAllString(strings.TrimSuffix(s, ":0"), ""))
			}
			return r
		}
		if !slices.Equal(plain(got), plain(ins)) {
			x.Errorf("%s reads %v, want %v", name, got, ins)
		}
	}
}

func (x *outcome) wantSameDevice(raw json.RawMessage) {
	for _, names := range want[[][]string](x, raw) {
		for _, name := range names[1:] {
			if a, b := x.node(names[0]), x.node(name); a.Device != b.Device {
				x.Errorf("%s is on %s, %s on %s", a.Name, a.Device, b.Name, b.Device)
			}
		}
	}
}

func (x *outcome) wantFunctions(raw json.RawMessage) {
	for device, names := range want[map[string][]string](x, raw) {
		got := slices.Sorted(maps.Keys(x.part(device).Graph.Library.Functions))
		if !slices.Equal(got, sortedNames(names)) {
			x.Errorf("%s has functions %v, want %v", device, got, names)
		}
	}
}

func (x *outcome) wantAttrs(raw json.RawMessage) {
	for name, attrs := range want[map[string]map[string]any](x, raw) {
		for k, v := range attrs {
			if got := told(x.node(name), k); got != fmt.Sprint(v) {
				x.Errorf("%s: %s is %s, want %v", name, k, got, v)
			}
		}
	}
}

func (x *outcome) wantError(raw json.RawMessage) {
	e := want[struct{ Code, Why string }](x, raw)
	if got := tensor.CodeOf(x.err).String(); got != e.Code {
		x.Errorf("%v, want %s: %s", x.err, e.Code, e.Why)
	}
}

// wantTraces checks, for each device, which nodes have an origin in a file of the model.
func (x *outcome) wantTraces(raw json.RawMessage) {
	for device, names := range want[map[string][]string](x, raw) {
		var got []string
		for _, n := range x.part(device).Graph.Nodes {
			if n.Origin.File != "" {
				got = append(got, n.Name)
			}
		}
		if !slices.Equal(sortedNames(got), sortedNames(names)) {
			x.Errorf("%s has traces of %v, want %v", device, got, names)
		}
	}
}

// timeOrder returns the names of the scenario's nodes, sorted by start time.
func (x *outcome) timeOrder() []string {
	order, err := TimeOrder(x.g)
	if err != nil {
		x.Fatal(err)
	}
	var names []string
	for _, s := range order {
		names = append(names, s.Node.Name)
	}
	return names
}

func (x *outcome) wantTimeOrder(raw json.RawMessage) {
	if got, names := x.timeOrder(), want[[]string](x, raw); !slices.Equal(got, names) {
		x.Errorf("order %v, want %v", got, names)
	}
}

// wantBefore checks the order of nodes. It accepts one list of nodes in order, several such lists,
// or a table that maps a node to later nodes.
func (x *outcome) wantBefore(raw json.RawMessage) {
	var lists [][]string
	var table map[string][]string
	switch {
	case json.Unmarshal(raw, &lists) == nil:
	case json.Unmarshal(raw, &table) == nil:
		for first, later := range table {
			for _, name := range later {
				lists = append(lists, []string{first, name})
			}
		}
	default:
		lists = [][]string{want[[]string](x, raw)}
	}
	got := x.timeOrder()
	for _, l := range lists {
		for i := 1; i < len(l); i++ {
			a, b := slices.Index(got, l[i-1]), slices.Index(got, l[i])
			if a < 0 || b < 0 || a >= b {
				x.Errorf("%s is %d., %s is %d.", l[i-1], a, l[i], b)
			}
		}
	}
}

func (x *outcome) wantStartTimes(raw json.RawMessage) {
	order, err := TimeOrder(x.g)
	if err != nil {
		x.Fatal(err)
	}
	times := want[map[string]int64](x, raw)
	for _, s := range order {
		if t, ok := times[s.Node.Name]; ok && t != s.Time {
			x.Errorf("%s starts at %d, want %d", s.Node.Name, s.Time, t)
		}
	}
}

// wantPairOps checks the op of the only send node and the op of the only receive node.
func (x *outcome) wantPairOps(raw json.RawMessage) {
	ops := want[map[string]string](x, raw)
	for what, op := range ops {
		end := map[string]string{"send": "Send", "recv": "Recv"}[what]
		var got []string
		for _, n := range x.all() {
			if strings.HasPrefix(n.Op, "_") && strings.HasSuffix(n.Op, end) {
				got = append(got, n.Op)
			}
		}
		if end == "" || len(got) != 1 || got[0] != op {
			x.Errorf("%s: %v, want %s", what, got, op)
		}
	}
}

func (x *outcome) wantRecvAfterSend(raw json.RawMessage) {
	expected := want[bool](x, raw)
	for _, n := range x.all() {
		if n.Op != "_Recv" && n.Op != "_HostRecv" {
			continue
		}
		got := slices.ContainsFunc(n.Controls, func(c *ir.Node) bool { return strings.HasSuffix(c.Op, "Send") })
		if got != expected {
			x.Errorf("%s waits for its send: %v, want %v", n.Name, got, expected)
		}
	}
}
