package tensorproto

// The wire types of protocol buffers.
const (
	wireVarint = 0
	wireFixed8 = 1
	wireBytes  = 2
	wireOpen   = 3
	wireClose  = 4
	wireFixed4 = 5
)

// maxDepth bounds how deep messages and groups lie in each other.
const maxDepth = 100

// uvarint reads a number of at most ten bytes at s[i:]; next is negative for a
// malformed one. Bits beyond the 64th are dropped.
func uvarint(s string, i int) (v uint64, next int) {
	for shift := uint(0); shift < 70; shift += 7 {
		if i >= len(s) {
			return 0, -1
		}
		b := s[i]
		i++
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return v, i
		}
	}
	return 0, -1
}

// appendUvarint appends the varint form of v.
func appendUvarint(dst []byte, v uint64) []byte {
	for v >= 0x80 {
		dst = append(dst, byte(v)|0x80)
		v >>= 7
	}
	return append(dst, byte(v))
}

// uvarintLen is the number of bytes of the varint form of v.
func uvarintLen(v uint64) int {
	n := 1
	for ; v >= 0x80; v >>= 7 {
		n++
	}
	return n
}

// field is one field of a message, whose content is body.
type field struct {
	num, wire int
	value     uint64 // of a varint
	body      string // of bytes and of fixed sizes
}

// next reads the field at s[i:]; after is negative for a malformed one. A group
// is passed over whole.
func next(s string, i, depth int) (f field, after int) {
	tag, at := uvarint(s, i)
	if at < 0 || tag>>3 == 0 || tag > 1<<32-1 {
		return f, -1
	}
	f = field{num: int(tag >> 3), wire: int(tag & 7)}
	size := 0
	switch f.wire {
	case wireVarint:
		f.value, at = uvarint(s, at)
		return f, at
	case wireFixed8:
		size = 8
	case wireFixed4:
		size = 4
	case wireBytes:
		n, to := uvarint(s, at)
		if to < 0 || n > uint64(len(s)-to) {
			return f, -1
		}
		at, size = to, int(n)
	case wireOpen:
		return f, group(s, at, f.num, depth)
	default:
		return f, -1
	}
	if size > len(s)-at {
		return f, -1
	}
	f.body = s[at : at+size]
	return f, at + size
}

// group returns the place behind the end of the group num, whose content begins at s[i:].
func group(s string, i, num, depth int) int {
	if depth >= maxDepth {
		return -1
	}
	for {
		tag, at := uvarint(s, i)
		if at < 0 {
			return -1
		}
		if tag&7 == wireClose {
			if tag>>3 != uint64(num) {
				return -1
			}
			return at
		}
		if _, i = next(s, i, depth+1); i < 0 {
			return -1
		}
	}
}

// fields calls visit for every field of a message; false for a malformed one.
func fields(s string, depth int, visit func(f *field) bool) bool {
	if depth > maxDepth {
		return false
	}
	for i := 0; i < len(s); {
		var f field
		if f, i = next(s, i, depth); i < 0 || !visit(&f) {
			return false
		}
	}
	return true
}

// varints calls yield with every number of a repeated field, packed or not; false
// for malformed ones.
func (f *field) varints(yield func(v uint64)) bool {
	if f.wire == wireVarint {
		yield(f.value)
		return true
	}
	for i := 0; i < len(f.body); {
		v, at := uvarint(f.body, i)
		if at < 0 {
			return false
		}
		yield(v)
		i = at
	}
	return true
}
