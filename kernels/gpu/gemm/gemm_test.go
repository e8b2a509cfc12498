package gemm

import (
	"fmt"
	"math/cmplx"
	"testing"

	"github.com/graphc/graphc/kernels/gpu/internal/gputest"
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/tensor"
)

// want is the reference product, in complex128.
func want(a, b []complex128, elems int, p Params) []complex128 {
	p.dense()
	c := make([]complex128, elems)
	d := []int{p.D0, p.D1, p.D2, p.D3, p.D4, p.D5}
	as, bs, cs := []int{p.A0, p.A1, p.A2, p.A3, p.A4, p.A5}, []int{p.B0, p.B1, p.B2, p.B3, p.B4, p.B5}, []int{p.C0, p.C1, p.C2, p.C3, p.C4, p.C5}
	var walk func(k, ao, bo, co int)
	walk = func(k, ao, bo, co int) {
		if k < p.Dims {
			for i := range d[k] {
				walk(k+1, ao+i*as[k], bo+i*bs[k], co+i*cs[k])
			}
			return
		}
		for m := range p.M {
			for n := range p.N {
				var s complex128
				for k := range p.K {
					ai, bi := m*p.Lda+k, k*p.Ldb+n
					if p.TransA {
						ai = k*p.Lda + m
					}
					if p.TransB {
						bi = n*p.Ldb + k
					}
					x, y := a[ao+ai], b[bo+bi]
					if p.ConjA {
						x = cmplx.Conj(x)
					}
					if p.ConjB {
						y = cmplx.Conj(y)
					}
					s += x * y
				}
				c[co+m*p.Ldc+n] = s
			}
		}
	}
	walk(0, 0, 0, 0)
	return c
}

// product is a test case with the numbers of elements of a, b and c.
type product struct {
	p       Params
	a, b, c int
}

func products() []product {
	var all []product
	for _, s := range [][3]int{{1, 1, 1}, {3, 5, 7}, {65, 70, 33}, {64, 64, 16}, {1, 100, 40}, {0, 4, 4}, {4, 0, 4}, {4, 4, 0}} {
		for trans := range 4 {
			m, n, k := s[0], s[1], s[2]
			all = append(all, product{Params{M: m, N: n, K: k, TransA: trans&1 != 0, TransB: trans&2 != 0}, m * k, k * n, m * n})
		}
	}
	return append(all,
		product{Params{M: 4, N: 6, K: 5, Lda: 9, Ldb: 8, Ldc: 7}, 36, 40, 28},
		product{Params{M: 4, N: 6, K: 5, Dims: 1, D0: 3, A0: 20, B0: 30, C0: 24}, 60, 90, 72},
		product{Params{M: 4, N: 6, K: 5, Dims: 1, D0: 3, A0: 20, C0: 24}, 60, 30, 72}, // all products share one b, so they are computed as a single product with more rows
		product{Params{M: 4, N: 6, K: 5, Dims: 3, D0: 2, D1: 3, D2: 2, A0: 120, A1: 40, A2: 20, B0: 30, C0: 144, C1: 48, C2: 24}, 240, 60, 288},
		product{Params{M: 2, N: 3, K: 4, Dims: 3, D0: 2, D1: 3, D2: 2, A0: 8, B1: 12, C0: 36, C1: 12, C2: 6, A2: 16, TransB: true}, 32, 36, 72},
		product{Params{M: 2, N: 1, K: 2, Dims: 4, D0: 2, D1: 2, D2: 3, D3: 2, A0: 4, B1: 2, A2: 8, B3: 4, C0: 24, C1: 12, C2: 4, C3: 2}, 24, 8, 48},
		product{Params{M: 4, N: 6, K: 5, Dims: 2, D0: 3, D1: 0}, 20, 30, 0},
	)
}

func values(seed uint64, n int, im bool) []complex128 {
	re, i := gputest.Floats[float64](seed, n), gputest.Floats[float64](seed+77, n)
	s := make([]complex128, n)
	for k := range s {
		s[k] = complex(re[k], 0)
		if im {
			s[k] = complex(re[k], i[k])
		}
	}
	return s
}

func test[T any](t *testing.T, name string, f func(q *device.Queue, c, a, b device.Ptr, p Params), down func(complex128) T, up func(T) complex128, im bool, tol float64) {
	for i, x := range products() {
		for conj := range 4 {
			if conj > 0 && !im {
				break
			}
			p := x.p
			p.ConjA, p.ConjB = conj&1 != 0, conj&2 != 0
			round := func(s []complex128) ([]T, []complex128) {
				d := make([]T, len(s))
				for k, v := range s {
					d[k] = down(v)
					s[k] = up(d[k])
				}
				return d, s
			}
			a, wa := round(values(uint64(i), x.a, im))
			b, wb := round(values(uint64(i)+7, x.b, im))
			r := gputest.New(t)
			pa, pb := gputest.Put(r, a), gputest.Put(r, b)
			pc := gputest.Put(r, make([]T, x.c))
			r.Do(func(q *device.Queue) { f(q, pc, pa, pb, p) })
			w := want(wa, wb, x.c, p)
			got := gputest.Get[T](r, pc, x.c)
			for k := range w {
				if d := cmplx.Abs(up(got[k]) - w[k]); !(d <= tol*(1+cmplx.Abs(w[k]))) {
					t.Fatalf("%s %+v: element %d is %v, want %v", name, p, k, got[k], w[k])
				}
			}
		}
	}
}

