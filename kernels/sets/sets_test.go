package sets

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/graphc/graphc/kernels/internal/typed"
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

// op joins sets of int32 and formats the result.
func op(ai []int64, av []int32, as, bi []int64, bv []int32, bs []int64, p Params) (string, error) {
	r := len(as)
	if !p.DenseA {
		p.RowsA, p.ColsA = len(ai)/max(r, 1), r
	}
	if !p.DenseB {
		p.RowsB, p.ColsB = len(bi)/max(len(bs), 1), len(bs)
	}
	p.IndicesA, p.IndicesB = ai, bi
	m := len(av) + len(bv)
	ix, v, s := make([]int64, m*r), make([]int32, m), make([]int64, r)
	n, err := OpI32(nil, ix, v, s, av, as, bv, bs, make([]int32, m), p)
	return fmt.Sprint(ix[:n*r], v[:n], s), err
}

func TestOperations(t *testing.T) {
	a, b := []int32{1, 2, 2, 3, 4, 3}, []int32{2, 9, 5, 3}
	for kind, want := range []string{
		"[0 0 1 0] [1 4] [2 1]",
		"[0 0 1 0] [9 5] [2 1]",
		"[0 0 1 0] [2 3] [2 1]",
		"[0 0 0 1 0 2 1 0 1 1 1 2] [1 2 9 3 4 5] [2 3]",
	} {
		if got, err := op(nil, a, []int64{2, 3}, nil, b, []int64{2, 2}, Params{Kind: kind, DenseA: true, DenseB: true}); got != want || err != nil {
			t.Errorf("dense, kind %d: %s, %v", kind, got, err)
		}
		ix := []int64{0, 0, 0, 1, 1, 0, 1, 1}
		if got, err := op(nil, a, []int64{2, 3}, ix, b, []int64{2, 2}, Params{Kind: kind, DenseA: true, Validate: true}); got != want || err != nil {
			t.Errorf("dense and sparse, kind %d: %s, %v", kind, got, err)
		}
		ax := []int64{0, 0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 2}
		if got, err := op(ax, a, []int64{2, 3}, ix, b, []int64{2, 2}, Params{Kind: kind, Validate: true}); got != want || err != nil {
			t.Errorf("sparse, kind %d: %s, %v", kind, got, err)
		}
	}
}

