package passes

import (
	"fmt"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/passes/edit"
)

// Bits of edit.Watch. They say what else a run does with a tensor, besides computing other tensors
// from it.
const (
	Watched edit.Watch = 1 << iota // the run passes the tensor to a callback (rt.Watch)
	Checked                        // the run checks the tensor for NaN and Inf
)

// watch adds all tensors with the bit Watched to the fetches, in the order in which they are
// computed. Later passes keep them because they are fetched. After each tensor with the bit
// Checked, watch inserts a CheckNumerics node, and makes all readers of the tensor read the output
// of that node.
func watch(s *edit.State) (bool, error) {
	if s.O.Watch == nil {
		return false, nil
	}
	s.Infer()
	order, err := s.G.Order()
	if err != nil {
		return false, err
	}
	checks := map[ir.Out]ir.Out{}
	var watched []ir.Fetch
	for _, n := range order {
		for i := range n.Outs {
			o := ir.Out{Node: n, Index: i}
			d := o.Fact().DType
			if d.Opaque() || n.Op == ir.YieldOp || n.Op == ir.NextOp || n.Op == "NoOp" {
				continue
			}
			want, err := s.O.Watch(o)
			if err != nil {
				return false, err
			}
			if want&Watched != 0 {
				watched = append(watched, ir.Fetch{Name: o.String(), Key: ir.WatchKey + n.Op, Out: o})
			}
			if want&Checked == 0 || !d.IsFloat() || n.Op == ir.MergeOp || n.Op == ir.LoopVarOp {
				continue
			}
			c := s.G.NewNode(n.Name+"/check", "CheckNumerics", map[string]ir.Attr{"T": d, "message": fmt.Sprintf("%s (%s)", o, n.Op)}, 1, o)
			c.Outs[0].DType, c.Region, c.Device, c.Origin = d, n.Region, n.Device, n.Origin
			checks[o] = ir.Out{Node: c}
		}
	}
	for _, n := range s.G.Nodes {
		for i, in := range n.Ins {
			if c, ok := checks[in]; ok && c.Node != n {
				n.Ins[i] = c
			}
		}
	}
	for i, f := range s.G.Fetches {
		if c, ok := checks[f.Out]; ok {
			s.G.Fetches[i].Out = c
		}
	}
	s.G.Fetches = append(s.G.Fetches, watched...)
	return len(watched)+len(checks) > 0, nil
}
