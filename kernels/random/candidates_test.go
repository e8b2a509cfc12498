package random

import (
	"slices"
	"testing"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// drawing is one drawing of 4 classes with the seeds 3 and 4. The true classes are
// 1, 2, 0 and 3.
type drawing struct {
	sampled []int64
	counts  []float32
}

func drawOnce(t *testing.T, fn func(run *mem.Budget, sampled []int64, trueCount, count []float32, classes, set []int64, stream []uint64, p CandidateParams) error, p CandidateParams) drawing {
	t.Helper()
	d := drawing{make([]int64, 4), make([]float32, 8)}
	stream := make([]uint64, StreamLen)
	Start(stream, Params{Seed: 3, Seed2: 4})
	if err := fn(nil, d.sampled, d.counts[:4], d.counts[4:], []int64{1, 2, 0, 3}, make([]int64, 8), stream, p); err != nil {
		t.Fatal(err)
	}
	return d
}

func (d drawing) check(t *testing.T, what string, sampled []int64, counts ...float32) {
	t.Helper()
	if !slices.Equal(d.sampled, sampled) {
		t.Errorf("%s: drawn %v, want %v", what, d.sampled, sampled)
	}
	for i, c := range counts {
		if e := d.counts[i] - c; e > 1e-6 || e < -1e-6 {
			t.Errorf("%s: expected %v, want %v", what, d.counts, counts)
			return
		}
	}
}

// TestCandidates compares the drawn classes with TensorFlow 2.21's.
func TestCandidates(t *testing.T) {
	p := CandidateParams{Range: 7, Reachable: 7}
	u := p
	u.Unique = true
	drawOnce(t, UniformCandidates, p).check(t, "uniform", []int64{6, 3, 4, 4}, 0.5714286, 0.5714286)
	drawOnce(t, UniformCandidates, u).check(t, "uniform, different", []int64{6, 3, 4, 1}, 0.60343057, 0.60343057)
	drawOnce(t, LogUniformCandidates, u).check(t, "log-uniform", []int64{1, 2, 0, 5}, 0.77995, 0.55338335, 1.3333334, 0.42923746, 0.77995, 0.55338335, 1.3333334, 0.29652324)
	h := []tensor.Handle{NewUnigram(7)}
	learn := func(run *mem.Budget, sampled []int64, trueCount, count []float32, classes, set []int64, stream []uint64, p CandidateParams) error {
		return UnigramCandidates(run, sampled, trueCount, count, classes, set, stream, h, p)
	}
	drawOnce(t, learn, u).check(t, "unigrams", []int64{1, 3, 4, 5}, 0.5714286, 0.5714286)
	for range 50 {
		drawOnce(t, learn, p)
	}
	if w := h[0].V.(*unigram); w.total != 7+51*4 || w.weight(w.levels, 2) != 52 || w.weight(w.levels, 6) != 1 || w.weight(0, 0) != w.total {
		t.Errorf("the counts are %d in all, %d, %d, %d", w.total, w.weight(w.levels, 2), w.weight(w.levels, 6), w.weight(0, 0))
	}
	w := h[0].V.(*unigram)
	w.total = 1<<31 - 1
	if w.see(2); w.total != 1<<31-1 {
		t.Error("the sum of the counts overflows")
	}
	weights := []float32{.1, .2, .3, .1, .5, .2, .1}
	keep, other, reachable := Alias(weights)
	if reachable != 7 {
		t.Errorf("%d of 7 can be drawn", reachable)
	}
	fixed := func(run *mem.Budget, sampled []int64, trueCount, count []float32, classes, set []int64, stream []uint64, p CandidateParams) error {
		return FixedCandidates(run, sampled, trueCount, count, classes, set, stream, weights, keep, other, 1.5, p)
	}
	drawOnce(t, fixed, u).check(t, "fixed", []int64{4, 1, 6, 2}, 0.51105446, 0.67231995, 0.29175436, 0.29175436, 0.8683127, 0.51105446, 0.29175436, 0.67231995)
	all := func(_ *mem.Budget, sampled []int64, trueCount, count []float32, classes, set []int64, stream []uint64, p CandidateParams) error {
		return AllCandidates(sampled, trueCount, count, classes, p)
	}
	drawOnce(t, all, CandidateParams{Range: 4, Reachable: 4}).check(t, "all", []int64{0, 1, 2, 3}, 1, 1, 1, 1, 1, 1, 1, 1)
	if _, _, n := Alias([]float32{0, 1, 0, 2}); n != 2 {
		t.Errorf("%d of 2 can be drawn", n)
	}
}

func TestCandidateErrors(t *testing.T) {
	stream := make([]uint64, StreamLen)
	Start(stream, Params{Seed: 3, Seed2: 4})
	for _, c := range []struct {
		what    string
		classes []int64
		p       CandidateParams
		want    tensor.Code
	}{
		{"a class beyond", []int64{7}, CandidateParams{Range: 7, Reachable: 7}, tensor.InvalidArgument},
		{"a negative class", []int64{-1}, CandidateParams{Range: 7, Reachable: 7}, tensor.InvalidArgument},
		{"too few", nil, CandidateParams{Range: 3, Reachable: 3, Unique: true}, tensor.InvalidArgument},
		{"too few with a probability", nil, CandidateParams{Range: 7, Reachable: 3, Unique: true}, tensor.DeadlineExceeded},
	} {
		err := UniformCandidates(nil, make([]int64, 4), make([]float32, 1), make([]float32, 4), c.classes, make([]int64, 8), stream, c.p)
		if code(err) != c.want {
			t.Errorf("%s: %v", c.what, err)
		}
		if err := AllCandidates(make([]int64, 4), make([]float32, 1), make([]float32, 4), c.classes, c.p); code(err) != c.want {
			t.Errorf("all, %s: %v", c.what, err)
		}
	}
	h := []tensor.Handle{NewUnigram(7)}
	p := CandidateParams{Range: 7, Reachable: 7}
	if err := UnigramCandidates(nil, make([]int64, 4), make([]float32, 1), make([]float32, 4), []int64{9}, nil, stream, h, p); code(err) != tensor.InvalidArgument {
		t.Error(err)
	}
	if err := UnigramCandidates(nil, nil, nil, nil, nil, nil, stream, make([]tensor.Handle, 1), p); code(err) != tensor.Internal {
		t.Error(err)
	}
}

func TestHits(t *testing.T) {
	rows, places, weights := make([]int32, 4), make([]int64, 4), make([]float32, 4)
	n := Hits(nil, rows, places, weights, []int64{1, 2, 0, 3}, []int64{3, 5, 1, 3}, make([]int64, 4), 2)
	if n != 2 || rows[0] != 0 || rows[1] != 1 || places[0] != 2 || places[1] != 3 || weights[0] > -3e38 {
		t.Errorf("%d: %v %v %v", n, rows, places, weights)
	}
	if n := Hits(nil, nil, nil, nil, nil, nil, nil, 2); n != 0 {
		t.Error(n)
	}
}
