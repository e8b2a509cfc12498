package placer

import (
	"fmt"
	"strings"

	"github.com/graphc/graphc/rt/tensor"
)

// constrain finds the nodes that must be together. It applies the constraints in TensorFlow's
// order. If the requests of two nodes conflict, this order decides which request is dropped.
func (p *placer) constrain(v *graph, stack []frame) (*groups, error) {
	s := &groups{p: p, graph: v, m: make([]member, len(v.nodes)), cause: make([]cause, len(v.nodes))}
	if err := s.init(); err != nil {
		return nil, err
	}
	calls, err := s.edgesTogether()
	if err != nil {
		return nil, err
	}
	s.hostLists()
	if err := s.calls(calls, stack); err != nil {
		return nil, err
	}
	if err := s.classes(); err != nil {
		return nil, err
	}
	for i := range s.nodes {
		s.excludeXLA(s.root(i))
	}
	return s, nil
}

// init makes a group for each node.
func (s *groups) init() error {
	var errs errorList
	for i := range s.nodes {
		if err := s.initNode(i); err != nil && errs.add(s.at(i, err)) {
			break
		}
	}
	return errs.err()
}

func (s *groups) initNode(i int) (err error) {
	n, m := &s.nodes[i], &s.m[i]
	m.parent = i
	m.types = s.p.supported(n.ir)
	if n.before != nil {
		m.assigned, m.requested = n.before.Name, n.before.Name
		if _, ok := m.types.has(n.before.Type); !ok && n.before.Type != composite {
			return tensor.Errorf(tensor.Internal, "assigned device %s has no kernel for %s", n.before.FullName, n.op)
		}
		return nil
	}
	if len(m.types.list) == 0 {
		return noKernel(s.p.set, n)
	}
	if n.request == "" {
		return nil
	}
	if m.requested, err = ParseName(n.request); err != nil {
		return err
	}
	if len(n.ins) == 0 && len(n.outs) == 1 && n.outs[0].shared() {
		m.resource = m.requested
	}
	return nil
}

// edgesTogether joins the groups of nodes that are connected by an edge for a reference, a resource
// or a dataset. It returns the calls whose functions must be inspected. The edges of these calls
// are handled later.
func (s *groups) edgesTogether() (calls []int, err error) {
	seen := map[int]bool{}
	deep := func(i int) (bool, error) {
		d, err := s.p.deep(s.graph, i)
		if d && !seen[i] {
			seen[i] = true
			calls = append(calls, i)
		}
		return d, err
	}
	for _, e := range s.edges {
		if e.dead || e.in < 0 {
			continue
		}
		d, err := deep(e.src)
		if err == nil && !d {
			d, err = deep(e.dst)
		}
		if err != nil {
			return nil, err
		}
		if d {
			continue
		}
		src, dst, t := &s.nodes[e.src], &s.nodes[e.dst], s.inType(e)
		switch {
		case t.DType == tensor.Variant && isDataset(src) && isDataset(dst):
			err = s.together(e.src, e.dst, byDataset)
		case t.shared() && !exempt(dst.op):
			k := byResource
			if t.Ref {
				k = byReference
			}
			err = s.together(e.src, e.dst, k)
		}
		if err != nil {
			return nil, err
		}
	}
	return calls, nil
}

// together joins the groups of the two nodes of an edge. The edge passes a reference, a resource or
// a dataset, so both nodes must be on one device. If only the requests of the two groups conflict,
// the consumer's request is dropped.
func (s *groups) together(src, dst int, k causeKind) error {
	a, b := &s.m[s.root(src)], &s.m[s.root(dst)]
	if compositeToPhysical(a.assigned, b.assigned) || compositeToPhysical(a.resource, b.resource) {
		return nil
	}
	clash := func(what string, x, y Name) error {
		return s.at(dst, tensor.Errorf(tensor.InvalidArgument,
			"a reference or resource edge connects colocation groups with incompatible %s devices: %s vs %s; the edge goes from node %q to node %q",
			what, x, y, s.label(src), s.label(dst)))
	}
	if !a.assigned.Compatible(b.assigned) {
		return clash("assigned", a.assigned, b.assigned)
	}
	if !a.resource.Compatible(b.resource) {
		return clash("resource", a.resource, b.resource)
	}
	if !a.requested.Compatible(b.requested) {
		s.note(dst, fmt.Sprintf("Ignoring device specification %s for node '%s' because the input edge from '%s' is a reference connection and already has a device field set to %s",
			b.requested, s.label(dst), s.label(src), a.requested))
		b.requested = a.requested.Specialise(b.assigned).Specialise(b.resource)
	}
	if e := s.join(src, dst); e != nil {
		return s.at(dst, tensor.Errorf(tensor.InvalidArgument,
			"a reference or resource connection requires nodes %q and %q to be on the same device, but they are assigned two different ones: %s",
			s.label(src), s.label(dst), message(e.err())))
	}
	s.because(dst, k, s.label(src))
	return nil
}