func TestGroups(t *testing.T) {
	u := Params{Kind: Union, Validate: true}
	both := Params{Kind: Union, DenseA: true, DenseB: true}
	first := Params{Kind: Union, DenseA: true}
	for name, c := range map[string]struct {
		ai   []int64
		av   []int32
		as   []int64
		bi   []int64
		bv   []int32
		bs   []int64
		p    Params
		want string
		code tensor.Code
	}{
		"groups of one side":   {[]int64{0, 0, 1, 0}, []int32{5, 6}, []int64{3, 2}, []int64{1, 0, 2, 2}, []int32{6, 7}, []int64{3, 4}, u, "[0 0 1 0 2 0] [5 6 7] [3 1]", 0},
		"nothing":              {nil, nil, []int64{0, 2}, nil, nil, []int64{0, 3}, both, "[] [] [0 0]", 0},
		"an empty dense":       {nil, nil, []int64{2, 0}, nil, []int32{1, 2}, []int64{2, 1}, both, "[0 0 1 0] [1 2] [2 1]", 0},
		"the other":            {nil, []int32{1, 2}, []int64{2, 1}, nil, nil, []int64{2, 0}, both, "[0 0 1 0] [1 2] [2 1]", 0},
		"dense of no width":    {nil, nil, []int64{1 << 40, 0}, []int64{7, 0}, []int32{3}, []int64{1 << 40, 1}, first, "[7 0] [3] [1099511627776 1]", 0},
		"rank 3":               {nil, []int32{1, 2}, []int64{1, 2, 1}, nil, []int32{1, 1}, []int64{1, 2, 1}, both, "[0 0 0 0 1 0 0 1 1] [1 1 2] [1 2 2]", 0},
		"out of order, unseen": {nil, []int32{1, 2}, []int64{2, 1}, []int64{1, 0, 0, 1}, []int32{9, 8}, []int64{2, 2}, first, "[0 0 1 0 1 1] [1 2 9] [2 2]", 0},
		"mismatch":             {nil, []int32{1}, []int64{1, 1}, nil, []int32{1, 2}, []int64{2, 1}, both, "", bad},
		"ranks":                {nil, []int32{1}, []int64{1, 1}, nil, []int32{1}, []int64{1, 1, 1}, both, "", bad},
		"rank 1":               {nil, []int32{1}, []int64{1}, nil, []int32{1}, []int64{1}, both, "", bad},
		"outside, unseen":      {nil, []int32{1, 2}, []int64{2, 1}, []int64{0, 7}, []int32{9}, []int64{2, 2}, first, "", tensor.Internal},
		"outside in a":         {[]int64{0, 7}, []int32{1}, []int64{2, 2}, nil, nil, []int64{2, 2}, Params{}, "", tensor.Internal},
		"outside in b":         {nil, nil, []int64{2, 2}, []int64{0, 7}, []int32{1}, []int64{2, 2}, Params{}, "", tensor.Internal},
		"a refused":            {[]int64{0, 7}, []int32{1}, []int64{2, 2}, nil, nil, []int64{2, 2}, u, "", bad},
		"b refused":            {nil, nil, []int64{2, 2}, []int64{0, 7}, []int32{1}, []int64{2, 2}, u, "", bad},
	} {
		got, err := op(c.ai, c.av, c.as, c.bi, c.bv, c.bs, c.p)
		if code(t, name, err, c.code); err == nil && got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestCheck(t *testing.T) {
	for name, c := range map[string]struct {
		ix, shape     []int64
		rows, cols, n int
		want          tensor.Code
	}{
		"good":      {[]int64{0, 0, 0, 1}, []int64{1, 2}, 2, 2, 2, 0},
		"negative":  {nil, []int64{-1, 2}, 0, 2, 0, bad},
		"countless": {nil, []int64{1 << 40, 1 << 40}, 0, 2, 0, bad},
		"rank":      {nil, []int64{3}, 0, 1, 0, bad},
		"number":    {[]int64{0, 0}, []int64{1, 2}, 1, 2, 2, bad},
		"length":    {[]int64{0, 0, 0}, []int64{1, 2}, 1, 3, 1, bad},
		"outside":   {[]int64{0, 2}, []int64{1, 2}, 1, 2, 1, bad},
		"repeated":  {[]int64{0, 1, 0, 1}, []int64{1, 2}, 2, 2, 2, bad},
		"order":     {[]int64{0, 1, 0, 0}, []int64{1, 2}, 2, 2, 2, bad},
	} {
		code(t, name, Check(c.ix, c.shape, c.rows, c.cols, c.n, true), c.want)
	}
	code(t, "not validated", Check([]int64{9, 9}, []int64{1, 2}, 1, 2, 1, false), 0)
}

func TestSize(t *testing.T) {
	dst := make([]int32, 3)
	v := []int32{3, 3, 4}
	err := SizeI32(nil, dst, []int64{1, 0, 1, 1, 2, 0}, v, []int64{3, 2}, make([]int32, 3))
	if got := fmt.Sprint(dst); err != nil || got != "[0 1 1]" {
		t.Error(got, err)
	}
	code(t, "outside", SizeI32(nil, dst, []int64{3, 0}, v[:1], []int64{3, 2}, make([]int32, 1)), tensor.Internal)
	code(t, "negative", SizeI32(nil, dst, []int64{-1, 0}, v[:1], []int64{3, 2}, make([]int32, 1)), bad)
}

// TestTypes calls each typed kernel with sets of two different elements of its type.
func TestTypes(t *testing.T) {
	ix, shape := []int64{0, 0, 0, 1}, []int64{1, 2}
	p := Params{Kind: Union, Validate: true, RowsA: 2, ColsA: 2, RowsB: 2, ColsB: 2, IndicesA: ix, IndicesB: ix}
	for _, fn := range []any{OpI8, OpI16, OpI32, OpI64, OpU8, OpU16, OpStr} {
		f := reflect.ValueOf(fn)
		v := pair(f.Type().In(2))
		out := reflect.MakeSlice(v.Type(), 4, 4)
		r := call(f, (*mem.Budget)(nil), make([]int64, 8), out, make([]int64, 2), v, shape, v, shape, reflect.MakeSlice(v.Type(), 4, 4), p)
		if r[0].Int() != 2 || !r[1].IsNil() {
			t.Errorf("%v: %v %v", f.Type(), r[0], r[1])
		}
	}
	for _, fn := range []any{SizeI8, SizeI16, SizeI32, SizeI64, SizeU8, SizeU16, SizeStr} {
		f := reflect.ValueOf(fn)
		v := pair(f.Type().In(3))
		dst := make([]int32, 1)
		if r := call(f, (*mem.Budget)(nil), dst, ix, v, shape, reflect.MakeSlice(v.Type(), 2, 2)); !r[0].IsNil() || dst[0] != 2 {
			t.Errorf("%v: %v %v", f.Type(), dst, r[0])
		}
	}
	d := DistanceParams{RowsH: 2, ColsH: 2, RowsT: 2, ColsT: 2}
	for _, fn := range []any{DistanceF32, DistanceF64, DistanceF16, DistanceBF16, DistanceC64, DistanceC128, DistanceI8, DistanceI16, DistanceI32,
		DistanceI64, DistanceU8, DistanceU16, DistanceU32, DistanceU64, DistanceBool, DistanceStr} {
		f := reflect.ValueOf(fn)
		v := pair(f.Type().In(3))
		w := reflect.MakeSlice(v.Type(), 2, 2)
		w.Index(0).Set(v.Index(1))
		w.Index(1).Set(v.Index(1))
		dst := make([]float32, 1)
		if r := call(f, (*mem.Budget)(nil), dst, ix, v, shape, ix, w, shape, make([]int32, 3), d); !r[0].IsNil() || dst[0] != 1 {
			t.Errorf("%v: %v %v", f.Type(), dst, r[0])
		}
	}
}

// pair returns a slice of the type s with two different elements.
func pair(s reflect.Type) reflect.Value {
	v := reflect.MakeSlice(s, 2, 2)
	for i := range 2 {
		switch e := v.Index(i); {
		case e.CanInt():
			e.SetInt(int64(i + 1))
		case e.CanUint():
			e.SetUint(uint64(i + 1))
		case e.CanFloat():
			e.SetFloat(float64(i + 1))
		case e.CanComplex():
			e.SetComplex(complex(float64(i+1), 0))
		case e.Kind() == reflect.Bool:
			e.SetBool(i == 1)
		default:
			e.SetString(fmt.Sprint(i))
		}
	}
	return v
}

func call(f reflect.Value, args ...any) []reflect.Value {
	in := make([]reflect.Value, len(args))
	for i, a := range args {
		if v, ok := a.(reflect.Value); ok {
			in[i] = v
		} else {
			in[i] = reflect.ValueOf(a)
		}
	}
	return f.Call(in)
}

func TestDistance(t *testing.T) {
	hi, hv := []int64{0, 0, 0, 1, 2, 0}, []int32{1, 2, 3}
	ti, tv := []int64{0, 0, 1, 0, 1, 1}, []int32{1, 5, 6}
	hs, ts := []int64{3, 2}, []int64{2, 2}
	inf := float32(math.Inf(1))
	for _, n := range []bool{false, true} {
		p := DistanceParams{3, 2, 3, 2, n}
		dst := make([]float32, 3)
		if err := DistanceI32(nil, dst, hi, hv, hs, ti, tv, ts, make([]int32, 4), p); err != nil {
			t.Fatal(err)
		}
		want := []float32{1, 2, 1}
		if n {
			want = []float32{1, 1, inf}
		}
		if !reflect.DeepEqual(dst, want) {
			t.Errorf("%v, want %v", dst, want)
		}
	}
	p := DistanceParams{1, 2, 1, 2, false}
	code(t, "outside", DistanceI32(nil, make([]float32, 1), []int64{7, 0}, hv[:1], []int64{1, 2}, []int64{7, 0}, tv[:1], []int64{1, 2}, make([]int32, 2), p), tensor.Internal)
	if n := DistanceDim(hs, ts, 0); n != 3 {
		t.Error(n)
	}
	for name, c := range map[string]struct {
		hs, ts []int64
		hn, tn int
		p      DistanceParams
		want   tensor.Code
	}{
		"good":               {hs, ts, 1, 1, p, 0},
		"length":             {hs, []int64{1, 2, 3}, 1, 1, p, bad},
		"rank":               {[]int64{1}, []int64{1}, 1, 1, DistanceParams{1, 1, 1, 1, false}, bad},
		"number":             {hs, ts, 2, 1, p, bad},
		"negative":           {[]int64{-1, 2}, ts, 1, 1, p, bad},
		"countless":          {[]int64{1 << 40, 1 << 40}, ts, 1, 1, p, bad},
		"no groups":          {[]int64{0, 2}, []int64{0, 2}, 1, 1, p, bad},
		"countless together": {[]int64{1 << 40, 1, 1}, []int64{1, 1 << 40, 1}, 1, 1, DistanceParams{1, 3, 1, 3, false}, bad},
	} {
		code(t, name, DistanceCheck(c.hs, c.ts, c.hn, c.tn, c.p), c.want)
	}
}

// TestDistanceEnds checks that computing the distance of two long sequences stops when the run is
// cancelled.
func TestDistanceEnds(t *testing.T) {
	const n = 1000
	at := make([]int64, 2*n)
	for i := range n {
		at[2*i+1] = int64(i)
	}
	typed.Ends(t, "distance", []any{DistanceF32, DistanceF16, DistanceU8, DistanceI64, DistanceC128, DistanceBool, DistanceStr},
		typed.Out(1), at, typed.Seq(0, n), []int64{1, n}, at, typed.Seq(1, n), []int64{1, n}, typed.Out(n+1), DistanceParams{n, 2, n, 2, false})
}
