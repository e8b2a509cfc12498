package resource

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// TestMapVersions makes random changes to random versions of a map, including old versions. It
// compares all versions with Go maps.
func TestMapVersions(t *testing.T) {
	keys := make([]*Key, 6)
	for i := range keys {
		var err error
		if keys[i], err = NewKey(tensor.Uint8, nil, Data{B: []byte{byte(i)}}); err != nil {
			t.Fatal(err)
		}
	}
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		all, models := []*Map{NewMap()}, []map[int]byte{{}}
		for range 200 {
			at := len(all) - 1
			if r.IntN(6) == 0 {
				at = r.IntN(len(all))
			}
			m, model, k := all[at], maps.Clone(models[at]), r.IntN(len(keys))
			if r.IntN(3) == 0 {
				m = m.Set(keys[k], nil)
				delete(model, k)
			} else {
				v := NewPart(tensor.Uint8, nil, Data{B: []byte{byte(r.Uint32())}})
				m = m.Set(keys[k], &v)
				model[k] = v.Data.B[0]
			}
			all, models = append(all, m), append(models, model)
		}
		for i, m := range all {
			if m.Len() != len(models[i]) || len(m.Keys()) != m.Len() {
				t.Fatalf("seed %d: version %d has %d of %d tensors", seed, i, m.Len(), len(models[i]))
			}
			for k, key := range keys {
				want, ok := models[i][k]
				if got := m.Get(key); (got != nil) != ok || ok && got.Data.B[0] != want {
					t.Fatalf("seed %d: version %d at %d", seed, i, k)
				}
			}
		}
	}
}

// TestKeys tests which tensors are equal as keys of a Map.
func TestKeys(t *testing.T) {
	key := func(d tensor.DType, data Data, shape ...int) string {
		k, err := NewKey(d, shape, data)
		if err != nil {
			t.Fatal(err)
		}
		return k.text
	}
	b := Data{B: []byte{1, 0, 0, 0}}
	if key(tensor.Int32, b) != key(tensor.Int32, Data{B: []byte{1, 0, 0, 0}}) {
		t.Error("a tensor is not itself")
	}
	all := []string{key(tensor.Int32, b), key(tensor.Float32, b), key(tensor.Int32, b, 1), key(tensor.Int8, b, 4),
		key(tensor.String, Data{S: []string{"a", "bc"}}, 2), key(tensor.String, Data{S: []string{"ab", "c"}}, 2)}
	slices.Sort(all)
	if len(slices.Compact(all)) != 6 {
		t.Error("two different tensors are one key")
	}
}

// TestOtherVariants tests ZeroVariant and AddVariants with maps and ragged tensors.
func TestOtherVariants(t *testing.T) {
	k, _ := NewKey(tensor.Uint8, nil, Data{B: []byte{1}})
	l, _ := NewKey(tensor.Uint8, nil, Data{B: []byte{2}})
	part := func(d tensor.DType, v ...byte) *Part {
		p := NewPart(d, []int{len(v)}, Data{B: v})
		return &p
	}
	m := NewMap().Set(k, part(tensor.Uint8, 1, 2))
	o := NewMap().Set(k, part(tensor.Uint8, 3, 4)).Set(l, part(tensor.Uint8, 5))
	sum, err := AddVariants(tensor.Handle{V: m}, tensor.Handle{V: o})
	if err != nil {
		t.Fatal(err)
	}
	if s := sum.V.(*Map); s.Len() != 2 || !slices.Equal(s.Get(k).Data.B, []byte{4, 6}) || !slices.Equal(s.Get(l).Data.B, []byte{5}) {
		t.Error("the sum of two maps")
	}
	if z, err := ZeroVariant(sum); err != nil || z.V.(*Map).Len() != 0 {
		t.Error("the zero of a map", err)
	}
	r := &Ragged{tensor.Int64, [][]int64{{0, 2}}, *part(tensor.Uint8, 1, 2)}
	two, err := AddVariants(tensor.Handle{V: r}, tensor.Handle{V: r})
	if err != nil || !slices.Equal(two.V.(*Ragged).Values.Data.B, []byte{2, 4}) {
		t.Error("the sum of ragged tensors", err)
	}
	if z, err := ZeroVariant(two); err != nil || !slices.Equal(z.V.(*Ragged).Values.Data.B, []byte{0, 0}) {
		t.Error("the zero of a ragged tensor", err)
	}
	q := *r
	q.Nested = [][]int64{{0, 1, 2}}
	for name, c := range map[string]struct {
		x, y any
		want tensor.Code
	}{
		"other splits":      {r, &q, tensor.InvalidArgument},
		"other values":      {r, &Ragged{tensor.Int64, r.Nested, *part(tensor.Int8, 1, 2)}, tensor.InvalidArgument},
		"other map values":  {m, NewMap().Set(k, part(tensor.Uint8, 1)), tensor.InvalidArgument},
		"a map and a list":  {m, &List{}, tensor.Unimplemented},
		"ragged and a map":  {r, m, tensor.Unimplemented},
		"what is no tensor": {1, 2, tensor.Unimplemented},
	} {
		if _, err := AddVariants(tensor.Handle{V: c.x}, tensor.Handle{V: c.y}); tensor.CodeOf(err) != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := ZeroVariant(tensor.Handle{V: 1}); tensor.CodeOf(err) != tensor.Unimplemented {
		t.Error("zeros of a number", err)
	}
	p := part(tensor.Uint8, 1, 2)
	if err := p.CopyTo(Data{B: make([]byte, 3)}); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Error("two elements are read as three")
	}
}
