package rt

import (
	"context"
	"reflect"
)

// Hook observes runs. It must be safe for concurrent use.
type Hook interface {
	// Begin is called when a run begins, on the goroutine that runs it. In a program for several
	// devices, Begin is called once for each partition. ctx is the context of the run's caller. The
	// returned Observer observes the run; nil means that no observer is needed.
	Begin(ctx context.Context, run *Info) Observer
}

// Observer observes one run, or one partition of a run. Its methods are called by one goroutine at
// a time.
type Observer interface {
	// Step is called when step i begins; the step before it has ended. If a run computes a batch in
	// micro-batches, it repeats its steps for each of them; see WithMicroBatch.
	Step(i int)
	// Grown is called when the current step has allocated bytes outside the arena. The parameter
	// held is the run's total in bytes after that.
	Grown(bytes, held int)
	// Fork is called when a concurrent task of the run begins, on the goroutine that runs it. The
	// returned Observer observes the task's steps; nil means that no observer is needed.
	Fork() Observer
	// End is called when the run or the task has ended. The parameter err is its error, or nil.
	End(err error)
}

// Info describes a run to a hook. The hook must not change it, nor call Size after End.
type Info struct {
	Signature string // the signature's name in the model; "" if the model has no signatures
	Device    string // the full name: /job:localhost/replica:0/task:0/device:CPU:0
	// Steps describes the steps. The argument of Observer.Step is an index in this slice. The last
	// elements of the slice describe the checks of sizes that precede the first step; only errors
	// refer to these elements.
	Steps []Step
	// Scopes are the prefixes that node names in Steps leave out; FullName adds them.
	Scopes []Scope
	// Size returns the value of the named size. The value is valid if a feed determines the size or
	// a step has already found it. The size of a batch is that of its micro-batches. Size is nil if
	// no sizes are known.
	Size func(name string) (int, bool)
	// These sizes are in bytes. Arena is the size of the run's arena. Own is the size of the extra
	// memory for each thread that takes part in a loop. Held is the size of all memory of the run
	// when it begins.
	Arena, Own, Held int
}

// Step describes a step of a run. A step can combine several nodes, such as a chain of
// element-wise ops. It then names the first and the last node and op: "dense/BiasAdd …
// dense/Relu", "BiasAdd … Relu".
type Step struct {
	Node string // the node's name in the graph
	Op   string // the node's op
	// Outputs are the types and shapes of the tensors that the step writes: "f32[n,128]". A shape
	// may contain names of sizes, such as n; Info.Size returns the values of these sizes.
	Outputs []string
}

// cpu0 is the device of programs that use only one device.
const cpu0 = "/job:localhost/replica:0/task:0/device:CPU:0"

// Mark is the current position of a run, and the observer of its steps.
type Mark struct {
	Step int // the current step, for errors
	hook Observer
}

// At records that step i begins. It is small enough to be inlined.
func (m *Mark) At(i int) {
	m.Step = i
	if m.hook != nil {
		m.tell()
	}
}

//go:noinline
func (m *Mark) tell() { m.hook.Step(m.Step) }

// Grew reports to the observer that the current step has allocated memory; see Observer.
func (m *Mark) Grew(bytes, held int) {
	if m.hook != nil {
		m.hook.Grown(bytes, held)
	}
}

// Fork returns the mark of a task that runs beside other tasks of the same run. It must be called
// on the goroutine that runs the task.
func (m *Mark) Fork() Mark {
	f := Mark{Step: m.Step}
	if m.hook != nil {
		f.hook = m.hook.Fork()
	}
	return f
}

// Join informs the observer of a task, which Fork has created, that the task has ended with the error
// err.
func (m *Mark) Join(err error) {
	if m.hook != nil {
		m.hook.End(err)
		m.hook = nil
	}
}

// both is an observer that forwards all calls to observers a and b.
type both struct{ a, b Observer }

// together returns an observer that forwards to a and b, either of which may be nil.
func together(a, b Observer) Observer {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return both{a, b}
}

// Observers calls f with each observer of the run, for packages whose observers have further
// methods.
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

// Begin starts the hooks of ctx for a run that does not use a Pool's state. It calls the function
// info, which returns the description of the run, only if ctx has hooks. The run ends with the
// method Join of the returned mark.
func Begin(ctx context.Context, info func() *Info) Mark {
	var m Mark
	if o := optionsOf(ctx); o != nil && len(o.hooks) > 0 {
		m.hook = o.hooks.begin(ctx, info())
	}
	return m
}

// sizeOf returns the value of the integer field with the given name. It takes the field from the
// first of the structs that has such a field, and returns false if none has. If the name is a Go
// keyword, the field's name ends with an underscore.
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
