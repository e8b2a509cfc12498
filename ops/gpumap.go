package ops

import (
	"github.com/graphc/graphc/kernels/gpu/elementwise"
	"github.com/graphc/graphc/plan"
)

// gpuMaps are the ops that are element-wise work: one program over numbers.
func gpuMaps() []*GPU {
	var list []*GPU
	for _, e := range append(scalarFunctions(), scalarMoves()...) {
		list = append(list, &GPU{Name: e.name, Lower: func(b *Builder) error { return b.lowerMap(e.work) }})
	}
	return list
}

// lowerMap appends the node's work.
func (b *Builder) lowerMap(work scalarWork) error {
	w, err := work(b)
	if err != nil {
		return err
	}
	w = w.Renumber(func(t int) int { return t }) // a copy
	var vs []plan.View
	for i := range w.Out {
		vs = append(vs, b.DevOut(scalarOut(w.Out[i].Tensor)))
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
	b.l.step(c)
	return nil
}
