package placer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// deepness records whether a node calls a function that returns a resource, and must therefore be
// inspected. The value is unknown until the method deep has examined the node.
type deepness uint8

const (
	unknown deepness = iota
	shallow
	looked
)

// deep reports whether node i calls a function that returns a resource.
func (p *placer) deep(v *graph, i int) (bool, error) {
	n := &v.nodes[i]
	if n.deep == unknown {
		n.deep = shallow
		if isCall(n.op) {
			f, call, err := v.callee(n)
			if err != nil {
				return false, tensor.AtNode(err, n.name, n.op)
			}
			if slices.ContainsFunc(f.Rets, func(r ir.Param) bool { return isResource(r, call) }) {
				n.deep = looked
			}
		}
	}
	return n.deep == looked, nil
}

func (v *graph) callee(n *node) (*ir.Function, ir.Func, error) {
	call, ok := n.ir.Attrs["f"].(ir.Func)
	if !ok {
		return nil, call, tensor.Errorf(tensor.InvalidArgument, "the call has no attribute f")
	}
	if v.lib != nil && v.lib.Functions[call.Name] != nil {
		return v.lib.Functions[call.Name], call, nil
	}
	return nil, call, tensor.Errorf(tensor.InvalidArgument, "the library has no function %q", tensor.Clip(call.Name))
}

// isResource reports whether a result is a resource or a list that contains one.
func isResource(r ir.Param, call ir.Func) bool {
	d := r.DType
	if r.TypeAttr != "" && d == tensor.Invalid {
		d, _ = call.Attrs[r.TypeAttr].(tensor.DType)
	}
	l, _ := call.Attrs[r.TypeListAttr].([]tensor.DType)
	return d == tensor.Resource || slices.Contains(l, tensor.Resource)
}

// frame is a call under inspection: the node and the function that contains it.
type frame struct{ function, node string }

// maxDepth bounds the nesting of calls.
const maxDepth = 1000

// io describes which arguments and results of a function are in the same group, and the possible
// devices of each group. The fields in and out hold a group number for each argument and each
// result. Such a number is an index of the field groups. The groups are numbered in the order in
// which they first occur, first among the arguments and then among the results.
type io struct {
	in, out []int
	groups  []possible
}

type possible struct {
	requested, resource Name
	types               *types
}

// The method named calls inspects every call that returns a resource. If an argument and a result
// are the same resource in the function's body, then the caller's nodes that are connected to this
// argument or this result must be on one device. The body's nodes that use the resource must be able
// to run on this device, too. The calls are visited in reverse order, because TensorFlow keeps them
// in a hash set, which usually returns them in reverse order.
func (s *groups) calls(calls []int, stack []frame) error {
	for _, i := range slices.Backward(calls) {
		g, err := s.inspect(i, stack)
		if err != nil {
			return s.at(i, err)
		}
		if err := s.apply(i, g); err != nil {
			return err
		}
	}
	return nil
}

// inspect finds the groups of the function that node i calls.
func (s *groups) inspect(i int, stack []frame) (*io, error) {
	p, n := s.p, &s.nodes[i]
	f, _, err := s.callee(n)
	if err != nil {
		return nil, err
	}
	if g, ok := p.inspected[f.Name]; ok {
		return g, nil
	}
	if f.Body == nil {
		return nil, tensor.Errorf(tensor.InvalidArgument, "function %q has no body", f.Name)
	}
	deeper := append(slices.Clip(stack), frame{s.name, n.name})
	if slices.ContainsFunc(deeper, func(fr frame) bool { return fr.function == f.Name }) {
		return nil, tensor.Errorf(tensor.Unimplemented,
			"recursive function calls are not supported: node %q inside the body of %q calls function %q, which is already present in the call stack: %s",
			n.name, s.name, f.Name, callStack(deeper, f.Name))
	}
	if len(deeper) > maxDepth {
		return nil, tensor.Errorf(tensor.ResourceExhausted, "calls nest deeper than %d: %s", maxDepth, callStack(deeper, f.Name))
	}
	g, err := s.inspectBody(f, deeper)
	if err != nil {
		if tensor.CodeOf(err) == tensor.Unimplemented || tensor.CodeOf(err) == tensor.ResourceExhausted {
			return nil, tensor.Errorf(tensor.CodeOf(err), "%s", message(err))
		}
		return nil, tensor.Errorf(tensor.CodeOf(err), "in function %q: %s", f.Name, err)
	}
	p.inspected[f.Name] = g
	return g, nil
}

