package random

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// near fails the test if elements differ by more than a relative tolerance.
func near(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	for i := range want {
		if d := math.Abs(got[i] - want[i]); !(d <= tol*(1+math.Abs(want[i]))) {
			t.Errorf("%s: %v, want %v", what, got, want)
			return
		}
	}
}

// code returns the code of an error, or OK if err is nil.
func code(err error) tensor.Code {
	if err == nil {
		return tensor.OK
	}
	var e *tensor.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return tensor.Unknown
}

// TestDraws compares the numbers drawn for the seed [3, -4] with TensorFlow 2.21's.
func TestDraws(t *testing.T) {
	got := make([]float64, 12)
	Gamma(nil, got, []float64{.3, 1, 1.5, 1000}, stateless(), Draws{4, 3})
	near(t, "gamma", got, []float64{0.9996343188921091, 0.10236997270018179, 1.4819096714596207, 979.4708508436848, 1.4161056705224773,
		0.20401663734901748, 2.365767934305807, 1006.7177479429805, 0.21621956402245698, 0.2186012977930594, 0.6963789160302444, 996.2596030885877}, 1e-12)
	got = make([]float64, 16)
	if err := Poisson(nil, got, []float64{.5, 9.9, 15, 20000}, stateless(), Draws{4, 4}); err != nil {
		t.Error(err)
	}
	near(t, "poisson", got, []float64{0, 8, 16, 19999, 0, 6, 17, 19993, 0, 15, 19, 19922, 0, 8, 12, 19930}, 0)
	got = make([]float64, 18)
	p := BinomialParams{Params: 6, Samples: 3, Bits: 64}
	if err := Binomial(nil, got, []float64{5, 20, 1000, 100, 0, 7}, []float64{.1, .5, .9, .3, .5, 1}, stateless(), p); err != nil {
		t.Error(err)
	}
	near(t, "binomial", got, []float64{0, 11, 909, 32, 0, 7, 1, 12, 907, 34, 0, 7, 0, 8, 897, 27, 0, 7}, 0)
}

func TestEndless(t *testing.T) {
	nan := math.NaN()
	out := make([]float64, 1)
	if err := Poisson(nil, out, []float64{math.Inf(1)}, stateless(), Draws{1, 1}); err != nil || !math.IsInf(out[0], 1) {
		t.Errorf("an infinite rate: %v, %v", out[0], err)
	}
	if err := PoissonWhole(nil, out, []float64{math.Inf(1)}, stateless(), Draws{1, 1}); err != nil || out[0] != 0 {
		t.Errorf("an infinite rate of whole numbers: %v, %v", out[0], err)
	}
	for _, c := range []struct {
		what string
		err  error
		want tensor.Code
	}{
		{"poisson of NaN", Poisson(nil, out, []float64{nan}, stateless(), Draws{1, 1}), tensor.DeadlineExceeded},
		{"no poisson of NaN", Poisson(nil, nil, []float64{nan}, stateless(), Draws{1, 0}), tensor.OK},
		{"poisson of infinity", Poisson(nil, out, []float64{math.Inf(1)}, stateless(), Draws{1, 1}), tensor.OK},
		{"whole poisson of NaN", PoissonWhole(nil, out, []float64{nan}, stateless(), Draws{1, 1}), tensor.DeadlineExceeded},
		{"binomial of NaN", Binomial(nil, out, []float64{nan}, []float64{.5}, stateless(), BinomialParams{1, 1, 64, false}), tensor.DeadlineExceeded},
		{"shares that do not fit", Broadcasts(2, 3), tensor.InvalidArgument},
		{"draws that end otherwise", EndsIn(3, 1, 2), tensor.InvalidArgument},
		{"draws that end alike", EndsIn(3, 2, 2), tensor.OK},
		{"no draws", EndsIn(0, 1, 2), tensor.OK},
		{"shares that repeat", Broadcasts(1, 3), tensor.OK},
	} {
		if code(c.err) != c.want {
			t.Errorf("%s: %v, want %v", c.what, c.err, c.want)
		}
	}
	Gamma(nil, nil, nil, stateless(), Draws{3, 2})
	Gamma(nil, out, []float64{nan}, stateless(), Draws{1, 1})
	if out[0] == out[0] {
		t.Errorf("a gamma number of the shape NaN is %v", out[0])
	}
	for _, whole := range []bool{false, true} {
		if err := Binomial(nil, out, []float64{5}, []float64{nan}, stateless(), BinomialParams{1, 1, 64, whole}); err != nil || (out[0] == 0) != whole {
			t.Errorf("a binomial number of the probability NaN is %v, %v", out[0], err)
		}
	}
	if err := Binomial(nil, out, []float64{math.Inf(1)}, []float64{.25}, stateless(), BinomialParams{1, 1, 32, false}); err != nil {
		t.Error(err)
	}
}

