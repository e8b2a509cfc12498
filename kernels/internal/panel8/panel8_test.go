package panel8

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/graphc/graphc/rt/cpu"
)

// levels runs f several times: without vector instructions, and with each set of vector
// instructions that the machine has.
func levels(t *testing.T, f func(t *testing.T)) {
	for l := cpu.Portable; l <= cpu.Available(); l++ {
		t.Run(l.String(), func(t *testing.T) {
			defer cpu.SetLimit(cpu.SetLimit(l))
			f(t)
		})
	}
}

func bytes[T int8 | uint8](r *rand.Rand, n int, extreme bool) []T {
	s := make([]T, n)
	for i := range s {
		s[i] = T(r.Uint32())
		if extreme { // use values whose products would overflow in instructions that add with 16-bit saturation
			s[i] = T([]int{255, 127, -128, 0}[r.IntN(4)])
		}
	}
	return s
}

func ints(r *rand.Rand, n int) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = int32(r.Uint32())
	}
	return s
}

const guard = 40

// testBlock compares the results of Run and of runGo with sums that are computed from the unpacked
// matrices.
func testBlock(t *testing.T, r *rand.Rand, p Block, withBias, withRow bool) {
	t.Helper()
	extreme := r.IntN(4) == 0
	a := bytes[uint8](r, max((p.M-1)*p.Lda+Groups(p.K)*Group, 0), extreme)
	raw := bytes[int8](r, p.K*p.N, extreme)
	b := make([]int8, Len(p.K, p.N))
	Pack(b, nil, raw, 0, p.K, p.N, p.N, false)
	size := max((p.M-1)*p.Ldc+p.N, 0)
	all := ints(r, size+2*guard)
	before := slices.Clone(all)
	c := all[guard : guard+size : guard+size]
	old := slices.Clone(c)
	var bias, row []int32
	if withBias {
		bias = ints(r, p.N)
	}
	if withRow {
		row = ints(r, p.M)
	}
	Run(c, a, b, bias, row, p)
	want := slices.Clone(old)
	for m := range p.M {
		for n := range p.N {
			var s int32
			for k := range p.K {
				s += int32(a[m*p.Lda+k]) * int32(raw[k*p.N+n])
			}
			if withBias {
				s += bias[n]
			}
			if withRow {
				s += row[m]
			}
			if p.Add {
				s += old[m*p.Ldc+n]
			}
			want[m*p.Ldc+n] = s
		}
	}
	if !slices.Equal(c, want) {
		for i := range c {
			if c[i] != want[i] {
				t.Fatalf("%+v bias %v row %v: c[%d,%d] = %d, want %d", p, withBias, withRow, i/p.Ldc, i%p.Ldc, c[i], want[i])
			}
		}
	}
	if !slices.Equal(all[:guard], before[:guard]) || !slices.Equal(all[guard+size:], before[guard+size:]) {
		t.Fatalf("%+v: wrote outside the result", p)
	}
}

func TestRun(t *testing.T) {
	levels(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		for m := 0; m <= 31; m++ {
			for _, n := range []int{1, 2, 7, 15, 16, 17, 31, 32, 33, 48, 50, 63, 64, 65, 100} {
				for _, k := range []int{0, 1, 3, 4, 5, 8, 12, 19} {
					testBlock(t, r, Block{M: m, N: n, K: k, Lda: k + k%3, Ldc: n + k%2, Add: k%5 == 3}, k&1 != 0, k&2 != 0)
				}
			}
		}
		for n := 1; n <= 200; n++ {
			testBlock(t, r, Block{M: 1 + n%5, N: n, K: 11, Lda: 13, Ldc: n}, true, n%2 == 0)
		}
		for k := range 200 {
			testBlock(t, r, Block{M: 1 + k%16, N: 40, K: k, Lda: k, Ldc: 40}, false, false)
		}
		testBlock(t, r, Block{M: 3, N: 20, K: MaxK, Lda: MaxK, Ldc: 20}, false, true)
	})
}

func TestRunPanicsOnShortSlices(t *testing.T) {
	ok := Block{M: 3, N: 20, K: 5, Lda: 8, Ldc: 20}
	sizes := []int{60, 24, Len(5, 20), 20, 3}
	for short := range sizes {
		n := slices.Clone(sizes)
		n[short]--
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("slice %d too short: no panic", short)
				}
			}()
			Run(make([]int32, n[0]), make([]uint8, n[1]), make([]int8, n[2]), make([]int32, n[3]), make([]int32, n[4]), ok)
		}()
	}
}

