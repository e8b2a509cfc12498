package linalg

import (
	"math"
	"sort"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// maxSweeps bounds Jacobi's sweeps; fewer than ten are usual.
const maxSweeps = 60

// jacobi rotates pairs of columns of g[m,n] until all columns are orthogonal, and applies the same
// rotations to the columns of v[n,n]. This is the one-sided Jacobi method (Hestenes, 1958).
func jacobi[W wide](call *mem.Call, g, v []W, m, n int) {
	for range maxSweeps {
		turned := false
		for i := range n {
			for j := i + 1; j < n; j++ {
				call.Work(4*m + n)
				var a, b float64
				var c W
				for r := range m {
					x, y := g[r*n+i], g[r*n+j]
					a += abs(x) * abs(x)
					b += abs(y) * abs(y)
					c += conj(x) * y
				}
				ac := abs(c)
				if ac <= 1e-16*math.Sqrt(a*b) || ac == 0 {
					continue
				}
				turned = true
				phase := c / of[W](ac)
				zeta := (b - a) / (2 * ac)
				t := 1 / (math.Abs(zeta) + math.Sqrt(1+zeta*zeta))
				if zeta < 0 {
					t = -t
				}
				cs := 1 / math.Sqrt(1+t*t)
				turn(g, m, n, i, j, of[W](cs), of[W](cs*t), phase)
				turn(v, n, n, i, j, of[W](cs), of[W](cs*t), phase)
			}
		}
		if !turned {
			return
		}
	}
}

// turn rotates columns i and j of the matrix a. Elements x and y of the two columns become cs·x -
// sn·p̄·y and sn·x + cs·p̄·y, where p̄ is the conjugate of phase.
func turn[W wide](a []W, rows, n, i, j int, cs, sn, phase W) {
	for r := range rows {
		x, y := a[r*n+i], a[r*n+j]*conj(phase)
		a[r*n+i], a[r*n+j] = cs*x-sn*y, sn*x+cs*y
	}
}

// finite reports whether no element is NaN or infinite.
func finite[W wide](a []W) bool {
	for _, x := range a {
		if q := abs(x); q != q || math.IsInf(q, 0) {
			return false
		}
	}
	return true
}

// fill stores the number one[0] in every element of dst.
func fill[W wide, T elem](dst []T, one []W) {
	for i := range dst {
		store(dst[i:i+1], one)
	}
}

// svd decomposes a[m,n] = u·diag(s)·vᴴ. For a matrix with a NaN or an infinity all results
// are NaN.
func svd[W wide, T elem](run *mem.Budget, s, u, v, a []T, p *Params) {
	if p.Batch == 0 {
		return
	}
	call := run.Call()
	defer call.Free()
	m, n := p.M, p.N
	// If there are fewer rows than columns, decompose the adjoint.
	flip := m < n
	rows, cols := max(m, n), min(m, n)
	if cols == 0 && !(p.Full && p.Vectors) { // nothing to compute
		return
	}
	src, g, vv := mem.Make[W](&call, m, n), mem.Make[W](&call, rows, cols), mem.Make[W](&call, cols, cols)
	norm, order := mem.Make[float64](&call, cols), mem.Make[int](&call, cols)
	left, right := rows, cols
	switch {
	case !p.Vectors:
		left, right = 0, 0
	case !p.Full:
		left = cols
	}
	ul := mem.Make[W](&call, rows, left)
	vr := mem.Make[W](&call, cols, right)
	for b := range p.Batch {
		load(src, a[b*m*n:(b+1)*m*n])
		if !finite(src) {
			nan := []W{of[W](math.NaN())}
			fill(s[b*cols:(b+1)*cols], nan)
			if p.Vectors {
				us, vs := m*cols, n*cols
				if p.Full {
					us, vs = m*m, n*n
				}
				fill(u[b*us:(b+1)*us], nan)
				fill(v[b*vs:(b+1)*vs], nan)
			}
			continue
		}
		for at := range src {
			i, j := at/n, at%n
			if flip {
				g[j*cols+i] = conj(src[at])
			} else {
				g[at] = src[at]
			}
		}
		unit(vv, cols)
		jacobi(&call, g, vv, rows, cols)
		for j := range cols {
			var q float64
			for i := range rows {
				q += abs(g[i*cols+j]) * abs(g[i*cols+j])
			}
			norm[j], order[j] = math.Sqrt(q), j
		}
		sort.SliceStable(order, func(x, y int) bool { return norm[order[x]] > norm[order[y]] })
		for k, j := range order {
			store(s[b*cols+k:b*cols+k+1], []W{of[W](norm[j])})
		}
		if !p.Vectors {
			continue
		}
		clear(ul)
		top, done := 0.0, 0
		if cols > 0 {
			top = norm[order[0]]
		}
		for k, j := range order {
			if norm[j] > top*1e-14 && norm[j] > 0 {
				for i := range rows {
					ul[i*left+k] = g[i*cols+j] / of[W](norm[j])
				}
				done = k + 1
			}
			for i := range cols {
				vr[i*right+k] = vv[i*cols+j]
			}
		}
		complete(&call, ul, rows, left, done)
		// ul·s·vrᴴ is the matrix, or its adjoint if flip is set.
		if flip {
			store(u[b*m*right:(b+1)*m*right], vr)
			store(v[b*n*left:(b+1)*n*left], ul)
		} else {
			store(u[b*m*left:(b+1)*m*left], ul)
			store(v[b*n*right:(b+1)*n*right], vr)
		}
	}
}

// complete computes the columns [from, cols) of u[rows,cols], so that all columns of u are
// orthonormal. The columns before them are given.
func complete[W wide](call *mem.Call, u []W, rows, cols, from int) {
	defer call.Release(call.Mark())
	x := mem.Make[W](call, rows)
	e := 0
	for k := from; k < cols; k++ {
		for ; e < rows; e++ {
			clear(x)
			x[e] = of[W](1)
			for range 2 { // orthogonalizing twice is enough (Kahan)
				for j := range k {
					call.Work(2 * rows)
					var s W
					for i := range rows {
						s += conj(u[i*cols+j]) * x[i]
					}
					for i := range rows {
						x[i] -= s * u[i*cols+j]
					}
				}
			}
			var q float64
			for _, v := range x {
				q += abs(v) * abs(v)
			}
			if q > 0.5/float64(rows) {
				for i := range x {
					u[i*cols+k] = x[i] / of[W](math.Sqrt(q))
				}
				e++
				break
			}
		}
	}
}

// eig computes the eigenvalues of self-adjoint matrices in ascending order, and the eigenvectors if
// p.Vectors is set, with Jacobi's rotations. It reads only the lower triangle of each matrix in a.
func eig[W wide, T elem](run *mem.Budget, e, v, a []T, p *Params) {
	if p.Batch == 0 {
		return
	}
	call := run.Call()
	defer call.Free()
	n := p.M
	w, q := mem.Make[W](&call, n, n), mem.Make[W](&call, n, n)
	vals, order := mem.Make[float64](&call, n), mem.Make[int](&call, n)
	for b := range p.Batch {
		load(w, a[b*n*n:(b+1)*n*n])
		for i := range n {
			w[i*n+i] = of[W](re(w[i*n+i]))
			for j := range i {
				w[j*n+i] = conj(w[i*n+j])
			}
		}
		infinite := false // whether the diagonal has an infinity; matrices with other infinities have been rejected by EigInput
		for i := range n {
			infinite = infinite || n > 1 && math.IsInf(re(w[i*n+i]), 0)
		}
		unit(q, n)
		if !infinite {
			rotate(&call, w, q, n)
		}
		for i := range n {
			if vals[i], order[i] = re(w[i*n+i]), i; infinite {
				vals[i] = math.NaN() // TensorFlow divides by the largest element, so its results are NaN, too
			}
		}
		sort.SliceStable(order, func(x, y int) bool { return vals[order[x]] < vals[order[y]] })
		for k, j := range order {
			store(e[b*n+k:b*n+k+1], []W{of[W](vals[j])})
			if p.Vectors {
				for i := range n {
					store(v[(b*n+i)*n+k:(b*n+i)*n+k+1], q[i*n+j:i*n+j+1])
				}
			}
		}
	}
}

// rotate makes the self-adjoint matrix w diagonal by rotations of its rows and columns, and applies
// the same rotations to the columns of q.
func rotate[W wide](call *mem.Call, w, q []W, n int) {
	for range maxSweeps {
		var off, on float64
		for i := range n {
			on += abs(w[i*n+i]) * abs(w[i*n+i])
			for j := range i {
				off += abs(w[i*n+j]) * abs(w[i*n+j])
			}
		}
		if off <= 1e-32*on || off == 0 || off != off {
			return
		}
		for i := range n {
			for j := i + 1; j < n; j++ {
				call.Work(4 * n)
				c := w[i*n+j]
				ac := abs(c)
				if ac == 0 {
					continue
				}
				phase := c / of[W](ac)
				zeta := (re(w[j*n+j]) - re(w[i*n+i])) / (2 * ac)
				t := 1 / (math.Abs(zeta) + math.Sqrt(1+zeta*zeta))
				if zeta < 0 {
					t = -t
				}
				cs := 1 / math.Sqrt(1+t*t)
				cw, sw := of[W](cs), of[W](cs*t)
				turn(w, n, n, i, j, cw, sw, phase)
				for k := range n { // rotate rows i and j in the same way as columns i and j
					x, y := w[i*n+k], w[j*n+k]*phase
					w[i*n+k], w[j*n+k] = cw*x-sw*y, sw*x+cw*y
				}
				turn(q, n, n, i, j, cw, sw, phase)
			}
		}
	}
}

// leastSquares computes the x that minimizes |a·x-b|² + l2·|x|², for matrices a[M,N] and b[M,K]. If
// p.Fast is not set, it ignores l2, and of all solutions it returns the one with the smallest norm.
func leastSquares[W wide, T elem](run *mem.Budget, x, a, b []T, l2 float64, p *Params) error {
	if p.Batch == 0 {
		return nil
	}
	call := run.Call()
	defer call.Free()
	m, n, k := p.M, p.N, p.K
	wa, wb, out := mem.Make[W](&call, m, n), mem.Make[W](&call, m, k), mem.Make[W](&call, n, k)
	for q := range p.Batch {
		if !(l2 >= 0) {
			return tensor.Errorf(tensor.InvalidArgument, "l2_regularizer must be >= 0, not %v", l2)
		}
		load(wa, a[q*m*n:(q+1)*m*n])
		load(wb, b[q*m*k:(q+1)*m*k])
		clear(out)
		if p.Fast {
			if err := normalEquations(&call, out, wa, wb, l2, p); err != nil {
				return err
			}
		} else {
			pseudo(&call, out, wa, wb, p)
		}
		store(x[q*n*k:(q+1)*n*k], out)
	}
	return nil
}

// normalEquations solves a least squares problem with the normal equations. Their matrix is aᴴ·a or
// a·aᴴ, depending on which of the two is smaller.
func normalEquations[W wide](call *mem.Call, out, a, b []W, l2 float64, p *Params) error {
	m, n, k := p.M, p.N, p.K
	size := min(m, n)
	defer call.Release(call.Mark())
	g, rhs := mem.Make[W](call, size, size), mem.Make[W](call, size, k)
	for i := range size {
		for j := range size {
			call.Work(max(m, n))
			var s W
			if m >= n {
				for r := range m {
					s += conj(a[r*n+i]) * a[r*n+j]
				}
			} else {
				for r := range n {
					s += a[i*n+r] * conj(a[j*n+r])
				}
			}
			if i == j {
				s += of[W](l2)
			}
			g[i*size+j] = s
		}
	}
	if m >= n {
		for i := range n {
			for c := range k {
				call.Work(m)
				var s W
				for r := range m {
					s += conj(a[r*n+i]) * b[r*k+c]
				}
				rhs[i*k+c] = s
			}
		}
	} else {
		copy(rhs, b)
	}
	perm := mem.Make[int](call, size)
	if _, singular := factor(call, g, perm, size); singular {
		return errSingular
	}
	y := mem.Make[W](call, size, k)
	for i, r := range perm {
		copy(y[i*k:(i+1)*k], rhs[r*k:(r+1)*k])
	}
	solveFactored(call, g, y, size, k)
	if m >= n {
		copy(out, y)
		return nil
	}
	for i := range n {
		for c := range k {
			call.Work(m)
			var s W
			for r := range m {
				s += conj(a[r*n+i]) * y[r*k+c]
			}
			out[i*k+c] = s
		}
	}
	return nil
}

// pseudo multiplies b by the pseudoinverse of a.
func pseudo[W wide](call *mem.Call, out, a, b []W, p *Params) {
	m, n, k := p.M, p.N, p.K
	c := min(m, n)
	defer call.Release(call.Mark())
	s, u, v := mem.Make[W](call, c), mem.Make[W](call, m, c), mem.Make[W](call, n, c)
	switch s := any(s).(type) {
	case []float64:
		svd[float64](call.Budget(), s, any(u).([]float64), any(v).([]float64), any(a).([]float64), &Params{Batch: 1, M: m, N: n, Vectors: true})
	case []complex128:
		svd[complex128](call.Budget(), s, any(u).([]complex128), any(v).([]complex128), any(a).([]complex128), &Params{Batch: 1, M: m, N: n, Vectors: true})
	}
	for j := range c {
		if abs(s[j]) <= 1e-13*abs(s[0]) {
			continue
		}
		for col := range k {
			call.Work(m + n)
			var t W
			for i := range m {
				t += conj(u[i*c+j]) * b[i*k+col]
			}
			t /= s[j]
			for i := range n {
				out[i*k+col] += v[i*c+j] * t
			}
		}
	}
}
