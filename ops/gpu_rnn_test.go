package ops_test

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/graphc/graphc/internal/opstest"
	"github.com/graphc/graphc/rt/tensor"
)

// randomNumbers are numbers between -1 and 1.
func randomNumbers(d tensor.DType, seed uint64, dims []int) *tensor.Tensor {
	x := shaped(d, seed, dims...)
	r := rand.New(rand.NewPCG(seed, 11))
	v := reflect.ValueOf(x.Data)
	for i := range v.Len() {
		re, im := 2*r.Float64()-1, 2*r.Float64()-1
		if e := v.Index(i); e.CanComplex() {
			e.SetComplex(complex(re, im))
		} else {
			set(e, d, re, r)
		}
	}
	return x
}

// compareNear compares numbers. NaN equals NaN, and infinities equal themselves.
func compareNear(t *testing.T, what string, want, got *tensor.Tensor, tol float64) {
	t.Helper()
	nan := func(x complex128) bool { return math.IsNaN(real(x)) || math.IsNaN(imag(x)) }
	for i := range want.Len() {
		w, g := number(want, i), number(got, i)
		if w == g || nan(w) && nan(g) {
			continue
		}
		if d := cmplx.Abs(w - g); !(d <= tol*max(1, cmplx.Abs(w))) || cmplx.IsInf(w) {
			t.Fatalf("%s: element %d of %d is %v, want %v", what, i, want.Len(), g, w)
		}
	}
}

// checkOnGPU runs nodes on a simulated GPU, with sizes known and unknown at compile time.
func checkOnGPU(t *testing.T, cases []deviceCase) {
	for _, c := range cases {
		for _, d := range c.types {
			for _, open := range []bool{false, true} {
				t.Run(fmt.Sprint(c.op, " ", d, " ", open), func(t *testing.T) { c.check(t, d, open) })
			}
		}
	}
}

func TestCellsOnGPU(t *testing.T) {
	f32, half := tensor.Float32, tensor.Half
	one := []tensor.DType{f32}
	long := func(n int64) *tensor.Tensor {
		return &tensor.Tensor{DType: tensor.Int64, Shape: tensor.Shape{}, Data: []int64{n}}
	}
	b, i, c, s := 3, 5, 2, 4
	bi, bc, w4, p, c4 := []int{b, i}, []int{b, c}, []int{i + c, 4 * c}, []int{c}, []int{4 * c}
	x, y := []int{s, b, i}, []int{s, b, c}
	var cases []deviceCase
	for _, d := range []struct {
		t   tensor.DType
		tol float64
	}{{f32, 2e-6}, {half, 6e-3}} {
		ts := []tensor.DType{d.t}
		for _, peep := range []bool{false, true} {
			a := opstest.Attrs("use_peephole", peep, "forget_bias", float32(0.5), "cell_clip", float32(0.75))
			none := opstest.Attrs("use_peephole", peep, "forget_bias", float32(0), "cell_clip", float32(-1))
			cases = append(cases,
				deviceCase{op: "LSTMBlockCell", outs: 7, types: ts, attrs: a, ins: []any{bi, bc, bc, w4, p, p, p, c4}, random: true, tol: d.tol},
				deviceCase{op: "BlockLSTM", outs: 7, types: ts, attrs: a, ins: []any{long(4), x, bc, bc, w4, p, p, p, c4}, random: true, tol: d.tol},
				deviceCase{op: "BlockLSTMV2", outs: 7, types: ts, attrs: none, ins: []any{long(3), x, bc, bc, w4, p, p, p, c4}, random: true, tol: d.tol},
				deviceCase{op: "LSTMBlockCellGrad", outs: 5, types: ts, attrs: a, ins: []any{bi, bc, bc, w4, p, p, p, c4, bc, bc, bc, bc, bc, bc, bc, bc}, random: true, tol: d.tol},
				deviceCase{op: "BlockLSTMGrad", outs: 8, types: ts, attrs: a, ins: []any{long(4), x, bc, bc, w4, p, p, p, c4, y, y, y, y, y, y, y, y, y}, random: true, tol: 4 * d.tol},
				deviceCase{op: "BlockLSTMGradV2", outs: 8, types: ts, attrs: none, ins: []any{long(1), x, bc, bc, w4, p, p, p, c4, y, y, y, y, y, y, y, y, y}, random: true, tol: 4 * d.tol},
				deviceCase{op: "BlockLSTMGradV2", outs: 8, types: ts, attrs: none, ins: []any{long(0), x, bc, bc, w4, p, p, p, c4, y, y, y, y, y, y, y, y, y}, random: true, tol: 4 * d.tol})
		}
	}
	w2, wc, c2 := []int{i + c, 2 * c}, []int{i + c, c}, []int{2 * c}
	checkOnGPU(t, append(cases,
		deviceCase{op: "GRUBlockCell", outs: 4, types: one, ins: []any{bi, bc, w2, wc, c2, p}, random: true, tol: 2e-6},
		deviceCase{op: "GRUBlockCellGrad", outs: 4, types: one, ins: []any{bi, bc, w2, wc, c2, p, bc, bc, bc, bc}, random: true, tol: 2e-6}))
}
