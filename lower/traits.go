package lower

import "github.com/graphc/graphc/rt/tensor"

// Traits say what is known of the function that an op computes. Passes that move and join nodes ask for them.
type Traits uint32

// The traits.
const (
	// ElementWise ops compute each element of the output from one element of each input. The inputs have one
	// shape, or broadcast; see Broadcasts.
	ElementWise Traits = 1 << iota
	// Broadcasts ops are ElementWise, have two inputs and bring these to one shape.
	Broadcasts
	// Rises and Falls are monotonic functions of an element: over all numbers, and NaN for NaN alone.
	Rises
	Falls
	// Involution ops undo themselves: f(f(x)) = x.
	Involution
	// Permutes ops have each element of input 0 once in output 0, in some order.
	Permutes
	// Picks ops have elements of input 0 in output 0 and nothing else: some of them, and some repeatedly.
	Picks
	// Renames ops have the elements of input 0 in output 0 in the same order, and perhaps another shape.
	Renames
	// NotNegative ops have no element below 0 in output 0.
	NotNegative
	// KeepsDigits ops have results that are off in the last bits, more or less, where their inputs are.
	KeepsDigits
	// RoundsNumbers ops have floating-point results that are integers, or jump.
	RoundsNumbers
	// LosesZeroSign ops have the same results for -0 and +0: even functions, those that are not 0 at 0, and sums
	// of products, which begin with +0.
	LosesZeroSign
	// SeesZeroSign0 and SeesZeroSign1 ops have other numbers for -0 than for +0 in input 0, and in input 1. Of an op
	// with a list of inputs it is all of them.
	SeesZeroSign0
	SeesZeroSign1
	// Fills ops compute results, however large, as fast as these would be read: a large constant that they make
	// is not worth its place in a program.
	Fills
	// HandsConstant ops hand on a large constant operand as it is, or read it once.
	HandsConstant
	// ShapeOnly ops read no elements of their inputs, only the shape.
	ShapeOnly
	// Counts ops are exact on integers and bools, and cheap: where a loop counts by them, the device of a partition
	// repeats them.
	Counts
	// NoGradient ops have outputs that depend on the inputs in steps only, or not at all.
	NoGradient
	// Exact ops have a program over numbers, that of GPUs, which has the bits of the host's kernels where it is
	// scalar.Program.Exact, and no node of it fails: in loops, nodes of one element are computed by it.
	Exact
	// Moderate ops take several times as long as an addition for f32, and long for other types, Slow ops always long.
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

// ElementCost estimates how many picoseconds an element-wise op takes for an element of type d.
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
