package softmax

import (
	"fmt"
	"math"
	"testing"

	"github.com/graphc/graphc/kernels/gpu/internal/gputest"
	cpu "github.com/graphc/graphc/kernels/softmax"
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/tensor"
)

// The tolerances of float32, float64, binary16 and bfloat16.
const tol32, tol64, tol16, tolB16 = 4e-6, 1e-13, 0x1p-10, 0x1p-7

type rows func(q *device.Queue, dst, src device.Ptr, rows, n int)

func apply[T any](t *testing.T, f rows, src []T, m, n int) []T {
	r := gputest.New(t)
	p := gputest.Put(r, src)
	r.Do(func(q *device.Queue) { f(q, p, p, m, n) }) // in place
	return gputest.Get[T](r, p, m*n)
}

var sizes = [][2]int{{1, 1}, {3, 7}, {9, 33}, {2, 1100}, {1, 8300}, {0, 5}, {5, 0}}

func TestSoftmax(t *testing.T) {
	for i, s := range sizes {
		m, n := s[0], s[1]
		x, d := gputest.Floats[float32](uint64(i), m*n), gputest.Floats[float64](uint64(i), m*n)
		for j := range x {
			x[j] *= 20
			d[j] *= 20
		}
		h, b := gputest.F16(x), gputest.BF16(x)
		for _, c := range []struct {
			name   string
			g32    rows
			c32    func(dst, src []float32, n int)
			g64    rows
			c64    func(dst, src []float64, n int)
			gh, gb rows
		}{
			{"softmax", SoftmaxF32, cpu.SoftmaxF32, SoftmaxF64, cpu.SoftmaxF64, SoftmaxF16, SoftmaxBF16},
			{"log softmax", LogSoftmaxF32, cpu.LogSoftmaxF32, LogSoftmaxF64, cpu.LogSoftmaxF64, LogSoftmaxF16, LogSoftmaxBF16},
		} {
			what := fmt.Sprint(c.name, s)
			scale := 1e-3
			if c.name != "softmax" {
				scale = 1 // a small result has the absolute rounding error of the larger terms that are subtracted
			}
			want, want64 := make([]float32, m*n), make([]float64, m*n)
			c.c32(want, x, n)
			gputest.Close(t, what, apply(t, c.g32, x, m, n), want, tol32, scale)
			c.c64(want64, d, n)
			gputest.Close(t, what, apply(t, c.g64, d, m, n), want64, tol64, scale)
			c.c32(want, gputest.Wide(h), n)
			gputest.Close(t, what+" f16", gputest.Wide(apply(t, c.gh, h, m, n)), want, tol16, scale)
			c.c32(want, gputest.Wide(b), n)
			gputest.Close(t, what+" bf16", gputest.Wide(apply(t, c.gb, b, m, n)), want, tolB16, scale)
		}
	}
}

func TestSpecial(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	got := apply(t, SoftmaxF32, []float32{1, nan, inf, 0, -inf, -inf, -inf, 0}, 4, 2)
	gputest.Same(t, "softmax", got, []float32{nan, nan, nan, nan, nan, nan, 0, 1})
	gputest.Same(t, "log softmax", apply(t, LogSoftmaxF32, []float32{-inf, 0}, 1, 2), []float32{-inf, 0})
}

