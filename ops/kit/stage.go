package kit

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
)

// Stage returns a node that represents a part of n's computation. The node does not belong to a
// graph.
func Stage(n *ir.Node, what, op string, attrs map[string]ir.Attr, ins ...ir.Out) *ir.Node {
	return &ir.Node{Name: n.Name + "/" + what, Op: op, Attrs: attrs, Ins: ins, Outs: make([]ir.Fact, 1), Region: n.Region, Origin: n.Origin}
}

// LowerStage appends a stage's computation. The stage's inputs are outputs of other stages or
// inputs of the whole node.
func LowerStage(b *lower.Builder, n *ir.Node, lowering func(*lower.Builder) error) error {
	return lowering(b.At(n))
}

// OutOf sets the output of the whole node to the output of the node n, which is one of its stages.
// The two outputs have the same number of elements.
func OutOf(b *lower.Builder, n *ir.Node) {
	buf := b.Buf(ir.Out{Node: n})
	buf.Shape = b.OutShape(0)
	b.SetBuf(ir.Out{Node: b.Node}, buf)
}
