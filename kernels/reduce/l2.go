package reduce

import "github.com/graphc/graphc/rt/tensor"

// L2LossF32 sets dst[0] = Σ x²/2.
func L2LossF32(dst, src []float32) { dst[0] = float32(squaresWide(src) / 2) }

// L2LossF64 sets dst[0] = Σ x²/2.
func L2LossF64(dst, src []float64) { dst[0] = squaresWide(src) / 2 }

// L2LossF16 sets dst[0] = Σ x²/2, rounded once.
func L2LossF16(dst, src []tensor.F16) {
	s := 0.0
	for _, x := range src {
		v := float64(x.Float32())
		s += float64(v * v)
	}
	dst[0] = tensor.ToF16(float32(s / 2))
}

// L2LossBF16 sets dst[0] = Σ x²/2, rounded once.
func L2LossBF16(dst, src []tensor.BF16) {
	s := 0.0
	for _, x := range src {
		v := float64(x.Float32())
		s += float64(v * v)
	}
	dst[0] = tensor.ToBF16(float32(s / 2))
}

func squaresWide[T float](src []T) float64 {
	s := 0.0
	for _, x := range src {
		v := float64(x)
		s += float64(v * v)
	}
	return s
}
