package panel8

import "github.com/graphc/graphc/rt/cpu"

// Pack writes B[k,n] as panels and the sums of its columns. B's element (i,j)
// is b[i*ldb+j], or b[j*ldb+i] if trans, with its bits changed by flip: 0x80
// makes an unsigned byte the signed one that is 128 less. dst has Len(k, n)
// bytes; sums has n elements or is empty, meaning not wanted. Nothing overlaps.
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
	if n%Width != 0 || k%Group != 0 {
		clear(dst)
	}
	bi, bj := ldb, 1
	if trans {
		bi, bj = 1, ldb
	}
	for j := range n {
		d := dst[j/Width*step+j%Width*Group:]
		s := int32(0)
		at := j * bj
		for i := range k {
			v := int8(uint8(b[at]) ^ flip)
			d[i/Group*Group*Width+i%Group] = v
			s += int32(v)
			at += bi
		}
		if len(sums) != 0 {
			sums[j] = s
		}
	}
}

// Sum is the sum of a's bytes.
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

// Flip writes dst[i] = src[i] + 128: signed bytes as unsigned ones. dst is at
// least as long as src and may be its memory.
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
