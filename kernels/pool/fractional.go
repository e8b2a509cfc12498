package pool

import (
	"math"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// FractionalParams describes pooling of images [N,H,W,C] over regions of uneven sizes into
// [N,OH,OW,OC]. The rows of an image are divided into OH ranges. Range i begins with row rows[i] and
// ends before row rows[i+1]; if Overlap is set, it also includes row rows[i+1]. Columns are divided in
// the same way. Regions are cut off at the image's end.
type FractionalParams struct {
	N, H, W, C int
	ON         int // number of images in the result and in its gradient
	OH, OW, OC int
	Overlap    bool
}

// FractionalSize returns the number of regions into which n rows or columns are divided for the
// pooling ratio. It returns InvalidArgument if the ratio is not between 1 and n.
func FractionalSize(n int, ratio float32) (int, error) {
	if r := float32(math.Floor(float64(float32(n) / ratio))); r >= 1 && ratio >= 1 {
		return int(r), nil
	}
	return 0, tensor.Errorf(tensor.InvalidArgument, "a pooling ratio of %v for the size %d: it must be at least 1 and at most the size", ratio, n)
}

// span returns the rows or columns [from, to) of region i. seq holds the beginnings of the regions,
// and size is the number of rows or columns.
func (p *FractionalParams) span(seq []int64, i, size int) (from, to int) {
	end := seq[i+1]
	if p.Overlap && end < int64(size) {
		end++
	}
	return int(min(seq[i], int64(size))), int(min(end, int64(size)))
}

type pooled interface {
	float32 | float64 | int32 | int64
}

// each(run, rows, cols, f) calls f(in, out) for each pixel of each region. The first argument of f is
// the number of the pixel in the images, and the second argument is the number of the region in the
// result.
func (p *FractionalParams) each(run *mem.Budget, rows, cols []int64, f func(in, out int)) {
	call := run.Call()
	for n := range p.ON {
		for y := range p.OH {
			y0, y1 := p.span(rows, y, p.H)
			for x := range p.OW {
				x0, x1 := p.span(cols, x, p.W)
				out := (n*p.OH+y)*p.OW + x
				for i := y0; i < y1; i++ {
					call.Work(max(0, x1-x0) * (2 + p.C))
					for j := x0; j < x1; j++ {
						f((n*p.H+i)*p.W+j, out)
					}
				}
			}
		}
	}
}

func fractionalMax[T pooled](run *mem.Budget, out, in []T, rows, cols []int64, p *FractionalParams, lowest T) {
	for i := range out {
		out[i] = lowest
	}
	p.each(run, rows, cols, func(i, o int) {
		dst := out[o*p.C:][:p.C]
		for c, v := range in[i*p.C:][:p.C] {
			if v > dst[c] {
				dst[c] = v
			}
		}
	})
}

func fractionalAvg[T pooled](run *mem.Budget, out, in []T, rows, cols []int64, p *FractionalParams) {
	clear(out)
	p.each(run, rows, cols, func(i, o int) {
		dst := out[o*p.C:][:p.C]
		for c, v := range in[i*p.C:][:p.C] {
			dst[c] += v
		}
	})
	at := 0
	for range p.N {
		for y := range p.OH {
			y0, y1 := p.span(rows, y, p.H)
			for x := range p.OW {
				x0, x1 := p.span(cols, x, p.W)
				n := T((y1 - y0) * (x1 - x0))
				for c := range p.C {
					out[at+c] /= n
				}
				at += p.C
			}
		}
	}
}

// regions checks the boundaries of rows and columns that the caller gave.
func (p *FractionalParams) regions(rows, cols []int64) error {
	if len(rows) < p.OH+1 || len(cols) < p.OW+1 {
		return tensor.Errorf(tensor.InvalidArgument, "pooling sequences of %d and %d elements for a result of %d by %d", len(rows), len(cols), p.OH, p.OW)
	}
	for _, s := range [...][]int64{rows, cols} {
		for i, v := range s {
			if v < 0 {
				return tensor.Errorf(tensor.InvalidArgument, "element %d of a pooling sequence is %d, it must not be negative", i, v)
			}
		}
	}
	return nil
}

// fractionalMaxGrad clears dst and adds each element of grad to the element of dst that belongs to
// the largest element of the region. It stores the positions of these largest elements in the slice
// `at`, which is as long as the slice `out`.
func fractionalMaxGrad[T pooled](run *mem.Budget, dst, in, out, grad []T, rows, cols, at []int64, p *FractionalParams) error {
	if err := p.regions(rows, cols); err != nil {
		return err
	}
	if len(in) == 0 || len(out) == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "orig_input and orig_output must not be empty")
	}
	if len(rows) != p.OH+1 || len(cols) != p.OW+1 || p.ON != p.N || p.OC != p.C || len(grad) > len(out) {
		return tensor.Errorf(tensor.InvalidArgument, "orig_output [%d,%d,%d,%d] and the gradient, %d elements, do not fit orig_input [%d,%d,%d,%d] and the pooling sequences",
			p.ON, p.OH, p.OW, p.OC, len(grad), p.N, p.H, p.W, p.C)
	}
	for i := range at {
		at[i] = -1
	}
	p.each(run, rows, cols, func(i, o int) {
		for c := range p.C {
			if b := at[o*p.C+c]; b < 0 || in[b] < in[i*p.C+c] {
				at[o*p.C+c] = int64(i*p.C + c)
			}
		}
	})
	for i, b := range at {
		if b < 0 || in[b] != out[i] {
			return tensor.Errorf(tensor.InvalidArgument, "element %d of orig_output is not the largest of its region", i)
		}
	}
	clear(dst)
	for i, g := range grad {
		dst[at[i]] += g
	}
	return nil
}

func fractionalAvgGrad[T pooled](run *mem.Budget, dst, grad []T, rows, cols []int64, sum []float64, p *FractionalParams) error {
	if len(grad) == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "out_backprop must not be empty, its shape is [%d,%d,%d,%d]", p.ON, p.OH, p.OW, p.OC)
	}
	if err := p.regions(rows, cols); err != nil {
		return err
	}
	if p.ON > p.N || p.OC > p.C {
		return tensor.Errorf(tensor.InvalidArgument, "out_backprop [%d,%d,%d,%d] has more images or channels than the original input [%d,%d,%d,%d]",
			p.ON, p.OH, p.OW, p.OC, p.N, p.H, p.W, p.C)
	}
	clear(sum)
	p.each(run, rows, cols, func(i, o int) {
		y0, y1 := p.span(rows, o/p.OW%p.OH, p.H)
		x0, x1 := p.span(cols, o%p.OW, p.W)
		n := float64((y1 - y0) * (x1 - x0))
		for c := range p.OC {
			sum[i*p.C+c] += float64(grad[o*p.OC+c]) / n
		}
	})
	for i, v := range sum {
		dst[i] = T(v)
	}
	return nil
}
