package ops

import (
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/queue"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

// sessionDefs keep tensors of an instance between runs. The handle of a tensor is
// a string of TensorFlow's form.
var sessionDefs = []*Def{
	{Name: "GetSessionHandle", Flags: changes, Shape: scalarShape(tensor.String), Lower: sessionKeepLower},
	{Name: "GetSessionHandleV2", Flags: changes, Shape: handleShape, Lower: sessionHoldLower},
	{Name: "GetSessionTensor", Flags: looks, Shape: sessionGetShape, Lower: sessionGetLower, Limits: "the rank is that of the graph's GetSessionHandle of that type"},
	{Name: "DeleteSessionTensor", Flags: changes, Shape: withoutOutputs, Lower: sessionDeleteLower},
}

func (b *Builder) session() plan.View { return b.kept("session", resource.NewSession) }

func sessionKeepLower(b *Builder) error {
	parts, err := b.boxes(0, 1, false)
	if err != nil {
		return err
	}
	b.Call(queue.SessionKeep, b.Out(0), b.session(), parts, b.Node.Name)
	return nil
}

// sessionHoldLower: the handle is the tensor itself, which lives as long as one
// has the handle; ops take the other form, a string.
func sessionHoldLower(b *Builder) error {
	parts, err := b.boxes(0, 1, false)
	if err != nil {
		return err
	}
	b.Call(queue.SessionHold, b.Out(0), parts)
	return nil
}

func sessionGetShape(c *Shaper) error {
	if _, err := c.WithRank(0, 0); err != nil {
		return err
	}
	c.elementShape(0, noted(c.Node, []tensor.DType{c.Node.DType("dtype")})[0])
	return nil
}

func sessionGetLower(b *Builder) error {
	parts := b.Temp(tensor.Variant, sym.One)
	b.Call(queue.SessionGet, writes(parts), b.session(), b.In(0))
	parts.Mode = plan.Read
	return b.unboxAll(parts, noted(b.Node, []tensor.DType{b.Node.DType("dtype")}), 0)
}

func sessionDeleteLower(b *Builder) error {
	b.Call(queue.SessionDelete, b.session(), b.In(0))
	return nil
}
