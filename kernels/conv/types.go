package conv

import "github.com/graphc/graphc/rt/tensor"

// half is a 16-bit float.
type half interface {
	tensor.F16 | tensor.BF16
	Float32() float32
}

// AccLen is the number of sums of scratch the other types' convolutions need:
// float32 for f16 and bf16, the type itself for f64 and i32.
func AccLen(p Params) int { return max(p.OC, 0) }

// F64 is Conv2D for f64 with an unpacked filter [KH,KW,C/Groups,OC]; scratch has
// AccLen(p) elements. bias may be empty, meaning absent.
func F64(out, in, filter, bias, scratch []float64, p Params) {
	lo, hi := p.Act.Bounds(p.Lo, p.Hi)
	id := func(v float64) float64 { return v }
	convolve(out, in, filter, bias, scratch, &p, id, func(v float64) float64 { return clamp(v, float64(lo), float64(hi)) })
}

// I32 is Conv2D for i32, wrapping around; scratch has AccLen(p) elements. Act
// other than gemm.NoAct does not apply.
func I32(out, in, filter, bias, scratch []int32, p Params) {
	id := func(v int32) int32 { return v }
	convolve(out, in, filter, bias, scratch, &p, id, id)
}

// F16 is Conv2D for f16, summed in f32 and rounded before and after the bias;
// scratch has AccLen(p) elements.
func F16(out, in, filter, bias []tensor.F16, scratch []float32, p Params) {
	lo, hi := p.Act.Bounds(p.Lo, p.Hi)
	convolve(out, in, filter, bias, scratch, &p, tensor.F16.Float32, func(v float32) tensor.F16 { return tensor.ToF16(clamp(v, lo, hi)) })
}

// BF16 is Conv2D for bf16, summed in f32 and rounded; scratch has AccLen(p) elements.
func BF16(out, in, filter, bias []tensor.BF16, scratch []float32, p Params) {
	lo, hi := p.Act.Bounds(p.Lo, p.Hi)
	convolve(out, in, filter, bias, scratch, &p, tensor.BF16.Float32, func(v float32) tensor.BF16 { return tensor.ToBF16(clamp(v, lo, hi)) })
}

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

// convolve sums all channels of one output pixel at a time, tap by tap.
func convolve[T any, A sum](out, in, filter, bias []T, acc []A, p *Params, load func(T) A, store func(A) T) {
	p.dense()
	if p.empty() {
		return
	}
	cg, og := p.C/p.Groups, p.OC/p.Groups
	acc = acc[:p.OC]
	for px := range p.N * p.OH * p.OW {
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
						axpy(s, load(v), f[c*p.OC+g*og:][:len(s)], load)
					}
				}
			}
		}
		dst := out[px*p.LdOut:][:p.OC]
		for o, v := range acc {
			if len(bias) != 0 {
				v = load(store(v)) + load(bias[o])
			}
			dst[o] = store(v)
		}
	}
}

func axpy[T any, A sum](s []A, v A, w []T, load func(T) A) {
	for o := range s {
		s[o] += A(v * load(w[o]))
	}
}
