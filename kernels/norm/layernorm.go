package norm

import (
	"math"

	"github.com/graphc/graphc/kernels/internal/vmath"
)

// LayerParams describes a normalisation of each of Rows rows of C elements.
type LayerParams struct {
	Rows, C int
	Epsilon float32
	// Gamma and Beta have C elements. A nil Gamma means ones, a nil Beta zeros.
	Gamma, Beta []float32
}

// LayerNormF32 computes for every row
//
//	y = (x - mean(x)) / sqrt(mean((x - mean(x))²) + Epsilon) · Gamma + Beta.
//
// y may be x. The statistics are computed in float64, or in float32 with many
// partial sums. Nothing happens when a size is zero.
func LayerNormF32(y, x []float32, p LayerParams) {
	if p.Rows <= 0 || p.C <= 0 || layerRows(y, x, p) {
		return
	}
	n := float64(p.C)
	for r := range p.Rows {
		src, dst := x[r*p.C:(r+1)*p.C], y[r*p.C:(r+1)*p.C]
		mean := sum32(src) / n
		k := 1 / math.Sqrt(squares32(src, float32(mean))/n+float64(p.Epsilon))
		layerRow(dst, src, p.Gamma, p.Beta, float32(mean), float32(k))
	}
}

// RMSNormF32 computes y = x / sqrt(mean(x²) + Epsilon) · Gamma for every row, as
// LayerNormF32 does with a mean of zero.
func RMSNormF32(y, x []float32, p LayerParams) {
	if p.Rows <= 0 || p.C <= 0 || vmath.RMSNorm(y[:p.Rows*p.C], x, p.Gamma, p.C, p.Epsilon) {
		return
	}
	n := float64(p.C)
	for r := range p.Rows {
		src, dst := x[r*p.C:(r+1)*p.C], y[r*p.C:(r+1)*p.C]
		k := 1 / math.Sqrt(squares32(src, 0)/n+float64(p.Epsilon))
		layerRow(dst, src, p.Gamma, nil, 0, float32(k))
	}
}

// layerRows computes LayerNormF32 with package vmath. It returns false if vmath has no kernel for
// the arguments. The kernel of vmath applies either both gamma and beta, or neither. If only one of
// them is given, layerRows applies it after the kernel.
func layerRows(y, x []float32, p LayerParams) bool {
	gamma, beta := p.Gamma, p.Beta
	if (len(gamma) == 0) == (len(beta) == 0) {
		return vmath.LayerNorm(y[:p.Rows*p.C], x, gamma, beta, p.C, p.Epsilon)
	}
	if !vmath.LayerNorm(y[:p.Rows*p.C], x, nil, nil, p.C, p.Epsilon) {
		return false
	}
	for i := 0; i < p.Rows*p.C; i += p.C {
		row := y[i : i+p.C]
		if len(beta) != 0 {
			add32(row, beta)
		} else if !vmath.Mul(row, row, gamma) {
			for c, g := range gamma[:p.C] {
				row[c] *= g
			}
		}
	}
	return true
}

func sum32(x []float32) float64 {
	if s, ok := vmath.Sum(x); ok {
		return s
	}
	s := 0.0
	for _, v := range x {
		s += float64(v)
	}
	return s
}

// squares32 returns Σ (x - mean)².
func squares32(x []float32, mean float32) float64 {
	var piece [256]float32
	m := [1]float32{mean}
	s := 0.0
	for len(x) > 0 {
		n := min(len(piece), len(x))
		d := piece[:n]
		if !vmath.SquaredDifference(d, x[:n], m[:]) {
			for i, v := range x[:n] {
				t := v - mean
				d[i] = t * t
			}
		}
		s += sum32(d)
		x = x[n:]
	}
	return s
}

// layerRow sets dst = (src - mean)·k·gamma + beta.
func layerRow(dst, src, gamma, beta []float32, mean, k float32) {
	if !vmath.NormalizeBy(dst, src, mean, k, 0) {
		for i, v := range src {
			dst[i] = (v - mean) * k
		}
	}
	if len(gamma) != 0 && !vmath.Mul(dst, dst, gamma) {
		for i, g := range gamma[:len(dst)] {
			dst[i] *= g
		}
	}
	if len(beta) != 0 {
		add32(dst, beta)
	}
}
