//go:build emitted

package hammer

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/graphc/graphc/internal/hammer/parted"
	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/tensor"
)

// disturbed returns a context that ends at a random moment. The context may also set the number of
// threads of a run.
func disturbed(rng *rand.Rand) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	after := time.Duration(rng.IntN(600)) * time.Microsecond
	var opts []rt.RunOption
	switch rng.IntN(4) {
	case 0:
		cancel()
	case 1:
		ctx, cancel = context.WithTimeout(context.Background(), after)
	case 2:
		opts = append(opts, rt.Timeout(after+1))
	default:
		time.AfterFunc(after, cancel)
	}
	if n := rng.IntN(4); n > 0 {
		opts = append(opts, rt.Threads(n))
	}
	if len(opts) > 0 {
		ctx = rt.WithRun(ctx, opts...)
	}
	return ctx, cancel
}

// disturb makes a random call. The context ends at some moment; without it, some of the calls would
// never end.
func (w *parter) disturb(ctx context.Context) error {
	switch w.rng.IntN(12) {
	case 0: // one device waits for an element of an empty queue, and another device waits for this element
		_, err := w.m.Take(ctx, parted.TakeInput{})
		return unending(err)
	case 1: // a loop in which devices wait like this
		_, err := w.m.Drain(ctx, parted.DrainInput{})
		return unending(err)
	case 2: // a long loop in which the devices send each other a message in every iteration
		_, err := w.m.CountUp(ctx, parted.CountUpInput{Turns: scalar(int32(1 << 30))})
		return unending(err)
	case 3: // the first device waits forever, the second computes forever, and the third waits for both
		_, err := w.m.Wait(ctx, parted.WaitInput{What: scalar(int32(1)), Turns: scalar(int32(1 << 30))})
		return unending(err)
	case 4: // an error ends a run that would wait forever
		_, err := w.m.Wait(ctx, parted.WaitInput{What: scalar(int32(1)), Turns: scalar(int32(w.rng.IntN(2000)))})
		return blames(err, "bad_while_waiting")
	case 5:
		return w.loops(ctx, 200)
	case 6:
		return w.train(ctx)
	case 7:
		return w.add(ctx)
	case 8:
		return w.steps(ctx)
	case 9:
		return w.endless(ctx)
	}
	return w.look(ctx)
}

// endless makes a partial run with a step that waits forever.
func (w *parter) endless(ctx context.Context) error {
	p := w.m.WaitPartial()
	if err := p.FeedTurns(scalar(int32(w.rng.IntN(100)))); err != nil {
		return err
	}
	_, err := p.FetchBusy(ctx)
	if err := unending(err); !brokenOff(err) && !isClosed(err) {
		return err
	}
	// Either the context ended the run, or the run had not begun.
	if brokenOff(err) && w.rng.IntN(2) == 0 {
		again, cancel := context.WithTimeout(context.Background(), time.Duration(w.rng.IntN(200))*time.Microsecond)
		defer cancel()
		if _, err := p.FetchBusy(again); !brokenOff(err) && !isClosed(err) {
			return fmt.Errorf("a run in steps that was broken off goes on with %v", err)
		}
	}
	return err
}

// unending checks err, the error of a run that can only end by an error. It returns err, or another
// error if err is nil.
func unending(err error) error {
	if err == nil {
		return errors.New("a run that waits for ever has ended")
	}
	return err
}

// TestPartedBroken cancels runs of several devices at random moments, and makes nodes of one device
// fail while the others compute and wait. Later runs receive no message of these runs, and all
// results are right. Run it with -cancelled 10000 for more runs.
func TestPartedBroken(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, c := range []struct {
		name string
		opts []rt.Option
	}{
		{"as many threads as there are", []rt.Option{rt.WithConcurrency(4)}},
		{"one thread", []rt.Option{rt.WithConcurrency(3), rt.WithThreads(1)}},
		{"two parts at once", []rt.Option{rt.WithConcurrency(5), rt.WithInterOp(2)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newParted(t, c.opts...)
			defer m.Close()
			partedBroken(t, m, *cancelled/2)
		})
	}
	noneLeft(t, before)
}

func partedBroken(t *testing.T, m *parted.Model, runs int) {
	background := context.Background()
	var mu sync.Mutex
	var made counts
	var ended, all int64
	before, after := steady(t, func(seed uint64) {
		var wg sync.WaitGroup
		for g := range workers {
			w := &parter{m: m, id: g, rng: rand.New(rand.NewPCG(seed, uint64(g)))}
			wg.Go(func() {
				off := int64(0)
				for range runs/workers + 1 {
					ctx, cancel := disturbed(w.rng)
					err := w.disturb(ctx)
					cancel()
					switch {
					case brokenOff(err):
						off++
					case err != nil:
						t.Errorf("a run that is broken off gives %v", err)
						return
					}
					if w.rng.IntN(3) > 0 {
						continue
					}
					if wrong := w.look(background); wrong != nil {
						t.Errorf("after a run that ended with %v: %v", err, wrong)
						return
					}
				}
				mu.Lock()
				defer mu.Unlock()
				made.add(&w.made)
				ended += off
				all += int64(runs/workers + 1)
			})
		}
		wg.Wait()
	})
	t.Logf("%d of %d runs were broken off; heap %d, then %d bytes", ended, all, before, after)
	if ended < all/4 && !t.Failed() {
		t.Errorf("only %d of %d runs were broken off", ended, all)
	}

	// A cancelled run of several updates may have made some of them, but never a part of one.
	read, err := m.Read(background, parted.ReadInput{})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []parted.Tensor[float32]{read.Wide, read.Ref} {
		if i := slices.IndexFunc(v.Data, func(x float32) bool { return x != v.Data[0] || int64(x) < made.adds }); i >= 0 {
			t.Errorf("element %d of a variable is %v, the first %v, after at least %d additions", i, v.Data[i], v.Data[0], made.adds)
		}
	}
	if read.Count.Data[0] < made.adds {
		t.Errorf("%d additions are counted, at least %d were made", read.Count.Data[0], made.adds)
	}
	trained, err := m.Trained(background, parted.TrainedInput{})
	if err != nil || trained.Step.Data[0] < made.steps {
		t.Errorf("%v, %v steps are counted, %d were made", err, trained.Step, made.steps)
	}
	seen, err := m.Seen(background, parted.SeenInput{})
	if err != nil || seen.Seen.Data[0] < made.seen {
		t.Errorf("%v, %v runs in steps are counted, %d were made", err, seen.Seen, made.seen)
	}
	if _, err := m.Put(background, parted.PutInput{Value: scalar(int64(7))}); err != nil {
		t.Error(err)
	}
	if out, err := m.Take(background, parted.TakeInput{}); err != nil || out.Value.Data[0] != 7 {
		t.Errorf("the queue gives %v, %v, want 7", out, err)
	}
	if _, err := m.CloseQueue(background, parted.CloseQueueInput{}); err != nil {
		t.Error(err)
	}
	if _, err := m.Take(background, parted.TakeInput{}); tensor.CodeOf(err) != tensor.OutOfRange {
		t.Errorf("a closed, empty queue gives %v, want OutOfRange", err)
	}
}
