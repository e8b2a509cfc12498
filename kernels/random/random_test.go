package random

import (
	"math"
	"slices"
	"testing"

	"github.com/graphc/graphc/kernels/internal/typed"
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

func stateless() []uint64 {
	s := make([]uint64, StreamLen)
	SeedI32(s, []int32{3, -4})
	return s
}

// TestStateless compares the numbers drawn for the seed [3, -4] with TensorFlow 2.21's.
func TestStateless(t *testing.T) {
	f32 := func(name string, fn any, want []float32) {
		got := make([]float32, len(want))
		if f, ok := fn.(func([]float32, []uint64)); ok {
			f(got, stateless())
		} else {
			fn.(func(*mem.Budget, []float32, []uint64))(nil, got, stateless())
		}
		for i := range got {
			if math.Abs(float64(got[i]-want[i])) > 2e-7 {
				t.Errorf("%s: %v, want %v", name, got, want)
				return
			}
		}
	}
	f32("uniform", UniformF32, []float32{0.19548893, 0.722706676, 0.885259867, 0.608310461, 0.848636866})
	f32("normal", NormalF32, []float32{-1.78029096, -0.308329165, -0.31064567, -0.383728206, 0.353144109})
	f32("truncated", TruncatedF32, []float32{-1.78029096, -0.308329165, -0.31064567, -0.383728206, -0.629376233, 0.25875476})
	f64 := func(name string, fn any, want []float64) {
		got := make([]float64, len(want))
		if f, ok := fn.(func([]float64, []uint64)); ok {
			f(got, stateless())
		} else {
			fn.(func(*mem.Budget, []float64, []uint64))(nil, got, stateless())
		}
		for i := range got {
			if math.Abs(got[i]-want[i]) > 1e-9 {
				t.Errorf("%s: %v, want %v", name, got, want)
				return
			}
		}
	}
	f64("uniform f64", UniformF64, []float64{0.563912231, 0.0820791174, 0.789095874})
	f64("normal f64", NormalF64, []float64{0.527868441, 0.931164983, -0.685263856})
	f64("truncated f64", TruncatedF64, []float64{0.527868441, 0.931164983, 0.615050872})
	i32 := make([]int32, 5)
	if err := UniformI32(i32, []int32{-10}, []int32{100}, stateless()); err != nil || !slices.Equal(i32, []int32{92, 53, 96, 92, 44}) {
		t.Errorf("integers: %v %v", i32, err)
	}
	i64 := make([]int64, 3)
	if err := UniformI64(i64, []int64{-10}, []int64{1 << 40}, stateless()); err != nil || !slices.Equal(i64, []int64{718036035764, 129168065926, 413239191400}) {
		t.Errorf("integers: %v %v", i64, err)
	}
	if UniformI32(i32, []int32{5}, []int32{5}, stateless()) == nil {
		t.Error("an empty range is accepted")
	}
	if UniformI32(nil, []int32{5}, []int32{5}, stateless()) != nil {
		t.Error("an empty range for no numbers is refused")
	}
}

// TestRuns checks the first and the second run of ops with seed 7 and seed2 11.
func TestRuns(t *testing.T) {
	uniform := [][]float32{{0.023186326, 0.0994875431, 0.569126487, 0.584228158, 0.465823054}, {0.854879975, 0.7912637, 0.649561405, 0.77961421, 0.32397151}}
	shuffled := [][]int32{{5, 3, 4, 2, 6, 0, 1}, {5, 0, 4, 3, 2, 6, 1}}
	drawn := [][]int64{{1, 2, 2, 2, 1, 2, 0, 0, 0, 0, 0, 0}, {2, 2, 1, 2, 2, 2, 0, 0, 0, 0, 0, 1}}
	su, ss, sd := make([]uint64, 1), make([]uint64, 1), make([]uint64, 1)
	stream := make([]uint64, StreamLen)
	p := Params{Seed: 7, Seed2: 11}
	var logits []float32
	for _, v := range []float64{.1, .2, .7, .5, .4, .1} {
		logits = append(logits, float32(math.Log(v)))
	}
	for run := range 2 {
		u := make([]float32, 5)
		p.Skip = 5 * 256
		p.State = su
		Start(stream, p)
		UniformF32(u, stream)
		for i := range u {
			if math.Abs(float64(u[i]-uniform[run][i])) > 1e-8 {
				t.Errorf("run %d: uniform %v", run, u)
				break
			}
		}
		s := make([]int32, 7)
		p.Skip = 2
		p.State = ss
		Start(stream, p)
		ShuffleI32(nil, s, []int32{0, 1, 2, 3, 4, 5, 6}, make([]int64, 7), stream, 1)
		if !slices.Equal(s, shuffled[run]) {
			t.Errorf("run %d: shuffled %v", run, s)
		}
		d := make([]int64, 12)
		p.Skip = 2 * 8 * 2 * 256
		p.State = sd
		Start(stream, p)
		Multinomial(nil, d, logits, make([]float64, 3), stream, MultinomialParams{Rows: 2, Classes: 3, Samples: 6})
		if !slices.Equal(d, drawn[run]) {
			t.Errorf("run %d: drawn %v, want %v", run, d, drawn[run])
		}
	}
}

func TestUnseeded(t *testing.T) {
	a, b := make([]uint64, StreamLen), make([]uint64, StreamLen)
	Start(a, Params{})
	Start(b, Params{})
	if slices.Equal(a, b) {
		t.Error("two unseeded streams are the same")
	}
}

func TestKeyCounter(t *testing.T) {
	stream := make([]uint64, StreamLen)
	for alg, want := range map[int32]bool{0: false, 1: true, 2: false, 3: true} {
		clear(stream)
		err := KeyCounter(stream, []uint64{7}, []uint64{5, 6, 9}, []int32{alg})
		if (err == nil) != want || want && !slices.Equal(stream, []uint64{7, 5, 6}) {
			t.Errorf("algorithm %d: %v, %v", alg, stream, err)
		}
		if err := KeyCounterFor(stream, []uint64{7}, []uint64{5, 6}, []int32{alg}, 0); err != nil {
			t.Errorf("algorithm %d for no numbers: %v", alg, err)
		}
		if err := KeyCounterFor(stream, []uint64{7}, []uint64{5, 6}, []int32{alg}, 1); (err == nil) != want {
			t.Errorf("algorithm %d for a number: %v", alg, err)
		}
	}
	var a, b, c, d [2]uint64
	SplitI32(a[:1], b[:], []int32{3, -4})
	SplitI64(c[:1], d[:], []int64{3, -4})
	if want := stateless(); a[0] != want[0] || b != [2]uint64{want[1], want[2]} || a != c || b != d {
		t.Errorf("the seed becomes %v %v, %v %v", a, b, c, d)
	}
	wide := make([]uint64, StreamLen)
	if SeedI64(wide, []int64{3, -4}); !slices.Equal(wide, stateless()) {
		t.Errorf("%v", wide)
	}
}

// TestEnds checks that drawing or rejecting many numbers stops when the run is cancelled.
func TestEnds(t *testing.T) {
	const n = 1 << 17
	f32, f64, f16 := make([]float32, n), make([]float64, n), make([]tensor.F16, n)
	typed.Ends(t, "many numbers", []any{NormalF32, TruncatedF32}, f32, stateless())
	typed.Ends(t, "many numbers", []any{NormalF64, TruncatedF64}, f64, stateless())
	typed.Ends(t, "many numbers", []any{NormalF16, TruncatedF16}, f16, stateless())
	typed.Ends(t, "many numbers", []any{Gamma, Poisson}, f64, []float64{5}, stateless(), Draws{1, n})
	typed.Ends(t, "many numbers", []any{Binomial}, f64, []float64{5}, []float64{.5}, stateless(), BinomialParams{Params: 1, Samples: n, Bits: 64})
	typed.Ends(t, "many numbers", []any{Clipped}, f64, []float64{0}, []float64{1}, []float64{-1}, []float64{2}, stateless(), ClippedParams{1, n, 64})
	typed.Ends(t, "many numbers", []any{ClippedRows}, f64, []float64{0}, []float64{1}, []float64{-1}, []float64{2}, make([]uint64, StreamLen), Params{Seed: 1, State: []uint64{0}}, ClippedRowsParams{1, n, 64, false})
	ints, order := make([]int64, n), make([]int64, n)
	typed.Ends(t, "many rows", []any{ShuffleI64}, ints, ints, order, stateless(), 1)
	typed.Ends(t, "many samples", []any{Multinomial}, ints, []float32{1}, []float64{0}, stateless(), MultinomialParams{1, 1, n})
	typed.Ends(t, "many numbers", []any{IndexShuffleI64}, ints, ints, []uint32{1, 2, 3}, []int64{n}, IndexParams{N: n, Index: 1, Rounds: 4})
	typed.Ends(t, "many rounds", []any{IndexShuffleI64}, ints, ints, []uint32{1, 2, 3}, []int64{n}, IndexParams{N: 5, Index: 1, Rounds: 1 << 16})
	p := CandidateParams{Range: n, Reachable: n}
	typed.Ends(t, "many classes", []any{UniformCandidates, LogUniformCandidates}, ints, f32, f32, []int64{}, []int64{}, stateless(), p)
	p = CandidateParams{Range: n / 4, Reachable: n / 4, Unique: true}
	typed.Ends(t, "all classes", []any{UniformCandidates}, ints[:n/4], f32, f32, []int64{}, make([]int64, n), stateless(), p)
	typed.Ends(t, "many classes", []any{Hits}, []int32{}, []int64{}, []float32{}, []int64{}, ints, order, 1)
	boxes := make([]float32, 4*n)
	typed.Ends(t, "many boxes", []any{Distort}, make([]int64, 3), make([]int64, 3), make([]float32, 4), stateless(), []int64{9, 9, 3}, boxes, []float32{1},
		DistortParams{Boxes: n, AspectLow: 1, AspectHigh: 1, AreaLow: .9, AreaHigh: 1, Attempts: 100})
}
