package gemm

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/graphc/graphc/rt/cpu"
	"github.com/graphc/graphc/rt/tensor"
)

func levels(t *testing.T, f func(t *testing.T)) {
	for l := cpu.Portable; l <= cpu.Available(); l++ {
		t.Run(l.String(), func(t *testing.T) {
			defer cpu.SetLimit(cpu.SetLimit(l))
			f(t)
		})
	}
}

func random(r *rand.Rand, n int) []float32 {
	s := make([]float32, n)
	for i := range s {
		s[i] = r.Float32()*2 - 1
	}
	return s
}

func act(a Act, lo, hi float32, v float64) float64 {
	l, h := a.Bounds(lo, hi)
	return min(max(v, float64(l)), float64(h))
}

func testF32(t *testing.T, r *rand.Rand, p Params, transB, withBias, withRes bool) {
	t.Helper()
	q := p
	q.dense()
	rows, cols := p.M, p.K
	if p.TransA {
		rows, cols = p.K, p.M
	}
	a := random(r, max((rows-1)*q.Lda+cols, 0))
	raw := random(r, p.K*p.N)
	b := make([]float32, PackedLen(p.K, p.N))
	PackF32(b, raw, p.K, p.N, transB)
	c := random(r, max((p.M-1)*q.Ldc+p.N, 0))
	var bias, res []float32
	if withBias {
		bias = random(r, p.N)
	}
	if withRes {
		res = random(r, max((p.M-1)*q.Ldr+p.N, 0))
	}
	scratch := make([]float32, ScratchLen(p))
	for i := range scratch {
		scratch[i] = float32(math.NaN())
	}
	F32(c, a, b, scratch, p.plus(bias, res))
	for m := range p.M {
		for n := range p.N {
			var want, mag float64
			for k := range p.K {
				x, y := m*q.Lda+k, k*p.N+n
				if p.TransA {
					x = k*q.Lda + m
				}
				if transB {
					y = n*p.K + k
				}
				v := float64(a[x]) * float64(raw[y])
				want += v
				mag += math.Abs(v)
			}
			if withBias {
				want += float64(bias[n])
				mag++
			}
			if withRes {
				want += float64(res[m*q.Ldr+n])
				mag++
			}
			want = act(p.Act, p.Lo, p.Hi, want)
			if got := float64(c[m*q.Ldc+n]); !(math.Abs(got-want) <= 1e-6*mag) {
				t.Fatalf("%+v transB %v: c[%d,%d] = %v, want %v", p, transB, m, n, got, want)
			}
		}
	}
}

func TestF32(t *testing.T) {
	levels(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 1))
		for i, p := range []Params{
			{M: 1, N: 1, K: 1}, {M: 0, N: 5, K: 3}, {M: 5, N: 0, K: 3}, {M: 3, N: 17, K: 0, Act: Relu},
			{M: 5, N: 7, K: 9, Lda: 12, Ldc: 10, Ldr: 8, Act: Relu6},
			{M: 33, N: 50, K: 70, Act: Clip, Lo: -1, Hi: 2}, {M: 33, N: 50, K: 70, TransA: true},
			{M: 7, N: 20, K: 13, TransA: true, Lda: 9}, {M: 1, N: 100, K: 300}, {M: 2, N: 100, K: 300}, {M: 3, N: 40, K: 300, TransA: true},
			{M: 16, N: 130, K: 1024}, {M: 30, N: 20, K: 9000, Act: Relu}, {M: 29, N: 35, K: 5000, TransA: true},
			{M: 2, N: 35, K: 20000}, {M: 300, N: 17, K: 700, Ldc: 20}, {M: 40, N: 130, K: 1000, Lda: 2048},
		} {
			for _, transB := range []bool{false, true} {
				testF32(t, r, p, transB, i%2 == 0, i%3 == 0)
				testF32(t, r, p, transB, false, false)
			}
		}
	})
}

func TestResidualInPlace(t *testing.T) {
	levels(t, func(t *testing.T) {
		const n = 40
		for _, k := range []int{1, 5000} {
			p := Params{M: n, N: n, K: k}
			b := make([]float32, PackedLen(k, n))
			c := make([]float32, n*n)
			for i := range c {
				c[i] = float32(i)
			}
			F32(c, make([]float32, n*k), b, make([]float32, ScratchLen(p)), p.plus(nil, c))
			for i, v := range c {
				if v != float32(i) {
					t.Fatalf("K %d: element %d is %v", k, i, v)
				}
			}
		}
	})
}

