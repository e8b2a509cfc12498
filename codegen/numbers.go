package codegen

import (
	"slices"

	"github.com/graphc/graphc/plan"
)

// number describes how the plan uses a buffer of one element.
type number struct {
	root    *plan.Buf
	name    string      // name of the first tensor that the buffer holds
	writes  []plan.Step // steps that write the buffer by assignments
	reads   []plan.Step // steps that read the buffer in expressions
	stored  bool        // whether something other than an expression reads the buffer, such as a kernel
	given   bool        // whether a fetch reads the buffer
	kernel  bool        // whether something other than an assignment writes the buffer, such as a kernel
	looping bool        // whether a plan.Scalar, or a step in a loop, reads or writes the buffer
}

// numbers returns the buffers of the arena that may become variables, in the order of their first
// uses.
func numbers(p *plan.Plan) []*number {
	by := map[*plan.Buf]*number{}
	var all []*number
	of := func(v plan.View) *number {
		r := v.Buf.Root()
		if r.Place != plan.Arena || !r.Len.Is(1) {
			return nil
		}
		if by[r] == nil {
			by[r] = &number{root: r}
			all = append(all, by[r])
		}
		return by[r]
	}
	note := func(v plan.View, st plan.Step, expression, looping bool) {
		n := of(v)
		switch {
		case n == nil:
			return
		case !expression || !isElement(v):
			n.stored = n.stored || v.Mode&plan.Read != 0
			n.kernel = n.kernel || v.Mode&plan.Write != 0
			return
		case v.Mode == plan.Read:
			n.reads = append(n.reads, st)
		default:
			if n.name == "" {
				n.name = v.Buf.Name
			}
			n.writes = append(n.writes, st)
		}
		n.looping = n.looping || looping
	}
	var list func(steps []plan.Step, looping bool)
	list = func(steps []plan.Step, looping bool) {
		for _, st := range steps {
			_, loop := st.(*plan.Loop)
			_, one := st.(*plan.Scalar)
			expression := one
			switch st := st.(type) {
			case *plan.If:
				note(st.Cond, st, true, looping)
			case *plan.Copy:
				expression = isElement(st.Src) && isElement(st.Dst)
			case *plan.Break:
				expression = true
			}
			if len(plan.Lists(st)) == 0 {
				st.Views(func(v plan.View) { note(v, st, expression, looping || one) })
			}
			for _, l := range plan.Lists(st) {
				list(*l, looping || loop)
			}
		}
	}
	list(p.Steps, false)
	for _, f := range p.Fetches {
		if n := by[f.Buf.Root()]; n != nil {
			n.given = true
		}
	}
	return slices.DeleteFunc(all, func(n *number) bool { return n.kernel || !n.looping || len(n.writes) == 0 })
}

// isElement reports whether a view is one element that an expression can use. The view must be on
// the host and have the type of its storage. In the arena, it must be the only element of its
// buffer.
func isElement(v plan.View) bool {
	r := v.Buf.Root()
	return v.Len.Is(1) && v.Buf.DType == r.DType && (r.Place != plan.Arena || r.Len.Is(1)) && !r.Place.OnDevice() && r.Object == nil
}
