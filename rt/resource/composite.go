package resource

import (
	"slices"

	"github.com/graphc/graphc/rt/tensor"
)

// Part is a tensor: its type, shape and elements.
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

// CopyTo copies the elements to dst. The error is InvalidArgument if dst has another number of
// elements.
func (p *Part) CopyTo(dst Data) error {
	if dst.count(p.DType) != elements(p.Shape) {
		return tensor.Errorf(tensor.InvalidArgument, "a tensor of the shape %v is read as %d elements", tensor.Shape(slices.Clone(p.Shape)), dst.count(p.DType))
	}
	dst.copyFrom(p.Data)
	return nil
}

// Dim returns dimension k. The parameter rank is the rank for which the program was compiled. The
// error is InvalidArgument if the tensor has another rank.
func (p *Part) Dim(k, rank int) (int, error) {
	if len(p.Shape) != rank {
		return 0, tensor.Errorf(tensor.InvalidArgument, "got a tensor of shape %v; the program was compiled for rank %d", tensor.Shape(slices.Clone(p.Shape)), rank)
	}
	return p.Shape[k], nil
}

// Ragged is the value of a variant that holds a ragged tensor. Nested contains the row splits of its
// ragged dimensions, the outermost first. It is immutable.
type Ragged struct {
	Splits tensor.DType // the type of the row splits in the graph
	Nested [][]int64
	Values Part
}

// Composite is the value of a variant that holds several tensors. They are the components of a
// composite tensor, whose class is in Class, or of an optional. It is immutable.
type Composite struct {
	Class int
	None  bool // set for an optional without a value
	Parts []*Part
}
