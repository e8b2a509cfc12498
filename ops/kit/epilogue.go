package kit

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/gemm"
	"github.com/graphc/graphc/kernels/gpu/elementwise"
	"github.com/graphc/graphc/kernels/norm"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// Check checks that each operand has one value for each channel. The parameter c is the number of
// channels.
func (e *Epilogue) Check(b *lower.Builder, c *sym.Expr) error {
	if n := e.Norm; n != nil {
		for _, v := range []plan.View{n.Scale, n.Offset, n.Mean, n.Variance} {
			if err := RequireSame(b, v.Len, c, "scale, offset, mean and variance must have one value for each channel"); err != nil {
				return err
			}
		}
	}
	if e.Bias == nil {
		return nil
	}
	return RequireSame(b, e.Bias.Len, c, "the bias must have one value for each channel")
}

// LeakyAlpha returns attribute alpha rounded to the operand's type, as TensorFlow's kernels store
// it.
func LeakyAlpha(b *lower.Builder) float32 {
	alpha := b.Node.Float("alpha")
	switch b.InFact(0).DType {
	case tensor.Half:
		return tensor.ToF16(alpha).Float32()
	case tensor.BFloat16:
		return tensor.ToBF16(alpha).Float32()
	}
	return alpha
}

// Epilogue describes what a fused product or convolution does with its sums. The kernel that
// computes the sums can add a bias for each channel and a residual, and clamp (Relu, Relu6).
// Further calls then apply a normalisation, and an activation that does not clamp.
type Epilogue struct {
	Bias, Res *plan.View
	act       gemm.Act
	Norm      *NormEpilogue
	After     norm.Act
	alpha     float32
}

// NormEpilogue describes a batch normalisation with the given statistics, which have one value for
// each channel.
type NormEpilogue struct {
	Scale, Offset, Mean, Variance plan.View
	Epsilon                       float32
}

// FusedEpilogue reads attribute fused_ops of _FusedConv2D and _FusedMatMul. The operands of the
// fused ops begin at input arg.
func FusedEpilogue(b *lower.Builder, arg int) (Epilogue, error) {
	var e Epilogue
	fused, _ := b.Node.Attrs["fused_ops"].([]string)
	next := func(d tensor.DType) (plan.View, error) {
		if arg >= b.NumIn() {
			return plan.View{}, b.Errorf(tensor.InvalidArgument, "fused_ops %q need more inputs than the node has", fused)
		}
		if got := b.InFact(arg).DType; got != d {
			return plan.View{}, b.Errorf(tensor.InvalidArgument, "fused_ops %q: input %d is %v; %v is required", fused, arg, got, d)
		}
		arg++
		return b.Source(arg - 1), nil
	}
	if len(fused) == 0 {
		return e, b.Errorf(tensor.InvalidArgument, "fused_ops is empty")
	}
	for i, op := range fused {
		if e.act != gemm.NoAct || e.After != norm.Identity {
			return e, b.Errorf(tensor.Unimplemented, "fused_ops %q: nothing may follow the activation", fused)
		}
		switch op {
		case "BiasAdd":
			v, err := next(b.OutFact(0).DType)
			if err != nil {
				return e, err
			}
			if i != 0 {
				return e, b.Errorf(tensor.Unimplemented, "fused_ops %q: BiasAdd must come first", fused)
			}
			e.Bias = &v
		case "Add":
			v, err := next(b.OutFact(0).DType)
			if err != nil {
				return e, err
			}
			if e.Res != nil || e.Norm != nil {
				return e, b.Errorf(tensor.Unimplemented, "fused_ops %q: unsupported order", fused)
			}
			if err := RequireSame(b, v.Len, b.OutLen(0), "the added tensor and the result must have the same shape"); err != nil {
				return e, err
			}
			e.Res = &v
		case "FusedBatchNorm":
			if i != 0 {
				return e, b.Errorf(tensor.Unimplemented, "fused_ops %q: FusedBatchNorm must come first", fused)
			}
			var vs [4]plan.View
			for k := range vs {
				v, err := next(tensor.Float32)
				if err != nil {
					return e, err
				}
				vs[k] = v
			}
			e.Norm = &NormEpilogue{vs[0], vs[1], vs[2], vs[3], b.Node.Float("epsilon")}
		case "Relu":
			e.act = gemm.Relu
		case "Relu6":
			e.act = gemm.Relu6
		case "Elu":
			e.After = norm.Elu
		case "LeakyRelu":
			e.After, e.alpha = norm.LeakyRelu, b.Node.Float("leakyrelu_alpha")
		case "Tanh":
			e.After = norm.Tanh
		case "Sigmoid":
			e.After = norm.Sigmoid
		case "GeluApproximate":
			e.After = norm.GeluTanh
		case "GeluExact":
			e.After = norm.GeluErf
		case "_FusedHardSwish":
			e.After = norm.HardSwish
		case "_MklSwish":
			e.After = norm.Swish
		default:
			return e, b.Errorf(tensor.Unimplemented, "fused_ops %q: unknown op %s", fused, op)
		}
	}
	return e, nil
}

