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

// WeightsMagic begins a weights file; the SHA-256 of what follows the first
// HeaderSize bytes comes after it.
const (
	WeightsMagic = "graphc weights 1"
	HeaderSize   = 64
)

// Weights describes a model's weights file. Its sections begin at multiples of
// 64 bytes and are little-endian.
type Weights struct {
	Data string // the file's bytes when it is embedded
	File string // the file's name when it is not
	Size int
	Sum  string // the SHA-256 in the file's header, in hex
	// Sections are those that hold numbers of several bytes.
	Sections []Section
	// Strings are those that hold string constants: the number of strings, then
	// each one's length as an unsigned varint and its bytes.
	Strings []Section
}

// Section is a part of a weights file. Unit is the width of its numbers.
type Section struct{ Off, Size, Unit int }

// Base is what all signatures of a model share.
type Base struct {
	opts    options
	weights []byte
	strings [][]string
	kept    []byte
	team    *par.Team       // nil where runs have one thread
	cleanup runtime.Cleanup // lets go of the team
	door    door
	owned   []owned
}

// owned is what Close lets go of.
type owned struct {
	key any
	c   io.Closer
}

// Own returns what the instance has by key, which open makes where there is nothing yet, and Close closes.
// Only New may call it.
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

// MaxBytes returns the limit of the buffers of a run; see WithMaxBytes.
func (b *Base) MaxBytes() int { return b.opts.maxBytes }

// Keep readies n bytes of state, zero at first, that all signatures share and
// that lasts as long as the model. Kernels change it atomically.
func (b *Base) Keep(n int) { b.kept = block(n) }

// Weights returns the numbers of the weights file, Strings its string constants:
// what resources are made of.
func (b *Base) Weights() []byte { return b.weights }

// Strings returns the string constants; see Weights.
func (b *Base) Strings() [][]string { return b.strings }

// Tensor returns numbers of the weights file as a tensor that must not be changed.
// It is nil for a model that New has not made.
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

// Text returns a string constant as a tensor that must not be changed.
func (b *Base) Text(i int, shape ...int) *tensor.Tensor {
	if b == nil {
		return nil
	}
	return &tensor.Tensor{DType: tensor.String, Shape: shape, Data: b.strings[i]}
}

// Initializes reports that the model's initialization is to be run; see WithoutInit.
func (b *Base) Initializes() bool { return !b.opts.noInit }

// Open applies the options and readies the weights: embedded ones are used where
// they are, unless their place in memory is badly aligned. w is nil for a model
// without weights.
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
		// Nothing but the states of runs refers to the mapped weights: results
		// are copies. Pools hold the states and b, and runs hold the pools.
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
		if mapped { // strings may outlive the model
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
			return nil, err // no regular file
		}
		if err != nil {
			continue
		}
		defer f.Close()
		if size != int64(w.Size) || w.Size < HeaderSize {
			return nil, tensor.Errorf(tensor.DataLoss, "the weights file %s has not the size this program was emitted for", p)
		}
		return mapFile(f, w.Size)
	}
	return nil, tensor.Errorf(tensor.NotFound, "the weights file is not found: %s", strings.Join(places, ", "))
}

// aligned returns b, or a copy when a section of it would not begin at a
// multiple of half a cache line.
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

// swap reverses each group of unit bytes.
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
		if m > 0 { // shares b's memory, which lives as long as the string
			out[i] = unsafe.String(&b[k], int(m))
		}
		b = b[k+int(m):]
	}
	return out, nil
}
