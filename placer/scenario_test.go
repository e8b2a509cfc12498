package placer

import (
	"encoding/json"
	"fmt"
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

// scenarios is the content of a file of placement problems with TensorFlow's results.
type scenarios struct {
	Priority map[string]int `json:"device_priority"`
	Ops      map[string]struct {
		Inputs, Outputs any
		Kernels         map[string]int
	}
	Sets      map[string][]struct{ Name, Type string } `json:"device_sets"`
	Scenarios []scenario
}

type scenario struct {
	ID, Name, Devices string
	Soft              bool   `json:"allow_soft_placement"`
	Log               bool   `json:"log_device_placement"`
	DefaultLocal      string `json:"default_local_device"`
	Isolate           bool   `json:"isolate_function_calls_first"`
	Functions         []struct {
		Name       string
		Args, Rets []string
		Nodes      []map[string]any
		Returns    map[string]string
	}
	Nodes          []map[string]any
	Feeds, Fetches []string // the feeds and fetches of a pruned graph
	Expect         struct {
		OK             bool
		Type           map[string]string `json:"device_type"`
		Device         map[string]string
		Contains       map[string]string `json:"device_contains"`
		Same           [][2]string       `json:"same_device"`
		Different      [][2]string       `json:"different_device"`
		SameDeviceType [][2]string       `json:"same_device_type"`
		Order          []string          // of assignment
		Error          *struct {
			Code, Why string
			Mentions  []string `json:"message_mentions"`
		}
	}
}

// whys has a key for each reason that a scenario may give for an error. The value is a list of texts
// that the error message must contain.
var whys = map[string][]string{
	"no device type supports both ends":                                 {"no device type supports both"},
	"no device type supports all nodes of the group":                    {"no device type supports both of those nodes and the other nodes"},
	"incompatible resource devices across a reference or resource edge": {"incompatible resource devices"},
	"incompatible resource devices across a resource edge":              {"incompatible resource devices"},
	"incompatible assigned devices across a reference or resource edge": {"incompatible assigned devices"},
	"no devices at all":             {"no devices"},
	"no device matches the request": {"was explicitly assigned to", "available devices are"},
	"no such device":                {"was explicitly assigned to", "available devices are"},
	"no kernel registered; the message says there are none": {"no kernel was registered"},
	"a GPU is asked for and the build has none":             {"appears to be a GPU"},
	"the two ends cannot be colocated":                      {"requires nodes", "same device"},
	"the explicit device cannot be satisfied":               {"could not satisfy explicit device specification"},
	"ends of a resource edge on two devices":                {"no device type supports both"},
	"recursive function calls":                              {"recursive function calls"},
	"a node's colocation group requires an incompatible device; the message lists each op type with the device types it has kernels for": {"colocated with a group", "kernels for"},
}

// TestScenarios runs the scenarios of the shared folder or, without that folder, the sample in
// testdata.
func TestScenarios(t *testing.T) {
	var files []string
	if cases.Shared() != "" {
		files, _ = filepath.Glob(filepath.Join(testkit.NeedShared(t, "placer"), "scenarios_*.json"))
	}
	sample, _ := filepath.Glob(filepath.Join("testdata", "scenarios_*.json"))
	if len(sample) == 0 {
		t.Fatal("testdata has no scenarios")
	}
	for _, file := range append(files, sample...) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var s scenarios
		if err := json.Unmarshal(data, &s); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if len(s.Scenarios) == 0 {
			t.Errorf("%s has no scenarios", file)
		}
		for _, c := range s.Scenarios {
			t.Run(filepath.Base(file)+"/"+c.ID+"_"+c.Name, func(t *testing.T) { c.run(t, &s) })
		}
	}
}

