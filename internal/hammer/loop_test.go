//go:build emitted

package hammer

import (
	"fmt"
	"math"

	"github.com/graphc/graphc/rt/tensor"
)

// looped is the result of the loop x = tanh(1.5x) + 0.1, with bounds on the error of a computation
// in float32. Each iteration multiplies the error of x by the slope of tanh(1.5x). Near 0, this
// slope is 1.5. There, a few iterations make the error much larger than a rounding error.
type looped struct{ written, slope, sum bounded }

type bounded struct{ want, off []float64 }

// smallest is the least normal float32: smaller numbers may become 0 in the computation.
const smallest = 0x1p-126

// rounding is a bound on the rounding errors of one iteration, which computes a product, a tanh and
// a sum. The numbers are near 1.
const rounding = 5e-7

func loopOf(seed []float32, turns int) (l looped) {
	x, off := make([]float64, len(seed)), make([]float64, len(seed))
	slope, rel := make([]float64, len(seed)), make([]float64, len(seed))
	for i, v := range seed {
		x[i], slope[i] = float64(v), 1
	}
	var sum, sumOff float64
	for range turns {
		for i := range x {
			t := math.Tanh(1.5 * x[i])
			flat := 1 - t*t
			tOff := 1.5*flat*off[i] + rounding
			slope[i] *= 1.5 * flat
			rel[i] += 2*math.Abs(t)*tOff/flat + rounding
			x[i], off[i] = t+0.1, tOff
			sum += x[i]
			sumOff += off[i] + rounding*math.Abs(sum)
		}
		l.written.want = append(l.written.want, x...)
		l.written.off = append(l.written.off, off...)
	}
	l.slope.want = slope
	for i, r := range rel {
		l.slope.off = append(l.slope.off, slope[i]*r)
	}
	l.sum = bounded{[]float64{sum}, []float64{sumOff}}
	return l
}

// check compares results of a loop with the expected ones. Errors begin with the parameter what.
func (b *bounded) check(what string, got tensor.Of[float32]) error {
	if len(got.Data) != len(b.want) {
		return fmt.Errorf("%s of a loop: %v, want %v", what, got, b.want)
	}
	for i, v := range got.Data {
		if off := 2*b.off[i] + smallest; !(math.Abs(float64(v)-b.want[i]) <= off) {
			return fmt.Errorf("%s of a loop: element %d is %v, want %v, to within %v", what, i, v, b.want[i], off)
		}
	}
	return nil
}
