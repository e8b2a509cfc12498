package ragged

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/graphc/graphc/kernels/internal/typed"
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

func TestSplits(t *testing.T) {
	w := make([]int64, 2)
	if Widen(w, []int32{-1, 7}); !slices.Equal(w, []int64{-1, 7}) {
		t.Errorf("widened to %v", w)
	}
	n := make([]int32, 2)
	if err := Narrow(n, w); err != nil || !slices.Equal(n, []int32{-1, 7}) {
		t.Errorf("narrowed to %v, %v", n, err)
	}
	code(t, "narrow", Narrow(n, []int64{1 << 31, 0}), bad)
	for name, c := range map[string]struct {
		splits []int64
		lens   []int
		rows   int
		want   tensor.Code
	}{
		"one":       {[]int64{0, 2, 3}, []int{3}, 3, 0},
		"two":       {[]int64{0, 2, 0, 1, 3}, []int{2, 3}, 3, 0},
		"none":      {nil, []int{0}, 0, bad},
		"first":     {[]int64{1, 3}, []int{2}, 3, bad},
		"decreases": {[]int64{0, 3, 2, 3}, []int{4}, 3, bad},
		"last":      {[]int64{0, 2}, []int{2}, 3, bad},
		"inner":     {[]int64{0, 3, 0, 1, 3}, []int{2, 3}, 3, bad},
	} {
		code(t, name, Strict(c.splits, c.lens, c.rows), c.want)
	}
}

func TestRange(t *testing.T) {
	inf := float32(math.Inf(1))
	each := RangeParams{1, 1, 1, math.MaxInt}
	for name, c := range map[string]struct {
		lo, hi, step []float32
		most         int
		want         []int64
		code         tensor.Code
	}{
		"up and down":     {[]float32{0, 5, 2, 2}, []float32{3, 0, 2, 9}, []float32{1, -2, 1, -1}, math.MaxInt, []int64{0, 3, 6, 6, 6}, 0},
		"an infinite one": {[]float32{0}, []float32{inf}, []float32{1}, math.MaxInt, nil, bad},
		"NaN":             {[]float32{0}, []float32{float32(math.NaN())}, []float32{1}, math.MaxInt, nil, bad},
		"zero":            {[]float32{0}, []float32{1}, []float32{0}, math.MaxInt, nil, bad},
		"beyond most":     {[]float32{0}, []float32{9}, []float32{1}, 8, nil, bad},
		"together beyond": {[]float32{0, 0}, []float32{5, 5}, []float32{1, 1}, 8, nil, bad},
	} {
		p := each
		p.Most = c.most
		s := make([]int64, len(c.lo)+1)
		n, err := RangeF32(s, c.lo, c.hi, c.step, p)
		code(t, name, err, c.code)
		if err == nil && (!slices.Equal(s, c.want) || n != int(s[len(s)-1])) {
			t.Errorf("%s: %v, %d", name, s, n)
		}
	}
	s := make([]int64, 2)
	if _, err := RangeI64(s, []int64{math.MinInt64}, []int64{math.MaxInt64}, []int64{1}, each); err == nil {
		t.Error("2⁶⁴ elements are counted")
	}
	if n, err := RangeI64(s, []int64{math.MinInt64}, []int64{math.MaxInt64}, []int64{math.MaxInt64}, each); n != 3 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if n, _ := RangeI32(s, []int32{5}, []int32{0}, []int32{math.MinInt32}, each); n != 1 {
		t.Errorf("%d elements, want 1", n)
	}
	n, _ := RangeF64(s, []float64{0}, []float64{1}, []float64{.25}, each)
	f := make([]float64, n)
	if FillF64(f, s, []float64{0}, []float64{.25}, each); !slices.Equal(f, []float64{0, .25, .5, .75}) {
		t.Errorf("%v", f)
	}
	a, b, d := make([]int32, 4), make([]int64, 4), make([]float32, 4)
	FillI32(a, s, []int32{7}, []int32{-2}, each)
	FillI64(b, s, []int64{7}, []int64{-2}, each)
	FillF32(d, s, []float32{7}, []float32{-2}, each)
	if got := fmt.Sprint(a, b, d); got != "[7 5 3 1] [7 5 3 1] [7 5 3 1]" {
		t.Error(got)
	}
}

