//go:build amd64 && !noasm

package conv

import (
	"unsafe"

	"github.com/graphc/graphc/kernels/internal/panel"
	"github.com/graphc/graphc/rt/cpu"
)

//go:generate go run -C ../_gen ./winograd -pkg conv -out ../conv/winograd_amd64.s -stubs ../conv/winograd_amd64.go

// winoArgs are the arguments of a transform in assembly. Offsets and distances are in bytes. The
// generator of the assembly hard-codes the offsets of the fields.
type winoArgs struct {
	src, dst, bias, res         unsafe.Pointer
	srcOff, dstOff, resOff      int // offsets of the tile's first pixel, which may be outside the image
	row, col                    int // distances between rows and between pixels of the image
	resRow, resCol              int
	plane                       int
	vecs                        int // vectors of channels; the kernel uses the field as its loop counter
	lo, hi                      float32
	tail                        uint64 // used with AVX-512: one bit for each channel of the last vector
	masks                       *uint16
	half, two, point, five, big float32 // the constants ½, 2, √½, 2½ and √2
	four                        float32
	products, sums              [3]float32 // for each of ½, 1 and 2: product and sum of the squares of the two others
	top                         float32    // the sum of the three squares, equal to the sum of products
}

func (g *winoArgs) constants() {
	g.half, g.two, g.point, g.five, g.big, g.four = 0.5, 2, winoRoot, 2.5, 2*winoRoot, 4
	g.products, g.sums, g.top = [3]float32{4, 1, 0.25}, [3]float32{5, 4.25, 1.25}, 5.25
}

// vectors sets the number of vectors for c channels and returns how many channels these vectors
// hold.
func (g *winoArgs) vectors(c int, wide bool) int {
	if !wide {
		g.vecs = c / 8
		return c &^ 7
	}
	g.vecs, g.tail = (c+15)/16, 0xffff
	if c%16 != 0 {
		g.tail = 1<<(c%16) - 1
	}
	return c
}

// winoInSIMD transforms a tile of c channels whose first pixel is in[base]. Rows [y0,y1) and
// columns [x0,x1) are in the image; the rest counts as zero. It returns how many channels it
// transformed. With AVX2 it transforms whole tiles only.
func winoInSIMD(dst []float32, plane int, in []float32, base, row, col, c, y0, y1, x0, x1 int) int {
	wide := cpu.UseAVX512()
	whole := y0 == 0 && x0 == 0 && y1 == winoSide && x1 == winoSide
	if !wide && (!cpu.UseAVX2() || !whole || c < 8) {
		return 0
	}
	const f = 4 // bytes of a float
	var g winoArgs
	done := g.vectors(c, wide)
	// All reads and writes are in bounds.
	_ = dst[(winoPlanes-1)*plane+done-1]
	if y0 < y1 && x0 < x1 {
		_, _ = in[base+y0*row+x0*col], in[base+(y1-1)*row+(x1-1)*col+done-1]
	}
	g.src, g.dst, g.srcOff = unsafe.Pointer(unsafe.SliceData(in)), unsafe.Pointer(&dst[0]), base*f
	g.row, g.col, g.plane = row*f, col*f, plane*f
	g.constants()
	p := (*byte)(unsafe.Pointer(&g))
	switch {
	case wide && whole:
		winoIn512(p)
	case wide:
		var masks [winoPlanes]uint16
		for i := y0; i < y1; i++ {
			for j := x0; j < x1; j++ {
				masks[i*winoSide+j] = 0xffff
			}
		}
		g.masks = &masks[0]
		winoIn512edge(p)
	default:
		winoIn256(p)
	}
	return done
}

// winoOutSIMD transforms c channels of a tile's products and writes rows [y0,y1) and columns [0,x1)
// of its 4×4 pixels, from out[at] on, with res added. It returns how many channels it transformed.
// With AVX2 it transforms whole tiles only.
func winoOutSIMD(out []float32, at, row, col int, bias, res []float32, resAt, resRow, resCol int, src []float32, plane, c, y0, y1, x1 int, lo, hi float32) int {
	return winoTileOut(winoTile, out, at, row, col, bias, res, resAt, resRow, resCol, src, plane, c, y0, y1, x1, lo, hi)
}

