package panel

import (
	"fmt"
	"math"
	"math/rand/v2"
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

const guard = 64

// guarded returns a slice s of n random floats, and the slice all, which also contains the NaN
// values before and after s.
func guarded(r *rand.Rand, n int) (s, all []float32) {
	all = make([]float32, n+2*guard)
	for i := range all {
		all[i] = float32(math.NaN())
	}
	s = all[guard : guard+n : guard+n]
	for i := range s {
		s[i] = r.Float32()*2 - 1
	}
	return s, all
}

func checkGuards(t *testing.T, all []float32) {
	t.Helper()
	for i, v := range all {
		if (i < guard || i >= len(all)-guard) && v == v {
			t.Fatalf("guard %d of %d overwritten with %v", i, len(all), v)
		}
	}
}

func testBlock(t *testing.T, r *rand.Rand, p Block, withBias, withRes bool) {
	t.Helper()
	depth := p.depth()
	a, _ := guarded(r, max((p.M-1)*p.Lda+(p.Planes-1)*p.PlaneStep+(p.Segs-1)*p.SegStep+p.K, 0))
	raw, _ := guarded(r, depth*p.N)
	b, _ := guarded(r, Len(depth, p.N))
	Pack(b, raw, depth, p.N, p.N, false)
	size := max((p.M-1)*p.Ldc+p.N, 0)
	c, all := guarded(r, size)
	before := append([]float32(nil), c...)
	var bias, res []float32
	if withBias {
		bias, _ = guarded(r, p.N)
	}
	if withRes {
		res, _ = guarded(r, max((p.M-1)*p.Ldr+p.N, 0))
	}
	Run(c, a, b, bias, res, p)
	checkGuards(t, all)
	for m := range p.M {
		for n := range p.Ldc {
			at := m*p.Ldc + n
			if n >= p.N {
				if at < size && c[at] != before[at] {
					t.Fatalf("%+v: wrote between rows at %d,%d", p, m, n)
				}
				continue
			}
			var want, mag float64
			o := 0
			for pl := range p.Planes {
				for s := range p.Segs {
					for k := range p.K {
						x := float64(a[m*p.Lda+pl*p.PlaneStep+s*p.SegStep+k]) * float64(raw[o*p.N+n])
						want += x
						mag += math.Abs(x)
						o++
					}
				}
			}
			if withBias {
				want += float64(bias[n])
				mag++
			}
			if withRes {
				want += float64(res[m*p.Ldr+n])
				mag++
			}
			want = min(max(want, float64(p.Lo)), float64(p.Hi))
			if got := float64(c[at]); !(math.Abs(got-want) <= 1e-6*mag) {
				t.Fatalf("%+v bias %v res %v: c[%d,%d] = %v, want %v", p, withBias, withRes, m, n, got, want)
			}
		}
	}
}

func TestRun(t *testing.T) {
	inf := float32(math.Inf(1))
	levels(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		for m := 0; m <= 31; m++ {
			for _, n := range []int{1, 2, 7, 8, 9, 15, 16, 17, 20, 24, 25, 31, 32, 33, 47, 48, 50, 63, 64, 65, 100} {
				for _, k := range []int{0, 1, 2, 3, 4, 5, 9} {
					testBlock(t, r, Block{M: m, N: n, K: k, Segs: 1, Planes: 1, Lda: k, Ldc: n, Ldr: n, Lo: -inf, Hi: inf}, k&1 != 0, k&2 != 0)
				}
				p := Block{M: m, N: n, K: 3, Segs: 2, SegStep: 5, Planes: 3, PlaneStep: 40, Lda: 4, Ldc: n + 5, Ldr: n + 3, Lo: -0.5, Hi: 0.75}
				testBlock(t, r, p, true, true)
				testBlock(t, r, p, false, false)
			}
		}
		for n := 1; n <= 200; n++ {
			testBlock(t, r, Block{M: 1 + n%5, N: n, K: 11, Segs: 1, Planes: 1, Lda: 13, Ldc: n, Ldr: n, Lo: 0, Hi: inf}, true, n%2 == 0)
		}
		// In the first block, one call of assembly cannot compute all rows of a panel. Both blocks
		// are large enough that panels are prefetched.
		testBlock(t, r, Block{M: 75, N: 100, K: 1500, Segs: 1, Planes: 1, Lda: 1500, Ldc: 100, Ldr: 100, Lo: 0, Hi: inf}, true, true)
		testBlock(t, r, Block{M: 5, N: 300, K: 40, Segs: 1, Planes: 1, Lda: 40, Ldc: 300, Ldr: 300, Lo: -inf, Hi: inf}, true, true)
		for k := range 200 {
			testBlock(t, r, Block{M: 1 + k%16, N: 40, K: k, Segs: 1, Planes: 1, Lda: k, Ldc: 40, Ldr: 40, Lo: -inf, Hi: inf}, false, false)
		}
	})
}

func TestPanelStep(t *testing.T) {
	levels(t, func(t *testing.T) {
		const m, n, k, cut = 17, 70, 20, 7
		r := rand.New(rand.NewPCG(3, 4))
		a, _ := guarded(r, m*k)
		raw, _ := guarded(r, k*n)
		b := make([]float32, Len(k, n))
		Pack(b, raw, k, n, n, false)
		whole, parts := make([]float32, m*n), make([]float32, m*n)
		p := Block{M: m, N: n, K: k, Segs: 1, Planes: 1, Lda: k, Ldc: n, Ldr: n, Lo: Unclamped, Hi: -Unclamped}
		Run(whole, a, b, nil, nil, p)
		p.PanelStep = k * Width
		p.K = cut
		Run(parts, a, b, nil, nil, p)
		p.K = k - cut
		Run(parts, a[cut:], b[cut*Width:], nil, parts, p)
		for i := range whole {
			if math.Abs(float64(whole[i]-parts[i])) > 1e-5 {
				t.Fatalf("element %d: %v in parts, %v at once", i, parts[i], whole[i])
			}
		}
	})
}

