package linalg

import (
	"errors"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

func codeOf(err error) tensor.Code {
	if err == nil {
		return tensor.OK
	}
	var e *tensor.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return tensor.Unknown
}

// closeTo fails the test if elements differ by more than tol, relative to the largest element.
func closeTo(t *testing.T, what string, got, want []complex128, tol float64) {
	t.Helper()
	most := 1.0
	for _, v := range want {
		most = max(most, cmplx.Abs(v))
	}
	for i := range want {
		if !(cmplx.Abs(got[i]-want[i]) <= tol*most) {
			t.Errorf("%s: %v, want %v", what, got, want)
			return
		}
	}
}

func complexes[T elem](x []T) []complex128 {
	c := make([]complex128, len(x))
	loadComplex(c, x)
	return c
}

// definite returns x·xᵀ + n·I.
func definite(r *rand.Rand, n int) []float64 {
	x := make([]float64, n*n)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	a := make([]float64, n*n)
	for i := range n {
		for j := range n {
			for k := range n {
				a[i*n+j] += x[i*n+k] * x[j*n+k]
			}
		}
		a[i*n+i] += float64(n)
	}
	return a
}

func TestFunctionsOfMatrices(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	for n := range 9 {
		p := Params{Batch: 1, M: n, N: n}
		a := definite(r, n)
		a32, c64, c128 := make([]float32, n*n), make([]complex64, n*n), make([]complex128, n*n)
		for i, v := range a {
			a32[i] = float32(v)
			c128[i] = complex(v, r.NormFloat64()*0.3)
			c64[i] = complex64(c128[i])
		}
		// Roots squared.
		s, s32, s64, s128 := make([]float64, n*n), make([]float32, n*n), make([]complex64, n*n), make([]complex128, n*n)
		SquareRootF64(nil, s, a, p)
		SquareRootF32(nil, s32, a32, p)
		SquareRootC64(nil, s64, c64, p)
		SquareRootC128(nil, s128, c128, p)
		back := make([]complex128, n*n)
		product(new(mem.Call), back, complexes(s), complexes(s), n)
		closeTo(t, "root", back, complexes(a), 1e-12)
		closeTo(t, "root f32", complexes(s32), complexes(s), 1e-5)
		product(new(mem.Call), back, s128, s128, n)
		closeTo(t, "complex root", back, c128, 1e-12)
		closeTo(t, "root c64", complexes(s64), s128, 1e-5)
		// Logarithms undone.
		l64, l128, e64, e128 := make([]complex64, n*n), make([]complex128, n*n), make([]complex64, n*n), make([]complex128, n*n)
		if err := LogarithmC128(nil, l128, c128, p); err != nil {
			t.Fatal(err)
		}
		if err := LogarithmC64(nil, l64, c64, p); err != nil {
			t.Fatal(err)
		}
		ExponentialC128(nil, e128, l128, p)
		ExponentialC64(nil, e64, l64, p)
		closeTo(t, "exp of log", e128, c128, 1e-11)
		closeTo(t, "exp of log c64", complexes(e64), c128, 1e-4)
		e, e32 := make([]float64, n*n), make([]float32, n*n)
		ExponentialF64(nil, e, a, p)
		ExponentialF32(nil, e32, a32, p)
		closeTo(t, "exp f32", complexes(e32), complexes(e), 1e-4)
	}
}

func TestFunctionEdges(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	p := Params{Batch: 1, M: 2, N: 2}
	out, c := make([]float64, 4), make([]complex128, 4)
	for _, a := range [][]float64{{-1, 0, 0, 4}, {nan, 0, 0, 1}, {inf, 0, 0, 1}, {0, 0, 0, 0}} {
		if SquareRootF64(nil, out, a, p); out[0] == out[0] {
			t.Errorf("the root of %v is %v", a, out)
		}
	}
	if ExponentialF64(nil, out, []float64{nan, 0, 0, 0}, p); out[3] == out[3] {
		t.Errorf("the exponential of NaN is %v", out)
	}
	if ExponentialF64(nil, out, []float64{0, 400, 0, 0}, p); math.Abs(out[1]-400) > 1e-9 || out[0] != 1 {
		t.Errorf("the exponential of a nilpotent matrix is %v", out)
	}
	for _, a := range [][]complex128{{0, 0, 0, 0}, {1, 0, 0, 0}, {complex(nan, 0), 0, 0, 1}} {
		if err := LogarithmC128(nil, c, a, p); codeOf(err) != tensor.DeadlineExceeded {
			t.Errorf("the logarithm of %v: %v", a, err)
		}
	}
	one := make([]complex128, 1)
	if err := LogarithmC128(nil, one, []complex128{-1}, Params{Batch: 1, M: 1, N: 1}); err != nil || one[0] != complex(0, math.Pi) {
		t.Errorf("the logarithm of -1 is %v, %v", one, err)
	}
}

// vectorsFit checks that e and v are eigenvalues and eigenvectors of a: a·v = v·diag(e), and the
// columns of v have the length 1.
func vectorsFit(t *testing.T, what string, a, e, v []complex128, n int, tol float64) {
	t.Helper()
	av := make([]complex128, n*n)
	product(new(mem.Call), av, a, v, n)
	for j := range n {
		sum := 0.0
		for i := range n {
			sum += sq(v[i*n+j])
			if d := cmplx.Abs(av[i*n+j] - v[i*n+j]*e[j]); !(d <= tol) {
				t.Errorf("%s: column %d of %v is no vector of %v: off by %v", what, j, v, e, d)
				return
			}
		}
		if math.Abs(sum-1) > tol {
			t.Errorf("%s: the length of column %d is %v", what, j, math.Sqrt(sum))
		}
	}
}

func TestEigen(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 1))
	for n := range 14 {
		p := Params{Batch: 1, M: n, N: n, Vectors: true}
		a, a32 := make([]float64, n*n), make([]float32, n*n)
		c, c64 := make([]complex128, n*n), make([]complex64, n*n)
		for i := range a {
			a[i] = r.NormFloat64()
			c[i] = complex(a[i], r.NormFloat64())
			a32[i], c64[i] = float32(a[i]), complex64(c[i])
		}
		e, v := make([]complex128, n), make([]complex128, n*n)
		e64, v64 := make([]complex64, n), make([]complex64, n*n)
		if err := EigenF64(nil, e, v, a, p); err != nil {
			t.Fatal(err)
		}
		vectorsFit(t, "f64", complexes(a), e, v, n, 1e-10)
		if err := EigenF32(nil, e64, v64, a32, p); err != nil {
			t.Fatal(err)
		}
		vectorsFit(t, "f32", complexes(a32), complexes(e64), complexes(v64), n, 1e-4)
		if err := EigenC128(nil, e, v, c, p); err != nil {
			t.Fatal(err)
		}
		vectorsFit(t, "c128", c, e, v, n, 1e-10)
		if err := EigenC64(nil, e64, v64, c64, p); err != nil {
			t.Fatal(err)
		}
		vectorsFit(t, "c64", complexes(c64), complexes(e64), complexes(v64), n, 1e-4)
	}
	nan := math.NaN()
	for _, a := range [][]float64{{nan, 0, 0, 1}, {0, math.Inf(-1), 0, 1}} {
		if err := EigenF64(nil, make([]complex128, 2), nil, a, Params{Batch: 1, M: 2, N: 2}); codeOf(err) != tensor.InvalidArgument {
			t.Errorf("%v: %v", a, err)
		}
	}
}

