package elem

import "testing"

// BenchmarkRows runs rows of 4096 float32.
func BenchmarkRows(b *testing.B) {
	x, y, dst := make([]float32, 4096), make([]float32, 4096), make([]float32, 4096)
	for i := range x {
		x[i], y[i] = float32(i%200)/20-5, float32(i%7)
	}
	same := Dims{N: 1, A: [8]int{4096}, B: [8]int{4096}}
	row := Dims{N: 2, A: [8]int{64, 64}, B: [8]int{1, 64}}
	scalar := Dims{N: 1, A: [8]int{4096}, B: [8]int{1}}
	for _, k := range []struct {
		name string
		f    func()
	}{
		{"AddSame", func() { AddF32(dst, x, y, same) }},
		{"AddRow", func() { AddF32(dst, x, y[:64], row) }},
		{"AddScalar", func() { AddF32(dst, x, y[:1], scalar) }},
		{"MaximumSame", func() { MaximumF32(dst, x, y, same) }},
		{"DivSame", func() { DivF32(dst, x, y, same) }},
		{"Relu", func() { ReluF32(dst, x) }},
		{"Relu6", func() { Relu6F32(dst, x) }},
		{"LeakyRelu", func() { LeakyReluF32(dst, x, 0.1) }},
		{"Sqrt", func() { SqrtF32(dst, x) }},
		{"Floor", func() { FloorF32(dst, x) }},
		{"Exp", func() { ExpF32(dst, x) }},
		{"Log", func() { LogF32(dst, x) }},
		{"Tanh", func() { TanhF32(dst, x) }},
		{"Sigmoid", func() { SigmoidF32(dst, x) }},
		{"Erf", func() { ErfF32(dst, x) }},
		{"Softplus", func() { SoftplusF32(dst, x) }},
		{"Elu", func() { EluF32(dst, x) }},
		{"Sin", func() { SinF32(dst, x) }},
	} {
		b.Run(k.name, func(b *testing.B) {
			b.SetBytes(4096)
			b.ReportAllocs()
			for range b.N {
				k.f()
			}
		})
	}
}
