package bundle

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/graphc/graphc/rt/tensor"
)

// The index is a LevelDB table: blocks of sorted entries, an index block that refers to them, and
// a footer that refers to the index block.
const (
	footerLen    = 48
	blockTrailer = 5 // size of the data after each block: a byte for the compression, and a checksum of 4 bytes
	tableMagic   = 0xdb4775248b80fb57
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// mask converts a CRC to the form in which LevelDB stores it. LevelDB does not store a CRC
// unchanged, because a CRC of data that contains CRCs detects fewer errors.
func mask(crc uint32) uint32 { return (crc>>15 | crc<<17) + 0xa282ead8 }

// handle is the position of a block in the file.
type handle struct{ offset, size uint64 }

func dataLoss(format string, args ...any) error {
	return tensor.Errorf(tensor.DataLoss, format, args...)
}

// readHandle decodes a handle, which consists of two varints, from the start of b. It returns the
// rest of b.
func readHandle(b []byte) (handle, []byte, error) {
	offset, n := binary.Uvarint(b)
	if n <= 0 {
		return handle{}, nil, dataLoss("a block handle does not parse")
	}
	size, m := binary.Uvarint(b[n:])
	if m <= 0 {
		return handle{}, nil, dataLoss("a block handle does not parse")
	}
	return handle{offset, size}, b[n+m:], nil
}

// The function block checks the checksum of the block at h, decompresses the block if necessary,
// and returns it.
func block(file []byte, h handle) ([]byte, error) {
	if h.size > uint64(len(file)) {
		return nil, dataLoss("a block of %d bytes in a file of %d", h.size, len(file))
	}
	if h.offset > uint64(len(file)) || h.offset+h.size+blockTrailer > uint64(len(file)) {
		return nil, tensor.Errorf(tensor.OutOfRange, "the block at %d, %d bytes long, ends past the file's %d bytes", h.offset, h.size, len(file))
	}
	b := file[h.offset : h.offset+h.size+blockTrailer]
	body, kind := b[:h.size], b[h.size]
	want := binary.LittleEndian.Uint32(b[h.size+1:])
	if got := mask(crc32.Checksum(b[:h.size+1], castagnoli)); got != want {
		return nil, dataLoss("the block at %d has checksum %08x, its bytes give %08x", h.offset, want, got)
	}
	switch kind {
	case 0:
		return body, nil
	case 1:
		return unsnappy(body)
	}
	return nil, dataLoss("the block at %d is compressed by method %d; 0 (none) and 1 (snappy) are known", h.offset, kind)
}

// The function entries calls f with each key and value of a block. The function f may keep the key.
func entries(b []byte, f func(key string, value []byte) error) error {
	if len(b) < 4 {
		return dataLoss("a block of %d bytes has no restart count", len(b))
	}
	restarts := uint64(binary.LittleEndian.Uint32(b[len(b)-4:]))
	if restarts*4+4 > uint64(len(b)) {
		return dataLoss("a block of %d bytes claims %d restarts", len(b), restarts)
	}
	b = b[:uint64(len(b))-4-restarts*4]
	var key []byte
	for len(b) > 0 {
		// The three numbers are: how many bytes the key shares with the previous key, how many
		// further bytes the key has, and how many bytes the value has.
		var n [3]uint64
		for i := range n {
			v, m := binary.Uvarint(b)
			if m <= 0 {
				return dataLoss("a block's entry does not parse")
			}
			n[i], b = v, b[m:]
		}
		if n[0] > uint64(len(key)) || n[1] > uint64(len(b)) || n[2] > uint64(len(b))-n[1] {
			return dataLoss("a block's entry runs past the block")
		}
		key = append(key[:n[0]], b[:n[1]]...)
		if err := f(string(key), b[n[1]:n[1]+n[2]]); err != nil {
			return err
		}
		b = b[n[1]+n[2]:]
	}
	return nil
}

// readTable calls f with each entry of the table, in order.
func readTable(file []byte, f func(key string, value []byte) error) error {
	if len(file) < footerLen {
		return dataLoss("%d bytes are too short for a table", len(file))
	}
	footer := file[len(file)-footerLen:]
	if m := binary.LittleEndian.Uint64(footer[footerLen-8:]); m != tableMagic {
		return dataLoss("not a table: the magic number is %016x", m)
	}
	_, rest, err := readHandle(footer[:footerLen-8]) // skips the handle of the meta index, which this package does not use
	if err != nil {
		return err
	}
	h, _, err := readHandle(rest)
	if err != nil {
		return err
	}
	index, err := block(file, h)
	if err != nil {
		return err
	}
	// left is the number of bytes of the file that no block has used yet. Blocks must not overlap.
	left := uint64(len(file))
	return entries(index, func(_ string, v []byte) error {
		h, _, err := readHandle(v)
		if err != nil {
			return err
		}
		if h.size > left {
			return dataLoss("the blocks of the table take more than the file's %d bytes", len(file))
		}
		left -= h.size
		b, err := block(file, h)
		if err != nil {
			return err
		}
		return entries(b, f)
	})
}
