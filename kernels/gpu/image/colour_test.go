package image

import (
	"testing"

	"github.com/graphc/graphc/kernels/gpu/internal/gputest"
	cpu "github.com/graphc/graphc/kernels/image"
	"github.com/graphc/graphc/rt/device"
)

func TestColours(t *testing.T) {
	const n = 333
	x := gputest.Floats[float32](1, 3*n)
	for i := range x {
		if x[i] = (x[i] + 1) / 2; i%7 < 2 {
			x[i] = 0.5 // some pixels get two equal channels
		}
	}
	d, one := wide(x), []float32{0.3}
	r := gputest.New(t)
	px, pd, p1 := gputest.Put(r, x), gputest.Put(r, d), gputest.Put(r, one)
	var out [4]device.Ptr
	for i := range out {
		out[i] = gputest.Room[float32](r, 3*n)
	}
	h, b := gputest.Room[float64](r, 3*n), gputest.Room[float64](r, 3*n)
	r.Do(func(q *device.Queue) {
		ToHSVF32(q, out[0], px, n)
		FromHSVF32(q, out[1], px, n)
		Hue(q, out[2], px, p1, n)
		Saturation(q, out[3], px, p1, n)
		ToHSVF64(q, h, pd, n)
		FromHSVF64(q, b, pd, n)
	})
	want := make([]float32, 3*n)
	for i, f := range []func(){func() { cpu.ToHSV(want, x, n) }, func() { cpu.FromHSV(want, x, n) }, func() { cpu.Hue(want, x, one, n) }, func() { cpu.Saturation(want, x, one, n) }} {
		f()
		gputest.Close(t, []string{"to", "from", "hue", "saturation"}[i], gputest.Get[float32](r, out[i], 3*n), want, 1e-6, 1)
	}
	double := make([]float64, 3*n)
	cpu.ToHSV64(double, d, n)
	gputest.Close(t, "to f64", gputest.Get[float64](r, h, 3*n), double, 1e-15, 1)
	cpu.FromHSV64(double, d, n)
	gputest.Close(t, "from f64", gputest.Get[float64](r, b, 3*n), double, 1e-15, 1)
}

func TestContrast(t *testing.T) {
	for _, p := range []ContrastParams{{2, 35, 3}, {1, 1000, 1}, {0, 4, 3}} {
		n := p.Images * p.Pixels * p.C
		x, f := gputest.Floats[float32](2, n), []float32{1.7}
		want := make([]float32, n)
		cpu.Contrast(want, x, f, cpu.ContrastParams(p))
		r := gputest.New(t)
		px, pf, s := gputest.Put(r, x), gputest.Put(r, f), gputest.Room[float32](r, p.Images*p.C)
		r.Do(func(q *device.Queue) { Contrast(q, px, px, pf, s, p) })
		gputest.Close(t, "contrast", gputest.Get[float32](r, px, n), want, 1e-6, 1)
	}
}
