//go:build emitted

package hammer

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/graphc/graphc/internal/hammer/parted"
	"github.com/graphc/graphc/rt"
)

func newParted(t *testing.T, opts ...rt.Option) *parted.Model {
	t.Helper()
	m, err := parted.New(opts...)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// checkParted compares the state of the model with the counts.
func (all *counts) checkParted(t *testing.T, m *parted.Model) {
	t.Helper()
	ctx := context.Background()
	read, err := m.Read(ctx, parted.ReadInput{})
	if err != nil {
		t.Fatal(err)
	}
	if got := read.Count.Data[0]; got != all.adds {
		t.Errorf("count is %d after %d additions", got, all.adds)
	}
	for _, v := range []parted.Tensor[float32]{read.Wide, read.Ref} {
		if i := slices.IndexFunc(v.Data, func(x float32) bool { return x != float32(all.adds) }); i >= 0 {
			t.Errorf("element %d of a variable is %v after %d additions of 1", i, v.Data[i], all.adds)
		}
	}
	for _, v := range []parted.Tensor[int32]{read.Rows, read.Refrows} {
		for i, x := range v.Data {
			if int64(x) != all.rows[i/8] {
				t.Errorf("row %d is %d after %d additions of 1", i/8, x, all.rows[i/8])
			}
		}
	}
	trained, err := m.Trained(ctx, parted.TrainedInput{})
	if err != nil {
		t.Fatal(err)
	}
	if got := trained.Step.Data[0]; got != all.steps {
		t.Errorf("%d steps of training are counted, %d were made", got, all.steps)
	}
	if w := trained.W.Data; all.steps > 5000 && (math.Abs(float64(w[0]-2)) > 0.05 || math.Abs(float64(w[1]+1)) > 0.05) {
		t.Errorf("after %d steps the weights are %v, want [2 -1]", all.steps, w)
	}
	turned, err := m.Turned(ctx, parted.TurnedInput{})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := turned.Turn1.Data[0], turned.Turn2.Data[0]; a != all.turns || b != all.turns {
		t.Errorf("the variables of a loop are %d and %d after %d turns", a, b, all.turns)
	}
	seen, err := m.Seen(ctx, parted.SeenInput{})
	if err != nil {
		t.Fatal(err)
	}
	if got := seen.Seen.Data[0]; got != all.seen {
		t.Errorf("%d runs in steps are counted, %d were made", got, all.seen)
	}
	found, err := m.Find(ctx, parted.FindInput{Key: scalar(int64(-1))})
	if err != nil {
		t.Fatal(err)
	}
	if got := found.Size.Data[0]; got != all.inserts || found.Word.Data[0] != "<none>" {
		t.Errorf("the table has %d entries, %d were inserted; it gives %q for a key it has not", got, all.inserts, found.Word.Data[0])
	}
	waiting, err := m.Waiting(ctx, parted.WaitingInput{})
	if err != nil {
		t.Fatal(err)
	}
	for range waiting.Size.Data[0] {
		out, err := m.Take(ctx, parted.TakeInput{})
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

// TestParted uses an instance of a program for three devices from 16 goroutines. Its partitions
// send each other numbers, sizes, strings, conditions and references. No update is lost and every
// result is right, with any number of threads.
func TestParted(t *testing.T) {
	m, other := newParted(t, rt.WithConcurrency(workers)), newParted(t)
	defer m.Close()
	defer other.Close()
	var stock atomic.Int64
	var ws [workers]*parter
	var wg sync.WaitGroup
	end := time.Now().Add(*duration)
	for i := range ws {
		w := &parter{m: m, id: i, rng: rand.New(rand.NewPCG(2, uint64(i))), stock: &stock}
		ws[i] = w
		ctx := context.Background()
		if n := i % 4; n > 0 {
			ctx = rt.WithRun(ctx, rt.Threads(n))
		}
		wg.Go(func() {
			for time.Now().Before(end) {
				if err := w.act(ctx); err != nil {
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
		out, err := m.Take(context.Background(), parted.TakeInput{})
		if err != nil {
			return 0, err
		}
		return out.Value.Data[0], nil
	})
	var all counts
	for _, w := range ws {
		all.add(&w.made)
	}
	all.takes, all.took = all.takes+takes, all.took+took
	t.Logf("%+v", all)
	all.checkParted(t, m)
	(&counts{}).checkParted(t, other) // other, a second instance, shares no state with m
}
