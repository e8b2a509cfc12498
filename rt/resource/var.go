// Package resource implements the state that stateful ops share through handles: variables,
// tables, queues, arrays of tensors. An instance of a model creates its resources and their handles
// once, before its first run; see plan.Object.
package resource

import (
	"slices"
	"sync"

	"github.com/graphc/graphc/rt/tensor"
)

// Var is a variable. Its fields may be read and changed only with the lock held.
type Var struct {
	sync.Mutex
	Name  string // for errors
	DType tensor.DType
	// Declared is the shape that the graph declares, with -1 for an unknown dimension. AnyRank is
	// set if the graph declares no shape.
	Declared []int
	AnyRank  bool
	// Ref marks a reference variable of TensorFlow 1.
	Ref bool
	// Copy marks a copy of another variable's value that belongs to one run.
	Copy bool

	Set   bool  // whether the variable is initialized
	Shape []int // the shape of the value
	Data  any   // the elements, a slice of DType.GoType(); call Home before reading them
	Away  Away  // the value in a device's memory; may be nil
}

// Takes reports whether the declared shape allows a value of the given shape.
func (v *Var) Takes(shape []int) bool { return v.AnyRank || fits(v.Declared, shape) }

// VarOf returns the variable that h holds. The error is NotFound for an empty handle and
// InvalidArgument for another kind of resource.
func VarOf(h []tensor.Handle) (*Var, error) { return of[Var](h, "a variable") }

// Unread returns the FailedPrecondition error for reading an uninitialized variable.
func (v *Var) Unread() error {
	return tensor.Errorf(tensor.FailedPrecondition, "the variable %q is read before it has a value", v.Name)
}

// Unset returns the error for modifying an uninitialized variable: FailedPrecondition for a
// reference variable, NotFound for a resource variable.
func (v *Var) Unset() error {
	if v.Ref {
		return v.Unread()
	}
	return tensor.Errorf(tensor.NotFound, "the variable %q has no value", v.Name)
}

// Has returns InvalidArgument unless the value has the given shape. The caller holds the lock.
func (v *Var) Has(shape []int) error {
	if slices.Equal(v.Shape, shape) {
		return nil
	}
	return tensor.Errorf(tensor.InvalidArgument, "the variable %q has the shape %v, not %v", v.Name, tensor.Shape(v.Shape), tensor.Shape(slices.Clone(shape)))
}

// Assignable returns InvalidArgument if the variable does not accept a value of the given type and
// shape. If same is set, the shape must also be that of the current value, if any. The caller holds
// the lock.
func (v *Var) Assignable(d tensor.DType, shape []int, same bool) error {
	switch {
	case v.DType != d:
		return tensor.Errorf(tensor.InvalidArgument, "the variable %q is %v, the new value %v", v.Name, v.DType, d)
	case same && v.Set && !slices.Equal(v.Shape, shape):
		return tensor.Errorf(tensor.InvalidArgument, "the variable %q has the shape %v, the new value %v", v.Name, tensor.Shape(v.Shape), tensor.Shape(slices.Clone(shape)))
	case !v.Takes(shape):
		return tensor.Errorf(tensor.InvalidArgument, "the variable %q is declared %v, the new value has the shape %v", v.Name, v.Declared, tensor.Shape(slices.Clone(shape)))
	}
	return nil
}

// Values returns the elements of a variable for reading. The caller holds the lock. The error is
// FailedPrecondition if the variable is uninitialized and InvalidArgument for another element
// type.
func Values[T any](v *Var) ([]T, error) {
	if err := v.Home(); err != nil {
		return nil, err
	}
	return valueOf[T](v)
}

// Change is like Values, for callers that change the elements. It also records that a copy of the
// value on a device is out of date.
func Change[T any](v *Var) ([]T, error) {
	if err := v.Own(); err != nil {
		return nil, err
	}
	return valueOf[T](v)
}

func valueOf[T any](v *Var) ([]T, error) {
	if !v.Set {
		return nil, v.Unread()
	}
	d, ok := v.Data.([]T)
	if !ok {
		return nil, tensor.Errorf(tensor.InvalidArgument, "the variable %q holds %v, want %T", v.Name, v.DType, d)
	}
	return d, nil
}
