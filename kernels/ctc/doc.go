// Package ctc holds connectionist temporal classification: the loss with its
// gradient, and the decoders of best paths.
//
// The method is described in Alex Graves, Supervised Sequence Labelling with Recurrent Neural Networks,
// chapter 7. The kernels follow those of TensorFlow in the details.
package ctc

import (
	"math"

	"github.com/graphc/graphc/rt/tensor"
)

type float interface{ float32 | float64 }

func inf[T float]() T { return T(math.Inf(1)) }

// logSum returns ln(eᵃ + eᵇ). As in TensorFlow, the term that is added to the larger one is rounded to
// f32, even for f64.
func logSum[T float](a, b T) T {
	switch {
	case a == -inf[T]():
		return b
	case b == -inf[T]():
		return a
	case a > b:
		return a + log1pExp(b-a)
	}
	return b + log1pExp(a-b)
}

func log1pExp[T float](d T) T {
	e := float32(math.Exp(float64(float32(d))))
	return T(float32(math.Log1p(float64(e))))
}

// lengths checks that no sequence is longer than the number of steps.
func lengths(seqLen []int32, steps int) error {
	for b, n := range seqLen {
		if int(n) > steps {
			return tensor.Errorf(tensor.FailedPrecondition, "sequence_length[%d] is %d, there are %d steps", b, n, steps)
		}
	}
	return nil
}
