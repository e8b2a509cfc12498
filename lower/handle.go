package lower

import (
	"strings"

	"github.com/graphc/graphc/frontend/opdef"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// IsVariable reports the ops that stand for a variable.
func IsVariable(op string) bool {
	return op == "VarHandleOp" || op == "_VarHandlesOp" || IsRefVariable(op) || op == "TemporaryVariable"
}

// IsRefVariable reports the variables of TensorFlow 1 that a model keeps.
func IsRefVariable(op string) bool { return op == "Variable" || op == "VariableV2" }

// Keeps reports nodes whose outputs are handles, or references, of what a program
// keeps between runs; nodes alike name the same.
func (t *Table) Keeps(n *ir.Node) bool {
	return IsVariable(n.Op) && n.Op != "TemporaryVariable" || t.Is(n.Op, Kept)
}

// HandsOn reports the ops whose outputs are the handles, or references, that
// they get as the inputs from in to below to.
func HandsOn(n *ir.Node) (in, to int) {
	switch n.Op {
	case "Identity", "RefIdentity", "Switch", "RefSwitch", "Enter", "RefEnter", "Exit", "RefExit", "NextIteration", "RefNextIteration",
		ir.YieldOp, ir.NextOp:
		return 0, min(1, len(n.Ins))
	case "Merge", "RefMerge", ir.MergeOp, ir.LoopVarOp:
		return 0, len(n.Ins)
	case "RefSelect":
		return min(1, len(n.Ins)), len(n.Ins)
	}
	if s := opdef.Lookup(n.Op); s != nil && len(s.Ins) > 0 && s.Ins[0].Ref && len(s.Outs) > 0 && s.Outs[0].Ref {
		return 0, min(1, len(n.Ins)) // it changes the variable, or only looks at it
	}
	return 0, 0
}

// HandsOutRef reports whether an op of TensorFlow 1 changes the variable of its first input and
// hands its reference out. Ops that only pass a reference on have Ref in their names.
func HandsOutRef(op string) bool {
	s := opdef.Lookup(op)
	return s != nil && len(s.Ins) > 0 && s.Ins[0].Ref && len(s.Outs) > 0 && s.Outs[0].Ref && !strings.Contains(op, "Ref")
}

// Variables returns the tensors of variables' nodes of which the handle o may be
// one, in no order that means anything but always the same; ok false where it may be another too.
func Variables(o ir.Out) (vars []ir.Out, ok bool) {
	seen := map[ir.Out]bool{}
	ok = true
	var visit func(o ir.Out)
	visit = func(o ir.Out) {
		if seen[o] {
			return
		}
		seen[o] = true
		if IsVariable(o.Node.Op) {
			vars = append(vars, o)
			return
		}
		lo, hi := HandsOn(o.Node)
		if lo == hi {
			ok = false
		}
		for _, i := range o.Node.Ins[lo:hi] {
			visit(i)
		}
	}
	visit(o)
	return vars, ok
}

// VariableDType returns the element type of the variable o, an output of a variable's node.
func VariableDType(o ir.Out) tensor.DType {
	if o.Node.Op == "_VarHandlesOp" {
		if l := o.Node.DTypes("dtypes"); o.Index < len(l) {
			return l[o.Index]
		}
		return tensor.Invalid
	}
	return o.Node.DType("dtype")
}

// VariableShape returns the shapes that the value of o, an output of a variable's
// node, may have.
func VariableShape(o ir.Out) ir.PartialShape {
	s, ok := o.Node.Attrs["shape"].(ir.PartialShape)
	if o.Node.Op == "_VarHandlesOp" {
		l, _ := o.Node.Attrs["shapes"].([]ir.PartialShape)
		if ok = o.Index < len(l); ok {
			s = l[o.Index]
		}
	}
	// The oldest form has no other way to say that the shape is not known.
	if !ok || o.Node.Op == "Variable" && len(s.Dims) == 0 {
		return ir.PartialShape{UnknownRank: true}
	}
	return s
}

// VariableKey returns what variables' nodes have in common that stand for one
// variable: kind, container and name.
func VariableKey(o ir.Out) string {
	kind := "variable"
	if IsRefVariable(o.Node.Op) {
		kind = "reference"
	}
	container, name := VariableName(o)
	return kind + " " + plan.ContainerKey(container) + "/" + name
}

// VariableName returns the container and the name of the variable o.
func VariableName(o ir.Out) (container, name string) {
	n := o.Node
	container, name = n.Str("container"), n.Str("shared_name")
	if n.Op == "_VarHandlesOp" {
		at := func(key string) string {
			if l, _ := n.Attrs[key].([]string); o.Index < len(l) {
				return l[o.Index]
			}
			return ""
		}
		container, name = at("containers"), at("shared_names")
	}
	if name == "" {
		name = n.Name
	}
	return container, name
}

// AssumedRank is the attribute of a variable's node of undeclared rank that holds the rank
// of all that its own signature assigns. Readers rely on it, and refuse a value of another
// rank when they run, which another signature may have assigned.
const AssumedRank = "_rank"

// valueShape is the shape that readers rely on: the declared one, or that of AssumedRank.
func valueShape(o ir.Out) ir.PartialShape {
	s := VariableShape(o)
	if rank, ok := o.Node.Attrs[AssumedRank].(int64); ok && s.UnknownRank {
		s = ir.PartialShape{Dims: make([]int64, rank)}
		for k := range s.Dims {
			s.Dims[k] = -1
		}
	}
	return s
}

// HandleFact describes the value of the variable whose handle is o, as far as all that it
// may be agree.
func HandleFact(o ir.Out) (tensor.DType, ir.PartialShape) { return factOf(o, valueShape) }

// DeclaredFact is HandleFact without assumptions: of the shape that any value has.
func DeclaredFact(o ir.Out) (tensor.DType, ir.PartialShape) { return factOf(o, VariableShape) }

func factOf(o ir.Out, shape func(ir.Out) ir.PartialShape) (tensor.DType, ir.PartialShape) {
	vars, ok := Variables(o)
	if !ok || len(vars) == 0 {
		return tensor.Invalid, ir.PartialShape{UnknownRank: true}
	}
	d, s := VariableDType(vars[0]), shape(vars[0])
	for _, v := range vars[1:] {
		if VariableDType(v) != d {
			d = tensor.Invalid
		}
		s = joinPartial(s, shape(v))
	}
	return d, s
}

// joinPartial returns the shapes that s or t stand for.
func joinPartial(s, t ir.PartialShape) ir.PartialShape {
	if s.UnknownRank || t.UnknownRank || len(s.Dims) != len(t.Dims) {
		return ir.PartialShape{UnknownRank: true}
	}
	dims := append([]int64(nil), s.Dims...)
	for k, d := range t.Dims {
		if dims[k] != d {
			dims[k] = -1
		}
	}
	return ir.PartialShape{Dims: dims}
}

// Beside reports whether two nodes are in the same region and the same function: only there
// do TensorFlow's shape functions know the declared shape of a variable.
func Beside(n, m *ir.Node) bool {
	return n.Region == m.Region && n.Origin.File == m.Origin.File
}

// Declared is the shape that the variable of input i was declared with, as far as TensorFlow's
// shape functions know it: where the variable is in the node's own region and function. Dimensions
// that are not declared are nil.
func (c *Shaper) Declared(i int) ir.Shape {
	vars, ok := Variables(c.Node.Ins[i])
	for _, v := range vars {
		ok = ok && Beside(c.Node, v.Node)
	}
	_, s := DeclaredFact(c.Node.Ins[i])
	if !ok {
		return ir.Shape{}
	}
	return statedShape(s)
}

// FitsVariable compares x, whose name is what, with the declared shape of the variable of input 0.
func (c *Shaper) FitsVariable(what string, x ir.Shape) error {
	return Fits(what, x, "the variable", c.Declared(0))
}

// VarSize numbers the sizes of variables that a step binds, among those of a node's output 0.
const VarSize = 2 * ExtraSize

// Variable returns type and shape of the variable of input i. A size that is not
// known is one that variableOf binds.
func (c *Shaper) Variable(i int) (tensor.DType, ir.Shape) {
	d, s := HandleFact(c.Node.Ins[i])
	if d == tensor.Invalid {
		for _, key := range []string{"dtype", "T"} {
			if t := c.Node.DType(key); t != tensor.Invalid {
				d = t
			}
		}
	}
	if s.UnknownRank {
		return d, ir.Shape{}
	}
	return d, ir.ShapeOf(c.DimsOr(s, VarSize)...)
}
