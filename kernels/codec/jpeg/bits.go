package jpeg

import "errors"

// These errors stop the reading of a unit. They do not mean that the file is invalid.
var (
	errSuspended = errors.New("the data end within a unit")
	errFast      = errors.New("a marker within the unit")
)

// maxAgain is the largest number of times that the bytes of one unit may be read again. Each time
// supplies at least one more byte, and a unit has at most ten blocks. So every unit is complete by
// then.
const maxAgain = 1 << 13

// minBits is the smallest number of bits in the buffer after a refill, unless a marker ends the data
// earlier.
const minBits = 57

// reader reads bytes, markers and bits.
type reader struct {
	data string
	pos  int
	// synced is the position to which the reader may return when it runs out of data.
	synced int
	again  int // how many times the reader has read again from synced
	// recover says whether the reader returns one end-of-image marker at the end of the data. faked
	// says whether it has done so.
	recover, faked bool

	buf    uint64
	bits   int
	marker byte // the marker that ended the entropy-coded data; 0 means none
	lack   bool // whether more bits were needed than the data had before the marker
	fast   bool
}

// fill is called when no data are left. If recover is set, fill makes the reader read again from synced,
// or it supplies an end-of-image marker. Otherwise it returns an error.
func (r *reader) fill() error {
	if r.synced < len(r.data) { // the data end within a unit
		if !r.recover || r.faked {
			return errSuspended
		}
		if r.again++; r.again > maxAgain {
			return bad("the file ends early")
		}
		r.pos = r.synced
		return nil
	}
	if !r.recover || r.faked {
		return bad("the file ends early")
	}
	r.faked = true
	r.data, r.pos, r.synced = "\xff\xd9", 0, 0
	return nil
}

func (r *reader) sync() { r.synced, r.again = r.pos, 0 }

func (r *reader) byte() (byte, error) {
	if r.pos >= len(r.data) {
		if err := r.fill(); err != nil {
			return 0, err
		}
	}
	c := r.data[r.pos]
	r.pos++
	return c, nil
}

// take adds a byte of entropy-coded data to the buffer. It returns false at a marker.
func (r *reader) take() (bool, error) {
	c, err := r.byte()
	if err != nil {
		return false, err
	}
	if c == 0xff {
		for c == 0xff {
			if c, err = r.byte(); err != nil {
				return false, err
			}
		}
		if c != 0 {
			r.marker = c
			return false, nil
		}
		c = 0xff
	}
	r.buf = r.buf<<8 | uint64(c)
	r.bits += 8
	return true, nil
}

// refill reads bits into the buffer, so that the caller can take n bits. After the end of the data,
// it adds zeros.
func (r *reader) refill(n int) error {
	if r.fast {
		if r.pos+12 >= len(r.data) {
			return errFast
		}
		for range 6 {
			c := r.data[r.pos]
			r.pos++
			if c == 0xff {
				if r.data[r.pos] != 0 {
					return errFast
				}
				r.pos++
			}
			r.buf = r.buf<<8 | uint64(c)
			r.bits += 8
		}
		return nil
	}
	if r.marker == 0 {
		for r.bits < minBits {
			ok, err := r.take()
			if err != nil {
				return err
			}
			if !ok {
				break
			}
		}
	}
	if r.marker != 0 && n > r.bits {
		r.lack = true
		r.buf <<= minBits - r.bits
		r.bits = minBits
	}
	return nil
}

// need ensures that the buffer has n bits.
func (r *reader) need(n int) error {
	if r.fast {
		if r.bits <= 16 {
			return r.refill(n)
		}
		return nil
	}
	if r.bits < n {
		return r.refill(n)
	}
	return nil
}

func (r *reader) get(n int) int {
	r.bits -= n
	return int(r.buf>>r.bits) & (1<<n - 1)
}

// receive reads a number that has n bits. n must be positive.
func (r *reader) receive(n int) (int, error) {
	if err := r.need(n); err != nil {
		return 0, err
	}
	return r.get(n), nil
}

// extend returns the signed number that T.81 codes as the n bits v. T.81 calls this function EXTEND.
func extend(v, n int) int {
	if v < 1<<(n-1) {
		return v - 1<<n + 1
	}
	return v
}

// huffman is a table for decoding.
type huffman struct {
	set    bool
	counts [17]int
	values [256]byte

	derived bool
	look    [256]uint16 // length<<8 | value of the code with which the 8 bits of the index begin; 0 for a longer code
	max     [18]int     // the largest code of each length; -1 means no code
	offset  [17]int
}

// derive prepares the table, or returns an error if its code is invalid.
func (h *huffman) derive(dc bool) error {
	if !h.set {
		return bad("a Huffman table is missing")
	}
	if !h.derived {
		h.look = [256]uint16{}
		code, n := 0, 0
		for l := 1; l <= 16; l++ {
			h.offset[l] = n - code
			if h.counts[l] == 0 {
				h.max[l] = -1
				code <<= 1
				continue
			}
			if code+h.counts[l] >= 1<<l { // no code may be all ones
				return bad("bad Huffman table")
			}
			for range h.counts[l] {
				if l <= 8 {
					for k := range 1 << (8 - l) {
						h.look[code<<(8-l)|k] = uint16(l)<<8 | uint16(h.values[n])
					}
				}
				code++
				n++
			}
			h.max[l] = code - 1
			code <<= 1
		}
		h.max[17] = 0xfffff
		h.derived = true
	}
	if dc {
		n := 0
		for _, c := range h.counts {
			n += c
		}
		for _, v := range h.values[:n] {
			if v > 15 {
				return bad("bad Huffman table")
			}
		}
	}
	return nil
}

// symbol decodes one symbol. It returns 0 for an unknown code.
func (h *huffman) symbol(r *reader) (int, error) {
	l := 1
	if r.fast {
		if err := r.need(8); err != nil {
			return 0, err
		}
	} else if r.bits < 8 {
		if err := r.refill(0); err != nil {
			return 0, err
		}
	}
	if r.bits >= 8 {
		v := h.look[byte(r.buf>>(r.bits-8))]
		if n := int(v >> 8); n != 0 {
			r.bits -= n
			return int(v & 255), nil
		}
		l = 9
	}
	if !r.fast {
		if err := r.need(l); err != nil {
			return 0, err
		}
	}
	code := r.get(l)
	for code > h.max[l] {
		if !r.fast && r.bits < 1 {
			if err := r.refill(1); err != nil {
				return 0, err
			}
		}
		code = code<<1 | r.get(1)
		l++
	}
	if l > 16 {
		return 0, nil
	}
	return int(h.values[(code+h.offset[l])&255]), nil
}
