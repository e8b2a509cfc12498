// Package tensorproto reads and writes tensors as serialized TensorProto messages. It works on the
// bytes directly, without message objects. Parse checks the bytes and returns type and shape. The
// elements can then be read directly into their destination.
package tensorproto

import (
	"github.com/graphc/graphc/kernels/internal/wire"
	"github.com/graphc/graphc/rt/tensor"
)

// Message is a TensorProto that Parse has found to be valid.
type Message struct {
	DType tensor.DType
	Shape tensor.Shape
	Len   int // elements

	src     string // the message
	content string // the field tensor_content
}

// maxRank is the largest rank that TensorFlow accepts.
const maxRank = 254

// Parse checks a message and reads everything but its elements. It returns InvalidArgument for
// bytes that are not a TensorProto, a type that is not plain data, and a shape that is invalid or
// has too many elements. It also returns InvalidArgument if tensor_content does not hold exactly as
// many elements as the shape has.
//
// A field for one element type, such as float_val, may have fewer elements than the shape. The last
// element of the field is then used for all remaining elements of the tensor. The field may also
// have more elements than the shape. Parse allocates memory only for the shape.
func Parse(s string) (Message, error) {
	m := Message{src: s}
	var dtype uint32
	var few [8]int
	shape := few[:0]
	ok := sound(s, 0, func(f wire.Field) bool {
		switch {
		case f.Num() == numDType && f.Wire() == wire.Varint:
			dtype = uint32(f.Number())
		case f.Num() == numContent && f.Wire() == wire.Bytes:
			m.content = f.Body
		case f.Num() == numShape && f.Wire() == wire.Bytes:
			return dims(f.Body, 1, func(n int) {
				if len(shape) <= maxRank {
					shape = append(shape, n)
				}
			})
		}
		return true
	})
	switch {
	case !ok:
		return m, tensor.Errorf(tensor.InvalidArgument, "%d bytes do not parse as a TensorProto", len(s))
	case dtype > 255 || !tensor.DType(dtype).IsData():
		return m, tensor.Errorf(tensor.InvalidArgument, "a TensorProto of the type %d holds no plain data", dtype)
	case len(shape) > maxRank:
		return m, tensor.Errorf(tensor.InvalidArgument, "a TensorProto of more than %d dimensions", maxRank)
	}
	m.DType, m.Shape = tensor.DType(dtype), append(tensor.Shape{}, shape...)
	var err error
	if m.Len, err = m.Shape.Len(); err != nil {
		return m, err
	}
	return m, m.check()
}

// check returns an error unless the content has as many elements as the shape.
func (m *Message) check() error {
	if m.Len == 0 || m.content == "" {
		return nil
	}
	if m.DType == tensor.String {
		at, total := 0, 0
		for range m.Len {
			n, to := wire.Uvarint(m.content, at)
			if to < 0 || n > uint64(len(m.content)-to) || total+int(n) > len(m.content)-to {
				return m.badContent()
			}
			at, total = to, total+int(n)
		}
		if total != len(m.content)-at {
			return m.badContent()
		}
		return nil
	}
	if len(m.content)%m.DType.Size() != 0 || len(m.content)/m.DType.Size() != m.Len {
		return m.badContent()
	}
	if m.DType == tensor.Bool {
		for i := range len(m.content) {
			if m.content[i] > 1 {
				return m.badContent()
			}
		}
	}
	return nil
}

func (m *Message) badContent() error {
	return tensor.Errorf(tensor.InvalidArgument, "tensor_content of %d bytes does not fit %v%v", len(m.content), m.DType, m.Shape)
}

// Raw writes the elements, of a type of fixed size, to dst in their memory layout. The length of dst
// must be m.Len times the size of an element in bytes. If the message has too few elements, Raw
// repeats the last one; if it has none, Raw writes 0.
func (m *Message) Raw(dst []byte) {
	if m.content != "" {
		copy(dst, m.content)
		return
	}
	r := reader{dst: dst, size: m.DType.Size(), part: m.DType.Size()}
	num := 0
	switch m.DType {
	case tensor.Float32:
		num = numFloat
	case tensor.Float64:
		num = numDouble
	case tensor.Complex64:
		num, r.part = numComplex, 4
	case tensor.Complex128:
		num, r.part = numComplex2, 8
	case tensor.Half, tensor.BFloat16:
		num = numHalf
	case tensor.Int64:
		num = numInt64
	case tensor.Uint32:
		num = numUint32
	case tensor.Uint64:
		num = numUint64
	case tensor.Bool:
		num = numBool
	default: // the remaining types, integers of at most 32 bits
		num = numInt
	}
	wire.Fields(m.src, 0, func(f wire.Field) bool {
		if f.Num() == num {
			r.read(f, m.DType == tensor.Bool)
		}
		return r.at < len(dst)
	})
	r.repeat()
}

// reader stores elements one after the other. A complex element consists of two numbers, and any
// other element consists of one number. size is the size of an element in bytes, and part is the
// size of a number.
type reader struct {
	dst        []byte
	size, part int
	at         int // bytes stored so far
}

// read stores the numbers of a field until dst is full. If truth is set, read stores 1 for any
// number but 0.
func (r *reader) read(f wire.Field, truth bool) {
	switch size := fixedSize(f.Num()); {
	case size != 0:
		if f.Wire() == wire.Bytes || wire.Size(f.Wire()) == size {
			r.at += copy(r.dst[r.at:], f.Body)
		}
	case f.Wire() == wire.Varint || f.Wire() == wire.Bytes:
		wire.Numbers(f.Body, wire.Varint, func(v uint64) {
			if r.at == len(r.dst) {
				return
			}
			if truth && v != 0 {
				v = 1
			}
			for k := range r.part {
				r.dst[r.at+k] = byte(v >> (8 * k))
			}
			r.at += r.part
		})
	}
}

// repeat fills the rest of dst with the last whole element, or with 0 if no element has been stored.
func (r *reader) repeat() {
	at := r.at - r.at%r.size
	rest := r.dst[at:]
	if at == 0 {
		clear(rest)
		return
	}
	for n := copy(rest, r.dst[at-r.size:at]); n > 0 && n < len(rest); n *= 2 {
		copy(rest[n:], rest[:n])
	}
}

// Strings stores the elements of a tensor of strings in dst. The length of dst must be m.Len.
func (m *Message) Strings(dst []string) {
	if m.content != "" {
		at := 0
		for range dst {
			_, at = wire.Uvarint(m.content, at)
		}
		text := m.content[at:]
		at = 0
		for i := range dst {
			n, to := wire.Uvarint(m.content, at)
			dst[i], text, at = text[:n], text[n:], to
		}
		return
	}
	k := 0
	wire.Fields(m.src, 0, func(f wire.Field) bool {
		if f.Num() == numString && f.Wire() == wire.Bytes && k < len(dst) {
			dst[k] = f.Body
			k++
		}
		return k < len(dst)
	})
	last := ""
	if k > 0 {
		last = dst[k-1]
	}
	for ; k < len(dst); k++ {
		dst[k] = last
	}
}
