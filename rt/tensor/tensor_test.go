package tensor

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// TestMake tests the functions that make tensors: their results, and the codes of their errors.
func TestMake(t *testing.T) {
	for _, c := range []struct {
		d     DType
		shape Shape
		limit int
		code  Code
	}{
		{Float32, Shape{2, 3}, 24, OK}, {Float32, Shape{2, 3}, 23, ResourceExhausted}, {Float32, nil, 0, OK}, {String, Shape{0, 1 << 60}, 0, OK},
		{Complex128, Shape{1 << 40}, 0, ResourceExhausted}, {Float32, Shape{-1}, 0, InvalidArgument}, {Float32, Shape{1 << 40, 1 << 40}, 0, InvalidArgument},
		{Resource, nil, 0, InvalidArgument}, {Variant, nil, 0, InvalidArgument}, {Invalid, nil, 0, InvalidArgument}, {DType(200), nil, 0, InvalidArgument},
	} {
		got, err := New(c.d, c.shape, c.limit)
		if CodeOf(err) != c.code {
			t.Errorf("%v%v: %v, want %v", c.d, c.shape, err, c.code)
		}
		if err != nil {
			continue
		}
		n, _ := c.shape.Len()
		if got.Len() != n || got.Rank() != len(c.shape) || reflect.TypeOf(got.Data) != reflect.SliceOf(c.d.GoType()) {
			t.Errorf("%v holds %d elements of %T", got, got.Len(), got.Data)
		}
	}
	for shape, code := range map[string]Code{"[2]": OK, "[3]": InvalidArgument, "[-2]": InvalidArgument} {
		var n int
		fmt.Sscanf(shape, "[%d]", &n)
		if _, err := From(Shape{n}, []int16{1, 2}); CodeOf(err) != code {
			t.Errorf("two elements as %s: %v", shape, err)
		}
	}
	if s, v := Scalar(int8(3)), Vector([]string{"a", "b"}); len(s.Shape) != 0 || s.Data[0] != 3 || !Shape(v.Shape).Equal(Shape{2}) || v.Data[1] != "b" {
		t.Errorf("%v, %v", s, v)
	}
	if n := (&Tensor{DType: Resource}).Len(); n != 0 {
		t.Errorf("a tensor without data has %d elements", n)
	}
	defer func() {
		if err, _ := recover().(error); CodeOf(err) != InvalidArgument {
			t.Errorf("Must panics with %v", err)
		}
	}()
	Must(New(Float32, Shape{-1}, 0))
}

func TestInts(t *testing.T) {
	for _, data := range []any{[]int8{-1, 2}, []int16{-1, 2}, []int32{-1, 2}, []int64{-1, 2}} {
		if got, ok := (&Tensor{Data: data}).Ints(); !ok || !reflect.DeepEqual(got, []int64{-1, 2}) {
			t.Errorf("%T: %v", data, got)
		}
	}
	for _, data := range []any{[]uint8{1, 255}, []uint16{1, 255}, []uint32{1, 255}, []uint64{1, 255}} {
		if got, ok := (&Tensor{Data: data}).Ints(); !ok || !reflect.DeepEqual(got, []int64{1, 255}) {
			t.Errorf("%T: %v", data, got)
		}
	}
	if got, ok := (&Tensor{Data: []float32{1}}).Ints(); ok {
		t.Errorf("floats: %v", got)
	}
}

// TestNames tests the names of types and codes, including those of unknown numbers, and error texts.
func TestNames(t *testing.T) {
	for d := range DType(255) {
		if !d.Valid() {
			if s, n := d.String(), d.TFName(); d != Invalid && (s != fmt.Sprintf("dtype(%d)", d) || n != fmt.Sprintf("DT_%d", d)) || d.IsData() || d.Size() != 0 && d != Invalid {
				t.Errorf("type %d is %q, %q", d, s, n)
			}
			continue
		}
		for _, s := range []string{d.String(), d.TFName()} {
			if got, ok := ParseDType(s); !ok || got != d {
				t.Errorf("%q is %v", s, got)
			}
		}
	}
	if got, ok := ParseDType("f33"); ok {
		t.Errorf("f33 is %v", got)
	}
	if s := OK.String() + " " + Unauthenticated.String() + " " + Code(99).String(); s != "OK Unauthenticated Code(99)" {
		t.Error(s)
	}
	plain := errors.New("plain")
	if CodeOf(nil) != OK || CodeOf(plain) != Unknown || CodeOf(fmt.Errorf("in: %w", Errorf(Aborted, "x"))) != Aborted {
		t.Error("codes of errors")
	}
	err := AtNode(Errorf(OutOfRange, "beyond %d", 3), "n", "Op")
	if CodeOf(err) != OutOfRange || err.Error() != `node "n" (Op): OutOfRange: beyond 3` || AtNode(nil, "n", "Op") != nil {
		t.Error(err)
	}
	if again := AtNode(err, "m", "Other"); !strings.Contains(again.Error(), `node "n" (Op)`) {
		t.Error(again)
	}
}
