package picture

import (
	"fmt"
	"strings"
	"testing"

	"github.com/graphc/graphc/kernels/codec/jpeg"
	"github.com/graphc/graphc/kernels/codec/png"
)

const gifFile = "GIF89a\x02\x00\x01\x00\x80\x00\x00\x01\x02\x03\x04\x05\x06,\x00\x00\x00\x00\x02\x00\x01\x00\x00\x02\x02\x04\x0a\x00"

// files returns one picture file of each format.
func files(t testing.TB) map[string]string {
	var p, j [1]string
	if err := png.EncodeU8(nil, p[:], []uint8{10, 20, 30}, png.EncodeParams{N: 1, H: 1, W: 1, C: 3}); err != nil {
		t.Fatal(err)
	}
	if err := jpeg.Encode(nil, j[:], []uint8{100, 100, 100}, jpeg.EncodeParams{H: 1, W: 1, C: 3, Quality: 100}); err != nil {
		t.Fatal(err)
	}
	bmp := "BM" + strings.Repeat("\x00", 8) + "\x36\x00\x00\x00" + strings.Repeat("\x00", 4) + "\x01\x00\x00\x00\x01\x00\x00\x00\x01\x00\x18\x00" + strings.Repeat("\x00", 24) + "\x03\x02\x01\x00"
	return map[string]string{"png": p[0], "jpeg": j[0], "gif": gifFile, "gif2": gifFile + gifFile[19:], "bmp": bmp, "none": "\x00\x01", "webp": "RIFF\x04\x00\x00\x00WEBPVP8 ", "jxl": "\xff\x0a\x00", "empty": ""}
}

// TestOps checks which op reads which format, and the size of the result.
func TestOps(t *testing.T) {
	fs := files(t)
	for _, c := range []struct {
		file string
		p    Params
		want string // height, width, channels and bytes; "" is an error
	}{
		{"png", Params{Op: PNG}, "1 1 3 [10 20 30]"},
		{"png", Params{Op: JPEG, Channels: 1}, "1 1 1 [18]"},
		{"png", Params{Op: Image, Channels: 4, Expand: true}, "1 1 4 [10 20 30 255]"},
		{"png", Params{Op: BMP}, ""},
		{"png", Params{Op: CropJPEG}, ""},
		{"jpeg", Params{Op: PNG}, "1 1 3 [100 100 100]"},
		{"jpeg", Params{Op: Image, Channels: 4}, ""},
		{"jpeg", Params{Op: GIF, Channels: 3, Expand: true, Frames: true}, "1 1 3 [100 100 100]"},
		{"gif", Params{Op: JPEG}, "1 2 3 [1 2 3 1 2 3]"},
		{"gif", Params{Op: PNG, Channels: 1}, ""},
		{"gif2", Params{Op: PNG}, ""},
		{"gif2", Params{Op: Image}, "1 2 3 [1 2 3 1 2 3]"},
		{"gif2", Params{Op: Image, Expand: true}, ""},
		{"bmp", Params{Op: BMP}, "1 1 3 [1 2 3]"},
		{"bmp", Params{Op: Image, Channels: 1}, ""},
		{"bmp", Params{Op: PNG}, ""},
		{"none", Params{Op: Image}, ""},
		{"webp", Params{Op: Image}, ""},
		{"jxl", Params{Op: PNG}, ""},
		{"empty", Params{Op: Image}, ""},
	} {
		c.p.JPEG = jpeg.Params{Ratio: 1, Acceptable: 1}
		in := []string{fs[c.file]}
		h, w, ch, err := Size3(nil, in, c.p)
		got := ""
		if err == nil {
			px := make([]uint8, h*w*ch)
			err = DecodeU8(nil, px, in, c.p)
			got = fmt.Sprint(h, w, ch, px)
		}
		if (err != nil) != (c.want == "") || err == nil && got != c.want {
			t.Errorf("%s %+v: %s %v, want %s", c.file, c.p, got, err, c.want)
		}
	}
	frames := Params{Op: Image, Expand: true, Frames: true, JPEG: jpeg.Params{Ratio: 1}}
	if rank, n, h, w, ch, _, _, _, _, err := SizeAny(nil, []string{fs["gif2"]}, frames); rank != 4 || n != 2 || h != 1 || w != 2 || ch != 3 || err != nil {
		t.Error(rank, n, h, w, ch, err)
	}
	if rank, h, w, ch, one, _, _, _, _, err := SizeAny(nil, []string{fs["png"]}, frames); rank != 3 || h != 1 || w != 1 || ch != 3 || one != 1 || err != nil {
		t.Error(rank, h, w, ch, one, err)
	}
	if n, h, w, ch, err := Size4(nil, []string{fs["gif2"]}, frames); n != 2 || h != 1 || w != 2 || ch != 3 || err != nil {
		t.Error(n, h, w, ch, err)
	}
}

