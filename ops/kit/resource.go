package kit

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/plan"
)

// ResourceKey returns the key of the resource that a node creates or shares: kind, container and
// name. If own is set, a node without a shared name has a resource that no other node shares.
func ResourceKey(n *ir.Node, kind string, own bool) string {
	key := kind + ":" + plan.ContainerKey(n.Str("container")) + ":"
	if s := n.Str("shared_name"); s != "" {
		return key + s
	}
	if own {
		return kind + "@" + n.Name
	}
	return key + n.Name
}

// HandleMaker returns the node that created handle o, looking through nodes that pass the handle
// on. It returns nil if the creator is unknown at compile time. If several nodes may have created
// the handle, it returns one of them; they agree in everything that callers read.
func HandleMaker(o ir.Out) *ir.Node {
	seen := map[ir.Out]bool{}
	var visit func(o ir.Out) *ir.Node
	visit = func(o ir.Out) *ir.Node {
		if seen[o] {
			return nil
		}
		seen[o] = true
		lo, hi := lower.HandsOn(o.Node)
		if o.Node.Op == "IdentityN" {
			lo, hi = o.Index, o.Index+1
		}
		if lo == hi {
			return o.Node
		}
		for _, in := range o.Node.Ins[lo:hi] {
			if n := visit(in); n != nil {
				return n
			}
		}
		return nil
	}
	return visit(o)
}
