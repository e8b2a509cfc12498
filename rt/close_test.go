package rt

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/graphc/graphc/rt/tensor"
)

// runIn calls f with a state of p, as a run does.
func runIn(ctx context.Context, p *Pool[dims, found, input, vars, struct{}], f func(s *state) error) (err error) {
	s, err := p.Get(ctx, dims{1})
	if err != nil {
		return err
	}
	defer p.Put(s, &err)
	s.At(1)
	return f(s)
}

// The function named waits returns a kernel. The kernel waits until the context of its run ends,
// and then takes the time given by the parameter after. Finally it sets *ended, if ended is not
// nil.
func waits(after time.Duration, ended *bool) func(s *state) error {
	return func(s *state) error {
		<-s.Context().Done()
		time.Sleep(after)
		if ended != nil {
			*ended = true
		}
		return s.Context().Err()
	}
}

// spins loops until its run is canceled. It checks for cancellation in each iteration.
func spins(s *state) error {
	for {
		if err := s.Canceled(); err != nil {
			return err
		}
		runtime.Gosched()
	}
}

func TestClose(t *testing.T) {
	cancellable, cancel := context.WithCancel(context.Background())
	defer cancel()
	for name, ctx := range map[string]context.Context{"background": context.Background(), "cancellable": cancellable,
		"options": WithRun(context.Background(), Timeout(time.Hour), Threads(1))} {
		p := newPool(t, WithConcurrency(3))
		var kernel, wait bool
		var mu sync.Mutex
		errs := map[string]error{}
		var under, all sync.WaitGroup
		start := func(what string, f func(s *state) error) {
			under.Add(1)
			all.Go(func() {
				err := runIn(ctx, p, func(s *state) error {
					under.Done()
					return f(s)
				})
				mu.Lock()
				errs[what] = err
				mu.Unlock()
			})
		}
		start("a kernel that waits", waits(20*time.Millisecond, &kernel))
		start("one that says so in its own words", func(s *state) error {
			if err := waits(0, &wait)(s); err == nil {
				t.Error("the context has no error")
			}
			return tensor.Errorf(tensor.Cancelled, "Dequeue operation was cancelled")
		})
		start("a loop", spins)
		under.Wait()
		all.Go(func() {
			err := runIn(ctx, p, func(*state) error { return nil })
			mu.Lock()
			errs["a run that waits for its turn"] = err
			mu.Unlock()
		})
		time.Sleep(5 * time.Millisecond)
		if err := p.base.Close(); err != nil {
			t.Error(err)
		}
		if !kernel || !wait {
			t.Errorf("%s: Close returns while kernels are running", name)
		}
		all.Wait()
		errs["a later run"] = runIn(ctx, p, func(*state) error { return nil })
		errs["saving"] = p.base.Within(func() error { return nil })
		for what, err := range errs {
			if tensor.CodeOf(err) != tensor.Cancelled || err.Error() != "Cancelled: session has been closed" {
				t.Errorf("%s: %s ends with %v", name, what, err)
			}
		}
		if len(errs) != 6 {
			t.Errorf("%d runs have ended", len(errs))
		}
		if err := p.base.Close(); err != nil {
			t.Errorf("a second Close: %v", err)
		}
	}
}

// TestCloseOfSeveral: closing an instance stops the runs of all its signatures, but does not affect
// other instances.
func TestCloseOfSeveral(t *testing.T) {
	a, b := newPool(t), newPool(t)
	var second Pool[dims, found, input, vars, struct{}]
	second.Init(a.base, testCode(), nil)
	second.Share(a.Slots())
	done := make(chan error)
	// Two runs of one instance are in progress while two goroutines close this instance.
	for range 2 {
		go func() { done <- runIn(context.Background(), &second, waits(0, nil)) }()
	}
	time.Sleep(time.Millisecond)
	go func() { done <- a.base.Close() }()
	go func() { done <- a.base.Close() }()
	for range 4 {
		if err := <-done; err != nil && err != errClosed {
			t.Error(err)
		}
	}
	if err := runIn(context.Background(), b, func(*state) error { return nil }); err != nil {
		t.Errorf("another instance: %v", err)
	}
	b.base.Close()
}

