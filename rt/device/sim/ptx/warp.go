package ptx

import (
	"fmt"
	"math"
	"math/bits"
)

const allLanes = math.MaxUint32

// state says whether a group of lanes can run, or for what it waits.
type state uint8

const (
	ready   state = iota
	joining       // the group waits for other lanes of its warp
	parked        // the group waits at a barrier of the block
)

// group is a set of lanes of a warp with the same program counter.
type group struct {
	pc    int32
	mask  uint32
	state state
	bar   uint32 // the barrier at which the group waits
	count uint32 // how many threads the barrier needs, 0 for all
}

// warp is a set of 32 threads, called lanes, that execute instructions together. A row holds the
// values of one register in all lanes. The slices r32 and r64 contain rows of 32-bit and 64-bit
// numbers. An element of the slice p is a row of predicates, with one bit for each lane.
type warp struct {
	r32    [][32]uint32
	r64    [][32]uint64
	p      []uint32
	carry  uint32
	mask   uint32 // lanes that execute the current instruction
	live   uint32 // lanes that have not exited
	groups []group
	blk    *block
	index  int
	local  []byte
	near   segment // the global memory accessed last
	at     [32]uint64
	failed *Fault
	turns  int
}

// fault records a fault of a lane.
func (w *warp) fault(in *instr, lane int, why string) {
	if w.failed != nil {
		return
	}
	b := w.blk
	t := w.index*32 + lane
	w.failed = &Fault{Entry: b.run.e.name, Line: int(in.line), Text: in.text, Block: b.id,
		Thread: [3]int{t % b.run.dim[0], t / b.run.dim[0] % b.run.dim[1], t / b.run.dim[0] / b.run.dim[1]}, Why: why}
}

// pick returns the group to run next, or nil if all groups wait. Usually this is the group with the
// smallest program counter. Sometimes it is the group with the largest one: without this, lanes
// that wait in a loop for other lanes might never let these run. pick merges groups that are at the
// same instruction.
func (w *warp) pick() *group {
	for i := 0; i < len(w.groups); i++ {
		if w.groups[i].mask == 0 {
			w.groups[i] = w.groups[len(w.groups)-1]
			w.groups = w.groups[:len(w.groups)-1]
			i--
			continue
		}
		for j := 0; j < i; j++ {
			a, b := &w.groups[i], &w.groups[j]
			if a.pc == b.pc && a.state != parked && b.state != parked {
				b.mask |= a.mask
				b.state = ready
				*a = w.groups[len(w.groups)-1]
				w.groups = w.groups[:len(w.groups)-1]
				i--
				break
			}
		}
	}
	w.turns++
	var best *group
	for i := range w.groups {
		g := &w.groups[i]
		if g.state == joining && w.joined(g) {
			g.state = ready
		}
		if g.state == ready && (best == nil || (g.pc < best.pc) == (w.turns&255 != 0)) {
			best = g
		}
	}
	return best
}

// joined reports whether all lanes that a group waits for have arrived or exited.
func (w *warp) joined(g *group) bool {
	w.mask = w.guarded(&w.blk.run.e.code[g.pc], g.mask)
	if w.mask == 0 {
		return true
	}
	return w.members(&w.blk.run.e.code[g.pc])&w.live&^w.mask == 0
}

func (w *warp) guarded(in *instr, mask uint32) uint32 {
	if in.guard >= 0 {
		mask &= w.p[in.guard] ^ in.not
	}
	return mask
}