func TestF32DoesNotAllocate(t *testing.T) {
	p := Params{M: 20, N: 50, K: 30, TransA: true}
	a, b, c := make([]float32, 600), make([]float32, PackedLen(30, 50)), make([]float32, 1000)
	s := make([]float32, ScratchLen(p))
	q := BatchParams{M: 20, N: 50, K: 30, Dims: 1, D0: 1}
	bs := make([]float32, BatchScratchLen(q))
	levels(t, func(t *testing.T) {
		if n := testing.AllocsPerRun(5, func() {
			F32(c, a, b, s, p)
			BatchF32(c, a, b, bs, q)
		}); n != 0 {
			t.Errorf("%v allocations a call", n)
		}
	})
}

// batches are the shapes with which every element type is tested.
var batches = []BatchParams{
	{M: 3, N: 5, K: 4},
	{M: 1, N: 1, K: 7, Lda: 9},
	{M: 4, N: 9, K: 3, TransA: true, TransB: true, ConjA: true},
	{M: 5, N: 18, K: 6, TransB: true, ConjB: true},
	{M: 5, N: 6, K: 0, Dims: 1, D0: 2, C0: 30},
	{M: 0, N: 6, K: 2}, {M: 2, N: 0, K: 2},
	{M: 2, N: 3, K: 2, Dims: 1, D0: 0},
	{M: 3, N: 4, K: 2, Dims: 2, D0: 2, A0: 0, B0: 24, C0: 36, D1: 3, A1: 6, B1: 8, C1: 12},
	{M: 2, N: 3, K: 4, Lda: 24, Ldb: 24, TransB: true, Dims: 6, D0: 1, D1: 2, A1: 4, B1: 0, C1: 36, D2: 1, D3: 3, A3: 8, B3: 8, C3: 12, D4: 1, D5: 2, A5: 48, B5: 80, C5: 6},
}

func extent(p *BatchParams) (a, b, c int) {
	w := p.walk()
	if w.left == 0 {
		return
	}
	rows := func(ld, r, c int) int { return max((r-1)*ld+c, 0) }
	q := *p
	q.dense()
	a, b, c = rows(q.Lda, p.M, p.K), rows(q.Ldb, p.K, p.N), rows(q.Ldc, p.M, p.N)
	if p.TransA {
		a = rows(q.Lda, p.K, p.M)
	}
	if p.TransB {
		b = rows(q.Ldb, p.N, p.K)
	}
	for i := range p.Dims {
		a, b, c = a+(w.d[i]-1)*w.a[i], b+(w.d[i]-1)*w.b[i], c+(w.d[i]-1)*w.c[i]
	}
	return
}

// testBatch compares the results of run with products computed in complex128.
func testBatch[X, Y, Z any](t *testing.T, run func(c []Z, a []X, b []Y, p BatchParams), mx func(int) X, my func(int) Y, lx func(X) complex128, ly func(Y) complex128, lz func(Z) complex128, tol float64) {
	t.Helper()
	for i, p := range batches {
		na, nb, nc := extent(&p)
		a, b, c := make([]X, na), make([]Y, nb), make([]Z, nc)
		for i := range a {
			a[i] = mx(i)
		}
		for i := range b {
			b[i] = my(i + 3)
		}
		run(c, a, b, p)
		q := p
		q.dense()
		am, ak := steps(q.Lda, p.TransA)
		bk, bn := steps(q.Ldb, p.TransB)
		seen := 0
		for w := p.walk(); w.left > 0; w.next() {
			for m := range p.M {
				for n := range p.N {
					var want complex128
					for k := range p.K {
						x, y := lx(a[w.ao+m*am+k*ak]), ly(b[w.bo+k*bk+n*bn])
						if p.ConjA {
							x = cmplx.Conj(x)
						}
						if p.ConjB {
							y = cmplx.Conj(y)
						}
						want += x * y
					}
					got := lz(c[w.co+m*q.Ldc+n])
					if cmplx.Abs(got-want) > tol*(1+cmplx.Abs(want)) {
						t.Fatalf("batch %d: c[%d,%d] at %d is %v, want %v", i, m, n, w.co, got, want)
					}
					seen++
				}
			}
		}
		if p.K > 0 && nc > 0 && seen == 0 {
			t.Fatalf("batch %d: nothing computed", i)
		}
	}
}

func realOf[T number](v T) complex128 { return complex(float64(v), 0) }

func same[T number](t *testing.T, run func(c, a, b []T, p BatchParams)) {
	t.Helper()
	mk := func(i int) T { return T(i * 7 % 5) }
	testBatch(t, run, mk, mk, realOf[T], realOf[T], realOf[T], 0)
}

