package flow

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/queue"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	stateops "github.com/graphc/graphc/ops/state"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

// sessionDefs keep tensors of an instance between runs. A tensor's handle is a string in
// TensorFlow's format.
var sessionDefs = []*lower.Def{
	{Name: "GetSessionHandle", Flags: kit.Changes, Shape: stateops.ScalarShape(tensor.String), Lower: sessionKeepLower},
	{Name: "GetSessionHandleV2", Flags: kit.Changes, Shape: stateops.HandleShape, Lower: sessionHoldLower},
	{Name: "GetSessionTensor", Flags: kit.Looks, Access: OtherSession, Shape: sessionGetShape, Lower: sessionGetLower, Limits: "the rank is taken from the graph's GetSessionHandle of the same type"},
	{Name: "DeleteSessionTensor", Flags: kit.Changes, Access: OtherSession, Shape: stateops.WithoutOutputs, Lower: sessionDeleteLower},
}

// OtherSession returns the access of an op that uses the handle of a tensor. Runs create handles,
// so a constant handle in the graph belongs to another session.
func OtherSession(n *ir.Node) (lower.Access, string) {
	if len(n.Ins) == 0 {
		return lower.NoAccess, ""
	}
	o := n.Ins[0]
	for o.Node.Op == "Identity" && len(o.Node.Ins) > 0 {
		o = o.Node.Ins[0]
	}
	if o.Node.Op != "Const" && o.Fact().Const == nil {
		return lower.NoAccess, ""
	}
	return lower.Denied, "the handle is a constant, so it names a tensor of another session; feed a handle that a run of GetSessionHandle returned"
}

func session(b *lower.Builder) plan.View { return b.Kept("session", resource.NewSession) }

func sessionKeepLower(b *lower.Builder) error {
	parts, err := stateops.Boxes(b, 0, 1, false)
	if err != nil {
		return err
	}
	b.Call(queue.SessionKeep, b.Out(0), session(b), parts, b.Node.Name)
	return nil
}

// sessionHoldLower lowers GetSessionHandleV2, whose result is a handle of type resource. The handle
// refers to the tensor directly, and the tensor exists as long as the handle. Such a handle cannot
// be used to read or delete the tensor, because the ops for this accept only handles that are
// strings.
func sessionHoldLower(b *lower.Builder) error {
	parts, err := stateops.Boxes(b, 0, 1, false)
	if err != nil {
		return err
	}
	b.Call(queue.SessionHold, b.Out(0), parts)
	return nil
}

func sessionGetShape(c *lower.Shaper) error {
	if _, err := c.WithRank(0, 0); err != nil {
		return err
	}
	stateops.ElementShape(c, 0, stateops.Noted(c.Node, []tensor.DType{c.Node.DType("dtype")})[0])
	return nil
}

func sessionGetLower(b *lower.Builder) error {
	parts := b.Temp(tensor.Variant, sym.One)
	b.Call(queue.SessionGet, kit.Writes(parts), session(b), b.In(0))
	parts.Mode = plan.Read
	return stateops.UnboxAll(b, parts, stateops.Noted(b.Node, []tensor.DType{b.Node.DType("dtype")}), 0)
}

func sessionDeleteLower(b *lower.Builder) error {
	b.Call(queue.SessionDelete, session(b), b.In(0))
	return nil
}
