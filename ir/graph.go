// Package ir is the graph that every pass edits: TensorFlow's nodes and edges with decoded
// attributes, facts about every tensor, and a journal of edits.
package ir

import (
	"fmt"
	"maps"
	"sort"
	"strings"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/rt/tensor"
)

// Graph is a graph, or the body of a function. Nodes are in the order of the file. Every order that
// the compiler derives from it is deterministic.
type Graph struct {
	Name  string // name of the file or function, for messages
	Nodes []*Node

	Feeds   []Feed  // the tensors that the caller feeds, in the caller's order
	Fetches []Fetch // the tensors that the caller gets, in the caller's order
	Targets []*Node // nodes to run for their effects

	Library  *Library // functions, shared by a graph and its bodies; may be nil
	Producer int      // GraphDef.versions.producer; 0 when the file has none

	// Symbols are the sizes known only at run time, by name. The map does not include sizes taken
	// from the feeds' shapes.
	Symbols map[string]Symbol

	// Journal lists the edits of nodes, in order.
	Journal []Edit
	// Refusals list why passes left nodes unchanged that looked like candidates. Only each pass's
	// last run counts.
	Refusals []Edit
	// Renamed maps names of nodes in the journal to the nodes' present names. It is nil if no node was
	// renamed.
	Renamed map[string]string

	// Deadline is the time at which work on the graph must end.
	Deadline Deadline

	byName map[string]*Node
}

// Node is an op with its attributes and inputs.
type Node struct {
	Name     string
	Op       string
	Attrs    map[string]Attr
	Ins      []Out   // data inputs, in the op's order
	Controls []*Node // control inputs: nodes that must run before this one, in no particular order
	Device   string
	Region   *Region // the branch or loop that contains the node; nil if no region contains it
	Origin   Origin

	// Outs holds one fact for each output of the node. The length of Outs is therefore the number of
	// outputs.
	Outs []Fact
}

// Origin records where a node came from.
type Origin struct {
	File  string   // base name of the file, or the function's name
	Index int      // position in the file
	Names []string // original nodes merged into this one
}

// Out is an output of a node. Index is the number of the output, counting each tensor of a list as
// one output. The zero Out means none.
type Out struct {
	Node  *Node
	Index int
}

// String formats as TensorFlow names tensors: name:0.
func (o Out) String() string {
	if o.Node == nil {
		return "<none>"
	}
	return fmt.Sprintf("%s:%d", o.Node.Name, o.Index)
}

// Fact returns the tensor's fact; callers may edit it in place.
func (o Out) Fact() *Fact { return &o.Node.Outs[o.Index] }

// Feed is a tensor that the caller feeds. After the graph is cut at its feeds and fetches, Out.Node
// is a Placeholder.
type Feed struct {
	Name string // the tensor as the caller names it: x:0
	Key  string // the signature's key, or the tensor's name
	Out  Out
	// Shape is the shape that the caller may feed. Symbols are sizes taken from the fed tensor;
	// sizes with equal symbols must agree.
	Shape Shape
}

// Fetch is a tensor that the caller gets.
type Fetch struct {
	Name string
	Key  string
	Out  Out
}

// Symbol is a size that becomes known only when the producer of Out runs. It is element Index of
// Out, an integer tensor. If Index is -1, it is a size that the producer reports when it runs.
type Symbol struct {
	Out   Out
	Index int
}

// Library holds functions by name.
type Library struct {
	Functions map[string]*Function
	Gradients map[string]string // function → its gradient function
}

// Function is a function of the library. Its body's inputs are _Arg nodes,
// its outputs _Retval nodes, each with an int attribute "index".
type Function struct {
	Name     string
	Args     []Param
	Rets     []Param
	Body     *Graph // attribute values may be Placeholder until instantiation
	Controls []ControlRet
	Stateful bool
	Attrs    map[string]Attr // the function's attributes, such as _noinline
}

// Param is an argument or a result of a function. If the parameter's type depends on the call,
// TypeAttr, NumberAttr and TypeListAttr name the attributes of the call that define the type.
type Param struct {
	Name         string
	DType        tensor.DType
	TypeAttr     string
	NumberAttr   string
	TypeListAttr string
}

