package codegen

import (
	"fmt"
	"math"

	"github.com/dave/jennifer/jen"

	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// formula converts a scalar program to Go expressions that compute exactly the same result.
type formula struct {
	body *funcBody
	step *plan.Scalar
	p    *scalar.Program
}

// same reports whether operation v loads the element that the step writes.
func (f *formula) same(v scalar.Value) bool {
	o := &f.p.Ops[v]
	return o.Code == scalar.Load && f.step.Src[o.Number].Buf.Root() == f.step.Dst.Buf.Root()
}

// assign returns the assignment of operation v to the element that the step writes. It returns
// nothing if v loads that element.
func (f *formula) assign(v scalar.Value) ([]jen.Code, error) {
	if f.same(v) {
		return nil, nil
	}
	to, err := f.body.element(f.step.Dst)
	if err != nil {
		return nil, err
	}
	if sign, by, ok := f.adds(&f.p.Ops[v]); ok {
		if c := &f.p.Ops[by]; c.Code == scalar.Const && scalar.IsInteger(c.DType) && c.Bits[0] == 1 {
			return []jen.Code{to.Op(sign + sign)}, nil
		}
		x, _, err := f.value(by, false)
		return []jen.Code{to.Op(sign + "=").Add(x)}, err
	}
	x, _, err := f.value(v, f.body.declares(f.step.Dst, f.step))
	return []jen.Code{f.body.target(to, f.step.Dst, f.step).Add(x)}, err
}

// choice returns the code for a Select: an if statement with an assignment in each branch.
func (f *formula) choice(v scalar.Value) ([]jen.Code, error) {
	args := f.p.Ops[v].Args
	cond, operator, err := f.value(args[0], false)
	if err != nil {
		return nil, err
	}
	yes, err := f.assign(args[1])
	if err != nil {
		return nil, err
	}
	no, err := f.assign(args[2])
	if err != nil {
		return nil, err
	}
	switch {
	case len(yes) == 0 && operator:
		return []jen.Code{jen.If(jen.Op("!").Parens(cond)).Block(no...)}, nil
	case len(yes) == 0:
		return []jen.Code{jen.If(jen.Op("!").Add(cond)).Block(no...)}, nil
	case len(no) == 0:
		return []jen.Code{jen.If(cond).Block(yes...)}, nil
	}
	return []jen.Code{jen.If(cond).Block(yes...).Else().Block(no...)}, nil
}

// adds reports whether an operation is x + y or x - y, where x is the element that the step writes.
// It also returns the sign, and the operation that computes y.
func (f *formula) adds(o *scalar.Op) (sign string, by scalar.Value, ok bool) {
	if o.Code != scalar.Add && o.Code != scalar.Sub || f.same(o.Args[0]) == f.same(o.Args[1]) {
		return "", 0, false
	}
	switch {
	case f.same(o.Args[0]):
		return goOps[o.Code], o.Args[1], true
	case o.Code == scalar.Add && scalar.IsInteger(o.DType):
		return "+", o.Args[0], true
	}
	return "", 0, false
}

// goOps maps operations to Go's binary operators.
var goOps = map[scalar.Code]string{scalar.Add: "+", scalar.Sub: "-", scalar.Mul: "*", scalar.And: "&", scalar.Or: "|", scalar.Xor: "^",
	scalar.Eq: "==", scalar.Ne: "!=", scalar.Lt: "<", scalar.Le: "<=", scalar.Gt: ">", scalar.Ge: ">="}

// value returns an expression for operation v. If typed is set, constants have an explicit type.
// The result operator reports whether the expression needs parentheses inside another expression.
func (f *formula) value(v scalar.Value, typed bool) (x *jen.Statement, operator bool, err error) {
	o := &f.p.Ops[v]
	switch o.Code {
	case scalar.Load:
		x, err = f.body.element(f.step.Src[o.Number])
		return x, false, err
	case scalar.Const:
		return f.constant(o, typed), false, nil
	case scalar.Arg:
		return jen.Int64().Call(f.body.expr(f.step.Sizes[o.Number])), false, nil
	case scalar.Cast:
		if from := &f.p.Ops[o.Args[0]]; from.Code == scalar.Arg {
			x = f.body.expr(f.step.Sizes[from.Number])
		} else {
			x, _, err = f.value(o.Args[0], false)
		}
		return f.body.e.elem(o.DType).Call(x), false, err
	case scalar.Max, scalar.Min:
		x, y, err := f.operands(o, false)
		name := "max"
		if o.Code == scalar.Min {
			name = "min"
		}
		return jen.Id(name).Call(x, y), false, err
	case scalar.Neg, scalar.Not:
		x, err = f.operand(o.Args[0], true)
		sign := "-"
		if o.Code == scalar.Not {
			if sign = "^"; o.DType == tensor.Bool {
				sign = "!"
			}
		}
		return jen.Op(sign).Add(x), sign == "-", err // -x needs parentheses, because --x would be another operator
	case scalar.Select:
		return nil, false, fmt.Errorf("node %q (%s): a Select within an expression", f.step.Node, f.step.Op)
	}
	sign := goOps[o.Code]
	if o.DType == tensor.Bool && !o.Code.Compares() {
		sign = map[scalar.Code]string{scalar.And: "&&", scalar.Or: "||", scalar.Xor: "!="}[o.Code]
		if o.Args[0] == o.Args[1] && o.Code != scalar.Xor { // go vet rejects x && x
			return f.value(o.Args[0], typed)
		}
	}
	l, r, err := f.operands(o, true)
	if err != nil {
		return nil, false, err
	}
	x = l.Op(sign).Add(r)
	if o.Code == scalar.Mul && scalar.IsFloat(o.DType) { // the conversion prevents a fused multiply-add
		return f.body.e.elem(o.DType).Call(x), false, nil
	}
	return x, true, nil
}

// operands returns expressions for the two operands of an operation. If within is set, an operand
// that contains an operator is in parentheses.
func (f *formula) operands(o *scalar.Op, within bool) (l, r *jen.Statement, err error) {
	if l, err = f.operand(o.Args[0], within); err != nil {
		return nil, nil, err
	}
	r, err = f.operand(o.Args[1], within)
	return l, r, err
}

// operand returns an expression for an operand. If within is set, an operand that contains an
// operator is in parentheses.
func (f *formula) operand(v scalar.Value, within bool) (*jen.Statement, error) {
	x, operator, err := f.value(v, false)
	if err == nil && operator && within {
		return jen.Parens(x), nil
	}
	return x, err
}

// constant returns an expression for a number or a bool, with its type if typed is set.
func (f *formula) constant(o *scalar.Op, typed bool) *jen.Statement {
	bits, d := o.Bits[0], o.DType
	var x *jen.Statement
	switch {
	case d == tensor.Bool:
		return jen.Lit(bits != 0)
	case d == tensor.Float32:
		v := float64(math.Float32frombits(uint32(bits)))
		if x = float(v, 32); special(v) {
			return x
		}
	case d == tensor.Float64:
		v := math.Float64frombits(bits)
		if x = float(v, 64); special(v) {
			return x
		}
	case scalar.IsSigned(d):
		x = jen.Id(fmt.Sprint(scalar.Signed(bits, 8*d.Size())))
	default:
		x = jen.Id(fmt.Sprint(bits))
	}
	if typed {
		return f.body.e.elem(d).Call(x)
	}
	return x
}

// special reports whether a float cannot be written as a literal: NaN, infinities and -0.
func special(v float64) bool {
	return math.IsNaN(v) || math.IsInf(v, 0) || v == 0 && math.Signbit(v)
}
