package gemm

import (
	"math"

	"github.com/graphc/graphc/kernels/internal/panel"
	"github.com/graphc/graphc/rt/tensor"
)

// half is a 16-bit float.
type half interface {
	tensor.F16 | tensor.BF16
	Float32() float32
}

// halfRows is the number of rows of A widened to f32 at a time.
const halfRows = 28

// BatchHalfScratchLen is the number of floats of scratch BatchF16 and BatchBF16 need.
func BatchHalfScratchLen(p BatchParams) int {
	if p.M <= 0 || p.N <= 0 {
		return 0
	}
	return PackedLen(p.K, p.N) + min(halfRows, p.M)*(halfStride(max(p.K, 0))+p.N)
}

// halfStride is the row stride of the widened A, never one that aliases in the cache.
func halfStride(k int) int {
	if k%aliasFloats == 0 {
		return k + padFloats
	}
	return k
}

// BatchF16 is BatchF32 for f16: products are summed in f32 and rounded once,
// half to even. scratch has BatchHalfScratchLen(p) floats.
func BatchF16(c, a, b []tensor.F16, scratch []float32, p BatchParams) {
	batchHalf(c, a, b, scratch, &p, tensor.ToF16)
}

// BatchBF16 is BatchF32 for bf16: products are summed in f32 and the sum's lower
// half is cut off, as TensorFlow's MatMul does (its convolutions round).
// scratch has BatchHalfScratchLen(p) floats.
func BatchBF16(c, a, b []tensor.BF16, scratch []float32, p BatchParams) {
	batchHalf(c, a, b, scratch, &p, cutBF16)
}

func cutBF16(f float32) tensor.BF16 {
	b := math.Float32bits(f)
	if f != f {
		b |= 1 << 22 // a NaN whose payload is in the lower half stays one
	}
	return tensor.BF16(b >> 16)
}

func batchHalf[T half](c, a, b []T, scratch []float32, p *BatchParams, round func(float32) T) {
	p.dense()
	k := max(p.K, 0)
	am, ak := steps(p.Lda, p.TransA)
	bk, bn := steps(p.Ldb, p.TransB)
	block := min(halfRows, p.M)
	nb := PackedLen(k, p.N)
	lda := halfStride(k)
	last := -1
	for w := p.walk(); w.left > 0; w.next() {
		right, left := scratch[:nb], scratch[nb:][:block*lda]
		sum := scratch[nb+block*lda:][:block*p.N]
		if w.bo != last && k > 0 {
			src := b[w.bo:]
			panel.PackFunc(right, k, p.N, func(i, j int) float32 { return src[i*bk+j*bn].Float32() })
			last = w.bo
		}
		for m := 0; m < p.M; m += block {
			rows := min(block, p.M-m)
			for r := range rows {
				for i := range k {
					left[r*lda+i] = a[w.ao+(m+r)*am+i*ak].Float32()
				}
			}
			F32(sum, left, right, nil, nil, nil, Params{M: rows, N: p.N, K: k, Lda: lda})
			for r := range rows {
				row := c[w.co+(m+r)*p.Ldc:][:p.N]
				for n := range row {
					row[n] = round(sum[r*p.N+n])
				}
			}
		}
	}
}
