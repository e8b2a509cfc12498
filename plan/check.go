package plan

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/rt/tensor"
)

// Check returns all errors of a plan, joined. It finds calls that do not fit their kernels, buffers
// read before they are written, writes to constants and feeds, sizes that are bound twice or used
// before they are bound, windows that provably leave their buffer, and buffers whose size changes
// while they are in use.
//
// If only one branch of an If writes a buffer, the buffer counts as written after the If. If only
// one branch binds a size, the size counts as bound after the If.
func (p *Plan) Check() error {
	if p.Parts != nil {
		return p.checkParts()
	}
	for _, b := range p.Bufs {
		if b.circular() {
			return fmt.Errorf("plan: buffer %d, %s: is an alias of itself", b.ID, b.Name)
		}
	}
	c := &checker{prints: newTracer(p), worker: map[*Buf]*Par{}, bufs: map[*Buf]bool{}, bound: map[string]binder{}, written: map[*Buf]bool{}}
	for _, b := range p.Bufs {
		c.bufs[b] = true
	}
	c.dims(p)
	for _, f := range p.Feeds {
		if f.Buf != nil {
			c.written[f.Buf.Root()] = true
		}
	}
	for _, b := range p.Bufs {
		c.buf(b)
	}
	for _, k := range p.Prologue {
		c.where = fmt.Sprintf("check %s (%s)", k.Node, k.Op)
		c.call(k)
		k.Views(func(View) { c.errorf("a check of sizes reads a buffer") })
		if len(k.Rets) > 0 {
			c.errorf("a check of sizes binds %v", k.Rets)
		}
	}
	c.steps(p.Steps, 0, false)
	c.where = "fetches"
	for _, f := range p.Fetches {
		if f.Buf == nil || !c.bufs[f.Buf] {
			c.errorf("%s has no buffer of this plan", f.Name)
			continue
		}
		if !c.written[f.Buf.Root()] {
			c.errorf("%s is never written", f.Name)
		}
		if f.Buf.Root().Place.OnDevice() {
			c.errorf("%s is fetched from a device's memory", f.Name)
		}
		if !f.DType.IsData() {
			c.errorf("%s: elements of type %v are not fetched", f.Name, f.DType)
		}
		if f.DType.GoType() != f.Buf.DType.GoType() {
			c.errorf("%s is %v in a buffer of %v", f.Name, f.DType, f.Buf.DType)
		}
		c.window(View{Buf: f.Buf, Len: sym.Product(f.Shape)})
		for _, e := range f.Shape {
			c.expr(e)
		}
		if f.Rank != nil {
			c.expr(f.Rank)
		}
	}
	if len(c.errs) == 0 {
		c.growth(p)
	}
	return tensor.Join(c.errs...)
}

// step checks a call or a copy.
func (c *checker) step(where string, s Step) {
	switch s := s.(type) {
	case *Call:
		c.where = fmt.Sprintf("%s, %s (%s)", where, s.Node, s.Op)
		c.call(s)
	case *Copy:
		c.where = fmt.Sprintf("%s, %s (%s)", where, s.Node, s.Op)
		c.copy(s)
	default:
		c.where = where
		c.errorf("unexpected step of type %T", s)
	}
}

// loop checks a Par: different chunks must write disjoint parts of buffers.
func (c *checker) loop(where string, l *Par) {
	c.where = where
	for _, e := range []*sym.Expr{l.Total, l.Most, l.Wrap, l.Work, l.Join} {
		c.expr(e)
	}
	if l.Total == nil || len(l.Body) == 0 || l.Grain < 0 {
		c.errorf("a loop without a total or a body, or with a negative grain")
		return
	}
	c.bound[LoName], c.bound[CountName] = byFeed, byFeed
	faults := len(c.errs)
	for i, s := range l.Body {
		c.step(fmt.Sprintf("%s.%d", where, i), s)
		if s, ok := s.(*Call); ok {
			if len(s.Rets) > 0 {
				c.errorf("a call that finds sizes in a loop")
			}
			if _, text := s.Fn.(Unresolved); !text && s.HasError() {
				c.errorf("a call that may fail in a loop")
			}
		}
	}
	delete(c.bound, LoName)
	delete(c.bound, CountName)
	if len(c.errs) > faults {
		return
	}
	for r, u := range l.cuts() {
		switch {
		case r.Place == Worker:
			if at, ok := c.worker[r]; ok && at != l {
				c.errorf("%s belongs to a chunk of another loop", r.Name)
			}
			c.worker[r] = l
		case u.mode&Write != 0 && !u.same && !l.Strided:
			c.errorf("the chunks may write the same part of %s", r.Name)
		}
	}
}

type checker struct {
	worker  map[*Buf]*Par
	bufs    map[*Buf]bool
	bound   map[string]binder
	written map[*Buf]bool
	prints  *tracer
	tasks   bool // whether the steps being checked are inside a task
	where   string
	errs    []error
}

