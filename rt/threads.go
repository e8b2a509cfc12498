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

// named holds the pools that instances of this process share. The map pools contains, by name, the
// pools that have a name. The map shared contains the default pools, which have no name, by their
// number of threads.
var named struct {
	sync.Mutex
	pools  map[string]*ThreadPool
	shared map[int]*ThreadPool
}

// NewPool returns the pool with the given name, which all callers share. If the name is empty, it
// returns a separate pool. If threads is 0, the pool has GOMAXPROCS threads. Loops never use more than
// GOMAXPROCS. The error is InvalidArgument if threads is out of range, or if a pool with this name has
// another number of threads. The caller must call Close after its last run on the pool.
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

// Close must be called once for each call of NewPool that returned the pool. The helper threads end
// when all these calls have been made and no instance or run uses the pool any more.
func (p *ThreadPool) Close() { p.drop() }

func newThreads(name string, threads int) *ThreadPool {
	return &ThreadPool{name: name, threads: threads}
}

// shared returns the default pool with the given number of threads. Instances whose options name no
// pool use it.
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

// hold counts a new user of the pool. It returns the team of helper threads, or nil if the pool has only
// one thread.
func (p *ThreadPool) hold() *par.Team {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refs++
	if n := min(p.threads, par.Processors()); p.team == nil && n > 1 {
		p.team = par.New(n)
	}
	return p.team
}

// drop ends the use of the pool by one user. After the last user, the helper threads end.
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
