package scalar

import (
	"slices"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/rt/tensor"
)

// Exact reports whether the program computes one element, using only operations that cannot fail
// and whose results have the same bits on all processors. These are arithmetic on integers that
// wrap around; sums, differences and products of floats; conversions between integers and to
// floats; comparisons, logic and Select. The results have the same bits as the host's kernels and
// as Go's arithmetic.
//
// The program must read all of its inputs.
//
// Quotients are not exact, and neither are Max and Min of floats. The kernels differ in the NaNs
// that these operations return, and in their results for the smallest numbers.
func (p *Program) Exact() bool {
	if p.Check() != nil || len(p.Outs) != 1 || p.Outs[0].Access != Contiguous || !exactType(p.Outs[0].DType) {
		return false
	}
	for _, in := range p.Ins {
		if in.Access != Scalar && in.Access != Contiguous || !exactType(in.DType) {
			return false
		}
	}
	for i := range p.Ops {
		if !p.exactOp(&p.Ops[i]) {
			return false
		}
	}
	return p.readsAll()
}

// readsAll reports whether the outputs depend on all inputs.
func (p *Program) readsAll() bool {
	needed, read := make([]bool, len(p.Ops)), make([]bool, len(p.Ins))
	for _, o := range p.Outs {
		needed[o.Value] = true
	}
	for i := len(p.Ops) - 1; i >= 0; i-- {
		o := &p.Ops[i]
		if !needed[i] {
			continue
		}
		for _, v := range o.Args {
			needed[v] = true
		}
		if o.Code == Load {
			read[o.Number] = true
		}
	}
	return !slices.Contains(read, false)
}

// exactType reports whether an element type is bool, an integer, or one of Go's floats.
func exactType(d tensor.DType) bool {
	switch d {
	case tensor.Bool, tensor.Float32, tensor.Float64:
		return true
	}
	return Plain(d) == d && IsInteger(d)
}

func (p *Program) exactOp(o *Op) bool {
	if !exactType(o.DType) {
		return false
	}
	switch o.Code {
	case Const, Arg, Neg, Add, Sub, Mul, Not, And, Or, Xor, Eq, Ne, Lt, Le, Gt, Ge, Select:
		return true
	case Load:
		return !o.Guarded
	case Max, Min:
		return IsInteger(o.DType)
	case Cast:
		from := p.Ops[o.Args[0]].DType
		return IsInteger(o.DType) && IsInteger(from) || IsFloat(o.DType) && (IsFloat(from) || IsInteger(from))
	}
	return false
}

// The function One returns a program without inputs. The program's result is the value of type d
// with the given bits.
func One(d tensor.DType, bits uint64) *Program {
	return &Program{Dims: 1, Ops: []Op{{Code: Const, DType: Plain(d), Bits: [2]uint64{bits}}}, Outs: []Output{{DType: d}}}
}

// Replace returns a copy of w, a Work of one item, in which some inputs are replaced by integers.
// For each input i, the function named at returns the integer that replaces the input, or nil if
// the input stays.
func (w *Work) Replace(at func(i int) *sym.Expr) *Work {
	c := w.clone()
	c.Ops = nil
	b := NewBuilder(&c.Program)
	to := make([]Value, len(w.Ops))
	for i, o := range w.Ops {
		o = o.of(to)
		if o.Code == Load {
			if e := at(o.Number); e != nil {
				c.Values = append(c.Values, e)
				c.Args++
				to[i] = b.Cast(o.DType, b.Arg(c.Args-1))
				continue
			}
		}
		to[i] = b.Op(o)
	}
	for i := range c.Outs {
		c.Outs[i].Value = to[c.Outs[i].Value]
	}
	return c
}
