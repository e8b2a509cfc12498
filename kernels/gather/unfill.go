package gather

import "github.com/graphc/graphc/rt/tensor"

// unfill sets values[i] = grad[index[i]] and rest[0] to the sum of the elements of
// grad that no index names, added in their order. seen is scratch as long as grad.
func unfill[T any](values, rest []T, index []int64, grad []T, seen []bool, add func(a, b T) T) error {
	clear(seen)
	for i, x := range index {
		if x < 0 || x >= int64(len(grad)) {
			return tensor.Errorf(tensor.InvalidArgument, "reverse_index_map[%d] = %d is not in [0, %d)", i, x, len(grad))
		}
		values[i], seen[x] = grad[x], true
	}
	var sum T
	for i, g := range grad {
		if !seen[i] {
			sum = add(sum, g)
		}
	}
	rest[0] = sum
	return nil
}

func plus[T float32 | float64 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | complex64 | complex128](a, b T) T {
	return a + b
}

func plusF16(a, b tensor.F16) tensor.F16 { return tensor.ToF16(a.Float32() + b.Float32()) }

func plusBF16(a, b tensor.BF16) tensor.BF16 { return tensor.ToBF16(a.Float32() + b.Float32()) }

// UnfillF32 is the gradient of filling empty rows: values[i] = grad[index[i]],
// and rest, one element, is the sum of the elements of grad that no index names.
// InvalidArgument for an index beyond grad. seen is scratch as long as grad.
func UnfillF32(values, rest []float32, index []int64, grad []float32, seen []bool) error {
	return unfill(values, rest, index, grad, seen, plus[float32])
}

// UnfillF64 is UnfillF32 for f64.
func UnfillF64(values, rest []float64, index []int64, grad []float64, seen []bool) error {
	return unfill(values, rest, index, grad, seen, plus[float64])
}

// UnfillF16 is UnfillF32 for f16.
func UnfillF16(values, rest []tensor.F16, index []int64, grad []tensor.F16, seen []bool) error {
	return unfill(values, rest, index, grad, seen, plusF16)
}

// UnfillBF16 is UnfillF32 for bf16.
func UnfillBF16(values, rest []tensor.BF16, index []int64, grad []tensor.BF16, seen []bool) error {
	return unfill(values, rest, index, grad, seen, plusBF16)
}

// UnfillI8 is UnfillF32 for i8.
func UnfillI8(values, rest []int8, index []int64, grad []int8, seen []bool) error {
	return unfill(values, rest, index, grad, seen, plus[int8])
}

// UnfillI16 is UnfillF32 for i16.
func UnfillI16(values, rest []int16, index []int64, grad []int16, seen []bool) error {
	return unfill(values, rest, index, grad, seen, plus[int16])
}

// UnfillI32 is UnfillF32 for i32.
func UnfillI32(values, rest []int32, index []int64, grad []int32, seen []bool) error {
	return unfill(values, rest, index, grad, seen, plus[int32])
}

// UnfillI64 is UnfillF32 for i64.
func UnfillI64(values, rest []int64, index []int64, grad []int64, seen []bool) error {
	return unfill(values, rest, index, grad, seen, plus[int64])
}

// UnfillU8 is UnfillF32 for u8.
func UnfillU8(values, rest []uint8, index []int64, grad []uint8, seen []bool) error {
	return unfill(values, rest, index, grad, seen, plus[uint8])
}

// UnfillU16 is UnfillF32 for u16.
func UnfillU16(values, rest []uint16, index []int64, grad []uint16, seen []bool) error {
	return unfill(values, rest, index, grad, seen, plus[uint16])
}

// UnfillU32 is UnfillF32 for u32.
func UnfillU32(values, rest []uint32, index []int64, grad []uint32, seen []bool) error {
	return unfill(values, rest, index, grad, seen, plus[uint32])
}

// UnfillU64 is UnfillF32 for u64.
func UnfillU64(values, rest []uint64, index []int64, grad []uint64, seen []bool) error {
	return unfill(values, rest, index, grad, seen, plus[uint64])
}

// UnfillC64 is UnfillF32 for c64.
func UnfillC64(values, rest []complex64, index []int64, grad []complex64, seen []bool) error {
	return unfill(values, rest, index, grad, seen, plus[complex64])
}

// UnfillC128 is UnfillF32 for c128.
func UnfillC128(values, rest []complex128, index []int64, grad []complex128, seen []bool) error {
	return unfill(values, rest, index, grad, seen, plus[complex128])
}
