package conv

import (
	"fmt"
	"testing"

	"github.com/graphc/graphc/kernels/gpu/internal/gputest"
	"github.com/graphc/graphc/kernels/volume"
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/tensor"
)

type dilation = func(q *device.Queue, to, in, filter, grad device.Ptr, p DilationParams)

type dilations[T any] struct {
	name          string
	forward       func(q *device.Queue, out, in, filter device.Ptr, p DilationParams)
	input, filter dilation
	down          func(s []float32) []T
	up            func(s []T) []float64
}

func (k dilations[T]) test(t *testing.T) {
	for i, p := range []DilationParams{{N: 2, H: 5, W: 6, C: 3, KH: 2, KW: 3, OH: 4, OW: 4}, {N: 1, H: 9, W: 7, C: 2, KH: 2, KW: 2, OH: 4, OW: 4, SH: 2, SW: 2, PH: 1, PW: 1, DilH: 3, DilW: 2}, {N: 0, H: 2, W: 2, C: 1, KH: 1, KW: 1, OH: 2, OW: 2}} {
		eighths := func(seed uint64, n int) []T { // sums are exact
			s := make([]float32, n)
			for j, v := range gputest.Ints[int32](seed, n, -8, 9) {
				s[j] = float32(v) / 8
			}
			return k.down(s)
		}
		in, filter, grad := eighths(uint64(i), p.N*p.H*p.W*p.C), eighths(uint64(i)+7, p.KH*p.KW*p.C), eighths(uint64(i)+9, p.N*p.OH*p.OW*p.C)
		c := volume.Params{N: p.N, D: 1, H: p.H, W: p.W, C: p.C, KD: 1, KH: p.KH, KW: p.KW, OD: 1, OH: p.OH, OW: p.OW, SD: 1, SH: max(p.SH, 1), SW: max(p.SW, 1),
			PH: p.PH, PW: p.PW, DilH: p.DilH, DilW: p.DilW}
		x, f, g := k.up(in), k.up(filter), k.up(grad)
		out, dx, dw := make([]float64, len(g)), make([]float64, len(x)), make([]float64, len(f))
		volume.DilateF64(nil, out, x, f, c)
		volume.DilateInputF64(nil, dx, x, f, g, c)
		volume.DilateFilterF64(nil, dw, x, f, g, c)
		r := gputest.New(t)
		pi, pf, pg := gputest.Put(r, in), gputest.Put(r, filter), gputest.Put(r, grad)
		po, px, pw := gputest.Room[T](r, len(g)), gputest.Room[T](r, len(x)), gputest.Room[T](r, len(f))
		r.Do(func(q *device.Queue) {
			k.forward(q, po, pi, pf, p)
			k.input(q, px, pi, pf, pg, p)
			k.filter(q, pw, pi, pf, pg, p)
		})
		what := fmt.Sprintf("%s %+v", k.name, p)
		gputest.Close(t, what, k.up(gputest.Get[T](r, po, len(g))), out, 0, 1)
		gputest.Close(t, what+" input", k.up(gputest.Get[T](r, px, len(x))), dx, 0x1p-8, 1)
		gputest.Close(t, what+" filter", k.up(gputest.Get[T](r, pw, len(f))), dw, 0x1p-7, 4)
	}
}

func TestDilations(t *testing.T) {
	dilations[float32]{"f32", DilateF32, DilateInputF32, DilateFilterF32, func(s []float32) []float32 { return s }, wide}.test(t)
	dilations[float64]{"f64", DilateF64, DilateInputF64, DilateFilterF64, wide, func(s []float64) []float64 { return s }}.test(t)
	dilations[tensor.F16]{"f16", DilateF16, DilateInputF16, DilateFilterF16, gputest.F16, func(s []tensor.F16) []float64 { return wide(gputest.Wide(s)) }}.test(t)
	dilations[tensor.BF16]{"bf16", DilateBF16, DilateInputBF16, DilateFilterBF16, gputest.BF16, func(s []tensor.BF16) []float64 { return wide(gputest.Wide(s)) }}.test(t)
}

func patched[T comparable](t *testing.T, f func(q *device.Queue, dst, in device.Ptr, p Params), value func(i int) T) {
	for _, p := range shapes {
		full := p
		full.fill()
		in, row := make([]T, full.places()*p.C), full.taps()*p.C
		for i := range in {
			in[i] = value(i + 1)
		}
		want := make([]T, full.positions()*row)
		ones := full
		ones.OC, ones.Groups = 1, 1 // with one output channel, the filter has the elements of one window
		visit(ones, func(o, i, w int) { want[o*row+w] = in[i] })
		r := gputest.New(t)
		pi, po := gputest.Put(r, in), gputest.Room[T](r, len(want))
		r.Do(func(q *device.Queue) { f(q, po, pi, p) })
		gputest.Same(t, fmt.Sprintf("%T %+v", in, p), gputest.Get[T](r, po, len(want)), want)
	}
}

func TestPatches(t *testing.T) {
	patched(t, Patches1, func(i int) uint8 { return uint8(i) })
	patched(t, Patches2, func(i int) uint16 { return uint16(i) })
	patched(t, Patches4, func(i int) uint32 { return uint32(i) })
	patched(t, Patches8, func(i int) uint64 { return uint64(i) })
	patched(t, Patches16, func(i int) [2]uint64 { return [2]uint64{uint64(i), 5} })
}
