package norm

import (
	"math"

	"github.com/graphc/graphc/kernels/internal/vmath"
)

// Params describes batch normalisation of x[Outer, C, Inner]. In NHWC, Inner is 1, and Outer is the
// number of pixels of all images. In NCHW, Outer is the number of images, and Inner the number of
// pixels of an image.
type Params struct {
	Outer, C, Inner int
	Epsilon         float32
	// Factor is exponential_avg_factor: with 1 the batch's own statistics are
	// returned, otherwise (1-Factor)*old + Factor*batch.
	Factor float32
}

type float interface{ float32 | float64 }

func same[F float](v F) F { return v }

func rsqrt[F float](v F) F { return F(1 / math.Sqrt(float64(v))) }

func infer[T any, F float](y, x []T, scale, offset, mean, variance, k []F, p *Params, load func(T) F, store func(F) T) {
	for c := range p.C {
		k[c] = rsqrt(variance[c]+F(p.Epsilon)) * scale[c]
	}
	shift(y, x, k, mean, offset, p, load, store)
}

// shift computes y = (x-mean)*k + offset for all elements of x. The slices k, mean and offset have
// one element for each channel.
func shift[T any, F float](y, x []T, k, mean, offset []F, p *Params, load func(T) F, store func(F) T) {
	k, mean, offset = k[:p.C], mean[:p.C], offset[:p.C]
	i := 0
	if yf, ok := any(y).([]float32); ok {
		shiftF32(yf, any(x).([]float32), any(k).([]float32), any(mean).([]float32), any(offset).([]float32), p.Outer, p.Inner)
		return
	}
	for range p.Outer {
		for c := range k {
			for range p.Inner {
				y[i] = store(F((load(x[i])-mean[c])*k[c]) + offset[c])
				i++
			}
		}
	}
}

func shiftF32(y, x, k, mean, offset []float32, outer, inner int) {
	n := len(k)
	mean, offset = mean[:n], offset[:n]
	if inner == 1 {
		for r := range outer {
			d, s := y[r*n:][:n], x[r*n:][:n]
			if n >= short && vmath.Normalize(d, s, mean, k, offset) {
				continue
			}
			for c, w := range k {
				d[c] = float32((s[c]-mean[c])*w) + offset[c]
			}
		}
		return
	}
	for range outer {
		for c, w := range k {
			d, s := y[:inner], x[:inner]
			y, x = y[inner:], x[inner:]
			if inner >= short && vmath.NormalizeBy(d, s, mean[c], w, offset[c]) {
				continue
			}
			for i, v := range s {
				d[i] = float32((v-mean[c])*w) + offset[c]
			}
		}
	}
}

// short is the smallest row length at which a call of package vmath is faster than a loop in this
// package.
const short = 8

func train[T any, F float](y, x []T, scale, offset, oldMean, oldVar, mean, variance, saved, savedVar, k []F, p *Params, load func(T) F, store func(F) T) {
	rest := p.Outer * p.Inner
	if rest == 0 {
		nan := F(math.NaN())
		for c := range p.C {
			mean[c], variance[c], saved[c], savedVar[c] = nan, nan, nan, nan
		}
		return
	}
	for c := range p.C {
		var s float64
		p.channel(c, func(i int) { s += float64(load(x[i])) })
		m := F(s / float64(rest))
		var q float64
		p.channel(c, func(i int) { d := float64(load(x[i]) - m); q += d * d })
		v := F(q / float64(rest))
		saved[c], savedVar[c] = m, v
		k[c] = rsqrt(v+F(p.Epsilon)) * scale[c]
		unbiased := v * (F(rest) / F(max(rest-1, 1)))
		if p.Factor == 1 {
			mean[c], variance[c] = m, unbiased
		} else {
			f := F(p.Factor)
			mean[c] = F((1-f)*oldMean[c]) + F(f*m)
			variance[c] = F((1-f)*oldVar[c]) + F(f*unbiased)
		}
	}
	shift(y, x, k, saved, offset, p, load, store)
}

// channel calls f with the position of every element of channel c.
func (p *Params) channel(c int, f func(i int)) {
	for o := range p.Outer {
		at := (o*p.C + c) * p.Inner
		for i := at; i < at+p.Inner; i++ {
			f(i)
		}
	}
}
