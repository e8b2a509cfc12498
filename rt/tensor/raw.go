package tensor

import (
	"reflect"
	"unsafe"
)

// Raw returns the memory of v, a slice of numbers or booleans, as bytes in the machine's byte
// order. Callers use it to hash, compare or fill the elements. Raw returns nil for an empty slice. It
// panics if the elements hold pointers, as strings do.
func Raw(v reflect.Value) []byte {
	switch e := v.Type().Elem(); e.Kind() {
	case reflect.Bool, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64,
		reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		if v.Len() == 0 {
			return nil
		}
		return unsafe.Slice((*byte)(v.UnsafePointer()), v.Len()*int(e.Size()))
	default:
		panic("tensor: elements of " + e.String() + " are not bytes")
	}
}
