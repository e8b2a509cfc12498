// Package finite knows the finite extremes of the types of real numbers.
package finite

import "math"

// Real are the types of real numbers that Go computes with.
type Real interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64
}

// Lowest is the lowest number of T that is not infinite.
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

// Highest is the highest number of T that is not infinite.
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
