package lower

import (
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/plan"
)

// NextLower lowers _Next. The input of _Next, a loop variable's next value, is kept until the
// iteration ends.
func NextLower(b *Builder) error {
	b.l.stage(b.Node)
	return nil
}

// YieldLower lowers _Yield. The input of _Yield is copied to the storage of each _Merge node that
// reads the _Yield, unless the _Merge node shares the input's storage.
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
