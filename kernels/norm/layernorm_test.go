package norm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/graphc/graphc/rt/cpu"
)

// layerRef computes LayerNormF32 of one row in float64, or RMSNormF32 if centre is false.
func layerRef(x, gamma, beta []float32, eps float64, centre bool) []float64 {
	n := float64(len(x))
	mean, variance := 0.0, 0.0
	for _, v := range x {
		if centre {
			mean += float64(v) / n
		}
	}
	for _, v := range x {
		variance += (float64(v) - mean) * (float64(v) - mean) / n
	}
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = (float64(v) - mean) / math.Sqrt(variance+eps)
		if len(gamma) > 0 {
			y[i] *= float64(gamma[i])
		}
		if len(beta) > 0 {
			y[i] += float64(beta[i])
		}
	}
	return y
}

func vector(r *rand.Rand, n int, scale, shift float64) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(r.NormFloat64()*scale + shift)
	}
	return v
}

// TestLayerNorm checks many row lengths with each set of vector instructions. It normalises all
// rows into y in one call, and each row alone and in place.
func TestLayerNorm(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	levels := []cpu.Level{cpu.Portable, cpu.AVX2, cpu.AVX512}
	for _, c := range []int{0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100, 255, 256, 257, 384, 768, 1000} {
		const rows = 3
		x, gamma, beta := vector(r, rows*c, 3, 5), vector(r, c, 1, 1), vector(r, c, 1, 0)
		p := LayerParams{Rows: rows, C: c, Epsilon: 1e-5}
		for _, level := range levels {
			for form := range 4 {
				g, b := gamma, beta
				if form&1 != 0 {
					g = nil
				}
				if form&2 != 0 {
					b = nil
				}
				t.Run(fmt.Sprintf("C%d/level%d/form%d", c, level, form), func(t *testing.T) {
					defer cpu.SetLimit(cpu.SetLimit(level))
					y, one := make([]float32, rows*c), append([]float32(nil), x...)
					LayerNormF32(y, x, p.plus(g, b))
					rms := make([]float32, rows*c)
					RMSNormF32(rms, x, p.plus(g, nil))
					for i := range rows {
						at := i * c
						LayerNormF32(one[at:at+c], one[at:at+c], LayerParams{Rows: 1, C: c, Epsilon: 1e-5, Gamma: g, Beta: b})
						want, wantRMS := layerRef(x[at:at+c], g, b, 1e-5, true), layerRef(x[at:at+c], g, nil, 1e-5, false)
						for k := range want {
							if d := math.Abs(float64(y[at+k]) - want[k]); d > 4e-6*(1+math.Abs(want[k])) {
								t.Fatalf("row %d: y[%d] = %v, want %v", i, k, y[at+k], want[k])
							}
							if y[at+k] != one[at+k] {
								t.Fatalf("row %d: y[%d] = %v, alone and in place %v", i, k, y[at+k], one[at+k])
							}
							if d := math.Abs(float64(rms[at+k]) - wantRMS[k]); d > 2e-6*(1+math.Abs(wantRMS[k])) {
								t.Fatalf("row %d: rms[%d] = %v, want %v", i, k, rms[at+k], wantRMS[k])
							}
						}
					}
				})
			}
		}
	}
}

// plus returns p with the optional operands gamma and beta.
func (p LayerParams) plus(gamma, beta []float32) LayerParams {
	p.Gamma, p.Beta = gamma, beta
	return p
}
