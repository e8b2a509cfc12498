package repl

import (
	"bufio"
	"fmt"
	"image"
	_ "image/gif" // these imports register the decoders for files that the user feeds
	_ "image/jpeg"
	"image/png"
	"io"
	"math"
	"slices"

	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/files"
	"github.com/graphc/graphc/rt/tensor"
)

// isPicture reports whether files with this ending are read as pictures.
func isPicture(ext string) bool {
	return slices.Contains([]string{".png", ".jpg", ".jpeg", ".gif"}, ext)
}

// readPicture reads the picture v.file as a value for the input p. The shape of p must be unknown,
// [h,w], [h,w,c] or [n,h,w,c]. A known n must be 1. If h or w is known and the picture has another
// size, readPicture scales the picture and returns a note about it. If v has a range, black is v.lo
// and white is v.hi. Otherwise, the elements are from 0 to 1 for floating-point types, and from 0
// to 255 for other types. The parameter limit is the maximum size of the value in bytes.
func readPicture(v value, p *rt.Port, limit int) (t *tensor.Tensor, note string, err error) {
	f, _, err := files.OpenFile(v.file)
	if err != nil {
		return nil, "", files.Error(err)
	}
	defer f.Close()
	b, err := decode(bufio.NewReader(f), f, channelsOf(p), limit)
	if err != nil {
		return nil, "", tensor.Errorf(tensor.CodeOf(err), "%s: %s", v.file, tensor.Message(err))
	}
	shape, err := pictureShape(p, b)
	if err != nil {
		return nil, "", tensor.Errorf(tensor.CodeOf(err), "%s: %s", v.file, tensor.Message(err))
	}
	h, w := shape[len(shape)-3], shape[len(shape)-2]
	if h != b.h || w != b.w {
		note = fmt.Sprintf("%s is scaled from %d×%d to %d×%d", v.file, b.w, b.h, w, h)
		b = b.scaled(h, w)
	}
	if !p.AnyRank && len(p.Shape) == 2 {
		shape = shape[:2]
	}
	lo, hi := 0.0, 1.0
	switch {
	case v.ranged:
		lo, hi = v.lo, v.hi
	case !p.DType.IsFloat():
		hi = 255
	}
	if t, err = tensor.New(p.DType, shape, limit); err != nil {
		return nil, "", err
	}
	for i, x := range b.pix {
		if err := setNumber(t, i, lo+(hi-lo)*x); err != nil {
			return nil, "", err
		}
	}
	return t, note, nil
}

// channelsOf returns the number of channels that an input needs. It is 1 for an input of the shape
// [h,w], and 3 if the number is unknown.
func channelsOf(p *rt.Port) int {
	switch {
	case !p.AnyRank && len(p.Shape) == 2:
		return 1
	case !p.AnyRank && len(p.Shape) > 2 && p.Shape[len(p.Shape)-1] > 0:
		return p.Shape[len(p.Shape)-1]
	}
	return 3
}

// pictureShape returns the shape that picture b gets as a value for input p. The last three sizes
// are the height, the width and the number of channels, even if the input has the shape [h,w].
func pictureShape(p *rt.Port, b *bitmap) (tensor.Shape, error) {
	shape := tensor.Shape{b.h, b.w, b.c}
	if p.AnyRank {
		return shape, nil
	}
	want := p.Shape
	if len(want) == 2 {
		want = []int{want[0], want[1], 1}
	}
	if len(want) == 4 {
		shape = append(tensor.Shape{1}, shape...)
	}
	if len(want) != len(shape) || len(want) == 4 && want[0] > 1 || !isChannels(b.c) {
		return nil, tensor.Errorf(tensor.InvalidArgument, "a picture is no %v: want the shape [h,w], [h,w,c] or [1,h,w,c] with c 1, 3 or 4", p)
	}
	for i := len(shape) - 3; i < len(shape)-1; i++ {
		if want[i] > 0 {
			shape[i] = want[i]
		}
	}
	return shape, nil
}

// pixelBytes is the memory in bytes that each pixel takes while a picture is read.
const pixelBytes = 8 * 4

// decode reads a picture. It checks the size in the picture's header before it reads the pixels.
func decode(r *bufio.Reader, f io.ReadSeeker, channels, limit int) (*bitmap, error) {
	if !isChannels(channels) {
		return nil, tensor.Errorf(tensor.InvalidArgument, "a picture has 1, 3 or 4 channels, and %d are wanted", channels)
	}
	conf, _, err := image.DecodeConfig(r)
	if err != nil {
		return nil, tensor.Errorf(tensor.InvalidArgument, "it is no picture that can be read: %v", err)
	}
	if conf.Width <= 0 || conf.Height <= 0 || conf.Width > limit/pixelBytes/conf.Height {
		return nil, tensor.Errorf(tensor.ResourceExhausted, "a picture of %d×%d pixels takes more than %d bytes", conf.Width, conf.Height, limit)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	r.Reset(f)
	img, _, err := image.Decode(r)
	if err != nil {
		return nil, tensor.Errorf(tensor.InvalidArgument, "it is no picture that can be read: %v", err)
	}
	area := img.Bounds()
	b := &bitmap{h: area.Dy(), w: area.Dx(), c: channels, pix: make([]float64, 0, area.Dx()*area.Dy()*channels)}
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			b.pix = append(b.pix, pixel(img, x, y, channels)...)
		}
	}
	return b, nil
}

// pixel returns the channels of a pixel: one for grey, three for RGB, or four for RGBA. For grey
// and RGB, the colour is multiplied by the opacity of the pixel.
func pixel(img image.Image, x, y, channels int) []float64 {
	r, g, b, a := img.At(x, y).RGBA()
	part := func(v uint32) float64 { return float64(v) / math.MaxUint16 }
	switch {
	case channels == 1:
		return []float64{0.299*part(r) + 0.587*part(g) + 0.114*part(b)}
	case channels == 3:
		return []float64{part(r), part(g), part(b)}
	case a == 0:
		return []float64{0, 0, 0, 0}
	}
	return []float64{part(r) / part(a), part(g) / part(a), part(b) / part(a), part(a)}
}

// writePNG writes a picture as a PNG file.
func writePNG(w io.Writer, b *bitmap) error {
	area := image.Rect(0, 0, b.w, b.h)
	level := func(x float64) uint8 { return uint8(math.Round(x * 255)) }
	if b.c == 1 {
		img := image.NewGray(area)
		for i, x := range b.pix {
			img.Pix[i] = level(x)
		}
		return png.Encode(w, img)
	}
	img := image.NewNRGBA(area)
	for i := range b.h * b.w {
		for c := range 4 {
			x := 1.0
			if c < b.c {
				x = b.pix[i*b.c+c]
			}
			img.Pix[4*i+c] = level(x)
		}
	}
	return png.Encode(w, img)
}
