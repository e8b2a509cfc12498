package quant

import (
	"github.com/graphc/graphc/kernels/pool"
	"github.com/graphc/graphc/rt/mem"
)

// average computes average pooling for the output rows that the fields First and Rows of p select.
// These fields have the same meaning as in package pool.
func average[T int8 | uint8](run *mem.Budget, y, x []T, p *pool.Params) {
	first, rows := p.First, p.Rows
	if first == 0 && rows == 0 {
		rows = p.N * p.OH
	}
	call := run.Call()
	o := 0
	for r := first; r < first+rows; r++ {
		n, y0 := r/p.OH, r%p.OH*p.StrideH-p.PadTop
		for j := range p.OW {
			x0 := j*p.StrideW - p.PadLeft
			for c := range p.C {
				var s, count int32
				for h := max(y0, 0); h < min(y0+p.KH, p.H); h++ {
					call.Work(min(p.KW, p.W))
					for w := max(x0, 0); w < min(x0+p.KW, p.W); w++ {
						s += int32(x[((n*p.H+h)*p.W+w)*p.C+c])
						count++
					}
				}
				y[o] = 0
				if count > 0 {
					y[o] = T(s / count)
				}
				o++
			}
		}
	}
}
