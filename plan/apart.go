package plan

import "github.com/graphc/graphc/ir/sym"

// reach is a part of a buffer's storage that a step uses: the bytes from lo up to hi, or the whole
// storage if lo is nil.
type reach struct {
	root   *Buf
	lo, hi *sym.Expr
	write  bool
}

// effect is how a step affects state that outlives a run.
type effect uint8

const (
	pure   effect = iota
	looks         // effect of a step that reads state
	alters        // effect of a step that writes state, waits for something outside, or uses files
)

// footprint describes everything that a step and the steps nested in it use. Two steps whose
// footprints do not clash may run in any order and at the same time.
type footprint struct {
	parts  []reach
	binds  map[string]bool // sizes that the step defines
	sizes  map[string]bool // sizes that the step reads
	effect effect
	fails  bool // whether a call in the step may fail
}

// tracer computes the footprints of steps. It treats two windows of a buffer as different parts
// only if their offsets and lengths depend on nothing but the feeds' sizes. It treats the values of
// two handles (TensorArrays or lists that were created separately) as different, unless some step
// uses both handles.
type tracer struct {
	dims map[string]bool
	// kin joins buffers of handles into classes. It maps a buffer to another buffer of the same
	// class; the representative of a class has no entry.
	kin map[*Buf]*Buf
	// held contains the representative of each class whose buffers may refer to a resource that
	// outlives the run.
	held map[*Buf]bool
}

func newTracer(p *Plan) *tracer {
	pr := &tracer{map[string]bool{}, map[*Buf]*Buf{}, map[*Buf]bool{}}
	for _, d := range p.Dims {
		pr.dims[d.Name] = true
	}
	Walk(p.Steps, func(_ int, s Step) {
		if len(Lists(s)) > 0 {
			return
		}
		var first *Buf
		kept := false
		s.Views(func(v View) {
			if v.Buf == nil { // Check reports it
				return
			}
			r := v.Buf.Root()
			switch {
			case !r.DType.Opaque():
			case r.Place == Kept:
				kept = true
			case first == nil:
				first = pr.class(r)
			default:
				c := pr.class(r)
				if c != first {
					pr.kin[c] = first
					pr.held[first] = pr.held[first] || pr.held[c]
				}
			}
		})
		if kept && first != nil {
			pr.held[pr.class(first)] = true
		}
	})
	return pr
}

// class returns the representative of all buffers whose handles may refer to the same values.
func (pr *tracer) class(b *Buf) *Buf {
	for pr.kin[b] != nil {
		b = pr.kin[b]
	}
	return b
}

func (pr *tracer) of(steps ...Step) *footprint {
	f := &footprint{binds: map[string]bool{}, sizes: map[string]bool{}}
	for _, s := range steps {
		pr.add(f, s)
	}
	return f
}

func (pr *tracer) add(f *footprint, s Step) {
	names := func(e *sym.Expr) {
		if e != nil {
			e.Vars(f.sizes)
		}
	}
	Exprs(s, names)
	for _, n := range binds(s) {
		f.binds[n] = true
	}
	switch s := s.(type) {
	case *Call:
		pr.call(f, s)
		s.Views(func(v View) { pr.view(f, v) })
	case Transfer:
		f.fails, f.effect = true, alters
		s.Views(func(v View) { pr.handle(f, v) })
		s.Views(func(v View) { pr.view(f, v) })
	case *Copy:
		pr.view(f, View{s.Dst.Buf, s.Dst.Off, s.Dst.Len, Write})
		pr.view(f, View{s.Src.Buf, s.Src.Off, s.Src.Len, Read})
	case *Scalar:
		s.Views(func(v View) { pr.view(f, v) })
	case *Par:
		for _, e := range []*sym.Expr{s.Total, s.Most, s.Wrap, s.Work} {
			names(e)
		}
		for _, b := range s.Body {
			b.Views(func(v View) { pr.chunked(f, s, v) })
		}
		delete(f.sizes, LoName)
		delete(f.sizes, CountName)
	case *If:
		pr.view(f, s.Cond)
	case *Break:
		pr.view(f, s.Cond)
	case *Let:
		f.fails = true // the step fails if a size overflows int
	case *Room:
		names(s.Buf.Root().Len)
		f.parts = append(f.parts, reach{root: s.Buf.Root(), write: true})
	}
	for _, l := range Lists(s) {
		for _, t := range *l {
			pr.add(f, t)
		}
	}
}

