// Package bundle reads and writes TensorFlow's checkpoints of format V2 (TensorBundle): an index
// file with an entry for each tensor, and data files with their bytes. It also reads format V1.
// Files are untrusted input.
package bundle

import (
	"fmt"
	"io"
	iofs "io/fs"
	"sort"

	"github.com/graphc/graphc/rt/files"
	"github.com/graphc/graphc/rt/tensor"
)

// maxIndex bounds the size of the index file, which is read as a whole.
const maxIndex = 1 << 30

// version is the bundle version that this reader supports.
const version = 1

// Reader reads one checkpoint. It reads a tensor only when the caller asks for it. It keeps files
// open only during a call of View. It is safe for concurrent use.
type Reader struct {
	files   source
	prefix  string
	header  *header
	entries map[string]*entry
	keys    []string
	pinned  map[int32]pinned // data files that View keeps open
	v1      []*tableV1       // the tables of format V1
}

// Entry describes a tensor of the checkpoint.
type Entry struct {
	DType tensor.DType
	Shape tensor.Shape
}

// Open reads the index of the checkpoint with this prefix, such as model/variables/variables. It
// tries format V2 first, then V1. The error is NotFound if there is no checkpoint, DataLoss if the
// index is damaged, and InvalidArgument if its version is not supported.
func Open(prefix string) (*Reader, error) { return OpenIn(System{}, prefix) }

// OpenIn opens a checkpoint in the file system fs, as Open does in the host's file system.
func OpenIn(fs Files, prefix string) (*Reader, error) { return openFrom(onDisk{fs}, prefix) }

// OpenFS opens a checkpoint in fsys, as Open does in the host's file system. The parameter prefix
// is a slash-separated path in fsys. If a file of fsys is not an io.ReaderAt, its contents stay in
// memory after the first read.
func OpenFS(fsys iofs.FS, prefix string) (*Reader, error) {
	return openFrom(&inFS{fsys: fsys}, prefix)
}

func openFrom(from source, prefix string) (*Reader, error) {
	r, err := readV2(from, prefix)
	if tensor.CodeOf(err) == tensor.NotFound {
		if old, e := openV1(from, prefix, false); old != nil || e != nil {
			return old, e
		}
	}
	return r, err
}

func openV2(fs Files, prefix string) (*Reader, error) { return readV2(onDisk{fs}, prefix) }

func readV2(from source, prefix string) (*Reader, error) {
	file, err := read(from, indexName(prefix), maxIndex)
	if err != nil {
		return nil, err
	}
	return parseAt(from, prefix, file)
}

// parseAt parses the contents of the index file of a checkpoint. The parameter prefix is the
// checkpoint's prefix.
func parseAt(from source, prefix string, file []byte) (*Reader, error) {
	r, err := parse(file)
	if err != nil {
		return nil, tensor.Errorf(tensor.CodeOf(err), "%s: %s", indexName(prefix), message(err))
	}
	r.files, r.prefix = from, prefix
	return r, nil
}

func indexName(prefix string) string { return prefix + ".index" }

func dataName(prefix string, shard, shards int32) string {
	return fmt.Sprintf("%s.data-%05d-of-%05d", prefix, shard, shards)
}

// message returns an error's text without its code.
func message(err error) string {
	if e, ok := err.(*tensor.Error); ok {
		return e.Msg
	}
	return err.Error()
}

// fileError converts an error of a file operation to an error with TensorFlow's code.
func fileError(err error) error { return files.Error(err) }

// parse parses an index file.
func parse(file []byte) (*Reader, error) {
	r := &Reader{entries: map[string]*entry{}}
	first := true
	err := readTable(file, func(key string, value []byte) (err error) {
		if first {
			first = false
			if key != "" {
				return dataLoss("the index has no header")
			}
			if r.header, err = parseHeader(value); err != nil {
				return dataLoss("the header does not parse: %s", message(err))
			}
			return nil
		}
		e, err := parseEntry(value)
		if err != nil {
			return dataLoss("the entry of %q does not parse: %s", key, message(err))
		}
		if _, twice := r.entries[key]; twice {
			return dataLoss("%q has two entries", key)
		}
		r.entries[key] = e
		return nil
	})
	if err != nil {
		return nil, err
	}
	if r.header == nil {
		return nil, dataLoss("the index has no header")
	}
	if r.header.minConsumer > version {
		return nil, tensor.Errorf(tensor.InvalidArgument, "the checkpoint requires a reader of version %d or later, this is %d", r.header.minConsumer, version)
	}
	for _, bad := range r.header.bad {
		if bad == version {
			return nil, tensor.Errorf(tensor.InvalidArgument, "the checkpoint refuses readers of version %d", bad)
		}
	}
	for k := range r.entries {
		if len(k) > 0 && k[0] != 0 { // keys of slices begin with 0
			r.keys = append(r.keys, k)
		}
	}
	sort.Strings(r.keys)
	return r, nil
}

// Keys returns the names of the tensors, sorted. The caller must not change the slice.
func (r *Reader) Keys() []string { return r.keys }

