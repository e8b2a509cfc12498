package scalar

import "github.com/graphc/graphc/ir/sym"

// Map returns the Work with every expression e replaced by f(e).
func (w *Work) Map(f func(*sym.Expr) *sym.Expr) *Work {
	c := w.clone()
	list := func(es []*sym.Expr) {
		for i, e := range es {
			es[i] = f(e)
		}
	}
	list(c.Sizes)
	list(c.Values)
	for _, ps := range [][]Place{c.In, c.Out} {
		for i := range ps {
			if ps[i].Offset != nil {
				ps[i].Offset = f(ps[i].Offset)
			}
			list(ps[i].Strides)
		}
	}
	return c
}
