package gemm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/graphc/graphc/kernels/internal/panel"
)

// part computes only the rows from m0 to m0+m-1 and the columns from n0 to n0+n-1 of the product p,
// with one call whose arguments are changed as the comment of Split describes.
func part(c, a, b, bias, res, scratch []float32, p Params, m0, m, n0, n int) {
	p.dense()
	p.M, p.N = m, n
	a0 := m0 * p.Lda
	if p.TransA {
		a0 = m0
	}
	F32(c[m0*p.Ldc+n0:], a[a0:], b[n0*p.K:], scratch, p.plus(panel.From(bias, n0), panel.From(res, m0*p.Ldr+n0)))
}

func TestPartsGiveTheSameBits(t *testing.T) {
	levels(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 3))
		for _, p := range []Params{
			{M: 1, N: 300, K: 70}, {M: 5, N: 130, K: 33, Act: Relu}, {M: 40, N: 100, K: 65, Ldc: 110, Ldr: 120, Act: Relu6},
			{M: 17, N: 40, K: 2100}, {M: 20, N: 130, K: 1024}, {M: 60, N: 40, K: 90, TransA: true}, {M: 300, N: 20, K: 50, Act: Clip, Lo: -1, Hi: 1},
		} {
			q := p
			q.dense()
			rows, cols := p.M, p.K
			if p.TransA {
				rows, cols = cols, rows
			}
			a, raw := random(r, (rows-1)*q.Lda+cols), random(r, p.K*p.N)
			b := make([]float32, PackedLen(p.K, p.N))
			PackF32(b, raw, p.K, p.N, false)
			bias, res := random(r, p.N), random(r, p.M*q.Ldr)
			scratch := make([]float32, ScratchLen(p))
			want := random(r, p.M*q.Ldc)
			got := slices.Clone(want)
			F32(want, a, b, scratch, p.plus(bias, res))
			check := func(what string) {
				t.Helper()
				if i := firstDiffer(got, want); i >= 0 {
					t.Fatalf("%+v by %s: element %d is %v, whole %v", p, what, i, got[i], want[i])
				}
				clear(got)
				for i := range got {
					if i%q.Ldc >= p.N {
						got[i] = want[i]
					}
				}
			}
			for _, grain := range []int{1, 3, 14} {
				for m := 0; m < p.M; m += grain {
					part(got, a, b, bias, res, scratch, p, m, min(grain, p.M-m), 0, p.N)
				}
				check("rows")
			}
			for _, grain := range []int{16, 48, 64} {
				for n := 0; n < p.N; n += grain {
					part(got, a, b, bias, res, scratch, p, 0, p.M, n, min(grain, p.N-n))
				}
				check("columns")
			}
			byColumns, grain := Split(p)
			if byColumns && grain%width != 0 {
				t.Errorf("%+v: columns in grains of %d", p, grain)
			}
		}
	})
}

func firstDiffer(a, b []float32) int {
	for i, v := range a {
		if v != b[i] {
			return i
		}
	}
	return -1
}

