package random

import (
	"math"
	"sync"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// unigram counts classes in [0, n), each one more often than it was seen, and draws by
// these counts. Only what was seen takes memory.
type unigram struct {
	sync.Mutex
	n      int
	levels uint
	total  int32
	// seen[l<<48|i] is how often classes were seen of which the upper bits are i, those
	// below level l: the inner nodes of a binary tree.
	seen map[uint64]int32
}

// NewUnigram makes the counts of an op that learns how often classes are.
func NewUnigram(n int) tensor.Handle {
	u := &unigram{n: n, total: int32(n), seen: map[uint64]int32{}}
	for 1<<u.levels < n {
		u.levels++
	}
	return tensor.Handle{V: u}
}

// weight is the sum of the counts below node i of level l, where the root has level 0.
func (u *unigram) weight(l uint, i uint64) int32 {
	width := u.levels - l
	from, to := int(i<<width), int((i+1)<<width)
	return int32(max(0, min(to, u.n)-from)) + u.seen[uint64(l)<<48|i]
}

// pick finds the class in which the place falls when each takes as many as its count.
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

// see counts a class, up to the most that the sum may be.
func (u *unigram) see(class int64) {
	if u.total == math.MaxInt32 {
		return
	}
	u.total++
	for l := range u.levels + 1 {
		u.seen[uint64(l)<<48|uint64(class)>>(u.levels-l)]++
	}
}

// UnigramCandidates is UniformCandidates with probabilities that are learned: a class is one more often
// than it was a true class in earlier runs. h holds the counts; see NewUnigram.
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
