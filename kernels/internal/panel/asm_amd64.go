//go:build amd64 && !noasm

package panel

import (
	"unsafe"

	"github.com/graphc/graphc/rt/cpu"
)

//go:generate go run -C ../../_gen ./panel -pkg panel -out ../internal/panel/tile_amd64.s -stubs ../internal/panel/tile_amd64.go

// args are the arguments of a micro-kernel. Steps are in bytes. The generator of the assembly
// hard-codes the fields' offsets.
type args struct {
	a, b, c, bias, res   unsafe.Pointer
	lda, ldc, ldr, panel int
	k, segs, segStep     int // segStep is the distance from the end of a segment to the next segment
	planes, planeStep    int // planeStep is the distance from the end of a plane to the next plane
	segsLeft, planesLeft int // the kernel's counters
	lo, hi               float32
	mask                 uint64         // AVX-512: a bit for each column of the tile's last panel
	tab                  unsafe.Pointer // AVX2: address of a vector mask of the columns of the last panel, nil if it has all columns
	next                 uintptr        // address of panels to prefetch, which have the layout of b
	nextStep, nextTile   int            // bytes by which prefetching advances: nextStep for every two terms, nextTile for every tile
	tiles                int            // number of tiles to compute, one below the other
	clamp                uint32         // how results are clamped: 0 not at all, 1 to at least lo, 2 to [lo, hi]
}

// tails[16-n:] is a vector mask of n columns.
var tails = [32]int32{-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1}

// fill sets the fields of g that all tiles share.
func (g *args) fill(p *Block) {
	const f = 4 // bytes of a float
	g.lda, g.ldc, g.ldr, g.panel = p.Lda*f, p.Ldc*f, p.Ldr*f, p.PanelStep*f
	g.k, g.segs, g.planes = p.K, p.Segs, p.Planes
	g.segStep = (p.SegStep - p.K) * f
	g.planeStep = (p.PlaneStep - (p.Segs-1)*p.SegStep - p.K) * f
	g.lo, g.hi = p.Lo, p.Hi
	switch {
	case p.Hi < -Unclamped:
		g.clamp = 2
	case p.Lo > Unclamped:
		g.clamp = 1
	}
}

func at(s []float32, i int) unsafe.Pointer { return unsafe.Pointer(&s[i]) }

// runSIMD splits the block into panels and rows for the micro-kernels. Rows are spread
// evenly, so that no tile has very few. Run has checked all addresses.
func runSIMD(c, a, b, bias, res []float32, p *Block) {
	wide := cpu.UseAVX512()
	if !wide && p.M == 7 && p.N > Width && p.K > 0 {
		// A tile of 3 rows and one panel has too few sums to keep the multipliers busy. Tiles of 3 rows
		// and two panels have enough.
		top, rest := *p, *p
		top.M, rest.M = 4, 3
		runSIMD(c, a, b, bias, res, &top)
		runSIMD(c[4*p.Ldc:], a[4*p.Lda:], b, bias, From(res, 4*p.Ldr), &rest)
		return
	}
	var g args
	g.fill(p)
	if p.K == 0 {
		a, b = tailsAsFloats(), tailsAsFloats()
	}
	panels := (p.N + Width - 1) / Width
	size := panels * p.depth() * lineBytes
	for j := 0; j < panels; {
		np, most := shape(p.M, panels-j, wide)
		half := false
		if !wide {
			if n, rows := halfShape(p.M, p.N-j*Width); n > 0 {
				np, most, half = n, rows, true
			}
		}
		g.mask, g.tab = 0xffff, nil
		if left := p.N - (j+np-1)*Width; left < Width {
			g.mask = 1<<left - 1
			g.tab = unsafe.Pointer(&tails[Width-left])
		}
		if p.K > 0 {
			g.b = at(b, j*p.PanelStep)
		} else {
			g.b = at(b, 0)
		}
		if len(bias) != 0 {
			g.bias = at(bias, j*Width)
		}
		tiles, low, more, perCall := 1, p.M, 0, 1
		if p.M > most {
			tiles = (p.M + most - 1) / most
			low, more = p.M/tiles, p.M%tiles
			perCall = max(callSums/max(p.depth(), 1), 1)
		}
		ahead := 0
		switch {
		case tiles == 1 && p.M > 1 && size > fitsL1:
			ahead, g.nextStep, g.nextTile = soon, 2*lineBytes, 0
		case tiles > 1 && size > fitsL2:
			// Each tile prefetches an equal part of the panels that will be read after those of
			// this iteration.
			g.nextStep = (2*lineBytes + tiles - 1) / tiles
			g.nextTile = p.depth() / tiles * lineBytes
			if j+2*np <= panels {
				ahead = np * p.PanelStep * 4
			}
		default:
			g.nextStep, g.nextTile = 0, 0
		}
		for m, i := 0, 0; i < tiles; {
			mr, n := low, tiles-i
			if i < more {
				mr, n = low+1, more-i
			}
			n = min(n, perCall)
			if p.K > 0 {
				g.a = at(a, m*p.Lda)
			} else {
				g.a = at(a, 0)
			}
			g.c = at(c, m*p.Ldc+j*Width)
			if len(res) != 0 {
				g.res = at(res, m*p.Ldr+j*Width)
			}
			g.next = uintptr(g.b) + uintptr(ahead+i*g.nextTile)
			g.tiles = n
			switch at := (*byte)(unsafe.Pointer(&g)); {
			case wide:
				tile512(mr, np, at)
			case half:
				tile256half(mr, np, at)
			default:
				tile256(mr, np, at)
			}
			i += n
			m += n * mr
		}
		j += np
	}
}

