package random

import (
	"math"
	"sort"

	"github.com/graphc/graphc/rt/tensor"
)

// permute fills order with a permutation drawn from the stream.
func permute(order []int64, stream []uint64) {
	g := single{p: open(stream)}
	for i := range order {
		order[i] = int64(i)
	}
	for i := 0; i < len(order)-1; i++ {
		j := i + int(g.next()%uint32(len(order)-i))
		order[i], order[j] = order[j], order[i]
	}
}

// shuffle writes the rows of in, of row elements each, in a random order.
func shuffle[T any](out, in []T, order []int64, stream []uint64, row int) {
	permute(order, stream)
	for i, j := range order {
		copy(out[i*row:(i+1)*row], in[int(j)*row:(int(j)+1)*row])
	}
}

// ShuffleF32 writes the len(order) rows of in, each of row elements, to out in
// an order drawn from the stream (Fisher and Yates). order is scratch.
func ShuffleF32(out, in []float32, order []int64, stream []uint64, row int) {
	shuffle(out, in, order, stream, row)
}

// ShuffleF64 is ShuffleF32 for f64.
func ShuffleF64(out, in []float64, order []int64, stream []uint64, row int) {
	shuffle(out, in, order, stream, row)
}

// ShuffleF16 is ShuffleF32 for f16.
func ShuffleF16(out, in []tensor.F16, order []int64, stream []uint64, row int) {
	shuffle(out, in, order, stream, row)
}

// ShuffleBF16 is ShuffleF32 for bf16.
func ShuffleBF16(out, in []tensor.BF16, order []int64, stream []uint64, row int) {
	shuffle(out, in, order, stream, row)
}

// ShuffleI8 is ShuffleF32 for i8.
func ShuffleI8(out, in []int8, order []int64, stream []uint64, row int) {
	shuffle(out, in, order, stream, row)
}

// ShuffleI16 is ShuffleF32 for i16.
func ShuffleI16(out, in []int16, order []int64, stream []uint64, row int) {
	shuffle(out, in, order, stream, row)
}

// ShuffleI32 is ShuffleF32 for i32.
func ShuffleI32(out, in []int32, order []int64, stream []uint64, row int) {
	shuffle(out, in, order, stream, row)
}

// ShuffleI64 is ShuffleF32 for i64.
func ShuffleI64(out, in []int64, order []int64, stream []uint64, row int) {
	shuffle(out, in, order, stream, row)
}

// ShuffleU8 is ShuffleF32 for u8.
func ShuffleU8(out, in []uint8, order []int64, stream []uint64, row int) {
	shuffle(out, in, order, stream, row)
}

// ShuffleU16 is ShuffleF32 for u16.
func ShuffleU16(out, in []uint16, order []int64, stream []uint64, row int) {
	shuffle(out, in, order, stream, row)
}

// ShuffleU32 is ShuffleF32 for u32.
func ShuffleU32(out, in []uint32, order []int64, stream []uint64, row int) {
	shuffle(out, in, order, stream, row)
}

// ShuffleU64 is ShuffleF32 for u64.
func ShuffleU64(out, in []uint64, order []int64, stream []uint64, row int) {
	shuffle(out, in, order, stream, row)
}

// ShuffleBool is ShuffleF32 for bool.
func ShuffleBool(out, in []bool, order []int64, stream []uint64, row int) {
	shuffle(out, in, order, stream, row)
}

// ShuffleString is ShuffleF32 for strings.
func ShuffleString(out, in []string, order []int64, stream []uint64, row int) {
	shuffle(out, in, order, stream, row)
}

// ShuffleC64 is ShuffleF32 for c64.
func ShuffleC64(out, in []complex64, order []int64, stream []uint64, row int) {
	shuffle(out, in, order, stream, row)
}

// ShuffleC128 is ShuffleF32 for c128.
func ShuffleC128(out, in []complex128, order []int64, stream []uint64, row int) {
	shuffle(out, in, order, stream, row)
}

// MultinomialParams describes draws from Rows distributions over Classes.
type MultinomialParams struct{ Rows, Classes, Samples int }

// Multinomial draws Samples classes for each row of unnormalised log
// probabilities. cdf has Classes elements of scratch.
func Multinomial(out []int64, logits []float32, cdf []float64, stream []uint64, p MultinomialParams) {
	g := single{p: open(stream)}
	for r := range p.Rows {
		row := logits[r*p.Classes : (r+1)*p.Classes]
		top := float32(math.Inf(-1))
		for _, v := range row {
			if finite(v) {
				top = max(top, v)
			}
		}
		total := 0.0
		for i, v := range row {
			if finite(v) {
				total += math.Exp(float64(v) - float64(top))
			}
			cdf[i] = total
		}
		for s := range p.Samples {
			find := g.double() * total
			out[r*p.Samples+s] = int64(sort.Search(p.Classes, func(i int) bool { return cdf[i] > find }))
		}
	}
}

func finite(v float32) bool { return v-v == 0 }

// NarrowI64 converts the classes to i32.
func NarrowI64(out []int32, in []int64) {
	for i, v := range in {
		out[i] = int32(v)
	}
}
