package partition

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/graphc/graphc/frontend"
	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/internal/testkit"
	"github.com/graphc/graphc/ir"
)

// goldenNode describes a node of a graph that TensorFlow has partitioned. Its fields are those in
// the file partitions.json.
type goldenNode struct {
	Name             string   `json:"name"`
	Op               string   `json:"op"`
	Inputs           []string `json:"inputs"`
	TensorName       string   `json:"tensor_name"`
	SendDevice       string   `json:"send_device"`
	RecvDevice       string   `json:"recv_device"`
	ClientTerminated bool     `json:"client_terminated"`
	DType            string   `json:"dtype"`
}

type goldenPart struct {
	Device []string     `json:"device"` // one
	Nodes  []goldenNode `json:"nodes"`
}

// TestGoldens compares the partitions that we make of a graph with those that TensorFlow made. It
// compares structure and, if the case demands this, also names.
func TestGoldens(t *testing.T) {
	roots := []string{"testdata/goldens"}
	if cases.Shared() != "" {
		roots = append(roots, testkit.NeedShared(t, "partition", "goldens"))
	}
	for _, root := range roots {
		found, err := cases.Find([]string{root})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range found {
			t.Run(filepath.Base(filepath.Dir(root))+"/"+c.Rel, func(t *testing.T) { golden(t, c) })
		}
	}
}

func golden(t *testing.T, c *cases.Case) {
	if c.Err != nil {
		t.Fatal(c.Err)
	}
	raw, err := os.ReadFile(filepath.Join(c.Dir, "case.json"))
	if err != nil {
		t.Fatal(err)
	}
	var own struct {
		Devices    []string
		Partitions string
		NamesToo   bool `json:"names_too"` // counters and all
	}
	if err := json.Unmarshal(raw, &own); err != nil || len(own.Devices) == 0 {
		t.Fatalf("case.json: %v, devices %v", err, own.Devices)
	}
	raw, err = os.ReadFile(filepath.Join(c.Dir, own.Partitions))
	if err != nil {
		t.Fatal(err)
	}
	var want []goldenPart
	if err := json.Unmarshal(raw, &want); err != nil {
		t.Fatal(err)
	}
	g := sessionGraph(t, c, own.Devices[0])
	parts, err := Split(g, Options{Client: own.Devices[0]})
	if err != nil {
		t.Fatal(err)
	}
	var got []goldenPart
	for _, p := range parts {
		if err := ir.Check(p.Graph); err != nil {
			t.Errorf("%s: %v", p.Device, err)
		}
		got = append(got, asGolden(p))
	}
	comparePartitions(t, got, want)
	if a, b := byName(t, got), byName(t, want); own.NamesToo && !maps.Equal(a, b) {
		for k := range a {
			if !b[k] {
				t.Errorf("ours only: %s", k)
			}
		}
	}
}

// byName returns all nodes with all their attributes.
func byName(t *testing.T, parts []goldenPart) map[string]bool {
	all := map[string]bool{}
	for _, p := range parts {
		for _, n := range p.Nodes {
			sort.Strings(n.Inputs[slices.IndexFunc(append(n.Inputs, "^"), func(s string) bool { return s[0] == '^' }):])
			raw, err := json.Marshal(n)
			if err != nil {
				t.Fatal(err)
			}
			all[p.Device[0]+string(raw)] = true
		}
	}
	return all
}

