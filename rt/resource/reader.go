package resource

import (
	"context"
	"os"
	"strconv"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// ReaderParams describes a reader of files.
type ReaderParams struct {
	Name                   string // for errors
	Skip                   int    // for text lines: how many lines to skip at the beginning of a file
	Header, Record, Footer int    // for records of fixed length: sizes in bytes
	Hop                    int    // for records of fixed length: bytes from the start of one record to the next; 0 means Record
	Compression            string // the compression of the files: ZLIB, GZIP or none
	serializes             bool
}

// Record is a record of a file. The key identifies the record: it is the file name or, for readers
// whose records are parts of files, the file name and a number.
type Record struct{ Key, Value string }

// format reads the records of one kind of file.
type format interface {
	// open opens the file with the given name below root.
	open(root *os.Root, name string) error
	// next returns the next record of the file. The second result is true if there are no more
	// records. The third result is true if the returned record is known to be the last one.
	next() (rec Record, none, last bool, err error)
	// close closes the current file, if there is one.
	close()
}

// Reader reads the records of files, one file after another. It takes the file names from a queue.
type Reader struct {
	ReaderParams
	f format

	turn     chan struct{} // a lock: contains an element while the reader is unlocked
	started  int64         // files
	finished int64
	produced int64 // records
	work     string
	// whether Restore has set the field work to the name of a file that must still be opened
	restored bool
}

func newReader(p ReaderParams, f format) tensor.Handle {
	r := &Reader{ReaderParams: p, f: f, turn: make(chan struct{}, 1)}
	r.turn <- struct{}{}
	return tensor.Handle{V: r}
}

// ReaderOf returns the reader that h holds. The error is NotFound for an empty handle and
// InvalidArgument for another kind of resource.
func ReaderOf(h []tensor.Handle) (*Reader, error) { return of[Reader](h, "a reader") }

// lock locks the reader. It returns the error of ctx if ctx ends first.
func (r *Reader) lock(ctx context.Context) error {
	if ctx == nil {
		<-r.turn
		return nil
	}
	select {
	case <-r.turn:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (r *Reader) unlock() { r.turn <- struct{}{} }

// Destroy resets the reader to its initial state.
func (r *Reader) Destroy() {
	<-r.turn
	defer r.unlock()
	r.reset()
}

func (r *Reader) reset() {
	r.f.close()
	r.started, r.finished, r.produced, r.work, r.restored = 0, 0, 0, "", false
}

// next takes a file name from the queue and opens this file. The error is OutOfRange if the queue is
// closed and empty.
func (r *Reader) next(ctx context.Context, root *os.Root, q *Queue) error {
	t, err := q.Dequeue(ctx)
	switch {
	case err != nil:
		return err
	case len(t) != 1:
		return tensor.Errorf(tensor.InvalidArgument, "Expected single component queue, it has %d", len(t))
	case t[0].DType != tensor.String:
		return tensor.Errorf(tensor.InvalidArgument, "Expected queue with single string component, it has %v", t[0].DType)
	}
	names, _ := t[0].Data.([]string)
	if len(names) != 1 {
		return tensor.Errorf(tensor.InvalidArgument, "Expected to dequeue a one-element string tensor, it has %d", len(names))
	}
	r.work, r.restored = names[0], false
	if err := r.f.open(root, r.work); err != nil {
		return err
	}
	r.started++
	return nil
}

// read returns the next records, all from one file. It returns at least one record; the parameter
// most is the largest number that it may return. The caller holds the lock.
func (r *Reader) read(run *mem.Budget, ctx context.Context, root *os.Root, q *Queue, most int) ([]Record, error) {
	limit := min(maxRead, run.Left())
	var out []Record
	bytes := 0
	for len(out) == 0 {
		if r.finished == r.started {
			if err := r.next(ctx, root, q); err != nil {
				return nil, err
			}
		}
		if r.restored {
			if err := r.f.open(root, r.work); err != nil {
				return nil, err
			}
			r.restored = false
		}
		for len(out) < most {
			if err := run.Err(); err != nil {
				return nil, err
			}
			rec, none, last, err := r.f.next()
			if err != nil {
				return nil, err
			}
			if !none {
				if bytes += len(rec.Value) + len(rec.Key) + recordBytes; bytes > limit {
					return nil, tensor.Errorf(tensor.ResourceExhausted, "the records have more than %d bytes, the most that is read at once, or that the run may take", limit)
				}
				out = append(out, rec)
			}
			if none || last {
				r.f.close()
				r.finished = r.started
				break
			}
		}
	}
	r.produced += int64(len(out))
	return out, run.Make(bytes)
}

// recordBytes is the approximate size of a record without the bytes of its strings. It is twice the
// size of a Record, because append may allocate twice as much memory as a slice needs.
const recordBytes = 64

// maxRead bounds the bytes of records that one call reads.
const maxRead = 512 << 20

// Read returns the next record. If it needs another file, it waits for a file name from queue q.
// The error is OutOfRange if q is closed and empty, and ResourceExhausted if the record exceeds the
// limit of the run or 512 MiB.
func (r *Reader) Read(run *mem.Budget, ctx context.Context, root *os.Root, q *Queue) (Record, error) {
	if err := r.lock(ctx); err != nil {
		return Record{}, err
	}
	defer r.unlock()
	l, err := r.read(run, ctx, root, q, 1)
	if err != nil {
		return Record{}, err
	}
	return l[0], nil
}

// ReadUpTo returns the next records: at least one and at most n, all from one file. The error is
// InvalidArgument if n < 1. The other errors are those of Read.
func (r *Reader) ReadUpTo(run *mem.Budget, ctx context.Context, root *os.Root, q *Queue, n int64) ([]Record, error) {
	if n <= 0 {
		return nil, tensor.Errorf(tensor.InvalidArgument, "num_records must be positive, it is %d", n)
	}
	if err := r.lock(ctx); err != nil {
		return nil, err
	}
	defer r.unlock()
	return r.read(run, ctx, root, q, int(min(n, 1<<40)))
}

// Counts returns how many records the reader has returned, and how many files it has read to the
// end.
func (r *Reader) Counts(ctx context.Context) (records, files int64, err error) {
	if err := r.lock(ctx); err != nil {
		return 0, 0, err
	}
	defer r.unlock()
	return r.produced, r.finished, nil
}

// Reset resets the reader to its initial state.
func (r *Reader) Reset(ctx context.Context) error {
	if err := r.lock(ctx); err != nil {
		return err
	}
	defer r.unlock()
	r.reset()
	return nil
}

// State returns the reader's state as an encoded ReaderBaseState message of TensorFlow. The error is
// Unimplemented for readers whose records are parts of files.
func (r *Reader) State(ctx context.Context) (string, error) {
	if !r.serializes {
		return "", tensor.Errorf(tensor.Unimplemented, "Reader SerializeState")
	}
	if err := r.lock(ctx); err != nil {
		return "", err
	}
	defer r.unlock()
	var b []byte
	for i, v := range []int64{r.started, r.finished, r.produced} {
		if v != 0 {
			b = appendVarint(append(b, byte(i+1)<<3), uint64(v))
		}
	}
	if r.work != "" {
		b = appendVarint(append(b, 4<<3|2), uint64(len(r.work)))
		b = append(b, r.work...)
	}
	return string(b), nil
}

func appendVarint(b []byte, v uint64) []byte {
	for ; v >= 0x80; v >>= 7 {
		b = append(b, byte(v)|0x80)
	}
	return append(b, byte(v))
}

// Restore sets the reader's state to one that State returned earlier. The error is InvalidArgument for
// malformed bytes or impossible counts, and Unimplemented for readers whose records are parts of
// files.
func (r *Reader) Restore(ctx context.Context, state string) error {
	if !r.serializes {
		return tensor.Errorf(tensor.Unimplemented, "Reader RestoreState")
	}
	counts, work, ok := readerState(state)
	if !ok {
		return tensor.Errorf(tensor.InvalidArgument, "Could not parse state for %s: %q", r.Name, state[:min(len(state), 100)])
	}
	if err := r.lock(ctx); err != nil {
		return err
	}
	defer r.unlock()
	for i, what := range []string{"work started", "work finished", "records produced"} {
		if counts[i] < 0 {
			return tensor.Errorf(tensor.InvalidArgument, "Unexpected negative value when restoring in %s: %s %d", r.Name, what, counts[i])
		}
	}
	if counts[1] > counts[0] {
		return tensor.Errorf(tensor.InvalidArgument, "Inconsistent work started vs. finished when restoring in %s: %d vs. %d", r.Name, counts[0], counts[1])
	}
	r.f.close()
	r.started, r.finished, r.produced, r.work = counts[0], counts[1], counts[2], work
	r.restored = r.started != r.finished
	return nil
}

// readerState parses an encoded ReaderBaseState message. The first result contains three numbers: of
// started files, of finished files and of records. The second result is the name of the current file.
func readerState(s string) (counts [3]int64, work string, ok bool) {
	uvarint := func() (v uint64, ok bool) {
		for shift := 0; shift < 70 && len(s) > 0; shift += 7 {
			b := s[0]
			s = s[1:]
			v |= uint64(b&0x7f) << shift
			if b < 0x80 {
				return v, true
			}
		}
		return 0, false
	}
	for len(s) > 0 {
		tag, ok := uvarint()
		if !ok || tag>>3 == 0 {
			return counts, "", false
		}
		n, text := uint64(0), ""
		switch tag & 7 {
		case 0:
			if n, ok = uvarint(); !ok {
				return counts, "", false
			}
		case 2:
			if n, ok = uvarint(); !ok || n > uint64(len(s)) {
				return counts, "", false
			}
			text, s = s[:n], s[n:]
		case 1, 5:
			size := 8
			if tag&7 == 5 {
				size = 4
			}
			if len(s) < size {
				return counts, "", false
			}
			s = s[size:]
		default:
			return counts, "", false
		}
		switch {
		case tag&7 == 0 && tag>>3 <= 3:
			counts[tag>>3-1] = int64(n)
		case tag == 4<<3|2:
			work = text
		}
	}
	return counts, work, true
}

// numbered returns the key of a record that is a part of a file. Depending on the format, n is the
// number of the record or its offset in the file.
func numbered(name string, n int64) string { return name + ":" + strconv.FormatInt(n, 10) }
