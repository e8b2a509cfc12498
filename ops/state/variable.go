package state

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/variable"
	"github.com/graphc/graphc/lower"
	arrayops "github.com/graphc/graphc/ops/array"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// variableDefs create, read and assign variables. The pass named refs replaces TensorFlow 1's
// references by handles before lowering.
//
// Reading or referencing an uninitialized variable fails with FailedPrecondition. Changing an
// uninitialized variable through a resource handle fails with NotFound.
var variableDefs = []*lower.Def{
	{Name: "VarHandleOp", Level: lower.Source, Flags: lower.Leaves | lower.Stateful | lower.NoFold, Shape: handlesShape, Lower: varHandleLower},
	{Name: "_VarHandlesOp", Level: lower.Source, Flags: lower.Stateful | lower.NoFold, Shape: handlesShape, Lower: varHandleLower},
	{Name: "Variable", Level: lower.Source, Flags: lower.Stateful | lower.NoFold, Shape: refShape, Lower: varHandleLower},
	{Name: "VariableV2", Level: lower.Source, Flags: lower.Stateful | lower.NoFold, Shape: refShape, Lower: varHandleLower},
	{Name: "TemporaryVariable", Level: lower.Source, Flags: lower.Stateful | lower.NoFold, Shape: refShape, Lower: temporaryLower},
	{Name: "DestroyTemporaryVariable", Flags: kit.Changes, Shape: readShape, Lower: destroyTemporaryLower},
	{Name: "ReadVariableOp", Level: lower.Reads, Flags: lower.Leaves | lower.Stateful | lower.NoFold, Types: kit.AttrTypes("dtype", kit.DataTypes), Shape: readShape, Lower: readLower},
	{Name: "_ReadVariablesOp", Level: lower.Reads, Flags: lower.Stateful | lower.NoFold, Shape: readsShape, Lower: readsLower},
	{Name: "AssignVariableOp", Flags: kit.Changes, Types: kit.AttrTypes("dtype", kit.DataTypes), Shape: assignShape, Lower: assignLower},
	{Name: "Assign", Flags: kit.Changes, Types: kit.Moves, Shape: assignShape, Lower: assignLower},
	{Name: "AssignAddVariableOp", Flags: kit.Changes, Types: kit.AttrTypes("dtype", kit.NumberTypes), Shape: assignShape, Lower: updateLower(bytype.VariableAssignAdd)},
	{Name: "AssignSubVariableOp", Flags: kit.Changes, Types: kit.AttrTypes("dtype", kit.NumberTypes), Shape: assignShape, Lower: updateLower(bytype.VariableAssignSub)},
	{Name: "AssignAdd", Flags: kit.Changes, Types: kit.AttrTypes("T", kit.NumberTypes), Shape: assignShape, Lower: updateLower(bytype.VariableAssignAdd)},
	{Name: "AssignSub", Flags: kit.Changes, Types: kit.AttrTypes("T", kit.NumberTypes), Shape: assignShape, Lower: updateLower(bytype.VariableAssignSub)},
	{Name: "VarIsInitializedOp", Level: lower.Reads, Flags: lower.Leaves | lower.Stateful | lower.NoFold, Shape: ScalarShape(tensor.Bool), Lower: isSetLower},
	{Name: "IsVariableInitialized", Level: lower.Reads, Flags: lower.Stateful | lower.NoFold, Shape: ScalarShape(tensor.Bool), Lower: isSetLower},
	{Name: "DestroyResourceOp", Flags: kit.Changes, Shape: WithoutOutputs, Lower: destroyLower, Limits: "steps after it in the same run find a new resource instead of none"},
	{Name: "DisableCopyOnRead", Level: lower.Reads, Flags: kit.Changes, Shape: WithoutOutputs, Lower: requireLower},
	{Name: "VariableShape", Level: lower.Reads, Flags: lower.Leaves | lower.Stateful | lower.NoFold, Types: arrayops.IndexAttr("out_type"), Shape: variableShapeShape, Lower: variableShapeLower},
	{Name: "CountUpTo", Flags: kit.Changes, Types: arrayops.IndexAttr("T"), Shape: countShape, Lower: countLower},
	{Name: "ResourceCountUpTo", Flags: kit.Changes, Types: arrayops.IndexAttr("T"), Shape: countShape, Lower: countLower},
	{Name: "RefIdentity", Level: lower.Reads, Flags: lower.Forward, Shape: kit.ForwardShape, Lower: kit.ForwardLower},
	{Name: "RefSelect", Level: lower.Reads, Flags: lower.Stateful | lower.NoFold, Shape: refSelectShape, Lower: refSelectLower},
}

