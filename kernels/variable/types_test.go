package variable

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/graphc/graphc/kernels/gather"
	"github.com/graphc/graphc/kernels/internal/typed"
	"github.com/graphc/graphc/rt/tensor"
)

//go:generate go run -C ../_gen ./wrappers -dir ../variable

var dtypes = map[string]tensor.DType{
	"BF16": tensor.BFloat16, "F16": tensor.Half, "F32": tensor.Float32, "F64": tensor.Float64, "I8": tensor.Int8, "I16": tensor.Int16, "I32": tensor.Int32, "I64": tensor.Int64,
	"U8": tensor.Uint8, "U16": tensor.Uint16, "U32": tensor.Uint32, "U64": tensor.Uint64, "C64": tensor.Complex64, "C128": tensor.Complex128, "Bool": tensor.Bool, "Str": tensor.String,
}

// TestTypes runs every kernel for every element type on a variable of the shape [2, 2].
func TestTypes(t *testing.T) {
	byType := map[reflect.Type]any{}
	for _, k := range wrappers["New"] {
		byType[reflect.TypeOf(k).In(2)] = k
	}
	readers := map[reflect.Type]any{}
	for _, k := range wrappers["ReadAll"] {
		readers[reflect.TypeOf(k).In(0)] = k
	}
	shape := []int{2, 2}
	params := func(newVar any) Params {
		return Params{Name: "v", DType: dtypes[strings.TrimPrefix(typed.Name(newVar), "New")], Declared: shape}
	}
	// make returns a variable with elements of a type.
	make := func(typ reflect.Type) []tensor.Handle {
		k := byType[typ]
		_, r := typed.Call(k, params(k), shape, typed.F(12, 0, 10, 6))
		return []tensor.Handle{r[0].(tensor.Handle)}
	}
	same := func(what string, k any, got reflect.Value, want ...float64) {
		t.Helper()
		if w := typed.Read(typed.Slice(got.Type(), typed.F(want...))); !slices.Equal(typed.Read(got), w) {
			t.Errorf("%s, %s: %v, want %v", typed.Name(k), what, got.Interface(), want)
		}
	}
	call := func(k any, args ...any) reflect.Value {
		t.Helper()
		outs, r := typed.Call(k, args...)
		if r[len(r)-1] != nil {
			t.Errorf("%s: %v", typed.Name(k), r)
		}
		if outs == nil {
			return reflect.Value{}
		}
		return outs[0]
	}
	// holds checks that the value of the variable v equals want.
	holds := func(k any, v []tensor.Handle, typ reflect.Type, want ...float64) {
		t.Helper()
		same("value", k, call(readers[typ], typed.Out(4), v), want...)
	}
	for _, k := range wrappers["Read"] {
		typ := reflect.TypeOf(k).In(0)
		same("read", k, call(k, typed.Out(4), make(typ), shape), 12, 0, 10, 6)
		typed.Fails(t, "another shape", []any{k}, tensor.InvalidArgument, typed.Out(4), make(typ), []int{4})
	}
	for _, k := range wrappers["Assign"] {
		typ := reflect.TypeOf(k).In(1)
		v := make(typ)
		call(k, v, typed.F(1, 0, 3, 4), shape, AssignParams{DType: params(byType[typ]).DType})
		holds(k, v, typ, 1, 0, 3, 4)
	}
	for name, want := range map[string][]float64{"AssignAdd": {14, 1, 10, 9}, "AssignSub": {10, -1, 10, 3}} {
		for _, k := range wrappers[name] {
			typ := reflect.TypeOf(k).In(1)
			v := make(typ)
			call(k, v, typed.F(2, 1, 0, 3), shape)
			holds(k, v, typ, want...)
		}
	}
	for name, want := range map[string][]float64{
		"ScatterUpdate": {12, 0, 2, 3}, "ScatterAdd": {12, 0, 12, 9}, "ScatterSub": {12, 0, 8, 3}, "ScatterMul": {12, 0, 20, 18},
		"ScatterDiv": {12, 0, 5, 2}, "ScatterMin": {12, 0, 2, 3}, "ScatterMax": {12, 0, 10, 6},
	} {
		for _, k := range wrappers[name] {
			typ := reflect.TypeOf(k).In(1)
			v := make(typ)
			call(k, v, typed.F(2, 3), typed.F(1), []int{1}, []int{1, 2}, ScatterParams{})
			holds(k, v, typ, want...)
			typed.Fails(t, "outside", []any{k}, tensor.InvalidArgument, v, typed.F(2, 3), typed.F(2), []int{1}, []int{1, 2}, ScatterParams{})
		}
	}
	for _, k := range wrappers["Gather"] {
		typ := reflect.TypeOf(k).In(0)
		same("rows", k, call(k, typed.Out(4), make(typ), typed.F(1, 0), shape, gather.Params{Batch: 1, Outer: 1, Limit: 2, N: 2, Inner: 2}), 10, 6, 12, 0)
	}
	for _, k := range wrappers["GatherNd"] {
		typ := reflect.TypeOf(k).In(0)
		same("elements", k, call(k, typed.Out(2), make(typ), typed.F(1, 0, 0, 1), shape, 2, 2, 1), 10, 0)
	}
	for _, k := range wrappers["StridedAssign"] {
		typ := reflect.TypeOf(k).In(1)
		v := make(typ)
		call(k, v, typed.F(1, 4), typed.F(0, 1), typed.F(2, 2), typed.F(1, 1), []int{2, 1}, StridedParams{})
		holds(k, v, typ, 12, 1, 10, 4)
	}
}
