// Package gif decodes GIF pictures as TensorFlow does with the giflib library: every frame is drawn
// over the one before it. The canvas has the largest width and the largest height of any frame.
//
// Reference: CompuServe, Graphics Interchange Format, version 89a.
package gif

import (
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// maxPixels is the largest number of pixels of all frames together.
const maxPixels = 1 << 29

func bad(format string, args ...any) error {
	return tensor.Errorf(tensor.InvalidArgument, "GIF: "+format, args...)
}

type reader struct {
	data string
	pos  int
}

func (r *reader) byte() (byte, error) {
	if r.pos >= len(r.data) {
		return 0, errEnd
	}
	r.pos++
	return r.data[r.pos-1], nil
}

func (r *reader) take(n int) (string, error) {
	if len(r.data)-r.pos < n {
		return "", errEnd
	}
	r.pos += n
	return r.data[r.pos-n : r.pos], nil
}

// skipBlocks skips data blocks, up to and including an empty one.
func (r *reader) skipBlocks() error {
	for {
		n, err := r.byte()
		if err != nil || n == 0 {
			return err
		}
		if _, err := r.take(int(n)); err != nil {
			return err
		}
	}
}

// frame is one picture of the file.
type frame struct {
	left, top, w, h int
	interlaced      bool
	colours         string
	hasColours      bool
	clear           int // the transparent colour; -1 means none
	at              int // the position of the frame's compressed data
	size            int
}

func le16(s string) int { return int(s[0]) | int(s[1])<<8 }

// parse finds the frames. It decompresses each frame to find out whether the frame is damaged,
// because a damaged frame ends the picture. It does not keep the pixels.
func parse(call *mem.Call, data string) ([]frame, error) {
	r := &reader{data: data}
	h, err := r.take(13)
	if err != nil || h[:3] != "GIF" {
		return nil, bad("not a GIF file")
	}
	var global string
	var hasGlobal bool
	if h[10]&0x80 != 0 {
		if global, err = r.take(3 << (h[10]&7 + 1)); err != nil {
			return nil, bad("%v", err)
		}
		hasGlobal = true
	}
	var fs []frame
	var z lzw
	transparent, seen := -1, false
	pixels := 0
	for {
		err := func() error {
			kind, err := r.byte()
			if err != nil {
				return err
			}
			switch kind {
			case 0x3b:
				return errDone
			case 0x21:
				return r.extension(&transparent, &seen)
			case 0x2c:
				f := frame{colours: global, hasColours: hasGlobal, clear: transparent}
				transparent, seen = -1, false
				s, err := r.take(9)
				if err != nil {
					return err
				}
				f.left, f.top, f.w, f.h = le16(s), le16(s[2:]), le16(s[4:]), le16(s[6:])
				f.interlaced = s[8]&0x40 != 0
				if s[8]&0x80 != 0 {
					if f.colours, err = r.take(3 << (s[8]&7 + 1)); err != nil {
						return err
					}
					f.hasColours = true
				}
				size, err := r.byte()
				if err != nil || size > 8 || f.w == 0 || f.h == 0 {
					return errFrame
				}
				if pixels += f.w * f.h; pixels > maxPixels {
					return errFrame
				}
				f.at, f.size = r.pos, int(size)
				z.init(r, f.size)
				mark := call.Mark()
				line := mem.Make[uint8](call, f.w)
				for range f.h {
					call.Work(1 + 10*f.w)
					if err := z.line(line); err != nil {
						return err
					}
				}
				if err := z.finish(); err != nil {
					return err
				}
				call.Release(mark)
				call.Work(1 << 12) // of the tables
				fs = mem.Append(call, fs, f)
				return nil
			}
			return errDefect
		}()
		switch {
		case err == nil:
			continue
		case len(fs) == 0:
			return nil, bad("there is no image in the file: %v", err)
		}
		return fs, nil // everything after a damaged frame is dropped
	}
}

// extension reads an extension. A frame's transparent colour can be set only by the first graphic
// control extension before the frame.
func (r *reader) extension(transparent *int, seen *bool) error {
	kind, err := r.byte()
	if err != nil {
		return err
	}
	if kind == 0xf9 && !*seen && r.pos < len(r.data) && r.data[r.pos] != 0 {
		n := int(r.data[r.pos])
		if n == 4 && len(r.data)-r.pos > 4 && r.data[r.pos+1]&1 != 0 {
			*transparent = int(r.data[r.pos+4])
		}
		*seen = true
	}
	return r.skipBlocks()
}

// Size returns the number of frames (at most one if first is set) and the height and width that all
// decoded frames have. It returns InvalidArgument if data is not a GIF file, or has no complete
// frame.
func Size(run *mem.Budget, data string, first bool) (n, h, w int, err error) {
	call := run.Call()
	defer call.Free()
	fs, err := parse(&call, data)
	if err != nil {
		return 0, 0, 0, err
	}
	for _, f := range fs {
		h, w = max(h, f.h), max(w, f.w)
	}
	n = len(fs)
	if first {
		n = 1
	}
	if n*h*w > maxPixels {
		return 0, 0, 0, bad("%d frames of %d x %d pixels are too many", n, h, w)
	}
	return n, h, w, nil
}

// Decode writes the frames to dst, as rows of pixels with the channels red, green and blue. dst has
// the size that Size returned.
func Decode(run *mem.Budget, dst []uint8, data string, first bool) error {
	call := run.Call()
	defer call.Free()
	fs, err := parse(&call, data)
	if err != nil {
		return err
	}
	var h, w int
	for _, f := range fs {
		h, w = max(h, f.h), max(w, f.w)
	}
	if first {
		fs = fs[:1]
	}
	size := h * w * 3
	for k, f := range fs {
		d := dst[k*size:][:size]
		if k > 0 {
			call.Work(size / 4)
			copy(d, dst[(k-1)*size:])
		} else {
			clear(d)
		}
		if !f.hasColours {
			return bad("frame %d has no colours", k)
		}
		if err := f.draw(&call, d, data, w, h); err != nil {
			return err
		}
	}
	return nil
}

// draw draws a frame over the canvas.
func (f *frame) draw(call *mem.Call, d []uint8, data string, w, h int) error {
	var z lzw
	z.init(&reader{data, f.at}, f.size)
	mark := call.Mark()
	defer call.Release(mark)
	line := mem.Make[uint8](call, f.w)
	starts, steps := []int{0}, []int{1}
	if f.interlaced {
		starts, steps = []int{0, 4, 2, 1}, []int{8, 8, 4, 2}
	}
	for p, start := range starts {
		for y := start; y < f.h; y += steps[p] {
			call.Work(1 + 10*f.w)
			if err := z.line(line); err != nil {
				return bad("%v", err)
			}
			if f.top+y >= h {
				continue
			}
			row := d[(f.top+y)*w*3:][:w*3]
			for x, c := range line {
				if f.left+x >= w {
					break
				}
				if int(c) == f.clear {
					continue
				}
				if 3*int(c) >= len(f.colours) {
					return bad("there is no colour %d, the palette has %d", c, len(f.colours)/3)
				}
				copy(row[3*(f.left+x):], f.colours[3*int(c):][:3])
			}
		}
	}
	return nil
}
