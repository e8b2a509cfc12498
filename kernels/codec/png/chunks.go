// Package png decodes and encodes PNG pictures as libpng does with the transformations that
// TensorFlow uses. Samples of 1, 2 and 4 bits and palettes are expanded, alpha is added or
// dropped, and 16 bits are truncated to 8. Colours become grey by ITU-R 601 weights, in linear
// light if the file has a gamma.
//
// Reference: W3C, Portable Network Graphics (PNG) Specification, second edition.
package png

import (
	"hash/crc32"
	"math"

	"github.com/graphc/graphc/rt/tensor"
)

// The bits of a colour type.
const (
	usesPalette = 1
	usesColour  = 2
	usesAlpha   = 4
)

const (
	signature = "\x89PNG\r\n\x1a\n"
	maxSide   = 1000000
	maxPixels = 1 << 29
	maxChunk  = 8000000
	// most is the largest number of bytes that one byte of deflated data expands to.
	most = 1032
)

func bad(format string, args ...any) error {
	return tensor.Errorf(tensor.InvalidArgument, "PNG: "+format, args...)
}

// file is a parsed PNG file.
type file struct {
	w, h, depth int
	kind        byte // the colour type
	interlaced  bool
	palette     [256][3]uint8
	colours     int // entries of the palette
	trans       string
	hasTrans    bool
	gamma       int // the gamma times 100000; 0 if the file has none
	idat        []string
	whole       bool // whether the file is complete
}

func be32(s string) uint32 {
	return uint32(s[0])<<24 | uint32(s[1])<<16 | uint32(s[2])<<8 | uint32(s[3])
}

// size32 returns the result of be32 as an int. If the result exceeds 2^31-1, size32 returns 2^31-1,
// which fits an int of 32 bits.
func size32(s string) int { return int(min(be32(s), math.MaxInt32)) }

func be16(s string) int { return int(s[0])<<8 | int(s[1]) }

// parse reads the chunks of a file. It returns InvalidArgument if the file is damaged before the
// picture's data (the first IDAT chunk). If the file is damaged later, the result's field whole is
// false.
func parse(data string) (*file, error) {
	if len(data) < 8 || data[:8] != signature {
		return nil, bad("not a PNG file")
	}
	f := &file{}
	p := data[8:]
	first, ended := true, false // ended says whether all chunks of the picture's data were read
	var plte bool
	fail := func(format string, args ...any) (*file, error) {
		if len(f.idat) > 0 {
			return f, nil
		}
		return nil, bad(format, args...)
	}
	for {
		if len(p) < 8 {
			return fail("the file ends early")
		}
		n, name := size32(p), p[4:8]
		for i := range 4 {
			if c := name[i] | 0x20; c < 'a' || c > 'z' {
				return fail("invalid chunk type %q", name)
			}
		}
		switch {
		case be32(p) > math.MaxInt32 || n > maxChunk && name != "IDAT":
			return fail("the chunk %s has %d bytes, too many", name, be32(p))
		case first != (name == "IHDR"):
			return fail("the chunk %s is out of place", name)
		}
		if name == "IDAT" && !ended {
			if f.kind&usesPalette != 0 && !plte {
				return fail("the palette is missing")
			}
			if len(p)-8 < n { // no error, because Size may succeed with an incomplete chunk
				f.idat = append(f.idat, p[8:])
				return f, nil
			}
		}
		if len(p)-12 < n {
			return fail("the file ends early")
		}
		body := p[8 : 8+n]
		sum := crc32.Update(crc32.ChecksumIEEE([]byte(name)), crc32.IEEETable, []byte(body))
		intact := sum == be32(p[8+n:])
		critical := name[0]&0x20 == 0
		if !intact && critical {
			if name == "IDAT" && !ended {
				f.idat = append(f.idat, body)
			}
			return fail("the check sum of %s is wrong", name)
		}
		p = p[12+n:]
		if len(f.idat) > 0 && name != "IDAT" {
			ended = true
		}
		first = false
		switch name {
		case "IHDR":
			if err := f.header(body); err != nil {
				return nil, err
			}
		case "PLTE":
			if plte {
				return fail("a second palette")
			}
			if len(f.idat) > 0 || f.kind&usesColour == 0 {
				break
			}
			plte = true
			if n > 768 || n%3 != 0 {
				if f.kind&usesPalette != 0 {
					return nil, bad("a palette of %d bytes", n)
				}
				break
			}
			f.colours = n / 3
			if f.kind&usesPalette != 0 {
				f.colours = min(f.colours, 1<<f.depth)
				if f.colours == 0 {
					return nil, bad("the palette is empty")
				}
			}
			for i := range f.colours {
				f.palette[i] = [3]uint8([]byte(body[3*i : 3*i+3]))
			}
		case "tRNS":
			if intact && len(f.idat) == 0 && !f.hasTrans {
				f.transparency(body, plte)
			}
		case "gAMA":
			if intact && len(f.idat) == 0 && !plte && f.gamma == 0 && n == 4 && be32(body) < 1<<31 {
				f.gamma = size32(body)
			}
		case "sRGB":
			if intact && len(f.idat) == 0 && !plte && n == 1 && body[0] < 4 {
				f.gamma = 45455
			}
		case "IDAT":
			if !ended {
				f.idat = append(f.idat, body)
			}
		case "IEND":
			if len(f.idat) == 0 {
				return fail("there is no picture in the file")
			}
			f.whole = true
			return f, nil
		default:
			if critical {
				return fail("unknown chunk %s", name)
			}
		}
	}
}