func (c *scenario) run(t *testing.T, s *scenarios) {
	g, assigned := c.graph(t, s)
	for _, f := range c.Feeds {
		g.Feeds = append(g.Feeds, ir.Feed{Name: f, Out: ir.Out{Node: g.Node(f)}})
	}
	for _, f := range c.Fetches {
		g.Fetches = append(g.Fetches, ir.Fetch{Name: f, Out: ir.Out{Node: g.Node(f)}})
	}
	var names []string
	for _, d := range s.Sets[c.Devices] {
		names = append(names, d.Name)
	}
	set, err := NewSet(names)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	o := Options{Soft: c.Soft, Assigned: assigned, DefaultLocal: c.DefaultLocal, Priority: s.Priority, NoIsolation: !c.Isolate,
		Types: s.typesOf,
		Kernels: func(n *ir.Node) []Kernel {
			var l []Kernel
			for typ, prio := range s.Ops[n.Op].Kernels {
				l = append(l, Kernel{typ, prio})
			}
			return l
		}}
	if c.Log {
		o.Log = func(l string) { lines = append(lines, l) }
	}
	before := map[string]string{}
	for _, n := range g.Nodes {
		before[n.Name] = n.Device
	}
	p, err := Place(g, set, o)
	want := c.Expect
	if e := want.Error; e != nil {
		if err == nil {
			t.Fatalf("placed, want %s: %s", e.Code, e.Why)
		}
		if code := tensor.CodeOf(err).String(); code != e.Code {
			t.Errorf("code %s, want %s: %v", code, e.Code, err)
		}
		for _, w := range append(slices.Clone(e.Mentions), whys[e.Why]...) {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("the message lacks %q (%s): %v", w, e.Why, err)
			}
		}
		for _, n := range g.Nodes {
			if n.Device != before[n.Name] {
				t.Errorf("%s is on %s after an error", n.Name, n.Device)
			}
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	device := func(name string) *Device {
		d := set.Find(g.Node(name).Device)
		if d == nil || p.Of(name).Device != d.FullName {
			t.Fatalf("%s is on %q", name, g.Node(name).Device)
		}
		return d
	}
	for _, n := range g.Nodes {
		device(n.Name)
		if p.Of(n.Name).Reason == "" {
			t.Errorf("%s has no reason", n.Name)
		}
	}
	for n, typ := range want.Type {
		if d := device(n); d.Type != typ {
			t.Errorf("%s is on %s, want type %s (%s)", n, d.FullName, typ, p.Of(n).Reason)
		}
	}
	for n, name := range want.Device {
		if d := device(n); d.FullName != name {
			t.Errorf("%s is on %s, want %s (%s)", n, d.FullName, name, p.Of(n).Reason)
		}
	}
	for n, part := range want.Contains {
		if d := device(n); !strings.Contains(d.FullName, part) {
			t.Errorf("%s is on %s, want %s", n, d.FullName, part)
		}
	}
	for _, l := range want.Same {
		if device(l[0]) != device(l[1]) {
			t.Errorf("%s is on %s, %s on %s", l[0], device(l[0]).FullName, l[1], device(l[1]).FullName)
		}
	}
	for _, l := range want.Different {
		if device(l[0]) == device(l[1]) {
			t.Errorf("%s and %s are on %s", l[0], l[1], device(l[0]).FullName)
		}
	}
	for _, l := range want.SameDeviceType {
		if device(l[0]).Type != device(l[1]).Type {
			t.Errorf("%s is on %s, %s on %s", l[0], device(l[0]).FullName, l[1], device(l[1]).FullName)
		}
	}
	if want.Order != nil {
		var got []string
		for _, d := range p.Decisions {
			if !slices.Contains(c.Feeds, d.Node) {
				got = append(got, d.Node)
			}
		}
		if !slices.Equal(got, want.Order) {
			t.Errorf("assigned in order %q, want %q", got, want.Order)
		}
	}
	if c.Log {
		placed := slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return slices.Contains(p.Changes, l) })
		if len(placed)+len(p.Changes) != len(lines) || len(placed) != len(p.Decisions) {
			t.Fatalf("%d lines of %d, %d changes", len(placed), len(lines), len(p.Changes))
		}
		for i, d := range p.Decisions {
			if want := d.Node + ": (" + d.Op + "): " + d.Device; placed[i] != want {
				t.Errorf("line %q, want %q", placed[i], want)
			}
		}
	}
}

// typesOf returns the types that the table lists for n's op, or TensorFlow's types if the table
// lacks the op.
func (s *scenarios) typesOf(n *ir.Node) (ins, outs []Type) {
	op := s.Ops[n.Op]
	if op.Inputs == nil && op.Outputs == nil {
		return typesOf(n)
	}
	return s.types(n, op.Inputs), s.types(n, op.Outputs)
}

// types parses an op's entry in the table: a list of types, or the name of the node's attribute
// that holds the list.
func (s *scenarios) types(n *ir.Node, spec any) []Type {
	var l []Type
	if key, ok := spec.(string); ok {
		for _, d := range n.DTypes(key) {
			l = append(l, Type{DType: d})
		}
		return l
	}
	spec0, _ := spec.([]any)
	for _, v := range spec0 {
		name, ref := strings.CutSuffix(v.(string), "_ref")
		d, ok := dtypeNamed(name)
		if !ok {
			d = n.DType(name)
		}
		l = append(l, Type{d, ref})
	}
	return l
}

