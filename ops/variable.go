package ops

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/variable"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

func attrTypes(attr string, ds []tensor.DType) map[string][]tensor.DType {
	return map[string][]tensor.DType{attr: ds}
}

// variableDefs make, read and assign variables. The references of TensorFlow 1
// are handles when they are lowered: see pass refs.
//
// A variable without a value is FailedPrecondition where it is read, or taken by
// reference, and NotFound where a resource's handle is taken to change it.
var variableDefs = []*Def{
	{Name: "VarHandleOp", Level: Source, Flags: Stateful | NoFold, Shape: handlesShape, Lower: varHandleLower},
	{Name: "_VarHandlesOp", Level: Source, Flags: Stateful | NoFold, Shape: handlesShape, Lower: varHandleLower},
	{Name: "Variable", Level: Source, Flags: Stateful | NoFold, Shape: refShape, Lower: varHandleLower},
	{Name: "VariableV2", Level: Source, Flags: Stateful | NoFold, Shape: refShape, Lower: varHandleLower},
	{Name: "TemporaryVariable", Level: Source, Flags: Stateful | NoFold, Shape: refShape, Lower: temporaryLower},
	{Name: "DestroyTemporaryVariable", Flags: changes, Shape: readShape, Lower: destroyTemporaryLower},
	{Name: "ReadVariableOp", Level: Reads, Flags: Stateful | NoFold, Types: attrTypes("dtype", dataTypes), Shape: readShape, Lower: readLower},
	{Name: "_ReadVariablesOp", Level: Reads, Flags: Stateful | NoFold, Shape: readsShape, Lower: readsLower},
	{Name: "AssignVariableOp", Flags: changes, Types: attrTypes("dtype", dataTypes), Shape: assignShape, Lower: assignLower},
	{Name: "Assign", Flags: changes, Types: moves, Shape: assignShape, Lower: assignLower},
	{Name: "AssignAddVariableOp", Flags: changes, Types: attrTypes("dtype", numberTypes), Shape: assignShape, Lower: updateLower(variableAssignAddKernels)},
	{Name: "AssignSubVariableOp", Flags: changes, Types: attrTypes("dtype", numberTypes), Shape: assignShape, Lower: updateLower(variableAssignSubKernels)},
	{Name: "AssignAdd", Flags: changes, Types: attrTypes("T", numberTypes), Shape: assignShape, Lower: updateLower(variableAssignAddKernels)},
	{Name: "AssignSub", Flags: changes, Types: attrTypes("T", numberTypes), Shape: assignShape, Lower: updateLower(variableAssignSubKernels)},
	{Name: "VarIsInitializedOp", Level: Reads, Flags: Stateful | NoFold, Shape: scalarShape(tensor.Bool), Lower: isSetLower},
	{Name: "IsVariableInitialized", Level: Reads, Flags: Stateful | NoFold, Shape: scalarShape(tensor.Bool), Lower: isSetLower},
	{Name: "DestroyResourceOp", Flags: changes, Shape: withoutOutputs, Lower: destroyLower, Limits: "what comes behind it in the run finds the resource new, not gone"},
	{Name: "DisableCopyOnRead", Level: Reads, Flags: changes, Shape: withoutOutputs, Lower: requireLower},
	{Name: "VariableShape", Level: Reads, Flags: Stateful | NoFold, Types: indexAttr("out_type"), Shape: variableShapeShape, Lower: variableShapeLower},
	{Name: "CountUpTo", Flags: changes, Types: indexAttr("T"), Shape: countShape, Lower: countLower},
	{Name: "ResourceCountUpTo", Flags: changes, Types: indexAttr("T"), Shape: countShape, Lower: countLower},
	{Name: "RefIdentity", Level: Reads, Flags: Forward, Shape: forwardShape, Lower: forwardLower},
	{Name: "RefSelect", Level: Reads, Flags: Stateful | NoFold, Shape: refSelectShape, Lower: refSelectLower},
}

// handlesShape: every output is a handle.
func handlesShape(c *Shaper) error {
	for i := range c.Node.Outs {
		c.Set(i, tensor.Resource, ir.ShapeOf())
	}
	return nil
}