// Entry returns the type and shape of a tensor. It returns false if the name is unknown or the
// entry is damaged.
func (r *Reader) Entry(key string) (Entry, bool) {
	e := r.entries[key]
	if e == nil {
		return Entry{}, false
	}
	s, err := e.wholeShape()
	if err != nil {
		return Entry{}, false
	}
	return Entry{baseType(e.dtype), s}, true
}

// Read returns a tensor after checking its checksum. It assembles a tensor that was saved in
// slices. The error is NotFound for an unknown name or a missing data file, OutOfRange if the data
// file ends too early, DataLoss if the entry is inconsistent or a checksum differs, and
// InvalidArgument for an element type that is not plain data or if slices are missing.
func (r *Reader) Read(key string) (*tensor.Tensor, error) {
	t, err := r.read(key, nil)
	return t, r.at(key, err)
}

// ReadSlice reads the part p of a tensor, as Read does for a whole tensor. The error is
// InvalidArgument if the tensor's shape is not p.Whole. If the tensor was saved in slices, only the
// slices that overlap p must be in the checkpoint.
func (r *Reader) ReadSlice(key string, p *Spec) (*tensor.Tensor, error) {
	t, err := r.read(key, p)
	return t, r.at(key, err)
}

func (r *Reader) at(key string, err error) error {
	if err == nil {
		return nil
	}
	return tensor.Errorf(tensor.CodeOf(err), "checkpoint %s: %q: %s", r.prefix, key, message(err))
}

func (r *Reader) read(key string, p *Spec) (*tensor.Tensor, error) {
	e := r.entries[key]
	if e == nil {
		return nil, tensor.Errorf(tensor.NotFound, "the checkpoint has no such tensor")
	}
	d := baseType(e.dtype)
	if !d.IsData() {
		return nil, tensor.Errorf(tensor.InvalidArgument, "tensors of element type %d cannot be stored", e.dtype)
	}
	shape, err := e.wholeShape()
	if err != nil {
		return nil, err
	}
	if p != nil && !shape.Equal(p.Whole) {
		return nil, tensor.Errorf(tensor.InvalidArgument, "the shape in the shape_and_slice specification is %v, the checkpoint has %v", p.Whole, shape)
	}
	if len(e.slices) > 0 {
		want := Slice{make([]int, len(shape)), shape}
		if p != nil {
			want = p.Slice
		}
		return r.readSlices(key, e, d, shape, want)
	}
	t, err := r.readEntry(e, d, shape)
	if err != nil || p == nil {
		return t, err
	}
	return Cut(t, p.Slice)
}

// readEntry reads the bytes that an entry refers to.
func (r *Reader) readEntry(e *entry, d tensor.DType, shape tensor.Shape) (*tensor.Tensor, error) {
	if e.v1 != nil {
		return r.readV1(e.v1, d, shape)
	}
	n, err := shape.Len()
	if err != nil {
		return nil, dataLoss("%s", message(err))
	}
	if e.size < 0 {
		return nil, dataLoss("the size is negative: %d bytes", e.size)
	}
	if d == tensor.String {
		// Each string needs at least one byte, for its length. The lengths are followed by a
		// checksum of 4 bytes.
		if e.size < 4 || int64(n) > e.size-4 {
			return nil, dataLoss("%d strings in %d bytes", n, e.size)
		}
	} else if int64(n) > e.size/int64(d.Size()) || int64(n)*int64(d.Size()) != e.size {
		return nil, dataLoss("%s%v does not fill %d bytes", d, shape, e.size)
	}
	if e.offset < 0 || e.offset+e.size < e.offset {
		return nil, tensor.Errorf(tensor.InvalidArgument, "the range is invalid: %d bytes at offset %d", e.size, e.offset)
	}
	raw, err := r.bytes(e)
	if err != nil {
		return nil, err
	}
	if d == tensor.String {
		return decodeStrings(e, raw, shape, n)
	}
	if got := mask(crc(0, raw)); got != e.crc {
		return nil, dataLoss("the checksum is %08x, the bytes give %08x", e.crc, got)
	}
	t, err := tensor.New(d, shape, 0)
	if err != nil {
		return nil, err
	}
	Decode(t.Data, raw, r.header.big)
	return t, nil
}

// bytes reads the bytes of an entry from its data file.
func (r *Reader) bytes(e *entry) ([]byte, error) {
	path := dataName(r.prefix, e.shard, r.header.shards)
	p, ok := r.pinned[e.shard]
	f, size := p.f, p.size
	if !ok {
		var err error
		if f, size, err = r.files.open(path); err != nil {
			return nil, err
		}
		defer f.Close()
	}
	if e.offset+e.size > size {
		return nil, tensor.Errorf(tensor.OutOfRange, "%d bytes at offset %d end past %s, %d bytes long", e.size, e.offset, path, size)
	}
	raw := make([]byte, e.size)
	if _, err := f.ReadAt(raw, e.offset); err != nil && err != io.EOF {
		return nil, fileError(err)
	}
	return raw, nil
}
