package resource

import (
	"strings"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// TestArrayRefuses: an array refuses wrong shapes, indices out of range, and calls after Close.
func TestArrayRefuses(t *testing.T) {
	b := func(n int) Data { return Data{B: make([]byte, n)} }
	any, two := Partial{}, Partial{true, []int{2}}
	const bad = tensor.InvalidArgument
	for _, c := range []struct {
		what string
		elem Partial
		f    ArrayFlags
		do   func(a *Array) error
		code tensor.Code
		says string
	}{
		{"shape that is asked for", two, ArrayFlags{}, func(a *Array) error { _, err := a.GatherShape([]int32{0}, Partial{true, []int{3}}); return err }, bad, "the element shape is [2], the reader expects [3]"},
		{"rank that is asked for", two, ArrayFlags{}, func(a *Array) error { return a.Gather([]int32{0}, []int{2}, Partial{true, []int{2, 1}}, b(2)) }, bad, "the reader expects [2,1]"},
		{"shape of none", any, ArrayFlags{}, func(a *Array) error { return a.Pack(0, []int{3}, two, b(0)) }, bad, "elements of the shape [2] are read as [3]"},
		{"none", any, ArrayFlags{}, func(a *Array) error { return a.Pack(0, []int{2}, two, b(0)) }, tensor.OK, ""},
		{"shape of none, not stated", any, ArrayFlags{}, func(a *Array) error { _, err := a.PackShape(0, any); return err }, tensor.Unimplemented, "size zero"},
		{"far too many", two, ArrayFlags{}, func(a *Array) error { return a.Pack(maxCells+1, []int{2}, two, b(0)) }, tensor.ResourceExhausted, ""},
		{"gather", two, ArrayFlags{}, func(a *Array) error { return a.Gather([]int32{0, 9}, []int{2}, any, b(4)) }, bad, "index 9 but array size is: 2"},
		{"scatter without rows", any, ArrayFlags{}, func(a *Array) error { return a.Scatter([]int32{0}, nil, b(1)) }, bad, "1 indices and the shape []"},
		{"scatter of more rows", any, ArrayFlags{}, func(a *Array) error { return a.Scatter([]int32{0}, []int{2, 1}, b(2)) }, bad, "1 indices and the shape [2,1]"},
		{"scatter of other rows", two, ArrayFlags{}, func(a *Array) error { return a.Scatter([]int32{0, 1}, []int{2, 1}, b(2)) }, bad, "incompatible with the TensorArray's inferred element shape: [2]"},
		{"unpack of a scalar", any, ArrayFlags{}, func(a *Array) error { return a.Unpack(nil, b(1)) }, bad, "at least a vector, not a scalar"},
		{"unpack of more", any, ArrayFlags{}, func(a *Array) error { return a.Unpack([]int{3}, b(3)) }, bad, "(2 vs. 3)"},
		{"unpack into one that grows", any, ArrayFlags{Dynamic: true}, func(a *Array) error { return a.Unpack([]int{3}, b(3)) }, tensor.OK, ""},
		{"split of a scalar", any, ArrayFlags{}, func(a *Array) error { return a.Split([]int64{1, 0}, nil, b(1)) }, bad, "but received a scalar"},
		{"concatenation of scalars", Partial{true, []int{}}, ArrayFlags{}, func(a *Array) error { _, err := a.ConcatShape(any); return err }, bad, "scalar shape at index 0"},
		{"concatenation with an unknown shape", any, ArrayFlags{}, func(a *Array) error { _, err := a.ConcatShape(any); return err }, bad, "it has not been written"},
		{"concatenation of another rank", two, ArrayFlags{}, func(a *Array) error { _, err := a.ConcatShape(Partial{true, []int{3}}); return err }, bad, "the reader expects [?,3]"},
		{"concatenation of rows that differ", any, ArrayFlags{}, func(a *Array) error {
			if err := a.Write(0, []int{1, 2}, b(2)); err != nil {
				return nil
			}
			if err := a.Write(1, []int{1, 3}, b(3)); err != nil {
				return nil
			}
			return a.Concat(any, []int{2, 2}, b(4), make([]int64, 2))
		}, bad, "inconsistent shapes. Index 0 has (excepting dimension 0) shape: [2] but index 1"},
		{"concatenation of another shape", two, ArrayFlags{}, func(a *Array) error { return a.Concat(any, []int{5}, b(5), make([]int64, 2)) }, bad, "the concatenation has the shape [4], not [5]"},
		{"concatenation of another number", two, ArrayFlags{}, func(a *Array) error { return a.Concat(any, []int{4}, b(4), make([]int64, 3)) }, bad, "2 tensors are read as 3"},
		{"element's shape", two, ArrayFlags{}, func(a *Array) error { return a.Read(0, []int{3}, b(3)) }, bad, "element 0 has the shape [2], not [3]"},
		{"read twice", two, ArrayFlags{ClearAfterRead: true}, func(a *Array) error {
			if err := a.Read(1, []int{2}, b(2)); err != nil {
				return nil
			}
			_, err := a.ShapeAt(1)
			return err
		}, bad, "twice because it was cleared"},
		{"place", two, ArrayFlags{}, func(a *Array) error { _, err := a.ShapeAt(-1); return err }, bad, "index -1"},
	} {
		a, err := NewArray("a", tensor.Uint8, c.elem, 2, c.f)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.do(a); tensor.CodeOf(err) != c.code || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %v with %q", c.what, err, c.code, c.says)
		}
	}
	if _, err := NewArray("a", tensor.Uint8, Partial{true, []int{-2}}, 2, ArrayFlags{}); tensor.CodeOf(err) != bad {
		t.Errorf("a dimension: %v", err)
	}
	empty, err := NewArray("a", tensor.Uint8, Partial{true, []int{-1, 3}}, 0, ArrayFlags{})
	if err != nil {
		t.Fatal(err)
	}
	if s, err := empty.ConcatShape(any); err != nil || len(s) != 2 || s[0] != 0 || s[1] != 3 {
		t.Errorf("a concatenation of none: %v, %v", s, err)
	}
	_, err = empty.ConcatShape(Partial{true, []int{-1}})
	if err != nil {
		t.Error(err)
	}
	unknown, _ := NewArray("a", tensor.Uint8, any, 0, ArrayFlags{})
	_, err = unknown.ConcatShape(any)
	wantCode(t, "a concatenation of none, not stated", err, tensor.Unimplemented, "element_shape_except0")

	closed, _ := NewArray("a", tensor.Uint8, two, 2, ArrayFlags{})
	closed.Destroy()
	_, grad := closed.Grad("s", nil)
	_, shape := closed.ConcatShape(any)
	_, joined := closed.JoinedLen()
	for what, err := range map[string]error{
		"gradient": grad, "shape": shape, "joined": joined, "write": closed.Write(0, []int{2}, b(2)), "read": closed.Read(0, []int{2}, b(2)), "scatter": closed.Scatter([]int32{0}, []int{1, 2}, b(2)),
		"unpack": closed.Unpack([]int{2}, b(2)), "split": closed.Split([]int64{1, 1}, []int{2}, b(2)), "gather": closed.Gather([]int32{0}, []int{2}, any, b(2)),
		"concat": closed.Concat(any, []int{4}, b(4), make([]int64, 2)),
	} {
		wantCode(t, what+" after Close", err, bad, "it has already been closed")
	}
	handle := []tensor.Handle{{V: unknown}}
	if _, err := ArrayOf(handle, tensor.Float32); tensor.CodeOf(err) != bad || !strings.Contains(err.Error(), "dtype is u8 but op has dtype f32") {
		t.Errorf("another type: %v", err)
	}
}

