// Package exec runs a plan in this process: for constant folding, for
// `graphc run`, and as the oracle that emitted programs are compared with. It
// makes the very calls that codegen prints, by reflection.
//
// Every buffer has memory of its own, of its exact size and filled with a
// pattern, so that a plan that reads what nothing wrote gives wrong answers
// here rather than by chance right ones.
package exec

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/par"
	"github.com/graphc/graphc/rt/tensor"
)

// DefaultMaxBytes is the most memory one run may take.
const DefaultMaxBytes = 4 << 30

// Program is a plan ready to run. It may be used from several goroutines.
type Program struct {
	// MaxBytes limits the memory of one run; ResourceExhausted beyond it.
	MaxBytes int
	// Chunks is the number of chunks a loop is divided into where its items allow it.
	Chunks int

	p    *plan.Plan
	kept State
	last map[*plan.Buf]int // the last step that uses a root buffer
	keep map[*plan.Buf]bool
}

// State is what programs keep from run to run, by the buffers' names. Programs
// that share it are plans of one model.
type State map[string]reflect.Value

// New checks the plan's calls. The program has a state of its own.
func New(p *plan.Plan) (*Program, error) { return NewWith(State{}, p) }

// NewWith is New with a state that other programs share. It is not safe while
// one of them runs.
func NewWith(kept State, p *plan.Plan) (*Program, error) {
	x := &Program{MaxBytes: DefaultMaxBytes, Chunks: defaultChunks, p: p, kept: kept, last: map[*plan.Buf]int{}, keep: map[*plan.Buf]bool{}}
	for _, c := range p.Prologue {
		if err := c.Check(); err != nil {
			return nil, tensor.Errorf(tensor.Internal, "%v", err)
		}
	}
	for i, s := range p.Steps {
		for _, s := range plan.Flat([]plan.Step{s}) {
			if c, ok := s.(*plan.Call); ok {
				if err := c.Check(); err != nil {
					return nil, tensor.Errorf(tensor.Internal, "%v", err)
				}
			}
		}
		s.Views(func(v plan.View) { x.last[v.Buf.Root()] = i })
	}
	for _, f := range p.Fetches {
		x.keep[f.Buf.Root()] = true
	}
	for _, b := range p.Bufs {
		if _, ok := kept[b.Name]; b.Place == plan.Kept && b.Alias == nil && !ok {
			n, _ := b.Len.IsInt()
			kept[b.Name] = reflect.ValueOf(tensor.MakeSlice(b.DType, n))
		}
	}
	return x, nil
}

// run is the state of one run.
type run struct {
	*Program
	env  map[string]int
	mem  map[*plan.Buf]reflect.Value // roots: a slice of the root's element type
	used int
}

// Run computes the fetches, by tensor name. The answers share no memory with
// the feeds.
func (x *Program) Run(ctx context.Context, feeds map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	r := &run{Program: x, env: map[string]int{}, mem: map[*plan.Buf]reflect.Value{}}
	if err := r.feed(feeds); err != nil {
		return nil, err
	}
	for _, c := range x.p.Prologue {
		if err := r.call(c); err != nil {
			return nil, err
		}
	}
	for i, s := range x.p.Steps {
		if err := ctx.Err(); err != nil {
			return nil, tensor.Errorf(tensor.CodeOf(err), "%v", err)
		}
		if err := r.step(s); err != nil {
			return nil, err
		}
		s.Views(func(v plan.View) {
			if b := v.Buf.Root(); x.last[b] == i && !x.keep[b] && (b.Place == plan.Arena || b.Place == plan.Grow) {
				r.drop(b)
			}
		})
	}
	return r.fetch()
}

func (r *run) step(s plan.Step) error {
	switch s := s.(type) {
	case *plan.Call:
		return r.call(s)
	case *plan.Copy:
		return r.copy(s)
	case *plan.Par:
		return r.loop(s)
	}
	return tensor.Errorf(tensor.Internal, "a step of type %T", s)
}

const defaultChunks = 3

// loop does the chunks of a loop from the last to the first, so that one that
// needs what another makes goes wrong. What a chunk has of its own is new each time.
func (r *run) loop(p *plan.Par) error {
	total, err := r.eval(p.Total)
	if err != nil || total <= 0 {
		return err
	}
	size, wrap := (total+r.Chunks-1)/r.Chunks, 0
	if p.Most != nil {
		most, err := r.eval(p.Most)
		if err != nil {
			return err
		}
		size = min(size, max(most, 1))
	}
	if g := p.Grain; g > 1 {
		if size >= g {
			size = size / g * g
		} else if p.Most == nil {
			size = g
		}
	}
	if p.Wrap != nil {
		if wrap, err = r.eval(p.Wrap); err != nil {
			return err
		}
	}
	own := map[*plan.Buf]bool{}
	p.Views(func(v plan.View) {
		if b := v.Buf.Root(); b.Place == plan.Worker {
			own[b] = true
		}
	})
	for i := par.Chunks(total, size, wrap) - 1; i >= 0; i-- {
		lo, n := par.Bounds(i, total, size, wrap)
		r.env[plan.LoName], r.env[plan.CountName] = lo, n
		for _, s := range p.Body {
			if err := r.step(s); err != nil {
				return err
			}
		}
		for b := range own {
			r.drop(b)
		}
	}
	delete(r.env, plan.LoName)
	delete(r.env, plan.CountName)
	return nil
}

