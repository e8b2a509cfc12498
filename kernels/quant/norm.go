package quant

import (
	"math"

	"github.com/graphc/graphc/rt/tensor"
)

// InstanceParams describes the normalization of images [N, Pixels, C]. Each channel of each image
// is normalized by its own mean and variance.
type InstanceParams struct {
	N, Pixels, C     int
	Epsilon, Least   float32 // Least is the smallest difference between the ends of the result's range
	Given            bool    // whether the range of the result is [GivenLo, GivenHi] instead of the range of the values
	GivenLo, GivenHi float32
}

// InstanceScratchLen returns the length of the scratch slice that InstanceNorm needs.
func InstanceScratchLen(p InstanceParams) int { return 2*max(p.N*p.C, 0) + max(p.N*p.Pixels*p.C, 0) }

// InstanceNorm writes y = (x - mean)/sqrt(variance + Epsilon) as bytes. It sets outLo and outHi to the
// ends of the range that these bytes represent. scratch has InstanceScratchLen(p) floats. InstanceNorm
// returns InvalidArgument unless lo[0] is less than hi[0].
func InstanceNorm(y []uint8, outLo, outHi []float32, x []uint8, lo, hi, scratch []float32, p InstanceParams) error {
	s := spanOf(lo, hi)
	if !(s.lo < s.hi) {
		return tensor.Errorf(tensor.InvalidArgument, "input_min %v must be less than input_max %v", s.lo, s.hi)
	}
	scale := (s.hi - s.lo) / 255
	groups := p.N * p.C
	mean, inv, z := scratch[:groups], scratch[groups:2*groups], scratch[2*groups:][:groups*p.Pixels]
	out := span{math.MaxFloat32, -math.MaxFloat32}
	for n := range p.N {
		image := x[n*p.Pixels*p.C:][:p.Pixels*p.C]
		for c := range p.C {
			var sum int64
			for i := c; i < len(image); i += p.C {
				sum += int64(image[i])
			}
			m := float32(float64(sum) / float64(p.Pixels))
			var square float64
			for i := c; i < len(image); i += p.C {
				d := scale * (float32(image[i]) - m)
				square += float64(float32(d * d))
			}
			mean[n*p.C+c] = m
			inv[n*p.C+c] = 1 / float32(math.Sqrt(float64(float32(square/float64(p.Pixels))+p.Epsilon)))
		}
		for i, v := range image {
			g := n*p.C + i%p.C
			f := float32(scale*(float32(v)-mean[g])) * inv[g]
			z[n*len(image)+i] = f
			out.lo, out.hi = min(out.lo, f), max(out.hi, f)
		}
	}
	if p.Given {
		out = span{p.GivenLo, p.GivenHi}
	}
	if out.hi-out.lo < p.Least {
		out.hi = out.lo + p.Least
	}
	r := newRule[uint8, uint8](s, out)
	for i, f := range z {
		y[i] = uint8(int32(r.number(f)))
	}
	outLo[0], outHi[0] = out.lo, out.hi
	return nil
}

// BatchParams describes the normalization of rows of C channels.
type BatchParams struct {
	C       int
	Epsilon float32
	Scale   bool // multiply by gamma
}

// BatchNorm computes (x - mean)/sqrt(variance + Epsilon)·gamma + beta, without the factor gamma if
// p.Scale is not set. It computes in fixed point with 11 bits after the point. mean, variance, beta
// and gamma have C bytes each. ranges holds the lower and the upper ends of the ranges of x, mean,
// variance, beta and gamma, in this order. scratch has 2*C numbers. BatchNorm returns
// InvalidArgument for a division by zero.
func BatchNorm(y []int32, outLo, outHi []float32, x, mean, variance, beta, gamma []uint8, ranges []float32, scratch []int32, p BatchParams) error {
	at := func(i int) span { return span{ranges[2*i], ranges[2*i+1]} }
	out := span{-(1 << 20), 1 << 20}
	scales, offsets := scratch[:p.C], scratch[p.C:2*p.C]
	for c := range p.C {
		m, b := float(at(1), mean[c]), float(at(3), beta[c])
		s := 1 / float32(math.Sqrt(float64(float(at(2), variance[c])+p.Epsilon)))
		if p.Scale {
			s *= float(at(4), gamma[c])
		}
		scales[c], offsets[c] = nearest[int32](out, s), nearest[int32](out, float32(-m*s)+b)
	}
	one := nearest[int32](out, 1)
	for i, v := range x {
		q := nearest[int32](out, float(at(0), v))
		y[i] = q*scales[i%p.C]/one + offsets[i%p.C]
	}
	outLo[0], outHi[0] = out.lo, out.hi
	return nil
}
