package face

import (
	"context"
	"fmt"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"io"
)

// MaxPixels is the largest number of pixels of a picture that Decode accepts. Decoding needs up to
// 24 bytes for each pixel, in the case of a progressive JPEG with four colours. That is 400 MB for
// the largest picture.
const MaxPixels = 4096 * 4096

// Decode reads a PNG or JPEG picture. It checks the picture's size before it allocates memory for
// the pixels, and returns the context's error when the context is done.
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

// untilDone reads from r until its context is done. Decoders read a few kilobytes at a time.
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