// tailsAsFloats returns a slice for pointers that must be valid although the kernels never dereference
// them.
func tailsAsFloats() []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(&tails)), len(tails))
}

// callSums bounds the work of one call of assembly: the number of tiles times the length of a sum.
// Calls must be short, because the scheduler and the garbage collector wait for them.
const callSums = 1 << 12

// callElements bounds the elements of b that one call of assembly reads, because calls must be short.
const callElements = 1 << 17

// Limits of the size in bytes of all panels. If the panels are larger, the kernels prefetch them.
// Otherwise the panels are in a near cache, and the processor's own prefetching suffices. fitsL1 is
// the limit if the rows form one tile, and fitsL2 is the limit if they form several. A single row
// never gains from prefetching by the kernels.
const (
	fitsL1 = 1 << 15
	fitsL2 = 1 << 19
)

// lineBytes is the size in bytes of one row of a panel, which is also the size of a cache line.
// Each term of the sums reads one row. The constant soon is the distance in bytes between the row
// that is read and the row that is prefetched, if each panel is read only once.
const (
	lineBytes = 4 * Width
	soon      = 32 * lineBytes
)

// shape returns the number of panels in a tile, np, and its largest number of rows, most.
func shape(rows, panels int, wide bool) (np, most int) {
	switch {
	case !wide && rows == 1 && panels >= 4:
		return 4, 1
	case !wide && rows <= 3 && rows > 1 && panels >= 2:
		return 2, 3
	case !wide:
		return 1, 6
	case rows <= 3 && panels >= 8:
		return 8, 3
	case rows <= 6 && panels >= 4:
		return 4, 6
	case panels >= 2:
		return 2, 14
	}
	return 1, 14
}

func tile256(mr, np int, g *byte) {
	switch np*8 + mr {
	case 1*8 + 1:
		tile256x1x1(g)
	case 1*8 + 2:
		tile256x2x1(g)
	case 1*8 + 3:
		tile256x3x1(g)
	case 1*8 + 4:
		tile256x4x1(g)
	case 1*8 + 5:
		tile256x5x1(g)
	case 1*8 + 6:
		tile256x6x1(g)
	case 2*8 + 2:
		tile256x2x2(g)
	case 2*8 + 3:
		tile256x3x2(g)
	case 4*8 + 1:
		tile256x1x4(g)
	default:
		panic("panel: no such tile")
	}
}

// halfShape does the same as shape for tiles that compute all of the remaining columns, and only the
// first half of the last panel. If there are no such tiles, np is 0.
func halfShape(rows, columns int) (np, most int) {
	switch {
	case columns <= Width/2:
		return 1, 12
	case columns > Width && columns <= Width+Width/2 && rows > 3:
		return 2, 4
	}
	return 0, 0
}

func tile256half(mr, np int, g *byte) {
	switch np*16 + mr {
	case 1*16 + 1:
		tile256x1x1half(g)
	case 1*16 + 2:
		tile256x2x1half(g)
	case 1*16 + 3:
		tile256x3x1half(g)
	case 1*16 + 4:
		tile256x4x1half(g)
	case 1*16 + 5:
		tile256x5x1half(g)
	case 1*16 + 6:
		tile256x6x1half(g)
	case 1*16 + 7:
		tile256x7x1half(g)
	case 1*16 + 8:
		tile256x8x1half(g)
	case 1*16 + 9:
		tile256x9x1half(g)
	case 1*16 + 10:
		tile256x10x1half(g)
	case 1*16 + 11:
		tile256x11x1half(g)
	case 1*16 + 12:
		tile256x12x1half(g)
	case 2*16 + 2:
		tile256x2x2half(g)
	case 2*16 + 3:
		tile256x3x2half(g)
	case 2*16 + 4:
		tile256x4x2half(g)
	default:
		panic("panel: no such tile")
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
	case 8*16 + 1:
		tile512x1x8(g)
	case 8*16 + 2:
		tile512x2x8(g)
	case 8*16 + 3:
		tile512x3x8(g)
	default:
		panic("panel: no such tile")
	}
}

// transposeSIMD transposes the part that whole 8×8 blocks cover, and returns how many rows and
// columns that part has.
func transposeSIMD(dst []float32, ldd int, src []float32, lds, rows, cols int) (int, int) {
	r8, c8 := rows&^7, cols&^7
	if r8 == 0 || c8 == 0 || !cpu.UseAVX2() {
		return 0, 0
	}
	for i := 0; i < r8; i += 8 {
		for j := 0; j < c8; j += chunk {
			transpose8((*byte)(at(dst, j*ldd+i)), uintptr(ldd*4), (*byte)(at(src, i*lds+j)), uintptr(lds*4), uintptr(min(chunk, c8-j)/8))
		}
	}
	return r8, c8
}

