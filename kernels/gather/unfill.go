package gather

import "github.com/graphc/graphc/rt/tensor"

// unfill sets values[i] = grad[index[i]], and rest[0] to the sum of the elements of grad whose
// positions are not in index, added in order. seen is scratch as long as grad.
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