func dtypeNamed(name string) (tensor.DType, bool) {
	return tensor.ParseDType("DT_" + strings.ToUpper(name))
}

func (c *scenario) graph(t *testing.T, s *scenarios) (*ir.Graph, map[string]string) {
	lib := &ir.Library{Functions: map[string]*ir.Function{}}
	for _, f := range c.Functions {
		fn := &ir.Function{Name: f.Name, Body: ir.NewGraph(f.Name)}
		fn.Body.Library = lib
		param := func(l []string) (params []ir.Param) {
			for _, a := range l {
				name, typ, _ := strings.Cut(a, ": ")
				d, _ := dtypeNamed(typ)
				params = append(params, ir.Param{Name: name, DType: d})
			}
			return params
		}
		fn.Args, fn.Rets = param(f.Args), param(f.Rets)
		var nodes []map[string]any
		for i, a := range fn.Args {
			nodes = append(nodes, map[string]any{"name": a.Name, "op": "_Arg", "T": strings.TrimPrefix(f.Args[i], a.Name+": "), "index": i})
		}
		nodes = append(nodes, f.Nodes...)
		for i, r := range fn.Rets {
			free := r.Name
			for slices.ContainsFunc(nodes, func(n map[string]any) bool { return n["name"] == free }) {
				free += "_RetVal"
			}
			nodes = append(nodes, map[string]any{"name": free, "op": "_Retval", "T": strings.TrimPrefix(f.Rets[i], r.Name+": "), "index": i,
				"inputs": []any{f.Returns[r.Name]}})
		}
		s.build(t, fn.Body, nodes)
		lib.Functions[f.Name] = fn
	}
	g := ir.NewGraph(c.Name)
	g.Library = lib
	return g, s.build(t, g, c.Nodes)
}

// build adds nodes to g. It returns the devices of the nodes that are already assigned, by the
// nodes' names.
func (s *scenarios) build(t *testing.T, g *ir.Graph, nodes []map[string]any) map[string]string {
	assigned := map[string]string{}
	for _, spec := range nodes {
		n := &ir.Node{Attrs: map[string]ir.Attr{}}
		for k, v := range spec {
			switch k {
			case "name":
				n.Name = v.(string)
			case "op":
				n.Op = v.(string)
			case "device":
				n.Device = v.(string)
			case "f":
				n.Attrs["f"] = ir.Func{Name: v.(string)}
			case "index":
				n.Attrs["index"] = int64(v.(int))
			case "class":
				if l, ok := v.([]any); ok {
					n.Attrs["_class"] = texts(l)
				} else {
					n.Attrs["_class"] = v.(string)
				}
			case "inputs", "assigned", "outs":
			default:
				if i, ok := v.(float64); ok {
					n.Attrs[k] = int64(i)
				} else if l, ok := v.([]any); ok {
					ds := []tensor.DType{}
					for _, name := range texts(l) {
						d, _ := dtypeNamed(name)
						ds = append(ds, d)
					}
					n.Attrs[k] = ds
				} else if d, ok := dtypeNamed(v.(string)); ok {
					n.Attrs[k] = d
				} else {
					t.Fatalf("%s: key %s", n.Name, k)
				}
			}
		}
		if _, ok := s.Ops[n.Op]; !ok {
			t.Fatalf("the file has no op %s", n.Op)
		}
		outs, ok := spec["outs"].(float64)
		if !ok {
			outs = float64(len(s.types(n, s.Ops[n.Op].Outputs)))
		}
		n.Outs = make([]ir.Fact, int(outs))
		if a, ok := spec["assigned"].(string); ok {
			assigned[n.Name] = a
		}
		if err := g.Add(n); err != nil {
			t.Fatal(err)
		}
	}
	for _, spec := range nodes {
		n := g.Node(spec["name"].(string))
		l, _ := spec["inputs"].([]any)
		for _, in := range texts(l) {
			if name, control := strings.CutPrefix(in, "^"); control {
				n.Controls = append(n.Controls, g.Node(name))
				continue
			}
			o, err := g.Lookup(in)
			if err != nil {
				t.Fatal(err)
			}
			n.Ins = append(n.Ins, o)
		}
	}
	return assigned
}

func texts(l []any) []string {
	r := make([]string, len(l))
	for i, v := range l {
		r[i] = fmt.Sprint(v)
	}
	return r
}
