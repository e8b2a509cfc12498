package kit

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
)

// Stage is a node that stands for a part of what n computes: it is in no graph.
func Stage(n *ir.Node, what, op string, attrs map[string]ir.Attr, ins ...ir.Out) *ir.Node {
	return &ir.Node{Name: n.Name + "/" + what, Op: op, Attrs: attrs, Ins: ins, Outs: make([]ir.Fact, 1), Region: n.Region, Origin: n.Origin}
}

// LowerStage appends what a stage computes; its inputs are other stages' or the node's.
func LowerStage(b *lower.Builder, n *ir.Node, lowering func(*lower.Builder) error) error {
	return lowering(b.At(n))
}

// OutOf makes the output of a stage the node's, both of the same size.
func OutOf(b *lower.Builder, n *ir.Node) {
	buf := b.Buf(ir.Out{Node: n})
	buf.Shape = b.OutShape(0)
	b.SetBuf(ir.Out{Node: b.Node}, buf)
}
