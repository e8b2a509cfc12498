package ops

import (
	"math"
	"reflect"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// kernelFor returns the kernel whose first parameter is a slice of d's Go type.
func (b *Builder) kernelFor(d tensor.DType, kernels ...any) (any, error) {
	return b.kernelAt(0, d, kernels)
}

// kernelFrom is kernelFor by the second parameter, the source of a conversion.
func (b *Builder) kernelFrom(d tensor.DType, kernels ...any) (any, error) {
	return b.kernelAt(1, d, kernels)
}

// kernelThird is kernelFor by the third parameter.
func (b *Builder) kernelThird(d tensor.DType, kernels ...any) (any, error) {
	return b.kernelAt(2, d, kernels)
}

func (b *Builder) kernelAt(param int, d tensor.DType, kernels []any) (any, error) {
	for _, k := range kernels {
		if t := reflect.TypeOf(k).In(param + len(budgetOf(k))); t.Kind() == reflect.Slice && t.Elem() == d.GoType() {
			return k, nil
		}
	}
	return nil, b.Errorf(tensor.Unimplemented, "no CPU kernel takes %s", d)
}

// absent is a nil slice of d's Go type: a bias or a residual that is not there.
func absent(d tensor.DType) plan.Arg {
	return plan.Value{V: reflect.Zero(reflect.SliceOf(d.GoType())).Interface()}
}

// orAbsent is v, or an absent slice where v is nil.
func orAbsent(v *plan.View, d tensor.DType) plan.Arg {
	if v == nil {
		return absent(d)
	}
	return *v
}

// sameDim requires two dimensions to be equal: an error when they are known to
// differ, a check at run time when that cannot be told.
func (b *Builder) sameDim(x, y *sym.Expr, what string) error {
	if x.Equal(y) {
		return nil
	}
	m, mok := x.IsInt()
	n, nok := y.IsInt()
	if mok && nok {
		return b.Errorf(tensor.InvalidArgument, "%s: %d against %d", what, m, n)
	}
	b.Check(shape.Equal, x, y, what)
	return nil
}

// oneOr requires x = 1 or x = y, now or at run time.
func (b *Builder) oneOr(x, y *sym.Expr, what string) error {
	if x.Is(1) || x.Equal(y) {
		return nil
	}
	if _, ok := x.IsInt(); ok {
		return b.sameDim(x, y, what)
	}
	b.Check(shape.OneOr, x, y, what)
	return nil
}

// atLeast requires x ≥ lo, now or at run time.
func (b *Builder) atLeast(x *sym.Expr, lo int, what string) error {
	if n, ok := x.IsInt(); ok {
		if n < lo {
			return b.Errorf(tensor.InvalidArgument, "%s is %d, at least %d is required", what, n, lo)
		}
		return nil
	}
	if lo <= 0 && x.NonNegative() {
		return nil
	}
	b.Check(shape.AtLeast, x, lo, what)
	return nil
}

// differ reports two dimensions that are known to be unequal.
func differ(x, y *sym.Expr) bool {
	m, mok := x.IsInt()
	n, nok := y.IsInt()
	return mok && nok && m != n
}

// scratch is a buffer of the length that the kernel package's function lenOf
// returns for params; where scratchLen knows no bound, a step computes it.
func (b *Builder) scratch(d tensor.DType, lenOf any, params plan.Struct, free ...string) plan.View {
	if n, ok := scratchLen(lenOf, params, free...); ok {
		return b.Temp(d, sym.Int(n))
	}
	n := b.FreshSize()
	b.CallSizes(lenOf, []*sym.Expr{n}, params)
	return b.Temp(d, n)
}

// scratchLen is what lenOf returns for params where they are known, and the most
// it returns where only the fields named in free are not; false otherwise.
func scratchLen(lenOf any, params plan.Struct, free ...string) (int, bool) {
	v := reflect.New(reflect.TypeOf(params.V)).Elem()
	v.Set(reflect.ValueOf(params.V))
	open := map[string]bool{}
	for name, es := range params.Fields {
		for i, e := range es {
			n, ok := e.IsInt()
			if !ok {
				open[name] = true
				continue
			}
			if f := v.FieldByName(name); f.Kind() == reflect.Array {
				f.Index(i).SetInt(int64(n))
			} else {
				f.SetInt(int64(n))
			}
		}
	}
	for _, name := range free {
		delete(open, name)
	}
	if len(open) > 0 {
		return 0, false
	}
	most := 0
	eval := func() {
		most = max(most, int(reflect.ValueOf(lenOf).Call([]reflect.Value{v})[0].Int()))
	}
	probe := func(n int) {
		for _, name := range free {
			if es := params.Fields[name]; es != nil {
				if _, ok := es[0].IsInt(); !ok {
					v.FieldByName(name).SetInt(int64(n))
				}
			}
		}
		eval()
	}
	for n := 0; n <= 64; n++ {
		probe(n)
	}
	for n := 128; n <= 1<<24; n *= 2 {
		probe(n)
	}
	return most, true
}

// window is one dimension of a sliding window.
type window struct {
	in     *sym.Expr
	size   *sym.Expr // taps
	stride int
	dil    int
	before int // EXPLICIT padding
	after  int
}

// sizes returns the window's positions and the padding in front.
func (w window) sizes(padding string) (out, pad *sym.Expr) {
	eff := w.size.AddInt(-1).MulInt(w.dil).AddInt(1)
	s := sym.Int(w.stride)
	switch padding {
	case "SAME":
		out = w.in.CeilDiv(s)
		total := out.AddInt(-1).MulInt(w.stride).Add(eff).Sub(w.in)
		return out, sym.Max(total, sym.Zero).Div(sym.Int(2))
	case "EXPLICIT":
		return w.in.AddInt(w.before + w.after).Sub(eff).Add(s).Div(s), sym.Int(w.before)
	}
	return w.in.Sub(eff).Add(s).Div(s), sym.Zero
}

// tooLarge reports a window known to be larger than what it slides over.
func (w window) tooLarge(padding string) bool {
	in, iok := w.in.IsInt()
	k, kok := w.size.IsInt()
	return padding != "SAME" && iok && kok && in+w.before+w.after < (k-1)*w.dil+1
}

// format is where batch, channels and space stand in a tensor of a data format.
type format struct {
	channels int
	space    []int
}

// formatOf reads attribute data_format of an op over spatial dimensions.
func formatOf(n *ir.Node, spatial int) (format, error) {
	f := format{}
	switch df := n.Str("data_format"); df {
	case "", "NHWC", "NDHWC", "NWC":
		f.channels = spatial + 1
		for i := range spatial {
			f.space = append(f.space, i+1)
		}
	case "NCHW", "NCDHW", "NCW":
		f.channels = 1
		for i := range spatial {
			f.space = append(f.space, i+2)
		}
	default:
		return f, tensor.Errorf(tensor.InvalidArgument, "data_format %q is not known", df)
	}
	return f, nil
}

// first reports a format with the channels in front of the space.
func (f format) first() bool { return f.channels == 1 }

// shape puts dimensions in the format's order.
func (f format) shape(n, c *sym.Expr, space ...*sym.Expr) ir.Shape {
	if f.first() {
		return ir.ShapeOf(append([]*sym.Expr{n, c}, space...)...)
	}
	return ir.ShapeOf(append(append([]*sym.Expr{n}, space...), c)...)
}

// windowInts requires the values of ksize, strides or dilations to be positive
// and to fit 32 bits, which bounds the products of sizes made with them.
func windowInts(attr string, v []int) error {
	for _, x := range v {
		if x < 1 || x > math.MaxInt32 {
			return tensor.Errorf(tensor.InvalidArgument, "%s must be positive and fit 32 bits: %v", attr, v)
		}
	}
	return nil
}

// spatial reads an attribute with one value a dimension of the format (strides,
// ksize, dilations) and returns those of the space. Batch and channels must be 1.
func (f format) spatial(n *ir.Node, attr string) ([]int, error) {
	v := n.Ints(attr)
	if _, given := n.Attrs[attr]; !given && attr == "dilations" {
		v = make([]int, len(f.space)+2)
		for i := range v {
			v[i] = 1
		}
	}
	if len(v) != len(f.space)+2 {
		return nil, tensor.Errorf(tensor.InvalidArgument, "%s has %d values, %d are required", attr, len(v), len(f.space)+2)
	}
	if err := f.checkWindow(n, attr, v); err != nil {
		return nil, err
	}
	r := make([]int, len(f.space))
	for i, at := range f.space {
		r[i] = v[at]
	}
	return r, nil
}

// paddings returns the EXPLICIT padding of every spatial dimension, zeros for others.
func (f format) paddings(n *ir.Node) ([][2]int, error) {
	r := make([][2]int, len(f.space))
	v := n.Ints("explicit_paddings")
	switch n.Str("padding") {
	case "SAME", "VALID":
		if len(v) != 0 && n.Op != "MaxPoolGrad" { // which reads them for EXPLICIT only
			return nil, tensor.Errorf(tensor.InvalidArgument, "explicit_paddings must be empty when padding is %s", n.Str("padding"))
		}
		return r, nil
	case "EXPLICIT":
	default:
		return nil, tensor.Errorf(tensor.InvalidArgument, "padding %q is not known", n.Str("padding"))
	}
	if len(v) != 2*(len(f.space)+2) {
		return nil, tensor.Errorf(tensor.InvalidArgument, "explicit_paddings has %d values, %d are required", len(v), 2*(len(f.space)+2))
	}
	for _, p := range v {
		if p < 0 {
			return nil, tensor.Errorf(tensor.InvalidArgument, "explicit_paddings must not be negative: %v", v)
		}
	}
	if v[0] != 0 || v[1] != 0 || v[2*f.channels] != 0 || v[2*f.channels+1] != 0 {
		return nil, tensor.Errorf(tensor.InvalidArgument, "explicit_paddings over batch or channels: %v", v)
	}
	for i, at := range f.space {
		r[i] = [2]int{v[2*at], v[2*at+1]}
	}
	return r, nil
}
