package ctc

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"github.com/graphc/graphc/kernels/internal/typed"
	"github.com/graphc/graphc/rt/tensor"
)

// readings returns the probability of each sequence of labels that can be read from logits [steps,
// classes]. It sums over all paths of one class for each step. The keys are the sequences as text.
func readings(logits []float64, steps, classes int, merge bool) map[string]float64 {
	probs := make([]float64, len(logits))
	for t := range steps {
		softmax(probs[t*classes:][:classes], logits[t*classes:][:classes])
	}
	all := map[string]float64{}
	way := make([]int, steps)
	for {
		p, prev, labels := 1.0, classes-1, []int{}
		for t, c := range way {
			p *= probs[t*classes+c]
			if c != classes-1 && !(merge && c == prev) {
				labels = append(labels, c)
			}
			prev = c
		}
		all[fmt.Sprint(labels)] += p
		i := 0
		for ; i < steps && way[i] == classes-1; i++ {
			way[i] = 0
		}
		if i == steps {
			return all
		}
		way[i]++
	}
}

func logits(seed uint64, n int) []float64 {
	r := rand.New(rand.NewPCG(seed, 1))
	s := make([]float64, n)
	for i := range s {
		s[i] = r.NormFloat64()
	}
	return s
}

func run(t *testing.T, p LossParams, x []float64, indices []int64, values, lens []int32) (loss, grad []float64) {
	t.Helper()
	p.Labels = len(values)
	loss, grad = make([]float64, p.Batch), make([]float64, len(x))
	if err := LossF64(nil, loss, grad, x, indices, values, lens, make([]int32, len(values)), make([]float64, LossScratchLen(p)), p); err != nil {
		t.Fatal(err)
	}
	return loss, grad
}

func TestLoss(t *testing.T) {
	for _, labels := range [][]int32{{0}, {1, 1}, {0, 1}, {1, 0, 1}, {2, 2, 2}} {
		for _, merge := range []bool{true, false} {
			p := LossParams{Steps: 5, Batch: 1, Classes: 4, Merge: merge}
			x := logits(uint64(len(labels)), p.Steps*p.Classes)
			var at []int64
			for i := range labels {
				at = append(at, 0, int64(i))
			}
			loss, grad := run(t, p, x, at, labels, []int32{5})
			want := -math.Log(readings(x, 5, 4, merge)[fmt.Sprint(labels)])
			if math.Abs(loss[0]-want) > 1e-6 {
				t.Fatalf("labels %v, merge %v: loss %v, want %v", labels, merge, loss[0], want)
			}
			for i := range x {
				const e = 1e-4
				was := x[i]
				x[i] = was + e
				up := readings(x, 5, 4, merge)[fmt.Sprint(labels)]
				x[i] = was - e
				down := readings(x, 5, 4, merge)[fmt.Sprint(labels)]
				x[i] = was
				if d := (math.Log(down) - math.Log(up)) / (2 * e); math.Abs(d-grad[i]) > 1e-5 {
					t.Fatalf("labels %v: gradient %d is %v, differences give %v", labels, i, grad[i], d)
				}
			}
			x32, g32, l32 := make([]float32, len(x)), make([]float32, len(x)), make([]float32, 1)
			for i, v := range x {
				x32[i] = float32(v)
			}
			p.Labels = len(labels)
			if err := LossF32(nil, l32, g32, x32, at, labels, []int32{5}, make([]int32, len(labels)), make([]float32, LossScratchLen(p)), p); err != nil || math.Abs(float64(l32[0])-want) > 1e-4 {
				t.Fatalf("f32: %v, %v", l32, err)
			}
		}
	}
}

