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

// maxMessage is the largest size in bytes of a protocol buffer.
const maxMessage = 1<<31 - 1

// WriteGraphDef writes g as a GraphDef (see function GraphDef) in TensorFlow's binary form. Equal
// graphs give equal bytes. The error is ResourceExhausted for a graph of 2 GiB or more.
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

// GraphDef returns a graph and its library as a TensorFlow GraphDef, without feeds, fetches and
// targets. Functions have concrete types: each instance becomes a separate function. Names that
// readers reject are changed; see nodeNames. The error is InvalidArgument for a graph with regions,
// because a GraphDef cannot express regions, and Unimplemented for a function body that reads a
// result of an op with unknown signature.
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
	// Functions are sorted by their written names, so that a file that is read and written again
	// stays the same.
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

// writer converts ir to TensorFlow's messages.
type writer struct {
	lib   *ir.Library
	names map[string]string // functions whose names TensorFlow would reject → new names
}

// call returns the name that a function has in the written graph.
func (w *writer) call(name string) string {
	if s, ok := w.names[name]; ok {
		return s
	}
	return name
}

// functionNames returns new names for the functions whose names TensorFlow would reject. These are
// instances of functions with attributes: their names contain attribute values.
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

// functionName reports whether s has only characters that node names may have.
func functionName(s string) bool { return validName(s, true) }

// nodeNames returns new names for nodes whose names TensorFlow's importers reject. It removes
// leading underscores, such as that of TensorFlow's internal name _arg_x_0_0, and replaces other
// invalid characters.
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

// node returns the message for a node. The first callback returns the written name of a data input.
// The second callback returns the written name of a control input.
func (w *writer) node(n *ir.Node, input func(ir.Out) (string, error), control func(*ir.Node) string) (*pb.NodeDef, error) {
	if n.Region != nil {
		return nil, invalid("the node is in a region, which a GraphDef cannot express")
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
