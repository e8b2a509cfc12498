package state

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/gpu/elementwise"
	"github.com/graphc/graphc/kernels/gpu/gather"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	indexops "github.com/graphc/graphc/ops/index"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/device/devvar"
	"github.com/graphc/graphc/rt/tensor"
)

// gpuVariables returns the GPU lowerings of the ops that read and change variables. The value of a
// variable is in the device's memory if the model creates the variable and its shape is known at
// compile time. The values of all other variables are on the host.
func gpuVariables() []*lower.GPU {
	return []*lower.GPU{
		{Op: "ReadVariableOp", Lower: readOnGPU},
		{Op: "_ReadVariablesOp", Lower: readsOnGPU},
		{Op: "AssignVariableOp", Lower: assignOnGPU},
		{Op: "Assign", Lower: assignOnGPU},
		{Op: "AssignAddVariableOp", Lower: updateOnGPU("Add")},
		{Op: "AssignSubVariableOp", Lower: updateOnGPU("Sub")},
		{Op: "AssignAdd", Lower: updateOnGPU("Add")},
		{Op: "AssignSub", Lower: updateOnGPU("Sub")},
		{Op: "ResourceGather", Lower: varGatherOnGPU},
		{Op: "ResourceGatherNd", Lower: varGatherNdOnGPU},
	}
}

// devVar returns a view of the value of the variable in input i, in the device's memory, and the
// dimensions of the value. It returns ErrOnHost if the value is on the host.
func devVar(b *lower.Builder, i int, kind devvar.Kind) (plan.View, []*sym.Expr, error) {
	c := b.Shaper()
	if b.InFact(i).DType != tensor.Resource {
		return plan.View{}, nil, lower.ErrOnHost
	}
	d, s := c.Variable(i)
	if _, static := s.Static(); !s.Known || !static || !d.IsData() || d == tensor.Int32 || kit.GPUSuffix[bytype.Plain(d)] == "" {
		return plan.View{}, nil, lower.ErrOnHost
	}
	h := b.InBuf(i).Root()
	if h.Place != plan.Kept || h.Object == nil {
		return plan.View{}, nil, lower.ErrOnHost
	}
	v := b.DevVar(h)
	if v == nil {
		v = b.AddBuf(&plan.Buf{Name: h.Name, Place: plan.DeviceVar, DType: d, Shape: s.Dims, Len: s.Len(), Var: h})
		b.SetDevVar(h, v)
	}
	if v.DType != d || !slices.EqualFunc(v.Shape, s.Dims, (*sym.Expr).Equal) {
		return plan.View{}, nil, lower.ErrOnHost
	}
	a := b.AddBuf(&plan.Buf{Name: h.Name, Place: plan.DeviceVar, DType: d, Shape: s.Dims, Len: v.Len, Alias: v,
		Access: &plan.Access{Node: b.Node.Name, Op: b.Node.OpName(), Kind: kind}})
	return plan.View{Buf: a, Len: a.Len, Mode: plan.Read}, s.Dims, nil
}

// readVar appends the calls that read the variable in input i and store its value in output i. It
// returns ErrOnHost if the value is on the host, or if output i is used on the host and not on the
// device.
func readVar(b *lower.Builder, i int) error {
	if b.OutUsed(i) && !b.DevReads(i) {
		return lower.ErrOnHost
	}
	v, dims, err := devVar(b, i, devvar.Read)
	if err != nil {
		return err
	}
	if !b.OutUsed(i) { // the value is not used, but the read must still check that the variable has a value
		v.Len = sym.Zero
		b.Copy(kit.Writes(b.DevTemp(v.Buf.DType, sym.Zero)), v)
		return nil
	}
	if !sameDims(dims, b.OutShape(i)) {
		return lower.ErrOnHost
	}
	b.Copy(b.DevOut(i), v)
	return nil
}

func sameDims(x, y []*sym.Expr) bool { return slices.EqualFunc(x, y, (*sym.Expr).Equal) }

func readOnGPU(b *lower.Builder) error { return readVar(b, 0) }

