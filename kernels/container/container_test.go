package container

import (
	"fmt"
	"testing"

	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

func handle() []tensor.Handle { return make([]tensor.Handle, 1) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestStrings: lists, arrays and stacks return the strings that were stored in them.
func TestStrings(t *testing.T) {
	d := tensor.String
	l, m := handle(), handle()
	must(t, NewList(nil, l, []int32{2}, -1, d, nil, false))
	must(t, ListSetStr(m, l, []int32{1}, []string{"a", "b"}, []int{2}, d, false, false))
	must(t, ListPushStr(m, m, []string{"c", "d"}, []int{2}, d, false))
	got := make([]string, 6)
	must(t, ListStackStr(got, m, 3, []int{2}, d, nil, false))
	if fmt.Sprint(got) != "[  a b c d]" {
		t.Errorf("stacked: %q", got)
	}
	if n, err := ListSize(l); n != 2 || err != nil {
		t.Errorf("the first version has %d elements, %v", n, err)
	}
	must(t, ListPopStr(m, got[:2], m, []int{2}, d, nil, false, false))
	must(t, ListGatherStr(got[2:], m, []int32{1, 0}, []int{2}, d, nil, false))
	if fmt.Sprint(got) != "[c d a b  ]" {
		t.Errorf("popped and gathered: %q", got)
	}
	a, flow := handle(), make([]float32, 1)
	must(t, NewArray(nil, a, flow, []int32{2}, "a", d, nil, false, resource.ArrayFlags{ClearAfterRead: true}))
	must(t, ArraySplitStr(flow, a, []string{"x", "y", "z"}, []int64{1, 2}, flow, []int{3}, d))
	lengths := make([]int64, 2)
	must(t, ArrayConcatStr(got[:3], lengths, a, []int{3}, d, nil, false))
	if fmt.Sprint(got[:3], lengths) != "[x y z] [1 2]" {
		t.Errorf("joined: %q %v", got[:3], lengths)
	}
	s := handle()
	must(t, NewStack(nil, s, "s", d, StackParams{}))
	must(t, StackPushStr(s, got[:2], []int{2}, d))
	got[0] = "changed" // the stack has its own copy
	if n, err := StackDim(s, d, 0); n != 2 || err != nil {
		t.Errorf("the top has %d elements, %v", n, err)
	}
	must(t, StackPopStr(got[:2], s, []int{2}, d))
	if fmt.Sprint(got[:2]) != "[x y]" {
		t.Errorf("popped: %q", got[:2])
	}
}

// TestHandles: a list of lists keeps the lists as they were when they were stored.
func TestHandles(t *testing.T) {
	in, out, back := handle(), handle(), handle()
	must(t, ListUnstackRaw(in, []byte{1, 2, 3}, []int{3}, tensor.Uint8, nil, true))
	must(t, EmptyList(nil, out, []int32{-1}, tensor.Variant, nil, true))
	must(t, ListPushHnd(out, out, in, nil, tensor.Variant, true))
	must(t, ListSetRaw(in, in, []int32{0}, []byte{9}, nil, tensor.Uint8, false, false))
	must(t, ListGetHnd(back, out, []int32{0}, nil, tensor.Variant, nil, true))
	got := make([]byte, 3)
	must(t, ListStackRaw(got, back, 3, nil, tensor.Uint8, nil, true))
	if fmt.Sprint(got) != "[1 2 3]" {
		t.Errorf("the list within has %v", got)
	}
	sum := handle()
	must(t, AddHnd(sum, in, back))
	must(t, ListStackRaw(got, sum, 3, nil, tensor.Uint8, nil, true))
	if fmt.Sprint(got) != "[10 4 6]" {
		t.Errorf("the sum has %v", got)
	}
	must(t, ZerosLikeHnd(sum, out))
	must(t, ListGetHnd(back, sum, []int32{0}, nil, tensor.Variant, nil, true))
	must(t, ListStackRaw(got, back, 3, nil, tensor.Uint8, nil, true))
	if fmt.Sprint(got) != "[0 0 0]" {
		t.Errorf("zeros within are %v", got)
	}
}

// TestCodes checks the error codes for empty handles and for handles of the wrong kind.
func TestCodes(t *testing.T) {
	l, a, s, none := handle(), handle(), handle(), handle()
	flow := make([]float32, 1)
	must(t, NewList(nil, l, []int32{1}, -1, tensor.Float32, []int{2}, true))
	must(t, NewArray(nil, a, flow, []int32{1}, "a", tensor.Float32, []int{2}, true, resource.ArrayFlags{}))
	must(t, NewStack(nil, s, "s", tensor.Float32, StackParams{Most: []int32{1}}))
	b := make([]byte, 8)
	at := []int32{0}
	for _, c := range []struct {
		name string
		err  error
		want tensor.Code
	}{
		{"no list", ListLength(at, none), tensor.InvalidArgument},
		{"an array as a list", ListResize(none, a, at, false), tensor.InvalidArgument},
		{"a list of another type", ListGetRaw(b, l, at, []int{2}, tensor.Int32, nil, false), tensor.InvalidArgument},
		{"a negative size", NewList(nil, none, []int32{-1}, -1, tensor.Float32, nil, false), tensor.InvalidArgument},
		{"a row too many", ListScatterRaw(none, b, at, []int{2}, tensor.Float32, nil, true, ScatterParams{}), tensor.InvalidArgument},
		{"an index below 0", ListScatterIntoRaw(none, l, b, []int32{-1}, []int{1, 2}, tensor.Float32), tensor.InvalidArgument},
		{"lengths that leave a row", ListSplitRaw(none, b, []int64{1}, []int{2}, tensor.Float32, nil, false), tensor.InvalidArgument},
		{"lengths below 0", ListSplitRaw(none, b, []int64{-1, 3}, []int{2}, tensor.Float32, nil, false), tensor.InvalidArgument},
		{"no array", ArraySize(at, none), tensor.NotFound},
		{"a stack as an array", ArrayClose(s), tensor.InvalidArgument},
		{"an array of another type", ArrayWriteRaw(flow, a, at, b, flow, []int{2}, tensor.Int32), tensor.InvalidArgument},
		{"no stack", StackClose(none), tensor.NotFound},
		{"an empty stack", StackPopRaw(b, s, []int{2}, tensor.Float32), tensor.InvalidArgument},
		{"an empty stack, not looked at", StackDrop(s, tensor.Float32), tensor.InvalidArgument},
		{"a stack of another type", StackPushRaw(s, b, []int{1}, tensor.Float64), tensor.InvalidArgument},
	} {
		if tensor.CodeOf(c.err) != c.want {
			t.Errorf("%s: %v, want the code %v", c.name, c.err, c.want)
		}
	}
	if _, err := ListDim(l, at, tensor.Float32, nil, false, 1); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Errorf("a dimension beyond the rank: %v", err)
	}
}

// TestSteady checks that writing and reading allocate nothing after a container has grown.
func TestSteady(t *testing.T) {
	l, a, s := handle(), handle(), handle()
	flow, at, b, shape := make([]float32, 1), []int32{1}, make([]byte, 16), []int{4}
	f := tensor.Float32
	must(t, NewList(nil, l, []int32{4}, -1, f, nil, false))
	must(t, NewArray(nil, a, flow, []int32{4}, "a", f, shape, true, resource.ArrayFlags{}))
	must(t, NewStack(nil, s, "s", f, StackParams{}))
	must(t, ArrayWriteRaw(flow, a, at, b, flow, shape, f))
	for name, do := range map[string]func() error{
		"list": func() error {
			if err := ListSetRaw(l, l, at, b, shape, f, false, true); err != nil {
				return err
			}
			return ListGetRaw(b, l, at, shape, f, nil, false)
		},
		"array": func() error { return ArrayReadRaw(b, a, at, shape, f) },
		"stack": func() error {
			if err := StackPushRaw(s, b, shape, f); err != nil {
				return err
			}
			return StackPopRaw(b, s, shape, f)
		},
	} {
		if n := testing.AllocsPerRun(100, func() { must(t, do()) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