// ControlRet is a control output of a function.
type ControlRet struct {
	Name string
	Node string // in the body
}

// NewGraph makes an empty graph.
func NewGraph(name string) *Graph {
	return &Graph{Name: name, Symbols: map[string]Symbol{}, byName: map[string]*Node{}}
}

// Node returns the node of that name, or nil.
func (g *Graph) Node(name string) *Node { return g.byName[name] }

// Add appends a node. Its name must be free; see Fresh.
func (g *Graph) Add(n *Node) error {
	if g.byName[n.Name] != nil {
		return tensor.Errorf(tensor.InvalidArgument, "two nodes are named %q", n.Name)
	}
	if n.Attrs == nil {
		n.Attrs = map[string]Attr{}
	}
	g.byName[n.Name] = n
	g.Nodes = append(g.Nodes, n)
	return nil
}

// Fresh returns the first unused name among base, base_1, base_2, …
func (g *Graph) Fresh(base string) string {
	name := base
	for i := 1; g.byName[name] != nil; i++ {
		name = fmt.Sprintf("%s_%d", base, i)
	}
	return name
}

// NewNode appends a node that has nout outputs with empty facts. The node's name is the first unused
// name among base, base_1, base_2, …
func (g *Graph) NewNode(base, op string, attrs map[string]Attr, nout int, ins ...Out) *Node {
	n := &Node{Name: g.Fresh(base), Op: op, Attrs: attrs, Ins: ins, Outs: make([]Fact, nout)}
	if err := g.Add(n); err != nil {
		panic(err) // Fresh returned a taken name
	}
	return n
}

// NewConst appends a Const node that holds t.
func (g *Graph) NewConst(base string, t *tensor.Tensor) Out {
	n := g.NewNode(base, "Const", map[string]Attr{"value": t, "dtype": t.DType}, 1)
	n.Outs[0] = ConstFact(t)
	return Out{n, 0}
}

// Lookup finds a tensor by TensorFlow's name: "n" is "n:0"; "^n" is rejected. The error is NotFound
// if there is no such node, and OutOfRange if the node has too few outputs.
func (g *Graph) Lookup(name string) (Out, error) {
	node, idx := name, 0
	if i := strings.LastIndexByte(name, ':'); i >= 0 {
		if _, err := fmt.Sscanf(name[i+1:], "%d", &idx); err != nil || idx < 0 || fmt.Sprint(idx) != name[i+1:] {
			return Out{}, tensor.Errorf(tensor.InvalidArgument, "%q is not a tensor name: the part after the colon is not an output number", name)
		}
		node = name[:i]
	}
	n := g.byName[node]
	if n == nil {
		return Out{}, tensor.Errorf(tensor.NotFound, "the graph has no node %q%s", node, g.suggest(node))
	}
	if idx >= len(n.Outs) {
		return Out{}, tensor.Errorf(tensor.OutOfRange, "%q: node %q (%s) has %d outputs", name, node, n.Op, len(n.Outs))
	}
	return Out{n, idx}, nil
}

