//go:build arm64 && !noasm

package panel

import (
	"unsafe"

	"github.com/graphc/graphc/rt/cpu"
)

// args are the arguments of a micro-kernel. Steps are in bytes. The generator of the assembly
// hard-codes the fields' offsets.
type args struct {
	a, b, c, bias, res   unsafe.Pointer
	lda, ldc, ldr, panel int
	k, segs, segStep     int // segStep is the distance from the end of a segment to the next segment
	planes, planeStep    int // planeStep is the distance from the end of a plane to the next plane
	lo, hi               float32
}

// mostRows is the largest number of rows a tile has.
const mostRows = 6

const float = 4 // bytes

// fill sets the fields of g that all tiles share.
func (g *args) fill(p *Block) {
	g.lda, g.ldc, g.ldr, g.panel = p.Lda*float, p.Ldc*float, p.Ldr*float, p.PanelStep*float
	g.k, g.segs, g.planes = p.K, p.Segs, p.Planes
	g.segStep = (p.SegStep - p.K) * float
	g.planeStep = (p.PlaneStep - (p.Segs-1)*p.SegStep - p.K) * float
	g.lo, g.hi = p.Lo, p.Hi
}

func at(s []float32, i int) unsafe.Pointer { return unsafe.Pointer(&s[i]) }

// nothing[:] is a slice for pointers that must be valid although the kernels never dereference them.
var nothing [1]float32

// runSIMD splits the block into panels and rows for the micro-kernels. Rows are spread
// evenly, so that no tile has very few. Run has checked all addresses.
func runSIMD(c, a, b, bias, res []float32, p *Block) {
	var g args
	g.fill(p)
	if p.K == 0 {
		a, b = nothing[:], nothing[:]
	}
	for j, np := 0, 0; j < p.N; j += np * Width {
		most := mostRows
		np, most = shape(p.M, (p.N-j)/Width)
		g.b, g.bias = at(b, 0), nil
		if p.K > 0 {
			g.b = at(b, j/Width*p.PanelStep)
		}
		if len(bias) != 0 {
			g.bias = at(bias, j)
		}
		cols := min(p.N-j, np*Width)
		if cols < np*Width {
			edge(g, c[j:], a, bias[min(j, len(bias)):], res[min(j, len(res)):], p, cols)
			return
		}
		for m, i := 0, 0; i < p.M; i += m {
			m = rows(i, p.M, most)
			g.a = at(a, 0)
			if p.K > 0 {
				g.a = at(a, i*p.Lda)
			}
			g.c, g.res = at(c, i*p.Ldc+j), nil
			if len(res) != 0 {
				g.res = at(res, i*p.Ldr+j)
			}
			tile(m, np, (*byte)(unsafe.Pointer(&g)))
		}
	}
}

// rows returns the number of rows of the tile that begins at row i. It divides the rows from i to n-1
// evenly among as few tiles as possible. The parameter most is the largest number of rows that a tile
// may have.
func rows(i, n, most int) int {
	left := (n - i + most - 1) / most
	return (n - i + left - 1) / left
}

// edge computes the last panel, which has only cols columns, in a separate tile. The parameter g is
// passed by value, so that the arrays to which its fields point stay on the stack.
func edge(g args, c, a, bias, res []float32, p *Block, cols int) {
	var sums, add [mostRows * Width]float32
	var offsets [Width]float32
	if g.bias != nil {
		copy(offsets[:], bias[:cols])
		g.bias = unsafe.Pointer(&offsets)
	}
	g.c, g.ldc, g.ldr = unsafe.Pointer(&sums), Width*float, Width*float
	for m, i := 0, 0; i < p.M; i += m {
		m = rows(i, p.M, mostRows)
		g.a = at(a, 0)
		if p.K > 0 {
			g.a = at(a, i*p.Lda)
		}
		if len(res) != 0 {
			for r := range m {
				copy(add[r*Width:], res[(i+r)*p.Ldr:][:cols])
			}
			g.res = unsafe.Pointer(&add)
		}
		tile(m, 1, (*byte)(unsafe.Pointer(&g)))
		for r := range m {
			copy(c[(i+r)*p.Ldc:][:cols], sums[r*Width:])
		}
	}
}

// shape returns the size of a tile: its number of panels, and its largest possible number of rows.
func shape(rows, panels int) (np, most int) {
	switch {
	case rows == 1 && panels >= 4:
		return 4, 1
	case rows <= 3 && panels >= 2:
		return 2, 3
	}
	return 1, mostRows
}

