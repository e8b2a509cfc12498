package passes

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/rt/tensor"
)

// anyRank has fetches that are the value of a variable of any rank read it as
// what it is: rank and dimensions are told by the run. Nothing can be computed from such
// a value, since no straight code can be printed for that.
func anyRank(s *state) (bool, error) {
	e := s.edit()
	made := map[ir.Out]ir.Out{}
	for i, f := range s.g.Fetches {
		if v, ok := made[f.Out]; ok {
			s.g.Fetches[i].Out = v
			continue
		}
		n := f.Out.Node
		var controls []*ir.Node
		for n.Op == "Identity" && n.Region == nil && n.Ins[0].Fact().DType != tensor.Resource {
			controls = append(controls, n.Controls...)
			n = n.Ins[0].Node
		}
		if n.Op != "ReadVariableOp" || n.Region != nil {
			continue
		}
		vars, ok := ops.Variables(n.Ins[0])
		if !ok || !slices.ContainsFunc(vars, func(v ir.Out) bool { return ops.VariableShape(v).UnknownRank }) {
			continue
		}
		r := s.g.NewNode(n.Name+"/any", "_ReadAnyRank", map[string]ir.Attr{"dtype": n.DType("dtype")}, 1, n.Ins[0])
		r.Outs[0].DType = n.DType("dtype")
		for _, c := range append(controls, n.Controls...) {
			if !slices.Contains(r.Controls, c) {
				r.Controls = append(r.Controls, c)
			}
		}
		r.Device, r.Origin = n.Device, n.Origin
		made[f.Out] = ir.Out{Node: r}
		s.g.Fetches[i].Out = ir.Out{Node: r}
		e.Changed(n, "a fetched variable of any rank")
	}
	return e.Apply(), nil
}
