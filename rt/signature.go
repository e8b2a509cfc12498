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
	// Ranks are the ranks of the feeds that are accepted together, where the
	// model leaves some open; -1 is any rank. It is nil where every feed that
	// is read has one rank.
	Ranks [][]int
}

// Port is one tensor that is fed or fetched.
type Port struct {
	Name  string // the tensor: x:0
	Key   string // the signature's key, may be empty
	Field string // the Go field
	DType tensor.DType
	// Shape holds the dimensions, -1 where they depend on what is fed. Dims
	// names those that have a name, or an expression of names; several ports
	// may share it. It is nil where none has.
	Shape []int
	Dims  []string
	// AnyRank marks a tensor whose rank is open; Shape is nil. Ranks lists those
	// that it may have, in order; nil is any.
	AnyRank bool
	Ranks   []int
	// Unused marks a feed that nothing reads; it need not be given.
	Unused bool
}

// Dim formats dimension i: a number, its name, or ?.
func (p *Port) Dim(i int) string {
	switch {
	case p.Shape[i] >= 0:
		return strconv.Itoa(p.Shape[i])
	case i < len(p.Dims) && p.Dims[i] != "":
		return p.Dims[i]
	}
	return "?"
}

// String formats type and shape: f32[?,784], or f32 of rank 1 or 2.
func (p *Port) String() string {
	var b strings.Builder
	b.WriteString(p.DType.String())
	if p.AnyRank {
		b.WriteString(" of " + ranksText(p.Ranks))
		return b.String()
	}
	b.WriteByte('[')
	for i := range p.Shape {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(p.Dim(i))
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

// Input names feed i for errors: first as the caller writes it, by method, field and key, then by the tensor's name.
func (s *Signature) Input(i int) string {
	p := &s.Feeds[i]
	text := strconv.Quote(p.Name)
	if p.Key != "" && p.Key != p.Name && p.Key+":0" != p.Name {
		text = strconv.Quote(p.Key) + ", tensor " + text
	}
	return s.of("input " + p.Field + " (" + text + ")")
}

// of begins an error with the method that was called.
func (s *Signature) of(text string) string {
	if s.Method == "" {
		return text
	}
	return s.Method + ": " + text
}

func (s *Signature) checkLen(i int, shape []int, n int) error {
	want, err := tensor.Shape(shape).Len()
	if err != nil {
		return tensor.Errorf(tensor.CodeOf(err), "%s: %s", s.Input(i), tensor.Message(err))
	}
	if want != n {
		return tensor.Errorf(tensor.InvalidArgument, "%s: %d elements given for the shape %v", s.Input(i), n, append(tensor.Shape(nil), shape...))
	}
	return nil
}

// mismatch is the error of a shape of feed i, with the first dimension that is wrong where the rank is right.
func (s *Signature) mismatch(i int, shape []int) error {
	p := &s.Feeds[i]
	what := ""
	for a, d := range p.Shape {
		if len(shape) == len(p.Shape) && (shape[a] < 0 || d >= 0 && shape[a] != d) {
			what = "dimension " + strconv.Itoa(a) + " is " + strconv.Itoa(shape[a]) + ", want " + p.Dim(a) + ": "
			break
		}
	}
	return tensor.Errorf(tensor.InvalidArgument, "%s: %sgot %v%v, want %v", s.Input(i), what, p.DType, append(tensor.Shape(nil), shape...), p)
}

// CheckDim refuses dimension axis of feed i when it is not what other feeds make it.
func (s *Signature) CheckDim(i, axis, got, want int) error {
	if got == want {
		return nil
	}
	p := &s.Feeds[i]
	name := ""
	if d := p.Dim(axis); d != "?" {
		name = d + " = "
	}
	return tensor.Errorf(tensor.InvalidArgument, "%s: dimension %d is %d, want %s%d as in the other feeds (%v)", s.Input(i), axis, got, name, want, p)
}
