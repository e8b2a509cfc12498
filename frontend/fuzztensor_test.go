package frontend

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/graphc/graphc/frontend/pb"
	"github.com/graphc/graphc/rt/tensor"
)

// FuzzTensor: a constant of any type has the elements of its shape, or is rejected. It needs no
// more memory than its bytes in the file plus the limit for repeated values.
func FuzzTensor(f *testing.F) {
	shape := &pb.TensorShapeProto{Dim: []*pb.TensorShapeProto_Dim{{Size: 2}}}
	for d := range pb.DataType_name {
		if d > 100 { // references
			continue
		}
		for _, t := range []*pb.TensorProto{
			{Dtype: pb.DataType(d), TensorShape: shape},
			{Dtype: pb.DataType(d), TensorShape: shape, TensorContent: make([]byte, 2*max(1, tensor.DType(d).Size()))},
			{Dtype: pb.DataType(d), TensorShape: shape, FloatVal: []float32{1}, DoubleVal: []float64{1}, IntVal: []int32{-1, 1 << 30}, Int64Val: []int64{-1}, BoolVal: []bool{true},
				HalfVal: []int32{1 << 20}, ScomplexVal: []float32{1, 2, 3}, DcomplexVal: []float64{1}, Uint32Val: []uint32{1}, Uint64Val: []uint64{1 << 63}, StringVal: [][]byte{{0xff}}},
		} {
			f.Add(marshal(f, t))
		}
	}
	for _, dims := range [][]int64{{-1}, {1 << 62, 4}, {0, 1 << 62}, {1 << 40}, {}} {
		s := &pb.TensorShapeProto{}
		for _, d := range dims {
			s.Dim = append(s.Dim, &pb.TensorShapeProto_Dim{Size: d})
		}
		f.Add(marshal(f, &pb.TensorProto{Dtype: pb.DataType_DT_FLOAT, TensorShape: s, FloatVal: []float32{1}}))
		f.Add(marshal(f, &pb.TensorProto{Dtype: pb.DataType_DT_STRING, TensorShape: s, TensorContent: []byte("\x01\x01ab")}))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		m := &pb.TensorProto{}
		if (proto.UnmarshalOptions{DiscardUnknown: true, RecursionLimit: 100}).Unmarshal(raw, m) != nil {
			return
		}
		left := int64(1 << 20)
		got, err := (attrs{splat: &left}).tensor(m)
		if err != nil {
			if c := tensor.CodeOf(err); c != tensor.InvalidArgument && c != tensor.ResourceExhausted && c != tensor.Unimplemented {
				t.Errorf("%v", err)
			}
			return
		}
		if got.DType == tensor.Resource || got.DType == tensor.Variant {
			return
		}
		n, err := got.Shape.Len()
		if err != nil || n != got.Len() {
			t.Errorf("%v has %d elements, %v", got, got.Len(), err)
		}
		if size := n * got.DType.Size(); size > 1<<20+16*len(raw) {
			t.Errorf("%d bytes from %d", size, len(raw))
		}
	})
}

// FuzzSessionConfig: a configuration in text or binary is read, or rejected with InvalidArgument.
func FuzzSessionConfig(f *testing.F) {
	for _, s := range []string{`device_count { key: "CPU" value: 2 }`, "graph_options { rewrite_options { remapping: OFF } }", "\x28\x01", "no_such_field: 1", "gpu_options { gpu_options {", `inter_op: "x" # c`} {
		f.Add([]byte(s), true)
		f.Add([]byte(s), false)
	}
	f.Fuzz(func(t *testing.T, raw []byte, text bool) {
		name := "c.pb"
		if text {
			name = "c.pbtxt"
		}
		if _, err := parseSessionConfig(name, raw); err != nil && tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("%v", err)
		}
	})
}
