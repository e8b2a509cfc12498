package repl

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/graphc/graphc/rt/tensor"
)

// bitmap is a picture with values between 0 and 1.
type bitmap struct {
	h, w, c int // height, width and number of channels, which is 1 (grey), 3 (RGB) or 4 (RGBA)
	pix     []float64
}

// bitmapOf converts tensor t to a picture. The shape must be [h,w], [h,w,c], [1,h,w] or [1,h,w,c],
// where c is 1, 3 or 4. Elements of type uint8 are divided by 255. For other types, a range of
// numbers is mapped linearly to 0..1; see brightness. The label is the name of the tensor in
// errors.
func bitmapOf(label string, t *tensor.Tensor) (*bitmap, error) {
	at, ok := numbers(t)
	shape := slices.Clone(t.Shape)
	if len(shape) == 4 && shape[0] == 1 || len(shape) == 3 && shape[0] == 1 && !isChannels(shape[2]) {
		shape = shape[1:]
	}
	if len(shape) == 2 {
		shape = append(shape, 1)
	}
	if !ok || len(shape) != 3 || !isChannels(shape[2]) || t.Len() == 0 {
		return nil, tensor.Errorf(tensor.InvalidArgument, "%s is %v: want a picture, numbers of the shape [h,w], [h,w,c] or [1,h,w,c] with c 1, 3 or 4", label, t)
	}
	b := &bitmap{h: shape[0], w: shape[1], c: shape[2], pix: make([]float64, t.Len())}
	lo, hi := 0.0, 255.0
	if t.DType != tensor.Uint8 {
		lo, hi = brightness(statisticsOf(t.Len(), at))
	}
	for i := range b.pix {
		x := (at(i) - lo) / (hi - lo)
		if math.IsNaN(x) {
			x = 0
		}
		b.pix[i] = min(max(x, 0), 1)
	}
	return b, nil
}

func isChannels(n int) bool { return n == 1 || n == 3 || n == 4 }

// brightness returns the range of numbers that a picture shows: lo is black and hi is white. The
// range is 0..1 if all finite numbers of the tensor are in this range. Otherwise, it is 0..255 if
// all of them are in that range. Otherwise, it goes from the smallest number to the largest.
func brightness(s statistics) (lo, hi float64) {
	switch {
	case s.finite == 0 || s.min >= 0 && s.max <= 1:
		return 0, 1
	case s.min >= 0 && s.max <= 255:
		return 0, 255
	case s.min == s.max:
		return s.min, s.min + 1
	}
	return s.min, s.max
}

// scaled returns the picture with height h and width w. A new pixel is the mean of the original
// pixels that it covers.
func (b *bitmap) scaled(h, w int) *bitmap {
	out := &bitmap{h: h, w: w, c: b.c, pix: make([]float64, h*w*b.c)}
	for y := range h {
		y0, y1 := span(y, h, b.h)
		for x := range w {
			x0, x1 := span(x, w, b.w)
			for c := range b.c {
				sum := 0.0
				for yy := y0; yy < y1; yy++ {
					for xx := x0; xx < x1; xx++ {
						sum += b.pix[(yy*b.w+xx)*b.c+c]
					}
				}
				out.pix[(y*w+x)*b.c+c] = sum / float64((y1-y0)*(x1-x0))
			}
		}
	}
	return out
}

// span returns the range lo..hi-1 of the original pixels that pixel i of a scaled row covers. The
// scaled row has n pixels. The last argument is the number of pixels of the original row. The range
// has at least one pixel.
func span(i, n, from int) (lo, hi int) {
	lo, hi = i*from/n, (i+1)*from/n
	return lo, max(hi, lo+1)
}

// at returns the colour of the pixel in row y and column x, in front of a black background.
func (b *bitmap) at(y, x int) color.RGBA {
	p := b.pix[(y*b.w+x)*b.c:]
	level := func(v float64) uint8 { return uint8(math.Round(v * 255)) }
	switch b.c {
	case 1:
		return color.RGBA{level(p[0]), level(p[0]), level(p[0]), 255}
	case 3:
		return color.RGBA{level(p[0]), level(p[1]), level(p[2]), 255}
	}
	return color.RGBA{level(p[0] * p[3]), level(p[1] * p[3]), level(p[2] * p[3]), 255}
}

// shades has the characters that draw a picture without colours, from dark to bright.
const shades = " .:-=+*#%@"

// draw prints a picture on a terminal. With colours, each character shows two pixels, one above the
// other. The character is the upper half block ▀. Its foreground colour is that of the upper pixel,
// and its background colour is that of the lower pixel. Without colours, each character is one of
// the shades. A picture that does not fit on the screen is made smaller. It is never made larger.
func draw(w io.Writer, b *bitmap, sc screen) error {
	cols, rows := max(sc.width, 1), max(sc.height-2, 1)*2
	f := min(1, float64(cols)/float64(b.w), float64(rows)/float64(b.h))
	width, height := max(int(float64(b.w)*f), 1), max(int(float64(b.h)*f), 1)
	var out strings.Builder
	if sc.colors == noColors {
		small := b.scaled((height+1)/2, width)
		for y := range small.h {
			var line strings.Builder
			for x := range small.w {
				c := small.at(y, x)
				grey := 0.299*float64(c.R) + 0.587*float64(c.G) + 0.114*float64(c.B)
				line.WriteByte(shades[int(math.Round(grey/255*float64(len(shades)-1)))])
			}
			out.WriteString(strings.TrimRight(line.String(), " ") + "\n")
		}
		_, err := io.WriteString(w, out.String())
		return err
	}
	small := b.scaled(height, width)
	for y := 0; y < small.h; y += 2 {
		for x := range small.w {
			out.WriteString(sc.colors.sequence(38, small.at(y, x)))
			if y+1 < small.h {
				out.WriteString(sc.colors.sequence(48, small.at(y+1, x)))
			}
			out.WriteString("▀")
		}
		out.WriteString("\x1b[0m\n")
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// sequence returns the escape sequence that sets the colour of the foreground (layer 38) or the background
// (layer 48).
func (c colors) sequence(layer int, p color.RGBA) string {
	if c == trueColors {
		return fmt.Sprintf("\x1b[%d;2;%d;%d;%dm", layer, p.R, p.G, p.B)
	}
	return fmt.Sprintf("\x1b[%d;5;%dm", layer, nearest256(p))
}

// nearest256 returns the number of that colour which is nearest to p among the terminal's 256
// colours. These contain a cube of 6×6×6 colours with the levels 0, 95, 135, 175, 215 and 255, and
// 24 greys from 8 to 238.
func nearest256(p color.RGBA) int {
	levels := [6]int{0, 95, 135, 175, 215, 255}
	near := func(v uint8) int {
		best := 0
		for i, l := range levels {
			if abs(l-int(v)) < abs(levels[best]-int(v)) {
				best = i
			}
		}
		return best
	}
	r, g, b := near(p.R), near(p.G), near(p.B)
	grey := min(max((int(p.R)+int(p.G)+int(p.B))/3-3, 0)/10, 23)
	far := func(r, g, b int) int {
		return sq(r-int(p.R)) + sq(g-int(p.G)) + sq(b-int(p.B))
	}
	if level := 8 + 10*grey; far(level, level, level) < far(levels[r], levels[g], levels[b]) {
		return 232 + grey
	}
	return 16 + 36*r + 6*g + b
}

func abs(n int) int { return max(n, -n) }

func sq(n int) int { return n * n }
