package passes

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// statedShapes is the name of an attribute. Programs that write graphs may store in it the shapes
// of outputs that they have inferred.
const statedShapes = "_output_shapes"

// statesShapes returns a copy of the graph with the facts that are inferred before feeds are bound.
// It returns nil if no node has the attribute statedShapes.
func statesShapes(ops *lower.Table, g *ir.Graph) *ir.Graph {
	for _, n := range g.Nodes {
		if _, ok := n.Attrs[statedShapes].([]ir.PartialShape); ok {
			c := g.Clone()
			// if inference rejects a node, its shape stays unknown; Run reports the error if the
			// node is needed
			_ = edit.Infer(ops, c)
			return c
		}
	}
	return nil
}

// checkStated returns errors for those needed nodes whose attribute statedShapes contradicts the
// inferred shapes. The errors are InvalidArgument, as they are when TensorFlow imports the graph.
func checkStated(inferred *ir.Graph, needed map[*ir.Node]bool, g *ir.Graph) []error {
	var errs []error
	for _, n := range inferred.Nodes {
		shapes, ok := n.Attrs[statedShapes].([]ir.PartialShape)
		if !ok || !needed[g.Node(n.Name)] {
			continue
		}
		for i, s := range shapes {
			// For graphc the handle of a resource is a scalar, whatever shape TensorFlow infers for
			// the handle.
			if i >= len(n.Outs) || s.UnknownRank || n.Outs[i].DType == tensor.Resource {
				continue
			}
			if have := n.Outs[i].Shape; contradicts(s, have) {
				errs = append(errs, tensor.AtNode(tensor.Errorf(tensor.InvalidArgument, "attribute %q states shape %v for output %d, which has shape %v",
					statedShapes, lower.ShapeFromAttr(n.Name, s), i, have), n.Name, n.Op))
			}
		}
	}
	return errs
}

// contradicts reports whether there is no shape that fits both s and have.
func contradicts(s ir.PartialShape, have ir.Shape) bool {
	if !have.Known {
		return false
	}
	if len(s.Dims) != len(have.Dims) {
		return true
	}
	for i, d := range s.Dims {
		if v, ok := have.Dims[i].IsInt(); ok && d >= 0 && int64(v) != d {
			return true
		}
	}
	return false
}
