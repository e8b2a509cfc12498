package softmax

import "testing"

func BenchmarkSoftmax(b *testing.B) {
	x := make([]float32, 64*64)
	dst := make([]float32, len(x))
	for i := range x {
		x[i] = float32(i % 17)
	}
	b.SetBytes(int64(len(x)))
	for range b.N {
		SoftmaxF32(dst, x, 64)
	}
}
