package parts

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/rendezvous"
	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

// dims, found and input stand for the types that emitted code would declare.
type (
	dims  struct{ B int }
	found struct{}
	input struct{ X tensor.Of[float32] }
	state = rt.State[dims, found, input, struct{}, Link]
)

// waits returns a kernel that waits for the end of its run and then continues for some time (the
// parameter after).
func waits(after time.Duration) func(s *state) error {
	return func(s *state) error {
		<-s.Context().Done()
		time.Sleep(after)
		return s.Context().Err()
	}
}

// spins is a loop that checks for cancellation in each iteration.
func spins(s *state) error {
	for {
		if err := s.Canceled(); err != nil {
			return err
		}
		runtime.Gosched()
	}
}

// twoParts is a signature whose part 1 waits for the result of part 0.
type twoParts struct {
	base  *rt.Base
	pools [2]rt.Pool[dims, found, input, struct{}, Link]
	parts Parts[dims, input, input]
	first func(s *state) error
	// second is called in part 1 before this part waits for part 0. It may be nil.
	second func(s *state) error
}

func newParts(t *testing.T, first func(s *state) error, opts ...rt.Option) *twoParts {
	t.Helper()
	b, err := rt.Open(nil, append(opts, rt.WithConcurrency(2))...)
	if err != nil {
		t.Fatal(err)
	}
	m := &twoParts{base: b, first: first}
	part := func(k int, f func(s *state, x *rendezvous.Exchange) error) func(*Turn[dims, input, input]) error {
		m.pools[k].Init(b, &rt.Code[dims]{Steps: []rt.Step{{Node: "a", Op: "Relu"}}, Device: []string{"cpu:0", "cpu:1"}[k]}, nil)
		return func(t *Turn[dims, input, input]) (err error) {
			s, err := m.pools[k].Get(t.Context, t.Dims)
			if err != nil {
				return err
			}
			defer m.pools[k].Put(s, &err)
			s.Tell(t.Exchange)
			s.X.Exchange = t.Exchange
			s.At(0)
			return f(s, t.Exchange)
		}
	}
	m.parts.Init(b, 1, []device.Device{device.CPU(0), device.CPU(1)}, part(0, func(s *state, x *rendezvous.Exchange) error {
		if err := m.first(s); err != nil {
			return err
		}
		return rendezvous.Signal(x, 0)
	}), part(1, func(s *state, x *rendezvous.Exchange) error {
		if m.second != nil {
			if err := m.second(s); err != nil {
				return err
			}
		}
		return rendezvous.Wait(x, 0)
	}))
	return m
}

func (m *twoParts) run(ctx context.Context) error {
	return m.parts.Run(ctx, dims{}, &input{}, &input{})
}

// TestParts: all parts end at the deadline of their run and when the instance is closed, and leave
// no goroutines.
func TestParts(t *testing.T) {
	before := runtime.NumGoroutine()
	background := context.Background()
	for _, c := range []struct {
		name  string
		first func(s *state) error
		opts  []rt.Option
		ctx   context.Context
		close bool
		want  tensor.Code
	}{
		{"as a whole", func(*state) error { return nil }, nil, background, false, tensor.OK},
		{"one at a time", func(*state) error { return nil }, nil, rt.WithRun(background, rt.Threads(1)), false, tensor.OK},
		{"a kernel waits when the time is over", waits(0), []rt.Option{rt.WithTimeout(5 * time.Millisecond)}, background, false, tensor.DeadlineExceeded},
		{"a run's time", waits(0), nil, rt.WithRun(background, rt.Timeout(5*time.Millisecond)), false, tensor.DeadlineExceeded},
		{"a kernel waits when the instance is closed", waits(5 * time.Millisecond), nil, background, true, tensor.Cancelled},
		{"a loop", spins, []rt.Option{rt.WithThreads(1)}, background, true, tensor.Cancelled},
	} {
		m := newParts(t, c.first, c.opts...)
		done := make(chan error)
		for range 3 { // one of the three runs waits, because only two may be in progress
			go func() { done <- m.run(c.ctx) }()
		}
		if c.close {
			time.Sleep(2 * time.Millisecond)
			if err := m.base.Close(); err != nil {
				t.Error(err)
			}
		}
		for range 3 {
			if err := <-done; tensor.CodeOf(err) != c.want || c.close && err.Error() != "Cancelled: session has been closed" {
				t.Errorf("%s: %v, want %v", c.name, err, c.want)
			}
		}
		m.base.Close()
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

// TestPartsWait: a part that waits for room in a queue, or for an element, lets the other part
// compute, even if only one may compute at a time.
func TestPartsWait(t *testing.T) {
	h, err := resource.NewQueue(resource.QueueParams{Kind: resource.FIFO, Capacity: 1}, []int{int(tensor.Int64)}, []int{0}, nil)
	if err != nil {
		t.Fatal(err)
	}
	q, err := resource.QueueOf([]tensor.Handle{h})
	if err != nil {
		t.Fatal(err)
	}
	put := func(s *state) error {
		for i := range 3 {
			if err := q.Enqueue(s.Context(), []*resource.Box{{DType: tensor.Int64, Data: []int64{int64(i)}}}); err != nil {
				return err
			}
		}
		return nil
	}
	take := func(s *state) error {
		for i := range 3 {
			got, err := q.Dequeue(s.Context())
			if err != nil {
				return err
			}
			if v := got[0].Data.([]int64)[0]; v != int64(i) {
				return tensor.Errorf(tensor.Internal, "number %d is %d", i, v)
			}
		}
		return nil
	}
	for _, c := range []struct {
		name          string
		first, second func(s *state) error
	}{{"the first part waits", take, put}, {"the second part waits", put, take}} {
		m := newParts(t, c.first)
		m.second = c.second
		for threads := 1; threads < 3; threads++ {
			for range 50 {
				ctx := rt.WithRun(context.Background(), rt.Threads(threads), rt.Timeout(10*time.Second))
				if err := m.run(ctx); err != nil {
					t.Fatalf("%s, %d threads: %v", c.name, threads, err)
				}
			}
		}
		m.base.Close()
	}
}
