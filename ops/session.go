package ops

import (
	"github.com/graphc/graphc/ir"
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
	{Name: "GetSessionTensor", Flags: looks, Access: otherSession, Shape: sessionGetShape, Lower: sessionGetLower, Limits: "the rank is that of the graph's GetSessionHandle of that type"},
	{Name: "DeleteSessionTensor", Flags: changes, Access: otherSession, Shape: withoutOutputs, Lower: sessionDeleteLower},
}

// otherSession is the access of ops that take the handle of a tensor. Runs make handles: one
// that is a constant of the graph is of another session's.
func otherSession(n *ir.Node) (Access, string) {
	if len(n.Ins) == 0 {
		return NoAccess, ""
	}
	o := n.Ins[0]
	for o.Node.Op == "Identity" && len(o.Node.Ins) > 0 {
		o = o.Node.Ins[0]
	}
	if o.Node.Op != "Const" && o.Fact().Const == nil {
		return NoAccess, ""
	}
	return Denied, "the handle is a constant, and so it names a tensor of another session; feed the handle that a run of GetSessionHandle gave"
}

func (b *Builder) session() plan.View { return b.Kept("session", resource.NewSession) }

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