// Clamp returns the activation that is applied by the same kernel that computes the sums.
func (e *Epilogue) Clamp() gemm.Act {
	if e.Norm != nil {
		return gemm.NoAct
	}
	return e.act
}

// behind returns the activation that must be applied after everything has been added to the sums.
// The parameter clamped says whether the kernel that computes the sums has already applied Relu or
// Relu6.
func (e *Epilogue) behind(clamped bool) norm.Act {
	switch {
	case clamped || e.act == gemm.NoAct:
		return e.After
	case e.act == gemm.Relu:
		return norm.Relu
	}
	return norm.Relu6
}

// Finish appends the calls after a kernel that has computed the sum, added bias and residual, and
// clamped. dst has c channels.
func (e *Epilogue) Finish(b *lower.Builder, dst plan.View, d tensor.DType, c *sym.Expr) error {
	if err := e.normalise(b, dst, d, c); err != nil {
		return err
	}
	return e.call(b, dst, d, c, nil, nil, e.behind(e.Norm == nil))
}

// Separate appends the whole epilogue after a kernel that has computed only the sum.
func (e *Epilogue) Separate(b *lower.Builder, dst plan.View, d tensor.DType, c *sym.Expr) error {
	if err := e.normalise(b, dst, d, c); err != nil {
		return err
	}
	return e.call(b, dst, d, c, e.Bias, e.Res, e.behind(false))
}

func (e *Epilogue) normalise(b *lower.Builder, dst plan.View, d tensor.DType, c *sym.Expr) error {
	if e.Norm == nil {
		return nil
	}
	fn, err := KernelFor(b, d, norm.InferF32, norm.InferF16, norm.InferBF16)
	if err != nil {
		return err
	}
	Normalise(b, fn, dst, Reads(dst), [4]plan.View{e.Norm.Scale, e.Norm.Offset, e.Norm.Mean, e.Norm.Variance}, tensor.Float32,
		plan.Lit(norm.Params{Epsilon: e.Norm.Epsilon}, "Outer", dst.Len.Div(c), "C", c, "Inner", sym.One))
	return nil
}

func (e *Epilogue) call(b *lower.Builder, dst plan.View, d tensor.DType, c *sym.Expr, bias, res *plan.View, act norm.Act) error {
	if bias == nil && res == nil && act == norm.Identity {
		return nil
	}
	fn, err := KernelFor(b, d, norm.FinishF32, norm.FinishF64, norm.FinishF16, norm.FinishBF16)
	if err != nil {
		return err
	}
	total, ps := dst.Len.Div(c), lower.CostCheap
	if act != norm.Identity && act != norm.Relu && act != norm.Relu6 {
		ps = lower.CostModerate
	}
	l := b.Par(total, lower.RowSplit(c, ps))
	dst.Mode = plan.ReadWrite
	res = PartOf(res, func(v plan.View) plan.View { return lower.Rows(v, c) })
	l.Call(fn, lower.Rows(dst, c), plan.Lit(e.finishParams(d, act), "Rows", plan.Count, "C", c, "Bias", bias, "Res", res))
	return nil
}

// finishParams returns norm.FinishParams for type d.
func (e *Epilogue) finishParams(d tensor.DType, act norm.Act) any {
	switch d {
	case tensor.Float64:
		return norm.FinishParams[float64]{Act: act, Alpha: e.alpha}
	case tensor.Half:
		return norm.FinishParams[tensor.F16]{Act: act, Alpha: e.alpha}
	case tensor.BFloat16:
		return norm.FinishParams[tensor.BF16]{Act: act, Alpha: e.alpha}
	}
	return norm.FinishParams[float32]{Act: act, Alpha: e.alpha}
}

const BelowFiles = "only with --allow-files, below the directory given to the program"

// WithEpilogue returns the memory in which the sums must be computed, and a function. The function
// appends the steps that apply the epilogue to these sums and write the result to out.
func (e *Epilogue) WithEpilogue(b *lower.Builder, out plan.View, channels *sym.Expr) (plan.View, func()) {
	if e.None() {
		return Writes(out), func() {}
	}
	sum := b.DevTemp(out.Buf.DType, out.Len)
	return Writes(sum), func() { e.OnDev(b, out, Reads(sum), out.Len.Div(sym.Max(channels, sym.One)), channels, sym.One) }
}

// None reports whether the epilogue does nothing.
func (e *Epilogue) None() bool {
	return e.Bias == nil && e.Res == nil && e.Norm == nil && e.behind(false) == norm.Identity
}

