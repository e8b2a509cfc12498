package queue

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/graphc/graphc/kernels/internal/typed"
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

//go:generate go run -C ../_gen ./wrappers -dir ../queue

var dtypes = map[string]tensor.DType{
	"BF16": tensor.BFloat16, "F16": tensor.Half, "F32": tensor.Float32, "F64": tensor.Float64, "I8": tensor.Int8, "I16": tensor.Int16, "I32": tensor.Int32, "I64": tensor.Int64,
	"U8": tensor.Uint8, "U16": tensor.Uint16, "U32": tensor.Uint32, "U64": tensor.Uint64, "C64": tensor.Complex64, "C128": tensor.Complex128, "Bool": tensor.Bool, "Str": tensor.String,
}

// TestTypes puts tensors of every type into boxes and rows, and gets them out.
func TestTypes(t *testing.T) {
	getters := map[reflect.Type]any{}
	for _, k := range wrappers["Get"] {
		getters[reflect.TypeOf(k).In(0)] = k
	}
	for name, dims := range map[string][]int{"Put": {3}, "PutRows": {3, 2}} {
		if len(wrappers[name]) != len(dtypes) {
			t.Errorf("%s: %d kernels for %d types", name, len(wrappers[name]), len(dtypes))
		}
		for _, put := range wrappers[name] {
			d := dtypes[strings.TrimPrefix(typed.Name(put), name)]
			dst, data := make([]tensor.Handle, 1), typed.F(1, 0, 5)
			if name == "PutRows" {
				data = typed.F(1, 0, 5, 7, 0, 2)
			}
			typed.Call(put, dst, data, dims, d)
			get := []any{getters[reflect.TypeOf(put).In(reflect.TypeOf(put).NumIn()-3)]}
			typed.Check(t, name, get, typed.Wants{Outs: []typed.E{data}}, typed.Out(len(data)), dst, d)
			typed.Fails(t, name+", another type", get, tensor.InvalidArgument, typed.Out(len(data)), dst, tensor.QInt32)
			typed.Fails(t, name+", more elements", get, tensor.InvalidArgument, typed.Out(len(data)+1), dst, d)
		}
	}
	all := wrappers["Get"]
	typed.Fails(t, "no tensor", all, tensor.Internal, typed.Out(1), []tensor.Handle{{V: 5}}, tensor.Float32)
	mixed := []tensor.Handle{{V: &resource.Rows{DType: tensor.Float32, Shape: []int{1}, Boxes: []*resource.Box{{DType: tensor.QInt32, Shape: []int{1}, Data: []int{3}}}}}}
	wantCode(t, GetF32(make([]float32, 1), mixed, tensor.Float32), tensor.InvalidArgument)

	// Handles are stored like any other element, and returned unchanged.
	inner, dst := []tensor.Handle{{V: "a"}, {V: "b"}}, make([]tensor.Handle, 1)
	for name, put := range map[string]func(dst, src []tensor.Handle, dims []int, d tensor.DType){"box": PutHandle,
		"rows": func(dst, src []tensor.Handle, dims []int, d tensor.DType) { PutRowsHandle(nil, dst, src, dims, d) }} {
		put(dst, inner, []int{2}, tensor.Variant)
		got := make([]tensor.Handle, 2)
		if err := GetHandle(got, dst, tensor.Variant); err != nil || got[0].V != "a" || got[1].V != "b" {
			t.Errorf("%s of handles: %v, %v", name, got, err)
		}
	}
	PutF32(dst, []float32{1}, []int{1}, tensor.Float32)
	wantCode(t, CheckShape(dst, 0, nil), tensor.InvalidArgument)
	PutF32(dst, []float32{1}, nil, tensor.Float32)
	if err := CheckShape(dst, 0, nil); err != nil {
		t.Error(err)
	}
}

