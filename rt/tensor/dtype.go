// Package tensor contains the basic types that every package of graphc may import: element types,
// concrete shapes, dense tensors, and errors with TensorFlow's codes.
package tensor

import (
	"fmt"
	"reflect"
)

// DType is a TensorFlow element type. Its values are the numbers of TensorFlow's DataType enumeration,
// so that a number in a GraphDef can be converted directly.
type DType uint8

// Element types, with the Go type that stores one element.
const (
	Invalid    DType = 0
	Float32    DType = 1  // float32
	Float64    DType = 2  // float64
	Int32      DType = 3  // int32
	Uint8      DType = 4  // uint8
	Int16      DType = 5  // int16
	Int8       DType = 6  // int8
	String     DType = 7  // string, any bytes
	Complex64  DType = 8  // complex64
	Int64      DType = 9  // int64
	Bool       DType = 10 // bool
	QInt8      DType = 11 // int8
	QUint8     DType = 12 // uint8
	QInt32     DType = 13 // int32
	BFloat16   DType = 14 // BF16
	QInt16     DType = 15 // int16
	QUint16    DType = 16 // uint16
	Uint16     DType = 17 // uint16
	Complex128 DType = 18 // complex128
	Half       DType = 19 // F16
	Resource   DType = 20 // Handle
	Variant    DType = 21 // Handle of a value that is immutable once it is shared
	Uint32     DType = 22 // uint32
	Uint64     DType = 23 // uint64
)

type dtypeInfo struct {
	name   string // TensorFlow's enumerator, without DT_
	short  string // the name in messages and in dumps of graphs
	size   int
	goType reflect.Type
}

var dtypes = [...]dtypeInfo{
	Invalid:    {"INVALID", "invalid", 0, nil},
	Float32:    {"FLOAT", "f32", 4, reflect.TypeFor[float32]()},
	Float64:    {"DOUBLE", "f64", 8, reflect.TypeFor[float64]()},
	Int32:      {"INT32", "i32", 4, reflect.TypeFor[int32]()},
	Uint8:      {"UINT8", "u8", 1, reflect.TypeFor[uint8]()},
	Int16:      {"INT16", "i16", 2, reflect.TypeFor[int16]()},
	Int8:       {"INT8", "i8", 1, reflect.TypeFor[int8]()},
	String:     {"STRING", "str", 16, reflect.TypeFor[string]()},
	Complex64:  {"COMPLEX64", "c64", 8, reflect.TypeFor[complex64]()},
	Int64:      {"INT64", "i64", 8, reflect.TypeFor[int64]()},
	Bool:       {"BOOL", "bool", 1, reflect.TypeFor[bool]()},
	QInt8:      {"QINT8", "qi8", 1, reflect.TypeFor[int8]()},
	QUint8:     {"QUINT8", "qu8", 1, reflect.TypeFor[uint8]()},
	QInt32:     {"QINT32", "qi32", 4, reflect.TypeFor[int32]()},
	BFloat16:   {"BFLOAT16", "bf16", 2, reflect.TypeFor[BF16]()},
	QInt16:     {"QINT16", "qi16", 2, reflect.TypeFor[int16]()},
	QUint16:    {"QUINT16", "qu16", 2, reflect.TypeFor[uint16]()},
	Uint16:     {"UINT16", "u16", 2, reflect.TypeFor[uint16]()},
	Complex128: {"COMPLEX128", "c128", 16, reflect.TypeFor[complex128]()},
	Half:       {"HALF", "f16", 2, reflect.TypeFor[F16]()},
	Resource:   {"RESOURCE", "resource", 16, reflect.TypeFor[Handle]()},
	Variant:    {"VARIANT", "variant", 16, reflect.TypeFor[Handle]()},
	Uint32:     {"UINT32", "u32", 4, reflect.TypeFor[uint32]()},
	Uint64:     {"UINT64", "u64", 8, reflect.TypeFor[uint64]()},
}

// Valid reports whether d is an element type of TensorFlow. Reference types are not valid.
func (d DType) Valid() bool { return d != Invalid && int(d) < len(dtypes) }

// String returns the short name used in dumps and messages: "f32", "i64", "str".
func (d DType) String() string {
	if int(d) < len(dtypes) {
		return dtypes[d].short
	}
	return fmt.Sprintf("dtype(%d)", uint8(d))
}

// TFName returns TensorFlow's enumerator: "DT_FLOAT", "DT_INT64".
func (d DType) TFName() string {
	if int(d) < len(dtypes) {
		return "DT_" + dtypes[d].name
	}
	return fmt.Sprintf("DT_%d", uint8(d))
}

// ParseDType parses a short name ("f32") or TensorFlow's enumerator ("DT_FLOAT"). It returns false
// for other text.
func ParseDType(s string) (DType, bool) {
	for i, e := range dtypes {
		if i != 0 && (s == e.short || s == "DT_"+e.name) {
			return DType(i), true
		}
	}
	return Invalid, false
}

// Size returns the size of an element in memory, in bytes. For String it is the size of a string
// header, for Resource and Variant that of a Handle.
func (d DType) Size() int {
	if int(d) < len(dtypes) {
		return dtypes[d].size
	}
	return 0
}

// GoType returns the Go type of an element, nil for an invalid type.
func (d DType) GoType() reflect.Type {
	if int(d) < len(dtypes) {
		return dtypes[d].goType
	}
	return nil
}

// Opaque reports whether d is Resource or Variant. Elements of these types are handles, which cannot
// be fed or fetched and cannot be constants.
func (d DType) Opaque() bool { return d == Resource || d == Variant }

// IsData reports whether elements of d are plain data, which can be fed, fetched and stored.
func (d DType) IsData() bool { return d.GoType() != nil && !d.Opaque() }

// IsFloat reports whether d is f16, bf16, f32 or f64.
func (d DType) IsFloat() bool {
	return d == Float32 || d == Float64 || d == Half || d == BFloat16
}

// IsComplex reports whether d is c64 or c128.
func (d DType) IsComplex() bool { return d == Complex64 || d == Complex128 }

// IsInteger reports whether d is a signed or unsigned integer type, quantized types excluded.
func (d DType) IsInteger() bool { return d.IsSigned() || d.IsUnsigned() }

// IsSigned reports whether d is a signed integer type, quantized types excluded.
func (d DType) IsSigned() bool {
	return d == Int8 || d == Int16 || d == Int32 || d == Int64
}

// IsUnsigned reports whether d is an unsigned integer type, quantized types excluded.
func (d DType) IsUnsigned() bool {
	return d == Uint8 || d == Uint16 || d == Uint32 || d == Uint64
}

// IsQuantized reports whether d is one of TensorFlow's quantized types.
func (d DType) IsQuantized() bool {
	return d == QInt8 || d == QUint8 || d == QInt32 || d == QInt16 || d == QUint16
}

// Elem is the set of Go types of elements that are plain data.
type Elem interface {
	float32 | float64 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 |
		bool | string | complex64 | complex128 | F16 | BF16
}

// DTypeOf returns the element type stored as T. A quantized type shares the Go type of a plain
// integer type; the plain type is returned.
func DTypeOf[T Elem]() DType {
	t := reflect.TypeFor[T]()
	for i, e := range dtypes {
		if e.goType == t && !DType(i).IsQuantized() {
			return DType(i)
		}
	}
	return Invalid
}