func TestGather(t *testing.T) {
	splits, lens := []int64{0, 2, 3, 0, 1, 1, 3}, []int{3, 4}
	ix := []int64{1, 0, 1}
	if err := GatherCheck(splits, lens, ix, 3); err != nil {
		t.Fatal(err)
	}
	for level, want := range []int{3, 4, 5} {
		if n, err := GatherLen(splits, lens, ix, level); n != want || err != nil {
			t.Errorf("level %d: %d, %v, want %d", level, n, err, want)
		}
	}
	a, b := make([]int64, 4), make([]int64, 5)
	GatherSplits(a, splits, lens, ix, 0)
	GatherSplits(b, splits, lens, ix, 1)
	v, s := make([]byte, 10), make([]string, 5)
	GatherRaw(v, []byte{1, 2, 3, 4, 5, 6}, splits, lens, ix, 2)
	GatherStr(s, []string{"a", "b", "c"}, splits, lens, ix, 1)
	if got := fmt.Sprint(a, b, v, s); got != "[0 1 3 4] [0 2 3 3 5] [3 4 5 6 1 2 3 4 5 6] [b c a b c]" {
		t.Error(got)
	}
	RegularSplits(a, 5)
	if !slices.Equal(a, []int64{0, 5, 10, 15}) {
		t.Error(a)
	}
	for name, c := range map[string]struct {
		splits []int64
		lens   []int
		ix     int64
	}{
		"index":     {[]int64{0, 1}, []int{2}, 1},
		"negative":  {[]int64{0, 1}, []int{2}, -1},
		"none":      {nil, []int{0}, -1},
		"below":     {[]int64{-1, 1}, []int{2}, 0},
		"past":      {[]int64{0, 4}, []int{2}, 0},
		"inner":     {[]int64{0, 2, 0, 3}, []int{2, 2}, 0},
		"decreases": {[]int64{0, 2, 1}, []int{3}, 0},
	} {
		code(t, name, GatherCheck(c.splits, c.lens, []int64{c.ix}, 3), bad)
	}
	code(t, "past, but not reached", GatherCheck([]int64{0, 1, 2, 0, 3}, []int{3, 2}, []int64{0}, 3), 0)
	code(t, "none without an index", GatherCheck(nil, []int{0}, nil, 3), bad)
	big := []int64{0, math.MaxInt64}
	if _, err := GatherLen(big, []int{2}, []int64{0, 0}, 1); err == nil {
		t.Error("more rows than are counted")
	}
}

func TestSparse(t *testing.T) {
	splits, lens := []int64{0, 0, 2, 2, 0, 0, 1}, []int{4, 3}
	ix, shape := make([]int64, 8), make([]int64, 4)
	if err := ToSparse(ix, shape, splits, lens, []int{1, 2}, make([]int64, 2)); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(ix, shape); got != "[1 1 0 0 1 1 0 1] [3 2 1 2]" {
		t.Error(got)
	}
	code(t, "sparse", ToSparse(ix, shape, splits, lens, []int{3, 2}, make([]int64, 2)), bad)
}

