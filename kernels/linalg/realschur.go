package linalg

import (
	"math"

	"github.com/graphc/graphc/rt/mem"
)

// realSchur holds a decomposition a = u·t·uᵀ of a real n×n matrix. u is orthogonal. t is upper
// triangular except for 2×2 blocks on the diagonal, one for each pair of complex eigenvalues.
type realSchur struct {
	call *mem.Call
	n    int
	t, u []float64
	// eps is the distance from 1 to the next larger number in the precision of the matrix. It
	// determines the number of steps. The 2×2 blocks, and therefore the phases of eigenvectors,
	// depend on that number.
	eps float64
	// shifted is the sum of the shifts that were subtracted from the diagonal.
	shifted float64
}

func newRealSchur(call *mem.Call, n int, eps float64) *realSchur {
	return &realSchur{call: call, n: n, t: mem.Make[float64](call, n, n), u: mem.Make[float64](call, n, n), eps: eps}
}

const leastNormal = 0x1p-1022

// decompose decomposes the matrix in s.t. It reduces the matrix to Hessenberg form and then applies
// Francis' steps with double shifts (Golub and Van Loan, "Matrix computations", 7.5). It returns false
// if the steps do not converge.
func (s *realSchur) decompose() bool {
	n, t := s.n, s.t
	s.shifted = 0
	unit(s.u, n)
	scale := 0.0
	for _, v := range t {
		scale = max(scale, math.Abs(v))
	}
	if scale < leastNormal {
		clear(t)
		return true
	}
	for i := range t {
		t[i] /= scale
	}
	s.hessenberg()
	norm := 0.0
	for j := range n {
		for i := range min(n, j+2) {
			norm += math.Abs(t[i*n+j])
		}
	}
	zero := max(norm*s.eps*s.eps, leastNormal)
	for iu, iter, total := n-1, 0, 0; iu >= 0; {
		il := s.block(iu, zero)
		switch {
		case il == iu:
			t[iu*n+iu] += s.shifted
			if iu > 0 {
				t[iu*n+iu-1] = 0
			}
			iu, iter = iu-1, 0
		case il == iu-1:
			s.split(iu)
			iu, iter = iu-2, 0
		default:
			shift := s.shift(iu, iter)
			iter++
			if total++; total > 40*n {
				return false
			}
			s.francis(il, iu, shift)
		}
	}
	for i := range t {
		t[i] *= scale
	}
	return true
}

// reflector computes a reflection I - tau·v·vᵀ that maps the vector x to (beta, 0, …, 0). It sets
// v[0] to 1.
func reflector(v, x []float64) (tau, beta float64) {
	tail := 0.0
	for _, e := range x[1:] {
		tail += e * e
	}
	v[0], beta = 1, x[0]
	if tail <= leastNormal {
		clear(v[1:])
		return 0, beta
	}
	norm := math.Sqrt(x[0]*x[0] + tail)
	if x[0] >= 0 {
		norm = -norm
	}
	for i, e := range x[1:] {
		v[1+i] = e / (x[0] - norm)
	}
	return (norm - x[0]) / norm, norm
}

// left multiplies the matrix a by the reflection I - tau·v·vᵀ from the left. The reflection changes
// the rows [from, from+len(v)) of a. In these rows, only the columns [col, n) are computed.
func left(call *mem.Call, a, v []float64, tau float64, n, from, col int) {
	for j := col; j < n; j++ {
		call.Work(len(v))
		d := 0.0
		for i, e := range v {
			d += e * a[(from+i)*n+j]
		}
		for i, e := range v {
			a[(from+i)*n+j] -= tau * d * e
		}
	}
}

// right multiplies the matrix a by the reflection I - tau·v·vᵀ from the right. The reflection changes
// the columns [from, from+len(v)) of a. In these columns, only the rows [0, rows) are computed.
func right(call *mem.Call, a, v []float64, tau float64, n, rows, from int) {
	for r := range rows {
		call.Work(len(v))
		d := 0.0
		for i, e := range v {
			d += a[r*n+from+i] * e
		}
		for i, e := range v {
			a[r*n+from+i] -= tau * d * e
		}
	}
}

func (s *realSchur) hessenberg() {
	n, t := s.n, s.t
	defer s.call.Release(s.call.Mark())
	x, v := mem.Make[float64](s.call, n), mem.Make[float64](s.call, n)
	for i := range n - 1 {
		m := n - i - 1
		for r := range m {
			x[r] = t[(i+1+r)*n+i]
		}
		tau, beta := reflector(v[:m], x[:m])
		t[(i+1)*n+i] = beta
		for r := 1; r < m; r++ {
			t[(i+1+r)*n+i] = 0
		}
		left(s.call, t, v[:m], tau, n, i+1, i+1)
		right(s.call, t, v[:m], tau, n, n, i+1)
		right(s.call, s.u, v[:m], tau, n, n, i+1)
	}
}

