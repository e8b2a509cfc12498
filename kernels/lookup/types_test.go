package lookup

import (
	"errors"
	"reflect"
	"testing"

	"github.com/graphc/graphc/kernels/internal/typed"
	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

//go:generate go run -C ../_gen ./boxes -root ../..
//go:generate go run -C ../_gen ./wrappers -dir ../lookup

// pair holds the key type and the value type of a table.
type pair struct{ key, value reflect.Type }

// TestTypes fills, reads, exports and empties tables of every type of keys and values.
func TestTypes(t *testing.T) {
	dtype := map[reflect.Type]tensor.DType{reflect.TypeFor[int32](): tensor.Int32, reflect.TypeFor[int64](): tensor.Int64, reflect.TypeFor[string](): tensor.String,
		reflect.TypeFor[float32](): tensor.Float32, reflect.TypeFor[float64](): tensor.Float64, reflect.TypeFor[bool](): tensor.Bool}
	f, out := typed.F, typed.Out
	w := func(results string, outs ...typed.E) typed.Wants { return typed.Wants{Outs: outs, Results: results} }
	const bad = tensor.InvalidArgument
	by := func(name string) map[pair]any { // the keys are the argument with the index 2 of Find, and with the index 1 of the other kernels
		m := map[pair]any{}
		for _, k := range wrappers[name] {
			typ := reflect.TypeOf(k)
			at := 1
			if name == "Find" {
				at = 2
			}
			m[pair{typ.In(at).Elem(), typ.In(at + 1).Elem()}] = k
		}
		return m
	}
	finders, importers, initializers := by("Find"), by("Import"), by("Initialize")
	exporters, removers, denses := map[string]any{}, map[reflect.Type]any{}, map[reflect.Type]any{}
	for _, k := range wrappers["Export"] {
		exporters[typed.Name(k)[len("Export"):]] = k
	}
	for _, k := range wrappers["Remove"] {
		removers[reflect.TypeOf(k).In(1).Elem()] = k
	}
	for _, k := range wrappers["Dense"] {
		denses[reflect.TypeOf(k).In(1).Elem()] = k
	}
	if len(wrappers["Insert"]) != 3*6 {
		t.Errorf("%d pairs of types", len(wrappers["Insert"]))
	}
	for _, insert := range wrappers["Insert"] {
		typ := reflect.TypeOf(insert)
		p := pair{typ.In(1).Elem(), typ.In(2).Elem()}
		key, value := dtype[p.key], dtype[p.value]
		find, remove, export := []any{finders[p]}, []any{removers[p.key]}, []any{exporters[typed.Name(insert)[len("Insert"):]]}
		one := func(k any) []any { return []any{k} }
		h := table(resource.TableParams{Kind: resource.Mutable, Key: key, Value: value})
		typed.Check(t, "insert", one(insert), w(""), h, f(1, 2, 3), f(1, 0, 5), vec(3))
		typed.Check(t, "find", find, w("", f(5, 7, 1)), out(3), h, f(3, 9, 1), f(7), scalar(3))
		typed.Check(t, "remove", remove, w(""), h, f(1, 9), scalar(2))
		boxes := make([]tensor.Handle, 2)
		typed.Check(t, "export", export, w("2"), boxes, h)
		keys, values := boxes[0].V.(*resource.Box), boxes[1].V.(*resource.Box)
		if keys.DType != key || values.DType != value || !reflect.DeepEqual(keys.Data, typed.Slice(reflect.SliceOf(p.key), f(3, 2)).Interface()) || !reflect.DeepEqual(values.Data, typed.Slice(reflect.SliceOf(p.value), f(5, 0)).Interface()) {
			t.Errorf("%s: exported %v %v", typed.Name(export[0]), keys, values)
		}
		typed.Check(t, "import", one(importers[p]), w(""), h, f(4), f(1), vec(1))
		typed.Fails(t, "initialize", one(initializers[p]), bad, h, f(4), f(1), vec(1))
		typed.Fails(t, "values of another shape", one(insert), bad, h, f(1, 2), f(1, 0), scalar(2))
		typed.Fails(t, "defaults of another shape", find, bad, out(2), h, f(3, 9), f(7, 7, 7), shapes([]int{2}, []int{3}))

		// The kernels must refuse tables whose types of keys or values differ from the kernel's
		// types.
		other := map[tensor.DType]tensor.DType{tensor.Int32: tensor.Int64, tensor.Int64: tensor.String, tensor.String: tensor.Int32, tensor.Float32: tensor.Float64, tensor.Float64: tensor.Bool, tensor.Bool: tensor.Float32}
		for what, h := range map[string][]tensor.Handle{
			"other keys":   table(resource.TableParams{Kind: resource.Mutable, Key: other[key], Value: value}),
			"other values": table(resource.TableParams{Kind: resource.Mutable, Key: key, Value: other[value]}),
			"odd keys":     table(resource.TableParams{Kind: resource.Mutable, Key: tensor.Float32, Value: value}),
		} {
			typed.Fails(t, what, one(insert), bad, h, f(1), f(1), vec(1))
			typed.Fails(t, what, find, bad, out(1), h, f(1), f(1), scalar(1))
			typed.Fails(t, what, export, bad, boxes, h)
			if what != "other values" {
				typed.Fails(t, what, remove, bad, h, f(1), scalar(1))
				typed.Fails(t, what, one(denses[p.key]), bad, h, f(1), f(2), []int(nil))
			}
		}
		// Vectors as keys.
		dense := table(resource.TableParams{Kind: resource.Dense, Key: key, Value: value}, 2)
		typed.Check(t, "dense", one(denses[p.key]), w(""), dense, f(8, 8), f(9, 9), []int{2})
		typed.Check(t, "insert", one(insert), w(""), dense, f(1, 2, 3, 4), f(1, 0, 5, 6), shapes([]int{2, 2}, []int{2, 2}))
		typed.Check(t, "remove", remove, w(""), dense, f(1, 2), shapes([]int{1, 2}, nil))
		typed.Check(t, "find", find, w("", f(5, 6, 7, 0)), out(4), dense, f(3, 4, 1, 2), f(7, 0), shapes([]int{2, 2}, []int{2}))
		typed.Fails(t, "a reserved key", one(insert), bad, dense, f(9, 9), f(1, 0), shapes([]int{1, 2}, []int{1, 2}))
		typed.Fails(t, "a key of another size", remove, bad, dense, f(1, 2, 3), shapes([]int{1, 3}, nil))
		typed.Fails(t, "a scalar for a key", find, bad, out(2), dense, f(1), f(7, 0), shapes(nil, []int{2}))

		hash := table(resource.TableParams{Key: key, Value: value})
		typed.Check(t, "initialize", one(initializers[p]), w(""), hash, f(1, 2, 1), f(1, 0, 1), vec(3))
		typed.Check(t, "find", find, w("", f(0, 1, 5)), out(3), hash, f(2, 1, 3), f(5), scalar(3))
		typed.Fails(t, "insert", one(insert), tensor.Unimplemented, hash, f(1), f(1), vec(1))
		typed.Fails(t, "remove", remove, tensor.Unimplemented, hash, f(1), scalar(1))
		for _, k := range [][]any{one(insert), one(importers[p]), one(initializers[p])} {
			typed.Fails(t, "no table", k, tensor.NotFound, []tensor.Handle{{}}, f(1), f(1), vec(1))
		}
		typed.Fails(t, "no table", find, tensor.NotFound, out(1), []tensor.Handle{{}}, f(1), f(1), scalar(1))
		typed.Fails(t, "no table", export, tensor.NotFound, boxes, []tensor.Handle{{}})
		typed.Fails(t, "no table", remove, tensor.NotFound, []tensor.Handle{{}}, f(1), scalar(1))
		typed.Fails(t, "no table", one(denses[p.key]), tensor.NotFound, []tensor.Handle{{}}, f(1), f(2), []int(nil))
	}
	// Values may be handles.
	for _, d := range []tensor.DType{tensor.Resource, tensor.Variant} {
		h := table(resource.TableParams{Kind: resource.Mutable, Key: tensor.Int64, Value: d})
		got := make([]tensor.Handle, 2)
		if err := errors.Join(InsertI64Handle(h, []int64{1, 2}, []tensor.Handle{{V: "a"}, {V: "b"}}, vec(2)), RemoveI64(h, []int64{1}, scalar(1)),
			FindI64Handle(got, h, []int64{2, 1}, []tensor.Handle{{V: "none"}}, scalar(2))); err != nil || got[0].V != "b" || got[1].V != "none" {
			t.Errorf("%v: %v, %v", d, got, err)
		}
	}
	wantCode(t, RemoveI64(table(resource.TableParams{Kind: resource.Mutable, Key: tensor.Int64, Value: tensor.Half}), []int64{1}, scalar(1)), tensor.Unimplemented)
	if err := Size(make([]int64, 1), []tensor.Handle{{}}); tensor.CodeOf(err) != tensor.NotFound {
		t.Errorf("the size of no table: %v", err)
	}
}
