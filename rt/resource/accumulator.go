package resource

import (
	"context"
	"slices"

	"github.com/graphc/graphc/rt/tensor"
)

// AccumulatorParams describe an accumulator of gradients.
type AccumulatorParams struct {
	Name   string // as errors name it
	DType  tensor.DType
	Mean   bool // the mean of what was applied, not the sum
	Sparse bool // gradients are slices at indices
	// AnyRank says that the shape is not stated.
	AnyRank bool
}

// Accumulator adds up gradients of the step it has come to, and hands out what it
// has got when there are enough.
type Accumulator struct {
	AccumulatorParams
	Declared []int // with -1 for sizes that are open

	monitor
	step  int64
	count int

	Shape   []int   // of the sum; of Sparse values with the number of slices in front
	Sum     any     // the slice of DType.GoType()
	Indices []int64 // Sparse: of the slices
	Counts  []int   // Sparse: how often each was applied
}

// NewAccumulator makes an accumulator for gradients of that shape, which may have
// sizes that are open (-1).
func NewAccumulator(p AccumulatorParams, shape []int) tensor.Handle {
	return tensor.Handle{V: &Accumulator{AccumulatorParams: p, Declared: slices.Clone(shape)}}
}

// AccumulatorOf returns the accumulator that h holds: NotFound where there is no handle,
// InvalidArgument where it holds another thing.
func AccumulatorOf(h []tensor.Handle) (*Accumulator, error) {
	return of[Accumulator](h, "an accumulator")
}

// Takes reports that gradients may have that shape, as far as it is stated.
func (a *Accumulator) Takes(shape []int) bool { return a.AnyRank || fits(a.Declared, shape) }

// TakesSlices reports that gradients may have slices of the shape dims, of whose
// first dimension there is one for each slice.
func (a *Accumulator) TakesSlices(dims []int) bool {
	return a.AnyRank || len(dims) > 0 && len(dims) == len(a.Declared) && fits(a.Declared[1:], dims[1:])
}

// Apply calls add with the lock held, unless the gradient is of a step before
// the accumulator's: such a one is left out. first says that nothing is added up yet.
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

// Take waits for n gradients and calls out with the lock held and the number
// there is; the accumulator is empty then and a step further. InvalidArgument: n < 1.
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

// Destroy makes the accumulator as NewAccumulator made it.
func (a *Accumulator) Destroy() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.step, a.count = 0, 0
	a.Shape, a.Sum, a.Indices, a.Counts = nil, nil, nil, nil
}

// SetStep makes n the step that gradients must be of, or of a later one.
func (a *Accumulator) SetStep(n int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.step = n
}

// Count returns the number of gradients added up.
func (a *Accumulator) Count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.count
}
