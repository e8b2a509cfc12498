package resource

import "encoding/binary"

// hash64 returns the same hash as TensorFlow's function Hash64 (MurmurHash64A). In TensorFlow's hash
// tables, this hash determines where a string is stored.
func hash64(s string) uint64 {
	const m, seed = 0xc6a4a7935bd1e995, 0xdecafcaffe
	h := seed ^ uint64(len(s))*m
	var b [8]byte
	for ; len(s) >= 8; s = s[8:] {
		copy(b[:], s)
		k := binary.LittleEndian.Uint64(b[:]) * m
		k ^= k >> 47
		h = (h ^ k*m) * m
	}
	if len(s) > 0 {
		b = [8]byte{}
		copy(b[:], s)
		h = (h ^ binary.LittleEndian.Uint64(b[:])) * m
	}
	h ^= h >> 47
	h *= m
	return h ^ h>>47
}