func TestProducts(t *testing.T) {
	test(t, "f32", F32, func(v complex128) float32 { return float32(real(v)) }, func(v float32) complex128 { return complex(float64(v), 0) }, false, 4e-6)
	test(t, "f64", F64, func(v complex128) float64 { return real(v) }, func(v float64) complex128 { return complex(v, 0) }, false, 1e-14)
	test(t, "f16", F16, func(v complex128) tensor.F16 { return tensor.ToF16(float32(real(v))) }, func(v tensor.F16) complex128 { return complex(float64(v.Float32()), 0) }, false, 0x1p-11)
	test(t, "bf16", BF16, func(v complex128) tensor.BF16 { return tensor.ToBF16(float32(real(v))) }, func(v tensor.BF16) complex128 { return complex(float64(v.Float32()), 0) }, false, 0x1p-8)
	test(t, "c64", C64, func(v complex128) complex64 { return complex64(v) }, func(v complex64) complex128 { return complex128(v) }, true, 4e-6)
	test(t, "c128", C128, func(v complex128) complex128 { return v }, func(v complex128) complex128 { return v }, true, 1e-14)
}

// TestLibrary checks which products are passed to a device's library.
func TestLibrary(t *testing.T) {
	for _, c := range []struct {
		p        Params
		takes    bool
		calls    int
		launches int
		last     device.Gemm
	}{
		{Params{M: 2, N: 3, K: 4, TransB: true}, true, 1, 0, device.Gemm{TransB: true, M: 2, N: 3, K: 4, Batch: 1, LDA: 4, LDB: 4, LDC: 3}},
		{Params{M: 2, N: 3, K: 4}, false, 1, 1, device.Gemm{M: 2, N: 3, K: 4, Batch: 1, LDA: 4, LDB: 3, LDC: 3}},
		{Params{M: 2, N: 3, K: 4, Dims: 2, D0: 2, D1: 5, A0: 40, A1: 8, B0: 60, B1: 12, C0: 30, C1: 6}, true, 1, 0,
			device.Gemm{M: 2, N: 3, K: 4, Batch: 10, LDA: 4, LDB: 3, LDC: 3, StrideA: 8, StrideB: 12, StrideC: 6}},
		{Params{M: 2, N: 3, K: 4, Dims: 2, D0: 2, D1: 5, A1: 8, B0: 12, C0: 30, C1: 6}, true, 2, 0,
			device.Gemm{M: 2, N: 3, K: 4, Batch: 5, LDA: 4, LDB: 3, LDC: 3, StrideA: 8, StrideC: 6}},
		{Params{M: 2, N: 3, K: 4, Dims: 2, D0: 5, D1: 2, A0: 8, B1: 12, C0: 6, C1: 30}, true, 2, 0,
			device.Gemm{M: 2, N: 3, K: 4, Batch: 5, LDA: 4, LDB: 3, LDC: 3, StrideA: 8, StrideC: 6}},
		{Params{M: 2, N: 3, K: 4, Dims: 2, D0: 80, D1: 65, A1: 8, B0: 12, C0: 390, C1: 6}, true, 0, 1, device.Gemm{}},
		{Params{M: 2, N: 3, ConjA: true, K: 4}, true, 0, 1, device.Gemm{}},
		{Params{M: 2, N: 3}, true, 0, 1, device.Gemm{}},
	} {
		r := gputest.New(t)
		var asked []device.Gemm
		r.Library = func(g *device.Gemm) bool { asked = append(asked, *g); return c.takes }
		n := max(1, c.p.D0) * max(1, c.p.D1)
		a, b, out := gputest.Room[float32](r, 8*n), gputest.Room[float32](r, 12*n), gputest.Room[float32](r, 6*n)
		r.Do(func(q *device.Queue) { F32(q, out, a, b, c.p) })
		if len(asked) != c.calls || r.Launches != c.launches {
			t.Fatalf("%+v: %d calls and %d launches", c.p, len(asked), r.Launches)
		}
		if c.calls == 0 {
			continue
		}
		c.last.DType, c.last.Alpha = tensor.Float32, 1
		last := asked[len(asked)-1]
		if i := device.Ptr(c.calls - 1); last.A != a || last.B != b+48*i || last.C != out+120*i {
			t.Errorf("%+v: call %d has other addresses", c.p, i)
		}
		last.A, last.B, last.C = 0, 0, 0
		if last != c.last {
			t.Errorf("%+v: asked for %+v, want %+v", fmt.Sprint(c.p), last, c.last)
		}
	}
}

// TestOnto checks that products are added to c's contents, or subtracted from them.
func TestOnto(t *testing.T) {
	for _, c := range []struct {
		p    Params
		want []float32
	}{
		{Params{M: 1, N: 2, K: 2, Onto: 1}, []float32{10 + 1*5 + 2*7, 20 + 1*6 + 2*8}},
		{Params{M: 1, N: 2, K: 2, Onto: -1}, []float32{10 - 1*5 - 2*7, 20 - 1*6 - 2*8}},
		{Params{M: 1, N: 2, Onto: 1}, []float32{10, 20}},
	} {
		r := gputest.New(t)
		a, b, out := gputest.Put(r, []float32{1, 2}), gputest.Put(r, []float32{5, 6, 7, 8}), gputest.Put(r, []float32{10, 20})
		r.Do(func(q *device.Queue) { F32(q, out, a, b, c.p) })
		gputest.Same(t, fmt.Sprintf("%+v", c.p), gputest.Get[float32](r, out, 2), c.want)
	}
	r := gputest.New(t)
	r.Library = func(g *device.Gemm) bool {
		if g.Alpha != -1 || g.Beta != 1 {
			t.Errorf("alpha %v, beta %v", g.Alpha, g.Beta)
		}
		return false
	}
	at := gputest.Room[float32](r, 4)
	r.Do(func(q *device.Queue) { F32(q, at, at, at, Params{M: 1, N: 1, K: 1, Onto: -1}) })
}
