// Package bmp decodes uncompressed BMP pictures of 8, 24 and 32 bits a pixel, as
// TensorFlow does: pixels of 8 bits are grey, and palettes are ignored.
package bmp

import "github.com/graphc/graphc/rt/tensor"

func bad(format string, args ...any) error {
	return tensor.Errorf(tensor.InvalidArgument, "BMP: "+format, args...)
}

// file holds the fields of the header.
type file struct {
	start, w, h, channels, stride int
	down                          bool // whether the first row in the file is the top row
}

func le32(s string) int {
	return int(int32(uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24))
}

func parse(s string) (f file, err error) {
	if len(s) < 32 {
		return f, bad("incomplete content, at least 32 bytes are required, there are %d", len(s))
	}
	f.start, f.w, f.h = le32(s[10:]), le32(s[18:]), le32(s[22:])
	f.channels = int(int16(uint16(s[28])|uint16(s[29])<<8)) / 8
	switch {
	case f.channels != 1 && f.channels != 3 && f.channels != 4:
		return f, bad("%d bytes a pixel, 1, 3 and 4 are supported", f.channels)
	case f.w <= 0:
		return f, bad("the width must be positive, it is %d", f.w)
	case f.h == 0:
		return f, bad("the height must not be 0")
	case f.start < 0:
		return f, bad("the size of the header must not be negative, it is %d", f.start)
	}
	if f.h < 0 {
		f.down, f.h = true, -f.h
	}
	if f.w*f.h >= (1<<31-1)/8 {
		return f, bad("%d x %d pixels are too many", f.h, f.w)
	}
	f.stride = (f.channels*f.w + 3) / 4 * 4
	if n := len(s) - f.start - f.stride*f.h; n != 0 {
		return f, bad("the size differs by %d from that of the header and the rows", n)
	}
	return f, nil
}

// Size returns the height, the width and the number of channels of the picture. The number of
// channels is the parameter channels or, if channels is 0, the number in the file. It returns
// InvalidArgument if the file's size does not match its header.
func Size(data string, channels int) (h, w, c int, err error) {
	f, err := parse(data)
	if err != nil {
		return 0, 0, 0, err
	}
	if channels == 0 {
		channels = f.channels
	}
	return f.h, f.w, channels, nil
}

// Decode writes the picture to dst: rows of pixels with interleaved channels. dst has the size that
// Size returned. If the file has no alpha channel but one is requested, its samples are 255.
func Decode(dst []uint8, data string, channels int) error {
	f, err := parse(data)
	if err != nil {
		return err
	}
	if channels == 0 {
		channels = f.channels
	}
	for y := range f.h {
		at := f.start + y*f.stride
		if !f.down {
			at = f.start + (f.h-1-y)*f.stride
		}
		row := data[at:][:f.stride]
		for x := range f.w {
			s := row[x*f.channels:][:f.channels]
			px := [4]uint8{s[0], s[0], s[0], 255}
			if f.channels >= 3 {
				px[0], px[1], px[2] = s[2], s[1], s[0]
			}
			if f.channels == 4 {
				px[3] = s[3]
			}
			copy(dst[(y*f.w+x)*channels:][:channels], px[:])
		}
	}
	return nil
}
