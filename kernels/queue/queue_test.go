package queue

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

var bg = context.Background()

func ints(d tensor.DType, ranks ...int) (types, rs, dims []int) {
	for _, r := range ranks {
		types, rs = append(types, int(d)), append(rs, r)
		for range r {
			dims = append(dims, -1)
		}
	}
	return types, rs, dims
}

// newQueue makes a queue of int32 scalars.
func newQueue(t *testing.T, p resource.QueueParams) []tensor.Handle {
	t.Helper()
	types, ranks, dims := ints(tensor.Int32, 0)
	if p.Kind == resource.Priority {
		types, ranks = []int{int(tensor.Int64), int(tensor.String)}, []int{0, 0}
	}
	h, err := resource.NewQueue(p, types, ranks, dims)
	if err != nil {
		t.Fatal(err)
	}
	return []tensor.Handle{h}
}

func enqueue(ctx context.Context, q []tensor.Handle, v int32) error {
	parts := make([]tensor.Handle, 1)
	PutI32(parts, []int32{v}, nil, tensor.Int32)
	return Enqueue(ctx, q, parts)
}

func enqueueMany(ctx context.Context, q []tensor.Handle, v ...int32) error {
	parts := make([]tensor.Handle, 1)
	PutRowsI32(nil, parts, v, []int{len(v)}, tensor.Int32)
	return EnqueueMany(ctx, q, parts)
}

func dequeue(ctx context.Context, q []tensor.Handle) (int32, error) {
	parts, v := make([]tensor.Handle, 1), make([]int32, 1)
	if err := Dequeue(ctx, parts, q); err != nil {
		return 0, err
	}
	err := GetI32(v, parts, tensor.Int32)
	return v[0], err
}

func dequeueMany(ctx context.Context, q []tensor.Handle, n int, upTo bool) ([]int32, error) {
	parts := make([]tensor.Handle, 1)
	if err := DequeueMany(ctx, parts, q, n, upTo); err != nil {
		return nil, err
	}
	k, err := Dim(parts, 0, 1)
	if err != nil {
		return nil, err
	}
	v := make([]int32, k)
	return v, GetI32(v, parts, tensor.Int32)
}

func size(t *testing.T, q []tensor.Handle) int {
	t.Helper()
	var n [1]int32
	if err := Size(n[:], q); err != nil {
		t.Fatal(err)
	}
	return int(n[0])
}

func wantCode(t *testing.T, err error, c tensor.Code) {
	t.Helper()
	if tensor.CodeOf(err) != c {
		t.Errorf("%v, want %v", err, c)
	}
}

func TestFIFO(t *testing.T) {
	q := newQueue(t, resource.QueueParams{Name: "q", Capacity: 20})
	for i := range int32(3) {
		if err := enqueue(bg, q, i); err != nil {
			t.Fatal(err)
		}
	}
	if err := enqueueMany(bg, q, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13); err != nil {
		t.Fatal(err)
	}
	if v, err := dequeue(bg, q); v != 0 || err != nil {
		t.Error(v, err)
	}
	if v, err := dequeueMany(bg, q, 4, false); !slices.Equal(v, []int32{1, 2, 3, 4}) || err != nil {
		t.Error(v, err)
	}
	if v, err := dequeueMany(bg, q, 0, false); len(v) != 0 || err != nil {
		t.Error(v, err)
	}
	if err := Close(bg, q, false); err != nil {
		t.Fatal(err)
	}
	wantCode(t, Close(bg, q, false), tensor.Cancelled)
	if err := Close(bg, q, true); err != nil {
		t.Error(err)
	}
	wantCode(t, enqueue(bg, q, 1), tensor.Cancelled)
	_, err := dequeueMany(bg, q, 20, false)
	wantCode(t, err, tensor.OutOfRange)
	if n := size(t, q); n != 9 {
		t.Errorf("%d elements are left of 9", n)
	}
	if v, err := dequeueMany(bg, q, 20, true); !slices.Equal(v, []int32{5, 6, 7, 8, 9, 10, 11, 12, 13}) || err != nil {
		t.Error(v, err)
	}
	_, err = dequeueMany(bg, q, 2, true)
	wantCode(t, err, tensor.OutOfRange)
	_, err = dequeue(bg, q)
	wantCode(t, err, tensor.OutOfRange)
}