// sessionGraph reads a case's graph and the feeds and fetches of its last run.
func sessionGraph(t *testing.T, c *cases.Case, client string) *ir.Graph {
	t.Helper()
	m, err := frontend.Load([]string{c.ModelPath}, frontend.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g := m.Graph.Clone()
	for _, n := range g.Nodes {
		if n.Device == "" {
			n.Device = client
		}
	}
	r := c.Runs[len(c.Runs)-1]
	for _, name := range r.Feeds {
		o, err := g.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		g.Feeds = append(g.Feeds, ir.Feed{Name: name, Out: o})
	}
	for _, name := range r.Fetches {
		o, err := g.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		g.Fetches = append(g.Fetches, ir.Fetch{Name: name, Out: o})
	}
	for _, name := range r.Targets {
		g.Targets = append(g.Targets, g.Node(name))
	}
	return g
}

// asGolden lists a partition in the form of partitions.json.
func asGolden(p *Part) goldenPart {
	r := goldenPart{Device: []string{p.Device}}
	for _, n := range p.Graph.Nodes {
		x := goldenNode{Name: n.Name, Op: n.Op, Inputs: inputNames(n), TensorName: n.Str("tensor_name"),
			SendDevice: n.Str("send_device"), RecvDevice: n.Str("recv_device"), ClientTerminated: n.Bool("client_terminated")}
		if x.TensorName != "" {
			t := n.DType("T")
			if len(n.Outs) > 0 {
				t = n.DType("tensor_type")
			}
			x.DType = t.TFName()
		}
		r.Nodes = append(r.Nodes, x)
	}
	return r
}

// inputNames returns a node's inputs in the form of a GraphDef.
func inputNames(n *ir.Node) []string {
	names := []string{}
	for _, o := range n.Ins {
		if o.Index == 0 {
			names = append(names, o.Node.Name)
		} else {
			names = append(names, o.String())
		}
	}
	var controls []string
	for _, c := range n.Controls {
		controls = append(controls, "^"+c.Name)
	}
	sort.Strings(controls)
	return append(names, controls...)
}

// comparePartitions checks that two lists of partitions have the same structure. It gives each node
// a color, which at first depends on its op, attributes and name without counters. The colors are
// then refined: the new color of a node depends on the old colors of the node, its inputs and its
// readers. For this purpose, a send is an input of its receive. The refinement ends when the number
// of colors no longer grows.
func comparePartitions(t *testing.T, got, want []goldenPart) {
	t.Helper()
	a, b := describe(t, got), describe(t, want)
	if slices.Equal(a, b) {
		return
	}
	for _, s := range a {
		if !slices.Contains(b, s) {
			t.Errorf("ours only: %s", s)
		}
	}
	for _, s := range b {
		if !slices.Contains(a, s) {
			t.Errorf("TensorFlow's only: %s", s)
		}
	}
	if !t.Failed() {
		t.Errorf("nodes are there another number of times: %d, TensorFlow's %d", len(a), len(b))
	}
}

var (
	counter    = regexp.MustCompile(`/_\d+$`)
	edgeNumber = regexp.MustCompile(`^edge_\d+_`)
)

// plainName returns the name of a node without its counter. For the nodes of control loops, it
// returns the same name for all, because their names depend on the order of edges.
func plainName(n goldenNode) string {
	base := counter.ReplaceAllString(n.Name, "")
	switch {
	case strings.HasPrefix(base, loopPrefix):
		return loopPrefix
	case base != n.Name && n.Op == "Const" && len(n.Inputs) == 0:
		return "const"
	}
	return base
}

// describe returns one line for each node. A line consists of the node's label and its color, which
// identifies its position in the graph.
func describe(t *testing.T, parts []goldenPart) []string {
	t.Helper()
	type vertex struct {
		label  string // for messages
		colour string
		ins    []string // the kinds of its input edges, and the keys of the vertices from which they come
	}
	all := map[string]*vertex{}
	var keys []string
	sends, recvs := map[string]string{}, map[string]string{}
	for _, p := range parts {
		for _, n := range p.Nodes {
			key := p.Device[0] + " " + n.Name
			if all[key] != nil {
				t.Fatalf("two nodes are %s", key)
			}
			v := &vertex{label: fmt.Sprintf("%s: %s %s %v %s %s", p.Device, n.Op, n.Name, n.Inputs, n.TensorName, n.DType)}
			v.colour = fmt.Sprint(p.Device, n.Op, plainName(n), edgeNumber.ReplaceAllString(n.TensorName, ""), n.SendDevice, n.RecvDevice, n.ClientTerminated, n.DType)
			transfer := n.SendDevice + ";" + n.RecvDevice + ";" + n.TensorName
			switch n.Op {
			case "_Send", "_HostSend":
				sends[transfer] = key
			case "_Recv", "_HostRecv":
				recvs[key] = transfer
			}
			for i, in := range n.Inputs {
				name, kind := in, fmt.Sprint(i)
				if c, ok := strings.CutPrefix(in, "^"); ok {
					name, kind = c, "^"
				} else if at := strings.LastIndexByte(in, ':'); at > 0 {
					name, kind = in[:at], kind+in[at:]
				}
				v.ins = append(v.ins, kind+"\x00"+p.Device[0]+" "+name)
			}
			all[key] = v
			keys = append(keys, key)
		}
	}
	for key, transfer := range recvs {
		if sends[transfer] == "" {
			t.Errorf("%s has no send", all[key].label)
			continue
		}
		all[key].ins = append(all[key].ins, "pair\x00"+sends[transfer])
	}
	for range 12 {
		next := map[string][]string{}
		for _, key := range keys {
			for _, in := range all[key].ins {
				kind, from, _ := strings.Cut(in, "\x00")
				if all[from] == nil {
					t.Fatalf("%s reads %s, which is not there", all[key].label, from)
				}
				next[key] = append(next[key], "<"+kind+all[from].colour)
				next[from] = append(next[from], ">"+kind+all[key].colour)
			}
		}
		for _, key := range keys {
			sort.Strings(next[key])
			all[key].colour = hashed(all[key].colour, next[key])
		}
	}
	var out []string
	for _, key := range keys {
		name := strings.TrimSpace(all[key].label)
		out = append(out, all[key].colour+" "+blank(name))
	}
	sort.Strings(out)
	return out
}
