package segment

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/graphc/graphc/kernels/internal/typed"
	"github.com/graphc/graphc/rt/tensor"
)

//go:generate go run -C ../_gen ./wrappers -dir ../segment

// TestTypes runs every kernel at every type.
func TestTypes(t *testing.T) {
	w := func(xs ...float64) typed.Wants { return typed.Wants{Outs: []typed.E{typed.F(xs...)}} }
	f, out := typed.F, typed.Out
	data := f(1, 6, 3, 2, 5, 4)
	for _, c := range []struct {
		name             string
		sorted, unsorted []float64
	}{
		{"Sum", []float64{4, 8, 0, 0, 5, 4}, []float64{5, 4, 4, 8}},
		{"Prod", []float64{3, 12, 1, 1, 5, 4}, []float64{5, 4, 3, 12}},
		{"Min", nil, []float64{5, 4, 1, 2}},
		{"Max", nil, []float64{5, 4, 3, 6}},
		{"Mean", []float64{2, 4, 0, 0, 5, 4}, nil},
	} {
		ks, us := wrappers[c.name], wrappers["Unsorted"+c.name]
		if c.sorted != nil {
			typed.Check(t, "with a gap", ks, w(c.sorted...), out(6), data, f(0, 0, 2), 3, 2)
		}
		if c.unsorted != nil {
			typed.Check(t, "without a gap", ks, w(c.unsorted[2], c.unsorted[3], c.unsorted[0], c.unsorted[1]), out(4), data, f(0, 0, 1), 2, 2)
			typed.Check(t, "in any order", us, w(c.unsorted...), out(4), data, f(1, 1, 0), 2, 2)
			typed.Check(t, "dropped", us, w(1, 6), out(2), data, f(0, -1, -2), 1, 2)
			typed.Fails(t, "outside", us, tensor.InvalidArgument, out(4), data, f(1, 2, 0), 2, 2)
		}
		typed.Fails(t, "outside", ks, tensor.InvalidArgument, out(4), data, f(0, 1, 2), 2, 2)
		typed.Fails(t, "negative", ks, tensor.InvalidArgument, out(4), data, f(-1, 1, 1), 2, 2)
		typed.Fails(t, "not sorted", ks, tensor.InvalidArgument, out(6), data, f(0, 2, 1), 3, 2)
		typed.Check(t, "nothing", ks, w(), out(0), f(), f(), 0, 2)
	}
	// A segment without rows gives the extremes of the type.
	for _, f := range append(append([]any{}, wrappers["UnsortedMin"]...), wrappers["UnsortedMax"]...) {
		typ := reflect.TypeOf(f).In(0).Elem()
		bits, signed := typed.Bits(typ)
		lo, hi := 0.0, math.Ldexp(1, bits)-1
		switch {
		case typ == reflect.TypeFor[tensor.F16]():
			hi, lo = 65504, -65504
		case typ == reflect.TypeFor[tensor.BF16]():
			hi, lo = 0x1.fep127, -0x1.fep127
		case typ.Kind() == reflect.Float32:
			hi, lo = math.MaxFloat32, -math.MaxFloat32
		case typ.Kind() == reflect.Float64:
			hi, lo = math.MaxFloat64, -math.MaxFloat64
		case signed:
			hi, lo = math.Ldexp(1, bits-1)-1, -math.Ldexp(1, bits-1)
		}
		want := hi
		if typed.Name(f)[:11] == "UnsortedMax" {
			want = lo
		}
		outs, _ := typed.Call(f, out(1), typed.F(5), typed.F(-1), 1, 1)
		if got := real(typed.Get(outs[0].Index(0))); got != want {
			t.Errorf("%s of an empty segment is %v, want %v", typed.Name(f), got, want)
		}
	}
	typed.Check(t, "rows", wrappers["Rows"], typed.Wants{Results: "4"}, f(0, 1, 3))
	typed.Check(t, "no rows", wrappers["Rows"], typed.Wants{Results: "0"}, f())
	typed.Fails(t, "negative", wrappers["Rows"], tensor.InvalidArgument, f(0, -1))
	typed.Check(t, "numbers", wrappers["Widen"], w(0, -3, 7), out(3), f(0, -3, 7))

	table := typed.Seq(0, 12)
	for _, c := range []struct {
		scale Scale
		want  []float64
	}{
		{Sum, []float64{8, 10, 12, 14, 0, 0, 0, 0, 16, 20, 24, 28}},
		{Mean, []float64{4, 5, 6, 7, 0, 0, 0, 0, 4, 5, 6, 7}},
		{SqrtN, []float64{8 / math.Sqrt2, 10 / math.Sqrt2, 12 / math.Sqrt2, 14 / math.Sqrt2, 0, 0, 0, 0, 8, 10, 12, 14}},
	} {
		p := SparseParams{Limit: 3, Inner: 4, Rows: 3, Scale: c.scale}
		ix, ids := f(2, 0, 1, 1, 1, 1), f(0, 0, 2, 2, 2, 2)
		ks := wrappers["Sparse"]
		if c.scale == SqrtN {
			ks = typed.Only(ks, func(n string) bool { return strings.HasPrefix(n, "SparseF") || strings.HasPrefix(n, "SparseBF") })
		}
		typed.Close(t, "rows", ks, 1, w(c.want...), out(12), table, ix, ids, p)
		typed.Fails(t, "row outside", wrappers["Sparse"], tensor.InvalidArgument, out(12), table, f(2, 3), f(0, 0), p)
		typed.Fails(t, "not sorted", wrappers["Sparse"], tensor.InvalidArgument, out(12), table, f(2, 0), f(1, 0), p)
		d := c.scale.divisor(4)
		typed.Close(t, "gradient", wrappers["SparseGrad"], 2, typed.Wants{Outs: []typed.E{f(0, 0, 8/d, 16/d, 0, 0)}}, out(6), f(2, 4, 7, 7), f(1, 1, 1, 1), f(0, 0, 0, 0), make([]int64, 2), SparseParams{Limit: 3, Inner: 2, Rows: 2, Scale: c.scale})
		typed.Fails(t, "segment outside", wrappers["SparseGrad"], tensor.InvalidArgument, out(6), f(2, 4, 7, 7), f(1), f(2), make([]int64, 2), SparseParams{Limit: 3, Inner: 2, Rows: 2})
		typed.Fails(t, "row outside", wrappers["SparseGrad"], tensor.InvalidArgument, out(6), f(2, 4, 7, 7), f(3), f(1), make([]int64, 2), SparseParams{Limit: 3, Inner: 2, Rows: 2})
	}
}