// winoFiveOutSIMD does the same as winoOutSIMD for tiles of 2×2 pixels, which 5×5 filters have.
func winoFiveOutSIMD(out []float32, at, row, col int, bias, res []float32, resAt, resRow, resCol int, src []float32, plane, c, y0, y1, x1 int, lo, hi float32) int {
	return winoTileOut(winoFiveTile, out, at, row, col, bias, res, resAt, resRow, resCol, src, plane, c, y0, y1, x1, lo, hi)
}

// winoTileOut does the same as winoOutSIMD for square tiles. The parameter tile is the length of a
// tile's side in pixels.
func winoTileOut(tile int, out []float32, at, row, col int, bias, res []float32, resAt, resRow, resCol int, src []float32, plane, c, y0, y1, x1 int, lo, hi float32) int {
	wide := cpu.UseAVX512()
	whole := y0 == 0 && y1 == tile && x1 == tile
	if y0 >= y1 || x1 <= 0 {
		return c
	}
	if !wide && (!cpu.UseAVX2() || !whole || c < 8) {
		return 0
	}
	const f = 4 // bytes of a float
	var g winoArgs
	done := g.vectors(c, wide)
	_ = src[(winoPlanes-1)*plane+(done+15)/16*16-1]
	_, _ = out[at+y0*row], out[at+(y1-1)*row+(x1-1)*col+done-1]
	g.src, g.dst, g.dstOff = unsafe.Pointer(&src[0]), unsafe.Pointer(&out[0]), at*f
	g.row, g.col, g.plane = row*f, col*f, plane*f
	if len(bias) != 0 {
		g.bias = unsafe.Pointer(&bias[:done][0])
	}
	if len(res) != 0 {
		_, _ = res[resAt+y0*resRow], res[resAt+(y1-1)*resRow+(x1-1)*resCol+done-1]
		g.res, g.resOff, g.resRow, g.resCol = unsafe.Pointer(&res[0]), resAt*f, resRow*f, resCol*f
	}
	g.lo, g.hi = lo, hi
	g.constants()
	p := (*byte)(unsafe.Pointer(&g))
	switch {
	case wide && whole && tile == winoFiveTile:
		winoFiveOut512(p)
	case wide && whole:
		winoOut512(p)
	case wide:
		var masks [winoTile * winoTile]uint16
		for i := y0; i < y1; i++ {
			for j := range x1 {
				masks[i*tile+j] = 0xffff
			}
		}
		g.masks = &masks[0]
		if tile == winoFiveTile {
			winoFiveOut512edge(p)
		} else {
			winoOut512edge(p)
		}
	case tile == winoFiveTile:
		winoFiveOut256(p)
	default:
		winoOut256(p)
	}
	return done
}

// winoFilterArgs are the arguments of a filter's transform in assembly. Steps are in bytes. The
// generator of the assembly hard-codes the offsets of the fields.
type winoFilterArgs struct {
	src, dst                         unsafe.Pointer
	tap, plane                       int
	count                            int // input channels
	half, two                        float32
	third, thirdRoot, sixth, sixRoot float32
}

// winoFilterSIMD does the same as winoFilter, with vector instructions. It returns false if the machine
// lacks them.
func winoFilterSIMD(dst []float32, plane int, src []float32, c, half int) bool {
	if !cpu.UseAVX2() {
		return false
	}
	const f = 4 // bytes of a float
	_, _ = dst[(winoHalf-1)*plane+c*panel.Width-1], src[winoTaps*winoTaps*c*panel.Width-1]
	g := winoFilterArgs{
		src: unsafe.Pointer(&src[0]), dst: unsafe.Pointer(&dst[0]), tap: c * panel.Width * f, plane: plane * f, count: c,
		half: 0.5, two: 2, third: winoThird, thirdRoot: winoThirdRoot, sixth: winoSixth, sixRoot: winoSixthRoot,
	}
	p := (*byte)(unsafe.Pointer(&g))
	switch {
	case cpu.UseAVX512() && half == 0:
		winoFilter512half0(p)
	case cpu.UseAVX512():
		winoFilter512half1(p)
	case half == 0:
		winoFilter256half0(p)
	default:
		winoFilter256half1(p)
	}
	return true
}

