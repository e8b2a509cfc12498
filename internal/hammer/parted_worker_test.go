//go:build emitted

package hammer

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/graphc/graphc/internal/hammer/parted"
	"github.com/graphc/graphc/rt/tensor"
)

// parter calls a model on several devices repeatedly and checks the results.
type parter struct {
	made  counts
	m     *parted.Model
	id    int
	rng   *rand.Rand
	stock *atomic.Int64 // as in worker
}

func list[T tensor.Elem](v ...T) parted.Tensor[T] {
	return parted.Tensor[T]{Shape: []int{len(v)}, Data: v}
}

// act makes a call that ends by itself.
func (w *parter) act(ctx context.Context) error {
	switch w.rng.IntN(16) {
	case 0, 1:
		return w.add(ctx)
	case 2:
		return w.read(ctx)
	case 3, 4:
		return w.table(ctx)
	case 5, 6:
		return w.queue(ctx)
	case 7, 8:
		return w.train(ctx)
	case 9:
		return w.countUp(ctx, int32(w.rng.IntN(12)))
	case 10:
		return w.steps(ctx)
	}
	return w.look(ctx)
}

// look makes a call without effects.
func (w *parter) look(ctx context.Context) error {
	switch w.rng.IntN(6) {
	case 0:
		return w.branch(ctx)
	case 1:
		return w.loops(ctx, w.rng.IntN(10))
	case 2:
		return w.nested(ctx)
	case 3:
		return w.positive(ctx)
	case 4:
		return w.tally(ctx)
	}
	return w.fail(ctx, int32(w.rng.IntN(len(failures))))
}

func (w *parter) add(ctx context.Context) error {
	var row [3]int32
	for i := range row {
		row[i] = int32(w.rng.IntN(16))
	}
	if _, err := w.m.Add(ctx, parted.AddInput{Row: list(row[:]...)}); err != nil {
		return err
	}
	w.made.adds++
	for _, r := range row {
		w.made.rows[r]++
	}
	return nil
}

func (w *parter) read(ctx context.Context) error {
	out, err := w.m.Read(ctx, parted.ReadInput{})
	if err != nil {
		return err
	}
	for i, v := range out.Wide.Data {
		if v != out.Wide.Data[0] {
			return fmt.Errorf("element %d of a variable that is read is %v, the first is %v", i, v, out.Wide.Data[0])
		}
	}
	if n := out.Count.Data[0]; n < w.made.adds {
		return fmt.Errorf("%d additions are read, this goroutine alone has made %d", n, w.made.adds)
	}
	return nil
}

func (w *parter) table(ctx context.Context) error {
	key := int64(w.id)<<32 | w.made.inserts
	word := fmt.Sprint("word ", key)
	if _, err := w.m.Insert(ctx, parted.InsertInput{Key: scalar(key), Word: scalar(word)}); err != nil {
		return err
	}
	w.made.inserts++
	out, err := w.m.Find(ctx, parted.FindInput{Key: scalar(key)})
	if err != nil {
		return err
	}
	if got := out.Word.Data[0]; got != "<"+word+"!>" || int(out.Length.Data[0]) != len(word)+1 {
		return fmt.Errorf("the table gives %q of length %d for a key with %q", got, out.Length.Data[0], word)
	}
	return nil
}

// queue takes a number from the queue if the stock guarantees that a number will come. Otherwise it
// puts one.
func (w *parter) queue(ctx context.Context) error {
	if n := w.stock.Load(); n > 4 {
		if !w.stock.CompareAndSwap(n, n-1) {
			return nil
		}
		out, err := w.m.Take(ctx, parted.TakeInput{})
		if err != nil {
			return err
		}
		w.made.takes++
		w.made.took += out.Value.Data[0]
		return nil
	}
	v := w.rng.Int64N(1000)
	if _, err := w.m.Put(ctx, parted.PutInput{Value: scalar(v)}); err != nil {
		return err
	}
	w.made.puts++
	w.made.put += v
	w.stock.Add(1)
	return nil
}

func (w *parter) train(ctx context.Context) error {
	n := 1 + w.rng.IntN(12)
	in := parted.TrainInput{X: parted.Tensor[float32]{Shape: []int{n, 2}}, Y: parted.Tensor[float32]{Shape: []int{n, 1}}}
	for range n {
		a, b := w.rng.Float32(), w.rng.Float32()
		in.X.Data = append(in.X.Data, a, b)
		in.Y.Data = append(in.Y.Data, 2*a-b)
	}
	out, err := w.m.Train(ctx, in)
	if err != nil {
		return err
	}
	w.made.steps++
	if l := out.Loss.Data[0]; !(l >= 0) || math.IsInf(float64(l), 0) {
		return fmt.Errorf("the loss is %v", l)
	}
	return nil
}

func (w *parter) countUp(ctx context.Context, n int32) error {
	out, err := w.m.CountUp(ctx, parted.CountUpInput{Turns: scalar(n)})
	if err != nil {
		return err
	}
	w.made.turns += int64(n)
	if got := out.Counted.Data[0]; got != n {
		return fmt.Errorf("a loop of %d turns has counted to %d", n, got)
	}
	return nil
}

// halves returns n multiples of 0.5, whose sums are exact.
func (w *parter) halves(n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(w.rng.IntN(64)-32) / 2
	}
	return v
}

