package passes

import (
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// freeze replaces reads of variables by their values, which Options.Values
// gives: ReadVariableOp and, of TensorFlow 1's variables, whatever takes the
// buffer's value become a Const; ResourceGather a GatherV2 of it;
// VarIsInitializedOp true; DisableCopyOnRead nothing. A variable without a value
// has an error of FailedPrecondition, as a read of it at a run; every other error
// of Options.Values, such as NotFound for what a checkpoint lacks, stands.
func freeze(s *state) (bool, error) {
	vars, err := variables(s.g)
	if err != nil || len(vars) == 0 {
		return false, err
	}
	f := &freezer{s: s, e: s.edit(), vars: vars, consts: map[*ir.Node]ir.Out{}, failed: map[*ir.Node]error{}, flowed: map[ir.Out]bool{}}
	order, err := s.g.Order()
	if err != nil {
		return false, err
	}
	for _, n := range order {
		for i := range n.Outs {
			if o := (ir.Out{Node: n, Index: i}); vars[o] != nil && vars[o] != n {
				f.flowed[o] = varFlow[n.Op] || f.flowed[n.Ins[0]]
			}
		}
	}
	for _, n := range order {
		f.node(n)
	}
	for _, t := range s.g.Fetches {
		if v := vars[t.Out]; v != nil && isRef(v.Op) {
			if c, ok := f.valueAt(t.Out, v); ok {
				f.e.Replace(t.Out, c, "nothing writes it")
			}
		}
	}
	changed := f.e.Apply()
	return changed, sortedJoin(f.errs)
}

type freezer struct {
	s      *state
	e      *ir.Editor
	vars   map[ir.Out]*ir.Node
	consts map[*ir.Node]ir.Out // by variable
	failed map[*ir.Node]error
	// flowed holds the handles after a Switch or Enter, which are to become values.
	flowed map[ir.Out]bool
	errs   []error
}

// value returns the Const of a variable; false after an error, which is noted once.
func (f *freezer) value(v *ir.Node) (ir.Out, bool) {
	if c, ok := f.consts[v]; ok {
		return c, true
	}
	if f.failed[v] != nil {
		return ir.Out{}, false
	}
	t, err := f.load(v)
	if err != nil {
		err = tensor.AtNode(err, v.Name, v.Op)
		f.failed[v] = err
		f.errs = append(f.errs, err)
		return ir.Out{}, false
	}
	c := f.s.g.NewConst(v.Name+"/value", t)
	c.Node.Device, c.Node.Origin = v.Device, v.Origin
	f.consts[v] = c
	return c, true
}

func (f *freezer) load(v *ir.Node) (*tensor.Tensor, error) {
	if f.s.o.Values == nil {
		return nil, tensor.Errorf(tensor.FailedPrecondition, "the variable has no value: the model comes without a checkpoint")
	}
	t, err := f.s.o.Values(v.Name)
	if err != nil {
		return nil, err
	}
	if t == nil {
		return nil, tensor.Errorf(tensor.FailedPrecondition, "the variable has no value")
	}
	if d := v.DType("dtype"); d != tensor.Invalid && d != t.DType {
		return nil, tensor.Errorf(tensor.InvalidArgument, "the checkpoint holds %v and the variable is declared %v", t.DType, d)
	}
	if p, ok := v.Attrs["shape"].(ir.PartialShape); ok && !p.UnknownRank {
		bad := len(p.Dims) != len(t.Shape)
		for i := 0; !bad && i < len(p.Dims); i++ {
			bad = p.Dims[i] >= 0 && p.Dims[i] != int64(t.Shape[i])
		}
		if bad {
			return nil, tensor.Errorf(tensor.InvalidArgument, "the checkpoint holds the shape %v and the variable is declared %v", t.Shape, p.Dims)
		}
	}
	return t, nil
}

// node rewrites a node that reads a variable.
func (f *freezer) node(n *ir.Node) {
	for i, o := range n.Ins {
		v := f.vars[o]
		switch {
		case v == nil:
		case i == 0 && (varReaders[n.Op] || varForwards[n.Op] || varFlow[n.Op]) && f.isHandle(n, v):
			f.reader(n, v)
			return
		default: // the value of a buffer
			if c, ok := f.valueAt(o, v); ok && c != o {
				n.Ins[i] = c
				f.e.Changed(n, "reads the value of "+v.Name)
			}
		}
	}
}

// isHandle reports that n takes v's handle or buffer as such, not its value.
func (f *freezer) isHandle(n *ir.Node, v *ir.Node) bool {
	return v.Op == "VarHandleOp" || varReaders[n.Op] || strings.HasPrefix(n.Op, "Ref")
}

// valueAt returns the value where the handle o is read: the constant or, after a
// Switch or an Enter, what that hands on once it is made to hand on values.
func (f *freezer) valueAt(o ir.Out, v *ir.Node) (ir.Out, bool) {
	c, ok := f.value(v)
	if ok && f.flowed[o] {
		return o, true
	}
	return c, ok
}

// reader rewrites a node whose first input is the handle of v.
func (f *freezer) reader(n *ir.Node, v *ir.Node) {
	g := f.s.g
	why := "nothing writes " + v.Name
	if n.Op == "VarIsInitializedOp" || n.Op == "IsVariableInitialized" {
		_, err := f.load(v)
		if err != nil && tensor.CodeOf(err) != tensor.FailedPrecondition {
			f.errs = append(f.errs, tensor.AtNode(err, v.Name, v.Op))
			return
		}
		c := g.NewConst(n.Name+"/value", &tensor.Tensor{DType: tensor.Bool, Shape: tensor.Shape{}, Data: []bool{err == nil}})
		if n.Ins[0].Node != v { // it may be dead with its input
			c.Node.Controls = append(c.Node.Controls, n.Controls...)
			c.Node.Controls = append(c.Node.Controls, n.Ins[0].Node)
		}
		f.read(n, c, why)
		return
	}
	if n.Op == "DisableCopyOnRead" {
		f.e.Remove(n, "constants are not copied")
		return
	}
	c, ok := f.valueAt(n.Ins[0], v)
	if !ok {
		return
	}
	d := f.consts[v].Fact().DType
	switch n.Op {
	case "ReadVariableOp":
		if want := n.DType("dtype"); want != tensor.Invalid && want != d {
			f.errs = append(f.errs, tensor.AtNode(tensor.Errorf(tensor.InvalidArgument, "reads %v from a variable of %v", want, d), n.Name, n.Op))
			return
		}
		f.read(n, c, why)
	case "ResourceGather":
		axis := g.NewConst(n.Name+"/axis", &tensor.Tensor{DType: tensor.Int32, Shape: tensor.Shape{}, Data: []int32{0}})
		f.instead(n, "GatherV2", map[string]ir.Attr{"Tparams": d, "Tindices": n.Ins[1].Fact().DType, "Taxis": tensor.Int32,
			"batch_dims": int64(n.Int("batch_dims"))}, why, c, n.Ins[1], axis)
	case "ResourceGatherNd":
		f.instead(n, "GatherNd", map[string]ir.Attr{"Tparams": d, "Tindices": n.Ins[1].Fact().DType}, why, c, n.Ins[1])
	case "VariableShape":
		f.instead(n, "Shape", map[string]ir.Attr{"T": d, "out_type": n.Outs[0].DType}, why, c)
	default: // Identity, Switch, Enter and their Ref forms now hand on the value
		attrs := map[string]ir.Attr{}
		for k, a := range n.Attrs {
			attrs[k] = a
		}
		attrs["T"] = d
		for i := range n.Outs {
			if n.Outs[i].DType == tensor.Resource {
				n.Outs[i] = ir.Fact{DType: d}
			}
		}
		f.instead(n, strings.TrimPrefix(n.Op, "Ref"), attrs, why, append([]ir.Out{c}, n.Ins[1:]...)...)
	}
}

// read replaces a node by a constant. Control edges into the node still hold
// back who reads it.
func (f *freezer) read(n *ir.Node, c ir.Out, why string) {
	if len(n.Controls) == 0 {
		f.e.Replace(ir.Out{Node: n}, c, why)
		f.e.Remove(n, why)
		return
	}
	n.Op, n.Attrs, n.Ins = "Identity", map[string]ir.Attr{"T": c.Fact().DType}, []ir.Out{c}
	f.e.Changed(n, why)
}

// instead makes another op of a node.
func (f *freezer) instead(n *ir.Node, op string, attrs map[string]ir.Attr, why string, ins ...ir.Out) {
	n.Op, n.Attrs, n.Ins = op, attrs, ins
	f.e.Changed(n, why)
}
