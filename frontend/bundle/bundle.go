// Package bundle reads TensorFlow's checkpoints of format V2 (TensorBundle): an
// index file with an entry for each tensor and data files that hold their bytes.
package bundle

import (
	"fmt"
	"io"
	"os"
	"sort"

	"google.golang.org/protobuf/proto"

	"github.com/graphc/graphc/frontend/pb"
	"github.com/graphc/graphc/rt/tensor"
)

// maxIndex bounds the index file, which is read at once.
const maxIndex = 1 << 30

// version is the bundle version this reader knows.
const version = 1

// Reader reads one checkpoint. Tensors are read when asked for; it holds no
// open file. It may be used by several goroutines.
type Reader struct {
	prefix  string
	header  *pb.BundleHeaderProto
	entries map[string]*pb.BundleEntryProto
	keys    []string
}

// Entry describes a tensor of the checkpoint.
type Entry struct {
	DType tensor.DType
	Shape tensor.Shape
}

// Open reads the index of the checkpoint with this prefix, such as
// model/variables/variables. NotFound when there is none, DataLoss when the
// index is damaged, InvalidArgument when its version is not known.
func Open(prefix string) (*Reader, error) {
	path := prefix + ".index"
	st, err := os.Stat(path)
	if err != nil {
		return nil, fileError(err)
	}
	if st.Size() > maxIndex {
		return nil, tensor.Errorf(tensor.ResourceExhausted, "%s: an index of %d bytes; at most %d are read", path, st.Size(), maxIndex)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, fileError(err)
	}
	r, err := parse(file)
	if err != nil {
		return nil, tensor.Errorf(tensor.CodeOf(err), "%s: %s", path, message(err))
	}
	r.prefix = prefix
	return r, nil
}

// message is an error's text without its code.
func message(err error) string {
	if e, ok := err.(*tensor.Error); ok {
		return e.Msg
	}
	return err.Error()
}

func fileError(err error) error {
	switch {
	case os.IsNotExist(err):
		return tensor.Errorf(tensor.NotFound, "%v", err)
	case os.IsPermission(err):
		return tensor.Errorf(tensor.PermissionDenied, "%v", err)
	}
	return tensor.Errorf(tensor.Unknown, "%v", err)
}

