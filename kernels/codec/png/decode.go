package png

import (
	"compress/flate"
	"io"
	"math"

	"github.com/graphc/graphc/rt/mem"
)

// chain reads the parts of the picture's data one after the other.
type chain struct{ parts []string }

func (c *chain) Read(p []byte) (int, error) {
	for len(c.parts) > 0 {
		if n := copy(p, c.parts[0]); n > 0 {
			c.parts[0] = c.parts[0][n:]
			return n, nil
		}
		c.parts = c.parts[1:]
	}
	return 0, io.EOF
}

func (c *chain) ReadByte() (byte, error) {
	for len(c.parts) > 0 && c.parts[0] == "" {
		c.parts = c.parts[1:]
	}
	if len(c.parts) == 0 {
		return 0, io.EOF
	}
	b := c.parts[0][0]
	c.parts[0] = c.parts[0][1:]
	return b, nil
}

// The passes of an interlaced picture: first row, first column, row step and column step.
var passes = [7][4]int{{0, 0, 8, 8}, {0, 4, 8, 8}, {4, 0, 8, 4}, {0, 2, 4, 4}, {2, 0, 4, 2}, {0, 1, 2, 2}, {1, 0, 2, 1}}

// DecodeU8 writes the picture to dst as rows of pixels with interleaved channels. A sample has 8 bits.
// dst has the size that Size returned. DecodeU8 returns InvalidArgument for a damaged file.
func DecodeU8(run *mem.Budget, dst []uint8, data string, channels int) error {
	return decode(run, data, channels, 8, func(at, step int, row []uint16, c int) {
		for len(row) > 0 {
			for k, v := range row[:c] {
				dst[at+k] = uint8(v)
			}
			row, at = row[c:], at+step
		}
	})
}

// DecodeU16 is DecodeU8 with 16 bits a sample. If a sample has fewer bits, they are repeated to
// fill 16 bits.
func DecodeU16(run *mem.Budget, dst []uint16, data string, channels int) error {
	return decode(run, data, channels, 16, func(at, step int, row []uint16, c int) {
		for len(row) > 0 {
			copy(dst[at:at+c], row)
			row, at = row[c:], at+step
		}
	})
}

// rowWork is about how many nanoseconds a row takes, apart from its samples.
const rowWork = 50

// decode calls put for each row of each pass. The argument at is the offset of the row's first sample in
// the result. The argument step is the distance between the row's pixels in the result. The argument row
// holds the samples of the row, and c is the number of channels.
func decode(run *mem.Budget, data string, channels, bits int, put func(at, step int, row []uint16, c int)) error {
	f, err := parse(data)
	if err != nil {
		return err
	}
	if channels == 0 {
		channels = f.channels()
	}
	src := &chain{append([]string(nil), f.idat...)}
	a, err := src.ReadByte()
	b, err2 := src.ReadByte()
	if err != nil || err2 != nil || a&15 != 8 || a>>4 > 7 || (int(a)<<8|int(b))%31 != 0 || b&32 != 0 {
		return bad("the compressed data are damaged")
	}
	z := flate.NewReader(src)
	all := passes[:]
	if !f.interlaced {
		all = [][4]int{{0, 0, 1, 1}}
	}
	pixel := f.samples() * f.depth
	size := (f.w*pixel + 7) / 8
	call := run.Call()
	defer call.Free()
	cur, prev := mem.Make[byte](&call, size), mem.Make[byte](&call, size)
	t := newTransform(&call, f, channels, bits)
	var filter [1]byte
	for _, q := range all {
		w := (f.w - q[1] + q[3] - 1) / q[3]
		if f.w <= q[1] || f.h <= q[0] {
			continue
		}
		n := (w*pixel + 7) / 8
		clear(prev)
		for y := q[0]; y < f.h; y += q[2] {
			call.Work(rowWork + 4*n + 4*w*channels)
			if _, err := io.ReadFull(z, filter[:]); err != nil {
				return bad("there are not enough data for the picture")
			}
			if _, err := io.ReadFull(z, cur[:n]); err != nil {
				return bad("there are not enough data for the picture")
			}
			if err := unfilter(filter[0], cur[:n], prev[:n], max(1, pixel/8)); err != nil {
				return err
			}
			put((y*f.w+q[1])*channels, q[3]*channels, t.row(cur[:n], w), channels)
			cur, prev = prev, cur
		}
	}
	if !f.whole {
		return bad("the file is damaged after its picture's data")
	}
	return nil
}

// unfilter undoes the prediction of the row cur from its pixels to the left and from the row above,
// prev.
func unfilter(kind byte, cur, prev []byte, bpp int) error {
	switch kind {
	case 0:
	case 1:
		for i := bpp; i < len(cur); i++ {
			cur[i] += cur[i-bpp]
		}
	case 2:
		for i, v := range prev {
			cur[i] += v
		}
	case 3:
		for i := range cur {
			left := 0
			if i >= bpp {
				left = int(cur[i-bpp])
			}
			cur[i] += uint8((left + int(prev[i])) / 2)
		}
	case 4:
		for i := range cur {
			var a, c int
			if i >= bpp {
				a, c = int(cur[i-bpp]), int(prev[i-bpp])
			}
			cur[i] += paeth(a, int(prev[i]), c)
		}
	default:
		return bad("unknown filter %d", kind)
	}
	return nil
}

// paeth returns left, above or upper left, whichever is nearest to left + above - upper left.
func paeth(a, b, c int) uint8 {
	pa, pb := b-c, a-c
	pc := pa + pb
	pa, pb, pc = max(pa, -pa), max(pb, -pb), max(pc, -pc)
	switch {
	case pa <= pb && pa <= pc:
		return uint8(a)
	case pb <= pc:
		return uint8(b)
	}
	return uint8(c)
}

