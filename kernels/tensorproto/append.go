package tensorproto

import (
	"github.com/graphc/graphc/kernels/internal/wire"
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// The fields of a TensorProto, of its TensorShapeProto and of a dimension in it.
const (
	numDType    = 1
	numShape    = 2
	numVersion  = 3
	numContent  = 4
	numFloat    = 5
	numDouble   = 6
	numInt      = 7
	numString   = 8
	numComplex  = 9
	numInt64    = 10
	numBool     = 11
	numComplex2 = 12
	numHalf     = 13
	numHandle   = 14
	numVariant  = 15
	numUint32   = 16
	numUint64   = 17
	numFloat8   = 18

	numDim  = 2
	numSize = 1
	numName = 2
)

// appendHead appends the fields dtype and tensor_shape.
func appendHead(dst []byte, d tensor.DType, shape []int) []byte {
	dst = append(dst, numDType<<3|wire.Varint, byte(d))
	n := 0
	for _, k := range shape {
		n += 2 + dimLen(k)
	}
	dst = wire.AppendUvarint(append(dst, numShape<<3|wire.Bytes), uint64(n))
	for _, k := range shape {
		dst = append(dst, numDim<<3|wire.Bytes, byte(dimLen(k)))
		if k != 0 {
			dst = wire.AppendUvarint(append(dst, numSize<<3|wire.Varint), uint64(k))
		}
	}
	return dst
}

// dimLen returns the length in bytes of the serialized message for a dimension of size k.
func dimLen(k int) int {
	if k == 0 {
		return 0
	}
	return 1 + wire.UvarintLen(uint64(k))
}

// Room returns an upper bound for the size of a message with n dimensions whose
// elements take the given number of bytes.
func Room(n, bytes int) int { return mem.Add(bytes, 64+32*n) }

// RoomStrings is Room of strings.
func RoomStrings(n int, values []string) int {
	total := 0
	for _, v := range values {
		total = mem.Add(total, len(v)+maxHead)
	}
	return Room(n, total)
}

const maxHead = 11 // the largest number of bytes for the tag and the length before a string

// Append appends a tensor of type d, with elements of a fixed size, as a serialized
// TensorProto. raw holds the elements in their memory layout and becomes
// tensor_content. The bytes are those of TensorFlow's Tensor::AsProtoTensorContent.
func Append(dst []byte, d tensor.DType, shape []int, raw []byte) []byte {
	dst = appendHead(dst, d, shape)
	if len(raw) == 0 {
		return dst
	}
	return wire.AppendBytes(dst, numContent, raw)
}

// AppendStrings is Append of strings, written to the field string_val as
// TensorFlow's Tensor::AsProtoField does.
func AppendStrings(dst []byte, shape []int, values []string) []byte {
	dst = appendHead(dst, tensor.String, shape)
	for _, v := range values {
		dst = wire.AppendBytes(dst, numString, v)
	}
	return dst
}

// AppendStringContent appends a tensor of strings as AppendStrings does, but writes the strings to
// the field tensor_content: first the lengths of all strings, then all strings. The bytes are those
// of TensorFlow's Tensor::AsProtoTensorContent.
func AppendStringContent(dst []byte, shape []int, values []string) []byte {
	dst = appendHead(dst, tensor.String, shape)
	if len(values) == 0 {
		return dst
	}
	n := 0
	for _, v := range values {
		n += wire.UvarintLen(uint64(len(v))) + len(v)
	}
	dst = wire.AppendUvarint(append(dst, numContent<<3|wire.Bytes), uint64(n))
	for _, v := range values {
		dst = wire.AppendUvarint(dst, uint64(len(v)))
	}
	for _, v := range values {
		dst = append(dst, v...)
	}
	return dst
}
