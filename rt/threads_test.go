package rt

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/graphc/graphc/rt/par"
	"github.com/graphc/graphc/rt/tensor"
)

// workers runs loops with enough work to be shared, and returns how many threads took part in them.
func workers(t *testing.T, ctx context.Context, p *Pool[dims, found, input, vars, struct{}]) (in int) {
	t.Helper()
	var mu sync.Mutex
	seen := map[*byte]bool{}
	f := func(s *state, _ []int, lo, n int, m []byte) {
		mu.Lock()
		seen[&m[0]] = true
		mu.Unlock()
		time.Sleep(time.Millisecond)
	}
	for range 2 { // the first run has enough work for the second run to wake helpers
		if err := runIn(ctx, p, func(s *state) error {
			clear(seen)
			for range 3 {
				s.Par(f, nil, 8, Split{Work: worthWaking})
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	return len(seen)
}

func loopPool(t *testing.T, opts ...Option) *Pool[dims, found, input, vars, struct{}] {
	t.Helper()
	b, err := Open(nil, append(opts, WithConcurrency(1))...)
	if err != nil {
		t.Fatal(err)
	}
	p := new(Pool[dims, found, input, vars, struct{}])
	p.Init(b, &Code[dims]{Steps: []Step{{Node: "a", Op: "Relu"}, {Node: "b", Op: "Relu"}}, Own: 64}, nil)
	return p
}

// TestNamedPool checks that instances with the same pool name share a pool, and that the pool counts
// each of them as one user. If Open fails because of another number of threads or an invalid option,
// the number of users must not change.
func TestNamedPool(t *testing.T) {
	open := func(opts ...Option) *Base {
		t.Helper()
		b, err := Open(nil, opts...)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	a, b := open(WithNamedPool("TestNamedPool", 2)), open(WithNamedPool("TestNamedPool", 2), WithThreads(1))
	if a.opts.pool != b.opts.pool || a.opts.pool.threads != 2 || a.opts.pool.refs != 2 {
		t.Errorf("the pools are %+v and %+v", a.opts.pool, b.opts.pool)
	}
	if _, err := Open(nil, WithNamedPool("TestNamedPool", 3)); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Errorf("another size: %v", err)
	}
	if _, err := Open(nil, WithNamedPool("TestNamedPool", 2), WithThreads(-1)); err == nil || a.opts.pool.refs != 2 {
		t.Errorf("%v, %d uses", err, a.opts.pool.refs)
	}
	own, other := open(WithNamedPool("", 2)), open(WithNamedPool("", 2))
	if own.opts.pool == other.opts.pool || own.opts.pool.refs != 1 {
		t.Errorf("pools without a name are shared, or %d uses are not 1", own.opts.pool.refs)
	}
	p, err := NewPool("", 2)
	if err != nil {
		t.Fatal(err)
	}
	if c := open(WithNamedPool("TestNamedPool", 2), WithPool(p)); c.opts.pool != p || a.opts.pool.refs != 2 {
		t.Errorf("the caller's pool does not win, or the other has %d uses", a.opts.pool.refs)
	}
	for _, m := range []*Base{a, b, own, other} {
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if n, m := a.opts.pool.refs, own.opts.pool.refs; n != 0 || m != 0 {
		t.Errorf("%d and %d uses after Close", n, m)
	}
}

// TestThreads: loops use as many threads as the options of the instance and of the run request, but no
// more than GOMAXPROCS. At the end no helper thread may be left.
func TestThreads(t *testing.T) {
	procs := runtime.GOMAXPROCS(4)
	defer runtime.GOMAXPROCS(procs)
	defer par.Assume()()
	before := runtime.NumGoroutine()
	wide, err := NewPool("", 8)
	if err != nil {
		t.Fatal(err)
	}
	narrow, _ := NewPool("", 2)
	background := context.Background()
	for _, c := range []struct {
		name        string
		opts        []Option
		ctx         context.Context
		want, inter int
	}{
		{"by default", nil, background, 4, 4},
		{"one", []Option{WithThreads(1)}, background, 1, 1},
		{"three for loops", []Option{WithIntraOp(3)}, background, 3, 3},
		{"more than there are", []Option{WithThreads(100)}, background, 4, 100},
		{"partitions only", []Option{WithInterOp(1)}, background, 4, 1},
		{"in the caller's thread", nil, WithRun(background, Threads(1)), 1, 1},
		{"three for a run", nil, WithRun(background, Threads(3)), 3, 3},
		{"a pool", []Option{WithPool(narrow)}, background, 2, 2},
		{"a pool for a run", []Option{WithThreads(1)}, WithRun(background, OnPool(wide)), 4, 8},
		{"a pool for a run, and a bound", nil, WithRun(background, OnPool(wide), Threads(2)), 2, 2},
	} {
		p := loopPool(t, c.opts...)
		if got := workers(t, c.ctx, p); got > c.want || c.want > 1 && got < 2 {
			t.Errorf("%s: %d took part, want %d", c.name, got, c.want)
		}
		if got := p.base.InterOp(c.ctx); got != c.inter {
			t.Errorf("%s: %d may compute at once, want %d", c.name, got, c.inter)
		}
		p.base.Close()
	}
	wide.Close()
	narrow.Close()
	for i := 0; runtime.NumGoroutine() > before; i++ {
		if i == 100 {
			buf := make([]byte, 1<<16)
			t.Fatalf("%d goroutines, before %d:\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// TestNamedPools: two calls of NewPool with the same name return the same pool. The name cannot be used
// with another number of threads.
func TestNamedPools(t *testing.T) {
	a, err := NewPool("TestNamedPools", 2)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	b, err := NewPool("TestNamedPools", 2)
	if err != nil || a != b || b.Name() != "TestNamedPools" || b.Threads() != 2 {
		t.Errorf("%v, %v, %v", a, b, err)
	}
	b.Close()
	if _, err := NewPool("TestNamedPools", 3); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Errorf("another number of threads: %v", err)
	}
	if _, err := NewPool("", -1); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Errorf("-1 threads: %v", err)
	}
	x, _ := NewPool("", 2)
	y, _ := NewPool("", 2)
	if x == y {
		t.Error("pools without a name are one")
	}
	x.Close()
	y.Close()
	if a.team == nil || x.team != nil {
		t.Error("a pool in use has no threads, or one that is closed has")
	}
}
