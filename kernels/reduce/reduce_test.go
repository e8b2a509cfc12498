package reduce

import (
	"math"
	"math/big"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// reference returns, for each element of the result, the offsets of the elements that are reduced
// to it.
func reference(d Dims) (out [][]int) {
	out = [][]int{{0}}
	for i := range d.N {
		var next [][]int
		for _, offs := range out {
			if i%2 == 0 {
				for k := range d.D[i] {
					var o []int
					for _, x := range offs {
						o = append(o, x*d.D[i]+k)
					}
					next = append(next, o)
				}
				continue
			}
			var o []int
			for _, x := range offs {
				for k := range d.D[i] {
					o = append(o, x*d.D[i]+k)
				}
			}
			next = append(next, o)
		}
		out = next
	}
	return out
}

func dims(d ...int) Dims {
	r := Dims{N: len(d)}
	copy(r.D[:], d)
	return r
}

var cases = []Dims{
	dims(1), dims(7), dims(1, 9), dims(4, 5), dims(1, 5, 3), dims(2, 3, 4), dims(2, 3, 2, 3), dims(1, 2, 3, 4, 5), dims(2, 1, 3, 4), dims(1, 1, 1, 6),
	dims(3, 0), dims(1, 0, 4), dims(0, 3), dims(0, 3, 2), dims(2, 3, 0), dims(1, 3, 1100), dims(2, 1, 1, 1, 3, 1), dims(2, 2, 2, 2, 2, 2, 2, 2),
}

// TestReduce runs reductions of floats, halves, integers and bools for each shape in the table cases,
// and compares the results with those of the function reference.
func TestReduce(t *testing.T) {
	for _, d := range cases {
		n := 1
		for _, k := range d.D[:d.N] {
			n *= k
		}
		x, y, h, b := make([]float32, n), make([]int8, n), make([]tensor.F16, n), make([]bool, n)
		for i := range x {
			x[i] = float32(i%13) - 6
			y[i] = int8(i * 7)
			h[i] = tensor.ToF16(x[i])
			b[i] = i%5 == 0
		}
		ref := reference(d)
		m := len(ref)
		if n == 0 && d.D[0] == 0 {
			m = 0
		}
		sum, mx, mean, any := make([]float32, m), make([]float32, m), make([]float32, m), make([]bool, m)
		sum8, mean8, sum16 := make([]int8, m), make([]int8, m), make([]tensor.F16, m)
		acc := make([]float64, 5)
		SumF32(sum, x, d, acc)
		MeanF32(mean, x, d, acc)
		MaxF32(mx, x, d, make([]float32, 5))
		SumF16(sum16, h, d, acc)
		SumI8(sum8, y, d, make([]int8, 5))
		MeanI8(mean8, y, d, make([]int64, 5))
		AnyBool(any, b, d, make([]bool, 5))
		for o := range m {
			s, w, i8, is, an := 0.0, math.Inf(-1), int8(0), 0, false
			for _, k := range ref[o] {
				s += float64(x[k])
				w = max(w, float64(x[k]))
				i8 += y[k]
				is += int(y[k])
				an = an || b[k]
			}
			c := len(ref[o])
			wantMean, wantMean8 := float32(s/float64(c)), int8(0)
			if c > 0 {
				wantMean8 = int8(is / c)
			}
			if sum[o] != float32(s) || mx[o] != float32(w) || mean[o] != wantMean && c > 0 || c == 0 && mean[o] == mean[o] ||
				sum16[o].Float32() != float32(s) || sum8[o] != i8 || mean8[o] != wantMean8 || any[o] != an {
				t.Fatalf("%v: result %d: sum %v of %v, max %v of %v, mean %v of %v, f16 sum %v, i8 sum %v of %v, i8 mean %v of %v, any %v of %v",
					d, o, sum[o], s, mx[o], w, mean[o], wantMean, sum16[o].Float32(), sum8[o], i8, mean8[o], wantMean8, any[o], an)
			}
		}
	}
}

// TestSumAccuracy sums numbers whose sum in float32 is inaccurate.
func TestSumAccuracy(t *testing.T) {
	const n = 100000
	x := make([]float32, n)
	exact := new(big.Float).SetPrec(200)
	for i := range x {
		x[i] = 1 + float32(i%1000)*1e-7
		if i == 0 {
			x[i] = 1e8
		}
		exact.Add(exact, big.NewFloat(float64(x[i])))
	}
	want, _ := exact.Float32()
	for _, d := range []Dims{dims(1, n), dims(1, n, 1)} {
		got := []float32{0}
		SumF32(got, x, d, make([]float64, 1))
		if got[0] != want {
			t.Errorf("%v: %v, want %v", d, got[0], want)
		}
	}
}

// TestCorners checks reductions of no elements, a NaN among the elements, overflows, and Euclidean
// norms.
func TestCorners(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	f32 := func(k func(dst, src []float32, d Dims, acc []float32), x ...float32) float32 {
		d := []float32{0}
		k(d, x, dims(1, len(x)), make([]float32, 1))
		return d[0]
	}
	if got := f32(MaxF32); got != -inf {
		t.Errorf("max of no elements: %v", got)
	}
	if got := f32(MinF32, 1, nan, 0); got == got {
		t.Errorf("min with NaN: %v", got)
	}
	if got := f32(ProdF32, 1e30, 1e30, 1e-30); got != inf {
		t.Errorf("product that overflows on the way: %v", got)
	}
	u := []uint8{0}
	if MinU8(u, nil, dims(1, 0), []uint8{0}); u[0] != 255 {
		t.Errorf("min of no uint8: %v", u)
	}
	n := []int32{0}
	if EuclideanNormI32(n, []int32{3, 4, 5}, dims(1, 3), []int32{0}); n[0] != 7 {
		t.Errorf("norm of 3, 4, 5: %v", n)
	}
	h := []tensor.F16{0}
	if EuclideanNormF16(h, []tensor.F16{tensor.ToF16(300), 0}, dims(1, 2), []float64{0}); h[0] != 0x7c00 {
		t.Errorf("norm whose square overflows: %v", h[0].Float32())
	}
	m := []int64{0}
	if MeanI64(m, []int64{math.MaxInt64, math.MaxInt64}, dims(1, 2), []int64{0}); m[0] != -1 {
		t.Errorf("mean that wraps: %v", m)
	}
}

// TestArg checks ties, NaN, infinities and the axis in the middle.
func TestArg(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, c := range []struct {
		x        []float32
		max, min int64
	}{
		{[]float32{1, 3, 3, 0, 0}, 1, 3}, {[]float32{nan, 1, nan, 2, 2}, 3, 1}, {[]float32{nan, nan}, 0, 0}, {[]float32{-inf, -inf}, 0, 0}, {[]float32{inf, inf}, 0, 0}, {[]float32{-1, inf}, 1, 0},
	} {
		p := Axis{1, len(c.x), 1}
		h := make([]tensor.F16, len(c.x))
		for i, v := range c.x {
			h[i] = tensor.ToF16(v)
		}
		a, b, ha, hb := []int64{-1}, []int64{-1}, []int64{-1}, []int64{-1}
		ArgMaxF32(a, c.x, p)
		ArgMinF32(b, c.x, p)
		ArgMaxF16(ha, h, p)
		ArgMinF16(hb, h, p)
		if a[0] != c.max || ha[0] != c.max || hb[0] != c.min {
			t.Errorf("%v: largest at %d and %d, want %d; smallest at %d and %d, want %d", c.x, a[0], ha[0], c.max, b[0], hb[0], c.min)
		}
	}
	at := make([]int64, 4)
	ArgMinI32(at, []int32{5, 1, 2, 3, 9, 8, 7, 6, 5, 4, 3, 2}, Axis{2, 3, 2})
	if want := [4]int64{1, 0, 2, 2}; [4]int64(at) != want {
		t.Errorf("middle axis: %v, want %v", at, want)
	}
}

// TestScan checks running sums along a middle axis, in place, for all combinations of Exclusive and
// Reverse.
func TestScan(t *testing.T) {
	src := []int32{1, 10, 2, 20, 3, 30}
	for _, c := range []struct {
		exclusive, reverse bool
		want               [6]int32
	}{
		{false, false, [6]int32{1, 10, 3, 30, 6, 60}}, {true, false, [6]int32{0, 0, 1, 10, 3, 30}},
		{false, true, [6]int32{6, 60, 5, 50, 3, 30}}, {true, true, [6]int32{5, 50, 3, 30, 0, 0}},
	} {
		p := Scan{Outer: 1, N: 3, Inner: 2, Exclusive: c.exclusive, Reverse: c.reverse}
		dst := append([]int32{}, src...)
		CumsumI32(dst, dst, p)
		if [6]int32(dst) != c.want {
			t.Errorf("%+v: %v, want %v", p, dst, c.want)
		}
	}
	d := make([]float32, 3)
	CumulativeLogsumexpF32(d, []float32{1, 2, 3}, Scan{Outer: 1, N: 3, Inner: 1, Exclusive: true})
	if !math.IsInf(float64(d[0]), -1) || d[1] != 1 || math.Abs(float64(d[2])-2.3132617) > 1e-6 {
		t.Errorf("exclusive log-sum-exp: %v", d)
	}
}

// TestOpenAxes checks axes that are known only at run time.
func TestOpenAxes(t *testing.T) {
	shape := []int{2, 3, 5}
	if k, r, err := SplitI32([]int32{-2}, shape, 1); err != nil || k != 1 || r != 3 {
		t.Errorf("dimension 1 of -2: %d, %d, %v", k, r, err)
	}
	if n, err := KeptI64([]int64{0, -1}, shape, 0); err != nil || n != 3 {
		t.Errorf("what 0 and -1 leave: %d, %v", n, err)
	}
	for _, axes := range [][]int32{{3}, {-4}, {0, -3}} {
		if _, _, err := SplitI32(axes, shape, 0); tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("%v: %v", axes, err)
		}
	}
}
