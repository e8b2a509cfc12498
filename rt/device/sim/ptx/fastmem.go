package ptx

import (
	"math/bits"
	"unsafe"
)

// offsets prepares a fast access to memory by all active lanes. It succeeds if all of them access the
// same segment of memory, within its bounds and aligned, and if the accesses need neither be atomic
// nor be checked for races. It then returns a pointer p and true, and lane i accesses the address p +
// w.at[i]. Otherwise it returns false, and the caller must handle the lanes one by one.
func (w *warp) offsets(in *instr) (p unsafe.Pointer, ok bool) {
	var base, size uint64
	if w.blk.shadows != nil {
		return nil, false
	}
	if in.space == shared {
		size = uint64(len(w.blk.shared))
	} else if w.blk.run.careful {
		return nil, false
	} else {
		first := w.address(in, bits.TrailingZeros32(w.mask))
		if !w.near.has(first, in.total) && (first >= sharedWindow && first < globalWindow || !w.look(first, in.total)) {
			return nil, false
		}
		base, size = w.near.base, uint64(len(w.near.data))
	}
	if size < uint64(in.total) {
		return nil, false
	}
	last, low := size-uint64(in.total), uint64(in.total-1)
	at, sub := &w.at, in.disp-base
	wrong := uint64(0)
	switch {
	case w.mask != allLanes:
		for m := w.mask; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m)
			o := w.get(in.ac, in.a, i) + sub
			if o > last {
				return nil, false
			}
			wrong |= o
			at[i] = o
		}
	case in.ac == word64:
		a := &w.r64[in.a]
		for i := range at {
			o := a[i] + sub
			if o > last {
				return nil, false
			}
			wrong |= o
			at[i] = o
		}
	default:
		a := &w.r32[in.a]
		for i := range at {
			o := uint64(a[i]) + sub
			if o > last {
				return nil, false
			}
			wrong |= o
			at[i] = o
		}
	}
	if (wrong|base)&low != 0 {
		return nil, false
	}
	if in.space == shared {
		return unsafe.Pointer(&w.blk.shared[0]), true
	}
	return unsafe.Pointer(&w.near.data[0]), true
}

// quickLoad does the same as load, with a fast path if all active lanes access the same segment.
func quickLoad(w *warp, in *instr) {
	p, ok := w.offsets(in)
	if !ok {
		load(w, in)
		return
	}
	at := &w.at
	for j := range in.vec {
		r, q := &in.vec[j], unsafe.Add(p, j*in.size)
		switch {
		case in.size == 4 && r.class == word32 && w.mask == allLanes:
			d := &w.r32[r.row]
			for i := range d {
				d[i] = *(*uint32)(unsafe.Add(q, at[i]))
			}
		case in.size == 8 && w.mask == allLanes:
			d := &w.r64[r.row]
			for i := range d {
				d[i] = *(*uint64)(unsafe.Add(q, at[i]))
			}
		default:
			keep := r.typ.mask()
			for m := w.mask; m != 0; m &= m - 1 {
				i := bits.TrailingZeros32(m)
				v := peek(unsafe.Add(q, at[i]), in.size)
				if in.sign != noType {
					v = in.sign.extend(v)
				}
				w.put(r.class, r.row, i, v&keep)
			}
		}
	}
}

// quickStore does the same as store, with a fast path if all active lanes access the same segment.
func quickStore(w *warp, in *instr) {
	p, ok := w.offsets(in)
	if !ok {
		store(w, in)
		return
	}
	at := &w.at
	for j := range in.vec {
		r, q := &in.vec[j], unsafe.Add(p, j*in.size)
		switch {
		case in.size == 4 && r.class == word32 && w.mask == allLanes:
			s := &w.r32[r.row]
			for i := range s {
				*(*uint32)(unsafe.Add(q, at[i])) = s[i]
			}
		case in.size == 8 && w.mask == allLanes:
			s := &w.r64[r.row]
			for i := range s {
				*(*uint64)(unsafe.Add(q, at[i])) = s[i]
			}
		default:
			for m := w.mask; m != 0; m &= m - 1 {
				i := bits.TrailingZeros32(m)
				poke(unsafe.Add(q, at[i]), in.size, w.get(r.class, r.row, i))
			}
		}
	}
}

// peek returns the number in the n bytes at p, and poke stores a number there. The pointer p must be
// valid and aligned. The functions get and set do the same for a slice of bytes.
func peek(p unsafe.Pointer, n int) uint64 {
	switch n {
	case 1:
		return uint64(*(*uint8)(p))
	case 2:
		return uint64(*(*uint16)(p))
	case 4:
		return uint64(*(*uint32)(p))
	}
	return *(*uint64)(p)
}

func poke(p unsafe.Pointer, n int, v uint64) {
	switch n {
	case 1:
		*(*uint8)(p) = uint8(v)
	case 2:
		*(*uint16)(p) = uint16(v)
	case 4:
		*(*uint32)(p) = uint32(v)
	default:
		*(*uint64)(p) = v
	}
}

// loadParam loads from a parameter of the kernel. The loaded value is the same for all lanes.
func loadParam(w *warp, in *instr) {
	i := bits.TrailingZeros32(w.mask)
	b := w.place(in, i, w.address(in, i), in.total)
	if b == nil {
		return
	}
	for j, r := range in.vec {
		v := get(b[j*in.size:], in.size)
		if in.sign != noType {
			v = in.sign.extend(v)
		}
		v &= r.typ.mask()
		for m := w.mask; m != 0; m &= m - 1 {
			w.put(r.class, r.row, bits.TrailingZeros32(m), v)
		}
	}
}
