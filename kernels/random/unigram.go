package random

import (
	"math"
	"sync"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// unigram counts how often classes in [0, n) occur, and draws classes with these counts as weights.
// The count of a class is one more than the number of times it was seen. Only classes that were
// seen take memory.
type unigram struct {
	sync.Mutex
	n      int
	levels uint
	total  int32
	// The classes are the leaves of a binary tree. The path from the root to a class is given by
	// the bits of its number, the highest bit first. seen[l<<48|i] is the number of times that
	// classes below node i of level l were seen.
	seen map[uint64]int32
}

// NewUnigram returns a handle of the counts of an op that learns the frequencies of n classes.
func NewUnigram(n int) tensor.Handle {
	u := &unigram{n: n, total: int32(n), seen: map[uint64]int32{}}
	for 1<<u.levels < n {
		u.levels++
	}
	return tensor.Handle{V: u}
}

// weight returns the sum of the counts below node i of level l. The root has level 0.
func (u *unigram) weight(l uint, i uint64) int32 {
	width := u.levels - l
	from, to := int(i<<width), int((i+1)<<width)
	return int32(max(0, min(to, u.n)-from)) + u.seen[uint64(l)<<48|i]
}

// pick assigns the numbers 0, 1, 2, … to the classes in order, where each class gets as many numbers
// as its count. It returns the class that gets the number in the parameter place.
func (u *unigram) pick(place int32) int64 {
	var i uint64
	for l := uint(1); l <= u.levels; l++ {
		i *= 2
		if w := u.weight(l, i); place >= w {
			place -= w
			i++
		}
	}
	return int64(i)
}

// see adds 1 to the count of a class, unless the sum of the counts has reached its limit.
func (u *unigram) see(class int64) {
	if u.total == math.MaxInt32 {
		return
	}
	u.total++
	for l := range u.levels + 1 {
		u.seen[uint64(l)<<48|uint64(class)>>(u.levels-l)]++
	}
}

// UnigramCandidates is UniformCandidates with learned probabilities: the weight of a
// class is one more than the number of times it was a true class in earlier runs. h
// holds the counts; see NewUnigram.
func UnigramCandidates(run *mem.Budget, sampled []int64, trueCount, count []float32, classes, set []int64, stream []uint64, h []tensor.Handle, p CandidateParams) error {
	u, ok := h[0].V.(*unigram)
	if !ok {
		return tensor.Errorf(tensor.Internal, "there are no counts of classes")
	}
	u.Lock()
	defer u.Unlock()
	c := candidates{single{p: open(stream)},
		func(s *single) int64 { return u.pick(int32(s.next() % uint32(u.total))) },
		func(k int64) float32 { return float32(u.weight(u.levels, uint64(k))) / float32(u.total) }}
	if err := c.draw(run, sampled, trueCount, count, classes, set, &p); err != nil {
		return err
	}
	for _, v := range classes {
		u.see(v)
	}
	return nil
}
