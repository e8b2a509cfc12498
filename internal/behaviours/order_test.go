//go:build emitted

package behaviours

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/graphc/graphc/internal/behaviours/model"
	"github.com/graphc/graphc/internal/behaviours/spread"
	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/tensor"
	"github.com/graphc/graphc/rt/trace"
)

// together calls f in n goroutines at once.
func together(n int, f func(i int)) {
	var wg sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		wg.Go(func() {
			<-start
			f(i)
		})
	}
	close(start)
	wg.Wait()
}

// waiting starts a run that waits to take from an empty queue. It returns a channel with the run's
// error.
func waiting(ctx context.Context, m *model.Model) chan error {
	done := make(chan error, 1)
	in := make(chan struct{})
	ctx = rt.WithRun(ctx, rt.Observe(begun(in)))
	go func() {
		_, err := m.Take(ctx, model.TakeInput{})
		done <- err
	}()
	<-in
	return done
}

// begun is a hook that closes a channel at the first step of the first run.
type begun chan struct{}

func (b begun) Begin(context.Context, *rt.Info) rt.Observer { return b }
func (b begun) Step(i int) {
	if i == 0 {
		close(b)
	}
}
func (b begun) Grown(int, int)    {}
func (b begun) Fork() rt.Observer { return nil }
func (b begun) End(error)         {}

// soon waits for the end of a run and returns the error of the run. It fails the test if the run
// does not end within ten seconds.
func soon(t *testing.T, done chan error) error {
	t.Helper()
	select {
	case err := <-done:
		return err
	case <-time.After(10 * time.Second):
		t.Fatal("the run does not end")
		return nil
	}
}

const over = "session has been closed"

