package random

import "math"

// RegionParams describes how Regions divides Input rows or columns.
type RegionParams struct {
	Input int
	// Pseudo selects the order of the sizes. If it is set, larger and smaller regions alternate as
	// evenly as possible, beginning at a random offset. Otherwise the order is random.
	Pseudo bool
}

// Regions divides p.Input rows or columns into n = len(seq)-1 regions. The size of a region is
// p.Input/n rounded down, or one more. Regions stores the beginning of each region in seq, followed
// by the end of the last region. It advances the stream past the numbers that it has drawn. p.Input
// must be at least n, and n at least 1. The methods are those that TensorFlow derived from Graham,
// "Fractional max-pooling", 2014.
func Regions(seq []int64, stream []uint64, p RegionParams) {
	n := len(seq) - 1
	used := uint64(1)
	if p.Pseudo {
		pseudoRegions(seq, stream, p.Input, n)
	} else {
		used = uint64(n+3) / 4
		shuffledRegions(seq, stream, p.Input, n)
	}
	g := open(stream)
	g.skip(used)
	stream[1], stream[2] = g.lo, g.hi
}

// shuffledRegions puts the sizes of the regions in random order.
func shuffledRegions(seq []int64, stream []uint64, input, n int) {
	size, longer := int64(input/n), input%n
	diff := seq[1:]
	for i := range diff {
		diff[i] = size
		if i < longer {
			diff[i]++
		}
	}
	g := single{p: open(stream)}
	for i := range n - 1 {
		j := i + int(g.next()%uint32(n-i))
		diff[i], diff[j] = diff[j], diff[i]
	}
	seq[0] = 0
	for i := range diff {
		seq[i+1] += seq[i]
	}
}

// pseudoRegions stores the beginnings of the regions in seq. Region i begins at ⌈α(i+u)⌉-1, where α
// is input/n and u is a random number. The size of each inner region is ⌊α⌋ or ⌊α⌋+1. The upper bound
// of u is chosen such that this also holds for the first and the last region.
func pseudoRegions(seq []int64, stream []uint64, input, n int) {
	alpha := float64(input) / float64(n)
	k := float64(input / n)
	most := min((k+2)/alpha-1, (float64(input)+1-k)/alpha-float64(n-1))
	g := single{p: open(stream)}
	u := g.double() * most
	seq[0], seq[n] = 0, int64(input)
	for i := 1; i < n; i++ {
		seq[i] = int64(math.Ceil(alpha*(float64(i)+u))) - 1
	}
}