func TestMasked(t *testing.T) {
	p := MaskedParams{Rows: 2 * 3 * 4, N: 37, H: 3, T: 4, MaskB: 4, MaskT: 1, Scale: 0.25}
	x, mask := gputest.Floats[float32](1, p.Rows*p.N), gputest.Floats[float32](2, 2*4*p.N)
	c := cpu.MaskedParams{N: p.N, H: p.H, T: p.T, MaskB: p.MaskB, MaskT: p.MaskT, Scale: 0.25}
	want := make([]float32, len(x))
	narrow := func(s []float32) ([]tensor.F16, []tensor.BF16) { return gputest.F16(s), gputest.BF16(s) }
	xh, xb := narrow(x)
	mh, mb := narrow(mask)
	for _, with := range []bool{true, false} {
		r := gputest.New(t)
		masked := func(m device.Ptr) MaskedParams {
			p := p
			if with {
				p.Mask = m
			}
			return p
		}
		used := func(m []float32) []float32 {
			if with {
				return m
			}
			return nil
		}
		wide := make([]float64, len(x))
		wm := make([]float64, len(mask))
		for i, v := range x {
			wide[i] = float64(v)
		}
		for i, v := range mask {
			wm[i] = float64(v)
		}
		a, b, d, h := gputest.Put(r, x), gputest.Put(r, xb), gputest.Put(r, wide), gputest.Put(r, xh)
		ma, mbp, md, mhp := gputest.Put(r, mask), gputest.Put(r, mb), gputest.Put(r, wm), gputest.Put(r, mh)
		r.Do(func(q *device.Queue) {
			MaskedF32(q, a, a, masked(ma))
			MaskedBF16(q, b, b, masked(mbp))
			MaskedF64(q, d, d, masked(md))
			MaskedF16(q, h, h, masked(mhp))
		})
		c.Mask = used(mask)
		cpu.MaskedF32(want, x, c)
		gputest.Close(t, "f32", gputest.Get[float32](r, a, len(x)), want, tol32, 1e-3)
		for i, v := range gputest.Get[float64](r, d, len(x)) {
			if math.Abs(v-float64(want[i])) > 1e-6 {
				t.Fatalf("f64: element %d is %v, want %v", i, v, want[i])
			}
		}
		c.Mask = used(gputest.Wide(mh))
		cpu.MaskedF32(want, gputest.Wide(xh), c)
		gputest.Close(t, "f16", gputest.Wide(gputest.Get[tensor.F16](r, h, len(x))), want, tol16, 1e-3)
		c.Mask = used(gputest.Wide(mb))
		cpu.MaskedF32(want, gputest.Wide(xb), c)
		gputest.Close(t, "bf16", gputest.Wide(gputest.Get[tensor.BF16](r, b, len(x))), want, tolB16, 1e-3)
	}
}

func entropy[T any](t *testing.T, f func(q *device.Queue, loss, back, features, labels device.Ptr, p Entropy), features, labels []T, p Entropy) (loss, back []T) {
	r := gputest.New(t)
	l, b, x, y := gputest.Room[T](r, p.Rows), gputest.Room[T](r, p.Rows*p.Cols), gputest.Put(r, features), gputest.Put(r, labels)
	r.Do(func(q *device.Queue) { f(q, l, b, x, y, p) })
	return gputest.Get[T](r, l, p.Rows), gputest.Get[T](r, b, p.Rows*p.Cols)
}

func TestCrossEntropy(t *testing.T) {
	for i, p := range []Entropy{{3, 7, 3, 7, 3, 7}, {5, 40, 1, 40, 5, 1}, {2, 9, 2, 1, 1, 9}, {2, 1200, 2, 1200, 2, 1200}, {0, 3, 0, 3, 0, 3}, {2, 0, 2, 0, 2, 0}} {
		x, y := gputest.Floats[float32](uint64(i), p.FRows*p.FCols), gputest.Floats[float32](uint64(i)+50, p.LRows*p.LCols)
		x64, y64 := gputest.Floats[float64](uint64(i), len(x)), gputest.Floats[float64](uint64(i)+50, len(y))
		want, back := make([]float32, p.Rows), make([]float32, p.Rows*p.Cols)
		scale := float64(1 + p.Cols/10)
		check := func(what string, l, b []float32, tol float64) {
			gputest.Close(t, fmt.Sprint(what, " loss ", p), l, want, tol, scale)
			gputest.Close(t, fmt.Sprint(what, " back ", p), b, back, tol, 1)
		}
		cpu.CrossEntropyF32(want, back, x, y, cpu.Entropy(p))
		l, b := entropy(t, CrossEntropyF32, x, y, p)
		check("f32", l, b, tol32)
		xh, yh := gputest.F16(x), gputest.F16(y)
		cpu.CrossEntropyF32(want, back, gputest.Wide(xh), gputest.Wide(yh), cpu.Entropy(p))
		lh, bh := entropy(t, CrossEntropyF16, xh, yh, p)
		check("f16", gputest.Wide(lh), gputest.Wide(bh), tol16)
		xb, yb := gputest.BF16(x), gputest.BF16(y)
		cpu.CrossEntropyF32(want, back, gputest.Wide(xb), gputest.Wide(yb), cpu.Entropy(p))
		lb, bb := entropy(t, CrossEntropyBF16, xb, yb, p)
		check("bf16", gputest.Wide(lb), gputest.Wide(bb), tolB16)
		w64, b64 := make([]float64, p.Rows), make([]float64, p.Rows*p.Cols)
		cpu.CrossEntropyF64(w64, b64, x64, y64, cpu.Entropy(p))
		l64, g64 := entropy(t, CrossEntropyF64, x64, y64, p)
		gputest.Close(t, "f64 loss", l64, w64, tol64, scale)
		gputest.Close(t, "f64 back", g64, b64, tol64, 1)
	}
}

