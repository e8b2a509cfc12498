package panel8

import "github.com/graphc/graphc/rt/cpu"

// Pack writes a matrix B[k,n] to dst as panels. It stores the sum of each column of B in the slice
// sums, which has n elements, or is empty if the caller does not need the sums. Element (i,j) of B
// is b[i*ldb+j] ^ flip, or b[j*ldb+i] ^ flip if trans is set. A flip of 0x80 subtracts 128 from an
// unsigned byte, so that it becomes a signed byte. dst has Len(k, n) bytes. The slices do not
// overlap.
func Pack[T int8 | uint8](dst []int8, sums []int32, b []T, flip uint8, k, n, ldb int, trans bool) {
	if n <= 0 {
		return
	}
	clear(sums)
	if k <= 0 {
		return
	}
	dst = dst[:Len(k, n)]
	step := Groups(k) * Group * Width
	for j := 0; j < n; j += Width {
		w := min(Width, n-j)
		d := dst[j/Width*step:][:step]
		if w < Width {
			clear(d)
		}
		var s [Width]int32
		if trans {
			packRows(d, &s, b[j*ldb:], flip, k, w, ldb)
		} else {
			packColumns(d, &s, b[j:], flip, k, w, ldb)
		}
		if len(sums) != 0 {
			copy(sums[j:], s[:w])
		}
	}
}

// packColumns packs w adjacent columns of b into the panel d, and adds up each column in s.
func packColumns[T int8 | uint8](d []int8, s *[Width]int32, b []T, flip uint8, k, w, ldb int) {
	for i := 0; i < k; i += Group {
		g := d[i*Width:][: Group*Width : Group*Width]
		if i+Group > k {
			clear(g)
			for r := range k - i {
				for x, v := range b[(i+r)*ldb:][:w] {
					q := int8(uint8(v) ^ flip)
					g[x*Group+r] = q
					s[x] += int32(q)
				}
			}
			return
		}
		r0, r1, r2, r3 := b[i*ldb:][:w], b[(i+1)*ldb:][:w], b[(i+2)*ldb:][:w], b[(i+3)*ldb:][:w]
		for x := range r0 {
			q0, q1, q2, q3 := int8(uint8(r0[x])^flip), int8(uint8(r1[x])^flip), int8(uint8(r2[x])^flip), int8(uint8(r3[x])^flip)
			o := g[x*Group:][:Group:Group]
			o[0], o[1], o[2], o[3] = q0, q1, q2, q3
			s[x] += int32(q0) + int32(q1) + int32(q2) + int32(q3)
		}
	}
}

// packRows packs w adjacent columns of a matrix that b stores transposed, so that each of these
// columns is a row of b. It adds up each column in s.
func packRows[T int8 | uint8](d []int8, s *[Width]int32, b []T, flip uint8, k, w, ldb int) {
	for x := range w {
		row := b[x*ldb:][:k]
		sum := int32(0)
		for i := 0; i < k; i += Group {
			o := d[i*Width+x*Group:][:Group:Group]
			if i+Group > k {
				clear(o)
			}
			for r, v := range row[i:min(i+Group, k)] {
				q := int8(uint8(v) ^ flip)
				o[r] = q
				sum += int32(q)
			}
		}
		s[x] = sum
	}
}

// Sum returns the sum of a's bytes.
func Sum(a []uint8) int32 {
	s, i := uint64(0), 0
	if cpu.UseAVX2() || cpu.UseNEON() {
		s, i = sumSIMD(a)
	}
	for ; i < len(a); i++ {
		s += uint64(a[i])
	}
	return int32(s)
}

// Flip converts signed bytes to unsigned bytes: dst[i] = src[i] + 128. dst is at least as long as
// src, and both may use the same memory.
func Flip(dst []uint8, src []int8) {
	dst = dst[:len(src)]
	i := 0
	if cpu.UseAVX2() || cpu.UseNEON() {
		i = flipSIMD(dst, src)
	}
	for ; i < len(src); i++ {
		dst[i] = uint8(src[i]) ^ 0x80
	}
}
