package bundle

import (
	"encoding/binary"
	"math"

	"github.com/graphc/graphc/rt/tensor"
)

// valuesField returns the number of the TensorProto field that holds elements of type d, or 0 if
// there is no such field.
func valuesField(d tensor.DType) int {
	switch d {
	case tensor.Float32:
		return 5
	case tensor.Float64:
		return 6
	case tensor.Int32, tensor.Int16, tensor.Uint16, tensor.Int8, tensor.Uint8, tensor.QInt32, tensor.QInt16, tensor.QUint16, tensor.QInt8, tensor.QUint8:
		return 7
	case tensor.String:
		return 8
	case tensor.Complex64:
		return 9
	case tensor.Int64:
		return 10
	case tensor.Bool:
		return 11
	case tensor.Complex128:
		return 12
	case tensor.Half, tensor.BFloat16:
		return 13
	case tensor.Uint32:
		return 16
	case tensor.Uint64:
		return 17
	}
	return 0
}

// parseTensor parses a TensorProto that contains all elements of a tensor of the given type and
// shape. The error is DataLoss if the number of elements is wrong.
func parseTensor(b []byte, d tensor.DType, shape tensor.Shape) (*tensor.Tensor, error) {
	n, err := shape.Len()
	if err != nil {
		return nil, dataLoss("%s", message(err))
	}
	if n > len(b) { // each element takes at least one byte of the TensorProto
		return nil, dataLoss("%d elements in %d bytes", n, len(b))
	}
	field := valuesField(d)
	if field == 0 {
		return nil, tensor.Errorf(tensor.Unimplemented, "elements of type %v of a checkpoint of format V1", d)
	}
	wide := 1 // numbers per element
	if d == tensor.Complex64 || d == tensor.Complex128 {
		wide = 2
	}
	var raw []byte // the elements in the format of data files
	var text []string
	count := 0
	add := func(v uint64, size int) error {
		if count++; count > n*wide {
			return dataLoss("more than the %d elements of %v", n, shape)
		}
		var x [8]byte
		binary.LittleEndian.PutUint64(x[:], v)
		raw = append(raw, x[:size]...)
		return nil
	}
	size := d.Size() / wide
	err = fields(b, func(num, wire int, v uint64, b []byte) error {
		switch {
		case num == 1 && wire == wireVarint:
			if v > math.MaxInt32 || baseType(int32(v)) != d {
				return dataLoss("elements of type %d in a tensor of %v", v, d)
			}
		case num == 4 && wire == wireBytes && len(b) > 0 && d != tensor.String:
			raw, count = append(raw, b...), n*wide
		case num != field:
		case d == tensor.String:
			if wire != wireBytes || len(text) == n {
				return dataLoss("more than the %d strings of %v", n, shape)
			}
			text = append(text, string(b))
			count++
		case wire != wireBytes:
			return add(v, size)
		case field == 5 || field == 6 || field == 9 || field == 12: // fixed-size numbers
			for ; len(b) >= size; b = b[size:] {
				v := uint64(0)
				if size == 4 {
					v = uint64(binary.LittleEndian.Uint32(b))
				} else {
					v = binary.LittleEndian.Uint64(b)
				}
				if err := add(v, size); err != nil {
					return err
				}
			}
			if len(b) > 0 {
				return dataLoss("an element is cut off")
			}
		default:
			for len(b) > 0 {
				v, m := binary.Uvarint(b)
				if m <= 0 {
					return dataLoss("an element does not parse")
				}
				b = b[m:]
				if err := add(v, size); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if count != n*wide || d != tensor.String && len(raw) != n*d.Size() {
		return nil, dataLoss("%d of the %d elements of %v", count/wide, n, shape)
	}
	if d == tensor.String {
		if text == nil {
			text = []string{}
		}
		return tensor.From(shape, text)
	}
	t, err := tensor.New(d, shape, 0)
	if err != nil {
		return nil, err
	}
	Decode(t.Data, raw, false)
	return t, nil
}
