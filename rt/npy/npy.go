// Package npy reads and writes NumPy's .npy and .npz files.
//
// All element types except handles are supported. NumPy has no type bfloat16 and no quantized types.
// Tensors of type bfloat16 are therefore written as their raw bits (<u2), and those of quantized
// types as integers. The function Cast restores the original type. Strings are written as byte
// strings (|S) that are padded with zeros to the length of the longest one. NumPy drops trailing zero
// bytes, so a string that ends with a zero byte is refused.
//
// Files are untrusted input. Memory grows with the data that is actually read, not with the size in a
// header, and stays below the caller's limit: a few bytes of a compressed file can expand to any
// size.
package npy

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/graphc/graphc/rt/files"
	"github.com/graphc/graphc/rt/tensor"
)

// MaxBytes is the limit in bytes for reading, unless the caller sets another one.
const MaxBytes = min(1<<36, math.MaxInt)

const magic = "\x93NUMPY"

// maxHeader bounds the size of a header; NumPy's own limit is 10,000 characters.
const maxHeader = 1 << 16

// Read reads one array in format version 1 to 3, with either byte order and either dimension
// order. It reads nothing after the array. The error is InvalidArgument for a malformed file,
// DataLoss for one that ends early, ResourceExhausted for more than MaxBytes, and Unimplemented
// for structured and object arrays.
func Read(r io.Reader) (*tensor.Tensor, error) { return newBudget(MaxBytes).read(r) }

// ReadFile reads a file with one array of at most limit bytes and nothing else. The errors are
// those of Read.
func ReadFile(path string, limit int) (*tensor.Tensor, error) {
	f, _, err := files.OpenFile(path)
	if err != nil {
		return nil, files.Error(err)
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 64<<10)
	t, err := newBudget(limit).read(r)
	if err != nil {
		return nil, err
	}
	switch _, err := r.ReadByte(); {
	case err == nil:
		return nil, tensor.Errorf(tensor.InvalidArgument, "the .npy file has more bytes than its array, %v, takes", t)
	case !errors.Is(err, io.EOF):
		return nil, files.Error(err)
	}
	return t, nil
}

// budget is the number of bytes that the arrays of a reader may use in memory. While an array is
// read, twice its size may be in use.
type budget struct{ limit, left int }

func newBudget(limit int) *budget { return &budget{limit, limit} }

// stringBytes is the size of a string without its characters.
const stringBytes = int(unsafe.Sizeof(""))

// take counts the memory of n elements. The parameter each is the size of one element in bytes. The
// error is ResourceExhausted if the limit of the budget is exceeded.
func (b *budget) take(n, each int, shape tensor.Shape) error {
	if each > 0 && n > b.left/each {
		return tensor.Errorf(tensor.ResourceExhausted, "an array of shape %v takes more than %d bytes, the most that is read", shape, b.limit)
	}
	b.left -= n * each
	return nil
}

func (b *budget) read(r io.Reader) (*tensor.Tensor, error) {
	head := make([]byte, 8)
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, short(err)
	}
	if string(head[:6]) != magic {
		return nil, tensor.Errorf(tensor.InvalidArgument, "not a .npy file")
	}
	var n int
	switch head[6] {
	case 1:
		b := make([]byte, 2)
		if _, err := io.ReadFull(r, b); err != nil {
			return nil, short(err)
		}
		n = int(binary.LittleEndian.Uint16(b))
	case 2, 3:
		b := make([]byte, 4)
		if _, err := io.ReadFull(r, b); err != nil {
			return nil, short(err)
		}
		n = int(binary.LittleEndian.Uint32(b))
	default:
		return nil, tensor.Errorf(tensor.InvalidArgument, ".npy version %d.%d is not supported", head[6], head[7])
	}
	if n > maxHeader {
		return nil, tensor.Errorf(tensor.InvalidArgument, "the .npy header takes %d bytes, more than %d", n, maxHeader)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, short(err)
	}
	h, err := parseHeader(string(text))
	if err != nil {
		return nil, err
	}
	t := &tensor.Tensor{DType: h.dtype, Shape: h.shape}
	count, err := h.shape.Len()
	if err != nil {
		return nil, err
	}
	each := h.width
	if h.dtype == tensor.String {
		each += stringBytes
	}
	if err := b.take(count, each, h.shape); err != nil {
		return nil, err
	}
	if h.width == 0 && count > part {
		return nil, tensor.Errorf(tensor.ResourceExhausted, "an array of %d empty strings", count)
	}
	if t.Data, err = h.read(r, count); err != nil {
		return nil, err
	}
	return t, nil
}

// short returns DataLoss if err means that a file ends too early. It returns other errors
// unchanged.
func short(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return tensor.Errorf(tensor.DataLoss, "the .npy file ends too early")
	}
	return err
}

