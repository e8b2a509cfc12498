package linalg

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"
)

func random(r *rand.Rand, n int) []complex128 {
	a := make([]complex128, n)
	for i := range a {
		a[i] = complex(r.NormFloat64(), r.NormFloat64())
	}
	return a
}

// mul returns op(a)·op(b), where op(a) is the adjoint of a if aH is set, otherwise a. bH has the same
// meaning for b. op(a) has m rows and k columns, and op(b) has k rows and n columns.
func mul(a, b []complex128, m, k, n int, aH, bH bool) []complex128 {
	c := make([]complex128, m*n)
	for i := range m {
		for j := range n {
			for x := range k {
				u, v := complex128(0), complex128(0)
				if u = at(a, i, x, k, m, aH); bH {
					v = cmplx.Conj(b[j*k+x])
				} else {
					v = b[x*n+j]
				}
				c[i*n+j] += u * v
			}
		}
	}
	return c
}

func at(a []complex128, i, j, cols, rows int, adj bool) complex128 {
	if adj {
		return cmplx.Conj(a[j*rows+i])
	}
	return a[i*cols+j]
}

func same(t *testing.T, name string, got, want []complex128) {
	t.Helper()
	for i := range want {
		if cmplx.Abs(got[i]-want[i]) > 1e-10 {
			t.Fatalf("%s: element %d is %v, want %v", name, i, got[i], want[i])
		}
	}
}

func eye(n int) []complex128 {
	a := make([]complex128, n*n)
	unit(a, n)
	return a
}

func TestFactors(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, s := range [][2]int{{1, 1}, {3, 3}, {5, 2}, {2, 5}, {6, 6}, {0, 0}} {
		m, n := s[0], s[1]
		a := random(r, m*n)
		if m == 6 { // of rank 3
			a = mul(random(r, 18), random(r, 18), 6, 3, 6, false, false)
		}
		k := min(m, n)
		for _, full := range []bool{false, true} {
			p := Params{Batch: 1, M: m, N: n, Full: full, Vectors: true}
			uc, vc := k, k
			if full {
				uc, vc = m, n
			}
			sv, u, v := make([]complex128, k), make([]complex128, m*uc), make([]complex128, n*vc)
			SvdC128(nil, sv, u, v, a, p)
			same(t, "uᴴu", mul(u, u, uc, m, uc, true, false), eye(uc))
			same(t, "vᴴv", mul(v, v, vc, n, vc, true, false), eye(vc))
			us := make([]complex128, m*k)
			vk := make([]complex128, n*k)
			for j := range k {
				for i := range m {
					us[i*k+j] = u[i*uc+j] * sv[j]
				}
				for i := range n {
					vk[i*k+j] = v[i*vc+j]
				}
				if j > 0 && real(sv[j]) > real(sv[j-1]) {
					t.Errorf("singular values rise: %v", sv)
				}
			}
			same(t, "u·s·vᴴ", mul(us, vk, m, k, n, false, true), a)
			q, rr := make([]complex128, m*uc), make([]complex128, uc*n)
			QrC128(nil, q, rr, a, p)
			same(t, "qᴴq", mul(q, q, uc, m, uc, true, false), eye(uc))
			same(t, "q·r", mul(q, rr, m, uc, n, false, false), a)
		}
		if m != n {
			continue
		}
		h := mul(a, a, n, n, n, true, false)
		e, v := make([]complex128, n), make([]complex128, n*n)
		EigC128(nil, e, v, h, Params{Batch: 1, M: n, N: n, Vectors: true})
		ve := make([]complex128, n*n)
		for i := range n {
			for j := range n {
				ve[i*n+j] = v[i*n+j] * e[j]
			}
		}
		same(t, "v·e·vᴴ", mul(ve, v, n, n, n, false, true), h)
		for i := range n {
			h[i*n+i]++
		}
		l := make([]complex128, n*n)
		CholeskyC128(nil, l, h, Params{Batch: 1, M: n})
		same(t, "l·lᴴ", mul(l, l, n, n, n, false, true), h)
		b, x := random(r, n*2), make([]complex128, n*2)
		unit, inverse := make([]complex128, n*n), make([]complex128, n*n)
		for i := range n {
			unit[i*n+i] = 1
		}
		for _, adj := range []bool{false, true} {
			if err := InverseC128(nil, inverse, h, Params{Batch: 1, M: n, Adjoint: adj}); err != nil {
				t.Fatal(err)
			}
			same(t, "a·a⁻¹", mul(h, inverse, n, n, n, adj, false), unit)
			if err := SolveC128(nil, x, h, b, Params{Batch: 1, M: n, K: 2, Adjoint: adj}); err != nil {
				t.Fatal(err)
			}
			same(t, "a·x", mul(h, x, n, n, 2, adj, false), b)
			TriangularC128(nil, x, l, b, Params{Batch: 1, M: n, K: 2, Lower: true, Adjoint: adj}, BatchParams{})
			same(t, "l·x", mul(l, x, n, n, 2, adj, false), b)
		}
	}
}

func TestSingular(t *testing.T) {
	if InverseF32(nil, make([]float32, 4), []float32{1, 2, 2, 4}, Params{Batch: 1, M: 2}) == nil {
		t.Error("a singular matrix is inverted")
	}
	d := make([]float64, 2)
	DeterminantF64(nil, d, []float64{1, 2, 3, 4, 2, 0, 0, 3}, Params{Batch: 2, M: 2})
	if math.Abs(d[0]+2) > 1e-12 || d[1] != 6 {
		t.Errorf("determinants %v", d)
	}
	l := make([]float64, 4)
	CholeskyF64(nil, l, []float64{1, 0, 0, -1}, Params{Batch: 1, M: 2})
	if l[0] == l[0] {
		t.Error("a matrix that is not positive definite has a factor")
	}
}

// TestSVDOfNaN checks that all results for a matrix with a NaN or an infinity are NaN, and that the
// other matrices of the batch are unaffected.
func TestSVDOfNaN(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for _, full := range []bool{false, true} {
			p := Params{Batch: 2, M: 3, N: 2, Full: full, Vectors: true}
			left := 2
			if full {
				left = 3
			}
			s, u, v := make([]float64, 4), make([]float64, 2*3*left), make([]float64, 8)
			SvdF64(nil, s, u, v, []float64{1, bad, 2, 3, 4, 5, 1, 0, 0, 2, 0, 0}, p)
			for name, x := range map[string][]float64{"s": s, "u": u, "v": v} {
				for i, e := range x {
					if (e != e) != (i < len(x)/2) {
						t.Errorf("full %v, %v: %s is %v", full, bad, name, x)
						break
					}
				}
			}
		}
	}
}