func sparse[T, L any](t *testing.T, f func(q *device.Queue, loss, back, features, labels device.Ptr, rows, cols int), features []T, labels []L, n int) (loss, back []T) {
	r := gputest.New(t)
	m := len(labels)
	l, b, x, y := gputest.Room[T](r, m), gputest.Room[T](r, m*n), gputest.Put(r, features), gputest.Put(r, labels)
	r.Do(func(q *device.Queue) { f(q, l, b, x, y, m, n) })
	return gputest.Get[T](r, l, m), gputest.Get[T](r, b, m*n)
}

func TestSparse(t *testing.T) {
	for _, n := range []int{1, 10, 45, 1300} {
		labels := gputest.Ints[int32](3, 9, 0, int64(n))
		long := make([]int64, len(labels))
		for i, v := range labels {
			long[i] = int64(v)
		}
		x, x64 := gputest.Floats[float32](5, 9*n), gputest.Floats[float64](5, 9*n)
		want, back := make([]float32, 9), make([]float32, 9*n)
		if err := cpu.SparseCrossEntropyF32I32(want, back, x, labels, n); err != nil {
			t.Fatal(err)
		}
		for _, got := range [][2][]float32{two(sparse(t, SparseCrossEntropyF32I32, x, labels, n)), two(sparse(t, SparseCrossEntropyF32I64, x, long, n))} {
			gputest.Close(t, "loss", got[0], want, tol32, 1)
			gputest.Close(t, "back", got[1], back, tol32, 1e-2)
		}
		w64, b64 := make([]float64, 9), make([]float64, 9*n)
		if err := cpu.SparseCrossEntropyF64I64(w64, b64, x64, long, n); err != nil {
			t.Fatal(err)
		}
		for _, got := range [][2][]float64{two(sparse(t, SparseCrossEntropyF64I32, x64, labels, n)), two(sparse(t, SparseCrossEntropyF64I64, x64, long, n))} {
			gputest.Close(t, "loss", got[0], w64, tol64, 1)
			gputest.Close(t, "back", got[1], b64, tol64, 1e-2)
		}
		h, b := gputest.F16(x), gputest.BF16(x)
		_ = cpu.SparseCrossEntropyF32I32(want, back, gputest.Wide(h), labels, n)
		for _, got := range [][2][]tensor.F16{two(sparse(t, SparseCrossEntropyF16I32, h, labels, n)), two(sparse(t, SparseCrossEntropyF16I64, h, long, n))} {
			gputest.Close(t, "f16 loss", gputest.Wide(got[0]), want, tol16, 1)
			gputest.Close(t, "f16 back", gputest.Wide(got[1]), back, tol16, 1e-2)
		}
		_ = cpu.SparseCrossEntropyF32I32(want, back, gputest.Wide(b), labels, n)
		for _, got := range [][2][]tensor.BF16{two(sparse(t, SparseCrossEntropyBF16I32, b, labels, n)), two(sparse(t, SparseCrossEntropyBF16I64, b, long, n))} {
			gputest.Close(t, "bf16 loss", gputest.Wide(got[0]), want, tolB16, 1)
			gputest.Close(t, "bf16 back", gputest.Wide(got[1]), back, tolB16, 1e-2)
		}
	}
	nan := float32(math.NaN())
	loss, back := sparse(t, SparseCrossEntropyF32I32, []float32{1, 2, 3, 4}, []int32{2, -1}, 2)
	gputest.Same(t, "outside", append(loss, back...), []float32{nan, nan, nan, nan, nan, nan})
}

func two[T any](a, b []T) [2][]T { return [2][]T{a, b} }
