package tensormap

import (
	"fmt"
	"slices"
	"testing"

	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

func code(t *testing.T, name string, err error, want tensor.Code) {
	t.Helper()
	if tensor.CodeOf(err) != want {
		t.Errorf("%s: %v, want the code %v", name, err, want)
	}
}

const bad = tensor.InvalidArgument

type handle = []tensor.Handle

// keyed is a key of one byte.
func keyed(t *testing.T, k byte) handle {
	t.Helper()
	h := make(handle, 1)
	if err := KeyRaw(h, []byte{k}, tensor.Uint8, nil); err != nil {
		t.Fatal(err)
	}
	return h
}

func TestMap(t *testing.T) {
	m := make(handle, 1)
	Empty(m)
	old := slices.Clone(m)
	for _, k := range []byte{5, 7, 5} {
		if err := InsertRaw(m, m, keyed(t, k), []byte{k, k + 1}, tensor.Uint8, []int{2}); err != nil {
			t.Fatal(err)
		}
	}
	n, size, has := make([]int32, 1), make([]int32, 1), make([]bool, 1)
	code(t, "size", Size(n, m), 0)
	code(t, "size of the old", Size(size, old), 0)
	code(t, "has", Has(has, m, keyed(t, 7)), 0)
	if n[0] != 2 || size[0] != 0 || !has[0] {
		t.Error(n, size, has)
	}
	v := make(handle, 1)
	code(t, "lookup", Lookup(v, m, keyed(t, 7), tensor.Uint8), 0)
	out := make([]byte, 2)
	code(t, "read", ReadRaw(out, v, []int{2}), 0)
	if d, err := Dim(v, 0, 1); d != 2 || err != nil || !slices.Equal(out, []byte{7, 8}) {
		t.Error(d, err, out)
	}
	keys := make([]byte, 2)
	code(t, "keys", StackRaw(keys, m, tensor.Uint8, nil), 0)
	if !slices.Equal(keys, []byte{5, 7}) {
		t.Error(keys)
	}
	code(t, "another shape", ReadRaw(out, v, []int{1, 2}), bad)
	_, err := Dim(v, 0, 2)
	code(t, "another rank", err, bad)
	code(t, "another type", Lookup(v, m, keyed(t, 7), tensor.Int8), bad)
	code(t, "no key", Lookup(v, m, keyed(t, 9), tensor.Uint8), bad)
	code(t, "no item", Erase(m, m, keyed(t, 9)), bad)
	code(t, "erase", Erase(m, m, keyed(t, 7)), 0)
	code(t, "erase again", Erase(m, m, keyed(t, 7)), bad)
	code(t, "type of keys", StackRaw(keys, m, tensor.Int8, nil), bad)
	code(t, "shape of keys", StackRaw(keys, m, tensor.Uint8, []int{1}), bad)
	code(t, "no keys", StackRaw(keys, old, tensor.Uint8, nil), bad)
	_, err = KeyDim(old, 0, 1)
	code(t, "shape of no keys", err, bad)
	_, err = KeyDim(m, 0, 1)
	code(t, "rank of keys", err, bad)
	code(t, "a key of handles", KeyHnd(v, handle{{V: 1}}, tensor.Variant, nil), tensor.Unimplemented)

	s := make(handle, 1)
	code(t, "text key", KeyStr(s, []string{"a", "b"}, tensor.String, []int{2}), 0)
	code(t, "text", InsertStr(s, old, s, []string{"x"}, tensor.String, nil), 0)
	if d, err := KeyDim(s, 0, 1); d != 2 || err != nil {
		t.Error(d, err)
	}
	texts := make([]string, 2)
	code(t, "text keys", StackStr(texts, s, tensor.String, []int{2}), 0)
	if texts[1] != "b" {
		t.Error(texts)
	}
	code(t, "handle", InsertHnd(s, old, keyed(t, 1), handle{{V: 3}}, tensor.Variant, nil), 0)
	code(t, "look", Lookup(v, s, keyed(t, 1), tensor.Variant), 0)
	code(t, "read a handle", ReadHnd(make(handle, 1), v, nil), 0)

	for name, err := range map[string]error{
		"insert": InsertRaw(v, handle{{V: 1}}, keyed(t, 1), nil, tensor.Uint8, []int{0}),
		"erase":  Erase(v, handle{}, keyed(t, 1)),
		"has":    Has(has, handle{{}}, keyed(t, 1)),
		"size":   Size(n, handle{{V: 1}}),
		"lookup": Lookup(v, handle{{V: 1}}, keyed(t, 1), tensor.Uint8),
		"stack":  StackRaw(keys, handle{{V: 1}}, tensor.Uint8, nil),
	} {
		code(t, name+" of no map", err, bad)
	}
	_, err = KeyDim(handle{{V: 1}}, 0, 1)
	code(t, "keys of no map", err, bad)
}

func TestComposite(t *testing.T) {
	parts, c := make(handle, 3), make(handle, 1)
	PartRaw(parts[:1], []byte{1, 2}, tensor.Uint8, []int{2})
	PartStr(parts[1:2], []string{"a"}, tensor.String, nil)
	PartHnd(parts[2:], handle{{V: 7}}, tensor.Variant, nil)
	Compose(c, parts, 4)
	types := []int{int(tensor.Uint8), int(tensor.String), int(tensor.Variant)}
	got := make(handle, 3)
	code(t, "out", Decompose(got, c, 4, types), 0)
	s := make([]string, 1)
	code(t, "text", ReadStr(s, got[1:2], nil), 0)
	if s[0] != "a" {
		t.Error(s)
	}
	code(t, "fits", Fits(got, []int{-1}), 0)
	code(t, "fits not", Fits(got, []int{3}), bad)
	code(t, "rank", Fits(got, nil), bad)
	code(t, "class", Decompose(got, c, 5, types), bad)
	code(t, "an optional", Decompose(got, c, Optional, types), bad)
	code(t, "number", Decompose(got, c, 4, types[:2]), bad)
	code(t, "type", Decompose(got, c, 4, []int{1, 1, 1}), bad)
	code(t, "nothing", Decompose(got, nil, 4, types), bad)
	code(t, "a map", Decompose(got, handle{{V: resource.NewMap()}}, 4, types), bad)

	none, has := make(handle, 1), make([]bool, 2)
	None(none)
	Compose(c, parts, Optional)
	code(t, "none", Decompose(got, none, Optional, types), bad)
	code(t, "one", Decompose(got, c, Optional, types), 0)
	code(t, "has", HasValue(has, c), 0)
	code(t, "has none", HasValue(has[1:], none), 0)
	code(t, "no optional", HasValue(has, handle{{V: 1}}), bad)
	if fmt.Sprint(has) != "[true false]" {
		t.Error(has)
	}
}
