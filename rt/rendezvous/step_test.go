package rendezvous

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/graphc/graphc/rt/tensor"
)

// TestStep: a step can receive messages that an earlier step sent, and partitions of one step may
// wait for each other.
func TestStep(t *testing.T) {
	none(t)
	for _, threads := range []int{0, 1, 2} {
		x := NewExchange(4, 4)
		var got [3]int64
		recv := func(slot int, v *int64) error {
			d := make([]int64, 1)
			err := RecvI64(d, x, slot)
			*v = d[0]
			return err
		}
		ctx, cancel := context.WithCancel(context.Background())
		g := NewGroup(x, []func() error{
			func() error { return errors.Join(SendI64(x, 0, []int64{7}), SendI64(x, 1, []int64{8})) },
			func() error { return errors.Join(recv(3, &got[0]), SendI64(x, 2, []int64{got[0] + 1})) },
			func() error { return errors.Join(recv(0, &got[1]), SendI64(x, 3, []int64{got[1] + 10})) },
			func() error { return errors.Join(recv(1, &got[2]), recv(2, &got[2])) },
		})
		for k, which := range [][]int{{0}, {}, {1, 2}, {3}} {
			c := context.Context(ctx)
			if k > 1 {
				c = x.Begin(ctx)
			}
			if err := g.Step(c, threads, which); err != nil {
				t.Errorf("step %d: %v", k, err)
			}
		}
		if got != [3]int64{17, 7, 18} {
			t.Errorf("received %v", got)
		}
		cancel()
		if err := g.Step(ctx, threads, []int{0}); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
		x.Renew()
	}
}

// TestStepFails: the first error ends the step, and later steps fail.
func TestStepFails(t *testing.T) {
	none(t)
	x := NewExchange(1, 3)
	bad := tensor.Errorf(tensor.InvalidArgument, "bad")
	g := NewGroup(x, []func() error{
		func() error { return RecvI64(make([]int64, 1), x, 0) },
		func() error { return bad },
		func() error { return nil },
	})
	var e *PartError
	if err := g.Step(t.Context(), 0, []int{0, 1}); !errors.As(err, &e) || e.Part != 1 || e.Err != error(bad) {
		t.Errorf("%v", err)
	}
	if err := g.Step(t.Context(), 0, []int{2}); !errors.As(err, &e) || e.Part != 1 {
		t.Errorf("afterwards: %v", err)
	}
	x.Renew()
	// A partition does not wait forever for a message that is never sent. It also stops waiting when
	// its context ends.
	if err := g.Step(t.Context(), 0, []int{0, 2}); tensor.CodeOf(err) != tensor.Internal {
		t.Errorf("%v", err)
	}
	x.Renew()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	g = NewGroup(x, []func() error{
		func() error { return RecvI64(make([]int64, 1), x, 0) },
		func() error { <-ctx.Done(); time.Sleep(20 * time.Millisecond); return nil },
	})
	if err := g.Step(x.Begin(ctx), 0, []int{0, 1}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}
