package resource

import (
	"context"
	"strings"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// wantCode checks that err has the given code, and that the text of err contains the last argument.
func wantCode(t *testing.T, what string, err error, code tensor.Code, says string) {
	t.Helper()
	if tensor.CodeOf(err) != code || !strings.Contains(err.Error(), says) {
		t.Errorf("%s: %v, want %v with %q", what, err, code, says)
	}
}

// TestListRefuses: the methods of a list return an error for indices out of range, and for tensors
// with an unexpected shape.
func TestListRefuses(t *testing.T) {
	l, err := NewList(tensor.Uint8, Partial{}, 0, -1)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range [][]byte{{1, 2}, {3, 4, 5}} {
		if l, err = l.Push([]int{len(v)}, Data{B: v}, false); err != nil {
			t.Fatal(err)
		}
	}
	buf := Data{B: make([]byte, 4)}
	two := []int{2}
	for _, k := range []int{-1, 2, 1 << 40} {
		_, err := l.ItemShape(k, Partial{})
		wantCode(t, "shape of a place", err, tensor.InvalidArgument, "Trying to access element")
		wantCode(t, "a place", l.Get(k, two, Partial{}, buf), tensor.InvalidArgument, "Trying to access element")
	}
	wantCode(t, "gather", l.Gather([]int32{0, 2}, two, Partial{}, buf), tensor.InvalidArgument, "Trying to access element 2")
	wantCode(t, "stack", l.Stack(2, two, Partial{}, buf), tensor.InvalidArgument, "element 1 has [3], not [2]")
	wantCode(t, "another number", l.Stack(3, two, Partial{}, buf), tensor.InvalidArgument, "expected a list with 3 elements")
	wantCode(t, "another shape than asked", l.Stack(2, two, Partial{Known: true, Dims: []int{3}}, buf), tensor.InvalidArgument, "Tried to stack elements")
	_, err = l.StackShape(Partial{})
	wantCode(t, "shapes that differ", err, tensor.InvalidArgument, "Incompatible shapes")
	_, err = l.Scatter([]int32{0, 1}, []int{3, 2}, Data{B: make([]byte, 6)}, true)
	wantCode(t, "rows to scatter", err, tensor.InvalidArgument, "2 indices for a tensor")
	for _, at := range []int32{-1, 7} {
		_, err = l.Scatter([]int32{at}, []int{1, 2}, buf, false)
		wantCode(t, "place to scatter to", err, tensor.InvalidArgument, "Trying to scatter at index")
	}
}

// TestQueueRefuses: DequeueMany refuses a negative number of elements.
func TestQueueRefuses(t *testing.T) {
	h, err := NewQueue(QueueParams{Capacity: -1}, []int{int(tensor.Uint8)}, []int{0}, nil)
	if err != nil {
		t.Fatal(err)
	}
	q, err := QueueOf([]tensor.Handle{h})
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Close(context.Background(), false); err != nil {
		t.Fatal(err)
	}
	for _, upTo := range []bool{false, true} {
		wantCode(t, "negative", q.DequeueMany(context.Background(), make([]tensor.Handle, 1), -3, upTo), tensor.InvalidArgument, "-3 < 0 elements")
	}
}

// TestHandleKinds: a handle of one kind of resource is not accepted as another kind.
func TestHandleKinds(t *testing.T) {
	queue, err := NewQueue(QueueParams{Capacity: -1}, []int{int(tensor.Uint8)}, []int{0}, nil)
	if err != nil {
		t.Fatal(err)
	}
	table := NewTable(TableParams{Key: tensor.String, Value: tensor.Int64}, nil)
	for what, as := range map[string]func([]tensor.Handle) error{
		"a queue":  func(h []tensor.Handle) error { _, err := QueueOf(h); return err },
		"a table":  func(h []tensor.Handle) error { _, err := TableOf(h); return err },
		"a reader": func(h []tensor.Handle) error { _, err := ReaderOf(h); return err },
	} {
		for kind, h := range map[string]tensor.Handle{"a queue": queue, "a table": table} {
			if err := as([]tensor.Handle{h}); kind == what && err != nil || kind != what && tensor.CodeOf(err) != tensor.InvalidArgument {
				t.Errorf("%s for %s: %v", kind, what, err)
			}
		}
		wantCode(t, what, as([]tensor.Handle{{}}), tensor.NotFound, "refers to no resource")
		wantCode(t, what, as(nil), tensor.NotFound, "refers to no resource")
	}
}

// TestReaderRefuses: a reader refuses invalid sizes of records and invalid states.
func TestReaderRefuses(t *testing.T) {
	for _, c := range []struct {
		p    ReaderParams
		code tensor.Code
		says string
	}{
		{ReaderParams{Record: 0}, tensor.InvalidArgument, "record_bytes must be >= 1"},
		{ReaderParams{Record: 1, Header: -1}, tensor.InvalidArgument, "header_bytes"},
		{ReaderParams{Record: 1, Footer: -1}, tensor.InvalidArgument, "footer_bytes"},
		{ReaderParams{Record: 1, Hop: -1}, tensor.InvalidArgument, "hop_bytes"},
		{ReaderParams{Record: maxRead + 1}, tensor.ResourceExhausted, "at most"},
	} {
		_, err := NewFixedLengthReader(c.p)
		wantCode(t, "a reader", err, c.code, c.says)
	}
	r := readerOf(t, NewIdentityReader(ReaderParams{}), nil)
	state := func(counts ...int64) string {
		var b []byte
		for i, n := range counts {
			b = appendVarint(append(b, byte(i+1)<<3), uint64(n))
		}
		return string(b)
	}
	for _, c := range []struct {
		state, says string
	}{
		{state(-1, 0, 0), "work started -1"},
		{state(0, -1, 0), "work finished -1"},
		{state(0, 0, -1), "records produced -1"},
		{state(1, 2, 0), "1 vs. 2"},
		{"\x08", "Could not parse"},
		{"\x0a\xff\xff\xff\xff\x0f", "Could not parse"},
	} {
		wantCode(t, "a state", r.Restore(context.Background(), c.state), tensor.InvalidArgument, c.says)
	}
	if err := r.Restore(context.Background(), state(2, 2, 5)); err != nil {
		t.Error(err)
	}
}
