package resource

import (
	"slices"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// Box is a tensor that a resource keeps. A Box is immutable once it is shared.
type Box struct {
	DType tensor.DType
	Shape []int
	Data  any // a slice of DType.GoType()
}

// Held implements mem.Holder.
func (b *Box) Held(seen map[any]bool) int {
	n := mem.Mul(mem.Len(b.Shape...), b.DType.Size())
	switch data := b.Data.(type) {
	case []string:
		n = mem.Add(n, mem.Texts(data, seen))
	case []tensor.Handle:
		n = mem.Add(n, mem.Handles(data, seen))
	}
	return n
}

// Rows is a tensor of shape [len(Boxes), Shape…]. Row i contains Boxes[i]. If a box is smaller than
// Shape, the row is padded with zeros or empty strings at the end of each dimension.
type Rows struct {
	DType tensor.DType
	Shape []int // the shape of a row
	Boxes []*Box
}

// Bytes returns the size of the elements of b in bytes, without the bytes of strings.
func (b *Box) Bytes() int {
	n := b.DType.Size()
	for _, d := range b.Shape {
		n *= d
	}
	return n
}

// Tuple returns the boxes that the handles hold. The error is Internal if a handle holds something
// else.
func Tuple(parts []tensor.Handle) ([]*Box, error) {
	t := make([]*Box, len(parts))
	for i, h := range parts {
		b, ok := h.V.(*Box)
		if !ok {
			return nil, tensor.Errorf(tensor.Internal, "component %d is a %T, not a tensor", i, h.V)
		}
		t[i] = b
	}
	return t, nil
}

// Tuples returns several tuples. Handle i holds Rows with component i of each tuple. The error is
// InvalidArgument if the components have different numbers of rows.
func Tuples(parts []tensor.Handle) ([][]*Box, error) {
	var out [][]*Box
	for i, h := range parts {
		r, ok := h.V.(*Rows)
		if !ok {
			return nil, tensor.Errorf(tensor.Internal, "component %d is a %T, not rows of a tensor", i, h.V)
		}
		if i == 0 {
			out = make([][]*Box, len(r.Boxes))
			flat := make([]*Box, len(r.Boxes)*len(parts))
			for k := range out {
				out[k] = flat[k*len(parts):][:len(parts):len(parts)]
			}
		}
		if len(r.Boxes) != len(out) {
			return nil, tensor.Errorf(tensor.InvalidArgument, "Shape mismatch in tuple component %d: %d rows, component 0 has %d", i, len(r.Boxes), len(out))
		}
		for k, b := range r.Boxes {
			out[k][i] = b
		}
	}
	return out, nil
}

// Untuple stores the components of a tuple in parts.
func Untuple(parts []tensor.Handle, t []*Box) error {
	if len(parts) != len(t) {
		return tensor.Errorf(tensor.InvalidArgument, "a tuple of %d components is read as %d", len(t), len(parts))
	}
	for i, b := range t {
		parts[i] = tensor.Handle{V: b}
	}
	return nil
}

// spec describes the components of tuples in a container.
type spec struct {
	Types  []tensor.DType
	Shapes [][]int // a size of -1 is unknown; if Shapes is nil, all shapes are unknown
}

// newSpec returns the spec for components with the given types. The slice ranks contains the rank of
// each component's shape, and dims the dimensions of all shapes, one shape after another. If ranks is
// empty, the shapes are unknown.
func newSpec(types, ranks, dims []int) (spec, error) {
	var s spec
	for _, t := range types {
		s.Types = append(s.Types, tensor.DType(t))
	}
	if len(ranks) == 0 {
		return s, nil
	}
	if len(ranks) != len(types) {
		return s, tensor.Errorf(tensor.InvalidArgument, "Different number of component types and shapes: %d and %d", len(types), len(ranks))
	}
	for _, r := range ranks {
		if r < 0 {
			return s, tensor.Errorf(tensor.InvalidArgument, "shape <unknown> must have known rank.")
		}
		s.Shapes = append(s.Shapes, slices.Clone(dims[:r]))
		dims = dims[r:]
	}
	return s, nil
}

// check returns InvalidArgument unless the components of t have the types and shapes of s.
func (s *spec) check(t []*Box) error {
	if len(t) != len(s.Types) {
		return tensor.Errorf(tensor.InvalidArgument, "Wrong number of components in tuple. Expected %d, got %d", len(s.Types), len(t))
	}
	for i, b := range t {
		if b.DType != s.Types[i] {
			return tensor.Errorf(tensor.InvalidArgument, "Type mismatch in tuple component %d. Expected %v, got %v", i, s.Types[i], b.DType)
		}
		if s.Shapes != nil && !fits(s.Shapes[i], b.Shape) {
			return tensor.Errorf(tensor.InvalidArgument, "Shape mismatch in tuple component %d. Expected %v, got %v", i, s.Shapes[i], b.Shape)
		}
	}
	return nil
}

// fits reports whether shape matches the pattern, in which -1 is any size.
func fits(pattern, shape []int) bool {
	return slices.EqualFunc(pattern, shape, func(p, n int) bool { return p < 0 || p == n })
}

// rows stores component i of all tuples in parts[i], as Rows. If a size of a component's shape is
// unknown, the rows get the largest size that occurs in the tuples, or 0 if there are no tuples.
func (s *spec) rows(parts []tensor.Handle, ts [][]*Box) error {
	if len(parts) != len(s.Types) {
		return tensor.Errorf(tensor.InvalidArgument, "a tuple of %d components is read as %d", len(s.Types), len(parts))
	}
	for i := range parts {
		r := &Rows{DType: s.Types[i], Shape: slices.Clone(s.Shapes[i]), Boxes: make([]*Box, len(ts))}
		for k, d := range r.Shape {
			if d >= 0 {
				continue
			}
			r.Shape[k] = 0
			for _, t := range ts {
				r.Shape[k] = max(r.Shape[k], t[i].Shape[k])
			}
		}
		for k, t := range ts {
			r.Boxes[k] = t[i]
		}
		parts[i] = tensor.Handle{V: r}
	}
	return nil
}
