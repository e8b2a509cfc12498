package algebra

import (
	"strconv"
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// Connected is the name of an attribute. passes.Connect sets it on an Identity that replaces
// another tensor of the graph.
const Connected = "_connected"

// Prune keeps only the nodes that fetches and targets need through data and control edges. Fed
// tensors are Placeholder nodes without inputs, so the search ends at them. Feeds are kept even if
// nothing needs them, because the caller supplies them. Prune returns InvalidArgument if a needed
// placeholder is not fed, unless a conditional of TensorFlow 1 decides whether the placeholder
// runs. It also returns InvalidArgument if a value is fed where a node needs a reference to a
// variable.
func Prune(s *edit.State) (bool, error) {
	before := len(s.G.Nodes)
	s.G.Keep(edit.Needed(s.G))
	edit.Symbols(s.G)
	fed := map[*ir.Node]bool{}
	for _, f := range s.G.Feeds {
		fed[f.Out.Node] = true
	}
	var errs []error
	var cond map[*ir.Node]bool
	for _, n := range s.G.Nodes {
		for i, o := range n.Ins {
			if (fed[o.Node] || o.Node.Attrs[Connected] != nil) && edit.RefArg(n, i) {
				errs = append(errs, tensor.AtNode(tensor.Errorf(tensor.InvalidArgument, "input %d must be a reference to a variable, but a fed value takes its place", i), n.Name, n.Op))
			}
		}
		if n.Op != "Placeholder" && n.Op != "PlaceholderV2" || fed[n] {
			continue
		}
		if cond == nil {
			cond = edit.Conditional(s.O.Ops, s.G)
		}
		if !cond[n] {
			errs = append(errs, tensor.AtNode(tensor.Errorf(tensor.InvalidArgument, "the placeholder must be fed with %s: name it with --feed %s", fedWith(n), n.Name), n.Name, n.Op))
		}
	}
	return len(s.G.Nodes) != before, edit.SortedJoin(errs)
}

// fedWith returns a text that says which values may be fed for a placeholder, for example f32[2,?]
// or "f32 of any rank".
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
