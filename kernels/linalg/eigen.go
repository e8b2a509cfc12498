package linalg

import (
	"math"
	"math/cmplx"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

func csqrt(c complex128) complex128 { return cmplx.Sqrt(c) }

// loadComplex copies real or complex matrices to complex128.
func loadComplex[T elem](dst []complex128, src []T) {
	for i, v := range src {
		switch v := any(v).(type) {
		case float32:
			dst[i] = complex(float64(v), 0)
		case float64:
			dst[i] = complex(v, 0)
		case complex64:
			dst[i] = complex128(v)
		case complex128:
			dst[i] = v
		}
	}
}

// epsOf returns the distance from 1 to the next larger number in the precision of T.
func epsOf[T elem]() float64 {
	var x T
	switch any(x).(type) {
	case float32, complex64:
		return 0x1p-23
	}
	return eps64
}

// eigen finds eigenvalues and eigenvectors of any square matrices. The eigenvalues of a complex
// matrix are sorted by rising absolute value; those of a real matrix are in the order in which they
// are found.
func eigen[O complex64 | complex128, T elem](run *mem.Budget, e, v []O, a []T, p *Params) error {
	if p.Batch == 0 {
		return nil
	}
	call := run.Call()
	defer call.Free()
	n := p.M
	x, w, vals := mem.Make[complex128](&call, n, n), mem.Make[complex128](&call, n, n), mem.Make[complex128](&call, n)
	mark := call.Mark()
	for b := range p.Batch {
		call.Release(mark) // free the previous matrix's scratch
		m := a[b*n*n : (b+1)*n*n]
		loadComplex(w, m)
		norm := 0.0
		for _, c := range w {
			norm = math.Hypot(norm, abs(c))
		}
		ok := finite(w)
		least := epsOf[T]() * max(norm, leastNormal)
		switch {
		case !ok:
		case isReal[T]():
			s := newRealSchur(&call, n, epsOf[T]())
			for i, c := range w {
				s.t[i] = real(c)
			}
			if ok = s.decompose(); ok {
				s.values(vals)
			}
			if ok && p.Vectors {
				s.vectors(w, x, vals, least)
			}
		default:
			s := newSchur(&call, n, epsOf[T]())
			copy(s.t, w)
			if ok = s.decompose(); !ok {
				break
			}
			for i := range vals {
				vals[i] = s.t[i*n+i]
			}
			if p.Vectors {
				s.vectors(x, least)
				product(&call, w, s.u, x, n)
				normalise(w, n)
			}
			ascending(&call, vals, w, n)
		}
		if !ok {
			return tensor.Errorf(tensor.InvalidArgument, "Eigen decomposition was not successful. The input might not be valid.")
		}
		for i, c := range vals {
			e[b*n+i] = O(c)
		}
		if p.Vectors {
			for i, c := range w {
				v[b*n*n+i] = O(c)
			}
		}
	}
	return nil
}

// ascending sorts vals by absolute value, and moves the columns of w with them.
func ascending(call *mem.Call, vals, w []complex128, n int) {
	for i := range n {
		call.Work(n)
		k := i
		for j := i; j < n; j++ {
			if abs(vals[j]) < abs(vals[k]) {
				k = j
			}
		}
		if k == i {
			continue
		}
		vals[i], vals[k] = vals[k], vals[i]
		for r := range n {
			w[r*n+i], w[r*n+k] = w[r*n+k], w[r*n+i]
		}
	}
}

// vectors writes the eigenvectors of the upper triangular matrix s.t to the columns of x, with ones
// on the diagonal. It divides by differences of eigenvalues. A difference of zero is replaced by the
// small number in the parameter least.
func (s *schur) vectors(x []complex128, least float64) {
	n := s.n
	clear(x)
	for k := n - 1; k >= 0; k-- {
		x[k*n+k] = 1
		for i := k - 1; i >= 0; i-- {
			s.call.Work(k - i)
			d := -s.t[i*n+k]
			for j := i + 1; j < k; j++ {
				d -= s.t[i*n+j] * x[j*n+k]
			}
			z := s.t[i*n+i] - s.t[k*n+k]
			if z == 0 {
				z = complex(least, 0)
			}
			x[i*n+k] = d / z
		}
	}
}

// normalise scales the columns to length 1.
func normalise(w []complex128, n int) {
	for k := range n {
		var most, sum float64
		for r := range n {
			most = max(most, abs(w[r*n+k]))
		}
		if most == 0 {
			continue
		}
		for r := range n {
			sum += sq(w[r*n+k] / complex(most, 0))
		}
		f := complex(most*math.Sqrt(sum), 0)
		for r := range n {
			w[r*n+k] /= f
		}
	}
}
