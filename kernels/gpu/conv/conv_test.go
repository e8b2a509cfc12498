package conv

import (
	"fmt"
	"math"
	"testing"

	"github.com/graphc/graphc/kernels/gpu/internal/gputest"
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/tensor"
)

var shapes = []Params{
	{N: 1, H: 1, W: 1, C: 1, KH: 1, KW: 1, OH: 1, OW: 1, OC: 1},
	{N: 2, H: 7, W: 6, C: 3, KH: 3, KW: 3, OH: 7, OW: 6, OC: 5, PH: 1, PW: 1},
	{N: 1, H: 9, W: 9, C: 4, KH: 3, KW: 2, OH: 5, OW: 4, OC: 70, SH: 2, SW: 3, PH: 1},
	{N: 1, H: 9, W: 8, C: 2, KH: 3, KW: 3, OH: 5, OW: 4, OC: 3, DilH: 2, DilW: 2},
	{N: 2, H: 5, W: 5, C: 6, KH: 3, KW: 3, OH: 5, OW: 5, OC: 4, PH: 1, PW: 1, Groups: 2},
	{N: 3, H: 5, W: 4, C: 8, KH: 1, KW: 1, OH: 5, OW: 4, OC: 9}, // a plain product
	{N: 1, D: 4, H: 5, W: 3, C: 2, KD: 2, KH: 3, KW: 1, OD: 3, OH: 3, OW: 2, OC: 5, SW: 2},
	{N: 1, H: 6, W: 6, C: 2, KH: 2, KW: 2, OH: 3, OW: 3, OC: 2, SH: 1, SW: 1, PH: -1, PW: -1}, // cropped
	{N: 1, H: 4, W: 4, C: 150, KH: 3, KW: 3, OH: 4, OW: 4, OC: 6, PH: 1, PW: 1},               // long sums
	{N: 1, H: 40, W: 40, C: 2, KH: 3, KW: 3, OH: 40, OW: 40, OC: 3, PH: 1, PW: 1},             // many positions
	{N: 0, H: 4, W: 4, C: 2, KH: 2, KW: 2, OH: 3, OW: 3, OC: 2}, {N: 1, H: 4, W: 4, C: 0, KH: 2, KW: 2, OH: 3, OW: 3, OC: 2},
}

// visit calls f for each multiplication of a convolution. The arguments of f are the indices of three
// elements: the output element o to which the product is added, the input element i, and the filter
// element w.
func visit(p Params, f func(o, i, w int)) {
	p.fill()
	cg, og := p.C/p.Groups, p.OC/p.Groups
	for o := range p.positions() {
		ow, oh, od, n := o%p.OW, o/p.OW%p.OH, o/p.OW/p.OH%p.OD, o/p.OW/p.OH/p.OD
		for t := range p.taps() {
			kw, kh, kd := t%p.KW, t/p.KW%p.KH, t/p.KW/p.KH
			d, h, w := od*p.SD-p.PD+kd*p.DilD, oh*p.SH-p.PH+kh*p.DilH, ow*p.SW-p.PW+kw*p.DilW
			if d < 0 || d >= p.D || h < 0 || h >= p.H || w < 0 || w >= p.W {
				continue
			}
			for oc := range p.OC {
				for c := range cg {
					f(o*p.OC+oc, (((n*p.D+d)*p.H+h)*p.W+w)*p.C+oc/og*cg+c, (t*cg+c)*p.OC+oc)
				}
			}
		}
	}
}

// kernels are the tested functions for one element type.
type kernels[T any] struct {
	name          string
	forward       func(q *device.Queue, out, in, filter, scratch device.Ptr, p Params)
	input         func(q *device.Queue, in, grad, filter, scratch device.Ptr, p Params)
	filter        func(q *device.Queue, filter, in, grad, scratch device.Ptr, p Params)
	depthwise     func(q *device.Queue, out, in, filter device.Ptr, p DepthwiseParams)
	depthwiseIn   func(q *device.Queue, in, grad, filter device.Ptr, p DepthwiseParams)
	depthwiseFilt func(q *device.Queue, filter, in, grad, scratch device.Ptr, p DepthwiseParams)
	down          func(s []float32) []T
	up            func(s []T) []float64
	tol           float64
}

