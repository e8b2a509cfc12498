package gemm

import (
	"unsafe"

	"github.com/graphc/graphc/kernels/internal/panel8"
)

// Int8BatchScratchLen returns the number of bytes of scratch that Int8BatchI8I8 and its variants
// need.
func Int8BatchScratchLen(p BatchParams) int {
	if p.M <= 0 || p.N <= 0 || p.K <= 0 {
		return 0
	}
	p.dense()
	q := p.int8()
	q.SignedA = true // signed rows of A may have to be copied, so count the scratch for the copies
	return Int8PackedLen(p.K, p.N) + int8Terms(p.N) + Int8ScratchLen(q)
}

func (p *BatchParams) int8() Int8Params {
	return Int8Params{M: p.M, N: p.N, K: p.K, Lda: p.Lda, Ldc: p.Ldc, TransA: p.TransA}
}

// Int8BatchI8I8 computes TensorFlow's BatchMatMulV3 for int8 operands. The results are int32, and
// sums wrap around. Each right-hand matrix is packed into scratch, which has Int8BatchScratchLen(p)
// bytes.
func Int8BatchI8I8(c []int32, a, b []int8, scratch []uint8, p BatchParams) {
	int8Batch(c, unsigned(a), b, scratch, &p, 0x80, 0)
}

// Int8BatchI8U8 is like Int8BatchI8I8, but b is uint8.
func Int8BatchI8U8(c []int32, a []int8, b []uint8, scratch []uint8, p BatchParams) {
	int8Batch(c, unsigned(a), b, scratch, &p, 0x80, 0x80)
}

// Int8BatchU8I8 is like Int8BatchI8I8, but a is uint8.
func Int8BatchU8I8(c []int32, a []uint8, b []int8, scratch []uint8, p BatchParams) {
	int8Batch(c, a, b, scratch, &p, 0, 0)
}

// Int8BatchU8U8 is like Int8BatchI8I8, but both a and b are uint8.
func Int8BatchU8U8(c []int32, a, b []uint8, scratch []uint8, p BatchParams) {
	int8Batch(c, a, b, scratch, &p, 0, 0x80)
}

// unsigned returns signed bytes as a slice of unsigned ones with the same bits.
func unsigned(s []int8) []uint8 {
	return unsafe.Slice((*uint8)(unsafe.Pointer(unsafe.SliceData(s))), len(s))
}

func int8Batch[T int8 | uint8](c []int32, a []uint8, b []T, scratch []uint8, p *BatchParams, flipA, flipB uint8) {
	if p.M <= 0 || p.N <= 0 {
		return
	}
	p.dense()
	q := p.int8()
	q.SignedA, q.UnsignedB = flipA != 0, flipB != 0
	if p.K <= 0 {
		for w := p.walk(); w.left > 0; w.next() {
			Int8(c[w.co:], nil, nil, nil, nil, nil, q)
		}
		return
	}
	n := Int8PackedLen(p.K, p.N)
	packed := unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(scratch[:n]))), n)
	sums, rest := cutInt32(scratch[n:], p.N)
	last := -1
	for w := p.walk(); w.left > 0; w.next() {
		if w.bo != last {
			panel8.Pack(packed, sums, b[w.bo:], flipB, p.K, p.N, p.Ldb, p.TransB)
			last = w.bo
		}
		Int8(c[w.co:], a[w.ao:], packed, sums, nil, rest, q)
	}
}
