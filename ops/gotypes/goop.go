package gotypes

import (
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// goDefs describes the ops whose kernels are the user's Go functions. They are never folded, since
// what the functions compute is unknown.
func goDefs() []*lower.Def {
	return []*lower.Def{
		{Name: ir.GoOp, Flags: lower.NoFold, Shape: goShape, Lower: goLower},
		{Name: ir.GoEffectOp, Flags: lower.NoFold | lower.Stateful | lower.Effect, Shape: goShape, Lower: goLower},
	}
}

func goStrings(n *ir.Node, attr string) []string {
	l, _ := n.Attrs[attr].([]string)
	return l
}

// goShape reads the outputs' shapes from attribute ir.GoOutputs. Without this attribute, it uses
// the shape function of the op that the Go function replaces.
func goShape(c *lower.Shaper) error {
	n := c.Node
	outputs := goStrings(n, ir.GoOutputs)
	if outputs == nil {
		return goBuiltIn(c)
	}
	if len(outputs) != len(n.Outs) {
		return tensor.Errorf(tensor.InvalidArgument, "the node has %d outputs, but %d shapes are given: %q", len(n.Outs), len(outputs), outputs)
	}
	sizes := 0
	for i, text := range outputs {
		s, err := goOutput(c, i, text, &sizes)
		if err != nil {
			return tensor.Errorf(tensor.CodeOf(err), "output %d with the shape %q: %s", i, text, err.(*tensor.Error).Msg)
		}
		c.Set(i, n.Outs[i].DType, s)
	}
	if fn := n.Str(ir.GoSizes); (sizes > 0) != (fn != "") {
		return tensor.Errorf(tensor.InvalidArgument, "the outputs' shapes %q have %d sizes ?, but the function for sizes is %q", outputs, sizes, fn)
	}
	return nil
}

// goBuiltIn infers the shapes with the shape function of TensorFlow's op of the same name.
func goBuiltIn(c *lower.Shaper) error {
	n := c.Node
	d := c.Op(n.OpName())
	if d == nil || d.Shape == nil || d.Name == n.Op {
		return tensor.Errorf(tensor.InvalidArgument, "the output shapes of %s must be given with its function", n.OpName())
	}
	types := make([]tensor.DType, len(n.Outs))
	for i := range types {
		types[i] = n.Outs[i].DType
	}
	op := n.Op
	n.Op = n.OpName() // a shape function that several ops share may use the name of the op
	err := d.Shape(c)
	n.Op = op
	if err != nil {
		return err
	}
	for i := range n.Outs {
		f := &n.Outs[i]
		// the Go function, not TensorFlow's op, determines values and types
		f.Const, f.Ints, f.DType = nil, nil, types[i]
		for _, e := range f.Shape.Dims {
			vars := map[string]bool{}
			e.Vars(vars)
			for v := range vars {
				if s, ok := c.Graph.Symbols[v]; ok && s.Out.Node == n {
					return tensor.Errorf(tensor.InvalidArgument, "output %d of %s has a size known only at run time: give the output shapes and a function for sizes", i, op)
				}
			}
		}
	}
	return nil
}

var (
	goDim  = regexp.MustCompile(`([A-Za-z_]\w*)\[\s*(-?\d+)\s*\]`)
	goList = regexp.MustCompile(`^([A-Za-z_]\w*)(?:\[\s*(-?\d*)\s*:\s*(-?\d*)\s*\])?$`)
)

// goOutput parses the text that describes the shape of output i. The text consists of sizes
// separated by commas. Each of them has one of these forms:
//
//	?               a size that the user's function for sizes returns
//	x, x[1:], x[:2] all or some sizes of the input x, or elements of the attribute x
//	2*x[0]+pad      an expression of sizes of inputs and of int attributes
//
// The empty text stands for a scalar. The shape is unknown if the rank of an input in the text is
// unknown.
func goOutput(c *lower.Shaper, i int, text string, sizes *int) (ir.Shape, error) {
	dims := []*sym.Expr{}
	if strings.TrimSpace(text) == "" {
		return ir.ShapeOf(dims...), nil
	}
	for k, item := range strings.Split(text, ",") {
		item = strings.TrimSpace(item)
		if item == "?" {
			dims = append(dims, c.NewSizeK(i, k))
			*sizes++
			continue
		}
		if m := goList.FindStringSubmatch(item); m != nil {
			all, what := goSizesOf(c.Node, m[1])
			switch {
			case what == goUnknown:
				return ir.Shape{}, nil
			case what == goIsList:
				part, err := goPart(all, m[2], m[3])
				if err != nil {
					return ir.Shape{}, err
				}
				dims = append(dims, part...)
				continue
			}
		}
		e, known, err := goExpr(c.Node, item)
		if err != nil || !known {
			return ir.Shape{}, err
		}
		dims = append(dims, e)
	}
	return ir.ShapeOf(dims...), nil
}

// goKind says what a name in a shape refers to.
type goKind int

const (
	goNothing goKind = iota
	goUnknown        // an input whose rank is unknown
	goIsList         // an input whose rank is known, or an attribute that is a list or a shape
)

// goSizesOf returns the sizes of the input with the given name. If several inputs form a list of
// this name, it returns the sizes of the first one. If no input has this name, goSizesOf returns
// the elements of the attribute with this name.
func goSizesOf(n *ir.Node, name string) ([]*sym.Expr, goKind) {
	for k, in := range goStrings(n, ir.GoInputs) {
		if in != name || k >= len(n.Ins) {
			continue
		}
		if s := n.Ins[k].Fact().Shape; s.Known {
			return s.Dims, goIsList
		}
		return nil, goUnknown
	}
	var vs []int64
	switch a := n.Attrs[name].(type) {
	case []int64:
		vs = a
	case ir.PartialShape:
		if a.UnknownRank {
			return nil, goUnknown
		}
		vs = a.Dims
	default:
		return nil, goNothing
	}
	out := make([]*sym.Expr, len(vs))
	for i, v := range vs {
		out[i] = sym.Int(int(v))
	}
	return out, goIsList
}

// goPart returns all[from:to]; negative numbers count from the end.
func goPart(all []*sym.Expr, from, to string) ([]*sym.Expr, error) {
	at := func(s string, absent int) int {
		v, err := strconv.Atoi(s)
		if err != nil {
			return absent
		}
		if v < 0 {
			v += len(all)
		}
		return v
	}
	lo, hi := at(from, 0), at(to, len(all))
	if lo < 0 || hi > len(all) || lo > hi {
		return nil, tensor.Errorf(tensor.InvalidArgument, "the part [%s:%s] of %d sizes is out of range", from, to, len(all))
	}
	return all[lo:hi], nil
}

// goExpr evaluates an expression of sizes. known is false if the rank of an input is unknown.
func goExpr(n *ir.Node, text string) (e *sym.Expr, known bool, err error) {
	put := map[string]*sym.Expr{}
	known = true
	plain := goDim.ReplaceAllStringFunc(text, func(s string) string {
		m := goDim.FindStringSubmatch(s)
		k, _ := strconv.Atoi(m[2])
		all, what := goSizesOf(n, m[1])
		if what == goUnknown {
			known = false
			return "1"
		}
		if k < 0 {
			k += len(all)
		}
		if k < 0 || k >= len(all) {
			err = tensor.Errorf(tensor.InvalidArgument, "unknown %s: it is neither in an input nor in an attribute of %s", s, n.OpName())
			return "1"
		}
		name := "size_" + strconv.Itoa(len(put)) + "_of"
		put[name] = all[k]
		return name
	})
	if err != nil || !known {
		return nil, known, err
	}
	e, perr := sym.Parse(plain)
	if perr != nil {
		return nil, true, tensor.Errorf(tensor.InvalidArgument, "%q is not a size: %v", text, perr)
	}
	vars := map[string]bool{}
	e.Vars(vars)
	for v := range vars {
		if put[v] != nil {
			continue
		}
		a, ok := n.Attrs[v].(int64)
		if !ok {
			return nil, true, tensor.Errorf(tensor.InvalidArgument, "%q in %q is not an int attribute of %s", v, text, n.OpName())
		}
		put[v] = sym.Int(int(a))
	}
	return e.Subst(put), true, nil
}

// goLower appends a call of the user's function for sizes, if the op has one, and then a call of
// the user's function for the op itself:
//
//	sizes(x, xShape, …, attributes…) (…int, error)
//	f(y, yShape, …, x, xShape, …, attributes…) error
func goLower(b *lower.Builder) error {
	var outs, ins []any
	for i := range b.Node.Outs {
		if err := goType(b.OutFact(i).DType); err != nil {
			return err
		}
		outs = append(outs, b.Out(i), b.OutShape(i))
	}
	for i := range b.NumIn() {
		if err := goType(b.InFact(i).DType); err != nil {
			return err
		}
		ins = append(ins, b.In(i), b.InShape(i))
	}
	for _, name := range goStrings(b.Node, ir.GoParams) {
		v, err := goParam(b.Node.Attrs[name])
		if err != nil {
			return tensor.Errorf(tensor.Unimplemented, "attribute %q: %s", name, err.(*tensor.Error).Msg)
		}
		ins = append(ins, v)
	}
	if fn := b.Node.Str(ir.GoSizes); fn != "" {
		var rets []*sym.Expr
		for i, text := range goStrings(b.Node, ir.GoOutputs) {
			for k, item := range strings.Split(text, ",") {
				if strings.TrimSpace(item) == "?" {
					rets = append(rets, b.NewSizeK(i, k))
				}
			}
		}
		b.CallSizes(goFunc(b.Node, fn, 0, len(rets), ins), rets, ins...)
		for _, r := range rets {
			b.Check(shape.AtLeast, r, 0, "a size that "+fn+" returns")
		}
	}
	args := append(outs, ins...)
	b.Call(goFunc(b.Node, b.Node.Str(ir.GoFunc), len(b.Node.Outs), 0, args), args...)
	return nil
}

// goType rejects element types that are not plain data, because Go code outside the run-time
// library cannot use their elements.
func goType(d tensor.DType) error {
	if !d.IsData() {
		return tensor.Errorf(tensor.Unimplemented, "a tensor of type %s cannot be passed to a Go function", d)
	}
	return nil
}

// goParam returns an attribute as a Go function receives it: int, float32, bool, string or a slice
// of these. A type is passed as its name, and a shape of known rank as []int with -1 for an unknown
// size.
func goParam(a ir.Attr) (any, error) {
	ints := func(vs []int64) []int {
		out := make([]int, len(vs))
		for i, v := range vs {
			out[i] = int(v)
		}
		return out
	}
	switch v := a.(type) {
	case int64:
		return int(v), nil
	case []int64:
		return ints(v), nil
	case float32, bool, string, []float32, []bool, []string:
		return v, nil
	case tensor.DType:
		return v.String(), nil
	case []tensor.DType:
		out := make([]string, len(v))
		for i, d := range v {
			out[i] = d.String()
		}
		return out, nil
	case ir.PartialShape:
		if !v.UnknownRank {
			return ints(v.Dims), nil
		}
	case []ir.PartialShape:
		if !slices.ContainsFunc(v, func(s ir.PartialShape) bool { return s.UnknownRank }) {
			out := make([][]int, len(v))
			for i, s := range v {
				out[i] = ints(s.Dims)
			}
			return out, nil
		}
	}
	return nil, tensor.Errorf(tensor.Unimplemented, "a %T, or a shape of unknown rank, cannot be passed to a Go function", a)
}

// goFunc describes the Go function with the given name, called with the arguments args. The results
// of the function are some integers, followed by an error; the parameter sizes is the number of the
// integers.
func goFunc(n *ir.Node, name string, outs, sizes int, args []any) *plan.Foreign {
	dot := strings.LastIndexByte(name, '.')
	in := make([]reflect.Type, len(args))
	for i, a := range args {
		in[i] = plan.ArgOf(a).Type()
	}
	out := make([]reflect.Type, sizes, sizes+1)
	for i := range out {
		out[i] = reflect.TypeFor[int]()
	}
	return &plan.Foreign{Path: name[:dot], Name: name[dot+1:], Outs: outs, Effect: n.Op == ir.GoEffectOp, Type: reflect.FuncOf(in, append(out, reflect.TypeFor[error]()), false)}
}
