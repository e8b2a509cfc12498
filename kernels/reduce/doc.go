// Package reduce holds reductions over axes, positions of extremes, and running
// sums and products.
//
// A reduction sees its input as dimensions that are in turn kept and reduced,
// with neighbours of a kind merged: Dims. Float sums are accumulated in float64
// and rounded once; integer sums wrap around. dst never overlaps src. The
// exported kernels are thin and generated, over the loops of this package.
package reduce

//go:generate go run -C ../_gen ./reduce -kernels ../reduce -ops ../../ops/bytype

type signed interface{ int8 | int16 | int32 | int64 }

type unsigned interface {
	uint8 | uint16 | uint32 | uint64
}

type integer interface{ signed | unsigned }

type float interface{ float32 | float64 }
