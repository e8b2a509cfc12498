package image

import (
	"math"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// BoxesParams describes images[N,H,W,C] and boxes[N,Boxes,4].
type BoxesParams struct {
	N, H, W, C, Boxes, Rows, Row int
	// Colours ([Rows,Row]) are the colours of the boxes, one in each row; nil means the palette.
	Colours []float32
}

// palette holds the default colours of boxes, four numbers for each colour: yellow, blue, red,
// lime, purple, olive, maroon, navy blue, aqua, fuchsia.
var palette = [40]float32{1, 1, 0, 1, 0, 0, 1, 1, 1, 0, 0, 1, 0, 1, 0, 1, .5, 0, .5, 1, .5, .5, 0, 1, .5, 0, 0, 1, 0, 0, .5, 1, 0, 1, 1, 1, 1, 0, 1, 1}

// whole returns v without its fraction. If v is NaN or out of the range of int, it returns
// math.MinInt.
func whole(v float32) int {
	if !(float64(v) > math.MinInt && float64(v) < math.MaxInt) {
		return math.MinInt
	}
	return int(v)
}

// DrawF32 copies images and draws the outlines of boxes [y1,x1,y2,x2]. Coordinates from 0 to 1 span
// the image. The boxes of an image take the colours in turn. Boxes that are inverted or entirely
// outside are skipped. DrawF32 returns InvalidArgument unless there are 1, 3 or 4 channels.
func DrawF32(run *mem.Budget, dst, src, boxes []float32, p BoxesParams) error {
	if err := CheckDraw(p.C); err != nil {
		return err
	}
	copy(dst, src)
	colours, rows, row := p.Colours, p.Rows, p.Row
	if len(colours) == 0 {
		colours, rows, row = palette[:], len(palette)/4, 4
	}
	var grey [10]float32
	if rows == 10 && row == 4 && &colours[0] == &palette[0] && p.C == 1 {
		for i := range grey {
			grey[i] = 1
		}
		colours, row = grey[:], 1
	}
	call := run.Call()
	for n := range p.N {
		img := dst[n*p.H*p.W*p.C:][:p.H*p.W*p.C]
		for b := range p.Boxes {
			q := boxes[(n*p.Boxes+b)*4:][:4]
			y1, y2 := whole(q[0]*float32(p.H-1)), whole(q[2]*float32(p.H-1))
			x1, x2 := whole(q[1]*float32(p.W-1)), whole(q[3]*float32(p.W-1))
			if y1 > y2 || x1 > x2 || y1 >= p.H || y2 < 0 || x1 >= p.W || x2 < 0 {
				continue
			}
			call.Work(8 * (min(x2, p.W) - max(x1, 0) + min(y2, p.H) - max(y1, 0) + 4))
			colour := colours[b%rows*row:][:p.C]
			put := func(y, x int) { copy(img[(y*p.W+x)*p.C:], colour) }
			for x := max(x1, 0); x <= min(x2, p.W-1); x++ {
				if y1 >= 0 {
					put(y1, x)
				}
				if y2 < p.H {
					put(y2, x)
				}
			}
			for y := max(y1, 0); y <= min(y2, p.H-1); y++ {
				if x1 >= 0 {
					put(y, x1)
				}
				if x2 < p.W {
					put(y, x2)
				}
			}
		}
	}
	return nil
}

// CheckDraw returns InvalidArgument unless images have 1, 3 or 4 channels.
func CheckDraw(c int) error {
	if c != 1 && c != 3 && c != 4 {
		return tensor.Errorf(tensor.InvalidArgument, "images must have 1, 3 or 4 channels, not %d", c)
	}
	return nil
}

// CheckColours rejects colours with fewer channels than the images.
func CheckColours(row, c int) error {
	if row < c {
		return tensor.Errorf(tensor.InvalidArgument, "colors have %d channels, the images %d", row, c)
	}
	return nil
}
