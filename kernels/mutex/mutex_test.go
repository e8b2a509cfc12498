package mutex

import (
	"context"
	"testing"
	"time"

	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

func TestMutex(t *testing.T) {
	m := []tensor.Handle{resource.NewMutex("m")}
	lock, other := make([]tensor.Handle, 1), make([]tensor.Handle, 1)
	ctx := context.Background()
	if err := Lock(ctx, lock, m); err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(ctx, 5*time.Millisecond)
	defer cancel()
	if err := Lock(short, other, m); err != context.DeadlineExceeded {
		t.Errorf("a held mutex: %v", err)
	}
	if err := Pass(short, m); err != context.DeadlineExceeded {
		t.Errorf("a held mutex is passed: %v", err)
	}
	done := make(chan error)
	go func() { done <- Lock(ctx, other, m) }()
	if err := Consume(lock); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if err := Consume(lock); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Errorf("consumed twice: %v", err)
	}
	other[0].V.(*resource.MutexLock).EndRun() // a failed run ends without consuming the lock
	if err := Pass(ctx, m); err != nil {
		t.Error(err)
	}
	if err := Consume(other); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Errorf("consumed after its run: %v", err)
	}
	for _, h := range [][]tensor.Handle{nil, {{}}, {{V: 1}}} {
		if err := Consume(h); tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("%v is consumed: %v", h, err)
		}
	}
	if err := Lock(ctx, lock, []tensor.Handle{{V: 1}}); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Errorf("no mutex: %v", err)
	}
	if err := Pass(ctx, []tensor.Handle{{}}); tensor.CodeOf(err) != tensor.NotFound {
		t.Errorf("no handle: %v", err)
	}
}

// places is a context that counts the calls of Away and Back. A kernel calls Away before it begins
// to wait, so that other work can run meanwhile, and it calls Back when it has finished waiting.
type places struct {
	context.Context
	away, back int
}

func (p *places) Away() { p.away++ }
func (p *places) Back() { p.back++ }

func TestAway(t *testing.T) {
	m := []tensor.Handle{resource.NewMutex("m")}
	lock := make([]tensor.Handle, 1)
	if err := Lock(context.Background(), lock, m); err != nil {
		t.Fatal(err)
	}
	p := &places{Context: context.Background()}
	go func() {
		time.Sleep(5 * time.Millisecond)
		lock[0].V.(*resource.MutexLock).Release()
	}()
	if err := Pass(p, m); err != nil || p.away != 1 || p.back != 1 {
		t.Error(err, p.away, p.back)
	}
}
