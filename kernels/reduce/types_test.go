package reduce

import (
	"math"
	"reflect"
	"testing"

	"github.com/graphc/graphc/kernels/internal/typed"
	"github.com/graphc/graphc/rt/tensor"
)

//go:generate go run -C ../_gen ./wrappers -dir ../reduce

// TestTypes runs every kernel at every type.
func TestTypes(t *testing.T) {
	f, out := typed.F, typed.Out
	w := func(xs ...float64) typed.Wants { return typed.Wants{Outs: []typed.E{f(xs...)}} }
	scratch := typed.Seq(50, 8)
	columns, rows := Dims{N: 3, D: [MaxDims]int{2, 3, 2}}, Dims{N: 2, D: [MaxDims]int{2, 3}}
	inColumns, inRows := f(1, 6, 3, 2, 5, 4, 2, 1, 1, 3, 3, 2), f(1, 6, 2, 2, 5, 2)
	for name, c := range map[string]struct{ columns, rows []float64 }{
		"Sum":  {[]float64{9, 12, 6, 6}, []float64{9, 9}},
		"Mean": {[]float64{3, 4, 2, 2}, []float64{3, 3}},
		"Prod": {[]float64{15, 48, 6, 6}, []float64{12, 20}},
		"Max":  {[]float64{5, 6, 3, 3}, []float64{6, 5}},
		"Min":  {[]float64{1, 2, 1, 1}, []float64{1, 2}},
	} {
		typed.Check(t, "columns", wrappers[name], w(c.columns...), out(4), inColumns, columns, scratch)
		typed.Check(t, "rows", wrappers[name], w(c.rows...), out(2), inRows, rows, scratch)
	}
	typed.Check(t, "columns", wrappers["EuclideanNorm"], w(7, 3, 9, 9), out(4), f(2, 1, 3, 2, 6, 2, 1, 4, 4, 4, 8, 7), columns, scratch)
	typed.Check(t, "rows", wrappers["EuclideanNorm"], w(7, 9), out(2), f(2, 3, 6, 1, 4, 8), rows, scratch)
	typed.Check(t, "of 3 and 4i", typed.Only(wrappers["EuclideanNorm"], func(name string) bool { return name[len(name)-3] == 'C' || name[len(name)-4] == 'C' }), w(5), out(1), typed.E{3, 4i}, Dims{N: 2, D: [MaxDims]int{1, 2}}, scratch)

	// A reduction of no elements gives the neutral element. For means, it gives NaN, or 0 in types
	// without NaN.
	none := Dims{N: 2, D: [MaxDims]int{2, 0}}
	typed.Check(t, "of nothing", wrappers["Sum"], w(0, 0), out(2), f(), none, scratch)
	typed.Check(t, "of nothing", wrappers["Prod"], w(1, 1), out(2), f(), none, scratch)
	for _, k := range wrappers["Mean"] {
		want := 0.0
		if e := reflect.TypeOf(k).In(0).Elem(); typed.Digits(e) > 0 && !typed.IsComplex(e) {
			want = math.NaN()
		}
		typed.Check(t, "of nothing", []any{k}, w(want, want), out(2), f(), none, scratch)
	}
	// For a sum of squares that wraps below 0, the result is what converting NaN to the type gives.
	for name, c := range map[string][2]float64{"EuclideanNormI8": {12, 0}, "EuclideanNormI16": {182, 0}, "EuclideanNormI32": {46341, math.MinInt32}, "EuclideanNormI64": {3037000500, math.MinInt64}} {
		typed.Check(t, "beyond the type", typed.Only(wrappers["EuclideanNorm"], func(n string) bool { return n == name }), w(c[1]), out(1), f(c[0]), Dims{N: 2, D: [MaxDims]int{1, 1}}, scratch)
	}

	typed.Check(t, "numbers", wrappers["L2Loss"], w(7), out(1), f(1, 2, 3))
	in := f(1, 2, 3, 4, 2, 1)
	for _, c := range []struct {
		p         Scan
		sum, prod []float64
	}{
		{Scan{Outer: 1, N: 3, Inner: 2}, []float64{1, 2, 4, 6, 6, 7}, []float64{1, 2, 3, 8, 6, 8}},
		{Scan{Outer: 1, N: 3, Inner: 2, Exclusive: true}, []float64{0, 0, 1, 2, 4, 6}, []float64{1, 1, 1, 2, 3, 8}},
		{Scan{Outer: 2, N: 3, Inner: 1, Reverse: true}, []float64{6, 5, 3, 7, 3, 1}, []float64{6, 6, 3, 8, 2, 1}},
		{Scan{Outer: 1, N: 3, Inner: 2, Exclusive: true, Reverse: true}, []float64{5, 5, 2, 1, 0, 0}, []float64{6, 4, 2, 1, 1, 1}},
	} {
		typed.Check(t, "scan", wrappers["Cumsum"], w(c.sum...), out(6), in, c.p)
		typed.Check(t, "scan", wrappers["Cumprod"], w(c.prod...), out(6), in, c.p)
	}
	typed.Close(t, "scan", wrappers["CumulativeLogsumexp"], 1, w(0, math.Ln2, math.Log(3)), out(3), f(0, 0, 0), Scan{Outer: 1, N: 3, Inner: 1})
	typed.Check(t, "of -Inf", wrappers["CumulativeLogsumexp"], w(math.Inf(-1), 2), out(2), f(math.Inf(-1), 2), Scan{Outer: 1, N: 2, Inner: 1})

	for _, p := range []Axis{{1, 3, 2}, {2, 3, 1}} {
		most, least, numbers, truths := w(1, 0), w(0, 1), f(1, 6, 3, 2, 2, 4), f(0, 1, 1, 0, 1, 1)
		if p.Outer == 2 {
			numbers, truths = f(1, 3, 2, 6, 2, 4), f(0, 1, 1, 1, 0, 1)
		}
		typed.Check(t, "positions", typed.Except(wrappers["ArgMax"], "Bool"), most, out(2), numbers, p)
		typed.Check(t, "positions", typed.Except(wrappers["ArgMin"], "Bool"), least, out(2), numbers, p)
		typed.Check(t, "positions", []any{ArgMaxBool}, most, out(2), truths, p)
		typed.Check(t, "positions", []any{ArgMinBool}, least, out(2), truths, p)
		typed.Check(t, "among equals", append(append([]any{}, wrappers["ArgMax"]...), wrappers["ArgMin"]...), w(0, 0), out(2), f(1, 1, 1, 1, 1, 1), p)
	}
	lowest := []any{ArgMaxF32, ArgMaxF64, ArgMaxF16, ArgMaxBF16}
	typed.Check(t, "NaN is passed over", lowest, w(2), out(1), f(math.NaN(), math.Inf(-1), 1, math.NaN()), Axis{1, 4, 1})
	typed.Check(t, "only -Inf", lowest, w(0, 0), out(2), f(math.Inf(-1), math.NaN(), math.Inf(-1), math.Inf(-1)), Axis{1, 2, 2})
}

