package bundle

import (
	"encoding/binary"

	"github.com/graphc/graphc/rt/tensor"
)

// The index contains protocol buffers of TensorFlow's tensor_bundle.proto, tensor_slice.proto,
// tensor_shape.proto and versions.proto.

// header is a BundleHeaderProto. It is stored in the index under the empty key.
type header struct {
	shards      int32
	big         bool // whether the data files are big-endian
	producer    int32
	minConsumer int32
	bad         []int32 // refused consumers
}

// entry is a BundleEntryProto. It describes a tensor, and says where its bytes are or which slices
// it has.
type entry struct {
	dtype        int32 // a DataType
	unknownRank  bool
	dims         []int64
	shard        int32
	offset, size int64
	crc          uint32
	slices       [][]extent
	v1           *savedSlice // location of the slice in a checkpoint of format V1; nil for format V2
}

// extent is TensorSliceProto.Extent: the range of a slice in one dimension. An extent without a
// length covers the whole dimension.
type extent struct {
	start, length int64
	given         bool // length is set
}

// Wire types of protocol buffers.
const (
	wireVarint = 0
	wire64     = 1
	wireBytes  = 2
	wire32     = 5
)

// The function fields parses the message in b and calls f for each field of the message. For a
// field of wire type 0, 1 or 5, the argument v of f is the field's value. For wire type 2, the last
// argument of f contains the field's bytes. The function f must ignore unknown fields, and known
// fields with an unexpected wire type.
func fields(b []byte, f func(num, wire int, v uint64, b []byte) error) error {
	for len(b) > 0 {
		key, n := binary.Uvarint(b)
		if n <= 0 || key>>3 == 0 || key>>3 > 1<<29-1 {
			return dataLoss("a field's number does not parse")
		}
		b = b[n:]
		num, wire := int(key>>3), int(key&7)
		var v uint64
		var body []byte
		switch wire {
		case wireVarint:
			if v, n = binary.Uvarint(b); n <= 0 {
				return dataLoss("a number of field %d does not parse", num)
			}
			b = b[n:]
		case wire64:
			if len(b) < 8 {
				return dataLoss("field %d is cut off", num)
			}
			v, b = binary.LittleEndian.Uint64(b), b[8:]
		case wire32:
			if len(b) < 4 {
				return dataLoss("field %d is cut off", num)
			}
			v, b = uint64(binary.LittleEndian.Uint32(b)), b[4:]
		case wireBytes:
			v, n = binary.Uvarint(b)
			if n <= 0 || v > uint64(len(b)-n) {
				return dataLoss("field %d is cut off", num)
			}
			body, b = b[n:n+int(v)], b[n+int(v):]
		default:
			return dataLoss("field %d has wire type %d", num, wire)
		}
		if err := f(num, wire, v, body); err != nil {
			return err
		}
	}
	return nil
}

func parseHeader(b []byte) (*header, error) {
	h := &header{}
	err := fields(b, func(num, wire int, v uint64, b []byte) error {
		switch {
		case num == 1 && wire == wireVarint:
			h.shards = int32(v)
		case num == 2 && wire == wireVarint:
			h.big = v == 1
		case num == 3 && wire == wireBytes:
			return h.version(b)
		}
		return nil
	})
	return h, err
}

// version parses VersionDef.
func (h *header) version(b []byte) error {
	return fields(b, func(num, wire int, v uint64, b []byte) error {
		switch {
		case num == 1 && wire == wireVarint:
			h.producer = int32(v)
		case num == 2 && wire == wireVarint:
			h.minConsumer = int32(v)
		case num == 3 && wire == wireVarint:
			h.bad = append(h.bad, int32(v))
		case num == 3 && wire == wireBytes: // packed
			for len(b) > 0 {
				v, n := binary.Uvarint(b)
				if n <= 0 {
					return dataLoss("the list of bad consumers does not parse")
				}
				h.bad, b = append(h.bad, int32(v)), b[n:]
			}
		}
		return nil
	})
}

