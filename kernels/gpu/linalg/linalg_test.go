package linalg

import (
	"fmt"
	"math"
	"testing"

	"github.com/graphc/graphc/kernels/gpu/internal/gputest"
	cpu "github.com/graphc/graphc/kernels/linalg"
	"github.com/graphc/graphc/rt/device"
)

// matrices returns well-conditioned matrices.
func matrices(seed uint64, batch, n int) []float64 {
	a := gputest.Floats[float64](seed, batch*n*n)
	for m := range batch {
		for i := range n {
			a[(m*n+(i*7+3)%n)*n+i] += 4
		}
	}
	return a
}

// positive returns a·aᵀ.
func positive(a []float64, batch, n int) []float64 {
	s := make([]float64, len(a))
	for m := range batch {
		for i := range n {
			for j := range n {
				for k := range n {
					s[(m*n+i)*n+j] += a[(m*n+i)*n+k] * a[(m*n+j)*n+k]
				}
			}
		}
	}
	return s
}

func complexes(s []float64) []complex128 {
	z := make([]complex128, len(s))
	for i, v := range s {
		z[i] = complex(v, 0.5*v*float64(i%3-1))
	}
	return z
}

func parts2(z []complex128) []float64 {
	var s []float64
	for _, v := range z {
		s = append(s, real(v), imag(v))
	}
	return s
}

// TestSizes compares matrices of one and of several panels with the CPU's kernels.
func TestSizes(t *testing.T) {
	for _, n := range []int{1, 7, 33, 70} {
		batch, k := 2, 3
		p := Params{Batch: batch, N: n, K: k}
		c := cpu.Params{Batch: batch, M: n, N: n, K: k}
		a, b := matrices(uint64(n), batch, n), gputest.Floats[float64](3, batch*n*k)
		r := gputest.New(t)
		pa, pb := gputest.Put(r, a), gputest.Put(r, b)
		room := func(n int) device.Ptr { return gputest.Room[float64](r, n) }
		ints, flag := gputest.Room[int32](r, batch*(2*n+1)), gputest.Room[int32](r, 1)
		check := func(what string, got device.Ptr, want []float64) {
			t.Helper()
			gputest.Close(t, fmt.Sprintf("%s of %d rows", what, n), gputest.Get[float64](r, got, len(want)), want, 1e-9, 1)
		}
		x, want := room(batch*n*k), make([]float64, batch*n*k)
		for _, adjoint := range []bool{false, true} {
			p.Adjoint, c.Adjoint = adjoint, adjoint
			r.Do(func(q *device.Queue) { SolveF64(q, x, pa, pb, room(batch*n*n), 0, ints, flag, p) })
			if err := cpu.SolveF64(nil, want, a, b, c); err != nil {
				t.Fatal(err)
			}
			check("solution", x, want)
			if gputest.Get[int32](r, flag, 1)[0] != 0 {
				t.Error("singular")
			}
			for _, lower := range []bool{false, true} {
				p.Lower, c.Lower = lower, lower
				tri := positive(a, batch, n)
				for i := range tri { // make the triangular matrices well-conditioned
					if i%(n*n)%(n+1) != 0 {
						tri[i] /= 64
					}
				}
				pt := gputest.Put(r, tri)
				r.Do(func(q *device.Queue) { TriangularF64(q, x, pt, pb, 0, 0, p) })
				bp := cpu.BatchParams{}
				for i := range bp.D {
					bp.D[i] = 1
				}
				last := len(bp.D) - 1
				bp.D[last], bp.A[last], bp.B[last] = batch, n*n, n*k
				cpu.TriangularF64(nil, want, tri, b, c, bp)
				check("triangular solution", x, want)
			}
		}
		p.Adjoint, c.Adjoint = false, false
		sym := positive(a, batch, n)
		out, l := room(batch*n*n), make([]float64, batch*n*n)
		bad := gputest.Room[int32](r, batch)
		r.Do(func(q *device.Queue) { CholeskyF64(q, out, gputest.Put(r, sym), 0, bad, p) })
		cpu.CholeskyF64(nil, l, sym, c)
		check("Cholesky's factor", out, l)
		order, perm := make([]int64, batch*n), gputest.Room[int64](r, batch*n)
		r.Do(func(q *device.Queue) { Lu64F64(q, out, perm, pa, 0, ints, flag, p) })
		if err := cpu.Lu64F64(nil, l, order, a, c); err != nil {
			t.Fatal(err)
		}
		check("LU", out, l)
		gputest.Same(t, "rows", gputest.Get[int64](r, perm, batch*n), order)
		det, dets, logs := room(2*batch), make([]float64, batch), make([]float64, batch)
		r.Do(func(q *device.Queue) {
			LogDeterminantF64(q, det, det+device.Ptr(8*batch), pa, room(batch*n*n), 0, ints, flag, p)
		})
		cpu.LogDeterminantF64(nil, dets, logs, a, c)
		check("determinant", det, append(dets, logs...))

		// Complex numbers.
		z, zb, zw := complexes(a), complexes(b), make([]complex128, batch*n*k)
		zx := gputest.Room[complex128](r, batch*n*k)
		p.Adjoint, c.Adjoint = true, true
		r.Do(func(q *device.Queue) {
			SolveC128(q, zx, gputest.Put(r, z), gputest.Put(r, zb), gputest.Room[complex128](r, batch*n*n), 0, ints, flag, p)
		})
		if err := cpu.SolveC128(nil, zw, z, zb, c); err != nil {
			t.Fatal(err)
		}
		gputest.Close(t, "complex solution", parts2(gputest.Get[complex128](r, zx, len(zw))), parts2(zw), 1e-9, 1)
	}
}

