package scalar

import (
	"fmt"
	"maps"
	"slices"

	"github.com/graphc/graphc/rt/tensor"
)

// functions maps the name of each function that a Call may use to its number of operands.
var functions = map[string]int{
	"exp": 1, "exp2": 1, "expm1": 1, "log": 1, "log2": 1, "log1p": 1, "rsqrt": 1, "cbrt": 1,
	"sin": 1, "cos": 1, "tan": 1, "asin": 1, "acos": 1, "atan": 1, "sinh": 1, "cosh": 1, "tanh": 1, "asinh": 1, "acosh": 1, "atanh": 1,
	"erf": 1, "erfc": 1, "erfinv": 1, "ndtri": 1, "lgamma": 1, "digamma": 1,
	"i0": 1, "i0e": 1, "i1": 1, "i1e": 1, "j0": 1, "j1": 1, "k0": 1, "k0e": 1, "k1": 1, "k1e": 1, "y0": 1, "y1": 1,
	"dawsn": 1, "expint": 1, "fresnel_cos": 1, "fresnel_sin": 1, "spence": 1,
	"pow": 2, "atan2": 2, "fmod": 2, "nextafter": 2, "igamma": 2, "igammac": 2, "igamma_grad": 2, "gamma_grad": 2, "zeta": 2, "polygamma": 2,
	"betainc": 3,
}

// Functions returns the sorted names of the functions that a Call may use.
func Functions() []string { return slices.Sorted(maps.Keys(functions)) }

// Check returns an error if the program is invalid.
func (p *Program) Check() error {
	if p.Dims < 1 || p.Args < 0 {
		return fmt.Errorf("%d dimensions, %d integers", p.Dims, p.Args)
	}
	for i, in := range p.Ins {
		if !Takes(in.DType) || in.Access > Indexed || in.Step != AnyStep && in.Access != Strided {
			return fmt.Errorf("input %d of type %s cannot be read so", i, in.DType)
		}
	}
	for i := range p.Ops {
		if err := p.checkOp(i); err != nil {
			return fmt.Errorf("%%%d = %s: %w", i, p.Ops[i].Code, err)
		}
	}
	for i, o := range p.Outs {
		if o.Access != Contiguous && o.Access != Strided || o.Step != AnyStep && o.Access != Strided {
			return fmt.Errorf("output %d cannot be written so", i)
		}
		if o.Value < 0 || int(o.Value) >= len(p.Ops) {
			return fmt.Errorf("output %d is %%%d of %d", i, o.Value, len(p.Ops))
		}
		if d := p.Ops[o.Value].DType; Plain(o.DType) != d {
			return fmt.Errorf("output %d of type %s is %%%d of type %s", i, o.DType, o.Value, d)
		}
	}
	return nil
}

func (p *Program) checkOp(i int) error {
	o := &p.Ops[i]
	want := o.Code.arity()
	if o.Code == Invalid || o.Code >= lastCode {
		return fmt.Errorf("no such operation")
	}
	if !Takes(o.DType) || Plain(o.DType) != o.DType {
		return fmt.Errorf("type %s", o.DType)
	}
	if o.Code == Call {
		n, ok := functions[o.Func]
		if !ok {
			return fmt.Errorf("no function %q", o.Func)
		}
		want = n
	}
	if o.Code == Load {
		if o.Number < 0 || o.Number >= len(p.Ins) {
			return fmt.Errorf("input %d of %d", o.Number, len(p.Ins))
		}
		if p.Ins[o.Number].Access == Indexed {
			want++
		}
		if o.Guarded {
			want++
		}
	} else if o.Guarded {
		return fmt.Errorf("guarded")
	}
	if len(o.Args) != want {
		return fmt.Errorf("%d operands, not %d", len(o.Args), want)
	}
	ds := make([]tensor.DType, len(o.Args))
	for k, v := range o.Args {
		if v < 0 || int(v) >= i {
			return fmt.Errorf("operand %%%d", v)
		}
		ds[k] = p.Ops[v].DType
	}
	if !p.typed(o, ds) {
		return fmt.Errorf("type %s of operands %v", o.DType, ds)
	}
	return nil
}

// typed checks the type of an operation. It reports whether the type is possible for operands with
// the types ds.
func (p *Program) typed(o *Op, ds []tensor.DType) bool {
	d := o.DType
	switch o.Code {
	case Const:
		return true
	case Item:
		return d == tensor.Int64
	case Coord:
		return d == tensor.Int64 && o.Number >= 0 && o.Number < p.Dims
	case Arg:
		return d == tensor.Int64 && o.Number >= 0 && o.Number < p.Args
	case Load:
		in := p.Ins[o.Number]
		return Plain(in.DType) == d && (!o.Guarded || ds[len(ds)-1] == tensor.Bool) && (in.Access != Indexed || ds[0] == tensor.Int64)
	case Cast:
		return true
	case Bits:
		return ds[0].Size() == d.Size()
	case Real, Imag:
		return d != tensor.Invalid && PartType(ds[0]) == d
	case Complex:
		return PartType(d) != tensor.Invalid && ds[0] == PartType(d) && ds[1] == ds[0]
	case Select:
		return ds[0] == tensor.Bool && ds[1] == d && ds[2] == d
	case PopCount:
		return d == tensor.Uint8 && IsInteger(ds[0])
	case Eq, Ne:
		return d == tensor.Bool && ds[0] == ds[1]
	case Lt, Le, Gt, Ge:
		return d == tensor.Bool && ds[0] == ds[1] && (IsFloat(ds[0]) || IsInteger(ds[0]))
	}
	for _, e := range ds {
		if e != d {
			return false
		}
	}
	cplx := PartType(d) != tensor.Invalid
	switch o.Code {
	case Neg, Add, Sub, Mul, Div:
		return cplx || IsFloat(d) || IsInteger(d)
	case Abs, Max, Min:
		return IsFloat(d) || IsInteger(d)
	case Not, And, Or, Xor:
		return d == tensor.Bool || IsInteger(d)
	case Rem, Shl, Shr, Pow:
		return IsInteger(d)
	case Sqrt, Floor, Ceil, Trunc, Rint, Call:
		return IsFloat(d)
	}
	return false
}