// TestAccumulatorTypes adds up gradients of every type, dense and sparse ones.
func TestAccumulatorTypes(t *testing.T) {
	dst := make([]tensor.Handle, 3)
	make := func(k any, name string, sparse bool, shape ...int) ([]tensor.Handle, tensor.DType) {
		d := dtypes[strings.TrimPrefix(typed.Name(k), name)]
		return []tensor.Handle{resource.NewAccumulator(resource.AccumulatorParams{DType: d, Mean: true, Sparse: sparse}, shape)}, d
	}
	ok := func(what string, k any, args ...any) {
		t.Helper()
		typed.Check(t, what, []any{k}, typed.Wants{}, args...)
	}
	getters := map[tensor.DType]any{tensor.Float32: GetF32, tensor.Float64: GetF64, tensor.Half: GetF16}
	other := map[tensor.DType]tensor.DType{tensor.Float32: tensor.Float64, tensor.Float64: tensor.Half, tensor.Half: tensor.Float32}
	const bad = tensor.InvalidArgument
	for _, k := range wrappers["Apply"] {
		a, d := make(k, "Apply", false, -1)
		apply := func(g typed.E, dims ...int) []any { return []any{a, typed.F(0), g, dims} }
		ok("first", k, apply(typed.F(1, 2), 2)...)
		ok("second", k, apply(typed.F(3, 5), 2)...)
		typed.Fails(t, "another size", []any{k}, bad, apply(typed.F(3), 1)...)
		typed.Fails(t, "another rank", []any{k}, bad, apply(typed.F(3, 5), 1, 2)...)
		wantCode(t, TakeGradient(bg, dst, a, []int32{1}, other[d]), bad)
		wantCode(t, TakeSparse(bg, dst, a, []int32{1}, d), bad)
		if err := TakeGradient(bg, dst, a, []int32{2}, d); err != nil {
			t.Error(err)
		}
		typed.Check(t, "mean", []any{getters[d]}, typed.Wants{Outs: []typed.E{typed.F(2, 3.5)}}, typed.Out(2), dst, d)
		slices, _ := make(k, "Apply", true, -1)
		typed.Fails(t, "an accumulator of slices", []any{k}, bad, slices, typed.F(0), typed.F(1, 2), []int{2})
		wrong := []tensor.Handle{resource.NewAccumulator(resource.AccumulatorParams{DType: other[d]}, []int{-1})}
		typed.Fails(t, "another type", []any{k}, bad, wrong, typed.F(0), typed.F(1, 2), []int{2})
		typed.Fails(t, "no accumulator", []any{k}, tensor.NotFound, []tensor.Handle{{}}, typed.F(0), typed.F(1, 2), []int{2})
	}
	for _, k := range wrappers["ApplySparse"] {
		a, d := make(k, "ApplySparse", true, 5, 2)
		apply := func(at typed.E, v typed.E, shape typed.E, dims ...int) []any {
			return []any{a, typed.F(0), at, v, shape, dims, shape != nil}
		}
		whole := typed.F(5, 2)
		ok("first", k, apply(typed.F(1, 3), typed.F(1, 2, 3, 4), whole, 2, 2)...)
		ok("before and behind", k, apply(typed.F(0, 3, 4), typed.F(10, 20, 30, 40, 5, 6), nil, 3, 2)...)
		for what, args := range map[string][]any{
			"no slices":           apply(typed.F(), typed.F(), whole, 0, 2),
			"scalar":              apply(typed.F(1), typed.F(1), whole),
			"indices":             apply(typed.F(1, 2), typed.F(1, 2), whole, 1, 2),
			"rank of the shape":   apply(typed.F(1), typed.F(1, 2), typed.F(5), 1, 2),
			"shape":               apply(typed.F(1), typed.F(1, 2), typed.F(6, 2), 1, 2),
			"shape of the slices": apply(typed.F(1), typed.F(1, 2), typed.F(5, 3), 1, 2),
			"slices":              apply(typed.F(1), typed.F(1, 2, 3), nil, 1, 3),
			"rank":                apply(typed.F(1), typed.F(1, 2), nil, 1, 2, 1),
			"index":               apply(typed.F(5), typed.F(1, 2), whole, 1, 2),
			"negative index":      apply(typed.F(-1), typed.F(1, 2), nil, 1, 2),
		} {
			typed.Fails(t, what, []any{k}, bad, args...)
		}
		wantCode(t, TakeSparse(bg, dst, a, []int32{1}, other[d]), bad)
		wantCode(t, TakeGradient(bg, dst, a, []int32{1}, d), bad)
		if err := TakeSparse(bg, dst, a, []int32{2}, d); err != nil {
			t.Error(err)
		}
		typed.Check(t, "indices", []any{GetI64}, typed.Wants{Outs: []typed.E{typed.F(0, 1, 3, 4)}}, typed.Out(4), dst, tensor.Int64)
		typed.Check(t, "means", []any{getters[d]}, typed.Wants{Outs: []typed.E{typed.F(10, 20, 1, 2, 16.5, 22, 5, 6)}}, typed.Out(8), dst[1:], d)
		typed.Check(t, "shape", []any{GetI64}, typed.Wants{Outs: []typed.E{whole}}, typed.Out(2), dst[2:], tensor.Int64)

		// In an accumulator for any rank, the first gradient determines the size of slices.
		free := []tensor.Handle{resource.NewAccumulator(resource.AccumulatorParams{DType: d, Sparse: true, AnyRank: true}, nil)}
		ok("any rank", k, free, typed.F(0), typed.F(7), typed.F(1, 2), typed.E(nil), []int{1, 2}, false)
		typed.Fails(t, "other slices than before", []any{k}, bad, free, typed.F(0), typed.F(7), typed.F(1), typed.E(nil), []int{1, 1}, false)
		if err := TakeSparse(bg, dst, free, []int32{1}, d); err != nil {
			t.Error(err)
		}
		typed.Check(t, "shape", []any{GetI64}, typed.Wants{Outs: []typed.E{typed.F(-1, 2)}}, typed.Out(2), dst[2:], tensor.Int64)
		dense, _ := make(k, "ApplySparse", false, 5, 2)
		typed.Fails(t, "an accumulator of whole gradients", []any{k}, bad, dense, typed.F(0), typed.F(7), typed.F(1, 2), typed.E(nil), []int{1, 2}, false)
	}
}

