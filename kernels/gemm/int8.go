package gemm

import (
	"unsafe"

	"github.com/graphc/graphc/kernels/internal/panel8"
)

// Int8Params describes a product of bytes, summed in i32 that wraps around:
//
//	C[m,n] = Σ_k (A[m,k] - ZeroA) * (B[k,n] - ZeroB) + bias[n]
type Int8Params struct {
	M, N, K      int
	Lda          int  // bytes between rows of a, 0 meaning dense (K, or M if TransA)
	Ldc          int  // elements between rows of c, 0 meaning dense (N)
	TransA       bool // whether a holds A transposed; element (m,k) is then a[k*Lda+m]
	SignedA      bool // whether the bytes of a are signed
	UnsignedB    bool // whether PackU8 has packed b
	ZeroA, ZeroB int32
}

func (p *Int8Params) dense() {
	if p.Lda == 0 {
		p.Lda = p.K
		if p.TransA {
			p.Lda = p.M
		}
	}
	if p.Ldc == 0 {
		p.Ldc = p.N
	}
}

// Int8PackedLen returns the number of bytes that PackI8 and PackU8 write:
// ceil(n/16)*16 * ceil(k/4)*4.
func Int8PackedLen(k, n int) int { return panel8.Len(max(k, 0), max(n, 0)) }

// PackI8 packs B[k,n] for Int8: panels of 16 columns in groups of four rows,
// [ceil(n/16)][ceil(k/4)][16][4], with zeros beyond k and n. b is dense row-major [k,n], or [n,k]
// if transB. dst has Int8PackedLen(k, n) bytes. The sums of the n columns are stored in sums. The
// slices must not overlap.
func PackI8(dst []int8, sums []int32, b []int8, k, n int, transB bool) {
	packInt8(dst, sums, b, 0, k, n, transB)
}

// PackU8 is PackI8 for unsigned bytes. It subtracts 128 from each byte before it packs it. sums are
// the sums of the packed bytes.
func PackU8(dst []int8, sums []int32, b []uint8, k, n int, transB bool) {
	packInt8(dst, sums, b, 0x80, k, n, transB)
}

func packInt8[T int8 | uint8](dst []int8, sums []int32, b []T, flip uint8, k, n int, transB bool) {
	ldb := n
	if transB {
		ldb = k
	}
	if n > 0 {
		panel8.Pack(dst, sums[:n], b, flip, max(k, 0), n, ldb, transB)
	}
}

const (
	// A block of rows of A stays in the second-level cache, and so does the scratch memory to which
	// the block is copied.
	int8Block = 1 << 18
	// Rows that are a multiple of this many bytes apart share a cache set.
	int8Alias = 4096
	int8Pad   = 64
)

// copies reports whether rows of A are copied before use. They are copied if they are transposed or
// signed, if they end inside a group of four, or if they share a cache set.
func (p *Int8Params) copies() bool {
	return p.TransA || p.SignedA || p.K%panel8.Group != 0 || p.Lda%int8Alias == 0 && p.M >= 8 && p.N >= 128
}

// stride returns the distance between copied rows.
func (p *Int8Params) stride() int {
	s := panel8.Groups(p.K) * panel8.Group
	if s%int8Alias == 0 {
		s += int8Pad
	}
	return s
}

func (p *Int8Params) rows() int {
	r := int8Block / max(1, p.stride())
	return min(max(r/28*28, 28), p.M)
}

// Int8ScratchLen returns the number of bytes of scratch that Int8 needs for p.
func Int8ScratchLen(p Int8Params) int {
	if p.M <= 0 || p.N <= 0 || p.K <= 0 {
		return 0
	}
	p.dense()
	n := int8Terms(p.N) + int8Terms(p.rows())
	if p.copies() {
		n += p.rows() * p.stride()
	}
	return n
}

// int8Terms returns the number of bytes of n 32-bit terms, with room to align them.
func int8Terms(n int) int { return 4*n + 4 }

