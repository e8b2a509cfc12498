package passes

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// statedShapes is an attribute in which a program that writes graphs may store the shapes that it
// has inferred.
const statedShapes = "_output_shapes"

// statesShapes returns a copy of the graph with its facts inferred before anything is fed. It
// returns nil if no node states shapes.
func statesShapes(ops *lower.Table, g *ir.Graph) *ir.Graph {
	for _, n := range g.Nodes {
		if _, ok := n.Attrs[statedShapes].([]ir.PartialShape); ok {
			c := g.Clone()
			_ = edit.Infer(ops, c) // the shape of a rejected node stays unknown; if the node is needed, Run reports the error
			return c
		}
	}
	return nil
}

// checkStated returns an error for each needed node whose stated shape contradicts the inferred
// one: InvalidArgument, as when TensorFlow imports the graph.
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

// contradicts reports whether no shape matches both s and have.
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
