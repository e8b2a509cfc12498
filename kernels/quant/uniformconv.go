package quant

import (
	"math"

	"github.com/graphc/graphc/rt/tensor"
)

// ConvDims is the largest number of spatial dimensions of a uniform convolution.
const ConvDims = 4

// UniformConvParams describes a convolution in its general form. Both the input and the filter may
// be dilated, and either the channels or the images of the batch may be divided into groups.
//
// StepIn, StepK and StepOut hold the strides of the input, the filter and the output: the distances
// in elements between neighbours along each dimension. The first element is the stride of the batch
// dimension, or of the output channels for the filter. Then follow the stride of the channels and
// the strides of the spatial dimensions.
type UniformConvParams struct {
	Batch, OutBatch        int // numbers of images in the input and in the result
	Channels, OC           int // numbers of input channels of the filter, and of output channels
	ChannelGroups          int
	BatchGroups            int
	Dims                   int // dimensions of space
	In, K, Out             [ConvDims]int
	Stride, DilIn, DilK    [ConvDims]int
	Pad                    [ConvDims]int // padding before the input
	StepIn, StepK, StepOut [2 + ConvDims]int
	Lo, Hi                 int
}

// sums computes each output element as the sum of (a - zeroA)·(b - zeroB), and calls the function
// store with it. zerosA has one zero point for all images, or one for each image. zerosB has one
// zero point for all output channels, or one for each of them. Padding and the gaps of a dilated
// input have the value of the zero point of a, converted to a signed byte.
func (p *UniformConvParams) sums(a, b []int8, zerosA, zerosB []int32, store func(at, image, channel int, sum int32)) {
	taps, places := 1, 1
	for d := range p.Dims {
		taps *= p.K[d]
		places *= p.Out[d]
	}
	perBatch, perChannel := max(p.OC/max(p.BatchGroups, 1), 1), max(p.OC/max(p.ChannelGroups, 1), 1)
	for n := range p.OutBatch {
		for o := range p.OC {
			image := o/perBatch*p.OutBatch + n
			first := o / perChannel * p.Channels
			za, zb := pick(zerosA, image), pick(zerosB, o)
			border := int32(int8(za)) - za
			for place := range places {
				var sum int32
				out := n*p.StepOut[0] + o*p.StepOut[1]
				for d, rest := p.Dims-1, place; d >= 0; d-- {
					out += rest % p.Out[d] * p.StepOut[2+d]
					rest /= p.Out[d]
				}
				for tap := range taps {
					at, k, inside := image*p.StepIn[0]+first*p.StepIn[1], o*p.StepK[0], true
					for d, t, x := p.Dims-1, tap, place; d >= 0; d-- {
						j := t % p.K[d]
						i := x%p.Out[d]*p.Stride[d] + j*p.DilK[d] - p.Pad[d]
						t, x = t/p.K[d], x/p.Out[d]
						inside = inside && i >= 0 && i%p.DilIn[d] == 0 && i/p.DilIn[d] < p.In[d]
						at += i / p.DilIn[d] * p.StepIn[2+d]
						k += j * p.StepK[2+d]
					}
					for c := range p.Channels {
						v := border
						if inside {
							v = int32(a[at+c*p.StepIn[1]]) - za
						} else if v == 0 {
							break
						}
						sum += v * (int32(b[k+c*p.StepK[1]]) - zb)
					}
				}
				store(out, image, o, sum)
			}
		}
	}
}

// UniformConv convolves signed bytes and requantizes the sums in fixed point. b has either one
// scale and one zero point, or a scale and a zero point for each output channel. So does the
// result. UniformConv returns InvalidArgument unless all scales are positive.
func UniformConv(y []int32, a, b []int8, scaleA []float32, zeroA []int32, scalesB []float32, zerosB []int32, outScales []float32, outZeros []int32, p UniformConvParams) error {
	if err := positive(scaleA, scalesB, outScales); err != nil {
		return err
	}
	of := func(o int) (multiplier, error) {
		return newMultiplier(float64(scaleA[0]) * float64(pick(scalesB, o)) / float64(pick(outScales, o)))
	}
	for o := range p.OC {
		if _, err := of(o); err != nil {
			return err
		}
	}
	p.sums(a, b, zeroA, zerosB, func(at, _, o int, sum int32) {
		m, _ := of(o)
		y[at] = max(min(m.times(sum)+pick(outZeros, o), int32(p.Hi)), int32(p.Lo))
	})
	return nil
}

