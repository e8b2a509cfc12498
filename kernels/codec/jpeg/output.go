package jpeg

// The ways in which a component is brought to full resolution.
const (
	full    = iota // the component already has full resolution
	across2        // a triangle filter along rows makes it twice as wide
	down2          // a triangle filter along columns makes it twice as high
	both2          // both
	repeat         // samples repeated
)

// kind returns the way in which a component is brought to full resolution.
func (d *decoder) kind(c *component) int {
	hx, vx := d.f.hmax*d.min/(c.h*c.size), d.f.vmax*d.min/(c.v*c.size)
	fancy := !d.p.Box && d.min > 1
	narrow := c.cols <= 2
	if d.width != d.outW { // the choice depends on the width before the crop
		narrow = ceilDiv(d.f.w*c.h*c.size, 8*d.f.hmax) <= 2 || c.cols < 2
	}
	switch {
	case hx == 1 && vx == 1:
		return full
	case fancy && hx == 2 && vx == 1 && !narrow:
		return across2
	case fancy && hx == 1 && vx == 2:
		return down2
	case fancy && hx == 2 && vx == 2 && !narrow:
		return both2
	}
	return repeat
}

// output turns rows of samples into pixels.
type output struct {
	d        *decoder
	kinds    []int
	rows     [][]uint8 // a row of every component at full resolution
	buf      [][]uint8
	sums     []int
	cr, cb   [256]int32 // contributions of Cr to red and of Cb to blue
	crg, cbg [256]int32 // contributions of Cr and Cb to green, times 2^16
}

func (d *decoder) newOutput() *output {
	o := &output{d: d}
	for i := range d.f.comps {
		c := &d.f.comps[i]
		o.kinds = append(o.kinds, d.kind(c))
		o.rows = append(o.rows, nil)
		o.buf = append(o.buf, make([]uint8, d.width+8))
	}
	o.sums = make([]int, d.width+8)
	for i := range 256 {
		x := int32(i) - 128
		o.cr[i] = (91881*x + 1<<15) >> 16
		o.cb[i] = (116130*x + 1<<15) >> 16
		o.crg[i] = -46802 * x
		o.cbg[i] = -22554*x + 1<<15
	}
	return o
}

// upsample computes row y of the picture for component i, at full resolution.
func (o *output) upsample(i, y int) {
	d := o.d
	c := &d.f.comps[i]
	vx := d.f.vmax * d.min / (c.v * c.size)
	at := y / vx
	near := c.ringRow(min(at, c.rows-1))
	far := near
	if o.kinds[i] == down2 || o.kinds[i] == both2 {
		if y%2 == 0 {
			far = c.ringRow(max(at-1, 0))
		} else {
			far = c.ringRow(min(at+1, c.rows-1))
		}
	}
	out := o.buf[i]
	n := c.cols
	o.rows[i] = out
	switch o.kinds[i] {
	case full:
		o.rows[i] = near
	case repeat:
		hx := d.f.hmax * d.min / (c.h * c.size)
		for x := range d.width {
			out[x] = near[x/hx]
		}
	case down2:
		bias := 1 + y%2
		for x := range d.width {
			out[x] = uint8((3*int(near[x]) + int(far[x]) + bias) >> 2)
		}
	case across2:
		for x := range n {
			v := 3 * int(near[x])
			out[2*x] = uint8((v + int(near[max(x-1, 0)]) + 1) >> 2)
			out[2*x+1] = uint8((v + int(near[min(x+1, n-1)]) + 2) >> 2)
		}
	case both2:
		for x := range n {
			o.sums[x] = 3*int(near[x]) + int(far[x])
		}
		for x := range n {
			v := 3 * o.sums[x]
			out[2*x] = uint8((v + o.sums[max(x-1, 0)] + 8) >> 4)
			out[2*x+1] = uint8((v + o.sums[min(x+1, n-1)] + 7) >> 4)
		}
	}
}

func clamp(v int32) uint8 { return uint8(max(0, min(255, v))) }

// row writes row y of the picture.
func (o *output) row(dst []uint8, y int) {
	d := o.d
	for i := range d.f.comps {
		if d.f.comps[i].needed {
			o.upsample(i, y)
		}
	}
	x0, n := 0, d.width
	if d.p.Crop {
		x0, n = d.p.X-d.x0, d.p.W
	}
	dst = dst[:n*d.channels]
	a := o.rows[0][x0:][:n]
	if d.space == grey || d.channels == 1 && d.space == ycc {
		if d.channels == 1 {
			copy(dst, a)
			return
		}
		for x, v := range a {
			dst[3*x], dst[3*x+1], dst[3*x+2] = v, v, v
		}
		return
	}
	b, c := o.rows[1][x0:][:n], o.rows[2][x0:][:n]
	switch d.space {
	case rgb:
		for x := range n {
			if d.channels == 1 {
				dst[x] = uint8((19595*int(a[x]) + 38470*int(b[x]) + 7471*int(c[x]) + 1<<15) >> 16)
			} else {
				dst[3*x], dst[3*x+1], dst[3*x+2] = a[x], b[x], c[x]
			}
		}
	case ycc:
		for x := range n {
			v := int32(a[x])
			dst[3*x] = clamp(v + o.cr[c[x]])
			dst[3*x+1] = clamp(v + (o.cbg[b[x]]+o.crg[c[x]])>>16)
			dst[3*x+2] = clamp(v + o.cb[b[x]])
		}
	default:
		o.ink(dst, a, b, c, o.rows[3][x0:][:n])
	}
}

// ink converts cyan, magenta, yellow and black (CMYK), or their coded form YCCK, to red, green and
// blue.
func (o *output) ink(dst, a, b, c, k []uint8) {
	for x := range k {
		m := [3]uint8{a[x], b[x], c[x]}
		if o.d.space == ycck {
			v := 255 - int32(a[x])
			m = [3]uint8{clamp(v - o.cr[c[x]]), clamp(v - (o.cbg[b[x]]+o.crg[c[x]])>>16), clamp(v - o.cb[b[x]])}
		}
		for i, s := range m {
			v, s := int(k[x]), int(s)
			if o.d.adobe {
				dst[3*x+i] = uint8(v * s / 255)
			} else {
				dst[3*x+i] = uint8((255 - v) * (255 - s) / 255)
			}
		}
	}
}
