package passes

import "github.com/graphc/graphc/ir"

// Watch says what becomes of a tensor beside its use.
type Watch uint8

// What a tensor is wanted for; a set.
const (
	Watched Watch = 1 << iota // a run hands it to whoever watches
	Checked                   // a run looks for NaN and Inf in it
)

// watch makes fetches of the tensors that are watched, in the order in which they are
// computed: passes keep them, as they keep what the caller gets.
func watch(s *state) (bool, error) {
	if s.o.Watch == nil {
		return false, nil
	}
	s.infer()
	order, err := s.g.Order()
	if err != nil {
		return false, err
	}
	changed := false
	for _, n := range order {
		for i := range n.Outs {
			if n.Outs[i].DType.Opaque() || n.Op == ir.YieldOp || n.Op == ir.NextOp || n.Op == "NoOp" {
				continue
			}
			o := ir.Out{Node: n, Index: i}
			want, err := s.o.Watch(o)
			if err != nil {
				return false, err
			}
			if want&Watched != 0 {
				s.g.Fetches = append(s.g.Fetches, ir.Fetch{Name: o.String(), Key: ir.WatchKey + n.Op, Out: o})
			}
			if want&Checked != 0 {
				s.g.Fetches = append(s.g.Fetches, ir.Fetch{Name: o.String(), Key: ir.CheckKey + n.Op, Out: o})
			}
			changed = changed || want != 0
		}
	}
	return changed, nil
}