func (s *groups) inspectBody(f *ir.Function, stack []frame) (*io, error) {
	body := f.Body
	if body.Library == nil {
		c := *body
		c.Library = s.lib
		body = &c
	}
	v, err := s.p.newGraph(body, f.Name)
	if err != nil {
		return nil, err
	}
	if err := s.p.isolate(v); err != nil {
		return nil, err
	}
	b, err := s.p.constrain(v, stack)
	if err != nil {
		return nil, err
	}
	g, number := &io{}, map[int]int{}
	for _, list := range []struct {
		op string
		to *[]int
	}{{"Arg", &g.in}, {"Retval", &g.out}} {
		for _, i := range v.indexed("_"+list.op, "_Device"+list.op) {
			r := b.root(i)
			k, ok := number[r]
			if !ok {
				k = len(g.groups)
				number[r] = k
				g.groups = append(g.groups, possible{b.m[r].requested, b.m[r].resource, b.m[r].types})
			}
			*list.to = append(*list.to, k)
		}
	}
	return g, nil
}

// indexed returns the numbers of the nodes that have one of the two ops. They are sorted by the
// attribute "index" of the nodes.
func (v *graph) indexed(op, other string) []int {
	var l []int
	for i := range v.nodes {
		if v.nodes[i].op == op || v.nodes[i].op == other {
			l = append(l, i)
		}
	}
	slices.SortStableFunc(l, func(a, b int) int { return v.nodes[a].ir.Int("index") - v.nodes[b].ir.Int("index") })
	return l
}

// callStack lists the calls of a stack. It omits the middle of a long stack.
func callStack(stack []frame, last string) string {
	var l []string
	for k, fr := range stack {
		callee := last
		if k+1 < len(stack) {
			callee = stack[k+1].function
		}
		in := "the graph's"
		if fr.function != "" {
			in = fmt.Sprintf("%q's", fr.function)
		}
		l = append(l, fmt.Sprintf("%s node %q calls %q", in, fr.node, callee))
	}
	if len(l) > 12 {
		l = slices.Concat(l[:6], []string{"…"}, l[len(l)-5:])
	}
	return strings.Join(l, ", ")
}

// apply applies the groups of a called function, given by g, to the nodes around call i. Nodes that
// are connected to arguments and results of one group are joined into one group. The possible
// devices of that group are restricted to those that are possible for the function's group.
func (s *groups) apply(i int, g *io) error {
	n := &s.nodes[i]
	if len(g.in) != len(n.ins) || len(g.out) != len(n.outs) {
		return s.at(i, tensor.Errorf(tensor.Internal, "the call has %d inputs and %d outputs, but its function has %d and %d",
			len(n.ins), len(n.outs), len(g.in), len(g.out)))
	}
	type end struct {
		node     int
		resource bool // the node reads a resource from the call
	}
	ends := make([][]end, len(g.groups))
	for _, k := range n.in {
		if e := s.edges[k]; e.in >= 0 && e.in < len(g.in) {
			ends[g.in[e.in]] = append(ends[g.in[e.in]], end{node: e.src})
		}
	}
	for _, k := range n.out {
		if e := s.edges[k]; e.in >= 0 && e.slot < len(g.out) {
			ends[g.out[e.slot]] = append(ends[g.out[e.slot]], end{e.dst, s.inType(e).DType == tensor.Resource})
		}
	}
	for _, l := range ends {
		for j := 1; j < len(l); j++ {
			if l[j].resource {
				if err := s.together(l[0].node, l[j].node, byCall); err != nil {
					return err
				}
			} else if e := s.join(l[0].node, l[j].node); e != nil {
				return s.at(l[j].node, e.err())
			}
			s.because(l[j].node, byCall, n.name)
		}
	}
	for k, l := range ends {
		if len(l) == 0 {
			continue
		}
		m, d := &s.m[s.root(l[0].node)], g.groups[k]
		requested, err := m.requested.Merge(d.requested, s.p.o.Soft)
		if err == nil {
			m.requested = requested
			m.resource, err = m.resource.Merge(d.resource, false)
		}
		if err != nil {
			return s.at(i, err)
		}
		if t := s.p.intersect(m.types, d.types); t != nil {
			m.types = t
		}
	}
	return nil
}
