package ptx

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
)

// block is the state of a running block of threads. A worker reuses it for later blocks.
type block struct {
	run    *launch
	id     [3]int
	dim    [3]int // the block's size in threads
	shared []byte
	warps  []warp
	order  []int
	// arrived holds, for each barrier, the number of threads that have arrived there by bar.arrive,
	// so that they do not wait.
	arrived [16]uint32
	expect  [16]uint32
	steps   uint64
	shadows []shadow // one element for each byte of shared memory; nil if races are not checked
	epoch   uint32
	rng     *rand.Rand
}

// poison sets all bits of memory, which marks the memory as uninitialized.
func poison(b []byte) {
	for i := range b {
		b[i] = 0xff
	}
}

// take returns a block for the launch l. It reuses the block of an earlier launch if that block has
// the right size and amount of shared memory.
func (l *launch) take() *block {
	b, ok := l.e.spare.Get().(*block)
	if !ok || b.dim != l.dim || len(b.shared) != l.shared {
		b = newBlock(l)
	}
	b.begin(l)
	return b
}

// leave makes block b available for a later launch.
func (l *launch) leave(b *block) {
	b.run = nil
	for i := range b.warps {
		b.warps[i].near = segment{}
	}
	l.e.spare.Put(b)
}

// newBlock allocates a block for the launch.
func newBlock(l *launch) *block {
	threads := l.dim[0] * l.dim[1] * l.dim[2]
	e := l.e
	b := &block{dim: l.dim, shared: aligned(l.shared), warps: make([]warp, (threads+31)/32)}
	b.order = make([]int, len(b.warps))
	for i := range b.warps {
		w := &b.warps[i]
		w.blk, w.index = b, i
		w.r32 = make([][32]uint32, e.n32+len(e.const32))
		w.r64 = make([][32]uint64, e.n64+len(e.const64))
		w.p = make([]uint32, e.np+len(e.constP))
		w.local = aligned(32 * e.local)
		for j, v := range e.const32 {
			for k := range 32 {
				w.r32[e.n32+j][k] = uint32(v)
			}
		}
		for j, v := range e.const64 {
			for k := range 32 {
				w.r64[e.n64+j][k] = v
			}
		}
		copy(w.p[e.np:], e.constP)
	}
	return b
}

// begin prepares the block for the launch l. It sets the special registers that do not depend on
// the block.
func (b *block) begin(l *launch) {
	b.run, b.steps, b.rng, b.shadows, b.epoch = l, 0, nil, nil, 0
	if l.races {
		b.shadows = make([]shadow, l.shared)
	}
	for i := range b.warps {
		w := &b.warps[i]
		b.order[i] = i
		w.near, w.turns = segment{}, 0
		for _, s := range l.e.special {
			for k := range 32 {
				w.r32[s.row][k] = l.value(s.name, i*32+k, [3]int{})
			}
		}
	}
}

// aligned returns n bytes that begin at a multiple of 8.
func aligned(n int) []byte {
	if n == 0 {
		return nil
	}
	return bytesOf(make([]uint64, (n+7)/8))[:n:n]
}

// value returns the value of a special register. The parameter thread is the number of the thread
// in its block, and id is the block's index in the grid.
func (l *launch) value(name string, thread int, id [3]int) uint32 {
	lane := thread % 32
	axis := int(name[len(name)-1]) - 'x'
	switch name {
	case "%tid.x", "%tid.y", "%tid.z":
		return uint32([3]int{thread % l.dim[0], thread / l.dim[0] % l.dim[1], thread / l.dim[0] / l.dim[1]}[axis])
	case "%ntid.x", "%ntid.y", "%ntid.z":
		return uint32(l.dim[axis])
	case "%ctaid.x", "%ctaid.y", "%ctaid.z":
		return uint32(id[axis])
	case "%nctaid.x", "%nctaid.y", "%nctaid.z":
		return uint32(l.grid[axis])
	case "%laneid":
		return uint32(lane)
	case "%warpid":
		return uint32(thread / 32)
	case "%nwarpid":
		return uint32((l.dim[0]*l.dim[1]*l.dim[2] + 31) / 32)
	case "%nsmid":
		return 1
	case "%lanemask_eq":
		return 1 << lane
	case "%lanemask_lt":
		return 1<<lane - 1
	case "%lanemask_le":
		return 2<<lane - 1
	case "%lanemask_gt":
		return -(2 << lane)
	case "%lanemask_ge":
		return -(1 << lane)
	case "%dynamic_smem_size":
		return uint32(l.dynamic)
	case "%total_smem_size":
		return uint32(l.shared)
	}
	return 0 // %smid, %gridid
}

// reset prepares b to run as the block with index id in the grid.
func (b *block) reset(id [3]int) {
	b.id = id
	b.epoch++
	poison(b.shared)
	b.arrived, b.expect = [16]uint32{}, [16]uint32{}
	l, e := b.run, b.run.e
	threads := l.dim[0] * l.dim[1] * l.dim[2]
	for i := range b.warps {
		w := &b.warps[i]
		w.live = allLanes
		if left := threads - 32*i; left < 32 {
			w.live = 1<<left - 1
		}
		w.groups = append(w.groups[:0], group{mask: w.live})
		w.failed, w.carry = nil, 0
		for j := range e.n32 {
			w.r32[j] = poisoned32
		}
		for j := range e.n64 {
			w.r64[j] = poisoned64
		}
		for j := range e.np {
			w.p[j] = 0xaaaaaaaa
		}
		poison(w.local)
		for _, s := range e.special {
			if len(s.name) == 8 && s.name[:6] == "%ctaid" {
				v := l.value(s.name, 0, id)
				for k := range 32 {
					w.r32[s.row][k] = v
				}
			}
		}
	}
}

