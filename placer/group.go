package placer

import "github.com/graphc/graphc/rt/tensor"

// member is a node's entry in the union-find; a root's entry describes its group.
type member struct {
	parent, rank int
	// assigned is the device of those nodes of the group that are already placed. It never changes.
	// resource is the request of the node that creates a resource or reference. Soft placement may
	// override it if no other way leads to a device. requested is the merged request of all nodes
	// of the group. It contains all parts of assigned and resource.
	assigned, resource, requested Name
	types                         *types
	device                        *Device // the device with the name assigned, or nil
}

// groups are the sets of nodes of one graph that must be on one device.
type groups struct {
	p *placer
	*graph
	m     []member
	cause []cause // why a node is in its group
	notes map[int][]string
}

// cause is the first reason for which a node was joined with another.
type cause struct {
	kind causeKind
	with string // a node or the name of a loc:@ group
}

type causeKind uint8

const (
	alone causeKind = iota
	byReference
	byResource
	byDataset
	byClass
	byCall
)

// root returns the root of n's group and compresses the path.
func (s *groups) root(n int) int {
	r := n
	for s.m[r].parent != r {
		r = s.m[r].parent
	}
	for s.m[n].parent != r {
		n, s.m[n].parent = s.m[n].parent, r
	}
	return r
}

// joinError explains why two groups cannot be merged into one group.
type joinError struct {
	s      *groups
	x, y   int
	names  error // why the device names cannot be merged; nil if they can, but the groups have no device type in common
	xr, yr int
}

// err returns the full error, which lists the contents of both groups. It takes time proportional
// to the size of the graph.
func (e *joinError) err() error {
	if e.names != nil {
		return tensor.Errorf(tensor.InvalidArgument, "cannot colocate nodes %q and %q: %s", e.s.label(e.x), e.s.label(e.y), message(e.names))
	}
	return tensor.Errorf(tensor.InvalidArgument,
		"cannot colocate nodes %q and %q because no device type supports both of those nodes and the other nodes colocated with them%s%s",
		e.s.label(e.x), e.s.label(e.y), e.s.describe(e.xr), e.s.describe(e.yr))
}

// brief formats the error without the groups.
func (e *joinError) brief() string {
	if e.names != nil {
		return message(e.names)
	}
	return "no device type supports both"
}

// join merges the groups of nodes x and y. The root of the smaller tree becomes a child of the root
// of the larger tree. If both trees are of equal rank, the root of y becomes a child of the root of
// x. On failure nothing changes.
func (s *groups) join(x, y int) *joinError {
	xr, yr := s.root(x), s.root(y)
	if xr == yr {
		return nil
	}
	keep, lose := xr, yr
	if s.m[xr].rank < s.m[yr].rank {
		keep, lose = yr, xr
	}
	a, b := &s.m[keep], &s.m[lose]
	assigned, err := a.assigned.Merge(b.assigned, false)
	var resource, requested Name
	if err == nil {
		resource, err = a.resource.Merge(b.resource, false)
	}
	if err == nil {
		requested, err = a.requested.Merge(b.requested, s.p.o.Soft)
	}
	if err != nil {
		return &joinError{s: s, x: x, y: y, names: err}
	}
	t := s.p.intersect(a.types, b.types)
	if t == nil {
		return &joinError{s: s, x: x, y: y, xr: xr, yr: yr}
	}
	a.assigned, a.resource, a.requested = assigned, resource, requested.Specialise(assigned).Specialise(resource)
	a.types = t
	if a.rank == b.rank {
		a.rank++
	}
	b.parent = keep
	return nil
}

// narrow restricts n's group to device d, because n has been placed on d. The type and number of d
// replace the type and number in the group's request. The error is Internal if the group cannot be
// on d.
func (s *groups) narrow(n int, d *Device) error {
	m := &s.m[s.root(n)]
	if m.device == d {
		return nil
	}
	assigned, err := m.assigned.Merge(d.Name, false)
	var resource, requested Name
	if err == nil {
		resource, err = m.resource.Override(d.Name)
	}
	if err == nil {
		requested, err = m.requested.Override(d.Name)
	}
	if err != nil {
		return s.at(n, tensor.Errorf(tensor.Internal, "its group cannot follow it to %s: %s", d.FullName, message(err)))
	}
	m.assigned, m.resource, m.requested, m.device = assigned, resource, requested, d
	return nil
}

// The method named at adds the name and the op of node n to an error.
func (s *groups) at(n int, err error) error {
	return tensor.AtNode(err, s.nodes[n].name, s.nodes[n].op)
}

// label returns a node's name for messages. A long name is shortened, because many messages may
// contain it.
func (s *groups) label(n int) string { return tensor.Clip(s.nodes[n].name) }

// The method named because records why n is in its group, unless a reason is already recorded.
func (s *groups) because(n int, k causeKind, with string) {
	if s.cause[n].kind == alone {
		s.cause[n] = cause{k, tensor.Clip(with)}
	}
}

// note records that a request of n is not followed.
func (s *groups) note(n int, text string) {
	if s.notes == nil {
		s.notes = map[int][]string{}
	}
	s.notes[n] = append(s.notes[n], text)
	s.p.log(text)
}

// message returns an error's text without code and node.
func message(err error) string {
	if e, ok := err.(*tensor.Error); ok {
		return e.Msg
	}
	return err.Error()
}
