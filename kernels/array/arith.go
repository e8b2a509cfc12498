package array

import "github.com/graphc/graphc/rt/tensor"

// number is a type with Go's arithmetic.
type number interface {
	float32 | float64 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | complex64 | complex128
}

func add[T number](a, b T) T { return a + b }

func addF16(a, b tensor.F16) tensor.F16 { return tensor.ToF16(a.Float32() + b.Float32()) }

func addBF16(a, b tensor.BF16) tensor.BF16 { return tensor.ToBF16(a.Float32() + b.Float32()) }
