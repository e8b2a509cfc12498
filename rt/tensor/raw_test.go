package tensor

import (
	"encoding/binary"
	"reflect"
	"testing"
)

func TestRaw(t *testing.T) {
	b := Raw(reflect.ValueOf([]uint32{1, 0x01020304}))
	if len(b) != 8 || binary.NativeEndian.Uint32(b[4:]) != 0x01020304 {
		t.Errorf("%v", b)
	}
	for _, v := range []any{[]F16{1, 2}, []bool{true}, []complex128{1}, []float32{1}, []int8{3}} {
		r := reflect.ValueOf(v)
		if n := len(Raw(r)); n != r.Len()*int(r.Type().Elem().Size()) {
			t.Errorf("%T: %d bytes", v, n)
		}
	}
	if Raw(reflect.ValueOf([]int64{})) != nil {
		t.Error("no elements have bytes")
	}
	for _, v := range []any{[]string{"a"}, make([]Handle, 1), [][]int{{1}}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%T is given as bytes", v)
				}
			}()
			Raw(reflect.ValueOf(v))
		}()
	}
}