func TestBatch(t *testing.T) {
	levels(t, func(t *testing.T) {
		same(t, func(c, a, b []float32, p BatchParams) {
			s := make([]float32, BatchScratchLen(p))
			BatchF32(c, a, b, s, p)
		})
		same(t, func(c, a, b []float64, p BatchParams) { BatchF64(c, a, b, make([]float64, BatchF64ScratchLen(p)), p) })
		f16 := func(i int) tensor.F16 { return tensor.ToF16(float32(i%7) - 2.5) }
		l16 := func(v tensor.F16) complex128 { return complex(float64(v.Float32()), 0) }
		testBatch(t, func(c, a, b []tensor.F16, p BatchParams) {
			BatchF16(c, a, b, make([]float32, BatchHalfScratchLen(p)), p)
		}, f16, f16, l16, l16, l16, 1e-3)
		bf := func(i int) tensor.BF16 { return tensor.ToBF16(float32(i%7) - 2.5) }
		lb := func(v tensor.BF16) complex128 { return complex(float64(v.Float32()), 0) }
		testBatch(t, func(c, a, b []tensor.BF16, p BatchParams) {
			BatchBF16(c, a, b, make([]float32, BatchHalfScratchLen(p)), p)
		}, bf, bf, lb, lb, lb, 8e-3)
	})
	same(t, BatchI8)
	same(t, BatchI16)
	same(t, BatchI32)
	same(t, BatchI64)
	same(t, BatchU8)
	same(t, BatchU16)
	same(t, BatchU32)
	same(t, BatchU64)
	c64 := func(i int) complex64 { return complex(float32(i%5)-2, float32(i%3)) }
	c128 := func(i int) complex128 { return complex128(c64(i)) }
	up := func(v complex64) complex128 { return complex128(v) }
	id := func(v complex128) complex128 { return v }
	testBatch(t, BatchC64, c64, c64, up, up, up, 0)
	testBatch(t, BatchC128, c128, c128, id, id, id, 0)
}

func TestIntegersWrap(t *testing.T) {
	c := []int8{0}
	BatchI8(c, []int8{100, 100}, []int8{2, 1}, BatchParams{M: 1, N: 1, K: 2})
	if c[0] != 44 {
		t.Errorf("got %d, want 300 mod 256 = 44", c[0])
	}
}

// TestHalfRounding: as in TensorFlow's MatMul, results are truncated to bf16, but rounded to f16.
func TestHalfRounding(t *testing.T) {
	p := BatchParams{M: 1, N: 1, K: 2}
	s := make([]float32, BatchHalfScratchLen(p))
	bc := make([]tensor.BF16, 1)
	BatchBF16(bc, []tensor.BF16{tensor.ToBF16(256), tensor.ToBF16(1.75)}, []tensor.BF16{tensor.ToBF16(1), tensor.ToBF16(1)}, s, p)
	if got := bc[0].Float32(); got != 256 {
		t.Errorf("bf16 257.75 became %v, want 256", got)
	}
	fc := make([]tensor.F16, 1)
	BatchF16(fc, []tensor.F16{tensor.ToF16(2048), tensor.ToF16(1.75)}, []tensor.F16{tensor.ToF16(1), tensor.ToF16(1)}, s, p)
	if got := fc[0].Float32(); got != 2050 {
		t.Errorf("f16 2049.75 became %v, want 2050", got)
	}
	bc[0] = 0
	BatchBF16(bc, []tensor.BF16{0x7fc1, 0}, []tensor.BF16{tensor.ToBF16(1), 0}, s, p)
	if v := bc[0].Float32(); v == v {
		t.Errorf("NaN became %v", v)
	}
}

func TestBatchF64(t *testing.T) {
	levels(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(2, 2))
		for i := range 150 {
			p := BatchParams{M: 1 + i%31, N: 1 + r.IntN(70), K: r.IntN(70), TransA: i&1 > 0, TransB: i&2 > 0}
			if i == 140 || i == 142 {
				p.N, p.K = 200, 1100
			}
			q := p
			q.dense()
			na, nb, nc := extent(&p)
			a, b, c := make([]float64, na), make([]float64, nb), make([]float64, nc)
			for i := range a {
				a[i] = r.Float64() - 0.5
			}
			for i := range b {
				b[i] = r.Float64() - 0.5
			}
			BatchF64(c, a, b, make([]float64, BatchF64ScratchLen(p)), p)
			am, ak := steps(q.Lda, p.TransA)
			bk, bn := steps(q.Ldb, p.TransB)
			for m := range p.M {
				for n := range p.N {
					want := 0.0
					for k := range p.K {
						want += a[m*am+k*ak] * b[k*bk+n*bn]
					}
					if got := c[m*p.N+n]; math.Abs(got-want) > 1e-12 {
						t.Fatalf("%+v: c[%d,%d] = %v, want %v", p, m, n, got, want)
					}
				}
			}
		}
	})
}

// plus returns p with a bias and a residual, each of which may be nil.
func (p Params) plus(bias, res []float32) Params {
	p.Bias, p.Res = bias, res
	return p
}