func TestBatchPartsGiveTheSameBits(t *testing.T) {
	levels(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(4, 4))
		for _, p := range []BatchParams{
			{M: 130, N: 40, K: 20, Dims: 2, D0: 2, A0: 7800, B0: 2400, C0: 15600, D1: 3, A1: 2600, B1: 800, C1: 5200},
			{M: 2, N: 40, K: 20, TransB: true, Dims: 1, D0: 5, A0: 40, B0: 800, C0: 80},
			{M: 65, N: 140, K: 1040, TransB: true, Dims: 2, D0: 2, D1: 1, A0: 65 * 1040, C0: 65 * 140},
			{M: 6, N: 40, K: 50, TransB: true, Lda: 60, Ldb: 70, Dims: 1, D0: 2, A0: 400, B0: 2900, C0: 240},
			{M: 70, N: 8, K: 5, TransA: true, Dims: 3, D0: 2, D1: 1, D2: 2, B0: 40, C0: 1120, A2: 350, C2: 560},
			{M: 10, N: 150, K: 1100, Ldc: 160},
			{M: 12, N: 20, K: 2100, TransA: true, TransB: true},
			{M: 3, N: 7, K: 0, Dims: 1, D0: 3, C0: 21},
		} {
			na, nb, nc := extent(&p)
			a, b := random(r, na), random(r, nb)
			scratch := make([]float32, BatchScratchLen(p))
			old, want, got := random(r, nc), make([]float32, nc), make([]float32, nc)
			copy(want, old)
			BatchF32(want, a, b, scratch, p)
			checkBatch(t, want, a, b, p)
			units := p.count() * p.M
			for _, count := range []int{1, 5, BatchRows, units, units + 1} {
				copy(got, old)
				for first := 0; first < units; first += count {
					q := p
					q.First, q.Count = first, count
					x, z := a, got
					if q.dense(); count == 5 || count == BatchRows {
						w := q.walk()
						w.skip(first / q.M)
						am, _ := steps(q.Lda, q.TransA)
						q.MovedA, q.MovedC = q.Dims == 0 || q.A0 > 0, true
						if z = got[w.co+first%q.M*q.Ldc:]; q.MovedA {
							x = a[w.ao+first%q.M*am:]
						}
					}
					BatchF32(z, x, b, scratch, q)
				}
				if i := firstDiffer(got, want); i >= 0 {
					t.Fatalf("%+v, %d of %d rows at a time: element %d is %v, whole %v", p, count, units, i, got[i], want[i])
				}
			}
			copy(got, old)
			q := p
			q.First, q.Count = 0, -1
			BatchF32(got, a, b, scratch, q)
			q.First, q.Count = units, 0
			BatchF32(got, a, b, scratch, q)
			if i := firstDiffer(got, old); i >= 0 {
				t.Fatalf("%+v: no rows wrote element %d", p, i)
			}
		}
	})
}

// TestScratchIsBounded checks that a very large product needs at least as much scratch memory as
// any smaller product. Callers that do not know the sizes of a product rely on this: they allocate
// the scratch memory of a very large product.
func TestScratchIsBounded(t *testing.T) {
	for _, m := range []int{1, 8, 100, 5000} {
		for _, n := range []int{1, 130, 5000} {
			for _, k := range []int{1, 64, 1023, 1024, 1025, 4096, 5000} {
				big := 1 << 20
				if a, b := ScratchLen(Params{M: m, N: n, K: k}), ScratchLen(Params{M: big, N: big, K: big}); a > b {
					t.Errorf("%d×%d×%d needs %d floats, larger products %d", m, n, k, a, b)
				}
				p, q := BatchParams{M: m, N: n, K: k, TransA: true}, BatchParams{M: big, N: big, K: big, TransA: true}
				if a, b := BatchScratchLen(p), BatchScratchLen(q); a > b {
					t.Errorf("batch %d×%d×%d needs %d floats, larger products %d", m, n, k, a, b)
				}
			}
		}
	}
}

// checkBatch compares the results with sums computed in f64.
func checkBatch(t *testing.T, c, a, b []float32, p BatchParams) {
	t.Helper()
	p.dense()
	am, ak := steps(p.Lda, p.TransA)
	bk, bn := steps(p.Ldb, p.TransB)
	for w := p.walk(); w.left > 0; w.next() {
		for m := range p.M {
			for n := range p.N {
				var want, mag float64
				for k := range p.K {
					v := float64(a[w.ao+m*am+k*ak]) * float64(b[w.bo+k*bk+n*bn])
					want += v
					mag += math.Abs(v)
				}
				if got := float64(c[w.co+m*p.Ldc+n]); !(math.Abs(got-want) <= 1e-6*mag) {
					t.Fatalf("%+v: c[%d,%d] at %d is %v, want %v", p, m, n, w.co, got, want)
				}
			}
		}
	}
}
