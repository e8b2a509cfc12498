package strs

import (
	"encoding/binary"
	"unsafe"

	"github.com/graphc/graphc/rt/tensor"
)

// text returns the bytes b as a string without a copy. It is valid while b does not change.
func text(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	return unsafe.String(&b[0], len(b))
}

// FingerprintMethod returns InvalidArgument unless the method is farmhash64, the only one.
func FingerprintMethod(method []string) error {
	if len(method) != 1 || method[0] != "farmhash64" {
		return tensor.Errorf(tensor.InvalidArgument, "Unsupported fingerprint method: %q, farmhash64 is supported", method)
	}
	return nil
}

// FingerprintRaw divides src into rows of n bytes. It writes Fingerprint64 of each row to dst, as 8
// bytes in little-endian order.
func FingerprintRaw(dst, src []byte, n int) {
	for i := range len(dst) / 8 {
		binary.LittleEndian.PutUint64(dst[8*i:], Fingerprint64(text(src[i*n:][:n])))
	}
}

// FingerprintStr writes the fingerprint of each row of n strings. For a row of one string, this is
// the string's fingerprint. For a row of several strings, FingerprintStr stores the fingerprints of
// the strings in scratch, 8 bytes each, and writes the fingerprint of these bytes. For rows without
// strings, it writes zeros.
func FingerprintStr(dst []byte, src []string, n int, scratch []byte) {
	if n == 0 {
		clear(dst)
		return
	}
	for i := range len(dst) / 8 {
		row := src[i*n:][:n]
		if n == 1 {
			binary.LittleEndian.PutUint64(dst[8*i:], Fingerprint64(row[0]))
			continue
		}
		for k, s := range row {
			binary.LittleEndian.PutUint64(scratch[8*k:], Fingerprint64(s))
		}
		binary.LittleEndian.PutUint64(dst[8*i:], Fingerprint64(text(scratch[:8*n])))
	}
}

// FingerprintCat64 joins two fingerprints to one that depends on their order.
func FingerprintCat64(a, b uint64) uint64 {
	const m = 0xc6a4a7935bd1e995
	h := a ^ m
	h ^= mix(b*m) * m
	h *= m
	return mix(mix(h) * m)
}

// Fingerprint128 is FarmHash's function of that name, whose results never change.
func Fingerprint128(s string) (lo, hi uint64) {
	if len(s) >= 16 {
		return farm128(s[16:], le64(s, 0), le64(s, 8)+farm0)
	}
	return farm128(s, farm0, farm1)
}

const farmMul = 0x9ddfea08eb382d69

// farm128 is FarmHash's CityHash128WithSeed.
func farm128(s string, lo, hi uint64) (uint64, uint64) {
	if len(s) < 128 {
		return farmMurmur(s, lo, hi)
	}
	x, y, z := lo, hi, uint64(len(s))*farm1
	var v, w [2]uint64
	v[0] = rot(y^farm1, 49)*farm1 + le64(s, 0)
	v[1] = rot(v[0], 42)*farm1 + le64(s, 8)
	w[0] = rot(y+z, 35)*farm1 + x
	w[1] = rot(x+le64(s, 88), 53) * farm1
	at := 0
	for ; len(s)-at >= 128; at += 128 {
		for i := at; i < at+128; i += 64 {
			x = rot(x+y+v[0]+le64(s, i+8), 37) * farm1
			y = rot(y+v[1]+le64(s, i+48), 42) * farm1
			x ^= w[1]
			y += v[0] + le64(s, i+40)
			z = rot(z+w[0], 33) * farm1
			v = weak(s, i, v[1]*farm1, x+w[0])
			w = weak(s, i+32, z+w[1], y+le64(s, i+16))
			z, x = x, z
		}
	}
	x += rot(v[0]+z, 49) * farm0
	y = y*farm0 + rot(w[1], 37)
	z = z*farm0 + rot(w[0], 27)
	w[0] *= 9
	v[0] *= farm0
	for done := 0; done < len(s)-at; {
		done += 32
		i := len(s) - done
		y = rot(x+y, 42)*farm0 + v[1]
		w[0] += le64(s, i+16)
		x = x*farm0 + w[0]
		z += w[1] + le64(s, i)
		w[1] += v[0]
		v = weak(s, i, v[0]+z, v[1])
		v[0] *= farm0
	}
	x = len16(x, v[0], farmMul)
	y = len16(y+z, w[0], farmMul)
	return len16(x+v[1], w[1], farmMul) + y, len16(x+w[1], y+v[1], farmMul)
}

// farmMurmur is farm128 for short strings.
func farmMurmur(s string, a, b uint64) (uint64, uint64) {
	var c, d uint64
	if n := len(s); n <= 16 {
		a = mix(a*farm1) * farm1
		c = b*farm1 + farm16(s)
		d = c
		if n >= 8 {
			d = le64(s, 0)
		}
		d = mix(a + d)
	} else {
		c = len16(le64(s, n-8)+farm1, a, farmMul)
		d = len16(b+uint64(n), c+le64(s, n-16), farmMul)
		a += d
		for i := 0; ; i += 16 {
			a ^= mix(le64(s, i)*farm1) * farm1
			a *= farm1
			b ^= a
			c ^= mix(le64(s, i+8)*farm1) * farm1
			c *= farm1
			d ^= c
			if n-16 <= i+16 {
				break
			}
		}
	}
	a = len16(a, c, farmMul)
	b = len16(d, b, farmMul)
	return a ^ b, len16(b, a, farmMul)
}

// Sdca writes the two 64-bit halves of Fingerprint128 of each string. The values 0 and 1 of the
// first half are reserved for a missing string. If the first half of a fingerprint is 0 or 1, Sdca
// writes the first half minus 2, which wraps around.
func Sdca(dst []int64, src []string) {
	for i, s := range src {
		lo, hi := Fingerprint128(s)
		if lo < 2 {
			lo -= 2
		}
		dst[2*i], dst[2*i+1] = int64(lo), int64(hi)
	}
}
