package norm

import (
	"fmt"
	"math"
	"testing"

	"github.com/graphc/graphc/kernels/gpu/internal/gputest"
	cpu "github.com/graphc/graphc/kernels/norm"
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/tensor"
)

// The tolerances of float32, float64, binary16 and bfloat16.
const tol32, tol64, tol16, tolB16 = 4e-6, 1e-13, 0x1p-10, 0x1p-7

func widen(s []float32) []float64 {
	d := make([]float64, len(s))
	for i, v := range s {
		d[i] = float64(v)
	}
	return d
}

func TestLayer(t *testing.T) {
	for i, c := range []cpu.LayerParams{{Rows: 1, C: 1, Epsilon: 1e-3}, {Rows: 5, C: 7, Epsilon: 1e-3}, {Rows: 2, C: 100, Epsilon: 1e-5},
		{Rows: 3, C: 1100, Epsilon: 1e-3}, {Rows: 1, C: 8300, Epsilon: 1e-3}, {C: 4, Epsilon: 1}, {Rows: 4, Epsilon: 1}} {
		p := func(gamma, beta device.Ptr) LayerParams {
			return LayerParams{Rows: c.Rows, C: c.C, Epsilon: c.Epsilon, Gamma: gamma, Beta: beta}
		}
		n := c.Rows * c.C
		x, g, b := gputest.Floats[float32](uint64(i), n), gputest.Floats[float32](9, c.C), gputest.Floats[float32](8, c.C)
		for j := range x {
			x[j] += 3
		}
		want, rms, plain := make([]float32, n), make([]float32, n), make([]float32, n)
		cpu.LayerNormF32(want, x, scaled(c, g, b))
		cpu.RMSNormF32(rms, x, scaled(c, g, nil))
		cpu.LayerNormF32(plain, x, scaled(c, nil, nil))
		r := gputest.New(t)
		px, pg, pb := gputest.Put(r, x), gputest.Put(r, g), gputest.Put(r, b)
		y, yr, yp := gputest.Room[float32](r, n), gputest.Room[float32](r, n), gputest.Room[float32](r, n)
		dx, dg, db := gputest.Put(r, widen(x)), gputest.Put(r, widen(g)), gputest.Put(r, widen(b))
		dy, dr := gputest.Room[float64](r, n), gputest.Room[float64](r, n)
		hx, hg, hb := gputest.Put(r, gputest.F16(x)), gputest.Put(r, gputest.F16(g)), gputest.Put(r, gputest.F16(b))
		hy, hr := gputest.Room[tensor.F16](r, n), gputest.Room[tensor.F16](r, n)
		bx, bg, bb := gputest.Put(r, gputest.BF16(x)), gputest.Put(r, gputest.BF16(g)), gputest.Put(r, gputest.BF16(b))
		by, br := gputest.Room[tensor.BF16](r, n), gputest.Room[tensor.BF16](r, n)
		r.Do(func(q *device.Queue) {
			LayerNormF32(q, y, px, p(pg, pb))
			RMSNormF32(q, yr, px, p(pg, 0))
			LayerNormF32(q, yp, px, p(0, 0))
			LayerNormF64(q, dy, dx, p(dg, db))
			RMSNormF64(q, dr, dx, p(dg, 0))
			LayerNormF16(q, hy, hx, p(hg, hb))
			RMSNormF16(q, hr, hx, p(hg, 0))
			LayerNormBF16(q, by, bx, p(bg, bb))
			RMSNormBF16(q, br, bx, p(bg, 0))
		})
		what := fmt.Sprint(p(0, 0))
		gputest.Close(t, what, gputest.Get[float32](r, y, n), want, 2e-5, 1)
		gputest.Close(t, what, gputest.Get[float32](r, yr, n), rms, 2e-5, 1)
		gputest.Close(t, what, gputest.Get[float32](r, yp, n), plain, 2e-5, 1)
		gputest.Close(t, what, gputest.Get[float64](r, dy, n), widen(want), 2e-5, 1)
		gputest.Close(t, what, gputest.Get[float64](r, dr, n), widen(rms), 2e-5, 1)
		round := func(s []float32) ([]float32, []float32) {
			return gputest.Wide(gputest.F16(s)), gputest.Wide(gputest.BF16(s))
		}
		xh, xb := round(x)
		gh, gb := round(g)
		bh, bbb := round(b)
		cpu.LayerNormF32(want, xh, scaled(c, gh, bh))
		cpu.RMSNormF32(rms, xh, scaled(c, gh, nil))
		gputest.Close(t, what, gputest.Wide(gputest.Get[tensor.F16](r, hy, n)), want, tol16, 1)
		gputest.Close(t, what, gputest.Wide(gputest.Get[tensor.F16](r, hr, n)), rms, tol16, 1)
		cpu.LayerNormF32(want, xb, scaled(c, gb, bbb))
		cpu.RMSNormF32(rms, xb, scaled(c, gb, nil))
		gputest.Close(t, what, gputest.Wide(gputest.Get[tensor.BF16](r, by, n)), want, tolB16, 1)
		gputest.Close(t, what, gputest.Wide(gputest.Get[tensor.BF16](r, br, n)), rms, tolB16, 1)
	}
}

