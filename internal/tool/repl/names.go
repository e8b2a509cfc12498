package repl

import (
	"slices"
	"strings"
	"unicode"

	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/tensor"
)

// item is a tensor of the graph or a kept value.
type item struct {
	label  string         // name that is printed with the value
	tensor string         // name of the tensor to fetch; not used for a kept value
	value  *tensor.Tensor // value of a kept value, or of a tensor after a run; nil before
}

// wanted has the items whose values the user wants, and the nodes (targets) to run for their
// effects.
type wanted struct {
	items   []item
	targets []string
}

// want returns what the names in a statement mean. It looks up each name among the kept values, the
// signatures, the outputs and inputs of signatures, and the tensors and nodes of the graph, in this
// order.
func (s *Session) want(names []string) (wanted, error) {
	var w wanted
	for _, name := range names {
		if err := s.wantOne(&w, name); err != nil {
			return w, err
		}
	}
	return w, nil
}

func (s *Session) wantOne(w *wanted, name string) error {
	if v := s.values[name]; v != nil {
		w.items = append(w.items, item{label: name, value: v})
		return nil
	}
	for _, sig := range s.model.Signatures() {
		if sig.Name == name {
			for _, p := range sig.Outputs {
				w.items = append(w.items, item{label: printable(p.Key), tensor: canonical(p.Tensor)})
			}
			w.targets = append(w.targets, sig.Targets...)
			return nil
		}
	}
	for _, ports := range [][]named{s.outputs(), s.inputs()} {
		switch found := withKey(ports, name); {
		case len(found) == 1:
			w.items = append(w.items, item{label: printable(name), tensor: found[0]})
			return nil
		case len(found) > 1:
			return base.Usagef("%q means several tensors: %s; name one of them", name, strings.Join(found, ", "))
		}
	}
	o, isTensor, err := s.lookup(name)
	if err != nil {
		return err
	}
	switch n := o.Node; {
	case len(n.Outs) == 0:
		w.targets = append(w.targets, n.Name)
	case !isTensor && n.Outs[0].DType.Opaque():
		return s.wantHandle(w, n)
	default:
		w.items = append(w.items, item{label: o.String(), tensor: o.String()})
	}
	return nil
}

// wantHandle adds to w the value of node n if n is a variable: it adds the output of a node that
// reads the variable. If n has another kind of handle, wantHandle adds n to the targets.
func (s *Session) wantHandle(w *wanted, n *ir.Node) error {
	if n.Op == "VarHandleOp" {
		for _, r := range s.model.Graph().Nodes {
			if r.Op == "ReadVariableOp" && r.Ins[0].Node == n && len(r.Controls) == 0 {
				w.items = append(w.items, item{label: n.Name, tensor: r.Name + ":0"})
				return nil
			}
		}
		return base.Usagef("no node of the graph reads the variable %q without other effects", n.Name)
	}
	w.targets = append(w.targets, n.Name)
	return nil
}

// lookup finds a node or a tensor by its name, which may lack the first scopes. The result isTensor
// reports whether the name has an output number, as in "x:0".
func (s *Session) lookup(name string) (o ir.Out, isTensor bool, err error) {
	full, err := s.model.FullName(name)
	if err != nil {
		return o, false, err
	}
	isTensor = strings.Contains(full, ":")
	g := s.model.Graph()
	if n := g.Node(full); n != nil {
		return ir.Out{Node: n}, false, nil
	}
	if o, err = g.Lookup(full); tensor.CodeOf(err) == tensor.NotFound {
		return o, isTensor, tensor.Errorf(tensor.NotFound, "unknown name %q%s", name, base.Nearest(name, append(s.names(), commandNames()...)))
	}
	return o, isTensor, err
}

// printable returns the text with the character U+FFFD instead of each control character. A model
// may come from an untrusted source, and a terminal executes control sequences in its names.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) || r == '\n' {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}

// named is an input or an output of a signature.
type named struct{ key, tensor string }

// inputs returns the inputs of all signatures.
func (s *Session) inputs() (list []named) {
	for _, sig := range s.model.Signatures() {
		for _, p := range sig.Inputs {
			list = append(list, named{p.Key, canonical(p.Tensor)})
		}
	}
	return list
}

// outputs returns the outputs of all signatures.
func (s *Session) outputs() (list []named) {
	for _, sig := range s.model.Signatures() {
		for _, p := range sig.Outputs {
			list = append(list, named{p.Key, canonical(p.Tensor)})
		}
	}
	return list
}

// withKey returns the tensors of those ports that have the given key, without repetitions.
func withKey(ports []named, key string) (tensors []string) {
	for _, p := range ports {
		if p.key == key && !slices.Contains(tensors, p.tensor) {
			tensors = append(tensors, p.tensor)
		}
	}
	return tensors
}

// canonical returns a tensor's name with its output number.
func canonical(name string) string {
	if strings.Contains(name, ":") {
		return name
	}
	return name + ":0"
}

// fed returns the tensors that a name to the left of an equals sign means. The name may be the key
// of an input of signatures, the full name of any tensor, or the end of the name of a placeholder.
// For a tensor that is not a placeholder, the end of the name is not sufficient, so that "y =
// scores" does not feed a constant mul/y. If the name is unknown, fed returns nil.
func (s *Session) fed(name string) ([]string, error) {
	if found := withKey(s.inputs(), name); len(found) > 0 {
		return found, nil
	}
	o, err := s.model.Graph().Lookup(name)
	if tensor.CodeOf(err) != tensor.NotFound {
		return []string{o.String()}, err
	}
	var found []string
	for _, n := range s.model.Graph().Nodes {
		if isPlaceholder(n) && strings.HasSuffix(n.Name, "/"+strings.TrimSuffix(name, ":0")) {
			found = append(found, n.Name+":0")
		}
	}
	if len(found) > 1 {
		return nil, base.Usagef("%q means several inputs: %s; give more of the name", name, strings.Join(found, ", "))
	}
	return found, nil
}

// isPlaceholder reports whether a node is an input of the graph.
func isPlaceholder(n *ir.Node) bool {
	return strings.HasPrefix(n.Op, "Placeholder") && len(n.Outs) == 1
}

// port describes the key, the element type and the shape of a tensor, as far as they are known.
func (s *Session) port(name string) *rt.Port {
	f := s.model.Tensor(name)
	p := &rt.Port{Name: name, DType: f.DType, AnyRank: !f.Shape.Known}
	for _, p2 := range s.inputs() {
		if p2.tensor == name {
			p.Key = p2.key
		}
	}
	for _, d := range f.Shape.Dims {
		n, ok := d.IsInt()
		if !ok {
			n = -1
		}
		p.Shape, p.Dims = append(p.Shape, n), append(p.Dims, plan.DimText(d))
	}
	return p
}

// names returns all names that the user may write: those of kept values, of signatures, of their
// inputs and outputs, and of nodes.
func (s *Session) names() []string {
	names := base.SortedKeys(s.values)
	for _, sig := range s.model.Signatures() {
		names = append(names, sig.Name)
	}
	for _, p := range slices.Concat(s.inputs(), s.outputs()) {
		names = append(names, p.key)
	}
	for _, n := range s.model.Graph().Nodes {
		names = append(names, n.Name)
	}
	names = slices.DeleteFunc(names, func(s string) bool { return s != printable(s) })
	slices.Sort(names)
	return slices.Compact(names)
}
