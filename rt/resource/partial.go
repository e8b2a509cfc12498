package resource

import (
	"slices"
	"strings"

	"github.com/graphc/graphc/rt/tensor"
)

// Partial is a shape that may be only partially known. A dimension of -1 is unknown. If Known is
// false, the rank is unknown as well.
type Partial struct {
	Known bool
	Dims  []int
}

// String formats the shape as "[2,?]" or "<unknown>".
func (p Partial) String() string {
	if !p.Known {
		return "<unknown>"
	}
	return strings.ReplaceAll(tensor.Shape(p.Dims).String(), "-1", "?")
}

func (p Partial) clone() Partial { return Partial{p.Known, slices.Clone(p.Dims)} }

// full reports whether all dimensions are known.
func (p Partial) full() bool {
	return p.Known && !slices.ContainsFunc(p.Dims, func(d int) bool { return d < 0 })
}

// fits reports whether shape matches p.
func (p Partial) fits(shape []int) bool {
	if !p.Known {
		return true
	}
	if len(p.Dims) != len(shape) {
		return false
	}
	for i, d := range p.Dims {
		if d >= 0 && d != shape[i] {
			return false
		}
	}
	return true
}

// merge combines two partial shapes. It returns false if they contradict each other.
func (p Partial) merge(q Partial) (Partial, bool) {
	switch {
	case !p.Known:
		return q.clone(), true
	case !q.Known:
		return p.clone(), true
	case len(p.Dims) != len(q.Dims):
		return p, false
	}
	r := p.clone()
	for i, d := range q.Dims {
		switch {
		case r.Dims[i] < 0:
			r.Dims[i] = d
		case d >= 0 && d != r.Dims[i]:
			return p, false
		}
	}
	return r, true
}

// check returns InvalidArgument for a dimension below -1.
func (p Partial) check() error {
	for k, d := range p.Dims {
		if d < -1 {
			return tensor.Errorf(tensor.InvalidArgument, "Dimension %d of an element shape must be >= -1, not %d", k, d)
		}
	}
	return nil
}

// elements returns the number of elements of a tensor with the given shape.
func elements(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}
