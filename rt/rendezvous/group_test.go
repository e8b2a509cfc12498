package rendezvous

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/graphc/graphc/rt/tensor"
)

// none checks at the end of the test that no goroutines of the test are left. It counts the
// goroutines when it is called and at the end. Goroutines that are about to end get some time.
func none(t *testing.T) {
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		for i := 0; ; i++ {
			n := runtime.NumGoroutine()
			if n <= before {
				return
			}
			if i == 1000 {
				t.Errorf("%d goroutines are left of %d", n, before)
				return
			}
			time.Sleep(time.Millisecond)
		}
	})
}

// lap returns a group of n partitions that pass a number around in a ring. The parameter laps says
// how many times the number goes around. Each partition adds one to the number before it passes it
// on. The last partition stores the final number in *sum.
func lap(n, laps int, sum *int64) *Group {
	x := NewExchange(n, n)
	run := make([]func() error, n)
	for i := range run {
		v := make([]int64, 1)
		run[i] = func() error {
			for lap := range laps {
				if i > 0 || lap > 0 {
					if err := RecvI64(v, x, i); err != nil {
						return err
					}
				} else {
					v[0] = 0
				}
				v[0]++
				if i == n-1 && lap == laps-1 {
					*sum = v[0]
					return nil
				}
				if err := SendI64(x, (i+1)%n, v); err != nil {
					return err
				}
			}
			return nil
		}
	}
	return NewGroup(x, run)
}