// TestShuffle compares the order of dequeued elements with TensorFlow's.
func TestShuffle(t *testing.T) {
	q := newQueue(t, resource.QueueParams{Kind: resource.Shuffle, Capacity: 30, Seed: 87654321, Seed2: 3})
	v := make([]int32, 20)
	for i := range v {
		v[i] = int32(i)
	}
	if err := enqueueMany(bg, q, v...); err != nil {
		t.Fatal(err)
	}
	got, err := dequeueMany(bg, q, 7, false)
	if want := []int32{7, 4, 10, 11, 15, 16, 18}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	got = nil
	for range 4 {
		x, err := dequeue(bg, q)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, x)
	}
	if want := []int32{14, 1, 3, 0}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if err := enqueueMany(bg, q, 100, 101, 102, 103, 104); err != nil {
		t.Fatal(err)
	}
	got, err = dequeueMany(bg, q, 14, false)
	if want := []int32{2, 101, 102, 9, 13, 8, 104, 19, 103, 5, 12, 17, 6, 100}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
}

func TestShuffleKeepsSome(t *testing.T) {
	q := newQueue(t, resource.QueueParams{Kind: resource.Shuffle, Capacity: 9, MinAfter: 2, Seed: 1})
	if err := enqueueMany(bg, q, 1, 2, 3); err != nil {
		t.Fatal(err)
	}
	if _, err := dequeue(bg, q); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(bg, 10*time.Millisecond)
	defer cancel()
	_, err := dequeue(ctx, q)
	wantCode(t, err, tensor.DeadlineExceeded)
	if err := Close(bg, q, false); err != nil {
		t.Fatal(err)
	}
	if v, err := dequeueMany(bg, q, 2, false); len(v) != 2 || err != nil { // a closed queue need not keep a minimum of elements
		t.Error(v, err)
	}
}

// TestPriority compares the order of equal priorities with TensorFlow's.
func TestPriority(t *testing.T) {
	q := newQueue(t, resource.QueueParams{Kind: resource.Priority, Capacity: 10})
	in := make([]tensor.Handle, 2)
	PutRowsI64(nil, in, []int64{3, 1, 2, 1, 3, 1}, []int{6}, tensor.Int64)
	PutRowsStr(nil, in[1:], strings.Split("abcdef", ""), []int{6}, tensor.String)
	if err := EnqueueMany(bg, q, in); err != nil {
		t.Fatal(err)
	}
	out := make([]tensor.Handle, 2)
	if err := DequeueMany(bg, out, q, 6, false); err != nil {
		t.Fatal(err)
	}
	p, s := make([]int64, 6), make([]string, 6)
	if err := errors.Join(GetI64(p, out, tensor.Int64), GetStr(s, out[1:], tensor.String)); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(p, []int64{1, 1, 1, 2, 3, 3}) || strings.Join(s, "") != "bfdcae" {
		t.Error(p, s)
	}
}

func TestPadding(t *testing.T) {
	h, err := resource.NewQueue(resource.QueueParams{Kind: resource.Padding, Capacity: -1}, []int{int(tensor.Float32), int(tensor.String)}, []int{2, 1}, []int{-1, 2, -1})
	if err != nil {
		t.Fatal(err)
	}
	q, parts := []tensor.Handle{h}, make([]tensor.Handle, 2)
	for n := 1; n <= 3; n += 2 {
		x := make([]float32, 2*n)
		for i := range x {
			x[i] = float32(n*10 + i)
		}
		PutF32(parts, x, []int{n, 2}, tensor.Float32)
		PutStr(parts[1:], make([]string, n-1), []int{n - 1}, tensor.String)
		if err := Enqueue(bg, q, parts); err != nil {
			t.Fatal(err)
		}
	}
	if err := DequeueMany(bg, parts, q, 2, false); err != nil {
		t.Fatal(err)
	}
	got := slices.Repeat([]float32{-1}, 12)
	if err := GetF32(got, parts, tensor.Float32); err != nil || !slices.Equal(got, []float32{10, 11, 0, 0, 0, 0, 30, 31, 32, 33, 34, 35}) {
		t.Error(got, err)
	}
	for axis, want := range []int{2, 3, 2} {
		if n, err := Dim(parts, axis, 3); n != want || err != nil {
			t.Errorf("dimension %d is %d, %v, want %d", axis, n, err, want)
		}
	}
	if n, err := Dim(parts[1:], 1, 2); n != 2 || err != nil {
		t.Error(n, err)
	}
	_, err = Dim(parts, 0, 2)
	wantCode(t, err, tensor.InvalidArgument)
	wantCode(t, CheckShape(parts, 1, []int{3, 3}), tensor.InvalidArgument)
	wantCode(t, CheckShape(parts, 1, nil), tensor.InvalidArgument) // a row of scalars
	if err := CheckShape(parts, 3, nil); err != nil {
		t.Error(err)
	}
	if err := CheckShape(parts, 1, []int{-1, 2}); err != nil {
		t.Error(err)
	}
}

