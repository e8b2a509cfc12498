package rt

import (
	"encoding/binary"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"unsafe"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/par"
	"github.com/graphc/graphc/rt/tensor"
)

// WeightsMagic is the beginning of the header of a weights file. The header has HeaderSize bytes. Its
// last 32 bytes are the SHA-256 of all bytes after the header.
const (
	WeightsMagic = "graphc weights 1"
	HeaderSize   = 64
)

// Weights describes a model's weights file. The sections of the file begin at multiples of 64 bytes.
// The numbers in the sections are little-endian.
type Weights struct {
	Data string // the bytes of the file, if they are embedded in the program
	File string // the name of the file, if it is not embedded
	Size int
	Sum  string // the SHA-256 in the file's header, in hex
	// Sections are the sections that hold numbers of more than one byte.
	Sections []Section
	// Strings are the sections that hold string constants. Such a section contains the number of
	// strings as an unsigned varint. After that, it contains the length of each string as an unsigned
	// varint, followed by the bytes of the string.
	Strings []Section
}

// Section is a part of a weights file: its offset and size in bytes, and the size of its numbers in
// bytes.
type Section struct{ Off, Size, Unit int }

// Base is the state that all signatures of a model share.
type Base struct {
	opts    options
	weights []byte
	strings [][]string
	kept    []byte
	team    *par.Team       // nil if runs have one thread
	cleanup runtime.Cleanup // releases the team
	door    door
	owned   []owned
}

// owned is a value that Own has created, with its key. Close closes the value.
type owned struct {
	key any
	c   io.Closer
}

// Own returns the value that the instance keeps under the key. If there is no such value yet, Own
// calls the function open to create it; the method Close of the instance later closes the value. Own
// may be called only while the function New of emitted code creates the instance.
func (b *Base) Own(key any, open func() (io.Closer, error)) (io.Closer, error) {
	for _, o := range b.owned {
		if o.key == key {
			return o.c, nil
		}
	}
	c, err := open()
	if err == nil {
		b.owned = append(b.owned, owned{key, c})
	}
	return c, err
}

// MaxBytes returns the limit in bytes for the buffers of a run; see WithMaxBytes.
func (b *Base) MaxBytes() int { return b.opts.maxBytes }

// Keep allocates n zeroed bytes of state that all signatures share and that lasts as long as the
// instance. Runs are concurrent, so kernels must change the state atomically.
func (b *Base) Keep(n int) { b.kept = block(n) }

// Weights returns the bytes of the weights file. Emitted code uses them for the initial values of
// resources.
func (b *Base) Weights() []byte { return b.weights }

// Strings returns the string constants of the weights file.
func (b *Base) Strings() [][]string { return b.strings }

// Tensor returns numbers of the weights file as a tensor that the caller must not change. The parameter
// off is the offset of these numbers in the file, in bytes. The result is nil for a model that New did
// not make.
func (b *Base) Tensor(d tensor.DType, off int, shape ...int) *tensor.Tensor {
	if b == nil {
		return nil
	}
	n, err := tensor.Shape(shape).Len()
	if err != nil || n == 0 {
		return &tensor.Tensor{DType: d, Shape: shape, Data: tensor.MakeSlice(d, 0)}
	}
	_ = b.weights[off : off+n*d.Size()]
	return &tensor.Tensor{DType: d, Shape: shape, Data: reflect.SliceAt(d.GoType(), unsafe.Pointer(&b.weights[off]), n).Interface()}
}

// Text returns string constant i as a tensor that the caller must not change.
func (b *Base) Text(i int, shape ...int) *tensor.Tensor {
	if b == nil {
		return nil
	}
	return &tensor.Tensor{DType: tensor.String, Shape: shape, Data: b.strings[i]}
}

// Initializes reports whether New runs the model's initialization; see WithoutInit.
func (b *Base) Initializes() bool { return !b.opts.noInit }

