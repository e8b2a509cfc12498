package frontend

import (
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/graphc/graphc/frontend/pb"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// maxMessage is the most bytes that a protocol buffer may have.
const maxMessage = 1<<31 - 1

// WriteGraphDef writes a graph with its library in TensorFlow's binary form: what
// GraphDef returns, the same bytes for the same graph. ResourceExhausted for a graph of 2 GiB or more.
func WriteGraphDef(w io.Writer, g *ir.Graph) error {
	d, err := GraphDef(g)
	if err != nil {
		return err
	}
	if n := proto.Size(d); n > maxMessage {
		return tensor.Errorf(tensor.ResourceExhausted, "the GraphDef would have %d bytes; at most %d can be written", n, maxMessage)
	}
	raw, err := proto.MarshalOptions{Deterministic: true}.Marshal(d)
	if err != nil {
		return tensor.Errorf(tensor.Internal, "the GraphDef cannot be written: %v", err)
	}
	_, err = w.Write(raw)
	return err
}

// GraphDef returns a graph with its library as TensorFlow has it. Feeds, fetches and targets are
// no part of it. Functions have concrete types: each instance is a function of its
// own. Names that readers refuse are changed; see nodeNames. InvalidArgument for a graph with regions, which a GraphDef cannot state; Unimplemented for a
// body that reads a result of an op whose signature is not known.
func GraphDef(g *ir.Graph) (*pb.GraphDef, error) {
	w := &writer{lib: g.Library, names: functionNames(g.Library)}
	own := nodeNames(g)
	name := func(n *ir.Node) string {
		if s, ok := own[n]; ok {
			return s
		}
		return n.Name
	}
	d := &pb.GraphDef{Versions: &pb.VersionDef{Producer: int32(g.Producer)}}
	for _, n := range g.Nodes {
		nd, err := w.node(n, func(o ir.Out) (string, error) {
			if o.Index == 0 {
				return name(o.Node), nil
			}
			return name(o.Node) + ":" + strconv.Itoa(o.Index), nil
		}, name)
		if err != nil {
			return nil, tensor.AtNode(err, n.Name, n.Op)
		}
		nd.Name = name(n)
		d.Node = append(d.Node, nd)
	}
	if g.Library == nil {
		return d, nil
	}
	d.Library = &pb.FunctionDefLibrary{}
	// In the order of the names that are written: a file that is read and written again is the same.
	written := func(a, b string) int { return strings.Compare(w.call(a), w.call(b)) }
	for _, name := range slices.SortedFunc(maps.Keys(g.Library.Functions), written) {
		f, err := w.function(g.Library.Functions[name])
		if err != nil {
			return nil, &FileError{File: g.Name, Function: name, Err: err}
		}
		d.Library.Function = append(d.Library.Function, f)
	}
	for _, name := range slices.SortedFunc(maps.Keys(g.Library.Gradients), written) {
		d.Library.Gradient = append(d.Library.Gradient, &pb.GradientDef{FunctionName: w.call(name), GradientFunc: w.call(g.Library.Gradients[name])})
	}
	return d, nil
}

// writer turns ir into TensorFlow's messages.
type writer struct {
	lib   *ir.Library
	names map[string]string // functions whose names TensorFlow would not take
}

// call returns the name under which a function is written.
func (w *writer) call(name string) string {
	if s, ok := w.names[name]; ok {
		return s
	}
	return name
}

// functionNames gives the instances of functions with attributes of their own, which are named
// after the values, names that TensorFlow takes.
func functionNames(lib *ir.Library) map[string]string {
	if lib == nil {
		return nil
	}
	names := map[string]string{}
	taken := map[string]bool{}
	for _, name := range sortedKeys(lib.Functions) {
		if functionName(name) {
			taken[name] = true
		}
	}
	for _, name := range sortedKeys(lib.Functions) {
		if functionName(name) {
			continue
		}
		base := ir.Ident(name)
		s := base
		for i := 1; taken[s]; i++ {
			s = base + "_" + strconv.Itoa(i)
		}
		taken[s], names[name] = true, s
	}
	return names
}

// functionName reports a name of the characters that names of nodes have, too.
func functionName(s string) bool { return validName(s, true) }

// nodeNames gives nodes whose names TensorFlow's importers refuse others: without the
// underscores that names of its own making, such as _arg_x_0_0, begin with, or of other characters.
func nodeNames(g *ir.Graph) map[*ir.Node]string {
	names := map[*ir.Node]string{}
	var taken map[string]bool
	for _, n := range g.Nodes {
		if validName(n.Name, false) {
			continue
		}
		if taken == nil {
			taken = map[string]bool{}
			for _, n := range g.Nodes {
				taken[n.Name] = true
			}
		}
		base := strings.TrimLeft(n.Name, "_")
		if !validName(base, false) {
			base = "node_" + ir.Ident(base)
		}
		s := base
		for i := 1; taken[s]; i++ {
			s = base + "_" + strconv.Itoa(i)
		}
		taken[s], names[n] = true, s
	}
	return names
}

// node writes a node whose inputs are named by the two functions.
func (w *writer) node(n *ir.Node, input func(ir.Out) (string, error), control func(*ir.Node) string) (*pb.NodeDef, error) {
	if n.Region != nil {
		return nil, invalid("the node stands in a region, which a GraphDef cannot state")
	}
	d := &pb.NodeDef{Name: n.Name, Op: w.call(n.Op), Device: n.Device, Attr: make(map[string]*pb.AttrValue, len(n.Attrs))}
	for _, o := range n.Ins {
		name, err := input(o)
		if err != nil {
			return nil, err
		}
		d.Input = append(d.Input, name)
	}
	for _, c := range n.Controls {
		d.Input = append(d.Input, "^"+control(c))
	}
	for k, a := range n.Attrs {
		v, err := w.attr(a)
		if err != nil {
			return nil, tensor.Errorf(tensor.CodeOf(err), "attribute %q: %s", k, plain(err))
		}
		d.Attr[k] = v
	}
	if len(n.Origin.Names) > 0 {
		d.ExperimentalDebugInfo = &pb.NodeDef_ExperimentalDebugInfo{OriginalNodeNames: slices.Clone(n.Origin.Names)}
	}
	return d, nil
}