// run executes instructions until their number is at least the parameter budget. It stops earlier if
// a fault occurs, or if every lane has exited or waits. It returns the number of executed
// instructions.
func (w *warp) run(budget int) (done int) {
	code := w.blk.run.e.code
	for {
		g := w.pick()
		if g == nil || done >= budget {
			return done
		}
		pc, active := g.pc, g.mask
		limit := int32(math.MaxInt32) // the lowest program counter after pc at which another group may join this one
		for i := range w.groups {
			if h := &w.groups[i]; h.pc > pc && h.pc < limit && h.state != parked {
				limit = h.pc
			}
		}
		alone := len(w.groups) == 1
		full := active == w.live
	straight:
		for {
			in := &code[pc]
			done++
			mask := active
			if in.guard >= 0 {
				if mask &= w.p[in.guard] ^ in.not; mask == 0 {
					if pc++; pc == limit || done >= budget {
						break
					}
					continue
				}
			}
			switch in.kind {
			case compute:
				if full && mask == active {
					in.run(w, in)
				} else {
					w.blended(in, mask)
				}
			case masked:
				w.mask = mask
				in.run(w, in)
				if w.failed != nil {
					return done
				}
			case synced:
				w.mask = mask
				need := w.members(in)
				if mask&^need != 0 {
					w.fault(in, bits.TrailingZeros32(mask&^need), fmt.Sprintf("the active thread is not in the member mask %#x", need))
					return done
				}
				if need&w.live&^mask != 0 {
					if alone && active == w.live || active&need == need&w.live {
						w.fault(in, bits.TrailingZeros32(mask), fmt.Sprintf("lanes %#x of the member mask %#x are inactive", need&w.live&^mask, need))
						return done
					}
					g.pc, g.mask, g.state = pc, active, joining
					break straight
				}
				in.run(w, in)
				if w.failed != nil {
					return done
				}
			case branch:
				if mask == active {
					if back := in.target <= pc; back && done >= budget || !alone {
						pc = in.target
						break straight
					}
					pc = in.target
					continue
				}
				g.pc, g.mask = pc+1, active&^mask
				w.groups = append(w.groups, group{pc: in.target, mask: mask})
				g = nil
				break straight
			case branchTable:
				w.dispatch(g, in, pc, active, mask)
				if w.failed != nil {
					return done
				}
				g = nil
				break straight
			case leave:
				w.live &^= mask
				g.pc, g.mask = pc+1, active&^mask
				g = nil
				break straight
			case barrier:
				w.mask = mask
				w.park(g, in, pc, active)
				g = nil
				break straight
			}
			if pc++; pc == limit || done >= budget {
				break
			}
		}
		if g != nil && g.state == ready {
			g.pc, g.mask = pc, active
		}
	}
}

// blended executes an instruction for some lanes: it computes all lanes into row 0 and copies the
// lanes in mask from row 0 to the destination.
func (w *warp) blended(in *instr, mask uint32) {
	in.blend.run(w, in.blend)
	if in.dc == word32 {
		d, s := &w.r32[in.d], &w.r32[0]
		for m := mask; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m)
			d[i] = s[i]
		}
		return
	}
	d, s := &w.r64[in.d], &w.r64[0]
	for m := mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		d[i] = s[i]
	}
}

// dispatch sends lanes to their targets in a branch table.
func (w *warp) dispatch(g *group, in *instr, pc int32, active, mask uint32) {
	g.pc, g.mask = pc+1, active&^mask
	for m := mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		n := w.get(in.ac, in.a, i)
		if n >= uint64(len(in.table)) {
			w.fault(in, i, fmt.Sprintf("branch %d of %d", n, len(in.table)))
			return
		}
		w.groups = append(w.groups, group{pc: in.table[n], mask: 1 << i})
	}
}

// park executes a barrier instruction for the lanes of group g. It makes these lanes wait at a
// barrier of the block or, for bar.arrive, records their arrival and lets them continue.
func (w *warp) park(g *group, in *instr, pc int32, active uint32) {
	i := bits.TrailingZeros32(w.mask)
	n := w.get(in.ac, in.a, i)
	var count uint64
	if in.size == 2 {
		count = w.get(in.bc, in.b, i)
	}
	switch {
	case n > 15:
		w.fault(in, i, fmt.Sprintf("there is no barrier %d", n))
		return
	case in.size == 2 && (count == 0 || count%32 != 0):
		w.fault(in, i, fmt.Sprintf("a barrier of %d threads", count))
		return
	}
	mask := w.mask
	g.pc, g.mask = pc+1, active&^mask
	if barrierOp(in.mode) == barrierArrive {
		w.blk.arrived[n] += uint32(bits.OnesCount32(mask))
		w.blk.expect[n] = uint32(count)
		g.mask = active
		return
	}
	w.groups = append(w.groups, group{pc: pc, mask: mask, state: parked, bar: uint32(n), count: uint32(count)})
}
