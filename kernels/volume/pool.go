package volume

import (
	"math"

	"github.com/graphc/graphc/rt/tensor"
)

//go:generate go run -C ../_gen ./volume -out ../volume/int_types.go

type number interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64
}

// argmax finds in at[o,c] the offset of the largest element of each window, the
// first of equals, -1 of an empty window.
func argmax[T number](at []int64, in []T, p *Params) {
	for i := range at[:p.positions()*p.C] {
		at[i] = -1
	}
	p.taps(func(i, o, t int) {
		a := at[o*p.C:][:p.C]
		for c, v := range in[i*p.C : (i+1)*p.C] {
			if a[c] < 0 || in[a[c]] < v {
				a[c] = int64(i*p.C + c)
			}
		}
	})
}

// perImage makes an offset one within its image unless the batch counts.
func (p *Params) perImage(at int64, batch bool) int64 {
	if batch {
		return at
	}
	return at % int64(p.D*p.H*p.W*p.C)
}

func maxArg[T number](out []T, at []int64, in []T, batch bool, p *Params) {
	argmax(at, in, p)
	for i, a := range at[:p.positions()*p.C] {
		if a >= 0 {
			out[i] = in[a]
			at[i] = p.perImage(a, batch)
		}
	}
}

// MaxArgF32 writes the largest element of each window and where it stands: its
// offset in the image, or in the whole tensor if batch.
func MaxArgF32(out []float32, at []int64, in []float32, batch bool, p Params) {
	maxArg(out, at, in, batch, &p)
}

// MaxArgF64 is MaxArgF32 for f64.
func MaxArgF64(out []float64, at []int64, in []float64, batch bool, p Params) {
	maxArg(out, at, in, batch, &p)
}

func maximum[T sum](out, in []T, lowest T, p *Params) {
	for i := range out[:p.positions()*p.C] {
		out[i] = lowest
	}
	p.taps(func(i, o, t int) {
		dst := out[o*p.C:][:p.C]
		for c, v := range in[i*p.C : (i+1)*p.C] {
			if v > dst[c] {
				dst[c] = v
			}
		}
	})
}

// MaxF32 is MaxPool3D; NaN never counts.
func MaxF32(out, in []float32, p Params) { maximum(out, in, -math.MaxFloat32, &p) }

// MaxF64 is MaxF32 for f64.
func MaxF64(out, in []float64, p Params) { maximum(out, in, -math.MaxFloat64, &p) }

// count is the number of taps of output position o that lie inside.
func (p *Params) count(o int) int {
	in := func(at, k, size int) int { return min(at+k, size) - max(at, 0) }
	z, y, x := o/(p.OW*p.OH)%p.OD, o/p.OW%p.OH, o%p.OW
	return in(z*p.SD-p.PD, p.KD, p.D) * in(y*p.SH-p.PH, p.KH, p.H) * in(x*p.SW-p.PW, p.KW, p.W)
}

func average[T sum](out, in []T, p *Params) {
	clear(out[:p.positions()*p.C])
	p.taps(func(i, o, t int) {
		dst := out[o*p.C:][:p.C]
		for c, v := range in[i*p.C : (i+1)*p.C] {
			dst[c] += v
		}
	})
	for o := range p.positions() {
		n := T(p.count(o))
		for c := range p.C {
			out[o*p.C+c] /= n
		}
	}
}

// AvgF32 is AvgPool3D: the mean over the part of each window inside the input.
func AvgF32(out, in []float32, p Params) { average(out, in, &p) }

// AvgF64 is AvgF32 for f64.
func AvgF64(out, in []float64, p Params) { average(out, in, &p) }

func averageGrad[T sum](in, grad []T, p *Params) {
	clear(in[:p.pixels()*p.C])
	p.taps(func(i, o, t int) {
		n := T(p.count(o))
		g := grad[o*p.C:][:p.C]
		for c := range g {
			in[i*p.C+c] += g[c] / n
		}
	})
}

// AvgGradF32 is the gradient of average pooling.
func AvgGradF32(in, grad []float32, p Params) { averageGrad(in, grad, &p) }

// AvgGradF64 is AvgGradF32 for f64.
func AvgGradF64(in, grad []float64, p Params) { averageGrad(in, grad, &p) }

func maxGrad[T number](dst, in, grad []T, at []int64, p *Params) {
	argmax(at, in, p)
	clear(dst[:p.pixels()*p.C])
	for i, a := range at[:p.positions()*p.C] {
		if a >= 0 {
			dst[a] += grad[i]
		}
	}
}

