package conv

import "github.com/graphc/graphc/rt/tensor"

// AccLen returns the number of elements of scratch that F64, I32, F16 and BF16 need. The elements
// are float32 for F16 and BF16, and otherwise have the type of the operands.
func AccLen(p Params) int { return max(p.OC, 0) }

// F64 is Conv2D for f64 with an unpacked filter [KH,KW,C/Groups,OC]. scratch has AccLen(p)
// elements. Taps outside the input are skipped. There is no bias.
func F64(out, in, filter, scratch []float64, p Params) {
	lo, hi := p.Act.Bounds(p.Lo, p.Hi)
	convolve(out, in, filter, scratch, &p, axpy[float64], identity[float64], func(v float64) float64 {
		return clamp(v, float64(lo), float64(hi))
	})
}

// I32 is F64 for i32. Sums wrap around, and there is no activation.
func I32(out, in, filter, scratch []int32, p Params) {
	convolve(out, in, filter, scratch, &p, axpy[int32], identity[int32], identity[int32])
}

// F16 is F64 for f16. It computes the sums in f32.
func F16(out, in, filter []tensor.F16, scratch []float32, p Params) {
	lo, hi := p.Act.Bounds(p.Lo, p.Hi)
	convolve(out, in, filter, scratch, &p, axpyF16, tensor.F16.Float32, func(v float32) tensor.F16 {
		return tensor.ToF16(clamp(v, lo, hi))
	})
}

// BF16 is F64 for bf16. It computes the sums in f32.
func BF16(out, in, filter []tensor.BF16, scratch []float32, p Params) {
	lo, hi := p.Act.Bounds(p.Lo, p.Hi)
	convolve(out, in, filter, scratch, &p, axpyBF16, tensor.BF16.Float32, func(v float32) tensor.BF16 {
		return tensor.ToBF16(clamp(v, lo, hi))
	})
}

func identity[T any](v T) T { return v }

func clamp[F float32 | float64](v, lo, hi F) F {
	if v < lo {
		v = lo
	}
	if v > hi {
		v = hi
	}
	return v
}

type sum interface{ float32 | float64 | int32 }

// convolve sums all channels of one output pixel at a time, tap by tap. axpy adds v times w
// to s. finish converts a sum to an element.
func convolve[T any, A sum](out, in, filter []T, acc []A, p *Params, axpy func(s []A, v T, w []T), load func(T) A, finish func(v A) T) {
	p.dense()
	if p.empty() {
		return
	}
	cg, og := p.C/p.Groups, p.OC/p.Groups
	acc = acc[:p.OC]
	first, last := rowRange(p.First, p.Rows, p.N*p.OH)
	for px := first * p.OW; px < last*p.OW; px++ {
		n, y, x := px/(p.OH*p.OW), px/p.OW%p.OH, px%p.OW
		clear(acc)
		for i := range p.KH {
			for j := range p.KW {
				iy, ix := y*p.StrideH-p.PadTop+i*p.DilH, x*p.StrideW-p.PadLeft+j*p.DilW
				if iy < 0 || iy >= p.H || ix < 0 || ix >= p.W {
					continue
				}
				src := in[((n*p.H+iy)*p.W+ix)*p.LdIn:][:p.C]
				f := filter[(i*p.KW+j)*cg*p.OC:][:cg*p.OC]
				for g := range p.Groups {
					s := acc[g*og : (g+1)*og]
					for c, v := range src[g*cg : (g+1)*cg] {
						axpy(s, v, f[c*p.OC+g*og:][:len(s)])
					}
				}
			}
		}
		dst := out[(px-first*p.OW)*p.LdOut:][:p.OC]
		for o, v := range acc {
			dst[o] = finish(v)
		}
	}
}

func axpy[T sum](s []T, v T, w []T) {
	w = w[:len(s)]
	for o := range s {
		s[o] += T(v * w[o])
	}
}

func axpyF16(s []float32, v tensor.F16, w []tensor.F16) {
	x := v.Float32()
	for o, u := range w[:len(s)] {
		s[o] += float32(x * u.Float32())
	}
}

func axpyBF16(s []float32, v tensor.BF16, w []tensor.BF16) {
	x := v.Float32()
	for o, u := range w[:len(s)] {
		s[o] += float32(x * u.Float32())
	}
}
