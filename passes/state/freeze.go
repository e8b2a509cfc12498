package state

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// Freeze replaces reads of variables that nothing writes by their values, which Options.Values
// returns. ReadVariableOp becomes a Const, and ResourceGather a GatherV2 of that Const.
// VarIsInitializedOp becomes true, or false if there is no value. DisableCopyOnRead is removed. A
// read stays if its handle may be that of any of several variables.
//
// If a variable that is always read has no value, the error is FailedPrecondition, the error of
// such a read at run time. Freeze returns every other error of Options.Values, such as NotFound for
// a value that a checkpoint lacks.
func Freeze(s *edit.State) (bool, error) {
	f := &freezer{s: s, e: s.Edit(), written: written(s), consts: map[*ir.Node]ir.Out{}, failed: map[*ir.Node]error{}}
	order, err := s.G.Order()
	if err != nil {
		return false, err
	}
	for _, n := range order {
		f.node(n)
	}
	changed := f.e.Apply()
	return changed, edit.SortedJoin(f.errs)
}

type freezer struct {
	s       *edit.State
	e       *ir.Editor
	written func(ir.Out) bool
	consts  map[*ir.Node]ir.Out // by variable
	failed  map[*ir.Node]error
	errs    []error
}

// value returns the Const of a variable. It returns false if there is no value. In this case, it
// records an error if the variable must have a value, or if the reason is not that the value is
// missing.
func (f *freezer) value(v *ir.Node, must bool) (ir.Out, bool) {
	if c, ok := f.consts[v]; ok {
		return c, true
	}
	err, tried := f.failed[v]
	if !tried {
		var t *tensor.Tensor
		if t, err = load(f.s, v); err == nil {
			c := f.s.G.NewConst(v.Name+"/value", t)
			c.Node.Device, c.Node.Origin = v.Device, v.Origin
			f.consts[v] = c
			return c, true
		}
		err = tensor.AtNode(err, v.Name, v.Op)
		f.failed[v] = err
		must = must || tensor.CodeOf(err) != tensor.FailedPrecondition
	}
	if must && err != nil {
		f.errs = append(f.errs, err)
		f.failed[v] = nil // reported only once
	}
	return ir.Out{}, false
}

// node rewrites a node that reads a variable.
func (f *freezer) node(n *ir.Node) {
	for i, o := range n.Ins {
		if o.Fact().DType != tensor.Resource || !ReadsVar(f.s.O.Ops, n) {
			continue
		}
		vars, ok := lower.Variables(o)
		if ok && len(vars) == 1 && isKept(vars[0].Node) && vars[0].Node.Str("shared_name") != lower.AnonymousName {
			if i == 0 && n.Op != "_ReadVariablesOp" && !f.written(vars[0]) {
				f.reader(n, vars[0].Node)
				return
			}
		}
		for _, v := range vars {
			if isKept(v.Node) {
				if _, err := begin(f.s, v.Node); err != nil {
					f.errs = append(f.errs, err)
				}
			}
		}
	}
}

// reader rewrites a node whose input 0 is the handle of v.
func (f *freezer) reader(n *ir.Node, v *ir.Node) {
	g := f.s.G
	why := "nothing writes " + v.Name
	if n.Op == "VarIsInitializedOp" || n.Op == "IsVariableInitialized" {
		_, err := load(f.s, v)
		if err != nil && tensor.CodeOf(err) != tensor.FailedPrecondition {
			f.errs = append(f.errs, tensor.AtNode(err, v.Name, v.Op))
			return
		}
		f.read(n, g.NewConst(n.Name+"/value", &tensor.Tensor{DType: tensor.Bool, Shape: tensor.Shape{}, Data: []bool{err == nil}}), why)
		return
	}
	c, ok := f.value(v, n.Region == nil)
	if !ok {
		return
	}
	d := c.Fact().DType
	switch n.Op {
	case "DisableCopyOnRead":
		f.e.Remove(n, "constants are not copied")
	case "ReadVariableOp":
		if want := n.DType("dtype"); want != tensor.Invalid && want != d {
			f.errs = append(f.errs, tensor.AtNode(tensor.Errorf(tensor.InvalidArgument, "reads %v from a variable of %v", want, d), n.Name, n.Op))
			return
		}
		if n.Attrs[readsRef] != nil { // not needed: the read's only reader has the same control inputs
			n.Controls = nil
		}
		f.read(n, c, why)
	case "ResourceGather":
		batch := int32(n.Int("batch_dims"))
		axis := g.NewConst(n.Name+"/axis", &tensor.Tensor{DType: tensor.Int32, Shape: tensor.Shape{}, Data: []int32{batch}})
		f.instead(n, "GatherV2", map[string]ir.Attr{"Tparams": d, "Tindices": n.Ins[1].Fact().DType, "Taxis": tensor.Int32,
			"batch_dims": int64(batch)}, why, c, n.Ins[1], axis)
	case "ResourceGatherNd":
		f.instead(n, "GatherNd", map[string]ir.Attr{"Tparams": d, "Tindices": n.Ins[1].Fact().DType}, why, c, n.Ins[1])
	case "VariableShape":
		f.instead(n, "Shape", map[string]ir.Attr{"T": d, "out_type": n.Outs[0].DType}, why, c)
	}
}

// read replaces a node by a constant. Control edges into the node still delay its readers.
func (f *freezer) read(n *ir.Node, c ir.Out, why string) {
	if len(n.Controls) == 0 {
		f.e.Replace(ir.Out{Node: n}, c, why)
		f.e.Remove(n, why)
		return
	}
	n.Op, n.Attrs, n.Ins = "Identity", map[string]ir.Attr{"T": c.Fact().DType}, []ir.Out{c}
	f.e.Changed(n, why)
}

// instead turns a node into another op.
func (f *freezer) instead(n *ir.Node, op string, attrs map[string]ir.Attr, why string, ins ...ir.Out) {
	n.Op, n.Attrs, n.Ins = op, attrs, ins
	f.e.Changed(n, why)
}
