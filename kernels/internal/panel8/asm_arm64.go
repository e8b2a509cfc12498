//go:build arm64 && !noasm

package panel8

import (
	"unsafe"

	"github.com/graphc/graphc/rt/cpu"
)

// args are the arguments of a micro-kernel. Steps are in bytes. The generator of the assembly
// hard-codes the fields' offsets.
type args struct {
	a, b, c, bias, row unsafe.Pointer
	lda, ldc           int
	groups, add        int
}

// dotRows is the largest number of rows in a tile if dot product instructions are used, and
// plainRows is that number if they are not.
const dotRows, plainRows = 4, 3

// runSIMD splits the block into panels and rows for the micro-kernels. Rows are spread
// evenly, so that no tile has very few. Run has checked all addresses.
func runSIMD(c []int32, a []uint8, b []int8, bias, row []int32, p *Block) {
	runNEON(c, a, b, bias, row, p, cpu.UseDotProd())
}

// runNEON does the work of runSIMD. It uses dot product instructions if the parameter dot is true.
func runNEON(c []int32, a []uint8, b []int8, bias, row []int32, p *Block, dot bool) {
	most := plainRows
	if dot {
		most = dotRows
	}
	g := args{lda: p.Lda, ldc: p.Ldc * 4, groups: Groups(p.K)}
	if p.Add {
		g.add = 1
	}
	var tail [dotRows * Width]int32
	var tailBias [Width]int32
	for j := 0; j < p.N; j += Width {
		left := min(p.N-j, Width)
		part := left < Width // whether these are the columns after the last whole panel, which are computed in a separate buffer
		g.b = unsafe.Pointer(&b[j/Width*p.PanelStep])
		switch {
		case len(bias) == 0:
		case part:
			copy(tailBias[:], bias[j:p.N])
			g.bias = unsafe.Pointer(&tailBias)
		default:
			g.bias = unsafe.Pointer(&bias[j])
		}
		for m, n := 0, 0; m < p.M; m += n {
			tiles := (p.M - m + most - 1) / most
			n = (p.M - m + tiles - 1) / tiles
			g.a = unsafe.Pointer(&a[m*p.Lda])
			if len(row) != 0 {
				g.row = unsafe.Pointer(&row[m])
			}
			if !part {
				g.c = unsafe.Pointer(&c[m*p.Ldc+j])
				tile(n, dot, (*byte)(unsafe.Pointer(&g)))
				continue
			}
			g.c, g.ldc = unsafe.Pointer(&tail), Width*4
			for r := range n {
				copy(tail[r*Width:][:left], c[(m+r)*p.Ldc+j:])
			}
			tile(n, dot, (*byte)(unsafe.Pointer(&g)))
			for r := range n {
				copy(c[(m+r)*p.Ldc+j:], tail[r*Width:][:left])
			}
		}
	}
}

func tile(mr int, dot bool, g *byte) {
	if dot {
		switch mr {
		case 1:
			tile1Dot(g)
		case 2:
			tile2Dot(g)
		case 3:
			tile3Dot(g)
		default:
			tile4Dot(g)
		}
		return
	}
	switch mr {
	case 1:
		tile1NEON(g)
	case 2:
		tile2NEON(g)
	default:
		tile3NEON(g)
	}
}

// chunk is the number of vectors in one call of assembly.
const chunk = 1 << 12

func sumSIMD(a []uint8) (s uint64, n int) {
	n = len(a) &^ 15
	for i := 0; i < n; i += 16 * chunk {
		s += sumNEON(&a[i], min(chunk, (n-i)/16))
	}
	return s, n
}

func flipSIMD(dst []uint8, src []int8) int {
	n := len(src) &^ 15
	for i := 0; i < n; i += 16 * chunk {
		flipNEON(&dst[i], &src[i], min(chunk, (n-i)/16))
	}
	return n
}

func outF32SIMD(dst []float32, src []int32, scale, bias []float32, lo, hi float32) int {
	n := len(src) &^ 3
	for i := 0; i < n; i += 4 * chunk {
		outF32NEON(&dst[i], &src[i], &scale[i], &bias[i], min(chunk, (n-i)/4), lo, hi)
	}
	return n
}

func outBytesSIMD(dst []uint8, src []int32, scale []float32, zero, lo, hi int32) int {
	n := len(src) &^ 15
	for i := 0; i < n; i += 16 * chunk {
		outBytesNEON(&dst[i], &src[i], &scale[i], min(chunk, (n-i)/16), float32(zero), float32(lo-zero), float32(hi-zero))
	}
	return n
}
