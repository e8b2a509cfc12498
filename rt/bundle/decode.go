package bundle

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"unsafe"

	"github.com/graphc/graphc/rt/tensor"
)

func crc(c uint32, b []byte) uint32 { return crc32.Update(c, castagnoli, b) }

// Decode decodes packed bytes, as in TensorProto.tensor_content and in data files, into a slice of
// any numeric element type. If big is set, the bytes are big-endian. The length of raw must be the
// total size of dst's elements.
func Decode(dst any, raw []byte, big bool) {
	var order binary.ByteOrder = binary.LittleEndian
	if big {
		order = binary.BigEndian
	}
	switch d := dst.(type) {
	case []uint8:
		copy(d, raw)
	case []int8:
		for i := range d {
			d[i] = int8(raw[i])
		}
	case []bool:
		for i := range d {
			d[i] = raw[i] != 0
		}
	case []int16:
		fill(d, raw, 2, big, func(b []byte) int16 { return int16(order.Uint16(b)) })
	case []uint16:
		fill(d, raw, 2, big, order.Uint16)
	case []tensor.F16:
		fill(d, raw, 2, big, func(b []byte) tensor.F16 { return tensor.F16(order.Uint16(b)) })
	case []tensor.BF16:
		fill(d, raw, 2, big, func(b []byte) tensor.BF16 { return tensor.BF16(order.Uint16(b)) })
	case []int32:
		fill(d, raw, 4, big, func(b []byte) int32 { return int32(order.Uint32(b)) })
	case []uint32:
		fill(d, raw, 4, big, order.Uint32)
	case []float32:
		fill(d, raw, 4, big, func(b []byte) float32 { return math.Float32frombits(order.Uint32(b)) })
	case []int64:
		fill(d, raw, 8, big, func(b []byte) int64 { return int64(order.Uint64(b)) })
	case []uint64:
		fill(d, raw, 8, big, order.Uint64)
	case []float64:
		fill(d, raw, 8, big, func(b []byte) float64 { return math.Float64frombits(order.Uint64(b)) })
	case []complex64:
		fill(d, raw, 8, big, func(b []byte) complex64 {
			return complex(math.Float32frombits(order.Uint32(b)), math.Float32frombits(order.Uint32(b[4:])))
		})
	case []complex128:
		fill(d, raw, 16, big, func(b []byte) complex128 {
			return complex(math.Float64frombits(order.Uint64(b)), math.Float64frombits(order.Uint64(b[8:])))
		})
	}
}

// littleHost reports whether the host is little-endian, like the files.
var littleHost = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// fill decodes elements from raw. If both the host and the elements in raw are little-endian, fill
// copies all bytes with a single copy. Otherwise it calls f for each element.
func fill[T any](dst []T, raw []byte, size int, big bool, f func([]byte) T) {
	if littleHost && !big && len(dst) > 0 {
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&dst[0])), len(dst)*size), raw)
		return
	}
	for i := range dst {
		dst[i] = f(raw[i*size:])
	}
}

// decodeStrings decodes a tensor of strings. The bytes are the lengths of all strings as varints, a
// checksum of the lengths, and then the strings. The checksum in the tensor's entry covers the same
// data, except that each length is a fixed-size integer instead of a varint.
func decodeStrings(e *entry, raw []byte, shape tensor.Shape, n int) (*tensor.Tensor, error) {
	lengths := make([]uint64, n)
	rest := raw
	var sum uint32
	var buf [8]byte
	for i := range lengths {
		v, m := binary.Uvarint(rest)
		if m <= 0 {
			return nil, dataLoss("the length of string %d does not parse", i)
		}
		lengths[i], rest = v, rest[m:]
		if v <= math.MaxUint32 {
			binary.LittleEndian.PutUint32(buf[:], uint32(v))
			sum = crc(sum, buf[:4])
		} else {
			binary.LittleEndian.PutUint64(buf[:], v)
			sum = crc(sum, buf[:8])
		}
	}
	if len(rest) < 4 {
		return nil, dataLoss("the checksum of the strings' lengths is missing")
	}
	if want := binary.LittleEndian.Uint32(rest); want != mask(sum) {
		return nil, dataLoss("the checksum of the strings' lengths is %08x, they give %08x", want, mask(sum))
	}
	sum = crc(sum, rest[:4])
	rest = rest[4:]
	if got := mask(crc(sum, rest)); got != e.crc {
		return nil, dataLoss("the checksum is %08x, the strings give %08x", e.crc, got)
	}
	out := make([]string, n)
	for i, l := range lengths {
		if l > uint64(len(rest)) {
			return nil, dataLoss("string %d has %d bytes, %d are left", i, l, len(rest))
		}
		out[i], rest = string(rest[:l]), rest[l:]
	}
	if len(rest) > 0 {
		return nil, dataLoss("%d bytes follow the last string", len(rest))
	}
	return tensor.From(shape, out)
}
