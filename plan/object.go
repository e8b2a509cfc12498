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

// Context is the argument for a kernel that may wait. The kernel gets the run's context.
type Context struct{}

// Type implements Arg.
func (Context) Type() reflect.Type { return reflect.TypeFor[context.Context]() }

// Budget is the argument for a kernel that allocates memory or may run for a long time. The kernel
// gets the run's *mem.Budget, which limits the memory that the run may still use. The Budget must
// be the kernel's first argument.
type Budget struct{}

// Type implements Arg.
func (Budget) Type() reflect.Type { return reflect.TypeFor[*mem.Budget]() }

// Files is the argument for a kernel that reads or writes files. It passes the directory that the
// program's caller has opened, or nil, to the kernel.
type Files struct{}

// Type implements Arg.
func (Files) Type() reflect.Type { return reflect.TypeFor[*os.Root]() }

// Exchange is the argument in the call of a Send or a Recv. It stands for the object that passes
// tensors between the parts of the signature.
type Exchange struct{}

// Type implements Arg.
func (Exchange) Type() reflect.Type { return reflect.TypeFor[*rendezvous.Exchange]() }

// Object is a resource that a model keeps between runs: a variable, a table, a queue. Every
// instance of the model creates its objects once, before its first run, in the order of the names
// of the buffers that hold them.
type Object struct {
	// New is the Go function that creates the resource. It is an exported, top-level function that
	// returns a tensor.Handle, or a tensor.Handle and an error.
	New any
	// Args are literals and views of whole constants.
	Args []Arg
	// Checkpoint is the name of the tensor in checkpoints that holds a variable's value, or "" for
	// a resource that is not saved. If the value is only a part of that tensor, Slice selects the
	// part with a shape_and_slice specification; if Slice is "", the value is the whole tensor. A
	// table has two names: Checkpoint for its keys and Values for its values.
	Checkpoint, Slice, Values string
}

// Symbol returns the import path and the name of New.
func (o *Object) Symbol() (path, name string, err error) { return o.call().Symbol() }

func (o *Object) call() *Call { return &Call{Node: "object", Op: "New", Fn: o.New, Args: o.Args} }

// HasError reports whether New's last result is an error.
func (o *Object) HasError() bool { return o.call().HasError() }

// Check returns an error if arguments or results do not fit New, or if an argument is available
// only during a run.
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
