package lower

import (
	"slices"

	"github.com/graphc/graphc/frontend/opdef"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// HostSide reports whether an op needs no kernel in a partition on a GPU. This includes everything
// that uses a resource or a list, because these are on the host.
func (t *Table) HostSide(n *ir.Node) bool { return t.Is(n.Op, HostSide) || HasState(n) }

// HasState reports whether an op has an input or output that is a handle or a reference.
func HasState(n *ir.Node) bool {
	d := opdef.Lookup(n.Op)
	if d == nil {
		return false
	}
	return slices.ContainsFunc(append(slices.Clone(d.Ins), d.Outs...), func(a opdef.Arg) bool { return a.Ref || a.DType == tensor.Resource })
}
