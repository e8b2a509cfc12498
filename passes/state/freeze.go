package state

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// If no node writes a variable, Freeze replaces the reads of this variable by constants.
// Options.Values returns the values of such variables. ReadVariableOp becomes a Const, and
// ResourceGather becomes a GatherV2 of that Const. VarIsInitializedOp becomes true, or false if the
// variable has no value. DisableCopyOnRead is removed. A read stays if its handle may be that of
// any of several variables.
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

// value returns a Const with the value of the variable v. It returns false if it cannot load the
// value. A variable without a value is an error only if the last argument is true; every other
// failure to load is always an error. These errors are added to f.errs, one for each variable.
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

// reader rewrites n, a node whose input 0 is the handle of variable v, into a node that uses the
// variable's constant value.
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
		if n.Attrs[readsRef] != nil { // these control inputs are not needed: the only reader of n has the same ones
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

// read replaces the node n by the constant c. If n has control inputs, n becomes an Identity of c
// and keeps them, so that readers of n still wait.
func (f *freezer) read(n *ir.Node, c ir.Out, why string) {
	if len(n.Controls) == 0 {
		f.e.Replace(ir.Out{Node: n}, c, why)
		f.e.Remove(n, why)
		return
	}
	n.Op, n.Attrs, n.Ins = "Identity", map[string]ir.Attr{"T": c.Fact().DType}, []ir.Out{c}
	f.e.Changed(n, why)
}

// The method named instead turns the node n into a node of another op.
func (f *freezer) instead(n *ir.Node, op string, attrs map[string]ir.Attr, why string, ins ...ir.Out) {
	n.Op, n.Attrs, n.Ins = op, attrs, ins
	f.e.Changed(n, why)
}