func TestTuplesThatDoNotFit(t *testing.T) {
	q := newQueue(t, resource.QueueParams{Capacity: 5})
	parts := make([]tensor.Handle, 2)
	PutI32(parts, []int32{1, 2}, []int{2}, tensor.Int32)
	wantCode(t, Enqueue(bg, q, parts[:1]), tensor.InvalidArgument)
	PutI64(parts, []int64{1}, nil, tensor.Int64)
	wantCode(t, Enqueue(bg, q, parts[:1]), tensor.InvalidArgument)
	PutI32(parts, []int32{1}, nil, tensor.Int32)
	PutI32(parts[1:], []int32{1}, nil, tensor.Int32)
	wantCode(t, Enqueue(bg, q, parts), tensor.InvalidArgument)
	wantCode(t, Enqueue(bg, []tensor.Handle{{V: 1}}, parts), tensor.InvalidArgument)
	wantCode(t, Enqueue(bg, nil, parts), tensor.NotFound)
	wantCode(t, GetI64(make([]int64, 1), parts, tensor.Int64), tensor.InvalidArgument)
	wantCode(t, GetI32(make([]int32, 2), parts, tensor.Int32), tensor.InvalidArgument)
	open, err := resource.NewQueue(resource.QueueParams{Capacity: 1}, []int{int(tensor.Int32)}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	wantCode(t, DequeueMany(bg, parts[:1], []tensor.Handle{open}, 1, false), tensor.InvalidArgument)
	for _, p := range []resource.QueueParams{
		{Kind: resource.Shuffle, Capacity: 3, MinAfter: 3}, {Kind: resource.Shuffle, Capacity: 3, MinAfter: -1}, {Kind: resource.Priority},
	} {
		types, ranks, dims := ints(tensor.Int32, 0)
		_, err := resource.NewQueue(p, types, ranks, dims)
		wantCode(t, err, tensor.InvalidArgument)
	}
	_, err = resource.NewQueue(resource.QueueParams{Kind: resource.Padding}, []int{int(tensor.Int32)}, nil, nil)
	wantCode(t, err, tensor.InvalidArgument)
}

// waiting calls f in a goroutine. It checks that f has not returned after a few milliseconds, and
// returns a channel for the result of f.
func waiting(t *testing.T, f func() error) <-chan error {
	t.Helper()
	c := make(chan error, 1)
	go func() { c <- f() }()
	select {
	case err := <-c:
		t.Fatalf("does not wait: %v", err)
	case <-time.After(5 * time.Millisecond):
	}
	return c
}

func TestWaiting(t *testing.T) {
	q := newQueue(t, resource.QueueParams{Capacity: 2})
	if err := enqueueMany(bg, q, 1, 2); err != nil {
		t.Fatal(err)
	}
	a := waiting(t, func() error { return enqueueMany(bg, q, 3, 4, 5) })
	b := waiting(t, func() error { return enqueue(bg, q, 6) })
	c := waiting(t, func() error { return Close(bg, q, false) }) // after earlier callers
	if v, err := dequeueMany(bg, q, 5, false); !slices.Equal(v, []int32{1, 2, 3, 4, 5}) || err != nil {
		t.Fatal(v, err)
	}
	for _, d := range []<-chan error{a, b, c} {
		if err := <-d; err != nil {
			t.Error(err)
		}
	}
	if v, err := dequeue(bg, q); v != 6 || err != nil {
		t.Error(v, err)
	}

	q = newQueue(t, resource.QueueParams{Capacity: 1})
	d := waiting(t, func() error { _, err := dequeue(bg, q); return err })
	if err := Close(bg, q, true); err != nil {
		t.Fatal(err)
	}
	wantCode(t, <-d, tensor.OutOfRange)

	q = newQueue(t, resource.QueueParams{Capacity: 1})
	e := waiting(t, func() error { return enqueueMany(bg, q, 1, 2) })
	if err := Close(bg, q, true); err != nil {
		t.Fatal(err)
	}
	wantCode(t, <-e, tensor.Cancelled)
}

// TestCancel checks that a cancelled waiter changes nothing, and that the waiters after it proceed.
func TestCancel(t *testing.T) {
	before := runtime.NumGoroutine()
	q := newQueue(t, resource.QueueParams{Capacity: 3})
	ctx, cancel := context.WithCancel(bg)
	if err := enqueueMany(bg, q, 1, 2); err != nil {
		t.Fatal(err)
	}
	a := waiting(t, func() error { _, err := dequeueMany(ctx, q, 3, false); return err })
	b := waiting(t, func() error {
		v, err := dequeueMany(bg, q, 2, false)
		if err == nil && !slices.Equal(v, []int32{1, 2}) {
			err = fmt.Errorf("got %v", v)
		}
		return err
	})
	cancel()
	wantCode(t, <-a, tensor.Cancelled)
	if err := <-b; err != nil { // the second call receives the tuples that the cancelled call had already taken
		t.Error(err)
	}
	_, err := dequeue(ctx, q)
	wantCode(t, err, tensor.Cancelled)
	wantCode(t, enqueueMany(ctx, q, 1, 2, 3, 4), tensor.Cancelled)
	if n := size(t, q); n != 3 {
		t.Errorf("%d elements, want the 3 there was room for", n)
	}
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines, before %d", runtime.NumGoroutine(), before)
}

// TestRace checks that no element is lost or duplicated while all kinds of producers and consumers
// run at the same time.
func TestRace(t *testing.T) {
	for _, kind := range []resource.QueueKind{resource.FIFO, resource.Shuffle} {
		q := newQueue(t, resource.QueueParams{Kind: kind, Capacity: 7, MinAfter: 0})
		const producers, each = 4, 300
		var in, out sync.WaitGroup
		for p := range producers {
			in.Go(func() {
				for i := 0; i < each; i += 3 {
					v := int32(p*each + i)
					if err := errors.Join(enqueue(bg, q, v), enqueueMany(bg, q, v+1, v+2)); err != nil {
						t.Error(err)
					}
				}
			})
		}
		var mu sync.Mutex
		seen := map[int32]int{}
		for c := range 3 {
			out.Go(func() {
				for i := 0; ; i++ {
					ctx, cancel := bg, func() {}
					if i%5 == 4 {
						ctx, cancel = context.WithTimeout(bg, 50*time.Microsecond)
					}
					var v []int32
					var err error
					if c == 0 {
						v = make([]int32, 1)
						v[0], err = dequeue(ctx, q)
					} else {
						v, err = dequeueMany(ctx, q, 1+i%4, true)
					}
					cancel()
					switch {
					case tensor.CodeOf(err) == tensor.OutOfRange:
						return
					case tensor.CodeOf(err) == tensor.DeadlineExceeded:
						continue
					case err != nil:
						t.Error(err)
						return
					}
					mu.Lock()
					for _, x := range v {
						seen[x]++
					}
					mu.Unlock()
				}
			})
		}
		in.Wait()
		if err := Close(bg, q, false); err != nil {
			t.Fatal(err)
		}
		out.Wait()
		for i := range int32(producers * each) {
			if seen[i] != 1 {
				t.Errorf("%v: element %d came %d times", kind, i, seen[i])
			}
		}
	}
}
