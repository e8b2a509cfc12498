package rt

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/rendezvous"
	"github.com/graphc/graphc/rt/tensor"
)

// twoParts is a signature of which part 1 waits for what part 0 makes.
type twoParts struct {
	pools [2]Pool[dims, found, input, vars]
	parts Parts[dims, input, input]
	first func(s *state) error
}

func newParts(t *testing.T, first func(s *state) error, opts ...Option) *twoParts {
	t.Helper()
	b, err := Open(nil, append(opts, WithConcurrency(2))...)
	if err != nil {
		t.Fatal(err)
	}
	m := &twoParts{first: first}
	part := func(k int, f func(s *state, x *rendezvous.Exchange) error) func(*Turn[dims, input, input]) error {
		m.pools[k].Init(b, &Code[dims]{Steps: []string{"a\x00Relu"}, Device: []string{"cpu:0", "cpu:1"}[k]}, nil)
		return func(t *Turn[dims, input, input]) (err error) {
			s, err := m.pools[k].Get(t.Context, t.Dims)
			if err != nil {
				return err
			}
			defer m.pools[k].Put(s, &err)
			s.Tell(t.Exchange)
			s.At(0)
			return f(s, t.Exchange)
		}
	}
	m.parts.Init(b, 1, []device.Device{device.CPU(0), device.CPU(1)}, part(0, func(s *state, x *rendezvous.Exchange) error {
		if err := m.first(s); err != nil {
			return err
		}
		return rendezvous.Signal(x, 0)
	}), part(1, func(_ *state, x *rendezvous.Exchange) error { return rendezvous.Wait(x, 0) }))
	return m
}

func (m *twoParts) run(ctx context.Context) error {
	return m.parts.Run(ctx, dims{}, &input{}, &input{})
}

// TestParts: parts end together with the time of their run and with their instance,
// and nothing of them stays.
func TestParts(t *testing.T) {
	before := runtime.NumGoroutine()
	background := context.Background()
	for _, c := range []struct {
		name  string
		first func(s *state) error
		opts  []Option
		ctx   context.Context
		close bool
		want  tensor.Code
	}{
		{"as a whole", func(*state) error { return nil }, nil, background, false, tensor.OK},
		{"one at a time", func(*state) error { return nil }, nil, WithRun(background, Threads(1)), false, tensor.OK},
		{"a kernel waits when the time is over", waits(0, nil), []Option{WithTimeout(5 * time.Millisecond)}, background, false, tensor.DeadlineExceeded},
		{"a run's time", waits(0, nil), nil, WithRun(background, Timeout(5*time.Millisecond)), false, tensor.DeadlineExceeded},
		{"a kernel waits when the instance is closed", waits(5*time.Millisecond, nil), nil, background, true, tensor.Cancelled},
		{"a loop", spins, []Option{WithThreads(1)}, background, true, tensor.Cancelled},
	} {
		m := newParts(t, c.first, c.opts...)
		done := make(chan error)
		for range 3 { // one waits for its turn
			go func() { done <- m.run(c.ctx) }()
		}
		if c.close {
			time.Sleep(2 * time.Millisecond)
			if err := m.pools[0].base.Close(); err != nil {
				t.Error(err)
			}
		}
		for range 3 {
			if err := <-done; tensor.CodeOf(err) != c.want || c.close && err.Error() != "Cancelled: session has been closed" {
				t.Errorf("%s: %v, want %v", c.name, err, c.want)
			}
		}
		m.pools[0].base.Close()
		if err := m.run(background); tensor.CodeOf(err) != tensor.Cancelled {
			t.Errorf("%s: after Close: %v", c.name, err)
		}
	}
	var zero twoParts
	if err := zero.run(background); tensor.CodeOf(err) != tensor.FailedPrecondition {
		t.Errorf("a zero value: %v", err)
	}
	for i := 0; runtime.NumGoroutine() > before; i++ {
		if i == 100 {
			buf := make([]byte, 1<<16)
			t.Fatalf("%d goroutines, before %d:\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
		}
		time.Sleep(5 * time.Millisecond)
	}
}