func (c *checker) errorf(format string, args ...any) {
	if len(c.errs) < 100 {
		c.errs = append(c.errs, fmt.Errorf("plan: %s: %s", c.where, fmt.Sprintf(format, args...)))
	}
}

func (c *checker) dims(p *Plan) {
	c.where = "dims"
	for _, d := range p.Dims {
		if d.Feed < 0 || d.Feed >= len(p.Feeds) || d.Axis < 0 || d.Axis >= len(p.Feeds[d.Feed].Shape) {
			c.errorf("%s comes from axis %d of feed %d, which does not exist", d.Name, d.Axis, d.Feed)
			continue
		}
		if n, ok := p.Feeds[d.Feed].Shape[d.Axis].IsVar(); !ok || n != d.Name {
			c.errorf("%s comes from axis %d of %s, which is %v", d.Name, d.Axis, p.Feeds[d.Feed].Name, p.Feeds[d.Feed].Shape[d.Axis])
		}
		c.bind(d.Name, byFeed)
	}
	if p.Batch != "" && !slices.ContainsFunc(p.Dims, func(d Dim) bool { return d.Name == p.Batch && d.Axis == 0 }) {
		c.errorf("the batch size %s is not dimension 0 of a feed", p.Batch)
	}
	if p.Ranks != nil && len(p.Ranks) != len(p.Feeds) {
		c.errorf("%d ranks are given for %d feeds", len(p.Ranks), len(p.Feeds))
	}
	for i, f := range p.Feeds {
		c.where = "feed " + f.Name
		if !f.DType.IsData() {
			c.errorf("elements of type %v are not stored", f.DType)
		}
		if f.AnyShape && (f.Buf != nil || f.Shape != nil) {
			c.errorf("a feed of any shape has a buffer or a shape")
		}
		if i < len(p.Ranks) && p.Ranks[i] != len(f.Shape) && !(f.AnyShape && p.Ranks[i] == -1) {
			c.errorf("has %d dimensions in a plan for the rank %d", len(f.Shape), p.Ranks[i])
		}
		for _, e := range f.Shape {
			c.expr(e)
		}
	}
}

// binder is the kind of step or feed that binds a size.
type binder uint8

const (
	byFeed binder = iota + 1
	byCall
	byLet // by a Let; several Lets may bind the same size
)

func (c *checker) bind(name string, by binder) {
	if was := c.bound[name]; was != 0 && (was != byLet || by != byLet) {
		c.errorf("the size %s is bound twice", name)
	}
	c.bound[name] = by
}

func (c *checker) expr(e *sym.Expr) {
	if e == nil {
		return
	}
	set := map[string]bool{}
	e.Vars(set)
	for v := range set {
		if c.bound[v] == 0 {
			c.errorf("the size %s is used before it is known, in %v", v, e)
		}
	}
}

// buf checks the properties of a buffer that do not depend on the steps.
func (c *checker) buf(b *Buf) {
	c.where = fmt.Sprintf("buffer %d, %s", b.ID, b.Name)
	if b.Len == nil {
		c.errorf("no length")
		return
	}
	if b.DType.GoType() == nil {
		c.errorf("elements of type %v are not stored", b.DType)
		return
	}
	for r := b; r.Alias != nil; r = r.Alias {
		if !c.bufs[r.Alias] {
			c.errorf("shares the storage of a buffer that is not in the plan")
			return
		}
	}
	root := b.Root()
	switch {
	case root != b:
		if root.Place != b.Place {
			c.errorf("its place is %v, that of its storage %v", b.Place, root.Place)
		}
		if n, ok := root.Bytes().Sub(b.ByteOffset()).Sub(b.Bytes()).IsInt(); ok && n < 0 {
			c.errorf("leaves the storage of %s by %d bytes", root.Name, -n)
		}
	case b.Place == Constant, b.Place == DeviceConst:
		c.written[b] = true
		if b.Const == nil || reflect.TypeOf(b.Const.Data) != reflect.SliceOf(b.DType.GoType()) {
			c.errorf("has no constant of its type")
		} else if !b.Len.Is(reflect.ValueOf(b.Const.Data).Len()) {
			c.errorf("holds %v elements, its constant %d", b.Len, reflect.ValueOf(b.Const.Data).Len())
		}
	case b.Place == DeviceVar:
		c.written[b] = true
		if _, ok := b.Len.IsInt(); !ok || b.Shape == nil || !sym.Product(b.Shape).Equal(b.Len) {
			c.errorf("is a variable's value whose shape is not fixed")
		}
		if v := b.Var; v == nil || !c.bufs[v] || v.Place != Kept || v.Object == nil {
			c.errorf("is a variable's value without a variable")
		}
	case b.Place == Kept:
		c.written[b] = true
		if _, ok := b.Len.IsInt(); !ok || b.Alias != nil {
			c.errorf("is state whose size is not fixed")
		} else if b.DType.Opaque() || b.Object != nil {
			c.object(b)
		} else if b.DType.GoType().Kind() == reflect.String {
			c.errorf("strings are not kept as state")
		}
	case b.Place == Arena, b.Place == Worker, b.Place == Device:
		c.expr(b.Len) // the length may contain only sizes of the feeds
	case b.Place == Strings != (b.DType.Size() > 0 && b.DType.GoType().Kind() == reflect.String) && b.Place != Fed:
		c.errorf("elements of type %v are kept at the place %v", b.DType, b.Place)
	}
	if b.Place.OnDevice() && (b.DType.GoType().Kind() == reflect.String || b.DType.Opaque()) {
		c.errorf("elements of type %v are not kept in a device's memory", b.DType)
	}
	if (b.Place == Arena || b.Place == Worker) && b.DType.GoType().Kind() == reflect.String {
		c.errorf("strings are not kept in the arena")
	}
	if (b.Place == Arena || b.Place == Worker || b.Place == Grow) && b.DType.Opaque() {
		c.errorf("handles are not kept in the arena")
	} else if b.DType.Opaque() != (b.Place == Handles) && b.Place != Kept {
		c.errorf("elements of type %v are kept at the place %v", b.DType, b.Place)
	}
	if b.Object != nil && b.Place != Kept {
		c.errorf("is an object that is not kept")
	}
}

