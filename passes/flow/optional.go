package flow

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// Optionals replaces each optional that contains one tensor by a TensorList. Gradients use
// optionals to keep the results of a branch that has run:
//
//	OptionalFromValue(x)  TensorListPushBack(EmptyTensorList, x)
//	OptionalNone()        EmptyTensorList
//	OptionalGetValue(o)   TensorListGetItem(o, 0)
//	OptionalHasValue(o)   Greater(TensorListLength(o), 0)
//
// Reading a missing value is InvalidArgument, both before and after the replacement. If the graph
// contains an optional of several tensors or of no tensors, Optionals does not change the graph,
// and kernels of package ops implement all optionals.
func Optionals(s *edit.State) (bool, error) {
	for _, n := range s.G.Nodes { // check all nodes before a pass replaces them
		if err := s.O.Ops.Contradicts(n); err != nil {
			return false, tensor.AtNode(err, n.Name, n.OpName())
		}
	}
	for _, n := range s.G.Nodes {
		if n.Op == "OptionalFromValue" && len(n.DTypes("Toutput_types")) != 1 || n.Op == "OptionalGetValue" && len(n.DTypes("output_types")) != 1 {
			return false, nil
		}
	}
	e := s.Edit()
	r := &optionalMaker{s: s}
	for _, n := range append([]*ir.Node(nil), s.G.Nodes...) {
		switch {
		case n.Op == "OptionalFromValue" && len(n.Ins) == 1 && len(n.DTypes("Toutput_types")) == 1 && e.Changed(n, "an optional is a list"):
			d := n.DTypes("Toutput_types")[0]
			list := s.G.NewNode(n.Name+"/none", "EmptyTensorList", nil, 1)
			list.Device = n.Device
			r.empty(list, d)
			n.Op, n.Ins = "TensorListPushBack", []ir.Out{{Node: list}, n.Ins[0]}
			n.Attrs = map[string]ir.Attr{"element_dtype": d}
		case n.Op == "OptionalNone" && e.Changed(n, "an optional is a list"):
			r.empty(n, tensor.Float32)
		case n.Op == "OptionalGetValue" && len(n.Ins) == 1 && len(n.DTypes("output_types")) == 1 && e.Changed(n, "an optional is a list"):
			d := n.DTypes("output_types")[0]
			n.Op, n.Ins = "TensorListGetItem", []ir.Out{n.Ins[0], r.number(0), r.number(-1)}
			n.Attrs = map[string]ir.Attr{"element_dtype": d}
		case n.Op == "OptionalHasValue" && len(n.Ins) == 1 && e.Changed(n, "an optional is a list"):
			size := s.G.NewNode(n.Name+"/length", "TensorListLength", nil, 1, n.Ins[0])
			size.Device, size.Outs[0] = n.Device, ir.Fact{DType: tensor.Int32, Shape: ir.ShapeOf()}
			n.Op, n.Ins = "Greater", []ir.Out{{Node: size}, r.number(0)}
			n.Attrs = map[string]ir.Attr{"T": tensor.Int32}
		}
	}
	return e.Apply(), nil
}

// optionalMaker shares constants.
type optionalMaker struct {
	s       *edit.State
	numbers map[int32]ir.Out
}

// empty changes n to an EmptyTensorList. The elements of the list have type d and may have any
// shape.
func (r *optionalMaker) empty(n *ir.Node, d tensor.DType) {
	n.Op, n.Ins = "EmptyTensorList", []ir.Out{r.number(-1), r.number(-1)}
	n.Attrs = map[string]ir.Attr{"element_dtype": d, "shape_type": tensor.Int32}
	n.Outs[0] = ir.Fact{DType: tensor.Variant, Shape: ir.ShapeOf()}
}

// number returns an int32 constant.
func (r *optionalMaker) number(k int32) ir.Out {
	if o, ok := r.numbers[k]; ok {
		return o
	}
	if r.numbers == nil {
		r.numbers = map[int32]ir.Out{}
	}
	r.numbers[k] = r.s.G.NewConst("optional/number", tensor.Must(tensor.From(nil, []int32{k})))
	return r.numbers[k]
}
