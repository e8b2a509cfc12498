package gemm

import (
	"math"

	"github.com/graphc/graphc/kernels/internal/panel"
	"github.com/graphc/graphc/kernels/internal/vmath"
	"github.com/graphc/graphc/rt/tensor"
)

// half is a 16-bit float.
type half interface {
	tensor.F16 | tensor.BF16
	Float32() float32
}

// halfRows is the number of rows of A that are widened to f32 at a time.
const halfRows = 28

// BatchHalfScratchLen returns the number of floats of scratch that BatchF16 and BatchBF16 need.
func BatchHalfScratchLen(p BatchParams) int {
	if p.M <= 0 || p.N <= 0 {
		return 0
	}
	return PackedLen(p.K, p.N) + max(halfWide(&p), min(halfRows, p.M)*(halfStride(max(p.K, 0))+p.N))
}

// halfWide returns the number of floats of B that are widened at a time: a row, or a panel's
// columns if B is transposed.
func halfWide(p *BatchParams) int {
	if p.TransB {
		return width * max(p.K, 0)
	}
	return p.N
}

// halfStride returns a row stride of the widened A that avoids shared cache sets.
func halfStride(k int) int {
	if k%aliasFloats == 0 {
		return k + padFloats
	}
	return k
}

// BatchF16 is BatchF32 for f16: products are summed in f32 and rounded once,
// half to even. scratch has BatchHalfScratchLen(p) floats.
func BatchF16(c, a, b []tensor.F16, scratch []float32, p BatchParams) {
	batchHalf(c, a, b, scratch, &p, loadF16, storeF16)
}

// BatchBF16 is BatchF32 for bf16: products are summed in f32 and the sum is truncated, as by
// TensorFlow's MatMul. (TensorFlow's convolutions round instead.) scratch has
// BatchHalfScratchLen(p) floats.
func BatchBF16(c, a, b []tensor.BF16, scratch []float32, p BatchParams) {
	batchHalf(c, a, b, scratch, &p, loadBF16, cutRow)
}

func cutBF16(f float32) tensor.BF16 {
	b := math.Float32bits(f)
	if f != f {
		b |= 1 << 22 // a NaN whose payload is in the lower half stays NaN
	}
	return tensor.BF16(b >> 16)
}

func cutRow(dst []tensor.BF16, src []float32) {
	for i, v := range src {
		dst[i] = cutBF16(v)
	}
}

func storeF16(dst []tensor.F16, src []float32) {
	if vmath.StoreF16(dst, src) {
		return
	}
	for i, v := range src {
		dst[i] = tensor.ToF16(v)
	}
}

func loadF16(dst []float32, src []tensor.F16) {
	if !vmath.LoadF16(dst, src) {
		widen(dst, src, 1)
	}
}

func loadBF16(dst []float32, src []tensor.BF16) {
	if !vmath.LoadBF16(dst, src) {
		widen(dst, src, 1)
	}
}

// widen writes every step-th element of src to dst as f32.
func widen[T half](dst []float32, src []T, step int) {
	for i := range dst {
		dst[i] = src[i*step].Float32()
	}
}

// packHalf packs op(B) as f32. wide is scratch of halfWide(p) floats.
func packHalf[T half](dst []float32, b []T, wide []float32, p *BatchParams, load func([]float32, []T)) {
	if p.TransB {
		for j := 0; j < p.N; j += width {
			w := min(width, p.N-j)
			for x := range w {
				load(wide[x*p.K:][:p.K], b[(j+x)*p.Ldb:][:p.K])
			}
			panel.Pack(dst[j*p.K:], wide, p.K, w, p.K, true)
		}
		return
	}
	wide = wide[:p.N]
	for i := range p.K {
		load(wide, b[i*p.Ldb:][:p.N])
		for j := 0; j < p.N; j += width {
			d := dst[j*p.K+i*width:][:width]
			clear(d[copy(d, wide[j:]):])
		}
	}
}

func batchHalf[T half](c, a, b []T, scratch []float32, p *BatchParams, load func([]float32, []T), store func([]T, []float32)) {
	p.dense()
	k := max(p.K, 0)
	am, ak := steps(p.Lda, p.TransA)
	block := min(halfRows, p.M)
	nb := PackedLen(k, p.N)
	lda := halfStride(k)
	last := -1
	for w := p.walk(); w.left > 0; w.next() {
		right, rest := scratch[:nb], scratch[nb:]
		if w.bo != last && k > 0 {
			packHalf(right, b[w.bo:], rest, p, load)
			last = w.bo
		}
		left, sum := rest[:block*lda], rest[block*lda:][:block*p.N]
		for m := 0; m < p.M; m += block {
			rows := min(block, p.M-m)
			for r := range rows {
				if x := w.ao + (m+r)*am; ak == 1 && k > 0 {
					load(left[r*lda:][:k], a[x:][:k])
				} else if k > 0 {
					widen(left[r*lda:][:k], a[x:], ak)
				}
			}
			F32(sum, left, right, nil, Params{M: rows, N: p.N, K: k, Lda: lda})
			for r := range rows {
				store(c[w.co+(m+r)*p.Ldc:][:p.N], sum[r*p.N:][:p.N])
			}
		}
	}
}
