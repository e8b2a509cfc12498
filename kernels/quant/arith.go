package quant

import (
	"math"

	"github.com/graphc/graphc/rt/tensor"
)

func biasAdd[T int8 | uint8](z []int32, outLo, outHi []float32, x, bias []T, sx, sb span) {
	total := sum(sx, sb, 1<<17)
	outLo[0], outHi[0] = total.lo, total.hi
	if len(bias) == 0 {
		return
	}
	zero := nearest[int32](total, 0)
	rx, rb := newRule[T, int32](sx, total), newRule[T, int32](sb, total)
	for i := range z {
		z[i] = rx.convert(float32(x[i])) + (rb.convert(float32(bias[i%len(bias)])) + zero)
	}
}

// Arith describes the operands of Add and Mul. One operand has only Cycle elements, which are
// repeated. This operand is x if First is 1, and y if First is 0.
type Arith struct {
	Cycle int
	First int
}

// ArithRule returns the fields of Arith for operands of the shapes x and y. It returns
// InvalidArgument if the shapes do not broadcast. Three cases are supported: the shapes are equal,
// one operand is a single number, or the broadcast result consists of several copies of the whole
// smaller operand, one after the other. For other shapes that broadcast, ArithRule returns
// Unimplemented.
func ArithRule(x, y []int) (cycle, first int, err error) {
	if len(x) < len(y) {
		cycle, first, err = ArithRule(y, x)
		return cycle, 1 - first, err
	}
	nx, ny, n := 1, 1, 1
	runs, last := 0, 0
	for i, a := range x {
		b := 1
		if j := i - (len(x) - len(y)); j >= 0 {
			b = y[j]
		}
		if a != b && a != 1 && b != 1 {
			return 0, 0, tensor.Errorf(tensor.InvalidArgument, "shapes %v and %v do not broadcast", x, y)
		}
		nx, ny, n = nx*a, ny*b, n*a
		kind := 1
		if a == 1 && b != 1 {
			n, kind = n*b, 2
		} else if b == 1 && a != 1 {
			kind = 3
		}
		if (a != 1 || b != 1) && kind != last {
			runs, last = runs+1, kind
		}
	}
	switch {
	case runs <= 1 && nx == 1:
		return 1, 1, nil
	case runs <= 1:
		return max(ny, 1), 0, nil
	case runs > 2 || nx != n && ny != n:
		return 0, 0, tensor.Errorf(tensor.Unimplemented, "broadcasting %v against %v is not supported", x, y)
	case min(nx, ny) == 0:
		return 0, 0, tensor.Errorf(tensor.InvalidArgument, "an operand is empty: %v, %v", x, y)
	case nx < ny:
		return nx, 1, nil
	}
	return ny, 0, nil
}

func (p *Arith) at(i int) (x, y int) {
	if p.First == 1 {
		return i % p.Cycle, i
	}
	return i, i % p.Cycle
}

// line is a linear rule that converts bytes over one range to int32 numbers over another range. The
// byte q becomes first + q*step, limited to the range of int32. The two fields are computed from
// the int32 numbers that represent the same floats as the bytes 0 and 1.
type line struct{ first, step int64 }

func newLine(x, total span) line {
	zero, one := unclamped[int32](total, float(x, uint8(0))), unclamped[int32](total, float(x, uint8(1)))
	return line{zero, int64(int32(one - zero))}
}

func (l line) at(q uint8) int32 {
	return int32(min(max(l.first+int64(q)*l.step, math.MinInt32), math.MaxInt32))
}

// Add writes the sums z = x + y as int32 numbers, and stores the range that these numbers represent
// in outLo and outHi. It converts the elements of an operand by a linear rule. If an operand is a
// single number, this number is converted exactly instead. Add returns InvalidArgument if the lower
// end of a range is not less than its upper end.
func Add(z []int32, outLo, outHi []float32, x, y []uint8, loX, hiX, loY, hiY []float32, p Arith) error {
	sx, sy := spanOf(loX, hiX), spanOf(loY, hiY)
	if err := sx.must("x"); err != nil {
		return err
	}
	if err := sy.must("y"); err != nil {
		return err
	}
	total := sum(sx, sy, 1<<14)
	outLo[0], outHi[0] = total.lo, total.hi
	lx, ly := newLine(sx, total), newLine(sy, total)
	for i := range z {
		j, k := p.at(i)
		a, b := lx.at(x[j]), ly.at(y[k])
		if p.Cycle == 1 {
			if p.First == 1 {
				a = nearest[int32](total, float(sx, x[j]))
			} else {
				b = nearest[int32](total, float(sy, y[k]))
			}
		}
		z[i] = a + b
	}
	return nil
}

// Mul writes the products z = (x - zeroX)·(y - zeroY), where zeroX and zeroY are the integers that
// represent 0 in the ranges of x and y. It stores the range that the int32 numbers z represent in
// outLo and outHi. It returns InvalidArgument if the lower end of a range is not less than its
// upper end.
func Mul(z []int32, outLo, outHi []float32, x, y []uint8, loX, hiX, loY, hiY []float32, p Arith) error {
	sx, sy := spanOf(loX, hiX), spanOf(loY, hiY)
	if err := sx.must("x"); err != nil {
		return err
	}
	if err := sy.must("y"); err != nil {
		return err
	}
	r := product[uint8, uint8](sx, sy)
	outLo[0], outHi[0] = r.lo, r.hi
	zx, zy := int32(unclamped[uint8](sx, 0)), int32(unclamped[uint8](sy, 0))
	for i := range z {
		j, k := p.at(i)
		z[i] = (int32(x[j]) - zx) * (int32(y[k]) - zy)
	}
	return nil
}

// ClampU8 computes relu6, or relu if six is false: it limits each integer x from below to the
// integer that represents 0, and from above to the integer that represents 6 if six is set. It
// copies the range to outLo and outHi. y may be x.
func ClampU8(y []uint8, outLo, outHi []float32, x []uint8, lo, hi []float32, six bool) {
	clamp(y, x, spanOf(lo, hi), six)
	outLo[0], outHi[0] = lo[0], hi[0]
}

// ClampI32 is ClampU8 for i32.
func ClampI32(y []int32, outLo, outHi []float32, x []int32, lo, hi []float32, six bool) {
	clamp(y, x, spanOf(lo, hi), six)
	outLo[0], outHi[0] = lo[0], hi[0]
}

func clamp[T uint8 | int32](y, x []T, s span, six bool) {
	low, high := nearest[T](s, 0), nearest[T](s, 6)
	for i, v := range x {
		v = max(v, low)
		if six {
			v = min(v, high)
		}
		y[i] = v
	}
}

// CopyRange copies a range.
func CopyRange(outLo, outHi, lo, hi []float32) { outLo[0], outHi[0] = lo[0], hi[0] }
