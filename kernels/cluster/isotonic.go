// Package cluster holds kernels that fit simple models to rows of numbers: monotone
// sequences and nearest centres.
package cluster

import "github.com/graphc/graphc/rt/tensor"

type float interface{ float32 | float64 }

// isotonic approximates each row of n numbers by a sequence that never rises. It uses the pool adjacent
// violators algorithm: if one step of the sequence is higher than the step before it, both are replaced
// by one step with their mean. The parameters work and starts are scratch slices of 2n and n elements.
func isotonic[O, I any, T float](out []O, segments []int32, in []I, work []T, starts []int32, n int, load func(I) T, round func(T) T, store func(T) O) {
	if n == 0 {
		return
	}
	sums, means := work[:n], work[n:2*n]
	for at := 0; at < len(in); at += n {
		pools := 0
		for i, v := range in[at : at+n] {
			starts[pools], sums[pools], means[pools] = int32(i), load(v), load(v)
			pools++
			for pools > 1 && means[pools-1] > means[pools-2] {
				pools--
				sums[pools-1] = round(sums[pools-1] + sums[pools])
				means[pools-1] = round(sums[pools-1] / round(T(i+1-int(starts[pools-1]))))
			}
		}
		end := n
		for p := pools - 1; p >= 0; p-- {
			v := store(means[p])
			for i := int(starts[p]); i < end; i++ {
				out[at+i], segments[at+i] = v, int32(p)
			}
			end = int(starts[p])
		}
	}
}

func to[T float, I int8 | int16 | int32 | int64 | float32 | float64](v I) T { return T(v) }

func same[T any](v T) T { return v }

// IsotonicF16 is IsotonicF32 for f16. Each sum and quotient is rounded to f16.
func IsotonicF16(out []tensor.F16, segments []int32, in []tensor.F16, work []float32, starts []int32, n int) {
	isotonic(out, segments, in, work, starts, n, tensor.F16.Float32, func(v float32) float32 { return tensor.ToF16(v).Float32() }, tensor.ToF16)
}

// IsotonicBF16 is IsotonicF16 for bf16.
func IsotonicBF16(out []tensor.BF16, segments []int32, in []tensor.BF16, work []float32, starts []int32, n int) {
	isotonic(out, segments, in, work, starts, n, tensor.BF16.Float32, func(v float32) float32 { return tensor.ToBF16(v).Float32() }, tensor.ToBF16)
}
