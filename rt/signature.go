package rt

import (
	"strconv"
	"strings"

	"github.com/graphc/graphc/rt/tensor"
)

// Signature says what one entry point of a model takes and gives.
type Signature struct {
	Name    string // as the model calls it: serving_default
	Method  string // the Go method: ServingDefault
	Feeds   []Port
	Fetches []Port
}

// Port is one tensor that is fed or fetched.
type Port struct {
	Name  string // the tensor: x:0
	Key   string // the signature's key, may be empty
	Field string // the Go field
	DType tensor.DType
	// Shape holds the dimensions, -1 where they depend on what is fed; Dims
	// says how: a symbol shared with other ports, or an expression of symbols.
	Shape []int
	Dims  []string
	// Unused marks a feed that nothing reads; it need not be given.
	Unused bool
}

// String formats type and shape: f32[B,784].
func (p *Port) String() string {
	var b strings.Builder
	b.WriteString(p.DType.String())
	b.WriteByte('[')
	for i, d := range p.Shape {
		if i > 0 {
			b.WriteByte(',')
		}
		switch {
		case d >= 0:
			b.WriteString(strconv.Itoa(d))
		case i < len(p.Dims) && p.Dims[i] != "":
			b.WriteString(p.Dims[i])
		default:
			b.WriteByte('?')
		}
	}
	b.WriteByte(']')
	return b.String()
}

// CheckShape refuses a shape that the feed i does not take, and elements that
// are too few or too many for it.
func (s *Signature) CheckShape(i int, shape []int, n int) error {
	p := &s.Feeds[i]
	if len(shape) != len(p.Shape) {
		return s.mismatch(i, shape)
	}
	for a, d := range p.Shape {
		if shape[a] < 0 || d >= 0 && shape[a] != d {
			return s.mismatch(i, shape)
		}
	}
	return s.checkLen(i, shape, n)
}

func (s *Signature) checkLen(i int, shape []int, n int) error {
	want := 1
	for _, d := range shape {
		want = Mul(want, d)
	}
	if want != n {
		return tensor.Errorf(tensor.InvalidArgument, "feed %q: %d elements given for the shape %v", s.Feeds[i].Name, n, append(tensor.Shape(nil), shape...))
	}
	return nil
}

func (s *Signature) mismatch(i int, shape []int) error {
	p := &s.Feeds[i]
	return tensor.Errorf(tensor.InvalidArgument, "feed %q: got %v%v, want %v", p.Name, p.DType, append(tensor.Shape(nil), shape...), p)
}

// CheckDim refuses dimension axis of feed i when it is not what other feeds make it.
func (s *Signature) CheckDim(i, axis, got, want int) error {
	if got == want {
		return nil
	}
	p := &s.Feeds[i]
	return tensor.Errorf(tensor.InvalidArgument, "feed %q: dimension %d is %d, want %s = %d as in the other feeds (%v)", p.Name, axis, got, p.Dims[axis], want, p)
}