// TestSpecial checks the results for singular matrices, empty batches, and matrices that are not
// positive definite.
func TestSpecial(t *testing.T) {
	r := gputest.New(t)
	a := gputest.Put(r, []float64{1, 2, 2, 4, 1, 0, 0, 1})
	flag, ints := gputest.Room[int32](r, 1), gputest.Room[int32](r, 10)
	x, det := gputest.Room[float64](r, 8), gputest.Room[float64](r, 2)
	r.Do(func(q *device.Queue) {
		DeterminantF64(q, det, a, gputest.Room[float64](r, 8), 0, ints, flag, Params{Batch: 2, N: 2})
		InverseF64(q, x, a, gputest.Room[float64](r, 8), 0, ints, flag, Params{Batch: 2, N: 2})
	})
	if gputest.Get[int32](r, flag, 1)[0] == 0 {
		t.Error("not singular")
	}
	gputest.Same(t, "determinants", gputest.Get[float64](r, det, 2), []float64{0, 1})
	r.Do(func(q *device.Queue) { SolveF64(q, x, a, 0, 0, 0, ints, flag, Params{Batch: 2, N: 2}) })
	if gputest.Get[int32](r, flag, 1)[0] != 0 {
		t.Error("nothing is singular")
	}
	b := gputest.Put(r, []float64{4, math.NaN(), 2, 5, 1, 7, 2, 1})
	r.Do(func(q *device.Queue) {
		CholeskyF64(q, x, b, 0, ints, Params{Batch: 2, N: 2})
		CholeskyF64(q, x, b, 0, ints, Params{N: 2})
		TriangularF64(q, x, b, b, 0, 0, Params{N: 2})
		DeterminantF64(q, det, a, 0, 0, ints, flag, Params{N: 2})
		Lu32F64(q, x, ints, a, 0, ints, flag, Params{N: 2})
		TridiagonalF64(q, x, a, b, 0, TridiagonalParams{})
	})
	n := math.NaN()
	gputest.Same(t, "factors", gputest.Get[float64](r, x, 8), []float64{2, 0, 1, 2, n, n, n, n})
}

// TestTridiagonal checks that the result for a singular matrix is NaN, or 0 if the matrix is
// complex.
func TestTridiagonal(t *testing.T) {
	for _, pivot := range []bool{false, true} {
		r := gputest.New(t)
		p := TridiagonalParams{Batch: 2, M: 3, K: 1, Pivot: pivot}
		d, b := []float64{1, 2, 0, 4, 5, 6, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0}, []float64{1, 2, 3, 1, 1, 1}
		x, z := gputest.Room[float64](r, 6), gputest.Room[complex128](r, 6)
		want := make([]float64, 6)
		cpu.TridiagonalF64(nil, want, d, b, cpu.TridiagonalParams{Batch: 2, M: 3, K: 1, Pivot: pivot})
		r.Do(func(q *device.Queue) {
			TridiagonalF64(q, x, gputest.Put(r, d), gputest.Put(r, b), gputest.Room[float64](r, 24), p)
			TridiagonalC128(q, z, gputest.Put(r, make([]complex128, 18)), gputest.Put(r, complexes(b)), gputest.Room[complex128](r, 24), p)
		})
		gputest.Close(t, "solution", gputest.Get[float64](r, x, 6), want, 1e-12, 1)
		gputest.Same(t, "none", gputest.Get[complex128](r, z, 6), make([]complex128, 6))
	}
}