func (w *parter) branch(ctx context.Context) error {
	p, v := int32(w.rng.IntN(30)), w.halves(w.rng.IntN(40))
	out, err := w.m.Branch(ctx, parted.BranchInput{P: scalar(p), V: list(v...)})
	if err != nil {
		return err
	}
	want := make([]float32, len(v))
	for i, x := range v {
		switch {
		case p < 10:
			want[i] = 2*x + 1.5
		case p > 20:
			want[i] = (x-3)*(x-3) + 0.5
		default:
			want[i] = 3.5 - x
		}
	}
	if !slices.Equal(out.V1.Data, want) || !slices.Equal(out.V2.Data, want) {
		return fmt.Errorf("branch %d of %v gives %v and %v", p, v, out.V1, out.V2)
	}
	return nil
}

// loops runs a loop and its gradient, with the control flow of TensorFlow 1 and with that of
// version 2. It compares the results with those of loopOf.
func (w *parter) loops(ctx context.Context, n int) error {
	seed := []float32{w.rng.Float32(), w.rng.Float32(), w.rng.Float32(), -w.rng.Float32()}
	out, err := w.m.Loops(ctx, parted.LoopsInput{Turns: scalar(int32(n)), Seed: list(seed...)})
	if err != nil {
		return err
	}
	want := loopOf(seed, n)
	return errors.Join(want.written.check("array", out.Written), want.written.check("array, v2", out.WrittenV2),
		want.slope.check("slope", out.Slope), want.slope.check("slope, v2", out.SlopeV2),
		want.sum.check("sum", out.Sum), want.sum.check("sum, v2", out.SumV2))
}

func (w *parter) nested(ctx context.Context) error {
	n, m := int32(w.rng.IntN(6)), int32(w.rng.IntN(6))
	out, err := w.m.Nested(ctx, parted.NestedInput{Turns: scalar(n), Inner: scalar(m)})
	if err != nil {
		return err
	}
	var want int32
	for i := range n {
		for j := range m {
			want = (want*3 + i*j + 1) % 1009
		}
		want++
	}
	if got := out.Nested.Data[0]; got != want {
		return fmt.Errorf("loops of %d and %d turns give %d, want %d", n, m, got, want)
	}
	return nil
}

func (w *parter) positive(ctx context.Context) error {
	v := w.halves(w.rng.IntN(50))
	out, err := w.m.Positive(ctx, parted.PositiveInput{V: list(v...)})
	if err != nil {
		return err
	}
	var positive []float32
	var restored []int32
	var sum float32
	for _, x := range v {
		if x > 0 {
			positive = append(positive, x)
			restored = append(restored, 2*int32(x))
			sum += x + x*x
		}
	}
	if !slices.Equal(out.Positive.Data, positive) || !slices.Equal(out.Restored.Data, restored) || out.Sum.Data[0] != sum {
		return fmt.Errorf("what is positive in %v: %v with the sum %v; twice its integers: %v", v, out.Positive, out.Sum, out.Restored)
	}
	return nil
}

func (w *parter) tally(ctx context.Context) error {
	var words, distinct, want []string
	times := map[string]int{}
	for range 1 + w.rng.IntN(20) {
		word := strings.Repeat(string(rune('a'+w.rng.IntN(5))), 1+w.rng.IntN(2))
		if times[word]++; times[word] == 1 {
			distinct = append(distinct, word)
		}
		words = append(words, word)
	}
	for _, word := range distinct {
		want = append(want, fmt.Sprint(word, "=", times[word]))
	}
	out, err := w.m.Tally(ctx, parted.TallyInput{Text: scalar(strings.Join(words, " "))})
	if err != nil {
		return err
	}
	if got := out.Tally.Data[0]; got != strings.Join(want, ",") || !slices.Equal(out.Distinct.Data, distinct) {
		return fmt.Errorf("%q has the words %q, %q", words, got, out.Distinct.Data)
	}
	return nil
}

// failures names the nodes that end a run of the signature "fail" with an error, indexed by the fed
// value. Each device has at least one of these nodes. For the value 0, the run succeeds.
var failures = []string{"", "bad_assert", "bad_division", "bad_number", "while_5/bad_turn", "bad_shape"}

// fail makes a node of one device end the run while the others compute and wait.
func (w *parter) fail(ctx context.Context, what int32) error {
	turns, v := int32(w.rng.IntN(300)), w.halves(1+w.rng.IntN(14))
	out, err := w.m.Fail(ctx, parted.FailInput{What: scalar(what), Turns: scalar(turns), V: list(v...)})
	if node := failures[what]; node != "" {
		return blames(err, node)
	}
	if err != nil {
		return err
	}
	var busy int32
	for range turns {
		busy = (busy*3 + 1) % 1009
	}
	want := float32(busy - 5 + 828)
	for _, x := range v {
		want += x
	}
	if got := out.Survived.Data[0]; got != want {
		return fmt.Errorf("a run in which nothing fails gives %v, want %v", got, want)
	}
	return nil
}

// blames returns nil if err is an InvalidArgument error of the given node, err itself if the run
// was cancelled, and another error in all other cases.
func blames(err error, node string) error {
	var e *tensor.Error
	if errors.As(err, &e) && e.Code == tensor.InvalidArgument && e.Node == node {
		return nil
	}
	if brokenOff(err) || isClosed(err) {
		return err
	}
	return fmt.Errorf("%v, want an error of %q", err, node)
}

func isClosed(err error) bool {
	var e *tensor.Error
	return errors.As(err, &e) && e.Code == tensor.Cancelled && e.Msg == "session has been closed"
}

func brokenOff(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