func TestTypes(t *testing.T) {
	p := Params{Op: Image, JPEG: jpeg.Params{Ratio: 1, Acceptable: 1}}
	wide, real := make([]uint16, 3), make([]float32, 3)
	for file, want := range map[string]string{"png": "[2570 5140 7710] [0.039215688 0.078431375 0.11764706]", "jpeg": "[25600 25600 25600] [0.3921569 0.3921569 0.3921569]",
		"bmp": "[256 512 768] [0.003921569 0.007843138 0.011764707]"} {
		in := []string{files(t)[file]}
		if err := DecodeU16(nil, wide, in, p); err != nil {
			t.Fatal(err)
		}
		if err := DecodeF32(nil, real, in, p); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(wide, real); got != want {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
	for _, data := range []string{"", "\xff\xd8\xff", "\x89PNG\r\n\x1a\n"} {
		in := []string{data}
		if DecodeU8(nil, nil, in, p) == nil || DecodeU16(nil, nil, in, p) == nil || DecodeF32(nil, nil, in, p) == nil {
			t.Errorf("%q was taken", data)
		}
	}
}

func TestCrop(t *testing.T) {
	var j [1]string
	if err := jpeg.Encode(nil, j[:], make([]uint8, 16*16), jpeg.EncodeParams{H: 16, W: 16, C: 1, Quality: 90}); err != nil {
		t.Fatal(err)
	}
	p := Params{Op: CropJPEG, JPEG: jpeg.Params{Ratio: 1, Acceptable: 1}}
	h, w, c, err := CropSize(nil, j[:], []int32{1, 9, 3, 4}, p)
	if h != 3 || w != 4 || c != 1 || err != nil {
		t.Error(h, w, c, err)
	}
	px := make([]uint8, 12)
	px[11] = 7
	if err := CropU8(nil, px, j[:], []int32{1, 9, 3, 4}, p); err != nil || px[11] != 0 {
		t.Error(px, err)
	}
	if _, _, _, err := CropSize(nil, j[:], []int32{1, 9, 3, 8}, p); err == nil {
		t.Error("a window beyond the image was taken")
	}
	a, b := make([]int32, 3), make([]int64, 3)
	if ShapeI32(a, j[:]) != nil || ShapeI64(b, j[:]) != nil || fmt.Sprint(a, b) != "[16 16 1] [16 16 1]" {
		t.Error(a, b)
	}
}

func FuzzDecode(f *testing.F) {
	for _, data := range files(f) {
		f.Add(data, 0)
	}
	f.Fuzz(func(t *testing.T, data string, channels int) {
		p := Params{Op: Image, Channels: []int{0, 1, 3, 4}[channels&3], Expand: true, Frames: true, JPEG: jpeg.Params{Ratio: 1, Acceptable: 1}}
		in := []string{data}
		n, h, w, c, err := Size4(nil, in, p)
		if err == nil && n*h*w*c < 1<<22 {
			_ = DecodeU8(nil, make([]uint8, n*h*w*c), in, p)
		}
	})
}
