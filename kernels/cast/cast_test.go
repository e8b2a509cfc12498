package cast

import (
	"math"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

func one[D, S any](k func([]D, []S), x S) D {
	d := make([]D, 1)
	k(d, []S{x})
	return d[0]
}

func check[T comparable](t *testing.T, name string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %v, want %v", name, got, want)
	}
}

// TestCorners checks conversions for which Go's own conversion differs or may differ.
func TestCorners(t *testing.T) {
	nan := math.NaN()
	check(t, "f32 1e10 to i32", one(F32ToI32, 1e10), math.MinInt32)
	check(t, "f64 2147483647.9 to i32", one(F64ToI32, 2147483647.9), math.MaxInt32)
	check(t, "f64 -2147483648.9 to i32", one(F64ToI32, -2147483648.9), math.MinInt32)
	check(t, "f32 -1.9 to i8", one(F32ToI8, -1.9), -1)
	check(t, "f32 300 to u8", one(F32ToU8, 300), 44)
	check(t, "f32 -1.5 to u8", one(F32ToU8, -1.5), 255)
	check(t, "NaN to i16", one(F64ToI16, nan), 0)
	check(t, "NaN to i64", one(F64ToI64, nan), math.MinInt64)
	check(t, "3e9 to u32", one(F32ToU32, 3e9), 3000000000)
	check(t, "-1.5 to u32", one(F32ToU32, -1.5), math.MaxUint32)
	check(t, "1e19 to u64", one(F64ToU64, 1e19), 10000000000000000000)
	check(t, "NaN to u64", one(F64ToU64, nan), 1<<63)
	check(t, "NaN to bool", one(F64ToBool, nan), true)
	check(t, "-0 to bool", one(F32ToBool, float32(math.Copysign(0, -1))), false)
	check(t, "i to bool", one(C64ToBool, complex64(1i)), false)
	check(t, "2-3i to f16", one(C128ToF16, 2-3i), tensor.ToF16(2))
	check(t, "true to bf16", one(BoolToBF16, true), tensor.ToBF16(1))
	check(t, "i64 wraps to i8", one(I64ToI8, 300), 44)
	check(t, "u8 200 to i8", one(U8ToI8, 200), -56)
	check(t, "70000 to f16", one(I32ToF16, 70000), 0x7c00)
	check(t, "f16 to i32", one(F16ToI32, tensor.ToF16(-2.5)), -2)
	check(t, "2^53+1 to f32", one(I64ToF32, 1<<53+1), 1<<53)
}

// TestChop checks that surplus bits of the mantissa are dropped instead of rounded.
func TestChop(t *testing.T) {
	check(t, "f64 to f32", one(F64ToF32Chop, 1.9999999999), 2-0x1p-23)
	check(t, "f64 to f32, negative", one(F64ToF32Chop, -1.9999999999), -2+0x1p-23)
	check(t, "f32 to bf16", one(F32ToBF16Chop, 1.9999998).Float32(), 1.9921875)
	check(t, "f32 to f16", one(F32ToF16Chop, 1.9999998).Float32(), 1.9990234375)
	check(t, "rounded", one(F32ToBF16, 1.9999998).Float32(), 2)
	check(t, "infinity", one(F64ToF32Chop, math.Inf(-1)), float32(math.Inf(-1)))
}

// TestLengths converts slices of many lengths. Some are shorter and some longer than the pieces in
// which 16-bit floats are converted.
func TestLengths(t *testing.T) {
	for n := range 600 {
		src, mid, dst := make([]int32, n), make([]tensor.F16, n), make([]complex64, n)
		for i := range src {
			src[i] = int32(i)
		}
		I32ToF16(mid, src)
		F16ToC64(dst, mid)
		for i, z := range dst {
			if real(z) != float32(i) || imag(z) != 0 {
				t.Fatalf("length %d: element %d is %v", n, i, z)
			}
		}
	}
}
