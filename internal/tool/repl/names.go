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

// item is something with a value: a tensor of the graph, or a kept value.
type item struct {
	label  string         // name that is printed with the value
	tensor string         // the tensor to fetch
	value  *tensor.Tensor // the value: set for kept values, and for tensors after a run
}

// wanted has the things that a list of names refers to: items with values, and nodes to run for
// their effects.
type wanted struct {
	items   []item
	targets []string
}

// want resolves the names of things that the user wants to compute or print. It looks for kept values,
// signatures, outputs and inputs of signatures, tensors and nodes, in this order.
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

// wantHandle adds the value of a variable to w, by means of a node that reads the variable. Other
// nodes whose output is a handle are only run.
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

// lookup finds a node or a tensor by its full name or by the end of its name. isTensor reports whether
// the name has an output number.
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

// printable returns a text without control characters: a model may come from an untrusted source,
// and a terminal obeys such characters.
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

// withKey returns the tensors that a key means, each once.
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

// fed returns the tensors that a name to the left of = means: an input of signatures, a tensor by
// its full name, or a placeholder by the end of its name. Other tensors need their full names here,
// so that y = scores does not feed the constant mul/y. It returns nil for an unknown name.
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

// isPlaceholder reports whether a node stands for an input of the graph.
func isPlaceholder(n *ir.Node) bool {
	return strings.HasPrefix(n.Op, "Placeholder") && len(n.Outs) == 1
}

// port describes what may be fed for a tensor.
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

// names returns all names that a person may write: of kept values, signatures, their inputs and
// outputs, and nodes.
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