// TestZeroValue: a model that New did not make returns errors and does not crash.
func TestZeroValue(t *testing.T) {
	var p Pool[dims, found, input, vars, struct{}]
	var b *Base
	for what, err := range map[string]error{
		"a run":  runIn(context.Background(), &p, func(*state) error { return nil }),
		"Reset":  b.Reset(nil, nil),
		"saving": b.Within(func() error { return nil }),
	} {
		if tensor.CodeOf(err) != tensor.FailedPrecondition || !strings.Contains(err.Error(), "New was not called") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := b.Close(); err != nil || b.Tensor(tensor.Float32, 0, 1) != nil || b.Text(0) != nil {
		t.Errorf("Close: %v", err)
	}
}

func TestReset(t *testing.T) {
	for _, c := range []struct {
		containers []string
		want       string
	}{{nil, "ab"}, {[]string{"b"}, "b"}, {[]string{"", "c"}, ""}} {
		p := newPool(t)
		got := ""
		done := make(chan error)
		go func() { done <- runIn(context.Background(), p, waits(0, nil)) }()
		time.Sleep(time.Millisecond)
		if err := p.base.Reset(c.containers, func(named func(string) bool) {
			for _, x := range []string{"a", "b"} {
				if named(x) {
					got += x
				}
			}
		}); err != nil || got != c.want {
			t.Errorf("Reset(%q) drops %q, %v, want %q", c.containers, got, err, c.want)
		}
		if err := <-done; err != errClosed {
			t.Errorf("a current run ends with %v", err)
		}
	}
}

func TestTimeout(t *testing.T) {
	const short = 5 * time.Millisecond
	background := context.Background()
	for _, c := range []struct {
		name string
		opts []Option
		ctx  context.Context
		ends bool
	}{
		{"instance", []Option{WithTimeout(short)}, background, true},
		{"run", nil, WithRun(background, Timeout(short)), true},
		{"a run's goes before the instance's", []Option{WithTimeout(time.Hour)}, WithRun(background, Timeout(short)), true},
		{"none for a run", []Option{WithTimeout(short)}, WithRun(background, Timeout(0)), false},
		{"the last one counts", nil, WithRun(WithRun(background, Timeout(short)), Timeout(time.Hour)), false},
	} {
		p := newPool(t, append(c.opts, WithConcurrency(1))...)
		for what, f := range map[string]func(s *state) error{"kernel": waits(15*time.Millisecond, nil), "loop": spins} {
			begin, want := time.Now(), context.DeadlineExceeded
			ctx, cancel := context.WithCancel(c.ctx)
			// If the run has no deadline, the caller cancels it, after a time longer than the
			// deadline in the other cases.
			if !c.ends {
				want = context.Canceled
				time.AfterFunc(10*short, cancel)
			}
			err := runIn(ctx, p, f)
			cancel()
			took := time.Since(begin)
			if !errors.Is(err, want) || c.ends && tensor.CodeOf(err) != tensor.DeadlineExceeded {
				t.Errorf("%s, %s: %v, want %v", c.name, what, err, want)
			}
			if what == "kernel" && took < 15*time.Millisecond {
				t.Errorf("%s: the run returns after %v, before its kernel", c.name, took)
			}
			if err := runIn(background, p, func(s *state) error { return s.Canceled() }); err != nil {
				t.Errorf("%s: the next run ends with %v", c.name, err)
			}
		}
		p.base.Close()
	}
	// The time that a run waits for a slot counts toward its timeout.
	p := newPool(t, WithConcurrency(1), WithTimeout(short))
	s, err := p.Get(WithRun(background, Timeout(0)), dims{1})
	if err != nil {
		t.Fatal(err)
	}
	if err := runIn(background, p, func(*state) error { return nil }); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a run that waits for its turn ends with %v", err)
	}
	p.Put(s, new(error))
	p = newPool(t, WithConcurrency(1), WithTimeout(time.Second))
	// Several runs together may take longer than the timeout, which applies to each run.
	for begin := time.Now(); time.Since(begin) < 1100*time.Millisecond; {
		if err := runIn(background, p, func(s *state) error { return s.Canceled() }); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOptionsThatCannotBe(t *testing.T) {
	for name, o := range map[string]Option{"timeout": WithTimeout(-1), "inter": WithInterOp(0), "intra": WithIntraOp(-1), "threads": WithThreads(maxThreads + 1), "pool": WithPool(nil)} {
		if _, err := Open(nil, o); tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("%s: %v", name, err)
		}
	}
	p := newPool(t)
	for name, o := range map[string]RunOption{"timeout": Timeout(-1), "threads": Threads(0), "pool": OnPool(nil)} {
		if err := runIn(WithRun(context.Background(), o), p, func(*state) error { return nil }); tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTell checks that an Aborter passed to Tell is called when the run's deadline passes or the
// instance is closed. If one of these has already happened, Tell calls the Aborter before it
// returns.
func TestTell(t *testing.T) {
	p := newPool(t)
	for _, c := range []struct {
		name string
		opt  RunOption
		want error
	}{{"time", Timeout(5 * time.Millisecond), context.DeadlineExceeded}, {"close", Timeout(time.Hour), errClosed}} {
		told := make(aborted, 2)
		err := runIn(WithRun(context.Background(), c.opt), p, func(s *state) error {
			s.Tell(told)
			if c.want == errClosed {
				go p.base.Close()
			}
			err := <-told
			s.Tell(told)
			if again := <-told; again != err {
				t.Errorf("%s: %v, told again %v", c.name, err, again)
			}
			return err
		})
		if err != c.want {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

type aborted chan error

func (a aborted) Abort(err error) { a <- err }

func (a aborted) Leave()  {}
func (a aborted) Return() {}