func (f *file) header(s string) error {
	if len(s) != 13 {
		return bad("the header has %d bytes, not 13", len(s))
	}
	f.w, f.h, f.depth, f.kind, f.interlaced = size32(s), size32(s[4:]), int(s[8]), s[9], s[12] == 1
	switch {
	case f.w == 0 || f.h == 0 || f.w > maxSide || f.h > maxSide || int64(f.w)*int64(f.h) >= maxPixels:
		return bad("the size %d x %d is not supported", f.h, f.w)
	case s[10] != 0 || s[11] != 0 || s[12] > 1:
		return bad("unknown compression, filter or interlacing")
	}
	ok := f.depth == 8
	switch f.kind {
	case 0:
		ok = ok || f.depth == 1 || f.depth == 2 || f.depth == 4 || f.depth == 16
	case 3:
		ok = ok || f.depth == 1 || f.depth == 2 || f.depth == 4
	case 2, 4, 6:
		ok = ok || f.depth == 16
	default:
		ok = false
	}
	if !ok {
		return bad("the colour type %d with %d bits is not valid", f.kind, f.depth)
	}
	return nil
}

func (f *file) transparency(s string, plte bool) {
	want := 0
	switch f.kind {
	case 0:
		want = 2
	case 2:
		want = 6
	case 3:
		if plte && len(s) > 0 && len(s) <= f.colours {
			f.trans, f.hasTrans = s, true
		}
		return
	default:
		return
	}
	if len(s) == want {
		f.trans, f.hasTrans = s, true
	}
}

// channels returns the number of channels that TensorFlow chooses for the file by default.
func (f *file) channels() int {
	switch f.kind {
	case 0:
		return 1
	case 4:
		return 2
	case 6:
		return 4
	case 3:
		if f.hasTrans {
			return 4
		}
	}
	return 3
}

// samples returns the number of samples of a pixel in the file.
func (f *file) samples() int {
	switch f.kind {
	case 0, 3:
		return 1
	case 4:
		return 2
	case 2:
		return 3
	}
	return 4
}

// Size returns the height, the width and the number of channels of the picture. The result c is the
// requested number of channels, or the file's own number if channels is 0. Size rejects a file that
// is too short for its picture.
func Size(data string, channels int) (h, w, c int, err error) {
	f, err := parse(data)
	if err != nil {
		return 0, 0, 0, err
	}
	total := 0
	for _, s := range f.idat {
		total += len(s)
	}
	if f.h*((f.w*f.samples()*f.depth+7)/8) > (total+1)*most {
		return 0, 0, 0, bad("%d bytes are not enough for %d x %d pixels", total, f.h, f.w)
	}
	if channels == 0 {
		channels = f.channels()
	}
	return f.h, f.w, channels, nil
}