// refShape: a reference is a handle, or, before pass refs, the value.
func refShape(c *Shaper) error {
	if c.Node.Outs[0].DType == tensor.Resource {
		return handlesShape(c)
	}
	s := VariableShape(ir.Out{Node: c.Node})
	if s.UnknownRank {
		c.unknownShape(0, c.Node.DType("dtype"))
		return nil
	}
	c.Set(0, c.Node.DType("dtype"), ir.ShapeOf(c.dimsOr(s, 0)...))
	return nil
}

// dimsOr returns the dimensions that s states, and for each unknown one a size
// of output 0, numbered from k on.
func (c *Shaper) dimsOr(s ir.PartialShape, k int) []*sym.Expr {
	dims := make([]*sym.Expr, len(s.Dims))
	for i, v := range s.Dims {
		if dims[i] = sym.Int(int(v)); v < 0 {
			dims[i] = c.NewSizeK(0, k+i)
		}
	}
	return dims
}

func paramsOf(o ir.Out) variable.Params {
	s := VariableShape(o)
	_, name := variableName(o)
	p := variable.Params{Name: name, DType: VariableDType(o), AnyRank: s.UnknownRank, Ref: o.Node.Op != "VarHandleOp" && o.Node.Op != "_VarHandlesOp"}
	for _, d := range s.Dims {
		p.Declared = append(p.Declared, int(d))
	}
	return p
}

// AnonymousName is the shared name of variables of which every execution makes a new one.
const AnonymousName = "cd2c89b7-88b7-44c8-ad83-06c2a9158347"

// VariableValue is the attribute of a variable's node that holds its first
// value, which pass freeze finds in the checkpoint.
const VariableValue = "_value"

// VariableCheckpoint and VariableSlice are the attributes of a variable's node that
// hold the name under which its value is saved, "" for one that is not, and which
// part of the tensor of that name it is where it is not the whole.
const (
	VariableCheckpoint = "_checkpoint"
	VariableSlice      = "_slice"
)

func varHandleLower(b *Builder) error {
	for i := range b.Node.Outs {
		o := ir.Out{Node: b.Node, Index: i}
		p := paramsOf(o)
		if !p.DType.IsData() {
			return b.Errorf(tensor.Unimplemented, "a variable of %v", p.DType)
		}
		if s := VariableShape(o); isRefVariable(b.Node.Op) && !s.UnknownRank && !staticDims(s) {
			return b.Errorf(tensor.InvalidArgument, "Shape %v is not fully defined", s)
		}
		if b.Node.Str("shared_name") == AnonymousName {
			b.Call(variable.Fresh, b.Out(i), p)
			continue
		}
		key := VariableKey(o)
		t, _ := b.Node.Attrs[VariableValue].(*tensor.Tensor)
		if t == nil {
			b.Object(i, key, variable.New, p)
			b.savedAs(o)
			continue
		}
		fn, err := variableNewKernels.get(t.DType)
		if err != nil {
			return err
		}
		b.Object(i, key, fn, p, append([]int{}, t.Shape...), b.Const("", t))
		b.savedAs(o)
	}
	return nil
}

func temporaryLower(b *Builder) error {
	p := paramsOf(ir.Out{Node: b.Node})
	if s := VariableShape(ir.Out{Node: b.Node}); s.UnknownRank || !staticDims(s) {
		return b.Errorf(tensor.InvalidArgument, "the shape of a temporary variable must be given")
	}
	b.Call(variable.Temporary, b.Out(0), p)
	return nil
}

func destroyTemporaryLower(b *Builder) error {
	if err := readLower(b); err != nil {
		return err
	}
	b.Call(variable.Destroy, b.In(0), true)
	return nil
}

// readShape: input 0 is a variable, output 0 its value.
func readShape(c *Shaper) error {
	if c.In(0).DType != tensor.Resource { // before pass refs
		c.Same(0, 0)
		return nil
	}
	d, s := c.variable(0)
	if t := c.Node.DType("dtype"); t != tensor.Invalid && t != d {
		return tensor.Errorf(tensor.InvalidArgument, "reads %v from a variable of %v", t, d)
	}
	c.Set(0, d, s)
	return nil
}