// compositeToPhysical reports whether an edge leads from a composite device, which combines several
// devices, to an ordinary one.
func compositeToPhysical(src, dst Name) bool {
	return src.HasType && dst.HasType && src.Type == composite && dst.Type != composite
}

// classes joins each node with every group that the node's attribute _class lists, and then with
// the group that has the node's name. The first node found in a group is the root of that group.
func (s *groups) classes() error {
	first := make(map[string]int, len(s.nodes))
	join := func(i int, group string) error {
		r, ok := first[group]
		if !ok {
			first[group] = i
			return nil
		}
		e := s.join(i, r)
		switch {
		case e == nil:
			if group != s.nodes[i].name {
				s.because(i, byClass, group)
			} else if r != i {
				s.because(i, byClass, s.nodes[r].name)
			}
		case s.p.o.Soft:
			s.note(i, fmt.Sprintf("Ignoring request to colocate node '%s' with nodes in colocation group '%s' because soft placement is on and they cannot be on one device: %s",
				s.label(i), tensor.Clip(group), e.brief()))
		default:
			return s.at(i, e.err())
		}
		return nil
	}
	for i := range s.nodes {
		n := &s.nodes[i]
		if n.fed { // at run time, a node with another name replaces the fed node, so its _class does not count
			continue
		}
		switch class := n.ir.Attrs["_class"].(type) {
		case []string:
			for _, c := range class {
				if group, ok := strings.CutPrefix(c, "loc:@"); ok {
					if err := join(i, group); err != nil {
						return err
					}
				}
			}
		case string:
			if class != "" {
				s.note(i, fmt.Sprintf("The value for colocation attribute '_class' must be a list of strings, not a single string: node '%s'", s.label(i)))
			}
		}
		if err := join(i, n.name); err != nil {
			return err
		}
	}
	return nil
}

// hostLists restricts some nodes to the CPU: those that pass on a TensorList whose elements can
// only be in host memory. The search starts at each op that handles such a list. From there it
// follows edges of type variant, through all nodes that pass variants on.
func (s *groups) hostLists() {
	var todo []int
	seen := map[int]bool{}
	for i := range s.nodes {
		if d := listElement(s.nodes[i].ir); d != tensor.Invalid && d != tensor.Variant && hostOnly(d) {
			todo = append(todo, i)
		}
	}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, k := range s.nodes[i].out {
			e := s.edges[k]
			if e.in < 0 || s.outType(e).DType != tensor.Variant || seen[e.dst] {
				continue
			}
			seen[e.dst] = true
			if d := listElement(s.nodes[e.dst].ir); d == tensor.Invalid || d == tensor.Variant {
				todo = append(todo, e.dst)
			}
		}
	}
	for i := range s.nodes {
		if m := &s.m[s.root(i)]; seen[i] && handsOn(s.nodes[i].op) {
			if prio, ok := m.types.has("CPU"); ok {
				m.types = s.p.intern([]Kernel{{"CPU", prio}})
			}
		}
	}
}

// excludeXLA drops the device types of XLA from a group, unless a device name of the group requests
// them or no other types are left.
func (s *groups) excludeXLA(root int) {
	m := &s.m[root]
	for _, n := range []Name{m.requested, m.assigned, m.resource} {
		if n.HasType && (isXLA(n.Type) || n.Type == composite) {
			return
		}
	}
	var l []Kernel
	for _, k := range m.types.list {
		if !isXLA(k.Type) {
			l = append(l, k)
		}
	}
	if len(l) > 0 && len(l) < len(m.types.list) {
		m.types = s.p.intern(l)
	}
}
