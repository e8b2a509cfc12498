package jpeg

import (
	"bufio"
	"encoding/base64"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"strings"
	"testing"

	"github.com/graphc/graphc/kernels/internal/typed"
	"github.com/graphc/graphc/rt/tensor"
)

// recorded returns the fields of each line of the named file in testdata, which holds TensorFlow's
// results.
func recorded(t testing.TB, name string) [][]string {
	f, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r [][]string
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		if !strings.HasPrefix(s.Text(), "#") {
			r = append(r, strings.Fields(s.Text()))
		}
	}
	return r
}

// decodeCase parses the fields of a line of decode.txt.
func decodeCase(t testing.TB, f []string) (p Params, size, sum, data string) {
	var box, recover, accurate int
	if _, err := fmt.Sscan(strings.Join(f[:6], " "), &p.Channels, &p.Ratio, &box, &recover, &p.Acceptable, &accurate); err != nil {
		t.Fatal(err)
	}
	p.Box, p.Recover, p.Accurate = box == 1, recover == 1, accurate == 1
	if f[6] != "-" {
		p.Crop = true
		if _, err := fmt.Sscanf(f[6], "%d,%d,%d,%d", &p.Y, &p.X, &p.H, &p.W); err != nil {
			t.Fatal(err)
		}
	}
	b, err := base64.StdEncoding.DecodeString(f[9])
	if err != nil {
		t.Fatal(err)
	}
	return p, f[7], f[8], string(b)
}

func decodeAll(data string, p Params) (size string, dst []uint8, err error) {
	h, w, c, err := Size(data, p)
	if err != nil {
		return "", nil, err
	}
	dst = make([]uint8, h*w*c)
	return fmt.Sprintf("%dx%dx%d", h, w, c), dst, Decode(nil, dst, data, p)
}

// TestDecode compares pixels with those of TensorFlow, for all subsamplings and colour spaces, for
// crop windows, and for damaged files.
func TestDecode(t *testing.T) {
	for i, f := range recorded(t, "decode.txt") {
		p, size, sum, data := decodeCase(t, f)
		got, dst, err := decodeAll(data, p)
		switch {
		case size == "error":
			if err == nil {
				t.Errorf("line %d: no error: %+v", i+2, p)
			}
		case err != nil:
			t.Errorf("line %d: %v: %+v", i+2, err, p)
		case got != size || fmt.Sprintf("%08x", crc32.ChecksumIEEE(dst)) != sum:
			t.Errorf("line %d: %s %08x, want %s %s: %+v", i+2, got, crc32.ChecksumIEEE(dst), size, sum, p)
		}
	}
}

// pattern returns the pixels with which encode.txt was recorded.
func pattern(h, w, c, kind int) []uint8 {
	d := make([]uint8, h*w*c)
	for i := range d {
		x, y, k := i/c%w, i/c/w, i%c
		if kind == 0 {
			d[i] = uint8(uint64(i) * 2654435761 >> 13)
		} else {
			d[i] = uint8(x*5 + y*3 + k*40 + x*y%7)
		}
	}
	return d
}

// TestEncode compares files with those of TensorFlow byte by byte.
func TestEncode(t *testing.T) {
	for i, f := range recorded(t, "encode.txt") {
		var kind, progressive, optimize, full, length int
		var xmp, sum string
		p := EncodeParams{}
		if _, err := fmt.Sscan(strings.Join(f, " "), &p.H, &p.W, &p.C, &kind, &p.Quality, &progressive, &optimize, &full, &p.Unit, &p.DensityX, &xmp, &length, &sum); err != nil {
			t.Fatal(err)
		}
		p.Progressive, p.Optimize, p.Full, p.DensityY = progressive == 1, optimize == 1, full == 1, p.DensityX+1
		if xmp != "-" {
			p.XMP = xmp
		}
		var dst [1]string
		if err := Encode(nil, dst[:], pattern(p.H, p.W, p.C, kind), p); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(dst[0]))); got != sum || len(dst[0]) != length {
			t.Errorf("line %d: %d bytes %s, want %d %s: %+v", i+2, len(dst[0]), got, length, sum, p)
		}
	}
}

