package lower

import (
	"slices"

	"github.com/graphc/graphc/frontend/opdef"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// HostSide reports an op that needs no kernel in a partition on a GPU. All that has to do
// with a resource or a list is among them, since the host keeps those.
func (t *Table) HostSide(n *ir.Node) bool { return t.Is(n.Op, HostSide) || HasState(n) }

// HasState reports an op that takes or gives a handle or a reference.
func HasState(n *ir.Node) bool {
	d := opdef.Lookup(n.Op)
	if d == nil {
		return false
	}
	return slices.ContainsFunc(append(slices.Clone(d.Ins), d.Outs...), func(a opdef.Arg) bool { return a.Ref || a.DType == tensor.Resource })
}
