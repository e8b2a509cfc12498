//go:build amd64 && !noasm

package panel

import (
	"unsafe"

	"github.com/graphc/graphc/rt/cpu"
)

//go:generate go run -C ../../_gen ./panel -f64 -pkg panel -out ../internal/panel/tilef64_amd64.s -stubs ../internal/panel/tilef64_amd64.go

// UsesProductF64 reports whether ProductF64 has assembly to run.
func UsesProductF64() bool { return cpu.UseAVX2() }

// productF64 uses assembly to compute the product that the comment of ProductF64 describes.
func productF64(c, a, b []float64, rows, k, n, lda, ldc int, add bool) {
	const size = 8 // size of a float64 in bytes
	g := args{lda: lda * size, ldc: ldc * size, ldr: ldc * size, panel: k * WidthF64 * size, k: k, segs: 1, planes: 1}
	g.segStep = -k * size
	wide := cpu.UseAVX512()
	panels := (n + WidthF64 - 1) / WidthF64
	for j := 0; j < panels; {
		np, most := shapeF64(rows, panels-j, wide)
		g.mask, g.tab = 0xff, nil
		if left := n - (j+np-1)*WidthF64; left < WidthF64 {
			g.mask = 1<<left - 1
			g.tab = unsafe.Pointer(&tails[16-2*left])
		}
		g.b = unsafe.Pointer(&b[j*k*WidthF64])
		tiles := (rows + most - 1) / most
		low, more := rows/tiles, rows%tiles
		for m, i := 0, 0; i < tiles; {
			mr, n := low, tiles-i
			if i < more {
				mr, n = low+1, more-i
			}
			g.tiles = min(n, max(callSums/k, 1))
			g.a = unsafe.Pointer(&a[m*lda])
			g.c = unsafe.Pointer(&c[m*ldc+j*WidthF64])
			if add {
				g.res = g.c
			}
			i, m = i+g.tiles, m+g.tiles*mr
			if wide {
				tile512f64(mr, np, (*byte)(unsafe.Pointer(&g)))
			} else {
				tile256f64(mr, (*byte)(unsafe.Pointer(&g)))
			}
		}
		j += np
	}
}

func shapeF64(rows, panels int, wide bool) (np, most int) {
	switch {
	case !wide:
		return 1, 6
	case rows <= 6 && panels >= 4:
		return 4, 6
	case panels >= 2:
		return 2, 14
	}
	return 1, 14
}

func tile256f64(mr int, g *byte) {
	switch mr {
	case 1:
		tile256f64x1x1(g)
	case 2:
		tile256f64x2x1(g)
	case 3:
		tile256f64x3x1(g)
	case 4:
		tile256f64x4x1(g)
	case 5:
		tile256f64x5x1(g)
	case 6:
		tile256f64x6x1(g)
	default:
		panic("panel: no such tile")
	}
}

func tile512f64(mr, np int, g *byte) {
	switch np*16 + mr {
	case 1*16 + 1:
		tile512f64x1x1(g)
	case 1*16 + 2:
		tile512f64x2x1(g)
	case 1*16 + 3:
		tile512f64x3x1(g)
	case 1*16 + 4:
		tile512f64x4x1(g)
	case 1*16 + 5:
		tile512f64x5x1(g)
	case 1*16 + 6:
		tile512f64x6x1(g)
	case 1*16 + 7:
		tile512f64x7x1(g)
	case 1*16 + 8:
		tile512f64x8x1(g)
	case 1*16 + 9:
		tile512f64x9x1(g)
	case 1*16 + 10:
		tile512f64x10x1(g)
	case 1*16 + 11:
		tile512f64x11x1(g)
	case 1*16 + 12:
		tile512f64x12x1(g)
	case 1*16 + 13:
		tile512f64x13x1(g)
	case 1*16 + 14:
		tile512f64x14x1(g)
	case 2*16 + 1:
		tile512f64x1x2(g)
	case 2*16 + 2:
		tile512f64x2x2(g)
	case 2*16 + 3:
		tile512f64x3x2(g)
	case 2*16 + 4:
		tile512f64x4x2(g)
	case 2*16 + 5:
		tile512f64x5x2(g)
	case 2*16 + 6:
		tile512f64x6x2(g)
	case 2*16 + 7:
		tile512f64x7x2(g)
	case 2*16 + 8:
		tile512f64x8x2(g)
	case 2*16 + 9:
		tile512f64x9x2(g)
	case 2*16 + 10:
		tile512f64x10x2(g)
	case 2*16 + 11:
		tile512f64x11x2(g)
	case 2*16 + 12:
		tile512f64x12x2(g)
	case 2*16 + 13:
		tile512f64x13x2(g)
	case 2*16 + 14:
		tile512f64x14x2(g)
	case 4*16 + 1:
		tile512f64x1x4(g)
	case 4*16 + 2:
		tile512f64x2x4(g)
	case 4*16 + 3:
		tile512f64x3x4(g)
	case 4*16 + 4:
		tile512f64x4x4(g)
	case 4*16 + 5:
		tile512f64x5x4(g)
	case 4*16 + 6:
		tile512f64x6x4(g)
	default:
		panic("panel: no such tile")
	}
}