// TestLossBatch checks the loss of two sequences, of which the second is shorter: with collapsed
// labels, with labels that do not fit, and with labels that cannot be read.
func TestLossBatch(t *testing.T) {
	p := LossParams{Steps: 4, Batch: 2, Classes: 3, Merge: true, Collapse: true, IgnoreLonger: true}
	x := logits(3, 24)
	loss, grad := run(t, p, x, []int64{0, 0, 0, 1, 0, 2, 1, 0}, []int32{1, 1, 0, 0}, []int32{4, 2})
	for b, want := range []string{"[1 0]", "[0]"} {
		n := 4 - 2*b
		one := make([]float64, 0, 12)
		for s := range n {
			one = append(one, x[(s*2+b)*3:][:3]...)
		}
		if w := -math.Log(readings(one, n, 3, true)[want]); math.Abs(loss[b]-w) > 1e-6 {
			t.Errorf("element %d: %v, want %v", b, loss[b], w)
		}
	}
	if slices.ContainsFunc(grad[15:18], func(v float64) bool { return v != 0 }) {
		t.Error("a step beyond the sequence has a gradient")
	}
	p.Collapse = false
	loss, _ = run(t, p, x, []int64{0, 0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 2}, []int32{1, 1, 0, 0, 1, 0}, []int32{4, 2})
	if loss[1] != 0 {
		t.Error("labels that do not fit have a loss")
	}
	loss, grad = run(t, p, x, []int64{0, 0, 0, 1, 0, 2, 1, 0, 1, 1}, []int32{0, 0, 0, 0, 0}, []int32{4, 2})
	if !math.IsInf(loss[1], 1) || math.Abs(grad[3]+grad[4]+grad[5]-1) > 1e-12 {
		t.Errorf("labels that cannot be read: loss %v, gradient %v", loss[1], grad[3:6])
	}
}

func TestLossRefuses(t *testing.T) {
	base := LossParams{Steps: 3, Batch: 1, Classes: 3, Merge: true}
	none := base
	none.Batch = 0
	for _, c := range []struct {
		what    string
		p       LossParams
		indices []int64
		values  []int32
		length  int32
	}{
		{"no batch", none, nil, nil, 3},
		{"no labels", base, nil, nil, 3},
		{"a length beyond the steps", base, []int64{0, 0}, []int32{0}, 4},
		{"a negative length", base, []int64{0, 0}, []int32{0}, -1},
		{"a batch index out of range", base, []int64{1, 0}, []int32{0}, 3},
		{"a negative batch index", base, []int64{-1, 0}, []int32{0}, 3},
		{"a negative position", base, []int64{0, -1}, []int32{0}, 3},
		{"a huge position", base, []int64{0, math.MaxInt64}, []int32{0}, 3},
		{"an index twice", base, []int64{0, 0, 0, 0}, []int32{0, 1}, 3},
		{"out of order", base, []int64{0, 1, 0, 0}, []int32{0, 1}, 3},
		{"a label after a blank", base, []int64{0, 0, 0, 1}, []int32{2, 1}, 3},
		{"a negative label", base, []int64{0, 0}, []int32{-1}, 3},
		{"too many labels", base, []int64{0, 0, 0, 1}, []int32{0, 1}, 1},
	} {
		c.p.Labels = len(c.values)
		n := c.p.Steps * c.p.Batch * c.p.Classes
		err := LossF32(nil, make([]float32, c.p.Batch), make([]float32, n), make([]float32, n), c.indices, c.values, []int32{c.length}[:c.p.Batch],
			make([]int32, len(c.values)), make([]float32, LossScratchLen(c.p)), c.p)
		if tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("%s: %v", c.what, err)
		}
	}
}

// TestLossBlanks: the loss for labels that are all blanks equals TensorFlow's.
func TestLossBlanks(t *testing.T) {
	for steps := range 4 {
		p := LossParams{Steps: max(steps, 1), Batch: 1, Classes: 2, Merge: true, IgnoreLonger: true}
		loss, _ := run(t, p, make([]float64, 2*p.Steps), []int64{0, 0}, []int32{1}, []int32{int32(steps)})
		want := []float64{0, math.Ln2, 2*math.Ln2 - math.Log(3), 3*math.Ln2 - math.Log(3)}[steps]
		if math.Abs(loss[0]-want) > 1e-6 {
			t.Errorf("%d steps: %v, want %v", steps, loss[0], want)
		}
	}
}

