package fft

import (
	"fmt"
	"math/cmplx"
	"testing"

	cpu "github.com/graphc/graphc/kernels/fft"
	"github.com/graphc/graphc/kernels/gpu/internal/gputest"
	"github.com/graphc/graphc/rt/device"
)

func numbers(seed uint64, n int) []complex128 {
	re, im := gputest.Floats[float64](seed, n), gputest.Floats[float64](seed+1, n)
	s := make([]complex128, n)
	for i := range s {
		s[i] = complex(re[i], im[i])
	}
	return s
}

func narrow[A, B any](s []A, f func(A) B) []B {
	d := make([]B, len(s))
	for i, v := range s {
		d[i] = f(v)
	}
	return d
}

// near compares numbers. The tolerance is relative to the largest number.
func near(t *testing.T, what string, got, want []complex128, tol float64) {
	t.Helper()
	most := 1.0
	for _, v := range want {
		most = max(most, cmplx.Abs(v))
	}
	for i, w := range want {
		if d := cmplx.Abs(got[i] - w); !(d <= tol*most) {
			t.Fatalf("%s: element %d of %d is %v, want %v", what, i, len(want), got[i], w)
		}
	}
}

func wide64(v complex64) complex128 { return complex128(v) }

// TestLengths checks lengths that need one pass, lengths that need several, and lengths with large
// prime factors.
func TestLengths(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4, 5, 8, 12, 30, 61, 64, 67, 128, 134, 1000, 1024, 2048, 2053, 2310, 4096} {
		for _, inv := range []bool{false, true} {
			d := [3]int{1, 1, n}
			p := Params{Batch: 3, Rank: 1, In: d, Out: d, N: d, Inverse: inv}
			if n > 1000 {
				p.Batch = 2
			}
			x, want := numbers(uint64(n), p.Batch*n), make([]complex128, p.Batch*n)
			cpu.C128(nil, want, x, cpu.Params(p))
			r := gputest.New(t)
			dst, short := gputest.Room[complex128](r, len(x)), gputest.Room[complex64](r, len(x))
			src, less := gputest.Put(r, x), gputest.Put(r, narrow(x, func(v complex128) complex64 { return complex64(v) }))
			r.Do(func(q *device.Queue) {
				C128(q, dst, src, gputest.Room[byte](r, ScratchC128(p)), p)
				C64(q, short, less, gputest.Room[byte](r, ScratchC64(p)), p)
			})
			what := fmt.Sprintf("%d numbers, inverse %v", n, inv)
			near(t, what, gputest.Get[complex128](r, dst, len(x)), want, 1e-14)
			near(t, what, narrow(gputest.Get[complex64](r, short, len(x)), wide64), want, 5e-7)
		}
	}
}

// TestSmallLimit lowers the limit for shared memory, so that lines of moderate lengths take up to
// four levels of passes.
func TestSmallLimit(t *testing.T) {
	for _, n := range []int{6, 16, 60, 256} {
		k := double()
		k.limit = 4
		if n == 60 {
			k.limit = 5
		}
		d := [3]int{2, 1, n}
		p := Params{Batch: 2, Rank: 1, In: d, Out: d, N: d}
		x, want := numbers(uint64(n), 4*n), make([]complex128, 4*n)
		cpu.C128(nil, want, x, cpu.Params(p))
		r := gputest.New(t)
		at := gputest.Put(r, x)
		r.Do(func(q *device.Queue) { k.complexes(q, at, at, gputest.Room[byte](r, k.scratch(&p, false)), &p) })
		near(t, fmt.Sprint(n), gputest.Get[complex128](r, at, len(x)), want, 1e-14)
	}
}

// TestReal checks the forward and the inverse transform of blocks of one to three dimensions. Some
// inputs are longer than the transform.
func TestReal(t *testing.T) {
	for _, c := range []struct {
		rank  int
		in, n [3]int
	}{{1, [3]int{1, 1, 6}, [3]int{1, 1, 6}}, {1, [3]int{1, 1, 9}, [3]int{1, 1, 5}}, {2, [3]int{1, 4, 7}, [3]int{1, 3, 6}}, {3, [3]int{3, 3, 5}, [3]int{2, 3, 4}},
		{3, [3]int{2, 2, 1}, [3]int{2, 2, 1}}, {1, [3]int{1, 1, 67}, [3]int{1, 1, 67}}, {2, [3]int{1, 67, 71}, [3]int{1, 67, 70}}, {2, [3]int{1, 3, 0}, [3]int{1, 3, 0}}} {
		half := c.n
		if half[2] > 0 {
			half[2] = half[2]/2 + 1
		}
		f := Params{Batch: 2, Rank: c.rank, In: c.in, Out: half, N: c.n}
		x := gputest.Floats[float64](5, 2*size(c.in))
		want := make([]complex128, 2*size(half))
		cpu.RealC128(nil, want, x, cpu.Params(f))
		r := gputest.New(t)
		dst, short := gputest.Room[complex128](r, len(want)), gputest.Room[complex64](r, len(want))
		src, less := gputest.Put(r, x), gputest.Put(r, narrow(x, func(v float64) float32 { return float32(v) }))
		// The input of the inverse transform has a longer last dimension than needed.
		wide := half
		wide[2] += 2
		b := Params{Batch: 2, Rank: c.rank, In: wide, Out: c.n, N: c.n, Inverse: true}
		z, back := numbers(9, 2*size(wide)), make([]float64, 2*size(c.n))
		cpu.InverseF64(nil, back, z, cpu.Params(b))
		zs, zl := gputest.Put(r, z), gputest.Put(r, narrow(z, func(v complex128) complex64 { return complex64(v) }))
		bs, bl := gputest.Room[float64](r, len(back)), gputest.Room[float32](r, len(back))
		r.Do(func(q *device.Queue) {
			RealC128(q, dst, src, gputest.Room[byte](r, ScratchF64(f)), f)
			RealC64(q, short, less, gputest.Room[byte](r, ScratchF32(f)), f)
			InverseF64(q, bs, zs, gputest.Room[byte](r, ScratchF64(b)), b)
			InverseF32(q, bl, zl, gputest.Room[byte](r, ScratchF32(b)), b)
		})
		what := fmt.Sprint(c)
		near(t, what, gputest.Get[complex128](r, dst, len(want)), want, 1e-14)
		near(t, what, narrow(gputest.Get[complex64](r, short, len(want)), wide64), want, 5e-7)
		real := func(v float64) complex128 { return complex(v, 0) }
		near(t, what+" back", narrow(gputest.Get[float64](r, bs, len(back)), real), narrow(back, real), 1e-14)
		near(t, what+" back", narrow(gputest.Get[float32](r, bl, len(back)), func(v float32) complex128 { return complex(float64(v), 0) }), narrow(back, real), 5e-7)
	}
}

// TestNothing checks that an empty input gives zeros.
func TestNothing(t *testing.T) {
	p := Params{Batch: 1, Rank: 1, In: [3]int{1, 1, 0}, Out: [3]int{1, 1, 4}, N: [3]int{1, 1, 4}, Inverse: true}
	r := gputest.New(t)
	dst := gputest.Room[float32](r, 4)
	r.Do(func(q *device.Queue) { InverseF32(q, dst, 0, 0, p) })
	gputest.Same(t, "nothing", gputest.Get[float32](r, dst, 4), make([]float32, 4))
}
