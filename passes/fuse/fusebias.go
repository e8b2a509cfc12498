package fuse

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// Fusable maps the op of a convolution or matrix product to the op that also computes the nodes
// after the product.
var Fusable = map[string]string{"Conv2D": "_FusedConv2D", "DepthwiseConv2dNative": "_FusedDepthwiseConv2dNative", "MatMul": "_FusedMatMul",
	"Conv2DBackpropInput": "_FusedConv2DBackpropInput", "Conv3D": "_FusedConv3D"}

// NoResidual contains those ops of products whose kernels cannot add another tensor (a residual) to
// the result.
var NoResidual = edit.Set("DepthwiseConv2dNative", "Conv2DBackpropInput")

// Activations contains the activation functions that the kernel of a product can apply to its
// result.
var Activations = edit.Set("Relu", "Relu6", "Elu", "LeakyRelu", "Tanh", "Sigmoid", "_Gelu", "_Swish", "_HardSwish")

// fusedName returns the name that the attribute fused_ops has for an activation.
func fusedName(n *ir.Node) string {
	switch n.Op {
	case "_Gelu":
		if n.Bool("approximate") {
			return "GeluApproximate"
		}
		return "GeluExact"
	case "_Swish":
		return "_MklSwish"
	case "_HardSwish":
		return "_FusedHardSwish"
	}
	return n.Op
}

// Fusebias merges a convolution or matrix product with nodes that follow it: a bias per channel, a
// residual (another tensor of the same shape, which is added), and an activation. The kernel
// applies them to a tile of the result while the tile is in registers. Each intermediate result
// must have a single reader, and must not be fetched. The attributes fused_ops, num_args, epsilon
// and leakyrelu_alpha are those of TensorFlow.
//
// Fusebias visits products from last to first. If two products are added, the later one therefore
// adds the result of the earlier one.
func Fusebias(s *edit.State) (bool, error) {
	order, err := s.G.Order()
	if err != nil {
		return false, err
	}
	f := &fuser{Chains: edit.NewChains(s), e: s.Edit()}
	for i := len(order) - 1; i >= 0; i-- {
		n := order[i]
		if Fusable[n.Op] == "" {
			continue
		}
		p, ok := edit.ProductOf(n)
		if d := n.Outs[0].DType; !ok || d != tensor.Float32 && (d != tensor.Float64 || n.Op == "Conv2DBackpropInput") {
			continue
		}
		if n.Op == "Conv3D" && p.Axis != p.Rank-1 {
			continue
		}
		if !f.fuse(p) {
			break
		}
	}
	changed := f.e.Apply()
	s.TakeNames(f.renames)
	return changed, nil
}

type fuser struct {
	*edit.Chains
	e       *ir.Editor
	renames []edit.Rename
}

// fused describes the nodes after a product that the product's kernel computes.
type fused struct {
	ops   []string
	args  []ir.Out
	alpha float32
	last  *ir.Node
	names []string
	bias  *tensor.Tensor // if not nil, a new constant that replaces args[0]
	from  *ir.Node       // constant node from which bias has been computed
}

// fuse merges the product p with the nodes after it, if possible. It returns false if the pass may
// make no more changes, because its fuel is used up.
func (f *fuser) fuse(p edit.Product) bool {
	x := &fused{last: p.Node}
	if !f.Kept[p.Node] {
		f.bias(p, x)
		f.residual(p, x)
		if len(x.ops) == 1 && x.ops[0] == "Add" {
			f.bias(p, x) // the bias may also come after the residual
		}
		f.activation(x)
	}
	f.refuse(p, x)
	if len(x.ops) == 0 {
		return true
	}
	n := p.Node
	s := f.S
	attrs := map[string]ir.Attr{}
	for k, v := range n.Attrs {
		attrs[k] = v
	}
	d := n.Outs[0].DType
	args := append([]ir.Out(nil), x.args...)
	if x.bias != nil {
		args[0] = s.NewConst(x.last.Name+"/bias", x.bias, x.from)
	}
	targs := make([]tensor.DType, len(args))
	for i := range targs {
		targs[i] = d
	}
	attrs["fused_ops"], attrs["num_args"], attrs["epsilon"], attrs["leakyrelu_alpha"] = x.ops, int64(len(args)), float32(1e-4), float32(0.2)
	if x.alpha != 0 {
		attrs["leakyrelu_alpha"] = x.alpha
	}
	if n.Op == "Conv2D" {
		attrs["TArgs"], attrs["num_host_args"], attrs["filter_format"] = targs, int64(0), "HWIO"
	}
	m := s.G.NewNode(x.last.Name+"/fused", Fusable[n.Op], attrs, 1, append(append([]ir.Out(nil), n.Ins...), args...)...)
	m.Controls, m.Device, m.Origin = append([]*ir.Node(nil), n.Controls...), n.Device, x.last.Origin
	if m.Device == "" {
		m.Device = x.last.Device
	}
	m.Origin.Names = append(append([]string{n.Name}, x.names...), m.Origin.Names...)
	m.Outs[0] = x.last.Outs[0]
	if !f.e.ReplaceNode(x.last, m, "one kernel computes "+n.Op+" and the nodes after it") {
		s.Drop(m)
		return false
	}
	f.renames = append(f.renames, edit.Rename{Node: m, Name: x.last.Name})
	// The nodes that have read the last fused node now read m. This is recorded here, because an
	// earlier product may look up the readers of m.
	f.Readers[ir.Out{Node: m}] = f.Readers[ir.Out{Node: x.last}]
	for i, a := range m.Ins {
		rs := f.Readers[a]
		for k, r := range rs {
			if r == n || r == x.last || contains(x.names, r.Name) {
				rs[k] = m
			}
		}
		if i >= len(n.Ins) && len(rs) == 0 {
			f.Readers[a] = []*ir.Node{m}
		}
	}
	return true
}