func TestGreedy(t *testing.T) {
	x := []float32{ // [4, 1, 3]
		1, 5, 0,
		0, 5, 5,
		0, 1, 2,
		3, 1, 2,
	}
	for _, c := range []struct {
		p    Params
		n    int32
		want []int64
		sum  float32
	}{
		{Params{Blank: -1}, 4, []int64{1, 1, 0}, -15},
		{Params{Blank: 2, Merge: true}, 4, []int64{1, 0}, -15},
		{Params{Blank: 0}, 4, []int64{1, 1, 2}, -15},
		{Params{Blank: -1}, 1, []int64{1}, -5},
		{Params{Blank: -1}, -3, []int64{}, 0},
	} {
		c.p.Steps, c.p.Batch, c.p.Classes, c.p.Top = 4, 1, 3, 1
		paths, sizes, prob := make([]int64, 4), make([]int64, 1), make([]float32, 1)
		if err := GreedyF32(nil, paths, sizes, prob, x, []int32{c.n}, c.p); err != nil {
			t.Fatal(err)
		}
		if got := paths[:sizes[0]]; !slices.Equal(got, c.want) || prob[0] != c.sum {
			t.Errorf("%+v: %v, %v", c.p, got, prob)
		}
		indices, values, shape := make([]int64, 8), make([]int64, 4), make([]int64, 2)
		if n := Sparse(nil, indices, values, shape, paths, sizes, 0, c.p); n != len(c.want) || !slices.Equal(values[:n], c.want) || shape[0] != 1 || shape[1] != int64(n) {
			t.Errorf("sparse: %d %v %v", n, values, shape)
		}
		for i := range c.want {
			if indices[2*i] != 0 || indices[2*i+1] != int64(i) {
				t.Errorf("indices %v", indices)
			}
		}
	}
}

func TestDecodersRefuse(t *testing.T) {
	good := Params{Steps: 2, Batch: 1, Classes: 3, Blank: -1, Beam: 2, Top: 1}
	for _, c := range []struct {
		what    string
		change  func(*Params)
		n       int32
		greedy  tensor.Code
		beaming tensor.Code
	}{
		{"nothing", func(p *Params) {}, 2, tensor.OK, tensor.OK},
		{"no steps", func(p *Params) { p.Steps = 0 }, 0, tensor.InvalidArgument, tensor.InvalidArgument},
		{"no classes", func(p *Params) { p.Classes = 0 }, 0, tensor.InvalidArgument, tensor.InvalidArgument},
		{"a long sequence", func(p *Params) {}, 3, tensor.FailedPrecondition, tensor.FailedPrecondition},
		{"a blank that is no class", func(p *Params) { p.Blank = 3 }, 2, tensor.InvalidArgument, tensor.OK},
		{"a blank far below", func(p *Params) { p.Blank = -4 }, 2, tensor.InvalidArgument, tensor.OK},
		{"more paths than the beam", func(p *Params) { p.Top = 3 }, 2, tensor.OK, tensor.InvalidArgument},
		{"more paths than found", func(p *Params) { p.Top = 2 }, 0, tensor.OK, tensor.InvalidArgument},
	} {
		p := good
		c.change(&p)
		paths, sizes := make([]int64, 16), make([]int64, 4)
		if err := GreedyF64(nil, paths, sizes, make([]float64, 4), make([]float64, 6), []int32{c.n}, p); tensor.CodeOf(err) != c.greedy {
			t.Errorf("%s: greedy: %v", c.what, err)
		}
		if err := BeamF64(nil, paths, sizes, make([]float64, 4), make([]float64, 6), []int32{c.n}, p); tensor.CodeOf(err) != c.beaming {
			t.Errorf("%s: beam: %v", c.what, err)
		}
	}
}

// TestBeam checks that a beam that is wide enough for all prefixes finds all readings and their
// probabilities.
func TestBeam(t *testing.T) {
	for _, c := range []struct{ steps, classes, beam int }{{1, 2, 4}, {3, 3, 40}, {4, 4, 400}} {
		x := logits(uint64(c.steps), c.steps*c.classes)
		all := readings(x, c.steps, c.classes, true)
		var want []string
		for k := range all {
			want = append(want, k)
		}
		sort.Slice(want, func(i, j int) bool { return all[want[i]] > all[want[j]] })
		p := Params{Steps: c.steps, Batch: 1, Classes: c.classes, Beam: c.beam, Top: len(want)}
		paths, sizes, prob := make([]int64, p.Top*p.Steps), make([]int64, p.Top), make([]float64, p.Top)
		if err := BeamF64(nil, paths, sizes, prob, x, []int32{int32(c.steps)}, p); err != nil {
			t.Fatal(err)
		}
		for k, w := range want {
			if got := fmt.Sprint(paths[k*p.Steps:][:sizes[k]]); got != w || math.Abs(prob[k]-math.Log(all[w])) > 1e-5 {
				t.Fatalf("%+v: path %d is %s with %v, want %s with %v", c, k, got, prob[k], w, math.Log(all[w]))
			}
		}
		// A narrow beam keeps only readings that are possible.
		p.Beam, p.Top = min(3, len(want)), 1
		x32 := make([]float32, len(x))
		for i, v := range x {
			x32[i] = float32(v)
		}
		if err := BeamF32(nil, paths, sizes, make([]float32, 1), x32, []int32{int32(c.steps)}, p); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(paths[:sizes[0]]); all[got] == 0 {
			t.Fatalf("%s cannot be read", got)
		}
	}
	// The best path is 0, blank, 0, which reads 0 0. With Merge these equal labels become one.
	p := Params{Steps: 3, Batch: 1, Classes: 2, Beam: 8, Top: 1}
	for _, merge := range []bool{false, true} {
		p.Merge = merge
		paths, sizes := make([]int64, 3), make([]int64, 1)
		if err := BeamF64(nil, paths, sizes, make([]float64, 1), []float64{9, 0, 0, 9, 9, 0}, []int32{3}, p); err != nil || (sizes[0] == 1) != merge {
			t.Errorf("merge %v: %v %v, %v", merge, paths, sizes, err)
		}
	}
}

