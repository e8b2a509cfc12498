package sparse

import (
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// Product describes a product op(A)·op(B) of a sparse matrix A and a dense matrix B.
type Product struct {
	Rows, Inner, Cols int // op(A) has the shape [Rows, Inner], op(B) has [Inner, Cols]
	// AdjointA says whether op(A) is the conjugate transpose of A instead of A itself. AdjointB says
	// the same for B.
	AdjointA, AdjointB bool
}

// entry returns the row and column that value i of A has in op(A), or InvalidArgument if they are
// out of bounds. Row i of indices holds the row and column in A.
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

// product sets dst = op(A)·op(B). A is sparse: values holds its nonzero elements, and indices holds
// their positions. b holds all elements of B.
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

// productHalf is product for 16-bit floats. It computes the sums as float32 in the scratch acc,
// which must have the length of dst.
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
