// Package linalg decomposes and solves small dense matrices, real and complex. All sums are in
// float64 or complex128, whatever the type of the elements.
package linalg

import (
	"math"
	"math/cmplx"

	"github.com/graphc/graphc/rt/tensor"
)

// elem is the type of a matrix's elements as stored.
type elem interface {
	float32 | float64 | complex64 | complex128
}

// wide is the type in which results are computed.
type wide interface{ float64 | complex128 }

// load copies src to dst in the wide type.
func load[W wide, T elem](dst []W, src []T) {
	switch d := any(dst).(type) {
	case []float64:
		switch s := any(src).(type) {
		case []float32:
			for i, v := range s {
				d[i] = float64(v)
			}
		case []float64:
			copy(d, s)
		}
	case []complex128:
		switch s := any(src).(type) {
		case []complex64:
			for i, v := range s {
				d[i] = complex128(v)
			}
		case []complex128:
			copy(d, s)
		}
	}
}

// store copies src to dst, rounding.
func store[T elem, W wide](dst []T, src []W) {
	switch s := any(src).(type) {
	case []float64:
		switch d := any(dst).(type) {
		case []float32:
			for i := range d {
				d[i] = float32(s[i])
			}
		case []float64:
			copy(d, s)
		}
	case []complex128:
		switch d := any(dst).(type) {
		case []complex64:
			for i := range d {
				d[i] = complex64(s[i])
			}
		case []complex128:
			copy(d, s)
		}
	}
}

func abs[W wide](v W) float64 {
	switch v := any(v).(type) {
	case float64:
		return math.Abs(v)
	case complex128:
		return cmplx.Abs(v)
	}
	return 0
}

func conj[W wide](v W) W {
	if c, ok := any(v).(complex128); ok {
		return any(cmplx.Conj(c)).(W)
	}
	return v
}

// of[W](v) returns the real number v as a number of the type W.
func of[W wide](v float64) W {
	var w W
	switch p := any(&w).(type) {
	case *float64:
		*p = v
	case *complex128:
		*p = complex(v, 0)
	}
	return w
}

func re[W wide](v W) float64 {
	switch v := any(v).(type) {
	case float64:
		return v
	case complex128:
		return real(v)
	}
	return 0
}

// Params describes a batch of matrices.
type Params struct {
	Batch   int
	M, N    int // rows and columns
	K       int // number of columns of a right-hand side
	Lower   bool
	Adjoint bool
	Full    bool // for Qr and Svd: whether to compute square factors
	Vectors bool // for Svd and Eig: whether to compute vectors in addition to values
	Fast    bool // for MatrixSolveLs: whether to use the normal equations
}

var errSingular = &tensor.Error{Code: tensor.InvalidArgument, Msg: "Input is not invertible."}
