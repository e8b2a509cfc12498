package queue

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

func boxes(vs ...int32) []tensor.Handle {
	out := make([]tensor.Handle, len(vs))
	for i, v := range vs {
		PutI32(out[i:], []int32{v}, nil, tensor.Int32)
	}
	return out
}

func values(t *testing.T, parts []tensor.Handle) []int32 {
	t.Helper()
	out := make([]int32, len(parts))
	for i := range parts {
		if err := GetI32(out[i:][:1], parts[i:], tensor.Int32); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func TestStage(t *testing.T) {
	s := []tensor.Handle{resource.NewStage()}
	room := resource.StageParams{Capacity: 2, Memory: 24}
	short := func() (context.Context, context.CancelFunc) { return context.WithTimeout(bg, 5*time.Millisecond) }
	for i := range int32(2) {
		if err := Stage(bg, s, boxes(i, 10+i), room); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := short()
	wantCode(t, Stage(ctx, s, boxes(1), room), tensor.DeadlineExceeded)
	cancel()
	wantCode(t, Stage(bg, s, boxes(1, 2, 3, 4, 5, 6, 7), room), tensor.ResourceExhausted)
	parts := make([]tensor.Handle, 2)
	if err := StagePeek(bg, parts, s, []int32{1}); err != nil || !slices.Equal(values(t, parts), []int32{1, 11}) {
		t.Error(err)
	}
	wantCode(t, StagePeek(bg, parts, s, []int32{-1}), tensor.InvalidArgument)
	wait := waiting(t, func() error { return Stage(bg, s, boxes(2, 12), room) })
	for i := range int32(3) {
		if err := Unstage(bg, parts, s); err != nil || !slices.Equal(values(t, parts), []int32{i, 10 + i}) {
			t.Error(err)
		}
	}
	if err := <-wait; err != nil {
		t.Error(err)
	}
	ctx, cancel = short()
	wantCode(t, Unstage(ctx, parts, s), tensor.DeadlineExceeded)
	cancel()
	if err := Stage(bg, s, boxes(2), room); err != nil {
		t.Error(err)
	}
	wantCode(t, Unstage(bg, parts, s), tensor.InvalidArgument) // the tuple does not have as many components as parts
	var n [1]int32
	if err := errors.Join(Stage(bg, s, boxes(2), room), StageSize(n[:], s)); err != nil || n[0] != 1 {
		t.Error(n, err)
	}
	if err := errors.Join(StageClear(s), StageSize(n[:], s)); err != nil || n[0] != 0 {
		t.Error(n, err)
	}
}

func TestMapStage(t *testing.T) {
	s := []tensor.Handle{resource.NewStage()}
	size := func(complete, incomplete int32) {
		t.Helper()
		var a, b [1]int32
		if err := errors.Join(MapSize(a[:], s), MapIncompleteSize(b[:], s)); err != nil || a[0] != complete || b[0] != incomplete {
			t.Errorf("%d complete, %d incomplete, %v; want %d, %d", a[0], b[0], err, complete, incomplete)
		}
	}
	put := func(key int64, ix []int32, vs ...int32) error {
		return MapStage(bg, s, []int64{key}, ix, boxes(vs...), 3, resource.StageParams{})
	}
	if err := errors.Join(put(5, []int32{0, 2}, 50, 52), put(3, []int32{0, 1, 2}, 30, 31, 32)); err != nil {
		t.Fatal(err)
	}
	size(1, 1)
	wantCode(t, put(5, []int32{2}, 1), tensor.InvalidArgument)
	wantCode(t, put(5, []int32{3}, 1), tensor.InvalidArgument)
	wantCode(t, put(6, []int32{1, 0}, 1, 2), tensor.InvalidArgument)
	parts := make([]tensor.Handle, 2)
	wait := waiting(t, func() error { return MapUnstage(bg, parts, s, []int64{5}, []int32{0, 1}, false) })
	if err := put(5, []int32{1}, 51); err != nil {
		t.Fatal(err)
	}
	if err := <-wait; err != nil || !slices.Equal(values(t, parts), []int32{50, 51}) {
		t.Error(err)
	}
	size(2, 0)
	wantCode(t, MapUnstage(bg, parts, s, []int64{5}, []int32{0, 2}, false), tensor.InvalidArgument)
	if err := MapUnstage(bg, parts[:1], s, []int64{5}, []int32{2}, true); err != nil || values(t, parts)[0] != 52 {
		t.Error(err)
	}
	if err := MapUnstage(bg, parts[:1], s, []int64{5}, []int32{2}, false); err != nil || values(t, parts)[0] != 52 {
		t.Error(err)
	}
	size(1, 0)
	key := make([]int64, 1)
	if err := MapUnstageNoKey(bg, key, parts, s, []int32{1, 2}); err != nil || key[0] != 3 || !slices.Equal(values(t, parts), []int32{31, 32}) {
		t.Error(key, err)
	}
}

func TestAccumulator(t *testing.T) {
	for _, mean := range []bool{true, false} {
		a := []tensor.Handle{resource.NewAccumulator(resource.AccumulatorParams{DType: tensor.Float32, Mean: mean}, []int{-1})}
		count := func(want int32) {
			t.Helper()
			var n [1]int32
			if err := Accumulated(n[:], a); err != nil || n[0] != want {
				t.Errorf("%d gradients, %v, want %d", n[0], err, want)
			}
		}
		give := func(step int64, g ...float32) error { return ApplyF32(a, []int64{step}, g, []int{len(g)}) }
		dst := make([]tensor.Handle, 1)
		take := waiting(t, func() error { return TakeGradient(bg, dst, a, []int32{2}, tensor.Float32) })
		if err := errors.Join(give(0, 1, 2), give(0, 3, 5)); err != nil {
			t.Fatal(err)
		}
		if err := <-take; err != nil {
			t.Fatal(err)
		}
		got, want := make([]float32, 2), []float32{4, 7}
		if mean {
			want = []float32{2, 3.5}
		}
		if err := GetF32(got, dst, tensor.Float32); err != nil || !slices.Equal(got, want) {
			t.Error(got, err)
		}
		count(0)
		if err := give(0, 1); err != nil { // this gradient is ignored, since the accumulator has reached a later step
			t.Error(err)
		}
		count(0)
		if err := give(1, 1); err != nil {
			t.Error(err)
		}
		count(1)
		wantCode(t, give(1, 1, 2), tensor.InvalidArgument)
		if err := SetStep(a, []int64{7}); err != nil {
			t.Error(err)
		}
		if err := give(6, 1); err != nil {
			t.Error(err)
		}
		count(1)
		wantCode(t, TakeGradient(bg, dst, a, []int32{0}, tensor.Float32), tensor.InvalidArgument)
		wantCode(t, TakeGradient(bg, dst, a, []int32{1}, tensor.Float64), tensor.InvalidArgument)
		ctx, cancel := context.WithTimeout(bg, 5*time.Millisecond)
		wantCode(t, TakeGradient(ctx, dst, a, []int32{2}, tensor.Float32), tensor.DeadlineExceeded)
		cancel()
	}
}

func TestSparseAccumulator(t *testing.T) {
	a := []tensor.Handle{resource.NewAccumulator(resource.AccumulatorParams{DType: tensor.Float64, Mean: true, Sparse: true}, []int{5, 2})}
	give := func(at []int64, v ...float64) error {
		return ApplySparseF64(a, []int64{0}, at, v, []int64{5, 2}, []int{len(v) / 2, 2}, true)
	}
	if err := errors.Join(give([]int64{1, 3}, 1, 2, 3, 4), give([]int64{0, 3}, 10, 20, 30, 40)); err != nil {
		t.Fatal(err)
	}
	wantCode(t, give([]int64{5}, 1, 2), tensor.InvalidArgument)
	wantCode(t, give([]int64{1, 2}, 1, 2), tensor.InvalidArgument)
	dst := make([]tensor.Handle, 3)
	if err := TakeSparse(bg, dst, a, []int32{2}, tensor.Float64); err != nil {
		t.Fatal(err)
	}
	at, v, shape := make([]int64, 3), make([]float64, 6), make([]int64, 2)
	if err := errors.Join(GetI64(at, dst, tensor.Int64), GetF64(v, dst[1:], tensor.Float64), GetI64(shape, dst[2:], tensor.Int64)); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(at, []int64{0, 1, 3}) || !slices.Equal(v, []float64{10, 20, 1, 2, 16.5, 22}) || !slices.Equal(shape, []int64{5, 2}) {
		t.Error(at, v, shape)
	}
}

func TestBarrier(t *testing.T) {
	h, err := resource.NewBarrier(resource.BarrierParams{Name: "b"}, []int{int(tensor.Int32), int(tensor.Int32)}, []int{0, 0}, nil)
	if err != nil {
		t.Fatal(err)
	}
	b := []tensor.Handle{h}
	insert := func(i int, keys []string, vs ...int32) error {
		v := make([]tensor.Handle, 1)
		PutRowsI32(nil, v, vs, []int{len(vs)}, tensor.Int32)
		return BarrierInsert(bg, b, keys, v, i)
	}
	if err := errors.Join(insert(0, []string{"a", "b", "c"}, 1, 2, 3), insert(1, []string{"c", "a"}, 30, 10)); err != nil {
		t.Fatal(err)
	}
	var ready, open [1]int32
	if err := errors.Join(BarrierReady(ready[:], b), BarrierIncomplete(open[:], b)); err != nil || ready[0] != 2 || open[0] != 1 {
		t.Error(ready, open, err)
	}
	wantCode(t, insert(0, []string{"b"}, 9), tensor.InvalidArgument)
	wantCode(t, insert(2, []string{"b"}, 9), tensor.InvalidArgument)
	if err := BarrierClose(bg, b, false); err != nil {
		t.Fatal(err)
	}
	wantCode(t, insert(0, []string{"new"}, 9), tensor.Cancelled)
	wantCode(t, BarrierClose(bg, b, false), tensor.Cancelled)
	parts := make([]tensor.Handle, 4)
	if err := errors.Join(insert(1, []string{"b"}, 20), BarrierTake(bg, parts, b, 3, false)); err != nil {
		t.Fatal(err)
	}
	at, keys, x, y := make([]int64, 3), make([]string, 3), make([]int32, 3), make([]int32, 3)
	if err := errors.Join(GetI64(at, parts, tensor.Int64), GetStr(keys, parts[1:], tensor.String), GetI32(x, parts[2:], tensor.Int32), GetI32(y, parts[3:], tensor.Int32)); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(at, []int64{math.MinInt64, math.MinInt64 + 1, math.MinInt64 + 2}) || !slices.Equal(keys, []string{"a", "b", "c"}) ||
		!slices.Equal(x, []int32{1, 2, 3}) || !slices.Equal(y, []int32{10, 20, 30}) {
		t.Error(at, keys, x, y)
	}
	wantCode(t, BarrierTake(bg, parts, b, 1, false), tensor.OutOfRange)
	wantCode(t, insert(0, []string{"a"}, 9), tensor.Cancelled)
}

func TestSession(t *testing.T) {
	s := []tensor.Handle{resource.NewSession()}
	h, k := make([]string, 1), make([]string, 1)
	if err := errors.Join(SessionKeep(h, s, boxes(4), "node"), SessionKeep(k, s, boxes(5), "node")); err != nil {
		t.Fatal(err)
	}
	if h[0] != "node;0;/job:localhost/replica:0/task:0/device:CPU:0" || h[0] == k[0] {
		t.Error(h, k)
	}
	parts := make([]tensor.Handle, 1)
	if err := SessionGet(parts, s, h); err != nil || values(t, parts)[0] != 4 {
		t.Error(err)
	}
	if err := SessionDelete(s, h); err != nil {
		t.Error(err)
	}
	wantCode(t, SessionGet(parts, s, h), tensor.InvalidArgument)
	wantCode(t, SessionDelete(s, h), tensor.InvalidArgument)
	if err := SessionGet(parts, s, k); err != nil || values(t, parts)[0] != 5 {
		t.Error(err)
	}
}
