// Package panel holds the f32 micro-kernels that matrix products and convolutions share.
//
// The right-hand matrix B[K,N] is packed in panels of 16 columns, [ceil(N/16)][K][16]. Columns beyond
// N are zero. All kernels read this layout: the assembly computes whole panels, up to eight at once
// with AVX-512 and up to four with AVX2 or NEON. The portable version computes four columns at once.
package panel

import (
	"math"

	"github.com/graphc/graphc/rt/cpu"
)

// Width is the number of columns of a panel.
const Width = 16

// Len returns the number of floats of a matrix B[k,n] that Pack has packed.
func Len(k, n int) int { return (n + Width - 1) / Width * Width * k }

// Block is a product of rows of A with packed columns of B:
//
//	C[m,n] = clamp(Σ_i a[m*Lda + at(i)] * B[i,n] + bias[n] + res[m*Ldr + n], Lo, Hi)
//
// for 0 <= m < M, 0 <= n < N. The terms of a sum are read from Planes × Segs segments of K adjacent
// floats. Term i = (q*Segs + s)*K + k is element k of segment s in plane q, and at(i) =
// q*PlaneStep + s*SegStep + k. A plain matrix has one segment, and a convolution has one segment for
// each kernel row or for each kernel element. Steps and strides count floats and are not negative.
type Block struct {
	M, N              int
	K                 int
	Segs, SegStep     int
	Planes, PlaneStep int
	Lda, Ldc, Ldr     int
	PanelStep         int     // distance in floats between the starts of neighbouring panels of B; 0 means adjacent panels
	Lo, Hi            float32 // bounds of the results; -Inf and +Inf bound nothing, and NaN stays NaN
}

// From returns s[i:], or s if s is empty. It serves optional operands, such as Block's bias and residual.
func From[T any](s []T, i int) []T {
	if len(s) == 0 {
		return s
	}
	return s[i:]
}

// depth returns the number of terms of each sum.
func (p *Block) depth() int { return p.Planes * p.Segs * p.K }

// check panics unless every element the block touches is inside its slice.
func (p *Block) check(c, a, b, bias, res []float32) {
	if p.K < 0 || p.Segs < 1 || p.Planes < 1 || p.SegStep < 0 || p.PlaneStep < 0 || p.Lda < 0 || p.Ldc < p.N && p.M > 1 {
		panic("panel: bad block")
	}
	last := (p.M-1)*p.Lda + (p.Planes-1)*p.PlaneStep + (p.Segs-1)*p.SegStep + p.K
	switch {
	case p.K > 0 && len(a) < last:
		panic("panel: left operand too short")
	case p.PanelStep < 0 || len(b) < (Len(1, p.N)/Width-1)*p.PanelStep+p.depth()*Width:
		panic("panel: packed operand too short")
	case len(c) < (p.M-1)*p.Ldc+p.N:
		panic("panel: result too short")
	case len(bias) != 0 && len(bias) < p.N:
		panic("panel: bias too short")
	case len(res) != 0 && (p.Ldr < 0 || len(res) < (p.M-1)*p.Ldr+p.N):
		panic("panel: residual too short")
	}
}

// Run computes the block. If bias or res is empty, nothing is added. res may be c itself, with the
// same stride; otherwise c overlaps no operand. If M or N is zero, Run does nothing. If K is zero,
// the sums are zero.
func Run(c, a, b, bias, res []float32, p Block) {
	if p.M <= 0 || p.N <= 0 {
		return
	}
	if p.PanelStep == 0 {
		p.PanelStep = p.depth() * Width
	}
	p.check(c, a, b, bias, res)
	if cpu.UseAVX2() || cpu.UseNEON() {
		runSIMD(c, a, b, bias, res, &p)
		return
	}
	runGo(c, a, b, bias, res, &p)
}

// Unclamped is the value of Lo that clamps nothing. The value of Hi that clamps nothing is
// -Unclamped.
var Unclamped = float32(math.Inf(-1))

// runGo is the portable version of Run. It computes tiles of 2 rows by 4 columns, whose sums can
// stay in registers.
func runGo(c, a, b, bias, res []float32, p *Block) {
	for n := 0; n < p.N; n += 4 {
		bp := b[min(n/Width*p.PanelStep+n%Width, len(b)):]
		nn := min(4, p.N-n)
		for m := 0; m < p.M; m += 2 {
			mm := min(2, p.M-m)
			var s [2][4]float32
			if p.K > 0 {
				if mm == 2 {
					s = p.tile2(a[m*p.Lda:], bp)
				} else {
					s[0] = p.tile1(a[m*p.Lda:], bp)
				}
			}
			for r := range mm {
				for j := range nn {
					v := s[r][j]
					if len(bias) != 0 {
						v += bias[n+j]
					}
					if len(res) != 0 {
						v += res[(m+r)*p.Ldr+n+j]
					}
					if v < p.Lo {
						v = p.Lo
					}
					if v > p.Hi {
						v = p.Hi
					}
					c[(m+r)*p.Ldc+n+j] = v
				}
			}
		}
	}
}

func (p *Block) tile2(a, b []float32) [2][4]float32 {
	var s00, s01, s02, s03, s10, s11, s12, s13 float32
	o := 0
	for pl := range p.Planes {
		for sg := range p.Segs {
			at := pl*p.PlaneStep + sg*p.SegStep
			a0 := a[at : at+p.K]
			a1 := a[at+p.Lda:][:len(a0)]
			for k, x := range a0 {
				y := a1[k]
				w := b[o : o+4 : o+4]
				o += Width
				s00 += float32(x * w[0])
				s01 += float32(x * w[1])
				s02 += float32(x * w[2])
				s03 += float32(x * w[3])
				s10 += float32(y * w[0])
				s11 += float32(y * w[1])
				s12 += float32(y * w[2])
				s13 += float32(y * w[3])
			}
		}
	}
	return [2][4]float32{{s00, s01, s02, s03}, {s10, s11, s12, s13}}
}

func (p *Block) tile1(a, b []float32) [4]float32 {
	var s0, s1, s2, s3 float32
	o := 0
	for pl := range p.Planes {
		for sg := range p.Segs {
			at := pl*p.PlaneStep + sg*p.SegStep
			for _, x := range a[at : at+p.K] {
				w := b[o : o+4 : o+4]
				o += Width
				s0 += float32(x * w[0])
				s1 += float32(x * w[1])
				s2 += float32(x * w[2])
				s3 += float32(x * w[3])
			}
		}
	}
	return [4]float32{s0, s1, s2, s3}
}