var batches = []Params{
	{Outer: 6, C: 3, Inner: 1, Epsilon: 1e-3, Factor: 1}, {Outer: 2, C: 5, Inner: 7, Epsilon: 1e-3, Factor: 0.25}, {Outer: 1000, C: 40, Inner: 1, Epsilon: 1e-3, Factor: 1},
	{Outer: 3, C: 2, Inner: 700, Epsilon: 1e-3, Factor: 1}, {Outer: 1, C: 4, Inner: 1, Epsilon: 1e-3, Factor: 1},
}

// batch holds the functions of batch normalisation that are tested, for elements of type T and
// statistics of type F.
type batch[T any, F float32 | float64] struct {
	name  string
	infer func(q *device.Queue, y, x, scale, offset, mean, variance device.Ptr, p Params)
	train func(q *device.Queue, y, x, scale, offset, mean, variance, saved, savedVar, scratch device.Ptr, p Params)
	grad  func(q *device.Queue, dx, dscale, doffset, dy, x, scale, mean, variance, scratch device.Ptr, training bool, p Params)
	round func(s []float32) []T
	wide  func(s []T) []F
	cast  func(s []float32) []F
	ci    func(y, x, scale, offset, mean, variance, scratch []F, p cpu.Params)
	ct    func(y, x, scale, offset, oldMean, oldVar, mean, variance, saved, savedVar, scratch []F, p cpu.Params)
	tol   float64 // of data
	stat  float64 // of statistics
}

func (b batch[T, F]) test(t *testing.T) {
	for i, p := range batches {
		what := fmt.Sprint(b.name, p)
		n, c := p.Outer*p.C*p.Inner, cpu.Params{Outer: p.Outer, C: p.C, Inner: p.Inner, Epsilon: p.Epsilon, Factor: p.Factor}
		x, dy := b.round(gputest.Floats[float32](uint64(i), n)), b.round(gputest.Floats[float32](uint64(i)+30, n))
		stats := func(seed uint64) []F {
			s := gputest.Floats[float32](seed, p.C)
			for i := range s {
				s[i] = s[i]/2 + 1
			}
			return b.cast(s)
		}
		scale, offset, mean, variance := stats(1), stats(2), stats(3), stats(4)
		r := gputest.New(t)
		px, pd, ps, po, pm, pv := gputest.Put(r, x), gputest.Put(r, dy), gputest.Put(r, scale), gputest.Put(r, offset), gputest.Put(r, mean), gputest.Put(r, variance)
		y, yt, dx := gputest.Room[T](r, n), gputest.Room[T](r, n), gputest.Room[T](r, n)
		frozen := gputest.Room[T](r, n)
		scratch := gputest.Room[byte](r, Scratch(p.C))
		var out [8]device.Ptr
		for i := range out {
			out[i] = gputest.Room[F](r, p.C)
		}
		pt := p
		if p.Factor != 1 {
			pt.OldMean, pt.OldVar = pm, pv
		}
		r.Do(func(q *device.Queue) {
			b.infer(q, y, px, ps, po, pm, pv, p)
			b.train(q, yt, px, ps, po, out[0], out[1], out[2], out[3], scratch, pt)
			b.grad(q, dx, out[4], out[5], pd, px, ps, out[2], out[3], scratch, true, p)
			b.grad(q, frozen, out[6], out[7], pd, px, ps, pm, pv, scratch, false, p)
		})
		want := make([]F, n)
		k := make([]F, p.C)
		b.ci(want, b.wide(x), scale, offset, mean, variance, k, c)
		gputest.Close(t, what+" infer", b.wide(gputest.Get[T](r, y, n)), want, b.tol, 1)
		var w [4][]F
		for i := range w {
			w[i] = make([]F, p.C)
		}
		b.ct(want, b.wide(x), scale, offset, mean, variance, w[0], w[1], w[2], w[3], k, c)
		gputest.Close(t, what+" train", b.wide(gputest.Get[T](r, yt, n)), want, b.tol*4, 1)
		for i := range w {
			gputest.Close(t, fmt.Sprint(what, " statistics ", i), gputest.Get[F](r, out[i], p.C), w[i], b.stat, 1)
		}
		// Compare with the gradient that the formula gives in float64.
		for _, training := range []bool{true, false} {
			m, v, ds, do, got := mean, variance, out[6], out[7], frozen
			if training {
				m, v, ds, do, got = w[2], w[3], out[4], out[5], dx
			}
			wx, ws, wo := gradient(b.wide(dy), b.wide(x), scale, m, v, training, p)
			gputest.Close(t, fmt.Sprint(what, training, " dx"), widened(b.wide(gputest.Get[T](r, got, n))), wx, b.tol*8, 1)
			gputest.Close(t, fmt.Sprint(what, training, " dscale"), widened(gputest.Get[F](r, ds, p.C)), ws, b.stat*8, math.Sqrt(float64(n/p.C)))
			gputest.Close(t, fmt.Sprint(what, training, " doffset"), widened(gputest.Get[F](r, do, p.C)), wo, b.stat*8, math.Sqrt(float64(n/p.C)))
		}
	}
}

