package frontend

import (
	"strings"

	"github.com/graphc/graphc/frontend/opdef"
	"github.com/graphc/graphc/frontend/pb"
	"github.com/graphc/graphc/ir"
)

// standardOps replaces the ops that only tfjs has. The last node of each replacement gets the name
// of the original node.
//
//	Prelu(x, a)                            = Relu(x) + (-a) * Relu(-x)
//	FusedDepthwiseConv2dNative(x, f, b, …) = activation(BiasAdd(DepthwiseConv2dNative(x, f), b))
//	_FusedConv2D, _FusedMatMul with Prelu  = Prelu(the same op without Prelu, last input)
func standardOps(def *pb.GraphDef) {
	names := namesOf(def)
	out := make([]*pb.NodeDef, 0, len(def.Node))
	for _, n := range def.Node {
		switch n.GetOp() {
		case "Prelu":
			data, controls := splitInputs(n)
			if len(data) != 2 {
				break // keep the node; the check of its inputs reports the error later
			}
			out = append(out, prelu(names, n.Name, n, data[0], data[1], controls)...)
			continue
		case "FusedDepthwiseConv2dNative":
			if l := fusedDepthwise(names, n); l != nil {
				out = append(out, l...)
				continue
			}
		case "_FusedConv2D", "_FusedMatMul":
			if l := fusedPrelu(names, n); l != nil {
				out = append(out, l...)
				continue
			}
		}
		out = append(out, n)
	}
	def.Node = out
}

func splitInputs(n *pb.NodeDef) (data, controls []string) {
	for _, in := range n.Input {
		if strings.HasPrefix(in, "^") {
			controls = append(controls, in)
		} else {
			data = append(data, in)
		}
	}
	return data, controls
}

// step makes a node. It copies the attribute T and the attributes named in keep from another node.
func step(name, op string, from *pb.NodeDef, ins []string, keep ...string) *pb.NodeDef {
	n := &pb.NodeDef{Name: name, Op: op, Input: ins, Device: from.Device, Attr: map[string]*pb.AttrValue{}}
	for _, k := range append(keep, "T") {
		if v := from.Attr[k]; v != nil {
			n.Attr[k] = v
		}
	}
	if n.Attr["T"] == nil { // use float32, because tfjs computes in this type
		n.Attr["T"] = typeAttr(pb.DataType_DT_FLOAT)
	}
	return n
}

func prelu(names freshNames, name string, from *pb.NodeDef, x, alpha string, controls []string) []*pb.NodeDef {
	base := func(s string) string { return names.name(name + "/" + s) }
	pos := step(base("pos"), "Relu", from, append([]string{x}, controls...))
	negX := step(base("neg_x"), "Neg", from, append([]string{x}, controls...))
	neg := step(base("neg"), "Relu", from, []string{negX.Name})
	negAlpha := step(base("neg_alpha"), "Neg", from, append([]string{alpha}, controls...))
	scaled := step(base("scaled"), "Mul", from, []string{negAlpha.Name, neg.Name})
	return []*pb.NodeDef{pos, negX, neg, negAlpha, scaled, step(name, "AddV2", from, []string{pos.Name, scaled.Name})}
}

func fusedOps(n *pb.NodeDef) []string {
	var ops []string
	for _, s := range n.Attr["fused_ops"].GetList().GetS() {
		ops = append(ops, string(s))
	}
	return ops
}

// fusedDepthwise returns the nodes that replace n. It returns nil if one of the fused ops is
// unknown. Then n keeps its op, and the model is rejected because TensorFlow has no such op.
func fusedDepthwise(names freshNames, n *pb.NodeDef) []*pb.NodeDef {
	data, controls := splitInputs(n)
	ops := fusedOps(n)
	if len(data) < 2 {
		return nil
	}
	x, filter, args := data[0], data[1], data[2:]
	for _, op := range ops {
		if (op == "BiasAdd" || op == "Prelu") && len(args) == 0 || activations[op] == "" {
			return nil
		}
		if op == "BiasAdd" || op == "Prelu" {
			args = args[1:]
		}
	}
	if len(args) > 0 {
		return nil
	}
	args = data[2:]
	name := func(i int, op string) string {
		if i == len(ops) {
			return n.Name
		}
		return names.name(n.Name + "/" + op)
	}
	l := []*pb.NodeDef{step(name(0, "depthwise"), "DepthwiseConv2dNative", n, append([]string{x, filter}, controls...),
		"strides", "padding", "explicit_paddings", "data_format", "dilations")}
	for i, op := range ops {
		last := l[len(l)-1].Name
		switch op {
		case "BiasAdd":
			l = append(l, step(name(i+1, op), op, n, []string{last, args[0]}, "data_format"))
			args = args[1:]
		case "Prelu":
			l = append(l, prelu(names, name(i+1, op), n, last, args[0], nil)...)
			args = args[1:]
		case "LeakyRelu":
			a := step(name(i+1, op), op, n, []string{last})
			if v := n.Attr["leakyrelu_alpha"]; v != nil {
				a.Attr["alpha"] = v
			}
			l = append(l, a)
		default:
			l = append(l, step(name(i+1, op), activations[op], n, []string{last}))
		}
	}
	return l
}

