package resource

import (
	"context"
	"slices"

	"github.com/graphc/graphc/rt/tensor"
)

// AccumulatorParams describes an accumulator of gradients.
type AccumulatorParams struct {
	Name  string // for errors
	DType tensor.DType
	// whether the accumulator returns the mean of the applied gradients, not their sum
	Mean bool
	// whether a gradient consists of a list of slices and the index of each slice
	Sparse bool
	// AnyRank is set if the shape is not declared.
	AnyRank bool
}

// Accumulator sums up gradients of its current step. When enough gradients were applied, Take lets
// its caller read the sum and begins the next step.
type Accumulator struct {
	AccumulatorParams
	Declared []int // the declared shape, with -1 for unknown sizes

	monitor
	step  int64
	count int

	Shape   []int   // the shape of the sum; for Sparse, the number of slices comes first
	Sum     any     // a slice of DType.GoType()
	Indices []int64 // if Sparse is set, the indices of the slices
	// if Sparse is set, how many gradients contained each slice
	Counts []int
}

// NewAccumulator returns an accumulator for gradients of the given shape. A size of -1 is unknown.
func NewAccumulator(p AccumulatorParams, shape []int) tensor.Handle {
	return tensor.Handle{V: &Accumulator{AccumulatorParams: p, Declared: slices.Clone(shape)}}
}

// AccumulatorOf returns the accumulator that h holds. The error is NotFound for an empty handle
// and InvalidArgument for another kind of resource.
func AccumulatorOf(h []tensor.Handle) (*Accumulator, error) {
	return of[Accumulator](h, "an accumulator")
}

// Takes reports whether gradients may have the given shape.
func (a *Accumulator) Takes(shape []int) bool { return a.AnyRank || fits(a.Declared, shape) }

// TakesSlices reports whether the slices of a sparse gradient may form a tensor with the shape dims.
// Its first dimension is the number of slices.
func (a *Accumulator) TakesSlices(dims []int) bool {
	return a.AnyRank || len(dims) > 0 && len(dims) == len(a.Declared) && fits(a.Declared[1:], dims[1:])
}

// Apply calls the function add, which adds a gradient to the fields of the accumulator, with the lock
// held. A gradient whose step is before the accumulator's step is ignored. The argument of add is true
// if no gradient of this step has been added yet.
func (a *Accumulator) Apply(step int64, add func(first bool) error) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if step < a.step {
		return nil
	}
	if err := add(a.count == 0); err != nil {
		return err
	}
	a.count++
	a.change()
	return nil
}

// Take waits until at least n gradients were applied. It then calls out(count) with the lock held;
// count is the number of applied gradients. Afterwards it empties the accumulator and increments its
// step. The error is InvalidArgument if n < 1.
func (a *Accumulator) Take(ctx context.Context, n int, out func(count int) error) error {
	if n <= 0 {
		return tensor.Errorf(tensor.InvalidArgument, "Argument num_required must be positive, but was %d", n)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.await(ctx, func() bool { return a.count >= n }); err != nil {
		return err
	}
	if err := out(a.count); err != nil {
		return err
	}
	a.step++
	a.count = 0
	a.Shape, a.Sum, a.Indices, a.Counts = nil, nil, nil, nil
	return nil
}

// Destroy resets the accumulator to its initial state.
func (a *Accumulator) Destroy() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.step, a.count = 0, 0
	a.Shape, a.Sum, a.Indices, a.Counts = nil, nil, nil, nil
}

// SetStep sets the step; Apply then ignores gradients of earlier steps.
func (a *Accumulator) SetStep(n int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.step = n
}

// Count returns the number of applied gradients.
func (a *Accumulator) Count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.count
}
