package ptx

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"sync/atomic"
	"unsafe"
)

// segment is memory that begins at base.
type segment struct {
	base uint64
	data []byte
}

func (s *segment) has(addr uint64, n int) bool {
	off := addr - s.base
	return off < uint64(len(s.data)) && uint64(len(s.data))-off >= uint64(n)
}

// Flat is a Memory of separate blocks, for tests of kernels.
type Flat struct{ blocks []segment }

// Add makes b accessible and returns its address, a multiple of 256. There are gaps between
// blocks.
func (f *Flat) Add(b []byte) uint64 {
	base := uint64(1 << 32)
	if n := len(f.blocks); n > 0 {
		last := f.blocks[n-1]
		base = (last.base+uint64(len(last.data))+4096)&^255 + 256
	}
	if len(b) > 0 && uintptr(unsafe.Pointer(&b[0]))%8 != 0 {
		panic("ptx: memory of the device must begin at a multiple of 8 bytes")
	}
	f.blocks = append(f.blocks, segment{base, b})
	return base
}

// Find returns the block that contains addr.
func (f *Flat) Find(addr uint64) (uint64, []byte) {
	for i := range f.blocks {
		if s := &f.blocks[i]; s.has(addr, 1) {
			return s.base, s.data
		}
	}
	return 0, nil
}

// Describe describes an address that is in no block.
func (f *Flat) Describe(addr uint64) string {
	for i := range slices.Backward(f.blocks) {
		if s := &f.blocks[i]; s.base <= addr {
			return fmt.Sprintf(": byte %d of a block of %d", addr-s.base, len(s.data))
		}
	}
	return ""
}

// place returns the n bytes of memory at address addr, in the state space that the instruction
// accesses. If the address is invalid, place records a fault and returns nil.
func (w *warp) place(in *instr, lane int, addr uint64, n int) []byte {
	if addr&uint64(n-1) != 0 {
		w.fault(in, lane, fmt.Sprintf("%d bytes at %#x are not aligned", n, addr))
		return nil
	}
	switch in.space {
	case global_:
		return w.global(in, lane, addr, n)
	case shared:
		return w.inside(in, lane, w.blk.shared, addr, n, shared)
	case local:
		return w.inside(in, lane, w.localOf(lane), addr, n, local)
	case param:
		return w.inside(in, lane, w.blk.run.params, addr, n, param)
	case constant:
		return w.global(in, lane, addr, n)
	}
	switch addr >> windowBits {
	case sharedWindow >> windowBits:
		return w.inside(in, lane, w.blk.shared, addr&windowMask, n, shared)
	case localWindow >> windowBits:
		return w.inside(in, lane, w.localOf(lane), addr&windowMask, n, local)
	case paramWindow >> windowBits:
		return w.inside(in, lane, w.blk.run.params, addr&windowMask, n, param)
	}
	return w.global(in, lane, addr, n)
}

func (w *warp) localOf(lane int) []byte {
	n := w.blk.run.e.local
	return w.local[lane*n : lane*n+n]
}

func (w *warp) inside(in *instr, lane int, b []byte, addr uint64, n int, s space) []byte {
	if addr > uint64(len(b)) || uint64(len(b))-addr < uint64(n) {
		w.fault(in, lane, fmt.Sprintf("%s of %d bytes at %#x, beyond the %d bytes of %s memory", in.what, n, addr, len(b), s))
		return nil
	}
	return b[addr : addr+uint64(n)]
}

// global returns n bytes of global memory.
func (w *warp) global(in *instr, lane int, addr uint64, n int) []byte {
	if !w.near.has(addr, n) {
		if !w.look(addr, n) {
			w.fault(in, lane, fmt.Sprintf("%s of %d bytes at %#x, which is not allocated%s", in.what, n, addr, w.describe(addr)))
			return nil
		}
	}
	off := addr - w.near.base
	return w.near.data[off : off+uint64(n)]
}

// look finds the segment of memory that contains all n bytes from address addr on. It stores this
// segment in w.near, the segment that the warp has accessed last. If there is no such segment, it
// returns false.
func (w *warp) look(addr uint64, n int) bool {
	if s := w.blk.run.m.store; s.has(addr, n) {
		w.near = *s
		return true
	}
	if addr < sharedWindow && w.blk.run.mem != nil {
		base, b := w.blk.run.mem.Find(addr)
		if s := (segment{base, b}); s.has(addr, n) {
			w.near = s
			return true
		}
	}
	return false
}

