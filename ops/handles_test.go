package ops_test

import (
	"context"
	"fmt"
	"reflect"
	"runtime"
	"testing"

	"github.com/graphc/graphc/kernels/container"
	"github.com/graphc/graphc/kernels/lookup"
	"github.com/graphc/graphc/kernels/queue"
	"github.com/graphc/graphc/kernels/variable"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/rt/tensor"
)

// TestForeignHandles: kernels that take the handle of a resource or a list refuse
// none at all, and one of something else.
func TestForeignHandles(t *testing.T) {
	kernels := []any{
		queue.Accumulated, queue.ApplyF16, queue.ApplyF32, queue.ApplyF64, queue.ApplySparseF16, queue.ApplySparseF32, queue.ApplySparseF64,
		queue.BarrierClose, queue.BarrierIncomplete, queue.BarrierInsert, queue.BarrierReady, queue.BarrierTake, queue.CheckShape, queue.Close,
		queue.Dequeue, queue.DequeueMany, queue.Dim, queue.Enqueue, queue.EnqueueMany, queue.IsClosed, queue.MapIncompleteSize, queue.MapSize,
		queue.MapStage, queue.MapUnstage, queue.MapUnstageNoKey, queue.SessionDelete, queue.SessionGet, queue.SessionKeep, queue.SetStep, queue.Size,
		queue.Stage, queue.StageClear, queue.StagePeek, queue.StageSize, queue.TakeGradient, queue.TakeSparse, queue.Unstage,
		container.ArrayClose, container.ArrayConcatDim, container.ArrayConcatHnd, container.ArrayConcatRaw, container.ArrayConcatStr, container.ArrayDim,
		container.ArrayGatherDim, container.ArrayGatherHnd, container.ArrayGatherRaw, container.ArrayGatherStr, container.ArrayPackDim,
		container.ArrayPackHnd, container.ArrayPackRaw, container.ArrayPackStr, container.ArrayReadHnd, container.ArrayReadRaw, container.ArrayReadStr,
		container.ArrayRows, container.ArrayScatterHnd, container.ArrayScatterRaw, container.ArrayScatterStr, container.ArraySize, container.ArraySplitHnd,
		container.ArraySplitRaw, container.ArraySplitStr, container.ArrayUnpackHnd, container.ArrayUnpackRaw, container.ArrayUnpackStr,
		container.ArrayWriteHnd, container.ArrayWriteRaw, container.ArrayWriteStr, container.GradArray, container.ListConcatDim, container.ListConcatHnd,
		container.ListConcatLists, container.ListConcatRaw, container.ListConcatStr, container.ListDim, container.ListDrop, container.ListGatherDim,
		container.ListGatherHnd, container.ListGatherRaw, container.ListGatherStr, container.ListGetHnd, container.ListGetRaw, container.ListGetStr,
		container.ListLastDim, container.ListLength, container.ListPopHnd, container.ListPopRaw, container.ListPopStr, container.ListPushBatchHnd,
		container.ListPushBatchRaw, container.ListPushBatchStr, container.ListPushHnd, container.ListPushRaw, container.ListPushStr, container.ListResize,
		container.ListRows, container.ListScatterIntoHnd, container.ListScatterIntoRaw, container.ListScatterIntoStr, container.ListSetHnd,
		container.ListSetRaw, container.ListSetStr, container.ListShape32, container.ListShape64, container.ListSize, container.ListStackDim,
		container.ListStackHnd, container.ListStackRaw, container.ListStackStr, container.StackClose, container.StackDim, container.StackDrop,
		container.StackPopHnd, container.StackPopRaw, container.StackPopStr, container.StackPushHnd, container.StackPushRaw, container.StackPushStr,
		lookup.Size,
		variable.Destroy, variable.Dim, variable.HasShape, variable.IsSet, variable.Require, variable.ShapeI32, variable.ShapeI64, variable.Sizes,
		variable.Take,
	}
	tables := []bytype.Table{bytype.QueueGet, bytype.LookupFind, bytype.LookupInsert, bytype.LookupImport,
		bytype.LookupInitialize, bytype.LookupExport, bytype.LookupRemove, bytype.LookupDense,
		bytype.VariableAssignAdd, bytype.VariableAssign, bytype.VariableAssignSub, bytype.VariableCountUpTo, bytype.VariableGather,
		bytype.VariableGatherNd, bytype.VariableReadAll, bytype.VariableRead, bytype.VariableScatterAdd, bytype.VariableScatterDiv,
		bytype.VariableScatterMax, bytype.VariableScatterMin, bytype.VariableScatterMul, bytype.VariableScatterSub,
		bytype.VariableScatterUpdate, bytype.VariableStridedAssign}
	for _, ks := range []map[string]bytype.Table{bytype.Train, bytype.TrainRows} {
		for _, k := range ks {
			tables = append(tables, k)
		}
	}
	for _, k := range tables {
		for _, fn := range k {
			kernels = append(kernels, fn)
		}
	}
	for _, fn := range kernels {
		for _, h := range []tensor.Handle{{}, {V: new(int)}} {
			if err := foreign(fn, h); err != nil {
				t.Errorf("%s: handle of %T: %v", runtime.FuncForPC(reflect.ValueOf(fn).Pointer()).Name(), h.V, err)
			}
		}
	}
}

// foreign calls a kernel with h for all handles, and something harmless for
// the other arguments.
func foreign(fn any, h tensor.Handle) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panics: %v", p)
		}
	}()
	f := reflect.ValueOf(fn)
	args := make([]reflect.Value, f.Type().NumIn())
	for i := range args {
		switch in := f.Type().In(i); {
		case in == reflect.TypeFor[context.Context]():
			args[i] = reflect.ValueOf(context.Background())
		case in == reflect.TypeFor[[]tensor.Handle]():
			args[i] = reflect.ValueOf([]tensor.Handle{h})
		case in == reflect.TypeFor[tensor.DType]():
			args[i] = reflect.ValueOf(tensor.Float32)
		case in.Kind() == reflect.Slice:
			args[i] = reflect.MakeSlice(in, 1, 1)
		default:
			args[i] = reflect.Zero(in)
		}
	}
	out := f.Call(args)
	got, _ := out[len(out)-1].Interface().(error)
	switch tensor.CodeOf(got) {
	case tensor.InvalidArgument, tensor.NotFound, tensor.Internal:
		return nil
	}
	return fmt.Errorf("gives %v", got)
}
