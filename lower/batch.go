package lower

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
)

// A batch is a tensor whose dimension 0 has a block of elements for each item. A block is one row
// or a constant number of rows. A run may compute a batch in micro-batches if the result for an
// item never depends on another item. BatchSize proves this from the rules for the ops, which are
// in the packages below ops.

// BatchRule reports whether outputs of a node are batches and each of their items depends only on
// the same item of the inputs that are batches. At least one input is a batch or a list of sizes
// that depend on the number of items.
type BatchRule func(*BatchNode) bool

// BatchNode is the argument of a BatchRule. Its methods describe the inputs of a node.
type BatchNode struct {
	*Shaper
	size  string
	class map[ir.Out]batchClass
}

// batchClass says how a tensor depends on the batch.
type batchClass uint8

const (
	mixed batchClass = iota // not known to be one of the others
	fixed                   // the same for each batch
	sized                   // depends only on the number of items
	batch                   // each item depends on the same item of the feeds only
)

// Batch reports whether input i is a batch.
func (b *BatchNode) Batch(i int) bool { return b.class[b.Node.Ins[i]] == batch }

// Fixed reports whether input i does not depend on the batch.
func (b *BatchNode) Fixed(i int) bool { return b.class[b.Node.Ins[i]] == fixed }

// Sizes reports whether input i depends on nothing but the number of items.
func (b *BatchNode) Sizes(i int) bool { return b.Fixed(i) || b.class[b.Node.Ins[i]] == sized }

// SizesButFirst reports whether input i is a list of sizes of which only the first may depend on the
// number of items.
func (b *BatchNode) SizesButFirst(i int) bool {
	if b.Fixed(i) {
		return true
	}
	es, ok := b.Ints(i)
	return ok && b.Sizes(i) && len(es) > 0 && !mentions(&ir.Fact{Ints: es[1:]}, b.size)
}

// Rank returns the rank of input i.
func (b *BatchNode) Rank(i int) int { return b.Shape(i).Rank() }

// OutRank returns the rank of output 0.
func (b *BatchNode) OutRank() int { return b.Node.Outs[0].Shape.Rank() }

// Row reports whether input i is a batch that has as many rows as output 0, so that row r of the
// output may be computed from row r of the input.
func (b *BatchNode) Row(i int) bool {
	return b.Batch(i) && b.Shape(i).Dims[0].Equal(b.Node.Outs[0].Shape.Dims[0])
}

// Broadcast reports whether broadcasting input i to the shape of output 0 either keeps the rows of
// a batch, or repeats a fixed tensor for each row.
func (b *BatchNode) Broadcast(i int) bool {
	if b.Row(i) {
		return b.Rank(i) == b.OutRank()
	}
	return b.Fixed(i) && (b.Rank(i) < b.OutRank() || b.Shape(i).Dims[0].Is(1))
}

// FirstBatch is a BatchRule for ops that compute row r of their outputs from row r of input 0. All
// other inputs are fixed or have rows as input 0, like the tensor that a fused op adds to its
// result.
func FirstBatch(b *BatchNode) bool { return b.NumIn() > 0 && b.Row(0) && EachRowBatch(b) }

// EachRowBatch is a BatchRule for ops that compute row r of their outputs from row r of each input that is
// a batch. All other inputs are fixed.
func EachRowBatch(b *BatchNode) bool {
	for i := range b.NumIn() {
		if !b.Row(i) && !b.Fixed(i) {
			return false
		}
	}
	return true
}

// FirstBatchOfRank is FirstBatch for ops that work along the last axis or axes: input 0 must have at
// least the given rank, so that these axes do not include axis 0.
func FirstBatchOfRank(rank int) BatchRule {
	return func(b *BatchNode) bool { return FirstBatch(b) && b.Rank(0) >= rank }
}

// BroadcastBatch is a BatchRule for ops that compute an element of the output from one element of
// each input, after broadcasting.
func BroadcastBatch(b *BatchNode) bool {
	for i := range b.NumIn() {
		if !b.Broadcast(i) {
			return false
		}
	}
	return true
}

// RenamedBatch is a BatchRule for ops that return the elements of input 0 in the same order, with
// another shape that the other inputs determine.
func RenamedBatch(b *BatchNode) bool {
	for i := 1; i < b.NumIn(); i++ {
		if !b.Sizes(i) {
			return false
		}
	}
	return b.Batch(0)
}