// TestConcurrent checks behaviours of concurrent runs, of timeouts and of cancellation.
func TestConcurrent(t *testing.T) {
	showAll(t, []show{
		{"many_threads_one_session", func(t *testing.T, m *model.Model) {
			together(10, func(i int) {
				for k := range 100 {
					n := 1 + (i+k)%5
					in := tensor.Of[float32]{Shape: []int{n, 2}, Data: make([]float32, 2*n)}
					want := tensor.Of[float32]{Shape: []int{n, 2}, Data: make([]float32, 2*n)}
					for j := range in.Data {
						in.Data[j], want.Data[j] = float32(1000*i+k+j), float32(2*(1000*i+k+j))
					}
					out, err := m.Double(t.Context(), model.DoubleInput{Rows: in})
					same(t, fmt.Sprintf("run %d of %d", k, i), out.Doubled, err, want)
				}
			})
		}},
		{"many_threads_first_run", func(t *testing.T, _ *model.Model) {
			for range 20 {
				m := open(t, rt.WithConcurrency(3))
				together(10, func(int) {
					out, err := m.Target(t.Context(), model.TargetInput{X: ones})
					same(t, "y", out.Y, err, five)
				})
				if n := hits(t, m); n != 10 {
					t.Errorf("the target has run %d times", n)
				}
				must(t, m.Close())
			}
		}},
		{"variable_updates", func(t *testing.T, m *model.Model) {
			together(100, func(int) {
				if _, err := m.AddLocked(t.Context(), model.AddLockedInput{}); err != nil {
					t.Error(err)
				}
			})
			out, err := m.Count(t.Context(), model.CountInput{})
			same(t, "count", out.Count, err, vector[int32](100, 100, 100))
		}},
		{"variable_updates_unlocked", func(t *testing.T, m *model.Model) {
			together(100, func(int) {
				if _, err := m.AddUnlocked(t.Context(), model.AddUnlockedInput{}); err != nil {
					t.Error(err)
				}
			})
			out, err := m.Count(t.Context(), model.CountInput{})
			same(t, "count", out.Count, err, vector[int32](100, 100, 100))
		}},
		{"close_while_running", func(t *testing.T, _ *model.Model) {
			for i := range 20 {
				m := open(t)
				together(4, func(g int) {
					if g == 0 {
						time.Sleep(time.Duration(i*50) * time.Microsecond)
						_ = m.Close()
						return
					}
					for {
						if _, err := m.Target(t.Context(), model.TargetInput{X: ones}); err != nil {
							refused(t, "a run", err, tensor.Cancelled, over)
							return
						}
					}
				})
			}
		}},
		{"timeout_run_option", func(t *testing.T, m *model.Model) {
			_, err := m.Take(rt.WithRun(t.Context(), rt.Timeout(20*time.Millisecond)), model.TakeInput{})
			refused(t, "a run's time", err, tensor.DeadlineExceeded)
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
			defer cancel()
			_, err = m.Take(ctx, model.TakeInput{})
			refused(t, "the caller's", err, tensor.DeadlineExceeded)
			must(t, m.Close())
		}},
		{"timeout_session_config", func(t *testing.T, _ *model.Model) {
			m := open(t, rt.WithTimeout(20*time.Millisecond))
			_, err := m.Take(t.Context(), model.TakeInput{})
			refused(t, "an instance's time", err, tensor.DeadlineExceeded)
		}},
		{"timeout_short_steps", func(t *testing.T, _ *model.Model) {
			m := open(t, rt.WithTimeout(time.Minute))
			ctx := rt.WithRun(t.Context(), rt.Timeout(time.Hour))
			for i := range 2000 {
				c := t.Context()
				if i%2 == 0 {
					c = ctx
				}
				out, err := m.Target(c, model.TargetInput{X: ones})
				same(t, "y", out.Y, err, five)
			}
		}},
		{"timeout_waits_for_kernel", func(t *testing.T, m *model.Model) {
			before := runtime.NumGoroutine()
			for range 5 {
				_, err := m.Take(rt.WithRun(t.Context(), rt.Timeout(time.Millisecond)), model.TakeInput{})
				refused(t, "a run", err, tensor.DeadlineExceeded)
			}
			// Put an element into the queue. If the cancelled kernel were still running, it would
			// take this element.
			_, err := m.Put(t.Context(), model.PutInput{Value: scalar(int64(7))})
			must(t, err)
			time.Sleep(2 * time.Millisecond)
			left, err := m.Waiting(t.Context(), model.WaitingInput{})
			same(t, "what is left", left.Size, err, scalar(int32(1)))
			settles(t, before)
		}},
		{"cancel_context", func(t *testing.T, m *model.Model) {
			ctx, cancel := context.WithCancel(t.Context())
			done := waiting(ctx, m)
			cancel()
			err := soon(t, done)
			refused(t, "a run", err, tensor.Cancelled)
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%#v is not the context's", err)
			}
			out, err := m.Target(t.Context(), model.TargetInput{X: ones})
			same(t, "the next", out.Y, err, five)
		}},
		{"use_after_close", func(t *testing.T, m *model.Model) {
			must(t, m.Close())
			_, err := m.Target(t.Context(), model.TargetInput{X: ones})
			refused(t, "a run", err, tensor.Cancelled, over)
			_, err = m.Run(t.Context(), "hits", nil)
			refused(t, "Run", err, tensor.Cancelled, over)
		}},
		{"callable_released", func(t *testing.T, m *model.Model) {
			must(t, m.Close())
			_, err := m.Target(t.Context(), model.TargetInput{X: ones})
			refused(t, "what is closed", err, tensor.Cancelled, over)
			_, err = new(model.Model).Target(t.Context(), model.TargetInput{X: ones})
			refused(t, "what never was", err, tensor.FailedPrecondition, "New was not called")
		}},
		{"run_before_create", func(t *testing.T, _ *model.Model) {
			var zero model.Model
			_, err := zero.Hits(t.Context(), model.HitsInput{})
			refused(t, "a run", err, tensor.FailedPrecondition, "New was not called")
			must(t, zero.Close())
		}},
		{"close_twice", func(t *testing.T, m *model.Model) {
			together(3, func(int) {
				if err := m.Close(); err != nil {
					t.Error(err)
				}
			})
			must(t, m.Close())
		}},
		{"close_cancels_run", func(t *testing.T, m *model.Model) {
			done := waiting(t.Context(), m)
			must(t, m.Close())
			refused(t, "a run", soon(t, done), tensor.Cancelled, over)
			m = open(t)
			b, err := m.Bind("take", nil)
			must(t, err)
			call := make(chan error, 1)
			go func() { call <- b.Run(t.Context()) }()
			time.Sleep(time.Millisecond)
			must(t, m.Close())
			refused(t, "a call", soon(t, call), tensor.Cancelled, over)
		}},
		{"reset_containers", func(t *testing.T, m *model.Model) {
			other := open(t)
			_, err := m.Op(t.Context(), model.OpInput{})
			must(t, err)
			done := waiting(t.Context(), m)
			must(t, m.Reset())
			refused(t, "a run", soon(t, done), tensor.Cancelled, over)
			_, err = m.Hits(t.Context(), model.HitsInput{})
			refused(t, "a later run", err, tensor.Cancelled, over)
			if n := hits(t, other); n != 0 {
				t.Errorf("another instance has %d", n)
			}
		}},
		{"handle_keep", func(t *testing.T, m *model.Model) {
			var handles []tensor.Of[string]
			for i := range 3 {
				out, err := m.Keep(t.Context(), model.KeepInput{V: vector(1, 2, 3, float32(i))})
				must(t, err)
				handles = append(handles, out.Handle)
			}
			for i, h := range handles {
				for range 2 {
					out, err := m.Kept(t.Context(), model.KeptInput{Handle: h})
					same(t, "kept", out.Value, err, vector(1, 4, 9, float32(i*i)))
				}
			}
		}},
		{"handle_delete", func(t *testing.T, m *model.Model) {
			out, err := m.Keep(t.Context(), model.KeepInput{V: vector[float32](1, 2, 3, 4)})
			must(t, err)
			_, err = m.Forget(t.Context(), model.ForgetInput(out))
			must(t, err)
			_, err = m.Kept(t.Context(), model.KeptInput(out))
			refused(t, "a deleted handle", err, tensor.InvalidArgument, out.Handle.Data[0], "not in the session store")
			_, err = m.Forget(t.Context(), model.ForgetInput(out))
			refused(t, "deleting it again", err, tensor.InvalidArgument)
		}},
		{"handle_other_dtype", func(t *testing.T, m *model.Model) {
			out, err := m.Keep(t.Context(), model.KeepInput{V: vector[float32](1, 2, 3, 4)})
			must(t, err)
			_, err = m.KeptInt(t.Context(), model.KeptIntInput(out))
			refused(t, "another type", err, tensor.InvalidArgument)
			ints, err := m.KeepInt(t.Context(), model.KeepIntInput{V: vector[float32](1, 2, 3, 4)})
			must(t, err)
			kept, err := m.KeptInt(t.Context(), model.KeptIntInput(ints))
			same(t, "its own", kept.Value, err, vector[int32](1, 2, 3, 4))
		}},
		{"handle_dies_with_session", func(t *testing.T, m *model.Model) {
			out, err := m.Keep(t.Context(), model.KeepInput{V: vector[float32](1, 2, 3, 4)})
			must(t, err)
			must(t, m.Close())
			_, err = m.Kept(t.Context(), model.KeptInput(out))
			refused(t, "a closed instance", err, tensor.Cancelled, over)
			_, err = open(t).Kept(t.Context(), model.KeptInput(out))
			refused(t, "another instance", err, tensor.InvalidArgument, "not in the session store")
		}},
		{"callable_metadata", func(t *testing.T, m *model.Model) {
			b, err := m.Bind("target", feeds(m.Signatures()[0], 0))
			must(t, err)
			tr := trace.New()
			must(t, b.Run(rt.WithRun(t.Context(), rt.Observe(tr), rt.Timeout(time.Minute))))
			if r := tr.Runs(); len(r) != 1 || r[0].Signature != "target" || len(r[0].Steps) == 0 {
				t.Errorf("%+v", r)
			}
		}},
		{"trace_off", func(t *testing.T, m *model.Model) {
			tr := trace.New()
			_, err := m.Target(rt.WithRun(t.Context(), rt.Observe(tr)), model.TargetInput{X: ones})
			must(t, err)
			_, err = m.Target(t.Context(), model.TargetInput{X: ones})
			must(t, err)
			if n := len(tr.Runs()); n != 1 {
				t.Errorf("%d runs are recorded", n)
			}
		}},
		{"numeric_stats", func(t *testing.T, m *model.Model) {
			tr := trace.New()
			_, err := m.Order(rt.WithRun(t.Context(), rt.Observe(tr)), model.OrderInput{Gate: scalar(true)})
			must(t, err)
			r := tr.Runs()[0]
			last := r.Start
			for i, s := range r.Steps {
				if r.Start <= 0 || s.Start < last || s.End < s.Start || s.End > r.End {
					t.Errorf("step %d is from %v to %v in a run from %v to %v", i, s.Start, s.End, r.Start, r.End)
				}
				last = s.Start
			}
			if len(r.Steps) < 4 {
				t.Errorf("%d steps", len(r.Steps))
			}
		}},
	})
}

