package algebra

import (
	"fmt"
	"slices"
	"sort"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// Cse merges nodes that have the same op, attributes, inputs, control inputs and device. Constants
// are compared by their bits: 0.0 and -0.0 differ, and a NaN equals itself.
//
// Stateful nodes, random nodes and feeds are never merged. If two nodes are in different regions,
// the regions must be nested, and the node in the outer region is kept. Lists and other boxed
// values are not merged, although their nodes may be equal: such a value is cheap to make, and if
// it were shared, a reader that changes it would have to copy it.
func Cse(s *edit.State) (bool, error) {
	order, err := s.G.Order()
	if err != nil {
		return false, err
	}
	e := s.Edit()
	pos := make(map[*ir.Node]int, len(order))
	for i, n := range order {
		pos[n] = i
	}
	seen := map[[32]byte][]*ir.Node{}
	like := map[[32]byte]*ir.Node{} // for the hash of a value, the first node that computes it, on any device
	same := map[*ir.Node]*ir.Node{}
	fed := map[*ir.Node]bool{}
	for _, f := range s.G.Feeds {
		fed[f.Out.Node] = true
	}
	for _, n := range order {
		if fed[n] || len(n.Outs) == 0 || s.Levels.Of(n) != lower.Pure || edit.IsFlow(s.O.Ops, n) || ir.Joins(n.Op) || MakesList(n) {
			continue
		}
		value, key := nodeKey(s, n, e, same, pos)
		equal := seen[key]
		merge := func(gone, kept *ir.Node) bool {
			if !e.ReplaceNode(gone, kept, "computes the same") {
				return false
			}
			same[gone] = kept
			kept.Origin.Names = append(kept.Origin.Names, gone.Name)
			return true
		}
		fuel := true
		if i := slices.IndexFunc(equal, func(m *ir.Node) bool { return m.Region.Encloses(n.Region) }); i >= 0 {
			fuel = merge(n, equal[i])
		} else {
			apart := []*ir.Node{n}
			if len(equal) > 0 {
				e.Refuse(n, equal[0].Name+" computes the same, in a separate branch or loop")
			} else if m := like[value]; m == nil {
				like[value] = n
			} else if m.Device != n.Device {
				e.Refuse(n, m.Name+" computes the same, on another device")
			} else {
				e.Refuse(n, m.Name+" computes the same, and waits for other nodes")
			}
			for _, m := range equal {
				if !n.Region.Encloses(m.Region) {
					apart = append(apart, m)
				} else if fuel = fuel && merge(m, n); !fuel {
					break
				}
			}
			seen[key] = apart
		}
		if !fuel {
			break
		}
	}
	return e.Apply(), nil
}

// MakesList reports whether one of n's outputs is a boxed value.
func MakesList(n *ir.Node) bool {
	return slices.ContainsFunc(n.Outs, func(f ir.Fact) bool { return f.DType.Opaque() })
}

// nodeKey returns two hashes of the node n. The first hash depends on the op, the inputs and the
// attributes of n, so it is equal for nodes that compute the same. The second hash also depends on
// the device and on the control inputs.
func nodeKey(s *edit.State, n *ir.Node, e *ir.Editor, same map[*ir.Node]*ir.Node, pos map[*ir.Node]int) (value, key [32]byte) {
	h := ir.NewHash()
	fmt.Fprintf(h, "%q %d\n", n.Op, len(n.Outs))
	ins := make([]string, len(n.Ins))
	for i, o := range n.Ins {
		o = e.Resolve(o)
		ins[i] = fmt.Sprintf("%d:%d", pos[o.Node], o.Index)
	}
	if d := s.O.Ops.Lookup(n.Op); d != nil && d.Has(lower.Commutative) && len(ins) == 2 && ins[1] < ins[0] {
		ins[0], ins[1] = ins[1], ins[0]
	}
	waits := make([]int, 0, len(n.Controls))
	for _, c := range n.Controls {
		if m := same[c]; m != nil {
			c = m
		}
		waits = append(waits, pos[c])
	}
	sort.Ints(waits)
	fmt.Fprintln(h, ins)
	names := make([]string, 0, len(n.Attrs))
	for k := range n.Attrs {
		if k[:min(1, len(k))] == "_" && !ir.IsGoAttr(k) {
			continue // these attributes are hints and have no effect on the result
		}
		names = append(names, k)
	}
	sort.Strings(names)
	for _, k := range names {
		fmt.Fprintf(h, "%q=", k)
		if t, ok := n.Attrs[k].(*tensor.Tensor); ok {
			sum := hash(s, t)
			h.Write(sum[:])
			continue
		}
		ir.HashAttr(h, n.Attrs[k])
	}
	value = [32]byte(h.Sum(nil))
	fmt.Fprintf(h, "%q %v\n", n.Device, waits)
	return value, [32]byte(h.Sum(nil))
}

// hash returns the hash of a tensor and caches it.
func hash(s *edit.State, t *tensor.Tensor) [32]byte {
	if sum, ok := s.Hashes[t]; ok {
		return sum
	}
	h := ir.NewHash()
	ir.HashTensor(h, t)
	sum := [32]byte(h.Sum(nil))
	s.Hashes[t] = sum
	return sum
}
