package rt

import (
	"context"
	"reflect"
)

// Hook is told of runs. It may be used by several goroutines at once.
type Hook interface {
	// Begin is called when a run begins, on the goroutine that runs it, and once for
	// each partition of a program of several devices. ctx is the caller's. What it returns is told of
	// the run; nil: it is not of interest.
	Begin(ctx context.Context, run *Info) Observer
}

// Observer is told of one run, or one partition of a run, by one goroutine at a time.
type Observer interface {
	// Step is called when step i begins: the step before has ended.
	Step(i int)
	// Grown is called when the step under way has got memory outside of the arena: so many
	// bytes, after which the run has held bytes.
	Grown(bytes, held int)
	// Fork is called when a task begins that goes on beside the run, on the goroutine that
	// runs it. What it returns is told of the task's steps; nil: they are not of interest.
	Fork() Observer
	// End is called when the run, or the task, has ended, with its error.
	End(err error)
}

// Info tells a hook of a run. It must not be changed, and Size not called after End.
type Info struct {
	Signature string // as the model calls it; "" also for a model without signatures
	Device    string // the full name: /job:localhost/replica:0/task:0/device:CPU:0
	// Steps describe the steps, by the numbers that Observer.Step is given. The checks
	// of sizes before the first step come last; an error may name them.
	Steps []Step
	// Scopes are those that the names of nodes in Steps leave out; see FullName.
	Scopes []Scope
	// Size returns the size of that name: one that is fed, or one that a step has
	// found so far. It is nil where no sizes are known.
	Size func(name string) (int, bool)
	// Arena is the size in bytes of the run's arena, Own what each participant of
	// a loop has beside it, Held all that the run has when it begins.
	Arena, Own, Held int
}

// Step describes a step of a run. Work that is done together, such as a chain of
// element-wise ops, is one step; it names the first node and op and the last:
// "dense/BiasAdd … dense/Relu", "BiasAdd … Relu".
type Step struct {
	Node string // the name of the node in the graph
	Op   string // the node's op
	// Outputs are types and shapes of the tensors that the step writes: "f32[n,128]".
	// A shape may depend on sizes: Info.Size has their values, by their names.
	Outputs []string
}

// cpu0 is the device of programs that have one.
const cpu0 = "/job:localhost/replica:0/task:0/device:CPU:0"

// Mark is where a run is, and who is told.
type Mark struct {
	Step int // the step under way, for errors
	hook Observer
}

// At notes that step i begins. It is small enough to be inlined.
func (m *Mark) At(i int) {
	m.Step = i
	if m.hook != nil {
		m.tell()
	}
}

//go:noinline
func (m *Mark) tell() { m.hook.Step(m.Step) }

// Grew notes that the step under way has got memory; see Observer.
func (m *Mark) Grew(bytes, held int) {
	if m.hook != nil {
		m.hook.Grown(bytes, held)
	}
}

// Fork returns the mark of a task that runs beside others of the same run, and is
// called on the goroutine that runs the task.
func (m *Mark) Fork() Mark {
	f := Mark{Step: m.Step}
	if m.hook != nil {
		f.hook = m.hook.Fork()
	}
	return f
}

// Join ends the mark of a task, with the task's error.
func (m *Mark) Join(err error) {
	if m.hook != nil {
		m.hook.End(err)
		m.hook = nil
	}
}

// both tells two observers.
type both struct{ a, b Observer }

// together returns an observer that tells a and b, either of which may be nil.
func together(a, b Observer) Observer {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return both{a, b}
}

// Observers calls f with each of those that are told, for packages whose observers are told more.
func (m *Mark) Observers(f func(Observer)) { each(m.hook, f) }

func each(o Observer, f func(Observer)) {
	switch o := o.(type) {
	case nil:
	case both:
		each(o.a, f)
		each(o.b, f)
	default:
		f(o)
	}
}

func (x both) Step(i int)            { x.a.Step(i); x.b.Step(i) }
func (x both) Grown(bytes, held int) { x.a.Grown(bytes, held); x.b.Grown(bytes, held) }
func (x both) Fork() Observer        { return together(x.a.Fork(), x.b.Fork()) }
func (x both) End(err error)         { x.b.End(err); x.a.End(err) }

// hooks are the hooks of an instance or of a run's options.
type hooks []Hook

func (hs hooks) begin(ctx context.Context, run *Info) Observer {
	if run.Device == "" {
		run.Device = cpu0
	}
	var o Observer
	for _, h := range hs {
		o = together(o, h.Begin(ctx, run))
	}
	return o
}

// Begin tells the hooks of ctx of a run that no Pool lends a state to, which info
// describes where there are any, and returns its mark, which Join ends.
func Begin(ctx context.Context, info func() *Info) Mark {
	var m Mark
	if o := optionsOf(ctx); o != nil && len(o.hooks) > 0 {
		m.hook = o.hooks.begin(ctx, info())
	}
	return m
}

// sizeOf returns the field of that name of one of the structs; a name that is a Go
// keyword has an underscore behind it there.
func sizeOf(name string, structs ...any) (int, bool) {
	for _, s := range structs {
		v := reflect.ValueOf(s).Elem()
		for _, n := range []string{name, name + "_"} {
			if f := v.FieldByName(n); f.IsValid() && f.CanInt() {
				return int(f.Int()), true
			}
		}
	}
	return 0, false
}