// OnDev appends the whole epilogue from sum to dst as one scalar.Work. Both sum and dst have outer
// × channels × inner elements.
func (e *Epilogue) OnDev(b *lower.Builder, dst, sum plan.View, outer, channels, inner *sym.Expr) {
	m := NewScalar(b, []*sym.Expr{outer, channels, inner})
	d := dst.Buf.DType
	r := m.Real(d)
	vs := []plan.View{Writes(dst)}
	at := func(v plan.View, channel bool) Complex {
		v.Mode = plan.Read
		vs = append(vs, v)
		in := scalar.Input{DType: v.Buf.DType, Name: v.Buf.Name}
		place := scalar.Place{Tensor: len(vs) - 1}
		if channel {
			in.Access, place.Offset, place.Strides = scalar.Strided, sym.Zero, []*sym.Expr{sym.Zero, sym.One, sym.Zero}
		}
		m.W.Ins, m.W.In = append(m.W.Ins, in), append(m.W.In, place)
		return r.Cast(r.D, m.E.Load(len(m.W.Ins)-1))
	}
	x := at(sum, false)
	if n := e.Norm; n != nil {
		scale, offset, mean, variance := at(n.Scale, true), at(n.Offset, true), at(n.Mean, true), at(n.Variance, true)
		k := r.Div(scale, r.Sqrt(r.Add(variance, r.K(float64(n.Epsilon)))))
		x = r.Add(r.Mul(r.Sub(x, mean), k), offset)
	}
	if e.Bias != nil {
		x = r.Add(x, at(*e.Bias, true))
	}
	if e.Res != nil {
		x = r.Add(x, at(*e.Res, false))
	}
	x = e.activation(r, x)
	m.W.Outs = []scalar.Output{{DType: d, Value: m.E.Cast(d, x), Name: b.Node.Name}}
	m.W.Out = []scalar.Place{{Tensor: 0}}
	c := plan.MapElements(elementwise.Map, b.Node.Name, b.Node.OpName(), renumbered(m.W.Simplify(), &vs), vs)
	if err := c.Check(); err != nil {
		b.Fail(tensor.Errorf(tensor.Internal, "%v", err))
	}
	b.Step(c)
}

// renumbered returns a copy of w whose tensors are numbered as plan.MapElements requires: outputs,
// then inputs. The views in vs are indexed by tensor number; renumbered puts them in the new order.
func renumbered(w *scalar.Work, vs *[]plan.View) *scalar.Work {
	w = w.Renumber(func(t int) int { return t })
	var all []plan.View
	for _, ps := range [][]scalar.Place{w.Out, w.In} {
		for i := range ps {
			all = append(all, (*vs)[ps[i].Tensor])
			ps[i].Tensor = len(all) - 1
		}
	}
	*vs = all
	return w
}

// activation returns the result of the epilogue's activation for x.
func (e *Epilogue) activation(r *RealExpr, x Complex) Complex {
	op, approximate := "", false
	switch e.behind(false) {
	case norm.Relu:
		op = "Relu"
	case norm.Relu6:
		op = "Relu6"
	case norm.Elu:
		op = "Elu"
	case norm.LeakyRelu:
		return r.Select(r.Gt(x, r.K(0)), x, r.Mul(x, r.K(float64(e.alpha))))
	case norm.Tanh:
		op = "Tanh"
	case norm.Sigmoid:
		op = "Sigmoid"
	case norm.GeluTanh:
		op, approximate = "_Gelu", true
	case norm.GeluErf:
		op = "_Gelu"
	case norm.HardSwish:
		op = "_HardSwish"
	case norm.Swish:
		op = "_Swish"
	default:
		return x
	}
	c := *r
	c.N = &lower.Builder{Node: &ir.Node{Op: op, Attrs: map[string]ir.Attr{"approximate": approximate}}}
	f, _ := FormulaOf(op, tensor.Float32)
	return f(&c, x)
}

// normLeast is the smallest number of pixels in a chunk of a normalisation. Chunks must not be
// smaller, because each chunk computes the channels' factors again.
const normLeast = 32

// Normalise appends norm.InferF32 or a variant of it as a loop over the outer dimension. stats are
// scale, offset, mean and variance, of type u.
func Normalise(b *lower.Builder, fn any, y, x plan.View, stats [4]plan.View, u tensor.DType, q plan.Struct) {
	outer, c, inner := q.Fields["Outer"][0], q.Fields["C"][0], q.Fields["Inner"][0]
	if !b.BeforeSteps(c) {
		b.Call(fn, y, x, stats[0], stats[1], stats[2], stats[3], b.Temp(u, c), q)
		return
	}
	row := c.Mul(inner)
	sp := lower.RowSplit(row, lower.CostCheap)
	if inner.Is(1) {
		sp.Least = normLeast
		sp.Join = sym.Max(sp.Join, sym.Int(normLeast))
	}
	l := b.Par(outer, sp)
	l.Call(fn, lower.Rows(y, row), lower.Rows(x, row), stats[0], stats[1], stats[2], stats[3], l.Temp(u, c), q.With("Outer", plan.Count))
}
