package state

import (
	"maps"
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// AnyRank handles fetched variables of unknown rank. It replaces the read of such a variable by a
// read whose rank and dimensions are known only at run time. It does the same for images that are
// decoded and fetched, and for parsed tensors that are fetched or reshaped. Other ops cannot read a
// value of unknown rank, because the generated code needs to know the rank.
func AnyRank(s *edit.State) (bool, error) {
	e := s.Edit()
	made := map[ir.Out]ir.Out{}
	for i, f := range s.G.Fetches {
		if v, ok := made[f.Out]; ok {
			s.G.Fetches[i].Out = v
			continue
		}
		n := f.Out.Node
		var controls []*ir.Node
		for n.Op == "Identity" && n.Region == nil && n.Ins[0].Fact().DType != tensor.Resource {
			controls = append(controls, n.Controls...)
			n = n.Ins[0].Node
		}
		if n.Op == "ParseTensor" && n.Region == nil {
			s.G.Fetches[i].Out = parsed(s, e, n, lower.ParseTensorAny, controls)
			continue
		}
		if n.Op == "DecodeImage" && n.Region == nil && n.Bool("expand_animations") {
			out := parsed(s, e, n, lower.DecodeImageAny, controls)
			out.Node.Attrs, out.Node.Outs[0].DType = maps.Clone(n.Attrs), n.DType("dtype")
			s.G.Fetches[i].Out = out
			continue
		}
		if n.Op != "ReadVariableOp" || n.Region != nil {
			continue
		}
		vars, ok := lower.Variables(n.Ins[0])
		if !ok || !slices.ContainsFunc(vars, func(v ir.Out) bool { return lower.VariableShape(v).UnknownRank }) {
			continue
		}
		r := s.G.NewNode(n.Name+"/any", "_ReadAnyRank", map[string]ir.Attr{"dtype": n.DType("dtype")}, 1, n.Ins[0])
		r.Outs[0].DType = n.DType("dtype")
		for _, c := range append(controls, n.Controls...) {
			if !slices.Contains(r.Controls, c) {
				r.Controls = append(r.Controls, c)
			}
		}
		r.Device, r.Origin = n.Device, n.Origin
		made[f.Out] = ir.Out{Node: r}
		s.G.Fetches[i].Out = ir.Out{Node: r}
		e.Changed(n, "a fetched variable of any rank")
	}
	for _, n := range slices.Clone(s.G.Nodes) {
		if shape, ok := n.Attrs["shape"].(ir.PartialShape); ok && n.Op == "EnsureShape" && !shape.UnknownRank && len(n.Ins) > 0 {
			from := parsedFrom(n)
			if _, told := from.Attrs[lower.ParsedRank]; from.Op == "ParseTensor" && !told {
				from.Attrs[lower.ParsedRank] = int64(len(shape.Dims))
				e.Changed(from, "a reader demands this rank")
			}
		}
		if n.Op != "Reshape" || len(n.Ins) == 0 {
			continue
		}
		if from := parsedFrom(n); from.Op == "ParseTensor" {
			n.Ins[0] = parsed(s, e, from, lower.ParseTensorFlat, nil)
		}
	}
	return e.Apply(), nil
}

// parsedFrom follows the first input of n back through Identity nodes, and returns the node that
// produces the value. If the producing node is in another region than n, parsedFrom returns n.
func parsedFrom(n *ir.Node) *ir.Node {
	from := n.Ins[0].Node
	for from.Op == "Identity" && from.Region == n.Region && len(from.Controls) == 0 && len(from.Ins) > 0 {
		from = from.Ins[0].Node
	}
	if from.Region != n.Region {
		return n
	}
	return from
}

// parsed adds a node of the given op, which has the first input of n and whose result may have any
// rank. It returns the output of the new node.
func parsed(s *edit.State, e *ir.Editor, n *ir.Node, op string, controls []*ir.Node) ir.Out {
	r := s.G.NewNode(n.Name+"/any", op, map[string]ir.Attr{"out_type": n.DType("out_type")}, 1, n.Ins[0])
	r.Outs[0].DType = n.DType("out_type")
	for _, c := range append(slices.Clone(controls), n.Controls...) {
		if !slices.Contains(r.Controls, c) {
			r.Controls = append(r.Controls, c)
		}
	}
	r.Device, r.Origin, r.Region = n.Device, n.Origin, n.Region
	e.Changed(n, "a tensor of any rank is read as its elements")
	return ir.Out{Node: r}
}