var poisoned32, poisoned64 = func() (a [32]uint32, b [32]uint64) {
	for i := range a {
		a[i], b[i] = 0xffffffff, 0xffffffffffffffff
	}
	return
}()

// guarded calls the method execute and returns its error. If execute panics, guarded returns an
// error that describes the panic.
func (b *block) guarded() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &Fault{Entry: b.run.e.name, Block: b.id, Why: fmt.Sprintf("internal fault: %v", r)}
		}
	}()
	return b.execute()
}

// execute runs the block to its end.
func (b *block) execute() error {
	l := b.run
	budget := 1 << 20
	for {
		if b.rng != nil {
			b.rng.Shuffle(len(b.order), func(i, j int) { b.order[i], b.order[j] = b.order[j], b.order[i] })
		}
		var did int
		for _, i := range b.order {
			w := &b.warps[i]
			if w.live == 0 {
				continue
			}
			if b.rng != nil {
				budget = 1 << (4 + b.rng.IntN(12))
			}
			n := w.run(budget)
			did += n
			b.steps += uint64(n)
			if w.failed != nil {
				return w.failed
			}
			if l.spent.Add(uint64(n)) > l.limit {
				in := &l.e.code[w.where()]
				w.fault(in, bits.TrailingZeros32(w.live|1<<31), fmt.Sprintf("the launch has done %d instructions, its limit", l.limit))
				return w.failed
			}
			if l.stop.Load() {
				return nil
			}
		}
		if err := b.apart(); err != nil {
			return err
		}
		released, live := b.release()
		if live == 0 {
			return nil
		}
		if did == 0 && !released {
			return b.deadlock()
		}
	}
}

// where returns the program counter of the first group of lanes of the warp, or 0 if the warp has
// no groups.
func (w *warp) where() int {
	if len(w.groups) == 0 {
		return 0
	}
	return int(w.groups[0].pc)
}

// release looks for barriers at which all expected threads have arrived, and lets the threads that
// wait there continue. The result named released reports whether there was such a barrier. The
// result named live is the number of threads that have not exited.
func (b *block) release() (released bool, live int) {
	var waiting, need [16]uint32
	for i := range b.warps {
		live += bits.OnesCount32(b.warps[i].live)
		for _, g := range b.warps[i].groups {
			if g.state == parked && g.mask != 0 {
				waiting[g.bar] += uint32(bits.OnesCount32(g.mask))
				need[g.bar] = max(need[g.bar], g.count)
			}
		}
	}
	for n, have := range waiting {
		if have == 0 {
			continue
		}
		want := max(need[n], b.expect[n])
		if want == 0 {
			want = uint32(live)
		}
		if have+b.arrived[n] < want {
			continue
		}
		released = true
		b.epoch++
		b.arrived[n], b.expect[n] = 0, 0
		b.through(uint32(n))
	}
	return released, live
}

// apart returns a fault if it finds lanes of one warp that wait at the same barrier in different
// instructions, although an aligned instruction, such as bar.sync or barrier.aligned, is among these
// instructions. All lanes of a warp must execute an aligned instruction together.
func (b *block) apart() error {
	for i := range b.warps {
		w := &b.warps[i]
		for j, g := range w.groups {
			for _, h := range w.groups[:j] {
				in, other := &b.run.e.code[g.pc], &b.run.e.code[h.pc]
				if g.state == parked && h.state == parked && g.bar == h.bar && g.pc != h.pc && (in.aligned || other.aligned) && g.mask != 0 && h.mask != 0 {
					w.fault(in, bits.TrailingZeros32(g.mask), fmt.Sprintf("threads of a warp wait at a barrier in different places, the other is line %d", other.line))
					return w.failed
				}
			}
		}
	}
	return nil
}

// The method named through lets the threads that wait at barrier n continue. If they wait in a
// bar.red instruction, it also computes the result of this instruction.
func (b *block) through(n uint32) {
	var yes, all uint32
	each := func(f func(w *warp, g *group, in *instr)) {
		for i := range b.warps {
			w := &b.warps[i]
			for j := range w.groups {
				if g := &w.groups[j]; g.state == parked && g.bar == n && g.mask != 0 {
					f(w, g, &b.run.e.code[g.pc])
				}
			}
		}
	}
	each(func(w *warp, g *group, in *instr) {
		all += uint32(bits.OnesCount32(g.mask))
		if barrierOp(in.mode) != barrierSync {
			yes += uint32(bits.OnesCount32(g.mask & w.p[in.c]))
		}
	})
	each(func(w *warp, g *group, in *instr) {
		v := yes
		switch barrierOp(in.mode) {
		case barrierAnd:
			v = b2i(yes == all)
		case barrierOr:
			v = b2i(yes != 0)
		}
		if barrierOp(in.mode) != barrierSync {
			w.mask = g.mask
			w.spread(in, v)
		}
		g.state = ready
		g.pc++
	})
}

// deadlock returns a fault that says why no thread of the block can continue.
func (b *block) deadlock() error {
	for i := range b.warps {
		w := &b.warps[i]
		for _, g := range w.groups {
			in := &b.run.e.code[g.pc]
			why := "some threads wait at a barrier that others never come to"
			if g.state == joining {
				why = "threads wait for lanes of their warp that never come"
			}
			w.fault(in, bits.TrailingZeros32(g.mask), why)
			return w.failed
		}
	}
	return &Fault{Entry: b.run.e.name, Why: "no thread can go on"}
}