// parse reads an index file.
func parse(file []byte) (*Reader, error) {
	r := &Reader{entries: map[string]*pb.BundleEntryProto{}}
	first := true
	opts := proto.UnmarshalOptions{DiscardUnknown: true, RecursionLimit: 100}
	err := readTable(file, func(key string, value []byte) error {
		if first {
			first = false
			if key != "" {
				return dataLoss("the index has no header")
			}
			r.header = &pb.BundleHeaderProto{}
			if err := opts.Unmarshal(value, r.header); err != nil {
				return dataLoss("the header does not parse: %v", err)
			}
			return nil
		}
		e := &pb.BundleEntryProto{}
		if err := opts.Unmarshal(value, e); err != nil {
			return dataLoss("the entry of %q does not parse: %v", key, err)
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
	v := r.header.GetVersion()
	if v.GetMinConsumer() > version {
		return nil, tensor.Errorf(tensor.InvalidArgument, "the checkpoint asks for a reader of version %d or later, this is %d", v.GetMinConsumer(), version)
	}
	for _, bad := range v.GetBadConsumers() {
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

// Keys returns the names of the tensors in order. Do not change it.
func (r *Reader) Keys() []string { return r.keys }

// Entry tells type and shape of a tensor; false when there is none of that name
// or its entry is damaged.
func (r *Reader) Entry(key string) (Entry, bool) {
	e := r.entries[key]
	if e == nil {
		return Entry{}, false
	}
	s, err := shapeOf(e)
	if err != nil {
		return Entry{}, false
	}
	return Entry{baseType(e.Dtype), s}, true
}

func baseType(d pb.DataType) tensor.DType {
	if d < 0 || d > 255 {
		return tensor.Invalid
	}
	if d > 100 {
		d -= 100
	}
	return tensor.DType(d)
}

// shapeOf returns an entry's shape; DataLoss unless it is fully known and countable.
func shapeOf(e *pb.BundleEntryProto) (tensor.Shape, error) {
	if e.GetShape().GetUnknownRank() || len(e.GetShape().GetDim()) > 254 {
		return nil, dataLoss("the entry's shape is not known")
	}
	s := make(tensor.Shape, 0, len(e.GetShape().GetDim()))
	for _, d := range e.GetShape().GetDim() {
		s = append(s, int(d.Size))
	}
	if _, err := s.Len(); err != nil {
		return nil, dataLoss("%s", message(err))
	}
	return s, nil
}

// Read returns a tensor after checking its checksum; a tensor saved in slices
// is put together. NotFound when the checkpoint has none of that name or a data
// file is missing, OutOfRange when the data file ends too early, DataLoss when
// the entry contradicts itself or a checksum differs, InvalidArgument for an
// element type that is no data.
func (r *Reader) Read(key string) (*tensor.Tensor, error) {
	t, err := r.read(key)
	if err != nil {
		return nil, tensor.Errorf(tensor.CodeOf(err), "checkpoint %s: %q: %s", r.prefix, key, message(err))
	}
	return t, nil
}

func (r *Reader) read(key string) (*tensor.Tensor, error) {
	e := r.entries[key]
	if e == nil {
		return nil, tensor.Errorf(tensor.NotFound, "the checkpoint has no such tensor")
	}
	d := baseType(e.Dtype)
	if !d.IsData() {
		return nil, tensor.Errorf(tensor.InvalidArgument, "%v is no type of stored tensors", e.Dtype)
	}
	shape, err := shapeOf(e)
	if err != nil {
		return nil, err
	}
	if len(e.Slices) > 0 {
		return r.readSlices(key, e, d, shape)
	}
	return r.readEntry(e, d, shape)
}

// readEntry reads the bytes an entry points to.
func (r *Reader) readEntry(e *pb.BundleEntryProto, d tensor.DType, shape tensor.Shape) (*tensor.Tensor, error) {
	n, err := shape.Len()
	if err != nil {
		return nil, dataLoss("%s", message(err))
	}
	if e.Size < 0 {
		return nil, dataLoss("a size of %d bytes", e.Size)
	}
	if d == tensor.String {
		// At least a length byte for each string, and the lengths' checksum.
		if e.Size < 4 || int64(n) > e.Size-4 {
			return nil, dataLoss("%d strings in %d bytes", n, e.Size)
		}
	} else if int64(n) > e.Size/int64(d.Size()) || int64(n)*int64(d.Size()) != e.Size {
		return nil, dataLoss("%s%v does not fill %d bytes", d, shape, e.Size)
	}
	if e.Offset < 0 || e.Offset+e.Size < e.Offset {
		return nil, tensor.Errorf(tensor.InvalidArgument, "%d bytes at offset %d", e.Size, e.Offset)
	}
	raw, err := r.bytes(e)
	if err != nil {
		return nil, err
	}
	if d == tensor.String {
		return decodeStrings(e, raw, shape, n)
	}
	if got := mask(crc(0, raw)); got != e.Crc32C {
		return nil, dataLoss("the checksum is %08x, the bytes give %08x", e.Crc32C, got)
	}
	t, err := tensor.New(d, shape, 0)
	if err != nil {
		return nil, err
	}
	Decode(t.Data, raw, r.header.Endianness == pb.BundleHeaderProto_BIG)
	return t, nil
}

// bytes reads what an entry points to from its data file.
func (r *Reader) bytes(e *pb.BundleEntryProto) ([]byte, error) {
	path := fmt.Sprintf("%s.data-%05d-of-%05d", r.prefix, e.ShardId, r.header.NumShards)
	f, err := os.Open(path)
	if err != nil {
		return nil, fileError(err)
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, fileError(err)
	}
	if e.Offset+e.Size > st.Size() {
		return nil, tensor.Errorf(tensor.OutOfRange, "%d bytes at offset %d end past %s, %d bytes long", e.Size, e.Offset, path, st.Size())
	}
	raw := make([]byte, e.Size)
	if _, err := f.ReadAt(raw, e.Offset); err != nil && err != io.EOF {
		return nil, fileError(err)
	}
	return raw, nil
}