func TestClipped(t *testing.T) {
	inf := math.Inf(1)
	mean, dev := []float64{0, 5, 0}, []float64{1, 1, 1}
	lo, hi := []float64{-1, 7, -inf}, []float64{.2, 100, 2}
	for _, c := range []struct {
		bits int
		want []float64
		rows []float64
	}{
		{64, []float64{-0.32330532284966107, 7.18979059100954, 1.419158652037359, 0.08642483458455619, 7.29078706011466, -0.7646993216432009,
			0.0461546437898428, 7.175915740164045, 0.0686399132789357},
			[]float64{-0.7774109368782769, -0.33638480473109744, -0.8687927580972191, 7.421543923905819, 7.984368897256669, 7.2237911487252315}},
		{32, []float64{-0.1327519416809082, 7.594302654266357, -2.1906237602233887, 0.06231188774108887, 7.062967300415039, -0.5257784724235535,
			-0.27002739906311035, 7.017673492431641, -0.6978589296340942},
			[]float64{-0.9721764326095581, -0.8806149363517761, -0.31704819202423096, 8.77811336517334, 7.012552261352539, 7.563793182373047}},
		{16, []float64{-0.46533203125, 8.03125, -2.19140625, -0.50390625, 7.13671875, -0.52587890625, -0.94140625, 7.0859375, -0.69775390625},
			[]float64{0.130859375, -0.6591796875, 0.1962890625, 7.015625, 7.3125, 8.0625}},
	} {
		got := make([]float64, 9)
		clip := lo
		low := rounded(.2, c.bits)
		if err := Clipped(nil, got, mean, dev, clip, []float64{low, 100, 2}, stateless(), ClippedParams{3, 3, c.bits}); err != nil {
			t.Error(err)
		}
		near(t, "clipped", got, c.want, 1e-6)
		got = make([]float64, 6)
		p := ClippedRowsParams{Rows: 2, Row: 3, Bits: c.bits}
		if err := ClippedRows(nil, got, mean[:2], []float64{1}, lo[:2], []float64{low, 100}, make([]uint64, StreamLen), Params{Seed: 7, Seed2: 11}, p); err != nil {
			t.Error(err)
		}
		near(t, "rows", got, c.rows, 1e-6)
	}
	got := make([]float64, 103)
	state := []uint64{6000} // the number of blocks used by a run that draws two rows of three numbers
	if err := ClippedRows(nil, got, []float64{0}, []float64{1}, []float64{-1}, []float64{2}, make([]uint64, StreamLen), Params{Seed: 7, Seed2: 11, State: state},
		ClippedRowsParams{Rows: 103, Row: 1, Bits: 32, Shared: true}); err != nil {
		t.Error(err)
	}
	near(t, "hundreds", got[98:], []float64{1.1593865156173706, -0.4584805965423584, 1.0797604322433472, -0.5590336918830872, 0.6607401371002197}, 1e-6)
	if want := uint64(6000 + 2*2000*103/4); state[0] != want {
		t.Errorf("%d blocks are used up, want %d", state[0], want)
	}
	for _, c := range []struct {
		what     string
		dev      float64
		lo, hi   float64
		want     tensor.Code
		rowsWant tensor.Code
	}{
		{"no deviation", 0, -1, 1, tensor.InvalidArgument, tensor.InvalidArgument},
		{"bounds in the wrong order", 1, 1, -1, tensor.InvalidArgument, tensor.InvalidArgument},
		{"no bounds", 1, -inf, inf, tensor.InvalidArgument, tensor.InvalidArgument},
		{"NaN", math.NaN(), -1, 1, tensor.InvalidArgument, tensor.InvalidArgument},
		{"a bound far away", 1, -inf, -9, tensor.OK, tensor.OK},
	} {
		one := make([]float64, 1)
		err := Clipped(nil, one, []float64{0}, []float64{c.dev}, []float64{c.lo}, []float64{c.hi}, stateless(), ClippedParams{1, 1, 64})
		if code(err) != c.want {
			t.Errorf("%s: %v", c.what, err)
		}
		err = ClippedRows(nil, one, []float64{0}, []float64{c.dev}, []float64{c.lo}, []float64{c.hi}, make([]uint64, StreamLen), Params{Seed: 1}, ClippedRowsParams{1, 1, 64, true})
		if code(err) != c.rowsWant {
			t.Errorf("rows, %s: %v", c.what, err)
		}
	}
	if err := ClippedRows(nil, make([]float64, 2), []float64{1, 2, 3}, dev, lo, hi, make([]uint64, StreamLen), Params{}, ClippedRowsParams{Rows: 2, Row: 1, Bits: 64}); code(err) != tensor.InvalidArgument {
		t.Errorf("three means for two rows: %v", err)
	}
	if err := Clipped(nil, nil, mean, dev, lo, hi, stateless(), ClippedParams{3, 0, 64}); err != nil {
		t.Error(err)
	}
	if err := ClippedRows(nil, nil, []float64{0}, []float64{1}, []float64{-1}, []float64{2}, make([]uint64, StreamLen), Params{Seed: 1}, ClippedRowsParams{Rows: 1, Bits: 32}); err != nil {
		t.Error(err)
	}
}

