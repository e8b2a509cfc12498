// Package finite returns the lowest and highest finite numbers of real types.
package finite

import "math"

// Real is the set of Go's integer and floating-point types.
type Real interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64
}

// Lowest returns the lowest finite number of T.
func Lowest[T Real]() T {
	var v T
	switch p := any(&v).(type) {
	case *float32:
		*p = -math.MaxFloat32
	case *float64:
		*p = -math.MaxFloat64
	case *int8:
		*p = math.MinInt8
	case *int16:
		*p = math.MinInt16
	case *int32:
		*p = math.MinInt32
	case *int64:
		*p = math.MinInt64
	}
	return v
}

// Highest returns the highest finite number of T.
func Highest[T Real]() T {
	var v T
	switch p := any(&v).(type) {
	case *float32:
		*p = math.MaxFloat32
	case *float64:
		*p = math.MaxFloat64
	default:
		return Lowest[T]() - 1 // wraps around
	}
	return v
}
