package norm

import (
	"math"

	"github.com/graphc/graphc/rt/device"
)

// LRNParams describes local response normalisation over the channels of x[Rows,C].
type LRNParams struct {
	Rows, C           int
	Radius            int // the sum for channel c includes the channels from c-Radius to c+Radius
	Bias, Alpha, Beta float32
}

// args returns the arguments of a kernel: the given addresses, followed by the sizes and the
// factors in p.
func (p *LRNParams) args(at ...device.Ptr) []uint64 {
	var a []uint64
	for _, v := range at {
		a = append(a, uint64(v))
	}
	a = append(a, uint64(p.Rows*p.C), uint64(p.C), uint64(min(p.Radius, p.C)))
	for _, v := range [...]float32{p.Bias, p.Alpha, p.Beta} {
		a = append(a, math.Float64bits(float64(v)))
	}
	return a
}

// LRNF32 computes y[r,c] = x[r,c] / (Bias + Alpha·Σ x[r,c']²)^Beta, where c' runs from c-Radius to
// c+Radius. y does not overlap x.
func LRNF32(q *device.Queue, y, x device.Ptr, p LRNParams) {
	grid, block := each(q, p.Rows*p.C)
	q.Launch(&lrn, grid, block, 0, p.args(y, x)...)
}

// LRNGradF32 sets dx to the gradient with respect to LRNF32's x, given x, the result y and the
// gradient dy of y. dx overlaps no other argument.
func LRNGradF32(q *device.Queue, dx, dy, x, y device.Ptr, p LRNParams) {
	grid, block := each(q, p.Rows*p.C)
	q.Launch(&lrnGrad, grid, block, 0, p.args(dx, dy, x, y)...)
}