func parseEntry(b []byte) (*entry, error) {
	e := &entry{}
	err := fields(b, func(num, wire int, v uint64, b []byte) error {
		switch {
		case num == 1 && wire == wireVarint:
			e.dtype = int32(v)
		case num == 2 && wire == wireBytes:
			return e.shape(b)
		case num == 3 && wire == wireVarint:
			e.shard = int32(v)
		case num == 4 && wire == wireVarint:
			e.offset = int64(v)
		case num == 5 && wire == wireVarint:
			e.size = int64(v)
		case num == 6 && wire == wire32:
			e.crc = uint32(v)
		case num == 7 && wire == wireBytes:
			s, err := parseExtents(b)
			e.slices = append(e.slices, s)
			return err
		}
		return nil
	})
	return e, err
}

// shape parses TensorShapeProto.
func (e *entry) shape(b []byte) error {
	return fields(b, func(num, wire int, v uint64, b []byte) error {
		switch {
		case num == 2 && wire == wireBytes:
			size := int64(0)
			err := fields(b, func(num, wire int, v uint64, _ []byte) error {
				if num == 1 && wire == wireVarint {
					size = int64(v)
				}
				return nil
			})
			e.dims = append(e.dims, size)
			return err
		case num == 3 && wire == wireVarint:
			e.unknownRank = v != 0
		}
		return nil
	})
}

// parseExtents parses TensorSliceProto.
func parseExtents(b []byte) ([]extent, error) {
	s := []extent{}
	err := fields(b, func(num, wire int, v uint64, b []byte) error {
		if num != 1 || wire != wireBytes {
			return nil
		}
		var x extent
		err := fields(b, func(num, wire int, v uint64, _ []byte) error {
			switch {
			case num == 1 && wire == wireVarint:
				x.start = int64(v)
			case num == 2 && wire == wireVarint:
				x.length, x.given = int64(v), true
			}
			return nil
		})
		s = append(s, x)
		return err
	})
	return s, err
}

// number appends a field of wire type 0. It omits a value of 0.
func number(b []byte, num int, v uint64) []byte {
	if v == 0 {
		return b
	}
	return binary.AppendUvarint(binary.AppendUvarint(b, uint64(num)<<3|wireVarint), v)
}

// messageField appends a field of wire type 2.
func messageField(b []byte, num int, m []byte) []byte {
	b = binary.AppendUvarint(b, uint64(num)<<3|wireBytes)
	return append(binary.AppendUvarint(b, uint64(len(m))), m...)
}

func (h *header) marshal() []byte {
	b := number(nil, 1, uint64(h.shards))
	if h.big {
		b = number(b, 2, 1)
	}
	v := number(nil, 1, uint64(h.producer))
	v = number(v, 2, uint64(h.minConsumer))
	return messageField(b, 3, v)
}

func (e *entry) marshal() []byte {
	b := number(nil, 1, uint64(e.dtype))
	var s []byte
	for _, d := range e.dims {
		s = messageField(s, 2, number(nil, 1, uint64(d)))
	}
	b = messageField(b, 2, s)
	b = number(b, 3, uint64(e.shard))
	b = number(b, 4, uint64(e.offset))
	b = number(b, 5, uint64(e.size))
	if e.crc != 0 {
		b = binary.LittleEndian.AppendUint32(append(b, 6<<3|wire32), e.crc)
	}
	for _, x := range e.slices {
		var s []byte
		for _, p := range x {
			t := number(nil, 1, uint64(p.start))
			// The field is in a oneof, so it is written even if the length is 0.
			if p.given {
				t = binary.AppendUvarint(append(t, 2<<3|wireVarint), uint64(p.length))
			}
			s = messageField(s, 1, t)
		}
		b = messageField(b, 7, s)
	}
	return b
}

// baseType returns the element type for a DataType of TensorFlow. For a reference type, whose
// number is 100 more than that of the element type, it returns the element type.
func baseType(d int32) tensor.DType {
	if d < 0 || d > 255 {
		return tensor.Invalid
	}
	if d > 100 {
		d -= 100
	}
	return tensor.DType(d)
}

// wholeShape returns an entry's shape. The error is DataLoss if the shape is not fully known or
// has too many elements.
func (e *entry) wholeShape() (tensor.Shape, error) {
	if e.unknownRank || len(e.dims) > 254 {
		return nil, dataLoss("the entry's shape is not known")
	}
	s := make(tensor.Shape, 0, len(e.dims))
	for _, d := range e.dims {
		s = append(s, int(d))
	}
	if _, err := s.Len(); err != nil {
		return nil, dataLoss("%s", message(err))
	}
	return s, nil
}
