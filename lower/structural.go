package lower

import (
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/plan"
)

// NextLower is the lowering of _Next. It keeps the next value of a loop variable until the
// iteration ends.
func NextLower(b *Builder) error {
	b.l.stage(b.Node)
	return nil
}

// YieldLower is the lowering of _Yield. It copies the input to the places of the _Merge nodes that
// read it, unless these share the input's place.
func YieldLower(b *Builder) error {
	for _, at := range b.l.merges[b.Node] {
		src := b.l.source(b.Node.Ins[0], &slot{dev: b.l.onDev[at.merge]})
		m, err := b.l.merge(at.merge, at.index, src.Buf)
		if err != nil {
			return err
		}
		c := carried{m, src, b.InShape(0)}
		if m.alias {
			b.l.bind(c)
		} else {
			b.l.carry([]carried{c})
		}
		if m.index != nil {
			b.Call(shape.SetI32, plan.View{Buf: m.index, Len: sym.One, Mode: plan.Write}, []*sym.Expr{sym.Int(at.index)})
		}
	}
	return nil
}