// TestAxes checks shapes reduced over axes that are known only at run time.
func TestAxes(t *testing.T) {
	f, dims := typed.F, []int{2, 3, 4}
	for _, c := range []struct {
		name, want string
		args       []any
	}{
		{"Around", "2 3 4", []any{f(1), dims}}, {"Around", "1 2 12", []any{f(-3), dims}}, {"Around", "6 4 1", []any{f(2), dims}},
		{"Left", "3", []any{f(-1), dims, 1}}, {"Left", "3", []any{f(0), dims, 0}}, {"Left", "4", []any{f(1), dims, 1}},
		{"Kept", "4", []any{f(1), dims, 1}}, {"Kept", "3", []any{f(0, -1), dims, 0}}, {"Kept", "2", []any{f(), dims, 0}},
		{"Split", "1 4", []any{f(-1), dims, 2}}, {"Split", "2 1", []any{f(-1), dims, 0}},
	} {
		typed.Check(t, "axes", wrappers[c.name], typed.Wants{Results: c.want}, c.args...)
	}
	for _, c := range []struct {
		name string
		code tensor.Code
		args []any
	}{
		{"Around", tensor.InvalidArgument, []any{f(3), dims}}, {"Around", tensor.InvalidArgument, []any{f(-4), dims}}, {"Around", tensor.InvalidArgument, []any{f(0, 1), dims}}, {"Around", tensor.InvalidArgument, []any{f(), dims}},
		{"Left", tensor.InvalidArgument, []any{f(3), dims, 0}}, {"Kept", tensor.InvalidArgument, []any{f(3), dims, 0}}, {"Kept", tensor.InvalidArgument, []any{f(1, -2), dims, 0}}, {"Kept", tensor.Internal, []any{f(0, 1, 2), dims, 0}},
		{"Split", tensor.InvalidArgument, []any{f(-4), dims, 0}}, {"Split", tensor.InvalidArgument, []any{f(0, 0), dims, 0}},
	} {
		typed.Fails(t, "axes", wrappers[c.name], c.code, c.args...)
	}
}
