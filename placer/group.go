package placer

import "github.com/graphc/graphc/rt/tensor"

// member is a node's place in the union-find; of a root, what is known of its group.
type member struct {
	parent, rank int
	// assigned is where nodes of the group have been placed: firm. resource is what
	// a node asks for that makes a resource or reference: firm too, unless soft placement
	// finds no other way. requested is what the nodes ask for, always a
	// specialisation of the other two.
	assigned, resource, requested Name
	types                         *types
	device                        *Device // that assigned is of, when known
}

// groups are the nodes of one graph that must be on one device.
type groups struct {
	p *placer
	*graph
	m     []member
	cause []cause // why a node is with others
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

// root returns the root of n's group and shortens the way there.
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

// joined is why two groups cannot be one.
type joinError struct {
	s      *groups
	x, y   int
	names  error // the device names that do not merge; nil: no type supports both
	xr, yr int
}

// err formats with what is in the two groups, which takes time in proportion to the graph.
func (e *joinError) err() error {
	if e.names != nil {
		return tensor.Errorf(tensor.InvalidArgument, "cannot colocate nodes %q and %q: %s", e.s.label(e.x), e.s.label(e.y), message(e.names))
	}
	return tensor.Errorf(tensor.InvalidArgument,
		"cannot colocate nodes %q and %q because no device type supports both of those nodes and the other nodes colocated with them%s%s",
		e.s.label(e.x), e.s.label(e.y), e.s.describe(e.xr), e.s.describe(e.yr))
}

// brief formats without the groups.
func (e *joinError) brief() string {
	if e.names != nil {
		return message(e.names)
	}
	return "no device type supports both"
}

// join merges the groups of x and y: the smaller tree goes under the larger, of equal
// ones y's under x's. If it fails, nothing has changed.
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

// narrow has the group of n follow a node that was placed: type and number of what
// the group asks for are overwritten. Internal where they cannot follow.
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

// at names a node in an error.
func (s *groups) at(n int, err error) error {
	return tensor.AtNode(err, s.nodes[n].name, s.nodes[n].op)
}

// label is a node's name for messages: shortened, as many messages may have it.
func (s *groups) label(n int) string { return tensor.Clip(s.nodes[n].name) }

// because notes why n is with others, unless something was noted before.
func (s *groups) because(n int, k causeKind, with string) {
	if s.cause[n].kind == alone {
		s.cause[n] = cause{k, tensor.Clip(with)}
	}
}

// note records that a request of n was not followed.
func (s *groups) note(n int, text string) {
	if s.notes == nil {
		s.notes = map[int][]string{}
	}
	s.notes[n] = append(s.notes[n], text)
	s.p.log(text)
}

// message is an error's text without code and node.
func message(err error) string {
	if e, ok := err.(*tensor.Error); ok {
		return e.Msg
	}
	return err.Error()
}
