package plan

import (
	"context"
	"fmt"
	"os"
	"reflect"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/rendezvous"
	"github.com/graphc/graphc/rt/tensor"
)

// Context is the argument of a kernel that waits: the run's context.
type Context struct{}

// Type implements Arg.
func (Context) Type() reflect.Type { return reflect.TypeFor[context.Context]() }

// Budget is the argument of a kernel that allocates or runs long: the memory that the run may still
// use. It is the kernel's first argument.
type Budget struct{}

// Type implements Arg.
func (Budget) Type() reflect.Type { return reflect.TypeFor[*mem.Budget]() }

// Files is the argument of a kernel that reads or writes files: the directory that the program's
// caller has opened for it, or nil.
type Files struct{}

// Type implements Arg.
func (Files) Type() reflect.Type { return reflect.TypeFor[*os.Root]() }

// Exchange is the argument of the call of a Send or a Recv, which passes tensors between parts of
// the signature.
type Exchange struct{}

// Type implements Arg.
func (Exchange) Type() reflect.Type { return reflect.TypeFor[*rendezvous.Exchange]() }

// Object is a resource that a model keeps between runs: a variable, a table, a queue. Every
// instance of the model makes its objects once, before its first run, in the order of the names of
// the buffers that hold them.
type Object struct {
	// New makes the resource. It is an exported, top-level function that returns a tensor.Handle,
	// or a tensor.Handle and an error.
	New any
	// Args are literals and views of whole constants.
	Args []Arg
	// Checkpoint is the name of a variable's value in checkpoints, or "" for a resource that is not
	// saved. Slice selects the part of that tensor that the variable is, as a shape_and_slice
	// specification; "" means all of it. A table has two names: Checkpoint for its keys and Values
	// for its values.
	Checkpoint, Slice, Values string
}

// Symbol returns the import path and the name of New.
func (o *Object) Symbol() (path, name string, err error) { return o.call().Symbol() }

func (o *Object) call() *Call { return &Call{Node: "object", Op: "New", Fn: o.New, Args: o.Args} }

// HasError reports whether New's last result is an error.
func (o *Object) HasError() bool { return o.call().HasError() }

// Check returns an error if arguments or results do not fit New, or if arguments are not available
// outside of a run.
func (o *Object) Check() error {
	for i, a := range o.Args {
		switch a := a.(type) {
		case Value, Raw:
		case Struct:
			if len(a.Fields)+len(a.Operands) > 0 {
				return fmt.Errorf("argument %d of an object depends on sizes or on what a run computes", i)
			}
		case Int:
			if _, ok := a.X.IsInt(); !ok {
				return fmt.Errorf("argument %d of an object depends on sizes", i)
			}
		case View:
			if a.Buf == nil || a.Buf.Alias != nil || a.Buf.Place != Constant || a.Mode != Read || a.Off != nil && !a.Off.Is(0) || a.Len == nil || !a.Len.Equal(a.Buf.Len) {
				return fmt.Errorf("argument %d of an object is not a view of a whole constant", i)
			}
		default:
			return fmt.Errorf("argument %d of an object is a %T", i, a)
		}
	}
	if _, text := o.New.(Unresolved); text {
		return nil
	}
	c := o.call()
	t, name, err := c.fits()
	if err != nil {
		return err
	}
	n := t.NumOut()
	if n == 0 || t.Out(0) != reflect.TypeFor[tensor.Handle]() || n > 2 || n == 2 && !c.HasError() {
		return fmt.Errorf("%s does not return a handle, or a handle and an error", name)
	}
	return nil
}