func (c *checker) call(k *Call) {
	if _, text := k.Fn.(Unresolved); !text {
		if err := k.Check(); err != nil {
			c.errs = append(c.errs, fmt.Errorf("plan: %w", err))
			return
		}
	}
	for _, a := range k.Args {
		switch a := a.(type) {
		case Int:
			c.expr(a.X)
		case Ints:
			for _, e := range a.X {
				c.expr(e)
			}
		case Struct:
			for _, es := range a.Fields {
				for _, e := range es {
					c.expr(e)
				}
			}
		}
	}
	c.uses(k)
	for _, r := range k.Rets {
		c.bind(r, byCall)
	}
}

// uses checks the views that a step reads, and then the views that it writes.
func (c *checker) uses(s Step) {
	c.held(s)
	s.Views(func(v View) {
		if c.window(v) && v.Mode&Read != 0 && v.Mode != ReadWrite {
			c.read(v.Buf)
		}
	})
	s.Views(func(v View) {
		if v.Buf != nil && v.Mode&Write != 0 {
			c.write(v.Buf)
		}
	})
}

func (c *checker) copy(k *Copy) {
	if !c.window(k.Dst) || !c.window(k.Src) {
		return
	}
	if k.Dst.Buf.DType.GoType() != k.Src.Buf.DType.GoType() {
		c.errorf("copies %v to %v", k.Src.Buf.DType, k.Dst.Buf.DType)
	}
	if k.Dst.Buf.Root().Place.OnDevice() != k.Src.Buf.Root().Place.OnDevice() {
		c.errorf("copies between the host and a device")
	}
	if n, ok := k.Dst.Len.Sub(k.Src.Len).IsInt(); ok && n != 0 {
		c.errorf("copies %v elements to %v", k.Src.Len, k.Dst.Len)
	}
	c.held(k)
	c.read(k.Src.Buf)
	c.write(k.Dst.Buf)
}

// held checks that only recorded steps use the values of variables in device memory.
func (c *checker) held(s Step) {
	s.Views(func(v View) {
		if v.Buf != nil && v.Buf.Root().Place == DeviceVar && !Recorded(s) {
			c.errorf("uses %s, the value of a variable, but is not recorded", v.Buf.Name)
		}
	})
}

func (c *checker) read(b *Buf) {
	if !c.written[b.Root()] {
		c.errorf("reads %s before it is written", b.Name)
	}
}

func (c *checker) write(b *Buf) {
	r := b.Root()
	if r.Place == Constant || r.Place == Fed || r.Place == DeviceConst {
		c.errorf("writes %s, which is %v", b.Name, r.Place)
	} else if r.Object != nil {
		c.errorf("writes %s, which is an object", b.Name)
	}
	c.written[r] = true
}

// window checks the bounds of a view as far as they are provable.
func (c *checker) window(v View) bool {
	if v.Buf == nil || !c.bufs[v.Buf] || v.Len == nil || v.Buf.Len == nil {
		c.errorf("a window without a buffer of this plan or a length")
		return false
	}
	c.expr(v.Off)
	c.expr(v.Len)
	c.expr(v.Buf.Len)
	end := v.Len
	if v.Off != nil {
		end = end.Add(v.Off)
		if n, ok := v.Off.IsInt(); ok && n < 0 {
			c.errorf("a window of %s begins at %d", v.Buf.Name, n)
		}
	}
	if n, ok := v.Len.IsInt(); ok && n < 0 {
		c.errorf("a window of %s has %d elements", v.Buf.Name, n)
	}
	if end.Sub(v.Buf.Len).AddInt(-1).NonNegative() { // end > Len for all sizes
		c.errorf("a window of %s ends at %v of %v", v.Buf.Name, end, v.Buf.Len)
	}
	return true
}