// handlesShape sets each output of a node to a scalar handle.
func handlesShape(c *lower.Shaper) error {
	for i := range c.Node.Outs {
		c.Set(i, tensor.Resource, ir.ShapeOf())
	}
	return nil
}

// refShape infers the shape of the output of an op that creates a variable and returns a reference.
// After the pass named refs, the output is a handle. Before that pass, the output is the value of
// the variable.
func refShape(c *lower.Shaper) error {
	if c.Node.Outs[0].DType == tensor.Resource {
		return handlesShape(c)
	}
	s := lower.VariableShape(ir.Out{Node: c.Node})
	if s.UnknownRank {
		c.UnknownShape(0, c.Node.DType("dtype"))
		return nil
	}
	c.Set(0, c.Node.DType("dtype"), ir.ShapeOf(c.DimsOr(s, 0)...))
	return nil
}

func paramsOf(o ir.Out) variable.Params {
	s := lower.VariableShape(o)
	_, name := lower.VariableName(o)
	p := variable.Params{Name: name, DType: lower.VariableDType(o), AnyRank: s.UnknownRank, Ref: o.Node.Op != "VarHandleOp" && o.Node.Op != "_VarHandlesOp"}
	for _, d := range s.Dims {
		p.Declared = append(p.Declared, int(d))
	}
	return p
}

func varHandleLower(b *lower.Builder) error {
	for i := range b.Node.Outs {
		o := ir.Out{Node: b.Node, Index: i}
		p := paramsOf(o)
		if !p.DType.IsData() {
			return b.Errorf(tensor.Unimplemented, "a variable of %v", p.DType)
		}
		if s := lower.VariableShape(o); lower.IsRefVariable(b.Node.Op) && !s.UnknownRank && !staticDims(s) {
			return b.Errorf(tensor.InvalidArgument, "Shape %v is not fully defined", s)
		}
		if b.Node.Str("shared_name") == lower.AnonymousName {
			b.Call(variable.Fresh, b.Out(i), p)
			continue
		}
		key := lower.VariableKey(o)
		t, _ := b.Node.Attrs[lower.VariableValue].(*tensor.Tensor)
		if t == nil {
			b.Object(i, key, variable.New, p)
			savedAs(b, o)
			continue
		}
		fn, err := bytype.VariableNew.Get(t.DType)
		if err != nil {
			return err
		}
		b.Object(i, key, fn, p, append([]int{}, t.Shape...), b.Const("", t))
		savedAs(b, o)
	}
	return nil
}

func temporaryLower(b *lower.Builder) error {
	p := paramsOf(ir.Out{Node: b.Node})
	if s := lower.VariableShape(ir.Out{Node: b.Node}); s.UnknownRank || !staticDims(s) {
		return b.Errorf(tensor.InvalidArgument, "the shape of a temporary variable must be given")
	}
	b.Call(variable.Temporary, b.Out(0), p)
	return nil
}

func destroyTemporaryLower(b *lower.Builder) error {
	if err := readLower(b); err != nil {
		return err
	}
	b.Call(variable.Destroy, b.In(0), true)
	return nil
}

// readShape infers the shape of the output of ReadVariableOp, the value of the variable in input 0.
func readShape(c *lower.Shaper) error {
	if c.In(0).DType != tensor.Resource { // before pass refs
		c.Same(0, 0)
		return nil
	}
	d, s := c.Variable(0)
	if t := c.Node.DType("dtype"); t != tensor.Invalid && t != d {
		return tensor.Errorf(tensor.InvalidArgument, "reads %v from a variable of %v", t, d)
	}
	c.Set(0, d, s)
	return nil
}

// variableOf returns the handle of the variable in input i, and the variable's dimensions. If some
// dimensions are unknown at compile time, variableOf appends calls that make a private copy of the
// variable and compute these dimensions; the returned handle is then that of the copy. If a
// resource variable has no value, the run fails: with FailedPrecondition if the parameter read is
// true, and with NotFound if it is false.
func variableOf(b *lower.Builder, i int, read bool) (plan.View, []*sym.Expr, error) {
	c := b.Shaper()
	d, s := c.Variable(i)
	if !s.Known {
		return plan.View{}, nil, b.Errorf(tensor.Unimplemented,
			"the rank of the variable's value is not known when compiling: declare its shape, or assign only values of the same rank")
	}
	if _, ok := s.Static(); ok {
		return b.In(i), s.Dims, nil
	}
	t := b.Temp(tensor.Resource, sym.One)
	b.Call(variable.Take, t, b.In(i), d, len(s.Dims), read)
	t.Mode = plan.Read
	for k, e := range s.Dims {
		if !kit.IsInt(e) {
			b.CallSizes(variable.Dim, []*sym.Expr{e}, t, len(s.Dims), k)
		}
	}
	return t, s.Dims, nil
}

