package lower

import (
	"strconv"
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// ShapeFromAttr converts the shape s of an attribute. Each unknown dimension becomes a symbol that
// is named after name.
func ShapeFromAttr(name string, s ir.PartialShape) ir.Shape {
	if s.UnknownRank {
		return ir.Shape{}
	}
	dims := make([]*sym.Expr, len(s.Dims))
	for i, d := range s.Dims {
		if d >= 0 {
			dims[i] = sym.Int(int(d))
		} else {
			dims[i] = sym.Var(DimName(name, i))
		}
	}
	return ir.ShapeOf(dims...)
}

// DimName returns the name of the symbol for one dimension of the fed tensor with the given name.
// The parameter axis is the number of the dimension.
func DimName(name string, axis int) string {
	return plan.FedDim + ir.Ident(name) + "_" + strconv.Itoa(axis)
}

// ShapesAttr is an attribute that holds the shapes of a node's outputs. Each shape has the form
// "[n,4]", or is "" if it is unknown. A node has this attribute if it reads from a container into
// which another partition puts tensors, because the node's inputs then do not determine its shapes.
const ShapesAttr = "_shapes"

// stated sets the shapes of outputs to those in ShapesAttr, even if the node's shape function found
// more specific shapes. Tensors of other partitions may use symbols that occur only in ShapesAttr,
// and this node determines the values of these symbols at run time.
func (c *Shaper) stated() error {
	texts, ok := c.Node.Attrs[ShapesAttr].([]string)
	if !ok {
		return nil
	}
	for i := range c.Node.Outs {
		f := &c.Node.Outs[i]
		if i >= len(texts) || texts[i] == "" {
			continue
		}
		dims, err := ParseDims(texts[i])
		if err != nil {
			return err
		}
		known := f.Ints // the elements that the shape function found stay valid
		c.Set(i, f.DType, ir.ShapeOf(dims...))
		if known != nil && f.Shape.Len().Is(len(known)) {
			c.SetInts(i, known)
		}
	}
	return nil
}

// ParseDims parses the text of a shape.
func ParseDims(text string) ([]*sym.Expr, error) {
	list := strings.Trim(text, "[]")
	if list == "" {
		return nil, nil
	}
	return ParseShapes(splitDims(list))
}

// splitDims splits a list at commas outside of parentheses.
func splitDims(list string) []string {
	var out []string
	depth, from := 0, 0
	for i, r := range list {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				out, from = append(out, list[from:i]), i+1
			}
		}
	}
	return append(out, list[from:])
}

// ParseShapes parses the dimensions of a shape. Each text is one dimension.
func ParseShapes(texts []string) ([]*sym.Expr, error) {
	es := make([]*sym.Expr, len(texts))
	for i, t := range texts {
		e, err := sym.Parse(t)
		if err != nil {
			return nil, tensor.Errorf(tensor.Internal, "%q is not a size: %v", t, err)
		}
		es[i] = e
	}
	return es, nil
}
