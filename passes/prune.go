package passes

import (
	"strconv"
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// connected is the attribute of what stands for a tensor that another is connected to.
const connected = "_connected"

// prune keeps what the fetches and targets need through data and control
// edges. Fed tensors are Placeholder nodes without inputs, so that the search
// ends at them. Feeds are kept although nothing may need them: the caller gives
// them. A placeholder that is needed and not fed is InvalidArgument, unless a
// branch of TensorFlow 1 decides whether it runs; so is a value fed in the place of
// a variable that somebody writes.
func prune(s *state) (bool, error) {
	before := len(s.g.Nodes)
	s.g.Keep(needed(s.g))
	symbols(s.g)
	fed := map[*ir.Node]bool{}
	for _, f := range s.g.Feeds {
		fed[f.Out.Node] = true
	}
	var errs []error
	var cond map[*ir.Node]bool
	for _, n := range s.g.Nodes {
		for i, o := range n.Ins {
			if (fed[o.Node] || o.Node.Attrs[connected] != nil) && refArg(n, i) {
				errs = append(errs, tensor.AtNode(tensor.Errorf(tensor.InvalidArgument, "input %d must be a reference to a variable, and is the value that is fed instead of one", i), n.Name, n.Op))
			}
		}
		if n.Op != "Placeholder" && n.Op != "PlaceholderV2" || fed[n] {
			continue
		}
		if cond == nil {
			cond = conditional(s.o.Ops, s.g)
		}
		if !cond[n] {
			errs = append(errs, tensor.AtNode(tensor.Errorf(tensor.InvalidArgument, "the placeholder must be fed with %s: name it with --feed %s", fedWith(n), n.Name), n.Name, n.Op))
		}
	}
	return len(s.g.Nodes) != before, sortedJoin(errs)
}

// fedWith says what a placeholder takes: f32[2,?], or f32 of any rank.
func fedWith(n *ir.Node) string {
	s, ok := n.Attrs["shape"].(ir.PartialShape)
	if !ok || s.UnknownRank {
		return n.Outs[0].DType.String() + " of any rank"
	}
	dims := make([]string, len(s.Dims))
	for i, d := range s.Dims {
		if dims[i] = strconv.FormatInt(d, 10); d < 0 {
			dims[i] = "?"
		}
	}
	return n.Outs[0].DType.String() + "[" + strings.Join(dims, ",") + "]"
}

// needed returns the nodes that fetches, targets and feeds reach backwards. What
// is needed needs the conditions under which it runs.
func needed(g *ir.Graph) map[*ir.Node]bool {
	keep := make(map[*ir.Node]bool, len(g.Nodes))
	var work []*ir.Node
	add := func(n *ir.Node) {
		if !keep[n] {
			keep[n] = true
			work = append(work, n)
		}
	}
	for _, f := range g.Feeds {
		add(f.Out.Node)
	}
	for _, f := range g.Fetches {
		add(f.Out.Node)
	}
	for _, t := range g.Targets {
		add(t)
	}
	within := map[*ir.Region]bool{nil: true}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		for r := n.Region; !within[r]; r = r.Parent {
			within[r] = true
			add(r.Cond.Node)
		}
		for _, o := range n.Ins {
			add(o.Node)
		}
		for _, c := range n.Controls {
			add(c)
		}
	}
	return keep
}