// refuse records the reason why the node after the last fused node was not fused.
func (f *fuser) refuse(p edit.Product, x *fused) {
	for _, r := range f.Readers[ir.Out{Node: x.last}] {
		bias := r.Op == "BiasAdd" || (r.Op == "Add" || r.Op == "AddV2" || r.Op == "Sub") && len(r.Ins) == 2
		if !bias && !Activations[r.Op] {
			continue
		}
		why := blocked(f.Chains, x.last)
		switch {
		case why != "":
			why = x.last.Name + " " + why
		case len(x.ops) > 0 && bias && x.ops[0] == "BiasAdd":
			why = "a bias is joined already"
		case bias && !r.Outs[0].Shape.Equal(p.Node.Outs[0].Shape):
			why = "the sum is not known to have the product's shape"
		case bias:
			why = "the added value is not a constant per channel and does not have the product's shape"
		default:
			why = "the kernel supports only one activation of those it knows"
		}
		f.e.Refuse(p.Node, r.Name+" is not joined with it: "+why)
		f.e.Refuse(r, "it is not joined with "+p.Node.Name+": "+why)
		return
	}
}

func contains(l []string, s string) bool {
	for _, t := range l {
		if t == s {
			return true
		}
	}
	return false
}

// add records that the kernel of the product computes n, and that args are the operands of n. The
// kernel adds a bias first, so a bias is inserted at the beginning of the lists.
func (x *fused) add(op string, n *ir.Node, args ...ir.Out) {
	if op == "BiasAdd" && len(x.ops) > 0 {
		x.ops, x.args, x.last = append([]string{op}, x.ops...), append(args, x.args...), n
		x.names = append(x.names, n.Name)
		return
	}
	x.ops = append(x.ops, op)
	x.args = append(x.args, args...)
	x.last = n
	x.names = append(x.names, n.Name)
}

// bias fuses the next node with the product p if this node adds a bias: if it is a BiasAdd, or a
// sum with one constant per channel.
func (f *fuser) bias(p edit.Product, x *fused) {
	n, i := Next(f.Chains, x.last)
	if n == nil || len(n.Ins) != 2 || n.Ins[0] == n.Ins[1] || !n.Outs[0].Shape.Equal(p.Node.Outs[0].Shape) {
		return
	}
	switch n.Op {
	case "BiasAdd":
		b := n.Ins[1].Fact()
		if i == 0 && edit.FormatAxis(n, p.Rank) == p.Axis && b.Shape.Rank() == 1 && b.DType == p.Node.Outs[0].DType &&
			b.Shape.Dims[0].Equal(p.Node.Outs[0].Shape.Dims[p.Axis]) {
			x.add("BiasAdd", n, n.Ins[1])
		}
	case "Add", "AddV2", "Sub":
		t := constant(n, 1-i)
		if n.Op == "Sub" && i != 0 || t == nil || t.DType != p.Node.Outs[0].DType {
			return
		}
		v, ok := p.Vector(t)
		if !ok {
			return
		}
		if n.Op == "Sub" {
			for k := range v {
				v[k] = -v[k]
			}
		}
		if b, ok := edit.Rounded(t.DType, tensor.Shape{p.C}, v); ok {
			x.add("BiasAdd", n, n.Ins[1-i])
			x.bias, x.from = b, n.Ins[1-i].Node
		}
	}
}

// residual fuses the next node with the product p if this node adds a tensor that has the shape of
// the result.
func (f *fuser) residual(p edit.Product, x *fused) {
	n, i := Next(f.Chains, x.last)
	if n == nil || NoResidual[p.Node.Op] || len(n.Ins) != 2 || n.Ins[0] == n.Ins[1] {
		return
	}
	if n.Op != "Add" && n.Op != "AddV2" && n.Op != "AddN" {
		return
	}
	r := n.Ins[1-i]
	if out := &p.Node.Outs[0]; !r.Fact().Shape.Equal(out.Shape) || r.Fact().DType != out.DType {
		return
	}
	x.add("Add", n, r)
}

// activation fuses the next node with the product if this node is an activation.
func (f *fuser) activation(x *fused) {
	n, _ := Next(f.Chains, x.last)
	if n == nil || !Activations[n.Op] || len(n.Ins) != 1 {
		return
	}
	if n.Op == "LeakyRelu" {
		x.alpha = n.Float("alpha")
		if x.alpha == 0 {
			return // max(x, 0·x) is NaN for an infinite x, unlike Relu
		}
	}
	x.add(fusedName(n), n)
}
