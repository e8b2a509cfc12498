package partition

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/graphc/graphc/frontend/opdef"
	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/internal/testkit"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// scenario is one test case of a file scenarios_*.json; the README beside the file describes the
// format.
type scenario struct {
	ID, Name, About string
	Nodes           []map[string]any
	Functions       map[string][]string // for each function, the functions that it calls
	Incarnation     map[string]uint64   // of devices
	ShouldCast      any                 `json:"should_cast"`
	// "task" if the graph is divided by task; otherwise, it is divided by device
	By     string
	See    string
	Expect map[string]json.RawMessage
}

// scenarioFiles returns the paths of the scenario files: the sample in testdata and, if present,
// those in the shared folder.
func scenarioFiles(t *testing.T) []string {
	dirs := []string{"testdata"}
	if cases.Shared() != "" {
		dirs = append(dirs, testkit.NeedShared(t, "partition"))
	}
	var files []string
	for _, dir := range dirs {
		found, err := filepath.Glob(filepath.Join(dir, "scenarios_*.json"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	return files
}

// TestScenarios runs the scenarios about partitioning; the tests of rt/rendezvous run those about
// the rendezvous.
func TestScenarios(t *testing.T) {
	for _, file := range scenarioFiles(t) {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var all struct{ Scenarios []scenario }
		if err := json.Unmarshal(raw, &all); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if len(all.Scenarios) == 0 {
			t.Errorf("%s holds no scenario", file)
		}
		for _, s := range all.Scenarios {
			t.Run(filepath.Base(file)+"/"+s.ID+"_"+s.Name, func(t *testing.T) { (&outcome{T: t, s: &s}).run() })
		}
	}
}

// outcome holds a scenario and the result of Split for it.
type outcome struct {
	*testing.T
	s     *scenario
	g     *ir.Graph
	o     Options
	parts []*Part
	err   error
	host  map[string][2][]bool // memory, by node
	refs  map[string]bool      // the ops in standIns that have a reference as their output
}

func (x *outcome) run() {
	switch {
	case len(x.s.Nodes) > 0:
		x.graph()
	case x.s.See != "":
		x.see()
	}
	if x.g == nil {
		x.Skip("the golden that the scenario names is not there")
	}
	x.o.Incarnation = func(device string) uint64 {
		if i, ok := x.s.Incarnation[device]; ok {
			return i
		}
		return uint64(100 + int(device[0]) - 'A')
	}
	if len(x.host) > 0 {
		x.o.Memory = func(n *ir.Node) (ins, outs []bool) { return x.host[n.Name][0], x.host[n.Name][1] }
	}
	x.o.References = func(n *ir.Node) []bool {
		if x.refs[n.Name] {
			return []bool{true}
		}
		return references(n)
	}
	x.cast()
	if x.s.By == "task" {
		x.o.Location = Task
	}
	if !timed(x.s.Expect) {
		x.parts, x.err = Split(x.g, x.o)
		for _, n := range x.all() {
			n.Op = strings.TrimPrefix(n.Op, standIn)
		}
	}
	if _, refused := x.s.Expect["error"]; !refused && x.err != nil {
		x.Fatal(x.err)
	}
	for _, p := range x.parts {
		if err := ir.Check(p.Graph); err != nil {
			x.Errorf("%s: %v", p.Device, err)
		}
	}
	for _, what := range slices.Sorted(maps.Keys(x.s.Expect)) {
		check, ok := expectations[what]
		if !ok {
			x.Errorf("this test does not know what %q expects: %s", what, x.s.Expect[what])
			continue
		}
		check(x, x.s.Expect[what])
	}
}

// timed reports whether a scenario only checks start times and the order that follows from them.
func timed(expect map[string]json.RawMessage) bool {
	return expect["time_order"] != nil || expect["before"] != nil || expect["start_times"] != nil
}

// see reads a graph for scenarios that have no nodes. Field See of the scenario is the path of a
// golden test case, in the shared folder or in testdata.
func (x *outcome) see() {
	roots := []string{"testdata"}
	if cases.Shared() != "" {
		roots = []string{filepath.Join(cases.Shared(), "partition"), "testdata"}
	}
	for _, root := range roots {
		c, err := cases.Load(filepath.Join(root, x.s.See))
		if err != nil {
			continue
		}
		x.o.Client = "/job:localhost/replica:0/task:0/device:CPU:0"
		x.g = sessionGraph(x.T, c, x.o.Client)
		return
	}
}

// cast parses the field should_cast of a scenario. It is either a type, to which all float32
// tensors are cast, or a table from types or node names to types.
func (x *outcome) cast() {
	table, nodes := map[tensor.DType]tensor.DType{}, map[string]tensor.DType{}
	switch v := x.s.ShouldCast.(type) {
	case string:
		table[tensor.Float32] = dtype(v)
	case map[string]any:
		for from, to := range v {
			table[dtype(from)] = dtype(fmt.Sprint(to))
			nodes[from] = dtype(fmt.Sprint(to))
		}
	case nil:
		return
	}
	x.o.ShouldCast = func(from ir.Out, _ *ir.Node, t tensor.DType) tensor.DType {
		if to, ok := nodes[from.Node.Name]; ok {
			return to
		}
		if to, ok := table[t]; ok {
			return to
		}
		return t
	}
}

// dtype parses the name of a type in any of three forms: float, DT_FLOAT and f32.
func dtype(s string) tensor.DType {
	if d, ok := tensor.ParseDType(s); ok {
		return d
	}
	d, _ := tensor.ParseDType("DT_" + strings.ToUpper(s))
	return d
}

// standIn is a prefix for the names of the ops in standIns while Split runs. Without the prefix,
// these names would be those of ops that TensorFlow has.
const standIn = "standIn."

// standIns lists ops that are defined only for the scenarios. For each op, ins is the number of
// inputs, and out is the type of the output.
var standIns = map[string]struct {
	ins int
	out tensor.DType
}{
	"FloatInput": {0, tensor.Float32}, "BoolInput": {0, tensor.Bool}, "Combine": {2, tensor.Float32},
	"XTimesTwo": {1, tensor.Float32}, "XTimesFour": {1, tensor.Float32},
}

// graph builds a scenario's graph.
func (x *outcome) graph() {
	x.g = ir.NewGraph(x.s.Name)
	x.g.Producer = 24
	x.host, x.refs = map[string][2][]bool{}, map[string]bool{}
	for i, d := range x.s.Nodes {
		n := &ir.Node{Name: d["name"].(string), Op: d["op"].(string), Attrs: map[string]ir.Attr{}, Origin: ir.Origin{File: "scenario", Index: i}}
		n.Device, _ = d["device"].(string)
		if _, ok := standIns[n.Op]; ok && x.s.Functions[n.Op] == nil {
			n.Op = standIn + n.Op
		}
		for k, v := range d {
			switch v := v.(type) {
			case string:
				if k != "name" && k != "op" && k != "device" {
					n.Attrs[k] = v
				}
				if k == "dtype" || k == "T" {
					n.Attrs[k] = dtype(v)
				}
			case float64:
				n.Attrs[k] = int64(v)
			case bool:
				n.Attrs[k] = v
			}
		}
		ins, outs := memory(d["input_memory"]), memory(d["output_memory"])
		if ref, _ := d["ref"].(bool); ref {
			x.refs[n.Name] = true
		}
		if ins != nil || outs != nil {
			x.host[n.Name] = [2][]bool{ins, outs}
		}
		if err := x.g.Add(n); err != nil {
			x.Fatal(err)
		}
	}
	for i, d := range x.s.Nodes {
		x.connect(x.g.Nodes[i], d["inputs"].([]any))
	}
	for range x.g.Nodes { // each round infers the types of nodes whose inputs were inferred in the round before
		for _, n := range x.g.Nodes {
			x.types(n)
		}
	}
	if x.s.Functions == nil {
		return
	}
	x.g.Library = &ir.Library{Functions: map[string]*ir.Function{}}
	for name, calls := range x.s.Functions {
		b := ir.NewGraph(name)
		for _, c := range calls {
			b.NewNode("call", c, nil, 1)
		}
		x.g.Library.Functions[name] = &ir.Function{Name: name, Body: b, Args: []ir.Param{{Name: "x"}}}
	}
}

func memory(v any) []bool {
	l, _ := v.([]any)
	var host []bool
	for _, m := range l {
		host = append(host, m == "host")
	}
	return host
}

func (x *outcome) connect(n *ir.Node, inputs []any) {
	for _, in := range inputs {
		name := in.(string)
		if c, ok := strings.CutPrefix(name, "^"); ok {
			n.Controls = append(n.Controls, x.g.Node(c))
			continue
		}
		index := 0
		if node, port, ok := strings.Cut(name, ":"); ok {
			name = node
			fmt.Sscan(port, &index)
		}
		from := x.g.Node(name)
		for len(from.Outs) <= index {
			from.Outs = append(from.Outs, ir.Fact{})
		}
		n.Ins = append(n.Ins, ir.Out{Node: from, Index: index})
	}
	for len(n.Ins) < standIns[strings.TrimPrefix(n.Op, standIn)].ins {
		n.Ins = append(n.Ins, ir.Out{})
	}
}

// types fills in what a scenario omits: the attributes that follow from a node's inputs, and the
// node's outputs.
func (x *outcome) types(n *ir.Node) {
	known, isStandIn := standIns[strings.TrimPrefix(n.Op, standIn)]
	outs := []tensor.DType{known.out}
	if d := opdef.Lookup(n.Op); d != nil {
		outs = nil
		for _, a := range d.Ins {
			if a.NumberAttr != "" {
				n.Attrs[a.NumberAttr] = int64(len(n.Ins))
			}
			if a.TypeAttr != "" && len(n.Ins) > 0 && n.Ins[0].Node != nil {
				n.Attrs[a.TypeAttr] = n.Ins[0].Fact().DType
			}
		}
		for _, a := range d.Outs {
			t := a.DType
			if a.TypeAttr != "" {
				if n.DType(a.TypeAttr) == tensor.Invalid {
					n.Attrs[a.TypeAttr] = tensor.Float32
				}
				t = n.DType(a.TypeAttr)
			}
			outs = append(outs, t)
		}
	} else if !isStandIn {
		outs[0] = tensor.Float32
	}
	for i, t := range outs {
		if i == len(n.Outs) {
			n.Outs = append(n.Outs, ir.Fact{})
		}
		n.Outs[i].DType = t
	}
}

// all returns the nodes of all partitions.
func (x *outcome) all() []*ir.Node {
	var l []*ir.Node
	for _, p := range x.parts {
		l = append(l, p.Graph.Nodes...)
	}
	return l
}

func (x *outcome) node(name string) *ir.Node {
	for _, n := range x.all() {
		if n.Name == name {
			return n
		}
	}
	x.Fatalf("no partition has a node %q", name)
	return nil
}

func (x *outcome) part(device string) *Part {
	for _, p := range x.parts {
		if p.Device == device {
			return p
		}
	}
	x.Fatalf("there is no partition %s", device)
	return nil
}

// sortedNames returns a sorted copy of the list l.
func sortedNames(l []string) []string {
	l = slices.Clone(l)
	sort.Strings(l)
	return l
}
