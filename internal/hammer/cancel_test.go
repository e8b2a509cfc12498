//go:build emitted

package hammer

import (
	"context"
	"errors"
	"flag"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/graphc/graphc/internal/hammer/model"
	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/tensor"
)

var cancelled = flag.Int("cancelled", 600, "how many runs TestCancel breaks off, or tries to")

// interrupted runs one of the signatures under a context that ends at some moment. It returns the
// changes that the run has certainly made.
func interrupted(ctx context.Context, m *model.Model, rng *rand.Rand) (done counts, err error) {
	switch rng.IntN(6) {
	case 0: // takes a number from the queue, or waits because the queue is empty
		_, err = m.Take(ctx, model.TakeInput{})
	case 1: // takes numbers from the queue in a loop
		_, err = m.Drain(ctx, model.DrainInput{})
	case 2: // a loop that does not end in time
		_, err = m.CountUp(ctx, model.CountUpInput{Turns: scalar(int32(1 << 30))})
	case 3:
		_, err = m.Loops(ctx, model.LoopsInput{Turns: scalar(int32(500)), Seed: model.Tensor[float32]{Shape: []int{4}, Data: make([]float32, 4)}})
	case 4:
		w := worker{m: m, rng: rng}
		err = w.train(ctx)
		done = w.counts
	default:
		w := worker{m: m, rng: rng}
		err = w.add(ctx)
		done = w.counts
	}
	return done, err
}

// TestCancel cancels runs at random moments: in loops, while they wait, between steps. Cancelled
// runs leave nothing behind, and the model keeps working. Run the test with -cancelled 10000 for
// more runs.
func TestCancel(t *testing.T) {
	m, err := model.New(rt.WithConcurrency(4)) // so that some runs wait for their turn
	if err != nil {
		t.Fatal(err)
	}
	background, runs := context.Background(), *cancelled
	var mu sync.Mutex
	var steps, adds, ended, all int64
	before, after := steady(t, func(seed uint64) {
		n := runs
		if seed == 1 {
			n /= 2
		}
		all += int64(n)
		var wg sync.WaitGroup
		for g := range workers {
			rng := rand.New(rand.NewPCG(seed, uint64(g)))
			wg.Go(func() {
				for range n / workers {
					ctx, cancel := context.WithCancel(background)
					after := time.Duration(rng.IntN(300)) * time.Microsecond
					switch rng.IntN(3) {
					case 0:
						ctx, cancel = context.WithTimeout(background, after)
					case 1:
						cancel()
					default:
						time.AfterFunc(after, cancel)
					}
					done, err := interrupted(ctx, m, rng)
					cancel()
					if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
						t.Errorf("a run that is broken off gives %v", err)
					}
					mu.Lock()
					steps, adds = steps+done.steps, adds+done.adds
					if err != nil {
						ended++
					}
					mu.Unlock()
				}
			})
		}
		wg.Wait()
	})
	t.Logf("%d of %d runs were broken off; heap %d, then %d bytes", ended, all, before, after)
	if ended < all/4 {
		t.Errorf("only %d of %d runs were broken off", ended, all)
	}

	// A cancelled run of several updates may have made some of them, but never a part of one.
	read, err := m.Read(background, model.ReadInput{})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []model.Tensor[float32]{read.Wide, read.Ref} {
		for i, x := range v.Data {
			if x != v.Data[0] || int64(x) < adds {
				t.Fatalf("element %d of a variable is %v, the first %v, after at least %d additions", i, x, v.Data[0], adds)
			}
		}
	}
	trained, err := m.Trained(background, model.TrainedInput{})
	if err != nil || trained.Step.Data[0] < steps {
		t.Errorf("%v, %v steps are counted, %d were made", err, trained.Step, steps)
	}
	if _, err := m.Put(background, model.PutInput{Value: scalar(int64(7))}); err != nil {
		t.Error(err)
	}
	if out, err := m.Take(background, model.TakeInput{}); err != nil || out.Value.Data[0] != 7 {
		t.Errorf("the queue gives %v, %v, want 7", out, err)
	}
	if _, err := m.CloseQueue(background, model.CloseQueueInput{}); err != nil {
		t.Error(err)
	}
	if _, err := m.Take(background, model.TakeInput{}); tensor.CodeOf(err) != tensor.OutOfRange {
		t.Errorf("a closed, empty queue gives %v, want OutOfRange", err)
	}
}
