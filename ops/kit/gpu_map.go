package kit

import (
	"reflect"

	"github.com/graphc/graphc/kernels/gpu/elementwise"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/plan"
)

// GPUMap returns the description of an element-wise op for GPUs. The function work returns the
// scalar program that computes the op.
func GPUMap(op string, work lower.ScalarWork) *lower.GPU {
	return &lower.GPU{Op: op, Work: work, Lower: func(b *lower.Builder) error { return lowerMap(b, work) }}
}

// mayFail reports whether the node can fail for some values of its second input. Examples are
// integer division by 0, a negative power of an integer, and a length that exceeds the tensor. Only
// the host's kernels detect such values.
func mayFail(b *lower.Builder) bool {
	switch b.Node.Op {
	case "Div", "FloorDiv", "FloorMod", "Mod", "TruncateDiv", "TruncateMod":
		return !integers(b, 1, func(v reflect.Value) bool { return !v.IsZero() })
	case "Pow":
		return !integers(b, 1, func(v reflect.Value) bool { return v.CanUint() || v.Int() >= 0 })
	case "ReverseSequence":
		return true
	}
	return false
}

// integers reports whether all elements of input i are known to be valid. Floats and complex
// numbers are always valid. Integers must be constants for which the function ok returns true.
func integers(b *lower.Builder, i int, ok func(reflect.Value) bool) bool {
	d := b.InFact(i).DType
	if d.IsFloat() || d.IsComplex() {
		return true
	}
	c := b.InConst(i)
	if c == nil {
		return false
	}
	v := reflect.ValueOf(c.Data)
	for k := range v.Len() {
		if !ok(v.Index(k)) {
			return false
		}
	}
	return true
}

// lowerMap appends the node's Work.
func lowerMap(b *lower.Builder, work lower.ScalarWork) error {
	if mayFail(b) {
		return lower.ErrOnHost
	}
	w, err := work(b)
	if err != nil {
		return err
	}
	w = w.Renumber(func(t int) int { return t }) // a copy
	var vs []plan.View
	for i := range w.Out {
		vs = append(vs, b.DevOut(ScalarOut(w.Out[i].Tensor)))
		w.Out[i].Tensor = len(vs) - 1
	}
	for i := range w.In {
		vs = append(vs, b.DevIn(w.In[i].Tensor))
		w.In[i].Tensor = len(vs) - 1
	}
	c := plan.MapElements(elementwise.Map, b.Node.Name, b.Node.OpName(), w, vs)
	if err := c.Check(); err != nil {
		return err
	}
	b.Step(c)
	return nil
}