func TestNaNPassesClamp(t *testing.T) {
	levels(t, func(t *testing.T) {
		nan := float32(math.NaN())
		b := make([]float32, Len(1, 40))
		for i := range b {
			b[i] = 1
		}
		for _, rows := range []int{1, 2, 3, 20} {
			a := make([]float32, rows)
			for i := range a {
				a[i] = nan
			}
			c := make([]float32, rows*40)
			Run(c, a, b, nil, nil, Block{M: rows, N: 40, K: 1, Segs: 1, Planes: 1, Lda: 1, Ldc: 40, Lo: 0, Hi: 6})
			for i, v := range c {
				if v == v {
					t.Fatalf("%d rows: element %d is %v", rows, i, v)
				}
			}
		}
	})
}

func TestRunPanicsOnShortSlices(t *testing.T) {
	ok := Block{M: 3, N: 20, K: 5, Segs: 1, Planes: 1, Lda: 5, Ldc: 20, Ldr: 20}
	sizes := []int{60, 15, Len(5, 20), 20, 60}
	for short := range sizes {
		s := make([][]float32, len(sizes))
		for i, n := range sizes {
			if i == short {
				n--
			}
			s[i] = make([]float32, n)
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("slice %d too short: no panic", short)
				}
			}()
			Run(s[0], s[1], s[2], s[3], s[4], ok)
		}()
	}
}

func TestPackAndTranspose(t *testing.T) {
	levels(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(5, 6))
		for k := 0; k <= 40; k++ {
			for n := 0; n <= 40; n++ {
				for _, trans := range []bool{false, true} {
					rows, cols := k, n
					if trans {
						rows, cols = n, k
					}
					ld := cols + r.IntN(3)
					src, _ := guarded(r, max((rows-1)*ld+cols, 0))
					dst, all := guarded(r, Len(k, n))
					Pack(dst, src, k, n, ld, trans)
					checkGuards(t, all)
					for i := range k {
						for j := range Len(1, n) {
							var want float32
							if j < n && trans {
								want = src[j*ld+i]
							} else if j < n {
								want = src[i*ld+j]
							}
							if got := dst[j/Width*Width*k+i*Width+j%Width]; got != want {
								t.Fatalf("k %d n %d trans %v: (%d,%d) = %v, want %v", k, n, trans, i, j, got, want)
							}
						}
					}
				}
				src, _ := guarded(r, max((k-1)*(n+1)+n, 0))
				dst, all := guarded(r, max((n-1)*(k+2)+k, 0))
				before := append([]float32(nil), dst...)
				Transpose(dst, k+2, src, n+1, k, n)
				checkGuards(t, all)
				for i := range dst {
					want := before[i]
					if j := i % (k + 2); j < k {
						want = src[j*(n+1)+i/(k+2)]
					}
					if dst[i] != want {
						t.Fatalf("transpose %d×%d: element %d is %v, want %v", k, n, i, dst[i], want)
					}
				}
			}
		}
	})
}

func TestAdd(t *testing.T) {
	levels(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(7, 8))
		for n := range 100 {
			src, _ := guarded(r, n)
			dst, all := guarded(r, n)
			want := make([]float32, n)
			for i := range want {
				want[i] = dst[i] + src[i]
			}
			Add(dst, src)
			checkGuards(t, all)
			if fmt.Sprint(dst) != fmt.Sprint(want) {
				t.Fatalf("%d floats: got %v, want %v", n, dst, want)
			}
		}
	})
}

func TestRowProducts(t *testing.T) {
	levels(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(9, 9))
		try := func(k, n, step, pad int) {
			t.Helper()
			a, _ := guarded(r, max((k-1)*step+1, 0))
			dense, _ := guarded(r, k)
			for i := range dense {
				dense[i] = a[i*step]
			}
			for _, trans := range []bool{false, true} {
				rows, cols := k, n
				if trans {
					rows, cols = n, k
				}
				ldb := cols + pad
				b, _ := guarded(r, max((rows-1)*ldb+cols, 0))
				c, all := guarded(r, n)
				if trans {
					Dots(c, dense, b, ldb, k, n)
				} else {
					MulRow(c, a, step, b, ldb, k, n)
				}
				checkGuards(t, all)
				for j := range n {
					var want, mag float64
					for i := range k {
						at := i*ldb + j
						if trans {
							at = j*ldb + i
						}
						v := float64(dense[i]) * float64(b[at])
						want += v
						mag += math.Abs(v)
					}
					if got := float64(c[j]); !(math.Abs(got-want) <= 1e-6*mag) {
						t.Fatalf("k %d n %d step %d pad %d trans %v: c[%d] = %v, want %v", k, n, step, pad, trans, j, got, want)
					}
				}
			}
		}
		for x := 0; x <= 70; x++ {
			try(x, 21, 1+x%3, x%5)
			try(21, x, 1, x%4)
			try(x, 70-x, 2, 0)
		}
		try(5000, 5, 1, 0)
		try(9, 5000, 1, 1)
	})
}
