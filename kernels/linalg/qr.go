package linalg

import (
	"math"

	"github.com/graphc/graphc/rt/mem"
)

// householder computes the QR decomposition a = q·R by reflections. It replaces the matrix a[m,n]
// by R. q[m,m] must be the unit matrix at first, and becomes the product of the reflections.
func householder[W wide](call *mem.Call, a, q []W, m, n int) {
	defer call.Release(call.Mark())
	v := mem.Make[W](call, m)
	for k := range min(m-1, n) {
		var tail float64
		for i := k + 1; i < m; i++ {
			t := abs(a[i*n+k])
			tail += t * t
		}
		c := a[k*n+k]
		if tail == 0 && re(c) == abs(c) || tail == 0 && re(c) == -abs(c) {
			continue
		}
		beta := math.Sqrt(abs(c)*abs(c) + tail)
		if re(c) >= 0 {
			beta = -beta
		}
		// The reflection H = I - tau·v·vᴴ with v[k] = 1 makes element k of this column beta, and
		// the elements below it 0.
		v[k] = of[W](1)
		for i := k + 1; i < m; i++ {
			v[i] = a[i*n+k] / (c - of[W](beta))
		}
		tau := conj((of[W](beta) - c) / of[W](beta))
		for j := range n {
			call.Work(m)
			var s W
			for i := k; i < m; i++ {
				s += conj(v[i]) * a[i*n+j]
			}
			s *= tau
			for i := k; i < m; i++ {
				a[i*n+j] -= v[i] * s
			}
		}
		for i := k + 1; i < m; i++ {
			a[i*n+k] = 0
		}
		// q = q·Hᴴ
		for r := range m {
			call.Work(m)
			var s W
			for i := k; i < m; i++ {
				s += q[r*m+i] * v[i]
			}
			s *= conj(tau)
			for i := k; i < m; i++ {
				q[r*m+i] -= s * conj(v[i])
			}
		}
	}
}

func qr[W wide, T elem](run *mem.Budget, q, r, a []T, p *Params) {
	if p.Batch == 0 {
		return
	}
	call := run.Call()
	defer call.Free()
	m, n := p.M, p.N
	cols := m
	if !p.Full {
		cols = min(m, n)
	}
	if cols == 0 { // nothing to compute
		return
	}
	wa, wq := mem.Make[W](&call, m, n), mem.Make[W](&call, m, m)
	for b := range p.Batch {
		load(wa, a[b*m*n:(b+1)*m*n])
		unit(wq, m)
		householder(&call, wa, wq, m, n)
		for i := range m {
			store(q[(b*m+i)*cols:(b*m+i+1)*cols], wq[i*m:i*m+cols])
		}
		store(r[b*cols*n:(b+1)*cols*n], wa[:cols*n])
	}
}

func unit[W wide](a []W, n int) {
	clear(a)
	for i := range n {
		a[i*n+i] = of[W](1)
	}
}