// check runs f, which computes the tensor a from the tensors b and c. It compares a with the sums
// of the products that the function visit enumerates. The numbers of elements of a, b and c are
// n[0], n[1] and n[2]. If lend is set, f gets scratch memory. If library is set, the device has a
// matrix library.
func check[T any](t *testing.T, k kernels[T], what string, n [3]int, visit func(f func(a, b, c int)), lend, library bool,
	f func(q *device.Queue, a, b, c, scratch device.Ptr)) *gputest.Rig {
	b, c := k.down(gputest.Floats[float32](5, n[1])), k.down(gputest.Floats[float32](6, n[2]))
	want, wb, wc := make([]float64, n[0]), k.up(b), k.up(c)
	products := 0
	visit(func(x, y, z int) { want[x] += wb[y] * wc[z]; products++ })
	// The tolerance of a sum grows with the magnitude of its partial sums.
	scale := max(4, math.Sqrt(float64(products)/float64(max(1, n[0])))/2)
	r := gputest.New(t)
	r.Procs = 20
	if library {
		r.Library = func(*device.Gemm) bool { return true }
	}
	scratch := device.Ptr(0)
	if lend {
		scratch = gputest.Room[byte](r, Scratch)
	}
	pa, pb, pc := gputest.Room[T](r, n[0]), gputest.Put(r, b), gputest.Put(r, c)
	r.Do(func(q *device.Queue) { f(q, pa, pb, pc, scratch) })
	gputest.Close(t, k.name+" "+what, k.up(gputest.Get[T](r, pa, n[0])), want, k.tol, scale)
	return r
}

func (k kernels[T]) test(t *testing.T, library bool) {
	for _, p := range shapes {
		full := p
		full.fill()
		o, i, w := full.positions()*p.OC, full.places()*p.C, full.taps()*p.C/full.Groups*p.OC
		for _, lend := range []bool{false, true} {
			what := fmt.Sprintf("%+v %v", p, lend)
			check(t, k, what, [3]int{o, i, w}, func(f func(a, b, c int)) { visit(p, f) }, lend, library,
				func(q *device.Queue, a, b, c, s device.Ptr) { k.forward(q, a, b, c, s, p) })
			check(t, k, "input "+what, [3]int{i, o, w}, func(f func(a, b, c int)) { visit(p, func(o, i, w int) { f(i, o, w) }) }, lend, library,
				func(q *device.Queue, a, b, c, s device.Ptr) { k.input(q, a, b, c, s, p) })
			check(t, k, "filter "+what, [3]int{w, i, o}, func(f func(a, b, c int)) { visit(p, func(o, i, w int) { f(w, i, o) }) }, lend, library,
				func(q *device.Queue, a, b, c, s device.Ptr) { k.filter(q, a, b, c, s, p) })
		}
	}
}

var depthwises = []DepthwiseParams{
	{N: 2, H: 7, W: 6, C: 3, Mult: 1, KH: 3, KW: 3, OH: 7, OW: 6, PH: 1, PW: 1},
	{N: 1, H: 9, W: 9, C: 5, Mult: 3, KH: 3, KW: 2, OH: 5, OW: 4, SH: 2, SW: 2, PH: 1},
	{N: 1, H: 40, W: 40, C: 33, Mult: 1, KH: 2, KW: 2, OH: 38, OW: 38, DilH: 2, DilW: 2},
	{N: 0, H: 4, W: 4, C: 2, Mult: 1, KH: 2, KW: 2, OH: 3, OW: 3}, {N: 1, H: 4, W: 4, C: 0, Mult: 1, KH: 2, KW: 2, OH: 3, OW: 3},
	{N: 1, H: 4, W: 4, C: 2, Mult: 0, KH: 2, KW: 2, OH: 3, OW: 3},
}

func (k kernels[T]) depths(t *testing.T) {
	for _, p := range depthwises {
		m := p.Mult
		groups := Params{N: p.N, H: p.H, W: p.W, C: p.C, KH: p.KH, KW: p.KW, OH: p.OH, OW: p.OW, OC: p.C * m, SH: p.SH, SW: p.SW, PH: p.PH, PW: p.PW,
			DilH: p.DilH, DilW: p.DilW, Groups: p.C}
		all := func(f func(o, i, w int)) {
			if p.C > 0 {
				visit(groups, f)
			}
		}
		o, i, w := p.N*p.OH*p.OW*p.C*m, p.N*p.H*p.W*p.C, p.KH*p.KW*p.C*m
		what := fmt.Sprintf("depthwise %+v", p)
		check(t, k, what, [3]int{o, i, w}, all, false, false, func(q *device.Queue, a, b, c, s device.Ptr) { k.depthwise(q, a, b, c, p) })
		check(t, k, "input "+what, [3]int{i, o, w}, func(f func(a, b, c int)) { all(func(o, i, w int) { f(i, o, w) }) }, false, false,
			func(q *device.Queue, a, b, c, s device.Ptr) { k.depthwiseIn(q, a, b, c, p) })
		for _, lend := range []bool{false, true} {
			check(t, k, "filter "+what, [3]int{w, i, o}, func(f func(a, b, c int)) { all(func(o, i, w int) { f(w, i, o) }) }, lend, false,
				func(q *device.Queue, a, b, c, s device.Ptr) { k.depthwiseFilt(q, a, b, c, s, p) })
		}
	}
}

func wide(s []float32) []float64 {
	d := make([]float64, len(s))
	for i, v := range s {
		d[i] = float64(v)
	}
	return d
}