// activations maps the ops that tfjs fuses to the ops that replace them.
var activations = map[string]string{"BiasAdd": "BiasAdd", "Prelu": "Prelu", "LeakyRelu": "LeakyRelu", "Relu": "Relu", "Relu6": "Relu6",
	"Elu": "Elu", "Sigmoid": "Sigmoid", "Tanh": "Tanh"}

// fusedPrelu splits a fused op with Prelu into the op without it and a separate Prelu, because
// TensorFlow does not support the fused form.
func fusedPrelu(names freshNames, n *pb.NodeDef) []*pb.NodeDef {
	ops := fusedOps(n)
	data, controls := splitInputs(n)
	if len(ops) == 0 || ops[len(ops)-1] != "Prelu" || len(data) < 3 {
		return nil
	}
	alpha := data[len(data)-1]
	inner := cloneNode(n)
	inner.Name = names.name(n.Name + "/" + "fused")
	inner.Input = append(append([]string{}, data[:len(data)-1]...), controls...)
	inner.Attr["fused_ops"].GetList().S = inner.Attr["fused_ops"].GetList().S[:len(ops)-1]
	if v := n.Attr["num_args"]; v != nil {
		inner.Attr["num_args"] = &pb.AttrValue{Value: &pb.AttrValue_I{I: v.GetI() - 1}}
	}
	if l := inner.Attr["TArgs"].GetList(); l != nil && len(l.Type) > 0 {
		l.Type = l.Type[:len(l.Type)-1]
	}
	return append([]*pb.NodeDef{inner}, prelu(names, n.Name, n, inner.Name, alpha, nil)...)
}

// widenConstants adds copies of constants that have the type int32 or float32 in the model, but are
// read by nodes that need int64 or float64. Each copy has the type that the reading node needs. All
// nodes that need the same constant in the same type read the same copy.
func widenConstants(def *pb.GraphDef) {
	consts := map[string]*pb.NodeDef{}
	for _, n := range def.Node {
		if n.GetOp() == "Const" {
			consts[n.Name] = n
		}
	}
	names := namesOf(def)
	copies := map[string]*pb.NodeDef{} // constant and type → the converted copy
	for _, n := range def.Node {
		if n.GetOp() == "Const" || len(consts) == 0 {
			continue
		}
		takes := inputTypes(n)
		for i, in := range n.Input {
			c := consts[in]
			if c == nil {
				c = consts[strings.TrimSuffix(in, ":0")]
			}
			if c == nil || i >= len(takes) {
				continue
			}
			have, want := c.Attr["dtype"].GetType(), pb.DataType(takes[i].dtype)
			if have == want || !(have == pb.DataType_DT_INT32 && want == pb.DataType_DT_INT64 || have == pb.DataType_DT_FLOAT && want == pb.DataType_DT_DOUBLE) {
				continue
			}
			key := c.Name + " " + want.String()
			if copies[key] == nil {
				w := c.Attr["value"].GetTensor()
				if w == nil || w.Dtype != have {
					continue
				}
				t, err := widen(w, want)
				if err != nil {
					continue
				}
				d := &pb.NodeDef{Name: names.name(c.Name + "/wide"), Op: "Const", Input: c.Input, Device: c.Device, Attr: map[string]*pb.AttrValue{
					"dtype": typeAttr(want), "value": {Value: &pb.AttrValue_Tensor{Tensor: t}}}}
				copies[key] = d
				def.Node = append(def.Node, d)
			}
			n.Input[i] = copies[key].Name
		}
	}
}

// inputTypes returns the types of a node's inputs, or nil if its attributes do not define them.
func inputTypes(n *pb.NodeDef) []edge {
	sig := opdef.Lookup(n.GetOp())
	if sig == nil {
		return nil
	}
	vals := map[string]ir.Attr{}
	for i := range sig.Attrs {
		a := &sig.Attrs[i]
		if a.HasDefault {
			vals[a.Name] = a.Default
		}
		if v := n.Attr[a.Name]; v != nil && a.Kind != "tensor" {
			if x, err := (attrs{}).value(v, a.Kind); err == nil {
				vals[a.Name] = x
			}
		}
	}
	es, _, err := argsTypes(sig.Ins, vals)
	if err != nil {
		return nil
	}
	return es
}
