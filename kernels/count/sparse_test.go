package count

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

func code(t *testing.T, name string, err error, want tensor.Code) {
	t.Helper()
	if tensor.CodeOf(err) != want {
		t.Errorf("%s: %v, want the code %v", name, err, want)
	}
}

const bad = tensor.InvalidArgument

func TestTally(t *testing.T) {
	values := []int64{2, 2, 1, 2, 5}
	rows := []int64{1, 1, 0, 1, 1}
	weights := []float32{.5, .25, 4, 1, 2}
	two := TallyParams{Inner: 2, Rank: 1, Max: -1, Min: -1}
	for name, c := range map[string]struct {
		weights []float32
		batches int64
		change  func(p *TallyParams)
		want    string
		code    tensor.Code
	}{
		"rows":       {nil, 3, func(*TallyParams) {}, "[0 1 1 2 1 5] [1 3 1] [3 6]", 0},
		"one row":    {nil, 3, func(p *TallyParams) { p.Inner = 1 }, "[1 2 5] [1 3 1] [6]", 0},
		"weights":    {weights, 3, func(*TallyParams) {}, "[0 1 1 2 1 5] [4 1.75 2] [3 6]", 0},
		"marks":      {weights, 3, func(p *TallyParams) { p.Binary = true }, "[0 1 1 2 1 5] [1 1 1] [3 6]", 0},
		"a maximum":  {nil, 3, func(p *TallyParams) { p.Max, p.Min = 3, 9 }, "[0 1 1 2] [1 3] [3 3]", 0},
		"none":       {nil, 3, func(p *TallyParams) { p.Max = 0 }, "[] [] [3 0]", 0},
		"a minimum":  {nil, 3, func(p *TallyParams) { p.Min = 9 }, "[0 1 1 2 1 5] [1 3 1] [3 9]", 0},
		"few":        {weights[:2], 3, func(*TallyParams) {}, "", bad},
		"no batch":   {nil, 0, func(*TallyParams) {}, "", bad},
		"a large":    {nil, math.MaxInt32, func(*TallyParams) {}, "", bad},
		"a negative": {nil, 3, func(p *TallyParams) { p.Rank = -1 }, "", bad},
	} {
		p := two
		p.Rows, p.Batches = rows, []int64{c.batches}
		c.change(&p)
		v := values
		if p.Rank < 0 {
			p.Rank, v = 1, []int64{0, -1, 0, 0, 0}
		}
		ix, dst, shape := make([]int64, 5*p.Inner), make([]float32, 5), make([]int64, p.Inner)
		n, err := TallyF32(nil, ix, dst, shape, v, c.weights, make([]int64, 5), p)
		code(t, name, err, c.code)
		if got := fmt.Sprint(ix[:n*p.Inner], dst[:n], shape); err == nil && got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestRows(t *testing.T) {
	for name, c := range map[string]struct {
		splits []int64
		least  int
		want   []int64
		code   tensor.Code
	}{
		"good":      {[]int64{0, 2, 2, 3}, 2, []int64{0, 0, 2}, 0},
		"decreases": {[]int64{0, 3, 1, 3}, 2, []int64{0, 0, 0}, 0},
		"behind":    {[]int64{0, -1, 3}, 2, []int64{1, 1, 1}, 0},
		"few":       {[]int64{0}, 2, nil, bad},
		"first":     {[]int64{1, 3}, 2, nil, bad},
		"last":      {[]int64{0, 4}, 2, nil, bad},
	} {
		rows := make([]int64, 3)
		err := RaggedRows(rows, c.splits, c.least)
		code(t, name, err, c.code)
		if err == nil && !slices.Equal(rows, c.want) {
			t.Errorf("%s: %v, want %v", name, rows, c.want)
		}
	}
	rows := make([]int64, 4)
	if RowNumbers(rows, 2); !slices.Equal(rows, []int64{0, 0, 1, 1}) {
		t.Error(rows)
	}
	if Inner(1) != 1 || Inner(3) != 2 {
		t.Error("the length of indices")
	}
}

func TestSparseCheck(t *testing.T) {
	for name, c := range map[string]struct {
		ix, shape     []int64
		rows, cols, n int
		want          tensor.Code
	}{
		"good":     {[]int64{0, 1}, []int64{1, 2}, 1, 2, 1, 0},
		"number":   {[]int64{0, 1}, []int64{1, 2}, 1, 2, 2, bad},
		"length":   {[]int64{0, 1}, []int64{1}, 1, 2, 1, bad},
		"rank 0":   {nil, nil, 1, 0, 1, bad},
		"negative": {nil, []int64{-1}, 0, 1, 0, bad},
		"outside":  {[]int64{0, 2}, []int64{1, 2}, 1, 2, 1, bad},
		"below":    {[]int64{-1, 0}, []int64{1, 2}, 1, 2, 1, bad},
	} {
		code(t, name, SparseCheck(c.ix, c.shape, c.rows, c.cols, c.n), c.want)
	}
}

func TestBinsAt(t *testing.T) {
	rows, values := []int64{0, 9, 1, 9, 1, 9}, []int64{1, 5, 1}
	p := BinsAtParams{Size: 2, Rank: 2, Rows: rows}
	dst := make([]float32, 4)
	code(t, "strict", BinsAtF32(dst, []int64{-1}, nil, BinsAtParams{Size: 2, Strict: true}), bad)
	code(t, "lax", BinsAtF32(dst, []int64{-1}, nil, BinsAtParams{Size: 2}), 0)
	code(t, "few weights", BinsAtF32(dst, values, dst[:2], p), bad)
	code(t, "which marks take for none", BinsAtF32(dst, values, dst[:2], BinsAtParams{Size: 2, Rank: 2, Rows: rows, Binary: true}), 0)
	for _, fn := range []any{BinsAtF32, BinsAtF64, BinsAtI8, BinsAtI16, BinsAtI32, BinsAtI64, BinsAtU8, BinsAtU16, BinsAtU32, BinsAtU64,
		BinsAtC64, BinsAtC128, BinsAtF16, BinsAtBF16} {
		f := reflect.ValueOf(fn)
		s := f.Type().In(0)
		for _, c := range []struct {
			binary, weighted bool
			want             string
		}{{false, false, "[0 1 0 1]"}, {true, true, "[0 1 0 1]"}, {false, true, "[0 2 0 2]"}} {
			q := p
			q.Binary = c.binary
			dst, w := reflect.MakeSlice(s, 4, 4), reflect.MakeSlice(s, 0, 0)
			if c.weighted {
				w = reflect.MakeSlice(s, 3, 3)
				for i := range 3 {
					set(w.Index(i), 2)
				}
			}
			want := reflect.MakeSlice(s, 4, 4)
			n := 1.0
			if c.want == "[0 2 0 2]" {
				n = 2
			}
			set(want.Index(1), n)
			set(want.Index(3), n)
			r := f.Call([]reflect.Value{dst, reflect.ValueOf(values), w, reflect.ValueOf(q)})
			if !r[0].IsNil() || !reflect.DeepEqual(dst.Interface(), want.Interface()) {
				t.Errorf("%v: %v %v, want %v", f.Type(), dst, r[0], want)
			}
		}
	}
	for _, fn := range []any{TallyF32, TallyF64, TallyI8, TallyI16, TallyI32, TallyI64, TallyU8, TallyU16, TallyU32, TallyU64} {
		f := reflect.ValueOf(fn)
		s := f.Type().In(2)
		dst := reflect.MakeSlice(s, 3, 3)
		in := []reflect.Value{reflect.Zero(reflect.TypeFor[*mem.Budget]())}
		for _, a := range []any{make([]int64, 3), dst, make([]int64, 1), []int64{4, 4, 4}, reflect.MakeSlice(s, 0, 0), make([]int64, 3), TallyParams{Inner: 1, Max: -1}} {
			if v, ok := a.(reflect.Value); ok {
				in = append(in, v)
			} else {
				in = append(in, reflect.ValueOf(a))
			}
		}
		want := reflect.New(s.Elem()).Elem()
		set(want, 3)
		if r := f.Call(in); r[0].Int() != 1 || !dst.Index(0).Equal(want) {
			t.Errorf("%v: %v %v", f.Type(), r[0], dst)
		}
	}
}

// set stores x in v. It converts x to a 16-bit float if v has such a type.
func set(v reflect.Value, x float64) {
	switch {
	case v.Type() == reflect.TypeFor[tensor.F16]():
		v.SetUint(uint64(tensor.ToF16(float32(x))))
	case v.Type() == reflect.TypeFor[tensor.BF16]():
		v.SetUint(uint64(tensor.ToBF16(float32(x))))
	case v.CanInt():
		v.SetInt(int64(x))
	case v.CanUint():
		v.SetUint(uint64(x))
	case v.CanFloat():
		v.SetFloat(x)
	default:
		v.SetComplex(complex(x, 0))
	}
}