// drop forgets a buffer's memory.
func (r *run) drop(b *plan.Buf) {
	if m, ok := r.mem[b]; ok {
		r.used -= m.Len() * b.DType.Size()
		delete(r.mem, b)
	}
}

func (r *run) feed(feeds map[string]*tensor.Tensor) error {
	for _, f := range r.p.Feeds {
		t := feeds[f.Name]
		if t == nil && f.AnyShape {
			continue
		}
		if t == nil {
			return tensor.Errorf(tensor.InvalidArgument, "feed %q is missing: %v%s", f.Name, f.DType, plan.ShapeText(f.Shape))
		}
		if t.DType != f.DType {
			return wrongFeed(f, t)
		}
		if n, err := t.Shape.Len(); err != nil {
			return err
		} else if n != t.Len() {
			return tensor.Errorf(tensor.InvalidArgument, "feed %q: %d elements given for the shape %v", f.Name, t.Len(), t.Shape)
		}
		if f.AnyShape {
			continue
		}
		if len(t.Shape) != len(f.Shape) {
			return wrongFeed(f, t)
		}
		r.mem[f.Buf] = reflect.ValueOf(t.Data)
	}
	for _, d := range r.p.Dims {
		r.env[d.Name] = feeds[r.p.Feeds[d.Feed].Name].Shape[d.Axis]
	}
	for _, f := range r.p.Feeds {
		for i, e := range f.Shape {
			want, err := e.Eval(r.env)
			if got := feeds[f.Name].Shape[i]; err != nil || got != want {
				return wrongFeed(f, feeds[f.Name])
			}
		}
	}
	for name := range feeds {
		if !slices.ContainsFunc(r.p.Feeds, func(f plan.Feed) bool { return f.Name == name }) {
			return tensor.Errorf(tensor.InvalidArgument, "no feed %q", name)
		}
	}
	return nil
}

func wrongFeed(f plan.Feed, t *tensor.Tensor) error {
	want := plan.ShapeText(f.Shape)
	if f.AnyShape {
		want = " of any rank"
	}
	return tensor.Errorf(tensor.InvalidArgument, "feed %q: got %v, want %v%s", f.Name, t, f.DType, want)
}

func (r *run) fetch() (map[string]*tensor.Tensor, error) {
	out := map[string]*tensor.Tensor{}
	for _, f := range r.p.Fetches {
		shape := make(tensor.Shape, len(f.Shape))
		for i, e := range f.Shape {
			d, err := e.Eval(r.env)
			if err != nil || d < 0 {
				return nil, tensor.Errorf(tensor.Internal, "fetch %s: dimension %d is %d: %v", f.Name, i, d, err)
			}
			shape[i] = d
		}
		n, err := shape.Len()
		if err != nil {
			return nil, err
		}
		v, err := r.view(plan.View{Buf: f.Buf, Len: sym.Int(n), Mode: plan.Read})
		if err != nil {
			return nil, fmt.Errorf("fetch %s: %w", f.Name, err)
		}
		c := reflect.MakeSlice(v.Type(), n, n)
		reflect.Copy(c, v)
		out[f.Name] = &tensor.Tensor{DType: f.DType, Shape: shape, Data: c.Interface()}
	}
	return out, nil
}

func (r *run) copy(c *plan.Copy) error {
	dst, err := r.view(c.Dst)
	if err == nil {
		var src reflect.Value
		if src, err = r.view(c.Src); err == nil {
			if dst.Len() != src.Len() {
				err = tensor.Errorf(tensor.Internal, "copy of %d elements to %d", src.Len(), dst.Len())
			} else {
				reflect.Copy(dst, src)
			}
		}
	}
	return tensor.AtNode(err, c.Node, c.Op)
}

