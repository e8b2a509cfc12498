package strs

import (
	"encoding/binary"
	"math/bits"
)

// HashFast writes dst[i] = FarmHash's 64-bit fingerprint of src[i], modulo buckets.
func HashFast(dst []int64, src []string, buckets int64) {
	for i, s := range src {
		dst[i] = int64(Fingerprint64(s) % uint64(buckets))
	}
}

// HashOld writes dst[i] = the hash of StringToHashBucket (a 64-bit Murmur hash) of src[i], modulo buckets.
func HashOld(dst []int64, src []string, buckets int64) {
	for i, s := range src {
		dst[i] = int64(murmur64(s, 0xDECAFCAFFE) % uint64(buckets))
	}
}

// HashStrong writes dst[i] = SipHash-2-4 of src[i] under the key (k0, k1), modulo buckets.
func HashStrong(dst []int64, src []string, buckets, k0, k1 int64) {
	for i, s := range src {
		dst[i] = int64(sip(s, uint64(k0), uint64(k1)) % uint64(buckets))
	}
}

func le64(s string, i int) uint64 { return binary.LittleEndian.Uint64([]byte(s[i : i+8])) }
func le32(s string, i int) uint64 { return uint64(binary.LittleEndian.Uint32([]byte(s[i : i+4]))) }

// murmur64 is MurmurHash64A.
func murmur64(s string, seed uint64) uint64 {
	const m = 0xc6a4a7935bd1e995
	h := seed ^ uint64(len(s))*m
	for len(s) >= 8 {
		k := le64(s, 0) * m
		k ^= k >> 47
		h = (h ^ k*m) * m
		s = s[8:]
	}
	if len(s) > 0 {
		var k uint64
		for i := range len(s) {
			k |= uint64(s[i]) << (8 * i)
		}
		h = (h ^ k) * m
	}
	h ^= h >> 47
	h *= m
	return h ^ h>>47
}

// sip is SipHash-2-4 (Aumasson, Bernstein, 2012).
func sip(s string, k0, k1 uint64) uint64 {
	v0, v1, v2, v3 := k0^0x736f6d6570736575, k1^0x646f72616e646f6d, k0^0x6c7967656e657261, k1^0x7465646279746573
	round := func() {
		v0 += v1
		v1 = bits.RotateLeft64(v1, 13) ^ v0
		v0 = bits.RotateLeft64(v0, 32)
		v2 += v3
		v3 = bits.RotateLeft64(v3, 16) ^ v2
		v0 += v3
		v3 = bits.RotateLeft64(v3, 21) ^ v0
		v2 += v1
		v1 = bits.RotateLeft64(v1, 17) ^ v2
		v2 = bits.RotateLeft64(v2, 32)
	}
	last := uint64(len(s)) << 56
	for ; len(s) >= 8; s = s[8:] {
		m := le64(s, 0)
		v3 ^= m
		round()
		round()
		v0 ^= m
	}
	for i := range len(s) {
		last |= uint64(s[i]) << (8 * i)
	}
	v3 ^= last
	round()
	round()
	v0 ^= last
	v2 ^= 0xff
	for range 4 {
		round()
	}
	return v0 ^ v1 ^ v2 ^ v3
}

const (
	farm0 = 0xc3a5c85c97cb3127
	farm1 = 0xb492b66fbe98f273
	farm2 = 0x9ae16a3b2f90404f
)

func rot(v uint64, n int) uint64 { return bits.RotateLeft64(v, -n) }
func mix(v uint64) uint64        { return v ^ v>>47 }

func len16(u, v, mul uint64) uint64 {
	a := (u ^ v) * mul
	a ^= a >> 47
	b := (v ^ a) * mul
	b ^= b >> 47
	return b * mul
}

// Fingerprint64 is FarmHash's function of that name, whose results never change.
func Fingerprint64(s string) uint64 {
	n := len(s)
	switch {
	case n <= 16:
		return farm16(s)
	case n <= 32:
		mul := farm2 + uint64(n)*2
		a, b := le64(s, 0)*farm1, le64(s, 8)
		c, d := le64(s, n-8)*mul, le64(s, n-16)*farm2
		return len16(rot(a+b, 43)+rot(c, 30)+d, a+rot(b+farm2, 18)+c, mul)
	case n <= 64:
		return farm64(s)
	}
	x, y := uint64(81), uint64(81)
	z := uint64(0)
	yy := uint64(81)
	yy = yy*farm1 + 113
	y = yy
	z = mix(y*farm2+113) * farm2
	x = x*farm2 + le64(s, 0)
	var v, w [2]uint64
	end := (n - 1) / 64 * 64
	last := n - 64
	for i := 0; i < end; i += 64 {
		x = rot(x+y+v[0]+le64(s, i+8), 37) * farm1
		y = rot(y+v[1]+le64(s, i+48), 42) * farm1
		x ^= w[1]
		y += v[0] + le64(s, i+40)
		z = rot(z+w[0], 33) * farm1
		v = weak(s, i, v[1]*farm1, x+w[0])
		w = weak(s, i+32, z+w[1], y+le64(s, i+16))
		z, x = x, z
	}
	mul := farm1 + (z&0xff)<<1
	w[0] += uint64((n - 1) & 63)
	v[0] += w[0]
	w[0] += v[0]
	x = rot(x+y+v[0]+le64(s, last+8), 37) * mul
	y = rot(y+v[1]+le64(s, last+48), 42) * mul
	x ^= w[1] * 9
	y += v[0]*9 + le64(s, last+40)
	z = rot(z+w[0], 33) * mul
	v = weak(s, last, v[1]*mul, x+w[0])
	w = weak(s, last+32, z+w[1], y+le64(s, last+16))
	z, x = x, z
	return len16(len16(v[0], w[0], mul)+mix(y)*farm0+z, len16(v[1], w[1], mul)+x, mul)
}

func weak(s string, i int, a, b uint64) [2]uint64 {
	w, x, y, z := le64(s, i), le64(s, i+8), le64(s, i+16), le64(s, i+24)
	a += w
	b = rot(b+a+z, 21)
	c := a
	a += x
	a += y
	b += rot(a, 44)
	return [2]uint64{a + z, b + c}
}

func farm16(s string) uint64 {
	n := len(s)
	switch {
	case n >= 8:
		mul := farm2 + uint64(n)*2
		a, b := le64(s, 0)+farm2, le64(s, n-8)
		c := rot(b, 37)*mul + a
		d := (rot(a, 25) + b) * mul
		return len16(c, d, mul)
	case n >= 4:
		mul := farm2 + uint64(n)*2
		return len16(uint64(n)+le32(s, 0)<<3, le32(s, n-4), mul)
	case n > 0:
		y := uint32(s[0]) + uint32(s[n>>1])<<8
		z := uint32(n) + uint32(s[n-1])<<2
		return mix(uint64(y)*farm2^uint64(z)*farm0) * farm2
	}
	return farm2
}

func farm64(s string) uint64 {
	n := len(s)
	mul := farm2 + uint64(n)*2
	a, b := le64(s, 0)*farm2, le64(s, 8)
	c, d := le64(s, n-8)*mul, le64(s, n-16)*farm2
	y := rot(a+b, 43) + rot(c, 30) + d
	z := len16(y, a+rot(b+farm2, 18)+c, mul)
	e, f := le64(s, 16)*mul, le64(s, 24)
	g, h := (y+le64(s, n-32))*mul, (z+le64(s, n-24))*mul
	return len16(rot(e+f, 43)+rot(g, 30)+h, e+rot(f+a, 18)+g, mul)
}
