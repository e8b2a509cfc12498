package parse

import (
	"reflect"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// list returns an encoded map entry: its key is key, and its value is a feature list with the given
// steps.
func list(key string, steps ...string) string {
	s := ""
	for _, x := range steps {
		s += lenField(1, x)
	}
	return feature(key, s)
}

func sequences(examples ...[]string) []string {
	out := make([]string, len(examples))
	for i, lists := range examples {
		s := ""
		for _, l := range lists {
			s += l
		}
		out[i] = lenField(1, "") + lenField(2, s)
	}
	return out
}

var noSteps = []string{list("other", ints)}

func TestSequenceLists(t *testing.T) {
	ex := sequences([]string{list("f", packedFloats, plainFloats), list("i", ints), list("s", texts, lenField(1, ""), texts)},
		noSteps, []string{list("f", plainFloats), list("i", ints, ints), list("s")})
	keys := []string{"f", "i", "s"}
	spans := make([]int64, 2*len(ex)*len(keys))
	if err := LocateLists(nil, spans, ex, keys); err != nil {
		t.Fatal(err)
	}
	p := func(k int) ListParams {
		return ListParams{Examples: 3, Features: 3, Feature: k, Elems: 2, Steps: 2, Key: keys[k], Missing: true}
	}
	for k, c := range []func() (int, int, error){
		func() (int, int, error) { return ListTotalsF32(ex, spans, p(0)) },
		func() (int, int, error) { return ListTotalsI64(ex, spans, p(1)) },
		func() (int, int, error) { return ListTotalsString(ex, spans, p(2)) },
	} {
		want := [][2]int{{6, 3}, {6, 3}, {4, 3}}[k]
		if values, steps, err := c(); err != nil || [2]int{values, steps} != want {
			t.Errorf("%s: %d values in %d steps, %v, want %v", keys[k], values, steps, err, want)
		}
	}
	f, i, s := make([]float32, 12), make([]int64, 12), make([]string, 4)
	lengths := make([]int64, 3)
	for k, c := range []func() (int, error){
		func() (int, error) { return ListLongestF32(ex, spans, p(0)) },
		func() (int, error) { return ListLongestI64(ex, spans, p(1)) },
	} {
		if n, err := c(); n != 2 || err != nil {
			t.Errorf("%s: %d steps at most, %v", keys[k], n, err)
		}
	}
	f[11] = 9
	counted := p(0)
	counted.Lengths = lengths
	if err := ListDenseF32(f, ex, spans, counted); err != nil || !reflect.DeepEqual(f, []float32{1, 2, 1, 2, 0, 0, 0, 0, 1, 2, 0, 0}) || !reflect.DeepEqual(lengths, []int64{2, 0, 1}) {
		t.Errorf("%v %v %v", f, lengths, err)
	}
	if err := ListDenseI64(i, ex, spans, p(1)); err != nil || !reflect.DeepEqual(i, []int64{-1, 300, 0, 0, 0, 0, 0, 0, -1, 300, -1, 300}) {
		t.Errorf("%v %v", i, err)
	}
	one := ListParams{Examples: 1, Features: 3, Feature: 2, Elems: 2, Key: "s", Missing: true, Flat: true}
	if _, err := ListLongestString(ex, spans, one); tensor.CodeOf(err) != tensor.InvalidArgument { // the second step of list "s" has no values
		t.Error(err)
	}
	indices, shape := make([]int64, 12), make([]int64, 3)
	if err := ListSparseString(indices, s, shape, ex, spans, p(2)); err != nil ||
		!reflect.DeepEqual(indices, []int64{0, 0, 0, 0, 0, 1, 0, 2, 0, 0, 2, 1}) || !reflect.DeepEqual(s, []string{"ab", "", "ab", ""}) || !reflect.DeepEqual(shape, []int64{3, 3, 2}) {
		t.Errorf("%v %q %v %v", indices, s, shape, err)
	}
	if err := ListSparseString(indices[:8], s, shape[:2], ex, spans, one); err != nil || !reflect.DeepEqual(indices[:8], []int64{0, 0, 0, 1, 2, 0, 2, 1}) || !reflect.DeepEqual(shape[:2], []int64{3, 2}) {
		t.Errorf("%v %v %v", indices, shape, err)
	}
	if err := ListSparseF32(make([]int64, 18), make([]float32, 6), shape, ex, spans, p(0)); err != nil || shape[1] != 2 {
		t.Error(shape, err)
	}
	if err := ListSparseI64(make([]int64, 18), make([]int64, 6), shape, ex, spans, p(1)); err != nil || shape[2] != 2 {
		t.Error(shape, err)
	}
	if err := ListDenseString(make([]string, 6), ex, spans, ListParams{Examples: 1, Features: 3, Feature: 2, Elems: 2, Steps: 3, Lengths: lengths}); err != nil || lengths[0] != 3 {
		t.Error(lengths, err)
	}
}

func TestSequenceRagged(t *testing.T) {
	ex := sequences([]string{list("f", packedFloats, ""), list("i", ints), list("s", texts)}, noSteps)
	keys := []string{"f", "i", "s"}
	spans := make([]int64, 12)
	if err := LocateLists(nil, spans, ex, keys); err != nil {
		t.Fatal(err)
	}
	outer, inner := make([]int64, 3), make([]int64, 3)
	outer32, inner32 := make([]int32, 3), make([]int32, 3)
	p := func(k int) ListParams { return ListParams{Examples: 2, Features: 3, Feature: k, Key: keys[k]} }
	check := func(what string, err error, outer, inner, wantOuter, wantInner any) {
		t.Helper()
		if err != nil || !reflect.DeepEqual(outer, wantOuter) || !reflect.DeepEqual(inner, wantInner) {
			t.Errorf("%s: %v %v %v", what, outer, inner, err)
		}
	}
	check("f", ListRagged64F32(make([]float32, 2), outer, inner, ex, spans, p(0)), outer, inner, []int64{0, 2, 2}, []int64{0, 2, 2})
	check("f", ListRagged32F32(make([]float32, 2), outer32, inner32, ex, spans, p(0)), outer32, inner32, []int32{0, 2, 2}, []int32{0, 2, 2})
	check("i", ListRagged64I64(make([]int64, 2), outer, inner[:2], ex, spans, p(1)), outer, inner[:2], []int64{0, 1, 1}, []int64{0, 2})
	check("i", ListRagged32I64(make([]int64, 2), outer32, inner32[:2], ex, spans, p(1)), outer32, inner32[:2], []int32{0, 1, 1}, []int32{0, 2})
	check("s", ListRagged64String(make([]string, 2), outer, inner[:2], ex, spans, p(2)), outer, inner[:2], []int64{0, 1, 1}, []int64{0, 2})
	flat := ListParams{Examples: 1, Features: 3, Feature: 2, Key: "s", Flat: true}
	outer32[0] = 7
	check("s", ListRagged32String(make([]string, 2), outer32[:1], inner32[:2], ex, spans, flat), outer32[:1], inner32[:2], []int32{0}, []int32{0, 2})
}

func TestSequenceRefused(t *testing.T) {
	for what, ex := range map[string]string{
		"no message":     "\x12\x05a",
		"no list":        lenField(2, "\x0a\x05a"),
		"no entry":       lenField(2, lenField(1, "\x0a\x05a")),
		"another type":   lenField(2, list("f", ints)),
		"no step":        lenField(2, feature("f", "\x0a\x05a")),
		"no feature":     lenField(2, list("f", "\x12\x05a")),
		"no values":      lenField(2, list("f", lenField(2, lenField(1, "abc")))),
		"too few values": lenField(2, list("f", packedFloats)),
		"nothing":        "",
	} {
		in := []string{ex}
		spans := make([]int64, 2)
		p := ListParams{Examples: 1, Features: 1, Elems: 3, Steps: 9, Key: "f"}
		err := LocateLists(nil, spans, in, []string{"f"})
		if err == nil {
			_, err = ListLongestF32(in, spans, p)
		}
		if tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("%s: %v", what, err)
		}
		if what == "another type" {
			_, _, total := ListTotalsF32(in, spans, p)
			for _, err := range []error{total, ListSparseF32(nil, nil, make([]int64, 3), in, spans, p), ListDenseF32(make([]float32, 27), in, spans, p),
				ListRagged64F32(nil, make([]int64, 2), make([]int64, 2), in, spans, p)} {
				if tensor.CodeOf(err) != tensor.InvalidArgument {
					t.Errorf("%s: %v", what, err)
				}
			}
		}
		if _, _, err := ListTotalsF32(in, spans, p); what == "no values" && tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("%s: %v", what, err)
		}
	}
	spans := locate(t, []string{"f"}, lenField(1, feature("f", "")))
	strict := Params{Examples: 1, Features: 1, Elems: 1, Key: "f", Strict: true}
	none := Params{Features: 1, Elems: 1, Key: "f", Strict: true}
	for _, err := range []error{DefaultFits([]int{3}, []int{2, 1}), NamesFit(1, 2),
		DenseF32(make([]float32, 1), []string{lenField(1, feature("f", ""))}, spans, []float32{1}, strict), DenseF32(nil, nil, nil, nil, none)} {
		if tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Error(err)
		}
	}
	for _, err := range []error{DefaultFits([]int{0, 3}, []int{2}), DefaultFits([]int{2}, []int{2}), NamesFit(0, 2), NamesFit(2, 2)} {
		if err != nil {
			t.Error(err)
		}
	}
}

func FuzzSequence(f *testing.F) {
	f.Add(sequences([]string{list("f", packedFloats, plainFloats), list("s", texts)})[0])
	f.Fuzz(func(t *testing.T, s string) {
		in, spans := []string{s}, make([]int64, 2)
		if LocateLists(nil, spans, in, []string{"f"}) != nil {
			return
		}
		p := ListParams{Examples: 1, Features: 1, Key: "f"}
		values, steps, err := ListTotalsF32(in, spans, p)
		if err != nil {
			return
		}
		if err := ListSparseF32(make([]int64, 3*values), make([]float32, values), make([]int64, 3), in, spans, p); err != nil {
			t.Error(err)
		}
		if err := ListRagged64F32(make([]float32, values), make([]int64, 2), make([]int64, steps+1), in, spans, p); err != nil {
			t.Error(err)
		}
	})
}
