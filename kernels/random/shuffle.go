package random

import (
	"math"
	"sort"

	"github.com/graphc/graphc/rt/mem"
)

// shuffleEvery is the number of rows between two calls of Work, which counts the work done.
const shuffleEvery = 64

// permute fills the slice order with a random permutation of the integers from 0 to len(order)-1. The
// stream determines the permutation.
func permute(call *mem.Call, order []int64, stream []uint64) {
	g := single{p: open(stream)}
	for i := range order {
		order[i] = int64(i)
	}
	for i := 0; i < len(order)-1; i++ {
		if i%shuffleEvery == 0 {
			call.Work(shuffleEvery * 16)
		}
		j := i + int(g.next()%uint32(len(order)-i))
		order[i], order[j] = order[j], order[i]
	}
}

// shuffle copies the rows of the slice `in` to the slice `out`, in random order. The parameter row is
// the number of elements of each row. The slice order is scratch with an element for each row.
func shuffle[T any](run *mem.Budget, out, in []T, order []int64, stream []uint64, row int) {
	call := run.Call()
	permute(&call, order, stream)
	for i, j := range order {
		if i%shuffleEvery == 0 {
			call.Work(shuffleEvery * (8 + row/4))
		}
		copy(out[i*row:(i+1)*row], in[int(j)*row:(int(j)+1)*row])
	}
}

// ShuffleString is ShuffleF32 for strings.
func ShuffleString(run *mem.Budget, out, in []string, order []int64, stream []uint64, row int) {
	shuffle(run, out, in, order, stream, row)
}

// MultinomialParams describes draws from Rows distributions over Classes.
type MultinomialParams struct{ Rows, Classes, Samples int }

// Multinomial draws Samples classes for each row of unnormalised log
// probabilities. cdf has Classes elements of scratch.
func Multinomial(run *mem.Budget, out []int64, logits []float32, cdf []float64, stream []uint64, p MultinomialParams) {
	g := single{p: open(stream)}
	call := run.Call()
	for r := range p.Rows {
		call.Work(16 * p.Classes)
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
			call.Work(64)
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