// block returns the first row of the active block that ends at row iu. The subdiagonal element before
// that row is negligible.
func (s *realSchur) block(iu int, zero float64) int {
	n, t := s.n, s.t
	for ; iu > 0; iu-- {
		d := math.Abs(t[(iu-1)*n+iu-1]) + math.Abs(t[iu*n+iu])
		if math.Abs(t[iu*n+iu-1]) <= max(d*s.eps, zero) {
			break
		}
	}
	return iu
}

// split completes the decomposition of the 2×2 block that ends at row iu. If its eigenvalues are
// real, split makes the block triangular. If they are a pair of complex numbers, the block remains.
func (s *realSchur) split(iu int) {
	n, t := s.n, s.t
	p := 0.5 * (t[(iu-1)*n+iu-1] - t[iu*n+iu])
	q := p*p + t[iu*n+iu-1]*t[(iu-1)*n+iu]
	t[iu*n+iu] += s.shifted
	t[(iu-1)*n+iu-1] += s.shifted
	if q >= 0 {
		z := math.Sqrt(q)
		if p < 0 {
			z = -z
		}
		c, d := realGivens(p+z, t[iu*n+iu-1])
		for k := iu - 1; k < n; k++ {
			x, y := t[(iu-1)*n+k], t[iu*n+k]
			t[(iu-1)*n+k], t[iu*n+k] = c*x-d*y, d*x+c*y
		}
		for _, a := range []struct {
			m    []float64
			rows int
		}{{t, iu + 1}, {s.u, n}} {
			for r := range a.rows {
				x, y := a.m[r*n+iu-1], a.m[r*n+iu]
				a.m[r*n+iu-1], a.m[r*n+iu] = c*x-d*y, d*x+c*y
			}
		}
		t[iu*n+iu-1] = 0
	}
	if iu > 1 {
		t[(iu-1)*n+iu-2] = 0
	}
}

// realGivens returns the rotation (c, s) that takes (p, q) to (r, 0).
func realGivens(p, q float64) (c, s float64) {
	switch {
	case q == 0:
		return math.Copysign(1, p), 0
	case p == 0:
		return 0, -math.Copysign(1, q)
	case math.Abs(p) > math.Abs(q):
		t := q / p
		u := math.Sqrt(1 + t*t)
		if p < 0 {
			u = -u
		}
		return 1 / u, -t / u
	}
	t := p / q
	u := math.Sqrt(1 + t*t)
	if q < 0 {
		u = -u
	}
	return t * (1 / u), -1 / u
}

// shift returns the shift for a step, as three numbers that describe the 2×2 block that ends at row
// iu: its last diagonal element, its first diagonal element, and the product of the other two
// elements. In every 16th iteration, shift returns different numbers, because the iteration may be
// in a cycle.
func (s *realSchur) shift(iu, iter int) [3]float64 {
	n, t := s.n, s.t
	h := [3]float64{t[iu*n+iu], t[(iu-1)*n+iu-1], t[iu*n+iu-1] * t[(iu-1)*n+iu]}
	if iter == 0 || iter%16 != 0 {
		return h
	}
	move := func(by float64) {
		s.shifted += by
		for i := range iu + 1 {
			t[i*n+i] -= by
		}
	}
	if iter%32 != 0 {
		move(h[0])
		d := math.Abs(t[iu*n+iu-1]) + math.Abs(t[(iu-1)*n+iu-2])
		return [3]float64{0.75 * d, 0.75 * d, -0.4375 * d * d}
	}
	half := (h[1] - h[0]) / 2
	if d := half*half + h[2]; d > 0 {
		d = math.Sqrt(d)
		if h[1] < h[0] {
			d = -d
		}
		move(h[0] - h[2]/(d+half))
		return [3]float64{0.964, 0.964, 0.964}
	}
	return h
}

// francis applies one of Francis' steps, with a double shift, to the block of rows and columns from
// il to iu.
func (s *realSchur) francis(il, iu int, shift [3]float64) {
	n, t := s.n, s.t
	im := iu - 2
	var first [3]float64
	for ; ; im-- {
		d := t[im*n+im]
		a, b := shift[0]-d, shift[1]-d
		first = [3]float64{(a*b-shift[2])/t[(im+1)*n+im] + t[im*n+im+1], t[(im+1)*n+im+1] - d - a - b, t[(im+2)*n+im+1]}
		if im == il {
			break
		}
		l := t[im*n+im-1] * (math.Abs(first[1]) + math.Abs(first[2]))
		r := first[0] * (math.Abs(t[(im-1)*n+im-1]) + math.Abs(d) + math.Abs(t[(im+1)*n+im+1]))
		if math.Abs(l) < s.eps*r {
			break
		}
	}
	var v [3]float64
	for k := im; k <= iu-2; k++ {
		x := first
		if k > im {
			x = [3]float64{t[k*n+k-1], t[(k+1)*n+k-1], t[(k+2)*n+k-1]}
		}
		tau, beta := reflector(v[:], x[:])
		if beta == 0 {
			continue
		}
		if k > im {
			t[k*n+k-1] = beta
		} else if k > il {
			t[k*n+k-1] = -t[k*n+k-1]
		}
		left(s.call, t, v[:], tau, n, k, k)
		right(s.call, t, v[:], tau, n, min(iu, k+3)+1, k)
		right(s.call, s.u, v[:], tau, n, n, k)
	}
	x := [2]float64{t[(iu-1)*n+iu-2], t[iu*n+iu-2]}
	if tau, beta := reflector(v[:2], x[:]); beta != 0 {
		t[(iu-1)*n+iu-2] = beta
		left(s.call, t, v[:2], tau, n, iu-1, iu-1)
		right(s.call, t, v[:2], tau, n, iu+1, iu-1)
		right(s.call, s.u, v[:2], tau, n, n, iu-1)
	}
	for i := im + 2; i <= iu; i++ {
		t[i*n+i-2] = 0
		if i > im+2 {
			t[i*n+i-3] = 0
		}
	}
}

