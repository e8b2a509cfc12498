package flow

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/passes/edit"
)

// maxLocks is the largest number of sections for which the pass Sections determines an order. It
// limits the time of the pass.
const maxLocks = 256

// Sections adds control edges so that a node that locks a mutex waits for the end of all earlier
// sections. A section begins with MutexLock and ends with ConsumeMutexLock.
//
// This is necessary because a run executes one step after the other. If the run locked a mutex that
// it had already locked, the run would wait for itself forever. Sections adds no edge if a lock is
// inside the earlier section, or if the lock and the end of the earlier section are in different
// branches or loops.
func Sections(s *edit.State) (bool, error) {
	if !slices.ContainsFunc(s.G.Nodes, func(n *ir.Node) bool { return n.Op == "MutexLock" }) {
		return false, nil
	}
	order, err := s.G.Order()
	if err != nil {
		return false, err
	}
	var locks []*ir.Node
	ends := map[*ir.Node][]*ir.Node{}
	for _, n := range order {
		switch {
		case n.Op == "MutexLock":
			locks = append(locks, n)
		case n.Op == "ConsumeMutexLock" && len(n.Ins) == 1:
			from := n.Ins[0].Node
			for from.Op == "Identity" && len(from.Ins) > 0 {
				from = from.Ins[0].Node
			}
			ends[from] = append(ends[from], n)
		}
	}
	if len(locks) < 2 || len(locks) > maxLocks {
		return false, nil
	}
	next := map[*ir.Node][]*ir.Node{}
	for _, n := range order {
		for _, o := range n.Ins {
			next[o.Node] = append(next[o.Node], n)
		}
		for _, c := range n.Controls {
			next[c] = append(next[c], n)
		}
	}
	e := s.Edit()
	for j, lock := range locks {
		behind := reach(lock, next)
		for _, before := range locks[:j] {
			for _, end := range ends[before] {
				if behind[end] || end.Region != lock.Region || slices.Contains(lock.Controls, end) || !e.Changed(lock, "a section waits for the earlier one") {
					continue
				}
				lock.Controls = append(lock.Controls, end)
				next[end] = append(next[end], lock)
			}
		}
	}
	return e.Apply(), nil
}

// reach returns n and all nodes that directly or indirectly wait for n. The map next holds the
// readers of each node.
func reach(n *ir.Node, next map[*ir.Node][]*ir.Node) map[*ir.Node]bool {
	seen := map[*ir.Node]bool{n: true}
	for list := []*ir.Node{n}; len(list) > 0; {
		k := list[len(list)-1]
		list = list[:len(list)-1]
		for _, m := range next[k] {
			if !seen[m] {
				seen[m] = true
				list = append(list, m)
			}
		}
	}
	return seen
}
