package rt

import (
	"context"
	"runtime"
	"sync"

	"github.com/graphc/graphc/rt/par"
	"github.com/graphc/graphc/rt/tensor"
)

// ThreadPool is a set of threads that instances and runs share. The helpers of a pool work on loops
// over items for one run at a time; other runs use only their own thread. The number of partitions
// and tasks of a run that compute at once is at most the number of threads in the pool. All pools
// of a process together use at most GOMAXPROCS threads at once for loops.
type ThreadPool struct {
	name    string
	threads int

	mu   sync.Mutex
	team *par.Team // nil while the pool is unused, or if it has one thread
	refs int
}

// named holds the pools of the process: named ones, and the default pools of instances by their
// number of threads.
var named struct {
	sync.Mutex
	pools  map[string]*ThreadPool
	shared map[int]*ThreadPool
}

// NewPool returns the pool with the given name, which all callers share, or a separate pool if the
// name is empty. 0 threads means GOMAXPROCS; more than GOMAXPROCS are not used. The error is
// InvalidArgument if threads is out of range or if the pool exists with another number of threads.
// The caller must call Close after its last run on the pool.
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

// Name returns the pool's name, empty for a separate pool.
func (p *ThreadPool) Name() string { return p.name }

// Threads returns the number of threads of the pool.
func (p *ThreadPool) Threads() int { return p.threads }

// Close ends the use of the pool that one call of NewPool began. The threads end when no instance
// or run uses the pool any more.
func (p *ThreadPool) Close() { p.drop() }

func newThreads(name string, threads int) *ThreadPool {
	return &ThreadPool{name: name, threads: threads}
}

// shared returns the default pool for instances, with the given number of threads (GOMAXPROCS).
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

// hold adds a user of the pool and returns the pool's team, or nil if the pool has one thread.
func (p *ThreadPool) hold() *par.Team {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refs++
	if n := min(p.threads, par.Processors()); p.team == nil && n > 1 {
		p.team = par.New(n)
	}
	return p.team
}

// drop removes a user. When the last user is removed, the helpers end.
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