// transform converts the file's samples to the requested ones.
type transform struct {
	f          *file
	c          int // channels
	cut, widen bool
	keys       [3]uint16 // the transparent colour
	keyed      bool
	alpha      uint16 // the added alpha
	to1, from1 [256]uint8
	linear     bool
	out        []uint16
}

func newTransform(call *mem.Call, f *file, channels, bits int) *transform {
	t := &transform{f: f, c: channels, cut: f.depth == 16 && bits == 8, widen: f.depth < 16 && bits == 16}
	t.out = mem.Make[uint16](call, f.w, channels)
	t.alpha = uint16(1<<f.depth - 1)
	if f.hasTrans && f.kind&usesPalette == 0 && channels%2 == 0 {
		t.keyed = true
		for i := range len(f.trans) / 2 {
			t.keys[i] = uint16(be16(f.trans[2*i:]))
		}
		if f.kind == 0 && f.depth < 8 {
			t.keys[0] = (t.keys[0] & t.alpha) * (255 / t.alpha)
		}
	}
	t.linear = f.gamma != 0 && (f.gamma < 95000 || f.gamma > 105000)
	if t.linear && f.depth <= 8 {
		for i := range 256 {
			t.to1[i] = uint8(power(i, 255, reciprocal(f.gamma)))
			t.from1[i] = uint8(power(i, 255, reciprocal(reciprocal(f.gamma))))
		}
	}
	return t
}

// reciprocal returns 1/g. Both g and the result are scaled by 100000.
func reciprocal(g int) int { return int(math.Floor(1e10/float64(g) + .5)) }

// power returns v^(g/100000), where v and the result are scaled to [0, top].
func power(v, top, g int) int {
	if v == 0 || v == top || g >= 95000 && g <= 105000 {
		return v
	}
	return int(math.Floor(float64(top)*math.Pow(float64(v)/float64(top), float64(g)*.00001) + .5))
}

// row converts n pixels to the requested channels and bits.
func (t *transform) row(src []byte, n int) []uint16 {
	f := t.f
	out := t.out[:n*t.c]
	var px [4]uint16 // red, green, blue, alpha
	per := f.samples()
	colour := f.kind&usesColour != 0
	mask := uint8(1<<min(f.depth, 8) - 1)
	for x := range n {
		hasAlpha := f.kind&usesAlpha != 0
		var s [4]uint16
		switch f.depth {
		case 16:
			for k := range per {
				at := 2 * (x*per + k)
				s[k] = uint16(src[at])<<8 | uint16(src[at+1])
			}
		case 8:
			for k := range per {
				s[k] = uint16(src[x*per+k])
			}
		default:
			s[0] = uint16(src[x*f.depth/8] >> (8 - f.depth - x*f.depth%8) & mask)
			if f.kind == 0 {
				s[0] *= uint16(255 / mask)
			}
		}
		switch {
		case f.kind == 3:
			q := f.palette[s[0]]
			px = [4]uint16{uint16(q[0]), uint16(q[1]), uint16(q[2]), 255}
			if int(s[0]) < len(f.trans) {
				px[3] = uint16(f.trans[s[0]])
			}
			hasAlpha = f.hasTrans
		case colour:
			px = s
		default:
			px = [4]uint16{s[0], s[0], s[0], s[1]}
		}
		if t.keyed {
			hasAlpha = true
			px[3] = 255
			if f.depth == 16 {
				px[3] = 65535
			}
			if s[0] == t.keys[0] && (!colour || s[1] == t.keys[1] && s[2] == t.keys[2]) {
				px[3] = 0
			}
		}
		if t.c < 3 && colour {
			px[0] = t.grey(px[0], px[1], px[2])
		}
		if !hasAlpha {
			px[3] = t.alpha
		}
		if t.cut {
			for k := range px {
				px[k] >>= 8
			}
		}
		if !hasAlpha && f.depth < 16 {
			px[3] &= 255
		}
		if t.widen {
			for k := range px {
				px[k] *= 257
			}
		}
		d := out[x*t.c:][:t.c]
		switch t.c {
		case 1:
			d[0] = px[0]
		case 2:
			d[0], d[1] = px[0], px[3]
		default:
			copy(d, px[:])
		}
	}
	return out
}

// The weights of red, green and blue in grey, times 2^15.
const (
	redPart   = 9797
	greenPart = 19234
	bluePart  = 32768 - redPart - greenPart
)

// grey returns the brightness of a colour.
func (t *transform) grey(r, g, b uint16) uint16 {
	if r == g && r == b {
		return r
	}
	sum := func(r, g, b, round int) int { return (redPart*r + greenPart*g + bluePart*b + round) >> 15 }
	switch {
	case !t.linear && t.f.depth == 16:
		return uint16(sum(int(r), int(g), int(b), 16384))
	case !t.linear:
		return uint16(sum(int(r), int(g), int(b), 0))
	case t.f.depth < 16:
		return uint16(t.from1[sum(int(t.to1[r]), int(t.to1[g]), int(t.to1[b]), 16384)])
	}
	shift := 0
	if t.cut {
		shift = 5
	}
	top := 1<<(16-shift) - 1
	curve := func(v, gamma int) int { // curve applies gamma to the upper bits of v; its result has 16 bits
		v >>= shift
		return int(math.Floor(65535*math.Pow(float64(v)/float64(top), float64(gamma)*.00001) + .5))
	}
	to, from := reciprocal(t.f.gamma), reciprocal(reciprocal(t.f.gamma))
	return uint16(curve(sum(curve(int(r), to), curve(int(g), to), curve(int(b), to), 16384), from))
}
