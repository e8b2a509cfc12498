package frontend

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/graphc/graphc/frontend/opdef"
	"github.com/graphc/graphc/frontend/pb"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// builder converts the nodes of one graph, or of one function's body, to ir.
type builder struct {
	file     string
	function string
	lib      *library
	producer int
	bind     map[string]ir.Attr // values of the function's attributes
	splat    *int64
	errs     *Errors
	calls    map[string]bool // names of the library functions that the nodes call
	deadline ir.Deadline
}

// stopped reports whether the deadline for reading has passed. If it has passed, stopped also adds
// the error. The parameter i is the index of the current node. To save time, the check is made only
// for some values of i.
func (b *builder) stopped(i int) bool {
	if i%1024 != 0 {
		return false
	}
	err := b.deadline.Err()
	if err != nil {
		*b.errs = append(*b.errs, err)
	}
	return err != nil
}

func (b *builder) fail(err error) {
	if err != nil && len(*b.errs) < maxErrors {
		*b.errs = append(*b.errs, &FileError{File: b.file, Function: b.function, Err: err})
	}
}

// build builds m.Graph from m.sources, and then sets m.sources to nil.
func (m *Model) build(o Options) error {
	var errs Errors
	g := ir.NewGraph(m.sources[0].file)
	m.Graph = g
	if err := m.checkSize(o); err != nil {
		return err
	}
	m.mergeVersions(&errs)
	splat := o.splat
	if splat == 0 {
		splat = maxSplats
	}
	lib := newLibrary(o.Limits, g.Producer, &splat)
	lib.own = o.Ops
	for _, s := range m.sources {
		lib.add(s, &errs)
	}
	lib.gradients(m.sources, &errs)
	b := &builder{lib: lib, producer: g.Producer, splat: &splat, errs: &errs, calls: map[string]bool{}, deadline: o.Deadline}
	nodes := b.mainNodes(g, m.sources)
	b.connect(nodes)
	if len(errs) > 0 {
		return errs
	}
	b.file = m.sources[0].file
	if _, err := g.Order(); err != nil {
		b.fail(err)
		return errs
	}
	g.Library, m.Broken = lib.build(o.Deadline)
	if err := o.Deadline.Err(); err != nil {
		return err
	}
	for _, f := range g.Library.Functions {
		f.Body.Library = g.Library
	}
	m.sources = nil
	return nil
}

// checkSize returns an error if there are more nodes than allowed. It is called before any node is
// converted.
func (m *Model) checkSize(o Options) error {
	n := 0
	var over error // error for the first node that exceeds the limit, nil if there is none
	count := func(s source, function string, nodes []*pb.NodeDef) {
		if left := o.Limits.Nodes - n; over == nil && left < len(nodes) {
			d := nodes[max(left, 0)]
			over = &FileError{File: s.file, Function: tensor.Clip(function), Err: tensor.AtNode(tensor.Errorf(tensor.ResourceExhausted, ""), tensor.Clip(d.GetName()), tensor.Clip(d.GetOp()))}
		}
		n += len(nodes)
	}
	for _, s := range m.sources {
		count(s, "", s.def.Node)
		for _, f := range s.def.GetLibrary().GetFunction() {
			count(s, f.GetSignature().GetName(), f.GetNodeDef())
		}
	}
	var e *tensor.Error
	if errors.As(over, &e) {
		e.Msg = fmt.Sprintf("the graph has %d nodes, at most %d are accepted; --%s raises the limit", n, o.Limits.Nodes, ir.FlagNodes)
	}
	return over
}

// mergeVersions checks that the versions in each file allow this reader to read it. The files may
// have different producer versions, as when a TensorFlow session extends its graph. Each node is
// checked against the version of the file that contains it. The producer version of the whole graph
// is the lowest one.
func (m *Model) mergeVersions(errs *Errors) {
	for i, s := range m.sources {
		v := s.def.GetVersions()
		fail := func(format string, args ...any) {
			*errs = append(*errs, &FileError{File: s.file, Err: invalid(format, args...)})
		}
		if v.GetMinConsumer() > opdef.GraphVersion {
			fail("the graph needs a reader of GraphDef version %d or later; this is %d", v.GetMinConsumer(), opdef.GraphVersion)
		}
		if slices.Contains(v.GetBadConsumers(), opdef.GraphVersion) {
			fail("the graph excludes readers of GraphDef version %d, such as this one", opdef.GraphVersion)
		}
		if v.GetProducer() < 0 {
			fail("the graph's producer has version %d", v.GetProducer())
		}
		if p := int(v.GetProducer()); i == 0 || p < m.Graph.Producer {
			m.Graph.Producer = p
		}
	}
}

