package vmath

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// TestLoadHalf widens every 16-bit float.
func TestLoadHalf(t *testing.T) {
	levels(t, func(t *testing.T) {
		for n := range 70 {
			f, b := make([]tensor.F16, n), make([]tensor.BF16, n)
			for start := n; start < 1<<16; start += max(n*97, 1<<12) {
				for i := range n {
					f[i], b[i] = tensor.F16(start+i), tensor.BF16(start+i)
				}
				x, all := guarded(n, start)
				LoadF16(x, f)
				for i, h := range f {
					if v := h.Float32(); v != x[i] && (v == v || x[i] == x[i]) {
						t.Fatalf("binary16 %#x is %v, want %v", uint16(h), x[i], v)
					}
					x[i] = 0
				}
				LoadBF16(x, b)
				for i, h := range b {
					if v := h.Float32(); math.Float32bits(v) != math.Float32bits(x[i]) {
						t.Fatalf("bfloat16 %#x is %v, want %v", uint16(h), x[i], v)
					}
					x[i] = 0
				}
				checkGuards(t, "load", x, all)
			}
		}
	})
}

// TestStoreHalf compares roundings to 16-bit floats, including ties, with those of package tensor.
func TestStoreHalf(t *testing.T) {
	levels(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(5, 6))
		for n := range 400 {
			x := make([]float32, n)
			for i := range x {
				switch i % 5 {
				case 0:
					x[i] = math.Float32frombits(r.Uint32())
				case 1:
					x[i] = math.Float32frombits(r.Uint32() &^ 0xfff) // often a tie in binary16
				case 2:
					x[i] = math.Float32frombits(r.Uint32() &^ 0x7fff) // often a tie in bfloat16
				case 3:
					x[i] = float32(r.NormFloat64()) * 1e-6
				default:
					x[i] = float32(r.NormFloat64()) * 3e4
				}
			}
			f, b := make([]tensor.F16, n+1), make([]tensor.BF16, n+1)
			StoreF16(f[:n], x)
			StoreBF16(b[:n], x)
			for i, v := range x {
				nan := v != v && f[i].Float32() != f[i].Float32()
				if f[i] != tensor.ToF16(v) && !nan || b[i] != tensor.ToBF16(v) {
					t.Fatalf("%v becomes %#x and %#x, want %#x and %#x", v, f[i], b[i], tensor.ToF16(v), tensor.ToBF16(v))
				}
			}
			if f[n] != 0 || b[n] != 0 {
				t.Fatalf("%d: wrote beyond the end", n)
			}
		}
	})
}

func TestNormalize(t *testing.T) {
	levels(t, func(t *testing.T) {
		for n := range 201 {
			var s [4][]float32
			for k := range s {
				s[k], _ = guarded(n, n+k)
				for i := range s[k] {
					s[k][i] = float32((i*7+k*3)%19)/7 - 1
				}
			}
			dst, all := guarded(n, 2*n)
			one, _ := guarded(n, n)
			Normalize(dst, s[0], s[1], s[2], s[3])
			NormalizeBy(one, s[0], 0.3, -1.7, 0.1)
			checkGuards(t, "Normalize", dst, all)
			for i, x := range s[0] {
				m, k, o := float32(0.3), float32(-1.7), float32(0.1)
				want, by := float32((x-s[1][i])*s[2][i])+s[3][i], float32((x-m)*k)+o
				if dst[i] != want || one[i] != by {
					t.Fatalf("%d of %d: %v and %v, want %v and %v", i, n, dst[i], one[i], want, by)
				}
			}
		}
	})
}
