package volume

import (
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

//go:generate go run -C ../_gen ./volume -out ../volume/int_types.go

type number interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64
}

// argmax sets at[o,c] to the offset of the largest element of window o in channel c. Of equal
// elements it takes the first. For an empty window it stores -1.
func argmax[T number](run *mem.Budget, at []int64, in []T, p *Params) {
	for i := range at[:p.positions()*p.C] {
		at[i] = -1
	}
	p.taps(run, p.C, func(i, o, t int) {
		a := at[o*p.C:][:p.C]
		for c, v := range in[i*p.C : (i+1)*p.C] {
			if a[c] < 0 || in[a[c]] < v {
				a[c] = int64(i*p.C + c)
			}
		}
	})
}

// perImage converts an offset in the batch to an offset in the image, unless batch is set.
func (p *Params) perImage(at int64, batch bool) int64 {
	if batch {
		return at
	}
	return at % int64(p.D*p.H*p.W*p.C)
}

func maxArg[T number](run *mem.Budget, out []T, at []int64, in []T, batch bool, p *Params) {
	argmax(run, at, in, p)
	for i, a := range at[:p.positions()*p.C] {
		if a >= 0 {
			out[i] = in[a]
			at[i] = p.perImage(a, batch)
		}
	}
}

func maximum[T sum](run *mem.Budget, out, in []T, lowest T, p *Params) {
	for i := range out[:p.positions()*p.C] {
		out[i] = lowest
	}
	p.taps(run, p.C, func(i, o, t int) {
		dst := out[o*p.C:][:p.C]
		for c, v := range in[i*p.C : (i+1)*p.C] {
			if v > dst[c] {
				dst[c] = v
			}
		}
	})
}

// count returns how many pixels of the window with number o are inside the input.
func (p *Params) count(o int) int {
	in := func(at, k, size int) int { return min(at+k, size) - max(at, 0) }
	z, y, x := o/(p.OW*p.OH)%p.OD, o/p.OW%p.OH, o%p.OW
	return in(z*p.SD-p.PD, p.KD, p.D) * in(y*p.SH-p.PH, p.KH, p.H) * in(x*p.SW-p.PW, p.KW, p.W)
}

func average[T sum](run *mem.Budget, out, in []T, p *Params) {
	clear(out[:p.positions()*p.C])
	p.taps(run, p.C, func(i, o, t int) {
		dst := out[o*p.C:][:p.C]
		for c, v := range in[i*p.C : (i+1)*p.C] {
			dst[c] += v
		}
	})
	for o := range len(out) / max(p.C, 1) {
		n := T(p.count(o))
		for c := range p.C {
			out[o*p.C+c] /= n
		}
	}
}

func averageGrad[T sum](run *mem.Budget, in, grad []T, p *Params) {
	clear(in[:p.pixels()*p.C])
	p.taps(run, p.C, func(i, o, t int) {
		n := T(p.count(o))
		g := grad[o*p.C:][:p.C]
		for c := range g {
			in[i*p.C+c] += g[c] / n
		}
	})
}

func maxGrad[T number](run *mem.Budget, dst, in, grad []T, at []int64, p *Params) {
	argmax(run, at, in, p)
	clear(dst[:p.pixels()*p.C])
	for i, a := range at[:p.positions()*p.C] {
		if a >= 0 {
			dst[a] += grad[i]
		}
	}
}

// maxTies computes the gradient of max pooling. In each window, every element that equals the maximum
// gets the whole gradient of the window. Numbers that differ by less than 1e-5 are treated as equal,
// as in TensorFlow. Two infinities are never equal.
func maxTies[T number](run *mem.Budget, dst, in, out, grad []T, p *Params) {
	clear(dst[:p.pixels()*p.C])
	p.taps(run, p.C, func(i, o, t int) {
		of, g := out[o*p.C:][:p.C], grad[o*p.C:][:p.C]
		for c, v := range in[i*p.C : (i+1)*p.C] {
			if d := float64(v) - float64(of[c]); -1e-5 < d && d < 1e-5 {
				dst[i*p.C+c] += g[c]
			}
		}
	})
}

func maxGradGrad[T number](run *mem.Budget, dst, in, out, grad []T, at []int64, p *Params) {
	for i := range at[:p.positions()*p.C] {
		at[i] = -1
	}
	p.taps(run, p.C, func(i, o, t int) {
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

// ArgParams describes a gradient of max pooling that is computed from the recorded positions of the
// largest elements. N is the number of images. Image and Out are the number of elements of one
// image of the input and of the output. Batch says whether positions count from the beginning of
// the batch instead of the beginning of the image.
type ArgParams struct {
	N          int // images
	Image, Out int // number of elements of one image of the input, and of the output
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