// describe describes an invalid address, for an error.
func (w *warp) describe(addr uint64) string {
	if d, ok := w.blk.run.mem.(interface{ Describe(addr uint64) string }); ok {
		return d.Describe(addr)
	}
	return ""
}

// shadowed returns the offset of b in shared memory; b contains the bytes that an instruction
// accesses. It returns -1 if the access is not checked for races: if b is not in shared memory, the
// access is volatile, or Options.Races is not set.
func (w *warp) shadowed(in *instr, b []byte) int {
	s := w.blk.shared
	if w.blk.shadows == nil || in.volatile || len(s) == 0 || cap(b) > cap(s) || &b[:cap(b)][cap(b)-1] != &s[:cap(s)][cap(s)-1] {
		return -1
	}
	return cap(s) - cap(b)
}

// address returns a lane's address in a memory instruction.
func (w *warp) address(in *instr, lane int) uint64 { return w.get(in.ac, in.a, lane) + in.disp }

func get(b []byte, n int) uint64 {
	switch n {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

func set(b []byte, n int, v uint64) {
	switch n {
	case 1:
		b[0] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(v))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(v))
	default:
		binary.LittleEndian.PutUint64(b, v)
	}
}

// load and store handle all spaces, sizes and numbers of elements.
func load(w *warp, in *instr) {
	for m := w.mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		b := w.place(in, i, w.address(in, i), in.total)
		if b == nil {
			return
		}
		if at := w.shadowed(in, b); at >= 0 {
			w.raced(in, i, at, in.total, 0)
		}
		for j, r := range in.vec {
			v := w.read(b[j*in.size:], in.size)
			if in.sign != noType {
				v = in.sign.extend(v)
			}
			w.put(r.class, r.row, i, v&r.typ.mask())
		}
	}
}

func store(w *warp, in *instr) {
	for m := w.mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		b := w.place(in, i, w.address(in, i), in.total)
		if b == nil {
			return
		}
		if at := w.shadowed(in, b); at >= 0 {
			for j, r := range in.vec {
				w.raced(in, i, at+j*in.size, in.size, w.get(r.class, r.row, i))
			}
		}
		for j, r := range in.vec {
			w.write(b[j*in.size:], in.size, w.get(r.class, r.row, i))
		}
	}
}

// read returns the number in the n bytes at the beginning of b, as the function get does. The method
// write stores such a number, as the function set does. If concurrent blocks may access the same
// memory by atomic operations, both methods access 4 or 8 bytes atomically.
func (w *warp) read(b []byte, n int) uint64 {
	if w.blk.run.careful && n >= 4 {
		if n == 4 {
			return uint64(atomic.LoadUint32((*uint32)(unsafe.Pointer(&b[0]))))
		}
		return atomic.LoadUint64((*uint64)(unsafe.Pointer(&b[0])))
	}
	return get(b, n)
}

func (w *warp) write(b []byte, n int, v uint64) {
	if w.blk.run.careful && n >= 4 {
		if n == 4 {
			atomic.StoreUint32((*uint32)(unsafe.Pointer(&b[0])), uint32(v))
		} else {
			atomic.StoreUint64((*uint64)(unsafe.Pointer(&b[0])), v)
		}
		return
	}
	set(b, n, v)
}

// spaceOf returns the state space that an instruction's modifiers specify, and removes these
// modifiers. If there are none, the space is generic.
func (o *opcode) spaceOf() space {
	switch s := o.one("global", "const", "shared", "local", "param"); s {
	case "":
		return generic
	default:
		o.one("::cta", "::entry", "::func")
		return spaces["."+s]
	}
}

// hints removes the modifiers for caching and memory order, which have no effect on the values that
// this simulation computes.
func (o *opcode) hints() {
	for i := 0; i < len(o.mods); {
		switch o.mods[i] {
		case "nc", "ca", "cg", "cs", "lu", "cv", "wb", "wt", "volatile", "weak", "relaxed", "acquire", "release", "acq_rel", "sc", "cta", "cluster", "gpu", "sys", "mmio",
			"L1::evict_normal", "L1::evict_unchanged", "L1::evict_first", "L1::evict_last", "L1::no_allocate", "L2::evict_normal", "L2::evict_last", "L2::evict_first",
			"L2::64B", "L2::128B", "L2::256B", "unified":
			o.mods = append(o.mods[:i], o.mods[i+1:]...)
		default:
			i++
		}
	}
}