// TestGradientArray tests an array of gradients with a prepended dimension. It joins as many tensors
// as Unpack wrote to the original array.
func TestGradientArray(t *testing.T) {
	a, err := NewArray("a", tensor.Uint8, Partial{}, 3, ArrayFlags{})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Unpack([]int{3, 2}, Data{B: []byte{1, 2, 3, 4, 5, 6}}); err != nil {
		t.Fatal(err)
	}
	g, err := a.Grad("s", []int{4})
	if err != nil {
		t.Fatal(err)
	}
	if again, err := a.Grad("s", []int{4}); err != nil || again != g {
		t.Errorf("another array for the same source: %v", err)
	}
	if s, err := g.ShapeAt(1); err != nil || len(s) != 2 || s[0] != 4 || s[1] != 2 {
		t.Errorf("shape %v, %v", s, err)
	}
	if n, err := g.JoinedLen(); err != nil || n != 3 {
		t.Errorf("%d gradients of three, %v", n, err)
	}
	for range 2 {
		if err := g.Write(0, []int{4, 2}, Data{B: []byte{1, 2, 3, 4, 5, 6, 7, 8}}); err != nil {
			t.Fatal(err)
		}
	}
	got := Data{B: make([]byte, 8)}
	if err := g.Read(0, []int{4, 2}, got); err != nil || got.B[7] != 16 {
		t.Errorf("the sum %v, %v", got.B, err)
	}
	wantCode(t, "write after a read", g.Write(0, []int{4, 2}, got), tensor.InvalidArgument, "already been read")
}

