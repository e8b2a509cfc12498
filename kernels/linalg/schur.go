package linalg

import (
	"math"

	"github.com/graphc/graphc/rt/mem"
)

// schur holds a decomposition a = u·t·uᴴ of an n×n matrix, where t is upper triangular and u is
// unitary. Subdiagonal elements are neglected if they are at most eps times their neighbours on the
// diagonal.
type schur struct {
	call *mem.Call
	n    int
	t, u []complex128
	eps  float64
}

func newSchur(call *mem.Call, n int, eps float64) *schur {
	return &schur{call: call, n: n, t: mem.Make[complex128](call, n, n), u: mem.Make[complex128](call, n, n), eps: eps}
}

const eps64 = 0x1p-52

func norm1(c complex128) float64 { return math.Abs(real(c)) + math.Abs(imag(c)) }

// decompose decomposes the matrix in s.t. It reduces the matrix to Hessenberg form by reflections,
// and then applies steps of the QR method with single shifts (Golub and Van Loan, "Matrix
// computations", 7.5). It returns false if the steps do not converge.
func (s *schur) decompose() bool {
	unit(s.u, s.n)
	if s.n < 2 {
		return true
	}
	s.hessenberg()
	iu := s.n - 1
	for iter, total := 0, 0; ; {
		for iu > 0 && s.negligible(iu-1) {
			iter = 0
			iu--
		}
		if iu == 0 {
			return true
		}
		iter++
		if total++; total > 30*s.n {
			return false
		}
		il := iu - 1
		for il > 0 && !s.negligible(il-1) {
			il--
		}
		s.step(il, iu, s.shift(iu, iter))
	}
}

// hessenberg makes the elements below the first subdiagonal zero.
func (s *schur) hessenberg() {
	n, a := s.n, s.t
	defer s.call.Release(s.call.Mark())
	v := mem.Make[complex128](s.call, n)
	for i := range n - 1 {
		var tail float64
		for r := i + 2; r < n; r++ {
			tail += sq(a[r*n+i])
		}
		c := a[(i+1)*n+i]
		if tail <= math.SmallestNonzeroFloat64 && imag(c)*imag(c) <= math.SmallestNonzeroFloat64 {
			continue
		}
		beta := math.Sqrt(sq(c) + tail)
		if real(c) >= 0 {
			beta = -beta
		}
		v[i+1] = 1
		for r := i + 2; r < n; r++ {
			v[r] = a[r*n+i] / (c - complex(beta, 0))
			a[r*n+i] = 0
		}
		tau := conj((complex(beta, 0) - c) / complex(beta, 0))
		a[(i+1)*n+i] = complex(beta, 0)
		for j := i + 1; j < n; j++ {
			s.call.Work(n)
			var d complex128
			for r := i + 1; r < n; r++ {
				d += conj(v[r]) * a[r*n+j]
			}
			for r := i + 1; r < n; r++ {
				a[r*n+j] -= tau * d * v[r]
			}
		}
		reflectColumns(s.call, a, v, conj(tau), n, i+1)
		reflectColumns(s.call, s.u, v, conj(tau), n, i+1)
	}
}

// reflectColumns multiplies the matrix a by the reflection I - tau·v·vᴴ from the right. The elements
// v[:from] are zero and are not read.
func reflectColumns(call *mem.Call, a, v []complex128, tau complex128, n, from int) {
	for r := range n {
		call.Work(n)
		var d complex128
		for k := from; k < n; k++ {
			d += a[r*n+k] * v[k]
		}
		for k := from; k < n; k++ {
			a[r*n+k] -= tau * d * conj(v[k])
		}
	}
}

func sq(c complex128) float64 { return real(c)*real(c) + imag(c)*imag(c) }

// negligible reports whether subdiagonal element i is small compared to its neighbours on the
// diagonal. If so, it sets the element to zero.
func (s *schur) negligible(i int) bool {
	n, t := s.n, s.t
	d := norm1(t[i*n+i]) + norm1(t[(i+1)*n+i+1])
	if norm1(t[(i+1)*n+i]) > d*s.eps {
		return false
	}
	t[(i+1)*n+i] = 0
	return true
}

