package ops

import (
	"fmt"
	"slices"
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/cast"
	"github.com/graphc/graphc/kernels/train"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// trainDefs are the updates of variables that training makes. Their first
// inputs are the variables' handles, in the forms without Resource too: pass
// refs makes references handles, and such a form's output is the handle it got.
// The variables are locked for the whole update, whatever use_locking says.
var trainDefs = makeTrainDefs()

// update tells how many variables an update has and which input is the gradient,
// which in the form for rows the indices follow. ref and rows tell which forms there are.
type update struct {
	name       string
	vars, grad int
	ref, rows  bool
}

var updates = []update{
	{"GradientDescent", 1, 2, true, false},
	{"Momentum", 2, 3, true, true},
	{"KerasMomentum", 2, 3, false, true},
	{"Adam", 3, 9, true, false},
	{"AdamWithAmsgrad", 4, 10, false, false},
	{"AdaMax", 3, 8, true, false},
	{"Adagrad", 2, 3, true, true},
	{"AdagradV2", 2, 4, true, true},
	{"AdagradDA", 3, 3, true, true},
	{"Adadelta", 3, 6, true, true},
	{"RMSProp", 3, 7, true, true},
	{"CenteredRMSProp", 4, 8, true, true},
	{"Ftrl", 3, 3, true, true},
	{"FtrlV2", 3, 3, true, true},
	{"AddSign", 2, 6, true, false},
	{"PowerSign", 2, 6, true, false},
	{"ProximalGradientDescent", 1, 4, true, true},
	{"ProximalAdagrad", 2, 5, true, true},
}

func makeTrainDefs() []*Def {
	var ds []*Def
	for _, u := range updates {
		for _, rows := range []bool{false, true} {
			if rows && !u.rows {
				continue
			}
			for _, prefix := range []string{"", "Resource"} {
				if prefix != "" || u.ref {
					ds = append(ds, u.def(prefix, rows))
				}
			}
		}
	}
	return ds
}

func (u update) def(prefix string, rows bool) *Def {
	name, kernels := prefix+"Apply"+u.name, trainKernels[u.name]
	if rows {
		name, kernels = prefix+"SparseApply"+u.name, trainRowKernels[u.name]
	}
	types := map[string][]tensor.DType{}
	for _, d := range numberTypes {
		if kernels[[2]tensor.DType{d}] != nil {
			types["T"] = append(types["T"], d)
		}
	}
	if rows {
		types["Tindices"] = []tensor.DType{tensor.Int32, tensor.Int64}
	}
	return &Def{Name: name, Flags: Stateful | Effect | NoFold, Types: types,
		Shape: func(c *Shaper) error { return u.shape(c, rows) },
		Lower: func(b *Builder) error { return u.lower(b, kernels, rows) },
	}
}

// shape: all inputs but the variables, the gradient and the indices are scalars.
func (u update) shape(c *Shaper, rows bool) error {
	for i := u.vars; i < c.NumIn(); i++ {
		rank := 0
		switch {
		case i == u.grad:
			continue
		case rows && i == u.grad+1:
			rank = 1
		}
		if _, err := c.WithRank(i, rank); err != nil {
			return err
		}
	}
	v := c.declared(0)
	for i := 1; i < u.vars; i++ {
		s := c.declared(i)
		if err := fits(fmt.Sprintf("the shape of input %d", i), s, "that of input 0", v); err != nil {
			return err
		}
		if !v.Known {
			v = s
		}
	}
	if rows && len(v.Dims) > 0 {
		v = ir.ShapeOf(dimSet(v.Dims, 0, nil)...)
	}
	if err := fits("the gradient", c.Shape(u.grad), "the variable", v); err != nil {
		return err
	}
	if rows {
		g, ix := c.Shape(u.grad), c.Shape(u.grad+1)
		if g.Rank() == 0 {
			return tensor.Errorf(tensor.InvalidArgument, "the gradient is a scalar, rows are required")
		}
		if g.Known && ix.Known && differ(g.Dims[0], ix.Dims[0]) {
			return tensor.Errorf(tensor.InvalidArgument, "the gradient %v has not as many rows as there are indices %v", g, ix)
		}
	}
	if len(c.Node.Outs) > 0 {
		c.Same(0, 0)
	}
	return nil
}

func (u update) lower(b *Builder, kernels kernelTable, rows bool) error {
	d := b.Node.DType("T")
	fn, err := kernels.get(d)
	if err != nil {
		return err
	}
	var args []any
	for i := range b.NumIn() {
		switch f := b.InFact(i); {
		case i < u.vars && f.DType != tensor.Resource:
			return b.Errorf(tensor.InvalidArgument, "input %d is a %v, a variable is required", i, f.DType)
		case i >= u.vars && !f.Shape.Known:
			return unknownRank(b.Node.Ins[i].Node, b.Node.Ins[i].Index)
		case rows && i == u.grad+1 && f.DType == tensor.Int32:
			wide := b.Temp(tensor.Int64, b.InLen(i))
			b.Call(cast.I32ToI64, writes(wide), b.In(i))
			args = append(args, reads(wide))
		default:
			args = append(args, b.In(i))
		}
	}
	args = append(args, slices.Clone(b.InShape(u.grad)), b.Temp(d, sym.Int(train.Scratch)), plan.Lit(train.Params{
		Nesterov: b.Node.Bool("use_nesterov"), Slots: u.slots(b), ByRate: b.Node.Bool("multiply_linear_by_lr")}))
	b.Call(fn, args...)
	if len(b.Node.Outs) > 0 {
		b.Alias(0, 0)
	}
	return nil
}

// slots is attribute update_slots, which only Adagrad's forms have.
func (u update) slots(b *Builder) bool {
	return strings.HasPrefix(u.name, "Adagrad") && b.Node.Bool("update_slots")
}