// address decodes the address operand o of a memory instruction. It stores in the instruction the
// index of the register row that contains the base address, the constant offset and, if necessary,
// the state space.
func (d *decoder) address(in *instr, o operand) {
	if o.kind != address {
		d.fail("an address in brackets is expected")
	}
	if o.name == "" {
		in.a, in.ac = d.constant(word64, uint64(o.offset)).row, word64
		return
	}
	s, ok := d.find(o.name)
	if !ok {
		d.fail("%s is not declared", o.name)
	}
	if !s.variable {
		if s.class == bit {
			d.fail("%s is not an address", o.name)
		}
		in.a, in.ac, in.disp = s.row, s.class, uint64(o.offset)
		if in.space == param && len(d.calls) > 1 {
			in.space = local
		}
		return
	}
	sp := s.space
	switch in.space {
	case param:
		if sp != param && sp != local {
			d.fail("%s is not a parameter", o.name)
		}
		// sp is param for a parameter of a kernel, and local for a parameter of a device function
		in.space = sp
	case generic:
		s.addr |= window(sp)
	default:
		if in.space != sp {
			d.fail("%s is in %s memory", o.name, sp)
		}
	}
	in.a, in.ac = d.constant(word64, s.addr+uint64(o.offset)).row, word64
}

// window returns the generic address at which a state space begins. It returns 0 if addresses
// within the space are already generic addresses.
func window(s space) uint64 {
	switch s {
	case shared:
		return sharedWindow
	case local:
		return localWindow
	case param:
		return paramWindow
	}
	return 0
}

// access decodes ld and st.
func (d *decoder) access(o *opcode) {
	volatile := o.take("volatile") || o.take("relaxed") || o.take("acquire") || o.take("release")
	o.hints()
	in := instr{kind: masked, space: o.spaceOf(), what: "read", volatile: volatile}
	if o.base == "ldu" {
		o.base = "ld"
	}
	lanes := map[string]int{"v2": 2, "v4": 4, "v8": 8, "": 1}[o.one("v2", "v4", "v8")]
	o.done()
	o.want(1)
	t := o.types[0]
	if t.class() == bit || t == tf32 {
		d.fail("no access of %s", t)
	}
	in.size = t.size()
	in.total = lanes * in.size
	args := d.operands(2)
	to, values := args[0], args[1]
	if o.base == "ld" {
		to, values = args[1], args[0]
	} else {
		in.what = "write"
	}
	d.address(&in, to)
	list_ := []operand{values}
	if values.kind == list {
		list_ = values.list
	}
	if len(list_) != lanes || lanes == 1 && values.kind == list {
		d.fail("%d operands in braces are expected", lanes)
	}
	for _, v := range list_ {
		var r ref
		if o.base == "ld" {
			r = d.destination(v, t.class())
			if r.typ.size() < t.size() && r.row != 0 {
				d.fail("%s cannot hold %s", v.name, t)
			}
		} else {
			r = d.source(v, t)
			if r.class == word32 && t.size() == 8 {
				d.fail("%s does not hold %s", v.name, t)
			}
		}
		if r.class == bit {
			d.fail("a predicate is not a memory operand")
		}
		in.vec = append(in.vec, r)
	}
	if t.signed() {
		in.sign = t
	}
	in.run = store
	near := in.space == shared || in.space == global_ || in.space == constant || in.space == generic
	if o.base == "ld" {
		in.run = load
		if near {
			in.run = quickLoad
		} else if in.space == param && in.a >= firstConst {
			in.run = loadParam
		}
	} else if near {
		in.run = quickStore
	}
	d.emit(in)
}

// toGeneric decodes cvta and isspacep.
func (d *decoder) toGeneric(o *opcode) {
	to := o.take("to")
	sp := o.spaceOf()
	o.done()
	if sp == generic {
		d.fail("a state space is expected")
	}
	base := window(sp)
	args := d.operands(2)
	if o.base == "isspacep" {
		d.general(d.destination(args[0], bit), pred, func(a, _, _, _ uint64) uint64 {
			of := a >> windowBits
			if base == 0 {
				return flag(of == 0 || of == globalWindow>>windowBits)
			}
			return flag(of == base>>windowBits)
		}, d.source(args[1], u64))
		return
	}
	o.want(1)
	if base == 0 {
		d.typed(move64, func(a, _, _, _ uint64) uint64 { return a }, u64, []typ{u64})
		return
	}
	if to {
		d.typed(nil, func(a, _, _, _ uint64) uint64 { return a - base }, o.types[0], []typ{u64})
		return
	}
	d.typed(nil, func(a, _, _, _ uint64) uint64 { return a + base }, u64, []typ{u64})
}
