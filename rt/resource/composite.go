package resource

import (
	"slices"

	"github.com/graphc/graphc/rt/tensor"
)

// Part is a tensor as its elements and shape.
type Part struct {
	DType tensor.DType
	Shape []int
	Data  Data
}

// NewPart returns a part with a copy of the elements.
func NewPart(d tensor.DType, shape []int, data Data) Part {
	p := Part{d, slices.Clone(shape), makeData(d, elements(shape))}
	p.Data.copyFrom(data)
	return p
}

// CopyTo copies the elements to dst, of as many: InvalidArgument for another number.
func (p *Part) CopyTo(dst Data) error {
	if dst.count(p.DType) != elements(p.Shape) {
		return tensor.Errorf(tensor.InvalidArgument, "a tensor of the shape %v is read as %d elements", tensor.Shape(slices.Clone(p.Shape)), dst.count(p.DType))
	}
	dst.copyFrom(p.Data)
	return nil
}

// Dim returns dimension k of a tensor of that rank, which the compiler took for granted: InvalidArgument.
func (p *Part) Dim(k, rank int) (int, error) {
	if len(p.Shape) != rank {
		return 0, tensor.Errorf(tensor.InvalidArgument, "a tensor of the shape %v came, compiled was one of rank %d", tensor.Shape(slices.Clone(p.Shape)), rank)
	}
	return p.Shape[k], nil
}

// Ragged is the value of a variant that holds a ragged tensor: values and row
// splits, the outermost first. Nobody changes one.
type Ragged struct {
	Splits tensor.DType // the type the row splits have in the graph
	Nested [][]int64
	Values Part
}

// Composite is the value of a variant that holds several tensors: the components of
// a composite tensor of that class, or an optional. Nobody changes one.
type Composite struct {
	Class int
	None  bool // of an optional without a value
	Parts []*Part
}
