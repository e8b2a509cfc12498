package index

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/rt/tensor"
)

// approxDefs are ops that may return approximations, but whose results are exact on CPUs.
var approxDefs = []*lower.Def{
	{Name: "ApproxTopK", Types: map[string][]tensor.DType{"T": {tensor.Half, tensor.BFloat16, tensor.Float32}},
		Limits: "only the largest elements along the last dimension", Shape: approxTopKShape, Lower: approxTopKLower},
}

// approxTopK returns a TopKV2 node, outside the graph, that computes an ApproxTopK exactly. It
// accepts the same attributes as TensorFlow's only CPU kernel, which returns the largest elements
// along the last dimension.
func approxTopK(c *lower.Shaper) (*ir.Node, error) {
	n := c.Node
	if t := n.Attrs["recall_target"]; t != nil && !(n.Float("recall_target") > 0 && n.Float("recall_target") <= 1) {
		return nil, tensor.Errorf(tensor.InvalidArgument, "recall_target must be in (0, 1], not %v", n.Float("recall_target"))
	}
	if n.Int("reduction_dimension") != -1 || !n.Bool("is_max_k") {
		return nil, tensor.Errorf(tensor.InvalidArgument, "no CPU kernel has reduction_dimension %d and is_max_k %v, only -1 and true", n.Int("reduction_dimension"), n.Bool("is_max_k"))
	}
	k := kit.Stage(n, "k", "Const", nil)
	k.Outs[0] = ir.Fact{DType: tensor.Int32, Shape: ir.ShapeOf(), Ints: []*sym.Expr{sym.Int(n.Int("k"))},
		Const: &tensor.Tensor{DType: tensor.Int32, Shape: tensor.Shape{}, Data: []int32{int32(n.Int("k"))}}}
	top := kit.Stage(n, "top", "TopKV2", map[string]ir.Attr{"sorted": true, "T": n.Attrs["T"], "index_type": tensor.Int32}, n.Ins[0], ir.Out{Node: k})
	top.Outs = make([]ir.Fact, 2)
	return top, topKShape(c.Of(top))
}

func approxTopKShape(c *lower.Shaper) error {
	top, err := approxTopK(c)
	if err != nil {
		return err
	}
	c.Set(0, c.In(0).DType, top.Outs[0].Shape)
	c.Set(1, tensor.Int32, top.Outs[0].Shape)
	return nil
}

func approxTopKLower(b *lower.Builder) error {
	top, err := approxTopK(b.Shaper())
	if err != nil {
		return err
	}
	for i := range 2 {
		b.SetUsed(ir.Out{Node: top, Index: i}, b.OutUsed(i))
	}
	if err := kit.LowerStage(b, top, topKLower); err != nil {
		return err
	}
	for i := range 2 {
		if buf := b.Buf(ir.Out{Node: top, Index: i}); buf != nil {
			b.SetBuf(ir.Out{Node: b.Node, Index: i}, buf)
		}
	}
	return nil
}
