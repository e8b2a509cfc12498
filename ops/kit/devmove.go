package kit

import (
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/gpu/elementwise"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// DevBox appends a step that copies the box x from src to dst. Both are in device memory.
func DevBox(b *lower.Builder, dst, src plan.View, x *Box) {
	c := plan.MapElements(elementwise.Map, b.Node.Name, b.Node.OpName(), BoxWork(x, dst.Buf.DType, 1, 0, b.Node.Name), []plan.View{dst, src})
	if err := c.Check(); err != nil {
		b.Fail(tensor.Errorf(tensor.Internal, "%v", err))
	}
	b.Step(c)
}

// BoxWork returns the Work that copies the box x between two tensors of type d. The third and the
// fourth argument are the numbers of the source and of the destination in the Work.
func BoxWork(x *Box, d tensor.DType, in, out int, node string) *scalar.Work {
	x = x.inRows()
	w := &scalar.Work{Sizes: x.Dims}
	if len(w.Sizes) == 0 {
		w.Sizes = []*sym.Expr{sym.One}
		x = &Box{Dst: []*sym.Expr{sym.Zero}, Src: []*sym.Expr{sym.Zero}, DstOff: x.DstOff, SrcOff: x.SrcOff}
	}
	w.Dims = len(w.Sizes)
	w.Ins = []scalar.Input{{DType: d, Access: scalar.Strided, Name: node}}
	w.In = []scalar.Place{{Tensor: in, Offset: x.SrcOff, Strides: x.Src}}
	v := scalar.NewBuilder(&w.Program).Load(0)
	w.Outs = []scalar.Output{{DType: d, Value: v, Access: scalar.Strided, Name: node}}
	w.Out = []scalar.Place{{Tensor: out, Offset: x.DstOff, Strides: x.Dst}}
	return w.Simplify()
}