// BatchSize returns the name of the size that is the number of items of a batch, if all results for
// an item depend only on this item of the feeds, and running the plan again changes nothing else.
// Otherwise it returns "". The plan is the result of Lower for the graph.
func (t *Table) BatchSize(g *ir.Graph, p *plan.Plan) string {
	name := ""
	for _, f := range p.Fetches {
		if _, watched := ir.Watched(f.Key); watched {
			return ""
		}
		if size, ok := dimOf(f.Shape); ok && name == "" {
			name = size
		}
	}
	if name == "" || !repeatable(p, name) || len(g.Regions()) > 0 || g.Branches() || parted(g) {
		return ""
	}
	order, err := g.Order()
	if err != nil {
		return ""
	}
	class := map[ir.Out]batchClass{}
	for _, f := range g.Feeds {
		c := batch
		if !mentions(f.Out.Fact(), name) {
			c = fixed
		} else if !isBatch(f.Out.Fact().Shape, name) {
			return ""
		}
		class[f.Out] = c
	}
	for _, n := range order {
		if level := t.Level(n.Op); level == Effects || level == Called {
			return ""
		}
		for i := range n.Outs {
			o := ir.Out{Node: n, Index: i}
			if _, fed := class[o]; !fed {
				class[o] = t.classOf(g, o, name, class)
			}
		}
	}
	for o := range g.Read() {
		if class[o] == mixed {
			return ""
		}
	}
	for _, f := range g.Fetches {
		if class[f.Out] != fixed && class[f.Out] != batch {
			return ""
		}
	}
	return name
}

// classOf returns the class of output o of a node. The inputs are in the map.
func (t *Table) classOf(g *ir.Graph, o ir.Out, size string, class map[ir.Out]batchClass) batchClass {
	n, f := o.Node, o.Fact()
	if level := t.Level(n.Op); level != Pure && level != Source {
		return mixed
	}
	depends := false
	for _, in := range n.Ins {
		depends = depends || class[in] != fixed
	}
	switch {
	case !f.Shape.Known:
		return mixed
	case !depends && !mentions(f, size):
		return fixed
	case f.Ints != nil && !mentions(&ir.Fact{Shape: f.Shape}, size):
		if !mentions(f, size) {
			return fixed
		}
		return sized
	case !isBatch(f.Shape, size):
		return mixed
	}
	b := &BatchNode{&Shaper{g, n, t}, size, class}
	switch d := t.Lookup(n.Op); {
	case d == nil:
	case d.Has(Forward) && class[n.Ins[o.Index]] == batch:
		return batch
	case d.Batch != nil && d.Batch(b), d.Batch == nil && d.Traits&ElementWise != 0 && BroadcastBatch(b), d.Batch == nil && d.Traits&Renames != 0 && RenamedBatch(b):
		return batch
	}
	return mixed
}

// isBatch reports whether dimension 0 of a shape is a multiple of a size, and no other dimension
// depends on the size.
func isBatch(s ir.Shape, size string) bool {
	if !s.Known || len(s.Dims) == 0 {
		return false
	}
	name, ok := dimOf(s.Dims)
	return ok && name == size && !mentions(&ir.Fact{Shape: ir.ShapeOf(s.Dims[1:]...)}, size)
}

// dimOf returns the symbol v if dimension 0 of a shape is c·v with a constant c > 0.
func dimOf(shape []*sym.Expr) (v string, ok bool) {
	if len(shape) == 0 {
		return "", false
	}
	set := map[string]bool{}
	shape[0].Vars(set)
	for v = range set {
	}
	if len(set) != 1 {
		return "", false
	}
	one, err := shape[0].Eval(map[string]int{v: 1})
	return v, err == nil && one > 0 && shape[0].Equal(sym.Var(v).MulInt(one))
}

// mentions reports whether a size occurs in a fact.
func mentions(f *ir.Fact, size string) bool {
	set := map[string]bool{}
	vars(f, set)
	return set[size]
}

// repeatable reports whether the steps of a plan may run several times in one run, for the
// micro-batches of a batch: they only compute, cannot fail, determine no sizes, and write only to
// buffers in the arena. The checks of sizes must not depend on the number of items.
func repeatable(p *plan.Plan, size string) bool {
	if p.Parts != nil || p.Partial || !totalSteps(p.Steps) {
		return false
	}
	for _, b := range p.Bufs {
		if b.Place != plan.Arena && b.Place != plan.Constant && b.Place != plan.Fed && b.Place != plan.Worker {
			return false
		}
	}
	set := map[string]bool{}
	for _, c := range p.Prologue {
		if sizesOf(c, set); set[size] {
			return false
		}
	}
	return slices.ContainsFunc(p.Dims, func(d plan.Dim) bool { return d.Name == size && d.Axis == 0 })
}
