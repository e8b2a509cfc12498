// Package fuzzgraph mutates the graphs and feeds of recorded cases to find defects of the compiler:
// panics, Internal errors, hangs, excessive memory, invalid Go code, and results that depend on the
// optional passes.
package fuzzgraph

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/graphc/graphc/frontend/opdef"
	"github.com/graphc/graphc/frontend/pb"
)

// Classes are the kinds of mutants.
var Classes = []string{"struct", "cross", "names", "bytes", "feeds"}

// Mutator makes a random mutant of a case.
type Mutator struct {
	Rand   *rand.Rand
	Class  string
	Donors []*pb.NodeDef // nodes of other graphs
	Notes  []string      // descriptions of the mutations

	// renamed maps old names of nodes to new ones. Only mutators of class "names" fill it.
	renamed map[string]string
}

func (m *Mutator) note(format string, args ...any) {
	m.Notes = append(m.Notes, fmt.Sprintf(format, args...))
}

func pick[T any](m *Mutator, list []T) T { return list[m.Rand.IntN(len(list))] }

// Graph returns a mutant of a GraphDef in its binary form.
func (m *Mutator) Graph(raw []byte) []byte {
	switch m.Class {
	case "feeds":
		return raw
	case "bytes":
		return m.bytes(raw)
	}
	g := &pb.GraphDef{}
	if proto.Unmarshal(raw, g) != nil || len(g.Node) == 0 {
		return m.bytes(raw)
	}
	for range 1 + m.Rand.IntN(3) {
		nodes := &g.Node
		if fs := g.GetLibrary().GetFunction(); len(fs) > 0 && m.Rand.IntN(3) == 0 {
			if f := pick(m, fs); len(f.NodeDef) > 0 {
				nodes = &f.NodeDef
			}
		}
		switch m.Class {
		case "cross":
			m.cross(nodes)
		case "names":
			m.names(g)
		default:
			m.structure(g, nodes)
		}
	}
	out, err := proto.MarshalOptions{Deterministic: true}.Marshal(g)
	if err != nil { // Marshal fails if a mutation made a name that is not UTF-8
		return raw
	}
	return out
}

// bytes changes bytes of the file.
func (m *Mutator) bytes(raw []byte) []byte {
	raw = slices.Clone(raw)
	for range 1 + m.Rand.IntN(4) {
		if len(raw) == 0 {
			break
		}
		i := m.Rand.IntN(len(raw))
		switch m.Rand.IntN(5) {
		case 0:
			raw[i] ^= 1 << m.Rand.IntN(8)
		case 1:
			raw[i] = byte(m.Rand.Uint32())
		case 2:
			raw = slices.Delete(raw, i, min(len(raw), i+1+m.Rand.IntN(8)))
		case 3:
			raw = slices.Insert(raw, i, raw[i:min(len(raw), i+1+m.Rand.IntN(32))]...)
		case 4:
			raw = raw[:i]
		}
		m.note("bytes at %d", i)
	}
	return raw
}

// input returns a random text for an input: a control input, or an output of one of the nodes. The
// output does not always exist.
func (m *Mutator) input(nodes []*pb.NodeDef) string {
	n := pick(m, nodes).GetName()
	switch m.Rand.IntN(8) {
	case 0:
		return fmt.Sprintf("%s:%d", n, m.Rand.IntN(3))
	case 1:
		return "^" + n
	}
	return n
}

// structure makes one random change to g: to a node, an input, an attribute, a device or the
// graph's version. The parameter nodes is the list of nodes to change: those of the graph or of one
// of its functions.
func (m *Mutator) structure(g *pb.GraphDef, nodes *[]*pb.NodeDef) {
	n := pick(m, *nodes)
	switch m.Rand.IntN(14) {
	case 0:
		if len(n.Input) > 0 {
			i := m.Rand.IntN(len(n.Input))
			n.Input[i] = m.fitting(nodes, slices.Index(*nodes, n), n, i)
			m.note("%s: input %d is %s", n.Name, i, n.Input[i])
		}
	case 1:
		c := proto.Clone(n).(*pb.NodeDef)
		c.Name += "_twice"
		*nodes = append(*nodes, c)
		if r := pick(m, *nodes); len(r.Input) > 0 {
			r.Input[m.Rand.IntN(len(r.Input))] = c.Name
		}
		m.note("%s is doubled", n.Name)
	case 2:
		i := slices.Index(*nodes, n)
		*nodes = slices.Delete(*nodes, i, i+1)
		if len(*nodes) == 0 {
			*nodes = append(*nodes, n)
		}
		m.note("%s is left out", n.Name)
	case 3:
		if len(n.Input) > 0 {
			i := m.Rand.IntN(len(n.Input))
			n.Input = slices.Delete(n.Input, i, i+1)
			m.note("%s: input %d is left out", n.Name, i)
		}
	case 4:
		n.Input = append(n.Input, m.input(*nodes))
		m.note("%s: input %s more", n.Name, n.Input[len(n.Input)-1])
	case 5:
		if len(n.Input) > 1 {
			i, j := m.Rand.IntN(len(n.Input)), m.Rand.IntN(len(n.Input))
			n.Input[i], n.Input[j] = n.Input[j], n.Input[i]
			m.note("%s: inputs %d and %d change places", n.Name, i, j)
		}
	case 6:
		o := pick(m, *nodes)
		if len(m.Donors) > 0 && m.Rand.IntN(2) == 0 {
			o = pick(m, m.Donors)
		}
		m.note("%s: op %s is %s", n.Name, n.Op, o.Op)
		n.Op = o.Op
		for k, v := range o.Attr {
			if n.Attr == nil {
				n.Attr = map[string]*pb.AttrValue{}
			}
			if n.Attr[k] == nil {
				n.Attr[k] = v
			}
		}
	case 7:
		switch m.Rand.IntN(3) {
		case 0:
			g.Versions = &pb.VersionDef{Producer: int32(m.extreme())}
		case 1:
			g.Versions = &pb.VersionDef{Producer: g.GetVersions().GetProducer(), MinConsumer: int32(m.extreme())}
		case 2:
			n.Device = pick(m, []string{"/cpu:0", "/gpu:0", "/job:a/task:1", "CPU:1", "/device:XLA_CPU:0", "x", "/device:CPU:*"})
		}
		m.note("versions or device")
	default:
		m.attribute(n)
	}
}

