package linalg

import (
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/linalg"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// crossProductDefs describe the op Cross, which computes cross products of vectors of three
// numbers.
var crossProductDefs = []*lower.Def{
	{Name: "Cross", Shape: crossShape, Lower: crossLower},
}

// crossShape infers the result of Cross. The inputs are two tensors of the same shape, whose last
// dimension is 3. If the last dimension has another size, the error is InvalidArgument at compile
// time and FailedPrecondition at run time, as in TensorFlow.
func crossShape(c *lower.Shaper) error {
	a, b := c.Shape(0), c.Shape(1)
	if a.Known && b.Known {
		bad := len(a.Dims) != len(b.Dims) || len(a.Dims) == 0
		for i := range a.Dims {
			bad = bad || lower.Differ(a.Dims[i], b.Dims[i])
		}
		if bad || lower.Differ(a.Dims[len(a.Dims)-1], sym.Int(3)) {
			return tensor.Errorf(tensor.InvalidArgument, "%v and %v must be the same shape, with 3 as the last dimension", a, b)
		}
	}
	c.Same(0, 0)
	return nil
}

func crossLower(b *lower.Builder) error {
	x, y := b.InShape(0), b.InShape(1)
	for i := range x {
		if err := kit.RequireSame(b, x[i], y[i], "both sides must have the same shape"); err != nil {
			return err
		}
	}
	if last := x[len(x)-1]; !last.Is(3) {
		b.Check(shape.Precondition, last, 3, "the last dimension must be 3")
	}
	rows := sym.Product(x[:len(x)-1])
	if d := b.InFact(0).DType; d == tensor.Half || d == tensor.BFloat16 {
		u, err := kit.InF32(b, 0)
		if err != nil {
			return err
		}
		v, err := kit.InF32(b, 1)
		if err != nil {
			return err
		}
		out, done := kit.OutF32(b, 0)
		b.Call(linalg.CrossF32, out, u, v, rows)
		return done()
	}
	return linalgCall(b, []any{b.Out(0), b.In(0), b.In(1), rows},
		linalg.CrossF32, linalg.CrossF64, linalg.CrossI8, linalg.CrossI16, linalg.CrossI32, linalg.CrossI64,
		linalg.CrossU8, linalg.CrossU16, linalg.CrossU32, linalg.CrossU64)
}

// gpuCrossProducts compute cross products on GPUs.
func gpuCrossProducts() []*lower.GPU {
	return []*lower.GPU{kit.GPUMap("Cross", crossScalar)}
}

// crossScalar returns the program for Cross. Each item of the program computes the cross product of
// two vectors.
func crossScalar(b *lower.Builder) (*scalar.Work, error) {
	d, x, y := b.InFact(0).DType, b.InShape(0), b.InShape(1)
	if !scalar.IsFloat(d) && !scalar.IsInteger(d) {
		return nil, lower.ErrOnHost
	}
	for i := range x {
		if err := kit.RequireSame(b, x[i], y[i], "both sides must have the same shape"); err != nil {
			return nil, err
		}
	}
	if last := x[len(x)-1]; !last.Is(3) {
		b.Check(shape.Precondition, last, 3, "the last dimension must be 3")
	}
	m := kit.NewScalar(b, []*sym.Expr{sym.Product(x[:len(x)-1])})
	e := m.Real(d)
	u, v := m.Three(0), m.Three(1)
	var w [3]scalar.Value
	for k := range w {
		p, q := (k+1)%3, (k+2)%3
		at := func(x [3]scalar.Value, i int) scalar.Value { return e.Cast(e.D, x[i]) }
		w[k] = e.Sub(e.Mul(at(u, p), at(v, q)), e.Mul(at(u, q), at(v, p)))
	}
	m.OutThree(w)
	return m.Done()
}