func widened[F float32 | float64](s []F) []float64 {
	d := make([]float64, len(s))
	for i, v := range s {
		d[i] = float64(v)
	}
	return d
}

func gradient[F float32 | float64](dy, x, scale, mean, variance []F, training bool, p Params) (dx, dscale, doffset []float64) {
	dx, dscale, doffset = make([]float64, len(dy)), make([]float64, p.C), make([]float64, p.C)
	rest := float64(p.Outer * p.Inner)
	for c := range p.C {
		k := 1 / math.Sqrt(float64(variance[c])+float64(p.Epsilon))
		var at []int
		for o := range p.Outer {
			for i := range p.Inner {
				at = append(at, (o*p.C+c)*p.Inner+i)
			}
		}
		for _, i := range at {
			doffset[c] += float64(dy[i])
			dscale[c] += float64(dy[i]) * (float64(x[i]) - float64(mean[c])) * k
		}
		for _, i := range at {
			g := float64(dy[i])
			if training {
				g -= doffset[c]/rest + (float64(x[i])-float64(mean[c]))*k*dscale[c]/rest
			}
			dx[i] = g * float64(scale[c]) * k
		}
	}
	return dx, dscale, doffset
}

func TestBatch(t *testing.T) {
	same := func(s []float32) []float32 { return s }
	batch[float32, float32]{"f32", InferF32, TrainF32, GradF32, same, same, same, cpu.InferF32, cpu.TrainF32, tol32, tol32}.test(t)
	batch[tensor.F16, float32]{"f16", InferF16, TrainF16, GradF16, gputest.F16, gputest.Wide[tensor.F16], same, cpu.InferF32, cpu.TrainF32, tol16, tol32}.test(t)
	batch[tensor.BF16, float32]{"bf16", InferBF16, TrainBF16, GradBF16, gputest.BF16, gputest.Wide[tensor.BF16], same, cpu.InferF32, cpu.TrainF32, tolB16, tol32}.test(t)
	id := func(s []float64) []float64 { return s }
	batch[float64, float64]{"f64", InferF64, TrainF64, GradF64, widen, id, widen, cpu.InferF64, cpu.TrainF64, tol64, tol64}.test(t)
}

// TestEmpty checks that the statistics of a batch without elements are NaN, and that tensors without
// channels cause no error.
func TestEmpty(t *testing.T) {
	r := gputest.New(t)
	p := Params{C: 3, Inner: 1, Epsilon: 1, Factor: 1}
	stat, scratch := gputest.Put(r, []float32{1, 2, 3}), gputest.Room[byte](r, Scratch(3))
	var out [4]device.Ptr
	for i := range out {
		out[i] = gputest.Put(r, make([]float32, 3))
	}
	r.Do(func(q *device.Queue) {
		TrainF32(q, 0, 0, stat, stat, out[0], out[1], out[2], out[3], scratch, p)
		TrainF32(q, 0, 0, 0, 0, 0, 0, 0, 0, 0, Params{Outer: 2, Inner: 1})
		GradF32(q, 0, 0, 0, 0, 0, 0, 0, 0, 0, true, Params{Outer: 2, Inner: 1})
	})
	for _, o := range out {
		for _, v := range gputest.Get[float32](r, o, 3) {
			if v == v {
				t.Errorf("a statistic of an empty batch is %v", v)
			}
		}
	}
}

// scaled returns p with gamma and beta.
func scaled(p cpu.LayerParams, gamma, beta []float32) cpu.LayerParams {
	p.Gamma, p.Beta = gamma, beta
	return p
}
