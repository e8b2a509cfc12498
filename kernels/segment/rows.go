package segment

import (
	"github.com/graphc/graphc/kernels/internal/vmath"
	"github.com/graphc/graphc/rt/tensor"
)

// The functions of this file combine the row from with the row to, element by element, and store
// the result in to.

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

// smallerRow and largerRow replace an element of the row to unless it is smaller (larger) than that
// of from. So a NaN in to is replaced, and a NaN in from is taken, as in TensorFlow.
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