func TestPack(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for k := 0; k <= 18; k++ {
		for n := 1; n <= 35; n++ {
			for _, trans := range []bool{false, true} {
				rows, cols := k, n
				if trans {
					rows, cols = n, k
				}
				ld := cols + r.IntN(3)
				src := bytes[uint8](r, max((rows-1)*ld+cols, 0), false)
				dst := bytes[int8](r, Len(k, n), false)
				sums := ints(r, n)
				Pack(dst, sums, src, 0x80, k, n, ld, trans)
				for j := range (n + Width - 1) / Width * Width {
					s := int32(0)
					for i := range Groups(k) * Group {
						var want int8
						if i < k && j < n {
							at := i*ld + j
							if trans {
								at = j*ld + i
							}
							want = int8(int(src[at]) - 128)
						}
						s += int32(want)
						if got := dst[j/Width*Groups(k)*64+i/4*64+j%16*4+i%4]; got != want {
							t.Fatalf("k %d n %d trans %v: (%d,%d) = %d, want %d", k, n, trans, i, j, got, want)
						}
					}
					if j < n && sums[j] != s {
						t.Fatalf("k %d n %d: sum %d is %d, want %d", k, n, j, sums[j], s)
					}
				}
			}
		}
	}
}

func TestRows(t *testing.T) {
	levels(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(5, 6))
		for n := range 300 {
			src := bytes[int8](r, n, false)
			dst := make([]uint8, n)
			Flip(dst, src)
			s := int32(0)
			for i, v := range src {
				if int(dst[i]) != int(v)+128 {
					t.Fatalf("%d: flip %d gives %d", n, v, dst[i])
				}
				s += int32(dst[i])
			}
			if got := Sum(dst); got != s {
				t.Fatalf("sum of %d is %d, want %d", n, got, s)
			}
		}
	})
}

func TestOut(t *testing.T) {
	nan := float32(math.NaN())
	levels(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(7, 8))
		for n := range 200 {
			src := ints(r, n)
			scale, bias := make([]float32, n), make([]float32, n)
			for i := range src {
				src[i] >>= r.IntN(32)
				scale[i], bias[i] = []float32{0.5, 0.25, r.Float32(), -1, 1e-7, nan}[r.IntN(6)], r.Float32()*8-4
			}
			f := make([]float32, n)
			OutF32(f, src, scale, bias, -3, 6)
			u, s := make([]uint8, n), make([]int8, n)
			OutBytes(u, src, scale, 3, 0, 255)
			OutBytes(s, src, scale, -5, -127, 100)
			for i := range src {
				v := float32(float32(src[i]) * scale[i])
				want := float64(v + bias[i])
				if want == want {
					want = min(max(want, -3), 6)
				}
				if g := float64(f[i]); g != want && (g == g || want == want) {
					t.Fatalf("%d floats: %d*%v+%v = %v, want %v", n, src[i], scale[i], bias[i], g, want)
				}
				q := math.RoundToEven(float64(v))
				wu, ws := min(max(q+3, 0), 255), min(max(q-5, -127), 100)
				if v != v {
					wu, ws = 0, -127
				}
				if float64(u[i]) != wu || float64(s[i]) != ws {
					t.Fatalf("%d bytes: %d*%v = %d and %d, want %v and %v", n, src[i], scale[i], u[i], s[i], wu, ws)
				}
			}
		}
	})
}

// shapes are the sizes M, N, K of layers of BERT and ResNet50, and of layers with one and with eight
// rows.
var shapes = [][3]int{{128, 768, 768}, {128, 3072, 768}, {128, 768, 3072}, {1024, 1024, 1024},
	{3136, 64, 64}, {196, 256, 1024}, {14, 32, 256}, {1, 4096, 1024}, {8, 4096, 1024}}

func BenchmarkRun(b *testing.B) {
	for _, s := range shapes {
		m, n, k := s[0], s[1], s[2]
		b.Run(fmt.Sprintf("%dx%dx%d", m, n, k), func(b *testing.B) {
			x, w, c := make([]uint8, m*k), make([]int8, Len(k, n)), make([]int32, m*n)
			for b.Loop() {
				Run(c, x, w, nil, nil, Block{M: m, N: n, K: k, Lda: k, Ldc: n})
			}
			b.ReportMetric(2*float64(m)*float64(n)*float64(k)/1e9*float64(b.N)/b.Elapsed().Seconds(), "GOP/s")
		})
	}
}