func encoded(t testing.TB, p EncodeParams) string {
	var dst [1]string
	if err := Encode(nil, dst[:], pattern(p.H, p.W, p.C, 1), p); err != nil {
		t.Fatal(err)
	}
	return dst[0]
}

func TestEncodeRefuses(t *testing.T) {
	var dst [1]string
	for _, c := range []struct {
		p    EncodeParams
		code tensor.Code
	}{
		{EncodeParams{H: 1, W: 1, C: 2}, tensor.InvalidArgument},
		{EncodeParams{H: 1, W: 1, C: 3, Grey: true}, tensor.InvalidArgument},
		{EncodeParams{H: 1, W: 1, C: 1, Colour: true}, tensor.InvalidArgument},
		{EncodeParams{H: 1, W: 1, C: 1, Quality: 101}, tensor.InvalidArgument},
		{EncodeParams{H: 1 << 16, W: 1 << 15, C: 1}, tensor.InvalidArgument},
		{EncodeParams{H: 0, W: 1, C: 1}, tensor.Internal},
		{EncodeParams{H: 1, W: 65501, C: 1}, tensor.Internal},
		{EncodeParams{H: 1, W: 1, C: 1, XMP: strings.Repeat("x", 65535)}, tensor.Internal},
	} {
		var e *tensor.Error
		if err := Encode(nil, dst[:], nil, c.p); !errors.As(err, &e) || e.Code != c.code {
			t.Errorf("%d x %d x %d: %v", c.p.H, c.p.W, c.p.C, err)
		}
	}
	if err := EncodeQuality(nil, dst[:], nil, []int32{-1}, EncodeParams{H: 1, W: 1, C: 1}); err == nil {
		t.Error("quality -1 was taken")
	}
}

