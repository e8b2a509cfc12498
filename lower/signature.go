package lower

import (
	"slices"

	"github.com/graphc/graphc/frontend/opdef"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// MaxOutputs limits the number of outputs that a number attribute may specify for a node.
const MaxOutputs = 1 << 20

// OutTypes returns the element types of a node's outputs, from its attributes. It returns false if
// neither TensorFlow nor the library knows the op, or if a necessary attribute is missing.
func OutTypes(n *ir.Node, lib *ir.Library) ([]tensor.DType, bool) {
	return argTypes(n, lib, func(f *ir.Function) []ir.Param { return f.Rets }, func(o *opdef.Op) []opdef.Arg { return o.Outs })
}

// InTypes is like OutTypes, for a node's inputs.
func InTypes(n *ir.Node, lib *ir.Library) ([]tensor.DType, bool) {
	return argTypes(n, lib, func(f *ir.Function) []ir.Param { return f.Args }, func(o *opdef.Op) []opdef.Arg { return o.Ins })
}

func argTypes(n *ir.Node, lib *ir.Library, of func(*ir.Function) []ir.Param, ofOp func(*opdef.Op) []opdef.Arg) ([]tensor.DType, bool) {
	var ts []tensor.DType
	if lib != nil {
		if f := lib.Functions[n.Op]; f != nil {
			for _, p := range of(f) {
				l, ok := ParamTypes(n, nil, p)
				if !ok {
					return nil, false
				}
				ts = append(ts, l...)
			}
			return ts, true
		}
	}
	o := opdef.Lookup(n.Op)
	if o == nil {
		return nil, false
	}
	for _, a := range ofOp(o) {
		l, ok := ParamTypes(n, o, ir.Param{DType: a.DType, TypeAttr: a.TypeAttr, NumberAttr: a.NumberAttr, TypeListAttr: a.TypeListAttr})
		if !ok {
			return nil, false
		}
		ts = append(ts, l...)
	}
	return ts, true
}

// ParamTypes returns the element types of the tensors for p, which is one argument or one result of
// the op o. An argument may stand for several tensors.
func ParamTypes(n *ir.Node, o *opdef.Op, p ir.Param) ([]tensor.DType, bool) {
	value := func(name string) ir.Attr {
		if v, ok := n.Attrs[name]; ok {
			return v
		}
		if o != nil {
			if a := o.Attr(name); a != nil && a.HasDefault {
				return a.Default
			}
		}
		return nil
	}
	if p.TypeListAttr != "" {
		switch l := value(p.TypeListAttr).(type) {
		case []tensor.DType:
			return l, true
		case []int64:
			// The graph's file does not say whether an empty list is a list of types.
			return nil, len(l) == 0
		}
		return nil, false
	}
	d := p.DType
	if p.TypeAttr != "" {
		var ok bool
		if d, ok = value(p.TypeAttr).(tensor.DType); !ok {
			return nil, false
		}
	}
	if p.NumberAttr == "" {
		return []tensor.DType{d}, true
	}
	k, ok := value(p.NumberAttr).(int64)
	if !ok || k < 0 || k > MaxOutputs {
		return nil, false
	}
	return slices.Repeat([]tensor.DType{d}, int(k)), true
}
