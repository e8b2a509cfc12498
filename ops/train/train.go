package train

import (
	"fmt"
	"slices"
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/cast"
	"github.com/graphc/graphc/kernels/train"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// trainDefs describes the ops that update variables in training. Their first inputs are the handles
// of the variables. This is also true for ops with references, such as ApplyAdam: the pass named
// refs replaces their references by handles, and their output is then the handle in input 0. An op
// locks its variables during the whole update, and ignores attribute use_locking.
var trainDefs = makeTrainDefs()

// Update describes an update. Vars is the number of its variables, and input number Grad is the
// gradient. The field rows is true if there is also an op that updates only some rows of the
// variables (SparseApply). In such an op, the input after the gradient holds the indices of the
// rows. The field ref is true if there is also an op for references.
type Update struct {
	Name       string
	Vars, Grad int
	ref, rows  bool
}

var Updates = []Update{
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

func makeTrainDefs() []*lower.Def {
	var ds []*lower.Def
	for _, u := range Updates {
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

func (u Update) def(prefix string, rows bool) *lower.Def {
	name, kernels := prefix+"Apply"+u.Name, bytype.Train[u.Name]
	if rows {
		name, kernels = prefix+"SparseApply"+u.Name, bytype.TrainRows[u.Name]
	}
	types := map[string][]tensor.DType{}
	for _, d := range kit.NumberTypes {
		if kernels[[2]tensor.DType{d}] != nil {
			types["T"] = append(types["T"], d)
		}
	}
	if rows {
		types["Tindices"] = []tensor.DType{tensor.Int32, tensor.Int64}
	}
	return &lower.Def{Name: name, Flags: lower.Stateful | lower.Effect | lower.NoFold, Types: types,
		Shape: func(c *lower.Shaper) error { return u.shape(c, rows) },
		Lower: func(b *lower.Builder) error { return u.lower(b, kernels, rows) },
	}
}

// shape is the shape function of an update. The gradient must have the shape of the variables or, if
// the parameter rows is true, one row for each index. The indices must be a vector, and all other
// inputs after the variables must be scalars.
func (u Update) shape(c *lower.Shaper, rows bool) error {
	for i := u.Vars; i < c.NumIn(); i++ {
		rank := 0
		switch {
		case i == u.Grad:
			continue
		case rows && i == u.Grad+1:
			rank = 1
		}
		if _, err := c.WithRank(i, rank); err != nil {
			return err
		}
	}
	v := c.Declared(0)
	for i := 1; i < u.Vars; i++ {
		s := c.Declared(i)
		if err := lower.Fits(fmt.Sprintf("the shape of input %d", i), s, "that of input 0", v); err != nil {
			return err
		}
		if !v.Known {
			v = s
		}
	}
	if rows && len(v.Dims) > 0 {
		v = ir.ShapeOf(kit.DimSet(v.Dims, 0, nil)...)
	}
	if err := lower.Fits("the gradient", c.Shape(u.Grad), "the variable", v); err != nil {
		return err
	}
	if rows {
		g, ix := c.Shape(u.Grad), c.Shape(u.Grad+1)
		if g.Rank() == 0 {
			return tensor.Errorf(tensor.InvalidArgument, "the gradient is a scalar; but rows are required")
		}
		if g.Known && ix.Known && lower.Differ(g.Dims[0], ix.Dims[0]) {
			return tensor.Errorf(tensor.InvalidArgument, "the gradient %v must have as many rows as there are indices %v", g, ix)
		}
	}
	if len(c.Node.Outs) > 0 {
		c.Same(0, 0)
	}
	return nil
}

func (u Update) lower(b *lower.Builder, kernels bytype.Table, rows bool) error {
	d := b.Node.DType("T")
	fn, err := kernels.Get(d)
	if err != nil {
		return err
	}
	var args []any
	for i := range b.NumIn() {
		switch f := b.InFact(i); {
		case i < u.Vars && f.DType != tensor.Resource:
			return b.Errorf(tensor.InvalidArgument, "input %d is a %v, but must be a variable", i, f.DType)
		case i >= u.Vars && !f.Shape.Known:
			return lower.UnknownRank(b.Node.Ins[i].Node, b.Node.Ins[i].Index)
		case rows && i == u.Grad+1 && f.DType == tensor.Int32:
			wide := b.Temp(tensor.Int64, b.InLen(i))
			b.Call(cast.I32ToI64, kit.Writes(wide), b.In(i))
			args = append(args, kit.Reads(wide))
		default:
			args = append(args, b.In(i))
		}
	}
	args = append(args, slices.Clone(b.InShape(u.Grad)), b.Temp(d, sym.Int(train.Scratch)), plan.Lit(train.Params{
		Nesterov: b.Node.Bool("use_nesterov"), Slots: u.slots(b), ByRate: b.Node.Bool("multiply_linear_by_lr")}))
	b.Call(fn, args...)
	if len(b.Node.Outs) > 0 {
		b.Alias(0, 0)
	}
	return nil
}

// slots returns the value of attribute update_slots, which only the variants of Adagrad have. For
// all other updates it returns false.
func (u Update) slots(b *lower.Builder) bool {
	return strings.HasPrefix(u.Name, "Adagrad") && b.Node.Bool("update_slots")
}