// mainNodes converts the nodes of the main graph, and returns the converted nodes by name. The
// value is nil for a node that could not be converted.
func (b *builder) mainNodes(g *ir.Graph, sources []source) map[string]*typed {
	nodes := map[string]*typed{}
	for _, s := range sources {
		b.file, b.producer = s.file, int(s.def.GetVersions().GetProducer())
		for i, d := range s.def.Node {
			if b.stopped(i) {
				return nodes
			}
			if !validName(d.Name, false) {
				b.fail(tensor.AtNode(invalid("the name %q is not accepted: letters, digits and . _ - / are, a letter, a digit or a dot first", tensor.Clip(d.Name)), cmp.Or(tensor.Clip(d.Name), fmt.Sprintf("#%d", i)), d.Op))
				nodes[d.Name] = nil
				continue
			}
			if _, twice := nodes[d.Name]; twice {
				b.fail(tensor.AtNode(invalid("another node has this name"), d.Name, d.Op))
				continue
			}
			t := b.node(d, ir.Origin{File: s.file, Index: i})
			d.Attr = nil // frees the attributes, so that large constants are not kept twice
			nodes[d.Name] = t
			if t != nil {
				if err := g.Add(t.Node); err != nil {
					b.fail(err)
				}
			}
		}
	}
	return nodes
}

// connect resolves the inputs of the main graph's nodes, which have the form name, name:index or
// ^name, and checks the number and the types of the inputs against the signatures.
func (b *builder) connect(nodes map[string]*typed) {
	for i, t := range sortedByOrigin(nodes) {
		if b.stopped(i) {
			return
		}
		b.file = t.Origin.File
		fail := func(err error) { b.fail(tensor.AtNode(err, t.Name, t.Op)) }
		data, sound := 0, true
		controls := map[*ir.Node]bool{}
		var ins []ir.Out
		var types []edge
		for i, in := range t.def.Input {
			if name, ok := strings.CutPrefix(in, "^"); ok {
				from, exists := nodes[name]
				switch {
				case !exists:
					fail(invalid("control input %q names no node%s", tensor.Clip(in), b.suggestNode(name, nodes)))
				case from != nil && !controls[from.Node]:
					controls[from.Node] = true
					t.Controls = append(t.Controls, from.Node)
				}
				continue
			}
			if len(controls) > 0 || data < i {
				fail(invalid("data input %q follows a control input", tensor.Clip(in)))
				sound = false
				continue
			}
			data++
			name, index := tensorName(in)
			from, exists := nodes[name]
			switch {
			case !exists:
				fail(invalid("input %d, %q, names no node%s", i, tensor.Clip(in), b.suggestNode(name, nodes)))
				sound = false
			case from == nil:
				sound = false
			case index >= len(from.outs):
				fail(invalid("input %d is output %d of node %q (%s), which has %d", i, index, name, from.Op, len(from.outs)))
				sound = false
			default:
				ins = append(ins, ir.Out{Node: from.Node, Index: index})
				types = append(types, from.outs[index])
			}
		}
		if !sound {
			continue
		}
		if len(ins) != len(t.ins) {
			fail(invalid("it has %d inputs; the op and its attributes take %d: %s", len(ins), len(t.ins), edgeList(t.ins)))
			continue
		}
		for i := range ins {
			fail(checkEdge(i, ins[i], types[i], t.ins[i]))
		}
		t.Ins = ins
		for _, c := range colocated(t.Node) {
			if _, exists := nodes[c]; !exists {
				fail(invalid("it must be colocated with %q, which is not a node", tensor.Clip(c)))
			}
		}
		t.def.Input = nil
	}
}

// checkEdge compares the type of an input with the type that the op accepts.
func checkEdge(i int, from ir.Out, got, want edge) error {
	if got.dtype != want.dtype {
		return invalid("input %d is %s from %s (%s); %s is accepted", i, got, from, from.Node.Op, want)
	}
	if want.ref && !got.ref {
		return invalid("input %d is the value %s from %s (%s); a reference to a variable is accepted", i, got, from, from.Node.Op)
	}
	return nil
}

// colocated returns the names of the nodes that a node must be placed with.
func colocated(n *ir.Node) []string {
	var names []string
	class, _ := n.Attrs["_class"].([]string)
	for _, c := range class {
		if name, ok := strings.CutPrefix(c, "loc:@"); ok {
			names = append(names, name)
		}
	}
	return names
}

func sortedByOrigin(nodes map[string]*typed) []*typed {
	l := make([]*typed, 0, len(nodes))
	for _, t := range nodes {
		if t != nil {
			l = append(l, t)
		}
	}
	slices.SortFunc(l, func(a, b *typed) int {
		if c := strings.Compare(a.Origin.File, b.Origin.File); c != 0 {
			return c
		}
		return a.Origin.Index - b.Origin.Index
	})
	return l
}

// suggestNode suggests a node with a similar name, unless there are too many nodes or too many
// errors.
func (b *builder) suggestNode(name string, nodes map[string]*typed) string {
	if len(nodes) > 2000 || len(*b.errs) > maxSuggestions {
		return ""
	}
	names := make([]string, 0, len(nodes))
	for n := range nodes {
		names = append(names, n)
	}
	if s := ir.Nearest(name, names); s != "" {
		return fmt.Sprintf("; did you mean %q?", s)
	}
	return ""
}

// functionDefs lists the functions of a source.
func functionDefs(s source) []*pb.FunctionDef { return s.def.GetLibrary().GetFunction() }
