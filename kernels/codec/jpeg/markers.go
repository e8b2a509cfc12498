package jpeg

// The markers.
const (
	mSOF0 = 0xc0
	mSOF1 = 0xc1
	mSOF2 = 0xc2
	mDHT  = 0xc4
	mDAC  = 0xcc
	mRST0 = 0xd0
	mRST7 = 0xd7
	mSOI  = 0xd8
	mEOI  = 0xd9
	mSOS  = 0xda
	mDQT  = 0xdb
	mDRI  = 0xdd
	mAPP0 = 0xe0
	mTEM  = 0x01
	mAPPE = 0xee // Adobe's
)

// natural[k] is the position in a block, row by row, of coefficient k in zigzag order. The entries
// after the 64th are the last position; only damaged files need them.
var natural = [80]uint8{
	0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5,
	12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
	35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
	58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
	63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63,
}

// component is one of a frame's components.
type component struct {
	id          byte
	h, v        int // sampling factors
	quant       int
	dc, ac      int // Huffman tables
	q           *[64]uint16
	wide, tall  int // size in blocks
	size        int // side, in samples, of a decoded block
	cols, rows  int // samples within the picture
	wideAll     int // width in blocks, padded to whole MCUs
	coefs       []int16
	ring        []uint8
	stride      int
	lastDC      int
	mult        [64]int16
	fast        bool
	first, last int // the columns of blocks [first, last) are needed
	needed      bool
}

// frame holds the fields of the frame header.
type frame struct {
	comps       []component
	w, h        int
	progressive bool
	hmax, vmax  int
}

// segment reads the length of a marker's segment and returns its contents.
func (d *decoder) segment() (string, error) {
	r := &d.r
	if len(r.data)-r.pos < 2 {
		return "", d.short()
	}
	n := int(r.data[r.pos])<<8 | int(r.data[r.pos+1])
	if n < 2 {
		return "", bad("bogus length of a marker's segment")
	}
	if len(r.data)-r.pos < n {
		return "", d.short()
	}
	s := r.data[r.pos+2 : r.pos+n]
	r.pos += n
	r.sync()
	return s, nil
}

// short returns the error for data that end inside a header.
func (d *decoder) short() error {
	if d.r.synced < len(d.r.data) && !d.r.recover {
		return errSuspended
	}
	return bad("the file ends early")
}

// nextMarker skips to the next marker and sets r.marker.
func (r *reader) nextMarker() error {
	for {
		c, err := r.byte()
		if err != nil {
			return err
		}
		for c != 0xff {
			r.sync()
			if c, err = r.byte(); err != nil {
				return err
			}
		}
		for c == 0xff {
			if c, err = r.byte(); err != nil {
				return err
			}
		}
		if c != 0 {
			r.marker = c
			r.sync()
			return nil
		}
		r.sync()
	}
}

// markers reads the segments up to and including the header of the next scan. The result more is
// false at the end of the picture.
func (d *decoder) markers() (more bool, err error) {
	for {
		if d.r.marker == 0 {
			if err := d.r.nextMarker(); err != nil {
				return false, err
			}
		}
		m := d.r.marker
		switch {
		case m == mSOI:
			return false, bad("a second start of image")
		case m == mSOF0, m == mSOF1, m == mSOF2:
			err = d.startOfFrame(m == mSOF2)
		case m >= 0xc3 && m <= 0xcf && m != mDHT && m != mDAC:
			return false, bad("a frame of the kind %#x is not supported", m)
		case m == mSOS:
			d.r.marker = 0
			return true, d.startOfScan()
		case m == mEOI:
			d.r.marker = 0
			return false, nil
		case m == mDHT:
			err = d.huffmanTables()
		case m == mDQT:
			err = d.quantTables()
		case m == mDRI:
			err = d.restartInterval()
		case m >= mAPP0 && m <= 0xef:
			err = d.application(m)
		case m >= mRST0 && m <= mRST7, m == mTEM:
		case m == 0xdc, m == 0xfe, m == mDAC:
			err = d.skip()
		default:
			return false, bad("unknown marker %#x", m)
		}
		if err != nil {
			return false, err
		}
		d.r.marker = 0
	}
}

// skip skips a segment, or the rest of the file if the segment is longer.
func (d *decoder) skip() error {
	r := &d.r
	if len(r.data)-r.pos < 2 {
		return d.short()
	}
	n := int(r.data[r.pos])<<8 | int(r.data[r.pos+1])
	if n < 2 {
		n = 2
	}
	if len(r.data)-r.pos < n {
		r.pos = len(r.data)
		r.sync()
		return r.fill()
	}
	r.pos += n
	r.sync()
	return nil
}

