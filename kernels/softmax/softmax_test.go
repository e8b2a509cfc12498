package softmax

import (
	"math"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// exact returns the softmax of x and log(Σ e^x), computed in float64.
func exact(x []float32) (p []float64, log float64) {
	m, sum := math.Inf(-1), 0.0
	for _, v := range x {
		m = max(m, float64(v))
	}
	for _, v := range x {
		sum += math.Exp(float64(v) - m)
	}
	for _, v := range x {
		p = append(p, math.Exp(float64(v)-m)/sum)
	}
	return p, m + math.Log(sum)
}

// TestRows compares the results for all types with float64, for row lengths from 1 to 69.
func TestRows(t *testing.T) {
	for n := 1; n < 70; n++ {
		const rows = 3
		x, d := make([]float32, rows*n), make([]float64, rows*n)
		h := make([]tensor.F16, rows*n)
		for i := range x {
			x[i] = float32(i*37%101)/8 - 5
			d[i] = float64(x[i])
			h[i] = tensor.ToF16(x[i])
		}
		s, l := make([]float32, len(x)), append([]float32{}, x...)
		SoftmaxF32(s, x, n)
		LogSoftmaxF32(l, l, n)
		SoftmaxF64(d, d, n)
		SoftmaxF16(h, h, n)
		for r := range rows {
			p, log := exact(x[r*n:][:n])
			for i, want := range p {
				k := r*n + i
				if math.Abs(float64(s[k])-want) > 3e-7*want || math.Abs(d[k]-want) > 1e-14 || math.Abs(float64(h[k].Float32())-want) > 1e-3*want+1e-7 {
					t.Fatalf("row of %d, element %d: %v, %v, %v, want %v", n, i, s[k], d[k], h[k].Float32(), want)
				}
				if w := float64(x[k]) - log; math.Abs(float64(l[k])-w) > 1e-6*math.Abs(w)+1e-7 {
					t.Fatalf("row of %d, element %d: logarithm %v, want %v", n, i, l[k], w)
				}
			}
		}
	}
}

// TestExtremes checks -Inf, NaN, large numbers and empty inputs.
func TestExtremes(t *testing.T) {
	inf := float32(math.Inf(1))
	x := []float32{-inf, 0, -200, 1e30, 1e30, -inf, -inf, -inf, -inf}
	SoftmaxF32(x, x, 3)
	for i, want := range []float32{0, 1, 0, 0.5, 0.5, 0} {
		if x[i] != want {
			t.Errorf("element %d is %v, want %v", i, x[i], want)
		}
	}
	if x[6] == x[6] {
		t.Errorf("a row of -Inf gives %v", x[6:])
	}
	SoftmaxF32(nil, nil, 0)
	LogSoftmaxF64(nil, nil, 3)
}

// TestCrossEntropy checks the loss and the gradient. It compares the results for sparse labels with
// those for dense labels. It also checks features of one row that are used for all rows of labels,
// and labels that are out of range.
func TestCrossEntropy(t *testing.T) {
	f := []float32{1, 3, 2, 0, -1, 5}
	y := []float32{1, 0, 0, 0, 1, 0}
	loss, back := make([]float32, 2), make([]float32, 6)
	CrossEntropyF32(loss, back, f, y, Entropy{2, 3, 2, 3, 2, 3})
	sl, sb := make([]float32, 2), make([]float32, 6)
	if err := SparseCrossEntropyF32I64(sl, sb, f, []int64{0, 1}, 3); err != nil {
		t.Fatal(err)
	}
	for r := range 2 {
		p, log := exact(f[r*3:][:3])
		label := r
		if want := log - float64(f[r*3+label]); math.Abs(float64(loss[r])-want) > 1e-6 || loss[r] != sl[r] {
			t.Errorf("row %d: loss %v and %v, want %v", r, loss[r], sl[r], want)
		}
		for c := range 3 {
			want := p[c] - float64(y[r*3+c])
			if math.Abs(float64(back[r*3+c])-want) > 1e-6 || back[r*3+c] != sb[r*3+c] {
				t.Errorf("row %d: gradient %v and %v, want %v", r, back[r*3+c], sb[r*3+c], want)
			}
		}
	}
	CrossEntropyF32(loss, back, f[:3], y, Entropy{2, 3, 1, 3, 2, 3})
	if math.Abs(float64(loss[0])-2.4076061) > 1e-6 || math.Abs(float64(loss[1])-0.40760604) > 1e-6 {
		t.Errorf("features that repeat: %v", loss)
	}
	for _, l := range []int32{-1, 3} {
		if err := SparseCrossEntropyF32I32(sl[:1], sb[:3], f[:3], []int32{l}, 3); tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("label %d: %v", l, err)
		}
	}
}