// TestNoResource checks that kernels return an error for an empty handle, and for a handle of
// another kind of resource than the kernel expects.
func TestNoResource(t *testing.T) {
	session := []tensor.Handle{resource.NewSession()}
	n, flag, str, part := make([]int32, 1), make([]bool, 1), []string{"h"}, boxes(1)
	for name, f := range map[string]func(h []tensor.Handle) error{
		"Enqueue":           func(h []tensor.Handle) error { return Enqueue(bg, h, part) },
		"EnqueueMany":       func(h []tensor.Handle) error { return EnqueueMany(bg, h, part) },
		"Dequeue":           func(h []tensor.Handle) error { return Dequeue(bg, part, h) },
		"DequeueMany":       func(h []tensor.Handle) error { return DequeueMany(bg, part, h, 1, false) },
		"Close":             func(h []tensor.Handle) error { return Close(bg, h, false) },
		"Size":              func(h []tensor.Handle) error { return Size(n, h) },
		"IsClosed":          func(h []tensor.Handle) error { return IsClosed(flag, h) },
		"Stage":             func(h []tensor.Handle) error { return Stage(bg, h, part, resource.StageParams{}) },
		"Unstage":           func(h []tensor.Handle) error { return Unstage(bg, part, h) },
		"StagePeek":         func(h []tensor.Handle) error { return StagePeek(bg, part, h, n) },
		"StageSize":         func(h []tensor.Handle) error { return StageSize(n, h) },
		"StageClear":        func(h []tensor.Handle) error { return StageClear(h) },
		"MapStage":          func(h []tensor.Handle) error { return MapStage(bg, h, []int64{1}, n, part, 1, resource.StageParams{}) },
		"MapUnstage":        func(h []tensor.Handle) error { return MapUnstage(bg, part, h, []int64{1}, n, false) },
		"MapUnstageNoKey":   func(h []tensor.Handle) error { return MapUnstageNoKey(bg, []int64{1}, part, h, n) },
		"BarrierInsert":     func(h []tensor.Handle) error { return BarrierInsert(bg, h, str, part, 0) },
		"BarrierTake":       func(h []tensor.Handle) error { return BarrierTake(bg, part, h, 1, false) },
		"BarrierClose":      func(h []tensor.Handle) error { return BarrierClose(bg, h, false) },
		"BarrierReady":      func(h []tensor.Handle) error { return BarrierReady(n, h) },
		"BarrierIncomplete": func(h []tensor.Handle) error { return BarrierIncomplete(n, h) },
		"TakeGradient":      func(h []tensor.Handle) error { return TakeGradient(bg, part, h, n, tensor.Float32) },
		"TakeSparse":        func(h []tensor.Handle) error { return TakeSparse(bg, part, h, n, tensor.Float32) },
		"SetStep":           func(h []tensor.Handle) error { return SetStep(h, []int64{1}) },
		"Accumulated":       func(h []tensor.Handle) error { return Accumulated(n, h) },
	} {
		if err := f([]tensor.Handle{{}}); tensor.CodeOf(err) != tensor.NotFound {
			t.Errorf("%s of no handle: %v", name, err)
		}
		if err := f(session); tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("%s of another thing: %v", name, err)
		}
	}
	// No kernel that stores tensors accepts a handle that holds something else.
	none := []tensor.Handle{{V: 5}}
	queue := newQueue(t, resource.QueueParams{Capacity: 3})
	stage := []tensor.Handle{resource.NewStage()}
	barrier, err := resource.NewBarrier(resource.BarrierParams{}, []int{int(tensor.Int32)}, []int{0}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"Enqueue": Enqueue(bg, queue, none), "EnqueueMany": EnqueueMany(bg, queue, none), "Stage": Stage(bg, stage, none, resource.StageParams{}),
		"MapStage": MapStage(bg, stage, []int64{1}, n, none, 1, resource.StageParams{}), "BarrierInsert": BarrierInsert(bg, []tensor.Handle{barrier}, str, none, 0), "SessionKeep": SessionKeep(str, session, none, "n"),
	} {
		if tensor.CodeOf(err) != tensor.Internal {
			t.Errorf("%s of a component that is not a tensor: %v", name, err)
		}
	}
	SessionHold(part, none)
	if err := errors.Join(SessionKeep(str, queue, boxes(1), "n")); tensor.CodeOf(err) != tensor.InvalidArgument || part[0].V != 5 {
		t.Errorf("a session that is a queue: %v", err)
	}
}

// TestRowsCount checks that the memory of rows without elements is counted, too.
func TestRowsCount(t *testing.T) {
	var run mem.Budget
	run.Init(1<<20, nil, nil)
	defer func() {
		err, _ := recover().(error)
		wantCode(t, err, tensor.ResourceExhausted)
	}()
	PutRowsF32(&run, make([]tensor.Handle, 1), nil, []int{1 << 31, 0}, tensor.Float32)
	t.Error("2^31 rows without elements are put")
}