// Open applies the options and loads the weights; w is nil for a model without weights. Embedded
// weights are used in place unless they are badly aligned. If an option is invalid, the error is that
// of the option. If the weights file is missing, the error is NotFound. If it is not a regular file,
// the error is FailedPrecondition. If it is not the file that w describes, the error is DataLoss.
func Open(w *Weights, opts ...Option) (*Base, error) {
	o, err := gather(opts)
	if err != nil {
		return nil, err
	}
	b := &Base{opts: o}
	b.door.closing, b.door.ended = make(chan struct{}), make(chan struct{})
	b.team = o.pool.hold()
	b.opts.dropNamed()
	b.cleanup = runtime.AddCleanup(b, (*ThreadPool).drop, o.pool)
	if w == nil {
		return b, nil
	}
	mapped := w.File != ""
	if b.weights, err = w.bytes(o.weights); err != nil {
		return nil, err
	}
	if mapped {
		// The weights can be unmapped when b is unreachable. Results are copies, so only the states of
		// runs refer to the mapped weights. A run holds its pool, and the pool refers to its states and
		// to b. So b is reachable as long as a run can read the weights.
		runtime.AddCleanup(b, unmap, b.weights)
	}
	if len(b.weights) != w.Size || string(b.weights[:len(WeightsMagic)]) != WeightsMagic ||
		hex.EncodeToString(b.weights[HeaderSize-32:HeaderSize]) != w.Sum {
		return nil, tensor.Errorf(tensor.DataLoss, "the weights file is not the one this program was emitted with: run graphc generate again, or fetch the file in full")
	}
	if hostBig() {
		b.weights = slices.Clone(b.weights)
		for _, s := range w.Sections {
			swap(b.weights[s.Off:s.Off+s.Size], s.Unit)
		}
	}
	b.weights = aligned(b.weights)
	for _, s := range w.Strings {
		text := b.weights[s.Off : s.Off+s.Size]
		if mapped { // results may contain the strings and outlive the model
			text = slices.Clone(text)
		}
		v, err := decodeStrings(text)
		if err != nil {
			return nil, err
		}
		b.strings = append(b.strings, v)
	}
	return b, nil
}

func (w *Weights) bytes(path string) ([]byte, error) {
	if w.File == "" {
		if len(w.Data) < HeaderSize {
			return nil, tensor.Errorf(tensor.DataLoss, "the embedded weights are empty")
		}
		return unsafe.Slice(unsafe.StringData(w.Data), len(w.Data)), nil
	}
	places := []string{path}
	if path == "" {
		places = []string{w.File}
		if exe, err := os.Executable(); err == nil {
			places = []string{filepath.Join(filepath.Dir(exe), w.File), w.File}
		}
	}
	for _, p := range places {
		f, size, err := openRegular(p)
		if tensor.CodeOf(err) == tensor.FailedPrecondition {
			return nil, err // the file is not regular
		}
		if err != nil {
			continue
		}
		defer f.Close()
		if size != int64(w.Size) || w.Size < HeaderSize {
			return nil, tensor.Errorf(tensor.DataLoss, "the weights file %s does not have the size that this program was emitted for", p)
		}
		return mapFile(f, w.Size)
	}
	return nil, tensor.Errorf(tensor.NotFound, "weights file not found: %s", strings.Join(places, ", "))
}

// aligned returns b, or a copy of it if b does not begin at a multiple of half a cache line.
func aligned(b []byte) []byte {
	if uintptr(unsafe.Pointer(unsafe.SliceData(b)))%(mem.Align/2) == 0 {
		return b
	}
	c := block(len(b))
	copy(c, b)
	return c
}

func hostBig() bool {
	x := uint16(1)
	return *(*byte)(unsafe.Pointer(&x)) == 0
}

// swap changes the byte order of b by reversing each group of bytes. The parameter unit is the number
// of bytes in a group.
func swap(b []byte, unit int) {
	for ; unit > 1 && len(b) >= unit; b = b[unit:] {
		slices.Reverse(b[:unit])
	}
}

func decodeStrings(b []byte) ([]string, error) {
	bad := tensor.Errorf(tensor.DataLoss, "a string constant in the weights is cut off")
	n, k := binary.Uvarint(b)
	if k <= 0 || n > uint64(len(b)) {
		return nil, bad
	}
	b = b[k:]
	out := make([]string, n)
	for i := range out {
		m, k := binary.Uvarint(b)
		if k <= 0 || m > uint64(len(b)-k) {
			return nil, bad
		}
		if m > 0 { // the string shares the memory of b and keeps it allocated
			out[i] = unsafe.String(&b[k], int(m))
		}
		b = b[k+int(m):]
	}
	return out, nil
}
