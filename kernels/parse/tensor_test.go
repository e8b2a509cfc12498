package parse

import (
	"reflect"
	"testing"

	"github.com/graphc/graphc/kernels/internal/typed"
	"github.com/graphc/graphc/rt/tensor"
	"strings"
)

func TestTensor(t *testing.T) {
	var ints, text [1]string
	SerializeRaw(nil, ints[:], []byte{1, 0, 2, 0, 3, 0}, []int{3, 1}, tensor.Int16)
	SerializeStrings(nil, text[:], []string{"a", ""}, []int{2})
	if want := "\x08\x05\x12\x08\x12\x02\x08\x03\x12\x02\x08\x01\"\x06\x01\x00\x02\x00\x03\x00"; ints[0] != want {
		t.Errorf("%q, want %q", ints[0], want)
	}
	for axis, want := range []int{3, 1} {
		if n, err := TensorDim(ints[:], tensor.Int16, axis, 2); n != want || err != nil {
			t.Errorf("dimension %d: %d, %v", axis, n, err)
		}
	}
	if rank, a, b, c, _, _, _, _, _, err := TensorSizes(ints[:], tensor.Int16); rank != 2 || a != 3 || b != 1 || c != 1 || err != nil {
		t.Error(rank, a, b, c, err)
	}
	if n, err := TensorLen(text[:], tensor.String); n != 2 || err != nil {
		t.Error(n, err)
	}
	raw := make([]byte, 6)
	if err := TensorRaw(raw, ints[:], tensor.Int16, 2); err != nil || !reflect.DeepEqual(raw, []byte{1, 0, 2, 0, 3, 0}) {
		t.Error(raw, err)
	}
	str := make([]string, 2)
	if err := TensorStrings(str, text[:], -1); err != nil || !reflect.DeepEqual(str, []string{"a", ""}) {
		t.Error(str, err)
	}
	var deep [1]string
	SerializeRaw(nil, deep[:], []byte{1}, []int{1, 1, 1, 1, 1, 1, 1, 1, 1}, tensor.Int8)
	_, _, _, _, _, _, _, _, _, rank := TensorSizes(deep[:], tensor.Int8)
	_, _, _, _, _, _, _, _, _, junk := TensorSizes([]string{"x"}, tensor.Int8)
	_, axis := TensorDim(ints[:], tensor.Int16, 0, 1)
	_, typ := TensorLen(ints[:], tensor.Float32)
	for i, c := range []struct {
		err  error
		want tensor.Code
	}{
		{rank, tensor.Unimplemented}, {junk, tensor.InvalidArgument}, {axis, tensor.InvalidArgument}, {typ, tensor.InvalidArgument},
		{TensorRaw(raw[:5], ints[:], tensor.Int16, 2), tensor.Internal}, {TensorStrings(str[:1], text[:], 1), tensor.Internal},
		{TensorRaw(raw, []string{"x"}, tensor.Int16, 2), tensor.InvalidArgument}, {TensorStrings(str, ints[:], 1), tensor.InvalidArgument},
	} {
		if tensor.CodeOf(c.err) != c.want {
			t.Errorf("%d: %v, want %v", i, c.err, c.want)
		}
	}
}

func TestInflate(t *testing.T) {
	zlib, gzip := "x\x9cKLJ\x06\x00\x02M\x01'", "\x1f\x8b\b\x00\x00\x00\x00\x00\x00\x03KLJ\x06\x00\xc2A$5\x03\x00\x00\x00"
	dst := make([]string, 2)
	if err := InflateZlib(nil, dst, []string{zlib, ""}); err != nil || !reflect.DeepEqual(dst, []string{"abc", ""}) {
		t.Errorf("%q %v", dst, err)
	}
	if err := InflateGzip(nil, dst, []string{gzip + gzip, gzip[:12]}); err != nil || dst[0] != "abcabc" {
		t.Errorf("%q %v", dst, err)
	}
	for _, err := range []error{InflateZlib(nil, dst, []string{gzip}), InflateGzip(nil, dst, []string{zlib})} {
		if tensor.CodeOf(err) != tensor.DataLoss {
			t.Error(err)
		}
	}
}

// TestSerializeCounts checks that serialized messages count towards the run's memory limit.
func TestSerializeCounts(t *testing.T) {
	typed.Exhausts(t, "bytes", []any{SerializeRaw}, 1500, make([]string, 1), make([]byte, 1000), []int{1000}, tensor.Int8)
	typed.Exhausts(t, "texts", []any{SerializeStrings}, 1500, make([]string, 1), []string{strings.Repeat("x", 1000)}, []int{1})
}