// readsOnGPU lowers _ReadVariablesOp for a GPU. Those variables whose values are on the host, or
// are used only there, are read by the host.
func readsOnGPU(b *lower.Builder) error {
	for i := range b.Node.Outs {
		err := readVar(b, i)
		if err == lower.ErrOnHost {
			err = readOnHost(b, i)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// assignOnGPU lowers AssignVariableOp and Assign for a GPU. If the new value is on the host, the
// host executes the op.
func assignOnGPU(b *lower.Builder) error {
	kind := devvar.Assign
	if lower.Validates(b.Node) {
		kind = devvar.Reassign
	}
	if !b.OnDevice(1) {
		return lower.ErrOnHost
	}
	v, dims, err := devVar(b, 0, kind)
	if err != nil {
		return err
	}
	if x := b.InFact(1); x.DType != v.Buf.DType || !x.Shape.Known || !sameDims(dims, x.Shape.Dims) {
		return lower.ErrOnHost
	}
	b.Copy(kit.Writes(v), b.DevIn(1))
	handOnRef(b)
	return nil
}

// updateOnGPU returns the GPU lowering of an op that adds a tensor to a variable or subtracts it
// from a variable. The parameter op is Add or Sub.
func updateOnGPU(op string) func(b *lower.Builder) error {
	return func(b *lower.Builder) error {
		v, dims, err := devVar(b, 0, devvar.Update)
		if err != nil {
			return err
		}
		d := v.Buf.DType
		_, f := kit.FormulaOf(op, d)
		if x := b.InFact(1); f == nil || !scalar.Takes(d) || x.DType != d || !x.Shape.Known || !sameDims(dims, x.Shape.Dims) {
			return lower.ErrOnHost
		}
		m := kit.DevWork(b, v.Len)
		e := m.Real(d)
		m.Out(v, f(e, e.Cast(e.D, m.ItemOf(v)), e.Cast(e.D, m.ItemOf(b.DevIn(1)))))
		if err := m.Append(); err != nil {
			return err
		}
		handOnRef(b)
		return nil
	}
}

// LowerUpdate appends the computation of an element-wise training op. The function work returns the
// scalar program of the op. Those inputs of the node that are resources are variables, and the
// results of the program are stored in these variables.
func LowerUpdate(b *lower.Builder, work lower.ScalarWork) error {
	w, err := work(b)
	if err != nil {
		return err
	}
	w = w.Renumber(func(t int) int { return t }) // a copy
	vs := map[int]plan.View{}
	var grad []*sym.Expr
	for i := range b.NumIn() {
		if b.InFact(i).DType != tensor.Resource {
			continue
		}
		v, dims, err := devVar(b, i, devvar.Read)
		if err != nil {
			return err
		}
		for _, o := range vs { // the variables must be distinct and have the same shape and type
			if o.Buf.Root() == v.Buf.Root() || !sameDims(o.Buf.Shape, dims) || o.Buf.DType != v.Buf.DType {
				return lower.ErrOnHost
			}
		}
		vs[i], grad = v, dims
	}
	for i := range b.NumIn() {
		if f := b.InFact(i); f.DType != tensor.Resource && len(f.Shape.Dims) > 0 && !sameDims(f.Shape.Dims, grad) {
			return lower.ErrOnHost
		}
	}
	var all []plan.View
	for i := range w.Out {
		all = append(all, kit.Writes(vs[w.Out[i].Tensor]))
		w.Out[i].Tensor = len(all) - 1
	}
	for i := range w.In {
		v, ok := vs[w.In[i].Tensor]
		if !ok {
			v = b.DevIn(w.In[i].Tensor)
		}
		all = append(all, kit.Reads(v))
		w.In[i].Tensor = len(all) - 1
	}
	c := plan.MapElements(elementwise.Map, b.Node.Name, b.Node.OpName(), w, all)
	if err := c.Check(); err != nil {
		return err
	}
	b.Step(c)
	handOnRef(b)
	return nil
}

// varGatherOnGPU lowers ResourceGather for a GPU. As in gpuGathers, an index out of range is not an
// error.
func varGatherOnGPU(b *lower.Builder) error {
	if !b.InFact(1).Shape.Known || !b.OutUsed(0) {
		return lower.ErrOnHost
	}
	v, dims, err := devVar(b, 0, devvar.Update)
	if err != nil {
		return err
	}
	ix := b.InShape(1)
	batch, err := indexops.BatchDims(b.Node, ir.ShapeOf(dims...), ir.ShapeOf(ix...))
	if err != nil {
		return err
	}
	fn := kit.GPUBytes("gather.Gather", v.Buf.DType, kit.GPUSuffix[b.InFact(1).DType])
	if fn == nil || !sameDims(dims[:batch], ix[:batch]) {
		return lower.ErrOnHost
	}
	b.Call(fn, b.Queue(), b.DevOut(0), v, b.DevIn(1), plan.Lit(gather.Params{}, "Batch", sym.Product(dims[:batch]), "Outer", sym.One,
		"Limit", dims[batch], "N", sym.Product(ix[batch:]), "Inner", sym.Product(dims[batch+1:])))
	return nil
}

func varGatherNdOnGPU(b *lower.Builder) error {
	ix := b.InShape(1)
	if !b.InFact(1).Shape.Known || len(ix) == 0 || !b.OutUsed(0) {
		return lower.ErrOnHost
	}
	depth, ok := ix[len(ix)-1].IsInt()
	if !ok || depth > indexops.MaxDepth {
		return lower.ErrOnHost
	}
	v, dims, err := devVar(b, 0, devvar.Update)
	if err != nil {
		return err
	}
	fn := kit.GPUBytes("gather.GatherNd", v.Buf.DType, kit.GPUSuffix[b.InFact(1).DType])
	if fn == nil || depth > len(dims) {
		return lower.ErrOnHost
	}
	fields := append(indexops.Places(dims[:depth]), "N", sym.Product(ix[:len(ix)-1]), "Inner", sym.Product(dims[depth:]))
	b.Call(fn, b.Queue(), b.DevOut(0), v, b.DevIn(1), plan.Lit(gather.NdParams{Depth: depth}, fields...))
	return nil
}
