package random

import (
	"math"
	"slices"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// CandidateParams describes the drawing of classes in [0, Range). With Unique, each class is drawn
// at most once. Reachable is the number of classes with a positive probability.
type CandidateParams struct {
	Range, Reachable int
	Unique           bool
}

// maxCandidateTries bounds the draws until enough different classes are found.
const maxCandidateTries = 1 << 27

// pickWork is the approximate work of drawing a class, or of computing its count.
const pickWork = 64

// candidates is one drawing: pick draws a class, and prob returns its probability.
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

// draw stores the drawn classes in sampled, their expected counts in count, and those of the true
// classes in trueCount. set is scratch. Its length is a power of two and at least twice that of
// sampled.
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

// check returns InvalidArgument for true classes outside the range, and if n different classes are
// more than the range has. It returns DeadlineExceeded if too few classes have a positive
// probability.
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

// insert adds v to an open hash table, in which 0 is free. It reports whether v was missing.
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

// expected returns the approximate number of times that a class with the probability
// p is among n classes drawn in the given number of tries.
func expected(p float32, n, tries int) float32 {
	if n == tries {
		return p * float32(n)
	}
	return -float32(math.Expm1(float64(float32(tries) * float32(math.Log1p(float64(-p))))))
}

// UniformCandidates draws len(sampled) classes, which all have the same probability. It stores
// their expected counts in count, and those of the true classes, given in classes, in trueCount.
// set is scratch. Its length is a power of two and at least 2*len(sampled). UniformCandidates
// returns InvalidArgument for a true class outside [0, p.Range), and with p.Unique for more samples
// than classes.
func UniformCandidates(run *mem.Budget, sampled []int64, trueCount, count []float32, classes, set []int64, stream []uint64, p CandidateParams) error {
	n, inverse := uint64(p.Range), float32(1/float64(p.Range))
	c := candidates{single{p: open(stream)}, func(s *single) int64 { return int64(s.long() % n) }, func(int64) float32 { return inverse }}
	return c.draw(run, sampled, trueCount, count, classes, set, &p)
}

// LogUniformCandidates is UniformCandidates with other probabilities: ln((k+2)/(k+1)) /
// ln(p.Range+1) for class k, which approximates Zipf's law.
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

// AllCandidates has the results of UniformCandidates, but it takes the first len(sampled) classes,
// each once, instead of drawing.
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

// Hits finds the true classes that are among the sampled classes, and returns how many it found.
// classes has rows of true classes, with the given number of columns. For each class found, Hits
// writes its row, its index in sampled (the last one of several) and the weight that removes a
// logit. order is scratch with as many elements as sampled.
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