// addSIMD adds whole vectors of src to dst, of the same length, and returns how many floats it
// added.
func addSIMD(dst, src []float32) int {
	n := len(src) &^ 7
	if n > 0 {
		add8((*byte)(at(dst, 0)), (*byte)(at(src, 0)), uintptr(n/8))
	}
	return n
}

// chunk is the largest number of columns or elements that one call of a row kernel processes. It is
// limited so that a call is short and the sums stay in the first-level cache.
const chunk = 4096

// mulRowSIMD adds the product of row a and matrix b to the first columns of c. It returns how many
// columns it computed; the caller computes the rest.
func mulRowSIMD(c, a []float32, step int, b []float32, ldb, k int) int {
	if !cpu.UseAVX2() {
		return 0
	}
	wide := cpu.UseAVX512()
	n := len(c)
	if !wide {
		n &^= 7
	}
	for j := 0; j < n; j += chunk {
		w := min(chunk, n-j)
		for i := 0; i < k; {
			rows := 1
			if k-i >= 8 {
				rows = 8
			}
			cp, ap, bp := (*byte)(at(c, j)), (*byte)(at(a, i*step)), (*byte)(at(b, i*ldb+j))
			as, lb, mask := uintptr(step*4), uintptr(ldb*4), uintptr(1)<<(w%16)-1
			switch {
			case wide && rows == 8:
				mulRow512x8(cp, ap, as, bp, lb, uintptr(w/16), mask)
			case wide:
				mulRow512x1(cp, ap, as, bp, lb, uintptr(w/16), mask)
			case rows == 8:
				mulRow256x8(cp, ap, as, bp, lb, uintptr(w/8), 0)
			default:
				mulRow256x1(cp, ap, as, bp, lb, uintptr(w/8), 0)
			}
			i += rows
		}
	}
	return n
}

// dotsSIMD computes the dot products of a and the first rows of b, in groups of four, and stores them
// in the first elements of c, which are zero at first. It returns how many elements it computed; the
// caller computes the rest.
func dotsSIMD(c, a, b []float32, ldb int) int {
	if !cpu.UseAVX2() {
		return 0
	}
	wide := cpu.UseAVX512()
	k, n := len(a), len(c)&^3
	if k <= chunk && (wide || k%8 == 0) {
		most := max(callElements/k&^3, 4)
		for j := 0; j < n; j += most {
			fours := uintptr(min(most, n-j) / 4)
			cp, ap, bp := (*byte)(at(c, j)), (*byte)(at(a, 0)), (*byte)(at(b, j*ldb))
			if wide {
				dots512(cp, ap, bp, uintptr(ldb*4), uintptr(k/16), uintptr(1)<<(k%16)-1, fours)
			} else {
				dots256(cp, ap, bp, uintptr(ldb*4), uintptr(k/8), 0, fours)
			}
		}
		return n
	}
	var part [4]float32
	for j := 0; j < n; j += 4 {
		for i := 0; i < k; i += chunk {
			w := min(chunk, k-i)
			cp, ap, bp := (*byte)(unsafe.Pointer(&part)), (*byte)(at(a, i)), (*byte)(at(b, j*ldb+i))
			if wide {
				dots512(cp, ap, bp, uintptr(ldb*4), uintptr(w/16), uintptr(1)<<(w%16)-1, 1)
			} else {
				dots256(cp, ap, bp, uintptr(ldb*4), uintptr(w/8), 0, 1)
				for x := w &^ 7; x < w; x++ {
					for r := range part {
						part[r] += float32(a[i+x] * b[(j+r)*ldb+i+x])
					}
				}
			}
			for r, v := range part {
				c[j+r] += v
			}
		}
	}
	return n
}

// copyRows copies k rows of 16 floats. It returns false, and does nothing, if the machine
// lacks AVX2.
func copyRows(dst, src []float32, lds, k int) bool {
	if !cpu.UseAVX2() {
		return false
	}
	for i := 0; i < k; i += chunk {
		copy16((*byte)(at(dst, i*Width)), (*byte)(at(src, i*lds)), uintptr(lds*4), uintptr(min(chunk, k-i)))
	}
	return true
}

// turnRows writes the transpose of 16 rows of src, which are lds floats apart, to the first rows of a
// panel. The panel has k rows of 16 floats. turnRows returns how many it wrote; the caller writes the
// rest.
func turnRows(dst, src []float32, lds, k int) int {
	n := k &^ 15
	if !cpu.UseAVX512() {
		return 0
	}
	for i := 0; i < n; i += chunk {
		turn16((*byte)(at(dst, i*Width)), (*byte)(at(src, i)), uintptr(lds*4), uintptr(min(chunk, n-i)/16))
	}
	return n
}
