package ir

import (
	"strings"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/rt/tensor"
)

// Shape is the known part of a tensor's shape: nothing (the zero Shape), or the rank and an
// expression for each dimension. An unknown dimension is a symbol.
type Shape struct {
	Known bool
	Dims  []*sym.Expr
}

// ShapeOf makes a shape of known rank.
func ShapeOf(dims ...*sym.Expr) Shape { return Shape{true, dims} }

// StaticShape makes a shape of constants.
func StaticShape(dims ...int) Shape {
	s := Shape{Known: true, Dims: make([]*sym.Expr, len(dims))}
	for i, d := range dims {
		s.Dims[i] = sym.Int(d)
	}
	return s
}

// Rank returns the number of dimensions, or -1 if it is unknown.
func (s Shape) Rank() int {
	if !s.Known {
		return -1
	}
	return len(s.Dims)
}

// Static returns the dimensions if all are constants.
func (s Shape) Static() (tensor.Shape, bool) {
	if !s.Known {
		return nil, false
	}
	r := make(tensor.Shape, len(s.Dims))
	for i, d := range s.Dims {
		v, ok := d.IsInt()
		if !ok {
			return nil, false
		}
		r[i] = v
	}
	return r, true
}

// Len returns the number of elements, or nil if the rank is unknown.
func (s Shape) Len() *sym.Expr {
	if !s.Known {
		return nil
	}
	return sym.Product(s.Dims)
}

// Equal reports whether the two shapes are known to be equal.
func (s Shape) Equal(t Shape) bool {
	if !s.Known || !t.Known || len(s.Dims) != len(t.Dims) {
		return false
	}
	for i := range s.Dims {
		if !s.Dims[i].Equal(t.Dims[i]) {
			return false
		}
	}
	return true
}

// String formats as [B,224,3], or as [*] if the rank is unknown.
func (s Shape) String() string {
	if !s.Known {
		return "[*]"
	}
	p := make([]string, len(s.Dims))
	for i, d := range s.Dims {
		p[i] = d.String()
	}
	return "[" + strings.Join(p, ",") + "]"
}

// Fact holds the compiler's knowledge about a tensor.
type Fact struct {
	DType tensor.DType
	Shape Shape
	// Const is the value if it is completely known.
	Const *tensor.Tensor
	// Ints holds the elements of a small integer tensor (rank 0 to 2, i32 or i64) as expressions
	// over symbolic sizes, row by row; nil if the elements are unknown. Of constants with rank 2,
	// only Const is set.
	Ints []*sym.Expr
}

// MaxInts is the largest number of elements in a Fact's Ints.
const MaxInts = 256

// ConstFact returns the fact of a constant.
func ConstFact(t *tensor.Tensor) Fact {
	f := Fact{DType: t.DType, Shape: StaticShape(t.Shape...), Const: t}
	if t.Rank() <= 1 && (t.DType == tensor.Int32 || t.DType == tensor.Int64) {
		f.Ints, _ = Elements(t)
	}
	return f
}

// Elements returns the elements of a tensor of integers as expressions. It returns false if there
// are more than MaxInts, or if the elements are not integers.
func Elements(t *tensor.Tensor) ([]*sym.Expr, bool) {
	if t.Len() > MaxInts {
		return nil, false
	}
	vs, ok := t.Ints()
	if !ok {
		return nil, false
	}
	es := make([]*sym.Expr, len(vs))
	for i, v := range vs {
		es[i] = sym.Int(int(v))
	}
	return es, true
}

// Valid reports whether the fact has been inferred: its element type is set.
func (f *Fact) Valid() bool { return f.DType != tensor.Invalid }

// String formats a fact as f32[B,10]. If the tensor has at most 8 integers and they are known, it
// appends them, as in i32[2] = {B, 10}.
func (f *Fact) String() string {
	s := f.DType.String() + f.Shape.String()
	if f.Ints != nil && len(f.Ints) <= 8 {
		p := make([]string, len(f.Ints))
		for i, e := range f.Ints {
			p[i] = e.String()
		}
		s += " = {" + strings.Join(p, ", ") + "}"
	}
	return s
}
