package ptx

import "fmt"

// shadow records the accesses to a byte of shared memory. An epoch is the time between two
// barriers; accesses of earlier epochs do not matter.
type shadow struct {
	written, read uint32 // the epochs of the last write and the last read
	// the index of the warp that wrote in that epoch; -1 if more than one warp wrote
	writer int16
	// the index of the warp that read in that epoch; -1 if more than one warp read
	reader int16
	atomic bool // whether the last write was an atomic operation
}

const several = -1

// raced records an access to shared memory. It reports a fault if another warp has accessed the
// same bytes, no barrier orders the two accesses, and at least one of them writes. It does not
// report writes of the same value by several warps, accesses that are all volatile or atomic, and
// accesses by lanes of one warp.
func (w *warp) raced(in *instr, lane, at, n int, value uint64) {
	b := w.blk
	me := int16(w.index)
	writes := in.what != "read"
	for i := range n {
		s := &b.shadows[at+i]
		switch {
		case s.written == b.epoch && s.writer != me && !(in.what == "write" && b.shared[at+i] == byte(value>>(8*i))):
			who := fmt.Sprintf("warp %d writes", s.writer)
			if s.writer == several {
				who = "several warps write"
			}
			w.fault(in, lane, fmt.Sprintf("%s of shared memory at %#x, which %s with no barrier between", in.what, at+i, who))
			return
		case writes && s.read == b.epoch && s.reader != me:
			who := fmt.Sprintf("warp %d reads", s.reader)
			if s.reader == several {
				who = "several warps read"
			}
			w.fault(in, lane, fmt.Sprintf("%s of shared memory at %#x, which %s with no barrier between", in.what, at+i, who))
			return
		}
		if writes {
			s.written, s.writer, s.atomic = b.epoch, me, false
		} else if s.read != b.epoch {
			s.read, s.reader = b.epoch, me
		} else if s.reader != me {
			s.reader = several
		}
	}
}

// racedAtomic records an atomic operation on shared memory. Like raced, it reports a fault if the
// operation conflicts with an access of another warp. Two atomic operations do not conflict, even if
// no barrier orders them.
func (w *warp) racedAtomic(in *instr, lane, at int) {
	b := w.blk
	for i := range in.size {
		s := &b.shadows[at+i]
		if s.written == b.epoch && s.writer != int16(w.index) && s.atomic {
			s.written, s.writer = 0, several
		}
		was := s.writer
		w.raced(in, lane, at+i, 1, 0)
		if was == several {
			s.writer = several
		}
		s.atomic = true
	}
}
