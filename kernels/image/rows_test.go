package image

import (
	"fmt"
	"math"
	"testing"

	"github.com/graphc/graphc/rt/cpu"
)

// TestRows checks that resizing gives the same bits on all machines, however its rows are divided
// among calls.
func TestRows(t *testing.T) {
	for _, c := range []int{1, 3, 4, 8, 13, 16, 24, 35, 64} {
		p := ResizeParams{N: 2, H: 5, W: 4, C: c, OH: 9, OW: 11, HalfPixel: c%2 == 0}
		in := make([]float32, p.N*p.H*p.W*c)
		for i := range in {
			in[i] = float32(i*7919%1000)/500 - 1
		}
		index, weight := make([]int32, 4*p.OW), make([]float32, 4*p.OW)
		for name, f := range map[string]func(out []float32, p ResizeParams){
			"bilinear": func(out []float32, p ResizeParams) {
				BilinearColumns(index, weight, p)
				Bilinear(out, in, index, weight, p)
			},
			"bicubic": func(out []float32, p ResizeParams) {
				BicubicColumns(index, weight, p)
				Bicubic(out, in, index, weight, p)
			},
			"nearest": func(out []float32, p ResizeParams) { NearestF32(out, in, p) },
			"area":    func(out []float32, p ResizeParams) { Area(out, in, p) },
		} {
			t.Run(fmt.Sprint(name, c), func(t *testing.T) {
				want := make([]float32, p.N*p.OH*p.OW*c)
				got := make([]float32, len(want)+1)
				defer cpu.SetLimit(cpu.SetLimit(cpu.Portable))
				f(want, p)
				for _, l := range []cpu.Level{cpu.Portable, cpu.AVX2, cpu.AVX512} {
					cpu.SetLimit(l)
					for _, step := range []int{1, 2, 5, p.N * p.OH} {
						clear(got)
						for y := 0; y < p.N*p.OH; y += step {
							q := p
							q.First, q.Rows = y, min(step, p.N*p.OH-y)
							f(got[y*p.OW*c:(y+q.Rows)*p.OW*c], q)
						}
						for i, v := range want {
							if math.Float32bits(v) != math.Float32bits(got[i]) {
								t.Fatalf("level %v, %d rows a call: element %d is %v, want %v", l, step, i, got[i], v)
							}
						}
					}
				}
			})
		}
	}
}
