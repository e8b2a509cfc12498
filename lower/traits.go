package lower

import "github.com/graphc/graphc/rt/tensor"

// Traits are the known properties of the function that an op computes. Passes that move and join
// nodes use them.
type Traits uint32

// The traits.
const (
	// ElementWise ops compute each element of the output from one element of each input. The inputs
	// have the same shape, or are broadcast to a common shape; see Broadcasts.
	ElementWise Traits = 1 << iota
	// Broadcasts ops are ElementWise with two inputs, which they broadcast to one shape.
	Broadcasts
	// Rises ops are increasing functions of one element, and Falls ops are decreasing functions,
	// over all numbers. They return NaN only for NaN.
	Rises
	Falls
	// Involution ops undo themselves: f(f(x)) = x.
	Involution
	// Permutes ops return each element of input 0 exactly once in output 0, in some order.
	Permutes
	// Picks ops return only elements of input 0 in output 0. Elements may be missing or repeated.
	Picks
	// Renames ops return the elements of input 0 in output 0 in the same order, possibly with
	// another shape.
	Renames
	// NotNegative ops have no negative element in output 0.
	NotNegative
	// KeepsDigits ops add only errors in the last bits: if only the last bits of the inputs are
	// wrong, only the last bits of the results are wrong.
	KeepsDigits
	// RoundsNumbers ops have floating-point results that are integers, or results that are
	// discontinuous functions of the inputs.
	RoundsNumbers
	// LosesZeroSign ops have the same results for -0 and +0. Such ops are even functions, functions
	// that are not 0 at 0, and sums of products. The sums begin with +0 and therefore never become
	// -0.
	LosesZeroSign
	// SeesZeroSign0 ops have different results for -0 and +0 in input 0. SeesZeroSign1 ops have
	// different results for -0 and +0 in input 1 or a later input.
	SeesZeroSign0
	SeesZeroSign1
	// Fills ops compute results of any size as fast as a program could read stored results. A large
	// constant result of such an op should therefore not be stored in the program.
	Fills
	// HandsConstant ops copy a large constant input to their result, or read such an input only
	// once. If all elements of the constant are equal, the program does not store it, but fills it
	// at run time.
	HandsConstant
	// ShapeOnly ops read only the shapes of their inputs, not their elements.
	ShapeOnly
	// Counts ops are cheap and, on integers and bools, exact. If a loop's counter is computed by
	// such ops only, a GPU that needs the counter computes its own copy.
	Counts
	// NoGradient ops have outputs that are step functions of the inputs or do not depend on the
	// inputs.
	NoGradient
	// Exact ops have a scalar program, which GPUs use, and no node of such an op can fail. If
	// scalar.Program.Exact returns true for the program, its results have the same bits as those of
	// the host's kernels. Nodes with one element in loops on the host then run the program and call
	// no kernel.
	Exact
	// Moderate ops take several times as long as an addition if the elements are f32, and much
	// longer for other types. Slow ops take much longer for all types.
	Moderate
	Slow
)

// With adds traits to those of d and returns d.
func (d *Def) With(t Traits) *Def {
	d.Traits |= t
	return d
}

// Trait reports whether an op is described and has all of the traits.
func (t *Table) Trait(op string, all Traits) bool {
	d := t.Lookup(op)
	return d != nil && d.Traits&all == all
}

// ElementCost estimates the cost in picoseconds of an element-wise op for one element of type d.
func (b *Builder) ElementCost(op string, d tensor.DType) int {
	f32, cost := d == tensor.Float32, Traits(0)
	if x := b.l.t.Lookup(op); x != nil {
		cost = x.Traits & (Moderate | Slow)
	}
	switch {
	case cost == Slow, cost == Moderate && !f32:
		return CostExpensive
	case cost == Moderate, !f32:
		return CostModerate
	}
	return CostCheap
}
