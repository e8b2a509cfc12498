package norm

import "testing"

// BenchmarkRows normalises rows of 768 elements. The reported MB/s include both the input and the
// output.
func BenchmarkRows(b *testing.B) {
	const rows, c = 16, 768
	x, y, g, scratch := make([]float32, rows*c), make([]float32, rows*c), make([]float32, c), make([]float32, c)
	for i := range x {
		x[i] = float32(i%200)/20 - 5
	}
	for _, k := range []struct {
		name string
		f    func()
	}{
		{"LayerNorm", func() { LayerNormF32(y, x, LayerParams{Rows: rows, C: c, Epsilon: 1e-6, Gamma: g, Beta: g}) }},
		{"RMSNorm", func() { RMSNormF32(y, x, LayerParams{Rows: rows, C: c, Epsilon: 1e-6, Gamma: g}) }},
		{"BatchNorm", func() { InferF32(y, x, g, g, g, g, scratch, Params{Outer: rows, C: c, Inner: 1, Epsilon: 1e-3}) }},
		{"BiasGeluErf", func() { copy(y, x); FinishF32(y, FinishParams[float32]{Rows: rows, C: c, Act: GeluErf, Bias: g}) }},
		{"BiasSwish", func() { copy(y, x); FinishF32(y, FinishParams[float32]{Rows: rows, C: c, Act: Swish, Bias: g}) }},
	} {
		b.Run(k.name, func(b *testing.B) {
			b.SetBytes(8 * rows * c)
			for range b.N {
				k.f()
			}
		})
	}
}
