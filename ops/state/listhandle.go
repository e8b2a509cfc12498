package state

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/rt/tensor"
)

// listed returns a shape function for an op on lists. The returned function first checks, as
// TensorFlow does, that the element type and element shape of the node do not contradict those with
// which the list was created. It then calls the function shape.
func listed(shape func(c *lower.Shaper) error) func(c *lower.Shaper) error {
	return func(c *lower.Shaper) error {
		if err := listFits(c); err != nil {
			return err
		}
		return shape(c)
	}
}

// listHandle holds the known properties of a list's elements.
type listHandle struct {
	d     tensor.DType
	shape ir.Shape // the shape of an element, with nil for unknown dimensions
}

// handleOf follows a list through the graph to the node that created it, and returns the properties
// of its elements. ok is false if the list comes from a variable of a loop, an argument of a
// function or a tensor of lists.
func handleOf(c *lower.Shaper, o ir.Out) (h listHandle, ok bool) {
	for range 1000 { // if there are more than 1000 nodes between, the check is left to the run
		n := o.Node
		switch n.Op {
		case "EmptyTensorList", "TensorListReserve", "TensorListFromTensor", "TensorListSplit", "TensorListScatter", "TensorListScatterV2":
			dims, known, _ := listAsk(c.Of(n))
			return listHandle{listItemType(n), lower.Sure(dims, known)}, true
		case "TensorListSetItem", "TensorListPushBack", "TensorListResize", "TensorListScatterIntoExistingList", "TensorListConcatLists",
			"TensorListPopBack", "Identity", "ZerosLike":
			if o.Index != 0 || len(n.Ins) == 0 || n.Ins[0].Fact().DType != tensor.Variant {
				return h, false
			}
			o = n.Ins[0]
		default:
			return h, false
		}
	}
	return h, false
}

// listFits returns InvalidArgument if the node's element type or shape contradicts that of the
// list.
func listFits(c *lower.Shaper) error {
	n := c.Node
	var ask ir.Shape
	if i := c.Table.AskInput(n.Op); i >= 0 || n.Op == "TensorListConcat" {
		if i >= 0 && n.Op != "TensorListPopBack" && c.Shape(i).Rank() > 1 {
			return tensor.Errorf(tensor.InvalidArgument, "the element shape has the shape %v; a vector or a scalar is required", c.Shape(i))
		}
		dims, known, _ := listAsk(c)
		for k, d := range dims {
			if v, ok := d.IsInt(); ok && v < -1 && n.Op != "TensorListPopBack" {
				return tensor.Errorf(tensor.InvalidArgument, "Dimension %d of an element shape must be >= -1, not %d", k, v)
			}
		}
		ask = lower.Sure(dims, known)
	}
	switch n.Op {
	case "TensorListFromTensor":
		x := c.Shape(0)
		if x.Known && len(x.Dims) == 0 {
			return tensor.Errorf(tensor.InvalidArgument, "Tensor must be at least a vector, but saw a scalar")
		}
		if x.Known {
			return lower.Fits("a row of the tensor", ir.ShapeOf(x.Dims[1:]...), "the element shape", ask)
		}
		return nil
	case "TensorListSplit":
		if x := c.Shape(0); x.Known && ask.Known && len(x.Dims) != len(ask.Dims) {
			return tensor.Errorf(tensor.InvalidArgument, "a tensor of the shape %v cannot be split into elements of rank %d", x, len(ask.Dims))
		}
		return nil
	case "EmptyTensorList", "TensorListReserve", "TensorListScatter", "TensorListScatterV2", "TensorListPushBackBatch":
		return nil
	}
	h, ok := handleOf(c, n.Ins[0])
	if !ok {
		return nil
	}
	if d, typed := n.Attrs["element_dtype"].(tensor.DType); typed && d != h.d && n.Op != "TensorListSetItem" {
		return tensor.Errorf(tensor.InvalidArgument, "a list of %v is used as one of %v", h.d, d)
	}
	switch n.Op {
	case "TensorListSetItem":
		return lower.Fits("the item", c.Shape(2), "the list's element shape", h.shape)
	case "TensorListGetItem", "TensorListStack", "TensorListGather", "TensorListConcat", "TensorListConcatV2":
		return lower.Fits("the element shape", ask, "the list's", h.shape)
	case "TensorListConcatLists":
		other, ok := handleOf(c, n.Ins[1])
		if !ok {
			return nil
		}
		if other.d != h.d {
			return tensor.Errorf(tensor.InvalidArgument, "lists of %v and of %v cannot be joined", h.d, other.d)
		}
		return lower.Fits("the element shape of the first list", h.shape, "the second's", other.shape)
	}
	return nil
}
