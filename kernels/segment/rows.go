package segment

import (
	"github.com/graphc/graphc/kernels/internal/vmath"
	"github.com/graphc/graphc/rt/tensor"
)

// Each function in this file combines two rows, `to` and `from`, element by element. The results
// replace the elements of `to`.

func addRow[T number](to, from []T) {
	from = from[:len(to)]
	for i, v := range from {
		to[i] += v
	}
}

func addRowF32(to, from []float32) {
	if !vmath.Add(to, to, from) {
		addRow(to, from)
	}
}

func mulRow[T number](to, from []T) {
	from = from[:len(to)]
	for i, v := range from {
		to[i] *= v
	}
}

// smallerRow keeps to[i] if it is less than from[i], and otherwise replaces it by from[i]. Therefore,
// an element is also replaced if it or the new element is NaN, as in TensorFlow. The function
// largerRow keeps to[i] if it is greater than from[i].
func smallerRow[T realNumber](to, from []T) {
	from = from[:len(to)]
	for i, v := range from {
		if !(to[i] < v) {
			to[i] = v
		}
	}
}

func largerRow[T realNumber](to, from []T) {
	from = from[:len(to)]
	for i, v := range from {
		if !(to[i] > v) {
			to[i] = v
		}
	}
}

func smallerHalf[T half](to, from []T) {
	from = from[:len(to)]
	for i, v := range from {
		if !(to[i].Float32() < v.Float32()) {
			to[i] = v
		}
	}
}

func largerHalf[T half](to, from []T) {
	from = from[:len(to)]
	for i, v := range from {
		if !(to[i].Float32() > v.Float32()) {
			to[i] = v
		}
	}
}

func addRowF16(to, from []tensor.F16) {
	from = from[:len(to)]
	for i, v := range from {
		to[i] = tensor.ToF16(to[i].Float32() + v.Float32())
	}
}

func mulRowF16(to, from []tensor.F16) {
	from = from[:len(to)]
	for i, v := range from {
		to[i] = tensor.ToF16(to[i].Float32() * v.Float32())
	}
}

func smallerRowF16(to, from []tensor.F16) { smallerHalf(to, from) }

func largerRowF16(to, from []tensor.F16) { largerHalf(to, from) }

func addRowBF16(to, from []tensor.BF16) {
	from = from[:len(to)]
	for i, v := range from {
		to[i] = tensor.ToBF16(to[i].Float32() + v.Float32())
	}
}

func mulRowBF16(to, from []tensor.BF16) {
	from = from[:len(to)]
	for i, v := range from {
		to[i] = tensor.ToBF16(to[i].Float32() * v.Float32())
	}
}

func smallerRowBF16(to, from []tensor.BF16) { smallerHalf(to, from) }

func largerRowBF16(to, from []tensor.BF16) { largerHalf(to, from) }
