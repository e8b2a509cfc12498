package ops_test

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/graphc/graphc/kernels/container"
	"github.com/graphc/graphc/kernels/files"
	"github.com/graphc/graphc/kernels/lookup"
	"github.com/graphc/graphc/kernels/mutex"
	"github.com/graphc/graphc/kernels/proto"
	"github.com/graphc/graphc/kernels/queue"
	"github.com/graphc/graphc/kernels/ragged"
	"github.com/graphc/graphc/kernels/random"
	"github.com/graphc/graphc/kernels/sparse"
	"github.com/graphc/graphc/kernels/sparse/csr"
	"github.com/graphc/graphc/kernels/tensormap"
	"github.com/graphc/graphc/kernels/variable"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/rt/tensor"
)

// TestForeignHandles checks that kernels on resources and lists reject a missing handle, and a
// handle of another kind.
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
		container.Adopt, container.ListScatterHnd, container.ListScatterRaw, container.ListScatterStr, container.ListWritten,
		csr.CholeskyC128, csr.CholeskyC64, csr.CholeskyF32, csr.CholeskyF64, csr.CholeskyRoom, csr.ComponentsC128, csr.ComponentsC64, csr.ComponentsF32,
		csr.ComponentsF64, csr.Count, csr.CountOf, csr.Dim, csr.FromDenseC128, csr.FromDenseC64, csr.FromDenseF32, csr.FromDenseF64, csr.FromSparseC128,
		csr.FromSparseC64, csr.FromSparseF32, csr.FromSparseF64, csr.IsShape, csr.NNZ, csr.Order, csr.OrderRoom, csr.ProductC128, csr.ProductC64,
		csr.ProductF32, csr.ProductF64, csr.SparseProductC128, csr.SparseProductC64, csr.SparseProductF32, csr.SparseProductF64, csr.SparseRoomC128,
		csr.SparseRoomC64, csr.SparseRoomF32, csr.SparseRoomF64, csr.ToDenseC128, csr.ToDenseC64, csr.ToDenseF32, csr.ToDenseF64, csr.ToSparseC128,
		csr.ToSparseC64, csr.ToSparseF32, csr.ToSparseF64, csr.TransposeC128, csr.TransposeC64, csr.TransposeF32, csr.TransposeF64, csr.TransposedRoom,
		files.Completed, files.Produced, files.ReadRecord, files.ReadRecords, files.ReaderState, files.ResetReader, files.RestoreReader,
		mutex.Consume, mutex.Lock, mutex.Pass,
		proto.Messages,
		ragged.Decode, ragged.GradRaw, ragged.GradStr, ragged.ToVariantRaw, ragged.ToVariantStr,
		random.FromState, random.ReadAndSkip, random.Skip, random.UnigramCandidates,
		sparse.MapAdd, sparse.MapAddMany, sparse.MapTake,
		tensormap.Decompose, tensormap.Erase, tensormap.Has, tensormap.HasValue, tensormap.InsertHnd, tensormap.InsertRaw, tensormap.InsertStr,
		tensormap.KeyDim, tensormap.Len, tensormap.Lookup, tensormap.Size, tensormap.StackRaw, tensormap.StackStr,
		variable.Select, variable.Temporary,
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
	called := map[string]bool{}
	for _, fn := range kernels {
		name := runtime.FuncForPC(reflect.ValueOf(fn).Pointer()).Name()
		called[name[strings.LastIndex(name, "/")+1:]] = true
		for _, h := range []tensor.Handle{{}, {V: new(int)}} {
			if err := foreign(fn, h); err != nil {
				t.Errorf("%s: handle of %T: %v", name, h.V, err)
			}
		}
	}
	for _, name := range handleKernels(t) {
		if !called[name] && !notForeign.MatchString(name) {
			t.Errorf("%s takes handles: it belongs into the list of this test", name)
		}
	}
}

// notForeign matches kernels that never get a handle of another kind: those that only create
// handles, those that accept all kinds, and those that get their handles from a step that has
// already checked them.
var notForeign = regexp.MustCompile(`^(` + strings.Join([]string{
	`container\.(EmptyList|ListSplit|ListUnstack|New)\w*`, `lookup\.Anonymous`, `queue\.(Put|SessionHold)\w*`, `ragged\.FillHnd`,
	`sparse\.(Pack|PutHnd|StackParts)\w*`, `tensormap\.(Empty|None)`, `variable\.Fresh`, // make
	`checkpoint\.\w+`, `container\.(AddHnd|ZerosLikeHnd)`, `files\.(Match|Names|Records)`, `sparse\.PickHnd`, // these accept all kinds, or write the handles themselves
	`proto\.(Begin|End|Encode\w+)`, `ragged\.(RowLengths|Splits|SplitsLen|Values\w+)`, `sparse\.Part\w+`, // these get their handles from Messages and Decode
	`tensormap\.(Compose|Dim|Fits|Key(Hnd|Raw|Str)|Part\w+|Read\w+)`, // these get their handles from Decompose and Lookup
}, "|") + `)$`)

// handleKernels returns the exported functions in the kernels folder that have a parameter of type
// []tensor.Handle.
func handleKernels(t *testing.T) []string {
	var names []string
	err := filepath.WalkDir("../kernels", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if n := d.Name(); d.IsDir() && (n == "gpu" || n == "testdata" || n[0] == '_') {
			return fs.SkipDir
		}
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range f.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if ok && fn.Recv == nil && fn.Name.IsExported() && slices.ContainsFunc(fn.Type.Params.List, func(a *ast.Field) bool { return types.ExprString(a.Type) == "[]tensor.Handle" }) {
				names = append(names, f.Name.Name+"."+fn.Name.Name)
			}
		}
		return nil
	})
	if err != nil || len(names) < 500 {
		t.Fatal(len(names), err)
	}
	return names
}

// foreign calls a kernel. It passes h for all parameters that are handles, and something harmless
// for the other ones.
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
