package cluster

import (
	"cmp"
	"slices"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// Neighbors returns the number of neighbours that are found if k[0] are requested among
// the given centres. It returns InvalidArgument for a negative k[0].
func Neighbors(k []int64, centers int) (int, error) {
	if k[0] < 0 {
		return 0, tensor.Errorf(tensor.InvalidArgument, "k must not be negative: %d", k[0])
	}
	return int(min(k[0], int64(centers))), nil
}

// NeighborParams describes points [Points, Dims] and centres [Centers, Dims]. K is the number of
// nearest centres to find for each point.
type NeighborParams struct{ Points, Centers, Dims, K int }

// Nearest finds the K centres c with the least squared distance |p|² - 2p·c + |c|² to each point p.
// It writes the centres' numbers to indices [Points, K] and the squared distances to distances
// [Points, K]. The nearest centre comes first; equally near centres are in the order of their
// numbers. partial and order are scratch slices of Centers elements each.
func Nearest(run *mem.Budget, indices []int64, distances []float32, points, centers, partial []float32, order []int32, p NeighborParams) {
	if p.K == 0 {
		return
	}
	call := run.Call()
	for i := range p.Points {
		x := points[i*p.Dims:][:p.Dims]
		for j := range p.Centers {
			call.Work(2*p.Dims + 32)
			c := centers[j*p.Dims:][:p.Dims]
			var dot, square float32
			for k, v := range c {
				dot += float32(v * x[k])
				square += float32(v * v)
			}
			partial[j] = 0.5*square - dot
			order[j] = int32(j)
		}
		less := func(a, b int32) int { return cmp.Or(cmp.Compare(partial[a], partial[b]), cmp.Compare(a, b)) }
		if p.K == 1 {
			order[0] = slices.MinFunc(order[:p.Centers], less)
		} else {
			slices.SortFunc(order[:p.Centers], less)
		}
		var square float32
		for _, v := range x {
			square += float32(v * v)
		}
		for k, j := range order[:p.K] {
			indices[i*p.K+k] = int64(j)
			distances[i*p.K+k] = 2 * (0.5*square + partial[j])
		}
	}
}
