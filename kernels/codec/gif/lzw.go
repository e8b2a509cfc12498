package gif

import "errors"

const (
	maxCode = 4095
	none    = 4098 // no such code
)

var (
	errDefect = errors.New("the compressed data are damaged")
	errEnd    = errors.New("the file ends early")
	errSoon   = errors.New("the compressed data end early")
	errFrame  = errors.New("its size or its code size is bogus")
	errDone   = errors.New("it ends")
)

// lzw decompresses the pixels of one frame. Damaged data give the same pixels as with giflib.
type lzw struct {
	r          *reader
	left       int // bytes of the block that are still unread
	acc        uint
	have       int
	size       int // bits a pixel
	clear, eof int
	running    int // 2 more than the code that is being defined
	bits, max  int
	last       int
	prefix     [maxCode + 1]uint16
	suffix     [maxCode + 1]uint8
	stack      [maxCode + 1]uint8
	sp         int
}

func (z *lzw) init(r *reader, size int) {
	z.r, z.size = r, size
	z.left, z.acc, z.have, z.sp = 0, 0, 0, 0
	z.clear, z.eof = 1<<size, 1<<size+1
	z.reset()
}

func (z *lzw) reset() {
	for i := range z.prefix {
		z.prefix[i] = none
	}
	z.running, z.bits, z.last = z.eof+1, z.size+1, none
	z.max = 1 << z.bits
}

func (z *lzw) code() (int, error) {
	for z.have < z.bits {
		if z.left == 0 {
			n, err := z.r.byte()
			if err != nil {
				return 0, err
			}
			if n == 0 {
				return 0, errDefect
			}
			if len(z.r.data)-z.r.pos < int(n) {
				return 0, errEnd
			}
			z.left = int(n)
		}
		c, err := z.r.byte()
		if err != nil {
			return 0, err
		}
		z.left--
		z.acc |= uint(c) << z.have
		z.have += 8
	}
	c := int(z.acc & (1<<z.bits - 1))
	z.acc >>= z.bits
	z.have -= z.bits
	if z.running < maxCode+2 {
		z.running++
		if z.running > z.max && z.bits < 12 {
			z.max <<= 1
			z.bits++
		}
	}
	return c, nil
}

// first returns the first pixel of the sequence that code c represents.
func (z *lzw) first(c int) int {
	for i := 0; c > z.clear && i <= maxCode; i++ {
		if c > maxCode {
			return none
		}
		c = int(z.prefix[c])
	}
	return c
}

// line decompresses len(dst) pixels.
func (z *lzw) line(dst []uint8) error {
	i := 0
	for z.sp > 0 && i < len(dst) {
		z.sp--
		dst[i] = z.stack[z.sp]
		i++
	}
	for i < len(dst) {
		c, err := z.code()
		if err != nil {
			return err
		}
		if c == z.eof {
			return errSoon
		}
		if c == z.clear {
			z.reset()
			continue
		}
		at := z.running - 2 // the code being defined
		if c < z.clear {
			dst[i] = uint8(c)
			i++
		} else {
			p := c
			if z.prefix[c] == none {
				p = z.last
				from := c
				if c == at {
					from = z.last
				}
				v := uint8(z.first(from))
				if at <= maxCode {
					z.suffix[at] = v
				}
				z.stack[z.sp] = v
				z.sp++
			}
			for z.sp < maxCode && p > z.clear && p <= maxCode {
				z.stack[z.sp] = z.suffix[p]
				z.sp++
				p = int(z.prefix[p])
			}
			if z.sp >= maxCode || p > maxCode {
				return errDefect
			}
			z.stack[z.sp] = uint8(p)
			z.sp++
			for z.sp > 0 && i < len(dst) {
				z.sp--
				dst[i] = z.stack[z.sp]
				i++
			}
		}
		if z.last != none && at <= maxCode && z.prefix[at] == none {
			z.prefix[at] = uint16(z.last)
			from := c
			if c == at {
				from = z.last
			}
			z.suffix[at] = uint8(z.first(from))
		}
		z.last = c
	}
	return nil
}

// finish skips the rest of the frame's blocks.
func (z *lzw) finish() error {
	z.r.pos += z.left
	z.left = 0
	return z.r.skipBlocks()
}
