package softmax

import (
	"math"

	"github.com/graphc/graphc/rt/tensor"
)

// Entropy describes a cross entropy of features and labels. After broadcasting, both are matrices
// of Rows by Cols. FRows by FCols is the size of the features before broadcasting, and LRows by
// LCols that of the labels. A dimension of 1 is repeated.
type Entropy struct{ Rows, Cols, FRows, FCols, LRows, LCols int }

// stride returns the distance between neighbouring elements along a dimension of the size dim. This
// distance is n, but 0 for a dimension of size 1, because its element is repeated.
func stride(dim, n int) int {
	if dim == 1 {
		return 0
	}
	return n
}

// crossEntropy computes the loss and the gradient of each row. For a row x of features and the row
// y of labels, it sets
//
//	loss = Σ y · (log(Σ e^x) - x)    back = softmax(x) - y
func crossEntropy[T any](loss, back, features, labels []T, p Entropy, get func(T) float64, put func(float64) T) {
	fr, fc := stride(p.FRows, p.FCols), stride(p.FCols, 1)
	lr, lc := stride(p.LRows, p.LCols), stride(p.LCols, 1)
	for r := range p.Rows {
		f, l := features[r*fr:], labels[r*lr:]
		m := math.Inf(-1)
		for c := range p.Cols {
			m = max(m, get(f[c*fc]))
		}
		sum := 0.0
		for c := range p.Cols {
			sum += math.Exp(get(f[c*fc]) - m)
		}
		log, total := math.Log(sum), 0.0
		for c := range p.Cols {
			x, y := get(f[c*fc])-m, get(l[c*lc])
			total += float64(y * (log - x))
			back[r*p.Cols+c] = put(math.Exp(x)/sum - y)
		}
		loss[r] = put(total)
	}
}

// sparseCrossEntropy does the same as crossEntropy if every row of labels has a single 1 and
// otherwise zeros. Element r of the parameter labels is the position of the 1 in row r. A row of
// features has cols elements.
func sparseCrossEntropy[T any, L int32 | int64](loss, back, features []T, labels []L, cols int, get func(T) float64, put func(float64) T) error {
	if cols == 0 && len(labels) > 0 {
		return tensor.Errorf(tensor.InvalidArgument, "Must have at least one class")
	}
	for _, l := range labels {
		if l < 0 || int64(l) >= int64(cols) {
			return tensor.Errorf(tensor.InvalidArgument, "Received a label value of %d which is outside the valid range of [0, %d)", l, cols)
		}
	}
	for r, l := range labels {
		f, b := features[r*cols:][:cols], back[r*cols:][:cols]
		m := math.Inf(-1)
		for _, x := range f {
			m = max(m, get(x))
		}
		sum := 0.0
		for _, x := range f {
			sum += math.Exp(get(x) - m)
		}
		loss[r] = put(math.Log(sum) - (get(f[l]) - m))
		for c, x := range f {
			y := math.Exp(get(x)-m) / sum
			if c == int(l) {
				y--
			}
			b[c] = put(y)
		}
	}
	return nil
}

func getF32(x float32) float64 { return float64(x) }

func putF32(x float64) float32 { return float32(x) }

func same(x float64) float64 { return x }
