//go:build emitted

package hammer

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/graphc/graphc/internal/hammer/parted"
	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/tensor"
)

// TestPartedClosed closes and resets instances that are busy. Their partitions compute, or they wait
// for each other, for a queue or for a slot. Some runs are cancelled, fail or time out, and partial
// runs are between two steps. All runs that have not ended then end with Cancelled, and no goroutine
// leaks.
func TestPartedClosed(t *testing.T) {
	before := runtime.NumGoroutine()
	named, err := rt.NewPool("parted", 3)
	if err != nil {
		t.Fatal(err)
	}
	for round := range max(20, *cancelled/50) {
		rng := rand.New(rand.NewPCG(19, uint64(round)))
		opts := []rt.Option{rt.WithConcurrency(1 + rng.IntN(3))}
		if n := rng.IntN(4); n > 0 {
			opts = append(opts, rt.WithThreads(n))
		}
		if rng.IntN(2) == 0 {
			opts = append(opts, rt.WithTimeout(time.Duration(1+rng.IntN(3))*time.Millisecond))
		}
		if rng.IntN(2) == 0 {
			opts = append(opts, rt.WithPool(named))
		}
		m, err := parted.New(opts...)
		if brokenOff(err) { // the timeout also applies to the initialization
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for g := range workers {
			w := &parter{m: m, id: g, rng: rand.New(rand.NewPCG(uint64(round), uint64(g)))}
			wg.Go(func() {
				between := m.StepsPartial()
				if err := between.FeedA(w.ints(2)); err != nil && !isClosed(err) {
					t.Error(err)
				}
				for closed := false; !closed; {
					ctx, cancel := context.Background(), func() {}
					if w.rng.IntN(3) > 0 {
						ctx, cancel = disturbed(w.rng)
					}
					// A run without a timeout may wait until the instance is closed.
					err := w.disturb(ctx)
					cancel()
					closed = isClosed(err)
					if err != nil && !closed && !brokenOff(err) {
						t.Errorf("a run ends with %v", err)
						return
					}
				}
				if err := between.FeedB(w.ints(2)); !isClosed(err) {
					t.Errorf("a run in steps is fed after Close: %v", err)
				}
				if _, err := between.FetchFirst(context.Background()); !isClosed(err) {
					t.Errorf("a run in steps goes on after Close: %v", err)
				}
				between.Close()
			})
		}
		time.Sleep(time.Duration(rng.IntN(4000)) * time.Microsecond)
		for i := range 2 {
			wg.Go(func() {
				end := m.Close
				if (round+i)%2 == 0 {
					end = func() error { return m.Reset() }
				}
				if err := end(); err != nil {
					t.Error(err)
				}
				if _, err := m.Put(context.Background(), parted.PutInput{Value: scalar(int64(1))}); !isClosed(err) {
					t.Errorf("a run after Close: %v", err)
				}
				if err := m.WaitPartial().Run(context.Background()); !isClosed(err) {
					t.Errorf("a run in steps after Close: %v", err)
				}
			})
		}
		wg.Wait()
	}
	named.Close()
	noneLeft(t, before)
}

// TestPartedBlocked closes an instance while every partition that can wait does so.
func TestPartedBlocked(t *testing.T) {
	before := runtime.NumGoroutine()
	background := context.Background()
	one := scalar(int32(1 << 30))
	for _, c := range []struct {
		name string
		run  func(ctx context.Context, m *parted.Model) error
	}{
		{"for something in a queue", func(ctx context.Context, m *parted.Model) error {
			_, err := m.Take(ctx, parted.TakeInput{})
			return err
		}},
		{"for room in a queue", func(ctx context.Context, m *parted.Model) error {
			for {
				if _, err := m.Put(ctx, parted.PutInput{Value: scalar(int64(1))}); err != nil {
					return err
				}
			}
		}},
		{"in a loop", func(ctx context.Context, m *parted.Model) error {
			_, err := m.Drain(ctx, parted.DrainInput{})
			return err
		}},
		{"for what computes and for what waits", func(ctx context.Context, m *parted.Model) error {
			_, err := m.Wait(ctx, parted.WaitInput{What: scalar(int32(0)), Turns: one})
			return err
		}},
		{"in a step", func(ctx context.Context, m *parted.Model) error { return m.WaitPartial().Run(ctx) }},
	} {
		for threads := range 3 {
			var opts []rt.Option
			if threads > 0 {
				opts = append(opts, rt.WithThreads(threads))
			}
			m := newParted(t, append(opts, rt.WithConcurrency(2))...)
			ended := make(chan error)
			for range 3 { // two may run at once, and one waits for a slot
				go func() { ended <- c.run(background, m) }()
			}
			short, cancel := context.WithTimeout(background, 2*time.Millisecond)
			if err := c.run(short, m); err != context.DeadlineExceeded {
				t.Errorf("%s, %d threads: %v", c.name, threads, err)
			}
			cancel()
			if err := m.Close(); err != nil {
				t.Error(err)
			}
			for range 3 {
				if err := <-ended; !isClosed(err) {
					t.Errorf("%s, %d threads: %v, want %v", c.name, threads, err, tensor.Cancelled)
				}
			}
		}
	}
	noneLeft(t, before)
}
