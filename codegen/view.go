package codegen

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// elem returns the Go type of one element.
func (e *emitter) elem(d tensor.DType) *jen.Statement {
	c, err := e.typeName(d.GoType())
	if err != nil {
		return jen.Id(d.GoType().String())
	}
	return c
}

// view returns an expression for a window, which is a part of a buffer. The expression is a slice,
// or the local that holds this slice.
func (p *printer) view(v plan.View) (*jen.Statement, error) {
	off := offset(v)
	if v.Buf.Root().Place.OnDevice() {
		return p.pointer(v, off)
	}
	if name := p.windows.local(p, v, off); name != "" {
		return jen.Id(name), nil
	}
	x, err := p.windowOf(v, off)
	switch {
	case err != nil:
		return nil, err
	case p.windows.declares(p, v, off):
		return p.windows.declare(p, v, off, x), nil
	case p.stays(v, off):
		return p.keep(v, off, x), nil
	}
	return x, nil
}

// offset returns the byte offset of a window in its storage.
func offset(v plan.View) *sym.Expr {
	off := v.Buf.ByteOffset()
	if v.Off != nil {
		off = off.Add(v.Off.MulInt(v.Buf.DType.Size()))
	}
	return off
}

// windowOf returns an expression for the elements of v. The parameter off is the byte offset of
// these elements in the storage of v.
func (p *printer) windowOf(v plan.View, off *sym.Expr) (*jen.Statement, error) {
	b, root := v.Buf, v.Buf.Root()
	switch root.Place {
	case plan.Arena:
		i, ok := p.sig.root[root]
		if !ok {
			return nil, fmt.Errorf("buffer %q is not laid out", root.Name)
		}
		if p.sig.layout.Static {
			return p.at(b.DType, p.local("a"), p.based(off, root.Offset), v.Len), nil
		}
		at := p.local("o").Index(p.place(i))
		if !off.Is(0) {
			at = at.Op("+").Add(p.expr(off))
		}
		return p.at(b.DType, p.local("a"), at, v.Len), nil
	case plan.Worker:
		at, ok := p.sig.layout.OwnAt[root]
		if !ok {
			return nil, fmt.Errorf("buffer %q is private to a loop, but used outside of loops", root.Name)
		}
		return p.at(b.DType, p.local("m"), p.expr(at.Add(off)), v.Len), nil
	case plan.Grow:
		return p.at(b.DType, jen.Id("s").Dot("Grown").Index(jen.Lit(p.sig.grown[root])), p.expr(off), v.Len), nil
	case plan.Strings:
		all := jen.Id("s").Dot("Strings").Index(jen.Lit(p.sig.grown[root]))
		return p.window(all, off, v.Len, root), nil
	case plan.Handles:
		all := jen.Id("s").Dot("Handles").Index(jen.Lit(p.sig.grown[root]))
		return p.window(all, off, v.Len, root), nil
	case plan.Constant:
		c := root.Const
		if i, ok := p.e.data.index[c]; ok {
			all := jen.Id("s").Dot("Const")
			if p.base {
				all = jen.Id("base").Dot("Strings").Call()
			}
			return p.window(all.Index(jen.Lit(i)), off, v.Len, root), nil
		}
		at, ok := p.e.data.offset[c]
		if !ok {
			return nil, fmt.Errorf("constant %q is not in the weights", c.Name)
		}
		return p.at(b.DType, p.local("w"), p.based(off, at), v.Len), nil
	case plan.Kept:
		if f, ok := p.e.vars.fields[root.Name]; ok {
			return jen.Id("s").Dot("Vars").Dot(f).Index(jen.Op(":")), nil
		}
		at, ok := p.e.kept.offset[root.Name]
		if !ok {
			return nil, fmt.Errorf("the state %q is not laid out", root.Name)
		}
		return p.at(b.DType, p.local("k"), p.based(off, at), v.Len), nil
	case plan.Fed:
		for i, f := range p.sig.plan.Feeds {
			if f.Buf != root {
				continue
			}
			all := jen.Id("s").Dot("In").Dot(p.sig.feeds[i]).Dot("Data")
			if b.DType.GoType() != root.DType.GoType() {
				return p.at(b.DType, p.e.rt("Bytes").Call(all), p.expr(off), v.Len), nil
			}
			return p.window(all, off, v.Len, root), nil
		}
		return nil, fmt.Errorf("no feed sets the buffer %q", root.Name)
	}
	return nil, fmt.Errorf("buffer %q has the unexpected place %v", root.Name, root.Place)
}

// wholeFeed reports whether a view is a complete feed. For such a view, the emitted code has only
// the name of the feed.
func wholeFeed(v plan.View) bool {
	root := v.Buf.Root()
	return root.Place == plan.Fed && offset(v).Is(0) && v.Len.Equal(root.Len) && v.Buf.DType.GoType() == root.DType.GoType()
}

// based returns an expression for the byte offset base + off. In the function for repeated steps
// (see outline), the constant part can differ between repetitions.
func (p *printer) based(off *sym.Expr, base int) *jen.Statement {
	if n, ok := off.IsInt(); ok {
		return p.place(base + n)
	}
	return p.place(base).Op("+").Add(p.expr(off))
}

// at returns the expression rt.At[T](bytes, off, n), where T is the Go type for d.
func (p *printer) at(d tensor.DType, bytes, off *jen.Statement, n *sym.Expr) *jen.Statement {
	return p.e.rt("At").Types(p.e.elem(d)).Call(bytes, off, p.expr(n))
}

// window returns an expression for n elements of a slice of strings or handles, from byte offset
// off. The first parameter is an expression for the whole slice. The last parameter is the buffer
// that the slice belongs to.
func (p *printer) window(all *jen.Statement, off, n *sym.Expr, of *plan.Buf) *jen.Statement {
	return p.slice(all, off.Div(sym.Int(of.DType.Size())), n, of.Len)
}

func (p *printer) slice(all *jen.Statement, off, n, whole *sym.Expr) *jen.Statement {
	if off.Is(0) {
		if n.Equal(whole) {
			return all
		}
		return all.Index(jen.Op(":").Add(p.expr(n)))
	}
	return p.e.rt("Window").Call(all, p.expr(off), p.expr(n))
}
