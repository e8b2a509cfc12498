package npy

import (
	"encoding/binary"
	"fmt"
	"io"
	"reflect"
	"strings"
	"unsafe"

	"github.com/graphc/graphc/rt/tensor"
)

// Write writes t in format version 1.0, or 2.0 if the header is too long for that. The error is
// InvalidArgument for an inconsistent tensor and Unimplemented for a string that ends in a zero
// byte.
func Write(w io.Writer, t *tensor.Tensor) error {
	n, err := t.Shape.Len()
	if err != nil {
		return err
	}
	if !t.DType.IsData() || reflect.TypeOf(t.Data) != reflect.SliceOf(t.DType.GoType()) || t.Len() != n {
		return tensor.Errorf(tensor.InvalidArgument, "%v does not have its %d elements", t, n)
	}
	descr, width := "", 0
	if t.DType == tensor.String {
		for i, s := range t.Data.([]string) {
			if strings.HasSuffix(s, "\x00") {
				return tensor.Errorf(tensor.Unimplemented, "string %d ends in a zero byte, which a .npy file cannot keep", i)
			}
			width = max(width, len(s))
		}
		width = max(width, 1)
		descr = fmt.Sprintf("|S%d", width)
	} else {
		descr = Descr(t.DType)
	}
	if _, err := w.Write(makeHeader(descr, t.Shape)); err != nil || n == 0 {
		return err
	}
	if ss, ok := t.Data.([]string); ok {
		return writeStrings(w, ss, width)
	}
	b := unsafe.Slice((*byte)(reflect.ValueOf(t.Data).UnsafePointer()), n*t.DType.Size())
	if hostBig {
		b = append([]byte(nil), b...)
		unit := t.DType.Size()
		if t.DType.IsComplex() {
			unit /= 2
		}
		swap(b, unit)
	}
	_, err = w.Write(b)
	return err
}

// Descr returns NumPy's type code for d, such as "<f4". The code is "<u2" for bfloat16 and that of
// an integer type for quantized types. It is empty for strings and handles.
func Descr(d tensor.DType) string {
	switch d {
	case tensor.BFloat16, tensor.QUint16:
		d = tensor.Uint16
	case tensor.QInt16:
		d = tensor.Int16
	case tensor.QInt8:
		d = tensor.Int8
	case tensor.QUint8:
		d = tensor.Uint8
	case tensor.QInt32:
		d = tensor.Int32
	}
	for _, k := range kinds {
		if k.dtype == d {
			if k.unit == 1 {
				return "|" + k.code
			}
			return "<" + k.code
		}
	}
	return ""
}

func makeHeader(descr string, shape tensor.Shape) []byte {
	var s strings.Builder
	fmt.Fprintf(&s, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr)
	for i, d := range shape {
		if i > 0 {
			s.WriteString(", ")
		}
		fmt.Fprint(&s, d)
	}
	if len(shape) == 1 {
		s.WriteByte(',')
	}
	s.WriteString("), }")
	// The data begins at a multiple of 64 bytes. The header ends with a newline.
	pre := 10
	if s.Len() > 60000 {
		pre = 12
	}
	for (pre+s.Len()+1)%64 != 0 {
		s.WriteByte(' ')
	}
	s.WriteByte('\n')
	b := []byte(magic)
	if pre == 10 {
		b = append(b, 1, 0)
		b = binary.LittleEndian.AppendUint16(b, uint16(s.Len()))
	} else {
		b = append(b, 2, 0)
		b = binary.LittleEndian.AppendUint32(b, uint32(s.Len()))
	}
	return append(b, s.String()...)
}

func writeStrings(w io.Writer, ss []string, width int) error {
	buf := make([]byte, width)
	for _, s := range ss {
		clear(buf[copy(buf, s):])
		if _, err := w.Write(buf); err != nil {
			return err
		}
	}
	return nil
}

// Cast returns a tensor with the elements of t and the element type d, for types that a .npy file
// stores as another type. It converts uint16 to bfloat16 or half with the same bits, and integers to
// a quantized type with the same numbers. The result shares the data of t. The error is
// InvalidArgument for other pairs of types.
func Cast(t *tensor.Tensor, d tensor.DType) (*tensor.Tensor, error) {
	if t.DType == d {
		return t, nil
	}
	out := &tensor.Tensor{DType: d, Shape: t.Shape, Data: t.Data}
	raw, _ := t.Data.([]uint16)
	switch {
	case d.IsData() && reflect.TypeOf(t.Data) == reflect.SliceOf(d.GoType()):
		return out, nil
	case raw != nil && d == tensor.BFloat16:
		out.Data = unsafe.Slice((*tensor.BF16)(unsafe.SliceData(raw)), len(raw))
		return out, nil
	case raw != nil && d == tensor.Half:
		out.Data = unsafe.Slice((*tensor.F16)(unsafe.SliceData(raw)), len(raw))
		return out, nil
	}
	return nil, tensor.Errorf(tensor.InvalidArgument, "%v cannot be cast to %v", t, d)
}