// TestEigenForms checks matrices that take unusual paths: equal eigenvalues, coupled blocks, shifts
// that cycle.
func TestEigenForms(t *testing.T) {
	for _, c := range []struct {
		what string
		n    int
		a    []float64
		want []complex128
	}{
		{"zero", 2, []float64{0, 0, 0, 0}, []complex128{0, 0}},
		{"a turn", 2, []float64{0, -1, 1, 0}, []complex128{1i, -1i}},
		{"a defect", 2, []float64{1, 1, 0, 1}, []complex128{1, 1}},
		{"a cycle", 4, []float64{0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, nil},
		{"equal pairs", 4, []float64{0, -1, 1, 0, 1, 0, 0, 1, 0, 0, 0, -1, 0, 0, 1, 0}, nil},
		{"a large cycle", 6, []float64{0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0}, nil},
	} {
		e, v := make([]complex128, c.n), make([]complex128, c.n*c.n)
		p := Params{Batch: 1, M: c.n, N: c.n, Vectors: true}
		if err := EigenF64(nil, e, v, c.a, p); err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		if c.want != nil {
			closeTo(t, c.what, e, c.want, 1e-12)
		}
		vectorsFit(t, c.what, complexes(c.a), e, v, c.n, 1e-6)
		if err := EigenC128(nil, e, v, complexes(c.a), p); err != nil {
			t.Errorf("%s, complex: %v", c.what, err)
			continue
		}
		vectorsFit(t, c.what+", complex", complexes(c.a), e, v, c.n, 1e-6)
	}
	s := newRealSchur(new(mem.Call), 3, eps64)
	copy(s.t, []float64{1, 2, 3, 4, 5, 6, 7, 8, 10})
	if h := s.shift(2, 16); h[2] >= 0 || s.shifted != 10 {
		t.Errorf("the shift after 16 steps is %v, %v", h, s.shifted)
	}
	for _, d := range []float64{5, 12} { // d is the second diagonal element; it is less or greater than the last one, which is 10
		s.shifted = 0
		copy(s.t, []float64{1, 2, 3, 4, d, 6, 7, 8, 10})
		if h := s.shift(2, 32); h[0] != 0.964 || s.shifted == 0 {
			t.Errorf("the shift after 32 steps is %v, %v", h, s.shifted)
		}
	}
	copy(s.t, []float64{1, 2, 3, 4, 5, -6, 7, 8, 5})
	if h := s.shift(2, 32); h[2] != -48 {
		t.Errorf("the shift of a pair after 32 steps is %v", h)
	}
	for _, g := range [][2]float64{{-3, 0}, {0, -2}, {-4, 3}, {3, -4}} {
		c, d := realGivens(g[0], g[1])
		if r := d*g[0] + c*g[1]; math.Abs(r) > 1e-12 || math.Abs(c*c+d*d-1) > 1e-12 {
			t.Errorf("the rotation of (%v, %v) is (%v, %v)", g[0], g[1], c, d)
		}
	}
	for _, g := range [][2]complex128{{-3, 0}, {0, 2i}, {1 + 1i, -5}, {-1, 5i}, {-5, 1}} {
		c, d, r := givens(g[0], g[1])
		if x := d*g[0] + c*g[1]; cmplx.Abs(x) > 1e-12 || math.Abs(cmplx.Abs(r)-math.Hypot(cmplx.Abs(g[0]), cmplx.Abs(g[1]))) > 1e-12 {
			t.Errorf("the rotation of %v is (%v, %v) to %v", g, c, d, r)
		}
	}
}

func TestCholeskyGrad(t *testing.T) {
	// The expected values are TensorFlow 2.21's for the factor of (m + mᵀ)/2 and the gradient m.
	m := []float64{4, 1, .5, 2, 5, 1, .3, 1, 6}
	l := make([]float64, 9)
	CholeskyF64(nil, l, []float64{4, 1.5, .4, 1.5, 5, 1, .4, 1, 6}, Params{Batch: 1, M: 3})
	want := []float64{0.984288, 0.05499381, -0.0491068, 0.05499381, 1.1870328, -0.00131119, -0.0491068, -0.00131119, 1.2459849}
	got := make([]float64, 9)
	CholeskyGradF64(nil, got, l, m, Params{Batch: 1, M: 3})
	closeTo(t, "f64", complexes(got), complexes(want), 1e-5)
	l32, m32, got32 := make([]float32, 9), make([]float32, 9), make([]float32, 9)
	for i := range l {
		l32[i], m32[i] = float32(l[i]), float32(m[i])
	}
	CholeskyGradF32(nil, got32, l32, m32, Params{Batch: 1, M: 3})
	closeTo(t, "f32", complexes(got32), complexes(want), 1e-5)
}
