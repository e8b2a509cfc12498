//go:build amd64 && !noasm

package panel8

import (
	"unsafe"

	"github.com/graphc/graphc/rt/cpu"
)

//go:generate go run -C ../../_gen ./panel8 -pkg panel8 -out ../internal/panel8/tile_amd64.s -stubs ../internal/panel8/tile_amd64.go

// args are the arguments of a micro-kernel. Steps are in bytes. The generator of the assembly
// hard-codes the fields' offsets.
type args struct {
	a, b, c, bias, row unsafe.Pointer
	lda, ldc, panel    int
	groups, add        int
	mask               uint64 // a bit for each column of the tile's last panel
}

// runSIMD splits the block into panels and rows for the micro-kernels. Rows are spread
// evenly, so that no tile has very few. Run has checked all addresses.
func runSIMD(c []int32, a []uint8, b []int8, bias, row []int32, p *Block) {
	g := args{lda: p.Lda, ldc: p.Ldc * 4, panel: p.PanelStep, groups: Groups(p.K)}
	if p.Add {
		g.add = 1
	}
	wide := cpu.UseVNNI()
	panels := (p.N + Width - 1) / Width
	var tail [2 * Width]int32
	var tailBias [Width]int32
	for j := 0; j < panels; {
		np, most := shape(p.M, panels-j, wide)
		left := min(p.N-(j+np-1)*Width, Width)
		g.mask = 1<<left - 1
		g.b = unsafe.Pointer(&b[j*p.PanelStep])
		if len(bias) != 0 {
			g.bias = unsafe.Pointer(&bias[j*Width])
		}
		// AVX2 has no mask registers, so the columns after the last whole panel are computed in a
		// separate buffer.
		part := !wide && left < Width
		if part {
			copy(tailBias[:], bias[min(j*Width, len(bias)):])
			g.bias = unsafe.Pointer(&tailBias)
		}
		tiles := (p.M + most - 1) / most
		size, more := p.M/tiles, p.M%tiles
		for m, i := 0, 0; i < tiles; i++ {
			mr := size
			if i < more {
				mr++
			}
			g.a = unsafe.Pointer(&a[m*p.Lda])
			if len(row) != 0 {
				g.row = unsafe.Pointer(&row[m])
			}
			g.c = unsafe.Pointer(&c[m*p.Ldc+j*Width])
			switch {
			case wide:
				tile512(mr, np, (*byte)(unsafe.Pointer(&g)))
			case part:
				g.c, g.ldc = unsafe.Pointer(&tail), Width*4
				for r := range mr {
					copy(tail[r*Width:][:left], c[(m+r)*p.Ldc+j*Width:])
				}
				tile256(mr, (*byte)(unsafe.Pointer(&g)))
				for r := range mr {
					copy(c[(m+r)*p.Ldc+j*Width:], tail[r*Width:][:left])
				}
			default:
				tile256(mr, (*byte)(unsafe.Pointer(&g)))
			}
			m += mr
		}
		j += np
	}
}

// shape returns the number of panels in a tile, np, and its largest number of rows, most.
func shape(rows, panels int, wide bool) (np, most int) {
	switch {
	case !wide:
		return 1, 2
	case rows <= 6 && panels >= 4:
		return 4, 6
	case panels >= 2:
		return 2, 14
	}
	return 1, 14
}

func tile256(mr int, g *byte) {
	if mr == 1 {
		tile256x1(g)
	} else {
		tile256x2(g)
	}
}

func tile512(mr, np int, g *byte) {
	switch np*16 + mr {
	case 1*16 + 1:
		tile512x1x1(g)
	case 1*16 + 2:
		tile512x2x1(g)
	case 1*16 + 3:
		tile512x3x1(g)
	case 1*16 + 4:
		tile512x4x1(g)
	case 1*16 + 5:
		tile512x5x1(g)
	case 1*16 + 6:
		tile512x6x1(g)
	case 1*16 + 7:
		tile512x7x1(g)
	case 1*16 + 8:
		tile512x8x1(g)
	case 1*16 + 9:
		tile512x9x1(g)
	case 1*16 + 10:
		tile512x10x1(g)
	case 1*16 + 11:
		tile512x11x1(g)
	case 1*16 + 12:
		tile512x12x1(g)
	case 1*16 + 13:
		tile512x13x1(g)
	case 1*16 + 14:
		tile512x14x1(g)
	case 2*16 + 1:
		tile512x1x2(g)
	case 2*16 + 2:
		tile512x2x2(g)
	case 2*16 + 3:
		tile512x3x2(g)
	case 2*16 + 4:
		tile512x4x2(g)
	case 2*16 + 5:
		tile512x5x2(g)
	case 2*16 + 6:
		tile512x6x2(g)
	case 2*16 + 7:
		tile512x7x2(g)
	case 2*16 + 8:
		tile512x8x2(g)
	case 2*16 + 9:
		tile512x9x2(g)
	case 2*16 + 10:
		tile512x10x2(g)
	case 2*16 + 11:
		tile512x11x2(g)
	case 2*16 + 12:
		tile512x12x2(g)
	case 2*16 + 13:
		tile512x13x2(g)
	case 2*16 + 14:
		tile512x14x2(g)
	case 4*16 + 1:
		tile512x1x4(g)
	case 4*16 + 2:
		tile512x2x4(g)
	case 4*16 + 3:
		tile512x3x4(g)
	case 4*16 + 4:
		tile512x4x4(g)
	case 4*16 + 5:
		tile512x5x4(g)
	case 4*16 + 6:
		tile512x6x4(g)
	default:
		panic("panel8: no such tile")
	}
}

// chunk is the number of vectors in one call of an element-wise kernel.
const chunk = 4096

func sumSIMD(a []uint8) (s uint64, n int) {
	n = len(a) &^ 31
	for i := 0; i < n; i += 32 * chunk {
		s += sum32((*byte)(unsafe.Pointer(&a[i])), uintptr(min(chunk, (n-i)/32)))
	}
	return s, n
}

func flipSIMD(dst []uint8, src []int8) int {
	n := len(src) &^ 31
	for i := 0; i < n; i += 32 * chunk {
		flip32((*byte)(unsafe.Pointer(&dst[i])), (*byte)(unsafe.Pointer(&src[i])), uintptr(min(chunk, (n-i)/32)))
	}
	return n
}

func outF32SIMD(dst []float32, src []int32, scale, bias []float32, lo, hi float32) int {
	n := len(src) &^ 7
	for i := 0; i < n; i += 8 * chunk {
		outF32x8((*byte)(unsafe.Pointer(&dst[i])), (*byte)(unsafe.Pointer(&src[i])), (*byte)(unsafe.Pointer(&scale[i])),
			(*byte)(unsafe.Pointer(&bias[i])), uintptr(min(chunk, (n-i)/8)), lo, hi)
	}
	return n
}

func outBytesSIMD(dst []uint8, src []int32, scale []float32, zero, lo, hi int32) int {
	n := len(src) &^ 7
	for i := 0; i < n; i += 8 * chunk {
		outBytesx8((*byte)(unsafe.Pointer(&dst[i])), (*byte)(unsafe.Pointer(&src[i])), (*byte)(unsafe.Pointer(&scale[i])),
			uintptr(min(chunk, (n-i)/8)), zero, lo, hi)
	}
	return n
}
