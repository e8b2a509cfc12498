package sparse

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/graphc/graphc/kernels/internal/typed"
	"github.com/graphc/graphc/kernels/tensorproto"
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

const invalid = tensor.InvalidArgument

func want(t *testing.T, what string, err error, code tensor.Code) {
	t.Helper()
	if tensor.CodeOf(err) != code {
		t.Errorf("%s: %v, want %v", what, err, code)
	}
}

func equal[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func TestShape(t *testing.T) {
	for _, c := range []struct {
		shape []int64
		code  tensor.Code
	}{
		{nil, tensor.OK}, {[]int64{2, 0, 1 << 62}, tensor.OK}, {[]int64{-1}, invalid}, {[]int64{0, -1}, invalid}, {[]int64{1 << 62, 2}, invalid},
	} {
		want(t, "Shape", Shape(c.shape), c.code)
	}
	want(t, "Inside", Inside([]int64{0, 2}, []int64{1, 3}), tensor.OK)
	want(t, "Inside", Inside([]int64{0, 3}, []int64{1, 3}), invalid)
	want(t, "Inside", Inside([]int64{-1, 0}, []int64{1, 3}), invalid)
	want(t, "SameShape", SameShape([]int64{1, 2}, []int64{1, 2}), tensor.OK)
	want(t, "SameShape", SameShape([]int64{1, 2}, []int64{1, 3}), invalid)
	want(t, "SameShape", SameShape([]int64{1, 2}, []int64{1}), invalid)
	want(t, "IsShape", IsShape([]int64{1, 2}, []int{1, 2}), tensor.OK)
	want(t, "IsShape", IsShape([]int64{1, 2}, []int{1, 3}), invalid)
}

func TestPlaces(t *testing.T) {
	dims, at := []int{2, 3}, make([]int64, 2)
	for _, c := range []struct {
		indices []int64
		ordered bool
		code    tensor.Code
	}{
		{[]int64{0, 2, 1, 0}, true, tensor.OK}, {[]int64{1, 0, 0, 2}, false, tensor.OK}, {[]int64{1, 0, 0, 2}, true, invalid},
		{[]int64{0, 2, 0, 2}, true, invalid}, {[]int64{0, 2, 2, 0}, false, invalid}, {[]int64{0, 2, 1, -1}, false, invalid},
	} {
		want(t, "PlacesI64", PlacesI64(at, c.indices, dims, c.ordered), c.code)
		narrow := make([]int32, 4)
		Narrow(narrow, c.indices)
		want(t, "PlacesI32", PlacesI32(at, narrow, dims, c.ordered), c.code)
	}
	want(t, "too large", PlacesI64(at, []int64{0, 0, 0, 0}, []int{math.MaxInt, 2}, false), invalid)
	if err := PlacesI64(at, []int64{0, 2, 1, 1}, dims, true); err != nil || !slices.Equal(at, []int64{2, 4}) {
		t.Error(at, err)
	}
}

func TestDensePlaces(t *testing.T) {
	at := make([]int64, 2)
	indices, shape := []int64{0, 2, 1, 1}, []int64{2, 3}
	for _, c := range []struct {
		dims []int
		want []int64
	}{
		{[]int{2, 3}, []int64{2, 4}}, {[]int{3}, []int64{2, 1}}, {[]int{2, 1}, []int64{0, 1}}, {nil, []int64{0, 0}},
	} {
		want(t, "DensePlaces", DensePlaces(at, indices, shape, c.dims), tensor.OK)
		equal(t, "DensePlaces", at, c.want)
	}
	want(t, "rank", DensePlaces(at, indices, shape, []int{1, 2, 3}), invalid)
	want(t, "dim", DensePlaces(at, indices, shape, []int{2, 2}), invalid)
	want(t, "more", DensePlaces(at, indices, []int64{0, 3}, []int{1, 3}), invalid)
	want(t, "negative", DensePlaces(at, indices, []int64{-2, 3}, []int{3}), invalid)
	want(t, "index", DensePlaces(at, []int64{0, 3, 1, 1}, shape, []int{3}), invalid)
	want(t, "six", DensePlaces(nil, nil, []int64{1, 1, 1, 1, 1, 1}, nil), invalid)
	want(t, "none", DensePlaces(nil, nil, nil, nil), invalid)
}

func TestNonZero(t *testing.T) {
	want(t, "ints", NonZeroRaw([]byte{1, 0, 0, 0x80}, 2, false), tensor.OK)
	want(t, "minus zero", NonZeroRaw([]byte{1, 0, 0, 0x80}, 2, true), invalid)
	want(t, "zero", NonZeroRaw([]byte{1, 0, 0, 0}, 2, false), invalid)
	want(t, "byte", NonZeroRaw([]byte{7, 9}, 1, false), tensor.OK)
}

func TestPick(t *testing.T) {
	at := []int64{2, -1, 0}
	for _, size := range []int{1, 2, 4, 8, 16} {
		src, rest, dst, back := make([]byte, 3*size), make([]byte, size), make([]byte, 3*size), make([]byte, 3*size)
		for i := range src {
			src[i] = byte(i)
		}
		for i := range rest {
			rest[i] = 200
		}
		PickRaw(dst, src, rest, at, size)
		equal(t, "PickRaw", dst, slices.Concat(src[2*size:], rest, src[:size]))
		PutRaw(back, dst, []int64{2, 1, 0}, size)
		equal(t, "PutRaw", back, slices.Concat(src[:size], rest, src[2*size:]))
		ToDenseRaw(back, src[:2*size], rest, []int64{2, 0}, size)
		equal(t, "ToDenseRaw", back, slices.Concat(src[size:2*size], rest, src[:size]))
		ToDenseRaw(back, src[:size], rest, []int64{2, 0}, size)
		equal(t, "ToDenseRaw of one", back, slices.Concat(src[:size], rest, src[:size]))
		ClearRaw(back)
		equal(t, "ClearRaw", back, make([]byte, 3*size))
	}
	words := make([]string, 3)
	PickStr(words, []string{"a", "b", "c"}, []string{"?"}, at, 16)
	equal(t, "PickStr", words, []string{"c", "?", "a"})
	PutStr(words, []string{"x", "y"}, []int64{1, 0}, 16)
	equal(t, "PutStr", words, []string{"y", "x", "a"})
	ToDenseStr(words, []string{"x", "y"}, []string{"?"}, []int64{2, 0}, 16)
	equal(t, "ToDenseStr", words, []string{"y", "?", "x"})
	ToDenseStr(words, []string{"x"}, []string{"?"}, []int64{2, 0}, 16)
	equal(t, "ToDenseStr of one", words, []string{"x", "?", "x"})
	handles := make([]tensor.Handle, 3)
	PickHnd(handles, []tensor.Handle{{V: 1}, {V: 2}, {V: 3}}, []tensor.Handle{{}}, at, 16)
	equal(t, "PickHnd", handles, []tensor.Handle{{V: 3}, {}, {V: 1}})
	PutHnd(handles, []tensor.Handle{{V: 9}}, []int64{1}, 16)
	equal(t, "PutHnd", handles[1], tensor.Handle{V: 9})
	PickRows(nil, nil, at, 0)
}

func TestSort(t *testing.T) {
	order := make([]int64, 4)
	Sort(nil, order, []int64{1, 0, 0, 5, 1, 0, 0, 2}, 2)
	equal(t, "Sort", order, []int64{3, 1, 0, 2})
	Sort(nil, order, []int64{0, 1, 1, 2}, 1)
	equal(t, "sorted", order, []int64{0, 1, 2, 3})
	equal(t, "compare", compare([]int64{1, 2}, []int64{1, 3}), -1)
}

func TestGradients(t *testing.T) {
	atA, atB := make([]int64, 3), make([]int64, 2)
	AddGrad(atA, atB, []int64{0, 2, 4}, []int64{1, 2}, []int64{0, 1, 4}, 3, 1)
	equal(t, "of a", atA, []int64{0, -1, 2})
	equal(t, "of b", atB, []int64{1, -1})
	want(t, "SliceGrad", SliceGrad(atA, []int64{1, 3, 4}, []int64{2}, []int64{1}, 1, 1), tensor.OK)
	equal(t, "SliceGrad", atA, []int64{-1, 0, -1})
	want(t, "SliceGrad", SliceGrad(atA, []int64{1, 3, 4}, []int64{5}, []int64{1}, 1, 1), tensor.Internal)
	want(t, "SliceGrad", SliceGrad(atA, []int64{1, 3, 4}, []int64{5}, nil, 1, 1), invalid)
}

func TestFill(t *testing.T) {
	starts, empty := make([]int64, 4), make([]bool, 4)
	indices := []int64{2, 7, 0, 1, 2, 3}
	n, err := FillCount(starts, empty, indices, 3, 2)
	if err != nil || n != 5 {
		t.Fatal(n, err)
	}
	out, from, to := make([]int64, 10), make([]int64, 5), make([]int64, 3)
	FillRows(out, from, to, starts, empty, indices, 3, 2)
	equal(t, "indices", out, []int64{0, 1, 1, 0, 2, 7, 2, 3, 3, 0})
	equal(t, "from", from, []int64{1, -1, 0, 2, -1})
	equal(t, "to", to, []int64{2, 0, 3})
	equal(t, "empty", empty, []bool{false, true, false, true})
	for _, bad := range []struct {
		rows, n, rank int
		indices       []int64
	}{{0, 1, 1, []int64{0}}, {2, 1, 1, []int64{2}}, {2, 1, 1, []int64{-1}}, {2, 1, 0, nil}} {
		_, err := FillCount(make([]int64, bad.rows), make([]bool, bad.rows), bad.indices, bad.n, bad.rank)
		want(t, "FillCount", err, invalid)
	}
	_, err = Rows(nil)
	want(t, "Rows", err, invalid)
	_, err = Rows([]int64{-1})
	want(t, "Rows", err, invalid)
	if n, err := Rows([]int64{3, -1}); n != 3 || err != nil {
		t.Error(n, err)
	}
}

func TestReshape(t *testing.T) {
	for _, c := range []struct {
		indices, shape, target []int64
		n                      int
		out, outShape          []int64
		code                   tensor.Code
	}{
		{[]int64{1, 1}, []int64{2, 3}, []int64{3, -1}, 1, []int64{2, 0}, []int64{3, 2}, tensor.OK},
		{[]int64{9, 9}, []int64{2, 3}, []int64{2, 3}, 1, []int64{9, 9}, []int64{2, 3}, tensor.OK},
		{[]int64{9, 9}, []int64{2, 3}, []int64{3, 2}, 1, []int64{18, 0}, []int64{3, 2}, tensor.OK},
		{nil, []int64{}, []int64{1, 1}, 1, []int64{0, 0}, []int64{1, 1}, tensor.OK},
		{[]int64{0}, []int64{1}, []int64{}, 1, []int64{}, []int64{}, tensor.OK},
		{nil, []int64{0, 3}, []int64{-1, 3}, 0, []int64{}, []int64{0, 3}, tensor.OK},
		{nil, []int64{0, 3}, []int64{-1, 0}, 0, nil, []int64{0, 0}, invalid},
		{nil, []int64{2, 3}, []int64{-1, -1}, 0, nil, []int64{0, 0}, invalid},
		{nil, []int64{2, 3}, []int64{-2, -3}, 0, nil, []int64{0, 0}, invalid},
		{nil, []int64{2, 3}, []int64{4, -1}, 0, nil, []int64{0, 0}, invalid},
		{nil, []int64{2, -3}, []int64{4}, 0, nil, []int64{0}, invalid},
		{[]int64{0, 0}, []int64{0, 3}, []int64{3, 0}, 1, []int64{0, 0}, []int64{0, 0}, invalid},
	} {
		out, shape := make([]int64, len(c.out)), make([]int64, len(c.target))
		err := Reshape(out, shape, c.indices, c.shape, c.target, c.n)
		want(t, "Reshape", err, c.code)
		if c.code == tensor.OK {
			equal(t, "indices", out, c.out)
			equal(t, "shape", shape, c.outShape)
		}
	}
}

func TestSlice(t *testing.T) {
	indices, shape := []int64{0, 0, 1, 2, 2, 1}, []int64{3, 3}
	at, outShape := make([]int64, 3), make([]int64, 2)
	start, size := []int64{1, 0}, []int64{9, 2}
	n, err := Slice(at, outShape, indices, shape, start, size)
	if err != nil || n != 1 || at[0] != 2 || !slices.Equal(outShape, []int64{2, 2}) {
		t.Fatal(n, at, outShape, err)
	}
	out := make([]int64, 2)
	SliceRows(out, at[:1], indices, start)
	equal(t, "SliceRows", out, []int64{1, 1})
	if _, err := Slice(at, outShape, indices, shape, []int64{5, 0}, size); err != nil || outShape[0] != 0 {
		t.Error(outShape, err)
	}
	_, err = Slice(at, outShape, indices, shape, start, []int64{-1, 2})
	want(t, "negative size", err, invalid)
	_, err = Slice(at, outShape, indices, []int64{3, -3}, start, size)
	want(t, "negative shape", err, invalid)
}

func TestSplit(t *testing.T) {
	indices, shape := []int64{0, 4, 0, 1, 0, 2}, []int64{1, 5}
	at, outShape := make([]int64, 3), make([]int64, 2)
	for _, axis := range []int{1, -1} {
		n, err := Split(at, outShape, indices, shape, axis, 1, 2)
		if err != nil || n != 1 || at[0] != 0 || !slices.Equal(outShape, []int64{1, 2}) {
			t.Fatal(n, at, outShape, err)
		}
		out := make([]int64, 2)
		SplitRows(out, at[:1], indices, shape, axis, 1, 2)
		equal(t, "SplitRows", out, []int64{0, 1})
	}
	for _, c := range []struct {
		indices, shape []int64
		axis, n        int
	}{{indices, shape, 2, 1}, {indices, shape, -3, 1}, {indices, shape, 1, 6}, {indices, shape, 1, 0}, {indices, []int64{1, 4}, 0, 1}, {indices, []int64{-1, 4}, 0, 1}} {
		_, err := Split(at, outShape, c.indices, c.shape, c.axis, 0, c.n)
		want(t, "Split", err, invalid)
	}
}

func TestAppend(t *testing.T) {
	all, total := make([]int64, 6), make([]int64, 2)
	want(t, "first", Append(all[:4], total, []int64{0, 1, 1, 0}, []int64{2, 2}, -1, true), tensor.OK)
	want(t, "second", Append(all[4:], total, []int64{0, 2}, []int64{2, 3}, 1, false), tensor.OK)
	equal(t, "shape", total, []int64{2, 5})
	out, to, order := make([]int64, 6), make([]int64, 3), make([]int64, 3)
	Placed(nil, out, to, order, all, 2)
	equal(t, "rows", out, []int64{0, 1, 0, 4, 1, 0})
	equal(t, "places", to, []int64{0, 2, 1})
	want(t, "axis", Append(nil, total, nil, []int64{2, 2}, 2, true), invalid)
	want(t, "shape", Append(nil, total, nil, []int64{3, 2}, 1, false), invalid)
	want(t, "negative", Append(nil, total, nil, []int64{-3, 2}, 1, false), tensor.Internal)
	want(t, "overflow", Append(nil, []int64{2, math.MaxInt64}, nil, []int64{2, 2}, 1, false), invalid)
}

func TestUnique(t *testing.T) {
	sorted, places := make([]int64, 4), make([]int64, 4)
	n, err := Unique(nil, sorted, places, []int64{5, 1, 5, 0}, 6)
	if err != nil || n != 3 || !slices.Equal(sorted[:3], []int64{0, 1, 5}) || !slices.Equal(places, []int64{2, 1, 2, 0}) {
		t.Error(n, sorted, places, err)
	}
	_, err = Unique(nil, nil, nil, nil, -1)
	want(t, "Unique", err, invalid)
	for _, bad := range []int64{-1, 6} {
		_, err := Unique(nil, sorted, places, []int64{bad, 0, 0, 0}, 6)
		want(t, "Unique", err, invalid)
	}
}

func words(vs ...int64) []byte { return appendWords(nil, vs) }

func ints(b []byte) []int64 {
	out := make([]int64, len(b)/word)
	for i := range out {
		out[i] = getWord(b[i*word:])
	}
	return out
}

// TestSerialize stores sparse tensors as strings and as variants, and reads them back stacked into
// one sparse tensor.
func TestSerialize(t *testing.T) {
	texts, parts := make([]string, 6), make([]tensor.Handle, 6)
	SerializeRaw(nil, texts, words(0, 1, 2, 0), []byte{7, 8}, words(3, 2), 2, 2, tensor.Uint8)
	SerializeRaw(nil, texts[3:], words(1, 4), []byte{9}, words(2, 5), 1, 2, tensor.Uint8)
	PackRaw(nil, parts, words(0, 1, 2, 0), []byte{7, 8}, words(3, 2), 2, 2, tensor.Uint8)
	PackRaw(nil, parts[3:], words(1, 4), []byte{9}, words(2, 5), 1, 2, tensor.Uint8)
	for _, c := range []struct {
		dims  []int
		want  []int64
		shape []int64
	}{
		{[]int{2}, []int64{0, 0, 1, 0, 2, 0, 1, 1, 4}, []int64{2, 3, 5}},
		{[]int{1, 2}, []int64{0, 0, 0, 1, 0, 0, 2, 0, 0, 1, 1, 4}, []int64{1, 2, 3, 5}},
	} {
		n, rank, err := TextSizes(texts, tensor.Uint8)
		if err != nil || n != 3 || rank != 2 {
			t.Fatal(n, rank, err)
		}
		if n, rank, err = PartSizes(parts, tensor.Uint8); err != nil || n != 3 || rank != 2 {
			t.Fatal(n, rank, err)
		}
		lead := len(c.dims)
		out, shape := make([]byte, n*(lead+rank)*word), make([]int64, lead+rank)
		want(t, "StackTexts", StackTexts(out, shape, texts, c.dims, rank), tensor.OK)
		equal(t, "StackTexts", ints(out), c.want)
		equal(t, "StackTexts", shape, c.shape)
		clear(out)
		want(t, "StackParts", StackParts(out, shape, parts, c.dims, rank), tensor.OK)
		equal(t, "StackParts", ints(out), c.want)
	}
	values := make([]byte, 3)
	TextValuesRaw(values, texts, 1)
	equal(t, "TextValuesRaw", values, []byte{7, 8, 9})
	PartValuesRaw(values, parts, 1)
	equal(t, "PartValuesRaw", values, []byte{7, 8, 9})

	SerializeStr(nil, texts, words(0), []string{"x"}, words(3), 1, 1, tensor.String)
	PackStr(nil, parts, words(0), []string{"x"}, words(3), 1, 1, tensor.String)
	got := make([]string, 1)
	TextValuesStr(got, texts[:3], 16)
	equal(t, "TextValuesStr", got, []string{"x"})
	PartValuesStr(got, parts[:3], 16)
	equal(t, "PartValuesStr", got, []string{"x"})
	PackHnd(nil, parts, words(0), []tensor.Handle{{V: 5}}, words(3), 1, 1, tensor.Variant)
	h := make([]tensor.Handle, 1)
	PartValuesHnd(h, parts[:3], 16)
	equal(t, "PartValuesHnd", h, []tensor.Handle{{V: 5}})
}

// TestBatch stores each element of a batch as strings and as variants, and reads the batch back.
func TestBatch(t *testing.T) {
	indices, shape := []int64{1, 0, 1, 2, 3, 1}, []int64{4, 3}
	n, err := Batch(indices, shape)
	if err != nil || n != 4 {
		t.Fatal(n, err)
	}
	one, two := make([]string, 12), make([]string, 12)
	SerializeManyRaw(nil, one, indices, []byte{5, 6, 7}, shape, tensor.Uint8)
	SerializeManyStr(nil, two, indices, []string{"a", "b", "c"}, shape, tensor.String)
	parts := [3][]tensor.Handle{make([]tensor.Handle, 12), make([]tensor.Handle, 12), make([]tensor.Handle, 12)}
	PackManyRaw(nil, parts[0], indices, []byte{5, 6, 7}, shape, tensor.Uint8)
	PackManyStr(nil, parts[1], indices, []string{"a", "b", "c"}, shape, tensor.String)
	PackManyHnd(nil, parts[2], indices, []tensor.Handle{{V: 1}, {V: 2}, {V: 3}}, shape, tensor.Resource)
	check := func(what string, values, rank int, err error, src []byte, shape []int64) {
		t.Helper()
		if err != nil || values != 3 || rank != 1 {
			t.Errorf("%s: %d values of rank %d, %v", what, values, rank, err)
		}
		equal(t, what, ints(src), indices)
		equal(t, what, shape, []int64{4, 3})
	}
	out, got := make([]byte, 6*word), make([]int64, 2)
	for i, src := range [][]string{one, two} {
		values, rank, err := TextSizes(src, []tensor.DType{tensor.Uint8, tensor.String}[i])
		want(t, "StackTexts", StackTexts(out, got, src, []int{4}, 1), tensor.OK)
		check("texts", values, rank, err, out, got)
	}
	for i, src := range parts {
		values, rank, err := PartSizes(src, []tensor.DType{tensor.Uint8, tensor.String, tensor.Resource}[i])
		want(t, "StackParts", StackParts(out, got, src, []int{4}, 1), tensor.OK)
		check("parts", values, rank, err, out, got)
	}
	for _, c := range []struct{ indices, shape []int64 }{
		{[]int64{0}, []int64{2}}, {[]int64{0, 0}, []int64{2, -1}}, {[]int64{0, 5}, []int64{2, 2}}, {[]int64{1, 0, 0, 1}, []int64{2, 2}}, {[]int64{1, 0, 1, 0}, []int64{2, 2}},
	} {
		_, err := Batch(c.indices, c.shape)
		want(t, "Batch", err, invalid)
	}
}

// TestSizesRefuses checks that serialized sparse tensors whose indices, values and shape do not fit
// together are refused.
func TestSizesRefuses(t *testing.T) {
	p := func(d tensor.DType, shape ...int) string {
		n := d.Size()
		for _, k := range shape {
			n *= k
		}
		return string(tensorproto.Append(nil, d, shape, make([]byte, n)))
	}
	i64, f32 := tensor.Int64, tensor.Float32
	good := []string{p(i64, 1, 2), p(f32, 1), p(i64, 2)}
	for name, src := range map[string][]string{
		"nothing":           {},
		"junk indices":      {"junk", good[1], good[2]},
		"junk values":       {good[0], "junk", good[2]},
		"junk shape":        {good[0], good[1], "junk"},
		"vector of indices": {p(i64, 2), good[1], good[2]},
		"indices as floats": {p(f32, 1, 2), good[1], good[2]},
		"another type":      {good[0], p(tensor.Int32, 1), good[2]},
		"matrix of values":  {good[0], p(f32, 1, 1), good[2]},
		"more values":       {good[0], p(f32, 2), good[2]},
		"scalar shape":      {good[0], good[1], p(i64)},
		"longer shape":      {good[0], good[1], p(i64, 3)},
		"ranks":             append(slices.Clone(good), p(i64, 1, 1), good[1], p(i64, 1)),
		"no room":           {good[0], "\x08\x01\x12\x0b\x12\x09\x08\x80\x80\x80\x80\x80\x80\x80\x20", good[2]},
	} {
		_, _, err := TextSizes(src, f32)
		want(t, name, err, invalid)
	}
	if _, _, err := TextSizes(good, f32); err != nil {
		t.Error(err)
	}
	_, _, err := PartSizes([]tensor.Handle{{V: 1}, {}, {}}, f32)
	want(t, "no part", err, invalid)
	want(t, "rank", StackTexts(nil, nil, nil, nil, 255), invalid)
	shape := make([]int64, 3)
	src := make([]string, 3)
	SerializeRaw(nil, src, words(0, 0), []byte{1}, words(2, -2), 1, 2, tensor.Uint8)
	want(t, "negative", StackTexts(make([]byte, 3*word), shape, src, []int{1}, 2), invalid)
	want(t, "negative alone", StackTexts(make([]byte, 2*word), shape[:2], src, nil, 2), tensor.OK)
	SerializeRaw(nil, src, words(5), []byte{1}, words(2), 1, 1, tensor.Uint8)
	out := make([]byte, 3*word)
	want(t, "beyond", StackTexts(out, shape, src, []int{1, 1}, 1), tensor.OK)
	equal(t, "beyond", ints(out), []int64{2, 0, 1})
	SerializeRaw(nil, src, words(5), []byte{1}, words(0), 1, 1, tensor.Uint8)
	want(t, "empty", StackTexts(out, shape, src, []int{1, 1}, 1), invalid)
	SerializeRaw(nil, src, words(5), []byte{1}, words(math.MaxInt64), 1, 1, tensor.Uint8)
	want(t, "too many", StackTexts(make([]byte, 6*word), shape, append(src, src...), []int{1, 2}, 1), invalid)
}

func TestMap(t *testing.T) {
	m := []tensor.Handle{NewMap()}
	three := func(values ...byte) []tensor.Handle {
		h := make([]tensor.Handle, 3)
		PackRaw(nil, h, make([]byte, len(values)*word), values, words(9), len(values), 1, tensor.Uint8)
		return h
	}
	number, numbers := make([]int64, 1), make([]int64, 3)
	want(t, "MapAdd", MapAdd(number, m, three(1, 2)), tensor.OK)
	want(t, "MapAddMany", MapAddMany(numbers, m, slices.Concat(three(), three(3), three())), tensor.OK)
	equal(t, "numbers", numbers, []int64{2, 1, 3})
	out := make([]tensor.Handle, 6)
	want(t, "MapTake", MapTake(out, m, []int64{1, 0}), tensor.OK)
	values := make([]byte, 3)
	PartValuesRaw(values, out, 1)
	equal(t, "values", values, []byte{3, 1, 2})
	want(t, "taken", MapTake(out, m, []int64{1}), invalid)
	for _, h := range [][]tensor.Handle{nil, {{V: 1}}} {
		want(t, "MapAdd", MapAdd(number, h, nil), invalid)
		want(t, "MapAddMany", MapAddMany(numbers, h, nil), invalid)
		want(t, "MapTake", MapTake(out, h, nil), invalid)
	}
}

// TestBudget checks that sorting stops when the run ends, and that the memory of packed or
// serialized tensors is counted.
func TestBudget(t *testing.T) {
	n := 1 << 17
	indices := make([]int64, n)
	for i := range indices {
		indices[i] = int64((i*7919 + 1) % n)
	}
	order := make([]int64, n)
	typed.Ends(t, "numbers", []any{Sort}, order, indices, 1)
	typed.Ends(t, "numbers", []any{Groups}, order, make([]int64, n+1), make([]int64, 1), indices, []int64{int64(n)}, []int32{})
	typed.Ends(t, "numbers", []any{Placed}, make([]int64, n), make([]int64, n), order, indices, 1)
	typed.Ends(t, "numbers", []any{Unique}, make([]int64, n), make([]int64, n), indices, n)
	typed.Ends(t, "a large batch", []any{SerializeManyRaw}, make([]string, 3*n), []int64{}, []byte{}, []int64{int64(n), 1}, tensor.Uint8)
	typed.Ends(t, "a large batch", []any{PackManyRaw}, make([]tensor.Handle, 3*n), []int64{}, []byte{}, []int64{int64(n), 1}, tensor.Uint8)

	texts, parts := make([]string, 3), make([]tensor.Handle, 3)
	typed.Exhausts(t, "values", []any{SerializeRaw}, 1000, texts, words(0), make([]byte, 1000), words(3), 1, 1, tensor.Uint8)
	typed.Exhausts(t, "values", []any{SerializeStr}, 1000, texts, words(0), []string{strings.Repeat("x", 1000)}, words(3), 1, 1, tensor.String)
	typed.Exhausts(t, "values", []any{SerializeManyRaw}, 2000, texts, make([]int64, 600), make([]byte, 300), []int64{1, 1000}, tensor.Uint8)
	typed.Exhausts(t, "values", []any{PackRaw}, 1000, parts, words(0), make([]byte, 1000), words(3), 1, 1, tensor.Uint8)
	typed.Exhausts(t, "values", []any{PackManyRaw}, 1000, parts, make([]int64, 600), make([]byte, 300), []int64{1, 1000}, tensor.Uint8)
	p := parts[:1]
	PackRaw(nil, parts, words(0), make([]byte, 1000), words(3), 1, 1, tensor.Uint8)
	if held := mem.Held(nil, [][]tensor.Handle{parts, p}); held < 1000 || held > 2000 {
		t.Errorf("three variants hold %d bytes", held)
	}
}
