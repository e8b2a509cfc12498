package random

import (
	"math"
	"slices"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// CandidateParams describes how classes are drawn from [0, Range). If Unique is set, no class is
// drawn more than once. Reachable is the number of classes whose probability is positive.
type CandidateParams struct {
	Range, Reachable int
	Unique           bool
}

// maxCandidateTries is the largest number of draws before the search for enough different classes
// is given up.
const maxCandidateTries = 1 << 27

// pickWork is the approximate work of drawing a class, or of computing its count.
const pickWork = 64

// candidates describes a probability distribution of classes. The function pick draws a class, and
// the function prob returns the probability of a class.
type candidates struct {
	s    single
	pick func(s *single) int64
	prob func(class int64) float32
}

// long returns 64 bits, drawing the lower half first.
func (s *single) long() uint64 {
	lo := s.next()
	return uint64(lo) | uint64(s.next())<<32
}

// draw draws classes and stores them in sampled. It stores the expected counts of the drawn classes
// in count. The slice classes holds the true classes, and draw stores their expected counts in
// trueCount. set is scratch. Its length is a power of two and at least 2*len(sampled).
func (c *candidates) draw(run *mem.Budget, sampled []int64, trueCount, count []float32, classes, set []int64, p *CandidateParams) error {
	if err := p.check(len(sampled), classes); err != nil {
		return err
	}
	call := run.Call()
	tries := len(sampled)
	if p.Unique {
		clear(set)
		tries = 0
		for n := 0; n < len(sampled); tries++ {
			if tries == maxCandidateTries {
				return tensor.Errorf(tensor.DeadlineExceeded, "after %d draws %d different classes have been found, not %d", tries, n, len(sampled))
			}
			call.Work(pickWork)
			if v := c.pick(&c.s); insert(set, v) {
				sampled[n] = v
				n++
			}
		}
	} else {
		for i := range sampled {
			call.Work(pickWork)
			sampled[i] = c.pick(&c.s)
		}
	}
	for i, v := range sampled {
		call.Work(pickWork)
		count[i] = expected(c.prob(v), len(sampled), tries)
	}
	for i, v := range classes {
		call.Work(pickWork)
		trueCount[i] = expected(c.prob(v), len(sampled), tries)
	}
	return nil
}

// check returns InvalidArgument if a true class in classes is outside [0, p.Range). If p.Unique is
// set, it also returns InvalidArgument if n is greater than p.Range, and DeadlineExceeded if fewer
// than n classes have a positive probability.
func (p *CandidateParams) check(n int, classes []int64) error {
	if p.Unique && n > p.Range {
		return tensor.Errorf(tensor.InvalidArgument, "Sampler's range is too small: %d different classes of %d", n, p.Range)
	}
	for _, v := range classes {
		if v < 0 || v >= int64(p.Range) {
			return tensor.Errorf(tensor.InvalidArgument, "the true class %d is not in [0, %d)", v, p.Range)
		}
	}
	if p.Unique && n > p.Reachable {
		return tensor.Errorf(tensor.DeadlineExceeded, "%d different classes are asked for, only %d have a probability", n, p.Reachable)
	}
	return nil
}

// insert adds v to the set of integers in a hash table, unless the set already contains v. It
// reports whether it has added v. An element of the table is 0 if it is free, and otherwise one
// more than an integer of the set.
func insert(set []int64, v int64) bool {
	mask := uint64(len(set) - 1)
	for i := uint64(v) * 0x9E3779B97F4A7C15 >> 20; ; i++ {
		switch p := &set[i&mask]; *p {
		case 0:
			*p = v + 1
			return true
		case v + 1:
			return false
		}
	}
}

// expected returns the expected number of times that a class with the probability p is among n
// drawn classes. The parameter tries is the number of draws. If it exceeds n, repeated classes were
// not accepted, and the result is the probability that the class was drawn at all.
func expected(p float32, n, tries int) float32 {
	if n == tries {
		return p * float32(n)
	}
	return -float32(math.Expm1(float64(float32(tries) * float32(math.Log1p(float64(-p))))))
}

// UniformCandidates draws len(sampled) classes, where all classes have the same probability. It
// stores the expected counts of the drawn classes in count. The slice classes holds the true classes,
// and their expected counts are stored in trueCount. set is scratch. Its length is a power of two and
// at least 2*len(sampled). UniformCandidates returns InvalidArgument if a true class is outside
// [0, p.Range), or if p.Unique is set and len(sampled) is greater than p.Range.
func UniformCandidates(run *mem.Budget, sampled []int64, trueCount, count []float32, classes, set []int64, stream []uint64, p CandidateParams) error {
	n, inverse := uint64(p.Range), float32(1/float64(p.Range))
	c := candidates{single{p: open(stream)}, func(s *single) int64 { return int64(s.long() % n) }, func(int64) float32 { return inverse }}
	return c.draw(run, sampled, trueCount, count, classes, set, &p)
}

// LogUniformCandidates is like UniformCandidates, but class k has the probability ln((k+2)/(k+1)) /
// ln(p.Range+1). This approximates Zipf's law.
func LogUniformCandidates(run *mem.Budget, sampled []int64, trueCount, count []float32, classes, set []int64, stream []uint64, p CandidateParams) error {
	log := math.Log1p(float64(p.Range))
	c := candidates{single{p: open(stream)},
		func(s *single) int64 { return (int64(math.Exp(s.double()*log)) - 1) % int64(p.Range) },
		func(k int64) float32 { return float32(math.Log((float64(k)+2)/(float64(k)+1)) / log) }}
	return c.draw(run, sampled, trueCount, count, classes, set, &p)
}

// FixedCandidates is UniformCandidates with probabilities given by weights, whose sum is total.
// keep and other are the table that Alias returns for the weights.
func FixedCandidates(run *mem.Budget, sampled []int64, trueCount, count []float32, classes, set []int64, stream []uint64,
	weights, keep []float32, other []int32, total float32, p CandidateParams) error {
	c := candidates{single{p: open(stream)},
		func(s *single) int64 {
			r := float(s.next())
			i := s.next() % uint32(len(keep))
			if r < keep[i] {
				return int64(i)
			}
			return int64(other[i])
		},
		func(k int64) float32 { return weights[k] / total }}
	return c.draw(run, sampled, trueCount, count, classes, set, &p)
}

// Alias makes the table for drawing numbers with given weights. To draw, take a number i of uniform
// probability. Keep it with the probability keep[i], or else use other[i] (Vose, "A linear
// algorithm for generating random numbers with a given distribution", 1991). reachable is how many
// different numbers can be drawn.
func Alias(weights []float32) (keep []float32, other []int32, reachable int) {
	n := len(weights)
	keep, other = make([]float32, n), make([]int32, n)
	p := make([]float64, n)
	sum := 0.0
	for _, w := range weights {
		sum += float64(w)
	}
	var high, low []int
	for i, w := range weights {
		if p[i] = float64(w*float32(n)) / sum; p[i] < 1 {
			low = append(low, i)
		} else {
			high = append(high, i)
		}
	}
	for len(high) > 0 && len(low) > 0 {
		l, h := low[len(low)-1], high[len(high)-1]
		low, high = low[:len(low)-1], high[:len(high)-1]
		other[l] = int32(h)
		if p[h] -= 1 - p[l]; p[h] < 1 {
			low = append(low, h)
		} else {
			high = append(high, h)
		}
	}
	for i, v := range p {
		keep[i] = float32(v)
	}
	for _, i := range append(high, low...) {
		keep[i], other[i] = 1, int32(i)
	}
	seen := make([]bool, n)
	for i := range n {
		if keep[i] > 0 {
			seen[i] = true
		}
		if keep[i] < 1 {
			seen[other[i]] = true
		}
	}
	for _, s := range seen {
		if s {
			reachable++
		}
	}
	return keep, other, reachable
}

// AllCandidates stores the classes 0, 1, …, len(sampled)-1 in sampled instead of drawing classes.
// All expected counts are 1. The arguments and the errors are as in UniformCandidates.
func AllCandidates(sampled []int64, trueCount, count []float32, classes []int64, p CandidateParams) error {
	if err := p.check(len(sampled), classes); err != nil {
		return err
	}
	for i := range sampled {
		sampled[i], count[i] = int64(i), 1
	}
	for i := range trueCount {
		trueCount[i] = 1
	}
	return nil
}

// Hits finds the true classes that are among the sampled classes, and returns their number. The
// slice classes holds rows of true classes, with the given number of columns. For each class found,
// Hits writes three numbers: its row to rows, its last index in sampled to places, and the lowest
// finite number to weights. Adding this weight to the logit of the sampled class has the effect of
// removing the class. order is scratch with as many elements as sampled.
func Hits(run *mem.Budget, rows []int32, places []int64, weights []float32, classes, sampled, order []int64, columns int) int {
	for i := range order {
		order[i] = int64(i)
	}
	call := run.Call()
	slices.SortFunc(order, func(a, b int64) int {
		call.Work(16)
		switch x, y := sampled[a], sampled[b]; {
		case x != y && x < y, x == y && a > b:
			return -1
		default:
			return 1
		}
	})
	n := 0
	for i, v := range classes {
		call.Work(128)
		k, ok := slices.BinarySearchFunc(order, v, func(at, v int64) int {
			switch x := sampled[at]; {
			case x < v:
				return -1
			case x > v:
				return 1
			}
			return 0
		})
		if ok {
			rows[n], places[n], weights[n] = int32(i/columns), order[k], -math.MaxFloat32
			n++
		}
	}
	return n
}
