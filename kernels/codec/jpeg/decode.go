package jpeg

import (
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// The colour spaces of a file.
const (
	grey = iota
	ycc
	rgb
	cmyk
	ycck
	other
)

// decoder is one file being decoded.
type decoder struct {
	call     *mem.Call // of Decode
	p        Params
	r        reader
	f        *frame
	quants   [4]*[64]uint16
	dcs, acs [4]huffman
	scan     []*component
	interval int // MCUs between restart markers; 0 if there are no markers

	ss, se, ah, al int // the scan's Ss, Se, Ah and Al in T.81: its band of coefficients and its bit positions
	left, eobRun   int
	nextRST        int

	jfif, adobe bool
	transform   byte

	space      int
	channels   int
	min        int // side, in samples, of a decoded block of a component that is not subsampled
	outH, outW int
	several    bool // whether the coefficients come from several scans

	// In each row, the MCUs firstUnit to lastUnit are needed. They give the picture's columns from
	// x0 to x0+width. The rows of all components' samples begin at column x0.
	firstUnit, lastUnit int
	x0, width           int
	clearUnit           func()
}

// open reads the file up to the first scan and determines the size of the output.
func (d *decoder) open() error {
	switch d.p.Ratio {
	case 1, 2, 4, 8:
	default:
		return bad("ratio must be 1, 2, 4 or 8, not %d", d.p.Ratio)
	}
	d.clearUnit = func() {}
	r := &d.r
	r.recover = d.p.Recover
	if len(r.data) < 2 || r.data[:2] != "\xff\xd8" {
		return bad("not a JPEG file")
	}
	r.pos = 2
	r.sync()
	more, err := d.markers()
	if err == errSuspended {
		err = bad("the file ends early")
	}
	if err != nil {
		return err
	}
	if !more {
		return bad("there is no image in the file")
	}
	return d.sizes()
}

// sizes determines the sizes of the components and of the output.
func (d *decoder) sizes() error {
	f := d.f
	n := len(f.comps)
	d.space = d.colourSpace()
	whole := d.p.Channels < 0
	switch {
	case whole:
		d.channels = n
	case d.p.Channels == 0:
		d.channels = min(n, 3)
	default:
		d.channels = d.p.Channels
	}
	switch {
	case whole:
	case d.channels == 2:
		return bad("2 components are not supported")
	case d.space == other, d.channels == 1 && (d.space == cmyk || d.space == ycck):
		return bad("the colours cannot be converted")
	}
	d.min = 8 / d.p.Ratio
	for i := range f.comps {
		c := &f.comps[i]
		c.wide, c.tall = ceilDiv(f.w*c.h, 8*f.hmax), ceilDiv(f.h*c.v, 8*f.vmax)
		c.wideAll = ceilDiv(c.wide, c.h) * c.h
		c.size = d.min
		for c.size < 8 && f.hmax*d.min%(c.h*c.size*2) == 0 && f.vmax*d.min%(c.v*c.size*2) == 0 {
			c.size *= 2
		}
		c.cols, c.rows = ceilDiv(f.w*c.h*c.size, 8*f.hmax), ceilDiv(f.h*c.v*c.size, 8*f.vmax)
		if i > 0 && d.channels == 1 && d.space == ycc && !whole {
			c.needed = false
		}
		if c.needed && (f.hmax*d.min%(c.h*c.size) != 0 || f.vmax*d.min%(c.v*c.size) != 0) {
			return bad("fractional sampling is not supported")
		}
	}
	d.outH, d.outW = ceilDiv(f.h*d.min, 8), ceilDiv(f.w*d.min, 8)
	if !whole && d.outH*d.outW*n >= maxSamples {
		return bad("%d x %d pixels of %d components are too many", d.outH, d.outW, n)
	}
	d.several = f.progressive || len(d.scan) < n
	if d.p.Crop {
		p := &d.p
		if p.W <= 0 || p.H <= 0 || p.X < 0 || p.Y < 0 || p.Y+p.H > d.outH || p.X+p.W > d.outW {
			return bad("the crop window from %d, %d of the size %d x %d is not within the image of %d x %d", p.Y, p.X, p.H, p.W, d.outH, d.outW)
		}
	}
	return nil
}

// colourSpace guesses the file's colour space.
func (d *decoder) colourSpace() int {
	c := d.f.comps
	switch len(c) {
	case 1:
		return grey
	case 3:
		switch {
		case d.jfif:
			return ycc
		case d.adobe:
			if d.transform == 0 {
				return rgb
			}
		case c[0].id == 'R' && c[1].id == 'G' && c[2].id == 'B':
			return rgb
		}
		return ycc
	case 4:
		if d.adobe && d.transform != 0 {
			return ycck
		}
		return cmyk
	}
	return other
}

// window determines which MCUs and columns are needed: those of the crop window, or all.
func (d *decoder) window() {
	f := d.f
	d.lastUnit = ceilDiv(f.w, 8*f.hmax) - 1
	d.width = d.outW
	if d.p.Crop && d.p.W != d.outW {
		align := d.min
		if len(f.comps) > 1 || len(d.scan) > 1 {
			align *= f.hmax
		}
		d.x0 = d.p.X / align * align
		d.width = d.p.W + d.p.X - d.x0
		d.firstUnit, d.lastUnit = d.x0/align, ceilDiv(d.x0+d.width, align)-1
	}
	for i := range f.comps {
		c := &f.comps[i]
		hs := c.h
		if len(f.comps) == 1 {
			hs = 1
		}
		if d.width != d.outW {
			c.cols = ceilDiv(d.width*c.h, f.hmax)
		}
		c.first = d.firstUnit * hs
		c.last = min((d.lastUnit+1)*hs, c.wideAll)
		if len(f.comps) == 1 {
			c.first, c.last = d.x0/d.min, min(ceilDiv(d.x0+d.width, d.min), c.wide)
		}
		c.stride = (c.last - c.first) * c.size
	}
}

// decode writes the picture.
func (d *decoder) decode(dst []uint8) error {
	d.window()
	if d.several {
		if err := d.start(); err != nil {
			if err == errSuspended {
				err = bad("the file ends early")
			}
			return err
		}
	}
	h, y0 := d.outH, 0
	if d.p.Crop {
		h, y0 = d.p.H, d.p.Y
	}
	read, err := d.rows(dst, y0, y0+h)
	switch {
	case err == errSuspended:
		read = min(read-y0, h)
		if read < 0 || float32(read)/float32(h) < min(1, d.p.Acceptable) {
			return bad("the file ends early, after %d of %d rows", max(read, 0), h)
		}
		clear(dst[read*len(dst)/h:])
		return nil
	case err != nil:
		return err
	case d.several:
		return nil
	}
	more, err := d.markers()
	if err == errSuspended {
		return nil
	}
	if err == nil && more {
		err = bad("a scan where the end of the image was expected")
	}
	return err
}

// start prepares the only scan. If the picture has several scans, start reads all of them.
func (d *decoder) start() error {
	if !d.several {
		_, err := d.beginScan()
		return err
	}
	f := d.f
	n := 0
	for i := range f.comps {
		n += f.comps[i].held()
	}
	if n > maxHeld {
		return tensor.Errorf(tensor.ResourceExhausted, "JPEG: the %d coefficients of several scans are too many, at most %d", n, maxHeld)
	}
	all := mem.Make[int16](d.call, n)
	for i := range f.comps {
		c := &f.comps[i]
		c.coefs, all = all[:c.held()], all[c.held():]
	}
	return d.allScans()
}

// held returns how many coefficients a component has, including the blocks that pad it to whole
// MCUs.
func (c *component) held() int { return 64 * c.wideAll * ceilDiv(c.tall, c.v) * c.v }

// allScans reads all scans of the picture and stores the coefficients in its components.
func (d *decoder) allScans() error {
	for n := 0; ; n++ {
		if n == maxScans {
			return bad("there are more than %d scans", maxScans)
		}
		u, err := d.beginScan()
		if err != nil {
			return err
		}
		if err := d.coefficients(&u); err != nil {
			return err
		}
		more, err := d.markers()
		if err != nil {
			return err
		}
		if !more {
			return nil
		}
	}
}

// rows writes rows [from, to) of the picture. If the picture has only one scan, rows also decodes
// this scan. It returns how many rows from the top of the picture are complete.
func (d *decoder) rows(dst []uint8, from, to int) (int, error) {
	f := d.f
	var u units
	if !d.several {
		var err error
		if u, err = d.beginScan(); err != nil {
			return 0, err
		}
	}
	group := f.vmax * d.min // output rows per row of MCUs
	context := 0
	for i := range f.comps {
		c := &f.comps[i]
		c.scales(d.p.Accurate)
		c.ring = make([]uint8, 2*c.v*c.size*c.stride)
		if k := d.kind(c); c.needed && (k == down2 || k == both2) {
			context = f.vmax
		}
	}
	o := d.newOutput()
	done := 0
	rows := ceilDiv(f.h, 8*f.vmax)
	for row := range rows {
		var err error
		if d.several {
			d.transformRow(row)
		} else {
			err = d.sequentialRow(&u, row)
		}
		if err != nil {
			return done, err
		}
		end := (row + 1) * group
		if row == rows-1 {
			end = d.outH
		} else {
			end -= context
		}
		for ; done < end; done++ {
			if done >= from && done < to {
				o.row(dst[(done-from)*len(dst)/(to-from):], done)
			}
		}
		if d.several && done >= to {
			break
		}
	}
	return done, nil
}

// ringRow returns row y of a component's samples.
func (c *component) ringRow(y int) []uint8 {
	return c.ring[y%(2*c.v*c.size)*c.stride:][:c.stride]
}

// place computes the samples of the block at row and col, if they are needed, and writes them to
// the component's ring buffer.
func (c *component) place(row, col int, block []int16) {
	if c.needed && col >= c.first && col < c.last {
		at := row*c.size%(2*c.v*c.size)*c.stride + (col-c.first)*c.size
		c.transform(c.ring[at:], c.stride, block)
	}
}

// transformRow computes the samples of a row of MCUs from the stored coefficients.
func (d *decoder) transformRow(row int) {
	for i := range d.f.comps {
		c := &d.f.comps[i]
		for y := row * c.v; y < min((row+1)*c.v, c.tall); y++ {
			for x := c.first; x < min(c.last, c.wideAll); x++ {
				c.place(y, x, c.blockAt(y, x))
			}
		}
	}
}

// sequentialRow decodes a row of MCUs of a sequential scan.
func (d *decoder) sequentialRow(u *units, row int) error {
	var blocks [10][64]int16
	d.clearUnit = func() { blocks = [10][64]int16{} }
	if u.single {
		c := d.scan[0]
		for y := row * c.v; y < min((row+1)*c.v, c.tall); y++ {
			for x := range u.perRow {
				blocks[0] = [64]int16{}
				if err := d.unit(u, func() error { return d.sequentialBlock(c, blocks[0][:]) }); err != nil {
					return err
				}
				c.place(y, x, blocks[0][:])
			}
		}
		return nil
	}
	for col := range u.perRow {
		for i := range u.blocks {
			blocks[i] = [64]int16{}
		}
		err := d.unit(u, func() error {
			i := 0
			for _, c := range d.scan {
				for range c.h * c.v {
					if err := d.sequentialBlock(c, blocks[i][:]); err != nil {
						return err
					}
					i++
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		i := 0
		for _, c := range d.scan {
			for y := range c.v {
				for x := range c.h {
					c.place(row*c.v+y, col*c.h+x, blocks[i][:])
					i++
				}
			}
		}
	}
	return nil
}