func (h *header) read(r io.Reader, n int) (any, error) {
	switch h.dtype {
	case tensor.Float32:
		return numbers[float32](h, r, n)
	case tensor.Float64:
		return numbers[float64](h, r, n)
	case tensor.Int8:
		return numbers[int8](h, r, n)
	case tensor.Int16:
		return numbers[int16](h, r, n)
	case tensor.Int32:
		return numbers[int32](h, r, n)
	case tensor.Int64:
		return numbers[int64](h, r, n)
	case tensor.Uint8:
		return numbers[uint8](h, r, n)
	case tensor.Uint16:
		return numbers[uint16](h, r, n)
	case tensor.Uint32:
		return numbers[uint32](h, r, n)
	case tensor.Uint64:
		return numbers[uint64](h, r, n)
	case tensor.Half:
		return numbers[tensor.F16](h, r, n)
	case tensor.BFloat16:
		return numbers[tensor.BF16](h, r, n)
	case tensor.Complex64:
		return numbers[complex64](h, r, n)
	case tensor.Complex128:
		return numbers[complex128](h, r, n)
	case tensor.Bool:
		b, err := numbers[uint8](h, r, n)
		if err != nil {
			return nil, err
		}
		for i, x := range b {
			b[i] = min(x, 1) // 0 and 1 are the only values of a bool
		}
		return unsafe.Slice((*bool)(unsafe.Pointer(unsafe.SliceData(b))), n), nil
	}
	return h.strings(r, n)
}

// number is an element that is stored as plain bytes.
type number interface {
	float32 | float64 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 |
		complex64 | complex128 | tensor.F16 | tensor.BF16
}

// hostBig reports whether the host is big-endian.
var hostBig = binary.NativeEndian.Uint16([]byte{0, 1}) == 1

// part is how many bytes are read before more memory is allocated.
const part = 1 << 20

func numbers[T number](h *header, r io.Reader, n int) ([]T, error) {
	var zero T
	size := int(unsafe.Sizeof(zero))
	v := make([]T, min(n, part/size))
	for done := 0; done < n; {
		if done == len(v) {
			grown := make([]T, min(n, 2*len(v)))
			copy(grown, v)
			v = grown
		}
		b := unsafe.Slice((*byte)(unsafe.Pointer(&v[done])), (len(v)-done)*size)
		if _, err := io.ReadFull(r, b); err != nil {
			return nil, short(err)
		}
		done = len(v)
	}
	if n > 0 && h.big != hostBig {
		swap(unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), n*size), h.unit)
	}
	if h.fortran && len(h.shape) > 1 {
		v = reorder(v, h.shape)
	}
	return v, nil
}

// swap changes the byte order of b by reversing each group of bytes. The parameter unit is the number
// of bytes in a group.
func swap(b []byte, unit int) {
	for ; unit > 1 && len(b) >= unit; b = b[unit:] {
		for i, j := 0, unit-1; i < j; i, j = i+1, j-1 {
			b[i], b[j] = b[j], b[i]
		}
	}
}

// reorder converts v from column-major to row-major order.
func reorder[T any](v []T, shape tensor.Shape) []T {
	out := make([]T, len(v))
	at := make([]int, len(shape))
	for i := range out {
		src := 0
		for a := len(shape) - 1; a >= 0; a-- {
			src = src*shape[a] + at[a]
		}
		out[i] = v[src]
		for a := len(shape) - 1; a >= 0; a-- {
			if at[a]++; at[a] < shape[a] {
				break
			}
			at[a] = 0
		}
	}
	return out
}

func (h *header) strings(r io.Reader, n int) ([]string, error) {
	br := bufio.NewReaderSize(r, 64<<10)
	var v []string
	one := make([]byte, 0, min(h.width, part))
	for range n {
		one = one[:0]
		for len(one) < h.width {
			k := min(h.width-len(one), part)
			at := len(one)
			one = append(one, make([]byte, k)...)
			if _, err := io.ReadFull(br, one[at:]); err != nil {
				return nil, short(err)
			}
		}
		if h.unit == 1 {
			v = append(v, strings.TrimRight(string(one), "\x00"))
			continue
		}
		var s strings.Builder
		for i := 0; i+4 <= len(one); i += 4 {
			c := binary.LittleEndian.Uint32(one[i:])
			if h.big {
				c = binary.BigEndian.Uint32(one[i:])
			}
			if c > utf8.MaxRune {
				return nil, tensor.Errorf(tensor.InvalidArgument, "%#x is not a character", c)
			}
			s.WriteRune(rune(c))
		}
		v = append(v, strings.TrimRight(s.String(), "\x00"))
	}
	if v == nil {
		v = []string{}
	}
	if h.fortran && len(h.shape) > 1 {
		v = reorder(v, h.shape)
	}
	return v, nil
}
