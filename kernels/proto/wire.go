package proto

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

// uvarint reads a number at s[i:]; next is negative for a malformed one.
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

func appendVarint(b []byte, v uint64) []byte {
	for ; v >= 0x80; v >>= 7 {
		b = append(b, byte(v)|0x80)
	}
	return append(b, byte(v))
}

func varintLen(v uint64) int {
	n := 1
	for ; v >= 0x80; v >>= 7 {
		n++
	}
	return n
}

func appendTag(b []byte, num, wire int) []byte { return appendVarint(b, uint64(num)<<3|uint64(wire)) }

// piece is one field as it stands in a message: all of it, and its value.
type piece struct {
	num, wire int
	v         uint64 // of a varint or of fixed bytes
	body      string // of bytes; of a group what lies between its tags
	raw       string
}

// next reads the field at s[i:]; after is negative for a malformed one. A group is
// passed over whole.
func next(s string, i, depth int) (p piece, after int) {
	tag, at := uvarint(s, i)
	if at < 0 || tag>>3 == 0 || tag > 1<<32-1 {
		return p, -1
	}
	p.num, p.wire = int(tag>>3), int(tag&7)
	size := 0
	switch p.wire {
	case wireVarint:
		if p.v, at = uvarint(s, at); at < 0 {
			return p, -1
		}
	case wireFixed8:
		size = 8
	case wireFixed4:
		size = 4
	case wireBytes:
		n, to := uvarint(s, at)
		if to < 0 || n > uint64(len(s)-to) {
			return p, -1
		}
		p.body, at = s[to:to+int(n)], to+int(n)
	case wireOpen:
		end := group(s, at, p.num, depth)
		if end < 0 {
			return p, -1
		}
		p.body = s[at : end-varintLen(uint64(p.num)<<3|wireClose)]
		at = end
	default:
		return p, -1
	}
	if size > len(s)-at {
		return p, -1
	}
	for k := range size {
		p.v |= uint64(s[at+k]) << (8 * k)
	}
	at += size
	p.raw = s[i:at]
	return p, at
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

// elements calls yield with every number of a packed field of that kind; false for
// a malformed one.
func elements(s string, k Kind, yield func(v uint64)) bool {
	size := 0
	switch k.wire() {
	case wireFixed8:
		size = 8
	case wireFixed4:
		size = 4
	case wireVarint:
		for i := 0; i < len(s); {
			v, at := uvarint(s, i)
			if at < 0 {
				return false
			}
			yield(v)
			i = at
		}
		return true
	default:
		return false
	}
	if len(s)%size != 0 {
		return false
	}
	for i := 0; i < len(s); i += size {
		v := uint64(0)
		for j := range size {
			v |= uint64(s[i+j]) << (8 * j)
		}
		yield(v)
	}
	return true
}

func zigzag32(v uint32) int32 { return int32(v>>1) ^ -int32(v&1) }
func zigzag64(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }

// Each calls visit for the fields of a message that Normal has written: number, the
// bytes of one that has a length, and all of it.
func Each(msg string, visit func(num int, body, raw string) error) error {
	for i := 0; i < len(msg); {
		p, after := next(msg, i, 0)
		if after < 0 {
			return nil
		}
		if err := visit(p.num, p.body, p.raw); err != nil {
			return err
		}
		i = after
	}
	return nil
}