// MaxGradF32 is the gradient of maximum pooling of in: it goes to the first of
// the largest elements. at has as many elements of scratch as grad.
func MaxGradF32(dst, in, grad []float32, at []int64, p Params) { maxGrad(dst, in, grad, at, &p) }

// MaxGradF64 is MaxGradF32 for f64.
func MaxGradF64(dst, in, grad []float64, at []int64, p Params) { maxGrad(dst, in, grad, at, &p) }

// maxTies: as in TensorFlow what differs by less than 1e-5 is equal, and no infinity is.
func maxTies[T number](dst, in, out, grad []T, p *Params) {
	clear(dst[:p.pixels()*p.C])
	p.taps(func(i, o, t int) {
		of, g := out[o*p.C:][:p.C], grad[o*p.C:][:p.C]
		for c, v := range in[i*p.C : (i+1)*p.C] {
			if d := float64(v) - float64(of[c]); -1e-5 < d && d < 1e-5 {
				dst[i*p.C+c] += g[c]
			}
		}
	})
}

// MaxTiesF32 is the gradient of maximum pooling as TensorFlow has it for volumes:
// it goes to all elements of a window of in that equal the element of out, the result.
func MaxTiesF32(dst, in, out, grad []float32, p Params) { maxTies(dst, in, out, grad, &p) }

// MaxTiesF64 is MaxTiesF32 for f64.
func MaxTiesF64(dst, in, out, grad []float64, p Params) { maxTies(dst, in, out, grad, &p) }

func maxGradGrad[T number](dst, in, out, grad []T, at []int64, p *Params) {
	for i := range at[:p.positions()*p.C] {
		at[i] = -1
	}
	p.taps(func(i, o, t int) {
		first, of := at[o*p.C:][:p.C], out[o*p.C:][:p.C]
		for c, v := range in[i*p.C : (i+1)*p.C] {
			if first[c] < 0 && v == of[c] {
				first[c] = int64(i*p.C + c)
			}
		}
	})
	for i, a := range at[:p.positions()*p.C] {
		dst[i] = 0
		if a >= 0 {
			dst[i] = grad[a]
		}
	}
}

// MaxGradGradF32 is the gradient of MaxGradF32: what stands in grad, of the shape of
// in, where each window of in first has the element of out, which is the pooling's
// result; 0 where it does not have it. at is scratch, of as many elements as out.
func MaxGradGradF32(dst, in, out, grad []float32, at []int64, p Params) {
	maxGradGrad(dst, in, out, grad, at, &p)
}

// MaxGradGradF64 is MaxGradGradF32 for f64.
func MaxGradGradF64(dst, in, out, grad []float64, at []int64, p Params) {
	maxGradGrad(dst, in, out, grad, at, &p)
}

// ArgParams describes gradients through given positions of the largest elements.
type ArgParams struct {
	N          int // images
	Image, Out int // elements of one image of the input and of the output
	Batch      bool
}

func (p *ArgParams) place(i int, at int64) (int, error) {
	a := int(at)
	if !p.Batch {
		a += i / p.Out * p.Image
	}
	if a < 0 || a >= p.N*p.Image {
		return 0, tensor.Errorf(tensor.InvalidArgument, "argmax[%d] is %d, the input has %d elements", i, at, p.N*p.Image)
	}
	return a, nil
}

func argGrad[T number](dst, grad []T, at []int64, p *ArgParams) error {
	clear(dst[:p.N*p.Image])
	for i, g := range grad[:p.N*p.Out] {
		a, err := p.place(i, at[i])
		if err != nil {
			return err
		}
		dst[a] += g
	}
	return nil
}

// ArgGradF32 adds each gradient where its largest element stands; InvalidArgument for a place outside.
func ArgGradF32(dst, grad []float32, at []int64, p ArgParams) error {
	return argGrad(dst, grad, at, &p)
}

// ArgGradF64 is ArgGradF32 for f64.
func ArgGradF64(dst, grad []float64, at []int64, p ArgParams) error {
	return argGrad(dst, grad, at, &p)
}

// NarrowI64 converts positions to i32.
func NarrowI64(dst []int32, src []int64) {
	for i, v := range src {
		dst[i] = int32(v)
	}
}

// WidenI32 converts positions to i64.
func WidenI32(dst []int64, src []int32) {
	for i, v := range src {
		dst[i] = int64(v)
	}
}
