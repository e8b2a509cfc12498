package sparse

import (
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// Product are the sizes of a product of a sparse matrix A and a dense one B.
type Product struct {
	Rows, Inner, Cols  int  // op(A) is [Rows, Inner], op(B) [Inner, Cols]
	AdjointA, AdjointB bool // op conjugates and transposes
}

// entry returns the row and column in op(A) of row i of indices, or InvalidArgument if they
// are outside.
func (p *Product) entry(indices []int64, i int) (m, k int, err error) {
	r, c := indices[2*i], indices[2*i+1]
	if p.AdjointA {
		r, c = c, r
	}
	if c < 0 || c >= int64(p.Inner) {
		return 0, 0, tensor.Errorf(tensor.InvalidArgument, "k (%d) from index[%d] is out of bounds (>=%d)", c, i, p.Inner)
	}
	if r < 0 || r >= int64(p.Rows) {
		return 0, 0, tensor.Errorf(tensor.InvalidArgument, "m (%d) from index[%d] is out of bounds (>=%d)", r, i, p.Rows)
	}
	return int(r), int(c), nil
}

// product sets dst = op(A)·op(B). A has the elements values at indices.
func product[T number](run *mem.Budget, dst, values, b []T, indices []int64, p Product, conj func(T) T) error {
	clear(dst)
	if len(dst) == 0 || len(b) == 0 {
		return nil
	}
	call := run.Call()
	for i, v := range values {
		call.Work(p.Cols)
		m, k, err := p.entry(indices, i)
		if err != nil {
			return err
		}
		if p.AdjointA {
			v = conj(v)
		}
		out := dst[m*p.Cols : (m+1)*p.Cols]
		if !p.AdjointB {
			for n, x := range b[k*p.Cols : (k+1)*p.Cols] {
				out[n] += T(v * x)
			}
			continue
		}
		for n := range out {
			out[n] += T(v * conj(b[n*p.Inner+k]))
		}
	}
	return nil
}

func same[T number](v T) T { return v }

func conj64(v complex64) complex64 { return complex(real(v), -imag(v)) }

func conj128(v complex128) complex128 { return complex(real(v), -imag(v)) }

// productHalf is product with sums of float32 in acc, as long as dst.
func productHalf[T half](run *mem.Budget, dst, values, b []T, acc []float32, indices []int64, p Product, wide func(T) float32, narrow func(float32) T) error {
	clear(acc)
	clear(dst)
	if len(dst) == 0 || len(b) == 0 {
		return nil
	}
	call := run.Call()
	for i, v := range values {
		call.Work(p.Cols)
		m, k, err := p.entry(indices, i)
		if err != nil {
			return err
		}
		out := acc[m*p.Cols : (m+1)*p.Cols]
		at, step := k*p.Cols, 1
		if p.AdjointB {
			at, step = k, p.Inner
		}
		for n := range out {
			out[n] += float32(wide(v) * wide(b[at+n*step]))
		}
	}
	for i, v := range acc {
		dst[i] = narrow(v)
	}
	return nil
}
