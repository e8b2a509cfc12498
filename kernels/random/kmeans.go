package random

import (
	"math"
	"sort"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// seeded returns a random number generator whose key is the given seed and whose counter is 0.
func seeded(seed int64) single {
	return single{p: philox{k0: uint32(seed), k1: uint32(uint64(seed) >> 32)}}
}

// float returns a number in [0, 1).
func (s *single) float() float32 { return math.Float32frombits(s.next()&0x7fffff|0x3f800000) - 1 }

// below returns an integer in [0, n).
func (s *single) below(n uint64) uint64 {
	draw := func() uint64 {
		lo := uint64(s.next())
		return lo | uint64(s.next())<<32
	}
	if n&(n-1) == 0 {
		return draw() & (n - 1)
	}
	for rem := math.MaxUint64%n + 1; ; {
		if v := draw(); v >= rem {
			return v % n
		}
	}
}

// ChainKMC2 chooses one of several candidates with a Markov chain. The distances of the candidates
// are given. The chain starts at candidate 0 and considers the others in order. It moves from its
// current candidate to the next one with the probability (distance of the next candidate)/(distance
// of the current candidate). ChainKMC2 stores the index of the final candidate in index[0]. It
// returns InvalidArgument if there are no distances. The method is from Bachem et al., "Approximate
// k-means++ in sublinear time", 2016.
func ChainKMC2(index []int64, distances []float32, seed []int64) error {
	if len(distances) == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "there are no distances")
	}
	g := seeded(seed[0])
	at, d := 0, distances[0]
	for i, v := range distances[1:] {
		if v > g.float()*d {
			at, d = i+1, v
		}
	}
	index[0] = int64(at)
	return nil
}

// Samples returns n[0], the number of samples. It returns InvalidArgument unless n[0] is at least 1
// and at most the number of points.
func Samples(n []int64, points int) (int, error) {
	if n[0] <= 0 || n[0] > int64(points) {
		return 0, tensor.Errorf(tensor.InvalidArgument, "num_to_sample must be in [1, %d], the number of points, not %d", points, n[0])
	}
	return int(n[0]), nil
}

// KMeansParams describes points [Points, Dims], of which Samples are chosen.
type KMeansParams struct{ Points, Dims, Samples int }

// kmeans is the state of KMeansPlusPlus. The slice points holds dims numbers for each of n points.
// The other slices have one element for each point.
type kmeans struct {
	call        mem.Call
	points      []float32
	n, dims     int
	norm        []float32 // half the squared length of each point, taken as a vector
	least, sum  []float32 // least is half the squared distance to the nearest chosen point; sum is the running sum of least
	tried, best []float32
	g           single
	chosen      []bool
}

// mostDraws bounds the number of draws for one sample. A draw is repeated if it hits a point that
// was chosen before.
const mostDraws = 1 << 24

// KMeansPlusPlus chooses initial points for k-means. The probability with which a point is drawn is
// proportional to its squared distance to the nearest point that has already been chosen. Each
// choice is the best of 1+retries[0] draws. A negative retries[0] means 2 + ⌊ln Samples⌋. samples
// is [Samples, Dims], scratch has 5·Points floats, and chosen has an element for each point. The
// method is from Arthur and Vassilvitskii, "k-means++", 2007.
func KMeansPlusPlus(run *mem.Budget, samples, points []float32, seed, retries []int64, scratch []float32, chosen []bool, p KMeansParams) error {
	k := &kmeans{call: run.Call(), points: points, n: p.Points, dims: p.Dims, g: seeded(seed[0]), chosen: chosen}
	for i, s := range []*[]float32{&k.norm, &k.least, &k.sum, &k.tried, &k.best} {
		*s = scratch[i*p.Points:][:p.Points]
	}
	clear(chosen)
	for i := range k.norm {
		k.norm[i] = 0.5 * k.dot(i, i)
		k.least[i] = float32(math.Inf(1))
	}
	tries := retries[0]
	if tries < 0 {
		tries = 2 + int64(math.Log(float64(p.Samples)))
	}
	if tries >= math.MaxInt32 {
		return tensor.Errorf(tensor.InvalidArgument, "num_retries_per_sample is %d, less than %d is required", tries, math.MaxInt32)
	}
	for s := range p.Samples {
		if s > 0 {
			var sum float32
			for i, v := range k.least {
				sum += v
				k.sum[i] = sum
			}
		}
		at, err := k.sample(s == 0, int(tries))
		if err != nil {
			return err
		}
		copy(samples[s*p.Dims:][:p.Dims], points[at*p.Dims:])
		chosen[at] = true
	}
	return nil
}

func (k *kmeans) dot(i, j int) float32 {
	k.call.Work(k.dims + 8)
	var s float32
	y := k.points[j*k.dims:][:k.dims]
	for d, v := range k.points[i*k.dims:][:k.dims] {
		s += float32(v * y[d])
	}
	return s
}

// sample chooses one point and updates the distances.
func (k *kmeans) sample(first bool, retries int) (int, error) {
	potential, best := float32(math.Inf(1)), 0
	found := false
	for range 1 + retries {
		at, err := k.draw(first)
		if err != nil {
			return 0, err
		}
		var sum float32
		for i, v := range k.least {
			k.tried[i] = min(v, k.norm[i]-k.dot(i, at)+k.norm[at])
			sum += k.tried[i]
		}
		if sum < potential || retries == 0 {
			potential, best, found = sum, at, true
			k.tried, k.best = k.best, k.tried
		}
	}
	if found {
		k.least, k.best = k.best, k.least
	}
	return best, nil
}

// draw draws a point that was not chosen before.
func (k *kmeans) draw(first bool) (int, error) {
	if first {
		return int(k.g.below(uint64(k.n))), nil
	}
	total := k.sum[k.n-1]
	for range mostDraws {
		k.call.Work(64)
		at := 0
		if total > 0 {
			v := k.g.float() * total
			at = min(sort.Search(k.n, func(i int) bool { return k.sum[i] > v }), k.n-1)
		} else {
			at = int(k.g.below(uint64(k.n)))
		}
		if !k.chosen[at] {
			return at, nil
		}
	}
	return 0, tensor.Errorf(tensor.InvalidArgument, "all remaining points equal chosen ones")
}
