package scalar

import (
	"math"

	"github.com/graphc/graphc/rt/tensor"
)

// Eval computes the result of an Exact program for one item. The parameter ins contains the bits of
// the inputs, and args contains the integers that a run passes. Eval returns the bits of the
// output.
func (p *Program) Eval(ins []uint64, args ...int) uint64 {
	vals := make([]uint64, len(p.Ops))
	for i := range p.Ops {
		vals[i] = p.eval(i, vals, ins, args)
	}
	return vals[p.Outs[0].Value]
}

// Fold returns a copy of an Exact program. In the copy, constants replace all operations that do
// not depend on inputs or arguments.
func (p *Program) Fold() *Program {
	c := *p
	c.Ops = make([]Op, len(p.Ops))
	vals := make([]uint64, len(p.Ops))
	for i := range p.Ops {
		o := p.Ops[i]
		known := o.Code != Load && o.Code != Arg
		for _, v := range o.Args {
			known = known && c.Ops[v].Code == Const
		}
		if known {
			vals[i] = p.eval(i, vals, nil, nil)
			o = Op{Code: Const, DType: o.DType, Bits: [2]uint64{vals[i]}, Note: o.Note}
		}
		c.Ops[i] = o
	}
	return &c
}

// eval returns the bits of the result of operation i.
func (p *Program) eval(i int, vals, ins []uint64, args []int) uint64 {
	o := &p.Ops[i]
	var a [3]uint64
	for k, v := range o.Args {
		a[k] = vals[v]
	}
	switch o.Code {
	case Const:
		return o.Bits[0]
	case Load:
		return ins[o.Number]
	case Arg:
		return uint64(args[o.Number])
	case Select:
		if a[0] != 0 {
			return a[1]
		}
		return a[2]
	}
	switch d := p.Ops[o.Args[0]].DType; {
	case d == tensor.Float32:
		x, y := math.Float32frombits(uint32(a[0])), math.Float32frombits(uint32(a[1]))
		if o.Code.Compares() {
			return truth(compares(o.Code, x, y))
		}
		if o.DType == tensor.Float64 {
			return math.Float64bits(float64(x))
		}
		return uint64(math.Float32bits(number(o.Code, x, y)))
	case d == tensor.Float64:
		x, y := math.Float64frombits(a[0]), math.Float64frombits(a[1])
		if o.Code.Compares() {
			return truth(compares(o.Code, x, y))
		}
		if o.DType == tensor.Float32 {
			return uint64(math.Float32bits(float32(x)))
		}
		return math.Float64bits(number(o.Code, x, y))
	case IsSigned(d):
		x, y := Signed(a[0], 8*d.Size()), Signed(a[1], 8*d.Size())
		if o.Code.Compares() {
			return truth(compares(o.Code, x, y))
		}
		return converted(o.DType, whole(o.Code, x, y))
	default:
		if o.Code.Compares() {
			return truth(compares(o.Code, a[0], a[1]))
		}
		if o.Code == Not && d == tensor.Bool {
			return a[0] ^ 1
		}
		return converted(o.DType, whole(o.Code, a[0], a[1]))
	}
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// Signed returns the sign-extended value of the lowest `width` bits.
func Signed(bits uint64, width int) int64 {
	return int64(bits<<(64-width)) >> (64 - width)
}

// converted converts an integer to type d and returns the result's bits.
func converted[T int64 | uint64](d tensor.DType, v T) uint64 {
	switch d {
	case tensor.Float32:
		return uint64(math.Float32bits(float32(v)))
	case tensor.Float64:
		return math.Float64bits(float64(v))
	}
	shift := 64 - 8*d.Size()
	return uint64(v) << shift >> shift
}

func compares[T float32 | float64 | int64 | uint64](c Code, x, y T) bool {
	switch c {
	case Eq:
		return x == y
	case Ne:
		return x != y
	case Lt:
		return x < y
	case Le:
		return x <= y
	case Gt:
		return x > y
	}
	return x >= y
}

// The function named number computes an operation on floats.
func number[T float32 | float64](c Code, x, y T) T {
	switch c {
	case Neg:
		return -x
	case Add:
		return x + y
	case Sub:
		return x - y
	}
	return x * y
}

// The function whole computes an operation on integers.
func whole[T int64 | uint64](c Code, x, y T) T {
	switch c {
	case Neg:
		return -x
	case Not:
		return ^x
	case Add:
		return x + y
	case Sub:
		return x - y
	case Mul:
		return x * y
	case Max:
		return max(x, y)
	case Min:
		return min(x, y)
	case And:
		return x & y
	case Or:
		return x | y
	case Xor:
		return x ^ y
	}
	return x // Cast
}