func TestDense(t *testing.T) {
	for name, c := range map[string]struct {
		head, want, parts []int64
		lens, dims, def   []int
		kinds             string
		scalar            bool
		out               string
		code              tensor.Code
	}{
		"splits":             {nil, []int64{-1, -1}, []int64{0, 2, 3}, []int{3}, []int{3}, nil, "S", false, "[2 2] [1 2 3 9]", 0},
		"cut and filled":     {nil, []int64{3, 1}, []int64{0, 2, 3}, []int{3}, []int{3}, nil, "S", false, "[3 1] [1 3 9]", 0},
		"row ids":            {[]int64{4}, []int64{-1}, []int64{0, 2, 2}, []int{3}, []int{3}, nil, "R", true, "[4 2] [1 9 9 9 2 3 9 9]", 0},
		"two levels, cut":    {nil, []int64{2, 1, 2}, []int64{0, 2, 3, 0, 1, 5, 6}, []int{3, 4}, []int{6}, nil, "SS", false, "[2 1 2] [1 9 6 9]", 0},
		"row ids in row ids": {[]int64{2}, []int64{2, 1, 2}, []int64{0, 0, 1, 0, 1, 1, 1, 1, 2}, []int{3, 6}, []int{6}, nil, "RR", false, "[2 1 2] [1 9 6 9]", 0},
		"row ids in splits":  {nil, []int64{-1}, []int64{0, 2, 0, 1, 1}, []int{2, 3}, []int{3}, nil, "SR", true, "[1 2 2] [1 9 2 3]", 0},
		"three levels":       {nil, []int64{-1}, []int64{0, 1, 0, 2, 0, 0, 3}, []int{2, 2, 3}, []int{3}, nil, "SSS", true, "[1 1 2 3] [9 9 9 1 2 3]", 0},
		"fewer values told":  {nil, []int64{-1}, []int64{0, 2}, []int{2}, []int{3}, nil, "S", true, "[1 2] [1 2]", 0},
		"nothing":            {nil, []int64{0, -1}, []int64{0, 1, 7}, []int{3}, []int{3}, nil, "S", false, "[0 6] []", 0},
		"no row ids":         {[]int64{2}, []int64{2, 2, 1}, []int64{}, []int{0, 0}, []int{0}, nil, "RR", false, "[2 2 1] [9 9 9 9]", 0},
		"more values told":   {nil, []int64{-1}, []int64{0, 2, 5}, []int{3}, []int{3}, nil, "S", true, "", bad},
		"ids out of order":   {[]int64{2}, []int64{-1}, []int64{1, 0, 1}, []int{3}, []int{3}, nil, "R", true, "", bad},
		"no splits":          {nil, []int64{-1}, nil, []int{0}, []int{3}, nil, "S", true, "", bad},
		"a negative number":  {[]int64{-2}, []int64{-1}, []int64{0}, []int{1}, []int{1}, nil, "R", true, "", bad},
		"two numbers":        {[]int64{2, 2}, []int64{-1}, []int64{0}, []int{1}, []int{1}, nil, "R", true, "", bad},
		"scalar":             {nil, []int64{5}, []int64{0, 2}, []int{2}, []int{2}, nil, "S", true, "", bad},
		"below -1":           {nil, []int64{-2, 2}, []int64{0, 2}, []int{2}, []int{2}, nil, "S", false, "", bad},
		"rank":               {nil, []int64{2}, []int64{0, 2}, []int{2}, []int{2}, nil, "S", false, "", bad},
		"inner":              {nil, []int64{-1, -1, 3}, []int64{0, 1}, []int{2}, []int{1, 2}, nil, "S", false, "", bad},
		"default rank":       {nil, []int64{-1}, []int64{0, 1}, []int{2}, []int{1}, []int{1}, "S", true, "", bad},
		"default shape":      {nil, []int64{-1}, []int64{0, 1}, []int{2}, []int{1, 2}, []int{3}, "S", true, "", bad},
		"countless":          {nil, []int64{1 << 40, 1 << 40}, []int64{0, 1}, []int{2}, []int{1}, nil, "S", false, "", bad},
		"countless inside":   {nil, []int64{1 << 62, 1}, []int64{0, 1}, []int{2}, []int{1, 8}, nil, "S", false, "", bad},
		"id outside":         {[]int64{2}, []int64{-1}, []int64{0, 2}, []int{2}, []int{2}, nil, "R", true, "", bad},
		"too many rows":      {nil, []int64{1, 2, 3}, []int64{0, 1, 0, 1, 3}, []int{2, 3}, []int{3}, nil, "SS", false, "", bad},
		"splits decrease":    {nil, []int64{3, 2}, []int64{0, 2, 1, 3}, []int{4}, []int{3}, nil, "S", false, "", bad},
	} {
		t.Run(name, func(t *testing.T) {
			p := DenseParams{Kinds: c.kinds, Scalar: c.scalar, Head: c.head}
			err := DenseCheck(c.want, c.parts, c.lens, c.dims, c.def, p)
			var out []int
			n := 1
			for k := 0; err == nil && k <= len(c.lens); k++ {
				var d int
				d, err = DenseDim(c.want, c.parts, c.lens, p, k)
				out = append(out, d)
				n *= d
			}
			if err != nil {
				code(t, name, err, c.code)
				return
			}
			values, dst := make([]byte, c.dims[0]), make([]byte, n)
			texts, to := make([]string, c.dims[0]), make([]string, n)
			for i := range values {
				values[i], texts[i] = byte(i+1), fmt.Sprint(i+1)
			}
			room := make([]int64, 2*DenseRoom(c.parts, c.lens, p))
			err = DenseRaw(dst, values, []byte{9}, c.parts, c.lens, out, 1, p, room)
			code(t, name, err, c.code)
			code(t, name, DenseStr(to, texts, []string{"9"}, c.parts, c.lens, out, 1, p, room), c.code)
			if got := fmt.Sprint(out, dst); err == nil && got != c.out {
				t.Errorf("%s, want %s", got, c.out)
			}
			if got := fmt.Sprint(out, to); err == nil && got != c.out {
				t.Errorf("%s, want %s", got, c.out)
			}
		})
	}
}

