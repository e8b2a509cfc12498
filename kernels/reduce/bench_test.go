package reduce

import "testing"

// BenchmarkReduce reduces 49·64·8 float32 numbers in several ways. The reported MB/s include only the
// input.
func BenchmarkReduce(b *testing.B) {
	x, dst, acc, accF := make([]float32, 49*64*8), make([]float32, 49*64*8), make([]float64, MaxColumns), make([]float32, MaxColumns)
	at := make([]int64, 49*64)
	for _, k := range []struct {
		name string
		f    func()
	}{
		{"SumAll", func() { SumF32(dst[:1], x, dims(1, 49*64*8), acc) }},
		{"MeanInner", func() { MeanF32(dst[:8*64], x, dims(8*64, 49), acc) }},
		{"MeanOuter", func() { MeanF32(dst[:8*64], x, dims(8, 49, 64), acc) }},
		{"MeanMiddle", func() { MeanF32(dst[:49*64], x, dims(49, 8, 64), acc) }},
		{"MaxInner", func() { MaxF32(dst[:49], x, dims(49, 512), accF) }},
		{"MaxOuter", func() { MaxF32(dst[:8*64], x, dims(8, 49, 64), accF) }},
		{"ArgMaxInner", func() { ArgMaxF32(at[:49], x, Axis{Outer: 49, N: 512, Inner: 1}) }},
		{"ArgMaxOuter", func() { ArgMaxF32(at[:64], x, Axis{Outer: 1, N: 49 * 8, Inner: 64}) }},
		{"Cumsum", func() { CumsumF32(dst, x, Scan{Outer: 49, N: 512, Inner: 1}) }},
	} {
		b.Run(k.name, func(b *testing.B) {
			b.SetBytes(int64(4 * len(x)))
			b.ReportAllocs()
			for range b.N {
				k.f()
			}
		})
	}
}
