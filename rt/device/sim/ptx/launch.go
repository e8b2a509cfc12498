package ptx

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"unsafe"
)

// launch is a running grid.
type launch struct {
	m       *Module
	e       *entry
	grid    [3]int
	dim     [3]int
	dynamic int
	shared  int
	params  []byte
	mem     Memory
	alone   bool // whether there is exactly one worker
	races   bool
	// whether concurrent blocks may access the same memory by atomic operations
	careful bool
	limit   uint64
	spent   atomic.Uint64
	stop    atomic.Bool
}

func bytesOf(w []uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&w[0])), 8*len(w))
}

// Launch runs an entry on a grid of blocks. The parameter shared is the number of bytes of dynamic
// shared memory. Each element of args holds the bits of a parameter of up to 8 bytes. As on GPUs, a
// grid or block of size 0 is refused. Every error is a *Fault. It describes why the launch is
// invalid, or the first fault that was found in a running thread. After a fault, memory keeps
// everything that the kernel has written.
func (m *Module) Launch(name string, grid, block [3]int, shared int, args []uint64, mem Memory, o *Options) error {
	if o == nil {
		o = &Options{}
	}
	if err := m.Fits(name, grid, block, shared); err != nil {
		return err
	}
	e := m.entries[name]
	wrong := func(format string, a ...any) error { return &Fault{Entry: name, Why: fmt.Sprintf(format, a...)} }
	if len(args) != len(e.params) {
		return wrong("%d arguments for %d parameters", len(args), len(e.params))
	}
	l := &launch{m: m, e: e, grid: grid, dim: block, dynamic: shared, mem: mem, limit: o.Limit, races: o.Races}
	if l.limit == 0 {
		l.limit = DefaultLimit
	}
	l.shared = e.shared
	if shared > 0 {
		l.shared = align(e.shared, 16) + shared
	}
	l.params = aligned(align(e.size, 8))
	for i, p := range e.params {
		if p.size > 8 {
			return wrong("parameter %d has %d bytes", i, p.size)
		}
		var raw [8]byte
		binary.LittleEndian.PutUint64(raw[:], args[i])
		copy(l.params[e.offset[i]:], raw[:p.size])
	}
	l.params = l.params[:e.size]
	n := grid[0] * grid[1] * grid[2]
	workers := min(max(o.Workers, 1), n)
	l.alone = workers == 1
	l.careful = !l.alone && e.atomic
	if o.Count != nil {
		defer func() { *o.Count += l.spent.Load() }()
	}
	return l.blocks(n, workers, o.Seed)
}

// Fits returns an error for a launch that no GPU accepts.
func (m *Module) Fits(name string, grid, block [3]int, shared int) error {
	wrong := func(format string, a ...any) error { return &Fault{Entry: name, Why: fmt.Sprintf(format, a...)} }
	e := m.entries[name]
	if e == nil {
		return wrong("the module has no such entry, but %v", m.Entries())
	}
	most := [3]int{1<<31 - 1, 65535, 65535}
	side := [3]int{1024, 1024, 64}
	for i := range 3 {
		if grid[i] < 1 || grid[i] > most[i] || block[i] < 1 || block[i] > side[i] {
			return wrong("a grid of %v blocks of %v threads", grid, block)
		}
	}
	if block[0]*block[1]*block[2] > 1024 {
		return wrong("blocks of %v threads", block)
	}
	if shared < 0 || shared > SharedLimit || align(e.shared, 16)+shared > SharedLimit {
		return wrong("%d bytes of dynamic and %d of static shared memory", shared, e.shared)
	}
	return nil
}

// blocks runs all n blocks.
func (l *launch) blocks(n, workers int, seed uint64) error {
	next := func(i int) int { return i }
	if seed != 0 && n > 1 {
		// For i from 0 to n-1, (i·step+first) mod n is the index of each block exactly once, because
		// step and n have no common factor.
		r := rand.New(rand.NewPCG(seed, 1))
		step, first := 1+r.IntN(n), r.IntN(n)
		for gcd(step, n) != 1 {
			step++
		}
		next = func(i int) int { return int((uint64(i)*uint64(step) + uint64(first)) % uint64(n)) }
	}
	var taken atomic.Int64
	var mu sync.Mutex
	var failed error
	work := func() {
		b := l.take()
		defer l.leave(b)
		for {
			i := int(taken.Add(1)) - 1
			if i >= n || l.stop.Load() {
				return
			}
			at := next(i)
			if seed != 0 {
				b.rng = rand.New(rand.NewPCG(seed, uint64(at)+2))
			}
			b.reset([3]int{at % l.grid[0], at / l.grid[0] % l.grid[1], at / l.grid[0] / l.grid[1]})
			if err := b.guarded(); err != nil {
				mu.Lock()
				if failed == nil {
					failed = err
				}
				mu.Unlock()
				l.stop.Store(true)
			}
		}
	}
	if workers == 1 {
		work()
		return failed
	}
	var wg sync.WaitGroup
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			work()
		}()
	}
	wg.Wait()
	return failed
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
