package gemm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/graphc/graphc/kernels/internal/narrow"
	"github.com/graphc/graphc/rt/tensor"
)

// narrowed rounds packed weights to every narrow type. It also returns the rounded weights widened
// to f32.
func narrowed(src []float32, k, n int) (kinds []narrow.Panels, wide [][]float32) {
	f, b, i := make([]tensor.F16, len(src)), make([]tensor.BF16, len(src)), make([]int8, len(src))
	scale := make([]float32, PackedLen(1, n))
	NarrowF16(f, src)
	NarrowBF16(b, src)
	NarrowI8(i, scale, src, k)
	kinds = []narrow.Panels{{F16: f}, {BF16: b}, {I8: i, Scale: scale}}
	for x := range kinds {
		w := make([]float32, len(src))
		for j := range w {
			switch x {
			case 0:
				w[j] = f[j].Float32()
			case 1:
				w[j] = b[j].Float32()
			default:
				w[j] = float32(i[j]) * scale[j/(16*k)*16+j%16]
			}
		}
		wide = append(wide, w)
	}
	return kinds, wide
}

// TestNarrow checks that products with narrow weights equal, bit for bit, the products that F32
// computes with the same weights widened.
func TestNarrow(t *testing.T) {
	levels(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(7, 1))
		var ps []Params
		for m := 1; m <= 29; m++ {
			for _, n := range []int{1, 15, 16, 17, 33, 64, 100, 131, 200} {
				if m > 9 && n%2 == 0 {
					continue
				}
				ps = append(ps, Params{M: m, N: n, K: 1 + (m*n)%23, Lda: 30, Ldc: n + m%2, Ldr: n + m%3, Act: Act(n % 3)})
			}
		}
		ps = append(ps, Params{M: 0, N: 3, K: 2}, Params{M: 4, N: 3, K: 0}, Params{M: 2, N: 40, K: 3000, Act: Relu}, Params{M: 1, N: 200, K: 1500},
			Params{M: 40, N: 300, K: 700}, Params{M: 30, N: 50, K: 1100, Act: Relu6}, Params{M: 5, N: 40, K: 20, TransA: true}, Params{M: 30, N: 130, K: 1024})
		for i, p := range ps {
			q := p
			q.dense()
			rows, cols := p.M, p.K
			if p.TransA {
				rows, cols = p.K, p.M
			}
			a := random(r, max((rows-1)*q.Lda+cols, 0))
			packed := make([]float32, PackedLen(p.K, p.N))
			PackF32(packed, random(r, p.K*p.N), p.K, p.N, false)
			var bias, res []float32
			if i%2 == 0 {
				bias = random(r, p.N)
			}
			if i%3 == 0 {
				res = random(r, max((p.M-1)*q.Ldr+p.N, 0))
			}
			kinds, wide := narrowed(packed, p.K, p.N)
			for x, w := range kinds {
				size := max((p.M-1)*q.Ldc+p.N, 0)
				got, want := make([]float32, size), make([]float32, size)
				scratch, room := make([]float32, ScratchLen(p)), make([]float32, WideLen(p))
				F32(want, a, wide[x], scratch, p.plus(bias, res))
				Narrow(got, a, w, scratch, room, p.plus(bias, res))
				for j := range got {
					if math.Float32bits(got[j]) != math.Float32bits(want[j]) {
						t.Fatalf("%+v kind %d: element %d is %v, want %v", p, x, j, got[j], want[j])
					}
				}
			}
		}
	})
}

func TestNarrowRounding(t *testing.T) {
	src := []float32{0, 1, -2, 0.5, 127, -127, 63.5}
	dst, scale := make([]int8, 7), make([]float32, 1)
	if !NarrowRowsI8(dst, scale, src, 7) || fmt.Sprint(dst, scale) != "[0 1 -2 0 127 -127 64] [1]" {
		t.Errorf("bytes %v, scale %v", dst, scale)
	}
	back := make([]float32, 7)
	WidenRowsI8(back, dst, scale, 7)
	if fmt.Sprint(back) != "[0 1 -2 0 127 -127 64]" {
		t.Errorf("widened to %v", back)
	}
	inf := float32(math.Inf(1))
	if NarrowRowsI8(dst[:1], scale, []float32{inf}, 1) || !NarrowF16(make([]tensor.F16, 1), []float32{inf}) || NarrowF16(make([]tensor.F16, 1), []float32{1e6}) ||
		!NarrowBF16(make([]tensor.BF16, 1), []float32{1e6}) || NarrowBF16(make([]tensor.BF16, 1), []float32{math.MaxFloat32}) {
		t.Error("what does not fit is not told")
	}
	if !NarrowRowsI8(dst[:1], scale, []float32{0}, 1) || dst[0] != 0 || scale[0] != 1 {
		t.Error("zeros have no scale")
	}
}

// BenchmarkNarrow compares products with float32 weights and products with each narrow type of
// weights. It computes these products alternately and reports the shortest time of each.
func BenchmarkNarrow(b *testing.B) {
	for _, s := range [][3]int{{1, 4096, 1024}, {1, 1000, 1280}, {4, 3072, 768}, {8, 4096, 1024}, {16, 768, 768}, {28, 768, 768}, {49, 512, 512}, {128, 3072, 768}, {1024, 1024, 1024}} {
		p := Params{M: s[0], N: s[1], K: s[2]}
		b.Run(fmt.Sprintf("%dx%dx%d", p.M, p.N, p.K), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 1))
			a, c, packed := random(r, p.M*p.K), make([]float32, p.M*p.N), random(r, PackedLen(p.K, p.N))
			kinds, _ := narrowed(packed, p.K, p.N)
			scratch, room := make([]float32, ScratchLen(p)), make([]float32, WideLen(p))
			best := [4]time.Duration{1 << 40, 1 << 40, 1 << 40, 1 << 40}
			for b.Loop() {
				for i := range best {
					t := time.Now()
					if i == 0 {
						F32(c, a, packed, scratch, p)
					} else {
						Narrow(c, a, kinds[i-1], scratch, room, p)
					}
					best[i] = min(best[i], time.Since(t))
				}
			}
			for i, name := range []string{"f32-us", "f16-us", "bf16-us", "i8-us"} {
				b.ReportMetric(float64(best[i])/1e3, name)
			}
		})
	}
}
