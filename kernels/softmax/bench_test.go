package softmax

import (
	"fmt"
	"testing"
)

// BenchmarkRows computes softmax over rows of several lengths. The reported MB/s include both the
// input and the output, but not the mask.
func BenchmarkRows(b *testing.B) {
	x, dst, mask := make([]float32, 16384), make([]float32, 16384), make([]float32, 16384)
	for i := range x {
		x[i] = float32(i % 17)
		if i%3 == 0 {
			mask[i] = -10000
		}
	}
	for _, n := range []int{2, 8, 21, 128, 1000} {
		all := len(x) / n * n
		for _, k := range []struct {
			name string
			f    func(dst, src []float32)
		}{
			{"Softmax", func(dst, src []float32) { SoftmaxF32(dst, src, n) }},
			{"LogSoftmax", func(dst, src []float32) { LogSoftmaxF32(dst, src, n) }},
			{"Masked", func(dst, src []float32) {
				MaskedF32(dst, src, MaskedParams{N: n, H: 1, T: all / n, MaskT: 1, Scale: 0.125, Mask: mask})
			}},
		} {
			b.Run(fmt.Sprintf("%s/%d", k.name, n), func(b *testing.B) {
				b.SetBytes(int64(8 * all))
				for range b.N {
					k.f(dst[:all], x[:all])
				}
			})
		}
	}
}