func (d *decoder) application(m byte) error {
	if m != mAPP0 && m != mAPPE {
		return d.skip()
	}
	at := d.r.pos
	if err := d.skip(); err != nil {
		return err
	}
	if at >= len(d.r.data) || d.r.pos < at+2 {
		return nil
	}
	s := d.r.data[at+2 : d.r.pos]
	switch {
	case m == mAPP0 && len(s) >= 14 && s[:5] == "JFIF\x00":
		d.jfif = true
	case m == mAPPE && len(s) >= 12 && s[:5] == "Adobe":
		d.adobe, d.transform = true, s[11]
	}
	return nil
}

func (d *decoder) restartInterval() error {
	s, err := d.segment()
	if err != nil {
		return err
	}
	if len(s) != 2 {
		return bad("bogus length of a marker's segment")
	}
	d.interval = int(s[0])<<8 | int(s[1])
	return nil
}

func (d *decoder) quantTables() error {
	s, err := d.segment()
	if err != nil {
		return err
	}
	for len(s) > 0 {
		n, wide := int(s[0]&15), s[0]>>4 != 0
		s = s[1:]
		if n > 3 {
			return bad("bogus number %d of a quantization table", n)
		}
		size := 64
		if wide {
			size = 128
		}
		if len(s) < size {
			return bad("bogus length of a marker's segment")
		}
		t := new([64]uint16)
		for i := range 64 {
			if wide {
				t[natural[i]] = uint16(s[2*i])<<8 | uint16(s[2*i+1])
			} else {
				t[natural[i]] = uint16(s[i])
			}
		}
		d.quants[n] = t
		s = s[size:]
	}
	return nil
}

func (d *decoder) huffmanTables() error {
	s, err := d.segment()
	if err != nil {
		return err
	}
	for len(s) > 16 {
		class, n := s[0]>>4&1, int(s[0]&^0x10)
		h := huffman{set: true}
		total := 0
		for l := 1; l <= 16; l++ {
			h.counts[l] = int(s[l])
			total += int(s[l])
		}
		s = s[17:]
		if total > 256 || total > len(s) {
			return bad("bogus Huffman table definition")
		}
		copy(h.values[:], s[:total])
		s = s[total:]
		if n > 3 {
			return bad("bogus number %d of a Huffman table", n)
		}
		if class == 0 {
			d.dcs[n] = h
		} else {
			d.acs[n] = h
		}
	}
	if len(s) != 0 {
		return bad("bogus length of a marker's segment")
	}
	return nil
}

func (d *decoder) startOfFrame(progressive bool) error {
	s, err := d.segment()
	if err != nil {
		return err
	}
	if len(s) < 6 {
		return bad("bogus length of a marker's segment")
	}
	if d.f != nil {
		return bad("a second frame")
	}
	f := &frame{progressive: progressive, h: int(s[1])<<8 | int(s[2]), w: int(s[3])<<8 | int(s[4]), hmax: 1, vmax: 1}
	n := int(s[5])
	switch {
	case f.w == 0 || f.h == 0 || n == 0:
		return bad("an empty image")
	case len(s) != 6+3*n:
		return bad("bogus length of a marker's segment")
	case f.w > 65500 || f.h > 65500:
		return bad("%d x %d pixels are too many, at most 65500 a side", f.w, f.h)
	case s[0] != 8:
		return bad("%d bits a sample, 8 are supported", s[0])
	case n > 10:
		return bad("%d components are too many", n)
	}
	for i := range n {
		c := s[6+3*i:]
		k := component{id: c[0], h: int(c[1] >> 4), v: int(c[1] & 15), quant: int(c[2]), needed: true}
		if k.h < 1 || k.h > 4 || k.v < 1 || k.v > 4 {
			return bad("bogus sampling factors")
		}
		f.hmax, f.vmax = max(f.hmax, k.h), max(f.vmax, k.v)
		f.comps = append(f.comps, k)
	}
	d.f = f
	return nil
}

func (d *decoder) startOfScan() error {
	if d.f == nil {
		return bad("a scan without a frame")
	}
	s, err := d.segment()
	if err != nil {
		return err
	}
	if len(s) < 1 {
		return bad("bogus length of a marker's segment")
	}
	n := int(s[0])
	if n < 1 || n > 4 || len(s) != 4+2*n {
		return bad("bogus length of a marker's segment")
	}
	d.scan = d.scan[:0]
	for i := range n {
		id, tables := s[1+2*i], s[2+2*i]
		var c *component
		for k := range d.f.comps {
			if x := &d.f.comps[k]; x.id == id && !d.inScan(x) {
				c = x
				break
			}
		}
		if c == nil {
			return bad("the frame has no component %d", id)
		}
		c.dc, c.ac = int(tables>>4), int(tables&15)
		d.scan = append(d.scan, c)
	}
	t := s[1+2*n:]
	d.ss, d.se, d.ah, d.al = int(t[0]), int(t[1]), int(t[2]>>4), int(t[2]&15)
	d.nextRST = 0
	return nil
}

func (d *decoder) inScan(c *component) bool {
	for _, x := range d.scan {
		if x == c {
			return true
		}
	}
	return false
}