func (r *run) call(c *plan.Call) (err error) {
	args := make([]reflect.Value, len(c.Args))
	for i, a := range c.Args {
		if args[i], err = r.arg(a); err != nil {
			return tensor.AtNode(err, c.Node, c.Op)
		}
	}
	defer func() {
		if p := recover(); p != nil {
			_, name, _ := c.Symbol()
			err = tensor.AtNode(tensor.Errorf(tensor.Internal, "kernel %s: %v", name, p), c.Node, c.Op)
		}
	}()
	rets := reflect.ValueOf(c.Fn).Call(args)
	if c.HasError() {
		if e, _ := rets[len(rets)-1].Interface().(error); e != nil {
			return tensor.AtNode(e, c.Node, c.Op)
		}
	}
	for i, name := range c.Rets {
		r.env[name] = int(rets[i].Int())
	}
	return nil
}

func (r *run) arg(a plan.Arg) (reflect.Value, error) {
	switch a := a.(type) {
	case plan.View:
		return r.view(a)
	case plan.Int:
		n, err := r.eval(a.X)
		return reflect.ValueOf(n), err
	case plan.Ints:
		ns, err := r.evals(a.X)
		return reflect.ValueOf(ns), err
	case plan.Value:
		return reflect.ValueOf(a.V), nil
	case plan.Struct:
		v := reflect.New(a.Type()).Elem()
		v.Set(reflect.ValueOf(a.V))
		for name, es := range a.Fields {
			ns, err := r.evals(es)
			if err != nil {
				return v, err
			}
			f := v.FieldByName(name)
			if f.Kind() == reflect.Int {
				f.SetInt(int64(ns[0]))
				continue
			}
			for i, n := range ns {
				f.Index(i).SetInt(int64(n))
			}
		}
		return v, nil
	}
	return reflect.Value{}, tensor.Errorf(tensor.Internal, "argument %T", a)
}

func (r *run) eval(e *sym.Expr) (int, error) {
	n, err := e.Eval(r.env)
	if err != nil {
		return 0, tensor.Errorf(tensor.InvalidArgument, "%v", err)
	}
	return n, nil
}

func (r *run) evals(es []*sym.Expr) ([]int, error) {
	ns := make([]int, len(es))
	for i, e := range es {
		n, err := r.eval(e)
		if err != nil {
			return nil, err
		}
		ns[i] = n
	}
	return ns, nil
}

// view returns the slice a call gets; a root is allocated when first written.
func (r *run) view(v plan.View) (reflect.Value, error) {
	root := v.Buf.Root()
	m, ok := r.mem[root]
	if !ok {
		var err error
		if m, err = r.storage(root, v.Mode); err != nil {
			return m, err
		}
		r.mem[root] = m
	}
	off, err := r.eval(v.Buf.ByteOffset())
	if err != nil {
		return m, err
	}
	size := v.Buf.DType.Size()
	if v.Off != nil {
		o, err := r.eval(v.Off)
		if err != nil {
			return m, err
		}
		off += o * size
	}
	n, err := r.eval(v.Len)
	if err != nil {
		return m, err
	}
	if n < 0 || off < 0 || off+n*size > m.Len()*root.DType.Size() {
		return m, tensor.Errorf(tensor.InvalidArgument, "%d elements at byte %d are outside the %d bytes of %s", n, off, m.Len()*root.DType.Size(), root.Name)
	}
	elem := v.Buf.DType.GoType()
	if n == 0 {
		return reflect.MakeSlice(reflect.SliceOf(elem), 0, 0), nil
	}
	if elem == m.Type().Elem() {
		return m.Slice3(off/size, off/size+n, off/size+n), nil
	}
	return reflect.SliceAt(elem, unsafe.Add(m.UnsafePointer(), off), n), nil
}

func (r *run) storage(b *plan.Buf, mode plan.Mode) (reflect.Value, error) {
	switch b.Place {
	case plan.Constant:
		return reflect.ValueOf(b.Const.Data), nil
	case plan.Kept:
		return r.kept[b.Name], nil
	}
	n, err := r.eval(b.Len)
	if err != nil {
		return reflect.Value{}, err
	}
	if mode == plan.Read && n > 0 { // nothing needs to write what has no elements
		return reflect.Value{}, tensor.Errorf(tensor.Internal, "%s is read before it is written", b.Name)
	}
	if n < 0 {
		return reflect.Value{}, tensor.Errorf(tensor.InvalidArgument, "%s would have %d elements", b.Name, n)
	}
	size := b.DType.Size()
	if n > (r.MaxBytes-r.used)/size {
		return reflect.Value{}, tensor.Errorf(tensor.ResourceExhausted, "%s takes %d elements of %d bytes: a run may take %d bytes in all", b.Name, n, size, r.MaxBytes)
	}
	r.used += n * size
	m := reflect.ValueOf(tensor.MakeSlice(b.DType, n))
	if n > 0 && b.DType != tensor.String && b.DType != tensor.Bool {
		raw := unsafe.Slice((*byte)(m.UnsafePointer()), n*size)
		for i := range raw {
			raw[i] = 0xfb
		}
	}
	return m, nil
}
