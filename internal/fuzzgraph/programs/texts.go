package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"sync"

	"github.com/graphc/graphc/rt/tensor"
)

// texts returns t or, if the elements of t are strings, usually a copy of t. In the copy, up to
// three random strings are replaced. The new string is one of these: a string that is difficult for
// parsers; a picture, a sound or compressed bytes, possibly damaged; the old string, damaged.
func (f *feeder) texts(t *tensor.Tensor) *tensor.Tensor {
	d, ok := t.Data.([]string)
	if !ok || len(d) == 0 || f.one(4) {
		return t
	}
	d = append([]string(nil), d...)
	for range min(len(d), 1+f.r.IntN(3)) {
		i := f.r.IntN(len(d))
		switch f.r.IntN(4) {
		case 0:
			d[i] = pick(f, odd)
		case 1:
			d[i] = pick(f, media())
		case 2:
			d[i] = string(f.damaged([]byte(pick(f, media()))))
		case 3:
			d[i] = string(f.damaged([]byte(d[i])))
		}
		f.note("a string of %d bytes, %.60q", len(d[i]), d[i])
	}
	return &tensor.Tensor{DType: t.DType, Shape: t.Shape, Data: d}
}

// odd are strings that are difficult for parsers of numbers, patterns, dates and messages.
var odd = []string{
	"", " ", "\x00", "\xff\xfe", "\xed\xa0\x80", "nan", "-inf", "1e999", "0x1p-2000", "99999999999999999999", "-", "+", ".", "1_000", "1,2,\"3", "a\"b,c\n\"", strings.Repeat(",", 1000),
	"(", "[", "(((((((((((a*)*)*)*)*)*)*)*)*)*)*)", "a{1000}{1000}", `\9`, "(?P<x>", "[[:alpha:]", strings.Repeat("(", 2000), strings.Repeat("a?", 500) + strings.Repeat("a", 500),
	"%s%n%d", "{}", "{", strings.Repeat("{}", 1000), "2038-01-19", "é", "e\u0301", "\U0010ffff", "\ufffd", strings.Repeat("é", 100_000), strings.Repeat("x", 1<<20),
	"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "\x0a\xff\xff\xff\xff\x07", "\x12\x80\x80\x80\x80\x10", strings.Repeat("\x0a\x7f", 64), strings.Repeat("[", 5000), `{"a":` + strings.Repeat("[", 500),
}

// media are small pictures, sounds and compressed bytes, some of which claim to be huge.
var media = sync.OnceValue(func() []string {
	var all []string
	keep := func(b []byte) { all = append(all, string(b)) }
	grey, wide := image.NewGray(image.Rect(0, 0, 7, 5)), image.NewNRGBA64(image.Rect(0, 0, 300, 200))
	for i := range 35 {
		grey.Pix[i] = byte(i * 7)
	}
	colours := image.NewPaletted(image.Rect(0, 0, 9, 8), color.Palette{color.Black, color.White, color.RGBA{255, 0, 0, 255}})
	encode := func(f func(b *bytes.Buffer) error) []byte {
		var b bytes.Buffer
		if err := f(&b); err != nil {
			panic(err)
		}
		keep(b.Bytes())
		return b.Bytes()
	}
	small := encode(func(b *bytes.Buffer) error { return png.Encode(b, grey) })
	encode(func(b *bytes.Buffer) error { return png.Encode(b, wide) })
	encode(func(b *bytes.Buffer) error { return png.Encode(b, colours) })
	encode(func(b *bytes.Buffer) error { return png.Encode(b, image.NewNRGBA64(image.Rect(0, 0, 1200, 1200))) }) // 12 kB that expand to 12 MB
	pic := encode(func(b *bytes.Buffer) error { return jpeg.Encode(b, wide, nil) })
	encode(func(b *bytes.Buffer) error { return jpeg.Encode(b, grey, nil) })
	moving := &gif.GIF{}
	for range 3 {
		moving.Image, moving.Delay = append(moving.Image, colours), append(moving.Delay, 1)
	}
	film := encode(func(b *bytes.Buffer) error { return gif.EncodeAll(b, moving) })
	many := &gif.GIF{}
	for range 400 {
		many.Image, many.Delay = append(many.Image, image.NewPaletted(image.Rect(0, 0, 400, 400), colours.Palette)), append(many.Delay, 1)
	}
	encode(func(b *bytes.Buffer) error { return gif.EncodeAll(b, many) })

	// Headers that claim larger sizes than the data.
	for _, n := range []uint32{9000, 65535, 1 << 30} {
		b := bytes.Clone(small)
		binary.BigEndian.PutUint32(b[16:], n)
		binary.BigEndian.PutUint32(b[20:], n)
		keep(b)
	}
	b := bytes.Clone(film)
	binary.LittleEndian.PutUint32(b[6:], 1<<32-1) // both sides 65535
	keep(b)
	b = bytes.Clone(pic)
	if at := bytes.Index(b, []byte{0xff, 0xc0}); at >= 0 {
		binary.BigEndian.PutUint32(b[at+5:], 1<<32-1)
	}
	keep(b)

	bmp := func(w, h int32, bits uint16) []byte {
		b := make([]byte, 54+48)
		copy(b, "BM")
		binary.LittleEndian.PutUint32(b[2:], uint32(len(b)))
		binary.LittleEndian.PutUint32(b[10:], 54)
		binary.LittleEndian.PutUint32(b[14:], 40)
		binary.LittleEndian.PutUint32(b[18:], uint32(w))
		binary.LittleEndian.PutUint32(b[22:], uint32(h))
		binary.LittleEndian.PutUint16(b[26:], 1)
		binary.LittleEndian.PutUint16(b[28:], bits)
		return b
	}
	keep(bmp(4, 4, 24))
	keep(bmp(4, -4, 24))
	keep(bmp(1<<30, 1<<30, 24))
	keep(bmp(-1<<31, -1<<31, 32))

	wav := func(channels uint16, size uint32) []byte {
		b := []byte("RIFF\x44\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00")
		b = binary.LittleEndian.AppendUint16(b, channels)
		b = binary.LittleEndian.AppendUint32(b, 44100)
		b = binary.LittleEndian.AppendUint32(b, 44100*2*uint32(channels))
		b = binary.LittleEndian.AppendUint16(b, 2*channels)
		b = binary.LittleEndian.AppendUint16(b, 16)
		b = binary.LittleEndian.AppendUint32(append(b, "data"...), size)
		return append(b, make([]byte, 32)...)
	}
	keep(wav(1, 32))
	keep(wav(2, 32))
	keep(wav(65535, 1<<32-1))
	keep(wav(0, 1<<31))

	encode(func(b *bytes.Buffer) error {
		w := gzip.NewWriter(b)
		zeros := make([]byte, 1<<20)
		for range 100 { // 100 kB that expand to 100 MB
			if _, err := w.Write(zeros); err != nil {
				return err
			}
		}
		return w.Close()
	})
	return all
})
