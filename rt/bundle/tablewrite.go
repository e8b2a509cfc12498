package bundle

import "encoding/binary"

// These are the values that TensorFlow uses for its tables. With the same values, this package
// writes the same bytes as TensorFlow.
const (
	blockSize       = 256 << 10
	restartInterval = 16
)

// tableWriter writes a table of sorted entries, without compression.
type tableWriter struct {
	out   []byte
	block blockWriter
	index blockWriter
	last  string // the last key
	// pending is the last block that was written, if the field named waits is true. The block has
	// no entry in the index block yet, because the key of that entry depends on the next key of the
	// table.
	pending handle
	waits   bool
}

// add appends an entry. Keys must be added in sorted order.
func (t *tableWriter) add(key string, value []byte) {
	if t.waits {
		t.index.interval = 1
		t.index.add(separator(t.last, key), t.pending.append(nil))
		t.waits = false
	}
	t.block.interval = restartInterval
	t.block.add(key, value)
	t.last = key
	if t.block.size() >= blockSize {
		t.flush()
	}
}

// flush ends the current block of entries and writes it.
func (t *tableWriter) flush() {
	if len(t.block.b) == 0 {
		return
	}
	t.pending, t.waits = t.put(&t.block), true
	t.block = blockWriter{}
}

// put appends a block to the table and returns the block's position.
func (t *tableWriter) put(b *blockWriter) handle {
	h := handle{uint64(len(t.out)), uint64(b.size())}
	t.out = append(b.finish(t.out), 0) // not compressed
	t.out = binary.LittleEndian.AppendUint32(t.out, mask(crc(0, t.out[h.offset:])))
	return h
}

// finish ends the table and returns its bytes.
func (t *tableWriter) finish() []byte {
	t.flush()
	meta := t.put(&blockWriter{})
	if t.waits {
		t.index.interval = 1
		t.index.add(successor(t.last), t.pending.append(nil))
	}
	at := t.put(&t.index)
	footer := at.append(meta.append(nil))
	footer = append(footer, make([]byte, footerLen-8-len(footer))...)
	t.out = append(t.out, footer...)
	return binary.LittleEndian.AppendUint64(t.out, tableMagic)
}

// The method append appends the handle to b, as two varints, and returns the extended slice.
func (h handle) append(b []byte) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(b, h.offset), h.size)
}

// blockWriter writes a block. Each entry omits the bytes at the beginning of its key that are the
// same in the previous key. Every interval-th entry is a restart, which contains the whole key. The
// offsets of the restarts follow the entries.
type blockWriter struct {
	b        []byte
	restarts []uint32
	interval int
	count    int // entries since the last restart
	last     string
}

func (w *blockWriter) add(key string, value []byte) {
	shared := 0
	switch {
	case len(w.restarts) == 0:
		w.restarts = append(w.restarts, 0)
	case w.count == w.interval:
		w.restarts = append(w.restarts, uint32(len(w.b)))
		w.count = 0
	default:
		for shared < min(len(key), len(w.last)) && key[shared] == w.last[shared] {
			shared++
		}
	}
	for _, n := range []int{shared, len(key) - shared, len(value)} {
		w.b = binary.AppendUvarint(w.b, uint64(n))
	}
	w.b = append(append(w.b, key[shared:]...), value...)
	w.last = key
	w.count++
}

// size returns the number of bytes that the block will have after a call of the method finish.
func (w *blockWriter) size() int { return len(w.b) + 4*max(1, len(w.restarts)) + 4 }

func (w *blockWriter) finish(out []byte) []byte {
	out = append(out, w.b...)
	restarts := w.restarts
	if len(restarts) == 0 {
		restarts = []uint32{0}
	}
	for _, r := range restarts {
		out = binary.LittleEndian.AppendUint32(out, r)
	}
	return binary.LittleEndian.AppendUint32(out, uint32(len(restarts)))
}

// separator returns a short key k with a ≤ k < b.
func separator(a, b string) string {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	if n < min(len(a), len(b)) && a[n] < 0xff && a[n]+1 < b[n] {
		return a[:n] + string([]byte{a[n] + 1})
	}
	return a
}

// successor returns a short key k with a ≤ k.
func successor(a string) string {
	for i := range len(a) {
		if a[i] != 0xff {
			return a[:i] + string([]byte{a[i] + 1})
		}
	}
	return a
}
