package jpeg

import (
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// EncodeParams describes an image [H,W,C], and the attributes of an encoding op.
type EncodeParams struct {
	H, W, C            int
	Grey, Colour       bool // the requested format; if neither is set, C determines the format
	Quality            int  // 0 to 100
	Progressive        bool
	Optimize           bool // whether to compute Huffman tables for the image
	Full               bool // whether to keep the full resolution of chroma components
	Unit               byte // unit of the density: 1 for inch, 2 for cm
	DensityX, DensityY int
	XMP                string
}

// Encode writes an image as a file that equals libjpeg-turbo's byte by byte. It returns
// InvalidArgument unless there are 1 or 3 channels, and Internal for sizes that do not fit a file.
func Encode(run *mem.Budget, dst []string, src []uint8, p EncodeParams) error {
	switch {
	case mem.Len(p.H, p.W, p.C) >= 1<<31-1:
		return bad("an image of %d x %d pixels is too large", p.H, p.W)
	case p.Grey && p.C != 1, p.Colour && p.C != 3, p.C != 1 && p.C != 3:
		return bad("an image of %d channels cannot be encoded in the format asked for, 1 is grey and 3 colour", p.C)
	case p.Quality < 0 || p.Quality > 100:
		return bad("quality must be in [0, 100], not %d", p.Quality)
	case p.H == 0 || p.W == 0 || mem.Mul(p.H, p.W) >= 1<<29 || p.H > 65500 || p.W > 65500 || len(p.XMP) > 65533-29:
		return tensor.Errorf(tensor.Internal, "JPEG: an image of %d x %d pixels cannot be encoded", p.H, p.W)
	}
	call := run.Call()
	defer call.Free()
	e := newEncoder(&call, &p)
	e.convert(src)
	e.header()
	if p.Progressive {
		e.progressive()
	} else {
		e.sequential()
	}
	e.out = append(e.out, 0xff, mEOI)
	run.MustMake(len(e.out))
	dst[0] = string(e.out)
	return nil
}

// EncodeQuality is Encode with the quality as an input.
func EncodeQuality(run *mem.Budget, dst []string, src []uint8, quality []int32, p EncodeParams) error {
	p.Quality = int(quality[0])
	return Encode(run, dst, src, p)
}

// plane is a component of the image being encoded.
type plane struct {
	h, v       int
	table      int
	wide, tall int // size in blocks, without padding
	all, rows  int // size in blocks, padded to whole MCUs
	coefs      []int16
	lastDC     int
}

// encoder is one image being encoded.
type encoder struct {
	call   *mem.Call
	p      *EncodeParams
	planes []plane
	hmax   int
	quants [2][64]uint16
	out    []byte
	held   int // bytes of out that count against the budget

	acc  uint64
	bits int

	codes  [4]code // the tables DC 0, DC 1, AC 0 and AC 1
	counts [4][257]int
	count  bool // whether symbols are only counted, not written

	// The pending end-of-band run: its length, its Huffman table, and its correction bits.
	eobRun, runTable int
	corrections      []byte
}

// The quantization tables of the quality 50: T.81, annex K.1, in natural order.
var baseQuants = [2][64]uint8{
	{16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51, 87, 80, 62,
		18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99},
	{17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99, 99, 99, 47, 66, 99, 99, 99, 99, 99, 99,
		99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99},
}

func newEncoder(call *mem.Call, p *EncodeParams) *encoder {
	e := &encoder{call: call, p: p, hmax: 1}
	if p.C == 3 && !p.Full {
		e.hmax = 2
	}
	scale := 200 - 2*p.Quality
	if p.Quality < 50 {
		scale = 5000 / max(p.Quality, 1)
	}
	for t := range baseQuants {
		for i, q := range baseQuants[t] {
			e.quants[t][i] = uint16(max(1, min(255, (int(q)*scale+50)/100)))
		}
	}
	for i := range p.C {
		c := plane{h: 1, v: 1, table: min(i, 1)}
		if i == 0 {
			c.h, c.v = e.hmax, e.hmax
		}
		c.wide, c.tall = ceilDiv(p.W*c.h, 8*e.hmax), ceilDiv(p.H*c.v, 8*e.hmax)
		c.all, c.rows = ceilDiv(c.wide, c.h)*c.h, ceilDiv(c.tall, c.v)*c.v
		c.coefs = mem.Make[int16](call, 64, c.all, c.rows)
		e.planes = append(e.planes, c)
	}
	return e
}

// unitWork is about how many nanoseconds it takes to transform a sample. codeWork is about how many
// nanoseconds it takes to write a sample to a scan.
const (
	unitWork = 8
	codeWork = 4
)

// convert computes the quantized coefficients of all components, a row of MCUs at a time.
func (e *encoder) convert(src []uint8) {
	p := e.p
	units := ceilDiv(p.H, 8*e.hmax)
	wide := ceilDiv(p.W, 8*e.hmax) * 8 * e.hmax
	tall := 8 * e.hmax
	full := make([][]uint8, p.C)
	for i := range full {
		full[i] = mem.Make[uint8](e.call, wide, tall)
	}
	small := mem.Make[uint8](e.call, wide, tall)
	for u := range units {
		e.call.Work(unitWork * wide * tall * p.C)
		for y := range tall {
			e.colours(full, y*wide, wide, src[min(u*tall+y, p.H-1)*p.W*p.C:][:p.W*p.C])
		}
		for i := range e.planes {
			c := &e.planes[i]
			s, w := full[i], wide
			if c.h < e.hmax {
				s, w = small, wide/2
				// last is the image's last row after subsampling, counted from the top of this row
				// of MCUs. If H is odd, it is computed from the image's last row and a copy of that
				// row. Below the image, row last is repeated.
				last := ceilDiv(p.H, 2) - 1 - u*8
				for y := range 8 {
					halve(small[y*w:][:w], full[i][2*min(y, last)*wide:][:2*wide])
				}
			}
			for y := u * c.v; y < min((u+1)*c.v, c.tall); y++ {
				for x := range c.wide {
					e.transform(c, y, x, s[(y-u*c.v)*8*w+8*x:], w)
				}
			}
			c.dummies(u)
		}
	}
}

// colours converts a row of RGB pixels to YCbCr, or copies a grey row. It pads the row with its
// last pixel.
func (e *encoder) colours(full [][]uint8, at, wide int, row []uint8) {
	if e.p.C == 1 {
		d := full[0][at : at+wide]
		for i := copy(d, row); i < wide; i++ {
			d[i] = row[len(row)-1]
		}
		return
	}
	y, cb, cr := full[0][at:at+wide], full[1][at:at+wide], full[2][at:at+wide]
	const offset = 128<<16 + 1<<15 - 1
	for i := range wide {
		if 3*i >= len(row) {
			y[i], cb[i], cr[i] = y[i-1], cb[i-1], cr[i-1]
			continue
		}
		r, g, b := int(row[3*i]), int(row[3*i+1]), int(row[3*i+2])
		y[i] = uint8((19595*r + 38470*g + 7471*b + 1<<15) >> 16)
		cb[i] = uint8((-11059*r - 21709*g + 32768*b + offset) >> 16)
		cr[i] = uint8((32768*r - 27439*g - 5329*b + offset) >> 16)
	}
}

// halve averages blocks of 2×2 samples of two rows. Averages that end in ½ are rounded down in even
// blocks and up in odd blocks.
func halve(dst, rows []uint8) {
	a, b := rows[:2*len(dst)], rows[2*len(dst):]
	bias := 1
	for x := range dst {
		dst[x] = uint8((int(a[2*x]) + int(a[2*x+1]) + int(b[2*x]) + int(b[2*x+1]) + bias) >> 2)
		bias ^= 3
	}
}

// dummies fills the blocks beyond the image's edges in row u of the MCUs. Each block gets the DC
// coefficient of a preceding block; its other coefficients stay 0.
func (c *plane) dummies(u int) {
	for y := u * c.v; y < (u+1)*c.v; y++ {
		if y >= c.tall {
			for x := range c.all {
				from := (y-1)*c.all + x/c.h*c.h + c.h - 1
				c.coefs[64*(y*c.all+x)] = c.coefs[64*from]
			}
			continue
		}
		for x := c.wide; x < c.all; x++ {
			c.coefs[64*(y*c.all+x)] = c.coefs[64*(y*c.all+x-1)]
		}
	}
}

// forward8 applies the one-dimensional forward DCT to d. Results 0 and 4 are multiplied by 2^up. The
// other results are computed with constants times 2^13 and then divided by 2^shift.
func forward8(d *[8]int32, up, shift int) {
	descale := func(v int32, n int) int32 { return (v + 1<<(n-1)) >> n }
	t0, t7, t1, t6 := d[0]+d[7], d[0]-d[7], d[1]+d[6], d[1]-d[6]
	t2, t5, t3, t4 := d[2]+d[5], d[2]-d[5], d[3]+d[4], d[3]-d[4]
	t10, t13, t11, t12 := t0+t3, t0-t3, t1+t2, t1-t2
	if up >= 0 {
		d[0], d[4] = (t10+t11)<<up, (t10-t11)<<up
	} else {
		d[0], d[4] = descale(t10+t11, -up), descale(t10-t11, -up)
	}
	z1 := (t12 + t13) * k0_541
	d[2], d[6] = descale(z1+t13*k0_765, shift), descale(z1-t12*k1_847, shift)
	z1, z2, z3, z4 := t4+t7, t5+t6, t4+t6, t5+t7
	z5 := (z3 + z4) * k1_175
	t4, t5, t6, t7 = t4*k0_298, t5*k2_053, t6*k3_072, t7*k1_501
	z1, z2, z3, z4 = z1*-k0_899, z2*-k2_562, z3*-k1_961+z5, z4*-k0_390+z5
	d[7], d[5] = descale(t4+z1+z3, shift), descale(t5+z2+z4, shift)
	d[3], d[1] = descale(t6+z2+z3, shift), descale(t7+z1+z4, shift)
}

// transform computes the quantized coefficients of the block of c at row and col. src holds the block's
// samples. The parameter stride is the distance between the block's rows in src.
func (e *encoder) transform(c *plane, row, col int, src []uint8, stride int) {
	var ws [64]int32
	var d [8]int32
	for y := range 8 {
		for x := range 8 {
			d[x] = int32(src[y*stride+x]) - 128
		}
		forward8(&d, 2, 11)
		copy(ws[8*y:], d[:])
	}
	block := c.coefs[64*(row*c.all+col):][:64]
	q := &e.quants[c.table]
	for x := range 8 {
		for y := range 8 {
			d[y] = ws[8*y+x]
		}
		forward8(&d, -2, 15)
		for y := range 8 {
			k := 8*y + x
			div := 8 * int32(q[k])
			if v := d[y]; v < 0 {
				block[k] = int16(-((-v + div/2) / div))
			} else {
				block[k] = int16((v + div/2) / div)
			}
		}
	}
}

// segment writes a marker with its data.
func (e *encoder) segment(marker byte, data ...byte) {
	n := len(data) + 2
	e.out = append(e.out, 0xff, marker, byte(n>>8), byte(n))
	e.out = append(e.out, data...)
}

// header writes the file from its start to the frame header.
func (e *encoder) header() {
	p := e.p
	e.out = append(e.out, 0xff, mSOI)
	e.segment(mAPP0, 'J', 'F', 'I', 'F', 0, 1, 1, p.Unit, byte(p.DensityX>>8), byte(p.DensityX), byte(p.DensityY>>8), byte(p.DensityY), 0, 0)
	if p.XMP != "" {
		e.segment(mAPP0+1, []byte("http://ns.adobe.com/xap/1.0/\x00"+p.XMP)...)
	}
	for t := range min(p.C, 2) {
		data := []byte{byte(t)}
		for k := range 64 {
			data = append(data, byte(e.quants[t][natural[k]]))
		}
		e.segment(mDQT, data...)
	}
	kind := byte(mSOF0)
	if p.Progressive {
		kind = mSOF2
	}
	data := []byte{8, byte(p.H >> 8), byte(p.H), byte(p.W >> 8), byte(p.W), byte(p.C)}
	for i, c := range e.planes {
		data = append(data, byte(i+1), byte(c.h<<4|c.v), byte(c.table))
	}
	e.segment(kind, data...)
}
