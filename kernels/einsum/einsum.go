// Package einsum rearranges and sums tensors along arbitrary strides: the steps before and
// after the matrix product of an Einsum.
package einsum

import "github.com/graphc/graphc/rt/tensor"

// MaxRank is the largest number of dimensions over which a result may extend, and the largest number of
// dimensions that are summed.
const MaxRank = 12

// Params describes dst[Σ i·Dst] = Σ_r src[Σ i·Src + Σ r·Sum]. The index i runs over the Rank
// dimensions Dims, and the index r over the Sums dimensions SumDims. The strides Src, Dst and Sum
// are in elements. For a label that an operand repeats, the strides are added up; thus one stride
// describes a diagonal.
type Params struct {
	Rank    int
	Dims    [MaxRank]int
	Src     [MaxRank]int
	Dst     [MaxRank]int
	Sums    int
	SumDims [MaxRank]int
	Sum     [MaxRank]int
	Clear   bool // whether to clear all Len elements of dst first, because some are not written
	Len     int
}

// sumOf adds the elements over the summed dimensions, from dimension k on, to acc.
func sumOf[T, A any](src []T, at, k int, p *Params, acc A, add func(A, T) A) A {
	if k == p.Sums {
		return add(acc, src[at])
	}
	for range p.SumDims[k] {
		acc = sumOf(src, at, k+1, p, acc, add)
		at += p.Sum[k]
	}
	return acc
}

func rearrange[T, A any](dst, src []T, p *Params, add func(A, T) A, store func(A) T) {
	if p.Clear {
		clear(dst[:p.Len])
	}
	n := 1
	for _, d := range p.Dims[:p.Rank] {
		n *= d
	}
	if n == 0 {
		return
	}
	for _, d := range p.SumDims[:p.Sums] {
		if d == 0 { // there is nothing to sum; a loop over the other dimensions could take very long
			p.SumDims = [MaxRank]int{}
			break
		}
	}
	inner, si, di := 1, 0, 0
	if p.Rank > 0 {
		inner, si, di = p.Dims[p.Rank-1], p.Src[p.Rank-1], p.Dst[p.Rank-1]
	}
	var ix [MaxRank]int
	s, d := 0, 0
	for range n / inner {
		if p.Sums == 0 {
			x, y := s, d
			for range inner {
				dst[y] = src[x]
				x, y = x+si, y+di
			}
		} else {
			x, y := s, d
			for range inner {
				var zero A
				dst[y] = store(sumOf(src, x, 0, p, zero, add))
				x, y = x+si, y+di
			}
		}
		for k := p.Rank - 2; k >= 0; k-- {
			s, d = s+p.Src[k], d+p.Dst[k]
			if ix[k]++; ix[k] < p.Dims[k] {
				break
			}
			s, d = s-ix[k]*p.Src[k], d-ix[k]*p.Dst[k]
			ix[k] = 0
		}
	}
}

type number interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64 | ~complex64 | ~complex128
}

func plain[T number](dst, src []T, p *Params) {
	rearrange(dst, src, p, func(a, v T) T { return a + v }, func(a T) T { return a })
}

// F16 is F32 for f16, summed in f32.
func F16(dst, src []tensor.F16, p Params) {
	rearrange(dst, src, &p, func(a float32, v tensor.F16) float32 { return a + v.Float32() }, tensor.ToF16)
}

// BF16 is F32 for bf16, summed in f32.
func BF16(dst, src []tensor.BF16, p Params) {
	rearrange(dst, src, &p, func(a float32, v tensor.BF16) float32 { return a + v.Float32() }, tensor.ToBF16)
}
