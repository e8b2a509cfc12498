package softmax

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/graphc/graphc/rt/cpu"
)

// TestMasked compares masked softmax with softmax in float64. It covers several kinds of masks,
// each set of vector instructions, and calls with a part of the rows.
func TestMasked(t *testing.T) {
	defer cpu.SetLimit(cpu.SetLimit(cpu.AVX512))
	for l := cpu.Portable; l <= cpu.Available(); l++ {
		cpu.SetLimit(l)
		for _, n := range []int{1, 3, 15, 16, 17, 64, 100, 128, 17000} {
			const b, h, tt = 2, 3, 4
			rows := b * h * tt
			for kind, s := range [][3]int{{}, {1, 0, 0}, {tt, 0, 1}, {0, 0, 1}, {h * tt, tt, 1}, {0, 0, 0}} {
				t.Run(fmt.Sprintf("%v/%d/%d", l, n, kind), func(t *testing.T) {
					r := rand.New(rand.NewPCG(1, uint64(n)))
					src, dst := make([]float32, rows*n), make([]float32, rows*n)
					mask := make([]float32, rows*n)
					for i := range src {
						src[i] = float32(r.NormFloat64() * 8)
						if i%5 == 2 && i%n != 0 {
							mask[i] = -10000
						} else {
							mask[i] = float32(r.NormFloat64())
						}
					}
					if kind == 0 {
						mask = nil
					}
					p := MaskedParams{N: n, H: h, T: tt, MaskB: s[0], MaskH: s[1], MaskT: s[2], Scale: 0.125, Mask: mask}
					MaskedF32(dst, src, p)
					part := make([]float32, rows*n)
					for first := 0; first < rows; {
						q, k := p, min(1+first%6, rows-first)
						q.First = first
						MaskedF32(part[first*n:(first+k)*n], src[first*n:(first+k)*n], q)
						first += k
					}
					for row := range rows {
						at := row/(h*tt)*s[0] + row/tt%h*s[1] + row%tt*s[2]
						x := make([]float32, n)
						top, sum := math.Inf(-1), 0.0
						for i := range x {
							x[i] = src[row*n+i] * p.Scale
							if mask != nil {
								x[i] += mask[at*n+i]
							}
							top = max(top, float64(x[i]))
						}
						for _, v := range x {
							sum += math.Exp(float64(v) - top)
						}
						for i, v := range x {
							want, got := math.Exp(float64(v-float32(top)))/sum, dst[row*n+i]
							if math.Abs(float64(got)-want) > 4e-7*want+1e-38 {
								t.Fatalf("row %d, element %d: %v, want %v", row, i, got, want)
							}
							if part[row*n+i] != got {
								t.Fatalf("row %d, element %d: %v, but %v in a part", row, i, got, part[row*n+i])
							}
						}
					}
				})
			}
		}
	}
}
