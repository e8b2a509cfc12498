package fuzzgraph

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/graphc/graphc/frontend/opdef"
	"github.com/graphc/graphc/frontend/pb"
	"github.com/graphc/graphc/rt/tensor"
)

// types returns the element types of the inputs or the outputs of node n. The parameter args has
// the arguments of the op's signature; an argument may describe several tensors. The result has 0
// for a tensor whose type the node's attributes do not determine.
func types(n *pb.NodeDef, args []opdef.Arg) (list []tensor.DType) {
	def := opdef.Lookup(n.Op)
	for _, a := range args {
		if a.TypeListAttr != "" {
			for _, t := range n.Attr[a.TypeListAttr].GetList().GetType() {
				list = append(list, tensor.DType(t))
			}
			continue
		}
		t := a.DType
		if a.TypeAttr != "" {
			if v := n.Attr[a.TypeAttr]; v != nil {
				t = tensor.DType(v.GetType())
			} else if d, ok := def.Attr(a.TypeAttr).Default.(tensor.DType); ok {
				t = d
			}
		}
		count := int64(1)
		if a.NumberAttr != "" {
			count = n.Attr[a.NumberAttr].GetI()
		}
		for range min(max(count, 0), 64) {
			list = append(list, t)
		}
	}
	return list
}

// fitting returns a random text for input i of node n, such as "x:1". Usually this text is the name
// of a tensor with the type of the input, because otherwise few mutants would be valid. This tensor
// is an output of a node whose index is below the second argument, or of a constant that fitting
// adds.
func (m *Mutator) fitting(nodes *[]*pb.NodeDef, at int, n *pb.NodeDef, i int) string {
	def := opdef.Lookup(n.Op)
	if def == nil || m.Rand.IntN(16) == 0 {
		return m.input(*nodes)
	}
	ins := types(n, def.Ins)
	if i >= len(ins) {
		return m.input(*nodes)
	}
	for range min(at, 40) {
		p := (*nodes)[m.Rand.IntN(at)]
		d := opdef.Lookup(p.Op)
		if d == nil {
			continue
		}
		if outs := types(p, d.Outs); len(outs) > 0 {
			if k := m.Rand.IntN(len(outs)); outs[k] == ins[i] {
				if k == 0 {
					return p.Name
				}
				return fmt.Sprintf("%s:%d", p.Name, k)
			}
		}
	}
	for range min(len(m.Donors), 2000) {
		d := pick(m, m.Donors)
		if d.Op == "Const" && tensor.DType(d.Attr["dtype"].GetType()) == ins[i] {
			d = proto.Clone(d).(*pb.NodeDef)
			d.Name, d.Input = fmt.Sprintf("crossed_%d", len(*nodes)), nil
			delete(d.Attr, "_class")
			*nodes = append(*nodes, d)
			return d.Name
		}
	}
	return m.input(*nodes)
}

// readers returns all inputs in the graph that have the type t. Each is a pair: the index of the
// node, and the index of the input.
func readers(nodes []*pb.NodeDef, t tensor.DType) (all [][2]int) {
	for at, n := range nodes {
		d := opdef.Lookup(n.Op)
		if d == nil {
			continue
		}
		for i, in := range types(n, d.Ins) {
			if in == t && i < len(n.Input) {
				all = append(all, [2]int{at, i})
			}
		}
	}
	return slices.Clip(all)
}
