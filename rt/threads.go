package rt

import (
	"context"
	"runtime"
	"sync"

	"github.com/graphc/graphc/rt/par"
	"github.com/graphc/graphc/rt/tensor"
)

// ThreadPool is a number of threads that instances and runs share: one run at a time
// has its helpers for the loops over items, the others work alone, and of the partitions
// and tasks of a run no more compute at once than it has threads. All pools of a
// process together do not use more than GOMAXPROCS threads at once for loops.
type ThreadPool struct {
	name    string
	threads int

	mu   sync.Mutex
	team *par.Team // nil while nobody holds the pool, and with one thread
	refs int
}

// named are the pools of the process: those that have a name, and those that
// instances have by default, by their threads.
var named struct {
	sync.Mutex
	pools  map[string]*ThreadPool
	shared map[int]*ThreadPool
}

// NewPool returns the pool of that name, which all callers share, or a pool of the
// caller's own where the name is empty. 0 threads stand for GOMAXPROCS, and more than
// that are not used. It is InvalidArgument where the pool exists with another number
// of threads. Close ends the caller's use; no run of the caller's may use it then.
func NewPool(name string, threads int) (*ThreadPool, error) {
	if threads < 0 || threads > maxThreads {
		return nil, tensor.Errorf(tensor.InvalidArgument, "NewPool(%q, %d): from 1 to %d threads are possible, 0 stands for GOMAXPROCS", name, threads, maxThreads)
	}
	if threads == 0 {
		threads = min(runtime.GOMAXPROCS(0), maxThreads)
	}
	if name == "" {
		p := newThreads("", threads)
		p.hold()
		return p, nil
	}
	named.Lock()
	defer named.Unlock()
	p := named.pools[name]
	if p == nil {
		p = newThreads(name, threads)
		if named.pools == nil {
			named.pools = map[string]*ThreadPool{}
		}
		named.pools[name] = p
	}
	if p.threads != threads {
		return nil, tensor.Errorf(tensor.InvalidArgument, "pool %q has %d threads, it cannot have %d", name, p.threads, threads)
	}
	p.hold()
	return p, nil
}

// Name returns the pool's name, empty for one of the caller's own.
func (p *ThreadPool) Name() string { return p.name }

// Threads returns how many threads the pool has.
func (p *ThreadPool) Threads() int { return p.threads }

// Close ends the use of a pool by one caller of NewPool. Its threads end when no
// instance and no run uses it any more.
func (p *ThreadPool) Close() { p.drop() }

func newThreads(name string, threads int) *ThreadPool {
	return &ThreadPool{name: name, threads: threads}
}

// shared returns the pool that instances have by default where GOMAXPROCS is threads.
func shared(threads int) *ThreadPool {
	named.Lock()
	defer named.Unlock()
	p := named.shared[threads]
	if p == nil {
		p = newThreads("", threads)
		if named.shared == nil {
			named.shared = map[int]*ThreadPool{}
		}
		named.shared[threads] = p
	}
	return p
}

// hold begins a use of the pool and returns its team, nil where it has one thread.
func (p *ThreadPool) hold() *par.Team {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refs++
	if n := min(p.threads, par.Processors()); p.team == nil && n > 1 {
		p.team = par.New(n)
	}
	return p.team
}

// drop ends a use. The last one's ends the helpers.
func (p *ThreadPool) drop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refs--; p.refs == 0 && p.team != nil {
		p.team.Close()
		p.team = nil
	}
}

// InterOp returns how many partitions and tasks of a run under ctx may compute at once.
func (b *Base) InterOp(ctx context.Context) int {
	n := b.opts.inter
	if n == 0 {
		n = b.opts.pool.threads
	}
	if o := optionsOf(ctx); o != nil {
		if o.pool != nil {
			n = o.pool.threads
		}
		if o.threads > 0 {
			n = o.threads
		}
	}
	return n
}

// InterOp returns how many partitions and tasks of the run may compute at once.
func (s *State[D, V, I, M, X]) InterOp() int {
	if s.run.caller == nil {
		return 1
	}
	return s.base.InterOp(s.run.caller)
}