// extreme draws a number that is unusual for a size or an index.
func (m *Mutator) extreme() int64 {
	return pick(m, []int64{0, 1, 2, 3, 5, 7, 8, 63, 64, 100, 1 << 10, 1 << 16, 1 << 20, 1 << 31, 1<<31 - 1, 1 << 32, 1 << 40, 1 << 62, math.MaxInt64, -1, -2, -3, -64, math.MinInt32, math.MinInt64})
}

// cross inserts a node of another graph.
func (m *Mutator) cross(nodes *[]*pb.NodeDef) {
	if len(m.Donors) == 0 {
		return
	}
	var d *pb.NodeDef
	at, input := len(*nodes), -1 // indices of the node that will read the new one, and of its input
	for range 8 {                // try up to 8 nodes, until the output of one has the type of an input in the graph
		d = pick(m, m.Donors)
		def := opdef.Lookup(d.Op)
		if def == nil || m.Rand.IntN(16) == 0 {
			break
		}
		if outs := types(d, def.Outs); len(outs) > 0 {
			if all := readers(*nodes, outs[0]); len(all) > 0 {
				r := pick(m, all)
				at, input = r[0], r[1]
				break
			}
		}
	}
	d = proto.Clone(d).(*pb.NodeDef)
	d.Name = fmt.Sprintf("crossing_%d", len(*nodes))
	delete(d.Attr, "_class")
	d.Input = slices.DeleteFunc(d.Input, func(in string) bool { return strings.HasPrefix(in, "^") })
	for i := range d.Input {
		if d.Input[i] = m.fitting(nodes, at, d, i); strings.HasPrefix(d.Input[i], "^") {
			d.Input[i] = d.Input[i][1:]
		}
	}
	if input < 0 {
		var some []*pb.NodeDef
		for _, n := range *nodes {
			if len(n.Input) > 0 {
				some = append(some, n)
			}
		}
		if len(some) > 0 {
			r := pick(m, some)
			at, input = slices.Index(*nodes, r), m.Rand.IntN(len(r.Input))
		}
	}
	if input >= 0 {
		r := (*nodes)[at]
		r.Input[input] = d.Name
		m.note("%s reads %s (%s)", r.Name, d.Name, d.Op)
	}
	*nodes = append(*nodes, d)
}

// hostileNames are texts that must not have effects in written files.
var hostileNames = []string{"func", "a\nb", "a\"b", "*/ pwned() /*", "//go:linkname x y", "`", "\x00", "ä", "../../x", "pwned", "_", "a.b/c-d>e\\f",
	"\u202e", "\u2028", "type", "init", "main", "String", "x:0", "^x", "", " ", "A/B", "a/b/", strings.Repeat("n", 70_000), "%s%d", "${x}", "$(x)", "'; drop"}

// names makes one random change, with a text from hostileNames: it renames a node and its references,
// renames a function, or puts the text into an attribute.
func (m *Mutator) names(g *pb.GraphDef) {
	n := pick(m, g.Node)
	to := pick(m, hostileNames)
	switch m.Rand.IntN(5) {
	case 0, 1, 2:
		from := n.Name
		if m.Rand.IntN(2) == 0 {
			to = "n" + to // graphc accepts this name more often than the text alone
		}
		if !validText(to) {
			return
		}
		n.Name = to
		for _, r := range g.Node {
			for i, in := range r.Input {
				bare, index, ok := strings.Cut(strings.TrimPrefix(in, "^"), ":")
				if bare != from {
					continue
				}
				if r.Input[i] = in[:len(in)-len(strings.TrimPrefix(in, "^"))] + to; ok {
					r.Input[i] += ":" + index
				}
			}
		}
		if m.renamed == nil {
			m.renamed = map[string]string{}
		}
		for old, now := range m.renamed {
			if now == from {
				m.renamed[old] = to
			}
		}
		m.renamed[from] = to
	case 3:
		if fs := g.GetLibrary().GetFunction(); len(fs) > 0 && validText(to) {
			pick(m, fs).Signature.Name = to
		}
	case 4:
		m.text(n, to)
	}
	m.note("%.40q is a name", to)
}

// text puts a text into an attribute.
func (m *Mutator) text(n *pb.NodeDef, to string) {
	if n.Attr == nil {
		n.Attr = map[string]*pb.AttrValue{}
	}
	for _, k := range sortedKeys(n.Attr) {
		if v, ok := n.Attr[k].GetValue().(*pb.AttrValue_S); ok {
			v.S = []byte(to)
			return
		}
	}
	if validText(to) {
		n.Attr["_"+to] = &pb.AttrValue{Value: &pb.AttrValue_S{S: []byte(to)}}
	}
}

func validText(s string) bool { return strings.ToValidUTF8(s, "") == s }
