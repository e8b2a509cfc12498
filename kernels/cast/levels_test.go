package cast

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/graphc/graphc/rt/cpu"
)

// levels compares a conversion at every CPU level with the portable conversion, for slices of many
// lengths.
func levels[D, S comparable](t *testing.T, name string, f func([]D, []S), gen func(r *rand.Rand) S) {
	t.Helper()
	defer cpu.SetLimit(cpu.SetLimit(cpu.AVX512))
	r := rand.New(rand.NewPCG(3, 5))
	for n := range 300 {
		if n > 80 {
			n *= 7
		}
		src, want, got := make([]S, n), make([]D, n), make([]D, n)
		for i := range src {
			src[i] = gen(r)
		}
		cpu.SetLimit(cpu.Portable)
		f(want, src)
		for l := cpu.AVX2; l <= cpu.Available(); l++ {
			cpu.SetLimit(l)
			clear(got)
			f(got, src)
			for i := range want {
				if got[i] != want[i] && (got[i] == got[i] || want[i] == want[i]) {
					t.Fatalf("%s at %v: element %d of %d: %v becomes %v, want %v", name, l, i, n, src[i], got[i], want[i])
				}
			}
		}
	}
}

func TestLevels(t *testing.T) {
	f := func(r *rand.Rand) float32 {
		switch r.IntN(6) {
		case 0:
			return float32(math.NaN())
		case 1:
			return math.Float32frombits(r.Uint32())
		case 2:
			return 0
		}
		return float32(r.NormFloat64() * 300)
	}
	d := func(r *rand.Rand) float64 { return float64(f(r)) * (1 + r.Float64()) }
	i32 := func(r *rand.Rand) int32 { return int32(r.Uint32()) >> r.IntN(32) }
	i64 := func(r *rand.Rand) int64 { return int64(r.Uint64()) >> r.IntN(64) }
	u8 := func(r *rand.Rand) uint8 { return uint8(r.Uint32()) }
	levels(t, "i32 to f32", I32ToF32, i32)
	levels(t, "f32 to i32", F32ToI32, f)
	levels(t, "u8 to f32", U8ToF32, u8)
	levels(t, "i8 to f32", I8ToF32, func(r *rand.Rand) int8 { return int8(u8(r)) })
	levels(t, "bool to f32", BoolToF32, func(r *rand.Rand) bool { return u8(r)&1 != 0 })
	levels(t, "bool to i32", BoolToI32, func(r *rand.Rand) bool { return u8(r)&1 != 0 })
	levels(t, "u8 to i32", U8ToI32, u8)
	levels(t, "f32 to u8", F32ToU8, f)
	levels(t, "f32 to f64", F32ToF64, f)
	levels(t, "f64 to f32", F64ToF32, d)
	levels(t, "i32 to i64", I32ToI64, i32)
	levels(t, "i64 to i32", I64ToI32, i64)
	levels(t, "i64 to f32", I64ToF32, i64)
	levels(t, "f32 to i64", F32ToI64, f)
	levels(t, "f32 to bool", F32ToBool, f)
	levels(t, "i32 to bool", I32ToBool, i32)
	levels(t, "i64 to bool", I64ToBool, i64)
}
