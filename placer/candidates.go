package placer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/graphc/graphc/rt/tensor"
)

type candidateKey struct {
	name  Name
	types *types
}

// filter returns the devices that match a partial name and whose type is in t. The default local
// device comes first. The others are sorted by the priority of their kernels, then by the rank of
// their type. Devices of equal rank are sorted by task, the local task first, and then by name.
func (p *placer) filter(name Name, t *types) []*Device {
	key := candidateKey{name, t}
	if l, ok := p.candidates[key]; ok {
		return l
	}
	type weighed struct {
		*Device
		priority int
	}
	var found []weighed
	for _, d := range p.set.Matching(name) {
		prio, ok := t.has(d.Type)
		if d.Type == composite && !ok && len(t.list) > 0 {
			prio, ok = t.list[0].Priority, true
		}
		if ok {
			found = append(found, weighed{d, prio})
		}
	}
	remote := func(d *Device) int {
		if p.near == nil || d.Name.SameTask(p.near.Name) {
			return 0
		}
		return 1
	}
	first := func(d *Device) int {
		if d == p.local {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(found, func(a, b weighed) int {
		return cmp.Or(first(a.Device)-first(b.Device), cmp.Compare(b.priority, a.priority), cmp.Compare(p.rank(b.Type), p.rank(a.Type)),
			remote(a.Device)-remote(b.Device), strings.Compare(a.FullName, b.FullName))
	})
	l := make([]*Device, len(found))
	for i, w := range found {
		l[i] = w.Device
	}
	p.candidates[key] = l
	return l
}

// devicesFor returns the possible devices of n's group, the best device first. It returns an error
// if there is no possible device.
func (s *groups) devicesFor(n int) ([]*Device, error) {
	root := s.root(n)
	m := &s.m[root]
	l := s.p.filter(m.requested, m.types)
	if len(l) == 0 && s.p.o.Soft && !m.requested.Empty() {
		l = s.soft(n, m)
	}
	if len(l) == 0 {
		return nil, s.at(n, s.noDevice(n, root))
	}
	return l, nil
}

// soft returns the possible devices of n's group under soft placement, which may ignore the type
// and number in a request. It first ignores only the type and number that ordinary nodes request.
// If no device is found, it also ignores the type and number that the creator of a resource
// requests, which moves the resource. It never ignores assigned devices, or the job, replica and
// task of a request.
func (s *groups) soft(n int, m *member) []*Device {
	asked := m.requested
	keep := asked.without(!m.assigned.HasType && !m.resource.HasType, !m.assigned.HasID && !m.resource.HasID)
	l := s.p.filter(keep, m.types)
	moved := ""
	if len(l) == 0 {
		l = s.p.filter(asked.without(!m.assigned.HasType, !m.assigned.HasID), m.types)
		moved = ", which changes the device of a resource, as operations colocated with it are not supported there"
	}
	if len(l) > 0 {
		s.note(n, fmt.Sprintf("Soft placement: %s is not possible for node '%s' and its group of type %s, so it is placed on %s%s",
			asked, s.label(n), m.types, l[0].FullName, moved))
	}
	return l
}

// noDevice returns the error for a node that no device can run.
func (s *groups) noDevice(n, root int) error {
	node, m, set := &s.nodes[n], &s.m[root], s.p.set
	own, err := ParseName(node.request)
	switch {
	case m.requested.Empty():
		return tensor.Errorf(tensor.InvalidArgument, "no kernel is registered to support this operation on %s%s", set.typeNames(), s.describe(root))
	case err != nil || own != m.requested:
		return tensor.Errorf(tensor.InvalidArgument,
			"could not satisfy explicit device specification %q because the node %q was colocated with a group of nodes that required incompatible device %q; available devices are [%s]%s",
			tensor.Clip(node.request), s.label(n), m.requested, set.names(), s.describe(root))
	case len(set.Matching(own)) == 0:
		gpu := ""
		if strings.EqualFold(own.Type, "gpu") {
			gpu = "; the requested device appears to be a GPU, but this build has none"
		}
		return tensor.Errorf(tensor.InvalidArgument, "it was explicitly assigned to %s but available devices are [%s]%s",
			tensor.Clip(node.request), set.names(), gpu)
	case own.HasType:
		return tensor.Errorf(tensor.InvalidArgument, "could not satisfy explicit device specification %q because no supported kernel for %s devices is available%s",
			tensor.Clip(node.request), own.Type, s.describe(root))
	}
	return tensor.Errorf(tensor.InvalidArgument, "could not satisfy explicit device specification %q; available devices are [%s]%s", tensor.Clip(node.request), set.names(), s.describe(root))
}

// noKernel returns the error for a node for which no device of the set has a kernel.
func noKernel(set *Set, n *node) error {
	asks := ""
	if n.request != "" {
		asks = fmt.Sprintf(", which asks for %s", tensor.Clip(n.request))
	}
	return tensor.Errorf(tensor.InvalidArgument, "no kernel was registered to support op %s used by node %q%s; device types are %s",
		n.op, tensor.Clip(n.name), asks, set.typeNames())
}

func (s *Set) typeNames() string {
	l := slices.Clone(s.types)
	slices.Sort(l)
	return "[" + list(l, 20) + "]"
}

// describe lists the contents of a group for an error message. It lists each op with the device
// types that have a kernel for it, and members of the group with the devices they request.
func (s *groups) describe(root int) string {
	var b strings.Builder
	m := &s.m[root]
	fmt.Fprintf(&b, "\n  colocation group of %q: types %s", s.label(root), m.types)
	for _, part := range []struct {
		what string
		name Name
	}{{"assigned", m.assigned}, {"resource", m.resource}, {"requested", m.requested}} {
		if !part.name.Empty() {
			fmt.Fprintf(&b, ", %s %s", part.what, part.name)
		}
	}
	ops, members, count := map[string]bool{}, []string{}, 0
	var kernels []string
	for i := range s.nodes {
		if s.root(i) != root {
			continue
		}
		n := &s.nodes[i]
		if !ops[n.op] && len(ops) < 50 {
			ops[n.op] = true
			kernels = append(kernels, fmt.Sprintf("\n    %s: kernels for %s", n.op, s.p.supported(n.ir)))
		}
		if count++; count > 20 {
			continue
		}
		at := ""
		if n.request != "" {
			at = " " + tensor.Clip(n.request)
		}
		if n.before != nil {
			at += " assigned " + n.before.FullName
		}
		members = append(members, fmt.Sprintf("\n    node %q (%s)%s", s.label(i), n.op, at))
	}
	slices.Sort(kernels)
	b.WriteString(strings.Join(kernels, "") + strings.Join(members, ""))
	if count > 20 {
		fmt.Fprintf(&b, "\n    and %d more nodes", count-20)
	}
	return b.String()
}

// errorList collects errors of nodes, ten at most.
type errorList struct {
	errs []error
}

// add adds an error and reports whether the list is full.
func (l *errorList) add(err error) bool {
	l.errs = append(l.errs, err)
	return len(l.errs) == 10
}

func (l *errorList) err() error {
	if len(l.errs) == 1 {
		return l.errs[0]
	}
	return tensor.Join(l.errs...)
}
