package png

import (
	"math"
	"strconv"

	"github.com/graphc/graphc/kernels/internal/wire"
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// SummaryParams describes images [Batch,H,W,C]. The field Most is the largest number of images that are
// kept. A pixel with a number that is not finite gets the colour Bad.
type SummaryParams struct {
	Batch, H, W, C, Most int
	Bad                  string
	Half                 bool // whether images are float16; intermediate results are then rounded to float16
}

// summary writes the message Summary of images. Each image becomes one value of the message. The
// value's tag is the given tag followed by /image. If Most is larger than 1, a slash and the
// image's number follow.
func summary(run *mem.Budget, dst, tag []string, p *SummaryParams, image func(i int) []uint8) error {
	switch {
	case p.C != 1 && p.C != 3 && p.C != 4:
		return bad("the tensor must be 4-D with last dim 1, 3, or 4, not %d", p.C)
	case mem.Mul(p.H, p.W) >= maxPixels:
		return bad("%d x %d pixels are too many for a summary", p.H, p.W)
	}
	var out []byte
	for i := range min(p.Batch, p.Most) {
		if p.H == 0 || p.W == 0 || p.H > maxSide || p.W > maxSide {
			return bad("an image of %d x %d pixels cannot be encoded", p.H, p.W)
		}
		name := tag[0] + "/image"
		if p.Most > 1 {
			name += "/" + strconv.Itoa(i)
		}
		file, err := Append8(run, nil, image(i), p.H, p.W, p.C)
		if err != nil {
			return err
		}
		m := wire.AppendUvarint([]byte{1<<3 | wire.Varint}, uint64(p.H))
		m = wire.AppendUvarint(append(m, 2<<3|wire.Varint), uint64(p.W))
		m = append(m, 3<<3|wire.Varint, byte(p.C))
		m = wire.AppendBytes(m, 4, file)
		out = wire.AppendBytes(out, 1, wire.AppendBytes(wire.AppendBytes(nil, 1, name), 4, m))
	}
	run.MustMake(len(out))
	dst[0] = string(out)
	return nil
}

// SummaryU8 writes the summary of images of bytes. It returns InvalidArgument for other than 1, 3
// or 4 channels, and for images without pixels.
func SummaryU8(run *mem.Budget, dst, tag []string, images []uint8, p SummaryParams) error {
	n := p.H * p.W * p.C
	return summary(run, dst, tag, &p, func(i int) []uint8 { return images[i*n:][:n] })
}

// SummaryF32 is SummaryU8 for f32. An image without negative numbers is scaled so that its largest
// number becomes 255. In an image with negative numbers, 0 becomes 128, and the number with the
// largest magnitude becomes 1 or 255.
func SummaryF32(run *mem.Budget, dst, tag []string, images []float32, p SummaryParams) error {
	if len(p.Bad) < p.C {
		return bad("bad_color has %d channels, the images %d", len(p.Bad), p.C)
	}
	n := p.H * p.W * p.C
	call := run.Call()
	defer call.Free()
	bytes := mem.Make[uint8](&call, n)
	return summary(run, dst, tag, &p, func(i int) []uint8 {
		p.scale(bytes, images[i*n:][:n])
		return bytes
	})
}

// scale converts the numbers of an image to bytes.
func (p *SummaryParams) scale(dst []uint8, src []float32) {
	lo, hi := float32(math.Inf(1)), float32(math.Inf(-1))
	for at := 0; at < len(src); at += p.C {
		if px := src[at : at+p.C]; finite(px) {
			for _, v := range px {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
	}
	top, offset := float32(255), float32(0)
	if lo < 0 {
		top, offset = 127, 128
		hi = max(-lo, hi, -hi)
	}
	factor := float32(0)
	if !(hi < 1e-6) {
		factor = top / hi
	}
	round := func(v float32) float32 { return v }
	if p.Half {
		round = func(v float32) float32 { return tensor.ToF16(v).Float32() }
	}
	factor = round(factor)
	for at := 0; at < len(src); at += p.C {
		px := src[at : at+p.C]
		if !finite(px) {
			copy(dst[at:at+p.C], p.Bad)
			continue
		}
		for c, v := range px {
			dst[at+c] = uint8(int(round(round(v*factor) + offset)))
		}
	}
}

func finite(px []float32) bool {
	for _, v := range px {
		if v-v != 0 {
			return false
		}
	}
	return true
}
