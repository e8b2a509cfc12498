package ops

import (
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/gemm"
	"github.com/graphc/graphc/kernels/norm"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// epilogue is what a fused product or convolution does with its sum: add a
// bias over the channels and a residual, clamp; then, in further calls, a
// normalisation and an activation that does not clamp.
type epilogue struct {
	bias, res *plan.View
	act       gemm.Act
	norm      *normEpilogue
	after     norm.Act
	alpha     float32
}

type normEpilogue struct {
	scale, offset, mean, variance plan.View
	epsilon                       float32
}

// fusedEpilogue reads fused_ops of _FusedConv2D and _FusedMatMul, whose
// arguments begin at input arg.
func fusedEpilogue(b *Builder, arg int) (epilogue, error) {
	var e epilogue
	fused, _ := b.Node.Attrs["fused_ops"].([]string)
	next := func(d tensor.DType) (plan.View, error) {
		if arg >= b.NumIn() {
			return plan.View{}, b.Errorf(tensor.InvalidArgument, "fused_ops %q need more arguments than the node has", fused)
		}
		if got := b.InFact(arg).DType; got != d {
			return plan.View{}, b.Errorf(tensor.InvalidArgument, "fused_ops %q: input %d is %v, %v is required", fused, arg, got, d)
		}
		arg++
		return b.Source(arg - 1), nil
	}
	if len(fused) == 0 {
		return e, b.Errorf(tensor.InvalidArgument, "fused_ops is empty")
	}
	for i, op := range fused {
		if e.act != gemm.NoAct || e.after != norm.Identity {
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
			e.bias = &v
		case "Add":
			v, err := next(b.OutFact(0).DType)
			if err != nil {
				return e, err
			}
			if e.res != nil || e.norm != nil {
				return e, b.Errorf(tensor.Unimplemented, "fused_ops %q: this order is not known", fused)
			}
			if err := b.sameDim(v.Len, b.OutLen(0), "the added tensor and the result must have the same shape"); err != nil {
				return e, err
			}
			e.res = &v
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
			e.norm = &normEpilogue{vs[0], vs[1], vs[2], vs[3], b.Node.Float("epsilon")}
		case "Relu":
			e.act = gemm.Relu
		case "Relu6":
			e.act = gemm.Relu6
		case "Elu":
			e.after = norm.Elu
		case "LeakyRelu":
			e.after, e.alpha = norm.LeakyRelu, b.Node.Float("leakyrelu_alpha")
		case "Tanh":
			e.after = norm.Tanh
		case "Sigmoid":
			e.after = norm.Sigmoid
		case "GeluApproximate":
			e.after = norm.GeluTanh
		case "GeluExact":
			e.after = norm.GeluErf
		case "_FusedHardSwish":
			e.after = norm.HardSwish
		case "_MklSwish":
			e.after = norm.Swish
		default:
			return e, b.Errorf(tensor.Unimplemented, "fused_ops %q: %s is not known", fused, op)
		}
	}
	return e, nil
}

// clamp is the activation the kernel of the sum applies itself.
func (e *epilogue) clamp() gemm.Act {
	if e.norm != nil {
		return gemm.NoAct
	}
	return e.act
}

// behind is the activation that comes after the kernel of the sum and all it adds.
func (e *epilogue) behind(clamped bool) norm.Act {
	switch {
	case clamped || e.act == gemm.NoAct:
		return e.after
	case e.act == gemm.Relu:
		return norm.Relu
	}
	return norm.Relu6
}

// finish appends the calls behind a kernel of the sum that added bias and
// residual and clamped. dst has the channels c.
func (e *epilogue) finish(b *Builder, dst plan.View, d tensor.DType, c *sym.Expr) error {
	if err := e.normalise(b, dst, d, c); err != nil {
		return err
	}
	return e.call(b, dst, d, c, nil, nil, e.behind(e.norm == nil))
}

// separate appends the whole epilogue behind a kernel of the sum that has none.
func (e *epilogue) separate(b *Builder, dst plan.View, d tensor.DType, c *sym.Expr) error {
	if err := e.normalise(b, dst, d, c); err != nil {
		return err
	}
	return e.call(b, dst, d, c, e.bias, e.res, e.behind(false))
}

func (e *epilogue) normalise(b *Builder, dst plan.View, d tensor.DType, c *sym.Expr) error {
	if e.norm == nil {
		return nil
	}
	fn, err := b.kernelFor(d, norm.InferF32, norm.InferF16, norm.InferBF16)
	if err != nil {
		return err
	}
	b.normalise(fn, dst, reads(dst), [4]plan.View{e.norm.scale, e.norm.offset, e.norm.mean, e.norm.variance}, tensor.Float32,
		plan.Lit(norm.Params{Epsilon: e.norm.epsilon}, "Outer", dst.Len.Div(c), "C", c, "Inner", sym.One))
	return nil
}

func (e *epilogue) call(b *Builder, dst plan.View, d tensor.DType, c *sym.Expr, bias, res *plan.View, act norm.Act) error {
	if bias == nil && res == nil && act == norm.Identity {
		return nil
	}
	fn, err := b.kernelFor(d, norm.FinishF32, norm.FinishF64, norm.FinishF16, norm.FinishBF16)
	if err != nil {
		return err
	}
	total, ps := dst.Len.Div(c), cheap
	if act != norm.Identity && act != norm.Relu && act != norm.Relu6 {
		ps = moderate
	}
	l := b.Par(total, rowSplit(c, ps))
	dst.Mode = plan.ReadWrite
	added := orAbsent(res, d)
	if res != nil {
		added = rows(*res, c)
	}
	l.Call(fn, rows(dst, c), orAbsent(bias, d), added,
		plan.Lit(norm.FinishParams{Act: act, Alpha: e.alpha}, "Rows", plan.Count, "C", c))
	return nil
}
