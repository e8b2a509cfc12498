package linalg

import (
	"math"
	"math/cmplx"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// rootTriangular replaces the upper triangular t by its principal square root (Björck and
// Hammarling, "A Schur method for the square root of a matrix", 1983).
func rootTriangular(call *mem.Call, t []complex128, n int) {
	for j := range n {
		t[j*n+j] = cmplx.Sqrt(t[j*n+j])
		for i := j - 1; i >= 0; i-- {
			call.Work(j - i)
			d := t[i*n+j]
			for k := i + 1; k < j; k++ {
				d -= t[i*n+k] * t[k*n+j]
			}
			t[i*n+j] = d / (t[i*n+i] + t[j*n+j])
		}
	}
}

// squareRoot computes the principal square roots of the matrices a and stores them in out. All
// elements of the root are NaN for a real matrix with a negative eigenvalue, and for a matrix that
// contains a NaN or an infinity.
func squareRoot[T elem](run *mem.Budget, out, a []T, p *Params) {
	if p.Batch == 0 {
		return
	}
	call := run.Call()
	defer call.Free()
	n := p.M
	s := newSchur(&call, n, eps64)
	x := mem.Make[complex128](&call, n, n)
	for b := range p.Batch {
		loadComplex(s.t, a[b*n*n:(b+1)*n*n])
		ok := finite(s.t) && s.decompose()
		if ok && isReal[T]() {
			for i := range n {
				e := s.t[i*n+i]
				ok = ok && !(real(e) < 0 && math.Abs(imag(e)) <= 1e-12*abs(e))
			}
		}
		if !ok {
			nan := math.NaN()
			for i := range n * n {
				s.t[i] = complex(nan, nan)
			}
		} else {
			rootTriangular(&call, s.t, n)
			copy(x, s.t)
			s.back(x)
		}
		storeComplex(out[b*n*n:(b+1)*n*n], s.t)
	}
}

func isReal[T elem]() bool {
	var x T
	switch any(x).(type) {
	case float32, float64:
		return true
	}
	return false
}

// storeComplex rounds src to dst. For real types it drops the imaginary parts.
func storeComplex[T elem](dst []T, src []complex128) {
	for i, c := range src {
		switch d := any(&dst[i]).(type) {
		case *float32:
			*d = float32(real(c))
		case *float64:
			*d = real(c)
		case *complex64:
			*d = complex64(c)
		case *complex128:
			*d = c
		}
	}
}

// The nodes in [0, 1] and the weights of Gauss–Legendre quadrature with 8 points.
var (
	legendreNodes = [8]float64{0.01985507175123188, 0.10166676129318664, 0.2372337950418355, 0.4082826787521751,
		0.5917173212478249, 0.7627662049581645, 0.8983332387068134, 0.9801449282487681}
	legendreWeights = [8]float64{0.05061426814518813, 0.11119051722668724, 0.15685332293894363, 0.18134189168918100,
		0.18134189168918100, 0.15685332293894363, 0.11119051722668724, 0.05061426814518813}
)

// maxRoots bounds the number of successive square roots that bring a matrix close to the unit matrix.
const maxRoots = 100

// logarithm computes the principal logarithms of the matrices a and stores them in out. It replaces
// the triangular Schur factor by its square root until the factor is close to the unit matrix. Then
// it computes the Padé approximant as partial fractions (Al-Mohy and Higham, "Improved inverse
// scaling and squaring algorithms for the matrix logarithm", 2012). It returns DeadlineExceeded for a
// singular matrix and for a matrix that contains a NaN or an infinity. For such matrices,
// TensorFlow's kernel never ends.
func logarithm[T complex64 | complex128](run *mem.Budget, out, a []T, p *Params) error {
	if p.Batch == 0 {
		return nil
	}
	call := run.Call()
	defer call.Free()
	n := p.M
	s := newSchur(&call, n, eps64)
	diag := mem.Make[complex128](&call, n)
	x, y, sum := mem.Make[complex128](&call, n, n), mem.Make[complex128](&call, n, n), mem.Make[complex128](&call, n, n)
	for b := range p.Batch {
		loadComplex(s.t, a[b*n*n:(b+1)*n*n])
		if n == 1 {
			out[b] = T(cmplx.Log(s.t[0]))
			continue
		}
		if !finite(s.t) || !s.decompose() {
			return tensor.Errorf(tensor.DeadlineExceeded, "the logarithm of a matrix with NaN or infinities never converges")
		}
		for i := range n {
			if diag[i] = s.t[i*n+i]; diag[i] == 0 {
				return tensor.Errorf(tensor.DeadlineExceeded, "the logarithm of a singular matrix never converges")
			}
		}
		roots := 0
		for ; roots < maxRoots && distance(s.t, n) > 0.1; roots++ {
			rootTriangular(&call, s.t, n)
		}
		for i := range n {
			s.t[i*n+i]--
		}
		clear(sum)
		for k := range legendreNodes {
			// Set x to I + node·t, and compute y = x⁻¹·t by back substitution.
			for i := range n * n {
				x[i] = s.t[i] * complex(legendreNodes[k], 0)
			}
			for i := range n {
				x[i*n+i]++
			}
			solveTriangular(&call, y, x, s.t, n)
			for i := range y {
				sum[i] += y[i] * complex(legendreWeights[k], 0)
			}
		}
		f := complex(math.Ldexp(1, roots), 0)
		for i := range sum {
			sum[i] *= f
		}
		for i := range n { // the square roots have lost digits, so compute the diagonal from the eigenvalues instead
			sum[i*n+i] = cmplx.Log(diag[i])
		}
		s.back(sum)
		storeComplex(out[b*n*n:(b+1)*n*n], s.t)
	}
	return nil
}

// distance returns the largest row sum of |t - I|.
func distance(t []complex128, n int) float64 {
	most := 0.0
	for i := range n {
		sum := 0.0
		for j := i; j < n; j++ {
			c := t[i*n+j]
			if i == j {
				c--
			}
			sum += abs(c)
		}
		most = max(most, sum)
	}
	return most
}

// solveTriangular solves a·y = b for y, where a and b are upper triangular.
func solveTriangular(call *mem.Call, y, a, b []complex128, n int) {
	clear(y)
	for c := range n {
		for i := c; i >= 0; i-- {
			call.Work(c - i)
			d := b[i*n+c]
			for k := i + 1; k <= c; k++ {
				d -= a[i*n+k] * y[k*n+c]
			}
			y[i*n+c] = d / a[i*n+i]
		}
	}
}

// pade13 are the coefficients of the numerator of the exponential's Padé approximant.
var pade13 = [14]float64{64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000, 10559470521600,
	670442572800, 33522128640, 1323241920, 40840800, 960960, 16380, 182, 1}

// exponential computes the exponentials of the matrices a and stores them in out. It uses scaling,
// a Padé approximant and squaring (Higham, "The scaling and squaring method for the matrix
// exponential revisited", 2005). For a matrix that contains a NaN or an infinity, all results are
// NaN.
func exponential[W wide, T elem](run *mem.Budget, out, a []T, p *Params) {
	if p.Batch == 0 {
		return
	}
	call := run.Call()
	defer call.Free()
	n := p.M
	z := n * n
	x, pw, t := mem.Make[W](&call, n, n), mem.Make[W](&call, n, n), mem.Make[W](&call, n, n)
	u, v := mem.Make[W](&call, n, n), mem.Make[W](&call, n, n)
	perm := mem.Make[int](&call, n)
	for b := range p.Batch {
		load(x, a[b*z:(b+1)*z])
		if !finite(x) {
			fill(out[b*z:(b+1)*z], []W{of[W](math.NaN())})
			continue
		}
		norm := 0.0
		for j := range n {
			sum := 0.0
			for i := range n {
				sum += abs(x[i*n+j])
			}
			norm = max(norm, sum)
		}
		squarings := 0
		if norm > 5.37 {
			squarings = min(max(int(math.Ceil(math.Log2(norm/5.37))), 0), 1100)
		}
		for i := range x {
			x[i] *= of[W](math.Ldexp(1, -squarings))
		}
		// u is the odd part of the numerator, v the even part.
		unit(pw, n)
		clear(u)
		clear(v)
		for k, c := range pade13 {
			part := v
			if k%2 == 1 {
				part = u
			}
			for i := range part {
				part[i] += pw[i] * of[W](c)
			}
			product(&call, t, pw, x, n)
			copy(pw, t)
		}
		for i := range z {
			t[i], u[i] = v[i]-u[i], v[i]+u[i]
		}
		factor(&call, t, perm, n)
		for i, r := range perm {
			copy(v[i*n:(i+1)*n], u[r*n:(r+1)*n])
		}
		solveFactored(&call, t, v, n, n)
		for range squarings {
			product(&call, t, v, v, n)
			copy(v, t)
		}
		store(out[b*z:(b+1)*z], v)
	}
}
