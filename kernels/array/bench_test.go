package array

import "testing"

// BenchmarkMove runs copies between boxes; MB/s counts the bytes read and written.
func BenchmarkMove(b *testing.B) {
	src, dst := make([]float32, 1<<18), make([]float32, 1<<18)
	for _, k := range []struct {
		name         string
		dims, to, at []int
	}{
		{"Transpose128x64", []int{64, 128}, []int{128, 1}, []int{1, 64}},
		{"Transpose1000x3", []int{3, 1000}, []int{1000, 1}, []int{1, 3}},
		{"Heads128x12x64", []int{12, 128, 64}, []int{8192, 64, 1}, []int{64, 768, 1}},
		{"Concat256x16of48", []int{256, 16}, []int{48, 1}, []int{16, 1}},
		{"BroadcastRows64x64", []int{64, 64}, []int{64, 1}, []int{0, 1}},
		{"BroadcastColumns64x64", []int{64, 64}, []int{64, 1}, []int{1, 0}},
		{"Every2", []int{4096}, []int{1}, []int{2}},
	} {
		n := 1
		for _, d := range k.dims {
			n *= d
		}
		b.Run(k.name, func(b *testing.B) {
			b.SetBytes(int64(8 * n))
			for range b.N {
				MoveF32(dst, src, k.dims, k.to, 0, k.at, 0)
			}
		})
	}
	b.Run("Pad56x56x16", func(b *testing.B) {
		b.SetBytes(4 * (58*58 + 56*56) * 16)
		for range b.N {
			PadF32(dst, src, []int{56, 56, 16}, []int{1, 1, 0}, []int{1, 1, 0}, PadParams[float32]{})
		}
	})
}
