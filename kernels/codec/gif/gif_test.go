package gif

import (
	"bufio"
	"bytes"
	packer "compress/lzw"
	"encoding/base64"
	"fmt"
	"hash/crc32"
	"os"
	"strings"
	"testing"

	"github.com/graphc/graphc/kernels/internal/typed"
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

func decodeCase(t testing.TB, f []string) (first bool, size, sum, data string) {
	b, err := base64.StdEncoding.DecodeString(f[3])
	if err != nil {
		t.Fatal(err)
	}
	return f[0] == "0", f[1], f[2], string(b)
}

func decodeAll(data string, first bool) (size string, px []byte, err error) {
	n, h, w, err := Size(nil, data, first)
	if err != nil {
		return "", nil, err
	}
	px = make([]byte, n*h*w*3)
	size = fmt.Sprintf("%dx%dx3", h, w)
	if !first {
		size = fmt.Sprintf("%dx%s", n, size)
	}
	return size, px, Decode(nil, px, data, first)
}

// TestDecode compares pixels with those of TensorFlow. The cases include frames drawn over others,
// and interlaced, transparent and damaged frames.
func TestDecode(t *testing.T) {
	for i, f := range recorded(t) {
		first, size, sum, data := decodeCase(t, f)
		got, px, err := decodeAll(data, first)
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

func TestHeaders(t *testing.T) {
	const head, colours = "GIF89a\x02\x00\x01\x00", "\x01\x02\x03\x04\x05\x06"
	const screen = head + "\x80\x00\x00" + colours
	frame := func(at, packed, data string) string { return "," + at + "\x02\x00\x01\x00" + packed + data }
	const pixels = "\x02\x02\x04\x0a\x00" // the LZW codes "clear", 0, 1 and "end"
	whole := frame("\x00\x00\x00\x00", "\x00", pixels)
	for name, c := range map[string]struct{ data, want string }{
		"one":                    {screen + whole + ";", "1x1x2x3 010203010203"},
		"no end":                 {screen + whole, "1x1x2x3 010203010203"},
		"garbage behind":         {screen + whole + "x", "1x1x2x3 010203010203"},
		"own colours":            {head + "\x00\x00\x00" + frame("\x00\x00\x00\x00", "\x80", colours+pixels), "1x1x2x3 010203010203"},
		"transparent":            {screen + "!\xf9\x04\x01\x00\x00\x00\x00" + whole, "1x1x2x3 000000000000"},
		"moved":                  {screen + frame("\x01\x00\x00\x00", "\x00", pixels), "1x1x2x3 000000010203"},
		"below":                  {screen + frame("\x00\x00\x05\x00", "\x00", pixels), "1x1x2x3 000000000000"},
		"comment":                {screen + "!\xfe\x02ab\x00" + whole, "1x1x2x3 010203010203"},
		"odd control":            {screen + "!\xf9\x01\x01\x00" + whole, "1x1x2x3 010203010203"},
		"cut second":             {screen + whole + frame("\x00\x00\x00\x00", "\x00", "\x02\x02\x04"), "1x1x2x3 010203010203"},
		"empty":                  {"", ""},
		"no GIF":                 {"JIF89a\x02\x00\x01\x00\x00\x00\x00", ""},
		"cut colours":            {head + "\x80\x00\x00abc", ""},
		"no frame":               {screen + ";", ""},
		"unknown block":          {screen + "?" + whole, ""},
		"cut extension":          {screen + "!", ""},
		"cut blocks":             {screen + "!\xfe\x05ab", ""},
		"cut frame":              {screen + ",\x00", ""},
		"cut colours of a frame": {head + "\x00\x00\x00" + frame("\x00\x00\x00\x00", "\x80", "ab"), ""},
		"no colours":             {head + "\x00\x00\x00" + whole, ""},
		"code size 9":            {screen + frame("\x00\x00\x00\x00", "\x00", "\x09\x02\x04\x0a\x00"), ""},
		"no data":                {screen + frame("\x00\x00\x00\x00", "\x00", "\x02"), ""},
		"an empty block":         {screen + frame("\x00\x00\x00\x00", "\x00", "\x02\x00"), ""},
		"the end too early":      {screen + frame("\x00\x00\x00\x00", "\x00", "\x02\x01\x2c\x00"), ""},
		"an unknown code":        {screen + frame("\x00\x00\x00\x00", "\x00", "\x02\x02\xbc\x0b\x00"), ""},
		"no such colour":         {screen + frame("\x00\x00\x00\x00", "\x00", "\x02\x02\xdc\x0a\x00"), ""},
		"width 0":                {screen + ",\x00\x00\x00\x00\x00\x00\x01\x00\x00" + pixels, ""},
		"too large":              {screen + ",\x00\x00\x00\x00\xff\xff\xff\xff\x00" + pixels, ""},
	} {
		size, px, err := decodeAll(c.data, false)
		switch {
		case c.want == "" && err == nil:
			t.Errorf("%s: no error, %s %x", name, size, px)
		case c.want != "" && (err != nil || fmt.Sprintf("%s %x", size, px) != c.want):
			t.Errorf("%s: %s %x %v, want %s", name, size, px, err, c.want)
		}
	}
}

// TestCanvas checks that all decoded frames have the largest height and the largest width of any frame
// in the file. It also checks that Size rejects a file of a few bytes whose frames together are too
// large.
func TestCanvas(t *testing.T) {
	frame := func(w, h int) string {
		var b bytes.Buffer
		z := packer.NewWriter(&b, packer.LSB, 2)
		z.Write(make([]byte, w*h))
		z.Close()
		s := "," + string([]byte{0, 0, 0, 0, byte(w), byte(w >> 8), byte(h), byte(h >> 8)}) + "\x00\x02"
		for p := b.Bytes(); ; {
			n := min(len(p), 255)
			s += string([]byte{byte(n)}) + string(p[:n])
			if p = p[n:]; n == 0 {
				return s
			}
		}
	}
	const screen = "GIF89a\x02\x00\x01\x00\x80\x00\x00\x01\x02\x03\x04\x05\x06"
	if n, h, w, err := Size(nil, screen+frame(100, 1)+frame(1, 200)+";", false); n != 2 || h != 200 || w != 100 || err != nil {
		t.Errorf("%d frames of %d x %d, %v", n, h, w, err)
	}
	if n, h, w, err := Size(nil, screen+frame(65535, 1)+frame(1, 65535)+";", false); err == nil {
		t.Errorf("%d frames of %d x %d", n, h, w)
	}
}

// FuzzDecode checks that no file causes a panic, an endless loop or large allocations.
func FuzzDecode(f *testing.F) {
	for _, l := range recorded(f) {
		first, _, _, data := decodeCase(f, l)
		f.Add(data, first)
	}
	f.Fuzz(func(t *testing.T, data string, first bool) {
		if len(data) > 1<<12 {
			return
		}
		if n, h, w, err := Size(nil, data, first); err != nil || n*h*w > 1<<22 {
			return
		}
		_, _, _ = decodeAll(data, first)
	})
}

// TestBudget: parsing stops when the run ends, and the frames count against the run's budget.
func TestBudget(t *testing.T) {
	const screen = "GIF89a\x02\x00\x01\x00\x80\x00\x00\x01\x02\x03\x04\x05\x06"
	one := ",\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02\x44\x01\x00"
	data := screen + strings.Repeat(one, 1000) + ";"
	if n, _, _, err := Size(nil, data, false); n != 1000 || err != nil {
		t.Fatalf("%d frames, %v", n, err)
	}
	typed.Ends(t, "many frames", []any{Size}, data, false)
	typed.Exhausts(t, "many frames", []any{Size}, 10_000, data, false)
}
