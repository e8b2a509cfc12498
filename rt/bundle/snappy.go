package bundle

import "encoding/binary"

// unsnappy decompresses a block in snappy's raw format. The block begins with the uncompressed
// length. Literals and copies of earlier output follow.
func unsnappy(src []byte) ([]byte, error) {
	n, m := binary.Uvarint(src)
	// Three bytes of input produce at most 64 bytes of output.
	if m <= 0 || n > uint64(len(src))*64 {
		return nil, dataLoss("a snappy block's length does not parse")
	}
	src = src[m:]
	dst := make([]byte, 0, n)
	for len(src) > 0 {
		tag := src[0]
		src = src[1:]
		length, extra := int(tag>>2)+1, 0 // extra is the number of bytes after the tag that belong to the length or the offset
		switch tag & 3 {
		case 0:
			if length > 60 {
				extra = length - 60
			}
		case 1:
			length, extra = int(tag>>2&7)+4, 1
		case 2:
			extra = 2
		case 3:
			extra = 4
		}
		if extra > len(src) {
			return nil, dataLoss("a snappy block ends within a tag")
		}
		var v uint64
		for i := range extra {
			v |= uint64(src[i]) << (8 * i)
		}
		src = src[extra:]
		if tag&3 == 0 {
			if extra > 0 {
				length = int(v) + 1
			}
			if length > len(src) || length > int(n)-len(dst) {
				return nil, dataLoss("a snappy literal runs past the block")
			}
			dst = append(dst, src[:length]...)
			src = src[length:]
			continue
		}
		if tag&3 == 1 {
			v |= uint64(tag&0xe0) << 3
		}
		if v == 0 || v > uint64(len(dst)) || length > int(n)-len(dst) {
			return nil, dataLoss("a snappy copy reaches outside the block")
		}
		// A copy may overlap its own output; then the copied bytes repeat.
		for from := len(dst) - int(v); length > 0; length-- {
			dst = append(dst, dst[from])
			from++
		}
	}
	if uint64(len(dst)) != n {
		return nil, dataLoss("a snappy block has %d bytes, its header says %d", len(dst), n)
	}
	return dst, nil
}