// TestGivesUp checks that drawing ends even if the numbers of a type are too coarse to fall between
// two close bounds.
func TestGivesUp(t *testing.T) {
	for _, c := range [][4]float64{
		{0, 1, 1.999, 2},       // uniform numbers
		{0, 1, -60000, -59000}, // exponential ones
	} {
		out := make([]float64, 1)
		err := Clipped(nil, out, c[:1], c[1:2], c[2:3], c[3:], stateless(), ClippedParams{1, 1, 16})
		if k := code(err); k != tensor.OK && k != tensor.Internal {
			t.Errorf("%v: %v", c, err)
		}
	}
	c := clipped{g: open(stateless()), bits: 64}
	if err := c.batch(make([]float64, 1), 0, 1, 1, limits{mean: 0, dev: 1, low: math.NaN(), high: -3}); code(err) != tensor.Internal {
		t.Errorf("nothing can be accepted, but: %v", err)
	}
	if err := c.batch(make([]float64, 1), 0, 1, 1, limits{mean: 0, dev: 1, low: 1, high: 1}); code(err) != tensor.OK && code(err) != tensor.Internal {
		t.Error(err)
	}
}

func TestIndexShuffle(t *testing.T) {
	i32 := []int32{0, 1, 2, 3, 4, 5, 6, 7}
	out := make([]int32, 8)
	if err := IndexShuffleI32(nil, out, i32, []uint32{1, 2, 3}, []int32{7}, IndexParams{N: 8, Index: 1, Rounds: 8}); err != nil || !slices.Equal(out, []int32{6, 7, 4, 1, 3, 2, 0, 5}) {
		t.Errorf("%v, %v", out, err)
	}
	p := IndexParams{N: 2, Index: 1, Seed: 1, Max: 1, Rounds: 4}
	seeds, at, top, want := []uint32{1, 2, 3, 4, 5, 6}, []int64{70000, 5}, []int64{100000, 6}, []int64{79897, 3}
	o64, ou32, ou64 := make([]int64, 2), make([]uint32, 2), make([]uint64, 2)
	if err := IndexShuffleI64(nil, o64, at, seeds, top, p); err != nil || !slices.Equal(o64, want) {
		t.Errorf("%v, %v", o64, err)
	}
	if err := IndexShuffleU32(nil, ou32, []uint32{70000, 5}, seeds, []uint32{100000, 6}, p); err != nil || ou32[0] != 79897 {
		t.Errorf("%v, %v", ou32, err)
	}
	if err := IndexShuffleU64(nil, ou64, []uint64{70000, 1 << 63}, seeds, []uint64{100000, math.MaxUint64}, p); err != nil || ou64[0] != 79897 {
		t.Errorf("%v, %v", ou64, err)
	}
	for _, c := range []struct {
		index, top int32
		rounds     int
	}{{1, -1, 4}, {-1, 3, 4}, {4, 3, 4}, {1, 3, 3}, {1, 3, 2}} {
		if err := IndexShuffleI32(nil, out, []int32{c.index}, seeds, []int32{c.top}, IndexParams{N: 1, Rounds: c.rounds}); code(err) != tensor.InvalidArgument {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if err := IndexShuffleI32(nil, out, []int32{0}, seeds, []int32{0}, IndexParams{N: 1, Rounds: 4}); err != nil || out[0] != 0 {
		t.Errorf("%v, %v", out[0], err)
	}
}

// TestStochasticRound checks that numbers are rounded up with the probability of their
// fraction, and that integers stay unchanged.
func TestStochasticRound(t *testing.T) {
	n := 4000
	x := make([]float64, n)
	for i := range x {
		x[i] = []float64{2.25, -2.25, 7, math.NaN()}[i%4]
	}
	for _, p := range []RoundParams{{32, 32, 8}, {64, 32, 8}, {32, 8, 0}, {16, 16, 0}, {brain, 8, 0}, {64, 16, 0}} {
		out := make([]int32, n)
		StochasticRound(out, x, stateless(), p)
		up, down := 0, 0
		for i, v := range out {
			switch want := []int32{2, -2, 7, 0}[i%4]; {
			case v == want:
			case i%4 == 0 && v == 3:
				up++
			case i%4 == 1 && v == -3:
				down++
			default:
				t.Fatalf("%+v: %v becomes %d", p, x[i], v)
			}
		}
		if up < 180 || up > 320 || down < 180 || down > 320 {
			t.Errorf("%+v: of 1000 numbers each %d are rounded up and %d down, 250 are to be expected", p, up, down)
		}
	}
	inf := math.Inf(1)
	for _, c := range []struct {
		p    RoundParams
		want []int32
	}{
		{RoundParams{64, 32, 8}, []int32{math.MaxInt32, math.MinInt32, math.MaxInt32, math.MinInt32}},
		{RoundParams{64, 32, 0}, []int32{math.MaxInt32, math.MinInt32, math.MaxInt32, math.MinInt32}},
		{RoundParams{32, 32, 0}, []int32{math.MinInt32, math.MinInt32, math.MinInt32, math.MinInt32}},
		{RoundParams{32, 8, 0}, []int32{127, -128, 127, -128}},
		{RoundParams{16, 16, 0}, []int32{32768, -32768, 32768, -32768}},
	} {
		out := make([]int32, 8)
		StochasticRound(out, []float64{inf, -inf, 1e30, -1e30, 0, 0, 0, 0}, stateless(), c.p)
		if !slices.Equal(out[:4], c.want) {
			t.Errorf("%+v: %v, want %v", c.p, out[:4], c.want)
		}
	}
}

// TestMeans checks that the mean of many draws is within its expected error, for each distribution.
func TestMeans(t *testing.T) {
	const n = 20000
	out := make([]float64, n)
	mean := func(what string, want, tol float64) {
		t.Helper()
		sum := 0.0
		for _, v := range out {
			sum += v
		}
		if got := sum / n; math.Abs(got-want) > tol {
			t.Errorf("%s: the mean is %v, want %v", what, got, want)
		}
	}
	Gamma(nil, out, []float64{1.01}, stateless(), Draws{1, n})
	mean("gamma", 1.01, 0.03)
	if err := Poisson(nil, out, []float64{10}, stateless(), Draws{1, n}); err != nil {
		t.Error(err)
	}
	mean("poisson", 10, 0.1)
	for _, c := range []struct{ count, prob float64 }{{40, .25}, {40, .8}, {30, .1}, {9, .9}} {
		if err := Binomial(nil, out, []float64{c.count}, []float64{c.prob}, stateless(), BinomialParams{1, n, 64, false}); err != nil {
			t.Error(err)
		}
		mean("binomial", c.count*c.prob, 0.1)
	}
	if err := Clipped(nil, out, []float64{0}, []float64{1}, []float64{-1}, []float64{2}, stateless(), ClippedParams{1, n, 64}); err != nil {
		t.Error(err)
	}
	mean("clipped", 0.2296, 0.02)
}

func TestBits(t *testing.T) {
	for d, want := range map[tensor.DType]int{tensor.Half: 16, tensor.BFloat16: brain, tensor.Float32: 32, tensor.Float64: 64} {
		if got := Bits(d); got != want {
			t.Errorf("%v: %d, want %d", d, got, want)
		}
	}
	for bits, want := range map[int]float64{16: 0.0999755859375, brain: 0.10009765625, 32: float64(float32(0.1)), 64: 0.1} {
		if got := rounded(0.1, bits); got != want {
			t.Errorf("%d bits: %v, want %v", bits, got, want)
		}
	}
}
