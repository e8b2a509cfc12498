package lower

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/rt/tensor"
)

// Holding says what nodes of an op do with containers of tensors: lists, TensorArrays and stacks. What is known of
// the tensors in a container follows from it; see Contents.
type Holding struct {
	// Makes ops make a container of no other: a list, or an array or a stack behind a handle.
	Makes bool
	// Ask is the input that states the shape of an element, if there is one.
	Ask []int
	// Puts are the inputs that are put in.
	Puts []Put
	// From are the inputs that are lists, whose elements the list that is output 0 may have too; FromAll says that all
	// inputs are.
	From    []int
	FromAll bool
	// InPlace ops make output 0 of the list that is input 0, which they may change where nobody else reads it.
	InPlace bool
	// Elements are the outputs that may themselves be lists, which were elements of the list that is input 0.
	Elements []int
	// LooksInside ops have outputs whose shapes depend on what other nodes put into the container.
	LooksInside bool
	// Gradients ops make, of an array, the array of its gradients, and Longer ones put dimensions before those of
	// its elements.
	Gradients, Longer bool
	// Len is the number of elements of the list that is output 0; nil where it is not known.
	Len func(l *Length) *sym.Expr
}

// Put is an input that is put into a container.
type Put struct {
	Input int
	Part  Part
}

// Part says what of a tensor is one element of a container.
type Part int

// The parts.
const (
	Whole     Part = iota // the tensor
	EachRow               // each row
	RowGroups             // parts of several rows
)

// Length finds out how many elements a list has.
type Length struct {
	Node *ir.Node
	g    *ir.Graph
	of   func(ir.Out) *sym.Expr
}

// Of returns the number of elements of the list that is input i, nil where it is not known.
func (l *Length) Of(i int) *sym.Expr { return l.of(l.Node.Ins[i]) }

// Input returns input i, a number, where it is known not to be negative, or nil.
func (l *Length) Input(i int) *sym.Expr {
	if es, ok := IntsOf(l.g, l.Node.Ins[i]); ok && len(es) == 1 && !MayBeNegative(es[0]) {
		return es[0]
	}
	return nil
}

// noHolding is the Holding of ops that have nothing to do with containers.
var noHolding = &Holding{}

// holding returns what an op does with containers.
func (t *Table) holding(op string) *Holding {
	if d := t.Lookup(op); d != nil && d.Holding != nil {
		return d.Holding
	}
	return noHolding
}

// AskInput returns the input that states the shape of a list's elements, -1 where an op has none.
func (t *Table) AskInput(op string) int {
	if ask := t.holding(op).Ask; len(ask) > 0 {
		return ask[0]
	}
	return -1
}

// HandedOn returns the tensors that o may be without a change, false for one that
// its node makes.
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

// listWrite is a tensor that goes into a container.
type listWrite struct {
	o    ir.Out
	part Part
}

// element is the shape of an element.
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

// listFrom returns the lists whose tensors the list o has too, nil where it has those of none.
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

// ListHolder returns the list that the list o was an element of.
func (t *Table) ListHolder(o ir.Out) (ir.Out, bool) {
	if slices.Contains(t.holding(o.Node.Op).Elements, o.Index) {
		return o.Node.Ins[0], true
	}
	return ir.Out{}, false
}

// WalkVariants goes back from the variant o through all that hands variants on, lists included, and calls f for each
// node that it meets. It goes on behind a node where f returns true.
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
