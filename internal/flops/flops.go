// Package flops counts the operations of a graph.
package flops

import (
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
)

// Of counts the operations of a graph's matrix products and convolutions: two for every
// multiply-add. The graph's types and shapes must have been inferred. The result is an expression
// in the unknown dimension sizes. Ops with unknown shapes are ignored.
func Of(g *ir.Graph) *sym.Expr {
	total := sym.Zero
	for _, n := range g.Nodes {
		if macs := MACs(n); macs != nil {
			total = total.Add(macs.MulInt(2))
		}
	}
	return total
}

// dimsOf returns the sizes of an input's or output's shape, or nil if unknown.
func dimsOf(f *ir.Fact) []*sym.Expr {
	if !f.Shape.Known {
		return nil
	}
	return f.Shape.Dims
}

func in(n *ir.Node, i int) []*sym.Expr {
	if i >= len(n.Ins) || n.Ins[i].Node == nil {
		return nil
	}
	return dimsOf(n.Ins[i].Fact())
}

func out(n *ir.Node, i int) []*sym.Expr {
	if i >= len(n.Outs) {
		return nil
	}
	return dimsOf(&n.Outs[i])
}

// MACs returns the number of multiply-adds of one node, or nil if it has none or their number is
// unknown.
func MACs(n *ir.Node) *sym.Expr {
	op := strings.TrimPrefix(strings.TrimPrefix(n.Op, "_Fused"), "Quantized")
	switch {
	case op == "Conv2D" || op == "Conv3D":
		return convMACs(out(n, 0), in(n, 1))
	case strings.HasPrefix(op, "Conv2DBackpropInput") || strings.HasPrefix(op, "Conv3DBackpropInput"):
		return gradMACs(in(n, 2), in(n, 1))
	case strings.HasPrefix(op, "Conv2DBackpropFilter") || strings.HasPrefix(op, "Conv3DBackpropFilter"):
		return gradMACs(in(n, 2), out(n, 0))
	case op == "DepthwiseConv2dNative":
		if o, f := out(n, 0), in(n, 1); o != nil && len(f) == 4 {
			return sym.Product(o).Mul(f[0]).Mul(f[1])
		}
	case op == "MatMul" || op == "SparseMatMul":
		return matMACs(out(n, 0), in(n, 0), n.Bool("transpose_a"))
	case strings.HasPrefix(op, "BatchMatMul"):
		return matMACs(out(n, 0), in(n, 0), n.Bool("adj_x"))
	case op == "Einsum":
		return einsumMACs(n)
	}
	return nil
}

// convMACs counts the multiply-adds of a convolution: every output element is a sum over the
// filter's window and the input channels, the filter's last but one dimension.
func convMACs(o, filter []*sym.Expr) *sym.Expr {
	if o == nil || len(filter) < 3 {
		return nil
	}
	return sym.Product(o).Mul(sym.Product(filter[:len(filter)-1]))
}

// gradMACs counts the multiply-adds of a convolution's gradient with respect to the input or the
// filter. Their number is the same as for the convolution itself, whose output has the shape in the
// parameter grad.
func gradMACs(grad, filter []*sym.Expr) *sym.Expr { return convMACs(grad, filter) }

func matMACs(o, a []*sym.Expr, transposed bool) *sym.Expr {
	if o == nil || len(a) < 2 {
		return nil
	}
	k := a[len(a)-1]
	if transposed {
		k = a[len(a)-2]
	}
	return sym.Product(o).Mul(k)
}

// einsumMACs returns the product of the sizes of all labels in an Einsum's equation. It returns nil
// if the equation has an ellipsis or the sizes are unknown.
func einsumMACs(n *ir.Node) *sym.Expr {
	left, _, ok := strings.Cut(n.Str("equation"), "->")
	if !ok || strings.Contains(left, ".") || len(n.Ins) < 2 {
		return nil
	}
	macs := sym.Int(1)
	seen := map[byte]bool{}
	for i, labels := range strings.Split(left, ",") {
		labels = strings.TrimSpace(labels)
		dims := in(n, i)
		if len(dims) != len(labels) {
			return nil
		}
		for j := range labels {
			if !seen[labels[j]] {
				seen[labels[j]] = true
				macs = macs.Mul(dims[j])
			}
		}
	}
	return macs
}

// At evaluates e with every unknown size set to size.
func At(e *sym.Expr, size int) (int, error) {
	set := map[string]bool{}
	e.Vars(set)
	env := map[string]int{}
	for v := range set {
		env[v] = size
	}
	return e.Eval(env)
}
