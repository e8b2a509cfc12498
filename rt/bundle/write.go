package bundle

import (
	"bufio"
	"encoding/binary"
	"maps"
	"math"
	"slices"

	"github.com/graphc/graphc/rt/tensor"
)

// Named is a tensor and its name in a checkpoint.
type Named struct {
	Key    string
	Tensor *tensor.Tensor
	Spec   *Spec // if Tensor is only a part of a tensor, Spec says which part; otherwise nil
}

// Write writes the given tensors as a new checkpoint. The bytes depend only on the tensors and
// their order. If Write fails or the process ends early, either the old or the new checkpoint is
// complete. Several writers may save with the same prefix at the same time; the checkpoint of one
// writer remains (see claim.go). The error is InvalidArgument for an empty or a repeated key.
func Write(prefix string, tensors []Named) error {
	w, err := Create(System{}, prefix)
	if err != nil {
		return err
	}
	defer w.Abort()
	for _, t := range tensors {
		if err := w.Add(t); err != nil {
			return err
		}
	}
	return w.Close()
}

// Writer writes one checkpoint, tensor by tensor, into one data file.
type Writer struct {
	files   Files
	prefix  string
	shards  int32 // the number of shards in the data file's name; see claim.go
	data    *held
	buf     *bufio.Writer
	size    int64
	entries map[string]*entry
	scratch []byte
}

// Create begins a new checkpoint with the given prefix in the file system fs, and creates the
// directory for the checkpoint. The caller must end the writing with Close or Abort.
func Create(fs Files, prefix string) (*Writer, error) {
	if err := makeDir(fs, prefix); err != nil {
		return nil, err
	}
	sweep(fs, prefix) // leftover files of a killed writer may fill the disk
	data, n, err := claim(fs, prefix, 1)
	if err != nil {
		return nil, fileError(err)
	}
	w := &Writer{files: fs, prefix: prefix, shards: n, data: data[0], entries: map[string]*entry{}}
	w.buf = bufio.NewWriterSize(w.data, 1<<18)
	return w, nil
}

// Add writes a tensor. The error is InvalidArgument for an empty or repeated key, for an element
// type that is not plain data, and for a slice whose tensor differs in type or shape from that of
// earlier slices.
func (w *Writer) Add(t Named) error {
	if t.Key == "" {
		return tensor.Errorf(tensor.InvalidArgument, "a tensor without a name cannot be saved")
	}
	n, err := t.Tensor.Shape.Len()
	if err != nil {
		return err
	}
	if d := t.Tensor.DType; !d.IsData() || n != t.Tensor.Len() {
		return tensor.Errorf(tensor.InvalidArgument, "%q is %v of %d elements, which cannot be saved", t.Key, t.Tensor, t.Tensor.Len())
	}
	e := &entry{dtype: int32(t.Tensor.DType), dims: dims(t.Tensor.Shape)}
	if t.Spec == nil || t.Spec.full() {
		return w.put(t.Key, e, t.Tensor)
	}
	if !t.Tensor.Shape.Equal(t.Spec.Slice.Length) {
		return tensor.Errorf(tensor.InvalidArgument, "%q: the slice has the shape %v, the tensor to save %v", t.Key, tensor.Shape(t.Spec.Slice.Length), t.Tensor.Shape)
	}
	whole := w.entries[t.Key]
	if whole == nil {
		whole = &entry{dtype: e.dtype, dims: dims(t.Spec.Whole)}
	}
	switch {
	case w.entries[t.Key] != nil && len(whole.slices) == 0:
		return twice(t.Key)
	case whole.dtype != e.dtype || !slices.Equal(whole.dims, dims(t.Spec.Whole)):
		return tensor.Errorf(tensor.InvalidArgument, "%q: its slices belong to tensors of different types or shapes", t.Key)
	}
	if err := w.put(sliceKey(t.Key, t.Spec.raw), e, t.Tensor); err != nil {
		return err
	}
	whole.slices = append(whole.slices, t.Spec.raw)
	w.entries[t.Key] = whole
	return nil
}

func dims(s tensor.Shape) []int64 {
	d := make([]int64, len(s))
	for i, n := range s {
		d[i] = int64(n)
	}
	return d
}

func twice(key string) error {
	return tensor.Errorf(tensor.InvalidArgument, "%q is saved twice", key)
}

// put writes the elements of a tensor and records its entry.
func (w *Writer) put(key string, e *entry, t *tensor.Tensor) error {
	if w.entries[key] != nil {
		return twice(key)
	}
	e.offset = w.size
	if s, ok := t.Data.([]string); ok {
		w.strings(e, s)
	} else {
		Encode(t.Data, func(b []byte) {
			e.crc = crc(e.crc, b)
			w.write(b)
		})
		e.crc = mask(e.crc)
	}
	e.size = w.size - e.offset
	w.entries[key] = e
	return nil
}

// The method write appends bytes to the data file. It returns no error, because the buffer keeps
// the first error, which Close returns.
func (w *Writer) write(b []byte) {
	n, _ := w.buf.Write(b)
	w.size += int64(n)
}

// strings writes strings in the format of decodeStrings.
func (w *Writer) strings(e *entry, s []string) {
	var sum uint32
	b := w.scratch[:0]
	var fixed [8]byte
	for _, x := range s {
		b = binary.AppendUvarint(b, uint64(len(x)))
		if uint64(len(x)) <= math.MaxUint32 {
			binary.LittleEndian.PutUint32(fixed[:], uint32(len(x)))
			sum = crc(sum, fixed[:4])
		} else {
			binary.LittleEndian.PutUint64(fixed[:], uint64(len(x)))
			sum = crc(sum, fixed[:8])
		}
	}
	check := binary.LittleEndian.AppendUint32(nil, mask(sum))
	b = append(b, check...)
	w.write(b)
	w.scratch = b
	sum = crc(sum, check)
	for _, x := range s {
		sum = crc(sum, []byte(x))
		n, _ := w.buf.WriteString(x)
		w.size += int64(n)
	}
	e.crc = mask(sum)
}

// Close writes the index, which completes the checkpoint.
func (w *Writer) Close() error {
	defer w.Abort()
	err := w.buf.Flush()
	if err == nil {
		err = w.data.Sync()
	}
	if err != nil {
		return fileError(err)
	}
	h := &header{shards: w.shards, big: false, producer: version}
	placed, err := commit(w.files, w.prefix, index(h, w.entries), w.shards, []*held{w.data})
	if placed {
		w.data.Close()
		w.data = nil
	}
	return fileError(err)
}

// Abort removes the written files, unless Close has completed the checkpoint.
func (w *Writer) Abort() {
	if w.data != nil {
		w.data.discard()
		w.data = nil
	}
}

// index returns the bytes of an index file.
func index(h *header, entries map[string]*entry) []byte {
	var t tableWriter
	t.add("", h.marshal())
	for _, k := range slices.Sorted(maps.Keys(entries)) {
		t.add(k, entries[k].marshal())
	}
	return t.finish()
}