func tile(mr, np int, g *byte) {
	switch np*8 + mr {
	case 1*8 + 1:
		tile1x1(g)
	case 1*8 + 2:
		tile2x1(g)
	case 1*8 + 3:
		tile3x1(g)
	case 1*8 + 4:
		tile4x1(g)
	case 1*8 + 5:
		tile5x1(g)
	case 1*8 + 6:
		tile6x1(g)
	case 2*8 + 1:
		tile1x2(g)
	case 2*8 + 2:
		tile2x2(g)
	case 2*8 + 3:
		tile3x2(g)
	case 4*8 + 1:
		tile1x4(g)
	default:
		panic("panel: no such tile")
	}
}

// transposeSIMD transposes the part that whole 8×4 blocks cover, and returns how many rows and
// columns that part has.
func transposeSIMD(dst []float32, ldd int, src []float32, lds, rows, cols int) (int, int) {
	r8, c4 := rows&^7, cols&^3
	if r8 == 0 || c4 == 0 || !cpu.UseNEON() {
		return 0, 0
	}
	for i := 0; i < r8; i += 8 {
		for j := 0; j < c4; j += chunk {
			transpose8x4((*byte)(at(dst, j*ldd+i)), uintptr(ldd*float), (*byte)(at(src, i*lds+j)), uintptr(lds*float), uintptr(min(chunk, c4-j)/4))
		}
	}
	return r8, c4
}

// addSIMD adds whole vectors of src to dst, of the same length, and returns how many floats it
// added.
func addSIMD(dst, src []float32) int {
	n := len(src) &^ 3
	for i := 0; i < n; i += chunk {
		addVectors((*byte)(at(dst, i)), (*byte)(at(src, i)), uintptr(min(chunk, n-i)/4))
	}
	return n
}

// chunk is the largest number of columns or elements that one call of a row kernel processes. It is
// limited so that a call is short and the sums stay in the first-level cache.
const chunk = 4096

// mulRowSIMD adds the product of row a and matrix b to the first columns of c. It returns how many
// columns it computed; the caller computes the rest.
func mulRowSIMD(c, a []float32, step int, b []float32, ldb, k int) int {
	if !cpu.UseNEON() {
		return 0
	}
	n := len(c) &^ 3
	as, lb := uintptr(step*float), uintptr(ldb*float)
	for j := 0; j < n; j += chunk {
		w := uintptr(min(chunk, n-j) / 4)
		i := 0
		for ; i+8 <= k; i += 8 {
			mulRow8x((*byte)(at(c, j)), (*byte)(at(a, i*step)), as, (*byte)(at(b, i*ldb+j)), lb, w)
		}
		for ; i < k; i++ {
			mulRow1x((*byte)(at(c, j)), (*byte)(at(a, i*step)), as, (*byte)(at(b, i*ldb+j)), lb, w)
		}
	}
	return n
}

// dotsSIMD computes the dot products of a and the first rows of b, in groups of four, and stores them
// in the first elements of c, which are zero at first. It returns how many elements it computed; the
// caller computes the rest.
func dotsSIMD(c, a, b []float32, ldb int) int {
	if !cpu.UseNEON() {
		return 0
	}
	k, n := len(a), len(c)&^3
	var part [4]float32
	for j := 0; j < n; j += 4 {
		for i := 0; i < k; i += chunk {
			w := min(chunk, k-i)
			dots4((*byte)(unsafe.Pointer(&part)), (*byte)(at(a, i)), (*byte)(at(b, j*ldb+i)), uintptr(ldb*float), uintptr(w/4))
			for x := w &^ 3; x < w; x++ {
				for r := range part {
					part[r] += float32(a[i+x] * b[(j+r)*ldb+i+x])
				}
			}
			for r, v := range part {
				c[j+r] += v
			}
		}
	}
	return n
}

// copyRows copies k rows of 16 floats. It returns false, and does nothing, if the machine lacks NEON.
func copyRows(dst, src []float32, lds, k int) bool {
	if !cpu.UseNEON() {
		return false
	}
	for i := 0; i < k; i += chunk {
		copy16((*byte)(at(dst, i*Width)), (*byte)(at(src, i*lds)), uintptr(lds*float), uintptr(min(chunk, k-i)))
	}
	return true
}
