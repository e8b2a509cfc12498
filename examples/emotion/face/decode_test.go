package face

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"io"
	"testing"
)

// cancelling is a reader that cancels a context after a number of bytes.
type cancelling struct {
	*bytes.Reader
	left   int
	cancel func()
}

func (c *cancelling) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b[:min(len(b), 100)])
	if c.left -= n; c.left < 0 {
		c.cancel()
	}
	return n, err
}

// TestDecode: decoding ends when its context is cancelled, even in the middle of a picture.
func TestDecode(t *testing.T) {
	img := image.NewGray16(image.Rect(0, 0, 100, 100))
	for i := range img.Pix {
		img.Pix[i] = byte(i * i >> 3)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	got, err := Decode(t.Context(), bytes.NewReader(b.Bytes()))
	if err != nil || got.At(50, 50).(color.Gray16) != img.Gray16At(50, 50) {
		t.Errorf("%v", err)
	}
	for _, after := range []int{0, 1000, b.Len() / 2} {
		ctx, cancel := context.WithCancel(t.Context())
		r := &cancelling{bytes.NewReader(b.Bytes()), after, cancel}
		if _, err := Decode(ctx, r); err != context.Canceled {
			t.Errorf("cancelled after %d of %d bytes: %v", after, b.Len(), err)
		}
		if rest, err := io.ReadAll(r.Reader); err != nil || after == 0 && len(rest) < b.Len()/2 {
			t.Errorf("cancelled after %d of %d bytes, %d are left, %v", after, b.Len(), len(rest), err)
		}
	}
}