var (
	single = kernels[float32]{"f32", F32, InputF32, FilterF32, DepthwiseF32, DepthwiseInputF32, DepthwiseFilterF32, func(s []float32) []float32 { return s }, wide, 2e-6}
	double = kernels[float64]{"f64", F64, InputF64, FilterF64, DepthwiseF64, DepthwiseInputF64, DepthwiseFilterF64, wide, func(s []float64) []float64 { return s }, 1e-14}
	half   = kernels[tensor.F16]{"f16", F16, InputF16, FilterF16, DepthwiseF16, DepthwiseInputF16, DepthwiseFilterF16, gputest.F16,
		func(s []tensor.F16) []float64 { return wide(gputest.Wide(s)) }, 0x1p-11}
	brain = kernels[tensor.BF16]{"bf16", BF16, InputBF16, FilterBF16, DepthwiseBF16, DepthwiseInputBF16, DepthwiseFilterBF16, gputest.BF16,
		func(s []tensor.BF16) []float64 { return wide(gputest.Wide(s)) }, 0x1p-8}
)

func TestConvolutions(t *testing.T) {
	single.test(t, false)
	double.test(t, false)
	half.test(t, false)
	brain.test(t, false)
}

func TestDepthwise(t *testing.T) {
	single.depths(t)
	double.depths(t)
	half.depths(t)
	brain.depths(t)
}

// TestInts checks that sums of integers wrap around.
func TestInts(t *testing.T) {
	for _, p := range shapes[:9] {
		full := p
		full.fill()
		in, filter := gputest.Ints[int32](1, full.places()*p.C, -1<<30, 1<<30), gputest.Ints[int32](2, full.taps()*p.C/full.Groups*p.OC, -1<<30, 1<<30)
		grad := gputest.Ints[int32](3, full.positions()*p.OC, -1<<30, 1<<30)
		out, dx := make([]int32, len(grad)), make([]int32, len(in))
		visit(p, func(o, i, w int) { out[o] += in[i] * filter[w]; dx[i] += grad[o] * filter[w] })
		r := gputest.New(t)
		r.Procs = 20
		pi, pf, pg, s := gputest.Put(r, in), gputest.Put(r, filter), gputest.Put(r, grad), gputest.Room[byte](r, Scratch)
		po, px := gputest.Room[int32](r, len(out)), gputest.Room[int32](r, len(dx))
		r.Do(func(q *device.Queue) { I32(q, po, pi, pf, s, p); InputI32(q, px, pg, pf, s, p) })
		gputest.Same(t, fmt.Sprintf("%+v", p), gputest.Get[int32](r, po, len(out)), out)
		gputest.Same(t, fmt.Sprintf("input %+v", p), gputest.Get[int32](r, px, len(dx)), dx)
	}
}

// TestLibrary checks that, if the device has a matrix library, windows are copied to scratch memory
// and multiplied from there. If the scratch memory is too small for all windows, this takes several
// rounds.
func TestLibrary(t *testing.T) {
	single.test(t, true)
	p := Params{N: 1, H: 30, W: 24, C: 1400, KH: 3, KW: 3, OH: 30, OW: 24, OC: 1, PH: 1, PW: 1}
	n := [3]int{720, 1008000, 12600}
	r := check(t, single, "forward", n, func(f func(a, b, c int)) { visit(p, f) }, true, true,
		func(q *device.Queue, a, b, c, s device.Ptr) { F32(q, a, b, c, s, p) })
	if r.Products != 2 || r.Launches != 2 {
		t.Errorf("%d products and %d launches", r.Products, r.Launches)
	}
	r = check(t, single, "filter", [3]int{12600, 1008000, 720}, func(f func(a, b, c int)) { visit(p, func(o, i, w int) { f(w, i, o) }) }, true, true,
		func(q *device.Queue, a, b, c, s device.Ptr) { FilterF32(q, a, b, c, s, p) })
	if r.Products != 2 || r.Launches != 2 {
		t.Errorf("%d products and %d launches", r.Products, r.Launches)
	}
	// Windows are copied in units of 2, 4, 8 or 16 bytes, with a separate kernel for each unit.
	// These small convolutions must need only one copy and one product.
	for _, size := range []int{2, 8} {
		for c := 1; c <= 4; c *= 2 {
			p := Params{N: 1, H: 3, W: 3, C: c, KH: 2, KW: 2, OH: 2, OW: 2, OC: 2}
			r := gputest.New(t)
			r.Library = func(*device.Gemm) bool { return true }
			in, s := gputest.Room[byte](r, size*9*c), gputest.Room[byte](r, Scratch)
			r.Do(func(q *device.Queue) {
				if size == 2 {
					F16(q, 0, in, 0, s, p)
				} else {
					F64(q, 0, in, 0, s, p)
				}
			})
			if r.Products != 1 || r.Launches != 1 {
				t.Errorf("%d bytes, %d channels: %d products and %d launches", size, c, r.Products, r.Launches)
			}
		}
	}
}
