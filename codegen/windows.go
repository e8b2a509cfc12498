package codegen

import (
	"fmt"
	"maps"

	"github.com/dave/jennifer/jen"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
)

// windows holds local variables of a function. Each local is a slice that is a part of a buffer (a
// window) and an argument of calls. The locals are named after tensors. Each local is declared
// before the first call that uses it.
type windows struct {
	by      map[string]string // names of the locals, keyed by printer.key
	pending []jen.Code        // declarations for the current call, nil outside of calls
	naming  bool              // whether a call is being emitted
	closed  bool              // whether no more locals may be declared
}

// key identifies a window.
func (p *printer) key(v plan.View, off *sym.Expr) string {
	return fmt.Sprintf("%d %v %v %v", v.Buf.Root().ID, v.Buf.DType.GoType(), off, v.Len)
}

// sameAlways reports whether a window has the same place and length everywhere in a function.
func (p *printer) sameAlways(v plan.View, off *sym.Expr) bool {
	if !p.inBlock(v.Buf.Root()) {
		return false
	}
	sizes := map[string]bool{}
	off.Vars(sizes)
	v.Len.Vars(sizes)
	for name := range sizes { // sizes that steps compute may change
		if !p.sig.dims[name] && name != plan.LoName && name != plan.CountName {
			return false
		}
	}
	return true
}

// local returns the local that holds a window, or "" if there is none.
func (w *windows) local(p *printer, v plan.View, off *sym.Expr) string {
	if w == nil || !p.sameAlways(v, off) {
		return ""
	}
	return w.by[p.key(v, off)]
}

// declares reports whether a window without a local gets a local now.
func (w *windows) declares(p *printer, v plan.View, off *sym.Expr) bool {
	return w != nil && w.naming && p.sameAlways(v, off)
}

// declare adds the declaration of the local of a window before the call that is being emitted. The
// expression x computes the window.
func (w *windows) declare(p *printer, v plan.View, off *sym.Expr, x *jen.Statement) *jen.Statement {
	name := p.windowName(v)
	w.by[p.key(v, off)] = name
	w.pending = append(w.pending, p.declaration(name, v, x))
	return jen.Id(name)
}

// declaration returns the declaration of the local of a window. The expression x computes the
// window.
func (p *printer) declaration(name string, v plan.View, x *jen.Statement) jen.Code {
	text := "// " + p.sig.node(v.Buf.Name)
	if v.Buf.Shape != nil {
		text += ": " + p.sig.typeText(v.Buf.DType, v.Buf.Shape)
	}
	return jen.Id(name).Op(":=").Add(x).Comment(text)
}

// declared returns the declarations that the current call needs, and ends the call.
func (w *windows) declared() []jen.Code {
	if w == nil {
		return nil
	}
	code := w.pending
	w.pending, w.naming = nil, false
	return code
}

// begin is called before a call is emitted. Unless w is closed, windows can then get locals until the
// emission of the call ends; see declared.
func (w *windows) begin() {
	if w != nil {
		w.naming = !w.closed
	}
}

// inner returns the windows for a nested block. Locals that the block declares are not visible
// after its end.
func (w *windows) inner() *windows {
	if w == nil {
		return nil
	}
	return &windows{by: maps.Clone(w.by), closed: w.closed}
}

// outside returns the windows for a loop's body. The body can use the locals that exist, but does
// not declare any. Instead, a window that does not change in the loop gets a local that is declared
// before the loop; see fixed.
func (w *windows) outside() *windows {
	if w == nil {
		return nil
	}
	return &windows{by: w.by, closed: true}
}