// cutInt32 splits n aligned 32-bit numbers off the front of s.
func cutInt32(s []uint8, n int) (terms []int32, rest []uint8) {
	at := int(-uintptr(unsafe.Pointer(unsafe.SliceData(s))) & 3)
	if s = s[at:]; len(s) < 4*n {
		panic("gemm: scratch too short")
	}
	return unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(s))), n), s[int8Terms(n)-at:]
}

// Int8 computes the formula of Int8Params for 0 <= m < M and 0 <= n < N. a holds bytes, signed if
// SignedA. PackI8 or PackU8 has written b and sums; sums may be empty if ZeroA is zero and a is
// unsigned. bias ([N]) may be empty. scratch has Int8ScratchLen(p) bytes. c overlaps nothing. If M
// or N is zero, Int8 does nothing. The result is exact modulo 2^32.
func Int8(c []int32, a []uint8, b []int8, sums, bias []int32, scratch []uint8, p Int8Params) {
	if p.M <= 0 || p.N <= 0 {
		return
	}
	p.dense()
	if p.K <= 0 {
		for m := range p.M {
			row := c[m*p.Ldc:][:p.N]
			clear(row)
			copy(row, bias)
		}
		return
	}
	za, zb := p.ZeroA, p.ZeroB
	if p.SignedA {
		za += 128
	}
	if p.UnsignedB {
		zb -= 128
	}
	// Σ (a-za)(b-zb) = Σ ab - za Σb - zb Σa + K za zb, where -za Σb + K za zb and the bias are
	// added up to one term for each column, in cols.
	cols, scratch := cutInt32(scratch, p.N)
	clear(cols)
	copy(cols, bias)
	if za != 0 {
		for n, s := range sums[:p.N] {
			cols[n] -= za * s
		}
	}
	rest := int32(p.K) * za * zb
	for n := range cols {
		cols[n] += rest
	}
	step := p.rows()
	all, scratch := cutInt32(scratch, step)
	for m := 0; m < p.M; m += step {
		rows := min(step, p.M-m)
		src, lda := p.left(a, scratch, m, rows)
		var terms []int32
		if zb != 0 {
			terms = all[:rows]
			for r := range terms {
				terms[r] = -zb * panel8.Sum(src[r*lda:][:p.K])
			}
		}
		p.block(c[m*p.Ldc:], src, b, cols, terms, rows, lda)
	}
}

// block multiplies rows of A, and splits long sums into parts.
func (p *Int8Params) block(c []int32, a []uint8, b []int8, cols, terms []int32, rows, lda int) {
	panelStep := panel8.Groups(p.K) * panel8.Group * panel8.Width
	for k := 0; k < p.K; k += panel8.MaxK {
		q := panel8.Block{M: rows, N: p.N, K: min(panel8.MaxK, p.K-k), Lda: lda, Ldc: p.Ldc, PanelStep: panelStep, Add: k > 0}
		panel8.Run(c, a[k:], b[k*panel8.Width:], cols, terms, q)
		cols, terms = nil, nil
	}
}

// left returns rows of A from row m on, and their stride. The rows consist of unsigned bytes, in
// whole groups of four.
func (p *Int8Params) left(a, scratch []uint8, m, rows int) ([]uint8, int) {
	if !p.copies() {
		return a[m*p.Lda:], p.Lda
	}
	stride := p.stride()
	scratch = scratch[:rows*stride]
	flip := uint8(0)
	if p.SignedA {
		flip = 0x80
	}
	for r := range rows {
		dst := scratch[r*stride:][:stride]
		clear(dst[p.K:])
		switch {
		case p.TransA:
			at := m + r
			for k := range p.K {
				dst[k] = a[at] ^ flip
				at += p.Lda
			}
		case p.SignedA:
			src := a[(m+r)*p.Lda:][:p.K]
			panel8.Flip(dst, unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(src))), len(src)))
		default:
			copy(dst, a[(m+r)*p.Lda:][:p.K])
		}
	}
	return scratch, stride
}
