package png

import (
	"bufio"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/graphc/graphc/kernels/internal/typed"
	"github.com/graphc/graphc/rt/tensor"
)

func recorded(t testing.TB) [][]string {
	f, err := os.Open("testdata/decode.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r [][]string
	s := bufio.NewScanner(f)
	for s.Scan() {
		if !strings.HasPrefix(s.Text(), "#") {
			r = append(r, strings.Fields(s.Text()))
		}
	}
	return r
}

func decodeCase(t testing.TB, f []string) (channels, bits int, size, sum, data string) {
	if _, err := fmt.Sscan(f[0]+" "+f[1], &channels, &bits); err != nil {
		t.Fatal(err)
	}
	b, err := base64.StdEncoding.DecodeString(f[4])
	if err != nil {
		t.Fatal(err)
	}
	return channels, bits, f[2], f[3], string(b)
}

// decodeAll returns the samples as bytes. Samples of 16 bits are little-endian.
func decodeAll(data string, channels, bits int) (size string, px []byte, err error) {
	h, w, c, err := Size(data, channels)
	if err != nil {
		return "", nil, err
	}
	size = fmt.Sprintf("%dx%dx%d", h, w, c)
	if bits == 8 {
		px = make([]byte, h*w*c)
		return size, px, DecodeU8(nil, px, data, channels)
	}
	wide := make([]uint16, h*w*c)
	err = DecodeU16(nil, wide, data, channels)
	for _, v := range wide {
		px = binary.LittleEndian.AppendUint16(px, v)
	}
	return size, px, err
}

// TestDecode compares samples with those of TensorFlow, for all colour types and depths, interlaced
// and transparent pictures, gamma, and damaged files.
func TestDecode(t *testing.T) {
	for i, f := range recorded(t) {
		channels, bits, size, sum, data := decodeCase(t, f)
		got, px, err := decodeAll(data, channels, bits)
		switch {
		case size == "error":
			if err == nil {
				t.Errorf("line %d: no error", i+2)
			}
		case err != nil:
			t.Errorf("line %d: %v", i+2, err)
		case got != size || fmt.Sprintf("%08x", crc32.ChecksumIEEE(px)) != sum:
			t.Errorf("line %d: %s %08x, want %s %s", i+2, got, crc32.ChecksumIEEE(px), size, sum)
		}
	}
}

// assemble builds a PNG file from chunks that begin with their names.
func assemble(chunks ...string) string {
	b := []byte(signature)
	for _, c := range chunks {
		b = chunk(b, c[:4], []byte(c[4:]))
	}
	return string(b)
}

func ihdr(w, h int, rest ...byte) string {
	b := binary.BigEndian.AppendUint32([]byte("IHDR"), uint32(w))
	return string(append(binary.BigEndian.AppendUint32(b, uint32(h)), rest...))
}

func TestRefuses(t *testing.T) {
	grey, pal := ihdr(1, 1, 8, 0, 0, 0, 0), ihdr(1, 1, 8, 3, 0, 0, 0)
	idat := "IDATx\x01\x01\x02\x00\xfd\xff\x00\x07\x00\x00\x00\x00"
	if _, px, err := decodeAll(assemble(grey, idat, "IEND"), 0, 8); err != nil || px[0] != 7 {
		t.Fatalf("%v %v", px, err)
	}
	for name, data := range map[string]string{
		"empty":                 "",
		"junk":                  "\x89PNG\r\n\x1a\x0b",
		"cut":                   signature + "\x00\x00",
		"cut header":            assemble(grey)[:20],
		"chunk type":            assemble("IH1R"),
		"no header":             assemble("gAMA\x00\x00\x00\x00"),
		"two headers":           assemble(grey, grey),
		"short header":          assemble("IHDR\x00"),
		"width 0":               assemble(ihdr(0, 1, 8, 0, 0, 0, 0)),
		"too wide":              assemble(ihdr(maxSide+1, 1, 8, 0, 0, 0, 0)),
		"too many pixels":       assemble(ihdr(maxSide, maxSide, 8, 0, 0, 0, 0), idat, "IEND"),
		"more than there is":    assemble(ihdr(60000, 8000, 8, 6, 0, 0, 0), idat, "IEND"),
		"compression":           assemble(ihdr(1, 1, 8, 0, 1, 0, 0)),
		"interlacing":           assemble(ihdr(1, 1, 8, 0, 0, 0, 2)),
		"3 bits":                assemble(ihdr(1, 1, 3, 0, 0, 0, 0)),
		"colour type 5":         assemble(ihdr(1, 1, 8, 5, 0, 0, 0)),
		"palette of 16 bits":    assemble(ihdr(1, 1, 16, 3, 0, 0, 0)),
		"alpha of 4 bits":       assemble(ihdr(1, 1, 4, 4, 0, 0, 0)),
		"no palette":            assemble(pal, idat, "IEND"),
		"palette of 4 bytes":    assemble(pal, "PLTEabcd", idat, "IEND"),
		"empty palette":         assemble(pal, "PLTE", idat, "IEND"),
		"two palettes":          assemble(ihdr(1, 1, 8, 2, 0, 0, 0), "PLTEabc", "PLTEabc"),
		"no picture":            assemble(grey, "IEND"),
		"no end":                assemble(grey, idat),
		"unknown chunk":         assemble(grey, "ABCD"),
		"unknown chunk behind":  assemble(grey, idat, "ABCD", "IEND"),
		"large chunk":           signature + "\x7f\xff\xff\xfftEXt",
		"check sum":             assemble(grey)[:30] + "zzz" + assemble(grey, idat, "IEND")[33:],
		"no deflate":            assemble(grey, "IDAT\x79\x01", "IEND"),
		"little data":           assemble(grey, "IDATx", "IEND"),
		"damaged data":          assemble(grey, "IDATx\x01\xff\xff\xff\xff", "IEND"),
		"half a row":            assemble(grey, "IDATx\x01\x01\x01\x00\xfe\xff\x00", "IEND"),
		"filter 5":              assemble(grey, "IDATx\x01\x01\x02\x00\xfd\xff\x05\x07\x00\x00\x00\x00", "IEND"),
		"data in two parts":     assemble(grey, idat[:8], "tEXt", "IDAT"+idat[8:], "IEND"),
		"cut in the data":       assemble(grey, idat)[:45],
		"check sum of the data": assemble(grey, idat)[:57] + "zzzz",
	} {
		if _, _, err := decodeAll(data, 0, 8); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for name, data := range map[string]string{
		"ancillary chunks":    assemble(grey, "tRNS\x00", "gAMA\x00", "sRGB\x00", "abCd", "PLTEabc", idat, "abCd", "IEND"),
		"bad ancillary chunk": assemble(grey)[:33] + "\x00\x00\x00\x00abCdzzzz" + assemble(grey, idat, "IEND")[33:],
		"odd palette":         assemble(ihdr(1, 1, 8, 2, 0, 0, 0), "PLTEabcd", "IDATx\x01\x01\x04\x00\xfb\xff\x00\x07\x07\x07\x00\x00\x00\x00", "IEND"),
	} {
		if _, _, err := decodeAll(data, 0, 8); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSizeRefuses: a bad picture is refused by its header alone, before memory is allocated.
func TestSizeRefuses(t *testing.T) {
	idat := "IDAT" + strings.Repeat("\x00", 200)
	for name, c := range map[string]struct {
		data string
		ok   bool
	}{
		"as much as may be":   {assemble(ihdr(400, 500, 8, 0, 0, 0, 0), idat, "IEND"), true},
		"more than there is":  {assemble(ihdr(500, 500, 8, 0, 0, 0, 0), idat, "IEND"), false},
		"chunk of 2 GiB":      {assemble(ihdr(10, 10, 8, 0, 0, 0, 0)) + "\x80\x00\x00\x00IDAT" + strings.Repeat("\x00", 200), false},
		"side":                {assemble(ihdr(maxSide, 1, 1, 0, 0, 0, 0), idat, "IEND"), true},
		"too long a side":     {assemble(ihdr(maxSide+1, 1, 1, 0, 0, 0, 0), idat, "IEND"), false},
		"too long other side": {assemble(ihdr(1, maxSide+1, 1, 0, 0, 0, 0), idat, "IEND"), false},
	} {
		if _, _, _, err := Size(c.data, 0); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestEncode decodes the encoder's files, at every level of compression, and compares the pixels.
func TestEncode(t *testing.T) {
	for c := 1; c <= 4; c++ {
		for level := -1; level <= 9; level++ {
			p := EncodeParams{N: 2, H: 5, W: 9, C: c, Compression: level}
			n := p.H * p.W * c
			narrow, wide := make([]uint8, 2*n), make([]uint16, 2*n)
			for i := range narrow {
				narrow[i], wide[i] = uint8(i*i*7), uint16(i*i*1003)
			}
			var dst [2]string
			if err := EncodeU8(nil, dst[:], narrow, p); err != nil {
				t.Fatal(err)
			}
			for i, s := range dst {
				if size, px, err := decodeAll(s, 0, 8); err != nil || size != fmt.Sprintf("5x9x%d", c) || !reflect.DeepEqual(px, narrow[i*n:][:n]) {
					t.Errorf("%d channels, level %d: %s %v", c, level, size, err)
				}
			}
			if err := EncodeU16(nil, dst[:], wide, p); err != nil {
				t.Fatal(err)
			}
			got := make([]uint16, n)
			if err := DecodeU16(nil, got, dst[1], 0); err != nil || !reflect.DeepEqual(got, wide[n:]) {
				t.Errorf("%d channels of 16 bits, level %d: %v", c, level, err)
			}
		}
	}
	var dst [1]string
	for _, c := range []struct {
		p    EncodeParams
		code tensor.Code
	}{
		{EncodeParams{N: 1, H: 1, W: 1, C: 5}, tensor.InvalidArgument},
		{EncodeParams{N: 1, H: 1 << 16, W: 1 << 15, C: 1}, tensor.InvalidArgument},
		{EncodeParams{N: 1, H: 1, W: 1, C: 1, Compression: 10}, tensor.InvalidArgument},
		{EncodeParams{N: 1, H: 0, W: 1, C: 1}, tensor.Internal},
	} {
		var e *tensor.Error
		if err := EncodeU8(nil, dst[:], []uint8{0}, c.p); !errors.As(err, &e) || e.Code != c.code {
			t.Errorf("%+v: %v", c.p, err)
		}
	}
}

// TestSummary checks the messages' fields and the conversion of numbers to bytes.
func TestSummary(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		src  []float32
		half bool
		want []uint8
	}{
		{[]float32{0, 1, 2, .5}, false, []uint8{0, 127, 255, 63}},
		{[]float32{-1, 1, .5, 0}, false, []uint8{1, 255, 191, 128}},
		{[]float32{inf, 1, 2, .5}, false, []uint8{9, 127, 255, 63}},
		{[]float32{0, 0, 0, 0}, false, []uint8{0, 0, 0, 0}},
		{[]float32{0, 1, 3, .5}, true, []uint8{0, 85, 255, 42}},
	} {
		p := SummaryParams{Batch: 1, H: 2, W: 2, C: 1, Most: 1, Bad: "\x09", Half: c.half}
		var dst [1]string
		if err := SummaryF32(nil, dst[:], []string{"t"}, c.src, p); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(dst[0][2:], "\n\at/image\"") {
			t.Errorf("%q", dst[0])
		}
		at := strings.Index(dst[0], signature)
		if dst[0][at-8:at-2] != "\x08\x02\x10\x02\x18\x01" {
			t.Errorf("size %q", dst[0][at-8:at])
		}
		if _, px, err := decodeAll(dst[0][at:], 0, 8); err != nil || !reflect.DeepEqual(px, c.want) {
			t.Errorf("%v: %v %v, want %v", c.src, px, err, c.want)
		}
	}
	var dst [1]string
	if err := SummaryU8(nil, dst[:], []string{"t"}, make([]uint8, 9), SummaryParams{Batch: 3, H: 1, W: 1, C: 3, Most: 2}); err != nil || strings.Count(dst[0], "t/image/") != 2 {
		t.Errorf("%q %v", dst[0], err)
	}
	for _, p := range []SummaryParams{{Batch: 1, H: 1, W: 1, C: 2, Most: 1}, {Batch: 1, H: 0, W: 1, C: 1, Most: 1}, {Batch: 0, H: 1 << 15, W: 1 << 15, C: 1, Most: 1}} {
		if err := SummaryU8(nil, dst[:], []string{"t"}, nil, p); err == nil {
			t.Errorf("%+v: no error", p)
		}
	}
	if err := SummaryF32(nil, dst[:], []string{"t"}, nil, SummaryParams{C: 3, Bad: "ab"}); err == nil {
		t.Error("2 channels for 3 were taken")
	}
}

// FuzzDecode checks that no file causes a panic, an endless loop or large allocations.
func FuzzDecode(f *testing.F) {
	for _, l := range recorded(f) {
		channels, bits, _, _, data := decodeCase(f, l)
		f.Add(data, channels, bits)
	}
	f.Fuzz(func(t *testing.T, data string, channels, bits int) {
		channels = []int{0, 1, 3, 4}[channels&3]
		if h, w, c, err := Size(data, channels); err != nil || h*w*c > 1<<22 {
			return
		}
		_, _, _ = decodeAll(data, channels, bits)
	})
}

// TestEnds: long work on pictures stops when the run ends, and the results count against the budget.
func TestEnds(t *testing.T) {
	const side = 256
	p := EncodeParams{N: 1, H: side, W: side, C: 3, Compression: -1}
	var file [1]string
	if err := EncodeU8(nil, file[:], make([]uint8, side*side*3), p); err != nil {
		t.Fatal(err)
	}
	typed.Ends(t, "to be written", []any{EncodeU8, EncodeU16}, file[:], typed.Seq(0, side*side*3), p)
	typed.Ends(t, "to be read", []any{DecodeU8, DecodeU16}, typed.Out(side*side*3), file[0], 3)
	typed.Exhausts(t, "to be written", []any{EncodeU8, EncodeU16}, side*3, file[:], typed.Seq(0, side*side*3), p)
	typed.Exhausts(t, "to be read", []any{DecodeU8, DecodeU16}, side*3, typed.Out(side*side*3), file[0], 3)
}