// TestStackRefuses: operations are refused on a stack that is full, empty or closed, or whose
// topmost tensor has another shape.
func TestStackRefuses(t *testing.T) {
	const bad = tensor.InvalidArgument
	s := NewStack("s", tensor.Uint8, 2)
	one := Data{B: []byte{7}}
	_, err := s.Top()
	wantCode(t, "top of an empty stack", err, bad, "is empty when calling Pop()")
	wantCode(t, "drop from an empty stack", s.Drop(), bad, "is empty")
	for _, shape := range [][]int{{1}, {1, 1}} {
		if err := s.Push(shape, one); err != nil {
			t.Fatal(err)
		}
	}
	wantCode(t, "one too many", s.Push([]int{1}, one), bad, "overflowed its max_size (2)")
	wantCode(t, "another shape", s.Pop([]int{1}, one), bad, "has the shape [1,1], not [1]")
	got := Data{B: []byte{0}}
	if err := s.Drop(); err != nil {
		t.Error(err)
	}
	if err := s.Pop([]int{1}, got); err != nil || got.B[0] != 7 {
		t.Errorf("%v, %v", got.B, err)
	}
	h := []tensor.Handle{{V: s}}
	if _, err := StackOf(h, tensor.Float32); tensor.CodeOf(err) != bad {
		t.Errorf("another type: %v", err)
	}
	if other, err := StackOf(h, tensor.Invalid); err != nil || other != s {
		t.Error(err)
	}
	s.Destroy()
	_, err = s.Top()
	wantCode(t, "top", err, bad, "has already been closed")
	wantCode(t, "push", s.Push([]int{1}, one), bad, "has already been closed")
	wantCode(t, "drop", s.Drop(), bad, "has already been closed")
}

// TestUnstackRefuses: Unstack refuses rows that do not fit the list's element shape.
func TestUnstackRefuses(t *testing.T) {
	two := Partial{true, []int{2}}
	_, err := Unstack(tensor.Uint8, two, nil, Data{})
	wantCode(t, "a scalar", err, tensor.InvalidArgument, "at least a vector")
	_, err = Unstack(tensor.Uint8, two, []int{1, 3}, Data{B: make([]byte, 3)})
	wantCode(t, "other rows", err, tensor.InvalidArgument, "")
	_, err = Unstack(tensor.Uint8, Partial{true, []int{-2}}, []int{1, 3}, Data{B: make([]byte, 3)})
	wantCode(t, "a dimension", err, tensor.InvalidArgument, "must be >= -1, not -2")
	_, err = Unstack(tensor.Uint8, two, []int{maxCells + 1, 2}, Data{})
	wantCode(t, "too many", err, tensor.ResourceExhausted, "")
	if l, err := Unstack(tensor.Uint8, two, []int{0, 2}, Data{}); err != nil || l.n != 0 {
		t.Errorf("none: %v, %v", l, err)
	}
}

// TestTuples: Tuple and Tuples refuse handles that hold other objects than a Box or Rows,
// respectively. Tuples also refuses components with different numbers of rows.
func TestTuples(t *testing.T) {
	box := tensor.Handle{V: &Box{DType: tensor.Uint8, Data: []uint8{1}}}
	rows := func(n int) tensor.Handle { return tensor.Handle{V: &Rows{DType: tensor.Uint8, Boxes: make([]*Box, n)}} }
	_, err := Tuple([]tensor.Handle{box, rows(1)})
	wantCode(t, "rows for a tensor", err, tensor.Internal, "component 1 is a *resource.Rows, not a tensor")
	_, err = Tuples([]tensor.Handle{rows(1), box})
	wantCode(t, "a tensor for rows", err, tensor.Internal, "component 1 is a *resource.Box, not rows")
	_, err = Tuples([]tensor.Handle{rows(1), rows(2)})
	wantCode(t, "numbers of rows", err, tensor.InvalidArgument, "2 rows, component 0 has 1")
	for says, p := range map[string][2][]int{"Different number of component types and shapes: 2 and 1": {{1, 1}, {0}}, "must have known rank": {{1}, {-1}}} {
		_, err := NewQueue(QueueParams{Capacity: 1}, p[0], p[1], nil)
		if tensor.CodeOf(err) != tensor.InvalidArgument || !strings.Contains(err.Error(), says) {
			t.Errorf("%q expected: %v", says, err)
		}
	}
}
