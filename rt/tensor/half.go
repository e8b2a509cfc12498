package tensor

import "math"

// F16 is an IEEE 754 binary16 number, stored as its bits.
type F16 uint16

// BF16 is a bfloat16 number, stored as its bits: the upper half of a float32.
type BF16 uint16

// Float32 converts h exactly.
func (h F16) Float32() float32 {
	sign := uint32(h&0x8000) << 16
	exp := uint32(h>>10) & 0x1f
	man := uint32(h & 0x3ff)
	switch {
	case exp == 0x1f:
		return math.Float32frombits(sign | 0x7f800000 | man<<13)
	case exp != 0:
		return math.Float32frombits(sign | (exp+112)<<23 | man<<13)
	case man == 0:
		return math.Float32frombits(sign)
	}
	f := float32(man) * (1.0 / (1 << 24))
	return math.Float32frombits(math.Float32bits(f) | sign)
}

// ToF16 converts f, rounding half to even. A number that is out of range becomes infinity.
func ToF16(f float32) F16 {
	b := math.Float32bits(f)
	sign := F16(b>>16) & 0x8000
	b &= 0x7fffffff
	switch {
	case b > 0x7f800000:
		return sign | 0x7e00
	case b >= 0x47800000: // 65536 or more, or infinity
		return sign | 0x7c00
	case b < 0x38800000: // below the smallest normal number
		// Subnormal numbers are multiples of 2⁻²⁴, which is also the distance between float32 numbers
		// from 0.5 to 1. Therefore the addition of 0.5 rounds f to such a multiple. The last bits of
		// the sum are then the bits of the result.
		s := math.Float32frombits(b) + 0.5
		return sign | F16(math.Float32bits(s)-0x3f000000)
	}
	b += 0xfff + (b >> 13 & 1)
	return sign | F16((b-0x38000000)>>13)
}

// Float32 converts h exactly.
func (h BF16) Float32() float32 { return math.Float32frombits(uint32(h) << 16) }

// ToBF16 converts f, rounding half to even.
func ToBF16(f float32) BF16 {
	b := math.Float32bits(f)
	if b&0x7fffffff > 0x7f800000 {
		return BF16(b>>16) | 0x40
	}
	return BF16((b + 0x7fff + (b >> 16 & 1)) >> 16)
}
