package frontend

import (
	"fmt"
	"strings"

	"github.com/graphc/graphc/frontend/opdef"
	"github.com/graphc/graphc/frontend/pb"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// maxArity bounds the inputs and outputs of one node.
const maxArity = 1 << 16

// edge is the type of one input or output.
type edge struct {
	dtype tensor.DType
	ref   bool
}

func (e edge) String() string {
	if e.ref {
		return e.dtype.String() + "&"
	}
	return e.dtype.String()
}

// argTypes returns the types of an argument's tensors.
func argTypes(a opdef.Arg, attrs map[string]ir.Attr) ([]edge, error) {
	if a.TypeListAttr != "" {
		ts, ok := attrs[a.TypeListAttr].([]tensor.DType)
		if !ok {
			return nil, invalid("argument %q depends on attribute %q, which is not a list of types", a.Name, a.TypeListAttr)
		}
		if len(ts) > maxArity {
			return nil, invalid("attribute %q has %d types; at most %d", a.TypeListAttr, len(ts), maxArity)
		}
		es := make([]edge, len(ts))
		for i, t := range ts {
			es[i] = edge{t, a.Ref}
		}
		return es, nil
	}
	t, n := a.DType, int64(1)
	if a.TypeAttr != "" {
		var ok bool
		if t, ok = attrs[a.TypeAttr].(tensor.DType); !ok {
			return nil, invalid("argument %q depends on attribute %q, which is not a type", a.Name, a.TypeAttr)
		}
	}
	if a.NumberAttr != "" {
		var ok bool
		if n, ok = attrs[a.NumberAttr].(int64); !ok {
			return nil, invalid("argument %q depends on attribute %q, which is not a number", a.Name, a.NumberAttr)
		}
		if n < 0 || n > maxArity {
			return nil, invalid("attribute %q is %d; 0 to %d is accepted", a.NumberAttr, n, maxArity)
		}
	}
	es := make([]edge, n)
	for i := range es {
		es[i] = edge{t, a.Ref}
	}
	return es, nil
}

// argsTypes concatenates the types of several arguments; starts holds the index of each argument's
// first type.
func argsTypes(args []opdef.Arg, attrs map[string]ir.Attr) (es []edge, starts []int, err error) {
	for _, a := range args {
		starts = append(starts, len(es))
		e, err := argTypes(a, attrs)
		if err != nil {
			return nil, nil, err
		}
		if len(es)+len(e) > maxArity {
			return nil, nil, invalid("more than %d inputs or outputs", maxArity)
		}
		es = append(es, e...)
	}
	return es, starts, nil
}

func edgeList(es []edge) string {
	var b strings.Builder
	b.WriteByte('(')
	for i, e := range es {
		if i == 8 {
			fmt.Fprintf(&b, ", … %d in all", len(es))
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(e.String())
	}
	return b.String() + ")"
}

// signatureOf converts the signature of a function.
func signatureOf(d *pb.OpDef) (*opdef.Op, error) {
	o := &opdef.Op{Name: d.GetName(), Stateful: d.GetIsStateful()}
	var err error
	if o.Ins, err = signatureArgs(d.GetInputArg()); err != nil {
		return nil, err
	}
	if o.Outs, err = signatureArgs(d.GetOutputArg()); err != nil {
		return nil, err
	}
	c := attrs{splat: new(int64)}
	for _, a := range d.GetAttr() {
		at := opdef.Attr{Name: a.Name, Kind: a.Type, HasMin: a.HasMinimum, Min: a.Minimum}
		if a.DefaultValue != nil {
			if at.Default, err = c.value(a.DefaultValue, a.Type); err != nil {
				return nil, invalid("the default of attribute %q: %s", a.Name, plain(err))
			}
			at.HasDefault = true
		}
		if l := a.AllowedValues.GetList(); l != nil {
			for _, t := range l.Type {
				at.Types = append(at.Types, baseType(t))
			}
			for _, s := range l.S {
				at.Strings = append(at.Strings, string(s))
			}
		}
		o.Attrs = append(o.Attrs, at)
	}
	return o, nil
}

func signatureArgs(l []*pb.OpDef_ArgDef) ([]opdef.Arg, error) {
	var r []opdef.Arg
	seen := map[string]bool{}
	for _, a := range l {
		if seen[a.Name] {
			return nil, invalid("two arguments are named %q", a.Name)
		}
		seen[a.Name] = true
		o := opdef.Arg{Name: a.Name, DType: baseType(a.Type), Ref: a.IsRef || isRefType(a.Type),
			TypeAttr: a.TypeAttr, NumberAttr: a.NumberAttr, TypeListAttr: a.TypeListAttr}
		if o.DType == tensor.Invalid && o.TypeAttr == "" && o.TypeListAttr == "" {
			return nil, invalid("argument %q has no type", a.Name)
		}
		r = append(r, o)
	}
	return r, nil
}
