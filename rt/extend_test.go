package rt

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// TestExtend: an option of another package gets the value that earlier options left. Open returns
// the option's error.
func TestExtend(t *testing.T) {
	type key struct{}
	add := func(n int) Option {
		return Extend(key{}, func(have any) (any, error) {
			if n < 0 {
				return nil, tensor.Errorf(tensor.InvalidArgument, "negative")
			}
			list, _ := have.([]int)
			return append(list, n), nil
		})
	}
	b, err := Open(nil, add(1), add(2))
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if got, _ := b.Extension(key{}).([]int); !slices.Equal(got, []int{1, 2}) {
		t.Errorf("%v", got)
	}
	if b.Extension("other") != nil {
		t.Error("there is a value without an option")
	}
	if _, err := Open(nil, add(-1)); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Errorf("%v", err)
	}
}

type closer struct{ closed *int }

func (c closer) Close() error { *c.closed++; return nil }

// TestOwn: the value of each key is created once for an instance, and closed when the instance is
// closed.
func TestOwn(t *testing.T) {
	b, err := Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	made, closed := 0, 0
	open := func() (io.Closer, error) { made++; return closer{&closed}, nil }
	for _, key := range []int{1, 2, 1} {
		if _, err := b.Own(key, open); err != nil {
			t.Error(err)
		}
	}
	bad := errors.New("bad")
	if c, err := b.Own(3, func() (io.Closer, error) { return nil, bad }); c != nil || err != bad {
		t.Errorf("%v, %v", c, err)
	}
	b.Close()
	b.Close()
	if made != 2 || closed != 2 {
		t.Errorf("%d are made and %d closed", made, closed)
	}
}

// TestSlots: WithConcurrency bounds the runs in progress. Close waits for them and then releases
// the memory.
func TestSlots(t *testing.T) {
	b, err := Open(nil, WithConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	dropped := make(chan bool, 1)
	slots := b.Slots(func() { dropped <- true })
	ctx := context.Background()
	if err := b.Claim(ctx, slots); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if err := b.Claim(ended, slots); err != context.Canceled {
		t.Errorf("a second run: %v", err)
	}
	closed := make(chan bool)
	go func() { b.Close(); close(closed) }()
	for b.Err() == nil {
		// wait until Close has begun
	}
	if err := b.Claim(ctx, slots); tensor.CodeOf(err) != tensor.Cancelled {
		t.Errorf("a run while the instance closes: %v", err)
	}
	if len(dropped) != 0 {
		t.Error("memory is released during a run")
	}
	<-slots
	<-closed
	if len(dropped) != 1 {
		t.Error("memory is kept")
	}
	if err := (*Base)(nil).Claim(ctx, slots); tensor.CodeOf(err) != tensor.FailedPrecondition {
		t.Errorf("a model that New has not made: %v", err)
	}
}