// Clone copies the graph and its nodes; attribute values and the library are shared.
func (g *Graph) Clone() *Graph {
	c := *g
	c.Nodes = make([]*Node, len(g.Nodes))
	c.byName = make(map[string]*Node, len(g.Nodes))
	m := make(map[*Node]*Node, len(g.Nodes))
	for i, n := range g.Nodes {
		d := *n
		d.Attrs = make(map[string]Attr, len(n.Attrs))
		for k, v := range n.Attrs {
			d.Attrs[k] = v
		}
		d.Outs = append([]Fact(nil), n.Outs...)
		c.Nodes[i], m[n], c.byName[n.Name] = &d, &d, &d
	}
	out := func(o Out) Out {
		if o.Node == nil {
			return o
		}
		return Out{m[o.Node], o.Index}
	}
	for _, n := range c.Nodes {
		ins := make([]Out, len(n.Ins))
		for i, o := range n.Ins {
			ins[i] = out(o)
		}
		n.Ins = ins
		n.Controls = mapNodes(n.Controls, m)
	}
	regions := map[*Region]*Region{nil: nil}
	for _, r := range g.Regions() {
		d := *r
		d.Parent, d.Cond = regions[r.Parent], out(r.Cond)
		regions[r] = &d
	}
	for _, n := range c.Nodes {
		n.Region = regions[n.Region]
	}
	c.Feeds = append([]Feed(nil), g.Feeds...)
	for i := range c.Feeds {
		c.Feeds[i].Out = out(c.Feeds[i].Out)
	}
	c.Fetches = append([]Fetch(nil), g.Fetches...)
	for i := range c.Fetches {
		c.Fetches[i].Out = out(c.Fetches[i].Out)
	}
	c.Targets = mapNodes(g.Targets, m)
	c.Symbols = make(map[string]Symbol, len(g.Symbols))
	for k, s := range g.Symbols {
		c.Symbols[k] = Symbol{out(s.Out), s.Index}
	}
	c.Journal = append([]Edit(nil), g.Journal...)
	c.Refusals = append([]Edit(nil), g.Refusals...)
	c.Renamed = maps.Clone(g.Renamed)
	return &c
}

func mapNodes(ns []*Node, m map[*Node]*Node) []*Node {
	r := make([]*Node, len(ns))
	for i, n := range ns {
		r[i] = m[n]
	}
	return r
}

// FreshSymbol returns a symbol for a size that is known only when the producer of o runs. See Symbol for
// the parameter index. FreshSymbol defines the symbol if the tensor has no symbol with this index yet.
// If passes have merged nodes, a tensor may have several such symbols. FreshSymbol then returns the one
// whose name is first in alphabetical order.
func (g *Graph) FreshSymbol(o Out, index int) *sym.Expr {
	first := ""
	for name, s := range g.Symbols {
		if s.Out == o && s.Index == index && (first == "" || name < first) {
			first = name
		}
	}
	if first != "" {
		return sym.Var(first)
	}
	base := "n_" + Ident(o.Node.Name)
	if index >= 0 {
		base = sym.Signed + Ident(o.Node.Name)
	}
	if o.Index > 0 {
		base += fmt.Sprintf("_o%d", o.Index)
	}
	if index >= 0 {
		base += fmt.Sprintf("_i%d", index)
	}
	name := base
	for i := 1; ; i++ {
		if _, taken := g.Symbols[name]; !taken {
			break
		}
		name = fmt.Sprintf("%s_%d", base, i)
	}
	g.Symbols[name] = Symbol{o, index}
	return sym.Var(name)
}

// Ident turns any name into the tail of a Go identifier: letters, digits and underscores.
func Ident(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r < 128 && (r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') {
			b.WriteRune(r)
		} else {
			b.WriteByte('_')
		}
	}
	return b.String()
}

// suggest returns `; did you mean "x"?` if the graph has a node with a similar name, otherwise "".
func (g *Graph) suggest(name string) string {
	names := make([]string, 0, len(g.Nodes))
	for _, n := range g.Nodes {
		names = append(names, n.Name)
	}
	if s := Nearest(name, names); s != "" {
		return fmt.Sprintf("; did you mean %q?", s)
	}
	return ""
}

// Nearest returns the candidate closest to name by edit distance, or "" if none is within a third
// of the name's length.
func Nearest(name string, candidates []string) string {
	if len(name) > 200 {
		return ""
	}
	sorted := append([]string(nil), candidates...)
	sort.Strings(sorted)
	best, bestD := "", max(1, len(name)/3)+1
	for _, c := range sorted {
		if len(c) > 200 || len(c)-len(name) >= bestD || len(name)-len(c) >= bestD {
			continue
		}
		if d := distance(strings.ToLower(name), strings.ToLower(c)); d < bestD {
			best, bestD = c, d
		}
	}
	return best
}

// distance is Levenshtein's distance, where swapping two neighbors counts as one edit.
func distance(a, b string) int {
	before, prev, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, prev, row = prev, row, before
		row[0] = i
		for j := 1; j <= len(b); j++ {
			d := prev[j-1]
			if a[i-1] != b[j-1] {
				d++
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, before[j-2]+1)
			}
			row[j] = min(d, prev[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
