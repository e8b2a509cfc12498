// Package joekuo holds the direction numbers of Joe and Kuo for Sobol sequences of up to 21200
// dimensions ("Constructing Sobol sequences with better two-dimensional projections", SIAM J. Sci.
// Comput. 30, 2008, table new-joe-kuo-6.21201).
//
// All numbers of the first dimension are 1. Each other dimension has a primitive polynomial over
// GF(2), and as many initial numbers as the polynomial's degree. Initial number i, counted from 1,
// is odd and less than 2^i.
//
// The polynomials are not stored but computed: read as binary numbers, they are in ascending order.
// The file numbers.bin holds the initial numbers, packed without the last bit, which is always 1.
package joekuo

import _ "embed"

// MaxDims is the largest number of dimensions for which there are direction numbers.
const MaxDims = 21200

// Digits is the number of direction numbers that Numbers returns for each dimension.
const Digits = 32

//go:embed numbers.bin
var packed []byte

// bits reads the packed numbers. Its only field is the position of the next bit.
type bits struct{ at int }

func (b *bits) take(n int) uint32 {
	var v uint32
	for i := range n {
		v |= uint32(packed[b.at>>3]>>(b.at&7)&1) << i
		b.at++
	}
	return v
}

// Numbers returns the direction numbers of the dimensions 0 to dims-1. Element d·Digits + k of the
// result is direction number k of dimension d, with k from 0 to Digits-1. To generate points of w
// binary digits, shift direction number k left by w-1-k.
func Numbers(dims int) []uint32 {
	r := make([]uint32, dims*Digits)
	var b bits
	poly := uint32(2)
	for d := range dims {
		m := r[d*Digits : (d+1)*Digits]
		if d == 0 {
			for k := range m {
				m[k] = 1
			}
			continue
		}
		for poly++; !primitive(poly); poly++ {
		}
		s := degree(poly)
		for k := range m {
			switch {
			case k == 0:
				m[k] = 1
			case k < s:
				m[k] = b.take(k)<<1 | 1
			default:
				m[k] = m[k-s] ^ m[k-s]<<s
				for i := 1; i < s; i++ {
					if poly>>(s-i)&1 != 0 {
						m[k] ^= m[k-i] << i
					}
				}
			}
		}
	}
	return r
}

func degree(p uint32) int {
	n := -1
	for ; p > 0; p >>= 1 {
		n++
	}
	return n
}

// primitive reports whether the polynomial p, whose coefficients are its bits, is primitive: the
// powers of x modulo p are all the nonzero polynomials of lower degree.
func primitive(p uint32) bool {
	s := degree(p)
	if p&1 == 0 {
		return false
	}
	order := uint32(1)<<s - 1
	if power(order, p, s) != 1 {
		return false
	}
	n := order
	for q := uint32(2); q*q <= n; q++ {
		if n%q != 0 {
			continue
		}
		if power(order/q, p, s) == 1 {
			return false
		}
		for n%q == 0 {
			n /= q
		}
	}
	return n == 1 || n == order || power(order/n, p, s) != 1
}

// power returns x to the power n modulo the polynomial p, which has degree s.
func power(n, p uint32, s int) uint32 {
	r, x := uint32(1), reduced(2, p, s)
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			r = times(r, x, p, s)
		}
		x = times(x, x, p, s)
	}
	return r
}

func reduced(a, p uint32, s int) uint32 {
	if a>>s&1 != 0 {
		a ^= p
	}
	return a
}

func times(a, b, p uint32, s int) uint32 {
	var r uint32
	for ; b > 0; b >>= 1 {
		if b&1 != 0 {
			r ^= a
		}
		a = reduced(a<<1, p, s)
	}
	return r
}