func TestFill(t *testing.T) {
	empty, ends := make([]bool, 3), make([]int64, 3)
	ids := []int64{2, 0, 2}
	n, err := FillCount(empty, ends, ids)
	if n != 4 || err != nil {
		t.Fatal(n, err)
	}
	rows, places := make([]int64, n), make([]int64, 3)
	FillPlaces(rows, places, ends, ids, make([]int64, 3))
	raw, str, hnd := make([]byte, n), make([]string, n), make([]tensor.Handle, n)
	FillRaw(raw, []byte{1, 2, 3}, []byte{9}, places, ends, empty, 1)
	FillStr(str, []string{"a", "b", "c"}, []string{"z"}, places, ends, empty, 1)
	FillHnd(hnd, []tensor.Handle{{V: 1}, {V: 2}, {V: 3}}, []tensor.Handle{{V: 9}}, places, ends, empty, 1)
	if got := fmt.Sprint(rows, places, empty, raw, str, hnd); got != "[0 1 2 2] [2 0 3] [false true false] [2 9 1 3] [b z a c] [{2} {9} {1} {3}]" {
		t.Error(got)
	}
	_, err = FillCount(empty, ends, []int64{3})
	code(t, "row", err, bad)
	_, err = FillCount(nil, nil, ids)
	code(t, "no rows", err, bad)
}