func TestTopN(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for n := range 60 {
		for _, limit := range []int{0, 1, 2, 7, 20, 100} {
			keys := make([]int, n)
			for i := range keys {
				keys[i] = r.IntN(30)
			}
			top := topN{limit: limit, greater: func(a, b int32) bool { return keys[a] > keys[b] }}
			for i := range keys {
				top.push(int32(i))
				if i%3 == 1 && limit > 0 {
					low := top.lowest()
					for _, x := range top.e {
						if keys[x] < keys[low] {
							t.Fatal("not the lowest")
						}
					}
				}
			}
			got := top.extract(nil)
			sorted := slices.Clone(keys)
			sort.Sort(sort.Reverse(sort.IntSlice(sorted)))
			if len(got) != min(n, limit) {
				t.Fatalf("%d of %d, limit %d", len(got), n, limit)
			}
			for i, x := range got {
				if keys[x] != sorted[i] {
					t.Fatalf("n %d, limit %d: place %d has %d, want %d", n, limit, i, keys[x], sorted[i])
				}
			}
		}
	}
}

func TestIntroSort(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	less := func(a, b int32) bool { return a < b }
	for n := range 300 {
		for _, span := range []int{1, 5, 1000} {
			a := make([]int32, n)
			for i := range a {
				a[i] = int32(r.IntN(span))
			}
			want := slices.Sorted(slices.Values(a))
			b := slices.Clone(a)
			introSort(a, less)
			if !slices.Equal(a, want) {
				t.Fatalf("%d elements below %d: %v", n, span, a)
			}
			quickSort(b, 0, less) // with depth 0, long slices are sorted by heap sort
			if n > fewElements && !slices.Equal(b, want) {
				t.Fatalf("heap: %v", b)
			}
		}
	}
}

// TestLossEnds: the loss of many labels over many steps stops when the run ends.
func TestLossEnds(t *testing.T) {
	p := LossParams{Steps: 200, Batch: 1, Classes: 3, Labels: 100, Merge: true, IgnoreLonger: true}
	at := make([]int64, 2*p.Labels)
	for i := range p.Labels {
		at[2*i+1] = int64(i)
	}
	n := p.Steps * p.Classes
	typed.Ends(t, "loss", []any{LossF32, LossF64}, typed.Out(1), typed.Out(n), typed.Seq(0, n), at, make([]int32, p.Labels), []int32{200},
		make([]int32, p.Labels), typed.Out(LossScratchLen(p)), p)
}

// TestGreedyEnds: a greedy decoder stops when the run ends.
func TestGreedyEnds(t *testing.T) {
	p := Params{Steps: 1 << 10, Batch: 1, Classes: 1 << 11, Blank: -1, Top: 1}
	typed.Ends(t, "greedy", []any{GreedyF32, GreedyF64}, make([]int64, p.Steps), make([]int64, 1), typed.Out(1), typed.Out(p.Steps*p.Classes), []int32{int32(p.Steps)}, p)
	p = Params{Steps: 1, Batch: 1 << 18, Top: 1}
	typed.Ends(t, "many sequences", []any{Sparse}, []int64{}, []int64{}, make([]int64, 2), make([]int64, p.Batch), make([]int64, p.Batch), 0, p)
}