// winoRowInSIMD transforms a tile of 8 pixels of c channels. The pixels are step floats apart, from
// in[base] on. Pixels [from,to) are in the image; the rest counts as zero. winoRowInSIMD returns
// how many channels it transformed. With AVX2 it transforms whole tiles only.
func winoRowInSIMD(dst []float32, plane int, in []float32, base, step, c, from, to int) int {
	wide := cpu.UseAVX512()
	whole := from == 0 && to == winoRowSide
	if !wide && (!cpu.UseAVX2() || !whole || c < 8) {
		return 0
	}
	const f = 4 // bytes of a float
	var g winoArgs
	done := g.vectors(c, wide)
	_ = dst[(winoRowSide-1)*plane+(done+15)/16*16-1]
	if from < to {
		_, _ = in[base+from*step], in[base+(to-1)*step+done-1]
	}
	g.src, g.dst, g.srcOff = unsafe.Pointer(unsafe.SliceData(in)), unsafe.Pointer(&dst[0]), base*f
	g.col, g.plane = step*f, plane*f
	g.constants()
	p := (*byte)(unsafe.Pointer(&g))
	switch {
	case wide && whole:
		winoRowIn512(p)
	case wide:
		var masks [winoRowSide]uint16
		for i := from; i < to; i++ {
			masks[i] = 0xffff
		}
		g.masks = &masks[0]
		winoRowIn512edge(p)
	default:
		winoRowIn256(p)
	}
	return done
}

// winoRowOutSIMD transforms c channels of a tile's products and writes pixels [from,to) of the
// tile's 2 pixels, with res added. The pixels are step floats apart, from out[at] on.
// winoRowOutSIMD returns how many channels it transformed. With AVX2 it transforms whole tiles
// only.
func winoRowOutSIMD(out []float32, at, step int, bias, res []float32, resAt, resStep int, src []float32, plane, c, from, to int, lo, hi float32) int {
	wide := cpu.UseAVX512()
	whole := from == 0 && to == winoRowTile
	if from >= to {
		return c
	}
	if !wide && (!cpu.UseAVX2() || !whole || c < 8) {
		return 0
	}
	const f = 4 // bytes of a float
	var g winoArgs
	done := g.vectors(c, wide)
	_ = src[(winoRowSide-1)*plane+(done+15)/16*16-1]
	_, _ = out[at+from*step], out[at+(to-1)*step+done-1]
	g.src, g.dst, g.dstOff = unsafe.Pointer(&src[0]), unsafe.Pointer(&out[0]), at*f
	g.col, g.plane = step*f, plane*f
	if len(bias) != 0 {
		g.bias = unsafe.Pointer(&bias[:done][0])
	}
	if len(res) != 0 {
		_, _ = res[resAt+from*resStep], res[resAt+(to-1)*resStep+done-1]
		g.res, g.resOff, g.resCol = unsafe.Pointer(&res[0]), resAt*f, resStep*f
	}
	g.lo, g.hi = lo, hi
	g.constants()
	p := (*byte)(unsafe.Pointer(&g))
	switch {
	case wide && whole:
		winoRowOut512(p)
	case wide:
		var masks [winoRowTile]uint16
		for i := from; i < to; i++ {
			masks[i] = 0xffff
		}
		g.masks = &masks[0]
		winoRowOut512edge(p)
	default:
		winoRowOut256(p)
	}
	return done
}