// UniformConvHybrid convolves the floats a with the signed bytes b. The result is in floats. Each
// image is first quantized to signed bytes over its own range. bytes, zeros and ranges are scratch:
// bytes has as many elements as a, zeros as many as there are images, and ranges twice as many.
// UniformConvHybrid returns InvalidArgument unless all scales are positive.
func UniformConvHybrid(y, a []float32, b []int8, scalesB []float32, zerosB []int32, bytes []int8, ranges []float32, zeros []int32, p UniformConvParams) error {
	if err := positive(scalesB); err != nil {
		return err
	}
	clear(ranges)
	image := func(i int) int { return i / p.StepIn[0] % p.Batch }
	for i, v := range a {
		r := ranges[2*image(i):][:2]
		r[0], r[1] = min(r[0], v), max(r[1], v)
	}
	for n := range p.Batch {
		ranges[2*n], zeros[n] = rangeOf(ranges[2*n:][:2])
	}
	for i, v := range a {
		n := image(i)
		bytes[i] = int8(toUniform(v, 1/ranges[2*n], zeros[n], math.MinInt8, math.MaxInt8))
	}
	p.sums(bytes, b, zeros, zerosB, func(at, n, o int, sum int32) {
		y[at] = float32(float32(sum)*ranges[2*n]) * pick(scalesB, o)
	})
	return nil
}

// AddDims is the largest rank of a uniform sum.
const AddDims = 8

// UniformAddParams describes an elementwise sum with the result's dimensions D. A and B are the
// operands' steps in elements. A step is 0 in dimensions in which the operand is repeated. The
// result has a zero point for each index along Axis, or one for all.
type UniformAddParams struct {
	Dims    int
	D, A, B [AddDims]int
	Axis    int // -1 for none
	Lo, Hi  int
}

// UniformAdd writes a + b + zero, limited to [Lo, Hi]. Overflowing sums wrap around before they are
// limited.
func UniformAdd(dst, a, b, zeros []int32, p UniformAddParams) {
	for i := range dst {
		at, bt, z, rest := 0, 0, 0, i
		for d := p.Dims - 1; d >= 0; d-- {
			x := rest % p.D[d]
			rest /= p.D[d]
			at, bt = at+x*p.A[d], bt+x*p.B[d]
			if d == p.Axis {
				z = x
			}
		}
		dst[i] = max(min(a[at]+b[bt]+pick(zeros, z), int32(p.Hi)), int32(p.Lo))
	}
}

// UniformRescale converts integers of one scale and zero point to another scale and the zero point
// 0. As in TensorFlow, the integers and the results are rounded to f32, and a result of 2³¹ becomes
// -2³¹. UniformRescale returns InvalidArgument if a scale is not positive. It also returns
// InvalidArgument if there are fewer output scales than slices, unless there is exactly one output
// scale.
func UniformRescale(dst, src []int32, inScales []float32, inZeros []int32, outScales []float32, p Uniform) error {
	if n := len(outScales); n != 1 && p.Slices > n {
		return tensor.Errorf(tensor.InvalidArgument, "%d output scales for %d slices of an operand", n, p.Slices)
	}
	if err := positive(inScales, outScales); err != nil {
		return err
	}
	for s := range p.Slices {
		m, err := newMultiplier(float64(pick(inScales, s)) / float64(pick(outScales, s)))
		if err != nil {
			return err
		}
		zero := pick(inZeros, s)
		p.each(s, func(i int) { dst[i] = throughF32(m.times(throughF32(src[i]) - zero)) })
	}
	return nil
}

// throughF32 returns v rounded to f32 and back. If rounding gives 2³¹, the result is -2³¹.
func throughF32(v int32) int32 {
	if f := float32(v); f < 1<<31 {
		return int32(f)
	}
	return math.MinInt32
}
