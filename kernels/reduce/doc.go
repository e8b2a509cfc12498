// Package reduce holds reductions over axes, positions of extremes, and running
// sums and products.
//
// Dims describes a reduction's input as dimensions that are alternately kept and
// reduced; neighbours of the same kind are merged. Float sums are accumulated in
// float64 and rounded once; integer sums wrap around. dst never overlaps src. The
// exported kernels are generated and call the loops of this package.
package reduce

//go:generate go run -C ../_gen ./reduce -kernels ../reduce -ops ../../ops/bytype

type signed interface{ int8 | int16 | int32 | int64 }

type unsigned interface {
	uint8 | uint16 | uint32 | uint64
}

type integer interface{ signed | unsigned }

type float interface{ float32 | float64 }
