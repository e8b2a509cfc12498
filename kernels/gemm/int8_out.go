package gemm

import "github.com/graphc/graphc/kernels/internal/panel8"

// Int8OutScratchLen returns the number of elements that the argument acc of Int8F32, Int8U8 and
// Int8I8 needs. In addition, these functions need Int8ScratchLen(p) bytes of scratch.
func Int8OutScratchLen(p Int8Params) int {
	return min(max(p.M, 0), outRows) * max(p.N, 0)
}

// outRows is the largest number of rows whose sums are kept in scratch memory at the same time.
const outRows = 56

// Int8F32 computes the same int32 product C as Int8, and scales it to floats:
//
//	y[m,n] = act(C[m,n]*scale[n] + bias[n])
//
// scale and bias have N elements. Ldc is the distance in floats between the starts of neighbouring
// rows of y. acc has Int8OutScratchLen(p) elements. Every operation is rounded to float32.
func Int8F32(y []float32, a []uint8, b []int8, sums []int32, scale, bias []float32, acc []int32, scratch []uint8, p Int8Params, act Act, lo, hi float32) {
	lo, hi = act.Bounds(lo, hi)
	p.out(a, b, sums, nil, acc, scratch, func(m int, row []int32) {
		panel8.OutF32(y[m*p.ldy():][:p.N], row, scale, bias, lo, hi)
	})
}

// Int8U8 computes the same int32 product C as Int8, and requantizes it to unsigned bytes:
//
//	y[m,n] = min(max(round(f32(C[m,n])*scale[n]) + zero, lo), hi)
//
// In this formula, round(x) is the integer nearest to x, and halves are rounded to even. bias has N
// elements, which are added to the columns of C before scaling, or it is empty.
// 0 <= lo <= zero <= hi <= 255.
func Int8U8(y, a []uint8, b []int8, sums, bias []int32, scale []float32, acc []int32, scratch []uint8, p Int8Params, zero, lo, hi int32) {
	p.out(a, b, sums, bias, acc, scratch, func(m int, row []int32) {
		panel8.OutBytes(y[m*p.ldy():][:p.N], row, scale, zero, lo, hi)
	})
}

// Int8I8 is like Int8U8, but the results are signed bytes: -128 <= lo <= zero <= hi <= 127.
func Int8I8(y []int8, a []uint8, b []int8, sums, bias []int32, scale []float32, acc []int32, scratch []uint8, p Int8Params, zero, lo, hi int32) {
	p.out(a, b, sums, bias, acc, scratch, func(m int, row []int32) {
		panel8.OutBytes(y[m*p.ldy():][:p.N], row, scale, zero, lo, hi)
	})
}

// ldy returns the distance in elements between the starts of neighbouring rows of the result y.
func (p *Int8Params) ldy() int {
	if p.Ldc == 0 {
		return p.N
	}
	return p.Ldc
}

// out computes the int32 sums of the product in blocks of rows. It calls the function put with each
// row number and its sums.
func (p *Int8Params) out(a []uint8, b []int8, sums, bias, acc []int32, scratch []uint8, put func(m int, row []int32)) {
	if p.M <= 0 || p.N <= 0 {
		return
	}
	q := *p
	q.dense()
	q.Ldc = p.N
	for m := 0; m < p.M; m += outRows {
		q.M = min(outRows, p.M-m)
		src := a
		switch {
		case p.K <= 0:
		case p.TransA:
			src = a[m:]
		default:
			src = a[m*q.Lda:]
		}
		block := acc[:q.M*p.N]
		Int8(block, src, b, sums, bias, scratch, q)
		for r := range q.M {
			put(m+r, block[r*p.N:][:p.N])
		}
	}
}
