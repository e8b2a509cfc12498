//go:build arm64 && !noasm

package conv

import (
	"unsafe"

	"github.com/graphc/graphc/rt/cpu"
)

// winoArgs are the arguments of a transform in assembly. Distances are in bytes. The generator of the
// assembly hard-codes the offsets of the fields.
type winoArgs struct {
	src, dst, bias, res, tmp unsafe.Pointer
	row, col                 int // distances between rows and between pixels of the image
	resRow, resCol           int
	plane                    int
	vecs                     int // vectors of channels
	lo, hi                   float32
}

// winoScratch holds the vectors of a tile between its transforms in the two directions.
type winoScratch [winoPlanes * lanes]float32

// winoInSIMD transforms a whole tile of c channels whose first pixel is in[base] and returns how
// many channels it transformed. The image contains rows [y0,y1) and columns [x0,x1) of the tile. If
// these are not the whole tile, winoInSIMD does nothing and returns 0.
func winoInSIMD(dst []float32, plane int, in []float32, base, row, col, c, y0, y1, x0, x1 int) int {
	if !cpu.UseNEON() || y0 != 0 || x0 != 0 || y1 != winoSide || x1 != winoSide || c < lanes {
		return 0
	}
	const f = 4 // bytes of a float
	c &^= lanes - 1
	// All reads and writes are in bounds.
	_, _ = dst[(winoPlanes-1)*plane+c-1], in[base+(winoSide-1)*(row+col)+c-1]
	var tmp winoScratch
	g := winoArgs{
		src: unsafe.Pointer(&in[base]), dst: unsafe.Pointer(&dst[0]), tmp: unsafe.Pointer(&tmp),
		row: row * f, col: col * f, plane: plane * f, vecs: c / lanes,
	}
	winoInNEON((*byte)(unsafe.Pointer(&g)))
	return c
}

// winoOutSIMD transforms c channels of a tile's products and writes the tile's 4×4 pixels, from
// out[at] on, with res added. It returns how many channels it transformed. Rows [y0,y1) and columns
// [0,x1) of the tile are selected. If they are only a part of the tile, winoOutSIMD does nothing
// and returns 0. If nothing is selected, it returns c.
func winoOutSIMD(out []float32, at, row, col int, bias, res []float32, resAt, resRow, resCol int, src []float32, plane, c, y0, y1, x1 int, lo, hi float32) int {
	if y0 >= y1 || x1 <= 0 {
		return c
	}
	if !cpu.UseNEON() || y0 != 0 || y1 != winoTile || x1 != winoTile || c < lanes {
		return 0
	}
	const f = 4 // bytes of a float
	c &^= lanes - 1
	_, _ = src[(winoPlanes-1)*plane+c-1], out[at+(winoTile-1)*(row+col)+c-1]
	var tmp winoScratch
	g := winoArgs{
		src: unsafe.Pointer(&src[0]), dst: unsafe.Pointer(&out[at]), tmp: unsafe.Pointer(&tmp),
		row: row * f, col: col * f, plane: plane * f, vecs: c / lanes, lo: lo, hi: hi,
	}
	if len(bias) != 0 {
		g.bias = unsafe.Pointer(&bias[:c][0])
	}
	if len(res) != 0 {
		_ = res[resAt+(winoTile-1)*(resRow+resCol)+c-1]
		g.res, g.resRow, g.resCol = unsafe.Pointer(&res[resAt]), resRow*f, resCol*f
	}
	winoOutNEON((*byte)(unsafe.Pointer(&g)))
	return c
}
