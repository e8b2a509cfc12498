// Package picture detects the format of pictures by their first bytes and decodes them, as
// TensorFlow's decoding ops do. DecodeBmp reads only BMP files, and DecodeAndCropJpeg only JPEG
// files. The other ops read JPEG, PNG and GIF files; DecodeImage also reads BMP files.
package picture

import (
	"strings"

	"github.com/graphc/graphc/kernels/codec/bmp"
	"github.com/graphc/graphc/kernels/codec/gif"
	"github.com/graphc/graphc/kernels/codec/jpeg"
	"github.com/graphc/graphc/kernels/codec/png"
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// The ops.
const (
	Image = iota // DecodeImage
	JPEG
	CropJPEG
	PNG
	GIF
	BMP
)

// Params are the attributes of a decoding op.
type Params struct {
	Op       int
	Channels int  // 1, 3, 4, or 0 for the number in the file
	Expand   bool // whether to decode all frames of a GIF file instead of only the first
	Frames   bool // whether the result has a dimension for the frames
	JPEG     jpeg.Params
}

func bad(format string, args ...any) error {
	return tensor.Errorf(tensor.InvalidArgument, format, args...)
}

// format returns the format of a file, or an error if the op does not read it.
func format(s string, p *Params) (int, error) {
	f := -1
	switch {
	case s == "":
		return 0, bad("the contents are empty")
	case strings.HasPrefix(s, "\xff\xd8\xff"):
		f = JPEG
	case strings.HasPrefix(s, "\x89PNG\r\n\x1a\n"):
		f = PNG
	case strings.HasPrefix(s, "GIF8"):
		f = GIF
	case strings.HasPrefix(s, "BM"):
		f = BMP
	case len(s) > 12 && s[:4] == "RIFF" && s[8:12] == "WEBP", strings.HasPrefix(s, "\xff\x0a"), strings.HasPrefix(s, "\x00\x00\x00\x0cJXL \r\n\x87\n"):
		return 0, tensor.Errorf(tensor.Unimplemented, "WebP and JPEG XL files are not decoded, JPEG, PNG, GIF and BMP are")
	default:
		return 0, bad("unknown image file format, one of JPEG, PNG, GIF, BMP is required")
	}
	name := [...]string{JPEG: "JPEG", PNG: "PNG", GIF: "GIF", BMP: "BMP"}[f]
	switch {
	case p.Op == BMP && f != BMP, p.Op == CropJPEG && f != JPEG, f == BMP && p.Op != BMP && p.Op != Image:
		return 0, bad("the contents are a %s file, which this op does not read", name)
	case f == JPEG && p.Channels == 4, f == GIF && p.Channels != 0 && p.Channels != 3, f == BMP && p.Channels == 1:
		return 0, bad("%d channels are not supported for %s files", p.Channels, name)
	}
	return f, nil
}

// size returns the size of the picture in the file s. frames is 0 if the result has no dimension
// for frames.
func size(run *mem.Budget, s string, p *Params) (frames, h, w, c int, err error) {
	f, err := format(s, p)
	if err != nil {
		return 0, 0, 0, 0, err
	}
	switch f {
	case JPEG:
		q := p.JPEG
		q.Channels = p.Channels
		h, w, c, err = jpeg.Size(s, q)
	case PNG:
		h, w, c, err = png.Size(s, p.Channels)
	case BMP:
		h, w, c, err = bmp.Size(s, p.Channels)
	default:
		frames, h, w, err = gif.Size(run, s, p.Op == Image && !p.Expand)
		c = 3
		switch {
		case err != nil:
		case p.Op == Image && !p.Expand:
			frames = 0
		case p.Op == JPEG || p.Op == PNG:
			if frames != 1 {
				err = bad("the GIF file has %d frames: only DecodeGif and DecodeImage decode animations", frames)
			}
			frames = 0
		case p.Op == Image && !p.Frames:
			err = tensor.Errorf(tensor.Unimplemented, "a GIF file for DecodeImage with expand_animations has 4 dimensions, the compiled graph needs 3")
		}
	}
	return frames, h, w, c, err
}

// Size3 returns the height, the width and the number of channels of the picture. It returns
// InvalidArgument if contents is not a picture that the op reads. It returns Unimplemented for WebP
// and JPEG XL files, and if a GIF file needs a dimension for frames that the result does not have.
func Size3(run *mem.Budget, contents []string, p Params) (h, w, c int, err error) {
	_, h, w, c, err = size(run, contents[0], &p)
	return h, w, c, err
}

// Size4 returns the number of frames, which is at least one, and then the results of Size3.
func Size4(run *mem.Budget, contents []string, p Params) (n, h, w, c int, err error) {
	n, h, w, c, err = size(run, contents[0], &p)
	return max(n, 1), h, w, c, err
}

// SizeAny returns the rank of the result and its dimensions, padded with ones. The rank is 4 if the
// result has a dimension for the frames of a GIF file, otherwise 3.
func SizeAny(run *mem.Budget, contents []string, p Params) (rank, d0, d1, d2, d3, d4, d5, d6, d7 int, err error) {
	p.Frames = true
	n, h, w, c, err := size(run, contents[0], &p)
	if n > 0 {
		return 4, n, h, w, c, 1, 1, 1, 1, err
	}
	return 3, h, w, c, 1, 1, 1, 1, 1, err
}

func crop(q jpeg.Params, window []int32) jpeg.Params {
	q.Crop = true
	q.Y, q.X, q.H, q.W = int(window[0]), int(window[1]), int(window[2]), int(window[3])
	return q
}

// CropSize is like Size3, but for a window [y, x, height, width] of a JPEG file.
func CropSize(run *mem.Budget, contents []string, window []int32, p Params) (h, w, c int, err error) {
	p.JPEG = crop(p.JPEG, window)
	return Size3(run, contents, p)
}

// CropU8 is like DecodeU8, but decodes only a window [y, x, height, width] of a JPEG file.
func CropU8(run *mem.Budget, dst []uint8, contents []string, window []int32, p Params) error {
	p.JPEG = crop(p.JPEG, window)
	return DecodeU8(run, dst, contents, p)
}

// bytes decodes a file to 8 bits a sample.
func bytes(run *mem.Budget, dst []uint8, s string, f int, p *Params) error {
	switch f {
	case JPEG:
		q := p.JPEG
		q.Channels = p.Channels
		return jpeg.Decode(run, dst, s, q)
	case GIF:
		return gif.Decode(run, dst, s, p.Op == Image && !p.Expand)
	}
	return bmp.Decode(dst, s, p.Channels)
}

// DecodeU8 writes the picture's frames to dst, one after the other. A frame consists of rows of pixels
// with interleaved channels. dst has the size that the Size functions return.
func DecodeU8(run *mem.Budget, dst []uint8, contents []string, p Params) error {
	f, err := format(contents[0], &p)
	if err != nil {
		return err
	}
	if f == PNG {
		return png.DecodeU8(run, dst, contents[0], p.Channels)
	}
	return bytes(run, dst, contents[0], f, &p)
}

// DecodeU16 is DecodeU8 for u16. Samples of PNG files are scaled to 16 bits. The 8-bit samples of
// other files become the upper 8 bits, and the lower 8 bits are 0.
func DecodeU16(run *mem.Budget, dst []uint16, contents []string, p Params) error {
	f, err := format(contents[0], &p)
	if err != nil {
		return err
	}
	if f == PNG {
		return png.DecodeU16(run, dst, contents[0], p.Channels)
	}
	call := run.Call()
	defer call.Free()
	b := mem.Make[uint8](&call, len(dst))
	if err := bytes(run, b, contents[0], f, &p); err != nil {
		return err
	}
	for i, v := range b {
		dst[i] = uint16(v) << 8
	}
	return nil
}

// DecodeF32 is DecodeU8 for f32, with samples scaled to [0, 1].
func DecodeF32(run *mem.Budget, dst []float32, contents []string, p Params) error {
	f, err := format(contents[0], &p)
	if err != nil {
		return err
	}
	if f == PNG {
		call := run.Call()
		defer call.Free()
		b := mem.Make[uint16](&call, len(dst))
		if err := png.DecodeU16(run, b, contents[0], p.Channels); err != nil {
			return err
		}
		const scale = float32(1. / 65535)
		for i, v := range b {
			dst[i] = float32(v) * scale
		}
		return nil
	}
	call := run.Call()
	defer call.Free()
	b := mem.Make[uint8](&call, len(dst))
	if err := bytes(run, b, contents[0], f, &p); err != nil {
		return err
	}
	const scale = float32(1. / 255)
	for i, v := range b {
		dst[i] = float32(v) * scale
	}
	return nil
}

// ShapeI32 writes the height, the width and the number of components in a JPEG file's header.
func ShapeI32(dst []int32, contents []string) error {
	h, w, c, err := jpeg.Shape(contents[0])
	dst[0], dst[1], dst[2] = int32(h), int32(w), int32(c)
	return err
}

// ShapeI64 is ShapeI32 for i64.
func ShapeI64(dst []int64, contents []string) error {
	h, w, c, err := jpeg.Shape(contents[0])
	dst[0], dst[1], dst[2] = int64(h), int64(w), int64(c)
	return err
}
