package frontend

import (
	"strconv"
	"strings"

	"github.com/graphc/graphc/frontend/opdef"
	"github.com/graphc/graphc/frontend/pb"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// function writes a function of the library. Each of its arguments and results is one tensor.
func (w *writer) function(f *ir.Function) (*pb.FunctionDef, error) {
	d := &pb.FunctionDef{Signature: &pb.OpDef{Name: w.call(f.Name), IsStateful: f.Stateful}, Attr: map[string]*pb.AttrValue{},
		Ret: map[string]string{}, ControlRet: map[string]string{}, ArgAttr: map[uint32]*pb.FunctionDef_ArgAttrs{}}
	for k, a := range f.Attrs {
		v, err := w.attr(a)
		if err != nil {
			return nil, err
		}
		d.Attr[k] = v
	}
	args, rets := paramNames(f.Args), paramNames(f.Rets)
	for i, p := range f.Args {
		d.Signature.InputArg = append(d.Signature.InputArg, &pb.OpDef_ArgDef{Name: args[i], Type: pb.DataType(p.DType)})
	}
	for i, p := range f.Rets {
		d.Signature.OutputArg = append(d.Signature.OutputArg, &pb.OpDef_ArgDef{Name: rets[i], Type: pb.DataType(p.DType)})
	}
	argOf := func(n *ir.Node) (string, error) {
		if i := n.Int("index"); i >= 0 && i < len(args) {
			return args[i], nil
		}
		return "", tensor.AtNode(tensor.Errorf(tensor.Internal, "argument %d of %d", n.Int("index"), len(args)), n.Name, n.Op)
	}
	input := func(o ir.Out) (string, error) {
		if o.Node.Op == "_Arg" {
			return argOf(o.Node)
		}
		return w.resultName(o)
	}
	control := func(n *ir.Node) string {
		if n.Op == "_Arg" {
			if name, err := argOf(n); err == nil {
				return name
			}
		}
		return n.Name
	}
	for _, n := range f.Body.Nodes {
		switch n.Op {
		case "_Arg":
			if err := w.argAttrs(d, n); err != nil {
				return nil, err
			}
			continue
		case "_Retval":
			i := n.Int("index")
			if i < 0 || i >= len(rets) || len(n.Ins) != 1 {
				return nil, tensor.AtNode(tensor.Errorf(tensor.Internal, "result %d of %d", i, len(rets)), n.Name, n.Op)
			}
			from, err := input(n.Ins[0])
			if err != nil {
				return nil, err
			}
			d.Ret[rets[i]] = from
			continue
		}
		nd, err := w.node(n, input, control)
		if err != nil {
			return nil, tensor.AtNode(err, n.Name, n.Op)
		}
		d.NodeDef = append(d.NodeDef, nd)
	}
	for _, c := range f.Controls {
		d.Signature.ControlOutput = append(d.Signature.ControlOutput, c.Name)
		d.ControlRet[c.Name] = c.Node
	}
	return d, nil
}

// argAttrs writes the attributes of an argument that begin with an underscore.
func (w *writer) argAttrs(d *pb.FunctionDef, n *ir.Node) error {
	for k, a := range n.Attrs {
		if !strings.HasPrefix(k, "_") {
			continue
		}
		v, err := w.attr(a)
		if err != nil {
			return err
		}
		i := uint32(n.Int("index"))
		if d.ArgAttr[i] == nil {
			d.ArgAttr[i] = &pb.FunctionDef_ArgAttrs{Attr: map[string]*pb.AttrValue{}}
		}
		d.ArgAttr[i].Attr[k] = v
	}
	return nil
}

// paramNames returns a unique name for each parameter.
func paramNames(ps []ir.Param) []string {
	names, taken := make([]string, len(ps)), map[string]bool{}
	for _, p := range ps {
		taken[p.Name] = true
	}
	first := map[string]bool{}
	for i, p := range ps {
		name := p.Name
		for k := 1; first[name] || name != p.Name && taken[name]; k++ {
			name = p.Name + "_" + strconv.Itoa(k)
		}
		first[name], names[i] = true, name
	}
	return names
}

// resultName returns the name of a tensor in a body: node:result:number.
func (w *writer) resultName(o ir.Out) (string, error) {
	n := o.Node
	name := func(result string, i int) (string, error) { return n.Name + ":" + result + ":" + strconv.Itoa(i), nil }
	d := opdef.Lookup(n.Op)
	if d == nil {
		if w.lib == nil || w.lib.Functions[n.Op] == nil || o.Index >= len(w.lib.Functions[n.Op].Rets) {
			return "", tensor.Errorf(tensor.Unimplemented, "the results of %q (%s) have no names", n.Name, n.Op)
		}
		return name(paramNames(w.lib.Functions[n.Op].Rets)[o.Index], 0)
	}
	_, starts, err := argsTypes(d.Outs, n.Attrs)
	if err != nil {
		return "", err
	}
	for i := len(starts) - 1; i >= 0; i-- {
		if o.Index >= starts[i] && i < len(d.Outs) {
			return name(d.Outs[i].Name, o.Index-starts[i])
		}
	}
	return "", tensor.Errorf(tensor.Internal, "%s has no output %d", n.Op, o.Index)
}