// The method call adds to f the effects of a call, such as possible failure or changes of state,
// but not the reads and writes of its views.
func (pr *tracer) call(f *footprint, c *Call) {
	if _, text := c.Fn.(Unresolved); !text && c.HasError() {
		f.fails = true
	}
	if fn := c.foreign(); fn != nil && fn.Effect {
		f.effect = alters
	}
	for _, a := range c.Args {
		switch a.(type) {
		case Context, Files, Exchange, Queue:
			f.effect = alters
		}
	}
	c.Views(func(v View) {
		root := v.Buf.Root()
		switch {
		case root.Place == Kept && (root.DType.Opaque() && c.Looks || !root.DType.Opaque() && v.Mode == Read):
			f.effect = max(f.effect, looks)
		case root.Place == Kept || v.Buf.DType.Opaque() && pr.held[pr.class(root)]:
			f.effect = alters
		default:
			pr.handle(f, v)
		}
	})
}

// handle adds to f a write of the values to which the handles in a window refer, because a step
// that reads a handle may change its value.
func (pr *tracer) handle(f *footprint, v View) {
	if v.Buf.DType.Opaque() {
		f.parts = append(f.parts, reach{root: pr.class(v.Buf.Root()), write: true})
	}
}

// view adds the use of a window to f.
func (pr *tracer) view(f *footprint, v View) {
	r := pr.begin(f, v)
	if r.root.Place == Arena || r.root.Place == Kept {
		size := v.Buf.DType.Size()
		lo := v.Buf.ByteOffset()
		if v.Off != nil {
			lo = lo.Add(v.Off.MulInt(size))
		}
		// An empty window is treated as the whole buffer, so that a step that reads the buffer
		// still follows the step that writes it.
		if hi := lo.Add(v.Len.MulInt(size)); pr.fixed(lo) && pr.fixed(hi) && !hi.Equal(lo) {
			r.lo, r.hi = lo, hi
		}
	}
	f.note(r)
}

// chunked adds to f the part of a buffer that all chunks of loop l together use through the view v.
func (pr *tracer) chunked(f *footprint, l *Par, v View) {
	r := pr.begin(f, v)
	if r.root.Place == Worker {
		return
	}
	if c, ok := cutOf(v); ok && r.root.Place == Arena {
		if hi := c.base.Add(c.item.Mul(l.Total)); pr.fixed(c.base) && pr.fixed(hi) {
			r.lo, r.hi = c.base, hi
		}
	}
	f.note(r)
}

func (pr *tracer) begin(f *footprint, v View) reach {
	root := v.Buf.Root()
	if root.Place != Arena && root.Place != Worker {
		root.Len.Vars(f.sizes) // the buffer may be allocated in this step, which reads its size
	}
	v.Buf.ByteOffset().Vars(f.sizes) // the offset of an alias in its buffer may depend on sizes
	return reach{root: root, write: v.Mode&Write != 0}
}

// note adds a part of a buffer's storage to f. It ignores constants and feeds, because they are
// never written and so cannot cause a clash.
func (f *footprint) note(r reach) {
	if r.root.Place != Constant && r.root.Place != Fed {
		f.parts = append(f.parts, r)
	}
}

// fixed reports whether e depends only on the feeds' sizes.
func (pr *tracer) fixed(e *sym.Expr) bool {
	if _, ok := e.IsInt(); ok {
		return true
	}
	set := map[string]bool{}
	e.Vars(set)
	for n := range set {
		if !pr.dims[n] {
			return false
		}
	}
	return true
}

// clashes reports whether two uses of storage must stay in order, because the parts overlap and one
// use is a write.
func (r *reach) clashes(q *reach) bool {
	if r.root != q.root || !r.write && !q.write {
		return false
	}
	return r.lo == nil || q.lo == nil || !(leads(r.hi, q.lo) || leads(q.hi, r.lo))
}

// leads reports whether it is certain that a ≤ b.
func leads(a, b *sym.Expr) bool {
	m, ok := a.IsInt()
	n, too := b.IsInt()
	if ok && too {
		return m <= n
	}
	return b.Sub(a).NonNegative()
}

// clashes reports whether two steps must run in order. If storage is the reason, it also returns
// the buffer.
func (f *footprint) clashes(g *footprint) (bool, *Buf) {
	if f.state(g) {
		return true, nil
	}
	by := map[*Buf][]*reach{}
	for i := range f.parts {
		by[f.parts[i].root] = append(by[f.parts[i].root], &f.parts[i])
	}
	for i := range g.parts {
		for _, r := range by[g.parts[i].root] {
			if r.clashes(&g.parts[i]) {
				return true, r.root
			}
		}
	}
	return false, nil
}

// state reports whether two steps must run in order for one of two reasons: a size that one of them
// defines, or their effects. A step that changes state must stay in order with every step that may
// fail.
func (f *footprint) state(g *footprint) bool {
	if max(f.effect, g.effect) == alters && min(f.effect, g.effect) != pure || f.effect == alters && g.fails || g.effect == alters && f.fails {
		return true
	}
	return meets(f.binds, g.binds) || meets(f.binds, g.sizes) || meets(f.sizes, g.binds)
}

func meets(a, b map[string]bool) bool {
	if len(b) < len(a) {
		a, b = b, a
	}
	for n := range a {
		if b[n] {
			return true
		}
	}
	return false
}