// settles waits until at most n goroutines are left.
func settles(t *testing.T, n int) {
	t.Helper()
	for i := 0; runtime.NumGoroutine() > n; i++ {
		if i == 100 {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), n)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// TestExecutor checks behaviours of interacting nodes.
func TestExecutor(t *testing.T) {
	showAll(t, []show{
		{"add_chain", func(t *testing.T, m *model.Model) {
			out, err := m.Chain(t.Context(), model.ChainInput{V: vector[float32](1, -2, 0, 0.5)})
			same(t, "ten times twice", out.Chain, err, vector[float32](1024, -2048, 0, 512))
		}},
		{"switch_live_dead", func(t *testing.T, m *model.Model) {
			v := vector[float32](0, 0, 0, 0)
			for i, live := range []bool{true, false, false} {
				out, err := m.Branch(t.Context(), model.BranchInput{V: v, Live: scalar(live)})
				want := vector[float32](1, 1, 1, 1)
				if !live {
					want = v
				}
				same(t, "merged", out.Merged, err, want)
				sides, err := m.Sides(t.Context(), model.SidesInput{})
				same(t, "what has run", sides.Sides, err, vector(int32(i), 1))
			}
		}},
		{"empty_output", func(t *testing.T, m *model.Model) {
			out, err := m.Empty(t.Context(), model.EmptyInput{Flat: vector[float32](-1, -2)})
			same(t, "nothing is positive", out.Positive, err, vector[float32]())
			same(t, "nothing is taken", out.None, err, vector[float32]())
			same(t, "with nothing", out.Same, err, vector[float32](-1, -2))
			out, err = m.Empty(t.Context(), model.EmptyInput{Flat: vector[float32]()})
			same(t, "of nothing", out.Same, err, vector[float32]())
		}},
		{"control_from_special", func(t *testing.T, m *model.Model) {
			for _, gate := range []bool{true, false} {
				out, err := m.Order(t.Context(), model.OrderInput{Gate: scalar(gate)})
				same(t, "read after the constant and the no-op, before what comes back", out.Sum, err, scalar(int64(7)))
			}
		}},
	})
}

// TestDevices checks behaviours of a program on three devices.
func TestDevices(t *testing.T) {
	for _, s := range []struct {
		name string
		f    func(t *testing.T, m *spread.Model)
	}{
		{"feeds_fetches_on_cpu", func(t *testing.T, m *spread.Model) {
			in := spread.ComputeInput{X: matrix[float32](1, 2, 1, -1), S: vector("a\x00", "b")}
			out, err := m.Compute(t.Context(), in)
			same(t, "w", out.W, err, matrix[float32](1, 2, -2, -2))
			same(t, "z", out.Z, err, matrix[float32](1, 2, 0, 0))
			same(t, "ss", out.Ss, err, vector("a\x00a\x00", "bb"))
			out.Z.Data[0], in.X.Data[0] = 9, 2
			again, err := m.Compute(t.Context(), in)
			same(t, "w, the feed changed", again.W, err, matrix[float32](1, 2, -1, 0))
		}},
		{"switch_live_dead", func(t *testing.T, m *spread.Model) {
			for i, live := range []bool{true, false, true} {
				out, err := m.Branch(t.Context(), spread.BranchInput{X: matrix[float32](1, 2, 0, 0), Live: scalar(live)})
				want := matrix[float32](1, 2, 1, 1)
				if !live {
					want = matrix[float32](1, 2, 0, 0)
				}
				same(t, "merged", out.Merged, err, want)
				sides, err := m.Sides(t.Context(), spread.SidesInput{})
				same(t, "what has run", sides.Sides, err, vector(int32((i+1)/2), int32(1+i/2)))
			}
		}},
		{"abort", func(t *testing.T, m *spread.Model) {
			before := runtime.NumGoroutine()
			done := make(chan error, 1)
			go func() {
				_, err := m.Both(t.Context(), spread.BothInput{Index: scalar(int32(3))})
				done <- err
			}()
			refused(t, "a part fails while another waits", soon(t, done), tensor.InvalidArgument, `node "pick" (GatherV2)`)
			settles(t, before)
			_, err := m.CloseQueue(t.Context(), spread.CloseQueueInput{})
			must(t, err)
			_, err = m.Both(t.Context(), spread.BothInput{Index: scalar(int32(1))})
			refused(t, "the next run has an error of its own", err, tensor.OutOfRange, "got")
		}},
		{"trace", func(t *testing.T, m *spread.Model) {
			tr := trace.New()
			_, err := m.Compute(rt.WithRun(t.Context(), rt.Observe(tr)), spread.ComputeInput{X: matrix[float32](1, 2, 1, -1), S: vector("a")})
			must(t, err)
			devices := map[string]int{}
			for _, r := range tr.Runs() {
				for _, s := range r.Steps {
					if s.End < s.Start || s.Start < r.Start || s.End > r.End {
						t.Errorf("%+v in a run from %v to %v", s, r.Start, r.End)
					}
				}
				devices[r.Device] += len(r.Steps)
			}
			for i := range 3 {
				if d := fmt.Sprintf("/job:localhost/replica:0/task:0/device:CPU:%d", i); devices[d] == 0 {
					t.Errorf("no step of %s is recorded: %v", d, devices)
				}
			}
		}},
	} {
		t.Run(s.name, func(t *testing.T) {
			m, err := spread.New()
			must(t, err)
			t.Cleanup(func() { _ = m.Close() })
			s.f(t, m)
		})
	}
}
