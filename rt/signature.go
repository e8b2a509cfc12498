package rt

import (
	"strconv"
	"strings"

	"github.com/graphc/graphc/rt/tensor"
)

// Signature describes one entry point of a model: its feeds and fetches.
type Signature struct {
	Name    string // the name in the model, such as serving_default
	Method  string // the Go method, such as ServingDefault
	Feeds   []Port
	Fetches []Port
	// Ranks lists the combinations of ranks that the feeds accept. A combination has one rank for
	// each feed; -1 means any rank. Ranks is nil if every feed that a node reads has a fixed rank.
	Ranks [][]int
}

// Port describes one tensor that is fed or fetched.
type Port struct {
	Name  string // the name of the tensor, such as x:0
	Key   string // the key of the tensor in the signature; may be empty
	Field string // the name of the Go field
	DType tensor.DType
	// Shape holds the dimensions; -1 marks a dimension that depends on the feeds. For such a
	// dimension, Dims holds a name, an expression of names, or "". Dimensions with the same name have
	// the same size, even in different ports. Dims is nil if no dimension has a name.
	Shape []int
	Dims  []string
	// AnyRank is set if the rank is not fixed. Shape is then nil, and Ranks lists the accepted ranks
	// in ascending order; nil means any rank.
	AnyRank bool
	Ranks   []int
	// Unused marks a feed that no node reads. A caller may leave it out.
	Unused bool
}

// Dim formats dimension i: a number, its name, or "?".
func (p *Port) Dim(i int) string {
	switch {
	case p.Shape[i] >= 0:
		return strconv.Itoa(p.Shape[i])
	case i < len(p.Dims) && p.Dims[i] != "":
		return p.Dims[i]
	}
	return "?"
}

// String formats the type and shape: "f32[?,784]" or "f32 of rank 1 or 2".
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

// CheckShape returns InvalidArgument if feed i does not accept the shape, or if n, the number of
// elements, does not fit the shape.
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

// Input returns a text that names feed i in errors. It contains the method, the Go field and the key,
// which the caller knows, and then the name of the tensor.
func (s *Signature) Input(i int) string {
	p := &s.Feeds[i]
	text := strconv.Quote(p.Name)
	if p.Key != "" && p.Key != p.Name && p.Key+":0" != p.Name {
		text = strconv.Quote(p.Key) + ", tensor " + text
	}
	return s.of("input " + p.Field + " (" + text + ")")
}

// of returns the name of the signature's Go method, a colon and the text. Without a Go method, it
// returns only the text.
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

// mismatch returns the error for a wrong shape of feed i. If the rank is right, the error names the
// first wrong dimension.
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

// CheckDim checks one dimension of feed i. The parameter axis is the index of the dimension, got is
// its size, and want is the size that the other feeds require. The error is InvalidArgument if the
// two sizes differ.
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