// variable returns the handle of the variable of input i with its dimensions.
// Where these are not all known the handle is that of a copy, and a step binds
// what is missing. read says which error a resource without a value is.
func (b *Builder) variable(i int, read bool) (plan.View, []*sym.Expr, error) {
	c := b.Shaper()
	d, s := c.variable(i)
	if !s.Known {
		return plan.View{}, nil, b.Errorf(tensor.Unimplemented,
			"the rank of the variable's value is not known when compiling: a declared shape, or assigned values of one rank, would tell it")
	}
	if _, ok := s.Static(); ok {
		return b.In(i), s.Dims, nil
	}
	t := b.Temp(tensor.Resource, sym.One)
	b.Call(variable.Take, t, b.In(i), d, len(s.Dims), read)
	t.Mode = plan.Read
	for k, e := range s.Dims {
		if !isInt(e) {
			b.CallSizes(variable.Dim, []*sym.Expr{e}, t, len(s.Dims), k)
		}
	}
	return t, s.Dims, nil
}

func readLower(b *Builder) error {
	if d, s := b.Shaper().variable(0); !s.Known && !b.OutUsed(0) { // it is read for its errors
		b.Call(variable.Take, b.Temp(tensor.Resource, sym.One), b.In(0), d, -1, true)
		return nil
	}
	v, dims, err := b.variable(0, true)
	if err != nil {
		return err
	}
	fn, err := variableReadKernels.get(b.OutFact(0).DType)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), v, dims)
	return nil
}

// readsShape: _ReadVariablesOp reads several variables of known shapes.
func readsShape(c *Shaper) error {
	for i, d := range c.Node.DTypes("dtypes") {
		_, s := handleFact(c.Node.Ins[i])
		dims, static := make([]int, len(s.Dims)), !s.UnknownRank
		for k, v := range s.Dims {
			dims[k], static = int(v), static && v >= 0
		}
		if !static {
			c.unknownShape(i, d)
			continue
		}
		c.Set(i, d, ir.StaticShape(dims...))
	}
	return nil
}

func readsLower(b *Builder) error {
	for i := range b.Node.Outs {
		if err := b.readOnHost(i); err != nil {
			return err
		}
	}
	return nil
}

// readOnHost appends the read of input i as output i.
func (b *Builder) readOnHost(i int) error {
	fn, err := variableReadKernels.get(b.OutFact(i).DType)
	if err != nil {
		return err
	}
	if !b.OutFact(i).Shape.Known {
		return b.Errorf(tensor.Unimplemented, "the shape of the variable read as output %d is not known when compiling", i)
	}
	b.Call(fn, b.Out(i), b.In(i), b.OutShape(i))
	return nil
}

func isSetLower(b *Builder) error {
	b.Call(variable.IsSet, b.Out(0), b.In(0))
	return nil
}

func requireLower(b *Builder) error {
	b.Call(variable.Require, b.In(0))
	return nil
}

// variableShapeShape: the shape of a variable, whose rank the run may decide.
func variableShapeShape(c *Shaper) error {
	_, s := declaredFact(c.Node.Ins[0])
	if s.UnknownRank {
		c.Set(0, outType(c), ir.ShapeOf(c.NewSize(0)))
		return nil
	}
	c.Set(0, outType(c), ir.StaticShape(len(s.Dims)))
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

func variableShapeLower(b *Builder) error {
	_, s := declaredFact(b.Node.Ins[0])
	if es := b.OutFact(0).Ints; es != nil && b.OutFact(0).Const != nil {
		b.Call(variable.HasShape, b.In(0), es)
		return nil
	}
	rank, size, dst := -1, b.NewSize(0), plan.View{}
	if s.UnknownRank {
		dst = b.OutCap(0, sym.Int(maxVariableRank))
	} else {
		rank, size, dst = len(s.Dims), b.NewSizeK(0, varSize), b.Out(0)
	}
	if b.OutFact(0).DType == tensor.Int64 {
		b.CallSizes(variable.ShapeI64, []*sym.Expr{size}, dst, b.In(0), rank)
	} else {
		b.CallSizes(variable.ShapeI32, []*sym.Expr{size}, dst, b.In(0), rank)
	}
	return nil
}
