package face

import (
	"context"
	"fmt"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"io"
)

// MaxPixels bounds the pictures that Decode takes. While one is decoded it takes up to
// 24 bytes a pixel, which is what a progressive JPEG of four colours needs: 400 MB.
const MaxPixels = 4096 * 4096

// Decode reads a PNG or JPEG picture. It looks at the picture's size before it makes room
// for its pixels, and ends with the context's error when that is done.
func Decode(ctx context.Context, r io.ReadSeeker) (image.Image, error) {
	c, _, err := image.DecodeConfig(r)
	switch {
	case err != nil:
		return nil, err
	case c.Width <= 0 || c.Height <= 0 || c.Width > MaxPixels/c.Height:
		return nil, fmt.Errorf("the picture is %d×%d, at most %d pixels are taken", c.Width, c.Height, MaxPixels)
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	img, _, err := image.Decode(untilDone{ctx, r})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return img, err
}

// untilDone ends with its context. Decoders read a few kilobytes at a time.
type untilDone struct {
	ctx context.Context
	r   io.Reader
}

func (u untilDone) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.Read(p)
}
