package lower

import (
	"strings"

	"github.com/graphc/graphc/frontend/opdef"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// IsVariable reports whether an op represents a variable.
func IsVariable(op string) bool {
	return op == "VarHandleOp" || op == "_VarHandlesOp" || IsRefVariable(op) || op == "TemporaryVariable"
}

// IsRefVariable reports whether an op is a variable of TensorFlow 1 whose value a model keeps
// between runs.
func IsRefVariable(op string) bool { return op == "Variable" || op == "VariableV2" }

// Keeps reports whether a node's outputs are handles of, or references to, resources that a program
// keeps between runs. Equal nodes refer to the same resource.
func (t *Table) Keeps(n *ir.Node) bool {
	return IsVariable(n.Op) && n.Op != "TemporaryVariable" || t.Is(n.Op, Kept)
}

// HandsOn finds the inputs that node n may pass through as its outputs, if its outputs are handles
// or references. These inputs are n.Ins[in:to]. The range is empty if n computes its outputs.
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
		return 0, min(1, len(n.Ins)) // the op changes or reads the variable of input 0
	}
	return 0, 0
}

// HandsOutRef reports whether an op of TensorFlow 1 changes the variable in its first input and
// returns the reference to this variable. Ops that only pass a reference through have Ref in their
// names.
func HandsOutRef(op string) bool {
	s := opdef.Lookup(op)
	return s != nil && len(s.Ins) > 0 && s.Ins[0].Ref && len(s.Outs) > 0 && s.Outs[0].Ref && !strings.Contains(op, "Ref")
}

// Variables returns the variables to which the handle o may refer, in a deterministic order. Each
// variable is given as the output of its node. ok is false if the handle may also refer to
// something that is not a variable.
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

// VariableShape returns the possible shapes of the value of o, an output of a variable's node.
func VariableShape(o ir.Out) ir.PartialShape {
	s, ok := o.Node.Attrs["shape"].(ir.PartialShape)
	if o.Node.Op == "_VarHandlesOp" {
		l, _ := o.Node.Attrs["shapes"].([]ir.PartialShape)
		if ok = o.Index < len(l); ok {
			s = l[o.Index]
		}
	}
	// The oldest op, Variable, can express an unknown shape only as an empty one.
	if !ok || o.Node.Op == "Variable" && len(s.Dims) == 0 {
		return ir.PartialShape{UnknownRank: true}
	}
	return s
}

// VariableKey returns the key of a variable: kind, container and name. All nodes of one variable
// have the same key.
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

// AssumedRank is an attribute of the node of a variable whose rank is not declared. It is the rank
// of all values that the compiled signature assigns to the variable. Nodes that read the variable
// rely on this rank. Another signature may assign a value of another rank, which readers reject at
// run time.
const AssumedRank = "_rank"

// valueShape returns the shape on which nodes that read the variable rely. This is the declared
// shape. If no rank is declared but the node has an AssumedRank, it is a shape of that rank with
// unknown dimensions.
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

// HandleFact describes the value of the variable with handle o, as far as it is the same for all
// variables to which o may refer.
func HandleFact(o ir.Out) (tensor.DType, ir.PartialShape) { return factOf(o, valueShape) }

// DeclaredFact is HandleFact without the assumption in AssumedRank: its shape is right for every
// value that the variable can have.
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

// joinPartial returns the partial shape that keeps everything in which s and t agree. Dimensions
// that differ are unknown. If the ranks differ, the rank is unknown.
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

// Beside reports whether two nodes are in the same region and function. TensorFlow's shape
// functions know a variable's declared shape only in the variable's region and function.
func Beside(n, m *ir.Node) bool {
	return n.Region == m.Region && n.Origin.File == m.Origin.File
}

// Declared returns the declared shape of the variable of input i, if TensorFlow's shape functions
// know it. They know it if the variable is in the node's region and function. Undeclared dimensions
// are nil.
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

// FitsVariable checks that the shape x fits the declared shape of the variable in input 0. Errors
// use the first argument as the name of x.
func (c *Shaper) FitsVariable(what string, x ir.Shape) error {
	return Fits(what, x, "the variable", c.Declared(0))
}

// VarSize separates two kinds of symbols of a node's output 0. The symbols with numbers from VarSize
// on are for the sizes of a variable. The node's step determines the values of these symbols at run
// time. Shaper.NewSizeK describes the numbers.
const VarSize = 2 * ExtraSize

// Variable returns the type and the shape of the variable of input i. Unknown dimensions become
// symbols, whose values the node's step determines at run time.
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
