package random

import (
	"slices"
	"testing"

	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

func generator(state ...int64) []tensor.Handle {
	return []tensor.Handle{{V: &resource.Var{Name: "g", DType: tensor.Int64, Set: true, Shape: []int{len(state)}, Data: state}}}
}

func stateOf(h []tensor.Handle) []int64 { return h[0].V.(*resource.Var).Data.([]int64) }

// TestState compares the streams and the advanced states with TensorFlow 2.21's.
func TestState(t *testing.T) {
	stream := make([]uint64, StreamLen)
	h := generator(5, 6, 7)
	if err := FromState(stream, h, StateParams{Skip: 2, Alg: []int64{1}}); err != nil || !slices.Equal(stream, []uint64{7, 5, 6}) || !slices.Equal(stateOf(h), []int64{517, 6, 7}) {
		t.Errorf("%v, %v, %v", stream, stateOf(h), err)
	}
	u := make([]float32, 2)
	UniformF32(u, stream)
	if u[0] != 0.21270084 || u[1] != 0.869329 {
		t.Errorf("uniform numbers %v", u)
	}
	h = generator(1, 5, 6, 7)
	if err := FromState(stream, h, StateParams{Skip: 2}); err != nil || !slices.Equal(stream, []uint64{7, 5, 6}) || !slices.Equal(stateOf(h), []int64{1, 517, 6, 7}) {
		t.Errorf("tagged: %v, %v, %v", stream, stateOf(h), err)
	}
	h = generator(5, 6, 7, 8)
	out := make([]int64, 3)
	if err := ReadAndSkip(out, h, []int32{3}, []uint64{3}); err != nil || !slices.Equal(out, []int64{5, 6, 7}) || !slices.Equal(stateOf(h), []int64{773, 6, 7, 8}) {
		t.Errorf("read: %v, %v, %v", out, stateOf(h), err)
	}
	h = generator(5, 6, 7)
	if err := Skip(h, []int64{1}, []int64{-3}); err != nil || !slices.Equal(stateOf(h), []int64{-763, 6, 7}) {
		t.Errorf("back: %v, %v", stateOf(h), err)
	}
}

func TestStateErrors(t *testing.T) {
	stream := make([]uint64, StreamLen)
	v := func(x *resource.Var) []tensor.Handle { return []tensor.Handle{{V: x}} }
	matrix := generator(5, 6, 7)
	matrix[0].V.(*resource.Var).Shape = []int{1, 3}
	for _, c := range []struct {
		what string
		h    []tensor.Handle
		p    StateParams
		want tensor.Code
	}{
		{"ThreeFry", generator(5, 6, 7), StateParams{Alg: []int64{2}}, tensor.Unimplemented},
		{"no such algorithm", generator(5, 6, 7), StateParams{Alg: []int64{0}}, tensor.InvalidArgument},
		{"any algorithm where one must be named", generator(5, 6, 7), StateParams{Exact: true, Alg: []int64{3}}, tensor.InvalidArgument},
		{"a short state", generator(5, 6), StateParams{Alg: []int64{1}}, tensor.InvalidArgument},
		{"a short tagged state", generator(1, 5, 6), StateParams{}, tensor.InvalidArgument},
		{"an empty state", generator(), StateParams{}, tensor.InvalidArgument},
		{"a wrong tag", generator(9, 5, 6, 7), StateParams{}, tensor.InvalidArgument},
		{"a matrix", matrix, StateParams{Alg: []int64{1}}, tensor.InvalidArgument},
		{"another type", v(&resource.Var{DType: tensor.Float32, Set: true, Shape: []int{3}, Data: []float32{1, 2, 3}}), StateParams{Alg: []int64{1}}, tensor.InvalidArgument},
		{"no value", v(&resource.Var{DType: tensor.Int64}), StateParams{Alg: []int64{1}}, tensor.NotFound},
		{"no variable", nil, StateParams{Alg: []int64{1}}, tensor.NotFound},
	} {
		if err := FromState(stream, c.h, c.p); code(err) != c.want {
			t.Errorf("%s: %v, want %v", c.what, err, c.want)
		}
	}
	if code(Increasing32([]int32{1}, []int32{1})) != tensor.InvalidArgument || code(Increasing64([]int64{2}, []int64{1})) != tensor.InvalidArgument ||
		Increasing32([]int32{1}, []int32{2}) != nil || Increasing64([]int64{1}, []int64{2}) != nil {
		t.Error("a range is judged wrongly")
	}
}

func TestNonDeterministic(t *testing.T) {
	a, b, c, d := make([]int32, 2), make([]uint32, 2), make([]int64, 2), make([]uint64, 2)
	NonDeterministic32(a)
	NonDeterministicU32(b)
	NonDeterministic64(c)
	NonDeterministicU64(d)
	if a[0] == a[1] && b[0] == b[1] || c[0] == c[1] || d[0] == d[1] {
		t.Error("numbers repeat")
	}
}
