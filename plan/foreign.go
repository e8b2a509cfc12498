package plan

import (
	"context"
	"reflect"

	"github.com/graphc/graphc/rt/tensor"
)

// Foreign is the Fn of a call of a function that is no kernel of graphc's: emitted
// code calls it by its name, and it need not be linked into this program.
type Foreign struct {
	Path, Name string // import path and name, exported and at top level
	// Type is what its call looks like: by the arguments the lowering gives. A
	// generic function is called with the type arguments that Go infers from them.
	Type reflect.Type
	// Outs is how many tensors it writes, which come first: each as its elements and
	// its shape.
	Outs int
	// Effect says that it does something besides, so that calls keep their order.
	Effect bool
	// Call calls it, and returns the context's error once that is done; nil where this
	// program has no means to call it.
	Call func(ctx context.Context, args []reflect.Value) []reflect.Value
}

// foreign returns a call's Foreign, nil for a call of a kernel.
func (c *Call) foreign() *Foreign {
	f, _ := c.Fn.(*Foreign)
	return f
}

// Type returns the type of the kernel, nil for one that was read from text.
func (c *Call) Type() reflect.Type {
	if f := c.foreign(); f != nil {
		return f.Type
	}
	if t := reflect.TypeOf(c.Fn); t != nil && t.Kind() == reflect.Func {
		return t
	}
	return nil
}

// Do calls the kernel; of the context foreign functions know. FailedPrecondition for one
// that this program cannot call.
func (c *Call) Do(ctx context.Context, args []reflect.Value) ([]reflect.Value, error) {
	f := c.foreign()
	switch {
	case f == nil:
		return reflect.ValueOf(c.Fn).Call(args), nil
	case f.Call == nil:
		return nil, tensor.Errorf(tensor.FailedPrecondition, "the Go function %s.%s is not part of this program", f.Path, f.Name)
	}
	return f.Call(ctx, args), nil
}
