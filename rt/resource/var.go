// Package resource holds what stateful ops share by handles: variables, tables,
// queues, arrays of tensors. Handles of a model's own resources are made once for
// each instance; see plan.Object.
package resource

import (
	"slices"
	"sync"

	"github.com/graphc/graphc/rt/tensor"
)

// Var is a variable. Its fields are read and changed with the lock held.
type Var struct {
	sync.Mutex
	Name  string // as errors name it
	DType tensor.DType
	// Declared is the shape the graph declares, with -1 for an unknown dimension;
	// AnyRank says that it declares none.
	Declared []int
	AnyRank  bool
	// Ref marks a variable of TensorFlow 1, which ops take by reference.
	Ref bool
	// Copy marks a copy that a run has made for itself.
	Copy bool

	Set   bool  // it has a value
	Shape []int // the value's
	Data  any   // the value: the slice of DType.GoType(); see Home
	Away  Away  // the value in a device's memory, nil for none
}

// Takes reports that the declared shape allows shape.
func (v *Var) Takes(shape []int) bool { return v.AnyRank || fits(v.Declared, shape) }

// VarOf returns the variable that h holds: NotFound where there is no handle,
// InvalidArgument where it holds another thing.
func VarOf(h []tensor.Handle) (*Var, error) { return of[Var](h, "a variable") }

// Unread is the error of who reads a variable without a value.
func (v *Var) Unread() error {
	return tensor.Errorf(tensor.FailedPrecondition, "the variable %q is read before it has a value", v.Name)
}

// Unset is the error of who changes a variable without a value: of a reference that of who
// reads it, of a resource NotFound.
func (v *Var) Unset() error {
	if v.Ref {
		return v.Unread()
	}
	return tensor.Errorf(tensor.NotFound, "the variable %q has no value", v.Name)
}

// Has is InvalidArgument where the variable, whose lock is held, has another shape.
func (v *Var) Has(shape []int) error {
	if slices.Equal(v.Shape, shape) {
		return nil
	}
	return tensor.Errorf(tensor.InvalidArgument, "the variable %q has the shape %v, not %v", v.Name, tensor.Shape(v.Shape), tensor.Shape(slices.Clone(shape)))
}

// Assignable is InvalidArgument where the variable, whose lock is held, does not take a
// value of that type and shape; same refuses another shape than that of the value it has.
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

// Values returns the elements of a variable whose lock is held, to be read: FailedPrecondition
// where it has no value, InvalidArgument where it is of another type.
func Values[T any](v *Var) ([]T, error) {
	if err := v.Home(); err != nil {
		return nil, err
	}
	return valueOf[T](v)
}

// Change is Values for who changes the elements.
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
		return nil, tensor.Errorf(tensor.InvalidArgument, "the variable %q holds %v, %T is asked for", v.Name, v.DType, d)
	}
	return d, nil
}
