package elem

import "testing"

// BenchmarkRows runs kernels over 4096 elements that stay in the first-level cache. MB/s
// counts the bytes read and written.
func BenchmarkRows(b *testing.B) {
	const n = 4096
	x, y, dst := make([]float32, n), make([]float32, n), make([]float32, n)
	xi, yi, zi := make([]int32, n), make([]int32, n), make([]int32, n)
	xd, yd, zd := make([]float64, n), make([]float64, n), make([]float64, n)
	c := make([]bool, n)
	for i := range x {
		x[i], y[i] = float32(i%200)/20-5, float32(i%7)
		xi[i], yi[i] = int32(i), int32(i%7)+1
		xd[i], yd[i] = float64(x[i]), float64(y[i])
	}
	same := Dims{N: 1, A: [8]int{n}, B: [8]int{n}}
	row := Dims{N: 2, A: [8]int{64, 64}, B: [8]int{1, 64}}
	narrow := Dims{N: 2, A: [8]int{1024, 4}, B: [8]int{1, 4}}
	column := Dims{N: 2, A: [8]int{64, 64}, B: [8]int{64, 1}}
	outer := Dims{N: 2, A: [8]int{64, 1}, B: [8]int{1, 64}}
	pixels := Dims{N: 3, A: [8]int{2, 32, 64}, B: [8]int{2, 1, 64}}
	scalar := Dims{N: 1, A: [8]int{n}, B: [8]int{1}}
	for _, k := range []struct {
		name  string
		bytes int64 // bytes that are read and written for each result
		f     func()
	}{
		{"AddSame", 12, func() { AddF32(dst, x, y, same) }},
		{"AddRow", 8, func() { AddF32(dst, x, y[:64], row) }},
		{"AddNarrow", 8, func() { AddF32(dst, x, y[:4], narrow) }},
		{"AddColumn", 8, func() { AddF32(dst, x, y[:64], column) }},
		{"AddOuter", 4, func() { AddF32(dst, x[:64], y[:64], outer) }},
		{"MulPixels", 8, func() { MulF32(dst, x, y[:128], pixels) }},
		{"AddScalar", 8, func() { AddF32(dst, x, y[:1], scalar) }},
		{"MaximumSame", 12, func() { MaximumF32(dst, x, y, same) }},
		{"DivSame", 12, func() { DivF32(dst, x, y, same) }},
		{"Pow", 12, func() { PowF32(dst, x, y, same) }},
		{"Greater", 9, func() { GreaterF32(c, x, y, same) }},
		{"Select", 13, func() { SelectF32(dst, c, x, y, Dims3{N: 1, C: same.A, A: same.A, B: same.B}) }},
		{"Clip", 8, func() { ClipF32(dst, x, y[:1], y[6:7]) }},
		{"AddI32", 12, func() { AddI32(zi, xi, yi, same) }},
		{"EqualI32", 9, func() { EqualI32(c, xi, yi, same) }},
		{"MulF64", 24, func() { MulF64(zd, xd, yd, same) }},
		{"Relu", 8, func() { ReluF32(dst, x) }},
		{"Relu6", 8, func() { Relu6F32(dst, x) }},
		{"LeakyRelu", 8, func() { LeakyReluF32(dst, x, 0.1) }},
		{"Sqrt", 8, func() { SqrtF32(dst, y) }},
		{"Rsqrt", 8, func() { RsqrtF32(dst, y) }},
		{"Floor", 8, func() { FloorF32(dst, x) }},
		{"Exp", 8, func() { ExpF32(dst, x) }},
		{"Log", 8, func() { LogF32(dst, y) }},
		{"Tanh", 8, func() { TanhF32(dst, x) }},
		{"Sigmoid", 8, func() { SigmoidF32(dst, x) }},
		{"Swish", 8, func() { SwishF32(dst, x) }},
		{"GeluErf", 8, func() { GeluErfF32(dst, x) }},
		{"GeluTanh", 8, func() { GeluTanhF32(dst, x) }},
		{"Erf", 8, func() { ErfF32(dst, x) }},
		{"Softplus", 8, func() { SoftplusF32(dst, x) }},
		{"Elu", 8, func() { EluF32(dst, x) }},
		{"Selu", 8, func() { SeluF32(dst, x) }},
		{"Sin", 8, func() { SinF32(dst, x) }},
	} {
		b.Run(k.name, func(b *testing.B) {
			b.SetBytes(k.bytes * n)
			b.ReportAllocs()
			for range b.N {
				k.f()
			}
		})
	}
}
