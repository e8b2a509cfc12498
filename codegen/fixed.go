package codegen

import (
	"go/token"
	"go/types"
	"path"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dave/jennifer/jen"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/plan/names"
)

// fixed holds the windows (parts of buffers) that keep their place while a loop runs. They are
// computed before the loop and named after their tensors.
type fixed struct {
	by    map[string]string // names of the locals, keyed by printer.key
	decls []jen.Code
}

// keep returns the local that holds a window. The expression x computes the window.
func (p *printer) keep(v plan.View, off *sym.Expr, x *jen.Statement) *jen.Statement {
	key := p.key(v, off)
	name, ok := p.fixed.by[key]
	if !ok {
		name = p.windowName(v)
		p.fixed.by[key] = name
		p.fixed.decls = append(p.fixed.decls, p.declaration(name, v, x))
	}
	return jen.Id(name)
}

// stays reports whether a window can be computed before the current loop, even if the loop never
// reaches the step that uses the window. The window's place must be the same in each iteration, and
// within its storage for all sizes.
func (p *printer) stays(v plan.View, off *sym.Expr) bool {
	if p.fixed == nil {
		return false
	}
	root := v.Buf.Root()
	if !p.inBlock(root) {
		return false
	}
	_, at := off.IsInt()
	_, n := v.Len.IsInt()
	_, all := root.Bytes().IsInt()
	// plan.Check has checked constant windows of buffers with a constant size. Any other window
	// must be the whole buffer, whose length depends only on the feeds.
	return at && n && all || off.Is(0) && v.Len.MulInt(v.Buf.DType.Size()).Equal(root.Bytes())
}

// inBlock reports whether a buffer is in a block of bytes that keeps its place during a run: the
// arena, a loop worker's memory, the state kept between runs, or the weights.
func (p *printer) inBlock(root *plan.Buf) bool {
	switch root.Place {
	case plan.Arena, plan.Worker:
		return true
	case plan.Kept:
		return root.Object == nil
	case plan.Constant:
		_, text := p.e.data.index[root.Const]
		return !text
	}
	return false
}

// maxParts is the largest number of parts of a node's name that go into the name of a local
// variable. The parts of a node's name are separated by slashes.
const maxParts = 4

// newLocal names a local after a tensor, by the last parts of its node's name. The parameter least
// is the smallest number of parts to use. If another local already has that name, the new local
// gets a name of up to maxParts parts. If these names are taken, too, it gets a number.
func (p *printer) newLocal(tensor string, least int) string {
	parts := strings.Split(strings.TrimSuffix(p.sig.short(tensor), ":0"), "/")
	name := "x"
	for n := least; n <= maxParts; n++ {
		if s := p.localOf(parts[max(0, len(parts)-n):]); s != "" {
			name = s
			if !p.names[s] {
				break
			}
		}
	}
	return p.names.take(name, "")
}

// localOf builds the name of a local from parts of a node's name. It uses fewer parts if the name
// could be that of a function or list in the emitted code.
func (p *printer) localOf(parts []string) string {
	for ; len(parts) > 0; parts = parts[1:] {
		name := names.Unexported(exported(strings.Join(parts, "/"), maxLocal))
		rest, ours := strings.CutPrefix(name, p.sig.prefix)
		if r, _ := utf8.DecodeRuneInString(rest); name != "" && (!ours || !unicode.IsUpper(r)) {
			return name
		}
	}
	return ""
}

// words returns Go's keywords, which cannot be names.
func words() scope {
	out := scope{}
	for w := token.BREAK; w <= token.VAR; w++ {
		out[w.String()] = true
	}
	return out
}

// reserve returns the names that locals must not have: Go's keywords and predeclared names, the
// fixed locals, and the packages that the signature's calls mention.
func reserve(p *plan.Plan) scope {
	out := words()
	for _, w := range strings.Fields("s t a o w k m g d v err step rt tensor context mem math") {
		out[w] = true
	}
	for _, name := range types.Universe.Names() {
		out[name] = true
	}
	seen := map[reflect.Type]bool{}
	var of func(t reflect.Type)
	of = func(t reflect.Type) {
		if t == nil || seen[t] {
			return
		}
		seen[t] = true
		out[path.Base(t.PkgPath())] = true
		switch t.Kind() {
		case reflect.Slice, reflect.Array:
			of(t.Elem())
		case reflect.Struct:
			for i := range t.NumField() {
				of(t.Field(i).Type)
			}
		}
	}
	for _, st := range plan.Flat(p.Steps) {
		c, ok := plan.CallOf(st)
		if !ok {
			continue
		}
		if pkg, _, err := c.Symbol(); err == nil {
			out[path.Base(pkg)] = true
		}
		for _, a := range c.Args {
			if a != nil {
				of(a.Type())
			}
		}
	}
	return out
}