// shift returns an eigenvalue of the 2×2 block that ends at row iu: the one that is closer to the
// block's last element. In iterations 10 and 20 it returns an exceptional shift, in case the
// iteration cycles.
func (s *schur) shift(iu, iter int) complex128 {
	n, t := s.n, s.t
	if (iter == 10 || iter == 20) && iu > 1 {
		return complex(math.Abs(real(t[iu*n+iu-1]))+math.Abs(real(t[(iu-1)*n+iu-2])), 0)
	}
	p, q, r, w := t[(iu-1)*n+iu-1], t[(iu-1)*n+iu], t[iu*n+iu-1], t[iu*n+iu]
	norm := abs(p) + abs(q) + abs(r) + abs(w)
	f := complex(norm, 0)
	p, q, r, w = p/f, q/f, r/f, w/f
	b, c := q*r, p-w
	disc := csqrt(c*c + 4*b)
	det, trace := p*w-b, p+w
	x, y := (trace+disc)/2, (trace-disc)/2
	if nx, ny := norm1(x), norm1(y); nx > ny {
		y = det / x
	} else if ny != 0 {
		x = det / y
	}
	if norm1(x-w) < norm1(y-w) {
		return f * x
	}
	return f * y
}

// step does a step of the QR method with the given shift on rows il…iu, by chasing the bulge that the
// shift makes.
func (s *schur) step(il, iu int, shift complex128) {
	n, t := s.n, s.t
	for i := il; i < iu; i++ {
		s.call.Work(3 * n)
		var c, d complex128
		if i == il {
			c, d, _ = givens(t[il*n+il]-shift, t[(il+1)*n+il])
		} else {
			c, d, t[i*n+i-1] = givens(t[i*n+i-1], t[(i+1)*n+i-1])
			t[(i+1)*n+i-1] = 0
		}
		for k := i; k < n; k++ {
			x, y := t[i*n+k], t[(i+1)*n+k]
			t[i*n+k], t[(i+1)*n+k] = conj(c)*x-conj(d)*y, d*x+c*y
		}
		turnColumns(t, n, min(i+2, iu)+1, i, c, d)
		turnColumns(s.u, n, n, i, c, d)
	}
}

func turnColumns(a []complex128, n, rows, i int, c, d complex128) {
	for r := range rows {
		x, y := a[r*n+i], a[r*n+i+1]
		a[r*n+i], a[r*n+i+1] = c*x-d*y, conj(d)*x+conj(c)*y
	}
}

// givens returns the rotation (c, s) that takes (p, q) to (r, 0).
func givens(p, q complex128) (c, s, r complex128) {
	switch {
	case q == 0:
		c = 1
		if real(p) < 0 {
			c = -1
		}
		return c, 0, c * p
	case p == 0:
		a := complex(abs(q), 0)
		return 0, -q / a, a
	}
	p1, q1 := norm1(p), norm1(q)
	if p1 >= q1 {
		ps, qs := p/complex(p1, 0), q/complex(p1, 0)
		p2 := sq(ps)
		u := math.Sqrt(1 + sq(qs)/p2)
		if real(p) < 0 {
			u = -u
		}
		return complex(1/u, 0), -qs * conj(ps) * complex(1/u/p2, 0), p * complex(u, 0)
	}
	ps, qs := p/complex(q1, 0), q/complex(q1, 0)
	u := q1 * math.Sqrt(sq(ps)+sq(qs))
	if real(p) < 0 {
		u = -u
	}
	a := abs(p)
	ps = p / complex(a, 0)
	return complex(a/u, 0), -conj(ps) * (q / complex(u, 0)), ps * complex(u, 0)
}

// back computes u·x·uᴴ, which transforms the matrix x back to the original basis, and stores it in
// s.t. It overwrites x.
func (s *schur) back(x []complex128) {
	n := s.n
	product(s.call, s.t, s.u, x, n)
	for i := range n {
		for j := range n {
			s.call.Work(n)
			var d complex128
			for k := range n {
				d += s.t[i*n+k] * conj(s.u[j*n+k])
			}
			x[i*n+j] = d
		}
	}
	copy(s.t, x)
}

// product writes a·b to dst, all n×n.
func product[W wide](call *mem.Call, dst, a, b []W, n int) {
	clear(dst)
	for i := range n {
		for k := range n {
			call.Work(n)
			v := a[i*n+k]
			for j := range n {
				dst[i*n+j] += v * b[k*n+j]
			}
		}
	}
}
