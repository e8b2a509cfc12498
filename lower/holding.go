package lower

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/rt/tensor"
)

// Holding describes how nodes of an op use containers of tensors: lists, TensorArrays and stacks.
// Contents derives the known facts about a container's tensors from these descriptions.
type Holding struct {
	// Makes is set for ops that create a new container: a list, or an array or a stack behind a
	// handle.
	Makes bool
	// Ask holds the index of the input that is the shape of an element, if the op has such an
	// input.
	Ask []int
	// Puts are the inputs that the op puts into the container.
	Puts []Put
	// From holds the indices of the input lists whose elements may also be in the list in output 0.
	// If FromAll is set, all inputs are such lists.
	From    []int
	FromAll bool
	// InPlace is set for ops that compute output 0 from the list in input 0, and may change this
	// list in place if nothing else reads it.
	InPlace bool
	// Elements holds the indices of outputs that may be lists which were elements of the list in
	// input 0.
	Elements []int
	// LooksInside is set for ops whose output shapes depend on what other nodes put into the
	// container.
	LooksInside bool
	// Gradients is set for ops that create the array of gradients for another array. Longer is set
	// if such an op also prepends dimensions to the shapes of the elements.
	Gradients, Longer bool
	// Len returns the number of elements of the list in output 0, or nil if it is unknown.
	Len func(l *Length) *sym.Expr
}

// Put is an input that is put into a container.
type Put struct {
	Input int
	Part  Part
}

// Part is the part of a tensor that is one element of a container.
type Part int

// The parts.
const (
	Whole     Part = iota // the whole tensor
	EachRow               // each row
	RowGroups             // groups of several rows
)

// Length computes the number of elements of a list.
type Length struct {
	Node *ir.Node
	g    *ir.Graph
	of   func(ir.Out) *sym.Expr
}

// Of returns the number of elements of the list in input i, or nil if it is unknown.
func (l *Length) Of(i int) *sym.Expr { return l.of(l.Node.Ins[i]) }

// Input returns the value of input i, a number, or nil if it is unknown or negative.
func (l *Length) Input(i int) *sym.Expr {
	if es, ok := IntsOf(l.g, l.Node.Ins[i]); ok && len(es) == 1 && !MayBeNegative(es[0]) {
		return es[0]
	}
	return nil
}

// noHolding is the Holding of ops that do not use containers.
var noHolding = &Holding{}

// holding returns the Holding of an op, or noHolding.
func (t *Table) holding(op string) *Holding {
	if d := t.Lookup(op); d != nil && d.Holding != nil {
		return d.Holding
	}
	return noHolding
}

// AskInput returns the index of the input that is the shape of a list's elements, or -1 if the op has
// no such input.
func (t *Table) AskInput(op string) int {
	if ask := t.holding(op).Ask; len(ask) > 0 {
		return ask[0]
	}
	return -1
}

// HandedOn returns the tensors of which o may be an unchanged copy. It returns false if o's node
// computes a new tensor.
func (t *Table) HandedOn(o ir.Out) ([]ir.Out, bool) {
	n := o.Node
	if ir.Joins(n.Op) && (n.Op != ir.MergeOp || o.Index == 0) {
		return n.Ins, true
	}
	if t.Is(n.Op, Forward) && o.Index < len(n.Ins) {
		return n.Ins[o.Index : o.Index+1], true
	}
	return nil, false
}

// listWrite is a tensor that a node puts into a container.
type listWrite struct {
	o    ir.Out
	part Part
}

// element returns the shape of a container's element that the write creates.
func (w listWrite) element() ir.Shape {
	s := w.o.Fact().Shape
	switch w.part {
	case EachRow:
		return rowsOf(s)
	case RowGroups:
		return partsOf(s)
	}
	return s
}

// puts returns the tensors that a node puts into a container.
func (t *Table) puts(n *ir.Node) []listWrite {
	var ws []listWrite
	for _, p := range t.holding(n.Op).Puts {
		ws = append(ws, listWrite{n.Ins[p.Input], p.Part})
	}
	return ws
}

// listFrom returns the lists whose tensors are also in the list o, or nil if there are none.
func (t *Table) listFrom(o ir.Out) []ir.Out {
	if o.Index != 0 {
		return nil
	}
	h := t.holding(o.Node.Op)
	if h.FromAll {
		return o.Node.Ins
	}
	var from []ir.Out
	for _, i := range h.From {
		from = append(from, o.Node.Ins[i])
	}
	return from
}

// ListHolder returns the list of which the list o was an element.
func (t *Table) ListHolder(o ir.Out) (ir.Out, bool) {
	if slices.Contains(t.holding(o.Node.Op).Elements, o.Index) {
		return o.Node.Ins[0], true
	}
	return ir.Out{}, false
}

// WalkVariants goes back from the variant o through everything that passes variants through,
// including lists. It calls f for each node, and continues beyond the node only if f returns true.
func (t *Table) WalkVariants(o ir.Out, f func(*ir.Node) bool) {
	seen := map[ir.Out]bool{}
	var visit func(o ir.Out)
	visit = func(o ir.Out) {
		if seen[o] {
			return
		}
		seen[o] = true
		if !f(o.Node) {
			return
		}
		from, handed := t.HandedOn(o)
		if holder, list := t.ListHolder(o); list {
			from = t.ListItems(holder)
		} else if !handed {
			from = o.Node.Ins
		}
		for _, i := range from {
			if i.Fact().DType == tensor.Variant {
				visit(i)
			}
		}
	}
	visit(o)
}