// values writes the eigenvalues in the order of the diagonal. In a pair of complex eigenvalues, the
// one with the positive imaginary part comes first.
func (s *realSchur) values(vals []complex128) {
	n, t := s.n, s.t
	for i := 0; i < n; i++ {
		if i == n-1 || t[(i+1)*n+i] == 0 {
			vals[i] = complex(t[i*n+i], 0)
			continue
		}
		p := 0.5 * (t[i*n+i] - t[(i+1)*n+i+1])
		a, b := t[(i+1)*n+i], t[i*n+i+1]
		most := max(math.Abs(p), math.Abs(a), math.Abs(b))
		q := p / most
		z := most * math.Sqrt(math.Abs(q*q+(a/most)*(b/most)))
		vals[i] = complex(t[(i+1)*n+i+1]+p, z)
		vals[i+1] = complex(t[(i+1)*n+i+1]+p, -z)
		i++
	}
}

// vectors writes the eigenvectors, scaled to the length 1, to the columns of w. It divides by
// differences of eigenvalues. A difference of zero is replaced by the small number in the parameter
// least. x is scratch for n×n elements.
func (s *realSchur) vectors(w, x []complex128, vals []complex128, least float64) {
	n := s.n
	clear(x)
	for k := n - 1; k >= 0; k-- {
		if imag(vals[k]) < 0 {
			s.pairVector(x, vals, k, least)
			for r := range n { // the eigenvector for vals[k] is the conjugate of the eigenvector for vals[k-1]
				x[r*n+k-1], x[r*n+k] = x[r*n+k], conj(x[r*n+k])
			}
			k--
			continue
		}
		x[k*n+k] = 1
		s.backSubstitute(x, vals, k, k-1, least)
	}
	for i := range n {
		for j := range n {
			s.call.Work(n)
			var d complex128
			for k := range n {
				d += complex(s.u[i*n+k], 0) * x[k*n+j]
			}
			w[i*n+j] = d
		}
	}
	normalise(w, n)
}

// pairVector handles a 2×2 block, which ends at row k, and one of its eigenvalues, vals[k]. It
// computes the eigenvector for the conjugate of vals[k], which is the other eigenvalue of the block,
// and writes it to column k of x.
func (s *realSchur) pairVector(x, vals []complex128, k int, least float64) {
	n, t := s.n, s.t
	p, q := real(vals[k]), imag(vals[k])
	if a := t[k*n+k-1]; math.Abs(a) > math.Abs(t[(k-1)*n+k]) {
		x[(k-1)*n+k] = complex(q/a, -(t[k*n+k]-p)/a)
	} else {
		x[(k-1)*n+k] = complex(0, -t[(k-1)*n+k]) / complex(t[(k-1)*n+k-1]-p, q)
	}
	x[k*n+k] = complex(0, 1)
	s.backSubstitute(x, vals, k, k-2, least)
}

// backSubstitute solves (t - λ)·x = 0 for column k of x, where λ is the conjugate of vals[k]. It
// computes the elements of the column in the rows [0, from]. The elements below them are given.
func (s *realSchur) backSubstitute(x, vals []complex128, k, from int, least float64) {
	n, t := s.n, s.t
	lambda := conj(vals[k])
	sum := func(i, above int) complex128 {
		s.call.Work(k - above)
		var d complex128
		for j := above; j <= k; j++ {
			d -= complex(t[i*n+j], 0) * x[j*n+k]
		}
		return d
	}
	for i := from; i >= 0; i-- {
		if imag(vals[i]) == 0 {
			z := complex(t[i*n+i], 0) - lambda
			if z == 0 {
				z = complex(least, 0)
			}
			x[i*n+k] = sum(i, i+1) / z
			continue
		}
		// Rows i-1 and i are a 2×2 block, and are solved together.
		r1, r2 := sum(i-1, i+1), sum(i, i+1)
		a, b := complex(t[(i-1)*n+i-1], 0)-lambda, complex(t[(i-1)*n+i], 0)
		c, d := complex(t[i*n+i-1], 0), complex(t[i*n+i], 0)-lambda
		det := a*d - b*c
		if det == 0 {
			det = complex(least*(norm1(a)+norm1(b)+norm1(c)+norm1(d)), 0)
		}
		x[(i-1)*n+k], x[i*n+k] = (r1*d-b*r2)/det, (a*r2-c*r1)/det
		i--
	}
}
