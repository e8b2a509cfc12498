// Package resource holds what stateful ops share by handles: variables, tables,
// queues, arrays of tensors. Handles of a model's own resources are made once for
// each instance; see plan.Object.
package resource

import (
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
	Data  any   // the value: the slice of DType.GoType()
}

// Takes reports that the declared shape allows shape.
func (v *Var) Takes(shape []int) bool { return v.AnyRank || fits(v.Declared, shape) }

// VarOf returns the variable that h holds: NotFound where there is no handle,
// InvalidArgument where it holds another thing.
func VarOf(h []tensor.Handle) (*Var, error) { return of[Var](h, "a variable") }

// Values returns the elements of a variable whose lock is held: FailedPrecondition
// where it has no value, InvalidArgument where it is of another type.
func Values[T any](v *Var) ([]T, error) {
	if !v.Set {
		return nil, tensor.Errorf(tensor.FailedPrecondition, "the variable %q is read before it has a value", v.Name)
	}
	d, ok := v.Data.([]T)
	if !ok {
		return nil, tensor.Errorf(tensor.InvalidArgument, "the variable %q holds %v, %T is asked for", v.Name, v.DType, d)
	}
	return d, nil
}
