package cast

import (
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// BenchmarkRows converts 4096 elements; MB/s counts the bytes read and written.
func BenchmarkRows(b *testing.B) {
	const n = 4096
	f, d, i32, i64, u8, h, bf, c := make([]float32, n), make([]float64, n), make([]int32, n), make([]int64, n), make([]uint8, n), make([]tensor.F16, n), make([]tensor.BF16, n), make([]bool, n)
	for _, k := range []struct {
		name  string
		bytes int64
		f     func()
	}{
		{"I32ToF32", 8, func() { I32ToF32(f, i32) }},
		{"F32ToI32", 8, func() { F32ToI32(i32, f) }},
		{"I64ToF32", 12, func() { I64ToF32(f, i64) }},
		{"I64ToI32", 12, func() { I64ToI32(i32, i64) }},
		{"U8ToF32", 5, func() { U8ToF32(f, u8) }},
		{"F32ToU8", 5, func() { F32ToU8(u8, f) }},
		{"BoolToF32", 5, func() { BoolToF32(f, c) }},
		{"F32ToBool", 5, func() { F32ToBool(c, f) }},
		{"F32ToF64", 12, func() { F32ToF64(d, f) }},
		{"F32ToF16", 6, func() { F32ToF16(h, f) }},
		{"F16ToF32", 6, func() { F16ToF32(f, h) }},
		{"F32ToBF16", 6, func() { F32ToBF16(bf, f) }},
	} {
		b.Run(k.name, func(b *testing.B) {
			b.SetBytes(k.bytes * n)
			for range b.N {
				k.f()
			}
		})
	}
}
