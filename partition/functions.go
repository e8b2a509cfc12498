package partition

import (
	"maps"
	"slices"

	"github.com/graphc/graphc/ir"
)

// implements is the attribute of a function that names its purpose: TensorFlow may exchange
// functions with the same purpose.
const implements = "api_implements"

// reachable returns the functions that the nodes of a graph may use: functions that they call or
// name in attributes, and the gradients and alternative implementations of these functions. It
// returns nil if lib is nil.
func reachable(g *ir.Graph, lib *ir.Library) *ir.Library {
	if lib == nil {
		return nil
	}
	same := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(lib.Functions)) {
		if api, _ := lib.Functions[name].Attrs[implements].(string); api != "" {
			same[api] = append(same[api], name)
		}
	}
	keep := map[string]bool{}
	var work []string
	add := func(name string) {
		if lib.Functions[name] != nil && !keep[name] {
			keep[name] = true
			work = append(work, name)
		}
	}
	nodes := func(g *ir.Graph) {
		for _, n := range g.Nodes {
			add(n.Op)
			for _, a := range n.Attrs {
				calls(a, add)
			}
		}
	}
	nodes(g)
	for len(work) > 0 {
		name := work[len(work)-1]
		work = work[:len(work)-1]
		f := lib.Functions[name]
		add(lib.Gradients[name])
		if api, _ := f.Attrs[implements].(string); api != "" {
			for _, other := range same[api] {
				add(other)
			}
		}
		if f.Body != nil {
			nodes(f.Body)
		}
	}
	r := &ir.Library{Functions: map[string]*ir.Function{}, Gradients: map[string]string{}}
	for name := range keep {
		f := *lib.Functions[name]
		if f.Body != nil {
			b := *f.Body
			b.Library = r
			f.Body = &b
		}
		r.Functions[name] = &f
	}
	for f, grad := range lib.Gradients {
		if keep[grad] && (keep[f] || lib.Functions[f] == nil) {
			r.Gradients[f] = grad
		}
	}
	return r
}

// calls finds the functions that an attribute names, and passes their names to the function add.
func calls(a ir.Attr, add func(string)) {
	switch v := a.(type) {
	case ir.Func:
		add(v.Name)
		for _, x := range v.Attrs {
			calls(x, add)
		}
	case []ir.Func:
		for _, f := range v {
			calls(f, add)
		}
	}
}

// incarnations sets the incarnation number of the sending device in all sends and receives in which
// this number is 0. It also does so in the functions of the library.
func (s *splitter) incarnations(g *ir.Graph) {
	if s.o.Incarnation == nil {
		return
	}
	for _, n := range g.Nodes {
		if i := s.incarnationOf(n); i != 0 {
			n.Attrs["send_device_incarnation"] = i
		}
	}
	if g.Library == nil {
		return
	}
	for _, f := range g.Library.Functions {
		if f.Body == nil || !slices.ContainsFunc(f.Body.Nodes, func(n *ir.Node) bool { return s.incarnationOf(n) != 0 }) {
			continue
		}
		f.Body = f.Body.Clone()
		for _, n := range f.Body.Nodes {
			if i := s.incarnationOf(n); i != 0 {
				n.Attrs["send_device_incarnation"] = i
			}
		}
	}
}

// incarnationOf returns the incarnation number to be set in the node n. It returns 0 if n is not a
// send or receive, or has the number already.
func (s *splitter) incarnationOf(n *ir.Node) int64 {
	switch n.Op {
	case "_Send", "_Recv", "_HostSend", "_HostRecv":
	default:
		return 0
	}
	if n.Int("send_device_incarnation") != 0 {
		return 0
	}
	return int64(s.o.Incarnation(n.Str("send_device")))
}
