// Package lower is the engine that turns a graph into a plan.
//
// A Def describes an op: what running it means (Level), what is known of its function (Traits), its element types, its shape
// function, and its lowerings for CPUs and GPUs. A Table is a set of them, which Infer, Lower and passes are given. A shape function
// works with a Shaper, a lowering with a Builder. The packages below ops have the descriptions.
//
// What the engine itself does is common to all ops: facts of nodes in loops, places of tensors, regions, order, constants and
// weights, and the copies between the two sides of a partition on a GPU.
package lower
