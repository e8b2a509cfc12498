//go:build emitted

package hammer

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/graphc/graphc/internal/hammer/model"
	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/tensor"
)

var duration = flag.Duration("hammer", time.Second, "how long TestHammer goes on")

// workers is the number of goroutines that use the instance.
const workers = 16

func newModel(t *testing.T) *model.Model {
	t.Helper()
	m, err := model.New(rt.WithConcurrency(workers))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func scalar[T tensor.Elem](v T) model.Tensor[T] { return model.Tensor[T]{Data: []T{v}} }

// counts records what one worker, or all workers together, have done.
type counts struct {
	adds, steps, turns int64
	put, took          int64 // sums of the numbers put into the queue and taken from it
	puts, takes        int64
	inserts, seen      int64
	rows               [16]int64
}

func (all *counts) add(c *counts) {
	all.adds += c.adds
	all.steps += c.steps
	all.turns += c.turns
	all.put += c.put
	all.took += c.took
	all.puts += c.puts
	all.takes += c.takes
	all.inserts += c.inserts
	all.seen += c.seen
	for i, n := range c.rows {
		all.rows[i] += n
	}
}

// worker calls the model repeatedly and checks the results.
type worker struct {
	counts
	m   *model.Model
	id  int
	rng *rand.Rand
	// stock is the number of elements in the queue that no worker has reserved. A worker reserves
	// an element before it takes one, so no take waits forever.
	stock *atomic.Int64
}

func (w *worker) act(ctx context.Context) error {
	switch w.rng.IntN(8) {
	case 0, 1:
		return w.add(ctx)
	case 2:
		return w.read(ctx)
	case 3:
		return w.table(ctx)
	case 4:
		return w.queue(ctx)
	case 5:
		return w.train(ctx)
	case 6:
		return w.loops(ctx)
	}
	n := int32(w.rng.IntN(20))
	out, err := w.m.CountUp(ctx, model.CountUpInput{Turns: scalar(n)})
	if err != nil {
		return err
	}
	w.turns += int64(n)
	if got := out.Counted.Data[0]; got != n {
		return fmt.Errorf("a loop of %d turns has counted to %d", n, got)
	}
	return nil
}

func (w *worker) add(ctx context.Context) error {
	var row [3]int32
	for i := range row {
		row[i] = int32(w.rng.IntN(16))
	}
	if _, err := w.m.Add(ctx, model.AddInput{Row: model.Tensor[int32]{Shape: []int{3}, Data: row[:]}}); err != nil {
		return err
	}
	w.adds++
	for _, r := range row {
		w.rows[r]++
	}
	return nil
}

// read checks that reads of a variable are atomic.
func (w *worker) read(ctx context.Context) error {
	out, err := w.m.Read(ctx, model.ReadInput{})
	if err != nil {
		return err
	}
	for i, v := range out.Wide.Data {
		if v != out.Wide.Data[0] {
			return fmt.Errorf("element %d of a variable that is read is %v, the first is %v", i, v, out.Wide.Data[0])
		}
	}
	if n := out.Count.Data[0]; n < w.adds {
		return fmt.Errorf("%d additions are read, this goroutine alone has made %d", n, w.adds)
	}
	return nil
}

func (w *worker) table(ctx context.Context) error {
	key := int64(w.id)<<32 | w.inserts
	word := fmt.Sprint("word ", key)
	if _, err := w.m.Insert(ctx, model.InsertInput{Key: scalar(key), Word: scalar(word)}); err != nil {
		return err
	}
	w.inserts++
	out, err := w.m.Find(ctx, model.FindInput{Key: scalar(key)})
	if err != nil {
		return err
	}
	if got := out.Word.Data[0]; got != word {
		return fmt.Errorf("the table gives %q for a key with %q", got, word)
	}
	return nil
}

// queue takes a number from the queue if the stock guarantees that one will come; otherwise it puts
// one.
func (w *worker) queue(ctx context.Context) error {
	if n := w.stock.Load(); n > 4 && w.stock.CompareAndSwap(n, n-1) {
		out, err := w.m.Take(ctx, model.TakeInput{})
		if err != nil {
			return err
		}
		w.takes++
		w.took += out.Value.Data[0]
		return nil
	} else if n > 4 {
		return nil
	}
	v := w.rng.Int64N(1000)
	if _, err := w.m.Put(ctx, model.PutInput{Value: scalar(v)}); err != nil {
		return err
	}
	w.puts++
	w.put += v
	w.stock.Add(1)
	return nil
}

func (w *worker) train(ctx context.Context) error {
	in := model.TrainInput{X: model.Tensor[float32]{Shape: []int{8, 2}}, Y: model.Tensor[float32]{Shape: []int{8, 1}}}
	for range 8 {
		a, b := w.rng.Float32(), w.rng.Float32()
		in.X.Data = append(in.X.Data, a, b)
		in.Y.Data = append(in.Y.Data, 2*a-b)
	}
	out, err := w.m.Train(ctx, in)
	if err != nil {
		return err
	}
	w.steps++
	if l := out.Loss.Data[0]; !(l >= 0) || math.IsInf(float64(l), 0) {
		return fmt.Errorf("the loss is %v", l)
	}
	return nil
}

// loops runs a loop that uses TensorArrays, a loop that uses lists, and the gradients of both
// loops. It compares the results with those of loopOf.
func (w *worker) loops(ctx context.Context) error {
	n := w.rng.IntN(12)
	seed := []float32{w.rng.Float32(), w.rng.Float32(), w.rng.Float32(), -w.rng.Float32()}
	out, err := w.m.Loops(ctx, model.LoopsInput{Turns: scalar(int32(n)), Seed: model.Tensor[float32]{Shape: []int{4}, Data: seed}})
	if err != nil {
		return err
	}
	want := loopOf(seed, n)
	return errors.Join(want.written.check("TensorArray", out.Written), want.written.check("list", out.Listed),
		want.slope.check("slope", out.Slope), want.slope.check("slope by lists", out.SlopeV2))
}

// sum adds up the workers' counts.
func sum(ws []*worker) (all counts) {
	for _, w := range ws {
		all.add(&w.counts)
	}
	return all
}

// check compares the state of the model with the counts.
func (all *counts) check(t *testing.T, m *model.Model) {
	t.Helper()
	ctx := context.Background()
	read, err := m.Read(ctx, model.ReadInput{})
	if err != nil {
		t.Fatal(err)
	}
	if got := read.Count.Data[0]; got != all.adds {
		t.Errorf("count is %d after %d additions", got, all.adds)
	}
	for _, v := range []model.Tensor[float32]{read.Wide, read.Ref} {
		if i := slices.IndexFunc(v.Data, func(x float32) bool { return x != float32(all.adds) }); i >= 0 {
			t.Errorf("element %d of a variable is %v after %d additions of 1", i, v.Data[i], all.adds)
		}
	}
	for _, v := range []model.Tensor[int32]{read.Rows, read.Refrows} {
		for i, x := range v.Data {
			if int64(x) != all.rows[i/8] {
				t.Errorf("row %d is %d after %d additions of 1", i/8, x, all.rows[i/8])
			}
		}
	}
	trained, err := m.Trained(ctx, model.TrainedInput{})
	if err != nil {
		t.Fatal(err)
	}
	if got := trained.Step.Data[0]; got != all.steps {
		t.Errorf("%d steps of training are counted, %d were made", got, all.steps)
	}
	if w := trained.W.Data; all.steps > 5000 && (math.Abs(float64(w[0]-2)) > 0.05 || math.Abs(float64(w[1]+1)) > 0.05) {
		t.Errorf("after %d steps the weights are %v, want [2 -1]", all.steps, w)
	}
	turned, err := m.Turned(ctx, model.TurnedInput{})
	if err != nil {
		t.Fatal(err)
	}
	if got := turned.Turn.Data[0]; got != all.turns {
		t.Errorf("the variable of a loop is %d after %d turns", got, all.turns)
	}
	found, err := m.Find(ctx, model.FindInput{Key: scalar(int64(-1))})
	if err != nil {
		t.Fatal(err)
	}
	if got := found.Size.Data[0]; got != all.inserts || found.Word.Data[0] != "none" {
		t.Errorf("the table has %d entries, %d were inserted; it gives %q for a key it has not", got, all.inserts, found.Word.Data[0])
	}
	waiting, err := m.Waiting(ctx, model.WaitingInput{})
	if err != nil {
		t.Fatal(err)
	}
	for range waiting.Size.Data[0] {
		out, err := m.Take(ctx, model.TakeInput{})
		if err != nil {
			t.Fatal(err)
		}
		all.takes++
		all.took += out.Value.Data[0]
	}
	if all.puts != all.takes || all.put != all.took {
		t.Errorf("%d numbers with the sum %d were put into the queue, %d with the sum %d came out", all.puts, all.put, all.takes, all.took)
	}
}

// TestHammer updates and reads one instance from 16 goroutines. Run it with -race, and longer with
// -hammer 60s.
func TestHammer(t *testing.T) {
	m, other := newModel(t), newModel(t)
	var stock atomic.Int64
	var ws []*worker
	var wg sync.WaitGroup
	end := time.Now().Add(*duration)
	for i := range workers {
		w := &worker{m: m, id: i, rng: rand.New(rand.NewPCG(1, uint64(i))), stock: &stock}
		ws = append(ws, w)
		wg.Go(func() {
			for time.Now().Before(end) {
				if err := w.act(context.Background()); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	if rest := time.Until(end); rest > 0 {
		time.Sleep(rest)
	}
	takes, took := drained(t, &wg, &stock, func() (int64, error) {
		out, err := m.Take(context.Background(), model.TakeInput{})
		if err != nil {
			return 0, err
		}
		return out.Value.Data[0], nil
	})
	all := sum(ws)
	all.takes, all.took = all.takes+takes, all.took+took
	t.Logf("%+v", all)
	all.check(t, m)
	(&counts{}).check(t, other) // other, a second instance, shares no state with m
}