func readLower(b *lower.Builder) error {
	// the value is not used, but the read must still check that the variable has a value
	if d, s := b.Shaper().Variable(0); !s.Known && !b.OutUsed(0) {
		b.Call(variable.Take, b.Temp(tensor.Resource, sym.One), b.In(0), d, -1, true)
		return nil
	}
	v, dims, err := variableOf(b, 0, true)
	if err != nil {
		return err
	}
	fn, err := bytype.VariableRead.Get(b.OutFact(0).DType)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), v, dims)
	return nil
}

// readsShape infers the shapes of the outputs of _ReadVariablesOp, which reads several variables.
// Their shapes are known at compile time.
func readsShape(c *lower.Shaper) error {
	for i, d := range c.Node.DTypes("dtypes") {
		_, s := lower.HandleFact(c.Node.Ins[i])
		dims, static := make([]int, len(s.Dims)), !s.UnknownRank
		for k, v := range s.Dims {
			dims[k], static = int(v), static && v >= 0
		}
		if !static {
			c.UnknownShape(i, d)
			continue
		}
		c.Set(i, d, ir.StaticShape(dims...))
	}
	return nil
}

func readsLower(b *lower.Builder) error {
	for i := range b.Node.Outs {
		if err := readOnHost(b, i); err != nil {
			return err
		}
	}
	return nil
}

// readOnHost appends a call on the host that reads the variable in input i and stores its value in
// output i.
func readOnHost(b *lower.Builder, i int) error {
	fn, err := bytype.VariableRead.Get(b.OutFact(i).DType)
	if err != nil {
		return err
	}
	if !b.OutFact(i).Shape.Known {
		return b.Errorf(tensor.Unimplemented, "the shape of the variable read as output %d is not known when compiling", i)
	}
	b.Call(fn, b.Out(i), b.In(i), b.OutShape(i))
	return nil
}

func isSetLower(b *lower.Builder) error {
	b.Call(variable.IsSet, b.Out(0), b.In(0))
	return nil
}

func requireLower(b *lower.Builder) error {
	b.Call(variable.Require, b.In(0))
	return nil
}

// variableShapeShape infers the shape of the output of VariableShape. The output is a vector: the
// shape of the variable. Even the rank of the variable may be known only at run time.
func variableShapeShape(c *lower.Shaper) error {
	_, s := lower.DeclaredFact(c.Node.Ins[0])
	if s.UnknownRank {
		c.Set(0, arrayops.OutType(c), ir.ShapeOf(c.NewSize(0)))
		return nil
	}
	c.Set(0, arrayops.OutType(c), ir.StaticShape(len(s.Dims)))
	es := make([]*sym.Expr, len(s.Dims))
	for k, d := range s.Dims {
		if d < 0 {
			return nil
		}
		es[k] = sym.Int(int(d))
	}
	c.SetInts(0, es)
	return nil
}

// maxVariableRank bounds the rank of a variable, as TensorFlow does.
const maxVariableRank = 254

func variableShapeLower(b *lower.Builder) error {
	_, s := lower.DeclaredFact(b.Node.Ins[0])
	if es := b.OutFact(0).Ints; es != nil && b.OutFact(0).Const != nil {
		b.Call(variable.HasShape, b.In(0), es)
		return nil
	}
	rank, size, dst := -1, b.NewSize(0), plan.View{}
	if s.UnknownRank {
		dst = b.OutCap(0, sym.Int(maxVariableRank))
	} else {
		rank, size, dst = len(s.Dims), b.NewSizeK(0, lower.VarSize), b.Out(0)
	}
	if b.OutFact(0).DType == tensor.Int64 {
		b.CallSizes(variable.ShapeI64, []*sym.Expr{size}, dst, b.In(0), rank)
	} else {
		b.CallSizes(variable.ShapeI32, []*sym.Expr{size}, dst, b.In(0), rank)
	}
	return nil
}
