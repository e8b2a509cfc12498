package codegen

import (
	"fmt"
	"maps"

	"github.com/dave/jennifer/jen"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
)

// windows are the locals of a function for the slices that its calls get. They are named after
// tensors. Each is declared before the first call that uses it.
type windows struct {
	by      map[string]string // the local by the window
	pending []jen.Code        // declarations for the call under way, nil where none is
	naming  bool              // a call is under way
	closed  bool              // none gets a name that has none yet
}

// key tells windows apart.
func (p *printer) key(v plan.View, off *sym.Expr) string {
	return fmt.Sprintf("%d %v %v %v", v.Buf.Root().ID, v.Buf.DType.GoType(), off, v.Len)
}

// sameAlways reports whether a window is the same wherever in a function it is computed.
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

// local is the local that has a window; "" where there is none.
func (w *windows) local(p *printer, v plan.View, off *sym.Expr) string {
	if w == nil || !p.sameAlways(v, off) {
		return ""
	}
	return w.by[p.key(v, off)]
}

// declares reports whether a window that has no local gets one now.
func (w *windows) declares(p *printer, v plan.View, off *sym.Expr) bool {
	return w != nil && w.naming && p.sameAlways(v, off)
}

// declare declares the local of a window that x computes, in front of the call that is being printed.
func (w *windows) declare(p *printer, v plan.View, off *sym.Expr, x *jen.Statement) *jen.Statement {
	name := p.windowName(v)
	w.by[p.key(v, off)] = name
	w.pending = append(w.pending, p.declaration(name, v, x))
	return jen.Id(name)
}

// declaration declares the local of a window that x computes.
func (p *printer) declaration(name string, v plan.View, x *jen.Statement) jen.Code {
	text := "// " + p.sig.node(v.Buf.Name)
	if v.Buf.Shape != nil {
		text += ": " + p.sig.typeText(v.Buf.DType, v.Buf.Shape)
	}
	return jen.Id(name).Op(":=").Add(x).Comment(text)
}

// declared returns the declarations that the call under way needs, and ends it.
func (w *windows) declared() []jen.Code {
	if w == nil {
		return nil
	}
	code := w.pending
	w.pending, w.naming = nil, false
	return code
}

// begin says that a call is under way.
func (w *windows) begin() {
	if w != nil {
		w.naming = !w.closed
	}
}

// inner are the windows for a block, whose own declarations end with it.
func (w *windows) inner() *windows {
	if w == nil {
		return nil
	}
	return &windows{by: maps.Clone(w.by), closed: w.closed}
}

// outside are the windows for a loop's body. It can use those that there are, and declares no more: windows
// that do not change in the loop are declared before it, by fixed.
func (w *windows) outside() *windows {
	if w == nil {
		return nil
	}
	return &windows{by: w.by, closed: true}
}
