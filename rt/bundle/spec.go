package bundle

import (
	"strconv"
	"strings"

	"github.com/graphc/graphc/rt/tensor"
)

// Spec is a shape_and_slice specification of TensorFlow: a part of a tensor, and the shape of the
// whole tensor.
type Spec struct {
	Whole tensor.Shape
	Slice Slice
	raw   []extent
}

// ParseSpec parses a specification such as "10 20 0,5:-". The dimensions of the whole tensor come
// first. They are followed by the range in each dimension: "start,length", or "-" for the whole
// dimension. The error is InvalidArgument for text of another form and for a part that is not
// inside the whole.
func ParseSpec(s string) (*Spec, error) {
	bad := func(why string) (*Spec, error) {
		if len(s) > 200 {
			s = s[:200] + "…"
		}
		return nil, tensor.Errorf(tensor.InvalidArgument, "the slice %q does not parse: %s", s, why)
	}
	f := strings.Fields(s)
	if len(f) == 0 {
		return bad("it is empty")
	}
	p := &Spec{Whole: tensor.Shape{}}
	for _, f := range f[:len(f)-1] {
		d, err := strconv.Atoi(f)
		if err != nil || d < 0 {
			return bad("a dimension is not a non-negative integer")
		}
		p.Whole = append(p.Whole, d)
	}
	parts := strings.Split(f[len(f)-1], ":")
	if len(parts) != len(p.Whole) || len(parts) > 254 {
		return bad("the parts do not match the dimensions")
	}
	for i, part := range parts {
		x := extent{}
		start, length := 0, p.Whole[i]
		if part != "-" {
			a, b, ok := strings.Cut(part, ",")
			var err1, err2 error
			start, err1 = strconv.Atoi(a)
			length, err2 = strconv.Atoi(b)
			switch {
			case !ok || err1 != nil || err2 != nil:
				return bad("a part is neither start,length nor -")
			case start < 0 || length <= 0:
				return bad("a start is less than 0 or a length less than 1")
			case start > p.Whole[i] || length > p.Whole[i]-start:
				return bad("a part does not lie within its dimension")
			}
			x = extent{int64(start), int64(length), true}
		}
		p.raw = append(p.raw, x)
		p.Slice.Start, p.Slice.Length = append(p.Slice.Start, start), append(p.Slice.Length, length)
	}
	if _, err := p.Whole.Len(); err != nil {
		return bad(message(err))
	}
	return p, nil
}

// full reports whether the part p is the whole tensor.
func (p *Spec) full() bool { return p.Whole.Equal(p.Slice.Length) }
