package edit

import (
	"github.com/graphc/graphc/frontend/opdef"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/rt/tensor"
)

// Substitute returns the value of an attribute in the body of a function. If the value v is a
// placeholder or contains placeholders, they are replaced by attributes of the call. changed
// reports whether there was a placeholder.
func Substitute(v ir.Attr, call map[string]ir.Attr) (out ir.Attr, changed bool, err error) {
	switch v := v.(type) {
	case ir.Placeholder:
		w, ok := call[string(v)]
		if !ok {
			return nil, false, tensor.Errorf(tensor.InvalidArgument, "the call lacks attribute %q, which the function's body needs", string(v))
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
		w, c, err := Substitute(a, call)
		if err != nil {
			return f, false, err
		}
		attrs[k], changed = w, changed || c
	}
	return ir.Func{Name: f.Name, Attrs: attrs}, changed, nil
}

// Offsets returns the position of the first tensor of each parameter in the list of all inputs or
// outputs of a call, and the total number of these tensors.
func Offsets(ps []ir.Param, call map[string]ir.Attr) ([]int, int, error) {
	at := make([]int, len(ps))
	n := 0
	for i, p := range ps {
		at[i] = n
		switch {
		case p.TypeListAttr != "":
			l, ok := call[p.TypeListAttr].([]tensor.DType)
			if !ok && call[p.TypeListAttr] != nil {
				if none, isInts := call[p.TypeListAttr].([]int64); !isInts || len(none) > 0 {
					return nil, 0, tensor.Errorf(tensor.InvalidArgument, "attribute %q of the call is not a list of types", p.TypeListAttr)
				}
			}
			n += len(l)
		case p.NumberAttr != "":
			v, ok := call[p.NumberAttr].(int64)
			if !ok || v < 0 || v > lower.MaxOutputs {
				return nil, 0, tensor.Errorf(tensor.InvalidArgument, "attribute %q of the call is not a valid number of tensors", p.NumberAttr)
			}
			n += int(v)
		default:
			n++
		}
	}
	return at, n, nil
}

// Signatures returns an error for a node whose inputs or outputs differ from those that the op's
// signature and the node's attributes define.
func Signatures(ops *lower.Table, g *ir.Graph) error {
	for _, n := range g.Nodes {
		o := opdef.Lookup(n.Op)
		ref := o != nil && o.HasRef() // after the pass named refs, the references in signatures are handles
		if ts, ok := lower.OutTypes(n, g.Library); ok {
			if len(ts) != len(n.Outs) {
				return tensor.AtNode(tensor.Errorf(tensor.Internal, "the node has %d outputs; its signature has %d", len(n.Outs), len(ts)), n.Name, n.Op)
			}
			for i, t := range ts {
				// old ops for arrays and tables have strings as handles
				if d := n.Outs[i].DType; d != t && d != tensor.Invalid && t != tensor.Invalid && !(d == tensor.Resource && (ref || t == tensor.String)) {
					if ops.Untaken(n) != nil {
						continue // if another node reads this node, lowering returns the error
					}
					return tensor.AtNode(tensor.Errorf(tensor.Internal, "output %d is %s; the signature says %s", i, d, t), n.Name, n.Op)
				}
			}
		}
		ts, ok := lower.InTypes(n, g.Library)
		if !ok {
			continue
		}
		if len(ts) != len(n.Ins) {
			return tensor.AtNode(tensor.Errorf(tensor.Internal, "the node has %d inputs; its signature has %d", len(n.Ins), len(ts)), n.Name, n.Op)
		}
		for i, t := range ts {
			// old ops for arrays and tables have strings as handles
			if d := n.Ins[i].Fact().DType; d != t && d != tensor.Invalid && t != tensor.Invalid && !(d == tensor.Resource && (ref || t == tensor.String)) {
				return tensor.AtNode(tensor.Errorf(tensor.Internal, "input %d, %s, is %s; the signature says %s", i, n.Ins[i], d, t), n.Name, n.Op)
			}
		}
	}
	return nil
}
