package parse

import (
	"slices"
	"testing"

	"github.com/graphc/graphc/kernels/internal/wire"
)

// lenField returns a length-delimited field.
func lenField(num byte, s string) string {
	return string([]byte{num<<3 | wire.Bytes, byte(len(s))}) + s
}

func feature(key, list string) string { return lenField(1, lenField(1, key)+lenField(2, list)) }

// Lists of a Feature: the floats 1 and 2 packed and not packed, the integers -1 and 300, and two
// strings.
var (
	packedFloats = lenField(2, lenField(1, "\x00\x00\x80\x3f\x00\x00\x00\x40"))
	plainFloats  = lenField(2, "\x0d\x00\x00\x80\x3f\x0d\x00\x00\x00\x40")
	ints         = lenField(3, lenField(1, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\xac\x02"))
	texts        = lenField(1, lenField(1, "ab")+lenField(1, ""))
)

func locate(t *testing.T, keys []string, examples ...string) []int64 {
	t.Helper()
	spans := make([]int64, 2*len(examples)*len(keys))
	if err := Locate(nil, spans, examples, keys); err != nil {
		t.Fatal(err)
	}
	return spans
}

func TestDense(t *testing.T) {
	ex := []string{
		lenField(1, feature("f", packedFloats)+feature("i", ints)+feature("s", texts)),
		lenField(1, feature("f", ints)) + lenField(1, feature("f", plainFloats)+feature("s", texts)), // two features are named "f", and the last one is used
	}
	spans := locate(t, []string{"f", "i", "s"}, ex...)
	f := make([]float32, 4)
	p := Params{Examples: 2, Features: 3, Elems: 2, Key: "f"}
	if err := DenseF32(f, ex, spans, nil, p); err != nil || !slices.Equal(f, []float32{1, 2, 1, 2}) {
		t.Errorf("floats %v %v", f, err)
	}
	p.Feature, p.Key = 1, "i"
	i := make([]int64, 4)
	if err := DenseI64(i, ex, spans, nil, p); err == nil {
		t.Error("a feature without default may be missing")
	}
	if err := DenseI64(i, ex, spans, []int64{7, 8}, p); err != nil || !slices.Equal(i, []int64{-1, 300, 7, 8}) {
		t.Errorf("integers %v %v", i, err)
	}
	if err := DenseF32(f, ex, spans, nil, p); err == nil {
		t.Error("integers are read as floats")
	}
	p.Feature, p.Key, p.Elems = 2, "s", 3
	if err := DenseString(make([]string, 6), ex, spans, nil, p); err == nil {
		t.Error("two values fill three places")
	}
}

func TestVariable(t *testing.T) {
	ex := []string{lenField(1, feature("s", texts)), "", lenField(1, feature("s", lenField(1, lenField(1, "x"))))}
	spans := locate(t, []string{"s"}, ex...)
	p := Params{Examples: 3, Features: 1, Elems: 1, Width: 2, Key: "s"}
	n, err := LongestString(ex, spans, p)
	if err != nil || n != 2 {
		t.Fatalf("longest %d %v", n, err)
	}
	d := make([]string, 6)
	if err := PaddedString(d, ex, spans, []string{"-"}, p); err != nil || !slices.Equal(d, []string{"ab", "", "-", "-", "x", "-"}) {
		t.Errorf("padded %q %v", d, err)
	}
	p.Elems = 2
	if _, err := LongestString(ex, spans, p); err == nil {
		t.Error("one value is a step of two")
	}
	n, err = TotalString(ex, spans, p)
	if err != nil || n != 3 {
		t.Fatalf("total %d %v", n, err)
	}
	ix, v, shape := make([]int64, 6), make([]string, 3), make([]int64, 2)
	if err := SparseString(ix, v, shape, ex, spans, p); err != nil || !slices.Equal(ix, []int64{0, 0, 0, 1, 2, 0}) ||
		!slices.Equal(v, []string{"ab", "", "x"}) || !slices.Equal(shape, []int64{3, 2}) {
		t.Errorf("sparse %v %q %v %v", ix, v, shape, err)
	}
	splits := make([]int32, 4)
	if err := Ragged32String(v, splits, ex, spans, p); err != nil || !slices.Equal(splits, []int32{0, 2, 2, 3}) {
		t.Errorf("splits %v %v", splits, err)
	}
}

// TestKinds checks that a list of another kind is not read as the wanted kind.
func TestKinds(t *testing.T) {
	keys := []string{"f", "i", "s"}
	ex := []string{lenField(1, feature("f", packedFloats)+feature("i", ints)+feature("s", texts))}
	spans := locate(t, keys, ex...)
	for k, key := range keys {
		p := Params{Examples: 1, Features: 3, Feature: k, Elems: 2, Key: key}
		for want, err := range map[string]error{
			"f": DenseF32(make([]float32, 2), ex, spans, nil, p), "i": DenseI64(make([]int64, 2), ex, spans, nil, p), "s": DenseString(make([]string, 2), ex, spans, nil, p),
		} {
			if (err == nil) != (key == want) {
				t.Errorf("%s as %s: %v", key, want, err)
			}
		}
	}
}

// TestDamaged checks that truncated messages are refused. Messages with changed bytes may be read
// or refused, but without a panic.
func TestDamaged(t *testing.T) {
	whole := lenField(1, feature("f", packedFloats)+feature("i", ints)+feature("s", texts))
	keys := []string{"f", "i", "s"}
	spans := make([]int64, 6)
	try := func(s string) {
		ex := []string{s}
		if Locate(nil, spans, ex, keys) != nil {
			return
		}
		for k := range keys {
			p := Params{Examples: 1, Features: 3, Feature: k, Elems: 2, Key: keys[k]}
			_ = DenseF32(make([]float32, 2), ex, spans, nil, p)
			_ = DenseI64(make([]int64, 2), ex, spans, nil, p)
			_ = DenseString(make([]string, 2), ex, spans, nil, p)
		}
	}
	refused := 0
	for n := range len(whole) {
		if try(whole[:n]); n > 0 && Locate(nil, spans, []string{whole[:n]}, keys) != nil {
			refused++
		}
	}
	if refused != len(whole)-1 {
		t.Errorf("%d of %d cut messages are refused", refused, len(whole)-1)
	}
	for i := range len(whole) {
		for _, x := range []byte{0x01, 0x80, 0xff} {
			b := []byte(whole)
			b[i] ^= x
			try(string(b))
		}
	}
}

// TestGroups checks that an example and its nested messages may hold unknown fields, but no groups.
func TestGroups(t *testing.T) {
	const other, group = "\x18\x05\x25\x00\x00\x00\x00", "\x1b\x1c"
	example := func(in, s string) string { return lenField(1, in+feature("s", texts+s)) + in }
	for _, c := range []struct {
		s  string
		ok bool
	}{
		{example(other, other), true},
		{example(group, ""), false},
	} {
		spans := make([]int64, 2)
		if err := Locate(nil, spans, []string{c.s}, []string{"s"}); (err == nil) != c.ok {
			t.Errorf("%q: %v", c.s, err)
		}
	}
	ex := []string{example("", group)}
	if err := DenseString(make([]string, 2), ex, locate(t, []string{"s"}, ex...), nil, Params{Examples: 1, Features: 1, Elems: 2, Key: "s"}); err == nil {
		t.Error("a feature with a group is read")
	}
}