// TestHeaders: the decoder refuses files with damaged headers.
func TestHeaders(t *testing.T) {
	good := encoded(t, EncodeParams{H: 9, W: 9, C: 3, Quality: 50, Unit: 1})
	sof, dht, dqt, sos := strings.Index(good, "\xff\xc0"), strings.Index(good, "\xff\xc4"), strings.Index(good, "\xff\xdb"), strings.Index(good, "\xff\xda")
	with := func(at int, b ...byte) string { return good[:at] + string(b) + good[at+len(b):] }
	insert := func(at int, s string) string { return good[:at] + s + good[at:] }
	for name, data := range map[string]string{
		"empty":                    "",
		"no start":                 "\xff\xd9\xff\xd8",
		"only the start":           "\xff\xd8",
		"no image":                 "\xff\xd8\xff\xd9",
		"a second start":           insert(2, "\xff\xd8"),
		"lossless":                 with(sof+1, 0xc3),
		"arithmetic":               with(sof+1, 0xc9),
		"unknown marker":           insert(2, "\xff\x02"),
		"a second frame":           insert(sos, good[sof:sof+19]),
		"no frame":                 good[:sof] + good[sof+19:],
		"height 0":                 with(sof+5, 0, 0),
		"no components":            with(sof+9, 0),
		"frame's length":           with(sof+9, 2),
		"too wide":                 with(sof+5, 0xff, 0xff),
		"12 bits":                  with(sof+4, 12),
		"sampling 0":               with(sof+11, 0x01),
		"sampling 5":               with(sof+11, 0x51),
		"sampling 3 and 2":         with(sof+11, 0x31, 0, 2, 0x21),
		"short frame":              insert(2, "\xff\xc0\x00\x03\x00"),
		"length 1":                 insert(2, "\xff\xdb\x00\x01"),
		"quantization table 4":     with(dqt+4, 4),
		"quantization table cut":   with(dqt+2, 0, 60),
		"quantization table gone":  with(dqt+4, 3),
		"Huffman table 4":          with(dht+4, 4),
		"Huffman codes all ones":   with(dht+5, 2, 0),
		"Huffman codes too many":   with(dht+5, 12, 0, 0, 0, 0, 0, 0, 0, 0),
		"Huffman table too large":  with(dht+5, 0xff, 0xff),
		"Huffman table cut":        with(dht+2, 0, 8),
		"Huffman table gone":       with(dht+4, 3),
		"Huffman table unset":      with(sos+6, 0x22),
		"Huffman table number":     with(sos+6, 0x50),
		"AC table number":          with(sos+6, 0x05),
		"restart interval's size":  insert(2, "\xff\xdd\x00\x03\x00"),
		"empty scan":               with(sos+4, 0),
		"scan of 5":                with(sos+4, 5),
		"scan without data":        insert(sos, "\xff\xda\x00\x02"),
		"scan of another":          with(sos+5, 9),
		"scan twice":               with(sos+7, 1),
		"cut in a header":          good[:dqt+3],
		"cut in a segment":         good[:dqt+30],
		"cut in an unread segment": "\xff\xd8\xff\xfe\x00\x09abc",
		"cut in a comment's size":  "\xff\xd8\xff\xfe\x00",
		"no end":                   good[:len(good)-2],
		"half of the end":          good[:len(good)-1],
		"a second scan":            good[:len(good)-2] + good[sos:],
	} {
		if _, _, err := decodeAll(data, Params{Ratio: 1, Acceptable: 1}); err == nil {
			t.Errorf("%s: no error", name)
		} else if errors.Is(err, errSuspended) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, data := range map[string]string{
		"comments":           insert(2, "\xff\xfe\x00\x05abc\xff\xef\x00\x02\xff\x01\xff\xd0"),
		"garbage":            insert(2, "abc\xff\xff"),
		"restart":            insert(2, "\xff\xdd\x00\x04\x00\x00"),
		"JFIF cut":           insert(2, "\xff\xe0\x00\x04ab"),
		"Adobe":              insert(2, "\xff\xee\x00\x0eAdobe\x00\x00\x00\x00\x00\x00\x01"),
		"table of two bytes": insert(2, "\xff\xdb\x00\x83\x13"+strings.Repeat("\x01\x02", 64)),
	} {
		if _, _, err := decodeAll(data, Params{Ratio: 1, Acceptable: 1}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, p := range []Params{{Ratio: 3}, {Ratio: 1, Crop: true}, {Ratio: 1, Crop: true, H: 9, W: 10}, {Ratio: 1, Channels: 1, Crop: true, Y: -1, H: 1, W: 1}} {
		if _, _, err := decodeAll(good, p); err == nil {
			t.Errorf("%+v: no error", p)
		}
	}
	grey := encoded(t, EncodeParams{H: 9, W: 9, C: 1, Quality: 50})
	at := strings.Index(grey, "\xff\xc0")
	two := grey[:at] + "\xff\xc0\x00\x0e\x08\x00\x09\x00\x09\x02\x01\x11\x00\x02\x11\x00" + grey[at+13:]
	for c := range 4 {
		if _, _, err := decodeAll(two, Params{Ratio: 1, Channels: c}); err == nil {
			t.Errorf("2 components as %d were taken", c)
		}
	}
}

// TestProgressiveRefuses checks that the decoder rejects a progressive file whose scan header is
// damaged, that ends in its first scan, or that has too many scans or coefficients.
func TestProgressiveRefuses(t *testing.T) {
	good := encoded(t, EncodeParams{H: 9, W: 9, C: 1, Quality: 50, Progressive: true})
	sos := strings.Index(good, "\xff\xda")
	for _, b := range []string{"\x00\x01\x01", "\x05\x02\x01", "\x01\x40\x01", "\x00\x00\x0e", "\x00\x00\x30"} {
		data := good[:sos+7] + b + good[sos+10:]
		if _, _, err := decodeAll(data, Params{Ratio: 1, Acceptable: 1}); err == nil {
			t.Errorf("the band %q was taken", b)
		}
	}
	if _, _, err := decodeAll(good[:sos+14], Params{Ratio: 1, Acceptable: 0}); err == nil {
		t.Error("a file cut in its first scan was taken")
	}
	many := good[:len(good)-2] + strings.Repeat("\xff\xda\x00\x08\x01\x01\x00\x00\x00\x01", maxScans) + "\xff\xd9"
	if _, _, err := decodeAll(many, Params{Ratio: 1, Acceptable: 1}); err == nil || !strings.Contains(err.Error(), "scans") {
		t.Errorf("%d scans: %v", maxScans, err)
	}
	sof := strings.Index(good, "\xff\xc2")
	huge := good[:sof+5] + "\x60\x00\x50\x00" + good[sof+9:]
	if err := Decode(nil, nil, huge, Params{Ratio: 1, Acceptable: 1}); err == nil {
		t.Error("more coefficients than are kept were taken")
	}
}

func TestShape(t *testing.T) {
	h, w, c, err := Shape(encoded(t, EncodeParams{H: 9, W: 7, C: 3, Quality: 50}))
	if h != 9 || w != 7 || c != 3 || err != nil {
		t.Errorf("%d %d %d %v", h, w, c, err)
	}
	two := encoded(t, EncodeParams{H: 9, W: 7, C: 3, Quality: 50, Progressive: true})
	if h, w, c, err := Shape(two[:len(two)-9]); h != 9 || w != 7 || c != 3 || err != nil {
		t.Errorf("a file that ends early: %d %d %d %v", h, w, c, err)
	}
	sos := strings.Index(two, "\xff\xda")
	for _, data := range []string{"\xff\xd8\xff", two[:sos+7] + "\x33" + two[sos+8:]} {
		if _, _, _, err := Shape(data); err == nil {
			t.Error("a damaged file was taken")
		}
	}
}

// FuzzDecode checks that no file causes a panic, an endless loop or large allocations.
func FuzzDecode(f *testing.F) {
	for _, l := range recorded(f, "decode.txt") {
		p, _, _, data := decodeCase(f, l)
		f.Add(data, p.Channels, p.Ratio, p.Recover, p.Accurate)
	}
	f.Fuzz(func(t *testing.T, data string, channels, ratio int, recover, accurate bool) {
		p := Params{Channels: channels & 3, Ratio: 1 << (ratio & 3), Recover: recover, Accurate: accurate, Acceptable: .5}
		if h, w, c, err := Size(data, p); err != nil || h*w*c > 1<<22 {
			return
		}
		_, _, _ = decodeAll(data, p)
		_, _, _, _ = Shape(data)
	})
}

// TestLarge decodes files long enough for the fast bit reader. The check sums are TensorFlow's.
func TestLarge(t *testing.T) {
	for _, c := range []struct {
		h, w, c, kind, quality int
		full, accurate         bool
		sum                    uint32
	}{
		{61, 83, 3, 0, 100, true, false, 0x342b2a08},
		{61, 83, 3, 0, 100, true, true, 0x0e40cffd},
		{64, 97, 3, 0, 95, false, false, 0xf1789190},
		{64, 97, 3, 0, 95, false, true, 0xec13d32c},
		{120, 90, 1, 0, 90, false, false, 0xdda040ff},
		{120, 90, 1, 0, 90, false, true, 0xfface037},
		{75, 64, 3, 1, 100, false, false, 0xf708e687},
		{75, 64, 3, 1, 100, false, true, 0x01024746},
	} {
		var dst [1]string
		if err := Encode(nil, dst[:], pattern(c.h, c.w, c.c, c.kind), EncodeParams{H: c.h, W: c.w, C: c.c, Quality: c.quality, Full: c.full, Unit: 1, DensityX: 300, DensityY: 300}); err != nil {
			t.Fatal(err)
		}
		_, px, err := decodeAll(dst[0], Params{Ratio: 1, Acceptable: 1, Accurate: c.accurate})
		if got := crc32.ChecksumIEEE(px); got != c.sum || err != nil {
			t.Errorf("%+v: %#08x %v", c, got, err)
		}
		half := dst[0][:len(dst[0])/2]
		if _, _, err := decodeAll(half, Params{Ratio: 1, Acceptable: .2, Accurate: c.accurate}); err != nil {
			t.Errorf("%+v: half of the file: %v", c, err)
		}
	}
}

// TestEncodeEnds: a long encoding stops when the run ends, and its scratch memory counts against
// the budget.
func TestEncodeEnds(t *testing.T) {
	const side = 512
	p := EncodeParams{H: side, W: side, C: 3, Quality: 90}
	typed.Ends(t, "to be written", []any{Encode}, make([]string, 1), make([]uint8, side*side*3), p)
	typed.Ends(t, "to be written", []any{EncodeQuality}, make([]string, 1), make([]uint8, side*side*3), []int32{90}, p)
	typed.Exhausts(t, "to be written", []any{Encode}, side*side, make([]string, 1), make([]uint8, side*side*3), p)
}
