package passes

import (
	"github.com/graphc/graphc/frontend/opdef"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// substitute replaces placeholders in an attribute of a function's body by the
// attributes of the call; changed reports that there was one.
func substitute(v ir.Attr, call map[string]ir.Attr) (out ir.Attr, changed bool, err error) {
	switch v := v.(type) {
	case ir.Placeholder:
		w, ok := call[string(v)]
		if !ok {
			return nil, false, tensor.Errorf(tensor.InvalidArgument, "the call gives no attribute %q, which the function's body needs", string(v))
		}
		return w, true, nil
	case ir.Func:
		return substituteFunc(v, call)
	case []ir.Func:
		fs := make([]ir.Func, len(v))
		for i, f := range v {
			w, c, err := substituteFunc(f, call)
			if err != nil {
				return nil, false, err
			}
			fs[i], changed = w, changed || c
		}
		return fs, changed, nil
	}
	return v, false, nil
}

func substituteFunc(f ir.Func, call map[string]ir.Attr) (ir.Func, bool, error) {
	changed := false
	attrs := make(map[string]ir.Attr, len(f.Attrs))
	for k, a := range f.Attrs {
		w, c, err := substitute(a, call)
		if err != nil {
			return f, false, err
		}
		attrs[k], changed = w, changed || c
	}
	return ir.Func{Name: f.Name, Attrs: attrs}, changed, nil
}

// outTypes returns the element types of a node's outputs from its attributes;
// false when neither TensorFlow nor the library knows the op, or an attribute
// that decides is missing.
func outTypes(n *ir.Node, lib *ir.Library) ([]tensor.DType, bool) {
	var ts []tensor.DType
	add := func(d tensor.DType, typeAttr, numberAttr, listAttr string) bool {
		if listAttr != "" {
			_, ok := n.Attrs[listAttr]
			ts = append(ts, n.DTypes(listAttr)...)
			return ok
		}
		count := 1
		if numberAttr != "" {
			v, ok := n.Attrs[numberAttr].(int64)
			if !ok || v < 0 || v > maxOutputs {
				return false
			}
			count = int(v)
		}
		if typeAttr != "" {
			if d = n.DType(typeAttr); d == tensor.Invalid {
				return false
			}
		}
		for range count {
			ts = append(ts, d)
		}
		return true
	}
	if lib != nil {
		if f := lib.Functions[n.Op]; f != nil {
			for _, p := range f.Rets {
				if !add(p.DType, p.TypeAttr, p.NumberAttr, p.TypeListAttr) {
					return nil, false
				}
			}
			return ts, true
		}
	}
	o := opdef.Lookup(n.Op)
	if o == nil {
		return nil, false
	}
	for _, a := range o.Outs {
		t := a.TypeAttr
		if t != "" && n.DType(t) == tensor.Invalid {
			if at := o.Attr(t); at != nil && at.HasDefault {
				if d, ok := at.Default.(tensor.DType); ok {
					if !add(d, "", a.NumberAttr, "") {
						return nil, false
					}
					continue
				}
			}
		}
		if !add(a.DType, t, a.NumberAttr, a.TypeListAttr) {
			return nil, false
		}
	}
	return ts, true
}

// maxOutputs bounds what a number attribute may make of a node.
const maxOutputs = 1 << 20

// offsets returns where each parameter's tensors begin among a call's flat
// inputs or outputs, and their number.
func offsets(ps []ir.Param, call map[string]ir.Attr) ([]int, int, error) {
	at := make([]int, len(ps))
	n := 0
	for i, p := range ps {
		at[i] = n
		switch {
		case p.TypeListAttr != "":
			l, ok := call[p.TypeListAttr].([]tensor.DType)
			if !ok && call[p.TypeListAttr] != nil {
				if none, isInts := call[p.TypeListAttr].([]int64); !isInts || len(none) > 0 {
					return nil, 0, tensor.Errorf(tensor.InvalidArgument, "attribute %q of the call is no list of types", p.TypeListAttr)
				}
			}
			n += len(l)
		case p.NumberAttr != "":
			v, ok := call[p.NumberAttr].(int64)
			if !ok || v < 0 || v > maxOutputs {
				return nil, 0, tensor.Errorf(tensor.InvalidArgument, "attribute %q of the call is no number of tensors", p.NumberAttr)
			}
			n += int(v)
		default:
			n++
		}
	}
	return at, n, nil
}
