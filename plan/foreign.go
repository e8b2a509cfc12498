package plan

import (
	"context"
	"reflect"

	"github.com/graphc/graphc/rt/tensor"
)

// Foreign describes a function that is not one of graphc's kernels. A call of such a function has a
// *Foreign as its Fn. Emitted code calls the function by its name, so the function need not be
// linked into this program.
type Foreign struct {
	Path, Name string // the import path and the name of the function, which is exported and at top level
	// Type is the function's type as the call uses it, derived from the lowering's arguments. If
	// the function is generic, the Go compiler infers its type arguments.
	Type reflect.Type
	// Outs is the number of tensors that the function writes. The function's first arguments are
	// these tensors, each passed as two arguments: its elements and its shape.
	Outs int
	// Effect is true if the function has side effects, so that its calls must keep their order.
	Effect bool
	// Call calls the function. If the context has ended, the last of the returned values is the
	// context's error. Call is nil if this program cannot call the function.
	Call func(ctx context.Context, args []reflect.Value) []reflect.Value
}

// foreign returns a call's Foreign, or nil for a call of a kernel.
func (c *Call) foreign() *Foreign {
	f, _ := c.Fn.(*Foreign)
	return f
}

// Type returns the type of the kernel, or nil for a kernel that was read from a plan's text.
func (c *Call) Type() reflect.Type {
	if f := c.foreign(); f != nil {
		return f.Type
	}
	if t := reflect.TypeOf(c.Fn); t != nil && t.Kind() == reflect.Func {
		return t
	}
	return nil
}

// Do calls the kernel. Only foreign functions use ctx. The error is FailedPrecondition if this
// program cannot call the function.
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
