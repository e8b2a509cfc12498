package random

import (
	"math"
	"math/bits"

	"github.com/graphc/graphc/rt/tensor"
)

// SobolFits returns InvalidArgument unless the sizes of a Sobol sequence are in range: 1 ≤ dims ≤ most,
// points ≥ 1, skip ≥ 0, and points+skip must be less than the largest int32.
func SobolFits(dims, points, skip, most int) error {
	switch {
	case dims < 1 || dims > most:
		return tensor.Errorf(tensor.InvalidArgument, "dim must be at least 1 and at most %d, not %d", most, dims)
	case points < 1:
		return tensor.Errorf(tensor.InvalidArgument, "num_results must be at least one, not %d", points)
	case skip < 0:
		return tensor.Errorf(tensor.InvalidArgument, "skip must be non-negative, not %d", skip)
	case points >= math.MaxInt32-skip:
		return tensor.Errorf(tensor.InvalidArgument, "num_results+skip must be less than %d", math.MaxInt32)
	}
	return nil
}

// SobolParams describes a part of a Sobol sequence in Dims dimensions: Points points that follow
// the first Skip points. The slice of direction numbers has Digits elements for each dimension.
type SobolParams struct{ Dims, Points, Skip, Digits int }

// sobol writes the points in the order of the Gray code. Thus it computes each point from the
// previous one with a single direction number (Antonov and Saleev, "An economic method of computing
// LPτ-sequences", 1979).
func sobol[T float32 | float64](out []T, numbers []uint32, p *SobolParams) {
	digits := bits.Len(uint(p.Skip + p.Points + 1))
	unit := T(math.Ldexp(1, -digits))
	if digits == 31 { // 1<<31 is negative in TensorFlow's int32
		unit = -unit
	}
	first := p.Skip + 1
	gray := first ^ first>>1
	for d := range p.Dims {
		m := numbers[d*p.Digits : (d+1)*p.Digits]
		var x uint32
		for k := range digits {
			if gray>>k&1 != 0 {
				x ^= m[k] << (digits - 1 - k)
			}
		}
		out[d] = T(x) * unit
		for i := 1; i < p.Points; i++ {
			k := bits.TrailingZeros(^uint(i + p.Skip))
			x ^= m[k] << (digits - 1 - k)
			out[i*p.Dims+d] = T(x) * unit
		}
	}
}