func TestVariant(t *testing.T) {
	typed.Exhausts(t, "many empty rows", []any{ToVariantRaw}, 1<<17, make([]tensor.Handle, 1000), []byte{}, make([]int64, 1001), []int{1001}, []int{0},
		VariantParams{Values: int(tensor.Int8), Splits: int(tensor.Int64), Batched: true})
	f, i64 := int(tensor.Uint8), int(tensor.Int64)
	p := VariantParams{Values: f, Splits: i64, Batched: true}
	splits, lens := []int64{0, 2, 3, 0, 1, 1, 3}, []int{3, 4}
	rows := make([]tensor.Handle, 2)
	if err := ToVariantRaw(nil, rows, []byte{1, 2, 3}, splits, lens, []int{3, 1}, p); err != nil {
		t.Fatal(err)
	}
	p.Depth = 1
	if err := Decode(rows, []int{2}, p); err != nil {
		t.Fatal(err)
	}
	if n := SplitsLen(rows, 0); n != 4 {
		t.Errorf("%d row splits", n)
	}
	outer, inner, v := make([]int64, 3), make([]int64, 4), make([]byte, 3)
	RowLengths(outer, rows)
	Splits(inner, rows, 0)
	if err := ValuesRaw(v, f, rows); err != nil {
		t.Fatal(err)
	}
	a, _ := ValuesDim(rows, 0, 2)
	b, _ := ValuesDim(rows, 1, 2)
	if got := fmt.Sprint(outer, inner, v, a, b); got != "[0 2 3] [0 1 1 3] [1 2 3] 3 1" {
		t.Error(got)
	}
	_, err := ValuesDim(rows, 0, 1)
	code(t, "rank", err, bad)
	for name, q := range map[string]VariantParams{
		"values": {Values: int(tensor.Int8), Splits: i64, Depth: 1},
		"splits": {Values: f, Splits: int(tensor.Int32), Depth: 1},
		"depth":  {Values: f, Splits: i64},
	} {
		code(t, name, Decode(rows, []int{2}, q), bad)
	}
	code(t, "another thing", Decode([]tensor.Handle{{V: 1}}, nil, p), bad)
	code(t, "too few bytes", ValuesRaw(v[:2:2], f, rows[1:]), 0)

	one := make([]tensor.Handle, 2)
	p = VariantParams{Values: int(tensor.String), Splits: i64}
	if err := ToVariantStr(nil, one[:1], []string{"a", "b"}, []int64{0, 2}, []int{2}, []int{2}, p); err != nil {
		t.Fatal(err)
	}
	s := make([]string, 2)
	if err := ValuesStr(s, p.Values, one[:1]); err != nil || s[1] != "b" {
		t.Error(s, err)
	}
	code(t, "empty splits", ToVariantStr(nil, one[:1], nil, []int64{1}, []int{1}, []int{0}, p), bad)

	p = VariantParams{Values: f, Splits: i64, Batched: true}
	if err := ToVariantRaw(nil, one, []byte{1, 2, 3, 4}, nil, nil, []int{2, 2}, p); err != nil {
		t.Fatal(err)
	}
	p.Depth = 0
	if err := Decode(one, []int{2}, p); err != nil {
		t.Fatal(err)
	}
	mixed := []tensor.Handle{one[0], rows[0]}
	mixed[1] = tensor.Handle{V: &resource.Ragged{Splits: tensor.Int64, Values: resource.NewPart(tensor.Uint8, []int{1, 2}, resource.Data{B: []byte{1, 2}})}}
	code(t, "ranks", Decode(mixed, []int{2}, p), bad)
	mixed[0] = tensor.Handle{V: &resource.Ragged{Splits: tensor.Int64, Values: resource.NewPart(tensor.Uint8, nil, resource.Data{B: []byte{1}})}}
	code(t, "scalars", Decode(mixed, []int{2}, p), bad)

	// In the gradient, the variant of row 1 is empty, which means that this row was not used. Its
	// values must be zeros.
	dst := []byte{7, 7, 7, 7, 7}
	p = VariantParams{Values: f, Splits: i64}
	if err := GradRaw(dst, 5, []tensor.Handle{one[0], {}, one[1]}, []int64{0, 2, 3, 5}, 1, p); err != nil || !slices.Equal(dst, []byte{1, 2, 0, 3, 4}) {
		t.Error(dst, err)
	}
	code(t, "no splits", GradRaw(dst, 5, one, nil, 1, p), bad)
	code(t, "few splits", GradRaw(dst, 5, []tensor.Handle{{}}, []int64{0}, 1, p), bad)
	code(t, "more values", GradRaw(dst, 3, one, []int64{0}, 1, p), bad)
	code(t, "other values", GradRaw(dst, 5, []tensor.Handle{{V: 1}}, []int64{0}, 1, p), bad)
	p.Values = int(tensor.String)
	texts := []string{"x"}
	code(t, "texts", GradStr(texts, 1, []tensor.Handle{{}}, []int64{0, 1}, 1, p), 0)
	if texts[0] != "" {
		t.Error(texts)
	}
}
