package linalg

import "github.com/graphc/graphc/rt/mem"

// choleskyGrad writes the gradient of the matrix whose Cholesky factor is L, given the gradient grad
// of L. It is the symmetric part of L⁻ᵀ·P·L⁻¹, where P is the lower triangle of Lᵀ·grad with its
// diagonal halved (Murray, "Differentiation of the Cholesky decomposition", 2016). Only the lower
// triangles of l and grad are read.
func choleskyGrad[T float32 | float64](run *mem.Budget, out, l, grad []T, p *Params) {
	if p.Batch == 0 {
		return
	}
	call := run.Call()
	defer call.Free()
	n := p.M
	z := n * n
	w, g, s := mem.Make[float64](&call, n, n), mem.Make[float64](&call, n, n), mem.Make[float64](&call, n, n)
	for b := range p.Batch {
		load(w, l[b*z:(b+1)*z])
		load(g, grad[b*z:(b+1)*z])
		clear(s)
		for i := range n {
			for j := range i + 1 {
				call.Work(n - i)
				var d float64
				for k := i; k < n; k++ {
					d += w[k*n+i] * g[k*n+j]
				}
				if i == j {
					d /= 2
				}
				s[i*n+j] = d
			}
		}
		for c := range n { // multiply by L⁻ᵀ from the left
			for i := n - 1; i >= 0; i-- {
				call.Work(n - i)
				d := s[i*n+c]
				for k := i + 1; k < n; k++ {
					d -= w[k*n+i] * s[k*n+c]
				}
				s[i*n+c] = d / w[i*n+i]
			}
		}
		for r := range n { // multiply by L⁻¹ from the right
			for j := n - 1; j >= 0; j-- {
				call.Work(n - j)
				d := s[r*n+j]
				for k := j + 1; k < n; k++ {
					d -= s[r*n+k] * w[k*n+j]
				}
				s[r*n+j] = d / w[j*n+j]
			}
		}
		for i := range n {
			for j := range n {
				g[i*n+j] = (s[i*n+j] + s[j*n+i]) / 2
			}
		}
		store(out[b*z:(b+1)*z], g)
	}
}