// TestGroup passes a token around with various numbers of parts, threads and processors.
func TestGroup(t *testing.T) {
	none(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, procs := range []int{1, 2, 4} {
		runtime.GOMAXPROCS(procs)
		for _, parts := range []int{1, 2, 3, 5} {
			for threads := range parts + 1 {
				var sum int64
				g := lap(parts, 20, &sum)
				if parts == 1 { // there is no other part to send to
					g = NewGroup(NewExchange(0, 1), []func() error{func() error { sum = 20; return nil }})
				}
				for range 10 {
					sum = 0
					if err := g.Run(context.Background(), threads); err != nil || sum != int64(20*parts) {
						t.Fatalf("%d processors, %d parts, %d threads: %d, %v", procs, parts, threads, sum, err)
					}
				}
			}
		}
	}
}

// TestThreads counts how many parts compute at the same time.
func TestThreads(t *testing.T) {
	none(t)
	const parts = 4
	for threads := 1; threads <= parts; threads++ {
		x := NewExchange(parts*parts, parts)
		var now, most atomic.Int32
		run := make([]func() error, parts)
		compute := func() {
			n := now.Add(1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			time.Sleep(50 * time.Microsecond)
			now.Add(-1)
		}
		for i := range run {
			run[i] = func() error {
				for range 5 {
					compute()
					for j := range parts {
						if j != i {
							_ = Signal(x, i*parts+j)
						}
					}
					for j := range parts {
						if j != i {
							if err := Wait(x, j*parts+i); err != nil {
								return err
							}
						}
					}
				}
				return nil
			}
		}
		if err := NewGroup(x, run).Run(context.Background(), threads); err != nil {
			t.Fatal(err)
		}
		if m := int(most.Load()); m > threads || threads > 1 && m < 2 {
			t.Errorf("%d of %d parts compute at the same time", m, threads)
		}
	}
}

// TestLeave: only one part may compute at a time, and the two parts wait for each other on a channel.
// The run ends because a part that has called Leave does not count as computing.
func TestLeave(t *testing.T) {
	none(t)
	x := NewExchange(0, 2)
	c := make(chan int)
	g := NewGroup(x, []func() error{
		func() error { x.Leave(); <-c; x.Return(); return nil },
		func() error { x.Leave(); c <- 1; x.Return(); return nil },
	})
	for range 10 {
		if err := g.Run(context.Background(), 1); err != nil {
			t.Fatal(err)
		}
	}
}

func TestErrors(t *testing.T) {
	none(t)
	broken := tensor.AtNode(tensor.Errorf(tensor.InvalidArgument, "broken"), "a/b", "Op")
	for _, c := range []struct {
		name string
		run  func(x *Exchange) []func() error
		code tensor.Code
		part int // -1: none
	}{
		{"one fails, the other waits", func(x *Exchange) []func() error {
			return []func() error{func() error { return Wait(x, 0) }, func() error { return broken }}
		}, tensor.InvalidArgument, 1},
		{"the caller's part fails", func(x *Exchange) []func() error {
			return []func() error{func() error { return broken }, func() error { return Wait(x, 0) }}
		}, tensor.InvalidArgument, 0},
		{"a panic", func(x *Exchange) []func() error {
			return []func() error{func() error { return Wait(x, 0) }, func() error { panic("oh") }}
		}, tensor.Internal, 1},
		{"a fault", func(x *Exchange) []func() error {
			return []func() error{func() error { var v []int; _ = v[len(v)]; return nil }, func() error { return Wait(x, 0) }}
		}, tensor.Internal, 0},
		{"an error raised", func(x *Exchange) []func() error {
			return []func() error{func() error { return Wait(x, 0) }, func() error { panic(tensor.Errorf(tensor.OutOfRange, "far")) }}
		}, tensor.OutOfRange, 1},
		{"the goroutine ends", func(x *Exchange) []func() error {
			return []func() error{func() error { return Wait(x, 0) }, func() error { runtime.Goexit(); return nil }}
		}, tensor.Internal, 1},
		{"the sender is over", func(x *Exchange) []func() error {
			return []func() error{func() error { return Wait(x, 0) }, func() error { time.Sleep(time.Millisecond); return nil }}
		}, tensor.Internal, -1},
		{"both wait", func(x *Exchange) []func() error {
			return []func() error{func() error { return Wait(x, 0) }, func() error { return Wait(x, 1) }}
		}, tensor.Internal, -1},
		{"three wait in a circle", func(x *Exchange) []func() error {
			return []func() error{func() error { return Wait(x, 0) }, func() error { return Wait(x, 1) }, func() error { _ = Signal(x, 2); return Wait(x, 3) }}
		}, tensor.Internal, -1},
	} {
		for threads := range 4 {
			x := NewExchange(4, 2)
			var g *Group
			for i := range 5 {
				if g == nil {
					g = NewGroup(x, c.run(x))
				}
				err := g.Run(context.Background(), threads)
				part := -1
				if pe := (*PartError)(nil); errors.As(err, &pe) {
					part = pe.Part
				}
				if tensor.CodeOf(err) != c.code || part != c.part {
					t.Fatalf("%s, %d threads, run %d: part %d: %v", c.name, threads, i, part, err)
				}
				if x.Aborted() != nil {
					t.Fatalf("%s: the run's end leaves %v", c.name, x.Aborted())
				}
			}
		}
	}
}

// TestCancel cancels the context before a run, and at various times during a run.
func TestCancel(t *testing.T) {
	none(t)
	x := NewExchange(2, 2)
	stop := make(chan struct{})
	g := NewGroup(x, []func() error{
		func() error { return Wait(x, 0) },
		func() error { <-stop; return nil }, // computes
	})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := g.Run(ctx, 0); err != context.Canceled {
		t.Fatal("over before it begins:", err)
	}
	for _, begun := range []bool{false, true} {
		for i := range 20 {
			stop = make(chan struct{})
			ctx, cancel := context.WithCancel(context.Background())
			run := ctx
			if begun {
				run = x.Begin(ctx)
			}
			done := run.Done()
			over := make(chan error)
			go func() { over <- g.Run(run, 0) }()
			time.Sleep(time.Duration(i*20) * time.Microsecond)
			cancel()
			<-done
			close(stop)
			if err := <-over; err != context.Canceled {
				t.Fatal("cancelled:", err)
			}
		}
	}
	stop = make(chan struct{})
	ctx, cancel = context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	context.AfterFunc(ctx, func() { close(stop) })
	if err := g.Run(ctx, 0); err != context.DeadlineExceeded {
		t.Fatal("too late:", err)
	}
}

// TestSteady: a run allocates no memory.
func TestSteady(t *testing.T) {
	for _, threads := range []int{0, 1, 2} {
		var sum int64
		g := lap(3, 4, &sum)
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		for _, f := range []func(){
			func() { _ = g.Run(context.Background(), threads) },
			func() { _ = g.Run(ctx, threads) },
			func() { _ = g.Run(g.Exchange().Begin(ctx), threads) },
		} {
			if n := testing.AllocsPerRun(200, f); n >= 1 {
				t.Errorf("%d threads: %v allocations a run", threads, n)
			}
		}
	}
}

// TestHammer: partitions exchange messages of all kinds while runs are cancelled, fail and
// succeed.
func TestHammer(t *testing.T) {
	none(t)
	const parts, slots = 4, 24
	x := NewExchange(slots, parts)
	var fail atomic.Int32
	var seed atomic.Uint32
	run := make([]func() error, parts)
	for p := range run {
		run[p] = func() error {
			k := seed.Load()
			v := make([]float32, 20000)
			got := make([]float32, 20000)
			for s := range 10 * slots {
				slot := s % slots
				k = k*1664525 + 1013904223
				n := (slot*slot + s) % 300
				if slot%8 == 3 {
					n = len(v) // large enough to be copied directly to the receiver
				}
				if from, to := slot%parts, (slot+1+slot/parts%(parts-1))%parts; from == p {
					v[0] = float32(s)
					if err := SendF32(x, slot, v[:n]); err != nil {
						return err
					}
				} else if to == p {
					if err := RecvF32(got[:n], x, slot); err != nil {
						return err
					}
					if n > 0 && got[0] != float32(s) {
						return fmt.Errorf("slot %d: %v instead of %d", slot, got[0], s)
					}
				}
				if fail.Load() == int32(p) && k>>20 < 30 {
					return tensor.Errorf(tensor.Aborted, "as told")
				}
			}
			return nil
		}
	}
	g := NewGroup(x, run)
	rounds := 1000
	if testing.Short() {
		rounds = 200
	}
	for i := range rounds {
		seed.Store(uint32(i))
		fail.Store(-1)
		ctx, cancel := context.WithCancel(context.Background())
		switch i % 4 {
		case 1:
			fail.Store(int32(i / 4 % parts))
		case 2:
			time.AfterFunc(time.Duration(i%50)*time.Microsecond, cancel)
		}
		c := ctx
		if i%3 == 0 {
			c = x.Begin(ctx)
		}
		err := g.Run(c, i%(parts+1))
		switch code := tensor.CodeOf(err); {
		case code == tensor.OK, code == tensor.Aborted && i%4 == 1, code == tensor.Cancelled && i%4 == 2:
		default:
			t.Fatalf("run %d: %v", i, err)
		}
		cancel()
	}
}
